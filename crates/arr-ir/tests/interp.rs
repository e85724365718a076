//! The reference interpreter: results, counts, in-place updates, limits and run-time errors.

use arr_base::{NamedSize, SizedAxis, SourceMap, Span, solve_sizes};
use arr_ir::interp::{Counts, Limits, Outcome, run};
use arr_ir::{Const, Data, Func, Level, RunError, RunErrorKind, Value, parse_func, report, verify_structure};
use std::collections::BTreeMap;

fn func(text: &str) -> Func {
    let func = parse_func(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    // Some of these tests are about accesses that cannot be proved in bounds.
    verify_structure(&func, Level::Core).unwrap_or_else(|e| panic!("{}", report(&func, &e)));
    func
}

/// The size parameters for these arguments.
fn sizes(func: &Func, args: &[Value]) -> Vec<i64> {
    let (mut given, mut axes) = (BTreeMap::new(), Vec::new());
    for (argument, (&param, arg)) in func.params.iter().zip(args).enumerate() {
        if let Value::Scalar(Const::I64(value)) = *arg {
            given.insert(param, NamedSize { value, argument });
        }
        let dims = func.ty(param).dims.iter().zip(arg.dims());
        axes.extend(dims.map(|(&size, &found)| SizedAxis {
            argument,
            size: func.types.poly(size),
            extent: Some(found),
        }));
    }
    solve_sizes(&func.sizes, given, &axes).unwrap().names
}

fn attempt(text: &str, args: &[Value], limits: &Limits) -> Result<Outcome, RunError> {
    let func = func(text);
    let sizes = sizes(&func, args);
    run(&func, &sizes, args, limits)
}

fn eval(text: &str, args: &[Value]) -> Outcome {
    attempt(text, args, &Limits::default()).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn error(text: &str, args: &[Value]) -> RunErrorKind {
    attempt(text, args, &Limits::default()).unwrap_err().kind
}

fn vector(data: &[f64]) -> Value {
    Value::f64s(&[data.len() as i64], data)
}

fn int(i: i64) -> Value {
    Value::Scalar(Const::I64(i))
}

fn float(x: f64) -> Value {
    Value::Scalar(Const::F64(x))
}

fn bool(b: bool) -> Value {
    Value::Scalar(Const::Bool(b))
}

fn ints(data: &[i64]) -> Value {
    Value::array(vec![data.len() as i64], Data::I64(data.to_vec()))
}

const MATMUL: &str = "func f[n, m, l](a: [n][m]f64, b: [m][l]f64) -> [n][l]f64 {
    c: [n][l]f64 = build i<n, j<l {
        s: f64 = reduce sum k<m {
            x: f64 = read a[i, k]
            y: f64 = read b[k, j]
            p: f64 = mul x, y
            yield p
        }
        yield s
    }
    return c
}";

#[test]
fn matrix_product_and_its_counts() {
    let a = Value::f64s(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let b = Value::f64s(&[3, 1], &[1.0, 10.0, 100.0]);
    let outcome = eval(MATMUL, &[a, b]);
    assert_eq!(outcome.results, vec![Value::f64s(&[2, 1], &[321.0, 654.0])]);
    // Six products and six additions; two points out of bounds, six in bounds.
    let counts =
        Counts { prims: 12, reads: 12, writes: 2, kernels: 1, iterations: 8, allocated_bytes: 16, peak_bytes: 16 };
    assert_eq!(outcome.counts, counts);
    assert_eq!(outcome.counts.work(), 26);
}

#[test]
fn core_code_nests() {
    let text = "func f[n](x: [n]f64) -> [n][n]f64, [n][2]i64 {
        y: [n][n]f64, z: [n][2]i64 = build i<n {
            row: [n]f64 = build j<n {
                a: f64 = read x[i]
                b: f64 = read x[j]
                c: f64 = sub a, b
                yield c
            }
            l: [2]i64 = literal [7, 8]
            u: [2]i64 = scatter set l { yield true, 0, i }
            yield row, u
        }
        return y, z
    }";
    let outcome = eval(text, &[vector(&[1.0, 4.0])]);
    let expected = Value::array(vec![2, 2], Data::I64(vec![0, 8, 1, 8]));
    assert_eq!(outcome.results, vec![Value::f64s(&[2, 2], &[0.0, -3.0, 3.0, 0.0]), expected]);
    assert_eq!(outcome.counts.kernels, 1);
}

#[test]
fn reductions() {
    let text = |kind: &str, elem: &str, result: &str| {
        format!(
            "func f[n](x: [n]{elem}) -> {result} {{
                s: {result} = reduce {kind} i<n {{
                    a: {elem} = read x[i]
                    yield a
                }}
                return s
            }}"
        )
    };
    let float_of = |kind: &str, data: &[f64]| {
        let Outcome { results, .. } = eval(&text(kind, "f64", "f64"), &[vector(data)]);
        results[0].to_f64s()[0]
    };
    let index_of = |kind: &str, data: &[f64]| eval(&text(kind, "f64", "i64"), &[vector(data)]).results[0].clone();
    let nan = f64::NAN;
    assert_eq!((float_of("sum", &[]), float_of("product", &[])), (0.0, 1.0));
    assert_eq!((float_of("sum", &[1.0, 2.5]), float_of("product", &[2.0, 2.5])), (3.5, 5.0));
    assert_eq!((float_of("max", &[1.0, 3.0, 2.0]), float_of("min", &[2.0, 1.0, 3.0])), (3.0, 1.0));
    assert!(float_of("max", &[1.0, nan, 2.0]).is_nan() && float_of("min", &[nan, 2.0]).is_nan());
    // The first of equal elements: zeros of opposite sign are equal.
    assert!(float_of("max", &[-0.0, 0.0]).is_sign_negative() && float_of("min", &[0.0, -0.0]).is_sign_positive());
    assert_eq!((index_of("argmax", &[1.0, 3.0, 3.0]), index_of("argmin", &[2.0, 1.0, 1.0])), (int(1), int(1)));
    assert_eq!((index_of("argmax", &[1.0, nan, 9.0, nan]), index_of("argmin", &[1.0, nan, 0.0])), (int(1), int(1)));
    assert_eq!(index_of("argmax", &[f64::NEG_INFINITY]), int(0));
    let bools = |data: &[bool]| Value::array(vec![data.len() as i64], Data::Bool(data.to_vec()));
    let logical = |kind: &str, data: &[bool]| eval(&text(kind, "bool", "bool"), &[bools(data)]).results[0].clone();
    assert_eq!((logical("any", &[]), logical("all", &[])), (bool(false), bool(true)));
    assert_eq!((logical("any", &[false, true]), logical("all", &[false, true])), (bool(true), bool(false)));
    for kind in ["max", "min"] {
        assert_eq!(error(&text(kind, "f64", "f64"), &[vector(&[])]), RunErrorKind::EmptyReduction);
    }
    for kind in ["argmax", "argmin"] {
        assert_eq!(error(&text(kind, "f64", "i64"), &[vector(&[])]), RunErrorKind::EmptyReduction);
    }
}

#[test]
fn triangular_axes() {
    let text = "func f(n: i64) -> i64 {
        s: i64 = reduce sum i<n, j<i + 1, k<j - 3 { yield 1 }
        t: i64 = reduce sum a<n, b<a { yield b }
        u: i64 = add s, t
        return u
    }";
    // No point where an extent is negative: 1 point at i=4, and sum of a(a-1)/2.
    assert_eq!(eval(text, &[int(5)]).results, vec![int(1 + 1 + 3 + 6)]);
}

#[test]
fn loops_run_both_ways() {
    let text = "func f[n](x: [n]i64) -> i64, i64, i64 {
        a: i64, prev: i64 = loop i<n (s: i64 = 0, p: i64 = -1) {
            t: i64 = mul s, 10
            v: i64 = read x[i]
            u: i64 = add t, v
            yield u, s
        }
        b: i64 = loop reverse j<n (r: i64 = 0) {
            c: i64 = mul r, 10
            w: i64 = read x[j]
            d: i64 = add c, w
            yield d
        }
        return a, prev, b
    }";
    assert_eq!(eval(text, &[ints(&[1, 2, 3])]).results, vec![int(123), int(12), int(321)]);
    assert_eq!(eval(text, &[ints(&[])]).results, vec![int(0), int(-1), int(0)]);
    assert_eq!(eval(text, &[ints(&[1, 2, 3])]).counts.iterations, 6);
}

#[test]
fn branches_are_lazy() {
    let text = "func f[n](x: [n]f64, k: i64) -> f64 {
        c: bool = lt k, n
        y: f64 = if c {
            a: f64 = read x[k]
            yield a
        } else { yield -1.0 }
        return y
    }";
    assert_eq!(eval(text, &[vector(&[5.0]), int(0)]).results, vec![float(5.0)]);
    let outcome = eval(text, &[vector(&[5.0]), int(7)]);
    assert_eq!((outcome.results, outcome.counts.reads), (vec![float(-1.0)], 0));
}

#[test]
fn scatters_in_order() {
    let text = "func f[n, m](x: [n]f64, at: [m]i64) -> [n]f64, [n]f64 {
        s: [n]f64 = scatter set x, i<m {
            a: i64 = read at[i]
            v: f64 = f64 i
            g: bool = ne a, 9
            yield g, a, v
        }
        t: [n]f64 = scatter! add x, j<m {
            b: i64 = read at[j]
            h: bool = ne b, 9
            yield h, b, 1.0
        }
        return s, t
    }";
    let outcome = eval(text, &[vector(&[10.0, 20.0]), ints(&[1, 1, 9, 0, 1])]);
    assert_eq!(outcome.results, vec![vector(&[3.0, 4.0]), vector(&[11.0, 23.0])]);
    // Both copy the argument, two elements each, and write four.
    assert_eq!(outcome.counts.writes, 12);
    let shared = "func f(x: [2]f64) -> [2]f64, [2]f64 {
        y: [2]f64 = scatter set x { yield true, 0, 5.0 }
        z: [2]f64 = scatter set y { yield true, 1, 6.0 }
        return y, z
    }";
    let outcome = eval(shared, &[vector(&[1.0, 2.0])]);
    assert_eq!(outcome.results, vec![vector(&[5.0, 2.0]), vector(&[5.0, 6.0])]);
}

/// An axis of 2^62 points before an empty one, also with one between them that is as long as an index says.
#[test]
fn long_axes_of_empty_kernels_are_not_walked() {
    let long = 1i64 << 62;
    let text = "func f(k: i64, m: i64, x: [2]f64) -> f64, [k][m]f64, [2]f64 {
        s: f64 = reduce sum i<k, j<m { yield 1.0 }
        a: [k][m]f64 = build i_1<k, j_1<m { yield 1.0 }
        y: [2]f64 = scatter add x, i_2<k, j_2<m { yield true, 0, 1.0 }
        return s, a, y
    }";
    let none = eval(text, &[int(long), int(0), vector(&[1.0, 2.0])]);
    assert_eq!(none.results[0], float(0.0));
    assert_eq!(none.results[1].dims(), [long, 0]);
    assert_eq!(none.results[2], vector(&[1.0, 2.0]));
    let some = eval(text, &[int(3), int(2), vector(&[1.0, 2.0])]);
    assert_eq!((&some.results[0], &some.results[2]), (&float(6.0), &vector(&[7.0, 2.0])));
    let triangle = "func f(k: i64, m: i64) -> f64 {
        s: f64 = reduce sum i<m, j<i, l<k { yield 1.0 }
        return s
    }";
    assert_eq!(eval(triangle, &[int(1), int(4)]).results, [float(6.0)]);
    assert_eq!(eval(triangle, &[int(0), int(long)]).results, [float(0.0)]);
}

/// Reads inside the body of a scatter see the array before the scatter.
#[test]
fn scatter_bodies_see_the_old_array() {
    let text = "func f(k: i64) -> [3]f64 {
        x: [3]f64 = build i<3 {
            a: f64 = f64 i
            yield a
        }
        y: [3]f64 = scatter set x, j<2 {
            b: f64 = read x[j]
            l: i64 = add j, 1
            yield true, l, b
        }
        return y
    }";
    assert_eq!(eval(text, &[int(0)]).results, vec![vector(&[0.0, 0.0, 1.0])]);
}

fn writes_of_loop(n: usize, body: &str) -> u64 {
    let text = format!(
        "func f[n](x: [n]f64, c: bool) -> [n]f64 {{
            y: [n]f64 = build i0<n {{ yield 0.0 }}
            z: [n]f64 = loop i<n (acc: [n]f64 = y) {{
                {body}
            }}
            return z
        }}"
    );
    eval(&text, &[vector(&vec![0.0; n]), bool(true)]).counts.writes
}

#[test]
fn updates_of_dead_arrays_are_in_place() {
    let n = 50u64;
    let set = "r: [n]f64 = scatter set acc { yield true, i, 1.0 }\nyield r";
    let branch = "r: [n]f64 = if c {
            s: [n]f64 = scatter set acc { yield true, i, 1.0 }
            yield s
        } else { yield acc }
        yield r";
    let nested = "r: [n]f64 = loop j<2 (in: [n]f64 = acc) {
            s: [n]f64 = scatter add in { yield true, j, 1.0 }
            t: [n]f64 = stop_gradient s
            yield t
        }
        yield r";
    let two = "r: [n]f64 = scatter set acc { yield true, i, 1.0 }
        v: f64 = read r[i]
        s: [n]f64 = scatter set r { yield true, i, v }
        yield s";
    for (body, per_step) in [(set, 1), (branch, 1), (nested, 2), (two, 2)] {
        assert_eq!(writes_of_loop(n as usize, body), n + n * per_step, "{body}");
    }
    // Read after the update: the old array is needed, so every step copies.
    let needed = "r: [n]f64 = scatter set acc { yield true, i, 1.0 }
        v: f64 = read acc[i]
        s: [n]f64 = scatter set r { yield true, i, v }
        yield s";
    assert_eq!(writes_of_loop(n as usize, needed), n + n * (n + 2));
    // The initial value is needed after the loop, so it is copied once.
    let text = "func f[n](x: [n]f64) -> [n]f64, [n]f64 {
        y: [n]f64 = build i0<n { yield 0.0 }
        z: [n]f64 = loop i<n (acc: [n]f64 = y) {
            r: [n]f64 = scatter set acc { yield true, i, 1.0 }
            yield r
        }
        return y, z
    }";
    assert_eq!(eval(text, &[vector(&vec![0.0; 50])]).counts.writes, 3 * n);
}

#[test]
fn swapping_loop_state_keeps_both() {
    let text = "func f(n: i64) -> [2]i64, [2]i64 {
        a: [2]i64 = literal [1, 2]
        b: [2]i64 = literal [3, 4]
        c: [2]i64, d: [2]i64 = loop i<n (p: [2]i64 = a, q: [2]i64 = b) {
            u: [2]i64 = scatter set q { yield true, 0, i }
            yield u, p
        }
        return c, d
    }";
    assert_eq!(eval(text, &[int(3)]).results, vec![ints(&[2, 4]), ints(&[1, 2])]);
    let twice = "func f(n: i64) -> [2]i64, [2]i64 {
        a: [2]i64 = literal [1, 2]
        c: [2]i64, d: [2]i64 = loop i<n (p: [2]i64 = a, q: [2]i64 = a) {
            u: [2]i64 = scatter add p { yield true, 0, 10 }
            yield u, u
        }
        return c, d
    }";
    assert_eq!(eval(twice, &[int(2)]).results, vec![ints(&[21, 2]), ints(&[21, 2])]);
}

#[test]
fn reshapes_and_sizes() {
    let text = "func f[n](x: [n][2]f64, k: i64) -> [2*n]f64, [k]f64, i64 {
        y: [2*n]f64 = reshape x
        z: [k]f64 = reshape x
        s: i64 = size n*n + 3*k - 1
        return y, z, s
    }";
    let x = Value::f64s(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let flat = vector(&[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(eval(text, &[x.clone(), int(4)]).results, vec![flat.clone(), flat, int(15)]);
    assert_eq!(error(text, &[x, int(5)]), RunErrorKind::SizeAssertion { found: 4, expected: 5 });
}

#[test]
fn run_time_errors() {
    let read = "func f[n](x: [n]f64, k: i64) -> f64 {
        y: f64 = read x[k]
        return y
    }";
    let x = vector(&[1.0, 2.0]);
    assert_eq!(error(read, &[x.clone(), int(2)]), RunErrorKind::Index { index: 2, extent: 2 });
    assert_eq!(error(read, &[x.clone(), int(-1)]), RunErrorKind::Index { index: -1, extent: 2 });
    let unchecked = read.replace("read", "read!");
    assert!(matches!(error(&unchecked, &[x.clone(), int(2)]), RunErrorKind::Internal(_)));
    let scatter = "func f[n](x: [n]f64, k: i64) -> [n]f64 {
        y: [n]f64 = scatter set x { yield true, k, 0.0 }
        return y
    }";
    assert_eq!(error(scatter, &[x, int(7)]), RunErrorKind::Index { index: 7, extent: 2 });
    for op in ["div", "rem"] {
        let text = format!("func f(a: i64, b: i64) -> i64 {{\nc: i64 = {op} a, b\nreturn c\n}}");
        assert_eq!(error(&text, &[int(1), int(0)]), RunErrorKind::DivisionByZero);
    }
    let build = "func f(k: i64) -> [k]f64 {
        y: [k]f64 = build i<k { yield 0.0 }
        return y
    }";
    // A negative extent counts as empty; where a program uses one for an array there is a check.
    assert_eq!(eval(build, &[int(-3)]).results.iter().map(|v| v.dims().to_vec()).collect::<Vec<_>>(), [[0]]);
}

#[test]
fn checks() {
    let check = |text: &str, args: &[i64]| {
        let names: Vec<String> = (0..args.len()).map(|i| format!("a{i}: i64")).collect();
        let uses: Vec<String> = (0..args.len()).map(|i| format!("a{i}")).collect();
        let text = format!("func f({}) -> () {{\ncheck {text} {}\nreturn\n}}", names.join(", "), uses.join(", "));
        let args: Vec<Value> = args.iter().map(|&i| int(i)).collect();
        attempt(&text, &args, &Limits::default()).err().map(|e| e.kind)
    };
    assert_eq!(check("index", &[0, 1]), None);
    assert_eq!(check("index", &[1, 1]), Some(RunErrorKind::Index { index: 1, extent: 1 }));
    assert_eq!(check("index", &[-1, 1]), Some(RunErrorKind::Index { index: -1, extent: 1 }));
    assert_eq!(check("size_eq", &[3, 3]), None);
    assert_eq!(check("size_eq", &[3, 4]), Some(RunErrorKind::SizeAssertion { found: 3, expected: 4 }));
    assert_eq!(check("size_non_neg", &[0]), None);
    assert_eq!(check("size_non_neg", &[-1]), Some(RunErrorKind::NegativeSize { size: -1 }));
    assert_eq!(check("non_empty", &[1]), None);
    assert_eq!(check("non_empty", &[0]), Some(RunErrorKind::EmptyReduction));
    assert_eq!(check("slice", &[0, 0, 0]), None);
    assert_eq!(check("step", &[1]), None);
    assert_eq!(check("step", &[0]), Some(RunErrorKind::Step { step: 0 }));
    for (lo, hi, extent) in [(-1, 0, 2), (2, 1, 2), (0, 3, 2)] {
        assert_eq!(check("slice", &[lo, hi, extent]), Some(RunErrorKind::Slice { lo, hi, extent }));
    }
}

#[test]
fn errors_have_the_span_of_their_statement() {
    let mut func = func(
        "func f[n](x: [n]f64) -> [n]f64 {
            y: [n]f64 = build i<n {
                v: f64 = read x[9]
                yield v
            }
            return y
        }",
    );
    let file = SourceMap::new().add("a.arr", "text");
    let (outer, inner) = (Span::new(file, 0, 4), Span::new(file, 1, 2));
    func.body.stmts[0].span = Some(outer);
    let args = [vector(&[1.0])];
    assert_eq!(run(&func, &[1], &args, &Limits::default()).unwrap_err().span, Some(outer));
    for block in func.body.stmts[0].op.blocks_mut() {
        block.stmts[0].span = Some(inner);
    }
    assert_eq!(run(&func, &[1], &args, &Limits::default()).unwrap_err().span, Some(inner));
}

#[test]
fn limits() {
    let text = "func f(n: i64) -> i64 {
        s: i64 = loop i<n (a: i64 = 0) {
            t: i64 = loop j<2 (b: i64 = a) { yield j }
            yield t
        }
        return s
    }";
    let steps = |max_steps| attempt(text, &[int(5)], &Limits { max_steps: Some(max_steps), max_bytes: None });
    assert!(steps(15).is_ok());
    assert_eq!(steps(14).unwrap_err().kind, RunErrorKind::TooManySteps { limit: 14 });
    let build = "func f(n: i64, m: i64) -> f64 {
        y: [n][m]f64 = build i<n, j<m { yield 0.0 }
        return 1.0
    }";
    let memory = |n, m, max_bytes| attempt(build, &[int(n), int(m)], &Limits { max_steps: None, max_bytes });
    assert!(memory(2, 5, Some(80)).is_ok());
    let kind = memory(2, 5, Some(79)).unwrap_err().kind;
    assert_eq!(kind, RunErrorKind::OutOfMemory { bytes: 80, limit: 79 });
    // Sizes that overflow are caught before anything is allocated, with and without a limit.
    for limit in [None, Some(1 << 40)] {
        for (n, m) in [(1 << 40, 1 << 40), (i64::MAX, 1), (1 << 60, 1)] {
            assert!(matches!(memory(n, m, limit).unwrap_err().kind, RunErrorKind::OutOfMemory { .. }));
        }
    }
    // An array without elements takes no memory and no time, however long its other axes.
    assert!(memory(1 << 60, 0, Some(0)).is_ok() && memory(0, 1 << 60, Some(0)).is_ok());
}

/// Dead arrays are freed: a long loop runs within the memory of one step.
#[test]
fn dead_arrays_are_not_held() {
    let text = "func f[n](x: [n]f64, k: i64) -> [n]f64 {
        y: [n]f64 = loop i<k (a: [n]f64 = x) {
            b: [n]f64 = build j<n {
                u: f64 = read a[j]
                yield u
            }
            c: [n]f64 = build l<n {
                v: f64 = read b[l]
                yield v
            }
            yield c
        }
        return y
    }";
    let limits = Limits { max_steps: None, max_bytes: Some(3 * 80) };
    let outcome = attempt(text, &[vector(&[0.0; 10]), int(100)], &limits).unwrap();
    assert_eq!(outcome.counts.allocated_bytes, 100 * 2 * 80);
}

#[test]
fn long_blocks_do_not_use_the_stack() {
    let mut text = String::from("func f(x0: f64) -> f64 {\n");
    for i in 0..50_000 {
        text.push_str(&format!("x{}: f64 = add x{i}, 1.0\n", i + 1));
    }
    text.push_str("return x50000\n}\n");
    let outcome = eval(&text, &[float(0.0)]);
    assert_eq!((outcome.results, outcome.counts.prims), (vec![float(50_000.0)], 50_000));
}

#[test]
fn arguments_are_checked() {
    let func = func("func f[n](x: [n]f64) -> [n]f64 { return x }");
    let internal = |sizes: &[i64], args: &[Value]| {
        let error = run(&func, sizes, args, &Limits::default()).unwrap_err();
        assert!(matches!(error.kind, RunErrorKind::Internal(_)), "{error:?}");
    };
    internal(&[], &[vector(&[1.0])]);
    internal(&[1], &[]);
    internal(&[2], &[vector(&[1.0])]);
    internal(&[1], &[float(1.0)]);
    internal(&[1], &[ints(&[1])]);
}

/// Code that the verifier would reject gives an error, not a panic.
#[test]
fn ill_formed_code_is_an_internal_error() {
    for text in [
        "func f(c: bool) -> f64 {\nif c { a: f64 = neg 1.0 yield } else { yield }\nreturn a\n}",
        "func f(c: bool) -> f64 {\na: f64 = add c, 1.0\nreturn a\n}",
        "func f(c: bool) -> f64 {\na: f64 = read c[0]\nreturn a\n}",
        "func f(c: bool) -> f64 {\na: f64 = if 1.0 { yield 1.0 } else { yield 1.0 }\nreturn a\n}",
        "func f(c: bool) -> f64 {\na: f64 = loop i<3 (x: f64 = 1.0) { yield }\nreturn a\n}",
        "func f(c: bool) -> f64 {\na: f64 = reduce sum i<3 { yield c }\nreturn a\n}",
        "func f(c: bool) -> [3]f64 {\na: [3]f64 = build i<3 { yield c }\nreturn a\n}",
        "func f(c: bool) -> f64 {\na: f64, b: f64 = jvp (q: f64 = 1.0 ~ 1.0) { yield q }\nreturn a\n}",
        "func f(c: bool) -> f64 {\na: f64 = scatter set c { yield 3 }\nreturn a\n}",
        "func f(c: bool) -> f64 {\na: f64 = add c\nreturn a\n}",
    ] {
        let func = parse_func(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let Err(error) = run(&func, &[], &[bool(false)], &Limits::default()) else { panic!("{text}") };
        assert!(matches!(error.kind, RunErrorKind::Internal(_)), "{text}\n{error:?}");
    }
}

const HALVE: &str = "func f[n](x: f64, v: [n]f64) -> f64, i64, [n]f64 {
    y: f64, k: i64, w: [n]f64 = while (a: f64 = x, i: i64 = 0, u: [n]f64 = v) {
        c: bool = gt a, 1.0
        yield c
    } do (b: f64, j: i64, t: [n]f64) {
        d: f64 = div b, 2.0
        e: i64 = add j, 1
        f: [n]f64 = scatter set t { yield true, 0, d }
        yield d, e, f
    }
    return y, k, w
}";

#[test]
fn while_runs_until_its_condition_fails_and_updates_in_place() {
    let outcome = eval(HALVE, &[float(8.0), vector(&[9.0, 9.0])]);
    assert_eq!(outcome.results, vec![float(1.0), int(3), vector(&[1.0, 9.0])]);
    // The argument is shared with the caller: one copy of two elements, then one write per iteration.
    assert_eq!(outcome.counts.writes, 2 + 3);
    assert_eq!(outcome.counts.iterations, 3 + 3);
    let none = eval(HALVE, &[float(0.5), vector(&[9.0])]);
    assert_eq!(none.results, vec![float(0.5), int(0), vector(&[9.0])]);
    let limits = Limits { max_steps: Some(2), max_bytes: None };
    let error = attempt(HALVE, &[float(8.0), vector(&[9.0])], &limits).unwrap_err().kind;
    assert_eq!(error, RunErrorKind::TooManySteps { limit: 2 });
}

#[test]
fn argsort_is_stable_along_the_last_axis_with_nans_last() {
    let text = "func f[n, m](x: [n][m]f64) -> [n][m]i64 { y: [n][m]i64 = argsort x return y }";
    let x = Value::f64s(&[2, 4], &[3.0, f64::NAN, -1.0, 3.0, 0.0, -0.0, f64::NEG_INFINITY, 5.0]);
    let expected = Value::array(vec![2, 4], Data::I64(vec![2, 0, 3, 1, 2, 0, 1, 3]));
    assert_eq!(eval(text, &[x]).results, vec![expected]);
    let empty = Value::f64s(&[2, 0], &[]);
    assert_eq!(eval(text, &[empty]).results, vec![Value::array(vec![2, 0], Data::I64(Vec::new()))]);
}

#[test]
fn a_declared_derivative_does_not_change_the_value() {
    let text = "func f(x: f64) -> f64 {
        y: f64 = custom (a: f64 = x) { c: f64 = mul a, a yield c } rule (d: f64, e: f64, g: f64) { yield 0.0 }
        return y
    }";
    assert_eq!(eval(text, &[float(3.0)]).results, vec![float(9.0)]);
}

#[test]
fn a_barrier_hands_its_operands_on_without_a_copy() {
    let text = "func f(x: f64) -> [3]f64, f64 {
        v: [3]f64 = build i<3 { yield x }
        w: [3]f64, y: f64 = barrier v, x
        u: [3]f64 = scatter! set w { yield true, 0, 1.0 }
        return u, y
    }";
    let outcome = eval(text, &[float(2.0)]);
    assert_eq!(outcome.results, vec![vector(&[1.0, 2.0, 2.0]), float(2.0)]);
    assert_eq!(outcome.counts.allocated_bytes, 24);
}
