//! The shadow evaluator: every case of the golden tests, after lowering and after every pass, gives the interpreter's
//! results without faults; and faulty functions are detected.

use crate::goldens;
use arr_ir::{Const, Func, Value, interp, sample};
use arr_loops::{LowerOptions, ShadowFault, ShadowOptions, ShadowStop, parse, shadow, shadow_steps};

/// Sizes around the limits between few and many points.
fn size_lists(count: usize) -> Vec<Vec<i64>> {
    let few: &[i64] = &[0, 1, 3];
    let mut lists: Vec<Vec<i64>> = few.iter().map(|&n| vec![n; count]).collect();
    let mixed = [2, 0, 17, 1];
    for start in 0..mixed.len() {
        lists.push((0..count).map(|k| mixed[(start + k) % mixed.len()]).collect());
    }
    lists.sort();
    lists.dedup();
    lists
}

/// The allowed difference between sums in another order, relative to the largest.
fn near(a: &Value, b: &Value) -> bool {
    let tolerance = if a.elem() == arr_ir::Scalar::F32 { 1e-5 } else { 1e-12 };
    let (x, y) = (a.to_f64s(), b.to_f64s());
    let largest = x.iter().map(|v| v.abs()).filter(|v| v.is_finite()).fold(1.0, f64::max);
    let close = |(x, y): (&f64, &f64)| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= tolerance * largest;
    a.dims() == b.dims() && a.elem() == b.elem() && x.iter().zip(&y).all(close)
}

fn bits(value: &Value) -> (Vec<i64>, Vec<u64>) {
    let one = |c: Const| if c.as_f64().is_some_and(f64::is_nan) { u64::MAX } else { c.bits() };
    let elements = match value {
        Value::Scalar(c) => vec![one(*c)],
        Value::Array(a) => (0..a.data.len()).filter_map(|i| a.data.get(i)).map(one).collect(),
    };
    (value.dims().to_vec(), elements)
}

/// Relaxed or not, in blocks or not, and in how many chunks.
type Way = (bool, bool, usize);

const WAYS: [Way; 4] = [(false, true, 3), (true, false, 1), (true, true, 1), (true, true, 3)];

/// Runs a function in several ways and returns the number of runs.
fn agree(
    (name, func): (&str, &Func),
    (sizes, args): (&[i64], &[Value]),
    ways: &[Way],
    complaints: &mut Vec<String>,
) -> usize {
    let meant = interp::run(func, sizes, args, &interp::Limits::default());
    // The case is for other sizes: it leaves out checks that do not hold for these.
    if matches!(&meant, Err(error) if matches!(error.kind, arr_ir::RunErrorKind::Internal(_))) {
        return 0;
    }
    let mut runs = 0;
    for &(relaxed, blocks, chunks) in ways {
        let lowering = LowerOptions { relaxed, blocks, ..LowerOptions::default() };
        let options = ShadowOptions { chunks, ..ShadowOptions::default() };
        let alike = |a: &Value, b: &Value| if relaxed { near(a, b) } else { bits(a) == bits(b) };
        let mut check = |step: &str, run: arr_loops::ShadowRun| {
            runs += 1;
            let at = format!("{name} {sizes:?} relaxed {relaxed} blocks {blocks} chunks {chunks} after {step}");
            complaints.extend(run.faults.iter().map(|fault| format!("{at}: {fault}")));
            let same = match (&meant, &run.results) {
                (Ok(meant), Ok(found)) => {
                    meant.results.len() == found.len() && meant.results.iter().zip(found).all(|(a, b)| alike(a, b))
                }
                (Err(meant), Err(ShadowStop::Failed(found))) => meant.kind == found.kind,
                _ => false,
            };
            if !same {
                complaints.push(format!("{at}: {:?} is not {meant:?}", run.results));
            }
        };
        shadow_steps(func, lowering, (sizes, args), &options, &mut |step, _, run| check(step, run)).unwrap();
    }
    runs
}

#[test]
fn every_case_after_every_pass() {
    let (mut runs, mut complaints) = (0, Vec::new());
    for path in goldens::files("ir") {
        let func = arr_ir::parse_func(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let count = func.sizes.len();
        let mut calls: Vec<(Vec<i64>, &[Way])> = size_lists(count).into_iter().map(|s| (s, &WAYS[..])).collect();
        let folder = path.parent().unwrap().file_name().unwrap();
        // Products that are worth a call, and more points than a block has.
        if folder == "products" {
            calls.push((vec![17; count], &WAYS[2..3]));
        } else if folder == "strip_mine" {
            calls.push(((0..count).map(|k| if k == 0 { 1_030 } else { 2 }).collect(), &WAYS[3..]));
        }
        for (sizes, ways) in calls {
            let Some(args) = sample::args(&func, &sizes, 1 + sizes.len() as u64) else { continue };
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            runs += agree((&name, &func), (&sizes, &args), ways, &mut complaints);
        }
    }
    assert!(
        complaints.is_empty(),
        "{} complaints\n{}",
        complaints.len(),
        complaints[..complaints.len().min(40)].join("\n")
    );
    assert!(runs > 5_000, "{runs}");
}

/// The faults of a function with this body, of an array `x` of three numbers.
fn faults(body: &str, result: &str) -> Vec<ShadowFault> {
    let text = format!("loops f[n: i64](x: buffer f64 [n]) {{\n{body}\nreturn {result}\n}}\n");
    let func = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    shadow(&func, &[3], &[Value::f64s(&[3], &[1.0, 2.0, 3.0])], &ShadowOptions::default()).faults
}

#[track_caller]
fn found(body: &str, result: &str, with: &str) {
    let faults: Vec<String> = faults(body, result).iter().map(ToString::to_string).collect();
    assert!(faults.iter().any(|fault| fault.contains(with)), "{body}\n{faults:?}");
}

#[track_caller]
fn clean(body: &str, result: &str) {
    assert_eq!(faults(body, result), Vec::new(), "{body}");
}

#[test]
fn elements() {
    found("let d: address f64 = data x\nlet a: f64 = load d[3]", "a", "element 3 of `x`, which has 3, is loaded");
    found("let d: address f64 = data x\nlet a: f64 = load d[-1]", "a", "element -1 of `x`");
    let fresh = "let b: buffer f64 = alloc [n]\nlet d: address f64 = data b";
    found(&format!("{fresh}\nlet a: f64 = load d[1]\nrelease b"), "a", "loaded before it is stored");
    found(&format!("{fresh}\nstore d[n] = 1.0\nrelease b"), "1.0", "which has 3, is stored");
    found(&format!("{fresh}\nstore d[0] = 1.0"), "b [n]", "loaded before it is stored");
    clean(&format!("{fresh}\nfor i < n {{\nstore d[i] = 1.0\n}}"), "b [n]");
}

#[test]
fn references() {
    found("let b: buffer f64 = alloc [n]", "1.0", "references to `b` are left");
    found("let b: buffer f64 = alloc [0]\nrelease b\nrelease b", "1.0", "released once too often");
    found(
        "let b: buffer f64 = alloc [n]\nlet d: address f64 = data b\nrelease b\nstore d[0] = 1.0",
        "1.0",
        "last reference",
    );
    found("let d: address f64 = data x\nstore d[0] = 1.0", "1.0", "something else holds");
    clean("retain x\nlet b: buffer f64 = unique x\nlet d: address f64 = data b\nstore d[0] = 1.0", "b [n]");
}

#[test]
fn parallel_loops() {
    let body = |inside: &str, mark: &str| {
        format!(
            "retain x\nlet b: buffer f64 = unique x\nlet d: address f64 = data b\nfor i < n parallel{mark} {{\n{inside}\n}}"
        )
    };
    clean(&body("store d[i] = 1.0", ""), "b [n]");
    found(&body("store d[0] = 1.0", ""), "b [n]", "iterations 0 and 1 of a parallel loop meet at element 0");
    found(&body("let a: f64 = load d[0]\nstore d[i] = a", ""), "b [n]", "meet at element 0");
    let add = "let a: f64 = load d[0]\nlet s: f64 = add a, 1.0\nstore d[0] = s";
    found(&body(add, ""), "b [n]", "meet");
    clean(&body(add, " adding to b at d"), "b [n]");
    let flag = |text: &str| format!("let ok: bool = {text}\n{}", body(add, " if ok"));
    clean(&flag("eq n, 2"), "b [n]");
    found(&flag("eq n, 3"), "b [n]", "meet");
}

/// One array under two names in a kernel, which a back end takes for two arrays.
#[test]
fn names() {
    let body = "retain x\nlet b: buffer f64 = unique x\nlet c: buffer f64 = b\nlet d: address f64 = data b\n\
                let e: address f64 = data c\nfor i < n {\nlet a: f64 = load e[i]\nstore d[i] = a\n}";
    found(body, "b [n]", "stored as one of `b` and reached as one of `c`");
    clean(&body.replace("load e[i]", "load d[i]"), "b [n]");
}

#[test]
fn sizes_and_products() {
    found("let m: i64 = mul n, 9223372036854775807\nlet b: buffer f64 = alloc [m]", "b [m]", "a size wrapped around");
    let product = "retain x\nlet b: buffer f64 = unique x\nlet d: address f64 = data b\nlet e: address f64 = data x\n\
                   matmul d = LEFT, e {\nrow 1 by 1, 1, 0\ninner n by 0, 1, 1\n}";
    clean(&product.replace("LEFT", "e"), "b [n]");
    found(&product.replace("LEFT", "d"), "b [n]", "a matrix product writes elements of `b` that it reads");
}
