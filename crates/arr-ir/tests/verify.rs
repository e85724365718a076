//! The verifier: for every rule, programs that follow it and programs that break it.
//!
//! A case in `tests/verify` begins with `-- ok [LEVEL]: why` or `-- error [LEVEL]: part of a message`.

use arr_ir::{
    Atom, Block, Builder, Const, Edge, Func, Level, Literal, Op, Prim, Scalar, Stmt, VarId, has_derivatives,
    parse_func, report, verify,
};
use std::path::PathBuf;
use std::sync::Arc;

struct Case {
    accept: bool,
    level: Level,
    message: String,
    text: String,
}

fn cases(file: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in file.lines() {
        let accept = line.starts_with("-- ok");
        if accept || line.starts_with("-- error") {
            let (head, message) = line.split_once(": ").unwrap();
            let level = match head.rsplit(' ').next().unwrap() {
                "bulk" => Level::Bulk,
                "fused" => Level::Fused,
                _ => Level::Core,
            };
            cases.push(Case { accept, level, message: message.to_string(), text: String::new() });
        } else {
            let case = cases.last_mut().unwrap();
            case.text.push_str(line);
            case.text.push('\n');
        }
    }
    cases
}

#[test]
fn every_rule_accepts_and_rejects() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/verify");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let cases = cases(&std::fs::read_to_string(&path).unwrap());
        assert!(cases.iter().any(|c| c.accept) && cases.iter().any(|c| !c.accept), "{}", path.display());
        for case in cases {
            let at = format!("{}: {}", path.display(), case.message);
            let func = parse_func(&case.text).unwrap_or_else(|e| panic!("{at}\n{e}"));
            match verify(&func, case.level) {
                Ok(()) => assert!(case.accept, "{at}\naccepted:\n{}", case.text),
                Err(errors) => {
                    let text = report(&func, &errors);
                    assert!(!case.accept, "{at}\n{text}");
                    assert!(errors.iter().any(|e| e.message.contains(&case.message)), "{at}\n{text}");
                }
            }
        }
    }
}

/// Code accepted at a level is accepted at every less restrictive level.
#[test]
fn levels_are_ordered() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/verify");
    for entry in std::fs::read_dir(dir).unwrap() {
        for case in cases(&std::fs::read_to_string(entry.unwrap().path()).unwrap()).iter().filter(|c| c.accept) {
            let func = parse_func(&case.text).unwrap();
            assert_eq!(verify(&func, Level::Core), Ok(()), "{}", case.message);
        }
    }
}

fn rejects(func: &Func, message: &str) {
    let errors = verify(func, Level::Core).expect_err(message);
    assert!(errors.iter().any(|e| e.message.contains(message)), "{}", report(func, &errors));
}

fn stmt(vars: Vec<VarId>, op: Op) -> Stmt {
    Stmt { vars, op, span: None }
}

/// A function of one `f64` parameter `x`, whose edge is not described.
fn unary() -> (Func, VarId) {
    let mut func = Func::new("f");
    let x = func.scalar_var("x", Scalar::F64);
    func.params = vec![x];
    (func, x)
}

// Faults that the text cannot express.

#[test]
fn a_variable_is_bound_once() {
    let (mut func, x) = unary();
    func.body.stmts = vec![stmt(vec![x], Op::Prim(Prim::Neg, vec![x.into()]))];
    rejects(&func, "`x` is bound twice");
}

#[test]
fn ids_are_of_the_function() {
    let (mut func, x) = unary();
    let mut other = Func::new("g");
    let foreign = (0..9).map(|_| other.scalar_var("v", Scalar::F64)).last().unwrap();
    func.body.stmts = vec![stmt(vec![], Op::StopGradient(foreign.into()))];
    rejects(&func, "v8 is not a variable of the function");
    func.body.stmts = vec![stmt(vec![foreign], Op::StopGradient(x.into()))];
    rejects(&func, "v8 is not a variable of the function");
    func.body.stmts = Vec::new();
    func.body.results = vec![foreign.into()];
    rejects(&func, "v8 is not a variable of the function");
    let size = func.types.size_var(foreign);
    func.body.results = Vec::new();
    func.body.stmts = vec![stmt(vec![], Op::Size(size))];
    rejects(&func, "v8 is not a variable of the function");
}

#[test]
fn only_loops_and_derivatives_have_params() {
    let (mut func, _) = unary();
    let p = func.scalar_var("p", Scalar::F64);
    let block = || Block { params: vec![p], stmts: vec![], results: vec![] };
    let op = Op::If { cond: Atom::bool(true), then_block: block(), else_block: Block::default() };
    func.body.stmts = vec![stmt(vec![], op)];
    rejects(&func, "a block of `if` has params");
    func.body.stmts = Vec::new();
    func.body.params = vec![p];
    rejects(&func, "the function's body has params");
}

#[test]
fn indices_and_size_parameters_are_integers() {
    let (mut func, _) = unary();
    let index = func.scalar_var("i", Scalar::F64);
    let axis = arr_ir::Axis { index, extent: func.types.size_const(3) };
    func.body.stmts = vec![stmt(vec![], Op::Build { axes: vec![axis], body: Block::default() })];
    rejects(&func, "the index `i` is f64, not i64");
    func.body.stmts = Vec::new();
    func.sizes = vec![index];
    rejects(&func, "the size parameter `i` is f64, not i64");
}

#[test]
fn literals_fill_their_shape() {
    let (mut func, _) = unary();
    let three = func.types.size_const(3);
    let ty = func.types.array(vec![three], Scalar::F64);
    let v = func.var("v", ty);
    let literal = |dims: Vec<i64>, count: usize| {
        Op::Literal(Arc::new(Literal { elem: Scalar::F64, dims, data: vec![Const::F64(0.0); count] }))
    };
    func.body.stmts = vec![stmt(vec![v], literal(vec![3], 2))];
    rejects(&func, "2 elements do not fill the shape [3]");
    func.body.stmts = vec![stmt(vec![v], literal(vec![-1, -3], 3))];
    rejects(&func, "do not fill the shape");
    func.body.stmts = vec![stmt(vec![v], literal(vec![i64::MAX, 3], 3))];
    rejects(&func, "do not fill the shape");
    func.body.stmts = vec![stmt(vec![v], literal(vec![1, 3], 3))];
    rejects(&func, "the result does not have the shape [1, 3] of f64");
    func.body.stmts = vec![stmt(vec![v], literal(vec![3], 3))];
    assert_eq!(verify(&func, Level::Core), Ok(()));
}

#[test]
fn edges_are_the_leaves() {
    let mut func = parse_func("func f[n](x: [n]f64, c: f64) -> [n]f64 { return x }").unwrap();
    let good = func.clone();
    func.edge_params.swap(0, 1);
    rejects(&func, "the edge has parameters (f64, [n]f64) for ([n]f64, f64)");
    func = good.clone();
    func.edge_result = Edge::Scalar(Scalar::F64);
    rejects(&func, "the edge has results (f64) for ([n]f64)");
    func = good.clone();
    func.edge_params.clear();
    assert_eq!(verify(&func, Level::Core), Ok(()));
    // Records count leaf by leaf.
    func = good;
    func.edge_params.truncate(1);
    let array = func.edge_params[0].ty.clone();
    func.edge_params[0].ty =
        Edge::Record(vec![("x".into(), array.clone()), ("c".into(), Edge::Tuple(vec![Edge::Scalar(Scalar::F64)]))]);
    func.edge_result = Edge::Tuple(vec![Edge::Tuple(vec![]), array]);
    assert_eq!(verify(&func, Level::Core), Ok(()));
}

#[test]
fn all_violations_are_reported() {
    let text = "func f(x: f64) -> f64 {
        a: i64 = neg x
        b: f64 = add x, 1
        if 3 { yield } else { yield }
        return b
    }";
    let func = parse_func(text).unwrap();
    let errors = verify(&func, Level::Core).unwrap_err();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(report(&func, &errors).contains("func f(x: f64)"));
}

#[test]
fn builders_make_well_formed_code() {
    let mut func = Func::new("f");
    let n = func.scalar_var("n", Scalar::I64);
    let size = func.types.size_var(n);
    let ty = func.types.array(vec![size], Scalar::F64);
    let x = func.var("x", ty);
    func.sizes = vec![n];
    func.params = vec![x];
    func.edge_result = Edge::Array(size, Box::new(Edge::Scalar(Scalar::F64)));
    let mut b = Builder::new(func);
    let (i, axis) = b.axis("i", size);
    b.open();
    let v = b.read(x, vec![i]);
    let w = b.prim(Prim::Mul, vec![v, v]).unwrap();
    let body = b.close(vec![w]);
    let y = b.build(vec![axis], body, "y");
    let func = b.finish(vec![y[0].into()]);
    assert_eq!(verify(&func, Level::Fused), Ok(()));
    assert!(!has_derivatives(&func));
}

#[test]
fn derivatives_are_found_at_any_depth() {
    let text = "func f[n]() -> () {
        build i<n {
            y: f64, d: f64 = jvp (q: f64 = 1.0 ~ 1.0) { yield q }
            yield
        }
        return
    }";
    assert!(has_derivatives(&parse_func(text).unwrap()));
}
