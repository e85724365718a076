//! Liveness of array variables: the last statement of a block that uses each, nested blocks included.

use arr_ir::{Atom, Block, Func, Stmt, VarId, walk};
use std::collections::{BTreeMap, BTreeSet};

/// The array references that a block owns, and the last use of each.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    /// Owned and not yet given up.
    owned: BTreeSet<VarId>,
    /// The last use of each array variable: a statement's number, or the number of statements for the results.
    last: BTreeMap<VarId, usize>,
    /// Array variables by their last use.
    dying: BTreeMap<usize, Vec<VarId>>,
    /// The statement being lowered.
    pub at: usize,
    /// How often that statement (or the results) uses each array variable.
    counts: BTreeMap<VarId, usize>,
}

impl Liveness {
    /// Finds the last uses in a block that owns `inherited` from the start.
    pub fn new(func: &Func, block: &Block, inherited: BTreeSet<VarId>) -> Liveness {
        let mut live = Liveness { owned: inherited, ..Liveness::default() };
        for (at, stmt) in block.stmts.iter().enumerate() {
            walk::for_each_use(func, &stmt.op, &mut |v| {
                if is_array(func, v) {
                    live.last.insert(v, at);
                }
            });
        }
        for v in block.results.iter().filter_map(|a| a.var()).filter(|&v| is_array(func, v)) {
            live.last.insert(v, block.stmts.len());
        }
        for (&v, &at) in &live.last {
            live.dying.entry(at).or_default().push(v);
        }
        live
    }

    /// Moves to a statement: counts its uses.
    pub fn enter_stmt(&mut self, func: &Func, at: usize, stmt: &Stmt) {
        self.at = at;
        self.counts.clear();
        walk::for_each_use(func, &stmt.op, &mut |v| {
            if is_array(func, v) {
                *self.counts.entry(v).or_insert(0) += 1;
            }
        });
    }

    /// Moves to the block's results.
    pub fn enter_results(&mut self, func: &Func, at: usize, results: &[Atom]) {
        self.at = at;
        self.counts.clear();
        for v in results.iter().filter_map(|a| a.var()).filter(|&v| is_array(func, v)) {
            *self.counts.entry(v).or_insert(0) += 1;
        }
    }

    pub fn own(&mut self, v: VarId) {
        self.owned.insert(v);
    }

    /// Counts one consuming use, and gives up the reference if it is the very last. With `shared`, the other uses in
    /// the statement come before this one.
    pub fn take(&mut self, v: VarId, shared: bool) -> bool {
        let others = self.counts.get_mut(&v).map_or(0, |count| {
            *count = count.saturating_sub(1);
            *count
        });
        self.last.get(&v) == Some(&self.at) && (shared || others == 0) && self.owned.remove(&v)
    }

    /// Whether the statement is the last to use an owned variable, and uses it once.
    pub fn ends(&self, v: VarId) -> bool {
        self.last.get(&v) == Some(&self.at) && self.counts.get(&v) == Some(&1) && self.owned.contains(&v)
    }

    /// Owned variables that are not used after this statement, in order; they are given up.
    pub fn take_dying(&mut self) -> Vec<VarId> {
        let dying = self.dying.get(&self.at).cloned().unwrap_or_default();
        dying.into_iter().filter(|v| self.owned.remove(v)).collect()
    }

    /// The unused ones among the variables; they are given up.
    pub fn take_unused(&mut self, vars: &[VarId]) -> Vec<VarId> {
        vars.iter().copied().filter(|v| !self.last.contains_key(v) && self.owned.remove(v)).collect()
    }
}

fn is_array(func: &Func, v: VarId) -> bool {
    !func.ty(v).is_scalar()
}
