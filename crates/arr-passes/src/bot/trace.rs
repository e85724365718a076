//! Lifting traces. A trace inside axes shows its scalar at each of their points, in a kernel that does nothing else; an
//! array is shown once, with the axes over which it is stored in front.

use super::{AxisSet, Bot, BotError};
use arr_ir::{Atom, Axis, Block, Op, Scalar, Stmt, VarId};
use std::sync::Arc;

impl Bot<'_> {
    pub(super) fn lift_trace(&mut self, stmt: &Stmt, label: &Arc<str>, args: &[Atom]) -> Result<(), BotError> {
        match args {
            [Atom::Var(array)] if !self.func.ty(*array).is_scalar() => self.trace_array(stmt, label, *array),
            args => {
                self.trace_scalar(stmt, label, args);
                Ok(())
            }
        }
    }

    /// All axes around the present code: what is seen at each point does not depend on what is known of sizes.
    fn all_axes(&self) -> AxisSet {
        (0..self.axes.len()).fold(0, |set, position| set | 1 << position)
    }

    fn trace_scalar(&mut self, stmt: &Stmt, label: &Arc<str>, args: &[Atom]) {
        let mut kernel = self.kernel(self.all_axes(), stmt.span);
        let trace = |args: Vec<Atom>| Op::Trace { label: label.clone(), args };
        match self.guard {
            Some(guard) => self.guarded_check(&mut kernel, guard, args, &trace),
            None => {
                let args = self.scalar_code(&mut kernel, args);
                kernel.stmts.push(Stmt { vars: Vec::new(), op: trace(args), span: stmt.span });
            }
        }
        self.push_effects(kernel.axes, kernel.stmts, stmt);
    }

    /// Statements without results, at each point of the axes.
    fn push_effects(&mut self, axes: Vec<Axis>, stmts: Vec<Stmt>, stmt: &Stmt) {
        if axes.is_empty() {
            stmts.into_iter().for_each(|stmt| self.push(stmt));
            return;
        }
        let body = Block { params: Vec::new(), stmts, results: Vec::new() };
        self.push(Stmt { vars: Vec::new(), op: Op::Build { axes, body }, span: stmt.span });
    }

    fn trace_array(&mut self, stmt: &Stmt, label: &Arc<str>, array: VarId) -> Result<(), BotError> {
        if self.ragged.contains(&array) {
            return Err(BotError::Irregular(stmt.span));
        }
        let (stored, axes) = self.array_place(array);
        if self.guard.is_some() {
            self.trace_elements(stmt, label, stored, axes);
            return Ok(());
        }
        let op = Op::Trace { label: label.clone(), args: vec![Atom::Var(stored)] };
        let trace = self.with_points(Stmt { vars: Vec::new(), op, span: stmt.span }, axes, None);
        self.push(trace);
        Ok(())
    }

    /// An array of which only some points exist is shown element by element, at these points.
    fn trace_elements(&mut self, stmt: &Stmt, label: &Arc<str>, array: VarId, lead: AxisSet) {
        let mut kernel = self.kernel(self.all_axes(), stmt.span);
        let cond = self.guard.map(|guard| self.condition(&mut kernel, Atom::Var(guard)));
        let mut index: Vec<Atom> = self.indices(lead).into_iter().map(|i| kernel.subst.atom(Atom::Var(i))).collect();
        for dim in self.func.ty(array).dims.clone().into_iter().skip(index.len()) {
            let i = self.func.scalar_var("i", Scalar::I64);
            kernel.axes.push(Axis { index: i, extent: dim });
            index.push(Atom::Var(i));
        }
        let elem = self.func.ty(array).elem;
        let value = self.func.scalar_var(self.func.name(array).to_string(), elem);
        let span = stmt.span;
        let read = Stmt { vars: vec![value], op: Op::Read { array, index, checked: false }, span };
        let op = Op::Trace { label: label.clone(), args: vec![Atom::Var(value)] };
        let shown = vec![read, Stmt { vars: Vec::new(), op, span }];
        match cond {
            Some(cond) => {
                let then_block = Block { params: Vec::new(), stmts: shown, results: Vec::new() };
                let op = Op::If { cond, then_block, else_block: Block::default() };
                kernel.stmts.push(Stmt { vars: Vec::new(), op, span });
            }
            None => kernel.stmts.extend(shown),
        }
        self.push_effects(kernel.axes, kernel.stmts, stmt);
    }
}
