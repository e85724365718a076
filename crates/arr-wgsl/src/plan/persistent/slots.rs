//! The memory of a loop's arrays while one kernel runs it.
//!
//! A kernel cannot allocate. References that may alias form a class, and a class has as many *places* in a buffer of
//! the host's as references of it are live at one time, and one more where a new array is made. With a single place,
//! the address of every reference is known; otherwise a reference is the number of its first element, and a new array
//! takes the first place that no live reference has. An array that is only updated in place does not move.
//!
//! Liveness is computed by going backwards, which is also how statements are rewritten.

mod places;

use super::plain::is_buffer;
use crate::builder::Builder;
use crate::plan::alias::Aliases;
use crate::walk::{Use, own_uses};
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, For, LocalId, Operand, SpanId, Stmt, While, for_each_chunked_stmt};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// References that may alias.
#[derive(Debug, Default)]
pub(super) struct Class {
    /// The sizes of arrays of it that are made in the loop.
    pub made: Vec<Vec<Operand>>,
    /// Mutable references from outside that the loop changes.
    pub from_outside: Vec<LocalId>,
    /// Arrays from outside that are copied to it.
    pub copied: Vec<LocalId>,
    /// Places that are needed at one time.
    pub places: usize,
    /// Whether something is copied from one place to another.
    pub copies: bool,
    /// Elements of a place, for the host.
    pub size: Option<Operand>,
    /// The first elements of the places.
    pub starts: Vec<Operand>,
    /// The arrays of the references from outside, which nothing else refers to.
    pub own: Vec<LocalId>,
}

impl Class {
    /// Whether it is one array from outside that is updated in place.
    pub fn stays(&self) -> bool {
        self.places <= 1 && self.from_outside.len() == 1 && self.made.is_empty() && self.copied.is_empty()
    }
}

enum ArrayOrigin {
    /// An array that is the host's.
    Outside(LocalId),
    /// In a class.
    Inside(LocalId),
}

type Live = BTreeSet<LocalId>;

/// The classes of a loop.
#[derive(Default)]
pub(super) struct Classes {
    /// Bound in the loop.
    pub inner: HashSet<LocalId>,
    /// Changed in it.
    pub set: HashSet<LocalId>,
    /// References that are copies of mutable ones that do not change in the loop.
    same: HashMap<LocalId, LocalId>,
    pub classes: BTreeMap<LocalId, Class>,
}

pub(super) struct Slots<'p, 'a> {
    pub b: &'p mut Builder<'a>,
    aliases: &'p Aliases,
    pub found: Classes,
    /// The buffers for elements of each type, and the address of their first.
    pub arenas: Vec<(Scalar, LocalId, LocalId)>,
    /// Addresses, and the numbers of first elements, that replace those of the program.
    fresh: HashMap<LocalId, LocalId>,
    /// The classes of addresses.
    pub regions: HashMap<LocalId, LocalId>,
    /// Whether everything is supported.
    pub fine: bool,
    /// Whether places are known.
    placed: bool,
    span: SpanId,
}

impl<'p, 'a> Slots<'p, 'a> {
    /// Finds the classes of a loop; `None` if it contains something unsupported.
    pub fn find(b: &'p mut Builder<'a>, aliases: &'p Aliases, stmts: &[Stmt], span: SpanId) -> Option<Classes> {
        let mut slots = Slots::new(b, aliases, Classes::default(), span);
        slots.placed = false;
        crate::walk::uses(stmts, &mut |used| match used {
            Use::Bind(local) => drop(slots.found.inner.insert(local)),
            Use::Set(local) => drop(slots.found.set.insert(local)),
            Use::Read(_) => {}
        });
        let mut changed: Vec<LocalId> = slots.found.set.difference(&slots.found.inner).copied().collect();
        changed.retain(|&local| is_buffer(&slots.b.func, local));
        changed.sort();
        for &local in &changed {
            slots.class(local).from_outside.push(local);
        }
        for_each_chunked_stmt(stmts, &mut |stmt| match stmt {
            Stmt::Let { local, expr: Expr::Copy(Operand::Local(from)) }
                if is_buffer(&slots.b.func, *local)
                    && slots.b.func.locals[*from].mutable
                    && !slots.found.inner.contains(from)
                    && !slots.found.set.contains(from) =>
            {
                slots.found.same.insert(*local, *from);
            }
            Stmt::Alloc { local, dims, .. } => slots.class(*local).made.push(dims.clone()),
            _ => {}
        });
        // The live references after the loop are all those that it changes.
        let mut live: Live = changed.into_iter().collect();
        slots.block(stmts, &mut live, false);
        for class in slots.found.classes.values_mut() {
            class.places = class.places.max(class.from_outside.len()).max(1);
        }
        slots.fine.then_some(slots.found)
    }

    /// For rewriting a loop whose classes have places.
    pub fn new(b: &'p mut Builder<'a>, aliases: &'p Aliases, found: Classes, span: SpanId) -> Slots<'p, 'a> {
        let (fresh, regions) = (HashMap::new(), HashMap::new());
        Slots { b, aliases, found, arenas: Vec::new(), fresh, regions, fine: true, placed: true, span }
    }

    /// The statements of the loop on places, and those before and after it that copy arrays from and to outside.
    pub fn rewrite(&mut self, stmts: &[Stmt]) -> [Vec<Stmt>; 3] {
        let mut outside = Vec::new();
        for class in self.found.classes.values().filter(|class| !class.stays()) {
            for (k, &local) in class.from_outside.iter().enumerate() {
                outside.extend(class.own.get(k).zip(class.starts.get(k)).map(|(&own, &start)| (local, own, start)));
            }
        }
        let mut live: Live = self.found.classes.values().flat_map(|class| class.from_outside.iter().copied()).collect();
        let body = self.block(stmts, &mut live, true);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for &(local, own, start) in &outside {
            let at = self.at(local);
            if let Operand::Local(at) = at
                && !self.is_fixed(local)
            {
                before.push(Stmt::Var { local: at, init: Some(start) });
            }
            let class = self.aliases.class(local);
            let from = self.data(own);
            let to = self.in_arena(class, start);
            before.extend(self.copy(class, from, to));
        }
        for (local, own, _) in outside {
            let class = self.aliases.class(local);
            let at = self.at(local);
            let from = self.in_arena(class, at);
            let to = self.data(own);
            after.extend(self.copy(class, from, to));
        }
        [before, body, after]
    }

    fn class(&mut self, root: LocalId) -> &mut Class {
        self.found.classes.entry(self.aliases.class(root)).or_default()
    }

    fn place(&self, reference: LocalId) -> ArrayOrigin {
        let root = self.b.root(reference);
        match self.found.same.get(&root) {
            Some(&outer) => ArrayOrigin::Outside(outer),
            None if self.found.inner.contains(&root) || self.found.set.contains(&root) => {
                ArrayOrigin::Inside(self.aliases.class(root))
            }
            None => ArrayOrigin::Outside(root),
        }
    }

    fn need(&self, reference: LocalId, live: &mut Live) {
        if let ArrayOrigin::Inside(_) = self.place(reference) {
            live.insert(self.b.root(reference));
        }
    }

    fn is_fixed(&self, reference: LocalId) -> bool {
        self.found.classes.get(&self.aliases.class(self.b.root(reference))).is_some_and(|class| class.places <= 1)
    }

    // Going backwards.

    fn block(&mut self, stmts: &[Stmt], live: &mut Live, emit: bool) -> Vec<Stmt> {
        let mut pieces: Vec<Vec<Stmt>> = stmts.iter().rev().map(|stmt| self.stmt(stmt, live, emit)).collect();
        pieces.reverse();
        if emit { pieces.into_iter().flatten().collect() } else { Vec::new() }
    }

    fn stmt(&mut self, stmt: &Stmt, live: &mut Live, emit: bool) -> Vec<Stmt> {
        match stmt {
            Stmt::Let { local, expr } => self.bind(*local, expr, live),
            Stmt::Store { address, offset, value } => {
                self.need(*address, live);
                vec![Stmt::Store { address: self.address(*address), offset: *offset, value: *value }]
            }
            Stmt::Alloc { local, .. } => {
                live.remove(local);
                let class = self.aliases.class(*local);
                let taken = self.taken(class, live, None);
                if self.is_fixed(*local) { Vec::new() } else { self.make(class, *local, &taken, emit) }
            }
            Stmt::MakeUnique { local, buffer, .. } => self.unique(*local, *buffer, live, emit),
            Stmt::Var { local, init: Some(Operand::Local(value)) }
            | Stmt::Set { local, value: Operand::Local(value) }
                if is_buffer(&self.b.func, *local) =>
            {
                live.remove(local);
                let declares = matches!(stmt, Stmt::Var { .. });
                self.refer(*local, *value, declares, live, emit)
            }
            Stmt::Var { local, .. } if is_buffer(&self.b.func, *local) => {
                live.remove(local);
                match self.at(*local) {
                    Operand::Local(at) if !self.is_fixed(*local) => vec![Stmt::Var { local: at, init: None }],
                    _ => Vec::new(),
                }
            }
            Stmt::For(l) => self.for_loop(l, live, emit),
            Stmt::While(l) => self.while_loop(l, live, emit),
            Stmt::If { cond, then_body, else_body } => {
                let mut other = live.clone();
                let then_body = self.block(then_body, live, emit);
                let else_body = self.block(else_body, &mut other, emit);
                live.extend(other);
                vec![Stmt::If { cond: *cond, then_body, else_body }]
            }
            Stmt::CheckShape { buffer, dims, .. } => {
                // Arrays of the host were checked where they were made, and the others are as large as those.
                self.fine &= matches!(self.place(*buffer), ArrayOrigin::Inside(_));
                let class = self.aliases.class(self.b.root(*buffer));
                let alike =
                    |made: &Vec<Operand>| made == dims || elements(made).is_some_and(|n| elements(dims) == Some(n));
                self.fine &= self.found.classes.get(&class).is_some_and(|c| c.made.iter().all(alike));
                Vec::new()
            }
            _ => vec![stmt.clone()],
        }
    }

    fn while_loop(&mut self, l: &While, live: &mut Live, emit: bool) -> Vec<Stmt> {
        let out = live.clone();
        let mut start = Live::new();
        loop {
            let mut at = start.clone();
            self.block(&l.body, &mut at, false);
            at.extend(&out);
            self.block(&l.head, &mut at, false);
            at.extend(&start);
            if at == start {
                break;
            }
            start = at;
        }
        let mut at = start.clone();
        let body = self.block(&l.body, &mut at, emit);
        at.extend(&out);
        let head = self.block(&l.head, &mut at, emit);
        *live = start;
        vec![Stmt::While(Box::new(While { head, cond: l.cond, body, span: l.span }))]
    }

    fn for_loop(&mut self, l: &For, live: &mut Live, emit: bool) -> Vec<Stmt> {
        if moves_references(self.b, &l.body) {
            loop {
                let mut at = live.clone();
                self.block(&l.body, &mut at, false);
                at.extend(live.iter());
                if at == *live {
                    break;
                }
                *live = at;
            }
        }
        let mut at = live.clone();
        let body = self.block(&l.body, &mut at, emit);
        live.extend(at);
        if !emit {
            return Vec::new();
        }
        let (parallel, inductions) = (l.parallel.clone(), l.inductions.clone());
        let (index, extent, reverse, origin, span) = (l.index, l.extent, l.reverse, l.origin, l.span);
        vec![Stmt::For(Box::new(For { index, extent, reverse, inductions, origin, parallel, scan: None, span, body }))]
    }

    fn bind(&mut self, local: LocalId, expr: &Expr, live: &mut Live) -> Vec<Stmt> {
        match expr {
            Expr::Copy(Operand::Local(from)) if is_buffer(&self.b.func, local) => {
                if !self.b.func.locals[*from].mutable || self.found.same.contains_key(&local) {
                    return Vec::new();
                }
                live.remove(&local);
                self.need(*from, live);
                match (self.is_fixed(local), self.at(local)) {
                    (false, Operand::Local(at)) => {
                        let expr = Expr::Copy(self.at(*from));
                        vec![Stmt::Let { local: at, expr }]
                    }
                    _ => Vec::new(),
                }
            }
            Expr::BaseAddr(buffer) => {
                self.need(*buffer, live);
                // An address of a reference that changes later would have to stay.
                let mutable = self.b.func.locals[self.b.root(*buffer)].mutable;
                let place = self.place(*buffer);
                self.fine &= !(mutable && matches!(place, ArrayOrigin::Inside(_)));
                let address = self.address(local);
                let expr = match place {
                    ArrayOrigin::Outside(outer) => Expr::BaseAddr(outer),
                    ArrayOrigin::Inside(class) => match self.stays(class) {
                        Some(own) => Expr::BaseAddr(own),
                        None => match self.arena_of(class) {
                            Some(arena) => Expr::Offset(arena, self.at(self.b.root(*buffer))),
                            None => Expr::BaseAddr(*buffer),
                        },
                    },
                };
                vec![Stmt::Let { local: address, expr }]
            }
            Expr::Offset(address, by) => {
                self.need(*address, live);
                let expr = Expr::Offset(self.address(*address), *by);
                vec![Stmt::Let { local: self.address(local), expr }]
            }
            Expr::Load(address, by) => {
                self.need(*address, live);
                vec![Stmt::Let { local, expr: Expr::Load(self.address(*address), *by) }]
            }
            _ => vec![Stmt::Let { local, expr: expr.clone() }],
        }
    }

    fn unique(&mut self, local: LocalId, buffer: LocalId, live: &mut Live, emit: bool) -> Vec<Stmt> {
        live.remove(&local);
        let class = match self.place(buffer) {
            ArrayOrigin::Outside(outer) => return self.copy_in(local, outer, true, live, emit),
            ArrayOrigin::Inside(class) => class,
        };
        let root = self.b.root(buffer);
        let shared: Vec<LocalId> = self.others(class, live);
        let taken = self.taken(class, live, (!shared.is_empty()).then_some(root));
        live.insert(root);
        self.class(root).copies |= !shared.is_empty();
        if !emit || self.is_fixed(local) {
            return Vec::new();
        }
        let (Operand::Local(at), from) = (self.at(local), self.at(root)) else { return Vec::new() };
        let mut out = Vec::new();
        // Another live reference may be to the same array.
        let mut is_shared = Operand::Const(arr_ir::Const::Bool(shared.contains(&root)));
        for other in shared.into_iter().filter(|&other| other != root) {
            let other = self.at(other);
            let same = self.prim(&mut out, Prim::Eq, vec![other, from]);
            is_shared = self.prim(&mut out, Prim::Or, vec![is_shared, same]);
        }
        if is_shared == Operand::Const(arr_ir::Const::Bool(false)) {
            return vec![Stmt::Let { local: at, expr: Expr::Copy(from) }];
        }
        let free = self.free(class, &taken, &mut out);
        let to = Expr::Prim(Prim::Select, vec![is_shared, free, from]);
        out.push(Stmt::Let { local: at, expr: to });
        let (from, to) = (self.in_arena(class, from), self.in_arena(class, at.into()));
        let then_body = self.copy(class, from, to);
        out.push(Stmt::If { cond: is_shared, then_body, else_body: Vec::new() });
        out
    }

    /// Turns a mutable reference into one to a value.
    fn refer(&mut self, local: LocalId, value: LocalId, declares: bool, live: &mut Live, emit: bool) -> Vec<Stmt> {
        if let ArrayOrigin::Outside(outer) = self.place(value) {
            return self.copy_in(local, outer, declares, live, emit);
        }
        self.need(value, live);
        match (self.is_fixed(local), self.at(local)) {
            (false, Operand::Local(at)) => {
                let value = self.at(self.b.root(value));
                vec![if declares { Stmt::Var { local: at, init: Some(value) } } else { Stmt::Set { local: at, value } }]
            }
            _ => Vec::new(),
        }
    }

    /// Turns a reference into one to a copy of an array of the host's.
    fn copy_in(&mut self, local: LocalId, outer: LocalId, declares: bool, live: &Live, emit: bool) -> Vec<Stmt> {
        let class = self.aliases.class(local);
        let taken = self.taken(class, live, None);
        let known = self.class(local);
        if !known.copied.contains(&outer) {
            known.copied.push(outer);
        }
        if !emit {
            return Vec::new();
        }
        let mut out = Vec::new();
        let start = self.free(class, &taken, &mut out);
        if let (false, Operand::Local(at)) = (self.is_fixed(local), self.at(local)) {
            out.push(match (declares, self.b.func.locals[local].mutable) {
                (true, false) => Stmt::Let { local: at, expr: Expr::Copy(start) },
                (true, true) => Stmt::Var { local: at, init: Some(start) },
                (false, _) => Stmt::Set { local: at, value: start },
            });
        }
        let (from, to) = (self.data(outer), self.in_arena(class, start));
        out.extend(self.copy(class, from, to));
        out
    }
}

/// The elements under sizes that are constants.
fn elements(dims: &[Operand]) -> Option<i64> {
    dims.iter().try_fold(1i64, |n, d| n.checked_mul(d.as_int()?.max(0)))
}

/// Whether statements make references or change their targets.
fn moves_references(b: &Builder<'_>, stmts: &[Stmt]) -> bool {
    let mut moves = false;
    for_each_chunked_stmt(stmts, &mut |stmt| {
        own_uses(stmt, &mut |used| {
            if let Use::Bind(local) | Use::Set(local) = used {
                moves |= is_buffer(&b.func, local);
            }
        });
    });
    moves
}
