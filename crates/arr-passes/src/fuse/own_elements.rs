//! Reads of an element that no other iteration of a loop writes: it is still what it was before the loop.
//!
//! ```text
//! y: [n]f64 = loop i<n (u: [n]f64 = x) {            y: [n]f64 = loop i<n (u: [n]f64 = x) {
//!   a: f64 = read! u[i]                               a: f64 = read! x[i]
//!   ..                                        =>      ..
//!   v: [n]f64 = scatter! set u { yield true, i, b }   v: [n]f64 = scatter! set u { yield true, i, b }
//!   yield v }                                         yield v }
//! ```
//!
//! XLA fuses a read into what uses it, and copies an array in each iteration that it is to change before the last of these.
//! An array that the loop only writes is written in place. The array before the loop is copied once, which costs no
//! more than the loop: it has as many elements as that has iterations.
//!
//! Assumes:      a verified bulk or fused function.
//! Guarantees:   the function is as before; values are unchanged.
//! Leaves alone: arrays of several axes; reads after the iteration's own write.
//! Cost:         O(statements x nesting depth).
//! Tests:        tests/contract/own_elements.ir

use arr_ir::rewrite::{Enter, for_each_stmt_mut, rewrite_stmts};
use arr_ir::{Atom, Axis, Block, Func, Op, Stmt, VarId};

/// Whether anything changed.
pub(super) fn own_elements(func: &mut Func) -> bool {
    let mut changed = false;
    rewrite_stmts(func, Enter::Control, &mut |func, mut stmt, out| {
        if let Op::Loop { axis, inits, body, .. } = &mut stmt.op {
            let own: Vec<(VarId, VarId)> = (0..inits.len())
                .filter_map(|k| Some((own_elements_of(func, *axis, body, k)?, inits.get(k)?.var()?)))
                .collect();
            for (param, init) in own {
                changed |= read_before(&mut body.stmts, (param, init), *axis);
            }
        }
        out.push(stmt);
    });
    changed
}

/// The param of a state of which each iteration writes its own element alone.
fn own_elements_of(func: &Func, axis: Axis, body: &Block, k: usize) -> Option<VarId> {
    let (&param, mut version) = (body.params.get(k)?, body.results.get(k)?.var()?);
    if func.ty(param).dims.as_slice() != [axis.extent] || version == param {
        return None;
    }
    while version != param {
        let stmt = body.stmts.iter().find(|stmt| stmt.vars.contains(&version))?;
        let Op::Scatter { dest, body: write, .. } = &stmt.op else { return None };
        let [_, index, _] = write.results.as_slice() else { return None };
        if *index != Atom::Var(axis.index) {
            return None;
        }
        version = *dest;
    }
    Some(param)
}

/// Reads an iteration's own element of `param` from `init`. Whether there are such reads.
fn read_before(stmts: &mut [Stmt], (param, init): (VarId, VarId), axis: Axis) -> bool {
    let mut changed = false;
    for_each_stmt_mut(stmts, &mut |stmt| {
        if let Op::Read { array, index, .. } = &mut stmt.op
            && *array == param
            && index.as_slice() == [Atom::Var(axis.index)]
        {
            *array = init;
            changed = true;
        }
    });
    changed
}
