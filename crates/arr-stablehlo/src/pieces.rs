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
use arr_ir::{Atom, Axis, Block, Const, Op, Prim, Stmt};

impl Emitter<'_> {
    /// The axis of a kernel whose points are to be made one by one, and their number: a short one whose index is compared
    /// with numbers.
    pub(crate) fn piecewise(&mut self, axes: &[Axis], body: &Block) -> Result<Option<(usize, i64)>> {
        let compared = |axis: &Axis| body.stmts.iter().any(|stmt| is_comparison(&stmt.op, Atom::Var(axis.index)));
        let Some(at) = axes.iter().position(compared) else { return Ok(None) };
        let (mut count, mut lanes) = (0, 1.0);
        for (k, axis) in axes.iter().enumerate() {
            let extent = self.extent(axis.extent)?;
            if k != at {
                lanes *= extent.bound as f64;
            } else if extent.exact.is_none() {
                count = extent.bound;
            }
        }
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
        let others: Vec<Axis> = axes.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, axis)| *axis).collect();
        let mut results: Vec<(Arr, Vec<String>)> = Vec::new();
        for point in 0..count {
            self.bind(axes[at].index, Bound::Scalar(Scal::Const(Const::I64(point))));
            let (ids, conditions) = self.enter(&others)?;
            self.block(body)?;
            let dims = self.dims(&ids);
            let mut one = dims.clone();
            one.insert(at, 1);
            for (k, &result) in body.results.iter().enumerate() {
                let scal = self.operand(result)?;
                let name = self.widened(&scal, &ids)?;
                let name = self.reshaped(name, &dims, &one, scal.elem());
                if results.len() == k {
                    let whole = Arr::new(String::new(), one.clone(), scal.elem());
                    results.push((Arr { ragged: conditions > 0, ..whole }, Vec::new()));
                }
                results[k].1.push(name);
            }
            self.leave(&ids, conditions);
            self.leave_lanes(&ids)?;
        }
        let mut arrays = Vec::new();
        for (one, names) in results {
            let name = self.beside("pieces", &names, &one.dims, at, one.elem);
            let mut dims = one.dims.clone();
            dims[at] = count;
            arrays.push(Bound::Array(Arr { name, dims, ..one }));
        }
        self.bind_all(&stmt.vars, arrays)
    }
}

/// Whether an operation says if this is a number.
fn is_comparison(op: &Op, atom: Atom) -> bool {
    matches!(op, Op::Prim(Prim::Eq | Prim::Ne, args)
        if args.contains(&atom) && args.iter().any(|arg| arg.constant().is_some()))
}
