//! What a workgroup has read and written since its last barrier.

use crate::builder::Builder;
use arr_loops::{Expr, LocalId, Stmt, for_each_chunked_stmt};
use std::collections::{BTreeSet, HashMap};

#[derive(Clone)]
pub(super) struct Waiting<'r> {
    /// The arrays of addresses whose buffer holds several.
    regions: &'r HashMap<LocalId, LocalId>,
    read: BTreeSet<LocalId>,
    written: BTreeSet<LocalId>,
    /// Whether workgroup memory has been read.
    pub shared: bool,
}

impl<'r> Waiting<'r> {
    pub fn new(regions: &'r HashMap<LocalId, LocalId>) -> Waiting<'r> {
        Waiting { regions, read: BTreeSet::new(), written: BTreeSet::new(), shared: false }
    }

    /// Whether statements read a previous write, or overwrite a previous access.
    pub fn must_wait(&self, b: &Builder<'_>, stmts: &[Stmt]) -> bool {
        let mut conflict = false;
        self.arrays(b, stmts, &mut |array, writes| {
            conflict |= self.written.contains(&array) || writes && self.read.contains(&array);
        });
        conflict
    }

    /// Records the accesses of statements.
    pub fn add(&mut self, b: &Builder<'_>, stmts: &[Stmt]) {
        let mut found = Vec::new();
        self.arrays(b, stmts, &mut |array, writes| found.push((array, writes)));
        for (array, writes) in found {
            let set = if writes { &mut self.written } else { &mut self.read };
            set.insert(array);
        }
    }

    /// A barrier was passed.
    pub fn clear(&mut self) {
        self.read.clear();
        self.written.clear();
        self.shared = false;
    }

    /// Joins the accesses of two paths to here.
    pub fn join(&mut self, other: &Waiting<'_>) {
        self.read.extend(&other.read);
        self.written.extend(&other.written);
        self.shared |= other.shared;
    }

    fn arrays(&self, b: &Builder<'_>, stmts: &[Stmt], visit: &mut dyn FnMut(LocalId, bool)) {
        let array = |address: LocalId| self.regions.get(&address).copied().unwrap_or_else(|| b.root(address));
        for_each_chunked_stmt(stmts, &mut |stmt| match stmt {
            Stmt::Let { expr: Expr::Load(address, _), .. } => visit(array(*address), false),
            Stmt::Store { address, .. } => visit(array(*address), true),
            _ => {}
        });
    }
}
