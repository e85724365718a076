//! Updates in place: in an iteration, everything that reads an array comes before what changes it.
//!
//! XLA changes an array in place if all that reads the old one comes before by data; it knows no other order, and copies
//! the whole array in each iteration otherwise. Its fusion repeats a read in every operation that uses it, so that a read
//! alone orders nothing. Therefore what is read of an array that the iteration changes later passes through an operation
//! that fusion does not enter: a loop that has no iteration, which XLA does not know. A zero that comes out of it is added to
//! the place of the change, or to the count of the loop that makes it.

use crate::error::{Result, internal};
use crate::numbers::{LEAST_IN_PLACE, is_of_numbers, reads_first};
use crate::space::Emitter;
use crate::text::{elem_name, list, tensor};
use crate::values::{Arr, Bound, Scal, Val};
use arr_ir::walk::free_vars;
use arr_ir::{Block, Const, Op, Scalar, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bits of a number that programs hardly use: as an integer more than 2^62, as a float about 1e213, as one of 32 bits about
/// 8e26. One that does has an iteration that changes nothing.
const STRANGE: i64 = 0x6c2b_93d1_5a47_e60f;

/// What an iteration has read of arrays that it is still to change.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// Values that nothing has used yet.
    pending: Vec<VarId>,
    /// A zero that depends on all others.
    zero: Option<String>,
}

/// Values that an iteration has read.
#[derive(Default)]
struct Kept {
    scalars: Vec<(VarId, Val)>,
    arrays: Vec<(VarId, Arr)>,
}

/// Statements of an iteration.
struct Plan {
    /// What a statement and its blocks use from outside.
    uses: Vec<Vec<VarId>>,
    /// Whether a statement reads an array that a later one changes, which does not come after it already.
    reads: Vec<bool>,
    /// Whether a statement changes such an array.
    changes: Vec<bool>,
}

/// The array that a statement of a loop's body changes, of which nothing else is to be kept.
fn changed(op: &Op) -> Vec<VarId> {
    match op {
        Op::Scatter { dest, .. } => vec![*dest],
        Op::Loop { inits, .. } | Op::While { inits, .. } => inits.iter().filter_map(|init| init.var()).collect(),
        _ => Vec::new(),
    }
}

/// Whether everything that is computed from a statement becomes a part of one update, which comes after it by that.
fn flows_into(block: &Block, uses: &[Vec<VarId>], from: usize, update: usize) -> bool {
    let mut computed: FxHashSet<VarId> = block.stmts[from].vars.iter().copied().collect();
    for (at, stmt) in block.stmts.iter().enumerate().skip(from + 1) {
        if at == update || !uses[at].iter().any(|var| computed.contains(var)) {
            continue;
        }
        if at > update {
            return false;
        }
        computed.extend(&stmt.vars);
    }
    !block.results.iter().filter_map(|result| result.var()).any(|var| computed.contains(&var))
}

impl Emitter<'_> {
    /// The body of an iteration of a loop of the function.
    pub(crate) fn ordered_block(&mut self, block: &Block) -> Result<()> {
        let stmts = reads_first(self.func, block);
        let block = &Block { params: block.params.clone(), stmts, results: block.results.clone() };
        let plan = self.plan(block)?;
        let outer = self.order.replace(Order::default());
        for (at, stmt) in block.stmts.iter().enumerate() {
            if plan.changes[at] || self.is_pending(&plan.uses[at]) {
                self.order_pending()?;
            }
            let zero = self.order.as_ref().and_then(|order| order.zero.clone());
            self.after = zero.filter(|_| plan.changes[at]);
            self.stmt(stmt)?;
            self.after = None;
            if let Some(order) = self.order.as_mut().filter(|_| plan.reads[at]) {
                order.pending.extend(&stmt.vars);
            }
        }
        self.order_pending()?;
        self.order = outer;
        Ok(())
    }

    fn plan(&mut self, block: &Block) -> Result<Plan> {
        let count = block.stmts.len();
        let least = if is_of_numbers(block) { LEAST_IN_PLACE.min(self.in_place_from) } else { self.in_place_from };
        let uses: Vec<Vec<VarId>> = block.stmts.iter().map(|stmt| free_vars(self.func, &stmt.op)).collect();
        let mut plan = Plan { uses, reads: vec![false; count], changes: vec![false; count] };
        // The first statement that changes an array, of those behind the present one.
        let mut changes: FxHashMap<VarId, usize> = FxHashMap::default();
        for (at, stmt) in block.stmts.iter().enumerate().rev() {
            let first: Vec<usize> = plan.uses[at].iter().filter_map(|var| changes.get(var).copied()).collect();
            let is_before = match first.as_slice() {
                [] => true,
                [only] => flows_into(block, &plan.uses, at, *only),
                _ => false,
            };
            if !is_before {
                plan.reads[at] = true;
                first.into_iter().for_each(|change| plan.changes[change] = true);
            }
            for var in changed(&stmt.op) {
                if self.bytes(var)?.is_none_or(|bytes| bytes > 0 && bytes >= least) {
                    changes.insert(var, at);
                }
            }
        }
        Ok(plan)
    }

    /// The size of an array; of one whose extents the iteration itself computes it is not known here.
    fn bytes(&mut self, var: VarId) -> Result<Option<i64>> {
        let ty = self.func.ty(var);
        let mut bytes = if ty.dims.is_empty() { 0 } else { ty.elem.bytes() as i64 };
        for size in ty.dims.clone() {
            if self.func.types.poly(size).vars().iter().any(|v| !self.env.contains_key(v)) {
                return Ok(None);
            }
            let extent = self.size(size)?;
            bytes = bytes.saturating_mul(self.range(&extent).1.max(0));
        }
        Ok(Some(bytes))
    }

    fn is_pending(&self, uses: &[VarId]) -> bool {
        self.order.as_ref().is_some_and(|order| order.pending.iter().any(|var| uses.contains(var)))
    }

    /// The place of an update, behind what has to come before it.
    pub(crate) fn behind(&mut self, place: &Scal) -> Result<Scal> {
        let Some(zero) = &self.after else { return Ok(place.clone()) };
        let zero = Scal::Tensor(Val::new(zero.clone(), Vec::new(), Scalar::I64));
        Ok(Scal::Tensor(self.elementwise("place", "stablehlo.add", &[place.clone(), zero])?))
    }

    /// Has what is pending computed, and everything that follows depend on it.
    fn order_pending(&mut self) -> Result<()> {
        let Some(order) = self.order.as_mut() else { return Ok(()) };
        let (pending, zero) = (std::mem::take(&mut order.pending), order.zero.clone());
        if pending.is_empty() {
            return Ok(());
        }
        let zero = zero.unwrap_or_else(|| self.constant(Const::I64(0), &[]));
        let mut kept = Kept::default();
        for var in pending {
            match self.env.get(&var).map(|(bound, _)| bound.clone()) {
                Some(Bound::Scalar(scal)) if scal.as_const().is_none() => kept.scalars.push((var, self.val(&scal)?)),
                Some(Bound::Array(array)) if !array.dims.contains(&0) => kept.arrays.push((var, array)),
                _ => {}
            }
        }
        let zero = self.unfused(kept, zero)?;
        if let Some(order) = self.order.as_mut() {
            order.zero = Some(zero);
        }
        Ok(())
    }

    /// Has values computed, and the zero depend on them, by a loop that carries them all and that nothing is fused with. It
    /// has no iteration, or one that changes nothing, which XLA does not know.
    fn unfused(&mut self, kept: Kept, zero: String) -> Result<String> {
        let Some(goes_on) = self.unlikely(&kept)? else { return Ok(zero) };
        let Kept { scalars, arrays } = kept;
        let (mut inits, mut elems) = (vec![(goes_on, tensor(&[], "i1"))], vec![Scalar::I64]);
        inits.push((zero, tensor(&[], "i64")));
        for (_, v) in &scalars {
            inits.push((v.name.clone(), tensor(&[], elem_name(v.elem))));
            elems.push(v.elem);
        }
        inits.extend(arrays.iter().map(|(_, array)| (array.name.clone(), array.ty())));
        let ends = self.repeat("kept", &inits, &mut |_, names| Ok(names[0].clone()), &mut |emitter, names| {
            let mut next = vec![emitter.constant(Const::Bool(false), &[])];
            let (numbers, whole) = names[1..].split_at(elems.len());
            for (name, &elem) in numbers.iter().zip(&elems) {
                next.push(emitter.chosen_again(name, &names[0], &[], elem));
            }
            for (name, (_, array)) in whole.iter().zip(&arrays) {
                next.push(emitter.first_element_again(name, array, &names[0]));
            }
            Ok(next)
        })?;
        let [_, zero, ends @ ..] = ends.as_slice() else { return internal("a loop has lost its state") };
        let (numbers, whole) = ends.split_at(scalars.len());
        for ((var, v), name) in scalars.into_iter().zip(numbers) {
            self.bind(var, Bound::Scalar(Scal::Tensor(v.named(name.clone()))));
        }
        for ((var, array), name) in arrays.into_iter().zip(whole) {
            self.bind(var, Bound::Array(Arr { name: name.clone(), ..array }));
        }
        Ok(zero.clone())
    }

    /// Something that depends on data, and that does not hold but by a strange coincidence, or a truth value that was read.
    fn unlikely(&mut self, kept: &Kept) -> Result<Option<String>> {
        let number = kept.scalars.iter().find(|(_, v)| v.elem != Scalar::Bool).or(kept.scalars.first());
        let (name, elem) = match (number, kept.arrays.first()) {
            (Some((_, v)), _) => (v.name.clone(), v.elem),
            (None, Some((_, array))) => {
                let first = self.first_element(&array.name, array);
                let dims = vec![1; array.dims.len()];
                (self.reshaped(first, &dims, &[], array.elem), array.elem)
            }
            (None, None) => return Ok(None),
        };
        let from = tensor(&[], elem_name(elem));
        let (bits, strange) = match elem {
            Scalar::Bool => return Ok(Some(name)),
            Scalar::F64 | Scalar::I64 => ("i64", STRANGE),
            Scalar::F32 | Scalar::I32 | Scalar::U32 => ("i32", STRANGE >> 32),
        };
        let to = tensor(&[], bits);
        let same = from == to;
        let op = format!("stablehlo.bitcast_convert {name} : ({from}) -> {to}");
        let bits = if same { name } else { self.text.value("bits", op) };
        let strange = self.text.value("strange", format!("stablehlo.constant dense<{strange}> : {to}"));
        let op = format!("stablehlo.compare EQ, {bits}, {strange}, SIGNED : ({to}, {to}) -> tensor<i1>");
        Ok(Some(self.text.value("unlikely", op)))
    }

    /// The same value where `goes_on` holds, as it does in a loop's body.
    fn chosen_again(&mut self, name: &str, goes_on: &str, dims: &[i64], elem: Scalar) -> String {
        let ty = tensor(dims, elem_name(elem));
        let other = self.splat(Const::zero(elem), dims);
        self.text.value("kept", format!("stablehlo.select {goes_on}, {name}, {other} : tensor<i1>, {ty}"))
    }

    /// The first element of an array, as an array of one element.
    fn first_element(&mut self, name: &str, array: &Arr) -> String {
        let zero = self.constant(Const::I64(0), &[]);
        let sizes = vec![1; array.dims.len()];
        let places = vec![zero.as_str(); sizes.len()].join(", ");
        let scalars = vec!["tensor<i64>"; sizes.len()].join(", ");
        let (ty, element) = (array.ty(), tensor(&sizes, elem_name(array.elem)));
        let sizes = list(&sizes);
        self.text.value(
            "first",
            format!("stablehlo.dynamic_slice {name}, {places}, sizes = {sizes} : ({ty}, {scalars}) -> {element}"),
        )
    }

    /// The array with its first element written once more, where it is.
    fn first_element_again(&mut self, name: &str, array: &Arr, goes_on: &str) -> String {
        let zero = self.constant(Const::I64(0), &[]);
        let first = self.first_element(name, array);
        let sizes = vec![1; array.dims.len()];
        let first = self.chosen_again(&first, goes_on, &sizes, array.elem);
        let places = vec![zero.as_str(); sizes.len()].join(", ");
        let scalars = vec!["tensor<i64>"; sizes.len()].join(", ");
        let (ty, element) = (array.ty(), tensor(&sizes, elem_name(array.elem)));
        let op =
            format!("stablehlo.dynamic_update_slice {name}, {first}, {places} : ({ty}, {element}, {scalars}) -> {ty}");
        self.text.value("kept", op)
    }
}
