//! Demotion to single precision: every `f64` of a function becomes an `f32`.
//!
//! - **What**: types of variables, parameters and results, constants (rounded to the nearest), array constants, and
//!   conversions: `f64(x)` becomes `f32(x)`.
//! - **Example**: `def f(x: f64) -> f64 = x * 0.1` becomes `def f(x: f32) -> f32 = x * 0.1f32`.
//! - **Assumes** core IR, before differentiation, so that derivatives are those of the narrow program.
//! - **Guarantees** that no `f64` is left.
//! - **Leaves alone** integers, booleans, `f32`, and the declared types of the interface.
//! - **Cost**: one walk over the function.
//! - A constant beyond the range of `f32` becomes infinite, one below it zero.

use arr_ir::rewrite::for_each_block_mut;
use arr_ir::{Atom, Block, Const, Edge, Func, Literal, Op, Prim, Scalar, Type, convert};
use std::sync::Arc;

/// Makes every `f64` an `f32`.
pub fn demote_f64(func: &mut Func) {
    let ids: Vec<_> = func.vars.ids().collect();
    for v in ids {
        let ty = func.ty(v).clone();
        if ty.elem == Scalar::F64 {
            func.vars[v].ty = func.types.ty(Type { elem: Scalar::F32, dims: ty.dims });
        }
    }
    for param in &mut func.edge_params {
        edge(&mut param.ty);
    }
    edge(&mut func.edge_result);
    for_each_block_mut(&mut func.body, &mut demote_block);
}

fn edge(ty: &mut Edge) {
    match ty {
        Edge::Scalar(elem) if *elem == Scalar::F64 => *elem = Scalar::F32,
        Edge::Scalar(_) => {}
        Edge::Array(_, inner) => edge(inner),
        Edge::Tuple(items) => items.iter_mut().for_each(edge),
        Edge::Record(fields) => fields.iter_mut().for_each(|(_, field)| edge(field)),
        Edge::Sum { constructors, .. } => constructors.iter_mut().flat_map(|(_, fields)| fields).for_each(edge),
    }
}

fn constant(c: Const) -> Const {
    if c.scalar() == Scalar::F64 { convert(c, Scalar::F32) } else { c }
}

fn atom(a: Atom) -> Atom {
    match a {
        Atom::Const(c) => Atom::Const(constant(c)),
        Atom::Var(_) => a,
    }
}

fn demote_block(block: &mut Block) {
    for stmt in &mut block.stmts {
        stmt.op.map_operands(&mut atom);
        match &mut stmt.op {
            Op::Prim(prim, _) if *prim == Prim::ToF64 => *prim = Prim::ToF32,
            Op::Literal(literal) if literal.elem == Scalar::F64 => {
                let data = literal.data.iter().map(|&c| constant(c)).collect();
                *literal = Arc::new(Literal { elem: Scalar::F32, dims: literal.dims.clone(), data });
            }
            _ => {}
        }
    }
    for result in &mut block.results {
        *result = atom(*result);
    }
}
