//! Matrix products in kernels that can stop the program.
//!
//! ```text
//! build i<n, j<n {
//!   k: i64 = sub j, 1
//!   check index k, n
//!   s: f64 = reduce sum l<n { .. read! a[i, l] .. read! b[l, k] .. }
//!   ..
//! ```
//!
//! A `matmul` runs in front of the nest with the kernel's checks, and reads all of its operands. A check may therefore not
//! be what proves that they are inside, as it is here.

use super::Lowerer;
use arr_ir::bounds::Bounds;
use arr_ir::walk::{has_trace, may_fail_deep};
use arr_ir::{Affine, Atom, Axis, Block, Coefficient, Contraction, Func, Op, Poly, VarId};
use std::collections::BTreeSet;

/// Whether the body of a kernel does more than compute its results: it can stop the program, or shows something.
pub(super) fn has_effects(func: &Func, body: &Block) -> bool {
    body.stmts.iter().any(|stmt| may_fail_deep(func, &stmt.op) || has_trace(&stmt.op))
}

impl Lowerer<'_> {
    /// Whether the products of a kernel read inside of their operands whatever the kernel checks.
    pub(super) fn stand_alone(&self, axes: &[Axis], body: &Block, products: &[Contraction]) -> bool {
        if !has_effects(self.func, body) {
            return true;
        }
        let demanded = demanded(body);
        products.iter().all(|product| {
            let indices = product.factors.iter().flat_map(|factor| &factor.index);
            let apart = indices.flat_map(variables).all(|v| !demanded.contains(&v));
            apart || self.inside_by_axes(axes, product)
        })
    }

    /// Whether the axes around an access say that it is inside.
    fn inside_by_axes(&self, axes: &[Axis], product: &Contraction) -> bool {
        let mut around = Bounds::new(self.func);
        around.axes(self.func, axes);
        around.axes(self.func, &product.inner);
        product.factors.iter().all(|factor| {
            let dims = &self.func.ty(factor.array).dims;
            factor.index.iter().zip(dims).all(|(component, &dim)| {
                let index = poly_of(component);
                let last = self.func.types.poly(dim).sub(&Poly::constant(1));
                around.non_negative(&index) && around.non_negative(&last.sub(&index))
            })
        })
    }
}

/// The variables that the checks of a body are about: indices and what comes from outside, through arithmetic. An element
/// of an array stands for itself.
fn demanded(body: &Block) -> BTreeSet<VarId> {
    let mut found: BTreeSet<VarId> = BTreeSet::new();
    for stmt in body.stmts.iter().rev() {
        let about: &[Atom] = match &stmt.op {
            Op::Check { args, .. } => args,
            Op::Read { index, checked: true, .. } => index,
            Op::Prim(_, args) if stmt.vars.iter().any(|v| found.contains(v)) => args,
            _ => &[],
        };
        found.extend(about.iter().filter_map(|atom| atom.var()));
    }
    found
}

fn variables(component: &Affine) -> impl Iterator<Item = VarId> + '_ {
    let of_terms = component.terms.iter().flat_map(|&(axis, coefficient)| [Some(axis), coefficient.factor]);
    of_terms.chain(component.rest.iter().map(|coefficient| coefficient.factor)).flatten()
}

fn poly_of(component: &Affine) -> Poly {
    let of = |coefficient: Coefficient| {
        let number = Poly::constant(coefficient.number);
        coefficient.factor.map_or(number.clone(), |factor| number.mul(&Poly::var(factor)))
    };
    let terms = component.terms.iter().map(|&(axis, coefficient)| of(coefficient).mul(&Poly::var(axis)));
    terms.chain(component.rest.iter().map(|&rest| of(rest))).fold(Poly::constant(0), |sum, term| sum.add(&term))
}
