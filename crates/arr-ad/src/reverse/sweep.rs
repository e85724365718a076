//! The two sweeps of reverse mode over a bulk block: forwards, to write its statements and keep what the way back
//! needs, and backwards, where each statement is handed to the rule of its construct.

use crate::analysis::activity::Active;
use crate::code::{CodeBuilder, d_name, reduce_of};
use crate::error::AdError;
use crate::extremum::forward_extremum;
use crate::reverse::branch::reverse_if_block;
use crate::reverse::cotangents::{Cotangents, Ct, read_seeds};
use crate::reverse::custom::{Declared, forward_custom, reverse_custom};
use crate::reverse::kernel::{Kernel, update_with};
use crate::reverse::loops::{SavedLoop, forward_loop, reverse_loop, while_to_for};
use crate::reverse::normalize::normalize;
use crate::reverse::reduction::reverse_reduce;
use crate::reverse::scalar::{Adjoint, reverse_scalar};
use crate::reverse::scatter::reverse_scatter;
use crate::reverse::sparse_adjoint::{reverse_sparse, take_sparse};
use crate::storage::checkpoint::periodic::{Segments, divided};
use crate::storage::nested::Nested;
use arr_ir::{Atom, Op, Stmt, VarId};
use arr_passes::{Repeats, is_scalar_code};
use rustc_hash::FxHashMap;

/// One statement of the forward sweep, as the reverse sweep needs it.
pub(crate) enum Taped {
    /// The statement, and the variables of its body that are kept, each with its array.
    Stmt(Stmt, FxHashMap<VarId, VarId>),
    /// A maximum or minimum, and the index that it is taken from.
    Extremum(Stmt, Atom),
    Loop(SavedLoop),
    Custom(Declared),
}

/// How a block is swept.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    /// Loops recompute their states in logarithmic memory, see `checkpoint::bisect`.
    pub bisect: bool,
    /// Long loops over large states are divided, see `checkpoint::periodic`.
    pub segments: Option<Segments>,
    /// The seeds may be zeros of something not selected.
    pub selective: bool,
}

/// The variables that depend on the differentiated inputs, the settings, and what loops know of each other: the same for
/// all blocks of a sweep.
pub(crate) struct Sweep {
    pub active: Active,
    pub settings: Settings,
    pub nested: Nested,
}

/// Writes the statements and what keeps the values that the reverse sweep needs; returns the tape for that sweep. Fails
/// with [`AdError::NoRule`] where an operation has no derivative rule.
pub(crate) fn forward(code: &mut CodeBuilder<'_>, stmts: Vec<Stmt>, sweep: &mut Sweep) -> Result<Vec<Taped>, AdError> {
    let mut tape = Vec::new();
    for stmt in stmts {
        if !stmt.vars.iter().any(|&v| sweep.active.contains(v)) {
            code.stmts.push(stmt);
            continue;
        }
        code.span = stmt.span;
        match stmt.op {
            Op::Loop { .. } => forward_whole_loop(code, stmt, sweep, &mut tape)?,
            Op::While { .. } => {
                let stmt = while_to_for(code, stmt)?;
                forward_whole_loop(code, stmt, sweep, &mut tape)?;
            }
            Op::Custom { inputs, body, rule, transposed } => {
                let rule = (rule, transposed);
                tape.push(Taped::Custom(forward_custom(code, (stmt.vars, stmt.span), inputs, body, rule)));
            }
            _ => forward_stmt(code, stmt, sweep, &mut tape),
        }
    }
    Ok(tape)
}

/// Writes a loop, divided into segments if that pays. Fails as [`forward`] does.
fn forward_whole_loop(
    code: &mut CodeBuilder<'_>,
    stmt: Stmt,
    sweep: &mut Sweep,
    tape: &mut Vec<Taped>,
) -> Result<(), AdError> {
    let segments = sweep.settings.segments.filter(|_| !sweep.settings.bisect);
    let Sweep { active, .. } = sweep;
    let parts = segments.and_then(|options| divided(code, &stmt, options, &mut |subst| active.copied(subst)));
    let Some([first, rest]) = parts else {
        tape.push(Taped::Loop(forward_loop(code, stmt, sweep)?));
        return Ok(());
    };
    // A segment is not divided again.
    let around = std::mem::take(&mut sweep.settings.segments);
    for part in [first, rest] {
        tape.push(Taped::Loop(forward_loop(code, part, sweep)?));
    }
    sweep.settings.segments = around;
    Ok(())
}

fn forward_stmt(code: &mut CodeBuilder<'_>, stmt: Stmt, sweep: &mut Sweep, tape: &mut Vec<Taped>) {
    let own = stmt.vars.clone();
    for (stmt, saved) in normalize(code.func, stmt) {
        for &v in stmt.vars.iter().filter(|v| !own.contains(v)) {
            if code.func.ty(v).elem.is_float() {
                sweep.active.mark(v);
            }
        }
        if let Some(chosen) = forward_extremum(code, &stmt) {
            tape.push(Taped::Extremum(stmt, chosen));
            continue;
        }
        code.stmts.push(stmt.clone());
        tape.push(Taped::Stmt(stmt, saved));
    }
}

/// Writes the reverse sweep of a tape, from the cotangents in `cots` to those of the variables from outside. Fails as
/// [`forward`] does.
pub(crate) fn backward(
    code: &mut CodeBuilder<'_>,
    tape: Vec<Taped>,
    cots: &mut Cotangents,
    sweep: &mut Sweep,
) -> Result<(), AdError> {
    for entry in tape.into_iter().rev() {
        match entry {
            Taped::Loop(saved) => {
                code.span = saved.stmt.span;
                reverse_loop(code, saved, cots, sweep)?;
            }
            Taped::Stmt(stmt, saved) => {
                code.span = stmt.span;
                reverse_stmt(code, &stmt, (&saved, None), cots, sweep)?;
            }
            Taped::Extremum(stmt, chosen) => {
                code.span = stmt.span;
                reverse_stmt(code, &stmt, (&FxHashMap::default(), Some(chosen)), cots, sweep)?;
            }
            Taped::Custom(declared) => reverse_custom(code, declared, cots, &sweep.active),
        }
    }
    Ok(())
}

fn reverse_stmt(
    code: &mut CodeBuilder<'_>,
    stmt: &Stmt,
    (saved, chosen): (&FxHashMap<VarId, VarId>, Option<Atom>),
    cots: &mut Cotangents,
    sweep: &mut Sweep,
) -> Result<(), AdError> {
    if !stmt.vars.iter().any(|&v| cots.has(v)) {
        return Ok(());
    }
    if let Some(row) = take_sparse(code.func, stmt, cots) {
        return reverse_sparse(code, stmt, (saved, chosen), row, cots, &|v| sweep.active.contains(v));
    }
    let cts: Vec<Option<Ct>> = stmt.vars.iter().map(|&v| cots.take(code, v)).collect();
    if let Op::If { cond, then_block, else_block } = &stmt.op
        && !is_scalar_code(code.func, stmt, Repeats::Nothing)
    {
        return reverse_if_block(code, *cond, [then_block, else_block], &cts, cots, sweep);
    }
    let is_active = |v: VarId| sweep.active.contains(v);
    match &stmt.op {
        Op::Build { axes, body } => match reduce_of(body) {
            Some(inner) => reverse_reduce(code, axes, (inner, chosen), &cts, cots, &is_active),
            None => {
                let seed = |code: &mut CodeBuilder<'_>, g: &[Atom], _: &[Atom], results: &[Atom]| {
                    read_seeds(code, &cts, g, results)
                };
                let kernel = Kernel { outer: axes, inner: &[], body, saved, place: None, seed: &seed, store: false };
                kernel.reverse(code, cots, &is_active)
            }
        },
        Op::Reduce { .. } => reverse_reduce(code, &[], (stmt, chosen), &cts, cots, &is_active),
        Op::Scatter { kind, dest, axes, body, .. } => {
            let Some(Some(ct)) = cts.first() else { return Ok(()) };
            reverse_scatter(code, (*kind, *dest), (axes, body), *ct, cots, &is_active)
        }
        Op::Reshape(array) => {
            let (Some(Some(ct)), true) = (cts.first(), is_active(*array)) else { return Ok(()) };
            let Atom::Var(d) = ct.atom else { return code.broken("the cotangent of an array is none") };
            let back = code.func.var(d_name(code.func, *array), code.func.type_id(*array));
            code.push(vec![back], Op::Reshape(d));
            cots.add_dense(*array, Ct { atom: Atom::Var(back), ..*ct });
            Ok(())
        }
        Op::Prim(..) | Op::Read { .. } | Op::If { .. } => {
            let seeds: Vec<(Atom, Ct)> =
                stmt.vars.iter().zip(&cts).filter_map(|(&v, ct)| ct.map(|ct| (Atom::Var(v), ct))).collect();
            let adjoint = reverse_scalar(code, std::slice::from_ref(stmt), &seeds, &is_active)?;
            contribute(adjoint, cots);
            Ok(())
        }
        Op::Barrier(args) => {
            for (&arg, ct) in args.iter().zip(&cts) {
                if let (Some(v), Some(ct)) = (arg.var().filter(|&v| is_active(v)), ct) {
                    cots.add_dense(v, *ct);
                }
            }
            Ok(())
        }
        Op::Size(_) | Op::Literal(_) | Op::Check { .. } | Op::StopGradient(_) | Op::Argsort(_) => Ok(()),
        Op::Trace { .. } => Ok(()),
        // These have entries of their own on the tape.
        Op::Loop { .. } | Op::While { .. } | Op::Custom { .. } => {
            Err(AdError::NoRule { what: "this operation", span: stmt.span })
        }
        Op::Call { .. } => Err(AdError::NoRule { what: "a call that is only printed", span: stmt.span }),
        Op::Vjp { .. } | Op::Jvp { .. } => {
            Err(AdError::NoRule { what: "a derivative inside a kernel", span: stmt.span })
        }
    }
}

/// Adds the contributions of scalar code that runs once.
fn contribute(adjoint: Adjoint, cots: &mut Cotangents) {
    for read in adjoint.reads {
        cots.add_update(read.array, update_with(Vec::new(), Vec::new(), read));
    }
    for (v, ct) in adjoint.scalars {
        cots.add_dense(v, ct);
    }
}
