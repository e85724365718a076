//! The versions of arrays that a loop updates in place, in code that goes back through an iteration.
//!
//! Each update of an iteration makes a version of the array. Code that goes back reads some of them, by the names that
//! they have in the loop's body. There is one array, which is brought from the version that it has to the one that a
//! statement reads: down by undoing updates, up by running them again. It begins as the last version and ends as the
//! first. A reverse loop that starts from one version and ends with an earlier one brings the array down as well. The
//! array is never read as it was before it went on, so that all of this happens in place, if no statement reads two
//! versions.

use crate::analysis::update_chains::Link;
use crate::code::{CodeBuilder, copy_stmt};
use crate::storage::nested::{Nested, binding};
use crate::storage::tape::Elsewhere;
use crate::storage::undo::{Iteration, undo};
use crate::storage::write_log::LogEntry;
use arr_ir::walk::{Subst, for_each_use};
use arr_ir::{Atom, Block, Func, Op, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A state that a loop updates in place.
pub(crate) struct InPlace {
    /// The param of the loop's body, then the array after each update of an iteration.
    pub versions: Vec<VarId>,
    /// The updates, each between two versions.
    pub log: Vec<LogEntry>,
}

impl InPlace {
    /// A state with this chain of updates, of which the log is still empty.
    pub fn new(param: VarId, links: &[Link]) -> InPlace {
        InPlace {
            versions: std::iter::once(param).chain(links.iter().map(|link| link.result)).collect(),
            log: Vec::new(),
        }
    }

    /// Whether a loop inside an iteration updates it.
    fn has_loops(&self) -> bool {
        self.log.iter().any(|update| matches!(update, LogEntry::Loop { .. }))
    }
}

/// What a sweep does not find on the tape if the loop has these arrays.
pub(crate) fn elsewhere(arrays: &[&InPlace], nested: &Nested) -> Elsewhere {
    let versions = |arrays: &[&InPlace]| arrays.iter().flat_map(|array| &array.versions).copied().collect::<Vec<_>>();
    let looped: Vec<&InPlace> = arrays.iter().copied().filter(|array| array.has_loops()).collect();
    Elsewhere {
        in_place: !arrays.is_empty(),
        names: versions(arrays).into_iter().chain(nested.logs()).collect(),
        far: versions(&looped).into_iter().collect(),
    }
}

/// A version of an array: the number of the array, then that of the version.
type Version = (usize, usize);

/// Where the arrays are while code is written.
pub(crate) struct Cursor<'a> {
    arrays: &'a [&'a InPlace],
    /// The body of the loop.
    body: &'a Block,
    here: Iteration,
    nested: &'a Nested,
    /// From names in the body: versions to the variables that hold them.
    names: Subst,
    version_of: FxHashMap<VarId, Version>,
    /// The version that each array has.
    now: Vec<usize>,
    /// Whether an update has been run again.
    climbed: bool,
}

impl<'a> Cursor<'a> {
    /// `after` are the arrays after the iteration; `names` has those of other params of the body.
    pub fn new(
        arrays: &'a [&'a InPlace],
        after: &[VarId],
        (body, here, nested): (&'a Block, Iteration, &'a Nested),
        mut names: Subst,
    ) -> Cursor<'a> {
        let mut version_of = FxHashMap::default();
        for (a, array) in arrays.iter().enumerate() {
            version_of.extend(array.versions.iter().enumerate().map(|(n, v)| (*v, (a, n))));
        }
        for (array, &after) in arrays.iter().zip(after) {
            names.map.extend(array.versions.last().map(|&last| (last, Atom::Var(after))));
        }
        let now = arrays.iter().map(|array| array.log.len()).collect();
        Cursor { arrays, body, here, nested, names, version_of, now, climbed: false }
    }

    /// Writes statements and results that name versions as the body does. Returns the results, the first version of
    /// each array, and whether updates are run again.
    pub fn write(
        mut self,
        code: &mut CodeBuilder<'_>,
        stmts: &[Stmt],
        results: &[Atom],
    ) -> (Vec<Atom>, Vec<VarId>, bool) {
        for (at, stmt) in stmts.iter().enumerate() {
            let read = self.read_by(code.func, &stmt.op);
            self.bring(code, &read);
            let mut stmt = stmt.clone();
            self.names.apply_to_stmt(code.func, &mut stmt);
            self.made_by(code.func, (&stmt, &read), stmts.get(at + 1..).unwrap_or_default());
            code.stmts.push(stmt);
        }
        let read: Vec<Version> = results.iter().filter_map(|r| self.version_of.get(&r.var()?)).copied().collect();
        self.bring(code, &read);
        let results = results.iter().map(|&r| self.names.atom(r)).collect();
        let mut first = Vec::new();
        for (a, array) in self.arrays.iter().enumerate() {
            self.bring(code, &[(a, 0)]);
            first.extend(array.versions.first().map(|&v| self.names.var(v)));
        }
        (results, first, self.climbed)
    }

    /// The versions that an operation reads.
    fn read_by(&self, func: &Func, op: &Op) -> Vec<Version> {
        let mut read = Vec::new();
        if !self.version_of.is_empty() {
            for_each_use(func, op, &mut |v| read.extend(self.version_of.get(&v)));
        }
        read.sort_unstable();
        read.dedup();
        read
    }

    /// Takes note of the versions that a statement makes, which has `read` these, before the statements `rest`.
    fn made_by(&mut self, func: &Func, (stmt, read): (&Stmt, &[Version]), rest: &[Stmt]) {
        for &v in &stmt.vars {
            let started = self.nested.restored.get(&v).and_then(|last| self.version_of.get(last));
            if let Some(&(a, n)) = started
                && n > 0
            {
                self.is_restored(a, n - 1, v, read);
            }
            // An array that is run again with other results of the statement need not follow if it goes back next.
            if let Some(&(a, n)) = self.version_of.get(&v)
                && self.next_read(func, a, rest) >= n
            {
                self.is_now(a, n, v);
            }
        }
    }

    /// Array `a` is version `n` again after a loop that has started from the next one and ends with it in `v`. If the
    /// loop has `read` this version, there it is: what the loop restores is dead, unless an iteration reads it.
    fn is_restored(&mut self, a: usize, n: usize, v: VarId, read: &[Version]) {
        match self.now.get_mut(a) {
            Some(now) if read.contains(&(a, n)) => *now = n,
            _ => self.is_now(a, n, v),
        }
    }

    /// The version of an array that the statements read first; the first version if they read none.
    fn next_read(&self, func: &Func, array: usize, stmts: &[Stmt]) -> usize {
        let of_array = |stmt: &Stmt| self.read_by(func, &stmt.op).into_iter().find(|(a, _)| *a == array);
        stmts.iter().find_map(of_array).map_or(0, |(_, n)| n)
    }

    /// Array `a` is version `n`, in variable `v`.
    fn is_now(&mut self, a: usize, n: usize, v: VarId) {
        if let (Some(now), Some(&name)) = (self.now.get_mut(a), self.arrays.get(a).and_then(|a| a.versions.get(n))) {
            *now = n;
            self.names.map.remove(&name);
            if name != v {
                self.names.insert(name, v);
            }
        }
    }

    /// Brings arrays to versions. Of those of one array the last one stays.
    fn bring(&mut self, code: &mut CodeBuilder<'_>, versions: &[Version]) {
        for &(a, n) in versions {
            while let Some(now) = self.now.get(a).copied().filter(|now| *now != n) {
                let moved = if now > n { self.down(code, a, now) } else { self.up(code, a, now) };
                if moved.is_none() {
                    return code.func.broken((), "a version of an array is not made by an update");
                }
            }
        }
    }

    /// Undoes the update that made version `now`.
    fn down(&mut self, code: &mut CodeBuilder<'_>, a: usize, now: usize) -> Option<()> {
        let array = *self.arrays.get(a)?;
        let after = self.names.var(*array.versions.get(now)?);
        let before = undo(code, array.log.get(now.checked_sub(1)?)?, after, &self.here);
        self.is_now(a, now - 1, before);
        Some(())
    }

    /// Runs the update after version `now` again.
    fn up(&mut self, code: &mut CodeBuilder<'_>, a: usize, now: usize) -> Option<()> {
        self.climbed = true;
        let next = *self.arrays.get(a)?.versions.get(now + 1)?;
        let stmt = binding(&self.body.stmts, next)?.clone();
        // What the statement reads comes before what it makes.
        let read = self.read_by(code.func, &stmt.op);
        self.bring(code, &read);
        let copy = copy_stmt(code.func, &mut self.names.clone(), &stmt);
        for (v, copied) in stmt.vars.iter().zip(&copy.vars) {
            // Other arrays that the update changes come along.
            if let Some(&(b, n)) = self.version_of.get(v)
                && (b == a || self.now.get(b).is_some_and(|now| now + 1 == n))
            {
                self.is_now(b, n, *copied);
            }
        }
        code.stmts.push(copy);
        Some(())
    }

    /// What must be known to run updates again: what they read.
    pub fn updates(arrays: &[&InPlace], body: &Block) -> Vec<Stmt> {
        let made: FxHashSet<VarId> = arrays.iter().flat_map(|array| &array.versions).copied().collect();
        body.stmts.iter().filter(|stmt| stmt.vars.iter().any(|v| made.contains(v))).cloned().collect()
    }
}
