//! In-place accumulation: a value that is added to an array which nothing needs afterwards is added in place. This
//! holds for products, and in the body of a loop for kernels that read the neighbours of each point.
//!
//! ```text
//! b: [n][m]f64 = build i<n, j<m {                    b = unique a
//!   x: f64 = read! a[i, j]                           matmul b.data += p.data, q.data
//!   s: f64 = reduce sum k<l { .. p[i, k] * q[k, j] }    =>
//!   y: f64 = add x, s
//!   yield y }
//! ```
//!
//! So are the derivatives by a common factor of all iterations of a loop: each saves a pass over the array. Kernels
//! whose loops are split (see `split_index_set`) are handled here; for others `reuse_buffers` does the same on the
//! finished loops. The state of a loop is the iteration's own from the second one on, so that nothing is copied then.

use super::product::Products;
use super::product_checks::has_effects;
use super::{Lowerer, Result, one};
use crate::{LocalId, Operand};
use arr_ir::cost::is_function;
use arr_ir::walk::may_fail_deep;
use arr_ir::{Atom, Axis, Block, Contraction, Func, Op, Prim, Stmt, VarId};
use std::collections::BTreeSet;

impl Lowerer<'_> {
    /// The dying array that a build adds its one product to, element by element.
    pub(super) fn added_to<'p>(
        &self,
        axes: &[Axis],
        body: &Block,
        products: &'p Products,
    ) -> Option<(VarId, &'p Contraction)> {
        let [sum] = products.sums.as_slice() else { return None };
        let ([product], [Atom::Var(result)]) = (sum.products.as_slice(), body.results.as_slice()) else { return None };
        let in_place = sum.is_finished() && sum.axes.iter().copied().eq(0..axes.len()) && !self.options.nested;
        // There is no nest that would run the kernel's checks.
        let in_place = in_place && !has_effects(self.func, body);
        let Op::Prim(Prim::Add, args) = bound_to(body, *result)? else { return None };
        let old = match args.as_slice() {
            &[Atom::Var(old), Atom::Var(s)] | &[Atom::Var(s), Atom::Var(old)] if s == sum.var && old != s => old,
            _ => return None,
        };
        let array = self.ends_at_point(axes, body, old)?;
        in_place.then_some((array, product))
    }

    /// The array of which this is the element at the kernel's point, if it is read nowhere else from there on.
    fn ends_at_point(&self, axes: &[Axis], body: &Block, element: VarId) -> Option<VarId> {
        let Op::Read { array, index, checked: false } = bound_to(body, element)? else { return None };
        let same = index.iter().copied().eq(axes.iter().map(|a| Atom::Var(a.index)))
            && self.func.ty(*array).dims.iter().copied().eq(axes.iter().map(|a| a.extent));
        let ends = self.frames.last().is_some_and(|frame| frame.ends(*array));
        (same && ends).then_some(*array)
    }

    /// The buffers of a kernel's results: those of arrays that results are added to in place, and new ones. `parts`
    /// says whether the nest is split.
    pub(super) fn result_buffers(
        &mut self,
        stmt: &Stmt,
        axes: &[Axis],
        body: &Block,
        parts: bool,
    ) -> Result<Vec<(LocalId, Vec<Operand>)>> {
        let in_place = parts && self.emit.in_iteration() && !self.options.nested && is_done_once(self.func, body);
        let mut outputs = Vec::new();
        for (&var, &result) in stmt.vars.iter().zip(&body.results) {
            let old = if in_place { self.grows(axes, body, (var, result)) } else { None };
            let Some(array) = old else {
                outputs.push(self.alloc_result(var, axes, result)?);
                continue;
            };
            let buffer = self.unique(array, var, false)?;
            // The nest reads the old elements, each before it is overwritten.
            self.bind(array, buffer.into());
            let sizes = self.func.ty(array).dims.clone();
            outputs.push((buffer, self.dims(&sizes)?));
        }
        Ok(outputs)
    }

    /// The dying array to each of whose elements a result of a kernel adds something.
    fn grows(&self, axes: &[Axis], body: &Block, (var, result): (VarId, Atom)) -> Option<VarId> {
        let Op::Prim(Prim::Add, args) = bound_to(body, result.var()?)? else { return None };
        let arrays = args.iter().filter_map(|a| self.ends_at_point(axes, body, a.var()?));
        arrays.into_iter().find(|&array| self.func.ty(array) == self.func.ty(var))
    }

    pub(super) fn add_product(
        &mut self,
        stmt: &Stmt,
        axes: &[Axis],
        body: &Block,
        products: &Products,
        (array, product): (VarId, &Contraction),
    ) -> Result<()> {
        let var = one(stmt)?;
        let worth = self.worth_products(axes, products)?;
        let buffer = self.unique(array, var, false)?;
        // The nest reads the old elements, each before it is overwritten.
        self.bind(array, buffer.into());
        let sizes = self.func.ty(array).dims.clone();
        let dims = self.dims(&sizes)?;
        let all: Vec<usize> = (0..axes.len()).collect();
        let outputs = [(buffer, dims.clone())];
        self.choose(worth, &mut |lowerer| lowerer.matmul(axes, product, buffer, &all, &dims, true), &mut |lowerer| {
            lowerer.build_by_points(axes, body, &outputs, &BTreeSet::new())
        })?;
        self.bind_owned(var, buffer.into());
        Ok(())
    }
}

/// The operation that binds a variable of a block.
fn bound_to(block: &Block, v: VarId) -> Option<&Op> {
    block.stmts.iter().find(|s| s.vars == [v]).map(|s| &s.op)
}

/// Whether the points of a kernel are never abandoned and restarted, as vector code does if an index is outside, or an
/// argument of `sin` is large: by then some have been added to.
fn is_done_once(func: &Func, body: &Block) -> bool {
    body.stmts.iter().all(|stmt| {
        !is_function(&stmt.op)
            && !may_fail_deep(func, &stmt.op)
            && stmt.op.blocks().iter().all(|b| is_done_once(func, b))
    })
}
