//! 64-bit integers on a device that has 32 bits: a program gives the interpreter's results, or stops with an error.
#![allow(clippy::print_stderr)]

use crate::common;
use crate::on_device::{device, lowered};
use arr_gpu::{Device, Executable, GpuError};
use arr_ir::interp::{self, Limits};
use arr_ir::{Const, Data, Func, Value};
use arr_wgsl::program::LARGEST;
use arr_wgsl::{Integers, Options};
use std::sync::Arc;

/// A program on a device, with narrow integers whatever the device has.
struct Narrow {
    func: Func,
    exe: Executable,
}

/// The outcome of a run.
enum Found {
    /// The interpreter's results.
    Same,
    /// This value does not fit.
    Stopped(i64),
    Other(String),
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Found::Same => write!(f, "the right results"),
            Found::Stopped(value) => write!(f, "stopped by {value}"),
            Found::Other(what) => write!(f, "{what:.300}"),
        }
    }
}

impl Narrow {
    fn new(source: &str, device: &Arc<Device>) -> Narrow {
        let func = common::fused(source, "main");
        let options = Options { integers: Integers::Narrow, ..device.options() };
        let program =
            arr_wgsl::compile(lowered(&func), &options, &|_| None).unwrap_or_else(|e| panic!("{source}\n{e}"));
        let exe = Executable::new(device, program).unwrap_or_else(|e| panic!("{source}\n{e}"));
        Narrow { func, exe }
    }

    fn expected(&self, sizes: &[i64], args: &[Value]) -> Vec<Value> {
        interp::run(&self.func, sizes, args, &Limits::default()).unwrap_or_else(|e| panic!("{e:?}")).results
    }

    fn run(&self, sizes: &[i64], args: &[Value]) -> Found {
        let expected = self.expected(sizes, args);
        match self.exe.run(sizes, args, &Limits::default()) {
            Ok(found) if found.results == expected => Found::Same,
            Ok(found) => Found::Other(format!("{:?} instead of {expected:?}", found.results)),
            Err(GpuError::Range { value, .. }) => Found::Stopped(value),
            Err(e) => Found::Other(format!("{e}")),
        }
    }
}

fn ints(v: &[i64]) -> Value {
    Value::array(vec![v.len() as i64], Data::I64(v.to_vec()))
}

fn first(values: &[Value]) -> i64 {
    let c = match values.first() {
        Some(Value::Scalar(c)) => *c,
        Some(Value::Array(a)) => a.data.get(0).unwrap(),
        None => panic!("no result"),
    };
    c.as_i64().unwrap_or(0)
}

const EDGES: [i64; 16] =
    [0, 1, -1, 2, -3, 31, 33, -64, 46_340, 46_341, -65_536, 1 << 30, LARGEST - 1, LARGEST, 1 - LARGEST, -LARGEST];

/// The requirement on an expression.
#[derive(Clone, Copy, PartialEq)]
enum Demand {
    /// Results that fit are returned, and others are named.
    Named,
    /// Results that fit are returned.
    Given,
    /// An intermediate result may not fit.
    Right,
}

use Demand::{Given, Named, Right};

/// Operators by an expression of `a` and `b`.
const OPERATORS: &[(&str, Demand)] = &[
    ("a + b", Named),
    ("a - b", Named),
    ("a * b", Named),
    ("a * 1000000", Named),
    ("0 - a - b - 7", Right),
    ("if b == 0 then a else a / b", Named),
    ("if b == 0 then a else a % b", Named),
    ("-a", Named),
    ("abs(a)", Named),
    ("sign(a)", Named),
    ("min(a, b)", Named),
    ("max(a, b)", Named),
    ("a ** (b % 70)", Right),
    ("a ** -3", Named),
    ("shl(a, b)", Right),
    ("shr(a, b)", Named),
    ("bit_and(a, b)", Named),
    ("bit_or(a, b)", Named),
    ("bit_xor(a, b)", Named),
    ("select(a < b, a, b)", Named),
    ("i64(i32(a)) + b", Named),
    ("i64(u32(a))", Named),
    ("i64(a == b) - i64(a <= b)", Named),
    ("i64(f64(a) * f64(b))", Named),
    ("i64(f64(a) * 1e300 * f64(b))", Named),
    ("i64(f32(a) / 3.0f32)", Named),
    ("i64(f32(a) * f32(b))", Named),
    // The start of a mixing function: constants and products of 64 bits.
    ("bit_xor(a, shr(a, 30)) * -4658895280553007687", Right),
    ("if a == 12345 then a * -4658895280553007687 else b", Named),
    ("if a > 46340 then 0 else if a < 0 then b else a * a", Named),
    ("if abs(a) < 4 then b else 7 - abs(b) / 2 * 5 / 4 - i64(f64(a) * 1e18)", Given),
    ("if a < 5 then b else 5000000000", Named),
    ("select(a < 5, b, 5000000000)", Named),
    ("bit_and(a, 4294967295)", Right),
    ("min(a, 9223372036854775807) + b", Named),
];

#[test]
fn operators_are_right_or_stop() {
    let Some(device) = device() else { return };
    let mut wrong = Vec::new();
    for &(text, demand) in OPERATORS {
        let source =
            format!("def main(x: [n]i64, y: [n]i64) -> [n]i64 = for i < n => let a = x[i] in let b = y[i] in {text}");
        let program = Narrow::new(&source, device);
        for &a in &EDGES {
            for &b in &EDGES {
                let args = [ints(&[a]), ints(&[b])];
                let want = first(&program.expected(&[1], &args));
                let fits = (-LARGEST..=LARGEST).contains(&want);
                match program.run(&[1], &args) {
                    Found::Same if fits => {}
                    Found::Stopped(found) if !fits && (demand != Named || found == want) => {}
                    Found::Stopped(_) if demand == Right => {}
                    found => wrong.push(format!("{text} for {a}, {b}: {found}, expected {want}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// Programs, sizes and arguments: `Some(true)` if they must give the interpreter's results, `Some(false)` if they must
/// stop.
fn programs() -> Vec<(&'static str, Vec<i64>, Vec<Value>, bool)> {
    let scalar = |i: i64| Value::Scalar(Const::I64(i));
    let many = |n: i64, of: &dyn Fn(i64) -> i64| ints(&(0..n).map(of).collect::<Vec<_>>());
    let sum = "def main(x: [n]i64) -> i64 = sum(x)";
    let running = "def main(x: [n]i64) -> [n]i64 = cumsum(x)";
    let product = "def main(x: [n]i64) -> i64 = product(x)";
    let add_at = "def main(x: [n]i64, at: [n]i64, k: i64) -> [k]i64 = scatter_add(zeros(k), at, x)";
    let extremes = "def main(x: [n]i64) -> (i64, i64, i64, i64) = (maximum(x), minimum(x), argmax(x), argmin(x))";
    let doubled = "def main(x: [n]i64) -> [n]i64 = for a in x => loop x = a while x > 0 do x * 2";
    let hosts = "def main(k: i64) -> i64 = loop x = k while x > 0 do x * 2";
    let index = "def main(x: [n]i64, k: i64) -> [n]i64 = for i < n => i * k + x[i]";
    let guarded = "def main(x: [n]f64, k: i64) -> [n]f64 = for i < n => if i + k < n then x[i] else 0.0";
    let number = "def main(x: [n][m]f64) -> [n][m]i64 = for i < n, j < m => i * m + j";
    let least = "def main(x: [n]i64) -> i64 = reduce(max, -9223372036854775807 - 1, x)";
    let bounded = "def main(x: [n]i64) -> i64 = reduce(min, 9223372036854775807, x) - 1";
    let nearest = "def main(x: [n]i64) -> (i64, i64) =
      loop (best, at) = (9223372036854775807, -1) for i < n do if x[i] < best then (x[i], i) else (best, at)";
    let state = "def main(x: [n]f64, k: i64) -> ([n]f64, i64) =
      loop (x, k) = (x, k) for i < 20 do (for j < n => x[j] * 0.5 + x[n - 1 - j] + f64(k % 7), k * 5 + 1)";
    let host = "def main(k: i64, x: [n]i64) -> [n]i64 = let r = k / 1000000 in for i < n => x[i] + r * 2";
    let far = "def main(x: [n]f64, k: i64) -> f64 = sum(for i < n => if i < 5 then x[i] else f64(k * k))";
    let counted = "def main(k: i64) -> i64 = loop s = 0 for i < k do s + i";
    let ordered = "def main(x: [n]i64) -> ([n]i64, [n]i64) = (sort(x), argsort(x))";
    let hash = "def main(x: [n]u32) -> [n]u32 = for a in x => (bit_xor(a, shr(a, 16u32))) * 2146121005u32";
    let float = "def main(x: [n]f64, k: i64) -> [n]f64 = for a in x => a ** k + f64(k) + f64(f32(k))";
    let edges: Vec<i64> = EDGES.to_vec();
    let words = Value::array(vec![3], Data::U32(vec![0, u32::MAX, 123_456_789]));
    vec![
        (sum, vec![3], vec![ints(&[LARGEST, -5, -4])], true),
        (sum, vec![2], vec![ints(&[LARGEST, 1])], false),
        (sum, vec![50_000], vec![many(50_000, &|i| (i % 7) * 5000)], true),
        (sum, vec![50_000], vec![many(50_000, &|i| i * 40_000)], false),
        (running, vec![3], vec![ints(&[LARGEST, -5, 4])], true),
        (running, vec![2], vec![ints(&[LARGEST, 1])], false),
        (running, vec![9_000], vec![many(9_000, &|i| i % 1000 - 400)], true),
        (running, vec![9_000], vec![many(9_000, &|i| i * 40_000)], false),
        (product, vec![4], vec![ints(&[46_341, 46_340, -1, 1])], true),
        (product, vec![3], vec![ints(&[46_341, 46_341, -1])], false),
        (product, vec![40_000], vec![many(40_000, &|i| 1 - i % 2 * 2)], true),
        (add_at, vec![3], vec![ints(&[LARGEST, -5, 4]), ints(&[1, 1, 1]), scalar(2)], true),
        (add_at, vec![2], vec![ints(&[LARGEST, 5]), ints(&[1, 1]), scalar(2)], false),
        (add_at, vec![5_000], vec![many(5_000, &|i| i * 100), many(5_000, &|i| i % 3), scalar(3)], true),
        (add_at, vec![5_000], vec![many(5_000, &|i| i * 1_000), many(5_000, &|i| i % 3), scalar(3)], false),
        (add_at, vec![5_000], vec![many(5_000, &|i| i), many(5_000, &|i| i * 77 % 90_000), scalar(90_000)], true),
        (add_at, vec![5_000], vec![many(5_000, &|_| 1 << 30), many(5_000, &|i| i / 2), scalar(90_000)], false),
        (extremes, vec![16], vec![ints(&edges)], true),
        (extremes, vec![3], vec![ints(&[LARGEST; 3])], true),
        (extremes, vec![2], vec![ints(&[-LARGEST; 2])], true),
        (extremes, vec![9_000], vec![many(9_000, &|i| -5 - i % 100)], true),
        (doubled, vec![2], vec![ints(&[-1, -7])], true),
        (doubled, vec![2], vec![ints(&[-1, 3])], false),
        (hosts, vec![], vec![scalar(3)], true),
        (index, vec![5], vec![ints(&[0; 5]), scalar(500_000_000)], true),
        (index, vec![5], vec![ints(&[0; 5]), scalar(600_000_000)], false),
        (index, vec![5], vec![ints(&[0; 5]), scalar(1 << 40)], false),
        (guarded, vec![5], vec![Value::array(vec![5], Data::F64(vec![1.0; 5])), scalar(3)], true),
        (guarded, vec![5], vec![Value::array(vec![5], Data::F64(vec![1.0; 5])), scalar(LARGEST)], false),
        (number, vec![30, 40], vec![Value::array(vec![30, 40], Data::F64(vec![0.0; 1200]))], true),
        (least, vec![0], vec![ints(&[])], true),
        (least, vec![2], vec![ints(&[-LARGEST, -LARGEST])], true),
        (bounded, vec![3], vec![ints(&[7, -LARGEST + 1, 2])], true),
        (bounded, vec![0], vec![ints(&[])], false),
        (bounded, vec![1], vec![ints(&[-LARGEST])], false),
        (nearest, vec![0], vec![ints(&[])], true),
        (nearest, vec![4], vec![ints(&[LARGEST, LARGEST, 5, 5])], true),
        (host, vec![2], vec![scalar(1 << 49), ints(&[1, 2])], true),
        (host, vec![2], vec![scalar(1 << 51), ints(&[1, 2])], false),
        (state, vec![3], vec![Value::array(vec![3], Data::F64(vec![1.0, 0.0, 2.0])), scalar(0)], false),
        (far, vec![5], vec![Value::array(vec![5], Data::F64(vec![1.0; 5])), scalar(1 << 20)], true),
        (counted, vec![], vec![scalar(1000)], true),
        (ordered, vec![16], vec![ints(&edges)], true),
        (ordered, vec![900], vec![many(900, &|i| (i * 7919) % 1000 * 2_000_000 - 1_000_000_000)], true),
        (ordered, vec![1], vec![ints(&[LARGEST + 1])], false),
        (ordered, vec![1], vec![ints(&[i64::MIN])], false),
        (hash, vec![3], vec![words], true),
        (float, vec![2], vec![Value::array(vec![2], Data::F64(vec![1.0, -1.0])), scalar(LARGEST)], true),
        (float, vec![2], vec![Value::array(vec![2], Data::F64(vec![1.0, -1.0])), scalar(LARGEST + 1)], false),
    ]
}

#[test]
fn programs_are_right_or_stop() {
    let Some(device) = device() else { return };
    let mut wrong = Vec::new();
    for (source, sizes, args, same) in programs() {
        match (Narrow::new(source, device).run(&sizes, &args), same) {
            (Found::Same, true) | (Found::Stopped(_), false) => {}
            (found, _) => wrong
                .push(format!("{source} at {sizes:?}: {found}, expected {}", if same { "results" } else { "an end" })),
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
