//! Sums at computed places on a device, against the interpreter.
#![allow(clippy::print_stderr)]

use crate::on_device::{device, executable, numbers};
use arr_gpu::{Executable, GpuError};
use arr_ir::interp::Limits;
use arr_ir::{Array, Const, Data, Func, Value, interp};
use std::sync::Arc;

fn parse(text: &str) -> Func {
    arr_ir::parse_func(text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// With a guard, and one axis.
const HISTOGRAM: &str = "func histogram[n](k: i64, is: [n]i64, v: [n]f64) -> [k]f64 {
  z: [k]f64 = build b<k { yield 0.5 }
  h: [k]f64 = scatter add z, i<n {
    j: i64 = read! is[i]
    w: f64 = read! v[i]
    g: bool = gt w, 0.3
    yield g, j, w
  }
  return h
}";

/// Rows at computed places.
const ROWS: &str = "func rows[n, d](k: i64, is: [n]i64, v: [n][d]f64) -> [k][d]f64 {
  z: [k][d]f64 = build a<k, b<d { yield 1.0 }
  h: [k][d]f64 = scatter add z, i<n, c<d {
    j: i64 = read! is[i]
    w: f64 = read! v[i, c]
    yield true, j, c, w
  }
  return h
}";

const COUNTS: &str = "func counts[n](k: i64, is: [n]i64) -> [k]i64 {
  z: [k]i64 = build b<k { yield 0 }
  h: [k]i64 = scatter add z, i<n {
    j: i64 = read! is[i]
    yield true, j, 1
  }
  return h
}";

/// Into the state of a loop.
const REPEATED: &str = "func repeated[n](k: i64, is: [n]i64, v: [n]f64) -> [k]f64 {
  z: [k]f64 = build b<k { yield 0.0 }
  r: [k]f64 = loop t<3 (a: [k]f64 = z) {
    h: [k]f64 = scatter add a, i<n {
      j: i64 = read! is[i]
      w: f64 = read! v[i]
      yield true, j, w
    }
    yield h
  }
  return r
}";

fn floats(dims: &[i64]) -> Value {
    let n: i64 = dims.iter().product();
    let data = (0..n).map(|k| ((k * 7919 + 5) % 1009) as f64 / 700.0 - 0.4).collect();
    Value::Array(Arc::new(Array { dims: dims.to_vec(), data: Data::F64(data) }))
}

fn places(n: i64, k: i64) -> Value {
    let data = (0..n).map(|i| (i * i * 31 + i * 7) % k.max(1)).collect();
    Value::Array(Arc::new(Array { dims: vec![n], data: Data::I64(data) }))
}

/// The results are near the interpreter's, and the same in a second run.
fn check(func: &Func, exe: &Executable, sizes: &[i64], args: &[Value]) {
    let run =
        || exe.run(sizes, args, &Default::default()).unwrap_or_else(|e| panic!("{e}\n{}", exe.program().wgsl)).results;
    let found = run();
    let expected = interp::run(func, sizes, args, &Limits::default()).unwrap().results;
    for (found, expected) in found.iter().zip(&expected) {
        let (found, expected) = (numbers(found), numbers(expected));
        assert_eq!(found.len(), expected.len());
        for (k, (f, e)) in found.iter().zip(&expected).enumerate() {
            assert!((f - e).abs() <= 1e-12 * e.abs().max(100.0), "{} {sizes:?} at {k}: {f}, not {e}", func.name);
        }
    }
    let bits = |values: &[Value]| values.iter().flat_map(numbers).map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(&found), bits(&run()));
}

/// Numbers of places: few, so that arrays are copied, and many, so that terms are sorted.
const SIZES: [(i64, i64); 8] =
    [(0, 5), (1, 1), (255, 3), (256, 17), (1009, 1), (40_009, 64), (5_003, 100_003), (70_001, 70_001)];

#[test]
fn sums_with_one_axis() {
    let Some(device) = device() else { return };
    let func = parse(HISTOGRAM);
    let exe = executable(&func, device, |name| name.ends_with("_copies"));
    for (n, k) in SIZES {
        check(&func, &exe, &[n], &[Value::Scalar(Const::I64(k)), places(n, k), floats(&[n])]);
    }
}

#[test]
fn sums_into_the_state_of_a_loop() {
    let Some(device) = device() else { return };
    let func = parse(REPEATED);
    let exe = executable(&func, device, |name| name.ends_with("_copies"));
    for (n, k) in [(1, 1), (1009, 1), (4_009, 64)] {
        check(&func, &exe, &[n], &[Value::Scalar(Const::I64(k)), places(n, k), floats(&[n])]);
    }
}

#[test]
fn counts_are_exact() {
    let Some(device) = device() else { return };
    let func = parse(COUNTS);
    let exe = executable(&func, device, |name| name.ends_with("_terms"));
    for (n, k) in SIZES {
        check(&func, &exe, &[n], &[Value::Scalar(Const::I64(k)), places(n, k)]);
    }
}

#[test]
fn sums_of_rows() {
    let Some(device) = device() else { return };
    let func = parse(ROWS);
    let exe = executable(&func, device, |name| name.ends_with("_copies"));
    for (n, d, k) in [(0, 3, 4), (300, 0, 4), (300, 1, 1), (1000, 3, 7), (2003, 5, 33_333)] {
        check(&func, &exe, &[n, d], &[Value::Scalar(Const::I64(k)), places(n, k), floats(&[n, d])]);
    }
}

#[test]
fn a_place_outside_is_reported() {
    let Some(device) = device() else { return };
    let func = parse(COUNTS);
    let exe = executable(&func, device, |name| name.ends_with("_copies"));
    for k in [10, 100_003] {
        let mut data: Vec<i64> = (0..3000).map(|i| i % k).collect();
        data[2000] = k + 3;
        let at = Value::Array(Arc::new(Array { dims: vec![3000], data: Data::I64(data) }));
        match exe.run(&[3000], &[Value::Scalar(Const::I64(k)), at], &Default::default()) {
            Err(GpuError::Run(e)) => {
                assert_eq!(e.kind, arr_base::RunErrorKind::Index { index: k + 3, extent: k });
            }
            _ => panic!("no failure"),
        }
    }
}
