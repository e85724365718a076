//! Dependence on axes: which enclosing axes the results of code will depend on once it is lifted.
//!
//! This is needed before state, or the results of branches, are stored, since all of one kind must be stored over the
//! same axes. The parts of a result are kept apart: in a value with its derivative along many directions, only the
//! second is needed once per direction.

use super::{AxisSet, Bot};
use arr_ir::walk::free_vars;
use arr_ir::{Atom, Axis, Block, Op, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Facts about the code inside the statement in question.
pub(super) struct Depend<'a, 'f> {
    bot: &'a Bot<'f>,
    known: FxHashMap<VarId, AxisSet>,
    /// The axes of the guard under which the code runs.
    floor: AxisSet,
}

impl<'a, 'f> Depend<'a, 'f> {
    pub fn new(bot: &'a Bot<'f>) -> Self {
        Depend { bot, known: FxHashMap::default(), floor: bot.deps_of_guard() }
    }

    /// The axes of everything that is bound in the code, including those of the conditions around it.
    pub fn known(self) -> FxHashMap<VarId, AxisSet> {
        self.known
    }

    pub fn of(&self, atom: Atom) -> AxisSet {
        atom.var().map_or(0, |v| self.known.get(&v).copied().unwrap_or_else(|| self.bot.deps_of_var(v)))
    }

    /// The axes of the results of a block whose params depend on the given axes.
    pub fn block(&mut self, block: &Block, params: &[AxisSet]) -> Vec<AxisSet> {
        self.known.extend(block.params.iter().copied().zip(params.iter().copied()));
        self.stmts(&block.stmts);
        block.results.iter().map(|&a| self.of(a) | self.floor).collect()
    }

    pub fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let sets = self.results(&stmt.op, stmt.vars.len());
            self.known.extend(stmt.vars.iter().copied().zip(sets));
        }
    }

    /// The axes of the operation, as if it had one result.
    pub fn whole(&self, op: &Op) -> AxisSet {
        let set = free_vars(self.bot.func, op).into_iter().fold(self.floor, |set, v| set | self.of(Atom::Var(v)));
        let relies = arr_ir::walk::may_fail_deep(self.bot.func, op) || self.bot.relies_on_points(op);
        if relies { self.bot.with_uncertain_axes(set) } else { set }
    }

    /// The axes of each result of an operation.
    pub fn results(&mut self, op: &Op, count: usize) -> Vec<AxisSet> {
        match op {
            Op::Build { axes, body } | Op::Reduce { axes, body, .. } => {
                let outer = self.floor;
                self.floor |= self.extents(axes);
                self.known.extend(axes.iter().map(|a| (a.index, 0)));
                let sets = self.block(body, &[]);
                self.floor = outer;
                sets
            }
            Op::If { cond, then_block, else_block } => {
                let outer = self.floor;
                self.floor |= self.of(*cond);
                let then = self.block(then_block, &[]);
                let other = self.block(else_block, &[]);
                self.floor = outer;
                then.iter().zip(other).map(|(a, b)| a | b).collect()
            }
            Op::Loop { axis, inits, body, .. } => {
                let outer = self.floor;
                self.floor |= self.extents(std::slice::from_ref(axis));
                self.known.insert(axis.index, 0);
                let (sets, _) = self.state(inits, None, body);
                self.floor = outer;
                sets
            }
            Op::While { inits, cond, body } => {
                let (sets, condition) = self.state(inits, Some(cond), body);
                let all = self.whole(op);
                sets.into_iter().map(|set| if condition == 0 { set } else { set | all }).collect()
            }
            Op::Barrier(args) => args.iter().map(|&a| self.of(a) | self.floor).collect(),
            _ => vec![self.whole(op); count],
        }
    }

    fn extents(&self, axes: &[Axis]) -> AxisSet {
        let vars = axes.iter().flat_map(|a| self.bot.func.types.poly(a.extent).vars());
        vars.fold(0, |set, v| set | self.of(Atom::Var(v)))
    }

    /// The axes of each part of a loop's state, and of its condition: the least solution.
    pub fn state(&mut self, inits: &[Atom], cond: Option<&Block>, body: &Block) -> (Vec<AxisSet>, AxisSet) {
        let mut state: Vec<AxisSet> = inits.iter().map(|&a| self.of(a) | self.floor).collect();
        loop {
            let results = self.block(body, &state);
            let next: Vec<AxisSet> = state.iter().zip(results).map(|(&a, b)| a | b).collect();
            if next == state {
                let condition = cond.map_or(Vec::new(), |c| self.block(c, &state));
                return (state, condition.into_iter().fold(0, |a, b| a | b));
            }
            state = next;
        }
    }
}
