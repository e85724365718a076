//! Lifting loops of unknown length under enclosing axes.
//!
//! If the condition is the same at every point, the loop keeps that condition; state that is the same at every point
//! does not change, and each other part is stored over the axes that it depends on. Otherwise a flag for each point
//! says whether its loop still runs, and the loop continues while any flag is set: finished points keep their state,
//! and run nothing.

use super::control::axes_of;
use super::depend::Depend;
use super::{AxisSet, Bot, BotError, Location};
use arr_base::Span;
use arr_ir::walk::{Subst, for_each_use_in_block, has_derivative};
use arr_ir::{Atom, Block, Const, Op, Reduction, Scalar, Stmt, VarId};

/// A `while` that is being lifted.
struct While<'a> {
    stmt: &'a Stmt,
    inits: &'a [Atom],
    cond: &'a Block,
    body: &'a Block,
}

impl Bot<'_> {
    pub(super) fn lift_while(
        &mut self,
        stmt: &Stmt,
        inits: &[Atom],
        cond: &Block,
        body: &Block,
    ) -> Result<(), BotError> {
        if has_derivative(&stmt.op) {
            return Err(BotError::Irregular(stmt.span));
        }
        self.run_checks_before_block([stmt]);
        let all = axes_of(self, &stmt.op);
        let source = While { stmt, inits, cond, body };
        let (sets, condition) = Depend::new(self).state(inits, Some(cond), body);
        let varying =
            if condition == 0 && self.guard.is_none() { self.lift_uniform_while(&source, sets)? } else { Some(all) };
        varying.map_or(Ok(()), |set| self.lift_varying_while(&source, set | all))
    }

    /// Lifts a loop whose condition is the same at every point. If it is stored over axes after all, as it runs only where
    /// they have points, nothing is lifted, and these are the axes.
    fn lift_uniform_while(&mut self, source: &While<'_>, mut sets: Vec<AxisSet>) -> Result<Option<AxisSet>, BotError> {
        let span = source.stmt.span;
        loop {
            let before = self.pending.len();
            let inits = self.store_state(source.inits, &sets, span);
            let mut varying = 0;
            let cond = self.state_block(source.cond, &inits, &sets, |bot, results| {
                let go_on = match results.first() {
                    Some(&go_on) => go_on,
                    None => bot.func.broken(Atom::bool(false), "a `while` has no condition"),
                };
                varying = bot.deps_of(go_on);
                Ok(if varying == 0 { vec![go_on.var().map_or(go_on, |v| bot.invariant(v))] } else { Vec::new() })
            })?;
            if varying != 0 {
                self.pending.truncate(before);
                return Ok(Some(varying));
            }
            let Some(body) = self.next_state(source.body, &inits, &mut sets, span)? else { continue };
            let vars = self.lifted_vars(&source.stmt.vars, &inits);
            self.push(Stmt { vars: vars.clone(), op: Op::While { inits, cond, body }, span });
            for ((&var, array), &axes) in source.stmt.vars.iter().zip(vars).zip(&sets) {
                self.place(var, Location::Stored { array, axes });
            }
            return Ok(None);
        }
    }

    /// The body of a loop whose state is stored over `sets`. If a result depends on more axes than expected there is
    /// none, and the sets have grown.
    fn next_state(
        &mut self,
        body: &Block,
        inits: &[Atom],
        sets: &mut Vec<AxisSet>,
        span: Option<Span>,
    ) -> Result<Option<Block>, BotError> {
        let before = self.pending.len();
        let foreseen = sets.clone();
        let block = self.state_block(body, inits, &foreseen, |bot, results| {
            bot.widen(&results, sets);
            Ok(if *sets == foreseen { bot.store_state(&results, sets, span) } else { Vec::new() })
        })?;
        if *sets == foreseen {
            return Ok(Some(block));
        }
        self.pending.truncate(before);
        Ok(None)
    }

    /// Adds to each set the axes that the value depends on.
    pub(super) fn widen(&self, values: &[Atom], sets: &mut [AxisSet]) {
        for (set, &value) in sets.iter_mut().zip(values) {
            *set |= self.deps_of(value);
        }
    }

    /// Each value stored over its set of axes.
    pub(super) fn store_state(&mut self, values: &[Atom], sets: &[AxisSet], span: Option<Span>) -> Vec<Atom> {
        let mut stored = values.to_vec();
        let mut distinct = sets.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        for set in distinct {
            let members: Vec<usize> = (0..values.len()).filter(|&k| sets.get(k) == Some(&set)).collect();
            let some: Vec<Atom> = members.iter().filter_map(|&k| values.get(k).copied()).collect();
            for (k, atom) in members.into_iter().zip(self.store_all(&some, set, span)) {
                if let Some(slot) = stored.get_mut(k) {
                    *slot = atom;
                }
            }
        }
        stored
    }

    /// A block of the lifted loop, whose params have the types of `inits` and are stored over `sets`.
    fn state_block(
        &mut self,
        block: &Block,
        inits: &[Atom],
        sets: &[AxisSet],
        finish: impl FnOnce(&mut Self, Vec<Atom>) -> Result<Vec<Atom>, BotError>,
    ) -> Result<Block, BotError> {
        let params = self.lifted_vars(&block.params, inits);
        self.open();
        for ((&param, &array), &axes) in block.params.iter().zip(&params).zip(sets) {
            self.place(param, Location::Stored { array, axes });
        }
        let start = self.pending.len();
        let results = self.lift_block(block).and_then(|results| finish(self, results));
        self.run_failing(start..self.pending.len());
        let stmts = self.close();
        Ok(Block { params, stmts, results: results? })
    }

    fn lift_varying_while(&mut self, source: &While<'_>, set: AxisSet) -> Result<(), BotError> {
        let While { stmt, inits, cond, body } = *source;
        let start = self.pending.len();
        let first = self.condition_on(cond, inits);
        let first = self.lift_block(&first)?;
        let values: Vec<Atom> = inits.iter().copied().chain(first).collect();
        let inits = self.store_all(&values, set, stmt.span);
        self.run_failing(start..self.pending.len());
        // As a loop whose state has one more part: whether the point's own loop still runs.
        let running = self.func.scalar_var("running", Scalar::Bool);
        let step = self.guarded_step(stmt, running, cond, body);
        let params = body.params.iter().copied().chain([running]).collect();
        let results = step.vars.iter().copied().map(Atom::Var).collect();
        let step = Block { params, stmts: vec![step], results };
        let sets = vec![set; inits.len()];
        let body =
            self.state_block(&step, &inits, &sets, |bot, results| Ok(bot.store_all(&results, set, stmt.span)))?;
        let cond = self.any_running(&step.params, &inits, set, stmt.span);
        let named: Vec<VarId> = stmt.vars.iter().copied().chain([running]).collect();
        let vars = self.lifted_vars(&named, &inits);
        self.push(Stmt { vars: vars.clone(), op: Op::While { inits, cond, body }, span: stmt.span });
        for (&var, array) in stmt.vars.iter().zip(vars) {
            self.place(var, Location::Stored { array, axes: set });
        }
        Ok(())
    }

    /// A copy of the condition, for this state.
    fn condition_on(&mut self, cond: &Block, state: &[Atom]) -> Block {
        let mut subst = Subst::new();
        for (&param, &value) in cond.params.iter().zip(state) {
            subst.insert(param, value);
        }
        let plain = Block { params: Vec::new(), stmts: cond.stmts.clone(), results: cond.results.clone() };
        let copy = subst.clone_block(self.func, &plain);
        let uses = &mut self.uses;
        for_each_use_in_block(self.func, &copy, &mut |v| *uses.entry(v).or_insert(0) += 1);
        copy
    }

    /// `if running { next state, condition of it } else { state, false }`
    fn guarded_step(&mut self, stmt: &Stmt, running: VarId, cond: &Block, body: &Block) -> Stmt {
        let again = self.condition_on(cond, &body.results);
        let then_block = Block {
            params: Vec::new(),
            stmts: body.stmts.iter().cloned().chain(again.stmts).collect(),
            results: body.results.iter().copied().chain(again.results).collect(),
        };
        let kept = body.params.iter().map(|&p| Atom::Var(p)).chain([Atom::Const(Const::Bool(false))]).collect();
        let else_block = Block { params: Vec::new(), stmts: Vec::new(), results: kept };
        let vars: Vec<VarId> = stmt.vars.iter().copied().chain([running]).map(|v| self.func.copy_var(v)).collect();
        Stmt { vars, op: Op::If { cond: Atom::Var(running), then_block, else_block }, span: stmt.span }
    }

    /// The condition of the lifted loop: whether the last part of the state holds at any point.
    fn any_running(&mut self, named: &[VarId], inits: &[Atom], set: AxisSet, span: Option<Span>) -> Block {
        let params = self.lifted_vars(named, inits);
        let Some(&flags) = params.last() else {
            return self.func.broken(Block::default(), "a lifted `while` has no state");
        };
        if set == 0 {
            return Block { params, stmts: Vec::new(), results: vec![Atom::Var(flags)] };
        }
        let index: Vec<VarId> = self.indices(set);
        let kernel = self.kernel(set, span);
        let index = index.into_iter().map(|i| kernel.subst.atom(Atom::Var(i))).collect();
        let flag = self.func.scalar_var("running", Scalar::Bool);
        let read = Stmt { vars: vec![flag], op: Op::Read { array: flags, index, checked: false }, span };
        let body = Block { params: Vec::new(), stmts: vec![read], results: vec![Atom::Var(flag)] };
        let any = self.func.scalar_var("any", Scalar::Bool);
        let op = Op::Reduce { kind: Reduction::Any, axes: kernel.axes, body };
        Block { params, stmts: vec![Stmt { vars: vec![any], op, span }], results: vec![Atom::Var(any)] }
    }
}
