//! Arrays that are something else at each point of a short axis: made piece by piece, and put side by side.
//!
//! ```text
//! for k < 2, i < n => (if k == 0 then x[i] else 0) + (if k == 1 then y[i] else 0)      concatenate x, y
//! ```
//!
//! The derivative of rows `z[0]` and `z[1]` is such an array. Selected element by element, both rows are computed for each,
//! and again in everything that XLA fuses with the selection.

use crate::choices::MOST_CHOICES;
use crate::error::Result;
use crate::read::LONG_ENOUGH;
use crate::space::Emitter;
use crate::values::{Arr, Bound, Scal};
use arr_ir::{Atom, Axis, Block, Const, Op, Prim, Scalar, Stmt};

impl Emitter<'_> {
    /// The axis of a kernel whose points are to be made one by one, and their number: a short one whose index is compared
    /// with numbers.
    pub(crate) fn piecewise(&mut self, axes: &[Axis], body: &Block) -> Result<Option<(usize, i64)>> {
        let compared = |axis: &Axis| body.stmts.iter().any(|stmt| is_comparison(&stmt.op, Atom::Var(axis.index)));
        let Some(at) = axes.iter().position(compared) else { return Ok(None) };
        let mut extents = Vec::new();
        for axis in axes {
            let extent = self.size(axis.extent)?;
            let Some(extent) = extent.as_const().and_then(Const::as_i64) else { return Ok(None) };
            extents.push(extent);
        }
        let count = extents.remove(at);
        let lanes = extents.iter().fold(1.0, |n, &extent| n * extent as f64);
        let fits = (2..=MOST_CHOICES).contains(&count) && lanes >= LONG_ENOUGH && !self.can_fail(body);
        Ok(fits.then_some((at, count)))
    }

    /// A kernel whose axis `at` has `count` points, with the text of each.
    pub(crate) fn build_pieces(
        &mut self,
        stmt: &Stmt,
        axes: &[Axis],
        (at, count): (usize, i64),
        body: &Block,
    ) -> Result<()> {
        let mut others = axes.to_vec();
        let short = others.remove(at);
        let mut one = Vec::new();
        let mut results: Vec<(Scalar, Vec<String>)> = Vec::new();
        for point in 0..count {
            self.bind(short.index, Bound::Scalar(Scal::Const(Const::I64(point))));
            let (ids, conditions) = self.enter(&others)?;
            self.block(body)?;
            let dims = self.dims(&ids);
            one.clone_from(&dims);
            one.insert(at, 1);
            for (k, &result) in body.results.iter().enumerate() {
                let scal = self.operand(result)?;
                let name = self.widened(&scal, &ids)?;
                let name = self.reshaped(name, &dims, &one, scal.elem());
                if results.len() == k {
                    results.push((scal.elem(), Vec::new()));
                }
                results[k].1.push(name);
            }
            self.leave(&ids, conditions);
            self.leave_lanes(&ids)?;
        }
        let mut whole = one.clone();
        whole[at] = count;
        let mut arrays = Vec::new();
        for (elem, names) in results {
            let name = self.beside("pieces", &names, &one, at, elem);
            arrays.push(Bound::Array(Arr::new(name, whole.clone(), elem)));
        }
        self.bind_all(&stmt.vars, arrays)
    }
}

/// Whether an operation says if this is a number.
fn is_comparison(op: &Op, atom: Atom) -> bool {
    matches!(op, Op::Prim(Prim::Eq | Prim::Ne, args)
        if args.contains(&atom) && args.iter().any(|arg| arg.constant().is_some()))
}
