//! Forward mode of loops, and so of scans: the tangents of the state are carried beside it.

use super::{Forward, Moved};
use crate::analysis::structural_zeros::carried_forwards;
use crate::code::CodeBuilder;
use crate::error::AdError;
use arr_ir::{Atom, Axis, Block, Op, VarId};

impl Forward {
    /// Fresh variables for the tangents of the flagged params, and their initial values.
    fn state(
        &mut self,
        code: &mut CodeBuilder<'_>,
        inits: &[Atom],
        body: &Block,
        with: &[bool],
    ) -> (Vec<VarId>, Vec<Atom>) {
        let (mut tangents, mut starts) = (Vec::new(), Vec::new());
        let selects = carried_forwards(code.func, body, &self.active);
        let params = body.params.iter().zip(inits).zip(with).zip(selects);
        for (((&p, &init), _), selects) in params.filter(|((_, has), _)| **has) {
            let selective = selects || self.is_selective(self.tangent(init));
            starts.push(self.tangent_or_zero(code, init));
            let d = self.fresh_tangent(code, p);
            self.mark(Atom::Var(d), selective);
            tangents.push(d);
        }
        (tangents, starts)
    }

    /// Whether the tangents of a loop's results are selective: as those of its params are, or of the last iteration.
    fn after(&self, tangents: &[VarId], last: &[bool]) -> Vec<bool> {
        tangents.iter().zip(last).map(|(d, last)| *last || self.selective.contains(d)).collect()
    }

    pub(super) fn loop_(
        &mut self,
        code: &mut CodeBuilder<'_>,
        vars: Vec<VarId>,
        (axis, reverse): (Axis, bool),
        mut inits: Vec<Atom>,
        body: Block,
    ) -> Result<(), AdError> {
        let with = self.active.flags(&body.params);
        let (tangents, starts) = self.state(code, &inits, &body, &with);
        inits.extend(starts);
        let Moved { block: mut body, selective } = self.block(code, body, &with)?;
        let selective = self.after(&tangents, &selective);
        body.params.extend(tangents);
        self.results(code, vars, &with, &selective, |_| Op::Loop { axis, reverse, inits, body });
        Ok(())
    }

    /// The condition gets the tangents as params, and does not use them.
    pub(super) fn while_(
        &mut self,
        code: &mut CodeBuilder<'_>,
        vars: Vec<VarId>,
        mut inits: Vec<Atom>,
        mut cond: Block,
        body: Block,
    ) -> Result<(), AdError> {
        let with = self.active.flags(&body.params);
        let (tangents, starts) = self.state(code, &inits, &body, &with);
        inits.extend(starts);
        cond.params.extend(tangents.iter().map(|&d| code.func.copy_var(d)));
        let Moved { block: mut body, selective } = self.block(code, body, &with)?;
        let selective = self.after(&tangents, &selective);
        body.params.extend(tangents);
        self.results(code, vars, &with, &selective, |_| Op::While { inits, cond, body });
        Ok(())
    }
}
