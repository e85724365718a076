//! Dead loop-carried state: parts of a loop's state whose writes no iteration reads.
//!
//! Each iteration reads an array at a place of its own, and then writes there; after the loop nobody reads the array.
//! So every read gives the initial element, and the array need not be state. Reverse mode leaves such loops: the
//! cotangent of a write is read and then cleared.

use arr_ir::rewrite::for_each_stmt;
use arr_ir::walk::for_each_use_in_block;
use arr_ir::{Atom, Block, Func, Op, Prim, VarId};
use rustc_hash::FxHashSet;

/// Whether `param`, which becomes `result` in an iteration of the loop over `index`, is read only where no earlier
/// iteration has written.
pub(super) fn reads_first_values(func: &Func, body: &Block, index: VarId, param: VarId, result: Atom) -> bool {
    let Some(write) = body.stmts.iter().find(|s| s.vars.iter().any(|&v| result == Atom::Var(v))) else { return false };
    let ([var], Op::Scatter { dest, body: point, .. }) = (write.vars.as_slice(), &write.op) else { return false };
    let places = point.results.get(1..).and_then(|r| r.split_last()).map(|(_, places)| places);
    let Some(places) = places.filter(|_| *dest == param) else { return false };
    let of_iteration = |a: &Atom| a.var().is_some_and(|v| v == index || body.stmts.iter().any(|s| s.vars == [v]));
    let same: Vec<(usize, Atom)> = places.iter().copied().enumerate().filter(|(_, a)| of_iteration(a)).collect();
    let known: FxHashSet<VarId> = same.iter().filter_map(|(_, a)| a.var()).collect();
    if !tells(body, &known, index) {
        return false;
    }
    let (mut reads, mut uses, mut results) = (0, 0, 0);
    for_each_read(body, param, &mut |at| {
        reads += usize::from(same.iter().all(|(k, place)| at.get(*k) == Some(place)));
    });
    for_each_use_in_block(func, body, &mut |v| {
        uses += usize::from(v == param);
        results += usize::from(v == *var);
    });
    // Besides these reads there are only the write and the result that is handed on.
    uses == reads + 1 && results == 1
}

fn for_each_read(block: &Block, of: VarId, f: &mut dyn FnMut(&[Atom])) {
    for_each_stmt(&block.stmts, &mut |stmt| match &stmt.op {
        Op::Read { array, index, .. } if *array == of => f(index),
        _ => {}
    });
}

/// Whether these variables identify the iteration: the index, or its quotient and remainder (`h / m` and `h % m`).
fn tells(body: &Block, known: &FxHashSet<VarId>, index: VarId) -> bool {
    if known.contains(&index) {
        return true;
    }
    let made = |prim: Prim, of: &[Atom]| {
        body.stmts.iter().find_map(|s| match (&s.op, s.vars.as_slice()) {
            (Op::Prim(p, args), [v]) if *p == prim && args == of => Some(*v),
            _ => None,
        })
    };
    body.stmts.iter().any(|s| match (&s.op, s.vars.as_slice()) {
        (Op::Prim(Prim::Rem, args), [v]) if args.first() == Some(&Atom::Var(index)) && known.contains(v) => {
            made(Prim::Div, args).is_some_and(|quotient| tells(body, known, quotient))
        }
        _ => false,
    })
}
