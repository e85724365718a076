//! Where NaNs and infinities come from: what is a birth, what is shielded, and the place that is reported.

use arr_base::NotFinite;
use arr_ir::interp::{Limits, Trap, Watching, run, run_watched};
use arr_ir::{Const, Level, RunErrorKind, Value, parse_func, report, verify_structure};

const TRAPS: [Trap; 2] = [Trap::Nan, Trap::NotFinite];

/// The birth that stops `f` on these arguments, if one does.
fn born(text: &str, args: &[f64], trap: Trap) -> Option<NotFinite> {
    let func = parse_func(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify_structure(&func, Level::Core).unwrap_or_else(|e| panic!("{}", report(&func, &e)));
    let args: Vec<Value> = args.iter().map(|&x| Value::Scalar(Const::F64(x))).collect();
    let limits = Limits::default();
    match run_watched(&func, &[], &args, &limits, Watching { trap: Some(trap), ..Watching::default() }) {
        Ok(outcome) => {
            // The watch changes nothing.
            let without = run(&func, &[], &args, &limits).unwrap();
            assert_eq!(format!("{outcome:?}"), format!("{without:?}"), "{text}");
            None
        }
        Err(error) => match error.kind {
            RunErrorKind::NotFinite(what) => Some(*what),
            other => panic!("{other:?}\n{text}"),
        },
    }
}

fn operation(text: &str, args: &[f64], trap: Trap) -> Option<String> {
    born(text, args, trap).map(|birth| format!("{} = {}", birth.operation, birth.result))
}

/// `y = prim(a, b)`
fn binary(prim: &str) -> String {
    format!("func f(a: f64, b: f64) -> f64 {{ y: f64 = {prim} a, b return y }}")
}

#[test]
fn a_nan_is_born_where_no_operand_is_one() {
    for trap in TRAPS {
        assert_eq!(operation(&binary("div"), &[0.0, 0.0], trap).as_deref(), Some("0.0 / 0.0 = nan"));
        let inf = f64::INFINITY;
        assert_eq!(operation(&binary("sub"), &[inf, inf], trap).as_deref(), Some("inf - inf = nan"));
        assert_eq!(operation(&binary("add"), &[f64::NAN, 1.0], trap), None);
        assert_eq!(operation(&binary("add"), &[1.0, 2.0], trap), None);
    }
}

#[test]
fn an_infinity_is_born_of_finite_operands() {
    let overflow = Some("1e300 * 1e300 = inf");
    assert_eq!(operation(&binary("mul"), &[1e300, 1e300], Trap::NotFinite).as_deref(), overflow);
    assert_eq!(operation(&binary("mul"), &[1e300, 1e300], Trap::Nan), None);
    assert_eq!(operation(&binary("mul"), &[f64::INFINITY, 2.0], Trap::NotFinite), None);
    let log = "func f(a: f64) -> f64 { y: f64 = log a return y }";
    assert_eq!(operation(log, &[0.0], Trap::NotFinite).as_deref(), Some("log(0.0) = -inf"));
}

#[test]
fn sums_and_updates_are_operations_too() {
    let sum = "func f(a: f64) -> f64 { y: f64 = reduce sum i<2 { yield a } return y }";
    assert_eq!(operation(sum, &[1.7e308], Trap::NotFinite).as_deref(), Some("1.7e308 + 1.7e308 = inf"));
    let update = "func f(a: f64) -> [1]f64 {
      z: [1]f64 = build i<1 { yield a }
      y: [1]f64 = scatter add z, j<1 { yield true, 0, a }
      return y
    }";
    let birth = born(update, &[1.7e308], Trap::NotFinite).unwrap();
    assert_eq!(birth.operation, "1.7e308 + 1.7e308");
}

#[test]
fn the_indices_of_loops_and_kernels_are_part_of_the_place() {
    let text = "func f(a: f64) -> [3]f64 {
      k: [3]f64 = literal [1.0, 0.0, 2.0]
      z: [3]f64 = loop t<2 (s: [3]f64 = k) {
        n: [3]f64 = build i<3 { x: f64 = read s[i] y: f64 = div a, x yield y }
        yield n
      }
      return z
    }";
    let birth = born(text, &[1.0], Trap::NotFinite).unwrap();
    assert_eq!(birth.operation, "1.0 / 0.0");
    assert_eq!(birth.at, [("t".to_string(), 0), ("i".to_string(), 1)]);
    assert!(!birth.derivative);
}

#[test]
fn what_is_not_chosen_stops_nothing() {
    // y = if a > 0 then 1 / a else b, where both were computed.
    let text = "func f(a: f64, b: f64) -> f64 {
      q: f64 = div 1.0, a
      m: f64 = mul q, 2.0
      c: bool = gt a, b
      y: f64 = select c, m, b
      return y
    }";
    assert_eq!(operation(text, &[0.0, 0.0], Trap::NotFinite), None);
    // Chosen, it is the division that is reported.
    assert_eq!(operation(text, &[0.0, -1.0], Trap::NotFinite).as_deref(), Some("1.0 / 0.0 = inf"));
    // A zero wins over it.
    let masked = "func f(a: f64, b: f64) -> f64 { q: f64 = div 1.0, a y: f64 = mulz b, q return y }";
    assert_eq!(operation(masked, &[0.0, 0.0], Trap::NotFinite), None);
    assert_eq!(operation(masked, &[0.0, 2.0], Trap::NotFinite).as_deref(), Some("1.0 / 0.0 = inf"));
}

#[test]
fn what_something_else_reads_is_not_shielded() {
    let text = "func f(a: f64, b: f64) -> f64 {
      q: f64 = div 1.0, a
      y: f64 = mulz b, q
      t: bool = gt q, 2.0
      z: f64 = select t, y, b
      return z
    }";
    assert_eq!(operation(text, &[0.0, 0.0], Trap::NotFinite).as_deref(), Some("1.0 / 0.0 = inf"));
}

#[test]
fn a_birth_that_waited_is_forgotten_in_the_next_iteration() {
    // Iteration 0 divides by zero and does not choose it; iteration 1 chooses a number.
    let text = "func f(a: f64) -> f64 {
      z: f64 = loop t<2 (s: f64 = a) {
        x: f64 = f64 t
        q: f64 = div 1.0, x
        c: bool = gt x, 0.0
        n: f64 = select c, q, s
        yield n
      }
      return z
    }";
    assert_eq!(operation(text, &[3.0], Trap::NotFinite), None);
}
