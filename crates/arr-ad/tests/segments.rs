//! Loops divided into segments: the same bits as with all states kept, in less memory, for one more run of the loop.

use crate::common::reverse_of;
use arr_ad::{Options, Segments, differentiate_with};
use arr_ir::interp::{Counts, Limits, run};
use arr_ir::{Const, Func, Level, RunErrorKind, Value, parse_func, print_func, verify};
use arr_passes::bot::bot;
use arr_passes::{fuse, simplify};

/// The bytes of the states of the loops below, at most.
const STATE: i64 = 6 * 8;

const KEEP: Options = Options { checkpoint: false, segments: None };
/// Segments of four iterations, from ten iterations on.
const DIVIDE: Options = Options {
    checkpoint: false,
    segments: Some(Segments { cache: 4 * STATE, kept: 10 * STATE, kept_of_large: 10 * STATE }),
};

/// Six numbers, each of which moves towards the product of its neighbours at a rate that depends on the step: `t` steps
/// in the order `order`.
fn mix(order: &str) -> String {
    format!(
        "func f[t](x: [6]f64, rate: [t]f64) -> [6]f64 {{
  y: [6]f64 = loop {order}s<t (u: [6]f64 = x) {{
    r: f64 = read! rate[s]
    v: [6]f64 = build i<6 {{
      a: f64 = read! u[i]
      first: bool = eq i, 0
      last: bool = eq i, 5
      edge: bool = or first, last
      e: f64 = if edge {{ yield a }} else {{
        h: i64 = sub i, 1
        k: i64 = add i, 1
        b: f64 = read! u[h]
        c: f64 = read! u[k]
        p: f64 = mul b, c
        q: f64 = mul p, r
        d: f64 = add a, q
        yield d
      }}
      yield e
    }}
    yield v
  }}
  return y
}}"
    )
}

/// Like `mix`, with a number and an integer as states beside the array.
const SEVERAL: &str = "func f[t](x: [4]f64, w: f64) -> [4]f64, f64, i64 {
  y: [4]f64, z: f64, n: i64 = loop s<t (u: [4]f64 = x, p: f64 = w, m: i64 = 3) {
    k: f64 = f64 m
    q: f64 = mul p, 0.9
    v: [4]f64 = build i<4 {
      a: f64 = read! u[i]
      j: i64 = sub 3, i
      b: f64 = read! u[j]
      c: f64 = mul a, b
      d: f64 = mul c, p
      e: f64 = div d, k
      g: f64 = add a, e
      yield g
    }
    odd: i64 = mul s, 2
    o: i64 = add m, odd
    l: i64 = rem o, 7
    next: i64 = add l, 1
    yield v, q, next
  }
  return y, z, n
}";

/// The number of steps is known only at run time.
const WHILE: &str = "func f[t](x: [6]f64, w: f64) -> [6]f64 {
  y: [6]f64, z: f64 = while (u0: [6]f64 = x, p0: f64 = w) {
    n: f64 = f64 t
    more: bool = lt p0, n
    yield more
  } do (u: [6]f64, p: f64) {
    v: [6]f64 = build i<6 {
      a: f64 = read! u[i]
      j: i64 = sub 5, i
      b: f64 = read! u[j]
      c: f64 = mul a, b
      d: f64 = mul c, 0.125
      yield d
    }
    q: f64 = add p, 1.0
    yield v, q
  }
  return y
}";

fn lowered(func: &Func, options: Options) -> Func {
    let mut func = func.clone();
    differentiate_with(&mut func, options).unwrap();
    verify(&func, Level::Core).unwrap_or_else(|e| panic!("after AD: {e:?}\n{}", print_func(&func)));
    bot(&mut func).unwrap();
    simplify(&mut func);
    verify(&func, Level::Bulk).unwrap_or_else(|e| panic!("after simplify: {e:?}\n{}", print_func(&func)));
    fuse(&mut func);
    verify(&func, Level::Fused).unwrap_or_else(|e| panic!("after fuse: {e:?}\n{}", print_func(&func)));
    func
}

/// The bits of the results and their cost, if the run fits into `max_bytes`.
fn outcome(func: &Func, sizes: &[i64], args: &[Value], max_bytes: Option<u64>) -> Option<(Vec<u64>, Counts)> {
    let outcome = run(func, sizes, args, &Limits { max_steps: None, max_bytes }).ok()?;
    let floats = outcome.results.iter().flat_map(Value::to_f64s);
    Some((floats.map(f64::to_bits).collect(), outcome.counts))
}

fn peak(func: &Func, sizes: &[i64], args: &[Value]) -> u64 {
    let (mut low, mut high) = (0, 1 << 20);
    while low < high {
        let middle = (low + high) / 2;
        match outcome(func, sizes, args, Some(middle)) {
            Some(_) => high = middle,
            None => low = middle + 1,
        }
    }
    low
}

fn array(n: i64, shift: f64) -> Value {
    Value::f64s(&[n], &(0..n).map(|i| 0.4 + shift * (i % 5) as f64).collect::<Vec<_>>())
}

fn scalar(x: f64) -> Value {
    Value::Scalar(Const::F64(x))
}

/// How many loops of loops a function has.
fn segmented(func: &Func) -> usize {
    print_func(func).matches("<segments").count() + print_func(func).matches("segment<").count()
}

/// Compares with all states kept, for all small numbers of steps: none, too few to be divided, and with every possible
/// remainder.
fn compare(text: &str, args: &dyn Fn(i64) -> Vec<Value>) {
    let func = parse_func(text).unwrap();
    let (once, twice) = (reverse_of(&func), reverse_of(&reverse_of(&func)));
    for (program, seeds) in [(&once, 1), (&twice, 2)] {
        let (keep, divide) = (lowered(program, KEEP), lowered(program, DIVIDE));
        assert_eq!(segmented(&keep), 0);
        assert!(segmented(&divide) > 0, "{}", print_func(&divide));
        for t in 0..30 {
            let mut all = args(t);
            for k in all.len()..program.params.len() {
                let ty = program.ty(program.params[k]);
                all.push(if ty.dims.is_empty() { scalar(0.75) } else { seed(program, k, t, seeds) });
            }
            let kept = outcome(&keep, &[t], &all, None).unwrap().0;
            let found = outcome(&divide, &[t], &all, None).unwrap().0;
            match seeds {
                1 => assert_eq!(kept, found, "{t} steps"),
                // Contributions to a state along several paths are added in another order.
                _ => assert!(are_close(&kept, &found), "{t} steps: {kept:?}, {found:?}"),
            }
        }
    }
}

fn are_close(a: &[u64], b: &[u64]) -> bool {
    let close = |(&a, &b): (&u64, &u64)| {
        let (a, b) = (f64::from_bits(a), f64::from_bits(b));
        a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
    };
    a.len() == b.len() && a.iter().zip(b).all(close)
}

/// An argument for a seed that is an array.
fn seed(func: &Func, k: usize, t: i64, shift: i64) -> Value {
    let dims = func.ty(func.params[k]).dims.clone();
    let n = func.types.poly(dims[0]).as_constant().unwrap_or(t);
    array(n, 0.125 * shift as f64)
}

#[test]
fn the_bits_are_those_of_a_loop_that_keeps_all_states() {
    let steps = |t: i64| vec![array(6, 0.1), array(t, 0.01)];
    compare(&mix(""), &steps);
    compare(&mix("reverse "), &steps);
    compare(SEVERAL, &|_| vec![array(4, 0.1), scalar(0.25)]);
    compare(WHILE, &|_| vec![array(6, 0.1), scalar(0.0)]);
}

#[test]
fn memory_is_that_of_the_segments_and_the_loop_runs_once_more() {
    let func = parse_func(&mix("")).unwrap();
    let (plain, rev) = (lowered(&func, KEEP), reverse_of(&func));
    let (keep, divide) = (lowered(&rev, KEEP), lowered(&rev, DIVIDE));
    for t in [64, 128, 1024] {
        let args = [array(6, 0.1), array(t, 0.01), array(6, 0.3)];
        let bytes = peak(&divide, &[t], &args);
        // One state per segment, those of one segment and of the rest, and few more; the cotangent of the rates.
        let most = STATE * (t / 4 + 4 + 4 + 8) + 8 * t;
        assert!(bytes <= most as u64, "{t} steps: {bytes} bytes, {most} at most");
        assert!(peak(&keep, &[t], &args) >= (STATE * t) as u64);
        let operations = |func: &Func, args: &[Value]| outcome(func, &[t], args, None).unwrap().1.prims;
        let (once, kept, found) =
            (operations(&plain, &args[..2]), operations(&keep, &args), operations(&divide, &args));
        let most = kept + once + once / 4;
        assert!(found <= most, "{t} steps: {found} operations, {kept} with all states kept, {once} forwards");
    }
}

/// A loop is not divided if that would not pay, or if back ends run its points independently.
#[test]
fn other_loops_stay_as_they_are() {
    let step = |body: &str| {
        format!(
            "func f[t](x: [6]f64, w: [6]f64) -> [6]f64 {{
  y: [6]f64 = loop s<t (u: [6]f64 = x) {{ {body} yield v }}
  return y
}}"
        )
    };
    let cases = [
        ("points by themselves", "v: [6]f64 = build i<6 { a: f64 = read! u[i] b: f64 = mul a, a yield b }"),
        (
            "functions",
            "v: [6]f64 = build i<6 { j: i64 = sub 5, i a: f64 = read! u[j] b: f64 = sin a c: f64 = mul a, b yield c }",
        ),
        (
            "sums",
            "v: [6]f64 = build i<6 { z: f64 = reduce sum j<6 { a: f64 = read! u[j] b: f64 = mul a, a yield b } yield z }",
        ),
        (
            "places that change",
            "k: i64 = rem s, 6 a: f64 = read! u[0] b: f64 = mul a, a v: [6]f64 = scatter! set u { yield true, k, b }",
        ),
    ];
    for (what, body) in cases {
        let rev = lowered(&reverse_of(&parse_func(&step(body)).unwrap()), DIVIDE);
        assert_eq!(segmented(&rev), 0, "{what}: {}", print_func(&rev));
    }
    // Few steps, known at compile time; and states of unknown size.
    let few = mix("").replace("<t", "<9").replace("f[t]", "f[]").replace("[t]", "[9]");
    let unknown = mix("").replace("f[t]", "f[n, t]").replace("[6]", "[n]").replace("i<6", "i<n");
    for text in [few, unknown] {
        let rev = lowered(&reverse_of(&parse_func(&text).unwrap()), DIVIDE);
        assert_eq!(segmented(&rev), 0, "{}", print_func(&rev));
    }
}

/// Indices are checked in the first run, in every segment.
#[test]
fn errors_are_those_of_the_program() {
    let text = mix("").replace("r: f64 = read! rate[s]", "at: i64 = mul s, 3 r: f64 = read rate[at]");
    let rev = reverse_of(&parse_func(&text).unwrap());
    let divide = lowered(&rev, DIVIDE);
    for t in [12, 14, 15, 29] {
        let args = [array(6, 0.1), array(t, 0.01), array(6, 0.3)];
        let error = |func: &Func| run(func, &[t], &args, &Limits::default()).unwrap_err();
        let found = error(&divide);
        assert!(matches!(found.kind, RunErrorKind::Index { .. }), "{found:?}");
        assert_eq!(found, error(&lowered(&rev, KEEP)), "{t} steps");
    }
}
