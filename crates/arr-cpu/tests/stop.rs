//! A flag stops loops wherever they are: around vector kernels, in them, and in their lanes.

use arr_cpu::{CompileOptions, Compiled, Isa, Limits, compile_with, host_isa};
use arr_ir::{Const, Data, RunErrorKind, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// `n` rows, each with a loop of `k` steps; `deep` has another loop around it, and `sum` adds the results.
const PROGRAMS: &str = "
func lanes[n](x: [n]f64, k: i64) -> [n]f64 {
  for: [n]f64 = build i<n {
    v: f64 = read! x[i]
    y: f64 = loop j<k (y_1: f64 = v) {
      mul: f64 = mul y_1, 0.999
      add: f64 = add mul, v
      yield add
    }
    yield y
  }
  return for
}
func deep[n](x: [n]f64, k: i64) -> [n]f64 {
  for: [n]f64 = build i<n {
    v: f64 = read! x[i]
    z: f64 = loop h<k (z_1: f64 = v) {
      y: f64 = loop j<6 (y_1: f64 = z_1) {
        mul: f64 = mul y_1, 0.999
        add: f64 = add mul, v
        yield add
      }
      yield y
    }
    yield z
  }
  return for
}
func sum[n](x: [n]f64, k: i64) -> f64 {
  sum: f64 = reduce sum i<n {
    v: f64 = read! x[i]
    y: f64 = loop j<k (y_1: f64 = v) {
      mul: f64 = mul y_1, 0.999
      add: f64 = add mul, v
      yield add
    }
    yield y
  }
  return sum
}
";

/// The widest vectors, those of 256 bits, and those of 128.
fn sets() -> Vec<Option<Isa>> {
    let mut sets = vec![None];
    sets.extend(
        Isa::ALL.into_iter().filter(|&isa| host_isa() == Some(Isa::Avx512) || host_isa() == Some(isa)).map(Some),
    );
    sets
}

#[test]
fn long_loops_in_lanes_are_stopped() {
    for func in arr_ir::parse_funcs(PROGRAMS).unwrap() {
        for relaxed in [false, true] {
            let options = arr_loops::LowerOptions { relaxed, ..arr_loops::LowerOptions::default() };
            let loops = arr_loops::lower_with(&func, options).unwrap();
            for isa in sets() {
                let options = CompileOptions { relaxed, isa, interruptible: true, ..CompileOptions::default() };
                let compiled = compile_with(&loops, options).unwrap();
                let plain = compile_with(&loops, CompileOptions { interruptible: false, ..options }).unwrap();
                // 64 rows are one piece of a parallel loop; of 67 some are left over by vectors, and 3 are too few for one.
                for n in [64, 67, 3] {
                    let what = format!("{} {isa:?} relaxed {relaxed} n {n}", func.name);
                    check(&compiled, &plain, n, &what);
                }
            }
        }
    }
}

/// Stopped code gives the same values as other code, and ends soon when it is to stop.
fn check(compiled: &Compiled, plain: &Compiled, n: i64, what: &str) {
    let rows: Vec<f64> = (0..n).map(|i| i as f64 * 0.5).collect();
    let args = |k: i64| [Value::array(vec![n], Data::F64(rows.clone())), Value::Scalar(Const::I64(k))];
    let limits = Limits::default();
    let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    let run = |k: i64| compiled.run_stopped_by(&[n], &args(k), &limits, stop);
    let (found, meant) =
        (numbers(&run(5).unwrap().results), numbers(&plain.run(&[n], &args(5), &limits).unwrap().results));
    // Sums of relaxed code may be taken in another order.
    let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-14 * b.abs();
    assert!(found.len() == meant.len() && found.iter().zip(&meant).all(same), "{what}: {found:?} {meant:?}");
    let start = Instant::now();
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            stop.store(true, Ordering::Relaxed);
        });
        run(1 << 32).unwrap_err()
    });
    assert!(matches!(error.kind, RunErrorKind::Interrupted), "{what}: {error:?}");
    assert!(start.elapsed() < Duration::from_secs(20), "{what}");
}

/// Between the pieces of a sort the flag is looked at, and behind it.
#[test]
fn sorts_are_stopped() {
    let func = "func order[n](x: [n]f64) -> [n]i64 {\n  p: [n]i64 = argsort x\n  return p\n}\n";
    let func = arr_ir::parse_funcs(func).unwrap().remove(0);
    let loops = arr_loops::lower_with(&func, arr_loops::LowerOptions::default()).unwrap();
    let compiled = compile_with(&loops, CompileOptions { interruptible: true, ..CompileOptions::default() }).unwrap();
    let plain = compile_with(&loops, CompileOptions::default()).unwrap();
    // Larger than a piece.
    let n = 3_000_000;
    let args = [Value::array(vec![n], Data::F64((0..n).map(|i| (i * 7919 % 100_003) as f64).collect()))];
    let run = |stopped: bool| {
        let stop: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(stopped)));
        compiled.run_stopped_by(&[n], &args, &Limits::default(), stop)
    };
    assert_eq!(run(false).unwrap().results, plain.run(&[n], &args, &Limits::default()).unwrap().results);
    assert!(matches!(run(true).unwrap_err().kind, RunErrorKind::Interrupted));
}

fn numbers(values: &[Value]) -> Vec<f64> {
    let of = |value: &Value| match value {
        Value::Scalar(c) => vec![c.as_f64().unwrap()],
        Value::Array(a) => (0..a.data.len()).map(|i| a.data.get(i).unwrap().as_f64().unwrap()).collect(),
    };
    values.iter().flat_map(of).collect()
}
