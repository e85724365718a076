//! Passes that receive an impossible function report it in the function, and lose nothing silently. The functions are
//! spoiled here.

use arr_ir::{Atom, Block, Func, Stmt, parse_func};

/// The report of a pass on a spoiled function; asserts that there is none for the intact function.
#[track_caller]
fn says(text: &str, pass: fn(&mut Func), spoil: fn(&mut Block), what: &str) {
    let mut func = parse_func(text).unwrap();
    pass(&mut func);
    assert!(func.broken.is_empty(), "{:?}", func.broken);
    let mut func = parse_func(text).unwrap();
    spoil(&mut func.body);
    pass(&mut func);
    assert!(func.broken.contains(&what), "{:?}", func.broken);
}

fn first(block: &mut Block) -> &mut Stmt {
    block.stmts.first_mut().unwrap()
}

fn body(stmt: &mut Stmt) -> &mut Block {
    stmt.op.blocks_mut().into_iter().next().unwrap()
}

fn simplify(func: &mut Func) {
    arr_passes::simplify(func);
}

const SUM: &str = "func f(x: f64, y: f64) -> f64 {\n  z: f64 = add x, y\n  return z\n}\n";

const WRITES: &str = "func f[n](a: [n]f64, k: i64) -> f64 {
  b: [n]f64 = scatter set a {
    yield true, k, 1.0
  }
  return 0.0
}
";

#[test]
fn simplify_loses_no_statement() {
    says(SUM, simplify, |body| first(body).vars.clear(), "a statement has no result");
}

#[test]
fn simplify_loses_no_check_of_a_write() {
    says(
        WRITES,
        simplify,
        |f| body(first(f)).results.push(Atom::bool(true)),
        "a `scatter` writes at a place of fewer axes",
    );
}
