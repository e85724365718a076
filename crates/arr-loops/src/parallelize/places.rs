//! Which elements of its arrays the iterations of a loop read and write.

use super::arrays::{ArrayKind, Arrays};
use super::segment_inspector::Segment;
use crate::analysis::alias::AliasInfo;
use crate::analysis::rows::{Rows, disjoint_row};
use crate::{Expr, For, LocalId, LoopFunc, Operand, Stmt, for_each_stmt};
use arr_ir::Prim;
use std::collections::{BTreeMap, HashMap, HashSet};

/// How iterations use an array.
pub(super) struct Found {
    /// The name by which its elements are reached.
    pub buffer: LocalId,
    pub stored: bool,
    /// The row that contains an iteration's accesses.
    pub row: Option<Rows>,
    /// The segment that contains them.
    pub segment: Option<Segment>,
    /// Whether it is only added to.
    pub adds: bool,
    /// The addresses by which it is reached.
    pub addresses: Vec<LocalId>,
}

#[derive(Default)]
pub(super) struct Places {
    pub classes: BTreeMap<LocalId, Found>,
    /// What the loop binds.
    pub bound: HashSet<LocalId>,
    /// How often each local is used in it.
    uses: HashMap<LocalId, usize>,
}

/// Facts about a loop.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub func: &'a LoopFunc,
    pub facts: &'a AliasInfo,
    pub arrays: &'a Arrays,
}

impl Known<'_> {
    /// The class of a buffer's name; for a buffer from outside, its first name.
    pub fn class(&self, buffer: LocalId) -> LocalId {
        self.arrays.class(buffer).unwrap_or_else(|| self.facts.origin(self.func, buffer))
    }

    /// The class that an address belongs to.
    pub fn class_at(&self, address: LocalId) -> Option<LocalId> {
        self.facts.place(address).map(|(buffer, _)| self.class(buffer))
    }
}

/// One access.
struct Access<'a> {
    address: LocalId,
    offset: Operand,
    path: &'a [&'a For],
    stored: bool,
    adds: bool,
}

impl Places {
    /// `None` if elements are reached in an unknown way.
    pub fn of(given: Known<'_>, l: &For) -> Option<Places> {
        let mut places = Places::bound_by(l);
        places.block(given, &l.body, &mut vec![l])?;
        Some(places)
    }

    /// The locals that a loop binds, and those that it uses.
    pub fn bound_by(l: &For) -> Places {
        let mut places = Places::default();
        places.bound.insert(l.index);
        places.bound.extend(l.inductions.iter().map(|i| i.local));
        places.note(&l.body);
        places
    }

    pub fn is_stored(&self, class: LocalId) -> bool {
        self.classes.get(&class).is_some_and(|found| found.stored)
    }

    /// Records bindings and uses.
    fn note(&mut self, stmts: &[Stmt]) {
        for_each_stmt(stmts, &mut |stmt| {
            self.bound.extend(stmt.binds());
            for operand in stmt.reads() {
                if let Operand::Local(local) = operand {
                    *self.uses.entry(local).or_default() += 1;
                }
            }
        });
    }

    fn block<'a>(&mut self, given: Known<'_>, stmts: &'a [Stmt], path: &mut Vec<&'a For>) -> Option<()> {
        // The stores that end an addition.
        let mut ends: HashSet<usize> = HashSet::new();
        for (at, stmt) in stmts.iter().enumerate() {
            match stmt {
                Stmt::Let { expr: Expr::Load(address, offset), .. } => {
                    let end = self.addition(given, stmts, at);
                    ends.extend(end);
                    let access =
                        Access { address: *address, offset: *offset, path, stored: false, adds: end.is_some() };
                    self.access(given, access)?;
                }
                Stmt::Store { address, offset, .. } => {
                    let adds = ends.contains(&at);
                    let access = Access { address: *address, offset: *offset, path, stored: true, adds };
                    self.access(given, access)?;
                }
                Stmt::For(l) => {
                    path.push(l);
                    self.block(given, &l.body, path)?;
                    path.pop();
                }
                _ => stmt.blocks().into_iter().try_for_each(|block| self.block(given, block, path))?,
            }
        }
        Some(())
    }

    fn access(&mut self, given: Known<'_>, access: Access<'_>) -> Option<()> {
        let Known { facts, arrays, .. } = given;
        let (buffer, mut offsets) = facts.place(access.address)?;
        let class = given.class(buffer);
        if arrays.kind(class) == ArrayKind::Own {
            return Some(());
        }
        offsets.push(access.offset);
        offsets.retain(|o| o.as_int() != Some(0));
        let row = disjoint_row(&offsets, access.path, &self.bound);
        let segment = Segment::of(&offsets, access.path);
        match self.classes.get_mut(&class) {
            None => {
                let Access { address, stored, adds, .. } = access;
                self.classes.insert(class, Found { buffer, stored, row, segment, adds, addresses: vec![address] });
            }
            Some(found) => {
                // Elements that were previously reached under another name belong to another array, or did.
                if found.buffer != buffer && arrays.kind(class) == ArrayKind::Outside {
                    return None;
                }
                found.stored |= access.stored;
                found.adds &= access.adds;
                found.row = found.row.take().filter(|r| row.as_ref() == Some(r));
                found.segment = found.segment.take().filter(|s| segment.as_ref() == Some(s));
                found.addresses.push(access.address);
            }
        }
        Some(())
    }

    /// Whether an operand may differ from one iteration to another.
    pub fn varies(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Local(local) if self.bound.contains(&local))
    }

    /// The store that ends an addition which begins with the load at a position: the loaded value has no other use.
    fn addition(&self, given: Known<'_>, stmts: &[Stmt], at: usize) -> Option<usize> {
        let Stmt::Let { local: old, expr: Expr::Load(address, offset) } = stmts.get(at)? else { return None };
        let own = given.class_at(*address)?;
        let once = |local: LocalId| self.uses.get(&local) == Some(&1);
        let mut sum = None;
        for (k, stmt) in stmts.iter().enumerate().skip(at + 1) {
            match stmt {
                Stmt::Let { local, expr: Expr::Prim(prim, args) } if args.contains(&(*old).into()) => {
                    let adds = match (prim, args.as_slice()) {
                        (Prim::Add, [a, b]) => a != b,
                        (Prim::Sub, [a, b]) => a != b && *a == Operand::Local(*old),
                        _ => false,
                    };
                    (adds && once(*old) && once(*local)).then_some(())?;
                    sum = Some(*local);
                }
                Stmt::Let { expr: Expr::Load(other, _), .. } if given.class_at(*other)? == own => return None,
                Stmt::Let { .. } => {}
                Stmt::Store { address: to, offset: place, value } => {
                    if given.class_at(*to)? != own {
                        continue;
                    }
                    let same = given.facts.place(*to) == given.facts.place(*address) && place == offset;
                    return (same && sum.is_some_and(|sum| *value == sum.into())).then_some(k);
                }
                _ => return None,
            }
        }
        None
    }
}
