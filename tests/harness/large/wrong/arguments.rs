//! Arguments of definitions: arrays of small sizes or empty ones, and invalid indices.

use arr_data::{EdgeValue, to_literal};
use arr_ir::sample::Lcg;
use arr_ir::{Const, Data, Func, Scalar, Value, VarId};
use std::collections::BTreeMap;

/// Sizes that are assigned to the names in turn: small ones, ones, and ones around the width of a vector.
const SIZES: &[&[i64]] = &[&[3, 4, 2, 5], &[2, 3, 4, 3], &[5, 3, 4, 2], &[1, 1, 1], &[9, 8, 10, 7], &[17, 6, 5, 4]];
/// For shapes that need larger ones: `[n - 6]`.
const LARGE: &[i64] = &[11, 9, 13, 10];
/// The maximal number of elements of an argument.
const MOST: i64 = 5_000;

/// The replacement of an index in an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bad {
    Negative,
    /// The largest size.
    End,
    Huge,
}

/// The change to the arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Nothing,
    /// A size is 0.
    Empty(usize),
    AllEmpty,
    /// An integer of a leaf.
    Bad(usize, Bad),
}

/// The variables that are sizes: the function's own, and the parameters that types mention.
pub fn size_variables(func: &Func) -> Vec<VarId> {
    let mut all = func.sizes.clone();
    for &param in &func.params {
        for dim in &func.ty(param).dims {
            for var in func.types.poly(*dim).vars() {
                if !all.contains(&var) {
                    all.push(var);
                }
            }
        }
    }
    all
}

/// The leaves that may hold indices.
pub fn integers(func: &Func) -> Vec<usize> {
    let sizes = size_variables(func);
    let paths = paths(func);
    let whole = |elem| matches!(elem, Scalar::I32 | Scalar::I64 | Scalar::U32);
    (0..func.params.len())
        .filter(|k| paths.get(*k).is_some_and(|path| !path.ends_with(".tag")))
        .filter(|k| func.params.get(*k).is_some_and(|p| !sizes.contains(p) && whole(func.ty(*p).elem)))
        .collect()
}

/// The arguments as text; none if the shapes allow no such sizes.
pub fn arguments(func: &Func, change: Change, seed: u64) -> Option<Vec<String>> {
    let turn = usize::try_from(seed % SIZES.len() as u64).unwrap_or(0);
    let tables = SIZES.iter().cycle().skip(turn).take(SIZES.len()).copied().chain([LARGE]);
    let leaves = tables.filter_map(|table| leaves(func, change, table, seed)).next()?;
    let mut rest = leaves.as_slice();
    let mut texts = Vec::new();
    for param in &func.edge_params {
        let (own, after) = rest.split_at_checked(param.ty.leaves().len())?;
        rest = after;
        texts.push(to_literal(&EdgeValue::from_leaves(&param.ty, own)?).replace('\n', " "));
    }
    Some(texts)
}

fn leaves(func: &Func, change: Change, table: &[i64], seed: u64) -> Option<Vec<Value>> {
    let mut sizes = BTreeMap::new();
    for (k, var) in size_variables(func).into_iter().enumerate() {
        let empty = change == Change::AllEmpty || change == Change::Empty(k);
        let size = table.get(k % table.len()).copied().unwrap_or(1);
        sizes.insert(var, if empty { 0 } else { size });
    }
    let mut random = Lcg::new(seed);
    let paths = paths(func);
    let mut leaves = Vec::new();
    for (param, path) in func.params.iter().zip(&paths) {
        let leaf = match sizes.get(param) {
            Some(size) => Value::Scalar(Const::I64(*size)),
            None => leaf(func, *param, &sizes, path.ends_with(".tag"), &mut random)?,
        };
        leaves.push(leaf);
    }
    if let Change::Bad(at, bad) = change {
        let end = sizes.values().copied().max().unwrap_or(3);
        let leaf = leaves.get_mut(at)?;
        *leaf = spoiled(leaf, bad, end, seed)?;
    }
    Some(leaves)
}

/// The path to each leaf.
fn paths(func: &Func) -> Vec<String> {
    func.edge_params.iter().flat_map(|param| param.ty.leaves()).map(|leaf| leaf.path).collect()
}

fn leaf(func: &Func, param: VarId, sizes: &BTreeMap<VarId, i64>, tag: bool, random: &mut Lcg) -> Option<Value> {
    let ty = func.ty(param);
    let extent = |dim: &arr_ir::SizeId| func.types.poly(*dim).eval(&mut |v| sizes.get(&v).copied()).filter(|n| *n >= 0);
    let dims: Vec<i64> = ty.dims.iter().map(extent).collect::<Option<_>>()?;
    let count = dims.iter().try_fold(1i64, |n, d| n.checked_mul(*d)).filter(|n| *n <= MOST)?;
    let mut number = || match (tag, random.scalar(ty.elem)) {
        // Every sum with a tag has two constructors.
        (true, Const::I64(n)) => Const::I64(n % 2),
        (_, number) => number,
    };
    if dims.is_empty() {
        return Some(Value::Scalar(number()));
    }
    let mut data = Data::zeros(ty.elem, usize::try_from(count).ok()?);
    for i in 0..data.len() {
        let _fits = data.set(i, number());
    }
    Some(Value::array(dims, data))
}

/// The leaf with one of its integers spoiled.
fn spoiled(leaf: &Value, bad: Bad, end: i64, seed: u64) -> Option<Value> {
    let number = match (bad, leaf.elem()) {
        (Bad::Negative, Scalar::U32) => return None,
        (Bad::Negative, _) => -1,
        (Bad::End, _) => end,
        (Bad::Huge, Scalar::I64) => 1 << 62,
        (Bad::Huge, _) => i64::from(i32::MAX),
    };
    let number = Const::of_int(leaf.elem(), number);
    match leaf {
        Value::Scalar(_) => Some(Value::Scalar(number)),
        Value::Array(array) => {
            let mut data = array.data.clone();
            let at = usize::try_from(seed).unwrap_or(0).checked_rem(data.len())?;
            let _fits = data.set(at, number);
            Some(Value::array(array.dims.clone(), data))
        }
    }
}
