//! Updates in place, counted: a loop that updates one element, row, column or slice in every step writes as many elements
//! and allocates as many bytes a step at every size, whatever holds the array and however the loops nest.

use crate::common::core;
use arr_ir::interp::{self, Limits};
use arr_ir::{Const, Value};

/// The elements written and the bytes allocated by a definition of one size.
fn cost(text: &str, entry: &str, n: i64) -> (u64, u64) {
    let func = core(text, entry);
    let outcome = interp::run(&func, &[], &[Value::Scalar(Const::I64(n))], &Limits::default()).expect("a value");
    (outcome.counts.writes, outcome.counts.allocated_bytes)
}

const PROGRAMS: &str = r"
def element(n: i64) -> [n]f64 = loop a = zeros(n) for i < n do a with [i] = f64(i)
def row(n: i64) -> [n][3]f64 = loop a = zeros(n, 3) for i < n do a with [i] = [1.0, 2.0, f64(i)]
def row_from_row(n: i64) -> [n][3]f64 = loop a = zeros(n, 3) for i < n - 1 do a with [i + 1] = a[i] + 1.0
def element_of_row(n: i64) -> [n][3]f64 = loop a = zeros(n, 3) for i < n do a with [i, 1] = f64(i)
def slice(n: i64) -> [n]f64 = loop a = zeros(n) for i < n - 2 do a with [i:i+2] = [1.0, 2.0]
def every_second(n: i64) -> [n]f64 = loop a = zeros(n) for i < n - 3 do a with [i:i+3:2] = [1.0, 2.0]
def column(n: i64) -> [3][n]f64 = loop a = zeros(3, n) for i < n do a with [:, i] = [1.0, 2.0, 3.0]
def record_of_arrays(n: i64) -> { x: [n]f64, k: [n]i64 } =
  loop r = { x = zeros(n), k = zeros(n) } for i < n do { x = r.x with [i] = 1.0, k = r.k with [i] = i }
def array_of_records(n: i64) -> [n]{ x: f64, k: i64 } =
  loop r = (for i < n => { x = 0.0, k = 0 }) for i < n do r with [i] = { x = f64(i), k = r[i].k + 1 }
def record_with(n: i64) -> { x: [n]f64, k: i64 } =
  loop r = { x = zeros(n), k = 0 } for i < n do { r with x = r.x with [i] = 1.0 }
def nested(n: i64) -> [n]f64 =
  loop a = zeros(n) for i < n do (loop b = a for j < 4 do b with [i] = b[i] + f64(j))
def branch(n: i64) -> [n]f64 = loop a = zeros(n) for i < n do if i % 2 == 0 then a with [i] = 1.0 else a
def while_loop(n: i64) -> [n]f64 =
  let (a, i) = loop (a, i) = (zeros(n), 0) while i < n do (a with [i] = f64(i), i + 1) in a
def while_in_for(n: i64) -> [n]bool =
  loop p = replicate(n, true) for i < n do
    let (q, j) = loop (q, j) = (p, i) while j < i + 3 and j < n do (q with [j] = false, j + 1)
    in q
def swap(n: i64) -> [n]i64 =
  loop a = iota(n) for i < n - 1 do let x = a[i] in a with [i] = a[i + 1] with [i + 1] = x
def read_after_update(n: i64) -> ([n]f64, f64) = loop (a, s) = (zeros(n), 0.0) for i < n do (a with [i] = s, s + a[i])
def bins(n: i64) -> [n]f64 = histogram(max, 0.0, n, for i < n => i * i % n, for i < n => f64(i))
def bins_of_tuples(n: i64) -> [n](f64, i64) =
  histogram(\((s, c), x) => (s + x, c + 1), (0.0, 0), n, for i < n => i * i % n, for i < n => f64(i))
def iterated(n: i64) -> [n]f64 = iterate(n, \a => a with [0] = a[0] + 1.0, zeros(n))
def written(a: [n]f64, i: i64) -> [n]f64 = a with [i] = 2.0
def through_a_call(n: i64) -> [n]f64 = loop a = zeros(n) for i < n do written(a, i)
def running(n: i64) -> [n]f64 = scan((+), 0.0, zeros(n))
";

/// Needs a copy in every step: the old array is part of the result.
const COPIES: &str = "def both(n: i64) -> ([n]f64, [n]f64) =
  loop (a, b) = (zeros(n), zeros(n)) for i < n do (a with [i] = 1.0, a)";

#[test]
fn a_step_costs_the_same_at_every_size() {
    let mut wrong = Vec::new();
    let entries = PROGRAMS.lines().filter_map(|l| l.strip_prefix("def ")?.split_once('(')).map(|(name, _)| name);
    for entry in entries.filter(|e| *e != "written") {
        let [(w1, b1), (w2, b2), (w4, b4)] = [100, 200, 400].map(|n| cost(PROGRAMS, entry, n));
        // Linear costs: equal differences, up to what the ends of a loop leave out.
        let linear = |a: u64, b: u64, c: u64| (c - b) * 10 <= (b - a) * 21;
        if !linear(w1, w2, w4) || !linear(b1, b2, b4) {
            wrong.push(format!("{entry}: {w1} {w2} {w4} writes, {b1} {b2} {b4} bytes"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_copy_where_the_old_array_is_needed() {
    let [(w1, _), (w2, _)] = [100, 200].map(|n| cost(COPIES, "both", n));
    assert!(w1 >= 100 * 100 && w2 >= 3 * w1, "{w1} {w2}");
}
