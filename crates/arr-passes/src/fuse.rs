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
//! 0. `rematerialize_pairs` takes sums of what pairs of points give each other in nests that store nothing; `split_arrays` has loops work on columns of short
//!    rows, `distribute` takes out of loops what their scalars do not wait for. `gather` makes scatters that have one place a
//!    point kernels. Guards, which are made of indices alone, go where they are read; `shrink_domains` leaves out what nobody reads; then
//!    `pad` makes guarded sums matrix products.
//! 1. `plan` decides, looking only (vertical); `cost` is the table of what is computed again rather than stored.
//!    A build whose results are read at one place, but for one that the reader's neighbours want, is taken apart before (`split`).
//! 2. `inline` does what the plan says.
//! 3. `merge` puts kernels over the same axes that share an operand, or of which one reads the other element by element,
//!    into one nest (horizontal); `rows` does so for scatters that write one array after each other.
//! 4. `loop_to_map` makes kernels of loops whose points only write to places of their own.
//! 5. Where that changed something, `simplify` and 1 to 4 once more: several sums of what one build makes are one `reduce` with
//!    several results now, its only reader, and nothing of it is stored.
//!
//! 6. `unroll` takes short reductions apart whose index is divided or checked.
//!
//! The pass [`interchange`], in `interchange`, turns a loop of kernels whose points do not look at each other into a kernel
//! with the loop inside; then 0 to 6 once more, around the new kernels.

mod cost;
mod distribute;
mod explain;
mod gather;
mod guards;
mod inline;
mod interchange;
mod loop_to_map;
mod merge;
mod pad;
mod plan;
mod rematerialize_pairs;
mod rows;
mod shrink_domains;
mod split;
pub(crate) mod split_arrays;
mod unroll;

use crate::follow::{Follow, Nobody, Part, Parts};
use crate::simplify::{remove_dead, simplify};
use arr_ir::Func;
pub use explain::{decisions, explain};
use plan::Plan;

/// Loops around kernels that are taken into them, one in another, at most.
const MAX_EXCHANGES: usize = 8;

/// Rounds of inlining and merging at most. Readers that were merged are one, into which more can be inlined, and code that was
/// inlined is cheaper than it looked once what it repeats is shared.
const MAX_ROUNDS: usize = 6;

/// A part that the program can do without.
const fn part(name: &'static str, source: &'static str, description: &'static str) -> Part {
    Part { name, description, optional: true, source }
}

const REMATERIALIZE_PAIRS: Part = part(
    "fuse.rematerialize-pairs",
    "cuDNN (Chetlur et al.)",
    "Computes again, in each sum over pairs of points, what would be stored for all pairs.",
);
const SPLIT_ARRAYS: Part =
    part("fuse.split-arrays", "Futhark (Henriksen et al.), 5.2", "Has loops work on the columns of short rows.");
const DISTRIBUTE: Part =
    part("fuse.distribute", "Allen and Kennedy, 2.4", "Takes out of a loop what its scalars do not wait for.");
const GUARD_SPLIT: Part = part("fuse.guard-split", "-", "Gives conditions on indices a build of their own.");
const GATHER: Part =
    part("fuse.gather", "-", "Makes scatters that add to one place per point kernels that look for the point.");
const GUARD_INLINE: Part = part("fuse.guard-inline", "-", "Inlines conditions on indices where they are read.");
const SHRINK_DOMAINS: Part = part("fuse.shrink-domains", "-", "Makes only the part of an array that is read.");
const PAD: Part = part("fuse.pad", "-", "Makes guarded sums of products matrix products over a padded copy.");
const SPLIT: Part =
    part("fuse.split", "-", "Takes builds apart of which one result is read at several places and another at one.");
const INLINE: Part = part(
    "fuse.inline",
    "T2 graph reduction (Henriksen et al.)",
    "Inlines producers into their readers: vertical fusion.",
);
const MERGE: Part = part(
    "fuse.merge",
    "T2 graph reduction (Henriksen et al.)",
    "Merges kernels over the same axes: horizontal fusion.",
);
const ROWS: Part =
    part("fuse.rows", "-", "Merges scatters that write one array, each at the places of its own points.");
const LOOP_TO_MAP: Part =
    part("fuse.loop-to-map", "-", "Makes kernels of loops whose points only write to places of their own.");
const UNROLL: Part = part("fuse.unroll", "-", "Takes short reductions apart whose index is divided or checked.");
/// What the parts above leave behind is in the way of those that come after.
const SIMPLIFY: Part =
    Part { optional: false, ..part("fuse.simplify", "-", "Simplifies what the part before it has left.") };
const DEAD: Part = Part { optional: false, ..part("fuse.dead", "-", "Removes what nothing reads any more.") };
const EXCHANGE: Part = Part {
    optional: false,
    ..part("interchange.exchange", "Allen and Kennedy, 5.2", "Takes a loop of kernels into one kernel.")
};

/// The parts of [`fuse`], in the order in which they run for the first time.
pub const FUSE_PARTS: &[Part] = &[
    REMATERIALIZE_PAIRS,
    SPLIT_ARRAYS,
    DISTRIBUTE,
    GUARD_SPLIT,
    GATHER,
    GUARD_INLINE,
    SHRINK_DOMAINS,
    PAD,
    SPLIT,
    INLINE,
    MERGE,
    ROWS,
    LOOP_TO_MAP,
    DEAD,
    UNROLL,
    SIMPLIFY,
];

/// The part of [`interchange`] that is not one of [`fuse`], whose parts follow each exchange.
pub const INTERCHANGE_PARTS: &[Part] = &[EXCHANGE];

/// Fuses a bulk function, in place.
pub fn fuse(func: &mut Func) {
    fuse_with(func, &mut Nobody);
}

/// [`fuse`], followed through its parts.
pub fn fuse_with(func: &mut Func, follow: &mut dyn Follow) {
    let mut parts = Parts::new(func, follow);
    prepare(&mut parts);
    for round in 0..MAX_ROUNDS {
        if round > 0 {
            tidy(&mut parts);
        }
        let changed = join(&mut parts);
        sweep(&mut parts);
        if !changed {
            break;
        }
    }
    if parts.run(&UNROLL, unroll::unroll) {
        tidy(&mut parts);
    }
}

/// What is done once, before kernels are inlined and merged.
fn prepare(parts: &mut Parts<'_>) {
    if parts.run(&REMATERIALIZE_PAIRS, rematerialize_pairs::rematerialize_pairs) {
        sweep(parts);
        tidy(parts);
    }
    let columns = parts.run(&SPLIT_ARRAYS, split_arrays::split_arrays);
    let distributed = parts.run(&DISTRIBUTE, distribute::distribute);
    if columns || distributed {
        tidy(parts);
    }
    let split = parts.run(&GUARD_SPLIT, guards::split);
    let gathered = parts.run(&GATHER, gather::gather);
    if split || gathered {
        tidy(parts);
    }
    let guards = Plan::of_guards(parts.func);
    if guards.inlines_any() && parts.run(&GUARD_INLINE, |func| inlined(func, &guards)) {
        tidy(parts);
    }
    if parts.run(&SHRINK_DOMAINS, shrink_domains::shrink_domains) {
        tidy(parts);
    }
    if parts.run(&PAD, pad::pad) {
        tidy(parts);
    }
}

fn tidy(parts: &mut Parts<'_>) {
    parts.run(&SIMPLIFY, |func| {
        simplify(func);
        true
    });
}

fn sweep(parts: &mut Parts<'_>) {
    parts.run(&DEAD, |func| {
        remove_dead(func);
        true
    });
}

fn inlined(func: &mut Func, plan: &Plan) -> bool {
    inline::inline(func, plan);
    plan.inlines_any()
}

/// Takes loops of kernels into one kernel each, in place, and fuses what is around it. An iteration of such a loop then
/// counts once a point.
pub fn interchange(func: &mut Func) {
    interchange_with(func, &mut Nobody);
}

/// [`interchange`], followed through its parts.
pub fn interchange_with(func: &mut Func, follow: &mut dyn Follow) {
    for _ in 0..MAX_EXCHANGES {
        if !Parts::new(func, follow).run(&EXCHANGE, interchange::interchange) {
            break;
        }
        // A loop around may be a loop of kernels now.
        fuse_with(func, follow);
    }
}

/// Whether anything changed.
fn join(parts: &mut Parts<'_>) -> bool {
    let mut plan = Plan::new(parts.func);
    if parts.run(&SPLIT, |func| split::split(func, &plan)) {
        tidy(parts);
        plan = Plan::new(parts.func);
    }
    let inlined = parts.run(&INLINE, |func| inlined(func, &plan));
    let merged = parts.run(&MERGE, merge::merge);
    let joined = parts.run(&ROWS, rows::join);
    let pointwise = parts.run(&LOOP_TO_MAP, loop_to_map::loop_to_map);
    inlined || merged || joined || pointwise
}
