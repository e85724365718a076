//! Copies arrays so that neighbouring points of a kernel read neighbouring elements.
//!
//! ```text
//! r: [n][k]f64 = build i<n, c<k {            t: [d][k]f64 = build s<d, c<k { e = read! y[c, s]; yield e }
//!   q = reduce sum s<d {                     r: [n][k]f64 = build i<n, c<k {
//!     a = read! x[i, s]                        q = reduce sum s<d {
//!     b = read! y[c, s]                 =>       a = read! x[i, s]
//!     .. yield e }                               b = read! t[s, c]
//!   yield q }                                    .. yield e }
//!                                              yield q }
//! ```
//!
//! A sum over a short axis at every point is computed for several points side by side if their operands are contiguous.
//! The copy pays off because another axis of the kernel reads it again; it is made if the last axis has enough points,
//! which is decided at run time unless the extent is known.
//!
//! A loop whose kernels read an array at constant columns, row by row, reads columns that are copied in front of it, once.
//!
//! Assumes:      a verified fused function, simplified; nothing simplifies it afterwards, since the copy is only a view.
//! Guarantees:   the function is fused; every element is computed by the same operations in the same order.
//! Leaves alone: matrix products, kernels with other reads that move along their last axis in strides, reads that may fail.
//! Cost:         O(statements); such a kernel is duplicated.
//! Paper:        Henriksen et al., "Futhark: Purely Functional GPU-Programming with Nested Parallelism and In-Place Array
//!               Updates", section 5.2 (the transposition of arrays for coalesced access).
//! Tests:        tests/layout/

use crate::analysis::size_operand;
use crate::fuse::split_arrays;
use arr_ir::rewrite::{Enter, rewrite_blocks_outer_first, rewrite_stmts};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Func, Op, Prim, Scalar, Stmt, VarId, contractions};

/// Minimal number of points of the last axis for a copy: a few of the widest vectors.
const LEAST_POINTS: i64 = 32;

/// Arranges arrays in the order in which their readers traverse them, in place.
pub fn layout(func: &mut Func) {
    // A loop around others gets its columns before they do.
    rewrite_blocks_outer_first(func, Enter::Control, &mut |func, block| {
        for mut stmt in std::mem::take(&mut block.stmts) {
            split_arrays::of_outer_arrays(func, &mut stmt, &mut block.stmts);
            block.stmts.push(stmt);
        }
    });
    // The branches that a kernel becomes hold it once more as it was, and are not looked at.
    rewrite_stmts(func, Enter::Control, &mut self::stmt);
}

fn stmt(func: &mut Func, mut stmt: Stmt, out: &mut Vec<Stmt>) {
    if let Op::Build { axes, body } = &mut stmt.op {
        let found = transposed(func, axes, body);
        if !found.is_empty() {
            return rewrite(func, stmt, &found, out);
        }
    }
    out.push(stmt);
}

/// An array that a reduction reads along its last axis and the points read in strides, and the axis of the latter.
type Transposed = (VarId, usize);

/// The array of a kernel to be copied; nothing if that would not improve it.
fn transposed(func: &Func, axes: &[Axis], body: &Block) -> Vec<Transposed> {
    let mut found = Vec::new();
    let Some(last) = axes.last() else { return found };
    let few = func.types.poly(last.extent).as_constant().is_some_and(|n| n < LEAST_POINTS);
    let products = contractions(func, axes, body);
    if few || products.iter().any(|p| !p.rows.is_empty() && !p.columns.is_empty()) {
        return found;
    }
    for stmt in &body.stmts {
        let (Op::Reduce { axes: inner, body, .. }, [.., term_axis]) = (&stmt.op, stmt.op.axes()) else {
            // Other reads occur once per point, not once per term.
            continue;
        };
        let own = |a: &Atom| axes.iter().chain(inner).any(|axis| *a == Atom::Var(axis.index));
        for stmt in &body.stmts {
            if !stmt.op.blocks().is_empty() {
                return Vec::new();
            }
            let Op::Read { array, index, checked } = &stmt.op else { continue };
            let strides: Vec<usize> = places(index, last.index);
            let (at, end) = match (strides.as_slice(), index.len()) {
                // At one place, or contiguous.
                ([], _) => continue,
                (&[at], n) if at + 1 == n => continue,
                (&[at], n) => (at, n - 1),
                _ => return Vec::new(),
            };
            let inward = index.get(end) == Some(&Atom::Var(term_axis.index));
            let plain = index.iter().all(|a| own(a) || a.var().is_none());
            // Some axis reads it again.
            let again = axes.iter().any(|axis| places(index, axis.index).is_empty());
            if *checked || !inward || !plain || !again || !func.ty(*array).elem.is_float() {
                return Vec::new();
            }
            if !found.contains(&(*array, at)) {
                found.push((*array, at));
            }
        }
    }
    found
}

/// The positions of a variable in an index.
fn places(index: &[Atom], var: VarId) -> Vec<usize> {
    index.iter().enumerate().filter(|(_, a)| **a == Atom::Var(var)).map(|(k, _)| k).collect()
}

fn rewrite(func: &mut Func, stmt: Stmt, found: &[Transposed], out: &mut Vec<Stmt>) {
    let Op::Build { axes, body } = &stmt.op else { return out.push(stmt) };
    let Some(extent) = axes.last().map(|axis| axis.extent) else { return out.push(stmt) };
    let mut copies = Vec::new();
    let mut renamed: Vec<(Transposed, VarId)> = Vec::new();
    for &(array, at) in found {
        let (copy, made) = copy(func, array, at, stmt.span);
        copies.push(made);
        renamed.push(((array, at), copy));
    }
    if func.types.poly(extent).as_constant().is_some() {
        let (axes, mut body) = (axes.clone(), body.clone());
        redirect(&axes, &mut body, &renamed);
        out.extend(copies);
        return out.push(Stmt { op: Op::Build { axes, body }, ..stmt });
    }
    let count = size_operand(func, extent, None, out);
    let enough = func.scalar_var("enough", Scalar::Bool);
    let least = Op::Prim(Prim::Ge, vec![count, Atom::int(LEAST_POINTS)]);
    out.push(Stmt { vars: vec![enough], op: least, span: stmt.span });
    let (mut fast, slow) = (again(func, &stmt), again(func, &stmt));
    if let Some(Op::Build { axes, body }) = fast.stmts.last_mut().map(|s| &mut s.op) {
        redirect(axes, body, &renamed);
    }
    fast.stmts.splice(0..0, copies);
    let op = Op::If { cond: Atom::Var(enough), then_block: fast, else_block: slow };
    out.push(Stmt { vars: stmt.vars, op, span: stmt.span });
}

/// The array with one of its axes moved to the end.
fn copy(func: &mut Func, array: VarId, at: usize, span: Option<arr_base::Span>) -> (VarId, Stmt) {
    let name = func.name(array).to_string();
    let ty = func.ty(array).clone();
    let mut dims = ty.dims.clone();
    let moved = dims.remove(at);
    dims.push(moved);
    let mut axes: Vec<Axis> = Vec::new();
    for &extent in &dims {
        axes.push(Axis { index: func.scalar_var("t", Scalar::I64), extent });
    }
    let mut index: Vec<Atom> = axes.iter().map(|axis| Atom::Var(axis.index)).collect();
    if let Some(moved) = index.pop() {
        index.insert(at, moved);
    }
    let element = func.scalar_var(name.clone(), ty.elem);
    let read = Stmt { vars: vec![element], op: Op::Read { array, index, checked: false }, span };
    let body = Block { params: Vec::new(), stmts: vec![read], results: vec![Atom::Var(element)] };
    let array_ty = func.types.array(dims, ty.elem);
    let copy = func.var(name, array_ty);
    (copy, Stmt { vars: vec![copy], op: Op::Build { axes, body }, span })
}

/// Redirects a kernel's reads to the copies where its last axis moves.
fn redirect(points: &[Axis], body: &mut Block, renamed: &[(Transposed, VarId)]) {
    let Some(last) = points.last().map(|axis| Atom::Var(axis.index)) else { return };
    for stmt in &mut body.stmts {
        let Op::Reduce { body, .. } = &mut stmt.op else { continue };
        for stmt in &mut body.stmts {
            let Op::Read { array, index, .. } = &mut stmt.op else { continue };
            let copied = renamed.iter().find(|((from, at), _)| from == array && index.get(*at) == Some(&last));
            if let Some(&((_, at), copy)) = copied {
                let moved = index.remove(at);
                index.push(moved);
                *array = copy;
            }
        }
    }
}

/// A block that computes the kernel's results, with variables of its own.
fn again(func: &mut Func, stmt: &Stmt) -> Block {
    let block = Block {
        params: Vec::new(),
        stmts: vec![stmt.clone()],
        results: stmt.vars.iter().map(|&v| Atom::Var(v)).collect(),
    };
    Subst::new().clone_block(func, &block)
}
