//! The cotangents of variables while a block is swept backwards.
//!
//! The contributions to a variable are kept apart until its cotangent is needed. A variable without one costs nothing,
//! a single contribution is used as it is, and updates of a few places are made in place on the sum of the others.
//! (CHAD's sparse cotangents, decided at compile time.)
//!
//! A contribution is gathered if its read reaches every element. One that reaches some elements is gathered too, with
//! two exceptions: the contributions to one array together are more than four slices or two diagonals, so that each
//! element would test for all of them; or the code runs many times and has an array to add to, as in a loop. In these
//! cases, and where the places cannot be solved for, it adds to the elements that were read (`scatter add`), in place
//! where nothing else holds the array, and costs what was read.

use crate::code::{CodeBuilder, d_name};
use crate::reverse::sum_updates::summed;
use arr_base::Span;
use arr_ir::{Atom, Axis, Block, Op, ScatterKind, Stmt, VarId};
use rustc_hash::FxHashMap;

/// A cotangent, and whether it may be the exact zero of something that was not selected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ct {
    pub atom: Atom,
    pub selective: bool,
}

#[derive(Default)]
struct Cot {
    /// Whole arrays, or scalars.
    dense: Vec<Atom>,
    /// Places to add to.
    updates: Vec<Update>,
    /// Places that can be solved for, in both forms: as an update, and as an array that is zero elsewhere.
    partial: Vec<(Update, Gathered)>,
    /// Whether every contribution may be the zero of something not selected.
    selective: bool,
}

/// Values to be added to some places of an array.
pub(crate) struct Update {
    pub axes: Vec<Axis>,
    /// Yields guard, indices and value.
    pub body: Block,
    /// The span of the read whose cotangent it is: an index that is out of bounds here was so there.
    pub span: Option<Span>,
}

/// A contribution in gather form: code that makes an array, and the array.
pub(crate) struct Gathered {
    pub stmts: Vec<Stmt>,
    pub array: Atom,
    /// Whether only few elements are read, such as those of a diagonal.
    pub sparse: bool,
}

/// The highest cost, for one variable, of all partial contributions that are gathered: a slice costs 1, a diagonal 2,
/// because most of its tests fail.
const MOST_GATHERED: usize = 4;

/// Contributions by variable.
#[derive(Default)]
pub(crate) struct Cotangents {
    map: FxHashMap<VarId, Cot>,
    /// Whether to add to arrays in place: the code runs many times, and must not touch a whole array each time.
    in_place: bool,
}

impl Cotangents {
    /// For code that runs once per iteration, or in a branch, and continues with the cotangents from outside.
    pub fn in_place() -> Cotangents {
        Cotangents { in_place: true, ..Cotangents::default() }
    }

    pub fn add_dense(&mut self, var: VarId, ct: Ct) {
        let cot = self.map.entry(var).or_insert_with(|| Cot { selective: true, ..Cot::default() });
        cot.dense.push(ct.atom);
        cot.selective &= ct.selective;
    }

    pub fn add_update(&mut self, var: VarId, update: Update) {
        let cot = self.map.entry(var).or_insert_with(|| Cot { selective: true, ..Cot::default() });
        cot.updates.push(update);
    }

    /// A contribution to some of the places, in both forms; [`Self::take`] decides.
    pub fn add_partial(&mut self, var: VarId, update: Update, gathered: Gathered) {
        let cot = self.map.entry(var).or_insert_with(|| Cot { selective: true, ..Cot::default() });
        cot.partial.push((update, gathered));
    }

    pub fn has(&self, var: VarId) -> bool {
        self.map.contains_key(&var)
    }

    /// Takes the contribution to a variable if it is the only one, an update, and `wanted` holds for it.
    pub fn take_update(&mut self, var: VarId, wanted: impl FnOnce(&Update) -> bool) -> Option<Update> {
        let cot = self.map.get(&var)?;
        let [update] = cot.updates.as_slice() else { return None };
        if !cot.dense.is_empty() || !cot.partial.is_empty() || !wanted(update) {
            return None;
        }
        self.map.remove(&var)?.updates.pop()
    }

    /// Takes the contributions to a variable and writes their sum. The header of this file says which of those to some
    /// places are gathered.
    pub fn take(&mut self, code: &mut CodeBuilder<'_>, var: VarId) -> Option<Ct> {
        let mut cot = self.map.remove(&var)?;
        let cost: usize = cot.partial.iter().map(|(_, gathered)| 1 + usize::from(gathered.sparse)).sum();
        let gathers = cost <= MOST_GATHERED && (cot.dense.is_empty() || !self.in_place);
        for (update, gathered) in cot.partial {
            if gathers {
                code.stmts.extend(gathered.stmts);
                cot.dense.push(gathered.array);
            } else {
                cot.updates.push(update);
            }
        }
        let ty = code.func.ty(var).clone();
        let mut sum = code.dense_sum(&ty, &cot.dense, &d_name(code.func, var));
        for update in cot.updates {
            let Update { axes, body, span } = summed(code, update, &ty.dims, &d_name(code.func, var));
            let so_far = sum.unwrap_or_else(|| code.zeros(&ty, &d_name(code.func, var)));
            let Atom::Var(dest) = so_far else { return code.func.broken(None, "elements are added to no array") };
            let output = code.func.copy_var(dest);
            let op = Op::Scatter { kind: ScatterKind::Add, dest, axes, body, checked: false };
            code.stmts.push(Stmt { vars: vec![output], op, span: span.or(code.span) });
            sum = Some(Atom::Var(output));
        }
        sum.map(|atom| Ct { atom, selective: cot.selective })
    }

    /// [`Self::take`], or zeros.
    pub fn take_or_zero(&mut self, code: &mut CodeBuilder<'_>, var: VarId) -> Ct {
        match self.take(code, var) {
            Some(ct) => ct,
            None => {
                let ty = code.func.ty(var).clone();
                Ct { atom: code.zeros(&ty, &d_name(code.func, var)), selective: true }
            }
        }
    }
}

/// The cotangents of a kernel's results at a point.
pub(crate) fn read_seeds(
    code: &mut CodeBuilder<'_>,
    cts: &[Option<Ct>],
    g: &[Atom],
    results: &[Atom],
) -> Vec<(Atom, Ct)> {
    let mut seeds = Vec::new();
    for (ct, &result) in cts.iter().zip(results) {
        if let Some(ct) = ct {
            seeds.push((result, Ct { atom: code.element(ct.atom, g), ..*ct }));
        }
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_ir::{Block, Func, Scalar};

    /// Adds elements to the cotangent of a variable, and returns whether it has a cotangent then.
    fn added(func: &mut Func, var: VarId) -> bool {
        let mut cots = Cotangents::default();
        cots.add_update(var, Update { axes: Vec::new(), body: Block::default(), span: None });
        cots.take(&mut CodeBuilder::new(func, None), var).is_some()
    }

    #[test]
    fn elements_are_added_to_an_array() {
        let mut func = Func::new("f");
        let number = func.scalar_var("x", Scalar::F64);
        let size = func.types.size_var(number);
        let array = func.types.array(vec![size], Scalar::F64);
        let array = func.var("xs", array);
        assert!(added(&mut func, array));
        assert!(func.broken.is_empty());
        assert!(!added(&mut func, number));
        assert_eq!(func.broken, ["elements are added to no array"]);
    }
}
