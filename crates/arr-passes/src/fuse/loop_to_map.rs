//! Loop-to-map conversion: a loop over points that only writes, each point its own place, becomes a kernel.
//!
//! ```text
//! s: [n]f64 = loop i<n (u: [n]f64 = z) {            s: [n]f64 = build i<n {
//!   k: i64 = read! lengths[i]                         k: i64 = read! lengths[i]
//!   t: f64 = reduce sum p<k { .. }              =>    t: f64 = reduce sum p<k { .. }
//!   w: [n]f64 = scatter! set u { yield true, i, t }   yield t
//!   yield w                                         }
//! }
//! ```
//!
//! `bot` writes such loops for reductions whose extents differ from point to point; when their terms have been inlined,
//! a point makes no array. Where a point stands for several axes, its index is divided (`h / m`, `h % m`), and the
//! kernel gets these axes back.
//!
//! Legal when nothing reads the elements that the loop writes, the loop writes every element, and the rest is scalar
//! code. The order of the points does not matter then, except for which of several errors comes first.
//!
//! Assumes:      a verified bulk or fused function.
//! Guarantees:   the function is fused; values and work are unchanged.
//! Cost:         O(statements x nesting depth).
//! Tests:        tests/fuse/points*.ir

use crate::analysis::{Repeats, is_scalar_code};
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::{Subst, for_each_use_in_block, has_traces};
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Prim, Scalar, ScatterKind, SizeId, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Integer scalars by their definitions.
type Defs = FxHashMap<VarId, Op>;

/// Whether anything changed.
pub(super) fn loop_to_map(func: &mut Func) -> bool {
    converted(func, Repeats::Reductions)
}

/// [`loop_to_map`], for loops without sums: in a kernel with sums of different lengths all are as long as the longest
/// where lanes run side by side.
pub(super) fn loop_to_plain_map(func: &mut Func) -> bool {
    converted(func, Repeats::Loops)
}

fn converted(func: &mut Func, repeats: Repeats) -> bool {
    let mut changed = false;
    let mut defs = Defs::default();
    rewrite_stmts(func, Enter::Control, &mut |func, stmt, out| {
        if let (Op::Prim(Prim::Mul | Prim::Max, _) | Op::Size(_), [v]) = (&stmt.op, stmt.vars.as_slice()) {
            defs.insert(*v, stmt.op.clone());
        }
        match kernel(func, &stmt, &defs, repeats) {
            Some(build) => {
                changed = true;
                out.push(build);
            }
            None => out.push(stmt),
        }
    });
    changed
}

fn kernel(func: &mut Func, stmt: &Stmt, defs: &Defs, repeats: Repeats) -> Option<Stmt> {
    let Op::Loop { axis, body, .. } = &stmt.op else { return None };
    if has_traces(&body.stmts) {
        return None;
    }
    let mut uses: FxHashMap<VarId, u32> = FxHashMap::default();
    for_each_use_in_block(func, body, &mut |v| *uses.entry(v).or_insert(0) += 1);
    let mut writes: FxHashMap<VarId, &Block> = FxHashMap::default();
    let mut code = Vec::new();
    let mut place = None;
    for inner in &body.stmts {
        let Op::Scatter { kind: ScatterKind::Set, dest, axes, body: write, checked: false } = &inner.op else {
            if !is_scalar_code(func, inner, repeats) {
                return None;
            }
            code.push(inner.clone());
            continue;
        };
        let [var] = inner.vars.as_slice() else { return None };
        let k = body.params.iter().position(|p| p == dest)?;
        let once = uses.get(dest) == Some(&1) && uses.get(var) == Some(&1);
        if !once || !axes.is_empty() || body.results.get(k) != Some(&Atom::Var(*var)) {
            return None;
        }
        let [guard, index @ .., _] = write.results.as_slice() else { return None };
        if *guard != Atom::bool(true) || !write.stmts.iter().all(|s| is_scalar_code(func, s, repeats)) {
            return None;
        }
        // All of them write to the place of the point.
        if place.get_or_insert_with(|| index.to_vec()) != index {
            return None;
        }
        code.extend(write.stmts.iter().cloned());
        writes.insert(*dest, write);
    }
    if body.params.is_empty() || writes.len() != body.params.len() {
        return None;
    }
    let index = place?;
    let dims = func.ty(*body.params.first()?).dims.clone();
    if body.params.iter().any(|&p| func.ty(p).dims != dims) {
        return None;
    }
    let values: Option<Vec<Atom>> =
        body.params.iter().map(|p| writes.get(p).and_then(|w| w.results.last().copied())).collect();
    let (axes, stmts, subst) = point(func, *axis, &index, &dims, code, defs)?;
    let mut body = Block { params: Vec::new(), stmts, results: values? };
    subst.apply_to_block(func, &mut body);
    Some(Stmt { vars: stmt.vars.clone(), op: Op::Build { axes, body }, span: stmt.span })
}

/// The axes of the kernel, its code, and the replacements of the indices there. `None` unless the index reaches every
/// element of an array of these sizes once.
fn point(
    func: &mut Func,
    axis: Axis,
    index: &[Atom],
    dims: &[SizeId],
    code: Vec<Stmt>,
    defs: &Defs,
) -> Option<(Vec<Axis>, Vec<Stmt>, Subst)> {
    let mut subst = Subst::new();
    if let ([Atom::Var(i)], [dim]) = (index, dims)
        && *i == axis.index
        && *dim == axis.extent
    {
        return Some((vec![axis], code, subst));
    }
    let whole = dims.iter().fold(Poly::constant(1), |n, &d| n.mul(func.types.poly(d)));
    if dims.len() < 2 || index.len() != dims.len() || expanded(func, func.types.poly(axis.extent), defs) != whole {
        return None;
    }
    let divided = |v: VarId| code.iter().position(|s| s.vars == [v]);
    // From the innermost axis outwards: the remainder is the index, the quotient covers the axes before.
    let (mut rest, mut chain) = (Atom::Var(axis.index), Vec::new());
    for (&i, &dim) in index.iter().zip(dims).skip(1).rev() {
        let k = divided(i.var()?)?;
        let Op::Prim(Prim::Rem, args) = &code.get(k)?.op else { return None };
        let [of, extent] = args.as_slice() else { return None };
        if *of != rest || expanded(func, &extent.poly()?, defs) != *func.types.poly(dim) {
            return None;
        }
        let quotient =
            code.iter().position(|s| matches!(&s.op, Op::Prim(Prim::Div, a) if a.as_slice() == [rest, *extent]))?;
        chain.extend([k, quotient]);
        rest = Atom::Var(*code.get(quotient)?.vars.first()?);
    }
    if index.first() != Some(&rest) {
        return None;
    }
    let axes: Vec<Axis> =
        dims.iter().map(|&extent| Axis { index: func.scalar_var("i", Scalar::I64), extent }).collect();
    for (&i, own) in index.iter().zip(&axes) {
        func.vars[own.index].name = func.name(i.var()?).to_string();
        subst.insert(i.var()?, own.index);
    }
    let kept: Vec<Stmt> =
        code.into_iter().enumerate().filter(|(k, _)| !chain.contains(k)).map(|(_, stmt)| stmt).collect();
    // Other uses of the divided index are not considered.
    let mut other = false;
    let block = Block { params: Vec::new(), stmts: kept, results: Vec::new() };
    for_each_use_in_block(func, &block, &mut |v| other |= v == axis.index);
    if other || chain.len() != 2 * (dims.len() - 1) {
        return None;
    }
    Some((axes, block.stmts, subst))
}

/// A size with products and computed sizes written out. A floor of 0 is left out: a loop over such a product of
/// negative length has no points, and neither has a kernel with an empty axis.
fn expanded(func: &Func, poly: &Poly, defs: &Defs) -> Poly {
    poly.clone().substitute(&mut |v| match defs.get(&v)? {
        Op::Size(size) => Some(expanded(func, func.types.poly(*size), defs)),
        Op::Prim(Prim::Mul, args) => {
            args.iter().try_fold(Poly::constant(1), |n, a| Some(n.mul(&expanded(func, &a.poly()?, defs))))
        }
        Op::Prim(Prim::Max, args) => match args.as_slice() {
            [Atom::Const(c), other] | [other, Atom::Const(c)] if c.as_i64() == Some(0) => {
                Some(expanded(func, &other.poly()?, defs))
            }
            _ => None,
        },
        _ => None,
    })
}
