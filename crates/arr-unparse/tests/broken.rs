//! An impossible function has no source text.

use arr_ir::{Func, parse_func};
use arr_unparse::emit_text;

#[track_caller]
fn refused(text: &str, spoil: fn(&mut Func), what: &str) {
    let mut func = parse_func(text).unwrap();
    assert!(emit_text(&func, "g").is_ok());
    spoil(&mut func);
    assert_eq!(emit_text(&func, "g"), Err(what));
}

const FLAT: &str = "func f[n, m](a: [n][m]f64) -> [n * m]f64 {
  r: [n * m]f64 = reshape a
  return r
}
";

const WRITES: &str = "func f[n](a: [n]f64) -> [n]f64 {
  b: [n]f64 = scatter set a {
    yield true, 0, 1.0
  }
  return b
}
";

#[test]
fn a_statement_without_a_result_is_not_left_out() {
    let spoil = |func: &mut Func| func.body.stmts[0].vars.clear();
    refused(WRITES, spoil, "what is written out as a `scatter` is none");
}

#[test]
fn what_a_pass_has_broken_is_not_printed() {
    refused(FLAT, |func| func.broken((), "a kernel without a result"), "a kernel without a result");
}
