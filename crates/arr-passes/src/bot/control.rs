//! Lifting control flow: `if` and `loop` under enclosing axes. Loops of unknown length are in `repeat`.

use super::depend::Depend;
use super::{AxisSet, Bot, BotError, Location};
use arr_base::Span;
use arr_ir::walk::has_derivative;
use arr_ir::{Atom, Axis, Block, Op, Prim, Scalar, Stmt, VarId};

impl Bot<'_> {
    pub(super) fn lift_if(
        &mut self,
        stmt: &Stmt,
        cond: Atom,
        then_block: &Block,
        else_block: &Block,
    ) -> Result<(), BotError> {
        if self.deps_of(cond) == 0 && self.guard.is_none() && !cond.var().is_some_and(|v| self.is_guarded(v)) {
            return self.lift_uniform_if(stmt, cond, then_block, else_block);
        }
        let guard = self.guard;
        let start = self.pending.len();
        self.add_guard(cond, stmt.span);
        let then_results = self.lift_block(then_block)?;
        self.guard = guard;
        let middle = self.pending.len();
        let negated = self.func.scalar_var("otherwise", Scalar::Bool);
        self.add_scalar(Stmt { vars: vec![negated], op: Op::Prim(Prim::Not, vec![cond]), span: stmt.span });
        self.add_guard(Atom::Var(negated), stmt.span);
        let else_results = self.lift_block(else_block)?;
        self.guard = guard;
        let end = self.pending.len();
        self.merge_scalars(stmt, cond, (&then_results, start), (&else_results, middle))?;
        self.run_failing(start..end);
        for (k, &var) in stmt.vars.iter().enumerate() {
            if let (Some(Atom::Var(a)), Some(Atom::Var(b))) = (then_results.get(k), else_results.get(k))
                && !self.func.ty(var).is_scalar()
            {
                self.merge_arrays(var, cond, *a, *b, stmt.span);
            }
        }
        Ok(())
    }

    /// The scalar results of an `if` whose branches were lifted: a lazy `if` over the rest of their code.
    fn merge_scalars(
        &mut self,
        stmt: &Stmt,
        cond: Atom,
        then: (&[Atom], usize),
        other: (&[Atom], usize),
    ) -> Result<(), BotError> {
        let scalar: Vec<usize> =
            stmt.vars.iter().enumerate().filter(|(_, v)| self.func.ty(**v).is_scalar()).map(|(k, _)| k).collect();
        if scalar.is_empty() {
            return Ok(());
        }
        let pick = |results: &[Atom]| -> Vec<Atom> { scalar.iter().filter_map(|&k| results.get(k).copied()).collect() };
        let vars = scalar.iter().filter_map(|&k| stmt.vars.get(k).copied()).collect();
        let then_block = self.branch(&pick(then.0), then.1);
        let else_block = self.branch(&pick(other.0), other.1);
        self.lift_parts(&Stmt { vars, op: Op::If { cond, then_block, else_block }, span: stmt.span })
    }

    /// An array result of an `if`: chosen element by element.
    fn merge_arrays(&mut self, var: VarId, cond: Atom, a: VarId, b: VarId, span: Option<Span>) {
        let ((a, a_axes), (b, b_axes)) = (self.array_place(a), self.array_place(b));
        let set = a_axes | b_axes | self.deps_of(cond) | self.deps_of_guard();
        let mut kernel = self.kernel(set, span);
        let cond = self.condition(&mut kernel, cond);
        let dims = self.func.ty(a).dims.clone();
        let mut own = Vec::new();
        for &dim in dims.iter().skip(a_axes.count_ones() as usize) {
            let i = self.func.scalar_var("i", Scalar::I64);
            kernel.axes.push(Axis { index: i, extent: dim });
            own.push(Atom::Var(i));
        }
        let mut branch = |array: VarId, axes: AxisSet| {
            let lead = self.indices(axes).into_iter().map(|i| kernel.subst.atom(Atom::Var(i)));
            let index = lead.chain(own.iter().copied()).collect();
            let elem = self.func.ty(array).elem;
            let value = self.func.scalar_var(self.func.name(var).to_string(), elem);
            let read = Stmt { vars: vec![value], op: Op::Read { array, index, checked: false }, span };
            Block { params: Vec::new(), stmts: vec![read], results: vec![Atom::Var(value)] }
        };
        let (then_block, else_block) = (branch(a, a_axes), branch(b, b_axes));
        let chosen = self.func.scalar_var(self.func.name(var).to_string(), self.func.ty(a).elem);
        kernel.stmts.push(Stmt { vars: vec![chosen], op: Op::If { cond, then_block, else_block }, span });
        let results = vec![Atom::Var(chosen)];
        let vars = self.result_vars(&kernel.axes, &results, &[Atom::Var(var)]);
        let body = Block { params: Vec::new(), stmts: kernel.stmts, results };
        self.push(Stmt { vars: vars.clone(), op: Op::Build { axes: kernel.axes, body }, span });
        if let [array] = vars.as_slice() {
            self.place(var, Location::Stored { array: *array, axes: set });
        }
    }

    /// An `if` that takes the same branch at every point stays an `if` of the output, and its branches are lifted
    /// inside.
    fn lift_uniform_if(
        &mut self,
        stmt: &Stmt,
        cond: Atom,
        then_block: &Block,
        else_block: &Block,
    ) -> Result<(), BotError> {
        self.run_checks_before_block([stmt]);
        let cond = cond.var().map_or(cond, |v| self.invariant(v));
        // Both branches must give a result over the same axes: all that either reads for it.
        let mut sets = Depend::new(self).results(&stmt.op, stmt.vars.len());
        let (then_block, else_block) = loop {
            let foreseen = sets.clone();
            let before = self.pending.len();
            let then_block = self.stored_branch(then_block, &mut sets, stmt.span)?;
            let else_block = self.stored_branch(else_block, &mut sets, stmt.span)?;
            if sets == foreseen {
                break (then_block, else_block);
            }
            self.pending.truncate(before);
        };
        let vars = self.lifted_vars(&stmt.vars, &then_block.results);
        self.push(Stmt { vars: vars.clone(), op: Op::If { cond, then_block, else_block }, span: stmt.span });
        for ((&var, array), axes) in stmt.vars.iter().zip(vars).zip(sets) {
            self.place(var, Location::Stored { array, axes });
        }
        Ok(())
    }

    /// A branch with its results stored over `sets`, which grow if one depends on more axes.
    fn stored_branch(&mut self, block: &Block, sets: &mut [AxisSet], span: Option<Span>) -> Result<Block, BotError> {
        self.open();
        let start = self.pending.len();
        let lifted = self.lift_block(block);
        let results = lifted.map(|results| {
            self.widen(&results, sets);
            self.store_state(&results, sets, span)
        });
        self.run_failing(start..self.pending.len());
        let stmts = self.close();
        Ok(Block { params: Vec::new(), stmts, results: results? })
    }

    /// A loop runs outermost, with each part of its state stored over the axes that it depends on.
    pub(super) fn lift_loop(
        &mut self,
        stmt: &Stmt,
        axis: Axis,
        reverse: bool,
        inits: &[Atom],
        body: &Block,
    ) -> Result<(), BotError> {
        if has_derivative(&stmt.op) {
            return Err(BotError::Irregular(stmt.span));
        }
        self.run_checks_before_block([stmt]);
        let mut sets = Depend::new(self).results(&stmt.op, stmt.vars.len());
        let (extent, own) = self.extent(axis.extent, false, stmt.span)?;
        let guard = self.guard;
        let (inits, body) = loop {
            let foreseen = sets.clone();
            let before = self.pending.len();
            let inits = self.store_state(inits, &sets, stmt.span);
            let params = self.lifted_vars(&body.params, &inits);
            self.open();
            for ((&param, &lifted), &axes) in body.params.iter().zip(&params).zip(&sets) {
                self.place(param, Location::Stored { array: lifted, axes });
            }
            let results = self.loop_body(stmt, axis.index, own, body, &mut sets);
            self.guard = guard;
            let stmts = self.close();
            let results = results?;
            if sets == foreseen {
                break (inits, Block { params, stmts, results });
            }
            self.pending.truncate(before);
        };
        let vars = self.lifted_vars(&stmt.vars, &inits);
        let axis = Axis { index: axis.index, extent };
        self.push(Stmt { vars: vars.clone(), op: Op::Loop { axis, reverse, inits, body }, span: stmt.span });
        for ((&var, array), axes) in stmt.vars.iter().zip(vars).zip(sets) {
            self.place(var, Location::Stored { array, axes });
        }
        Ok(())
    }

    /// One iteration; points whose loop has ended keep their state. The sets over which the state is stored grow if a
    /// result depends on more axes.
    fn loop_body(
        &mut self,
        stmt: &Stmt,
        index: VarId,
        own: Option<Atom>,
        body: &Block,
        sets: &mut [AxisSet],
    ) -> Result<Vec<Atom>, BotError> {
        let start = self.pending.len();
        let Some(own) = own else {
            let results = self.lift_block(body)?;
            self.widen(&results, sets);
            let stored = self.store_state(&results, sets, stmt.span);
            self.run_failing(start..self.pending.len());
            return Ok(stored);
        };
        let running = self.func.scalar_var("running", Scalar::Bool);
        let op = Op::Prim(Prim::Lt, vec![Atom::Var(index), own]);
        let vars: Vec<VarId> = stmt.vars.iter().map(|&v| self.func.copy_var(v)).collect();
        let else_block = Block {
            params: Vec::new(),
            stmts: Vec::new(),
            results: body.params.iter().map(|&p| Atom::Var(p)).collect(),
        };
        let then_block = Block { params: Vec::new(), stmts: body.stmts.clone(), results: body.results.clone() };
        self.add_scalar(Stmt { vars: vec![running], op, span: stmt.span });
        let step = Stmt {
            vars: vars.clone(),
            op: Op::If { cond: Atom::Var(running), then_block, else_block },
            span: stmt.span,
        };
        self.lift_stmt(&step)?;
        let results: Vec<Atom> = vars.into_iter().map(Atom::Var).collect();
        self.widen(&results, sets);
        let stored = self.store_state(&results, sets, stmt.span);
        self.run_failing(start..self.pending.len());
        Ok(stored)
    }
}

/// The enclosing axes that an operation depends on. One that can stop the program, or is sound only where they have points,
/// must run at a point or not at all.
pub(super) fn axes_of(bot: &Bot<'_>, op: &Op) -> AxisSet {
    let deps = bot.deps_of_op(op) | bot.deps_of_guard();
    let relies = arr_ir::walk::may_fail_deep(bot.func, op) || bot.relies_on_points(op);
    if relies { bot.with_uncertain_axes(deps) } else { deps }
}
