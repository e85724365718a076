//! Whether two results are the same, as far as a contract asks for it.
//!
//! Exact: every bit, where any NaN is as good as another. With rounding errors: an element may be off by what rounding its terms
//! can bring about. How much that is, is measured: the function is run again with its arguments and constants changed a little at
//! random, and what comes of that, scaled down to the unit of rounding, is the sum of the sizes of the terms that the
//! element is made of, as far as cancellation has not hidden them. An integer, or a float that jumps, because a comparison went
//! the other way, may then be anything.

use super::Ran;
use arr_ir::interp::Limits;
use arr_ir::{Atom, Block, Const, Data, Func, Literal, Op, RunError, Scalar, Value};
use std::sync::Arc;

/// Runs with changed arguments.
const SAMPLES: u64 = 6;
/// How much arguments are changed, relative to their size: far above a rounding error, far below what matters.
const CHANGE: f64 = 1.0 / (1u64 << 40) as f64;
const CHANGE_F32: f64 = 1.0 / (1u64 << 14) as f64;
/// Rounding errors that an element may be off by, in units of what one in each of its terms brings about.
const ERRORS: f64 = 256.0;

/// How far the elements of results may be off.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Allowed {
    /// For each element of each leaf; nothing for those that are not there.
    leaves: Vec<Vec<f64>>,
}

impl Allowed {
    /// Every bit stays.
    pub fn nothing() -> Allowed {
        Allowed::default()
    }

    /// By the rounding errors of a function with these results.
    pub fn of(func: &Func, sizes: &[i64], leaves: &[Value], limits: &Limits, ran: &Ran) -> Allowed {
        let Ok(results) = ran else { return Allowed::nothing() };
        let mut allowed: Vec<Vec<f64>> = results.iter().map(own_rounding).collect();
        for seed in 0..SAMPLES {
            let mut random = Random(seed + 1);
            let arguments: Vec<Value> = leaves.iter().map(|leaf| changed(leaf, &mut random)).collect();
            let mut func = func.clone();
            // A constant that is an exponent or a bound is not a term; half of the samples leave constants alone.
            if seed % 2 == 1 {
                change_constants(&mut func.body, &mut random);
            }
            let Ok(outcome) = arr_ir::interp::run(&func, sizes, &arguments, limits) else { continue };
            for ((allowed, old), new) in allowed.iter_mut().zip(results).zip(&outcome.results) {
                widen(allowed, old, new);
            }
        }
        Allowed { leaves: allowed }
    }

    /// For a result that is one of the leaves.
    pub fn of_leaf(&self, leaf: usize) -> Allowed {
        Allowed { leaves: self.leaves.get(leaf).cloned().into_iter().collect() }
    }

    fn at(&self, leaf: usize, element: usize) -> f64 {
        self.leaves.get(leaf).and_then(|elements| elements.get(element)).copied().unwrap_or(0.0)
    }
}

fn unit(elem: Scalar) -> f64 {
    if elem == Scalar::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// What a few roundings of the elements themselves are.
fn own_rounding(value: &Value) -> Vec<f64> {
    if !value.elem().is_float() {
        return vec![0.0; value.to_f64s().len()];
    }
    value.to_f64s().iter().map(|x| if x.is_finite() { 8.0 * unit(value.elem()) * x.abs() } else { 0.0 }).collect()
}

/// Allows what changing the arguments has changed.
fn widen(allowed: &mut [f64], old: &Value, new: &Value) {
    if old.dims() != new.dims() {
        return allowed.fill(f64::INFINITY);
    }
    let elem = old.elem();
    let scale = if elem == Scalar::F32 { CHANGE_F32 } else { CHANGE };
    for ((allowed, x), y) in allowed.iter_mut().zip(old.to_f64s()).zip(new.to_f64s()) {
        let moved = (x - y).abs();
        if !elem.is_float() {
            // Not a number that rounds: it is settled by a comparison of some that do.
            *allowed = if moved == 0.0 { *allowed } else { f64::INFINITY };
        } else if moved.is_finite() {
            *allowed = allowed.max(ERRORS * unit(elem) / scale * moved);
        }
    }
}

/// The value with each float changed a little.
fn changed(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::Scalar(c) => Value::Scalar(random.change(*c)),
        Value::Array(array) => {
            let data = match &array.data {
                Data::F64(v) => Data::F64(v.iter().map(|x| x * random.factor(CHANGE)).collect()),
                Data::F32(v) => {
                    Data::F32(v.iter().map(|x| (f64::from(*x) * random.factor(CHANGE_F32)) as f32).collect())
                }
                other => other.clone(),
            };
            Value::array(array.dims.clone(), data)
        }
    }
}

fn change_constants(block: &mut Block, random: &mut Random) {
    for stmt in &mut block.stmts {
        stmt.op.map_operands(&mut |atom| match atom {
            Atom::Const(c) => Atom::Const(random.change(c)),
            Atom::Var(_) => atom,
        });
        if let Op::Literal(literal) = &mut stmt.op {
            let data = literal.data.iter().map(|c| random.change(*c)).collect();
            *literal = Arc::new(Literal { elem: literal.elem, dims: literal.dims.clone(), data });
        }
        stmt.op.blocks_mut().into_iter().for_each(|inner| change_constants(inner, random));
    }
}

/// Numbers that look random and are the same in every run (Steele, Lea and Flood's mixing of a counter).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number within `size` of 1.
    fn factor(&mut self, size: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        1.0 + size * (2.0 * unit - 1.0)
    }

    fn change(&mut self, c: Const) -> Const {
        match c {
            Const::F64(x) => Const::F64(x * self.factor(CHANGE)),
            Const::F32(x) => Const::F32((f64::from(x) * self.factor(CHANGE_F32)) as f32),
            other => other,
        }
    }
}

/// How two results differ.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Difference {
    /// One is an error, or both are and are not the same; or shapes differ.
    Outcome {
        before: String,
        after: String,
    },
    Values(Elements),
}

/// Elements of one leaf that differ.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Elements {
    /// The leaf, from 0, of how many.
    pub leaf: usize,
    pub leaves: usize,
    /// How many elements differ, of how many.
    pub count: usize,
    pub all: usize,
    /// The index of the first, and its values.
    pub first: String,
    pub before: String,
    pub after: String,
    /// The largest difference, how much of one is allowed there, and where it is.
    pub largest: f64,
    pub allowed: f64,
    pub place: String,
}

impl Difference {
    /// One fact per line.
    pub fn text(&self) -> String {
        match self {
            Difference::Outcome { before, after } => format!("before: {before}\nafter:  {after}\n"),
            Difference::Values(e) => {
                let leaf = if e.leaves == 1 { String::new() } else { format!(" of leaf {}", e.leaf) };
                let place = |index: &str| if index.is_empty() { String::new() } else { format!(" at [{index}]") };
                format!(
                    "before: {}{}{leaf}\nafter:  {}\n{} of {} elements{leaf} differ, by {:e} at most{}, where {:e} is allowed\n",
                    e.before,
                    place(&e.first),
                    e.after,
                    e.count,
                    e.all,
                    e.largest,
                    place(&e.place),
                    e.allowed,
                )
            }
        }
    }
}

/// The first leaf in which two results differ by more than is allowed.
pub(super) fn difference(before: &Ran, after: &Ran, allowed: &Allowed) -> Option<Difference> {
    match (before, after) {
        (Err(old), Err(new)) if same_error(old, new) => None,
        (Ok(old), Ok(new)) if old.len() == new.len() => {
            old.iter().zip(new).enumerate().find_map(|(leaf, (x, y))| in_leaf(leaf, old.len(), x, y, allowed))
        }
        _ => Some(Difference::Outcome { before: outcome(before), after: outcome(after) }),
    }
}

/// The code and the place stay; the numbers in the message may be those of another element.
fn same_error(old: &RunError, new: &RunError) -> bool {
    std::mem::discriminant(&old.kind) == std::mem::discriminant(&new.kind) && old.span == new.span
}

fn outcome(ran: &Ran) -> String {
    match ran {
        Ok(results) => {
            let shapes: Vec<String> = results.iter().map(|v| format!("{}{:?}", v.elem().name(), v.dims())).collect();
            format!("a value: {}", shapes.join(", "))
        }
        Err(error) => {
            let diagnostic = error.to_diagnostic();
            let place = error.span.map_or("no place".to_string(), |span| format!("bytes {}..{}", span.start, span.end));
            format!("{}: {} ({place})", diagnostic.code, diagnostic.title)
        }
    }
}

fn in_leaf(leaf: usize, leaves: usize, before: &Value, after: &Value, allowed: &Allowed) -> Option<Difference> {
    if before.dims() != after.dims() || before.elem() != after.elem() {
        let shape = |v: &Value| format!("leaf {leaf} is {}{:?}", v.elem().name(), v.dims());
        return Some(Difference::Outcome { before: shape(before), after: shape(after) });
    }
    let (old, new) = (elements(before), elements(after));
    let off: Vec<(usize, Const, Const)> = old
        .into_iter()
        .zip(new)
        .enumerate()
        .map(|(at, (x, y))| (at, x, y))
        .filter(|(at, x, y)| !same(*x, *y, allowed.at(leaf, *at)))
        .collect();
    let (first, x, y) = off.first().copied()?;
    let size = |x: Const, y: Const| match (number(x), number(y)) {
        (a, b) if (a - b).is_nan() => f64::INFINITY,
        (a, b) => (a - b).abs(),
    };
    let (place, largest) = off
        .iter()
        .map(|(at, x, y)| (*at, size(*x, *y)))
        .reduce(|most, next| if next.1 > most.1 { next } else { most })
        .unwrap_or((first, 0.0));
    Some(Difference::Values(Elements {
        leaf,
        leaves,
        count: off.len(),
        all: before.to_f64s().len(),
        first: index(before.dims(), first),
        before: arr_ir::const_text(x),
        after: arr_ir::const_text(y),
        largest,
        allowed: allowed.at(leaf, place),
        place: index(before.dims(), place),
    }))
}

fn elements(value: &Value) -> Vec<Const> {
    match value {
        Value::Scalar(c) => vec![*c],
        Value::Array(array) => (0..array.data.len()).filter_map(|i| array.data.get(i)).collect(),
    }
}

fn number(c: Const) -> f64 {
    c.as_f64()
        .or_else(|| c.as_i64().map(|n| n as f64))
        .unwrap_or_else(|| f64::from(u8::from(c.as_bool() == Some(true))))
}

fn same(x: Const, y: Const, allowed: f64) -> bool {
    let nan = |c: Const| c.as_f64().is_some_and(f64::is_nan);
    x.bits() == y.bits() || nan(x) && nan(y) || (number(x) - number(y)).abs() <= allowed && allowed > 0.0
}

/// The index of an element of a row-major array.
fn index(dims: &[i64], element: usize) -> String {
    let mut rest = element as i64;
    let mut parts: Vec<String> = Vec::new();
    for &dim in dims.iter().rev() {
        parts.push((rest % dim.max(1)).to_string());
        rest /= dim.max(1);
    }
    parts.reverse();
    parts.join(", ")
}
