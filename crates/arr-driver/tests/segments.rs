//! Gradients of long loops over large states: with segments if code is relaxed and the sizes of a call are known, with
//! the bits of code for all sizes, which has none.

use arr_data::{Arg, EdgeValue};
use arr_driver::{Derive, Execution, Failure, MemoryWorld, Session};

/// A plate of `n * n` cells.
const PLATE: &str = r"
def step(u: [n][n]f64, rate: [n]f64) -> [n][n]f64 =
  for i, j =>
    if i == 0 or j == 0 or i == n - 1 or j == n - 1 then u[i, j]
    else u[i, j] + rate[i] * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])

def end(x: [n]f64, rate: [n]f64, steps: i64) -> f64 =
  let u = for i < n, j < n => x[i] * x[j]
  let last = loop u = u for t < steps do step(u, rate)
  in sum(flatten(last * last))

def gradient(x: [n]f64, rate: [n]f64, steps: i64) -> ([n]f64, [n]f64) =
  grad(\((x, rate)) => end(x, rate, steps))((x, rate))
";

fn gradient(n: usize, steps: i64, execution: &Execution) -> Result<EdgeValue, Failure> {
    let list = |f: &dyn Fn(usize) -> f64| format!("{:?}", (0..n).map(f).collect::<Vec<_>>());
    let x = list(&|i| ((i * 7) % 11) as f64 * 0.125);
    let rate = list(&|i| 0.05 + 0.01 * (i % 13) as f64);
    let args: Vec<Arg> = [x, rate, steps.to_string()].iter().map(|text| Arg::parse(text)).collect();
    let mut session = Session::new(MemoryWorld::new([("p.arr", PLATE.as_bytes())]));
    let mut program = session.program("p.arr", "gradient", &Derive::Nothing)?;
    session.run(&mut program, &args, execution).map(|outcome| outcome.value)
}

#[test]
fn segments_give_the_bits_of_all_states() {
    let n = 100;
    for strict in [false, true] {
        // Not divided, divided without a rest, and with one.
        for steps in [0, 1, 209, 210, 234, 240] {
            let run = |any_size| gradient(n, steps, &Execution { strict, any_size, ..Execution::default() }).unwrap();
            assert_eq!(run(false), run(true), "{steps} steps");
        }
    }
}

#[test]
fn segments_fit_where_all_states_do_not() {
    let limited =
        |any_size| gradient(100, 400, &Execution { max_memory: Some(8 << 20), any_size, ..Execution::default() });
    assert!(limited(false).is_ok());
    let Err(Failure::Diagnostics(list)) = limited(true) else { panic!("400 states of 80 kB fit into 8 MB") };
    assert_eq!(list[0].code.to_string(), "E0605");
}
