//! The range analysis: accesses that it proves, accesses that it rejects, and the checks then added.

use arr_ir::bounds::Bounds;
use arr_ir::{Level, Op, Poly, parse_func, verify, verify_structure};

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

/// `u + 1 < n` implies nothing about `u`, which may be the greatest integer.
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

/// Products and multiples of indices wrap long before the indices would.
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
    // Nothing limits `k`: no array has that length.
    assert_eq!(unproved(&kernel("k", "    j: i64 = mul i, 3\n")), 1);
    assert_eq!(unproved(&kernel("k", "    j: i64 = add i, 0\n")), 0);
}

/// After something has been added to an array of integers, the old bounds of its elements do not hold.
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

/// A fact that one element of an array of truth values implies about its own point does not hold at other points.
#[test]
fn conditions_are_about_their_own_point() {
    let text = "func f[n, m](x: [n]f64, is: [m]i64, p: i64, q: i64) -> f64 {\n  check index p, m\n  check index q, m\n  \
                c: [m]bool = build i<m {\n    t: i64 = read! is[i]\n    b: bool = lt t, i\n    yield b\n  }\n  \
                g: bool = read! c[p]\n  h: bool = read! c[q]\n  l: bool = not h\n  both: bool = and g, l\n  \
                r: f64 = if both {\n    d: i64 = sub p, q\n    s: [m]f64 = build j<m { yield 0.0 }\n    \
                e: f64 = read! s[d]\n    yield e\n  } else { yield 0.0 }\n  return r\n}";
    assert_eq!(unproved(text), 1);
}

/// Arrays of conditions, each of which combines elements of the one before: what one implies does not double each time.
#[test]
fn conditions_of_conditions_imply_few_facts() {
    const LAST: usize = 40;
    let mut text = String::from("func f[n, m](z: [m]f64, u: i64) -> [n]f64 {\n  check slice 0, u, m\n");
    text += "  c0: [n]bool = build i0<n {\n    a0: bool = lt i0, u\n    yield a0\n  }\n";
    for (before, k) in (0..LAST).zip(1..) {
        text += &format!("  c{k}: [n]bool = build i{k}<n {{\n    a{k}: bool = read! c{before}[i{k}]\n");
        text +=
            &format!("    b{k}: bool = read! c{before}[i{k}]\n    d{k}: bool = and a{k}, b{k}\n    yield d{k}\n  }}\n");
    }
    text += &format!("  y: [n]f64 = build j<n {{\n    h: bool = read! c{LAST}[j]\n    e: f64 = if h {{\n");
    text += "      g: f64 = read! z[j]\n      yield g\n    } else { yield 0.0 }\n    yield e\n  }\n  return y\n}";
    assert_eq!(unproved(&text), 0);
}

/// A nest does not check again the points at which an earlier nest has checked.
#[test]
fn what_was_checked_at_all_points_is_inside() {
    const ROWS: &str = "func f[n, m, e](x: [m]f64, columns: [e]i64, starts: [n]i64, ends: [n]i64) -> f64 {
  s: f64 = reduce sum i<n {
    a: i64 = read! starts[i]
    b: i64 = read! ends[i]
    l: i64 = sub b, a
    t: f64 = reduce sum p<l {
      q: i64 = add a, p
      column: i64 = read columns[q]
      v: f64 = read x[column]
      yield v
    }
    yield t
  }
  z: [m]f64 = build j<m { yield 0.0 }
";
    let again = |first: &str, length: &str, entry: &str| {
        unproved(&format!(
            "{ROWS}  d: [m]f64 = loop reverse r<n (y: [m]f64 = z) {{
    from: i64 = read! {first}[r]
    to: i64 = read! ends[r]
    length: i64 = sub to, from
    h: [m]f64 = scatter! add y, k<{length} {{
      place: i64 = add from, {entry}
      other: i64 = read! columns[place]
      yield true, other, 1.0
    }}
    yield h
  }}
  return s
}}"
        ))
    };
    assert_eq!(again("starts", "length", "k"), 0);
    // Other rows, more entries, other entries.
    assert_eq!(again("ends", "length", "k"), 2);
    assert_eq!(again("starts", "n", "k"), 2);
    assert_eq!(again("starts", "length", "r"), 2);
}

/// Points correspond: an index that was checked for all elements is in bounds for any existing element.
#[test]
fn one_element_of_those_that_were_checked_is_inside() {
    let text = |when: &str, end: &str, index: &str| {
        format!(
            "func f[n, m](x: [m]f64, is: [n]i64, js: [n]i64, c: bool, u: i64) -> f64 {{
  {when}
    s: f64 = reduce sum i<n {{
      j: i64 = read! is[i]
      v: f64 = read x[j]
      yield v
    }}
  {end}
  check index u, n
  k: i64 = {index}
  w: f64 = read! x[k]
  return w
}}"
        )
    };
    assert_eq!(unproved(&text("", "", "read! is[u]")), 0);
    assert_eq!(unproved(&text("", "", "read! js[u]")), 1);
    assert_eq!(unproved(&text("", "", "add u, 0")), 1);
    // It is not known whether a branch or an iteration of a `while` has run.
    assert_eq!(unproved(&text("t: f64 = if c {", "yield s\n } else { yield 0.0 }", "read! is[u]")), 1);
    assert_eq!(unproved(&text("t: f64 = loop o<m (g: f64 = 0.0) {", "yield s\n }", "read! is[u]")), 1);
    assert_eq!(
        unproved(&text("check non_empty m\n  t: f64 = loop o<m (g: f64 = 0.0) {", "yield s\n }", "read! is[u]")),
        0
    );
}

/// Answers are remembered by what is known: after any scopes, facts and copies they are those of an analysis that was
/// told the same facts and asked nothing before.
#[test]
fn remembered_answers_are_those_of_the_facts_in_scope() {
    let func =
        parse_func("func f(a: i64, b: i64, c: i64, d: i64) -> i64 {\n  return a\n}").unwrap_or_else(|e| panic!("{e}"));
    let mut state = 11u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    // The facts of each open scope, and their number when it was entered.
    let mut open = vec![(Bounds::new(&func), Vec::<Poly>::new(), Vec::<usize>::new())];
    let (mut proved, mut asked) = (0, 0);
    for _ in 0..4000 {
        let mut poly = || {
            let place = |k: u64| Poly::var(func.params[k as usize]);
            let c = Poly::constant(next(5) as i64 - 2);
            if next(4) == 0 { place(next(4)) } else { place(next(4)).sub(&place(next(4))).add(&c) }
        };
        let (fact, question) = (poly(), poly());
        let copy = next(12) == 0 && open.len() < 4;
        let at = next(open.len() as u64) as usize;
        let (bounds, facts, scopes) = &mut open[at];
        match next(3) {
            0 => {
                bounds.enter();
                scopes.push(facts.len());
            }
            1 if !scopes.is_empty() => {
                bounds.leave();
                facts.truncate(scopes.pop().unwrap_or(0));
            }
            _ if !scopes.is_empty() && facts.len() < 6 => {
                bounds.add_fact(fact.clone());
                facts.push(fact);
            }
            _ => {}
        }
        let mut fresh = Bounds::new(&func);
        facts.iter().for_each(|fact| fresh.add_fact(fact.clone()));
        let answer = bounds.non_negative(&question);
        assert_eq!(answer, fresh.non_negative(&question), "{question:?} with {facts:?}");
        asked += 1;
        proved += usize::from(answer);
        if copy {
            let copy = open[at].clone();
            open.push(copy);
        }
    }
    assert!(proved > asked / 20 && proved < asked * 19 / 20, "{proved} of {asked}");
}
