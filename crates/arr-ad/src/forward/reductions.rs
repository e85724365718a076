//! Forward mode of reductions. The tangent of a sum is the sum of the tangents, that of an extremum is the tangent of
//! the element that it is taken from, and that of a product is carried beside the product.

use super::{Forward, Moved};
use crate::code::{CodeBuilder, copy_block};
use crate::error::AdError;
use crate::extremum::{arg_of, forward_extremum};
use arr_base::Span;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Op, Prim, Reduction, Stmt, VarId};

impl Forward {
    pub(super) fn reduce(
        &mut self,
        code: &mut CodeBuilder<'_>,
        vars: Vec<VarId>,
        kind: Reduction,
        axes: Vec<Axis>,
        body: Block,
        span: Option<Span>,
    ) -> Result<(), AdError> {
        let with = self.active.flags(&vars);
        if !with.contains(&true) {
            code.push(vars, Op::Reduce { kind, axes, body });
            return Ok(());
        }
        match kind {
            Reduction::Sum => {
                let Moved { block: body, selective } = self.block(code, body, &with)?;
                self.results(code, vars, &with, &selective, |_| Op::Reduce { kind, axes, body });
                Ok(())
            }
            Reduction::Max | Reduction::Min => self.extremum(code, vars, kind, axes, body, span),
            Reduction::Product => self.product(code, vars, axes, body, span),
            Reduction::ArgMax | Reduction::ArgMin | Reduction::Any | Reduction::All => {
                code.push(vars, Op::Reduce { kind, axes, body });
                Ok(())
            }
        }
    }

    /// The tangent of an extremum is that of the element it is taken from.
    fn extremum(
        &mut self,
        code: &mut CodeBuilder<'_>,
        vars: Vec<VarId>,
        kind: Reduction,
        axes: Vec<Axis>,
        body: Block,
        span: Option<Span>,
    ) -> Result<(), AdError> {
        let [axis] = axes.as_slice() else {
            return Err(AdError::NoRule { what: "a maximum over several axes at once", span });
        };
        let whole = Stmt { vars: vars.clone(), op: Op::Reduce { kind, axes: axes.clone(), body: body.clone() }, span };
        let chosen = match forward_extremum(code, &whole) {
            Some(chosen) => vec![chosen],
            None => {
                code.stmts.push(whole);
                arg_of(code, &[], axis, kind, &body)
            }
        };
        for (k, (y, chosen)) in vars.iter().copied().zip(chosen).enumerate() {
            let mut subst = Subst::new();
            subst.insert(axis.index, chosen);
            let copy = copy_block(code.func, &mut subst, &body);
            self.active.copied(&subst);
            for stmt in copy.stmts {
                self.stmt(code, stmt)?;
            }
            if let Some(d) = copy.results.get(k).and_then(|&r| self.tangent(r)) {
                self.tangents.insert(y, d);
            }
        }
        Ok(())
    }

    /// A product as a loop that carries the product and its tangent.
    fn product(
        &mut self,
        code: &mut CodeBuilder<'_>,
        vars: Vec<VarId>,
        axes: Vec<Axis>,
        body: Block,
        span: Option<Span>,
    ) -> Result<(), AdError> {
        let [axis] = axes.as_slice() else {
            return Err(AdError::NoRule { what: "a product over several axes at once", span });
        };
        let params: Vec<VarId> = vars.iter().map(|&v| code.func.copy_var(v)).collect();
        let inits = vars.iter().map(|&v| code.number(Atom::Var(v), 1.0)).collect();
        let factors = body.results.clone();
        let mut block = Block { params: params.clone(), stmts: body.stmts, results: Vec::new() };
        for (&p, &x) in params.iter().zip(&factors) {
            let next = code.func.copy_var(p);
            if self.active.has(x) {
                self.active.mark(p);
                self.active.mark(next);
            }
            block.stmts.push(Stmt { vars: vec![next], op: Op::Prim(Prim::Mul, vec![Atom::Var(p), x]), span });
            block.results.push(Atom::Var(next));
        }
        self.loop_(code, vars, (*axis, false), inits, block)
    }
}
