//! Products that are added to an array which nothing needs afterwards: they are added in place.
//!
//! ```text
//! b: [n][m]f64 = build i<n, j<m {                    b = unique a
//!   x: f64 = read! a[i, j]                           matmul b.data += p.data, q.data
//!   s: f64 = reduce sum k<l { .. p[i, k] * q[k, j] }    =>
//!   y: f64 = add x, s
//!   yield y }
//! ```
//!
//! So are the derivatives of what every iteration of a loop multiplies by: a pass over the array less in each.

use super::product::Products;
use super::{Lowerer, Result, one};
use arr_ir::{Atom, Axis, Block, Contraction, Op, Prim, Stmt, VarId};
use std::collections::BTreeSet;

impl Lowerer<'_> {
    /// The array, used no more, that a build adds its one product to, element by element.
    pub(super) fn added_to<'p>(
        &self,
        axes: &[Axis],
        body: &Block,
        products: &'p Products,
    ) -> Option<(VarId, &'p Contraction)> {
        let [sum] = products.sums.as_slice() else { return None };
        let ([product], [Atom::Var(result)]) = (sum.products.as_slice(), body.results.as_slice()) else { return None };
        let in_place = sum.is_finished() && sum.axes.iter().copied().eq(0..axes.len()) && !self.options.nested;
        let bound_to = |v: VarId| body.stmts.iter().find(|s| s.vars == [v]).map(|s| &s.op);
        let Op::Prim(Prim::Add, args) = bound_to(*result)? else { return None };
        let old = match args.as_slice() {
            &[Atom::Var(old), Atom::Var(s)] | &[Atom::Var(s), Atom::Var(old)] if s == sum.var && old != s => old,
            _ => return None,
        };
        let Op::Read { array, index, checked: false } = bound_to(old)? else { return None };
        let same = index.iter().copied().eq(axes.iter().map(|a| Atom::Var(a.index)))
            && self.func.ty(*array).dims.iter().copied().eq(axes.iter().map(|a| a.extent));
        let ends = self.frames.last().is_some_and(|frame| frame.ends(*array));
        (in_place && same && ends).then_some((*array, product))
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
        // The nest reads what was there, each element before it is written.
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
