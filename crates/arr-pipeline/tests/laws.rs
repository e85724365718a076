//! Outputs of steps that the runner refuses: a function in which a pass met an impossible case, and loops with an
//! unproved access. The tables here are wrong on purpose.
#![allow(clippy::result_large_err)]

use arr_ir::{Func, parse_func};
use arr_pipeline::{Context, Failure, Made, Run, STEPS, Settings, Stage, Step, Target, Until, Unwatched, run};

fn step(name: &str) -> Step {
    *STEPS.iter().find(|step| step.name == name).unwrap()
}

fn made(steps: Vec<Step>, text: &str) -> Result<Made, Failure> {
    let steps = Box::leak(steps.into_boxed_slice());
    let settings = Settings { verify: true, ..Settings::new(Target::Cpu) };
    let func = parse_func(text).unwrap();
    run(steps, func, &settings, Until::Stage(Stage::Loops), &mut Vec::new(), &mut Unwatched)
}

/// What `cargo xtask test` builds has no assertions, and is asked for this in its environment.
#[test]
fn the_tests_verify_every_step() {
    assert!(arr_base::checks_itself(), "the tests are to run with ARR_VERIFY=1, or in a build for debugging");
}

const SCALAR: &str = "func f(x: f64) -> f64 {\n  return x\n}\n";

#[test]
fn a_broken_invariant_ends_the_run_with_the_steps_name() {
    let breaks = |func: &mut Func, _: &mut Context<'_>| {
        func.broken((), "a kernel without a result");
        Ok(())
    };
    let broken = Step { run: Run::Func(breaks), ..step("bot") };
    match made(vec![broken, step("lower")], SCALAR) {
        Err(Failure::Bug(what)) => assert_eq!(what, "`bot` has met what cannot be: a kernel without a result"),
        other => panic!("{other:?}"),
    }
    assert!(made(vec![step("bot"), step("lower")], SCALAR).is_ok());
}

const SUM: &str = "func f(x: f64, y: f64) -> f64 {
  z: f64 = add x, y
  return z
}
";

#[test]
fn a_pass_that_would_lose_a_statement_ends_the_run_with_the_steps_name() {
    let spoiled = |func: &mut Func, _: &mut Context<'_>| {
        func.body.stmts[0].vars.clear();
        arr_passes::simplify(func);
        Ok(())
    };
    let simplifies = Step { run: Run::Func(spoiled), ..step("bot") };
    match made(vec![simplifies, step("lower")], SUM) {
        Err(Failure::Bug(what)) => assert_eq!(what, "`bot` has met what cannot be: a statement has no result"),
        other => panic!("{other:?}"),
    }
}

/// The IR's analysis, axis by axis, proves the access; over flat arrays, `2*m` is a size of its own, about which
/// nothing is known.
const WIDE: &str = "func circulant[n](a: [n]f64, m: i64) -> [m][2*m]f64 {
  check size_non_neg m
  wide: i64 = mul 2, m
  check size_non_neg wide
  rows: [m][2*m]f64 = build i<m, j<2*m {
    k: i64 = add i, j
    place: i64 = rem k, n
    v: f64 = read a[place]
    yield v
  }
  return rows
}
";

#[test]
fn an_access_that_is_not_proved_is_refused() {
    let lower = Step { needs: &[], ..step("lower") };
    match made(vec![lower, step("mark-scans")], WIDE) {
        Err(Failure::Bug(what)) => assert!(what.contains("nothing proves that a store"), "{what}"),
        other => panic!("{other:?}"),
    }
    let loops = made(vec![lower, step("bounds-checks"), step("mark-scans")], WIDE).unwrap().loops().unwrap();
    assert!(arr_loops::print(&loops).contains("check place"), "{}", arr_loops::print(&loops));
}
