//! What the plan of memory promises: how many places there are, and when arrays are copied.

use crate::interface;
use arr_c99::{Places, function, module};

fn source(text: &str) -> String {
    let func = arr_loops::parse(text).unwrap();
    arr_loops::verify(&func).unwrap_or_else(|e| panic!("{e:?}"));
    let nowhere = |_| None;
    let mut places = Places::new(&nowhere);
    let made = function(&func, &interface(&func, true), &mut places).unwrap();
    module("m", ("m", "A test."), &[], &[made], &places).source
}

/// A state that is changed in place: the argument is copied once, before the loop.
#[test]
fn an_argument_is_copied_once() {
    let text = source(
        "loops f[n: i64, m: i64](x: buffer f64 [n]) {
  retain x
  var y: buffer f64 = x
  for i < m source {
    let a: buffer f64 = y
    check index i, n
    let b: buffer f64 = unique a
    let b.data: address f64 = data b
    store b.data[i] = 1.0
    set y = b
  }
  let z: buffer f64 = y
  return z [n]
}
",
    );
    assert_eq!(text.matches("memcpy").count(), 1, "{text}");
    let (before, inside) = text.split_once("for (int64_t i").unwrap();
    assert!(before.contains("memcpy") && !inside.contains("memcpy"), "{text}");
}

/// An array that is still read is not changed in place.
#[test]
fn an_array_that_is_still_read_is_copied() {
    let text = source(
        "loops f[n: i64]() {
  let a: buffer f64 = alloc [n]
  let a.data: address f64 = data a
  for i < n {
    store a.data[i] = 1.0
  }
  retain a
  let b: buffer f64 = unique a
  let b.data: address f64 = data b
  for j < n {
    store b.data[j] = 2.0
  }
  return a [n], b [n]
}
",
    );
    assert_eq!(text.matches("memcpy").count(), 1, "{text}");
}

/// A loop that makes a new state from the last has two places for it, and compares addresses.
#[test]
fn a_new_state_takes_the_other_place() {
    let text = source(
        "loops f[n: i64, t: i64](x: buffer f64 [n]) {
  retain x
  var y: buffer f64 = x
  for k < t source {
    let a: buffer f64 = y
    let b: buffer f64 = alloc [n]
    let a.data: address f64 = data a
    let b.data: address f64 = data b
    for i < n {
      let e: f64 = load a.data[i]
      store b.data[i] = e
    }
    release a
    set y = b
  }
  let z: buffer f64 = y
  return z [n]
}
",
    );
    assert!(text.contains("y == b_places ? b_places + n : b_places"), "{text}");
    assert!(text.contains("return arr_times_i64(2, n);"), "{text}");
}

/// Arrays that are not needed at one time share their memory.
#[test]
fn memory_is_used_again() {
    let nest = |to: &str, from: &str| {
        format!(
            "  let {to}: buffer f64 = alloc [n]\n  let {to}.data: address f64 = data {to}\n  for {to}.i < n {{\n    let {to}.e: f64 = load {from}.data[{to}.i]\n    store {to}.data[{to}.i] = {to}.e\n  }}\n"
        )
    };
    let text = source(&format!(
        "loops f[n: i64](x: buffer f64 [n]) {{\n  let x.data: address f64 = data x\n{}{}  release a\n{}  release b\n{}  release c\n  return d [n]\n}}\n",
        nest("a", "x"),
        nest("b", "a"),
        nest("c", "b"),
        nest("d", "c"),
    ));
    assert!(text.contains("double *const c = a;") && text.contains("return arr_times_i64(2, n);"), "{text}");
}

/// An element that is read before its array's memory is used again is read there.
#[test]
fn an_element_is_read_before_its_memory_is_used_again() {
    let text = source(
        "loops f[n: i64](x: buffer f64 [n]) {
  check index 0, n
  let x.data: address f64 = data x
  let a: buffer f64 = alloc [n]
  let a.data: address f64 = data a
  for i < n {
    let e: f64 = load x.data[i]
    store a.data[i] = e
  }
  let b: buffer f64 = alloc [n]
  let b.data: address f64 = data b
  for j < n {
    let g: f64 = load x.data[j]
    store b.data[j] = g
  }
  let first: f64 = load a.data[0]
  release a
  retain b
  let c: buffer f64 = unique b
  let second: f64 = load b.data[0]
  release b
  let s: f64 = add first, second
  return s, c [n]
}
",
    );
    let (before, behind) = text.split_once("memcpy(").unwrap();
    assert!(before.contains("first = a[0];") && !behind.contains("a[0]"), "{text}");
}

/// What a result was copied from may be set before the function ends.
#[test]
fn a_result_is_what_it_was_when_it_was_copied() {
    let text = source(
        "loops f[n: i64](x: f64) {
  var y: f64 = x
  let early: f64 = y
  for i < n source {
    let a: f64 = y
    let b: f64 = mul a, 2.0
    set y = b
  }
  let late: f64 = y
  return early, late
}
",
    );
    assert!(text.contains("const double early = y;") && text.contains("*result_0 = early;"), "{text}");
}
