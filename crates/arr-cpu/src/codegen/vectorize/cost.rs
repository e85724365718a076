//! The cost model of vectorization, a rough one: cycles of a processor that begins two vector operations and two loads per
//! cycle.
//!
//! The figures decide which loop of a nest is vectorised, so only their ratios matter: a contiguous load against a
//! gather, a vector against its lanes, one dependent sum against several.

use super::plan::Plan;
use arr_ir::{Cost, Prim};
use arr_loops::{Expr, For, LoopFunc, Operand, Stmt};

pub(in crate::codegen) const LOAD: f64 = 0.5;
pub(in crate::codegen) const STORE: f64 = 1.0;
/// Index, test and jump.
pub(in crate::codegen) const ITERATION: f64 = 1.0;
/// An addition that depends on the previous one.
const LATENCY: f64 = 4.0;
/// The assumed number of iterations of a loop of unknown extent.
const TRIPS: f64 = 48.0;

/// The cost of an iteration of a wide loop, by how often it is paid.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::codegen) struct Each {
    /// Once for all iterations of a step.
    pub once: f64,
    /// Once per vector.
    pub vector: f64,
    /// Once per iteration.
    pub lane: f64,
}

/// The expected number of iterations of a loop.
pub(in crate::codegen) fn trips(extent: Operand) -> f64 {
    extent.as_int().map_or(TRIPS, |n| n.max(0) as f64)
}

/// An operation on one number or one vector.
pub(in crate::codegen) fn of_prim(prim: Prim) -> f64 {
    match prim.cost() {
        // Two are begun per cycle.
        Cost::Cheap => 0.5,
        cost => cost.cycles().into(),
    }
}

/// Statements executed one by one. `inner` is the cost of a loop among them.
pub(in crate::codegen) fn body(loops: &LoopFunc, stmts: &[Stmt], inner: &mut dyn FnMut(&For) -> f64) -> f64 {
    let mut sum = 0.0;
    let mut chain: f64 = 0.0;
    for stmt in stmts {
        sum += match stmt {
            Stmt::Let { expr: Expr::Prim(prim, _), .. } => of_prim(*prim),
            Stmt::Let { expr: Expr::Load(..), .. } => LOAD,
            Stmt::Let { .. } | Stmt::Var { .. } => 0.0,
            Stmt::Set { local, .. } => {
                // At worst a `set` depends on the previous value.
                chain = if loops.ty(*local).elem().is_float() { LATENCY } else { chain };
                0.0
            }
            Stmt::Store { .. } => STORE,
            Stmt::Check { .. } => 1.0,
            Stmt::For(l) => inner(l),
            Stmt::If { then_body, else_body, .. } => {
                2.0 + body(loops, then_body, inner).max(body(loops, else_body, inner))
            }
            Stmt::While(l) => TRIPS * (body(loops, &l.head, inner) + body(loops, &l.body, inner)),
            Stmt::Argsort { .. } => TRIPS * TRIPS,
            _ => 10.0,
        };
    }
    sum.max(chain)
}

/// All iterations of a wide loop, given the cost `plain` of an iteration of the plain loop.
pub(in crate::codegen) fn wide(plan: &Plan, each: &Each, trips: f64, plain: f64) -> f64 {
    let width = plan.width() as f64;
    let step = if plan.tail { plan.lanes() as f64 } else { width };
    let left = (step / 2.0).min(trips / 2.0);
    let one = (each.once + ITERATION) / width + each.vector / plan.lanes() as f64 + each.lane;
    let combine = if plan.ordered { 0.0 } else { plan.folds.len() as f64 * (plan.vectors + 2 * plan.lanes()) as f64 };
    (trips - left) * one + left * plain + 2.0 * ITERATION + combine
}
