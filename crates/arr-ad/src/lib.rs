//! Forward and reverse automatic differentiation of bulk code.
//!
//! ```text
//! y: f64, dx: [n]f64 = vjp (q: [n]f64 = x) seed (1.0) {      y: f64 = reduce sum i<n { a = read! x[i]; mul a, a }
//!   s: f64 = reduce sum i<n {                            =>  dx: [n]f64 = build i<n { a = read! x[i]; mul a, 2.0 }
//!     a: f64 = read! q[i]
//!     b: f64 = mul a, a
//!     yield b
//!   }
//!   yield s
//! }
//! ```
//!
//! Assumes:      a verified core function; derivatives may nest in each other and stand inside kernels.
//! Guarantees:   no `vjp` and no `jvp` is left. Values are unchanged. A derivative costs a constant times what the code
//!               that it differentiates costs. The same run-time errors are raised.
//! Leaves alone: everything outside the blocks of `vjp` and `jvp`. The result is core code; `bot` makes it bulk.
//! Cost:         near linear in the program; the body of a loop is copied once for each loop around it.
//! Tests:        tests/three_way.rs, tests/programs/.
//!
//! Reverse mode follows CHAD ("Efficient CHAD", Smeding and Vákár) on first-order let-normal code. Whether a cotangent
//! is zero, a whole array, or an update of a few places is decided at compile time. A product with a cotangent that may
//! be the zero of something not selected is written so that the zero wins.
//!
//! A map of the crate. What is further down does not depend on what is above it, and reverse mode does not depend on
//! forward mode, which has it transpose declared derivatives.
//!
//! | where | what it is for |
//! |---|---|
//! | `lib.rs` | finds derivatives, innermost first, and puts code in their place |
//! | `reverse/` | reverse mode: the sweeps over a block, and a file of rules per construct |
//! | `forward/` | forward mode, likewise |
//! | `storage/` | how the reverse sweep of a loop gets at its iterations: saved states, write log, tape, checkpoints |
//! | `analysis/` | what is known about code: activity, structural zeros, update chains, index maps and their solution |
//! | `extremum.rs`, `table.rs` | for both modes: maxima and minima, and the derivatives of scalar primitives |
//! | `code.rs`, `error.rs` | statements under construction; why a program has no derivative |
//!
//! There is no rule for a scan, because a scan is no operation of the IR: it is a loop whose state is the running
//! value, and is differentiated in `reverse/loops.rs` and `forward/loops.rs`.

mod analysis;
mod code;
mod error;
mod extremum;
mod forward;
mod reverse;
mod storage;
mod table;

pub use error::AdError;
pub use storage::checkpoint::periodic::Segments;

use crate::analysis::structural_zeros::{StructuralZeros, Zeros};
use crate::reverse::Settings;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Block, Func, Op, Stmt, VarId};
use arr_passes::bot::bot_block;
use arr_passes::{Level, Pass, PassError, simplify};

/// The passes of this crate, for the driver's list.
pub const PASSES: &[Pass] = &[Pass {
    name: "differentiate",
    description: "Replaces every `vjp` and `jvp` by ordinary code.",
    run: run_differentiate,
    level_after: Level::Core,
}];

fn run_differentiate(func: &mut Func) -> Result<(), PassError> {
    differentiate(func).map_err(|error| error.to_diagnostic().into())
}

/// How derivatives are made, where there is a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Reverse mode of loops keeps a logarithmic number of states and recomputes the others.
    pub checkpoint: bool,
    /// Whether, and when, reverse mode divides loops into segments, which it runs again. Has no effect where
    /// `checkpoint` is set.
    pub segments: Option<Segments>,
}

/// Eliminates every derivative of the function, innermost first. The result is core code; `bot` makes it bulk.
///
/// Fails with E0504 where something that is differentiated has no derivative rule, and with E0902 where it cannot be
/// brought into bulk form. The function is then left incomplete.
pub fn differentiate(func: &mut Func) -> Result<(), AdError> {
    differentiate_with(func, Options::default())
}

/// [`differentiate`], with options. Fails where it does.
pub fn differentiate_with(func: &mut Func, options: Options) -> Result<(), AdError> {
    let mut body = std::mem::take(&mut func.body);
    let zeros_of = StructuralZeros::of(func, &body);
    let settings = Settings { bisect: options.checkpoint, segments: options.segments, selective: false };
    let outcome = eliminate(func, &mut body, &zeros_of, settings);
    func.body = body;
    // The sweeps recompute values without the checks that were made when they were first computed. An access that axes
    // and conditions do not prove to be inside is checked in the sweeps, too.
    arr_ir::bounds::check_unproved(func);
    outcome
}

fn eliminate(
    func: &mut Func,
    block: &mut Block,
    zeros_of: &StructuralZeros,
    settings: Settings,
) -> Result<(), AdError> {
    let stmts = std::mem::take(&mut block.stmts);
    let mut alias = Subst::new();
    for mut stmt in stmts {
        // Looked up before variables are renamed.
        let zeros: Vec<Zeros> = match &stmt.op {
            Op::Vjp { seeds: along, .. } | Op::Jvp { tangents: along, .. } => {
                along.iter().map(|&a| zeros_of.get(a)).collect()
            }
            _ => Vec::new(),
        };
        alias.apply_to_stmt(func, &mut stmt);
        if let Op::Custom { body, rule, .. } = &mut stmt.op {
            eliminate(func, body, zeros_of, settings)?;
            eliminate_in_rule(func, rule, zeros_of)?;
        } else {
            for inner in stmt.op.blocks_mut() {
                eliminate(func, inner, zeros_of, settings)?;
            }
        }
        let (code, results) = match stmt.op {
            Op::Vjp { inputs, seeds, body } => {
                let body = simplified_bulk(func, body)?;
                let seeds: Vec<(Atom, Zeros)> = seeds.into_iter().zip(zeros).collect();
                reverse::vjp(func, &inputs, &seeds, body, settings)?
            }
            Op::Jvp { inputs, tangents, body } => {
                let tangents: Vec<(Atom, Zeros)> = tangents.into_iter().zip(zeros).collect();
                forward::jvp(func, &inputs, &tangents, body)?
            }
            op => {
                stmt.op = op;
                block.stmts.push(stmt);
                continue;
            }
        };
        block.stmts.extend(code);
        for (&var, result) in stmt.vars.iter().zip(results) {
            alias.insert(var, result);
        }
    }
    for result in &mut block.results {
        *result = alias.atom(*result);
    }
    Ok(())
}

/// Eliminates the derivatives in a declared rule. A rule with a `vjp`, such as that of `checkpoint`, recomputes
/// something: behind a barrier, so that the copy is not shared with the original, and with loops that keep few states.
fn eliminate_in_rule(func: &mut Func, rule: &mut Block, zeros_of: &StructuralZeros) -> Result<(), AdError> {
    if rule.stmts.iter().any(|s| matches!(s.op, Op::Vjp { .. })) {
        let mut subst = Subst::new();
        let params: Vec<VarId> = rule.params.clone();
        let fresh: Vec<VarId> = params.iter().map(|&p| subst.fresh(func, p)).collect();
        let mut inner = std::mem::take(rule);
        inner.params = Vec::new();
        subst.apply_to_block(func, &mut inner);
        let barrier = Op::Barrier(params.iter().copied().map(Atom::Var).collect());
        inner.stmts.insert(0, Stmt { vars: fresh, op: barrier, span: None });
        *rule = Block { params, ..inner };
    }
    eliminate(func, rule, zeros_of, Settings { bisect: true, segments: None, selective: true })
}

/// The block in bulk form, simplified: views, copies and dead code must not be differentiated.
pub(crate) fn simplified_bulk(func: &mut Func, block: Block) -> Result<Block, AdError> {
    let bulk = bot_block(func, &block)?;
    let rest = std::mem::replace(&mut func.body, bulk);
    simplify(func);
    Ok(std::mem::replace(&mut func.body, rest))
}
