//! Sequential loops and branches.

use super::{Lowerer, Result, ill_formed, same_length};
use crate::emit::Opened;
use crate::{LocalId, Operand, Origin};
use arr_ir::{Atom, Axis, Block, Op, Prim, Scalar, Stmt, VarId};
use std::collections::BTreeSet;

/// Branches with at most this many operations on both sides together become selections.
const MAX_SELECTED: usize = 6;

impl Lowerer<'_> {
    /// State lives in mutable locals; an iteration works on snapshots of them. Arrays are moved in and out.
    pub(super) fn sequential_loop(
        &mut self,
        stmt: &Stmt,
        axis: &Axis,
        reverse: bool,
        inits: &[Atom],
        body: &Block,
    ) -> Result<()> {
        same_length("initial values and state of a loop", inits.len(), body.params.len())?;
        same_length("results and state of a loop", body.results.len(), body.params.len())?;
        same_length("variables and state of a loop", stmt.vars.len(), body.params.len())?;
        let extent = self.size(axis.extent)?;
        let state = self.state(inits, &body.params)?;
        let index = self.emit.open_loop(self.func.name(axis.index), extent, Origin::Source);
        self.bind(axis.index, index.into());
        self.extents.insert(axis.index, axis.extent);
        self.iteration(body, inits, &state)?;
        let span = self.loop_place();
        self.emit.close_loop(reverse, span);
        self.final_state(stmt, inits, body, state)
    }

    /// As a loop over an index; the condition reads snapshots of the state, whose arrays stay with the loop.
    pub(super) fn repeat(&mut self, stmt: &Stmt, inits: &[Atom], cond: &Block, body: &Block) -> Result<()> {
        same_length("initial values and state of a loop", inits.len(), body.params.len())?;
        same_length("the condition's and the body's state of a loop", cond.params.len(), body.params.len())?;
        same_length("results and state of a loop", body.results.len(), body.params.len())?;
        same_length("variables and state of a loop", stmt.vars.len(), body.params.len())?;
        let state = self.state(inits, &body.params)?;
        self.emit.open(Opened::Repeat);
        self.bind_state(&cond.params, &state);
        for (k, &param) in cond.params.iter().enumerate() {
            self.check_state(param, [inits.get(k), body.results.get(k)])?;
        }
        let [go_on] = *self.block(cond, BTreeSet::new())?.as_slice() else {
            return Err(ill_formed("the condition of a loop is not one bool"));
        };
        let head = self.emit.close().stmts;
        self.emit.open(Opened::Repeat);
        self.iteration(body, inits, &state)?;
        let body_stmts = self.emit.close().stmts;
        let span = self.loop_place();
        let repeat = crate::While { head, cond: go_on, body: body_stmts, span };
        self.emit.push(crate::Stmt::While(Box::new(repeat)));
        self.final_state(stmt, inits, body, state)
    }

    /// Declares the state of a loop.
    fn state(&mut self, inits: &[Atom], params: &[VarId]) -> Result<Vec<LocalId>> {
        let mut state = Vec::new();
        for (&init, &param) in inits.iter().zip(params) {
            let init = self.consume(init, false)?;
            let hint = format!("{}.state", self.func.name(param));
            let ty = self.local_ty(param);
            state.push(self.emit.var(&hint, ty, Some(init)));
        }
        Ok(state)
    }

    fn bind_state(&mut self, params: &[VarId], state: &[LocalId]) {
        for (&param, &local) in params.iter().zip(state) {
            let value = self.snapshot(self.func.name(param), local);
            self.bind(param, value.into());
        }
    }

    /// One iteration, in an open block: from the state to the next.
    fn iteration(&mut self, body: &Block, inits: &[Atom], state: &[LocalId]) -> Result<()> {
        self.bind_state(&body.params, state);
        // The sizes may be state themselves, so they are compared once all of it is bound.
        for (k, &param) in body.params.iter().enumerate() {
            self.check_state(param, [inits.get(k), body.results.get(k)])?;
        }
        let arrays = body.params.iter().copied().filter(|&p| !self.func.ty(p).is_scalar()).collect();
        let results = self.block(body, arrays)?;
        for (&local, value) in state.iter().zip(results) {
            if value != Operand::Local(local) {
                self.emit.push(crate::Stmt::Set { local, value });
            }
        }
        Ok(())
    }

    /// The last state is the result.
    fn final_state(&mut self, stmt: &Stmt, inits: &[Atom], body: &Block, state: Vec<LocalId>) -> Result<()> {
        for (&var, local) in stmt.vars.iter().zip(state) {
            let value = self.snapshot(self.func.name(var), local);
            self.bind_owned(var, value.into());
        }
        for (k, &var) in stmt.vars.iter().enumerate() {
            self.check_state(var, [inits.get(k), body.results.get(k)])?;
        }
        Ok(())
    }

    /// Checks the shape of an array that comes from one of two places, unless both have its sizes.
    fn check_state(&mut self, var: VarId, sources: [Option<&Atom>; 2]) -> Result<()> {
        if self.func.ty(var).is_scalar() {
            return Ok(());
        }
        for source in sources.into_iter().flatten() {
            let from = self.func.atom_ty(*source).dims;
            if from != self.func.ty(var).dims {
                let buffer = self.buffer(var)?;
                return self.check_shape(buffer, &from, var);
            }
        }
        Ok(())
    }

    pub(super) fn branch(&mut self, stmt: &Stmt, cond: Atom, then_block: &Block, else_block: &Block) -> Result<()> {
        same_length("results of a branch", stmt.vars.len(), then_block.results.len())?;
        same_length("results of a branch", stmt.vars.len(), else_block.results.len())?;
        let cond = self.atom(cond)?;
        if self.emit.func.elem(cond) != Scalar::Bool {
            return Err(ill_formed("the condition of a branch is not a bool"));
        }
        if let (true, Operand::Local(_)) = (self.is_selectable(then_block, else_block), cond) {
            return self.selection(stmt, cond, then_block, else_block);
        }
        // A reference that dies here dies in each side, so that a side can write in place.
        let owned: BTreeSet<VarId> = self.take_dying().into_iter().collect();
        let mut targets = Vec::new();
        for &var in &stmt.vars {
            let ty = self.local_ty(var);
            targets.push(self.emit.var(self.func.name(var), ty, None));
        }
        // An array that a side updates has its new name in that side only.
        let before: Vec<(VarId, Operand)> = owned.iter().filter_map(|&v| Some((v, self.value(v).ok()?))).collect();
        let then_body = self.side(then_block, owned.clone(), &targets)?;
        before.iter().for_each(|&(var, value)| self.bind(var, value));
        let else_body = self.side(else_block, owned, &targets)?;
        before.iter().for_each(|&(var, value)| self.bind(var, value));
        self.emit.push(crate::Stmt::If { cond, then_body, else_body });
        for (&var, local) in stmt.vars.iter().zip(targets) {
            let value = self.snapshot(self.func.name(var), local);
            self.bind_owned(var, value.into());
        }
        for (k, &var) in stmt.vars.iter().enumerate() {
            self.check_state(var, [then_block.results.get(k), else_block.results.get(k)])?;
        }
        Ok(())
    }

    fn side(&mut self, block: &Block, owned: BTreeSet<VarId>, targets: &[LocalId]) -> Result<Vec<crate::Stmt>> {
        self.emit.open(Opened::Branch);
        let results = self.block(block, owned)?;
        for (&local, value) in targets.iter().zip(results) {
            self.emit.push(crate::Stmt::Set { local, value });
        }
        Ok(self.emit.close().stmts)
    }

    /// Whether evaluating both sides is cheap and cannot fail.
    fn is_selectable(&self, then_block: &Block, else_block: &Block) -> bool {
        let count = then_block.stmts.len() + else_block.stmts.len();
        let scalars = then_block.results.iter().all(|&a| self.func.atom_ty(a).is_scalar());
        let stmts = || then_block.stmts.iter().chain(&else_block.stmts);
        count <= MAX_SELECTED && scalars && stmts().all(|s| self.is_cheap(&s.op))
    }

    fn is_cheap(&self, op: &Op) -> bool {
        match op {
            Op::Prim(prim, _) => prim.may_be_speculated(),
            // Others are checked.
            Op::Size(size) => {
                let poly = self.func.types.poly(*size);
                poly.as_constant().is_some() || poly.as_var().is_some()
            }
            Op::Read { array, index, .. } => self.is_inside(index, &self.func.ty(*array).dims),
            _ => false,
        }
    }

    fn selection(&mut self, stmt: &Stmt, cond: Operand, then_block: &Block, else_block: &Block) -> Result<()> {
        let then_values = self.block(then_block, BTreeSet::new())?;
        let else_values = self.block(else_block, BTreeSet::new())?;
        for ((&var, a), b) in stmt.vars.iter().zip(then_values).zip(else_values) {
            let name = self.func.name(var).to_string();
            let value = self
                .emit
                .prim(&name, Prim::Select, vec![cond, a, b])
                .ok_or_else(|| ill_formed("the sides of a branch have different types"))?;
            self.bind(var, value);
        }
        Ok(())
    }
}
