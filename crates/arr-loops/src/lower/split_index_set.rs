//! Index-set splitting, which includes loop peeling: where guards depend on the position in a nest, the innermost loop
//! is split into parts, one or all of which need no guard.
//!
//! ```text
//! for i < n { for j < m { if i == 0 or j == 0 { a } else { b } } }
//!   =>  for i < n { low = if i > 0 then 1 else m;  for j < low { if .. };  for j from low to m { b } }
//! ```
//!
//! Where no position satisfies every guard, as with arrays side by side (`if j < h { a } .. if h <= j { b }`), and the
//! order of the positions where guards change is known from the sizes, every part between two of them is a loop without
//! guards.
//!
//! Applies to builds: their elements may be computed in any order. Every branch of the kernel must be decided in the
//! inner part, which takes the longer side of each, so that nothing in it depends on the position and the loop can be
//! vectorised.

use super::{Lowerer, Result, ill_formed};
use crate::address::{ElementAddress, place};
use crate::{LocalId, Operand, Origin, Parallel, SpanId};
use arr_base::Id;
use arr_ir::integers::{Integers, is_natural};
use arr_ir::rewrite::{any_op, for_each_stmt};
use arr_ir::walk::{Subst, bound_in_block, for_each_use};
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Prim, Stmt, VarId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Kernels with more statements are not lowered twice.
const MAX_STMTS: usize = 256;
/// Innermost loops known to be shorter are not split.
const SHORT: i64 = 8;

/// The parts of a kernel's innermost loop.
pub(super) enum Parts {
    /// Guards are decided in the part where these integers, over the indices and locals from outside, are not negative.
    Interior { bounds: Vec<Poly>, body: Block },
    /// They are decided in each part: its begin, its end, and its body.
    All(Vec<(Poly, Poly, Block)>),
}

/// More parts than this are not made.
const MAX_PARTS: usize = 8;

/// The action on an element, besides computing it.
pub(super) type StoreAt<'s> = &'s mut dyn FnMut(&mut Lowerer, &[Operand], &[Operand]);

/// The parts of a build of scalars, if it has guards that can be decided.
pub(super) fn parts(func: &Func, integers: &Integers, axes: &[Axis], body: &Block) -> Option<Parts> {
    let innermost = axes.last()?;
    let short = func.types.poly(innermost.extent).as_constant().is_some_and(|n| n < SHORT);
    if short || !body.results.iter().all(|&a| func.atom_ty(a).is_scalar()) || count(body) > MAX_STMTS {
        return None;
    }
    if !has_branch(body) {
        return None;
    }
    let mut bound = FxHashSet::default();
    bound_in_block(body, &mut bound);
    let decider = |part| Decider {
        func,
        axes,
        index: innermost.index,
        bound: bound.clone(),
        integers: integers.clone(),
        bounds: Vec::new(),
        part,
        subst: Subst::new(),
    };
    let mut inner = decider(None);
    let decided = inner.block(body)?;
    if inner.bounds.is_empty() {
        return None;
    }
    let mut ends = inner.ends();
    if !ends.iter().any(|from| ends.iter().any(|to| from.is_low && !to.is_low && at_most(func, &to.at, &from.at))) {
        return Some(Parts::Interior { bounds: inner.bounds, body: decided });
    }
    // Nowhere are all of them decided that way: one part after the other, if their order is known.
    let extent = func.types.poly(innermost.extent).clone();
    ends.retain(|end| !at_most(func, &end.at, &Poly::constant(0)) && !at_most(func, &extent, &end.at));
    let mut places = vec![Poly::constant(0), extent];
    for End { at, .. } in ends {
        if !places.contains(&at) {
            let after = places.iter().position(|p| at_most(func, &at, p))?;
            (after > 0 && places.iter().take(after).all(|p| at_most(func, p, &at))).then_some(())?;
            places.insert(after, at);
        }
    }
    if places.len() > MAX_PARTS + 1 {
        return None;
    }
    let part = |(from, to): (&Poly, &Poly)| {
        let body = decider(Some((from.clone(), to.clone()))).block(body)?;
        Some((from.clone(), to.clone(), body))
    };
    places.iter().zip(places.iter().skip(1)).map(part).collect::<Option<Vec<_>>>().map(Parts::All)
}

/// Whether one size is known to be at most another.
fn at_most(func: &Func, a: &Poly, b: &Poly) -> bool {
    is_natural(func, &b.sub(a))
}

/// A position where a guard changes: it holds from there on, or up to there.
struct End {
    at: Poly,
    is_low: bool,
}

fn count(block: &Block) -> usize {
    let mut count = 0;
    for_each_stmt(&block.stmts, &mut |_| count += 1);
    count
}

struct Decider<'f> {
    func: &'f Func,
    axes: &'f [Axis],
    /// Of the innermost axis.
    index: VarId,
    /// Variables bound in the kernel.
    bound: FxHashSet<VarId>,
    integers: Integers,
    bounds: Vec<Poly>,
    /// The part of the innermost axis in which guards are decided as they are there; if `None`, the part is the one
    /// that they ask for.
    part: Option<(Poly, Poly)>,
    subst: Subst,
}

impl Decider<'_> {
    fn block(&mut self, body: &Block) -> Option<Block> {
        let stmts = self.stmts(&body.stmts)?;
        let results = body.results.iter().map(|&a| self.resolved(a)).collect();
        Some(Block { params: Vec::new(), stmts, results })
    }

    /// The bounds of the inner part on the innermost axis.
    fn ends(&self) -> Vec<End> {
        let index = Poly::var(self.index);
        let end = |bound: &Poly| match bound.terms.get(&[self.index])? {
            1 => Some(End { at: index.sub(bound), is_low: true }),
            _ => Some(End { at: index.add(bound).add(&Poly::constant(1)), is_low: false }),
        };
        self.bounds.iter().filter_map(end).collect()
    }

    /// The statements without branches; `None` if one stays.
    fn stmts(&mut self, stmts: &[Stmt]) -> Option<Vec<Stmt>> {
        let mut out = Vec::new();
        for stmt in stmts {
            match &stmt.op {
                Op::If { cond, then_block, else_block } => {
                    let longer = count(then_block) >= count(else_block);
                    let holds = self.decide(*cond, longer)?;
                    let chosen = if holds { then_block } else { else_block };
                    out.extend(self.stmts(&chosen.stmts)?);
                    for (&v, &result) in stmt.vars.iter().zip(&chosen.results) {
                        let result = self.resolved(result);
                        self.subst.insert(v, result);
                    }
                }
                Op::Prim(Prim::Select, args) if self.chosen(stmt, args).is_some() => {}
                op if op.blocks().iter().any(|b| b.stmts.iter().any(|s| matches!(s.op, Op::If { .. }))) => return None,
                _ => {
                    let mut stmt = stmt.clone();
                    self.resolve(&mut stmt.op);
                    // A size is made of variables, which may not be bound here.
                    let mut unbound = false;
                    for_each_use(self.func, &stmt.op, &mut |v| unbound |= self.resolved(Atom::Var(v)) != Atom::Var(v));
                    if unbound {
                        return None;
                    }
                    self.integers.note(self.func, &stmt);
                    out.push(stmt);
                }
            }
        }
        Some(out)
    }

    fn chosen(&mut self, stmt: &Stmt, args: &[Atom]) -> Option<()> {
        let &[cond, a, b] = args else { return None };
        let holds = self.decide(cond, a.var().is_some() || b.constant().is_some())?;
        let result = self.resolved(if holds { a } else { b });
        self.subst.insert(*stmt.vars.first()?, result);
        Some(())
    }

    fn resolve(&self, op: &mut Op) {
        op.map_operands(&mut |a| self.resolved(a));
        for block in op.blocks_mut() {
            block.stmts.iter_mut().for_each(|s| self.resolve(&mut s.op));
            block.results.iter_mut().for_each(|a| *a = self.resolved(*a));
        }
    }

    fn resolved(&self, atom: Atom) -> Atom {
        self.subst.atom(atom)
    }

    /// The outcome of a condition in the inner part, preferably as wanted.
    fn decide(&mut self, cond: Atom, wanted: bool) -> Option<bool> {
        let cond = self.resolved(cond);
        if let Some(part) = &self.part {
            let found = self.integers.guard(self.func, (cond, true), self.axes, &[])?;
            let holds = found.iter().map(|p| self.holds_in(p, part)).collect::<Option<Vec<bool>>>()?;
            return Some(holds.into_iter().all(|holds| holds));
        }
        for holds in [wanted, !wanted] {
            // Where an index is one number there is no loop.
            let Some(found) = self.integers.guard(self.func, (cond, holds), self.axes, &self.bounds) else { continue };
            let pinned = found.iter().any(|p| found.contains(&p.neg()));
            if !pinned && found.iter().all(|p| self.is_bound(p)) {
                found.into_iter().for_each(|p| {
                    if !self.bounds.contains(&p) {
                        self.bounds.push(p);
                    }
                });
                return Some(holds);
            }
        }
        None
    }

    /// Whether an integer is nowhere negative in a non-empty part, or everywhere; `None` if neither is known.
    fn holds_in(&self, poly: &Poly, (from, to): &(Poly, Poly)) -> Option<bool> {
        let last = to.sub(&Poly::constant(1));
        let at = |place: &Poly| poly.substitute(&mut |v| (v == self.index).then(|| place.clone()));
        let (least, most) = match poly.terms.get(&[self.index])? {
            1 => (at(from), at(&last)),
            -1 => (at(&last), at(from)),
            _ => return None,
        };
        if is_natural(self.func, &least) {
            return Some(true);
        }
        is_natural(self.func, &most.neg().sub(&Poly::constant(1))).then_some(false)
    }

    /// Whether a bound is available before the innermost loop.
    fn is_bound(&self, poly: &Poly) -> bool {
        poly.terms.iter().all(|(monomial, &c)| match monomial.as_slice() {
            &[v] if v == self.index => c == 1 || c == -1,
            vars => vars.iter().all(|v| *v != self.index && !self.bound.contains(v)),
        })
    }
}

fn has_branch(block: &Block) -> bool {
    let mut branch = |op: &Op| matches!(op, Op::If { .. } | Op::Prim(Prim::Select, _));
    block.stmts.iter().any(|stmt| any_op(&stmt.op, &mut branch))
}

impl Lowerer<'_> {
    /// The nest of a split build. `store` gets the indices and the values of a point.
    pub(super) fn build_in_parts(&mut self, axes: &[Axis], body: &Block, parts: &Parts, store: StoreAt) -> Result<()> {
        let Some((innermost, outer)) = axes.split_last() else { return Err(ill_formed("a build has no axes")) };
        let marked = self.marks_loops();
        let indices: Vec<Operand> = self.open_axes(outer)?.into_iter().map(Operand::from).collect();
        let parallel = (marked && outer.is_empty()).then(Parallel::default);
        match parts {
            Parts::Interior { bounds, body: inner } => {
                let extent = self.size(innermost.extent)?;
                let (low, high) = self.ends(innermost, extent, bounds)?;
                let rest = self.emit.int(Prim::Sub, extent, high);

                // Before and behind it: one loop, so that the code exists once.
                let part = self.emit.open_loop("part", Operand::int(2), Origin::Kernel);
                let from = self.emit.int(Prim::Mul, part.into(), high);
                let first = self.prim_of(Prim::Eq, vec![part.into(), Operand::int(0)])?;
                let length = self.prim_of(Prim::Select, vec![first, low, rest])?;
                self.part(innermost, (from, length), body, &indices, None, store)?;
                self.emit.close_loop(false, SpanId::from_index(0));

                let length = self.emit.int(Prim::Sub, high, low);
                self.part(innermost, (low, length), inner, &indices, parallel, store)?;
            }
            Parts::All(parts) => {
                for (from, to, body) in parts {
                    let length = self.poly(&to.sub(from))?;
                    let from = self.poly(from)?;
                    self.part(innermost, (from, length), body, &indices, parallel.clone(), store)?;
                }
            }
        }
        self.close_axes(outer, vec![Parallel::default(); if marked { outer.len() } else { 0 }]);
        Ok(())
    }

    /// Part of the innermost loop: its begin and its length.
    fn part(
        &mut self,
        axis: &Axis,
        (from, length): (Operand, Operand),
        body: &Block,
        outer: &[Operand],
        parallel: Option<Parallel>,
        store: StoreAt,
    ) -> Result<()> {
        let name = self.func.name(axis.index).to_string();
        let k: LocalId = self.emit.open_loop(&name, length, Origin::Kernel);
        let index = self.emit.int(Prim::Add, k.into(), from);
        self.bind(axis.index, index);
        self.extents.insert(axis.index, axis.extent);
        let values = self.block(body, BTreeSet::new())?;
        let index: Vec<Operand> = outer.iter().copied().chain([index]).collect();
        store(self, &index, &values);
        self.emit.close_loop_as(false, SpanId::from_index(0), parallel);
        Ok(())
    }

    /// The begin and end of the inner part: `0 <= low <= high <= extent`. It is empty, and at the end, in rows that
    /// have none.
    fn ends(&mut self, axis: &Axis, extent: Operand, bounds: &[Poly]) -> Result<(Operand, Operand)> {
        let (mut low, mut high, mut row) = (Operand::int(0), extent, None);
        let index = Poly::var(axis.index);
        for bound in bounds {
            match bound.terms.get(&[axis.index]) {
                Some(1) => {
                    let from = self.poly(&index.sub(bound))?;
                    low = self.prim_of(Prim::Max, vec![low, from])?;
                }
                Some(_) => {
                    let to = self.poly(&index.add(bound).add(&Poly::constant(1)))?;
                    high = self.prim_of(Prim::Min, vec![high, to])?;
                }
                None => {
                    let value = self.poly(bound)?;
                    let inside = self.prim_of(Prim::Ge, vec![value, Operand::int(0)])?;
                    row = Some(match row {
                        None => inside,
                        Some(row) => self.prim_of(Prim::And, vec![row, inside])?,
                    });
                }
            }
        }
        if let Some(row) = row {
            low = self.prim_of(Prim::Select, vec![row, low, extent])?;
        }
        low = self.prim_of(Prim::Min, vec![low, extent])?;
        high = self.prim_of(Prim::Max, vec![low, high])?;
        Ok((low, high))
    }

    /// Writes the values of a point that are not stored yet.
    pub(super) fn store_point(
        &mut self,
        outputs: &[(LocalId, Vec<Operand>)],
        done: &BTreeSet<usize>,
        index: &[Operand],
        values: &[Operand],
    ) {
        let stores = outputs.iter().zip(values).enumerate().filter(|(k, _)| !done.contains(k));
        for (_, ((buffer, dims), &value)) in stores {
            let ElementAddress { address, offset } = place(&mut self.emit, *buffer, dims, index);
            self.emit.push(crate::Stmt::Store { address, offset, value });
        }
    }
}
