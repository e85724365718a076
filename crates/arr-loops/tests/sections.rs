//! What profiled code says of itself.

use arr_base::Id;
use arr_ir::parse_func;
use arr_loops::{LowerOptions, Stmt, for_each_stmt, lower_with};

const TEXT: &str = "func f[n](x: [n]f64, a: [4][4]f64) -> [n]f64, f64, [4][4]f64, [n]i64 {
  y: [n]f64 = build i<n {
    x_1: f64 = read! x[i]
    e: f64 = exp x_1
    yield e
  }
  s: f64 = loop k<n (s_1: f64 = 0.0) {
    y_1: f64 = read! y[k]
    t: f64 = reduce sum j<n {
      y_2: f64 = read! y[j]
      yield y_2
    }
    u: f64 = mul y_1, t
    v: f64 = add s_1, u
    yield v
  }
  p: [4][4]f64 = build i_1<4, j_1<4 {
    d: f64 = reduce sum l<4 {
      a_1: f64 = read! a[i_1, l]
      a_2: f64 = read! a[l, j_1]
      q: f64 = mul a_1, a_2
      yield q
    }
    yield d
  }
  o: [n]i64 = argsort y
  return y, s, p, o
}
";

#[test]
fn every_operation_on_arrays_has_a_section() {
    let func = parse_func(TEXT).unwrap();
    let options =
        LowerOptions { profile: true, relaxed: true, any_product: true, verify: true, ..LowerOptions::default() };
    let loops = lower_with(&func, options).unwrap();
    let names: Vec<&str> = loops.sections.values().map(|section| section.name.as_str()).collect();
    assert_eq!(names, ["y", "s", "t", "p", "o"]);
    // Each is the place of a loop, a product or a sort, except for what a pass has merged with another.
    let mut found = Vec::new();
    for_each_stmt(&loops.body, &mut |stmt| {
        let span = match stmt {
            Stmt::For(l) => l.span,
            Stmt::MatMul(product) => product.span,
            Stmt::Argsort { span, .. } => *span,
            _ => return,
        };
        found.extend(loops.sections.get(&span).map(|section| section.name.clone()));
    });
    for name in names {
        assert!(found.iter().any(|f| f == name), "{name} is in no loop: {found:?}\n{}", arr_loops::print(&loops));
    }
}

#[test]
fn other_code_has_none() {
    let func = parse_func(TEXT).unwrap();
    let loops = lower_with(&func, LowerOptions { verify: true, ..LowerOptions::default() }).unwrap();
    assert!(loops.sections.is_empty());
    for_each_stmt(&loops.body, &mut |stmt| {
        if let Stmt::MatMul(product) = stmt {
            assert_eq!(product.span.index(), 0);
        }
    });
}
