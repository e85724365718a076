//! The range analysis: what it proves, what it refuses, and what is checked then.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arr_ir::{Level, Op, parse_func, verify, verify_structure};

fn unproved(text: &str) -> usize {
    let func = parse_func(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify_structure(&func, Level::Core).unwrap_or_else(|e| panic!("{}", arr_ir::report(&func, &e)));
    arr_ir::bounds::unproved(&func).len()
}

/// A function of `x: [n]f64` and `u: i64` whose body reads `x[i]`.
fn read(before: &str, index: &str) -> String {
    format!(
        "func f[n, m](x: [n]f64, y: [m]f64, u: i64) -> f64 {{\n{before}\n  r: f64 = read! x[{index}]\n  return r\n}}"
    )
}

#[test]
fn checks_that_were_passed_prove_accesses() {
    assert_eq!(unproved(&read("  check index u, n", "u")), 0);
    assert_eq!(unproved(&read("  a: f64 = read x[u]", "u")), 0);
    assert_eq!(unproved(&read("  check index u, m\n  check size_eq m, n", "u")), 0);
    assert_eq!(unproved(&read("  v: i64 = add u, 1\n  check index v, n\n  check size_non_neg u", "u")), 0);
}

#[test]
fn other_checks_do_not() {
    assert_eq!(unproved(&read("", "u")), 1);
    assert_eq!(unproved(&read("  check index u, m", "u")), 1);
    assert_eq!(unproved(&read("  check size_non_neg u", "u")), 1);
    assert_eq!(unproved(&read("  check index u, n\n  v: i64 = add u, 1", "v")), 1);
    assert_eq!(unproved(&read("", "0")), 1);
}

/// `u + 1 < n` says nothing of `u`, which may be the greatest integer.
#[test]
fn sums_that_may_wrap_prove_nothing() {
    let guarded = |second: &str| {
        format!(
            "func f[n](x: [n]f64, u: i64) -> f64 {{\n  v: i64 = add u, 1\n  a: bool = ge u, 0\n  b: bool = lt {second}, n\n  \
             c: bool = and a, b\n  r: f64 = if c {{\n    e: f64 = read! x[u]\n    yield e\n  }} else {{ yield 0.0 }}\n  \
             return r\n}}"
        )
    };
    assert_eq!(unproved(&guarded("v")), 1);
    assert_eq!(unproved(&guarded("u")), 0);
}

#[test]
fn axes_quotients_and_choices() {
    let build = |extent: &str, body: &str, index: &str| {
        format!(
            "func f[n, m](x: [n]f64, z: [n][m]f64) -> [{extent}]f64 {{\n  r: [{extent}]f64 = build i<{extent} {{\n{body}    \
             e: f64 = read! {index}\n    yield e\n  }}\n  return r\n}}"
        )
    };
    assert_eq!(unproved(&build("n", "", "x[i]")), 0);
    assert_eq!(unproved(&build("n + 1", "", "x[i]")), 1);
    assert_eq!(unproved(&build("n", "    k: i64 = sub n, 1\n    j: i64 = sub k, i\n", "x[j]")), 0);
    assert_eq!(unproved(&build("n*m", "    j: i64 = div i, m\n    k: i64 = rem i, m\n", "z[j, k]")), 0);
    assert_eq!(unproved(&build("n*m", "    j: i64 = div i, n\n    k: i64 = rem i, m\n", "z[j, k]")), 1);
    assert_eq!(
        unproved(&build("n", "    j: i64 = sub i, 1\n    c: bool = ge j, 0\n    k: i64 = select c, j, i\n", "x[k]")),
        0
    );
    assert_eq!(
        unproved(&build("n", "    j: i64 = sub i, 1\n    c: bool = ge i, 0\n    k: i64 = select c, j, i\n", "x[k]")),
        1
    );
}

#[test]
fn a_check_behind_its_access_or_in_another_block_proves_nothing() {
    let behind = "func f[n](x: [n]f64, u: i64) -> f64 {\n  r: f64 = read! x[u]\n  check index u, n\n  return r\n}";
    assert_eq!(unproved(behind), 1);
    let elsewhere = "func f[n](x: [n]f64, u: i64) -> f64 {\n  build i<n {\n    check index u, n\n    yield\n  }\n  \
                     r: f64 = read! x[u]\n  return r\n}";
    assert_eq!(unproved(elsewhere), 1);
}

#[test]
fn what_nothing_proves_is_checked_and_nothing_else() {
    let text = "func f[n](x: [n]f64, u: i64) -> f64 {\n  a: f64 = read! x[u]\n  b: f64 = read! x[u]\n  c: f64 = add a, b\n  \
                return c\n}";
    let mut func = parse_func(text).unwrap();
    assert!(verify(&func, Level::Core).is_err());
    arr_ir::bounds::check_unproved(&mut func);
    verify(&func, Level::Core).unwrap();
    let checked: Vec<bool> = func
        .body
        .stmts
        .iter()
        .filter_map(|s| if let Op::Read { checked, .. } = s.op { Some(checked) } else { None })
        .collect();
    assert_eq!(checked, [true, false]);
}

/// Products and multiples of indices wrap long before the indices do.
#[test]
fn products_that_may_wrap_prove_nothing() {
    let kernel = |extent: &str, product: &str| {
        format!(
            "func f[n](x: [n]f64, k: i64) -> f64 {{\n  r: f64 = reduce sum i<{extent} {{\n{product}    c: bool = lt j, n\n    \
             d: f64 = if c {{\n      e: f64 = read! x[j]\n      yield e\n    }} else {{ yield 0.0 }}\n    yield d\n  }}\n  \
             return r\n}}"
        )
    };
    assert_eq!(unproved(&kernel("n", "    j: i64 = mul i, 3\n")), 0);
    assert_eq!(unproved(&kernel("1000", "    l: i64 = mul i, i\n    j: i64 = mul l, i\n")), 0);
    assert_eq!(unproved(&kernel("n", "    j: i64 = mul i, 4611686018427387904\n")), 1);
    assert_eq!(unproved(&kernel("n", "    j: i64 = mul i, i\n")), 1);
    // Nothing limits `k`: no array is as long.
    assert_eq!(unproved(&kernel("k", "    j: i64 = mul i, 3\n")), 1);
    assert_eq!(unproved(&kernel("k", "    j: i64 = add i, 0\n")), 0);
}

/// What an array of integers holds is not what it held once something has been added to it.
#[test]
fn elements_that_are_added_to_lose_their_bounds() {
    let text = |kind: &str| {
        format!(
            "func f(x: [6]f64) -> f64 {{\n  a: [2]i64 = literal [5, 0]\n  b: [2]i64 = scatter! {kind} a {{ yield true, 0, 3 }}\n  \
             i: i64 = read! b[0]\n  e: f64 = read! x[i]\n  return e\n}}"
        )
    };
    assert_eq!(unproved(&text("set")), 0);
    assert_eq!(unproved(&text("add")), 1);
}

/// What one element of an array of truth values says of another value at its own point, it does not say of that value elsewhere.
#[test]
fn conditions_are_about_their_own_point() {
    let text = "func f[n, m](x: [n]f64, is: [m]i64, p: i64, q: i64) -> f64 {\n  check index p, m\n  check index q, m\n  \
                c: [m]bool = build i<m {\n    t: i64 = read! is[i]\n    b: bool = lt t, i\n    yield b\n  }\n  \
                g: bool = read! c[p]\n  h: bool = read! c[q]\n  l: bool = not h\n  both: bool = and g, l\n  \
                r: f64 = if both {\n    d: i64 = sub p, q\n    s: [m]f64 = build j<m { yield 0.0 }\n    \
                e: f64 = read! s[d]\n    yield e\n  } else { yield 0.0 }\n  return r\n}";
    assert_eq!(unproved(text), 1);
}
