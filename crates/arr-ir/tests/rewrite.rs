//! The walks over nested blocks: text in, the visited statements and blocks out.

use arr_ir::rewrite::{
    Enter, any_op, for_each_block, for_each_block_mut, for_each_op, for_each_stmt, for_each_stmt_mut, rewrite_blocks,
    rewrite_blocks_outer_first, rewrite_stmts,
};
use arr_ir::{Block, Func, Op, Stmt, parse_func, print_func, verify_structure};

/// Every kind of block: a kernel (`k`), a loop of a kernel (`l`), a branch that makes an array (`b`) and one that is scalar code
/// (`c`), a derivative (`d`), a `while` (`w`).
const TEXT: &str = "\
func f[n](x: [n]f64, t: f64, p: bool) -> [n]f64, f64, f64 {
  k: [n]f64 = build i<n {
    k1: f64 = read! x[i]
    k2: f64 = if p {
      k3: f64 = exp k1
      yield k3
    } else {
      yield k1
    }
    yield k2
  }
  l: [n]f64 = loop j<n (s: [n]f64 = k) {
    l1: [n]f64 = build h<n {
      l2: f64 = read! s[h]
      l3: f64 = exp l2
      yield l3
    }
    yield l1
  }
  b: [n]f64 = if p {
    b1: [n]f64 = build g<n {
      b2: f64 = read! l[g]
      yield b2
    }
    yield b1
  } else {
    yield l
  }
  c: f64 = if p {
    c1: f64 = exp t
    yield c1
  } else {
    yield t
  }
  d: f64, e: f64 = vjp (u: f64 = t) seed (1.0) {
    d1: f64 = exp u
    yield d1
  }
  w: f64 = while (v: f64 = t) {
    w1: bool = lt v, 1.0
    yield w1
  } do (z: f64) {
    w2: f64 = exp z
    yield w2
  }
  return b, c, w
}";

fn func() -> Func {
    let func = parse_func(TEXT).unwrap_or_else(|e| panic!("{e}\n{TEXT}"));
    verify_structure(&func, arr_ir::Level::Core).unwrap_or_else(|e| panic!("{}", arr_ir::report(&func, &e)));
    func
}

/// The first name that a statement binds.
fn name(func: &Func, stmt: &Stmt) -> String {
    func.name(stmt.vars[0]).to_string()
}

/// The names of a block's statements.
fn names(func: &Func, block: &Block) -> String {
    block.stmts.iter().map(|stmt| name(func, stmt)).collect::<Vec<_>>().join(" ")
}

fn stmts(enter: Enter) -> String {
    let mut seen = Vec::new();
    let mut func = func();
    let before = print_func(&func);
    rewrite_stmts(&mut func, enter, &mut |func, stmt, out| {
        seen.push(name(func, &stmt));
        out.push(stmt);
    });
    assert_eq!(print_func(&func), before);
    seen.join(" ")
}

type Driver = fn(&mut Func, Enter, &mut dyn FnMut(&mut Func, &mut Block));

fn blocks(driver: Driver, enter: Enter) -> Vec<String> {
    let mut seen = Vec::new();
    driver(&mut func(), enter, &mut |func, block| seen.push(names(func, block)));
    seen.retain(|names| !names.is_empty());
    seen
}

#[test]
fn statements_follow_those_in_their_blocks() {
    assert_eq!(stmts(Enter::Control), "k l1 l b1 b c1 c d w1 w2 w");
    assert_eq!(stmts(Enter::ArrayControl), "k l1 l b1 b c d w1 w2 w");
    assert_eq!(stmts(Enter::OutsideKernels), "k l1 l b1 b c1 c d1 d w1 w2 w");
    assert_eq!(stmts(Enter::All), "k1 k3 k2 k l2 l3 l1 l b2 b1 b c1 c d1 d w1 w2 w");
}

#[test]
fn inner_blocks_come_first() {
    let all = "k l b c d w";
    assert_eq!(blocks(rewrite_blocks, Enter::Control), ["l1", "b1", "c1", "w1", "w2", all]);
    assert_eq!(blocks(rewrite_blocks, Enter::ArrayControl), ["l1", "b1", "w1", "w2", all]);
    assert_eq!(blocks(rewrite_blocks, Enter::OutsideKernels), ["l1", "b1", "c1", "d1", "w1", "w2", all]);
    let inner = ["k3", "k1 k2", "l2 l3", "l1", "b2", "b1", "c1", "d1", "w1", "w2", all];
    assert_eq!(blocks(rewrite_blocks, Enter::All), inner);
}

#[test]
fn outer_blocks_come_first() {
    let all = "k l b c d w";
    assert_eq!(blocks(rewrite_blocks_outer_first, Enter::Control), [all, "l1", "b1", "c1", "w1", "w2"]);
    let outer = [all, "k1 k2", "k3", "l1", "l2 l3", "b1", "b2", "c1", "d1", "w1", "w2"];
    assert_eq!(blocks(rewrite_blocks_outer_first, Enter::All), outer);
}

/// Statements that replace another are not visited again.
#[test]
fn statements_are_visited_once() {
    let mut func = func();
    let mut count = 0;
    rewrite_stmts(&mut func, Enter::All, &mut |_, stmt, out| {
        count += 1;
        if !matches!(stmt.op, Op::Build { .. }) {
            out.extend([stmt.clone(), stmt]);
        }
    });
    assert_eq!(count, 18);
    // Every remaining statement occurs twice: a removed kernel is gone with its body, both copies of a loop have one.
    assert_eq!(names(&func, &func.body), "l l b b c c d d w w");
    let mut left = 0;
    for_each_stmt(&func.body.stmts, &mut |_| left += 1);
    assert_eq!(left, 10 + 2 * 2 + 2 * 2 + 2 * 4);
}

#[test]
fn everything_is_visited_outer_first() {
    let func = func();
    let mut seen = Vec::new();
    for_each_stmt(&func.body.stmts, &mut |stmt| seen.push(name(&func, stmt)));
    assert_eq!(seen.join(" "), "k k1 k2 k3 l l1 l2 l3 b b1 b2 c c1 d d1 w w1 w2");
    let mut all = Vec::new();
    for_each_block(&func.body, &mut |block| all.push(names(&func, block)));
    all.retain(|names| !names.is_empty());
    assert_eq!(all, blocks(rewrite_blocks_outer_first, Enter::All));
    let mut ops = 0;
    func.body.stmts.iter().for_each(|stmt| for_each_op(&stmt.op, &mut |_| ops += 1));
    assert_eq!(ops, seen.len());
}

#[test]
fn changes_reach_everything() {
    let mut func = func();
    for_each_stmt_mut(&mut func.body.stmts, &mut |stmt| {
        if let Op::Read { checked, .. } = &mut stmt.op {
            *checked = false;
        }
    });
    for_each_block_mut(&mut func.body, &mut |block| block.stmts.retain(|stmt| !matches!(stmt.op, Op::Prim(..))));
    let mut left = Vec::new();
    for_each_stmt(&func.body.stmts, &mut |stmt| left.push(name(&func, stmt)));
    assert_eq!(left.join(" "), "k k1 k2 l l1 l2 b b1 b2 c d w");
}

#[test]
fn a_search_ends_where_it_finds_something() {
    let func = func();
    let mut asked = 0;
    let found = any_op(&func.body.stmts[0].op, &mut |op| {
        asked += 1;
        matches!(op, Op::Read { .. })
    });
    assert!(found && asked == 2);
    assert!(!any_op(&func.body.stmts[0].op, &mut |op| matches!(op, Op::Loop { .. })));
}
