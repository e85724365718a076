//! Scans in chunks on a device, against the interpreter.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use arr_gpu::{Device, Executable, GpuError};
use arr_ir::interp::Limits;
use arr_ir::sample::Lcg;
use arr_ir::{Array, Const, Data, Func, Value, interp};
use arr_loops::LowerOptions;
use arr_wgsl::{Integers, Options};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// From nothing to many chunks.
const SIZES: [i64; 6] = [0, 1, 97, 1024, 7919, 65_537];

fn device() -> Option<&'static Arc<Device>> {
    static DEVICE: OnceLock<Option<Arc<Device>>> = OnceLock::new();
    let device = DEVICE.get_or_init(|| Device::open(None).ok());
    let device = device.as_ref().filter(|d| d.options().integers == Integers::Native && d.adapter().float64);
    if device.is_none() {
        eprintln!("SKIPPED: there is no graphics device with f64 and i64 here; see docs/gpu.md");
    }
    device
}

fn case(name: &str) -> Func {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../arr-loops/tests/scans").join(name);
    parse(&std::fs::read_to_string(path).unwrap())
}

fn parse(text: &str) -> Func {
    arr_ir::parse_func(text).unwrap_or_else(|e| panic!("{e:?}"))
}

fn executable(func: &Func, device: &Arc<Device>) -> Executable {
    let options = LowerOptions { relaxed: true, nested: true, ..LowerOptions::default() };
    let loops = arr_loops::lower_with(func, options).unwrap();
    let options = Options { storage_buffers: 16, ..device.options() };
    let program = arr_wgsl::compile(loops, &options, &|_| None).unwrap_or_else(|e| panic!("{e}"));
    assert!(program.kernels.iter().any(|(_, k)| k.name.contains("_iterations")), "{}", program.wgsl);
    Executable::new(device, program).unwrap_or_else(|e| panic!("{e}"))
}

fn run(exe: &Executable, n: i64, args: &[Value]) -> (Vec<Value>, u64) {
    match exe.run(&[n], args, &Default::default()) {
        Ok(outcome) => (outcome.results, outcome.stats.dispatches),
        Err(e) => panic!("{e}\n{}", exe.program().wgsl),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    let one =
        |c: Const| c.as_f64().or(c.as_i64().map(|i| i as f64)).unwrap_or_else(|| f64::from(u8::from(!c.is_zero())));
    match value {
        Value::Scalar(c) => vec![one(*c)],
        Value::Array(a) => (0..a.data.len()).map(|k| one(a.data.get(k).unwrap())).collect(),
    }
}

fn floats(data: Vec<f64>) -> Value {
    Value::Array(Arc::new(Array { dims: vec![data.len() as i64], data: Data::F64(data) }))
}

fn ints(data: Vec<i64>) -> Value {
    Value::Array(Arc::new(Array { dims: vec![data.len() as i64], data: Data::I64(data) }))
}

fn random(n: i64, seed: u64) -> Vec<f64> {
    let mut rng = Lcg::new(seed);
    (0..n).map(|_| (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 - 0.4).collect()
}

fn expected(func: &Func, n: i64, args: &[Value]) -> Vec<Value> {
    interp::run(func, &[n], args, &Limits::default()).unwrap().results
}

/// Each element is near the interpreter's, or the same infinity, or also no number.
fn assert_near(found: &[Value], expected: &[Value], relative: f64, what: &str) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        for (k, (found, expected)) in numbers(found).into_iter().zip(numbers(expected)).enumerate() {
            let near = (found - expected).abs() <= relative * expected.abs().max(1.0);
            let same = found == expected || found.is_nan() && expected.is_nan();
            assert!(near || same, "{what}, {k}: {found} for {expected}");
        }
    }
}

#[test]
fn exact_scans_equal_the_interpreter() {
    let Some(device) = device() else { return };
    let [max, gathered] = [case("scan_max.ir"), case("gathered.ir")];
    let [max_exe, gathered_exe] = [&max, &gathered].map(|func| executable(func, device));
    for n in SIZES {
        let at: Vec<i64> = (0..n).map(|k| (k * 7919) % n).collect();
        let values: Vec<i64> = (0..n).map(|k| (k * k) % 1013 - 2 * (n - k) % 911 - 1000).collect();
        let [at, values] = [at, values].map(ints);
        for (func, exe, args) in
            [(&max, &max_exe, vec![values.clone()]), (&gathered, &gathered_exe, vec![values.clone(), at.clone()])]
        {
            let (found, _) = run(exe, n, &args);
            assert_near(&found, &expected(func, n, &args), 0.0, &format!("{} {n}", func.name));
        }
    }
}

const GREATEST: &str = "func greatest[n](x: [n]f64) -> [n]f64, [n]f64 {
  y: [n]f64 = build i<n { yield 0.0 }
  a: f64, b: f64, p: [n]f64, q: [n]f64 = loop k<n (c: f64 = -2.0, d: f64 = 2.0, e: [n]f64 = y, f: [n]f64 = y) {
    v: f64 = read! x[k]
    g: f64 = max c, v
    h: f64 = min v, d
    u: [n]f64 = scatter! set e { yield true, k, g }
    w: [n]f64 = scatter! set f { yield true, k, h }
    yield g, h, u, w
  }
  return p, q
}";

const LINEAR: &str = "func linear[n](a: [n]f64, b: [n]f64) -> f64, [n]f64 {
  s: f64, y: [n]f64 = loop k<n (c: f64 = 1.0, e: [n]f64 = a) {
    p: f64 = read! a[k]
    q: f64 = read! b[k]
    t: f64 = mul p, c
    u: f64 = add t, q
    w: [n]f64 = scatter! set e { yield true, k, u }
    yield u, w
  }
  return s, y
}";

#[test]
fn extremes_of_floats_are_exact() {
    let Some(device) = device() else { return };
    let func = parse(GREATEST);
    let exe = executable(&func, device);
    for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
        for n in SIZES {
            let mut x = random(n, 3);
            for k in [n / 3, n - 1] {
                if let Some(x) = x.get_mut(k as usize) {
                    *x = special;
                }
            }
            let args = [floats(x)];
            assert_near(&run(&exe, n, &args).0, &expected(&func, n, &args), 0.0, &format!("{special} {n}"));
        }
    }
}

#[test]
fn scans_of_floats_are_near_the_interpreter() {
    let Some(device) = device() else { return };
    let specials = [None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY), Some(1e308)];
    for (k, func) in [case("average.ir"), case("sum_backwards.ir"), parse(LINEAR)].iter().enumerate() {
        let exe = executable(func, device);
        for n in SIZES {
            for special in specials.into_iter().filter(|s| s.is_none() || n == 7919) {
                let [mut x, y] = [random(n, 1), random(n, 2)];
                if let (Some(special), Some(x)) = (special, x.get_mut((n / 2) as usize)) {
                    *x = special;
                }
                let second = if k == 0 { Value::Scalar(Const::F64(0.125)) } else { floats(y.clone()) };
                let args = [floats(x.clone()), second];
                let (found, dispatches) = run(&exe, n, &args);
                assert_near(
                    &found,
                    &expected(func, n, &args),
                    1e-12 * n.max(1) as f64,
                    &format!("{} {n} {special:?}", func.name),
                );
                assert!(dispatches <= 16, "{}: {dispatches} dispatches", func.name);
            }
        }
    }
}

/// Steps that magnify are not summed up: a state that stays where it is stays there, though the summary of a chunk overflows.
#[test]
fn unstable_recurrences_are_as_in_order() {
    let Some(device) = device() else { return };
    let func = parse(LINEAR);
    let exe = executable(&func, device);
    let n = 20_000;
    for (ratio, offset, first) in [(2.0, -1.0, 1.0), (2.0, 0.0, 0.0), (-3.0, 4.0, 1.0), (1.5, 0.0, f64::INFINITY)] {
        let mut b = vec![offset; n];
        let mut a = vec![ratio; n];
        (a[0], b[0]) = (0.0, first);
        let args = [floats(a), floats(b)];
        assert_near(
            &run(&exe, n as i64, &args).0,
            &expected(&func, n as i64, &args),
            0.0,
            &format!("{ratio} {offset}"),
        );
    }
}

#[test]
fn a_failure_is_reported() {
    let Some(device) = device() else { return };
    let exe = executable(&case("gathered.ir"), device);
    let n = 5_000;
    let mut at: Vec<i64> = (0..n).collect();
    at[4_321] = n + 7;
    let found = exe.run(&[n], &[ints(vec![1; n as usize]), ints(at)], &Default::default());
    match found {
        Err(GpuError::Run(e)) => {
            assert_eq!(e.kind, arr_base::RunErrorKind::Index { index: n + 7, extent: n });
        }
        _ => panic!("no failure"),
    }
}
