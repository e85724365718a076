//! Updates in place: in an iteration, everything that reads an array comes before what changes it.
//!
//! XLA changes an array in place if all that reads the old one comes before by data; it knows no other order, and copies
//! the whole array in each iteration otherwise. Its fusion repeats a read in every operation that uses it, so that a read
//! alone orders nothing. Therefore what is read of an array that the iteration changes later passes through an operation
//! that fusion does not enter: a sort by a comparison that never holds. A zero that comes out of it is added to the place of
//! the change, or to the count of the loop that makes it.

use crate::error::{Result, internal};
use crate::space::Emitter;
use crate::text::{elem_name, list, tensor};
use crate::values::{Arr, Bound, Scal, Val};
use arr_ir::walk::free_vars;
use arr_ir::{Block, Const, Op, Scalar, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an iteration has read of arrays that it is still to change.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// Values that nothing has used yet.
    pending: Vec<VarId>,
    /// A zero that depends on all others.
    zero: Option<String>,
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
                if self.is_large(var)? {
                    changes.insert(var, at);
                }
            }
        }
        Ok(plan)
    }

    fn is_large(&mut self, var: VarId) -> Result<bool> {
        let ty = self.func.ty(var);
        let mut bytes = if ty.dims.is_empty() { 0 } else { ty.elem.bytes() as i64 };
        for size in ty.dims.clone() {
            // A size that the iteration itself computes is not known here.
            if self.func.types.poly(size).vars().iter().any(|v| !self.env.contains_key(v)) {
                return Ok(true);
            }
            let extent = self.size(size)?;
            bytes = bytes.saturating_mul(self.range(&extent).1.max(0));
        }
        Ok(bytes > 0 && bytes >= self.in_place_from)
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
        let (mut scalars, mut arrays) = (Vec::new(), Vec::new());
        for var in pending {
            match self.env.get(&var).map(|(bound, _)| bound.clone()) {
                Some(Bound::Scalar(scal)) if scal.as_const().is_none() => scalars.push((var, self.val(&scal)?)),
                Some(Bound::Array(array)) if !array.dims.contains(&0) => arrays.push((var, array)),
                _ => {}
            }
        }
        let mut numbers = vec![(zero, Scalar::I64)];
        if !arrays.is_empty() {
            numbers.push((self.constant(Const::I64(1), &[]), Scalar::I64));
        }
        let own = numbers.len();
        numbers.extend(scalars.iter().map(|(_, v)| (v.name.clone(), v.elem)));
        let names = self.unfused_scalars(numbers);
        for ((var, v), name) in scalars.into_iter().zip(names.iter().skip(own)) {
            self.bind(var, Bound::Scalar(Scal::Tensor(v.named(name.clone()))));
        }
        let zero = match &names[..own] {
            [zero] => zero.clone(),
            [zero, one] => self.unfused_arrays(arrays, zero, one)?,
            _ => return internal("a sort has lost its operands"),
        };
        if let Some(order) = self.order.as_mut() {
            order.zero = Some(zero);
        }
        Ok(())
    }

    /// The same scalars, out of one operation that nothing is fused with: a sort of a list for every type of elements.
    fn unfused_scalars(&mut self, scalars: Vec<(String, Scalar)>) -> Vec<String> {
        let mut lists: Vec<(Scalar, Vec<String>)> = Vec::new();
        let mut places = Vec::new();
        for (name, elem) in scalars {
            let at = lists.iter().position(|(other, _)| *other == elem).unwrap_or_else(|| {
                lists.push((elem, Vec::new()));
                lists.len() - 1
            });
            let one = self.reshaped(name, &[], &[1], elem);
            places.push((at, lists[at].1.len(), elem));
            lists[at].1.push(one);
        }
        let length = lists.iter().map(|(_, items)| items.len()).max().unwrap_or(0).max(2);
        let mut joined = Vec::new();
        for (elem, mut items) in lists {
            let first = items[0].clone();
            items.resize(length, first);
            joined.push((self.beside("list", &items, &[1], 0, elem), elem));
        }
        let lists = self.unsorted(&joined, length as i64);
        let mut names = Vec::new();
        for (at, place, elem) in places {
            let (from, to) = (tensor(&[length as i64], elem_name(elem)), tensor(&[1], elem_name(elem)));
            let op = format!("stablehlo.slice {} [{place}:{}] : ({from}) -> {to}", lists[at], place + 1);
            let one = self.text.value("kept", op);
            names.push(self.reshaped(one, &[1], &[], elem));
        }
        names
    }

    /// Lists of one length, sorted by a comparison that never holds.
    fn unsorted(&mut self, lists: &[(String, Scalar)], length: i64) -> Vec<String> {
        let types: Vec<String> = lists.iter().map(|(_, elem)| tensor(&[length], elem_name(*elem))).collect();
        let mut params = Vec::new();
        for (_, elem) in lists {
            for hint in ["a", "b"] {
                params.push(format!("{}: tensor<{}>", self.text.fresh(hint), elem_name(*elem)));
            }
        }
        let never = self.text.fresh("never");
        let (names, types) =
            (lists.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "), types.join(", "));
        let operation = format!(
            "\"stablehlo.sort\"({names}) <{{dimension = 0 : i64, is_stable = true}}> ({{\n^bb0({}):\n  {never} = stablehlo.constant dense<false> : tensor<i1>\n  stablehlo.return {never} : tensor<i1>\n}}) : ({types}) -> ({types})",
            params.join(", ")
        );
        self.text.results("kept", lists.len(), &operation)
    }

    /// Has arrays computed, and the zero depend on them. In a loop of one iteration, which XLA does not know to be one, the
    /// first element is written where it is.
    fn unfused_arrays(&mut self, arrays: Vec<(VarId, Arr)>, zero: &str, one: &str) -> Result<String> {
        let count = "tensor<i64>";
        let mut inits: Vec<(String, String)> =
            arrays.iter().map(|(_, array)| (array.name.clone(), array.ty())).collect();
        inits.push((zero.to_string(), count.to_string()));
        let last = arrays.len();
        let ends = self.repeat(
            "kept",
            &inits,
            &mut |emitter, names| {
                let op =
                    format!("stablehlo.compare LT, {}, {one}, SIGNED : ({count}, {count}) -> tensor<i1>", names[last]);
                Ok(emitter.text.value("once", op))
            },
            &mut |emitter, names| {
                let mut next = Vec::new();
                for (name, (_, array)) in names.iter().zip(&arrays) {
                    next.push(emitter.first_element_again(name, array, &names[last]));
                }
                let op = format!("stablehlo.add {}, {one} : {count}", names[last]);
                next.push(emitter.text.value("next", op));
                Ok(next)
            },
        )?;
        for ((var, array), name) in arrays.into_iter().zip(&ends) {
            self.bind(var, Bound::Array(Arr { name: name.clone(), ..array }));
        }
        let op = format!("stablehlo.subtract {}, {one} : {count}", ends[last]);
        Ok(self.text.value("zero", op))
    }

    /// The array with its first element read at the count, which is zero, and written at zero.
    fn first_element_again(&mut self, name: &str, array: &Arr, at: &str) -> String {
        let zero = self.constant(Const::I64(0), &[]);
        let sizes = vec![1; array.dims.len()];
        let (ty, element) = (array.ty(), tensor(&sizes, elem_name(array.elem)));
        let places = |first: &str| [vec![first; 1], vec![zero.as_str(); sizes.len() - 1]].concat().join(", ");
        let scalars = vec!["tensor<i64>"; sizes.len()].join(", ");
        let read = format!(
            "stablehlo.dynamic_slice {name}, {}, sizes = {} : ({ty}, {scalars}) -> {element}",
            places(at),
            list(&sizes)
        );
        let read = self.text.value("first", read);
        let op = format!(
            "stablehlo.dynamic_update_slice {name}, {read}, {} : ({ty}, {element}, {scalars}) -> {ty}",
            places(&zero)
        );
        self.text.value("kept", op)
    }
}
