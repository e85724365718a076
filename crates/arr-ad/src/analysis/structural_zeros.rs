//! Structural zeros: the exact zeros of what was not selected, and where they come from. (Enzyme calls them strong
//! zeros.)
//!
//! A tangent or cotangent is *selective* when it may be the exact zero of something that was not selected: an arm of a
//! `select`, an element that was not read, all but one place of a unit seed. A product with it is written so that the
//! zero wins over an infinite partial derivative. The sweeps propagate the flag from statement to statement. This file
//! finds what they cannot: which seeds have such zeros, and what one iteration of a loop hands to the next.

use crate::analysis::activity::{Active, flow};
use crate::analysis::affine::solve;
use crate::analysis::index::Defs;
use crate::analysis::update_chains::{ChainWrite, Link, bound_inside, chains, writes_of};
use arr_ir::walk::free_vars_of_block;
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Prim, Reduction, ScatterKind, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known about a value before the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Zeros {
    /// Zero everywhere.
    All,
    /// Zero in places that the program chooses.
    Some,
    Unknown,
}

/// The floats of a function that are zero, wholly or in places that the program chooses: seeds of Jacobians, results of
/// `onehot` and `zeros`, literals with zeros.
#[derive(Default, Debug)]
pub(crate) struct StructuralZeros {
    map: FxHashMap<VarId, Zeros>,
}

impl StructuralZeros {
    pub fn of(func: &Func, block: &Block) -> StructuralZeros {
        let mut zeros = StructuralZeros::default();
        zeros.block(func, block);
        zeros
    }

    pub fn get(&self, atom: Atom) -> Zeros {
        match atom {
            Atom::Const(c) if c.is_zero() => Zeros::All,
            Atom::Const(_) => Zeros::Unknown,
            Atom::Var(v) => self.map.get(&v).copied().unwrap_or(Zeros::Unknown),
        }
    }

    fn block(&mut self, func: &Func, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(func, stmt);
        }
    }

    fn stmt(&mut self, func: &Func, stmt: &Stmt) {
        for inner in stmt.op.blocks() {
            self.block(func, inner);
        }
        for (k, &v) in stmt.vars.iter().enumerate().filter(|(_, v)| func.ty(**v).elem.is_float()) {
            let zeros = self.result(func, &stmt.op, k);
            if zeros != Zeros::Unknown {
                self.map.insert(v, zeros);
            }
        }
    }

    /// What is known of result `k` of an operation.
    fn result(&self, func: &Func, op: &Op, k: usize) -> Zeros {
        let result = |block: &Block| block.results.get(k).map_or(Zeros::Unknown, |&r| self.get(r));
        match op {
            Op::Prim(prim, args) => self.prim(func, *prim, args),
            Op::Read { array, .. } | Op::Reshape(array) => self.get(Atom::Var(*array)),
            Op::Barrier(args) => args.get(k).map_or(Zeros::Unknown, |&a| self.get(a)),
            Op::StopGradient(a) => self.get(*a),
            Op::Literal(literal) if literal.data.iter().all(|c| c.is_zero()) => Zeros::All,
            Op::Literal(literal) if literal.data.iter().any(|c| c.is_zero()) => Zeros::Some,
            Op::Build { body, .. } => result(body),
            Op::If { then_block, else_block, .. } => either(result(then_block), result(else_block)),
            Op::Scatter { dest, .. } if self.get(Atom::Var(*dest)) != Zeros::Unknown => Zeros::Some,
            Op::Scatter { kind: ScatterKind::Set, body, .. } => match body.results.last().map(|&r| self.get(r)) {
                Some(Zeros::All | Zeros::Some) => Zeros::Some,
                _ => Zeros::Unknown,
            },
            _ => Zeros::Unknown,
        }
    }

    fn prim(&self, func: &Func, prim: Prim, args: &[Atom]) -> Zeros {
        let of = |k: usize| args.get(k).map_or(Zeros::Unknown, |&a| self.get(a));
        match prim {
            Prim::Select => either(of(1), of(2)),
            // An Iverson bracket.
            Prim::ToF32 | Prim::ToF64 => match args.first() {
                Some(&a) if func.atom_elem(a) == arr_ir::Scalar::Bool => Zeros::Some,
                Some(&a) if func.is_float(a) => self.get(a),
                _ => Zeros::Unknown,
            },
            Prim::Neg | Prim::Div => of(0),
            Prim::Mul | Prim::MulZero if of(0) == Zeros::Unknown && of(1) == Zeros::Unknown => Zeros::Unknown,
            // The other factor may be infinite, so that no place is certain to be zero.
            Prim::Mul | Prim::MulZero => Zeros::Some,
            Prim::Add | Prim::Sub if of(0) != Zeros::Unknown && of(1) != Zeros::Unknown => either(of(0), of(1)),
            _ => Zeros::Unknown,
        }
    }
}

fn either(a: Zeros, b: Zeros) -> Zeros {
    match (a, b) {
        (Zeros::All, Zeros::All) => Zeros::All,
        (Zeros::Unknown, Zeros::Unknown) => Zeros::Unknown,
        _ => Zeros::Some,
    }
}

/// For each param of a loop's body: whether its tangent may be selective although that of its start is not.
pub(crate) fn carried_forwards(func: &Func, body: &Block, active: &Active) -> Vec<bool> {
    let mut sources = Vec::new();
    forward_sources(body, active, &mut sources);
    reached(func, body, sources, false)
}

/// For each param of a loop's body: whether its cotangent may be selective although that of the result is not.
pub(crate) fn carried_backwards(func: &mut Func, axis: Axis, body: &Block) -> Vec<bool> {
    let mut sources = Vec::new();
    reverse_sources(func, body, &[], &mut sources);
    let reached = reached(func, body, sources, true);
    let chains = chains(func, axis, body);
    reached
        .into_iter()
        .zip(chains)
        .map(|(is, chain)| is && !chain.is_some_and(|c| never_overwrites(func, axis, body, &c)))
        .collect()
}

/// Whether no place of an array state that these updates make is written twice, in all iterations together. Then no
/// iteration reads a cotangent that was cleared for a write.
fn never_overwrites(func: &mut Func, axis: Axis, body: &Block, chain: &[Link]) -> bool {
    let bound = bound_inside(axis, body);
    let mut sets = 0;
    let Some(writes) = writes_of(body, chain, &[], &[]) else {
        return func.broken(false, "the updates of a state are not where they were found");
    };
    for ChainWrite { stmt, around, loops } in writes {
        let Op::Scatter { kind: ScatterKind::Set, dest, axes, body: points, .. } = stmt.op else { continue };
        sets += 1;
        let all: Vec<Stmt> = around.iter().chain(&points.stmts).cloned().collect();
        let defs = Defs::new(func, &all);
        let rank = func.ty(dest).rank();
        let index: Vec<Atom> = points.results.iter().skip(1).take(rank).copied().collect();
        let polys: Option<Vec<Poly>> = index.iter().map(|&i| defs.of_atom(func, i)).collect();
        let axes: Vec<Axis> = axes.into_iter().chain(loops).chain([axis]).collect();
        let known = |p: &Poly| p.vars().iter().all(|v| axes.iter().any(|a| a.index == *v) || !bound.contains(v));
        if !polys.is_some_and(|polys| polys.iter().all(known)) {
            return false;
        }
        if !solve(func, dest, &index, &defs, &axes).is_some_and(|s| s.free.is_empty()) {
            return false;
        }
    }
    sets <= 1
}

/// Which params of the body are reached from the sources along the flow of floats, in this iteration or a later one.
fn reached(func: &Func, body: &Block, sources: Vec<VarId>, backwards: bool) -> Vec<bool> {
    if sources.is_empty() {
        return vec![false; body.params.len()];
    }
    let mut next = flow(func, body);
    for (&result, &param) in body.results.iter().zip(&body.params) {
        if let Atom::Var(v) = result {
            next.entry(v).or_default().push(param);
        }
    }
    let next = if backwards { reversed(next) } else { next };
    let seen = closure(&next, sources);
    body.params.iter().map(|p| seen.contains(p)).collect()
}

/// Results whose tangent is zero in some places although an operand has a tangent.
fn forward_sources(block: &Block, active: &Active, sources: &mut Vec<VarId>) {
    for stmt in &block.stmts {
        for inner in stmt.op.blocks() {
            forward_sources(inner, active, sources);
        }
        let has = |atom: Option<&Atom>| atom.is_some_and(|&a| active.has(a));
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::Prim(Prim::MulZero, _), [y]) => sources.push(*y),
            (Op::Prim(Prim::Select, args), [y]) if has(args.get(1)) != has(args.get(2)) => sources.push(*y),
            (Op::Prim(Prim::Min | Prim::Max, args), [y]) if has(args.first()) != has(args.get(1)) => sources.push(*y),
            (Op::If { then_block, else_block, .. }, vars) => {
                let results = then_block.results.iter().zip(&else_block.results);
                sources.extend(
                    vars.iter().zip(results).filter(|(_, (a, b))| active.has(**a) != active.has(**b)).map(|(v, _)| *v),
                );
            }
            (Op::Scatter { dest, body, .. }, [y]) if !(active.contains(*dest) && has(body.results.last())) => {
                sources.push(*y);
            }
            (Op::Loop { inits, body, .. } | Op::While { inits, body, .. }, _) => {
                sources.extend(body.params.iter().zip(inits).filter(|(_, init)| !active.has(**init)).map(|(p, _)| *p));
            }
            _ => {}
        }
    }
}

/// Variables whose cotangent gets a zero where an operation did not select them. `axes` are those of the surrounding
/// kernel.
fn reverse_sources(func: &Func, block: &Block, axes: &[Axis], sources: &mut Vec<VarId>) {
    let vars = |atoms: &[Atom]| atoms.iter().filter_map(|a| a.var()).collect::<Vec<_>>();
    for stmt in &block.stmts {
        match &stmt.op {
            Op::Prim(Prim::Select | Prim::Min | Prim::Max | Prim::MulZero, args) => sources.extend(vars(args)),
            Op::Read { array, index, .. } if !is_whole(func, *array, index, axes) => sources.push(*array),
            Op::If { then_block, else_block, .. } => {
                // A variable that only one branch uses gets a zero from the other.
                let [then, other] = [then_block, else_block].map(|branch| used(func, branch));
                sources.extend(then.iter().filter(|v| !other.contains(v)));
                sources.extend(other.iter().filter(|v| !then.contains(v)));
            }
            Op::Reduce { kind: Reduction::Max | Reduction::Min, body, .. } => sources.extend(vars(&body.results)),
            Op::Scatter { kind, dest, body, .. } => {
                if *kind == ScatterKind::Set {
                    sources.push(*dest);
                }
                if body.results.first() != Some(&Atom::bool(true)) || *kind == ScatterKind::Set {
                    sources.extend(body.results.last().and_then(|r| r.var()));
                }
            }
            _ => {}
        }
        let own: Vec<Axis> = match &stmt.op {
            Op::Build { .. } | Op::Reduce { .. } => axes.iter().chain(stmt.op.axes()).copied().collect(),
            _ => Vec::new(),
        };
        for inner in stmt.op.blocks() {
            reverse_sources(func, inner, &own, sources);
        }
    }
}

/// The floats from outside a block that its results change with.
fn used(func: &Func, block: &Block) -> Vec<VarId> {
    let back = reversed(flow(func, block));
    let seen = closure(&back, block.results.iter().filter_map(|r| r.var()).collect());
    free_vars_of_block(func, block).into_iter().filter(|v| seen.contains(v) && func.ty(*v).elem.is_float()).collect()
}

fn reversed(edges: FxHashMap<VarId, Vec<VarId>>) -> FxHashMap<VarId, Vec<VarId>> {
    let mut pairs: Vec<(VarId, VarId)> =
        edges.into_iter().flat_map(|(v, to)| to.into_iter().map(move |w| (w, v))).collect();
    pairs.sort_unstable();
    let mut back: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    for (w, v) in pairs {
        back.entry(w).or_default().push(v);
    }
    back
}

/// The variables that are reached from those of `work`.
fn closure(next: &FxHashMap<VarId, Vec<VarId>>, mut work: Vec<VarId>) -> FxHashSet<VarId> {
    let mut seen: FxHashSet<VarId> = FxHashSet::default();
    while let Some(v) = work.pop() {
        if seen.insert(v) {
            work.extend(next.get(&v).into_iter().flatten());
        }
    }
    seen
}

/// Whether a kernel over `axes` reads every element: each index is an axis of the kernel, a different one each, with
/// the array's extent.
fn is_whole(func: &Func, array: VarId, index: &[Atom], axes: &[Axis]) -> bool {
    let dims = &func.ty(array).dims;
    let distinct = index.iter().enumerate().all(|(k, a)| !index.iter().take(k).any(|b| a == b));
    distinct && index.iter().zip(dims).all(|(i, dim)| axes.iter().any(|a| Atom::Var(a.index) == *i && a.extent == *dim))
}
