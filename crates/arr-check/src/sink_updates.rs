//! Sinks updates: each is made as late as possible, which is known as code sinking.
//!
//! An update is made in place when nothing reads the old array any more. In `(a with [i] = s, s + a[i])` the update is
//! evaluated first and the old array is read after it, so that every step of a loop would copy the array. Values do not
//! depend on the order of statements, so here every update, and every loop that starts from an array, moves to just
//! before its own first use, where that passes reads of what it starts from.

use arr_ir::rewrite::{Enter, rewrite_blocks};
use arr_ir::walk::{for_each_use, has_trace};
use arr_ir::{Atom, Block, Func, Op, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Moves the updates of a function, in all its blocks.
pub(crate) fn sink_updates(func: &mut Func) {
    rewrite_blocks(func, Enter::All, &mut |func, block| {
        if block.stmts.iter().any(|stmt| !consumed(func, &stmt.op).is_empty()) {
            sink(func, block);
        }
    });
}

/// The arrays that an operation could overwrite.
fn consumed(func: &Func, op: &Op) -> Vec<VarId> {
    let is_array = |v: &VarId| !func.ty(*v).is_scalar();
    match op {
        // Traces are shown in their order.
        op if has_trace(op) => Vec::new(),
        Op::Scatter { dest, .. } => vec![*dest],
        Op::Loop { inits, .. } | Op::While { inits, .. } => {
            inits.iter().filter_map(|a| Atom::var(*a)).filter(is_array).collect()
        }
        _ => Vec::new(),
    }
}

fn sink(func: &Func, b: &mut Block) {
    let end = b.stmts.len();
    // From the last statement to the first: where each goes, and where each variable is used for the first time from
    // there.
    let mut first_use: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut place = vec![0; end];
    for (at, stmt) in b.stmts.iter().enumerate().rev() {
        let arrays = consumed(func, &stmt.op);
        let until = stmt.vars.iter().filter_map(|v| first_use.get(v).copied()).min().unwrap_or(end);
        let passed = |v: &VarId| first_use.get(v).is_some_and(|&p| p < until);
        let to = if arrays.iter().any(passed) { until } else { at };
        if let Some(slot) = place.get_mut(at) {
            *slot = to;
        }
        let mut used = |v: VarId| {
            first_use.entry(v).and_modify(|p| *p = to.min(*p)).or_insert(to);
        };
        for_each_use(func, &stmt.op, &mut used);
        // The sizes of its results are needed where it stands.
        let dims = stmt.vars.iter().flat_map(|&v| &func.ty(v).dims);
        dims.flat_map(|&dim| func.types.poly(dim).vars()).for_each(used);
    }
    let mut order: Vec<(usize, bool, usize, Stmt)> = Vec::with_capacity(end);
    for (at, (stmt, to)) in std::mem::take(&mut b.stmts).into_iter().zip(place).enumerate() {
        // What was moved comes before what uses it, in its old order.
        order.push((to, to == at, at, stmt));
    }
    order.sort_by_key(|(to, stays, at, _)| (*to, *stays, *at));
    b.stmts = order.into_iter().map(|(.., stmt)| stmt).collect();
}

#[cfg(test)]
mod tests {
    use super::sink_updates;
    use arr_ir::{parse_func, print_func};

    /// The order of the statements' first names.
    fn order(text: &str) -> Result<String, Box<dyn std::error::Error>> {
        let mut func = parse_func(text).map_err(|e| format!("{e:?}"))?;
        sink_updates(&mut func);
        if let Err(errors) = arr_ir::verify(&func, arr_ir::Level::Core) {
            return Err(arr_ir::report(&func, &errors).into());
        }
        let text = print_func(&func);
        let names = text.lines().filter_map(|l| l.strip_prefix("  ")?.split_once(": ")).map(|(name, _)| name);
        Ok(names.filter(|n| !n.starts_with(' ')).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn reads_come_before_the_update() -> Result<(), Box<dyn std::error::Error>> {
        let text = "func f(a: [8]f64, s: f64) -> [8]f64, f64 {
  b: [8]f64 = scatter! set a { yield true, 3, s }
  t: f64 = read! a[3]
  u: f64 = add t, s
  return b, u
}";
        assert_eq!(order(text)?, "t u b");
        Ok(())
    }

    #[test]
    fn chains_go_along_and_users_stay_behind() -> Result<(), Box<dyn std::error::Error>> {
        let text = "func f(a: [8]f64, s: f64) -> [8]f64, f64, f64 {
  b: [8]f64 = scatter! set a { yield true, 3, s }
  c: [8]f64 = scatter! set b { yield true, 3, 1.0 }
  t: f64 = read! a[3]
  u: f64 = read! b[3]
  v: f64 = read! c[3]
  w: f64 = read! a[0]
  x: f64 = add t, w
  y: f64 = add u, v
  return c, x, y
}";
        assert_eq!(order(text)?, "t b u c v w x y");
        Ok(())
    }

    #[test]
    fn nothing_moves_without_need() -> Result<(), Box<dyn std::error::Error>> {
        let text = "func f(a: [8]f64, s: f64) -> [8]f64, f64 {
  t: f64 = read! a[3]
  b: [8]f64 = scatter! set a { yield true, 3, t }
  u: f64 = add t, s
  return b, u
}";
        assert_eq!(order(text)?, "t b u");
        Ok(())
    }
}
