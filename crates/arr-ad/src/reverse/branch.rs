//! Reverse mode of an `if` over blocks. (An `if` in a kernel is swept in `scalar`.)

use crate::code::{CodeBuilder, copy_block, d_name};
use crate::error::AdError;
use crate::reverse::cotangents::{Cotangents, Ct};
use crate::reverse::scalar::block_depends;
use crate::reverse::sweep::{Sweep, backward, forward};
use arr_ir::walk::{Subst, free_vars_of_block};
use arr_ir::{Atom, Block, VarId};

/// Writes the reverse of an `if` over blocks: an `if` that recomputes one branch and sweeps it, starting from the
/// present cotangents of the variables that the branches capture. Fails where the sweep of a branch does.
pub(crate) fn reverse_if_block(
    code: &mut CodeBuilder<'_>,
    cond: Atom,
    blocks: [&Block; 2],
    cts: &[Option<Ct>],
    cots: &mut Cotangents,
    sweep: &mut Sweep,
) -> Result<(), AdError> {
    let mut captured: Vec<VarId> = Vec::new();
    for block in blocks {
        if !block_depends(block, &|v| sweep.active.contains(v)) {
            continue;
        }
        for v in free_vars_of_block(code.func, block) {
            if sweep.active.contains(v) && !captured.contains(&v) {
                captured.push(v);
            }
        }
    }
    let so_far: Vec<Option<Ct>> = captured.iter().map(|&v| cots.take(code, v)).collect();
    let mut branches = Vec::new();
    for block in blocks {
        let (stmts, swept) = code.nested(|code| reverse_block_branch(code, block, cts, (&captured, &so_far), sweep));
        branches.push((stmts, swept?));
    }
    let (Some((other, other_cts)), Some((then, then_cts))) = (branches.pop(), branches.pop()) else {
        return code.broken("an `if` has not two branches");
    };
    let results = |cts: &[Ct]| cts.iter().map(|ct| ct.atom).collect();
    let then_block = Block { params: Vec::new(), stmts: then, results: results(&then_cts) };
    let else_block = Block { params: Vec::new(), stmts: other, results: results(&other_cts) };
    let joined = code.if_(cond, then_block, else_block, "d");
    for (((&v, atom), a), b) in captured.iter().zip(joined).zip(&then_cts).zip(&other_cts) {
        if let Atom::Var(d) = atom {
            let name = d_name(code.func, v);
            code.func.vars[d].name = name;
        }
        cots.add_dense(v, Ct { atom, selective: a.selective || b.selective });
    }
    Ok(())
}

fn reverse_block_branch(
    code: &mut CodeBuilder<'_>,
    block: &Block,
    cts: &[Option<Ct>],
    (captured, so_far): (&[VarId], &[Option<Ct>]),
    sweep: &mut Sweep,
) -> Result<Vec<Ct>, AdError> {
    let mut subst = Subst::new();
    let copy = copy_block(code.func, &mut subst, block);
    sweep.active.copied(&subst);
    let tape = forward(code, copy.stmts, sweep)?;
    let mut cots = Cotangents::in_place();
    for (&v, ct) in captured.iter().zip(so_far) {
        if let Some(ct) = ct {
            cots.add_dense(v, *ct);
        }
    }
    for (&result, ct) in copy.results.iter().zip(cts) {
        if let (Atom::Var(v), Some(ct)) = (result, ct)
            && sweep.active.contains(v)
        {
            cots.add_dense(v, *ct);
        }
    }
    backward(code, tape, &mut cots, sweep)?;
    Ok(captured.iter().map(|&v| cots.take_or_zero(code, v)).collect())
}
