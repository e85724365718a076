//! The textual form: printed text reads back as the same function, and names are made unique and legal.

use arr_ir::{
    Atom, Block, Builder, Const, Edge, Func, Level, Op, Poly, Prim, Scalar, Stmt, parse_func, parse_funcs, print_func,
    size_text, verify,
};
use std::path::PathBuf;

fn golden(dir: &str) -> Vec<PathBuf> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(dir);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

fn print_all(funcs: &[Func]) -> String {
    let texts: Vec<String> = funcs.iter().map(print_func).collect();
    texts.join("\n")
}

/// The golden files are in printed form, behind a first comment line.
#[test]
fn golden_files_print_as_they_are() {
    for path in golden("golden") {
        let text = std::fs::read_to_string(&path).unwrap();
        let funcs = parse_funcs(&text).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        let comment = text.lines().take_while(|l| l.starts_with("--")).map(|l| format!("{l}\n")).collect::<String>();
        let printed = format!("{comment}{}", print_all(&funcs));
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&path, &printed).unwrap();
            continue;
        }
        assert_eq!(printed, text, "{}", path.display());
        for func in &funcs {
            verify(func, Level::Core).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        }
    }
}

#[test]
fn names_are_made_unique_and_legal() {
    let mut b = Builder::new(Func::new("my func-tion"));
    let f64_ = b.func.types.scalar(Scalar::F64);
    for hint in ["x", "x", "x_1", "true", "", "3d", "yield", "a b", "p.mean", "x'", "nanf32", "α"] {
        let v = b.func.var(hint, f64_);
        b.func.params.push(v);
    }
    let results: Vec<Atom> = b.func.params.iter().map(|&v| v.into()).collect();
    let func = b.finish(results);
    let text = print_func(&func);
    let head = "func my_func_tion(x: f64, x_1: f64, x_1_1: f64, true_: f64, _: f64, _3d: f64, yield_: f64, a_b: f64, \
                p.mean: f64, x': f64, nanf32_: f64, α: f64)";
    assert!(text.starts_with(head), "{text}");
    assert_eq!(print_func(&parse_func(&text).unwrap()), text);
}

/// Terms of sizes are printed in the order of binding, however the variables are numbered.
#[test]
fn sizes_print_independently_of_numbering() {
    let mut func = Func::new("f");
    let late = func.scalar_var("late", Scalar::I64);
    let early = func.scalar_var("early", Scalar::I64);
    let (l, e) = (Poly::var(late), Poly::var(early));
    let size = func.types.size(l.mul(&e).sub(&e.mul(&e)).add(&l).sub(&Poly::constant(7)));
    let ty = func.types.array(vec![size], Scalar::F64);
    let x = func.var("x", ty);
    func.sizes = vec![early, late];
    func.params = vec![x];
    func.edge_result = Edge::Tuple(vec![]);
    let text = print_func(&func);
    assert!(text.contains("x: [-early*early + early*late + late - 7]f64"), "{text}");
    assert_eq!(print_func(&parse_func(&text).unwrap()), text);
    assert_eq!(size_text(&func, size), "late*early - early*early + late - 7");
}

#[test]
fn floats_read_back_the_same_bits() {
    let values =
        [0.1, -0.0, 1e16, 1e-7, 123456789.125, f64::MIN_POSITIVE, f64::MAX, 5e-324, f64::INFINITY, f64::NEG_INFINITY];
    let results: Vec<Atom> = values
        .iter()
        .flat_map(|&x| [Const::F64(x), Const::F32(x as f32)])
        .chain([Const::I64(i64::MIN), Const::I32(i32::MIN), Const::U32(u32::MAX)])
        .map(Atom::Const)
        .collect();
    let func = Builder::new(Func::new("f")).finish(results.clone());
    assert_eq!(parse_func(&print_func(&func)).unwrap().body.results, results);
}

/// Code that the verifier would reject can be printed too.
#[test]
fn ill_formed_code_prints() {
    let mut func = Func::new("f");
    let mut other = Func::new("g");
    let foreign = (0..5).map(|_| other.scalar_var("v", Scalar::F64)).last().unwrap();
    let loose = func.scalar_var("loose", Scalar::F64);
    let op = Op::Prim(Prim::Add, vec![foreign.into(), loose.into()]);
    let axis = arr_ir::Axis { index: foreign, extent: func.types.size_const(1) };
    let block = Block { params: vec![loose], stmts: vec![], results: vec![] };
    let loop_ = Op::Loop { axis, reverse: false, inits: vec![], body: block };
    func.body.stmts = vec![Stmt { vars: vec![], op, span: None }, Stmt { vars: vec![], op: loop_, span: None }];
    let text = print_func(&func);
    assert!(text.contains("add _, loose") && text.contains("loop _<1 (loose: f64 = ?)"), "{text}");
    assert!(verify(&func, Level::Core).is_err());
}

#[test]
fn text_errors_name_line_and_cause() {
    let cases: &[(&str, usize, &str)] = &[
        ("", 1, "expected one function"),
        ("def f", 1, "expected `func`"),
        ("func f(x: f64) -> f64 {\n  return y\n}", 2, "`y` is not bound"),
        ("func f(x: f64, x: f64) -> f64 { return x }", 1, "`x` is bound twice"),
        ("func f(x: f65) -> f64 { return x }", 1, "`f65` is not a scalar type"),
        ("func f(x: f64) -> f64 {\n  y: f64 = foo x\n  return y\n}", 2, "`foo` is not an operation"),
        ("func f(x: f64) -> f64 {\n  y: f64 = add x x\n  return y\n}", 2, "`x` is not an operation"),
        ("func f(x: f64) -> [2]f64 { return x }", 1, "does not return what its first line declares"),
        ("func f(x: f64) -> f64 { return x ", 1, "expected `}`"),
        ("func f(x: f64) -> f64 { return $ }", 1, "`$` begins no token"),
        ("func f() -> i64 { return 9223372036854775808 }", 1, "too large"),
        ("func f() -> i64 { return 3q }", 1, "begins no token"),
        ("func f() -> bool { return -true }", 1, "expected a number after `-`"),
        ("func f() -> () { check foo 3 return }", 1, "`foo` is not a check"),
        ("func f(x: [2]f64) -> () { y: [2]f64 = scatter mul x { yield } return }", 1, "`mul` is not a kind of scatter"),
        ("func f() -> () { y: [2]f64 = literal [1.0] return }", 1, "1 elements along an axis of size 2"),
        ("func f[n]() -> () { y: [n]f64 = literal [1.0] return }", 1, "must be numbers"),
        ("func f(x: [n]f64) -> () { return }", 1, "`n` is not bound"),
        ("func f(x", 1, "expected"),
        ("func f() -> () { if true { yield } return }", 1, "expected `else`"),
    ];
    for (text, line, message) in cases {
        match parse_func(text) {
            Ok(_) => panic!("accepted: {text}"),
            Err(e) => assert!(e.line == *line && e.message.contains(message), "{text}\n{e}"),
        }
    }
    let both = parse_funcs("func f() -> f64, f64 {\n  return a,\n b\n}").unwrap_err();
    assert!(both.iter().any(|e| e.message.contains("`a`")) && both.iter().any(|e| e.message.contains("`b`")));
}

#[test]
fn deep_nesting_is_refused_and_long_blocks_are_not() {
    let deep =
        format!("func f() -> () {{ {} yield {} return }}", "if true { ".repeat(5000), "} else { yield }".repeat(5000));
    assert!(parse_func(&deep).unwrap_err().message.contains("deep"));
    let mut long = String::from("func f(x0: f64) -> f64 {\n");
    for i in 0..20_000 {
        long.push_str(&format!("  x{}: f64 = add x{i}, 1.0\n", i + 1));
    }
    long.push_str("  return x20000\n}\n");
    assert_eq!(print_func(&parse_func(&long).unwrap()), long);
}

/// Arbitrary damage to a text gives an error or another function, never a panic.
#[test]
fn damaged_text_does_not_panic() {
    for path in golden("golden") {
        let text = std::fs::read_to_string(&path).unwrap();
        let words: Vec<&str> = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).collect();
        for skip in 0..words.len() {
            let cut: String = words.iter().enumerate().filter(|(i, _)| *i != skip).map(|(_, w)| *w).collect();
            if let Ok(funcs) = parse_funcs(&cut) {
                let printed = print_all(&funcs);
                let again = parse_funcs(&printed).unwrap_or_else(|e| panic!("{printed}\n{e:?}"));
                assert_eq!(print_all(&again), printed);
                let _verdicts: Vec<bool> = funcs.iter().map(|f| verify(f, Level::Fused).is_ok()).collect();
            }
            let _prefix = parse_funcs(&words[..skip].concat());
        }
    }
}
