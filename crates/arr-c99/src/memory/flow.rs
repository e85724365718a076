//! Which arrays a name can stand for.
//!
//! Assumes a verified loop function. Ignores the order of statements: a name stands for whatever reaches it by a copy, a
//! `set` or an address, on any path (Andersen's analysis, without fields, as no array holds references).

use super::Site;
use crate::Error;
use arr_loops::{Expr, LocalId, LoopFunc, Operand, Stmt, Ty};
use std::collections::{BTreeMap, BTreeSet};

/// The arrays that each name of an array can stand for.
pub(super) type Reach = BTreeMap<LocalId, BTreeSet<Site>>;

/// The ways by which arrays get names.
pub(super) struct Flow {
    /// The places where arrays are made, and the names that they get there.
    pub sources: Vec<(Site, LocalId)>,
    /// `(from, to)`: `to` takes what `from` stands for.
    pub moves: Vec<(LocalId, LocalId)>,
    /// `(buffer, result)` of each `unique`.
    pub uniques: Vec<(LocalId, LocalId)>,
    /// The name of the array that an address points into.
    pub roots: BTreeMap<LocalId, LocalId>,
}

impl Flow {
    /// Fails if an address is a variable, or is taken of one: passes over loops make neither.
    pub fn of(func: &LoopFunc) -> Result<Flow, Error> {
        let mut flow = Flow { sources: Vec::new(), moves: Vec::new(), uniques: Vec::new(), roots: BTreeMap::new() };
        for param in &func.params {
            if is_buffer(func, param.local) {
                flow.sources.push((Site::Param(param.local), param.local));
            }
        }
        let mut fault = None;
        for_each_body(&func.body, &mut |stmt| {
            if let Err(error) = flow.stmt(func, stmt) {
                fault.get_or_insert(error);
            }
        });
        fault.map_or(Ok(flow), Err)
    }

    fn stmt(&mut self, func: &LoopFunc, stmt: &Stmt) -> Result<(), Error> {
        match stmt {
            Stmt::Alloc { local, .. } => self.sources.push((Site::Alloc(*local), *local)),
            Stmt::MakeUnique { local, buffer, .. } => self.uniques.push((*buffer, *local)),
            Stmt::Let { local, expr: Expr::Literal(id) } => self.sources.push((Site::Literal(*id), *local)),
            Stmt::Let { local, expr: Expr::BaseAddr(of) } => self.address(func, *local, *of)?,
            Stmt::Let { local, expr: Expr::Offset(of, _) } => {
                let root = *self.roots.get(of).ok_or(Error::Internal("an address without an array"))?;
                self.roots.insert(*local, root);
            }
            Stmt::Let { local, expr: Expr::Copy(Operand::Local(of)) }
            | Stmt::Var { local, init: Some(Operand::Local(of)) }
            | Stmt::Set { local, value: Operand::Local(of) } => match func.ty(*local) {
                Ty::Buffer(_) => self.moves.push((*of, *local)),
                Ty::Address(_) => return Err(Error::Internal("an address is a variable")),
                Ty::Scalar(_) => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn address(&mut self, func: &LoopFunc, local: LocalId, of: LocalId) -> Result<(), Error> {
        if func.locals[of].mutable {
            return Err(Error::Internal("the address of a variable"));
        }
        self.roots.insert(local, of);
        Ok(())
    }

    /// What each name can stand for: `copied` gives the site of a move that copies; of the result of a `unique`, `unique` says
    /// whether it can be the same array, and whether it can be a copy.
    pub fn reach(
        &self,
        copied: &dyn Fn(LocalId, LocalId) -> Option<Site>,
        unique: &dyn Fn(LocalId) -> (bool, bool),
    ) -> Reach {
        let mut reach = Reach::new();
        for &(site, local) in &self.sources {
            reach.entry(local).or_default().insert(site);
        }
        loop {
            let before: usize = reach.values().map(BTreeSet::len).sum();
            for &(from, to) in &self.moves {
                match copied(from, to) {
                    Some(site) => {
                        reach.entry(to).or_default().insert(site);
                    }
                    None => pass(&mut reach, from, to),
                }
            }
            for &(buffer, result) in &self.uniques {
                let external = reach.get(&buffer).is_some_and(|sites| sites.iter().all(Site::is_external));
                let (same, copy) = unique(result);
                if same && !external {
                    pass(&mut reach, buffer, result);
                }
                if external || copy {
                    reach.entry(result).or_default().insert(Site::Unique(result));
                }
            }
            if reach.values().map(BTreeSet::len).sum::<usize>() == before {
                return reach;
            }
        }
    }

    /// The variables whose arrays may be changed in place, and which therefore may not stand for an argument.
    pub fn owned(&self, reach: &Reach) -> BTreeSet<LocalId> {
        let mixed = |local: &LocalId| reach.get(local).is_some_and(|sites| !sites.iter().all(Site::is_external));
        let mut owned: BTreeSet<LocalId> = self.uniques.iter().map(|u| u.0).filter(mixed).collect();
        loop {
            let before = owned.len();
            let more: Vec<LocalId> =
                self.moves.iter().filter(|m| owned.contains(&m.1)).map(|m| m.0).filter(mixed).collect();
            owned.extend(more);
            if owned.len() == before {
                return owned;
            }
        }
    }
}

fn pass(reach: &mut Reach, from: LocalId, to: LocalId) {
    let sites = reach.get(&from).cloned().unwrap_or_default();
    reach.entry(to).or_default().extend(sites);
}

pub(super) fn is_buffer(func: &LoopFunc, local: LocalId) -> bool {
    matches!(func.ty(local), Ty::Buffer(_))
}

/// The statements that are executed when loops run in order.
pub(crate) fn for_each_body<'a>(stmts: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in stmts {
        f(stmt);
        match stmt {
            Stmt::For(l) => for_each_body(&l.body, f),
            Stmt::While(l) => {
                for_each_body(&l.head, f);
                for_each_body(&l.body, f);
            }
            Stmt::If { then_body, else_body, .. } => {
                for_each_body(then_body, f);
                for_each_body(else_body, f);
            }
            _ => {}
        }
    }
}
