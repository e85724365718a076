//! Bringing a kernel into the form that reverse mode wants, before the forward sweep writes it.
//!
//! A reduction whose terms are expensive is split: the terms are stored, so that the reverse sweep does not recompute
//! them for each array that they read. The results of expensive primitives in a `build` are stored too, because their
//! derivatives use them.

use crate::code::reduce_of;
use crate::reverse::kernel::is_light;
use arr_ir::{Atom, Axis, Block, Cost, Func, Op, Reduction, SizeId, Stmt, Type, VarId};
use rustc_hash::FxHashMap;

/// The statements that replace `stmt`, each with the variables of its body that it keeps, and the arrays that keep
/// them.
pub(crate) fn normalize(func: &mut Func, stmt: Stmt) -> Vec<(Stmt, FxHashMap<VarId, VarId>)> {
    let Stmt { vars, op, span } = stmt;
    match op {
        Op::Build { axes, body } => {
            let body = aligned(func, body);
            let reduce = reduce_of(&body).cloned();
            match reduce {
                Some(Stmt { op: Op::Reduce { kind, axes: inner, body: terms }, .. }) if !is_simple(kind, &terms) => {
                    split(
                        func,
                        Stmt { vars, op: Op::Build { axes: axes.clone(), body }, span },
                        &axes,
                        kind,
                        inner,
                        terms,
                    )
                }
                Some(_) => vec![(Stmt { vars, op: Op::Build { axes, body }, span }, FxHashMap::default())],
                None => vec![keep_expensive(func, Stmt { vars, op: Op::Build { axes, body }, span })],
            }
        }
        Op::Reduce { kind, axes, body } if !is_simple(kind, &body) => {
            let whole = Stmt { vars, op: Op::Reduce { kind, axes: axes.clone(), body: body.clone() }, span };
            split(func, whole, &[], kind, axes, body)
        }
        op => vec![(Stmt { vars, op, span }, FxHashMap::default())],
    }
}

/// A body that is one reduction, with the reduction's results cut down to those of the body and put in their order; any
/// other body unchanged. The terms of other results stay, because they may have checks.
fn aligned(func: &mut Func, body: Block) -> Block {
    let Some(Stmt { vars, op: Op::Reduce { kind, axes, body: terms }, span }) = reduce_of(&body).cloned() else {
        return body;
    };
    if vars.iter().copied().map(Atom::Var).eq(body.results.iter().copied()) {
        return body;
    }
    let place = |r: &Atom| vars.iter().position(|v| Atom::Var(*v) == *r);
    let picked: Option<Vec<(VarId, Atom)>> =
        body.results.iter().map(|r| place(r).and_then(|k| Some((*vars.get(k)?, *terms.results.get(k)?)))).collect();
    let Some(picked) = picked else { return body };
    let fresh: Vec<VarId> = picked.iter().map(|(v, _)| func.copy_var(*v)).collect();
    let results = fresh.iter().copied().map(Atom::Var).collect();
    let terms = Block { results: picked.into_iter().map(|(_, term)| term).collect(), ..terms };
    let reduce = Stmt { vars: fresh, op: Op::Reduce { kind, axes, body: terms }, span };
    Block { params: Vec::new(), stmts: vec![reduce], results }
}

/// Whether the terms of a reduction may be recomputed: they are a few reads and products. A product needs its terms as
/// an array in any case.
fn is_simple(kind: Reduction, terms: &Block) -> bool {
    match kind {
        Reduction::Product => matches!(terms.stmts.as_slice(), [Stmt { op: Op::Read { .. }, .. }]),
        _ => is_light(terms) && !terms.stmts.iter().any(|s| matches!(s.op, Op::If { .. })),
    }
}

/// `build g { reduce s { terms } }` as `t = build g, s { terms }; build g { reduce s { read t[g, s] } }`.
fn split(
    func: &mut Func,
    stmt: Stmt,
    outer: &[Axis],
    kind: Reduction,
    inner: Vec<Axis>,
    terms: Block,
) -> Vec<(Stmt, FxHashMap<VarId, VarId>)> {
    let all: Vec<Axis> = outer.iter().chain(&inner).copied().collect();
    let dims: Vec<SizeId> = all.iter().map(|a| a.extent).collect();
    let arrays: Vec<VarId> = terms.results.iter().map(|&r| array_like(func, r, &dims)).collect();
    let first = Stmt { vars: arrays.clone(), op: Op::Build { axes: all, body: terms }, span: stmt.span };
    let fresh = |func: &mut Func, axes: &[Axis]| -> Vec<Axis> {
        axes.iter().map(|a| Axis { index: func.copy_var(a.index), extent: a.extent }).collect()
    };
    let (outer, inner) = (fresh(func, outer), fresh(func, &inner));
    let index: Vec<Atom> = outer.iter().chain(&inner).map(|a| Atom::Var(a.index)).collect();
    let mut reads = Block::default();
    for &array in &arrays {
        let elem = func.ty(array).elem;
        let value = func.scalar_var(func.name(array).to_string(), elem);
        let op = Op::Read { array, index: index.clone(), checked: false };
        reads.stmts.push(Stmt { vars: vec![value], op, span: stmt.span });
        reads.results.push(Atom::Var(value));
    }
    let reduce = Op::Reduce { kind, axes: inner, body: reads };
    let second = if outer.is_empty() {
        Stmt { vars: stmt.vars, op: reduce, span: stmt.span }
    } else {
        let scalars: Vec<VarId> = stmt
            .vars
            .iter()
            .map(|&v| {
                let elem = func.ty(v).elem;
                func.scalar_var(func.name(v).to_string(), elem)
            })
            .collect();
        let results = scalars.iter().copied().map(Atom::Var).collect();
        let body =
            Block { params: Vec::new(), stmts: vec![Stmt { vars: scalars, op: reduce, span: stmt.span }], results };
        Stmt { vars: stmt.vars, op: Op::Build { axes: outer, body }, span: stmt.span }
    };
    vec![keep_expensive(func, first), (second, FxHashMap::default())]
}

/// Adds the results of expensive primitives to those of a build. Unneeded ones are removed as dead code later.
fn keep_expensive(func: &mut Func, mut stmt: Stmt) -> (Stmt, FxHashMap<VarId, VarId>) {
    let mut saved = FxHashMap::default();
    let Op::Build { axes, body } = &mut stmt.op else { return (stmt, saved) };
    let dims: Vec<SizeId> = axes.iter().map(|a| a.extent).collect();
    for inner in &body.stmts {
        let (Op::Prim(prim, _), [v]) = (&inner.op, inner.vars.as_slice()) else { continue };
        if prim.cost() < Cost::Function {
            continue;
        }
        let place = body.results.iter().position(|r| *r == Atom::Var(*v));
        let array = match place.and_then(|k| stmt.vars.get(k).copied()) {
            Some(array) => array,
            None => {
                let array = array_like(func, Atom::Var(*v), &dims);
                stmt.vars.push(array);
                body.results.push(Atom::Var(*v));
                array
            }
        };
        saved.insert(*v, array);
    }
    (stmt, saved)
}

/// A fresh array variable over the given axes for the values of a scalar.
fn array_like(func: &mut Func, value: Atom, dims: &[SizeId]) -> VarId {
    let elem = func.atom_elem(value);
    let name = value.var().map_or("t", |v| func.name(v)).to_string();
    let ty = func.types.ty(Type { elem, dims: dims.to_vec() });
    func.var(name, ty)
}
