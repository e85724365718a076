//! Inlines kernels into their readers and merges loop nests, so that fewer arrays exist and fewer passes run over them.
//!
//! ```text
//! y: [n]f64 = build i<n { a: f64 = read x[i]                 s: f64 = reduce sum i<n { a: f64 = read x[i]
//!   b: f64 = exp a; yield b }                          =>      b: f64 = exp a
//! s: f64 = reduce sum i<n { c: f64 = read y[i]; yield c }      yield b }
//! ```
//!
//! Assumes:      a verified bulk or fused function, simplified (so that no kernel is only a view).
//! Guarantees:   the function is fused (see `arr_ir::func`). Nothing expensive is done more often than before, and an
//!               array whose storage a `scatter` or `loop` takes over is not read later than before.
//! Leaves alone: arrays that are returned, carried by a loop, reshaped or scattered into; arrays whose elements are
//!               needed at several places and are dear, or that a matrix product reads; everything in `vjp` and `jvp`.
//!               [`explain`] says which and why.
//! Cost:         O(statements + reads), times the length of a candidate list that is bounded.
//! Paper:        Henriksen et al., "A T2 Graph-Reduction Approach to Fusion" (vertical and horizontal fusion; here
//!               greedy over one operation, a build with scalar code, and without the graph).
//! Tests:        tests/fuse/
//!
//! Words: a *producer* is a `build` of scalars, a *site* is one read of one of its results, and a site is *single* when
//! every axis around it stands in the index by itself, so that no element is needed twice there.
//!
//! 0. `pairs` takes sums of what pairs of points give each other in nests that store nothing; `columns` has loops work on columns of short
//!    rows, `distribute` takes out of loops what their scalars do not wait for. `gather` makes scatters that have one place a
//!    point kernels. Guards, which are made of indices alone, go where they are read; `trim` leaves out what nobody reads; then
//!    `pad` makes guarded sums matrix products.
//! 1. `plan` decides, looking only (vertical); `cost` is the table of what is computed again rather than stored.
//!    A build whose results are read at one place, but for one that the reader's neighbours want, is taken apart before (`split`).
//! 2. `inline` does what the plan says.
//! 3. `merge` puts kernels over the same axes that share an operand, or of which one reads the other element by element,
//!    into one nest (horizontal); `rows` does so for scatters that write one array after each other.
//! 4. `points` makes kernels of loops whose points only write to places of their own.
//! 5. Where that changed something, `simplify` and 1 to 4 once more: several sums of what one build makes are one `reduce` with
//!    several results now, its only reader, and nothing of it is stored.
//!
//! 5. `unroll` takes short reductions apart whose index is divided or checked.
//!
//! The pass [`interchange`], in `interchange`, turns a loop of kernels whose points do not look at each other into a kernel
//! with the loop inside; then 1 to 5 once more, around the new kernels.

mod blocks;
pub(crate) mod columns;
mod cost;
mod distribute;
mod explain;
mod gather;
mod guards;
mod inline;
mod interchange;
mod merge;
mod pad;
mod pairs;
mod plan;
mod points;
mod rows;
mod split;
mod trim;
mod unroll;

use arr_ir::Func;
pub use explain::{decisions, explain};
use plan::Plan;

/// Loops around kernels that are taken into them, one in another, at most.
const MAX_EXCHANGES: usize = 8;

/// Rounds of inlining and merging at most. Readers that were merged are one, into which more can be inlined, and code that was
/// inlined is cheaper than it looked once what it repeats is shared.
const MAX_ROUNDS: usize = 6;

/// Fuses a bulk function, in place.
pub fn fuse(func: &mut Func) {
    if pairs::pairs(func) {
        crate::simplify::remove_dead(func);
        crate::simplify::simplify(func);
    }
    if columns::columns(func) | distribute::distribute(func) {
        crate::simplify::simplify(func);
    }
    let (split, gathered) = (guards::split(func), gather::gather(func));
    if split || gathered {
        crate::simplify::simplify(func);
    }
    let guards = Plan::of_guards(func);
    if guards.inlines_any() {
        inline::inline(func, &guards);
        crate::simplify::simplify(func);
    }
    if trim::trim(func) {
        crate::simplify::simplify(func);
    }
    if pad::pad(func) {
        crate::simplify::simplify(func);
    }
    for round in 0..MAX_ROUNDS {
        if round > 0 {
            crate::simplify::simplify(func);
        }
        let changed = join(func);
        crate::simplify::remove_dead(func);
        if !changed {
            break;
        }
    }
    if unroll::unroll(func) {
        crate::simplify::simplify(func);
    }
    // A kernel that was merged into one before it may stand before a check that it relied on.
    arr_ir::bounds::check_unproved(func);
}

/// Takes loops of kernels into one kernel each, in place, and fuses what is around it. An iteration of such a loop then
/// counts once a point.
pub fn interchange(func: &mut Func) {
    for _ in 0..MAX_EXCHANGES {
        if !interchange::interchange(func) {
            break;
        }
        // A loop around may be a loop of kernels now.
        fuse(func);
    }
}

/// Whether anything changed.
fn join(func: &mut Func) -> bool {
    let mut plan = Plan::new(func);
    if split::split(func, &plan) {
        crate::simplify::simplify(func);
        plan = Plan::new(func);
    }
    inline::inline(func, &plan);
    let merged = merge::merge(func) | rows::join(func);
    let pointwise = points::points(func);
    merged || pointwise || plan.inlines_any()
}
