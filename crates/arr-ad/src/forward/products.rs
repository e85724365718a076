//! Matrix products: `d(a @ b) = da @ b + a @ db`, each a product of its own. Together in one sum they would be none.

use super::{Forward, Moved};
use crate::code::{CodeBuilder, d_name};
use crate::error::AdError;
use arr_ir::walk::{Subst, free_vars_of_block};
use arr_ir::{Atom, Axis, Block, VarId, contractions};

impl Forward {
    /// The arrays with a tangent that a matrix product multiplies, if the kernel is one and nothing else in it has a tangent.
    pub(super) fn matrix_product(
        &self,
        code: &CodeBuilder<'_>,
        vars: &[VarId],
        axes: &[Axis],
        body: &Block,
    ) -> Option<Vec<VarId>> {
        let ([_], [_]) = (vars, body.stmts.as_slice()) else { return None };
        let found = contractions(code.func, axes, body);
        let [product] = found.as_slice() else { return None };
        if product.rows.is_empty() || product.columns.is_empty() || body.results != [Atom::Var(product.var)] {
            return None;
        }
        let [left, right] = &product.factors;
        let moves = |v: &VarId| self.tangent(Atom::Var(*v)).is_some();
        let factors: Vec<VarId> = [left.array, right.array].into_iter().filter(moves).collect();
        let others = free_vars_of_block(code.func, body).into_iter().any(|v| moves(&v) && !factors.contains(&v));
        (left.array != right.array && !factors.is_empty() && !others).then_some(factors)
    }

    /// Writes the product, and its tangent: the kernel differentiated with respect to one factor at a time.
    pub(super) fn product_rule(
        &mut self,
        code: &mut CodeBuilder<'_>,
        vars: Vec<VarId>,
        factors: &[VarId],
        (axes, body): (Vec<Axis>, Block),
    ) -> Result<(), AdError> {
        let Some(&y) = vars.first() else { return code.broken("a matrix product has no result") };
        let name = d_name(code.func, y);
        code.push(vars, arr_ir::Op::Build { axes: axes.clone(), body: body.clone() });
        let mut terms: Vec<(Atom, bool)> = Vec::new();
        for &factor in factors {
            let still: Vec<(VarId, Option<Atom>)> = factors
                .iter()
                .filter(|&&other| other != factor)
                .map(|&other| (other, self.tangents.remove(&other)))
                .collect();
            let mut subst = Subst::new();
            let fresh = subst.fresh_axes(code.func, &axes);
            let copy = subst.clone_block(code.func, &body);
            self.active.copied(&subst);
            let moved = self.block(code, copy, &[true]);
            self.tangents.extend(still.into_iter().filter_map(|(other, tangent)| Some((other, tangent?))));
            let Moved { block: mut body, selective } = moved?;
            body.results.drain(..body.results.len().saturating_sub(1));
            terms.push((code.build_one(fresh, body, &name), selective.contains(&true)));
        }
        let selective = terms.iter().all(|(_, selective)| *selective);
        let terms: Vec<Atom> = terms.into_iter().map(|(term, _)| term).collect();
        let ty = code.func.ty(y).clone();
        let Some(tangent) = code.dense_sum(&ty, &terms, &name) else {
            return code.broken("a matrix product without a factor that moves");
        };
        self.tangents.insert(y, tangent);
        self.mark(tangent, selective);
        Ok(())
    }
}
