//! Race detection: the part of parallel loops' independence that is visible in the statements.

use crate::{Expr, For, LocalId, LoopFunc, Operand, Stmt, any_stmt, for_each_stmt};
use rustc_hash::FxHashSet;
use std::collections::{HashMap, HashSet};

/// `nowhere` are addresses in arrays without elements, where no store is ever made.
pub(super) fn check(func: &LoopFunc, nowhere: &FxHashSet<LocalId>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut exprs = HashMap::new();
    for_each_stmt(&func.body, &mut |stmt| {
        if let Stmt::Let { local, expr } = stmt {
            exprs.insert(*local, expr.clone());
        }
    });
    for_each_stmt(&func.body, &mut |stmt| {
        if let Stmt::For(l) = stmt
            && l.parallel.is_some()
        {
            let mut walk = Walk {
                func,
                exprs: &exprs,
                nowhere,
                bound: HashSet::new(),
                varying: HashSet::new(),
                faults: Vec::new(),
            };
            walk.parallel(l);
            faults.append(&mut walk.faults);
        }
    });
    faults
}

struct Walk<'a> {
    func: &'a LoopFunc,
    exprs: &'a HashMap<LocalId, Expr>,
    nowhere: &'a FxHashSet<LocalId>,
    /// Bound in the loop.
    bound: HashSet<LocalId>,
    /// Values that may differ from one iteration to another.
    varying: HashSet<LocalId>,
    faults: Vec<String>,
}

impl Walk<'_> {
    fn parallel(&mut self, l: &For) {
        let Some(parallel) = &l.parallel else { return };
        for_each_stmt(&l.body, &mut |stmt| self.bound.extend(stmt.binds()));
        self.bound.insert(l.index);
        self.bound.extend(l.inductions.iter().map(|i| i.local));
        let partials: Vec<LocalId> = parallel.partials.iter().map(|p| p.local).collect();
        let foreign = |local: LocalId| !self.bound.contains(&local) && !partials.contains(&local);
        let mut faults = Vec::new();
        for_each_stmt(&l.body, &mut |stmt| {
            if let Some(local) = stmt.sets().filter(|&local| foreign(local)) {
                faults.push(format!("`{}` is set in a parallel loop, and is no partial result", self.name(local)));
            }
        });
        self.faults.append(&mut faults);
        let manages = |stmt: &Stmt| match stmt {
            Stmt::Alloc { .. } | Stmt::Retain(_) | Stmt::Release(_) | Stmt::MakeUnique { .. } => true,
            Stmt::Let { expr, .. } => matches!(expr, Expr::Literal(_)),
            _ => false,
        };
        if !parallel.allocates && any_stmt(&l.body, &manages) {
            self.faults
                .push(format!("the parallel loop over `{}` manages memory and does not say so", self.name(l.index)));
        }
        // With a single iteration, or after a test before the loop, it may store anywhere.
        if l.extent.as_int().is_some_and(|n| n <= 1) || parallel.disjoint_if.is_some() {
            return;
        }
        self.varying.insert(l.index);
        self.varying.extend(l.inductions.iter().filter(|i| i.step.as_int() != Some(0)).map(|i| i.local));
        let added: Vec<LocalId> = parallel.added.iter().map(|a| a.data).collect();
        self.block(&l.body, &added);
    }

    fn name(&self, local: LocalId) -> &str {
        &self.func.locals[local].name
    }

    fn varies(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Local(local) if self.varying.contains(&local))
    }

    /// Finds stores by which all iterations write one place. Code under a varying condition may run in only one.
    fn block(&mut self, stmts: &[Stmt], added: &[LocalId]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let { local, expr } => {
                    // A loaded value may be the one that this iteration stored.
                    if matches!(expr, Expr::Load(..)) || expr.operands().into_iter().any(|o| self.varies(o)) {
                        self.varying.insert(*local);
                    }
                }
                Stmt::Var { local, .. } | Stmt::Set { local, .. } => drop(self.varying.insert(*local)),
                Stmt::Store { address, offset, .. } => {
                    if !self.varies(*offset) && !self.varies((*address).into()) && self.is_outside(*address, added) {
                        let name = self.name(*address);
                        self.faults.push(format!("all iterations of a parallel loop store to one place of `{name}`"));
                    }
                }
                Stmt::If { cond, then_body, else_body } if !self.varies(*cond) => {
                    self.block(then_body, added);
                    self.block(else_body, added);
                }
                // Without points there is no store.
                Stmt::For(l) if l.extent.as_int().is_some_and(|n| n <= 0) => {}
                Stmt::For(l) if !self.varies(l.extent) => {
                    let moves = l.inductions.iter().filter(|i| self.varies(i.step)).map(|i| i.local);
                    self.varying.extend(moves.collect::<Vec<LocalId>>());
                    self.block(&l.body, added);
                }
                _ => for_each_stmt(std::slice::from_ref(stmt), &mut |inner| self.varying.extend(inner.binds())),
            }
        }
    }

    /// Whether an address is in an array from outside that chunks have no copies of.
    fn is_outside(&self, mut address: LocalId, added: &[LocalId]) -> bool {
        loop {
            match self.exprs.get(&address) {
                _ if added.contains(&address) || self.nowhere.contains(&address) => return false,
                Some(Expr::Offset(base, _) | Expr::Copy(Operand::Local(base))) => address = *base,
                Some(Expr::BaseAddr(buffer)) => return !self.bound.contains(buffer),
                _ => return false,
            }
        }
    }
}
