//! The roles of a loop's arrays: its state, made in an iteration, or from outside.
//!
//! Names that hand on one array (a snapshot of the state, the same made unique, the state of a loop inside) form one
//! class.

use crate::analysis::alias::AliasInfo;
use crate::{Expr, For, LocalId, LoopFunc, Operand, SpanId, Stmt, Ty};
use std::collections::{HashMap, HashSet};

/// The role of a class of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ArrayKind {
    /// Made in an iteration, and released at its end.
    Own,
    /// Carried from one iteration to the next, by the mutable local of this name.
    State,
    Outside,
}

/// An array that is carried.
pub(super) struct State {
    pub var: LocalId,
    /// The source position where it is made unique, if it is.
    pub unique: Option<SpanId>,
}

#[derive(Default)]
pub(super) struct Arrays {
    /// The class of each name that the loop binds or hands on, represented by one of its names: the state's, or the one
    /// from outside.
    classes: HashMap<LocalId, LocalId>,
    kinds: HashMap<LocalId, ArrayKind>,
    pub states: Vec<State>,
    /// Whether iterations need memory, or references to it.
    pub allocates: bool,
    /// Whether there are checks.
    pub fails: bool,
}

impl Arrays {
    /// `None` if the loop carries numbers, or uses arrays in a way that needs order.
    pub fn of(func: &LoopFunc, facts: &AliasInfo, l: &For) -> Option<Arrays> {
        let mut walk = Walk::new(func);
        walk.block(&l.body)?;
        let mut arrays = Arrays { allocates: walk.allocates, fails: walk.fails, ..Arrays::default() };
        let mut members: HashMap<LocalId, Vec<LocalId>> = HashMap::new();
        let mut all: Vec<LocalId> = walk.links.keys().copied().collect();
        all.sort_unstable();
        for name in all {
            members.entry(walk.find(name)).or_default().push(name);
        }
        let mut classes: Vec<(LocalId, Vec<LocalId>)> = members.into_iter().collect();
        classes.sort_unstable();
        for (_, names) in classes {
            let has = |set: &HashSet<LocalId>| names.iter().any(|name| set.contains(name));
            let outside: Vec<LocalId> = names.iter().copied().filter(|name| !walk.bound.contains(name)).collect();
            let unique = names.iter().find_map(|name| walk.uniques.get(name).copied());
            let (class, kind) = match outside.as_slice() {
                [] => (*names.first()?, ArrayKind::Own),
                _ if has(&walk.made) || has(&walk.counted) => return None,
                &[var] if walk.sets.contains(&var) => {
                    arrays.states.push(State { var, unique });
                    (var, ArrayKind::State)
                }
                &[other] if unique.is_none() => (facts.origin(func, other), ArrayKind::Outside),
                _ => return None,
            };
            arrays.kinds.insert(class, kind);
            arrays.classes.extend(names.into_iter().map(|name| (name, class)));
        }
        Some(arrays)
    }

    /// The class of a buffer's name, if the loop hands it on.
    pub fn class(&self, name: LocalId) -> Option<LocalId> {
        self.classes.get(&name).copied()
    }

    pub fn kind(&self, class: LocalId) -> ArrayKind {
        self.kinds.get(&class).copied().unwrap_or(ArrayKind::Outside)
    }

    /// The names of a class that the loop mentions.
    pub fn members(&self, class: LocalId) -> impl Iterator<Item = LocalId> {
        self.classes.iter().filter(move |(_, c)| **c == class).map(|(&name, _)| name)
    }
}

/// A walk over a loop's body.
struct Walk<'a> {
    func: &'a LoopFunc,
    /// Every name of a buffer that is handed on, and another of its class.
    links: HashMap<LocalId, LocalId>,
    /// Bound in the loop.
    bound: HashSet<LocalId>,
    /// Mutable locals from outside that are set.
    sets: HashSet<LocalId>,
    /// Made by `alloc`.
    made: HashSet<LocalId>,
    /// Those whose references are counted.
    counted: HashSet<LocalId>,
    uniques: HashMap<LocalId, SpanId>,
    allocates: bool,
    fails: bool,
}

impl<'a> Walk<'a> {
    fn new(func: &'a LoopFunc) -> Walk<'a> {
        Walk {
            func,
            links: HashMap::new(),
            bound: HashSet::new(),
            sets: HashSet::new(),
            made: HashSet::new(),
            counted: HashSet::new(),
            uniques: HashMap::new(),
            allocates: false,
            fails: false,
        }
    }

    fn find(&mut self, name: LocalId) -> LocalId {
        let mut at = name;
        while let Some(&next) = self.links.get(&at)
            && next != at
        {
            at = next;
        }
        self.links.insert(name, at);
        at
    }

    fn unite(&mut self, a: LocalId, b: LocalId) {
        let (a, b) = (self.find(a), self.find(b));
        self.links.insert(b, b);
        self.links.insert(a, b);
    }

    /// Records that one name receives the value of another, if they are buffers.
    fn hand_on(&mut self, to: LocalId, from: Operand) {
        if let (Ty::Buffer(_), Operand::Local(from)) = (self.func.ty(to), from) {
            self.unite(to, from);
        }
    }

    fn block(&mut self, stmts: &[Stmt]) -> Option<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        match stmt {
            Stmt::Let { expr: Expr::Literal(_), .. } | Stmt::Argsort { .. } | Stmt::MatMul(_) => return None,
            Stmt::Trace { .. } => return None,
            Stmt::Let { local, expr } => {
                self.bound.insert(*local);
                if let Expr::Copy(from) = expr {
                    self.hand_on(*local, *from);
                }
            }
            Stmt::Var { local, init } => {
                self.bound.insert(*local);
                init.iter().for_each(|&from| self.hand_on(*local, from));
            }
            Stmt::Set { local, value } => {
                if !self.bound.contains(local) {
                    // Carried numbers impose an order.
                    matches!(self.func.ty(*local), Ty::Buffer(_)).then_some(())?;
                    self.sets.insert(*local);
                }
                self.hand_on(*local, *value);
            }
            Stmt::Alloc { local, .. } => {
                self.bound.insert(*local);
                self.made.insert(*local);
                self.unite(*local, *local);
                self.allocates = true;
            }
            Stmt::MakeUnique { local, buffer, span } => {
                self.bound.insert(*local);
                self.uniques.insert(*local, *span);
                self.unite(*local, *buffer);
            }
            Stmt::Retain(buffer) | Stmt::Release(buffer) => {
                self.counted.insert(*buffer);
                self.unite(*buffer, *buffer);
                self.allocates = true;
            }
            Stmt::CheckShape { .. } => (self.fails, self.allocates) = (true, true),
            Stmt::Check { .. } => self.fails = true,
            Stmt::Store { .. } => {}
            Stmt::For(l) => {
                l.scan.is_none().then_some(())?;
                self.block(&l.body)?;
            }
            Stmt::While(l) => {
                self.block(&l.head)?;
                self.block(&l.body)?;
            }
            Stmt::If { then_body, else_body, .. } => {
                self.block(then_body)?;
                self.block(else_body)?;
            }
        }
        Some(())
    }
}
