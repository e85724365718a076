//! Inlines kernels into their readers and merges loop nests, so that fewer arrays exist and fewer passes run over them.
//!
//! ```text
//! y: [n]f64 = build i<n { a: f64 = read x[i]                 s: f64 = reduce sum i<n { a: f64 = read x[i]
//!   b: f64 = exp a; yield b }                          =>      b: f64 = exp a
//! s: f64 = reduce sum i<n { c: f64 = read y[i]; yield c }      yield b }
//! ```
//!
//! Assumes:      a verified bulk or fused function, simplified (so that no kernel is only a view).
//! Guarantees:   the function is fused (see `arr_ir::func`). Nothing expensive is computed more often than before, and
//!               an array whose storage a `scatter` or `loop` takes over is not read later than before.
//! Leaves alone: arrays that are returned, carried by a loop, reshaped or scattered into; arrays with expensive
//!               elements that are needed at several places, or that a matrix product reads; everything in `vjp` and
//!               `jvp`. [`explain`] says which and why.
//! Cost:         O(statements + reads), times the bounded length of a candidate list.
//! Paper:        Henriksen et al., "A T2 Graph-Reduction Approach to Fusion" (vertical and horizontal fusion; here
//!               greedy over one operation, a build with scalar code, and without the graph).
//! Tests:        tests/fuse/
//!
//! Words: a *producer* is a `build` of scalars, a *site* is one read of one of its results, and a site is *single* when
//! every axis around it is a component of the index by itself, so that no element is needed twice there.
//!
//! 0. `rematerialize_pairs` recomputes pairwise values inside each sum over pairs, in nests that store nothing;
//!    `split_arrays` splits arrays of short rows in loops into columns, `distribute` moves code out of loops that the
//!    loop's scalars do not depend on, `invariant` sums that no iteration changes. `gather` rewrites scatters with one
//!    place per point as kernels. Guards, which consist of indices only, are inlined into their readers;
//!    `shrink_domains` omits elements that nobody reads; then `pad` turns guarded sums into matrix products.
//! 1. `plan` only decides (vertical), from what `survey` finds; `cost` is the table of what is recomputed rather than
//!    stored. A build whose results are read at one place, except for one that the reader's neighbours read, is split
//!    before (`split`). `row_sums` says which kernels are faster apart.
//! 2. `inline` carries out the plan.
//! 3. `merge` fuses kernels over the same axes that share an operand, or of which one reads the other element by
//!    element, into one nest (horizontal); `rows` does so for scatters that write one array after each other.
//! 4. `loop_to_map` turns loops whose points only write to places of their own into kernels, and `loop_to_scatter` loops
//!    that change an array, each point in a column of its own.
//! 5. If that changed anything, `simplify` and 1 to 4 once more: several sums over the results of one build are now one
//!    `reduce` with several results, its only reader, so that none of them is stored.
//!
//! 6. `unroll` unrolls short reductions whose index is divided or checked.
//!
//! The pass [`contract`] runs the parts about guards and sums of products alone, for XLA, and some about its loops.
//!
//! The pass [`interchange`], in `interchange`, turns a loop of kernels whose points are independent into a kernel with
//! the loop inside; then 0 to 6 once more, around the new kernels.

mod cost;
mod distribute;
mod explain;
mod gather;
mod guards;
mod inline;
mod interchange;
mod invariant;
mod loop_rows;
mod loop_to_map;
mod loop_to_scatter;
mod merge;
mod narrow_updates;
mod own_elements;
mod pad;
mod plan;
mod proofs;
mod ragged_loops;
mod rematerialize_pairs;
mod row_sums;
mod rows;
mod shrink_domains;
mod split;
pub(crate) mod split_arrays;
mod split_updates;
mod survey;
mod unroll;

use crate::follow::{Follow, Nobody, Part, Parts};
use crate::simplify::{remove_dead, simplify};
use arr_ir::Func;
pub use explain::{decisions, explain};
use plan::Plan;
use proofs::{Relying, keeping_proofs};

/// The maximal number of nested loops around kernels that are moved into them.
const MAX_EXCHANGES: usize = 8;

/// The maximal number of rounds of inlining and merging. Merged readers are one reader, into which more can be inlined,
/// and inlined code is cheaper than it looked once its common subexpressions are shared.
const MAX_ROUNDS: usize = 6;

/// An optional part.
const fn part(name: &'static str, source: &'static str, description: &'static str) -> Part {
    Part { name, description, optional: true, source }
}

const REMATERIALIZE_PAIRS: Part = part(
    "fuse.rematerialize-pairs",
    "cuDNN (Chetlur et al.)",
    "Recomputes pairwise values in each sum over pairs of points instead of storing them for all pairs.",
);
const SPLIT_ARRAYS: Part =
    part("fuse.split-arrays", "Futhark (Henriksen et al.), 5.2", "Splits arrays of short rows in loops into columns.");
const DISTRIBUTE: Part =
    part("fuse.distribute", "Allen and Kennedy, 2.4", "Moves code out of a loop that its scalars do not depend on.");
const INVARIANT: Part = part(
    "fuse.invariant",
    "Aho et al., 9.5",
    "Moves sums that are the same in every iteration of a loop out of kernels with others.",
);
const GUARD_SPLIT: Part = part("fuse.guard-split", "-", "Gives conditions on indices a build of their own.");
const GATHER: Part =
    part("fuse.gather", "-", "Rewrites scatters that add to one place per point as kernels that compute the point.");
const GUARD_INLINE: Part = part("fuse.guard-inline", "-", "Inlines conditions on indices where they are read.");
const SHRINK_DOMAINS: Part = part("fuse.shrink-domains", "-", "Computes only the part of an array that is read.");
const PAD: Part = part("fuse.pad", "-", "Turns guarded sums of products into matrix products over a padded copy.");
const SPLIT: Part =
    part("fuse.split", "-", "Splits builds with one result that is read at several places and another at one.");
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
    part("fuse.loop-to-map", "-", "Turns loops whose points only write to places of their own into kernels.");
const LOOP_TO_SCATTER: Part =
    part("fuse.loop-to-scatter", "-", "Turns loops that change an array, each point in its own column, into kernels.");
const UNROLL: Part = part("fuse.unroll", "-", "Unrolls short reductions whose index is divided or checked.");
/// The code that the parts above leave behind is in the way of those that come after.
const SIMPLIFY: Part =
    Part { optional: false, ..part("fuse.simplify", "-", "Simplifies the output of the part before it.") };
const DEAD: Part = Part { optional: false, ..part("fuse.dead", "-", "Removes what nothing reads any more.") };
const CONTRACT: Part = part(
    "contract.inline",
    "-",
    "Inlines products, and sums, into the only sum that reads them, and places where they are read.",
);
const SPLIT_UPDATES: Part =
    part("contract.split-updates", "-", "Makes loops that only update arrays kernels of what they write, and updates.");
const NARROW_UPDATES: Part =
    part("contract.narrow-updates", "-", "Drops the points at which the condition of an update does not hold.");
const RAGGED_LOOPS: Part =
    part("contract.ragged-loops", "-", "Makes sums and updates of lengths that data decide, inside of loops, loops.");
const LOOP_ROWS: Part =
    part("contract.loop-rows", "-", "Lets loops that work on one row of an array carry and read that row alone.");
const OWN_ELEMENTS: Part = part(
    "contract.own-elements",
    "-",
    "Reads elements that no other iteration of a loop writes from the array before the loop.",
);
const EXCHANGE: Part = Part {
    optional: false,
    ..part("interchange.exchange", "Allen and Kennedy, 5.2", "Turns a loop of kernels into one kernel.")
};

/// The parts of [`fuse`], in the order in which they run for the first time.
pub const FUSE_PARTS: &[Part] = &[
    REMATERIALIZE_PAIRS,
    SPLIT_ARRAYS,
    DISTRIBUTE,
    INVARIANT,
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
    LOOP_TO_SCATTER,
    DEAD,
    UNROLL,
    SIMPLIFY,
];

/// The part of [`interchange`] that is not one of [`fuse`], whose parts follow each exchange.
pub const INTERCHANGE_PARTS: &[Part] = &[EXCHANGE];

/// The parts of [`contract`] that are not among those of [`fuse`].
pub const CONTRACT_PARTS: &[Part] = &[CONTRACT, SPLIT_UPDATES, NARROW_UPDATES, RAGGED_LOOPS, LOOP_ROWS, OWN_ELEMENTS];

/// What the lanes of vectors hold, where the code will run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// Points of a kernel, or terms of a sum along a row of memory: processors.
    Rows,
    /// Points alone: graphics devices, and readers of printed programs.
    Points,
}

/// Fuses a bulk function for processors, in place.
pub fn fuse(func: &mut Func) {
    fuse_with(func, Lanes::Rows, &mut Nobody);
}

/// [`fuse`], followed through its parts.
pub fn fuse_with(func: &mut Func, lanes: Lanes, follow: &mut dyn Follow) {
    let mut parts = Parts::new(func, follow);
    prepare(&mut parts);
    for round in 0..MAX_ROUNDS {
        if round > 0 {
            tidy(&mut parts);
        }
        let changed = join(&mut parts, lanes);
        sweep(&mut parts);
        if !changed {
            break;
        }
    }
    if parts.run(&UNROLL, unroll::unroll) {
        tidy(&mut parts);
    }
}

/// The parts that run once, before kernels are inlined and merged.
fn prepare(parts: &mut Parts<'_>) {
    if parts.run(&REMATERIALIZE_PAIRS, rematerialize_pairs::rematerialize_pairs) {
        sweep(parts);
        tidy(parts);
    }
    let columns = parts.run(&SPLIT_ARRAYS, split_arrays::split_arrays);
    let distributed = parts.run(&DISTRIBUTE, distribute::distribute);
    let moved = parts.run(&INVARIANT, invariant::invariant);
    if columns || distributed || moved {
        tidy(parts);
    }
    let split = parts.run(&GUARD_SPLIT, guards::split);
    let gathered = parts.run(&GATHER, gather::gather);
    if split || gathered {
        tidy(parts);
    }
    inline_guards(parts);
    if parts.run(&SHRINK_DOMAINS, shrink_domains::shrink_domains) {
        tidy(parts);
    }
    if parts.run(&PAD, pad::pad) {
        tidy(parts);
    }
}

fn inline_guards(parts: &mut Parts<'_>) {
    let guards = Plan::of_guards(parts.func, &Relying::default());
    if guards.inlines_any() && parts.run_proved(&GUARD_INLINE, |func| inlined(func, guards, &Plan::of_guards)) {
        tidy(parts);
    }
}

/// Makes sums over arrays of products sums of products, has places computed where they are read, makes kernels of loops
/// that only copy and of loops that only update arrays, drops points of updates that change nothing, makes loops of sums whose
/// lengths data decide, and rows of the arrays of which a loop needs no more, in place, and leaves everything else to a back end
/// that fuses by itself: what it has to see are its matrix products, convolutions and slices.
pub fn contract(func: &mut Func) {
    contract_with(func, &mut Nobody);
}

/// [`contract`], followed through its parts.
pub fn contract_with(func: &mut Func, follow: &mut dyn Follow) {
    let mut parts = Parts::new(func, follow);
    inline_guards(&mut parts);
    if parts.run(&PAD, pad::pad) {
        tidy(&mut parts);
    }
    let sums = Plan::of_sums(parts.func, &Relying::default());
    if sums.inlines_any() && parts.run_proved(&CONTRACT, |func| inlined(func, sums, &Plan::of_sums)) {
        sweep(&mut parts);
        tidy(&mut parts);
    }
    if parts.run(&LOOP_TO_MAP, loop_to_map::loop_to_plain_map) {
        tidy(&mut parts);
    }
    if parts.run_proved(&SPLIT_UPDATES, split_updates::split_updates) {
        tidy(&mut parts);
    }
    if parts.run_proved(&NARROW_UPDATES, narrow_updates::narrow_updates) {
        tidy(&mut parts);
    }
    parts.run(&RAGGED_LOOPS, ragged_loops::ragged_loops);
    parts.run_proved(&LOOP_ROWS, loop_rows::loop_rows);
    // Updates that are not read any more may be dead.
    if parts.run(&OWN_ELEMENTS, own_elements::own_elements) {
        sweep(&mut parts);
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

/// Carries out a plan, or where that takes checks from accesses that rely on them, another.
fn inlined(func: &mut Func, plan: Plan, again: &dyn Fn(&Func, &Relying) -> Plan) -> bool {
    let mut first = Some(plan);
    keeping_proofs(func, &mut |func, relying| {
        let plan = first.take().unwrap_or_else(|| again(func, relying));
        inline::inline(func, &plan);
        plan.inlines_any()
    })
}

/// Turns each loop of kernels into one kernel, in place, and fuses the code around it. An iteration of such a loop then
/// counts once per point.
pub fn interchange(func: &mut Func) {
    interchange_with(func, Lanes::Rows, &mut Nobody);
}

/// [`interchange`], followed through its parts.
pub fn interchange_with(func: &mut Func, lanes: Lanes, follow: &mut dyn Follow) {
    for _ in 0..MAX_EXCHANGES {
        if !Parts::new(func, follow).run(&EXCHANGE, interchange::interchange) {
            break;
        }
        // A surrounding loop may now be a loop of kernels.
        fuse_with(func, lanes, follow);
    }
}

/// Whether anything changed.
fn join(parts: &mut Parts<'_>, lanes: Lanes) -> bool {
    let planned = |func: &Func, relying: &Relying| Plan::new(func, lanes, relying);
    let mut plan = planned(parts.func, &Relying::default());
    if parts.run(&SPLIT, |func| split::split(func, &plan)) {
        tidy(parts);
        plan = planned(parts.func, &Relying::default());
    }
    let inlined = parts.run_proved(&INLINE, |func| inlined(func, plan, &planned));
    let merged =
        parts.run_proved(&MERGE, |func| keeping_proofs(func, &mut |func, relying| merge::merge(func, lanes, relying)));
    let joined = parts.run(&ROWS, rows::join);
    let pointwise = parts.run(&LOOP_TO_MAP, loop_to_map::loop_to_map);
    let columns = parts.run(&LOOP_TO_SCATTER, loop_to_scatter::loop_to_scatter);
    inlined || merged || joined || pointwise || columns
}
