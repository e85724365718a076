//! `if`.

use super::{Def, Simplifier};
use crate::analysis::encode_op;
use arr_base::Span;
use arr_ir::{Atom, Block, Op, Prim, Stmt, VarId};
use rustc_hash::FxHashMap;

/// The maximal number of conjuncts of a condition that are considered, so that nested long conditions cost linear time.
const MAX_CONJUNCTS: usize = 8;

impl Simplifier<'_> {
    pub(super) fn if_(&mut self, vars: Vec<VarId>, cond: Atom, blocks: [Block; 2], span: Option<Span>) {
        let [then_block, else_block] = blocks;
        let cond_var = match cond {
            Atom::Const(c) => {
                let chosen = if c.is_zero() { else_block } else { then_block };
                return self.splice(vars, chosen);
            }
            Atom::Var(v) => v,
        };
        if let Some(Def::Prim(Prim::Not, args)) = self.defs.get(&cond_var)
            && let [inner] = args.as_slice()
        {
            let inner = self.resolve(*inner);
            self.changed = true;
            return self.if_(vars, inner, [else_block, then_block], span);
        }
        let then_block = self.branch(cond_var, true, then_block);
        let else_block = self.branch(cond_var, false, else_block);
        self.finish_if(vars, cond, then_block, else_block, span);
    }

    /// Continues with a block's statements in the open block.
    pub(super) fn splice(&mut self, vars: Vec<VarId>, block: Block) {
        self.changed = true;
        self.stmts(block.stmts);
        for (var, result) in vars.into_iter().zip(block.results) {
            let value = self.resolve(result);
            self.alias(var, value);
        }
    }

    fn branch(&mut self, cond: VarId, holds: bool, block: Block) -> Block {
        self.open();
        self.known.assume(self.func, Atom::Var(cond), holds);
        self.assume_condition(cond, holds);
        self.stmts(block.stmts);
        let results = block.results.iter().map(|&a| self.resolve(a)).collect();
        Block { params: block.params, stmts: self.close(), results }
    }

    /// Inside a branch the condition is known, and so are the parts of a conjunction that holds or of a disjunction
    /// that does not.
    fn assume_condition(&mut self, cond: VarId, holds: bool) {
        let mut work = vec![(cond, holds)];
        for _ in 0..MAX_CONJUNCTS {
            let Some((v, holds)) = work.pop() else { return };
            self.assume(v, Atom::bool(holds));
            let Some(Def::Prim(prim, args)) = self.defs.get(&v).cloned() else { continue };
            self.assume_comparison(prim, &args, holds);
            let parts = args.iter().filter_map(|a| a.var());
            match (prim, holds) {
                (Prim::And, true) | (Prim::Or, false) => work.extend(parts.map(|p| (p, holds))),
                (Prim::Not, _) => work.extend(parts.map(|p| (p, !holds))),
                _ => {}
            }
        }
    }

    /// A known comparison also decides the mirrored one and its negation. For floats only `==` and `!=` have one,
    /// because of NaN.
    fn assume_comparison(&mut self, prim: Prim, args: &[Atom], holds: bool) {
        let [a, b] = *args else { return };
        // The same with the operands exchanged, and what holds when this does not.
        let (mirrored, opposite, opposite_mirrored) = match prim {
            Prim::Eq => (Prim::Eq, Prim::Ne, Prim::Ne),
            Prim::Ne => (Prim::Ne, Prim::Eq, Prim::Eq),
            Prim::Lt => (Prim::Gt, Prim::Ge, Prim::Le),
            Prim::Le => (Prim::Ge, Prim::Gt, Prim::Lt),
            Prim::Gt => (Prim::Lt, Prim::Le, Prim::Ge),
            Prim::Ge => (Prim::Le, Prim::Lt, Prim::Gt),
            _ => return,
        };
        let mut known = vec![(prim, vec![a, b], holds), (mirrored, vec![b, a], holds)];
        if matches!(prim, Prim::Eq | Prim::Ne) || !self.func.is_float(a) {
            known.extend([(opposite, vec![a, b], !holds), (opposite_mirrored, vec![b, a], !holds)]);
        }
        for (prim, args, holds) in known {
            let Some(key) = encode_op(self.func, &Op::Prim(prim, args)) else { continue };
            let old = self.truths.insert(key.clone(), holds);
            if let Some(scope) = self.scopes.last_mut() {
                scope.truths.push((key, old));
            }
        }
    }

    /// Removes the results that need no branch.
    fn finish_if(&mut self, vars: Vec<VarId>, cond: Atom, then_block: Block, else_block: Block, span: Option<Span>) {
        if let Some((first, rest)) = connective(&then_block, &else_block) {
            // Cheap tests of a lazy `and` or `or` are evaluated in any case.
            let stmts = then_block.stmts.into_iter().chain(else_block.stmts);
            stmts.for_each(|stmt| self.push(stmt));
            let value = self.prim(first, vec![cond, rest], span);
            return self.alias_all(vars, vec![value]);
        }
        let empty = then_block.stmts.is_empty() && else_block.stmts.is_empty();
        let (mut kept, mut thens, mut elses) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen: FxHashMap<(Atom, Atom), VarId> = FxHashMap::default();
        for ((var, a), b) in vars.into_iter().zip(then_block.results).zip(else_block.results) {
            // Variables bound in the branches differ, so an equal one is bound outside.
            if a == b {
                self.alias(var, a);
            } else if a == Atom::bool(true) && b == Atom::bool(false) {
                self.alias(var, cond);
            } else if a == Atom::bool(false) && b == Atom::bool(true) {
                let not = self.prim(Prim::Not, vec![cond], span);
                self.alias(var, not);
            } else if empty && self.func.ty(var).is_scalar() {
                // There is nothing left to be lazy about.
                let chosen = self.prim(Prim::Select, vec![cond, a, b], span);
                self.alias(var, chosen);
            } else if let Some(&same) = seen.get(&(a, b)) {
                self.alias(var, Atom::Var(same));
            } else {
                seen.insert((a, b), var);
                kept.push(var);
                thens.push(a);
                elses.push(b);
            }
        }
        if kept.is_empty() && empty {
            self.changed = true;
            return;
        }
        let then_block = Block { results: thens, ..then_block };
        let else_block = Block { results: elses, ..else_block };
        let scalars = kept.iter().all(|&v| self.func.ty(v).is_scalar());
        let stmt = Stmt { vars: kept, op: Op::If { cond, then_block, else_block }, span };
        if scalars && !stmt.vars.is_empty() { self.share(stmt) } else { self.push(stmt) }
    }

    /// A constant is no work that could be shared, so it passes a `barrier`.
    pub(super) fn barrier(&mut self, mut vars: Vec<VarId>, mut args: Vec<Atom>, span: Option<Span>) {
        let constant: Vec<bool> = args.iter().map(|a| a.constant().is_some()).collect();
        let mut flags = constant.iter();
        let known = vars.extract_if(.., |_| flags.next() == Some(&true)).collect();
        let mut flags = constant.iter();
        let values = args.extract_if(.., |_| flags.next() == Some(&true)).collect();
        self.alias_all(known, values);
        self.push(Stmt { vars, op: Op::Barrier(args), span });
    }

    pub(super) fn alias_all(&mut self, vars: Vec<VarId>, atoms: Vec<Atom>) {
        for (var, atom) in vars.into_iter().zip(atoms) {
            self.alias(var, atom);
        }
    }
}

/// Whether a branch is `and` or `or` of the condition and a cheap test, and which test.
fn connective(then_block: &Block, else_block: &Block) -> Option<(Prim, Atom)> {
    let cheap = |block: &Block| {
        let test = |s: &Stmt| match &s.op {
            Op::Prim(prim, _) => prim.may_be_speculated(),
            _ => false,
        };
        block.stmts.len() <= MAX_CONJUNCTS && block.stmts.iter().all(test)
    };
    match (then_block.results.as_slice(), else_block.results.as_slice()) {
        ([a], [b]) if *a == Atom::bool(true) && then_block.stmts.is_empty() && cheap(else_block) => {
            Some((Prim::Or, *b))
        }
        ([a], [b]) if *b == Atom::bool(false) && else_block.stmts.is_empty() && cheap(then_block) => {
            Some((Prim::And, *a))
        }
        _ => None,
    }
}
