//! Splits kernels for readability: code that was merged into one nest for speed is easier to read as one comprehension
//! per result.
//!
//! A `build` or `reduce` with several results is split when the parts share little. A `reduce` whose parts share much
//! becomes a `build` of the reduced values, and one `reduce` per result. A one-dimensional `scatter` gets its indices
//! and its values as arrays, as in the language's `scatter` and `scatter_add`; one with several writes per point
//! becomes one per write. A value behind a `barrier` keeps its name.

use crate::checks;
use arr_ir::rewrite::{Enter, for_each_op, rewrite_stmts};
use arr_ir::walk::{Subst, free_vars};
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Stmt, Type, VarId};
use rustc_hash::FxHashSet;

/// The maximal number of operations besides reads that may be duplicated, for each part after the first.
const REPEATED: usize = 2;

pub fn prepare(func: &mut Func) {
    let mut body = std::mem::take(&mut func.body);
    let mut passed = Subst::new();
    without_barriers(func, &mut body, &mut passed);
    func.body = body;
    rewrite_stmts(func, Enter::All, &mut expand);
    checks::prune(func);
}

/// Replaces `barrier`s by their operands: the language has no construct that forbids sharing.
fn without_barriers(func: &mut Func, block: &mut Block, passed: &mut Subst) {
    for mut stmt in std::mem::take(&mut block.stmts) {
        stmt.op.map_operands(&mut |a| passed.atom(a));
        stmt.op.map_sizes(&mut |s| passed.size(func, s));
        if let Op::Barrier(args) = &stmt.op {
            for (&v, &arg) in stmt.vars.iter().zip(args) {
                passed.insert(v, arg);
            }
            continue;
        }
        for inner in stmt.op.blocks_mut() {
            without_barriers(func, inner, passed);
        }
        block.stmts.push(stmt);
    }
    for a in &mut block.results {
        *a = passed.atom(*a);
    }
}

fn expand(func: &mut Func, stmt: Stmt, out: &mut Vec<Stmt>) {
    let several = stmt.vars.len() > 1;
    match &stmt.op {
        Op::Build { axes, body } if several => {
            // A later part reads the results stored by an earlier one.
            let known: Vec<(Atom, VarId)> = body.results.iter().copied().zip(stmt.vars.iter().copied()).collect();
            if !shares_little(func, body, &known) {
                return out.push(stmt);
            }
            for (k, (result, v)) in known.iter().enumerate() {
                let earlier = known.get(..k).unwrap_or_default();
                let op = part(func, axes, body, *result, earlier, |axes, body| Op::Build { axes, body });
                out.push(Stmt { vars: vec![*v], op, span: stmt.span });
            }
        }
        Op::Reduce { kind, axes, body } if several && shares_little(func, body, &[]) => {
            for (&result, &v) in body.results.iter().zip(&stmt.vars) {
                let op = part(func, axes, body, result, &[], |axes, body| Op::Reduce { kind: *kind, axes, body });
                out.push(Stmt { vars: vec![v], op, span: stmt.span });
            }
        }
        Op::Reduce { kind, axes, body } if several => {
            let arrays = stored(func, axes, body, &body.results, out);
            for (&v, array) in stmt.vars.iter().zip(arrays) {
                let (axes, body) = elements(func, axes, &[array], &[]);
                out.push(Stmt { vars: vec![v], op: Op::Reduce { kind: *kind, axes, body }, span: stmt.span });
            }
        }
        Op::Scatter { .. } => out_scatter(func, stmt, out),
        _ => out.push(stmt),
    }
}

/// The approximate length of the statement for readers and at run time: reads count nothing, loops much.
fn operations(stmt: &Stmt) -> usize {
    const LOOP: usize = 8;
    let own = |op: &Op| match op {
        Op::Read { .. } | Op::Size(_) | Op::Check { .. } | Op::Trace { .. } => 0,
        Op::Prim(prim, _) => prim.cost().operations() as usize,
        Op::Build { .. }
        | Op::Reduce { .. }
        | Op::Scatter { .. }
        | Op::Loop { .. }
        | Op::While { .. }
        | Op::Argsort(_) => LOOP,
        _ => 1,
    };
    let mut sum = 0;
    for_each_op(&stmt.op, &mut |op| sum += own(op));
    sum
}

/// The statements of a body that some of its results need, given that the values in `known` exist already.
fn needed(func: &Func, body: &Block, results: &[Atom], known: &[(Atom, VarId)]) -> (Vec<bool>, FxHashSet<VarId>) {
    let is_known = |v: &VarId| known.iter().any(|(a, _)| *a == Atom::Var(*v));
    let mut wanted: FxHashSet<VarId> = results.iter().filter_map(|a| a.var()).collect();
    let mut keep = vec![false; body.stmts.len()];
    for (stmt, keep) in body.stmts.iter().zip(&mut keep).rev() {
        if stmt.vars.iter().any(|v| wanted.contains(v) && !is_known(v)) {
            *keep = true;
            wanted.extend(free_vars(func, &stmt.op));
        }
    }
    wanted.retain(is_known);
    (keep, wanted)
}

fn shares_little(func: &Func, body: &Block, known: &[(Atom, VarId)]) -> bool {
    let cost = |results: &[Atom], known: &[(Atom, VarId)]| -> usize {
        let (keep, _) = needed(func, body, results, known);
        body.stmts.iter().zip(keep).filter(|(_, keep)| *keep).map(|(s, _)| operations(s)).sum()
    };
    let earlier = |k: usize| known.get(..k).unwrap_or_default();
    let apart: usize = body.results.iter().enumerate().map(|(k, &a)| cost(&[a], earlier(k))).sum();
    apart <= cost(&body.results, &[]) + REPEATED * body.results.len().saturating_sub(1)
}

/// A fresh copy of the kernel with one of its results, which reads the known values.
fn part(
    func: &mut Func,
    axes: &[Axis],
    body: &Block,
    result: Atom,
    known: &[(Atom, VarId)],
    make: impl Fn(Vec<Axis>, Block) -> Op,
) -> Op {
    let (keep, reads) = needed(func, body, &[result], known);
    let mut subst = Subst::new();
    let mut stmts = Vec::new();
    let index: Vec<Atom> = axes.iter().map(|a| Atom::Var(a.index)).collect();
    for (value, array) in known {
        if let Atom::Var(v) = value
            && reads.contains(v)
        {
            let element = func.copy_var(*v);
            let op = Op::Read { array: *array, index: index.clone(), checked: false };
            stmts.push(Stmt { vars: vec![element], op, span: None });
            subst.insert(*v, element);
        }
    }
    for (stmt, _) in body.stmts.iter().zip(keep).filter(|(_, keep)| *keep) {
        let mut stmt = stmt.clone();
        subst.apply_to_stmt(func, &mut stmt);
        stmts.push(stmt);
    }
    let body = Block { params: Vec::new(), stmts, results: vec![subst.atom(result)] };
    Subst::new().clone_op(func, &make(axes.to_vec(), body))
}

fn slice(func: &Func, body: &Block, results: Vec<Atom>) -> Block {
    let (keep, _) = needed(func, body, &results, &[]);
    let stmts = body.stmts.iter().zip(keep).filter(|(_, keep)| *keep).map(|(s, _)| s.clone()).collect();
    Block { params: Vec::new(), stmts, results }
}

/// Arrays of the given results of a body, appended to `out`.
fn stored(func: &mut Func, axes: &[Axis], body: &Block, results: &[Atom], out: &mut Vec<Stmt>) -> Vec<VarId> {
    let dims: Vec<_> = axes.iter().map(|a| a.extent).collect();
    let mut vars = Vec::new();
    for &atom in results {
        let ty = func.types.ty(Type { elem: func.atom_elem(atom), dims: dims.clone() });
        let name = atom.var().map_or("t", |v| func.name(v)).to_string();
        vars.push(func.var(name, ty));
    }
    let op = Op::Build { axes: axes.to_vec(), body: slice(func, body, results.to_vec()) };
    let op = Subst::new().clone_op(func, &op);
    expand(func, Stmt { vars: vars.clone(), op, span: None }, out);
    vars
}

/// Fresh axes, and a body that yields `first` and then the elements of the arrays.
fn elements(func: &mut Func, axes: &[Axis], arrays: &[VarId], first: &[Atom]) -> (Vec<Axis>, Block) {
    let axes: Vec<Axis> = axes.iter().map(|a| Axis { index: func.copy_var(a.index), extent: a.extent }).collect();
    let index: Vec<Atom> = axes.iter().map(|a| Atom::Var(a.index)).collect();
    let mut body = Block { params: Vec::new(), stmts: Vec::new(), results: first.to_vec() };
    for &array in arrays {
        let element = func.scalar_var("t", func.ty(array).elem);
        let op = Op::Read { array, index: index.clone(), checked: false };
        body.stmts.push(Stmt { vars: vec![element], op, span: None });
        body.results.push(Atom::Var(element));
    }
    (axes, body)
}

/// The array that a result of the body copies element by element.
fn whole_array(func: &Func, axes: &[Axis], body: &Block, result: Atom) -> Option<VarId> {
    let own: Vec<Atom> = axes.iter().map(|a| Atom::Var(a.index)).collect();
    let stmt = body.stmts.iter().find(|s| s.vars.iter().any(|&v| Atom::Var(v) == result))?;
    match &stmt.op {
        Op::Read { array, index, .. } if *index == own => {
            let extents: Vec<_> = axes.iter().map(|a| a.extent).collect();
            (func.ty(*array).dims == extents).then_some(*array)
        }
        _ => None,
    }
}

/// Whether `scatter` or `scatter_add` of the language is equivalent.
fn is_bulk_scatter(func: &Func, dest: VarId, axes: &[Axis], body: &Block) -> bool {
    axes.len() == 1 && func.ty(dest).rank() == 1 && body.results.first() == Some(&Atom::Const(Const::Bool(true)))
}

fn out_scatter(func: &mut Func, stmt: Stmt, out: &mut Vec<Stmt>) {
    let Stmt { vars, op, span } = stmt;
    let (Op::Scatter { kind, dest, axes, body, checked }, Some(&result)) = (op, vars.first()) else {
        return func.broken((), "what is written out as a `scatter` is none");
    };
    let length = func.ty(dest).rank() + 2;
    if body.results.len() > length {
        // The language has updates of one element. Those of other points are at other places, so that their order is
        // free.
        let mut from = dest;
        for (k, write) in body.results.chunks(length).enumerate() {
            let last = (k + 1) * length == body.results.len();
            let var = if last { result } else { func.copy_var(dest) };
            let body = slice(func, &body, write.to_vec());
            let op = Op::Scatter { kind, dest: from, axes: axes.clone(), body, checked };
            let op = Subst::new().clone_op(func, &op);
            out_scatter(func, Stmt { vars: vec![var], op, span }, out);
            from = var;
        }
        return;
    }
    if !is_bulk_scatter(func, dest, &axes, &body) {
        out.push(Stmt { vars, op: Op::Scatter { kind, dest, axes, body, checked }, span });
        return;
    }
    let results: Vec<Atom> = body.results.iter().skip(1).copied().collect();
    let known: Vec<Option<VarId>> = results.iter().map(|&r| whole_array(func, &axes, &body, r)).collect();
    let missing: Vec<Atom> = results.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(&r, _)| r).collect();
    let mut made = stored(func, &axes, &body, &missing, out).into_iter();
    let arrays: Vec<VarId> = known.into_iter().filter_map(|k| k.or_else(|| made.next())).collect();
    let (axes, body) = elements(func, &axes, &arrays, &[Atom::bool(true)]);
    out.push(Stmt { vars, op: Op::Scatter { kind, dest, axes, body, checked }, span });
}
