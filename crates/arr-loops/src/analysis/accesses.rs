//! Access analysis: what a loop reads and writes, and the arrays of which each iteration touches only its own row.

use super::alias::AliasInfo;
use super::rows::{Around, Rows, own_row};
use crate::{Expr, For, LocalId, LoopFunc, Operand, Stmt};
use arr_ir::Scalar;
use std::collections::HashSet;

/// How a loop uses a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub buffer: LocalId,
    /// The rows, if each iteration touches only its own; otherwise `None`.
    pub own: Option<Rows>,
    pub stored: bool,
}

/// What a loop reads and writes.
#[derive(Default)]
pub(crate) struct Accesses {
    pub list: Vec<Access>,
    /// Mutable locals from outside that it changes.
    pub sets: HashSet<LocalId>,
    declared: HashSet<LocalId>,
    /// The types of elements and accumulators.
    pub types: HashSet<Scalar>,
    pub statements: usize,
    /// Whether there are loops in it.
    pub has_loops: bool,
    /// Whether several loops together may traverse a row.
    several: bool,
}

impl Accesses {
    /// `None` if the loop contains something that may not be moved.
    pub fn of(func: &LoopFunc, facts: &AliasInfo, l: &For) -> Option<Accesses> {
        Accesses::default().found(func, facts, l)
    }

    /// As `of`, but several loops in the loop may traverse a row together.
    pub fn of_nest(func: &LoopFunc, facts: &AliasInfo, l: &For) -> Option<Accesses> {
        Accesses { several: true, ..Accesses::default() }.found(func, facts, l)
    }

    fn found(self, func: &LoopFunc, facts: &AliasInfo, l: &For) -> Option<Accesses> {
        let mut accesses = self;
        accesses.block(facts, &l.body, &mut vec![l])?;
        accesses.types.extend(accesses.sets.iter().chain(&accesses.declared).map(|&l| func.ty(l).elem()));
        accesses.types.extend(accesses.list.iter().map(|u| func.ty(u.buffer).elem()));
        Some(accesses)
    }

    /// The rows of a buffer, if each iteration touches only its own.
    pub fn own(&self, buffer: LocalId) -> Option<Rows> {
        let mut all = self.list.iter().filter(|u| u.buffer == buffer);
        let own = all.next()?.own.clone()?;
        all.all(|u| u.own.as_ref() == Some(&own)).then_some(own)
    }

    /// All buffers whose elements it touches, some more than once.
    pub fn buffers(&self) -> impl Iterator<Item = LocalId> {
        self.list.iter().map(|u| u.buffer)
    }

    /// The buffers that it writes to.
    pub fn stored(&self) -> impl Iterator<Item = LocalId> {
        self.list.iter().filter(|u| u.stored).map(|u| u.buffer)
    }

    /// Whether it changes no locals from outside but these.
    pub fn changes_only(&self, locals: &HashSet<LocalId>) -> bool {
        self.sets.is_subset(locals)
    }

    fn block<'a>(&mut self, facts: &AliasInfo, stmts: &'a [Stmt], around: &mut Around<'a>) -> Option<()> {
        for stmt in stmts {
            self.statements += 1;
            match stmt {
                Stmt::Let { expr: Expr::Literal(_), .. } => return None,
                Stmt::Let { expr: Expr::Load(address, offset), .. } => {
                    self.access(facts, *address, *offset, around, false)?;
                }
                Stmt::Let { .. } => {}
                Stmt::Store { address, offset, .. } => self.access(facts, *address, *offset, around, true)?,
                Stmt::Var { local, .. } => drop(self.declared.insert(*local)),
                Stmt::Set { local, .. } if self.declared.contains(local) => {}
                Stmt::Set { local, .. } => drop(self.sets.insert(*local)),
                Stmt::For(l) if l.scan.is_none() && !l.is_source() => {
                    self.has_loops = true;
                    around.push(l);
                    self.block(facts, &l.body, around)?;
                    around.pop();
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn access(
        &mut self,
        facts: &AliasInfo,
        address: LocalId,
        offset: Operand,
        around: &Around<'_>,
        stored: bool,
    ) -> Option<()> {
        let (buffer, mut offsets) = facts.place(address)?;
        offsets.push(offset);
        let own = own_row(facts, &offsets, around, self.several);
        // Stores to unknown places are left to loops of their own.
        if stored && own.is_none() {
            return None;
        }
        let found = Access { buffer, own, stored };
        if !self.list.contains(&found) {
            self.list.push(found);
        }
        Some(())
    }
}
