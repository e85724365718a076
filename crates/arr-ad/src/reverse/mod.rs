//! Reverse mode: from the cotangents of a block's results to those of its inputs.
//!
//! The forward sweep writes the statements and keeps what the reverse sweep needs. The reverse sweep takes them in
//! reverse order and turns the cotangents of each statement's results into contributions to those of its operands. On
//! first-order let-normal code the combinatory rules of CHAD ("Efficient CHAD", section 4) come to this.
//!
//! | file | what it is for |
//! |---|---|
//! | `sweep` | both sweeps over a block; hands each statement to its rule |
//! | `cotangents` | contributions to the cotangents of variables, until their sums are asked for |
//! | `normalize` | brings kernels into the form that the rules want, before the forward sweep |
//! | `kernel` | kernels: sweeps the body and chooses the form of its contributions |
//! | `scalar` | the sweep over a kernel's body |
//! | `gather` | contributions in gather form |
//! | `sparse_adjoint` | kernels with a cotangent at few of their points |
//! | `sum_updates` | sums of the values that an update adds to one place |
//! | `reduction`, `scatter` | the kernels of these kinds |
//! | `loops` | `loop` and `while`, and so scans |
//! | `branch` | `if` over blocks |
//! | `custom` | declared derivatives |
//!
//! `sweep`, `loops` and `branch` call each other, because the body of a loop and a branch are swept as blocks. No other
//! modules of the crate are mutually recursive.

mod branch;
mod cotangents;
mod custom;
mod gather;
mod kernel;
mod loops;
mod normalize;
mod reduction;
mod scalar;
mod scatter;
mod sparse_adjoint;
mod sum_updates;
mod sweep;

pub(crate) use sweep::Settings;

use crate::analysis::activity::Active;
use crate::analysis::structural_zeros::Zeros;
use crate::code::{CodeBuilder, with_inputs};
use crate::error::AdError;
use crate::reverse::cotangents::{Cotangents, Ct};
use crate::reverse::sweep::{Sweep, backward, forward};
use crate::storage::nested::Nested;
use arr_ir::{Atom, Block, Func, Stmt};

/// The statements that replace a `vjp`, and its results: those of the body, then the cotangents of the inputs. Fails
/// with [`AdError::NoRule`] where something in the body has no derivative rule.
pub(crate) fn vjp(
    func: &mut Func,
    inputs: &[Atom],
    seeds: &[(Atom, Zeros)],
    body: Block,
    settings: Settings,
) -> Result<(Vec<Stmt>, Vec<Atom>), AdError> {
    let mut sweep = Sweep { active: Active::of(func, &body), settings, nested: Nested::default() };
    let mut code = CodeBuilder::new(func, None);
    let tape = forward(&mut code, body.stmts, &mut sweep)?;
    let mut cots = Cotangents::default();
    let mut seeds = seeds.iter();
    for &result in &body.results {
        if !code.func.is_float(result) {
            continue;
        }
        if let (Some(&(seed, zeros)), Atom::Var(v)) = (seeds.next(), result)
            && sweep.active.contains(v)
            && zeros != Zeros::All
        {
            let selective = zeros == Zeros::Some || settings.selective && seed.constant().is_none();
            cots.add_dense(v, Ct { atom: seed, selective });
        }
    }
    let outer = std::mem::replace(&mut code.func.differentiating, true);
    backward(&mut code, tape, &mut cots, &mut sweep)?;
    let mut results = body.results;
    for &param in &body.params {
        results.push(cots.take_or_zero(&mut code, param).atom);
    }
    code.func.differentiating = outer;
    Ok(with_inputs(code, &body.params, inputs, results))
}
