//! The walks over statements: text in, what is visited out.

use arr_loops::{LocalId, LoopFunc, Stmt, any_stmt, for_each_chunked_stmt, for_each_stmt, rewrite_stmts};

/// A loop with a branch, and a `while`.
const TEXT: &str = "\
loops f[n: i64](x: buffer f64 [n], p: bool, m: i64) {
  let d: address f64 = data x
  for k < n {
    let a: f64 = load d[k]
    if p {
      let b: f64 = exp a
    } else {
      let c: f64 = sqrt a
    }
  }
  var s: i64 = 0
  repeat {
    let t: i64 = s
    let go: bool = lt t, m
  } while go {
    let u: i64 = add t, 1
    set s = u
  }
  let e: i64 = s
  return e
}
";

fn parsed(text: &str) -> LoopFunc {
    arr_loops::parse(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

fn names(func: &LoopFunc, locals: impl IntoIterator<Item = LocalId>) -> Vec<String> {
    locals.into_iter().map(|local| func.locals[local].name.clone()).collect()
}

type Walk = fn(&[Stmt], &mut dyn FnMut(&Stmt));

/// The locals that statements bind and set, in the order in which they are visited.
fn seen(func: &LoopFunc, walk: Walk) -> String {
    let mut seen = Vec::new();
    walk(&func.body, &mut |stmt| seen.extend(names(func, stmt.binds().into_iter().chain(stmt.sets()))));
    seen.join(" ")
}

fn all(stmts: &[Stmt], f: &mut dyn FnMut(&Stmt)) {
    for_each_stmt(stmts, &mut |stmt| f(stmt));
}

fn chunked(stmts: &[Stmt], f: &mut dyn FnMut(&Stmt)) {
    for_each_chunked_stmt(stmts, &mut |stmt| f(stmt));
}

#[test]
fn statements_come_before_those_inside() {
    let func = parsed(TEXT);
    assert_eq!(seen(&func, all), "d k a b c s t go u s e");
    assert_eq!(seen(&func, chunked), seen(&func, all));
    assert!(any_stmt(&func.body, &|stmt| matches!(stmt, Stmt::If { .. })));
    assert!(!any_stmt(&func.body, &|stmt| matches!(stmt, Stmt::Alloc { .. })));
}

/// A scan has the iteration twice: as the body of the loop, and for chunks.
#[test]
fn chunks_have_what_a_scan_does_and_not_the_body() {
    let func = parsed(include_str!("scans/sum_backwards.loops"));
    let (all, chunked) = (seen(&func, all), seen(&func, chunked));
    let own = |name: &str, in_: &str| in_.split(' ').filter(|n| *n == name).count();
    let scan = func.body.iter().find_map(|stmt| match stmt {
        Stmt::For(l) => l.scan.as_ref(),
        _ => None,
    });
    let scan = scan.unwrap();
    let state = &func.locals[scan.states[0].local].name;
    assert_eq!((own(state, &all), own(state, &chunked)), (3, 2), "{all}\n{chunked}");
}

#[test]
fn statements_are_put_in_the_place_of_others() {
    let rewritten = |inside: fn(&mut Stmt) -> Vec<&mut Vec<Stmt>>| {
        let mut func = parsed(TEXT);
        let mut seen = Vec::new();
        let mut body = std::mem::take(&mut func.body);
        rewrite_stmts(&mut body, inside, &mut |stmt, out| {
            seen.extend(names(&func, stmt.binds()));
            if !matches!(stmt, Stmt::Set { .. }) {
                out.push(stmt);
            }
        });
        assert!(!any_stmt(&body, &|stmt| matches!(stmt, Stmt::Set { .. })));
        seen.join(" ")
    };
    assert_eq!(rewritten(Stmt::blocks_mut), "d a b c k s t go u e");
    assert_eq!(rewritten(Stmt::bodies_mut), "d a b c k s u e");
}
