//! Scans on several threads: loops whose iterations carry numbers by an associative step.
//!
//! Two passes over chunks. The first computes the effect of each chunk on the state, its summary; then the initial
//! states of chunks are computed in order; the second pass runs the iterations. If a summary must not be used (it may
//! have overflowed where the iterations do not), the chunk runs before the next one's state is known. Which summaries
//! are used depends on the data and the chunks alone: the bits are the same on any number of threads.

use crate::context::Context;
use crate::par::{Body, Chunks, Own, divided};
use crate::team::Team;
use std::sync::Arc;

/// The functions of a scan. A row of the environment's places belongs to a chunk: its first states, its last, and its
/// summary.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ScanBodies {
    /// Computes the summary of a chunk.
    pub summarise: Body,
    /// Runs the iterations of a chunk, from its first states to its last.
    pub iterate: Body,
    /// Both at once; `None` where one after the other is as fast.
    pub both: Option<Body>,
    /// Computes the first states of the next chunk: from the last of this one if `lo` is 1, else from its first and its
    /// summary; returns 1 if the summary must not be used.
    pub advance: Body,
}

/// Runs a scan of `n` iterations of this total cost. Its first chunk has its first states. Returns the number of
/// chunks, whose last has the last states, or 0 after a failure, which is recorded. `exact` is 1 if summaries change no
/// bits: one thread then makes none.
///
/// # Safety
///
/// As for [`crate::par::arr_par_for`], for each of the functions; there are places for one chunk more than
/// [`crate::MAX_CHUNKS`].
pub(crate) unsafe extern "C" fn arr_par_scan(
    context: *mut Context,
    n: i64,
    cost: f64,
    exact: i64,
    bodies: *const ScanBodies,
    env: *const u64,
) -> i64 {
    // SAFETY: compiled code passes its own context, which nothing else uses meanwhile, and a table of its functions.
    let (context, bodies) = unsafe { (&mut *context, *bodies) };
    let chunks = Chunks::new(n, cost);
    context.note_region(chunks.count > 1);
    let team = if chunks.count > 1 { context.pool() } else { None };
    let ok = match team {
        // SAFETY: as the caller promises; failures are the context's own.
        None if exact != 0 => {
            return i64::from(unsafe { (bodies.iterate)(context.record(), env, 0, 0, chunks.n) } == 0);
        }
        // SAFETY: as the caller promises.
        None => unsafe { alone(context, chunks, &bodies, env) },
        // SAFETY: as the caller promises.
        Some(team) => unsafe { together(context, &team, chunks, &bodies, env) },
    };
    if ok { chunks.count } else { 0 }
}

/// One thread runs chunk after chunk, while the data of the first pass is still in the cache.
///
/// # Safety
///
/// As for [`arr_par_scan`].
unsafe fn alone(context: &mut Context, chunks: Chunks, bodies: &ScanBodies, env: *const u64) -> bool {
    for chunk in 0..chunks.count {
        let (lo, hi) = chunks.range(chunk);
        let record = context.record();
        // SAFETY: as the caller promises.
        unsafe {
            let failed = match bodies.both {
                Some(both) => both(record, env, chunk, lo, hi) != 0,
                None => {
                    (bodies.summarise)(record, env, chunk, lo, hi) != 0
                        || (bodies.iterate)(record, env, chunk, lo, hi) != 0
                }
            };
            if failed {
                return false;
            }
            if (bodies.advance)(record, env, chunk, 0, 0) != 0 {
                (bodies.advance)(record, env, chunk, 1, 0);
            }
        }
    }
    true
}

/// # Safety
///
/// As for [`arr_par_scan`].
unsafe fn together(
    context: &mut Context,
    team: &Arc<Team>,
    chunks: Chunks,
    bodies: &ScanBodies,
    env: *const u64,
) -> bool {
    // SAFETY: as the caller promises, here and below.
    if !unsafe { divided(context, team, chunks, bodies.summarise, env, &[], Own::default()) } {
        return false;
    }
    let mut done = vec![false; chunks.count as usize];
    for (chunk, done) in done.iter_mut().enumerate() {
        let chunk = chunk as i64;
        let record = context.record();
        // SAFETY: as above.
        unsafe {
            if (bodies.advance)(record, env, chunk, 0, 0) != 0 {
                let (lo, hi) = chunks.range(chunk);
                if (bodies.iterate)(record, env, chunk, lo, hi) != 0 {
                    return false;
                }
                (bodies.advance)(record, env, chunk, 1, 0);
                *done = true;
            }
        }
    }
    // SAFETY: as above.
    unsafe { divided(context, team, chunks, bodies.iterate, env, &done, Own::default()) }
}
