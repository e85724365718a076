//! Derivatives of whole functions, for the tests.
#![allow(dead_code, reason = "each test uses its part")]

use arr_ir::walk::Subst;
use arr_ir::{Block, Edge, Func, Op, Stmt, VarId};

pub fn float_params(func: &Func) -> Vec<VarId> {
    func.params.iter().copied().filter(|&p| func.ty(p).elem.is_float()).collect()
}

/// The body of `func` as a block over fresh params for its float parameters.
pub fn closed_body(func: &mut Func) -> Block {
    let mut subst = Subst::new();
    let params: Vec<VarId> = float_params(func).into_iter().map(|p| subst.fresh(func, p)).collect();
    let mut body = std::mem::take(&mut func.body);
    subst.apply_to_block(func, &mut body);
    body.params = params;
    body
}

pub fn with_results(func: &mut Func, op: Op, types: Vec<arr_ir::TypeId>, keep: usize) {
    let vars: Vec<VarId> = types.into_iter().map(|t| func.var("r", t)).collect();
    func.body.results = vars.iter().skip(keep).map(|&v| v.into()).collect();
    func.body.stmts = vec![Stmt { vars, op, span: None }];
    let edges = func.body.results.clone().iter().map(|&a| edge(&func.atom_ty(a))).collect();
    func.edge_result = Edge::Tuple(edges);
    func.edge_params = func
        .params
        .iter()
        .map(|&p| arr_ir::EdgeParam { name: func.name(p).to_string(), ty: edge(func.ty(p)), text: String::new() })
        .collect();
}

pub fn edge(ty: &arr_ir::Type) -> Edge {
    ty.dims.iter().rev().fold(Edge::Scalar(ty.elem), |inner, &d| Edge::Array(d, Box::new(inner)))
}

/// `func`'s parameters and a seed for each float result, to the cotangents of its float parameters.
pub fn reverse_of(func: &Func) -> Func {
    let mut g = func.clone();
    g.name = format!("{}_vjp", func.name);
    let inputs: Vec<VarId> = float_params(&g);
    let body = closed_body(&mut g);
    let mut types = Vec::new();
    let mut seeds = Vec::new();
    for &r in &body.results {
        let ty = g.atom_ty(r);
        let id = g.types.ty(ty.clone());
        types.push(id);
        if ty.elem.is_float() {
            let seed = g.var("seed", id);
            g.params.push(seed);
            seeds.push(seed.into());
        }
    }
    let keep = types.len();
    types.extend(inputs.iter().map(|&p| g.type_id(p)));
    let op = Op::Vjp { inputs: inputs.iter().map(|&p| p.into()).collect(), seeds, body };
    with_results(&mut g, op, types, keep);
    g
}

/// `func`'s parameters and a tangent for each float one, to the tangents of its float results.
pub fn forward_of(func: &Func) -> Func {
    let mut g = func.clone();
    g.name = format!("{}_jvp", func.name);
    let inputs: Vec<VarId> = float_params(&g);
    let body = closed_body(&mut g);
    let tangents: Vec<VarId> = inputs.iter().map(|&p| g.var("tangent", g.type_id(p))).collect();
    g.params.extend(&tangents);
    let mut types = Vec::new();
    for &r in &body.results {
        let ty = g.atom_ty(r);
        types.push(g.types.ty(ty));
    }
    let keep = types.len();
    for &r in &body.results {
        if g.is_float(r) {
            let ty = g.atom_ty(r);
            types.push(g.types.ty(ty));
        }
    }
    let op = Op::Jvp {
        inputs: inputs.iter().map(|&p| p.into()).collect(),
        tangents: tangents.iter().map(|&t| t.into()).collect(),
        body,
    };
    with_results(&mut g, op, types, keep);
    g
}
