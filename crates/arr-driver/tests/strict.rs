//! `--strict` gives the interpreter's bits: signs of zeros and positions of NaNs, in both float types, code for its
//! sizes and for all; derivatives too. Sizes that cannot be counted are E0605 everywhere.

use arr_data::Arg;
use arr_driver::{Backend, Derive, Execution, Failure, MemoryWorld, Mode, Session, with_stack};
use arr_ir::{Const, Data, Value};

/// Bodies of `f(x: T, y: T, v: [n]T, c: bool) -> T` (`T` is the float type, `Z` its zero) in which some law might lose a sign.
const BODIES: &[&str] = &[
    "Z - x",
    "x + Z",
    "Z + x",
    "x - Z",
    "x + (-Z)",
    "(-Z) + x",
    "x - (-Z)",
    "(-Z) - x",
    "x * (-ONE)",
    "x / (-ONE)",
    "ONE * x",
    "-(x - y)",
    "-(-x)",
    "-(x + y)",
    "x + (-y)",
    "x - (-y)",
    "(-x) * y",
    "(-x) * (-y)",
    "-(x * y)",
    "(-x) / y",
    "x / (-y)",
    "-(x / y)",
    "(x - y) + y",
    "x - x",
    "ONE / (Z - x)",
    "ONE / (x + Z)",
    "abs(-x)",
    "x ** 0",
    "x ** 1",
    "x ** 2",
    "x ** -1",
    "max(x, y)",
    "min(x, y)",
    "max(x, x)",
    "if c then x else Z",
    "(if c then x else Z) + Z",
    "floor(floor(x))",
    "Z - sum(v)",
    "sum(for i => -v[i])",
    "-sum(for i => v[i] - v[i])",
    "sum(for i < 1 => x)",
    "sum(for i < 2 => x)",
    "sum(sum(for i < 1, j < 1 => -x))",
    "sum(for i => sum(for j < 1 => v[i] * x))",
    "sum(for i => if c then v[i] else Z)",
    "product(for i < 1 => x)",
    "loop s = x for i < 3 do s + Z",
    "loop s = -Z for i < 3 do s + (if c then Z else x * Z)",
    "(for i => v[i] + Z)[0]",
    "(scatter_add(v, [0], [Z]))[0]",
    "(scatter_add(v, [0], [-Z]))[0]",
    "sum(v @ (for i, j < 2 => v[i] * x))",
];

const SPECIAL: &[f64] =
    &[0.0, -0.0, 1.0, -1.0, 2.5, -3.0, 1e-320, -1e-320, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

/// Bits, with all NaNs equal: the bits of a NaN are unspecified.
fn bits(values: &[Value]) -> Vec<u64> {
    let of = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    let each = |value: &Value| match value {
        Value::Scalar(c) => vec![c.as_f64().map_or(0, of)],
        Value::Array(array) => match &array.data {
            Data::F64(v) => v.iter().map(|&x| of(x)).collect(),
            Data::F32(v) => v.iter().map(|&x| of(f64::from(x))).collect(),
            other => (0..other.len()).filter_map(|i| other.get(i)).map(|c: Const| c.as_f64().map_or(0, of)).collect(),
        },
    };
    values.iter().flat_map(each).collect()
}

fn source(ty: &str) -> String {
    let suffix = if ty == "f32" { "f32" } else { "" };
    let line = |(k, body): (usize, &&str)| {
        let body = body.replace("ONE", &format!("1.0{suffix}")).replace('Z', &format!("0.0{suffix}"));
        format!("def f{k}(x: {ty}, y: {ty}, v: [n]{ty}, c: bool) -> {ty} = {body}\n")
    };
    BODIES.iter().enumerate().map(line).collect()
}

#[test]
fn strict_code_has_the_interpreters_bits() {
    with_stack(|| {
        for ty in ["f64", "f32"] {
            let source = source(ty);
            let mut session = Session::new(MemoryWorld::new([("p.arr", source.as_bytes())]));
            let wrt: Vec<String> = ["x", "y", "v"].map(str::to_string).to_vec();
            for (k, body) in BODIES.iter().enumerate() {
                for derive in [Derive::Nothing, Derive::Gradient { wrt: wrt.clone(), mode: Mode::Reverse }] {
                    compare(&mut session, k, &derive, &format!("{body} of {ty}, {derive:?}"));
                }
            }
        }
    })
    .unwrap();
}

fn compare(session: &mut Session, k: usize, derive: &Derive, what: &str) {
    let Ok(mut program) = session.program("p.arr", &format!("f{k}"), derive) else {
        panic!("{what} is no program");
    };
    let executions = [
        Execution { backend: Backend::Interp, ..Execution::default() },
        Execution { strict: true, any_size: true, threads: Some(1), ..Execution::default() },
    ];
    let [interp, strict] = executions.map(|e| program.executable(&e).unwrap_or_else(|e| panic!("{what}: {e:?}")));
    for &x in SPECIAL {
        for &y in SPECIAL {
            // Values beyond single precision are infinite there, or zero.
            let [x, y] = [x, y].map(|v| if what.contains("of f32") { f64::from(v as f32) } else { v });
            let args = [format!("{x:?}"), format!("{y:?}"), format!("[{y:?}, {x:?}]"), (x < y).to_string()];
            let args: Vec<Arg> = args.iter().map(|text| Arg::parse(&text.replace("NaN", "nan"))).collect();
            let (sizes, leaves) = session.arguments(&program, &args).unwrap_or_else(|e| panic!("{what}: {e:?}"));
            let [expected, found] = [&interp, &strict].map(|code| code.run(&sizes, &leaves).map(|(r, _)| bits(&r)));
            let (Ok(expected), Ok(found)) = (expected, found) else { panic!("{what} fails at {x}, {y}") };
            assert_eq!(found, expected, "{what} at {x}, {y}");
        }
    }
}

/// Definitions whose sizes cannot be counted at these arguments.
const LARGE: &[(&str, &str, &[&str])] = &[
    ("a", "(n: i64, m: i64) -> i64 = length(flatten(for i < n, j < m => 1.0))", &["2305843009213693953", "8"]),
    ("b", "(x: [n]f64, k: i64) -> i64 = length(concat(for i < k => 1.0, for i < k => 2.0, x))", &["[1,2]", MAX]),
    ("c", "(x: [n]f64, k: i64) -> f64 = sum(sort(concat(x, for i < k => 1.0)))", &["[1,2]", MAX]),
    ("d", "(x: [n]f64, lo: i64, hi: i64) -> f64 = sum(sort(pad(x, (lo, hi), 1.0)))", &["[1,2]", MAX, "1"]),
    ("e", "(x: [n]f64, lo: i64, hi: i64) -> i64 = length(pad(x, (lo, hi), 1.0))", &["[1,2]", "1", MAX]),
    ("f", "(x: [n]f64, lo: i64) -> i64 = length(pad(x, (lo, lo), 1.0))", &["[]", "4611686018427387904"]),
    ("g", "(k: i64) -> i64 = length(concat(for i < k => 1.0, [1.0]))", &[MAX]),
    ("h", "(x: [n]f64, k: i64) -> [8]f64 = concat(for i < k => 1.0, for i < k => 2.0, x) :> [8]f64", &["[1,2]", MAX]),
    ("i", "(n: i64) -> i64 = length(flatten(flatten(for i < n, j < n, k < n => 1.0)))", &["4294967296"]),
    ("j", "(n: i64) -> f64 = sum(flatten(for i < n, j < n => 1.0))", &["4294967296"]),
];

const MAX: &str = "9223372036854775807";

#[test]
fn sizes_that_cannot_be_counted_are_errors() {
    with_stack(|| {
        let source: String = LARGE.iter().map(|(name, rest, _)| format!("def {name}{rest}\n")).collect();
        let mut session = Session::new(MemoryWorld::new([("p.arr", source.as_bytes())]));
        let interp = Execution { backend: Backend::Interp, ..Execution::default() };
        let known = Execution::default();
        let executions = [interp, known, Execution { any_size: true, ..known }, Execution { strict: true, ..known }];
        for (name, _, args) in LARGE {
            let args: Vec<Arg> = args.iter().map(|text| Arg::parse(text)).collect();
            for execution in &executions {
                let Ok(program) = session.program("p.arr", name, &Derive::Nothing) else { panic!("{name}") };
                let Ok((sizes, leaves)) = session.arguments(&program, &args) else { panic!("{name}") };
                let ran = program.clone().executable_for(&sizes, execution).and_then(|code| code.run(&sizes, &leaves));
                let told = match &ran {
                    Err(Failure::Diagnostics(all)) => all.iter().map(|d| d.code.to_string()).collect(),
                    other => format!("{other:?}"),
                };
                assert_eq!(told, "E0605", "{name}, {execution:?}");
            }
        }
    })
    .unwrap();
}

#[test]
fn an_empty_axis_makes_sizes_countable() {
    with_stack(|| {
        let source = "def f(n: i64, m: i64) -> i64 = length(flatten(for i < n, j < n, k < m => 1.0))\n";
        let mut session = Session::new(MemoryWorld::new([("p.arr", source.as_bytes())]));
        for execution in [
            Execution { backend: Backend::Interp, ..Execution::default() },
            Execution { any_size: true, ..Execution::default() },
            Execution::default(),
        ] {
            let Ok(program) = session.program("p.arr", "f", &Derive::Nothing) else { panic!("no program") };
            let args = ["4611686018427387904", "0"].map(Arg::parse);
            let Ok((sizes, leaves)) = session.arguments(&program, &args) else { panic!("no arguments") };
            let ran = program.clone().executable_for(&sizes, &execution).and_then(|code| code.run(&sizes, &leaves));
            assert!(matches!(&ran, Ok((r, _)) if r == &[Value::Scalar(Const::I64(0))]), "{execution:?}: {ran:?}");
        }
    })
    .unwrap();
}
