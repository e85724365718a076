//! The cost of derivatives of loops: bytes, steps, and the size of their code.

use crate::common::{forward_of, reverse_of};
use arr_ad::{Options, differentiate_with};
use arr_ir::interp::{Counts, Limits, run};
use arr_ir::{Block, Const, Func, Value, parse_func};
use arr_passes::bot::bot;
use arr_passes::{fuse, simplify};
use std::time::{Duration, Instant};

const KEEP: Options = Options { checkpoint: false, segments: None };
const AGAIN: Options = Options { checkpoint: true, segments: None };

fn lowered(mut func: Func, options: Options) -> Func {
    differentiate_with(&mut func, options).unwrap();
    bot(&mut func).unwrap();
    simplify(&mut func);
    fuse(&mut func);
    func
}

fn scalar(x: f64) -> Value {
    Value::Scalar(Const::F64(x))
}

fn outcome(func: &Func, sizes: &[i64], args: &[Value], max_bytes: Option<u64>) -> Option<(Vec<f64>, Counts)> {
    let limits = Limits { max_steps: None, max_bytes };
    let outcome = run(func, sizes, args, &limits).ok()?;
    Some((outcome.results.iter().flat_map(Value::to_f64s).collect(), outcome.counts))
}

/// The least number of bytes alive at one time with which the function runs.
fn peak(func: &Func, sizes: &[i64], args: &[Value]) -> u64 {
    let (mut low, mut high) = (0, 1 << 16);
    while low < high {
        let middle = (low + high) / 2;
        if outcome(func, sizes, args, Some(middle)).is_some() {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// `t` steps of a rotation on 4 numbers, with one `sin` per number and step.
const ROTATE: &str = "func f[t](x: [4]f64, w: f64) -> f64 {
  y: [4]f64 = loop s<t (p: [4]f64 = x) {
    q: [4]f64 = build i<4 {
      a: f64 = read! p[i]
      b: f64 = sin a
      c: f64 = mul b, w
      d: f64 = add a, c
      yield d
    }
    yield q
  }
  z: f64 = reduce sum k<4 { e: f64 = read! y[k] yield e }
  return z
}";

#[test]
fn bisection_takes_logarithmic_memory_and_half_a_logarithm_of_steps() {
    let func = parse_func(ROTATE).unwrap();
    let (keep, again) = (lowered(reverse_of(&func), KEEP), lowered(reverse_of(&func), AGAIN));
    let args = [Value::f64s(&[4], &[0.1, 0.2, 0.3, 0.4]), scalar(0.01), scalar(1.0)];
    let state = 4 * 8;
    let mut peaks = Vec::new();
    for log in [4, 6, 8, 10, 12] {
        let steps: i64 = 1 << log;
        let (kept, _) = outcome(&keep, &[steps], &args, None).unwrap();
        let (computed, counts) = outcome(&again, &[steps], &args, None).unwrap();
        assert_eq!(kept, computed, "{steps} steps");
        // Each step is run forwards once, run again at most log/2 + 1 times, and swept, with 4 points each time. Some
        // more loops copy states.
        let runs = steps as u64 * (1 + log / 2 + 1);
        assert!(counts.iterations <= 4 * 8 * runs, "{steps} steps: {} iterations", counts.iterations);
        let bytes = peak(&again, &[steps], &args);
        assert!(bytes <= state * (log + 1 + 8) + 8 * (log + 1), "{steps} steps: {bytes} bytes");
        assert!(outcome(&keep, &[steps], &args, Some(state * steps as u64 - 1)).is_none());
        peaks.push(bytes);
    }
    // Each doubling takes one more state, and one more number of a step.
    assert!(peaks.windows(2).all(|w| w[1] - w[0] <= 2 * (state + 8)), "{peaks:?}");
}

/// The body runs exactly as often as halving requires.
#[test]
fn bisection_runs_each_half_again() {
    // The body counts its runs in a state of its own.
    let func = parse_func(
        "func f[t](x: f64) -> f64 {
           y: f64 = loop s<t (p: f64 = x) { a: f64 = sin p  yield a }
           return y
         }",
    )
    .unwrap();
    let again = lowered(reverse_of(&func), AGAIN);
    let plain = lowered(func, KEEP);
    let iterations = |func: &Func, t: i64, args: &[Value]| outcome(func, &[t], args, None).unwrap().1.iterations;
    fn halved(length: u64) -> u64 {
        if length <= 1 { 0 } else { length / 2 + halved(length / 2) + halved(length - length / 2) }
    }
    for t in [1, 2, 3, 5, 8, 13, 64, 100, 1000] {
        assert_eq!(iterations(&plain, t, &[scalar(0.5)]), t as u64);
        let found = iterations(&again, t, &[scalar(0.5), scalar(1.0)]);
        // Forwards, backwards, again; and once per state on the stack to make it and to find its size.
        let floor = 2 * t as u64 + halved(t as u64);
        assert!(found >= floor && found <= 2 * floor + 64, "{t} steps: {found} iterations, at least {floor}");
    }
}

/// A loop that only accumulates keeps no states.
#[test]
fn accumulation_keeps_no_states() {
    let func = parse_func(
        "func f[n](x: [n]f64) -> f64 {
           s: f64 = loop i<n (a: f64 = 0.0) {
             e: f64 = read! x[i]
             b: f64 = mul e, e
             c: f64 = add a, b
             yield c
           }
           return s
         }",
    )
    .unwrap();
    let rev = lowered(reverse_of(&func), KEEP);
    let n = 1000;
    let x: Vec<f64> = (0..n).map(f64::from).collect();
    let (gradient, counts) =
        outcome(&rev, &[i64::from(n)], &[Value::f64s(&[i64::from(n)], &x), scalar(1.0)], None).unwrap();
    assert_eq!(gradient[3], 6.0);
    // The gradient itself is all that is allocated.
    assert_eq!(counts.allocated_bytes, 8 * n as u64);
}

/// A state that the reverse body does not read is not kept, though another one is.
#[test]
fn only_what_the_sweep_reads_is_kept() {
    let func = parse_func(
        "func f[n](x: f64) -> f64 {
           p: f64, q: f64 = loop i<n (a: f64 = x, b: f64 = 0.0) {
             c: f64 = sin a
             d: f64 = add b, a
             yield c, d
           }
           return q
         }",
    )
    .unwrap();
    let rev = lowered(reverse_of(&func), KEEP);
    let counts = outcome(&rev, &[1000], &[scalar(0.5), scalar(1.0)], None).unwrap().1;
    assert_eq!(counts.allocated_bytes, 8 * 1000);
}

/// Values inside a checkpoint are not kept: of a chain of arrays, one is alive at a time.
#[test]
fn a_checkpoint_does_not_keep_what_is_inside() {
    let chain = |name: &str, from: &str, length: usize| {
        let mut text = String::new();
        let mut last = from.to_string();
        for k in 0..length {
            text += &format!(
                "{name}{k}: [n]f64 = build i{name}{k}<n {{ a{name}{k}: f64 = read! {last}[i{name}{k}] \
                 b{name}{k}: f64 = sin a{name}{k} yield b{name}{k} }}\n"
            );
            last = format!("{name}{k}");
        }
        (text, last)
    };
    let program = |checkpoints: usize, length: usize| {
        let mut text = "func f[n](x: [n]f64) -> f64 {\n".to_string();
        let mut last = "x".to_string();
        for c in 0..checkpoints {
            let (body, end) = chain(&format!("p{c}_"), &format!("u{c}"), length);
            let (again, again_end) = chain(&format!("q{c}_"), &format!("w{c}"), length);
            text += &format!(
                "y{c}: [n]f64 = custom (u{c}: [n]f64 = {last}) {{ {body} yield {end} }} \
                 rule (v{c}: [n]f64, r{c}: [n]f64, d{c}: [n]f64) {{ \
                 z{c}: [n]f64, g{c}: [n]f64 = vjp (w{c}: [n]f64 = v{c}) seed (d{c}) {{ {again} yield {again_end} }} \
                 yield g{c} }}\n"
            );
            last = format!("y{c}");
        }
        text + &format!("s: f64 = reduce sum i<n {{ e: f64 = read! {last}[i] yield e }} return s }}")
    };
    let n = 64;
    let x = Value::f64s(&[n], &(0..n).map(|i| i as f64 * 0.01).collect::<Vec<_>>());
    let mut peaks = Vec::new();
    for (checkpoints, length) in [(1, 36), (6, 6)] {
        let func = parse_func(&program(checkpoints, length)).unwrap();
        let mut rev = reverse_of(&func);
        differentiate_with(&mut rev, KEEP).unwrap();
        bot(&mut rev).unwrap();
        simplify(&mut rev);
        peaks.push(peak(&rev, &[n], &[x.clone(), scalar(1.0)]) / (8 * n as u64));
    }
    // All 36 arrays are there on the way back, or six ends and six inner arrays with their cosines.
    assert!(peaks[0] >= 36, "{peaks:?}");
    assert!(peaks[1] <= 6 + 2 * 6 + 3, "{peaks:?}");
}

/// Loops nested `depth` deep, two iterations each.
fn nested(depth: usize) -> Func {
    let mut text = "func f[n](x: [n]f64) -> f64 {\n a: f64 = read x[0]\n".to_string();
    let mut last = "a".to_string();
    for k in 0..depth {
        text += &format!("r{k}: f64 = loop t{k}<2 (p{k}: f64 = {last}) {{ s{k}: f64 = sin p{k}\n");
        last = format!("s{k}");
    }
    text += &format!("z: f64 = mul {last}, a\n");
    let mut last = "z".to_string();
    for k in (0..depth).rev() {
        text += &format!("yield {last} }}\n");
        last = format!("r{k}");
    }
    parse_func(&(text + &format!("return {last} }}"))).unwrap()
}

fn statements(block: &Block) -> usize {
    block.stmts.iter().map(|s| 1 + s.op.blocks().iter().map(|b| statements(b)).sum::<usize>()).sum()
}

/// Code grows with the square of the nesting depth at most, in both modes and twice, and is made in seconds.
#[test]
fn nesting_does_not_explode() {
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 5 });
    for (name, derive) in [("reverse", reverse_of as fn(&Func) -> Func), ("forward", forward_of)] {
        let start = Instant::now();
        let size = |depth: usize| statements(&lowered(derive(&nested(depth)), KEEP).body);
        let (six, twelve) = (size(6), size(12));
        assert!(twelve <= 5 * six, "{name}: {six} statements at depth 6, {twelve} at 12");
        assert!(start.elapsed() < limit, "{name}: {:?}", start.elapsed());
    }
    let start = Instant::now();
    let gradient = |depth: usize| {
        let mut g = reverse_of(&nested(depth));
        differentiate_with(&mut g, KEEP).unwrap();
        g
    };
    let twice = statements(&lowered(forward_of(&gradient(12)), KEEP).body);
    assert!(twice < 40_000, "{twice}");
    assert!(start.elapsed() < limit, "{:?}", start.elapsed());
}

/// A state that is updated in place costs as much as is written: bytes and work grow with the steps, not with steps
/// times elements.
#[test]
fn writes_in_place_are_undone() {
    let func = parse_func(
        "func f[n](x: [n]f64) -> [n]f64 {
           y: [n]f64 = loop i<n (p: [n]f64 = x) {
             a: f64 = read! p[i]
             b: f64 = read! p[0]
             c: f64 = sin a
             d: f64 = mul c, b
             q: [n]f64 = scatter! set p { yield true, i, d }
             yield q
           }
           return y
         }",
    )
    .unwrap();
    let rev = lowered(reverse_of(&func), KEEP);
    let cost = |n: i64| {
        let x = Value::f64s(&[n], &vec![0.5; n as usize]);
        let counts = outcome(&rev, &[n], &[x.clone(), x], None).unwrap().1;
        (counts.work(), counts.allocated_bytes)
    };
    let ((work, bytes), (more_work, more_bytes)) = (cost(256), cost(1024));
    assert!(more_work <= 5 * work && more_bytes <= 5 * bytes, "{work} {bytes} {more_work} {more_bytes}");
}

/// So does one that loops inside loops update: written down and undone by the three of them, and where the iteration of
/// the outermost one reads it in between.
#[test]
fn writes_in_place_of_inner_loops_are_undone() {
    let text = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/nested_update_deep.core"),
    )
    .unwrap();
    let around = "func f[n, m](x: [n][m]f64) -> [n][m]f64, f64 {
      y: [n][m]f64, s: f64 = loop i<n (u: [n][m]f64 = x, p: f64 = 1.0) {
        v: [n][m]f64 = loop j<m (w: [n][m]f64 = u) {
          a: f64 = read! w[i, j]
          b: f64 = mul a, p
          c: f64 = sin b
          q: [n][m]f64 = scatter! set w { yield true, i, j, c }
          yield q
        }
        d: f64 = reduce sum j2<m {
          e: f64 = read! v[i, j2]
          yield e
        }
        g: f64 = mul d, p
        h: f64 = sin g
        yield v, h
      }
      return y, s
    }";
    for text in [text.as_str(), around] {
        let func = parse_func(text).unwrap();
        let rev = lowered(reverse_of(&func), KEEP);
        let cost = |n: i64| {
            let array = |dims: &[i64]| Value::f64s(dims, &vec![0.5; dims.iter().product::<i64>() as usize]);
            let ranks = rev.params.iter().map(|p| rev.ty(*p).dims.len());
            let args = ranks.map(|rank| if rank == 0 { scalar(1.0) } else { array(&vec![n; rank]) });
            let counts = outcome(&rev, &[n, n], &args.collect::<Vec<_>>(), None).unwrap().1;
            (counts.work(), counts.allocated_bytes)
        };
        let ((work, bytes), (more_work, more_bytes)) = (cost(16), cost(64));
        assert!(more_work <= 20 * work && more_bytes <= 20 * bytes, "{work} {bytes} {more_work} {more_bytes}");
    }
}
