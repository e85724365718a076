//! Every program in `tests/programs` is differentiated and checked three ways: reverse against forward mode by the
//! inner-product identity, both against finite differences, and the same once more for the gradient itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arr_ad::differentiate;
use arr_ir::interp::{Limits, run};
use arr_ir::walk::Subst;
use arr_ir::{Block, Edge, Func, Level, Op, Scalar, Stmt, Value, VarId, parse_func, print_func, sample, verify};
use arr_passes::bot::bot;
use arr_passes::{fuse, simplify};
use std::path::Path;

fn programs() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut all: Vec<(String, String)> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "core"))
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&p).unwrap()))
        .collect();
    all.sort();
    all
}

fn sizes(text: &str) -> Vec<i64> {
    let line = text.lines().find_map(|l| l.strip_prefix("-- sizes:")).expect("a line of sizes");
    line.split(',').map(|pair| pair.split('=').nth(1).unwrap().trim().parse().unwrap()).collect()
}

fn float_params(func: &Func) -> Vec<VarId> {
    func.params.iter().copied().filter(|&p| func.ty(p).elem.is_float()).collect()
}

/// The body of `func` as a block over fresh params for its float parameters.
fn closed_body(func: &mut Func) -> Block {
    let mut subst = Subst::new();
    let params: Vec<VarId> = float_params(func).into_iter().map(|p| subst.fresh(func, p)).collect();
    let mut body = std::mem::take(&mut func.body);
    subst.apply_to_block(func, &mut body);
    body.params = params;
    body
}

fn with_results(func: &mut Func, op: Op, types: Vec<arr_ir::TypeId>, keep: usize) {
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

fn edge(ty: &arr_ir::Type) -> Edge {
    ty.dims.iter().rev().fold(Edge::Scalar(ty.elem), |inner, &d| Edge::Array(d, Box::new(inner)))
}

/// `func`'s parameters and a seed for each float result, to the cotangents of its float parameters.
fn reverse_of(func: &Func) -> Func {
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
fn forward_of(func: &Func) -> Func {
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

fn lowered(name: &str, func: &Func) -> Func {
    verify(func, Level::Core).unwrap_or_else(|e| panic!("{name}: before AD: {e:?}\n{}", print_func(func)));
    let mut g = func.clone();
    differentiate(&mut g).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    verify(&g, Level::Core).unwrap_or_else(|e| panic!("{name}: after AD: {e:?}\n{}", print_func(&g)));
    bot(&mut g).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    verify(&g, Level::Bulk).unwrap_or_else(|e| panic!("{name}: after bot: {e:?}\n{}", print_func(&g)));
    simplify(&mut g);
    verify(&g, Level::Bulk).unwrap_or_else(|e| panic!("{name}: after simplify: {e:?}\n{}", print_func(&g)));
    fuse(&mut g);
    verify(&g, Level::Fused).unwrap_or_else(|e| panic!("{name}: after fuse: {e:?}\n{}", print_func(&g)));
    g
}

fn eval(name: &str, func: &Func, sizes: &[i64], args: &[Value]) -> Vec<Value> {
    run(func, sizes, args, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e:?}\n{}", print_func(func))).results
}

fn floats(values: &[Value]) -> Vec<f64> {
    values.iter().filter(|v| v.elem().is_float()).flat_map(|v| v.to_f64s()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn moved(args: &[Value], tangents: &[Value], h: f64) -> Vec<Value> {
    let mut directions = tangents.iter();
    args.iter()
        .map(|a| {
            if a.elem() != Scalar::F64 {
                return a.clone();
            }
            let d = directions.next().unwrap().to_f64s();
            let moved: Vec<f64> = a.to_f64s().iter().zip(&d).map(|(x, d)| x + h * d).collect();
            match a {
                Value::Scalar(_) => Value::Scalar(arr_ir::Const::F64(moved[0])),
                Value::Array(a) => Value::f64s(&a.dims, &moved),
            }
        })
        .collect()
}

fn check(name: &str, func: &Func, sizes: &[i64], differences: bool) {
    let (rev, fwd) = (lowered(name, &reverse_of(func)), lowered(name, &forward_of(func)));
    let mut primal = func.clone();
    bot(&mut primal).unwrap();
    let n = func.params.len();
    for seed in 0..3 {
        let all = sample::args(&rev, sizes, seed).unwrap();
        let (args, seeds) = all.split_at(n);
        let tangents: Vec<Value> = sample::args(&fwd, sizes, seed + 10).unwrap().split_off(n);
        let cotangents = eval(name, &rev, sizes, &all);
        let forward_args: Vec<Value> = args.iter().chain(&tangents).cloned().collect();
        let pushed = eval(name, &fwd, sizes, &forward_args);
        let left = dot(&floats(&pushed), &floats(seeds));
        let right = dot(&floats(&cotangents), &floats(&tangents));
        let scale = left.abs().max(right.abs()).max(1.0);
        assert!((left - right).abs() <= 1e-10 * scale, "{name}: <Jv, w> = {left} but <v, J'w> = {right}\n{}", print_func(&rev));
        if differences {
            let h = 1e-5;
            let up = floats(&eval(name, &primal, sizes, &moved(args, &tangents, h)));
            let down = floats(&eval(name, &primal, sizes, &moved(args, &tangents, -h)));
            let slope: Vec<f64> = up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * h)).collect();
            for (s, p) in slope.iter().zip(floats(&pushed)) {
                assert!((s - p).abs() <= 1e-5 * p.abs().max(1.0), "{name}: tangent {p}, difference {s}\n{}", print_func(&fwd));
            }
        }
    }
}

#[test]
fn first_order() {
    for (name, text) in programs() {
        let func = parse_func(&text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        check(&name, &func, &sizes(&text), !text.contains("-- skip: finite differences"));
    }
}

#[test]
fn second_order() {
    for (name, text) in programs() {
        let func = parse_func(&text).unwrap();
        let differences = !text.contains("-- skip: finite differences");
        let mut gradient = reverse_of(&func);
        differentiate(&mut gradient).unwrap();
        check(&format!("{name}, reverse"), &gradient, &sizes(&text), differences);
        let mut tangent = forward_of(&func);
        differentiate(&mut tangent).unwrap();
        check(&format!("{name}, forward"), &tangent, &sizes(&text), differences);
    }
}
