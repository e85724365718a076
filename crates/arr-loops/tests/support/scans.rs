//! Scans and arguments for them, for the tests of back ends.
#![allow(clippy::unwrap_used, clippy::panic)]

use arr_ir::interp::{self, Limits};
use arr_ir::sample::Lcg;
use arr_ir::{Array, Data, Func, Value};
use std::path::Path;
use std::sync::Arc;

/// A program of the golden tests of `arr-loops`.
pub fn case(name: &str) -> Func {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../arr-loops/tests/scans").join(name);
    parse(&std::fs::read_to_string(path).unwrap())
}

pub fn parse(text: &str) -> Func {
    arr_ir::parse_func(text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The greatest and the least so far.
pub const GREATEST: &str = "func greatest[n](x: [n]f64) -> [n]f64, [n]f64 {
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

/// A linear recurrence.
pub const LINEAR: &str = "func linear[n](a: [n]f64, b: [n]f64) -> f64, [n]f64 {
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

pub fn floats(data: Vec<f64>) -> Value {
    Value::Array(Arc::new(Array { dims: vec![data.len() as i64], data: Data::F64(data) }))
}

pub fn ints(data: Vec<i64>) -> Value {
    Value::Array(Arc::new(Array { dims: vec![data.len() as i64], data: Data::I64(data) }))
}

/// Numbers in `-0.4 .. 0.6`.
pub fn random(n: i64, seed: u64) -> Vec<f64> {
    let mut rng = Lcg::new(seed);
    (0..n).map(|_| (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 - 0.4).collect()
}

/// What the interpreter gives.
pub fn expected(func: &Func, n: i64, args: &[Value]) -> Vec<Value> {
    interp::run(func, &[n], args, &Limits::default()).unwrap().results
}

/// Recurrences whose steps magnify: ratio, offset and first state.
pub const UNSTABLE: [(f64, f64, f64); 4] =
    [(2.0, -1.0, 1.0), (2.0, 0.0, 0.0), (-3.0, 4.0, 1.0), (1.5, 0.0, f64::INFINITY)];

/// The arguments of [`LINEAR`] that make such a recurrence.
pub fn recurrence(n: usize, (ratio, offset, first): (f64, f64, f64)) -> [Value; 2] {
    let (mut a, mut b) = (vec![ratio; n], vec![offset; n]);
    (a[0], b[0]) = (0.0, first);
    [floats(a), floats(b)]
}

/// Numbers for [`GREATEST`], some of them special.
pub fn extremes(n: i64, special: f64) -> [Value; 1] {
    let mut x = random(n, 3);
    for k in [n / 3, n - 1] {
        if let Some(x) = x.get_mut(k as usize) {
            *x = special;
        }
    }
    [floats(x)]
}
