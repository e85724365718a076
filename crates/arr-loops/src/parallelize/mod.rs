//! Parallelization, by dependence analysis and privatization: finds loops whose iterations are independent (DOALL loops) among
//! finished loops.
//!
//! ```text
//! for i < n reverse source {                   let a = copy s
//!   let a = copy s                              let own = unique a
//!   let tape = alloc [k]                        set s = own
//!   ..                                          let own.data = data own
//!   let b = unique a                   ==>      for i < n source parallel allocating {
//!   store b.data[i] = t                           let tape = alloc [k]
//!   release tape                                  ..
//!   set s = b                                     store own.data[i] = t
//! }                                               release tape
//!                                               }
//! ```
//!
//! Lowering knows which kernels need no order. It leaves loops of the program in order, and kernels that add to
//! data-dependent places. But the iterations of many of them write places of their own, or only add: points with a loop
//! each, rows of a sparse matrix, the reverse sweeps of both.
//!
//! - **Sound** if each array from outside that iterations write has, throughout the loop, one of these forms:
//!   - *placed*: an iteration touches only the elements of its own row;
//!   - *added to*, and nothing else: chunks of iterations have copies of it, which are added in the end. Sums of floats
//!     are then reordered, so these only in relaxed code;
//!   - *in segments*: an iteration touches a segment of elements whose start depends on data. A loop before this one
//!     tests whether every segment ends before the next one begins (see [`segment_inspector`]).
//!
//!   No other array aliases it, as one that is written has a single reference. Arrays that an iteration makes are
//!   released in it.
//! - **The state.** An array that is carried is made unique before the loop instead of in the first iteration, and is
//!   the loop's own.
//! - **Left alone.** Loops that carry numbers; loops with matrix products, which use threads themselves; reverse loops
//!   that can fail, as another failure would come first.
//! - **Cost.** A few walks over each loop outside kernels.

mod arrays;
mod fuse_rows;
mod places;
mod reached;
mod segment_inspector;

use crate::analysis::alias::AliasInfo;
use crate::fresh::Fresh;
use crate::{Added, Expr, For, LocalId, LocalInfo, LoopFunc, Parallel, Stmt, Ty};
use arr_ir::Scalar;
use arrays::{ArrayKind, Arrays};
use places::{Known, Places};
use segment_inspector::Segment;
use std::collections::HashMap;

/// Marks such loops, and fuses preceding nests into them where iterations are not counted.
pub(crate) fn parallelize(func: &mut LoopFunc, relaxed: bool, counts: bool) {
    if !mark(func, relaxed) {
        return;
    }
    if !counts {
        fuse_rows::fuse(func);
        // A value that the nests were there for may now be read only in the same iteration.
        crate::reuse_buffers::reuse_buffers(func);
    }
    crate::dead::remove(func);
}

/// Marks such loops and returns whether there are any.
fn mark(func: &mut LoopFunc, relaxed: bool) -> bool {
    let mut body = std::mem::take(&mut func.body);
    let facts = AliasInfo::of(func, &body);
    let fresh = Fresh::of(func);
    let mut scope = Scope { func, facts, fresh, relaxed, found: false };
    scope.block(&mut body);
    let found = scope.found;
    func.body = body;
    found
}

/// A function whose loops are examined.
pub(crate) struct Scope<'a> {
    pub func: &'a mut LoopFunc,
    pub facts: AliasInfo,
    fresh: Fresh,
    relaxed: bool,
    found: bool,
}

impl Scope<'_> {
    fn block(&mut self, stmts: &mut Vec<Stmt>) {
        let mut at = 0;
        while at < stmts.len() {
            match stmts.get(at) {
                Some(Stmt::For(l)) if l.parallel.is_none() && l.scan.is_none() => {
                    if let Some(made) = self.divided(l) {
                        self.found = true;
                        let count = made.len();
                        stmts.splice(at..=at, made);
                        at += count;
                        continue;
                    }
                    // A kernel is divided as a whole or not at all.
                    if l.is_source() {
                        stmts.get_mut(at).into_iter().flat_map(Stmt::bodies_mut).for_each(|body| self.block(body));
                    }
                }
                Some(Stmt::For(_)) => {}
                _ => stmts.get_mut(at).into_iter().flat_map(Stmt::bodies_mut).for_each(|body| self.block(body)),
            }
            at += 1;
        }
    }

    pub fn local(&mut self, hint: &str, ty: Ty, mutable: bool) -> LocalId {
        self.fresh.local(self.func, hint, ty, mutable)
    }

    /// The loop, marked, behind its preparation; `None` if its iterations may conflict.
    fn divided(&mut self, l: &For) -> Option<Vec<Stmt>> {
        let arrays = Arrays::of(self.func, &self.facts, l)?;
        let known = Known { func: self.func, facts: &self.facts, arrays: &arrays };
        let places = Places::of(known, l)?;
        let mut added = Vec::new();
        let mut segments: Vec<Segment> = Vec::new();
        let mut writes = false;
        for (&class, found) in &places.classes {
            if arrays.kind(class) == ArrayKind::Own || !found.stored {
                continue;
            }
            writes = true;
            if found.row.is_some() {
                continue;
            }
            let elem = self.func.ty(class).elem();
            let whole = matches!(elem, Scalar::I32 | Scalar::U32 | Scalar::I64);
            // If segments overlap after all, the loop runs upwards, that is, in another order.
            let ordered = l.reverse && !(found.adds && self.relaxed);
            let segment = found.segment.clone().filter(|_| !ordered);
            if let Some(segment) = segment.filter(|s| s.is_known(known, &places, l)) {
                if !segments.contains(&segment) {
                    segments.push(segment);
                }
            } else if found.adds && (whole || self.relaxed && elem.is_float()) {
                added.push(class);
            } else {
                return None;
            }
        }
        if !writes || l.reverse && arrays.fails {
            return None;
        }
        Some(self.rewritten(l, &arrays, &places, &added, &segments))
    }

    fn rewritten(
        &mut self,
        l: &For,
        arrays: &Arrays,
        places: &Places,
        added: &[LocalId],
        segments: &[Segment],
    ) -> Vec<Stmt> {
        let mut before = Vec::new();
        let mut renames = Renames::default();
        for state in &arrays.states {
            let own = self.own_state(state, &mut before);
            renames.state(arrays, state.var, own);
        }
        let (mut list, mut first) = (Vec::new(), Vec::new());
        for &class in added {
            let Some(found) = places.classes.get(&class) else {
                self.func.broken((), "an array that is added to has no places");
                continue;
            };
            let known = found.addresses.iter().map(|&a| self.root(a)).find(|root| !places.bound.contains(root));
            let (buffer, data) = match (renames.states.get(&class), known) {
                (Some(&own), _) => own,
                (None, Some(data)) => (found.buffer, data),
                (None, None) => (found.buffer, self.address_of(found.buffer, &mut before)),
            };
            for &address in &found.addresses {
                self.derived(address, data, places, &mut first, &mut renames);
            }
            list.push(Added { buffer, data });
        }
        let disjoint_if = segment_inspector::test(self, l, segments, &mut before);
        let mut marked = l.clone();
        marked.reverse = false;
        marked.body = first;
        renames.block(arrays, &l.body, &mut marked.body);
        marked.parallel =
            Some(Parallel { added: list, allocates: arrays.allocates, disjoint_if, ..Parallel::default() });
        before.push(Stmt::For(Box::new(marked)));
        before
    }

    /// Makes an array of the state, and its first element, the loop's own.
    fn own_state(&mut self, state: &arrays::State, before: &mut Vec<Stmt>) -> (LocalId, LocalId) {
        let LocalInfo { name, ty, .. } = self.func.locals[state.var].clone();
        let mut own = self.local(&format!("{name}.now"), ty, false);
        before.push(Stmt::Let { local: own, expr: Expr::Copy(state.var.into()) });
        if let Some(span) = state.unique {
            let local = self.local(&format!("{name}.own"), ty, false);
            before.push(Stmt::MakeUnique { local, buffer: own, span });
            before.push(Stmt::Set { local: state.var, value: local.into() });
            own = local;
        }
        let data = self.address_of(own, before);
        (own, data)
    }

    fn address_of(&mut self, buffer: LocalId, before: &mut Vec<Stmt>) -> LocalId {
        let LocalInfo { name, ty, .. } = self.func.locals[buffer].clone();
        let data = self.local(&format!("{name}.data"), Ty::Address(ty.elem()), false);
        before.push(Stmt::Let { local: data, expr: Expr::BaseAddr(buffer) });
        data
    }

    /// The address of the first element of the array that an address is in.
    fn root(&self, mut address: LocalId) -> LocalId {
        while let Some(Expr::Offset(base, _)) = self.facts.exprs.get(&address) {
            address = *base;
        }
        address
    }

    /// Recomputes an address in the loop from the one that each chunk has: the address computed before the loop is not
    /// the chunk's.
    fn derived(
        &mut self,
        address: LocalId,
        data: LocalId,
        places: &Places,
        first: &mut Vec<Stmt>,
        renames: &mut Renames,
    ) -> LocalId {
        if let Some(&known) = renames.names.get(&address) {
            return known;
        }
        let made = match self.facts.exprs.get(&address).cloned() {
            Some(Expr::Offset(base, offset)) => {
                let base = self.derived(base, data, places, first, renames);
                if places.bound.contains(&address) {
                    return address;
                }
                let LocalInfo { name, ty, .. } = self.func.locals[address].clone();
                let local = self.local(&name, ty, false);
                first.push(Stmt::Let { local, expr: Expr::Offset(base, offset) });
                local
            }
            _ => data,
        };
        renames.names.insert(address, made);
        made
    }
}

/// Replacements of locals in a marked loop.
#[derive(Default)]
struct Renames {
    names: HashMap<LocalId, LocalId>,
    /// The buffer and the address of its elements, for each state.
    states: HashMap<LocalId, (LocalId, LocalId)>,
}

impl Renames {
    fn state(&mut self, arrays: &Arrays, var: LocalId, (own, data): (LocalId, LocalId)) {
        self.states.insert(var, (own, data));
        self.names.extend(arrays.members(var).map(|member| (member, own)));
    }

    /// Renamed statements; those that only hand on an array of the state are gone.
    fn block(&mut self, arrays: &Arrays, stmts: &[Stmt], out: &mut Vec<Stmt>) {
        for stmt in stmts {
            let handed_on = match stmt {
                Stmt::Let { local, expr: Expr::Copy(_) } => Some(*local),
                Stmt::Var { local, .. } | Stmt::Set { local, .. } | Stmt::MakeUnique { local, .. } => Some(*local),
                _ => None,
            };
            let state = handed_on.and_then(|local| arrays.class(local));
            if state.is_some_and(|class| self.states.contains_key(&class)) {
                continue;
            }
            if let Stmt::Let { local, expr: Expr::BaseAddr(buffer) } = stmt {
                let state = arrays.class(*buffer).and_then(|class| self.states.get(&class));
                if self.names.contains_key(local) {
                    continue;
                }
                if let Some(&(_, data)) = state {
                    self.names.insert(*local, data);
                    continue;
                }
            }
            let renamed = self.stmt(arrays, stmt);
            out.push(renamed);
        }
    }

    fn inner(&mut self, arrays: &Arrays, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        self.block(arrays, stmts, &mut out);
        out
    }

    fn stmt(&mut self, arrays: &Arrays, stmt: &Stmt) -> Stmt {
        let mut stmt = stmt.clone();
        let name = |l: &mut LocalId| *l = self.names.get(l).copied().unwrap_or(*l);
        match &mut stmt {
            Stmt::Let { expr: Expr::Load(address, _) | Expr::Offset(address, _), .. } => name(address),
            Stmt::Store { address, .. } => name(address),
            Stmt::CheckShape { buffer, .. } => name(buffer),
            Stmt::For(l) => {
                // A loop inside may have been divided before: by lowering, or into blocks of points.
                for added in l.parallel.iter_mut().flat_map(|parallel| &mut parallel.added) {
                    name(&mut added.buffer);
                    name(&mut added.data);
                }
                l.body = self.inner(arrays, &l.body);
            }
            Stmt::While(l) => {
                l.head = self.inner(arrays, &l.head);
                l.body = self.inner(arrays, &l.body);
            }
            Stmt::If { then_body, else_body, .. } => {
                *then_body = self.inner(arrays, then_body);
                *else_body = self.inner(arrays, else_body);
            }
            _ => {}
        }
        stmt
    }
}
