//! Places in the buffers of a class: the free ones, and the statements that locate a reference.

use super::{ArrayOrigin, Class, Live, Slots};
use arr_ir::{Prim, Scalar};
use arr_loops::{Expr, For, Induction, LocalId, Operand, Origin, Parallel, Stmt, Ty};

impl Slots<'_, '_> {
    /// The other live references of a class.
    pub(super) fn others(&self, class: LocalId, live: &Live) -> Vec<LocalId> {
        live.iter().copied().filter(|&root| self.aliases.class(root) == class).collect()
    }

    /// The places that are taken where a new array is made; the class has at least one more.
    pub(super) fn taken(&mut self, class: LocalId, live: &Live, also: Option<LocalId>) -> Vec<LocalId> {
        let mut taken = self.others(class, live);
        if let Some(root) = also.filter(|root| !taken.contains(root)) {
            taken.push(root);
        }
        let known = self.found.classes.entry(class).or_default();
        known.places = known.places.max(taken.len() + 1);
        taken
    }

    // Rewriting.

    pub(super) fn make(&mut self, class: LocalId, local: LocalId, taken: &[LocalId], emit: bool) -> Vec<Stmt> {
        let (true, Operand::Local(at)) = (emit, self.at(local)) else { return Vec::new() };
        let mut out = Vec::new();
        let start = self.free(class, taken, &mut out);
        out.push(Stmt::Let { local: at, expr: Expr::Copy(start) });
        out
    }

    /// The first place that none of these references has.
    pub(super) fn free(&mut self, class: LocalId, taken: &[LocalId], out: &mut Vec<Stmt>) -> Operand {
        let starts = self.found.classes.get(&class).map(|c| c.starts.clone()).unwrap_or_default();
        let mut found = self.start(class, taken.len());
        if self.found.classes.get(&class).is_some_and(|c| c.places <= 1) {
            return found;
        }
        let taken: Vec<Operand> = taken.iter().map(|&root| self.at(root)).collect();
        for start in starts.into_iter().take(taken.len()).rev() {
            let mut is_free = Operand::Const(arr_ir::Const::Bool(true));
            for &other in &taken {
                let apart = self.prim(out, Prim::Ne, vec![other, start]);
                is_free = self.prim(out, Prim::And, vec![is_free, apart]);
            }
            found = self.prim(out, Prim::Select, vec![is_free, start, found]);
        }
        found
    }

    pub(super) fn prim(&mut self, out: &mut Vec<Stmt>, prim: Prim, args: Vec<Operand>) -> Operand {
        let constant = |a: &Operand| if let Operand::Const(c) = a { c.as_bool() } else { None };
        match (prim, args.as_slice()) {
            (Prim::And, [a, b]) if constant(a) == Some(true) => return *b,
            (Prim::Or, [a, b]) if constant(a) == Some(false) => return *b,
            (Prim::Or, [a, _]) if constant(a) == Some(true) => return *a,
            _ => {}
        }
        let local = self.b.local_of("place", prim, &args);
        out.push(Stmt::Let { local, expr: Expr::Prim(prim, args) });
        local.into()
    }

    /// A fact that was found about a class before must exist here.
    fn known(&mut self, found: Option<Operand>) -> Operand {
        found.unwrap_or_else(|| self.b.func.broken(Operand::int(0), "an array of a loop has no place"))
    }

    /// The first element of a place of a class. An array that does not move begins at its own.
    fn start(&mut self, class: LocalId, place: usize) -> Operand {
        let class = self.found.classes.get(&class);
        if class.is_some_and(Class::stays) {
            return Operand::int(0);
        }
        let start = class.and_then(|c| c.starts.get(place).copied());
        self.known(start)
    }

    /// The first element of a reference's array.
    pub(super) fn at(&mut self, root: LocalId) -> Operand {
        let class = self.aliases.class(root);
        if !self.placed {
            return Operand::int(0);
        }
        if self.is_fixed(root) {
            return self.start(class, 0);
        }
        if let Some(&at) = self.fresh.get(&root) {
            return at.into();
        }
        let info = self.b.func.locals[root].clone();
        let (hint, ty) = (format!("{}.at", info.name), Ty::Scalar(Scalar::I64));
        let at = if info.mutable { self.b.var(&hint, ty) } else { self.b.local(&hint, ty) };
        self.fresh.insert(root, at);
        at.into()
    }

    /// The array of a class, if it is one from outside that does not move.
    pub(super) fn stays(&self, class: LocalId) -> Option<LocalId> {
        self.found.classes.get(&class).filter(|c| c.stays()).and_then(|c| c.own.first().copied())
    }

    /// The replacement of one of the program's addresses.
    pub(super) fn address(&mut self, address: LocalId) -> LocalId {
        let place = self.place(address);
        let root = self.b.root(address);
        if !self.placed {
            return address;
        }
        if let ArrayOrigin::Outside(outer) = place
            && outer == root
        {
            return address;
        }
        if let Some(&known) = self.fresh.get(&address) {
            return known;
        }
        let (ty, start) = (self.b.func.ty(address), self.b.is_start(address));
        let hint = self.b.func.locals[address].name.clone();
        let new = self.b.local(&hint, ty);
        match place {
            ArrayOrigin::Outside(outer) => self.b.place_address(new, outer, start),
            ArrayOrigin::Inside(class) => {
                self.regions.insert(new, class);
                match (self.stays(class), self.arena_of(class)) {
                    (Some(own), _) => self.b.place_address(new, own, start),
                    (None, Some(arena)) => {
                        let buffer = self.b.root(arena);
                        self.b.place_address(new, buffer, false);
                    }
                    (None, None) => {}
                }
            }
        }
        self.fresh.insert(address, new);
        new
    }

    /// The first address of the buffer that a class is in.
    pub(super) fn arena_of(&self, class: LocalId) -> Option<LocalId> {
        let elem = self.b.func.elem(class.into());
        self.arenas.iter().find(|(scalar, ..)| *scalar == elem).map(|(_, _, data)| *data)
    }

    /// The address of an array of the host's, and the statement that binds it.
    pub(super) fn data(&mut self, buffer: LocalId) -> (LocalId, Stmt) {
        let address = self.b.local("data", Ty::Address(self.b.func.elem(buffer.into())));
        self.b.place_address(address, buffer, true);
        (address, Stmt::Let { local: address, expr: Expr::BaseAddr(buffer) })
    }

    pub(super) fn in_arena(&mut self, class: LocalId, start: Operand) -> (LocalId, Stmt) {
        let address = self.b.local("data", Ty::Address(self.b.func.elem(class.into())));
        self.regions.insert(address, class);
        let Some(arena) = self.arena_of(class) else {
            self.fine = false;
            return (address, Stmt::Let { local: address, expr: Expr::BaseAddr(class) });
        };
        let buffer = self.b.root(arena);
        self.b.place_address(address, buffer, false);
        (address, Stmt::Let { local: address, expr: Expr::Offset(arena, start) })
    }

    /// The nest that copies an array of a class.
    pub(super) fn copy(&mut self, class: LocalId, from: (LocalId, Stmt), to: (LocalId, Stmt)) -> Vec<Stmt> {
        let elem = self.b.func.elem(class.into());
        let extent = self.found.classes.get(&class).and_then(|c| c.size);
        let extent = self.known(extent);
        let index = self.b.local("element", Ty::Scalar(Scalar::I64));
        let value = self.b.local("copied", Ty::Scalar(elem));
        let body = vec![
            Stmt::Let { local: value, expr: Expr::Load(from.0, index.into()) },
            Stmt::Store { address: to.0, offset: index.into(), value: value.into() },
        ];
        let nest = For {
            index,
            extent,
            reverse: false,
            inductions: Vec::<Induction>::new(),
            origin: Origin::Kernel,
            parallel: Some(Parallel::default()),
            scan: None,
            span: self.span,
            body,
        };
        vec![from.1, to.1, Stmt::For(Box::new(nest))]
    }
}
