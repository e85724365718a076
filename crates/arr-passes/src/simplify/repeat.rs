//! `loop` and `while`.

use super::Simplifier;
use super::dead_loop_state::reads_first_values;
use arr_base::Span;
use arr_ir::walk::may_fail_deep;
use arr_ir::{Atom, Axis, Block, Const, Op, Prim, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Conditions of at most this many statements are evaluated for their initial value.
const MAX_CONDITION: usize = 16;

impl Simplifier<'_> {
    pub(super) fn loop_(
        &mut self,
        vars: Vec<VarId>,
        (mut axis, reverse): (Axis, bool),
        inits: Vec<Atom>,
        body: Block,
        span: Option<Span>,
    ) {
        axis.extent = self.size(axis.extent);
        match self.func.types.poly(axis.extent).as_constant() {
            Some(n) if n <= 0 => return self.alias_all(vars, inits),
            Some(1) => {
                self.subst.insert(axis.index, Atom::int(0));
                for (&p, &init) in body.params.iter().zip(&inits) {
                    self.subst.insert(p, init);
                }
                return self.splice(vars, body);
            }
            _ => {}
        }
        let (vars, inits, body, _) = self.without_constant_state((vars, Some(axis.index)), inits, body, None);
        self.consume_all(&inits);
        self.open();
        self.bind(axis.index);
        self.known.axes(self.func, std::slice::from_ref(&axis));
        for &p in &body.params {
            self.bind(p);
        }
        self.stmts(body.stmts);
        let results = body.results.iter().map(|&a| self.resolve(a)).collect();
        let body = Block { params: body.params, stmts: self.close(), results };
        self.push_loop(Stmt { vars, op: Op::Loop { axis, reverse, inits, body }, span });
    }

    /// A loop of scalars is computed once; one with arrays needs its own to write into.
    fn push_loop(&mut self, stmt: Stmt) {
        if stmt.vars.iter().all(|&v| self.func.ty(v).is_scalar()) {
            self.share(stmt);
        } else {
            self.push(stmt);
        }
    }

    /// A loop takes over the storage of its initial state before its body runs.
    fn consume_all(&mut self, inits: &[Atom]) {
        let arrays: Vec<VarId> =
            inits.iter().filter_map(|a| a.var()).filter(|&v| !self.func.ty(v).is_scalar()).collect();
        arrays.into_iter().for_each(|array| self.consume(array));
    }

    pub(super) fn while_(&mut self, vars: Vec<VarId>, inits: Vec<Atom>, cond: Block, body: Block, span: Option<Span>) {
        if self.first_condition(&cond, &inits) == Some(false) {
            return self.alias_all(vars, inits);
        }
        let (vars, inits, body, cond) = self.without_constant_state((vars, None), inits, body, Some(cond));
        let cond = cond.unwrap_or_else(|| self.func.broken(Block::default(), "a `while` has no condition"));
        self.consume_all(&inits);
        let (cond, body) = (self.block(cond), self.block(body));
        self.push_loop(Stmt { vars, op: Op::While { inits, cond, body }, span });
    }

    /// The initial value of the condition, if it is known and evaluating it cannot stop the program.
    fn first_condition(&self, cond: &Block, inits: &[Atom]) -> Option<bool> {
        if cond.stmts.len() > MAX_CONDITION || cond.stmts.iter().any(|s| may_fail_deep(self.func, &s.op)) {
            return None;
        }
        let mut known: FxHashMap<VarId, Const> = FxHashMap::default();
        known.extend(cond.params.iter().zip(inits).filter_map(|(&p, a)| Some((p, a.constant()?))));
        let of = |known: &FxHashMap<VarId, Const>, a: Atom| match self.resolve(a) {
            Atom::Const(c) => Some(c),
            Atom::Var(v) => known.get(&v).copied(),
        };
        for stmt in &cond.stmts {
            let ([var], Op::Prim(prim, args)) = (stmt.vars.as_slice(), &stmt.op) else { continue };
            let args: Vec<Option<Const>> = args.iter().map(|&a| of(&known, a)).collect();
            let all: Option<Vec<Const>> = args.iter().copied().collect();
            let value = match prim {
                // One false conjunct is enough.
                Prim::And if args.contains(&Some(Const::Bool(false))) => Some(Const::Bool(false)),
                Prim::Or if args.contains(&Some(Const::Bool(true))) => Some(Const::Bool(true)),
                _ => all.and_then(|args| prim.eval(&args)),
            };
            known.extend(value.map(|c| (*var, c)));
        }
        of(&known, *cond.results.first()?)?.as_bool()
    }

    /// Removes state that every iteration hands on unchanged, or sets to its initial value, and arrays of which the
    /// iterations (of the loop over the index given) read only initial elements.
    fn without_constant_state(
        &mut self,
        (vars, index): (Vec<VarId>, Option<VarId>),
        inits: Vec<Atom>,
        mut body: Block,
        mut cond: Option<Block>,
    ) -> (Vec<VarId>, Vec<Atom>, Block, Option<Block>) {
        let (mut kept, mut kept_inits) = (Vec::new(), Vec::new());
        let (mut params, mut results, mut tested) = (Vec::new(), Vec::new(), Vec::new());
        let unwritten: Vec<bool> = vars
            .iter()
            .zip(&body.params)
            .zip(&body.results)
            .map(|((v, &param), &result)| {
                let unused = self.uses.get(v).copied().unwrap_or(0) == 0 && !self.func.ty(param).is_scalar();
                unused && index.is_some_and(|i| reads_first_values(self.func, &body, i, param, result))
            })
            .collect();
        let state = vars.into_iter().zip(inits).zip(body.params).zip(body.results);
        for (k, (((var, init), param), result)) in state.enumerate() {
            let next = self.resolve(result);
            let in_cond = cond.as_ref().and_then(|c| c.params.get(k).copied());
            if next == Atom::Var(param) || next == init || unwritten.get(k) == Some(&true) {
                self.changed = true;
                self.subst.insert(param, init);
                if let Some(param) = in_cond {
                    self.subst.insert(param, init);
                }
                self.alias(var, init);
            } else {
                kept.push(var);
                kept_inits.push(init);
                params.push(param);
                results.push(result);
                tested.extend(in_cond);
            }
        }
        body.params = params;
        body.results = results;
        if let Some(cond) = &mut cond {
            cond.params = tested;
        }
        (kept, kept_inits, body, cond)
    }
}
