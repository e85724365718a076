//! Privatization: parallel loops whose chunks or threads need private data.
//!
//! **Arrays that iterations add to**, at data-dependent places. The first chunk adds to the array itself, every other
//! one to a copy that begins with zeros; the copies are added to the array in the order of the chunks. The number of
//! chunks follows from the loop's cost and the arrays' lengths, so the bits are the same on any number of threads. One
//! thread has a single copy, which it adds and clears after each chunk. The copies count as memory of the run, for one
//! thread as for many; if they do not fit there is one chunk.
//!
//! **Arrays that iterations make.** Every participating thread has a part of the run's memory: its freed blocks serve
//! later iterations, and the total use of all threads is limited.

use crate::buffer::Buffer;
use crate::context::{Context, Record};
use crate::par::{Body, Chunks, Own, divided, taking_part};
use crate::team::Team;
use std::sync::{Arc, Mutex, PoisonError};

/// The allowed cost of copies relative to the loop: operations of it for each element of a copy, which is cleared and
/// added.
const EACH_ELEMENT: f64 = 48.0;
/// The maximal number of chunks of loops that add to arrays.
const MOST_CHUNKS: f64 = 8.0;
/// The cost of adding an element, in operations.
const ADDITION: f64 = 1.0;

/// The element type of an addition.
#[repr(u64)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddedKind {
    F64 = 0,
    F32 = 1,
    I64 = 2,
    /// Of either sign.
    I32 = 3,
}

/// A loop's table: the slots of its environment, whether iterations make arrays, the number of arrays that are added to.
pub const OWN_HEAD: usize = 3;
/// For each of these arrays: the slot with the address of its elements, the buffer, and its [`AddedKind`].
pub const OWN_ROW: usize = 3;

/// An array that is added to.
#[derive(Clone, Copy)]
struct Added {
    slot: usize,
    data: *mut u8,
    len: usize,
    kind: AddedKind,
}

// SAFETY: chunks of a loop that adds copies touch different elements, and nothing else touches them meanwhile.
unsafe impl Sync for Added {}

/// A thread's context while it participates in a loop.
pub(crate) struct WorkerContext(pub Context);

// SAFETY: its buffers are reached from it alone, and who has it has it to itself.
unsafe impl Send for WorkerContext {}

/// Runs a loop of `n` iterations in chunks, with the private data that `table` describes. Returns the number of chunks,
/// or 0 after a failure, which is recorded.
///
/// # Safety
///
/// As for [`crate::par::arr_par_for`]; `table` is as [`OWN_HEAD`] and [`OWN_ROW`] say, the buffers are alive and have no other
/// reference, and the slots of `env` hold the addresses of their elements. Iterations do nothing to these but add to them. Where
/// iterations make arrays, they release them too, and `body` takes a context for a record.
pub(crate) unsafe extern "C" fn arr_par_own(
    context: *mut Context,
    n: i64,
    cost: f64,
    body: Body,
    env: *const u64,
    table: *const u64,
) -> i64 {
    // SAFETY: compiled code has written the table.
    let (slots, allocates, added) = unsafe {
        let count = table.add(2).read() as usize;
        let rows = std::slice::from_raw_parts(table.add(OWN_HEAD), count * OWN_ROW);
        (table.read() as usize, table.add(1).read() != 0, rows.chunks_exact(OWN_ROW).filter_map(|row| added(row)))
    };
    let added: Vec<Added> = added.collect();
    // SAFETY: compiled code passes its own context, which nothing else uses meanwhile.
    let context = unsafe { &mut *context };
    let mut chunks = chunks_for(n, cost, &added);
    if chunks.count > 1 && !context.memory_mut().has(bytes(&added).saturating_mul(chunks.count - 1)) {
        chunks = Chunks::at_most(n, cost, 1.0);
    }
    context.note_region(chunks.count > 1);
    let team = if chunks.count > 1 { context.pool() } else { None };
    let together_with = team.and_then(|team| Some((team, copies(context, &added, chunks.count - 1)?)));
    // SAFETY: the environment has so many slots.
    let env = unsafe { std::slice::from_raw_parts(env, slots) };
    // SAFETY: as the caller promises.
    let ok = unsafe {
        match together_with {
            Some((team, copies)) => together(context, &team, chunks, body, env, (&added, &copies), allocates),
            None => alone(context, chunks, body, env, &added),
        }
    };
    if ok { chunks.count } else { 0 }
}

/// # Safety
///
/// `row` has three places, and the buffer in it is alive.
unsafe fn added(row: &[u64]) -> Option<Added> {
    let &[slot, buffer, kind] = row else { return None };
    let kind =
        [AddedKind::F64, AddedKind::F32, AddedKind::I64, AddedKind::I32].into_iter().find(|&k| k as u64 == kind)?;
    let buffer = std::ptr::with_exposed_provenance::<Buffer>(buffer as usize);
    // SAFETY: the buffer is alive.
    let (data, len) = unsafe { ((*buffer).data, (*buffer).len) };
    Some(Added { slot: slot as usize, data, len, kind })
}

/// The division of such a loop: copies must cost little relative to it.
fn chunks_for(n: i64, cost: f64, added: &[Added]) -> Chunks {
    if added.is_empty() {
        return Chunks::new(n, cost);
    }
    let elements: usize = added.iter().map(|a| a.len).sum();
    let affordable = (1.0 + cost / (EACH_ELEMENT * elements.max(1) as f64)).min(MOST_CHUNKS);
    // A power of two: as many for each of two threads, or four.
    Chunks::at_most(n, cost, (1u64 << (affordable as u64).max(1).ilog2()) as f64)
}

/// The bytes of a copy of each array.
fn bytes(added: &[Added]) -> i64 {
    added.iter().map(|a| (a.len * a.kind.width()) as i64).fold(0, i64::saturating_add)
}

impl AddedKind {
    fn width(self) -> usize {
        match self {
            AddedKind::F64 | AddedKind::I64 => 8,
            AddedKind::F32 | AddedKind::I32 => 4,
        }
    }
}

/// This many copies of all arrays, cleared, or `None` if they do not fit.
fn copies(context: &mut Context, added: &[Added], count: i64) -> Option<Vec<Vec<*mut Buffer>>> {
    let mut copies: Vec<Vec<*mut Buffer>> = Vec::new();
    for _ in 0..count {
        copies.push(Vec::new());
        for a in added {
            match context.memory_mut().alloc(a.len, a.kind.width()) {
                Some(buffer) => copies.last_mut()?.push(buffer),
                None => {
                    free(context, copies);
                    return None;
                }
            }
        }
    }
    Some(copies)
}

fn free(context: &mut Context, copies: Vec<Vec<*mut Buffer>>) {
    for buffer in copies.into_iter().flatten() {
        // SAFETY: it was allocated from this memory, and is not used any more.
        unsafe { context.memory_mut().free(buffer) };
    }
}

impl Added {
    /// The same in a copy.
    ///
    /// # Safety
    ///
    /// The copy is alive.
    unsafe fn of(self, copy: *mut Buffer) -> Added {
        // SAFETY: as the caller promises.
        Added { data: unsafe { (*copy).data }, ..self }
    }

    /// Sets all elements to zero; floats to negative zero, which is neutral in sums.
    ///
    /// # Safety
    ///
    /// There is memory for its elements, which nothing else uses.
    unsafe fn clear(self) {
        // SAFETY: as the caller promises.
        unsafe {
            match self.kind {
                AddedKind::F64 => std::slice::from_raw_parts_mut(self.data.cast::<u64>(), self.len).fill(1 << 63),
                AddedKind::F32 => std::slice::from_raw_parts_mut(self.data.cast::<u32>(), self.len).fill(1 << 31),
                AddedKind::I64 | AddedKind::I32 => self.data.write_bytes(0, self.len * self.kind.width()),
            }
        }
    }

    /// Adds elements of another.
    ///
    /// # Safety
    ///
    /// Both have these elements, and nothing else uses them.
    unsafe fn add(self, other: Added, lo: usize, hi: usize) {
        /// # Safety
        ///
        /// As for [`Added::add`].
        unsafe fn sum<T: Copy>(to: *mut u8, from: *mut u8, lo: usize, hi: usize, plus: impl Fn(T, T) -> T) {
            // SAFETY: as the caller promises.
            let (to, from) = unsafe {
                let (to, from) = (to.cast::<T>().add(lo), from.cast::<T>().add(lo));
                (std::slice::from_raw_parts_mut(to, hi - lo), std::slice::from_raw_parts(from, hi - lo))
            };
            to.iter_mut().zip(from).for_each(|(t, f)| *t = plus(*t, *f));
        }
        let (to, from) = (self.data, other.data);
        // SAFETY: as the caller promises.
        unsafe {
            match self.kind {
                AddedKind::F64 => sum::<f64>(to, from, lo, hi, |a, b| a + b),
                AddedKind::F32 => sum::<f32>(to, from, lo, hi, |a, b| a + b),
                AddedKind::I64 => sum::<i64>(to, from, lo, hi, i64::wrapping_add),
                AddedKind::I32 => sum::<i32>(to, from, lo, hi, i32::wrapping_add),
            }
        }
    }
}

/// The environment of a chunk that adds to other arrays.
fn env_of(env: &[u64], added: &[Added]) -> Vec<u64> {
    let mut own = env.to_vec();
    for a in added {
        if let Some(slot) = own.get_mut(a.slot) {
            *slot = a.data.expose_provenance() as u64;
        }
    }
    own
}

/// One thread runs chunk after chunk, all but the first with one copy.
///
/// # Safety
///
/// As for [`arr_par_own`].
unsafe fn alone(context: &mut Context, chunks: Chunks, body: Body, env: &[u64], added: &[Added]) -> bool {
    let others = chunks.count - 1;
    let copies = if added.is_empty() { None } else { copies(context, added, others.min(1)) };
    if copies.is_some() && others > 1 {
        // One of them has been counted.
        let more = others as u64 - 1;
        context.memory_mut().count(bytes(added) as u64 * more, added.len() as u64 * more);
    }
    // SAFETY: the copies are alive.
    let of = |copies: &[*mut Buffer]| added.iter().zip(copies).map(|(a, &c)| unsafe { a.of(c) }).collect();
    let copy: Vec<Added> = copies.iter().flatten().next().map_or(Vec::new(), |c| of(c));
    let own = env_of(env, &copy);
    let mut ok = true;
    for chunk in 0..chunks.count {
        let (lo, hi) = chunks.range(chunk);
        let env = if chunk == 0 { env } else { own.as_slice() };
        if chunk > 0 {
            // SAFETY: nothing else uses the copies.
            copy.iter().for_each(|c| unsafe { c.clear() });
        }
        // SAFETY: as the caller promises; failures and memory are the context's own.
        ok = unsafe { body((&raw mut *context).cast::<Record>(), env.as_ptr(), chunk, lo, hi) } == 0;
        if !ok {
            break;
        }
        if chunk > 0 {
            // SAFETY: both are alive, and nothing else uses them.
            added.iter().zip(&copy).for_each(|(a, &c)| unsafe { a.add(c, 0, a.len) });
        }
    }
    free(context, copies.unwrap_or_default());
    ok
}

/// The threads of a team run chunks, all but the first with copies of their own.
///
/// # Safety
///
/// As for [`arr_par_own`]; the copies are one for each chunk but the first, of all arrays.
unsafe fn together(
    context: &mut Context,
    team: &Arc<Team>,
    chunks: Chunks,
    body: Body,
    env: &[u64],
    (added, copies): (&[Added], &[Vec<*mut Buffer>]),
    allocates: bool,
) -> bool {
    // SAFETY: the copies are alive.
    let rows = copies.iter().map(|row| added.iter().zip(row).map(|(a, &c)| unsafe { a.of(c) }).collect());
    let rows: Vec<Vec<Added>> = rows.collect();
    let envs: Vec<Vec<u64>> = if added.is_empty() {
        Vec::new()
    } else {
        std::iter::once(env.to_vec()).chain(rows.iter().map(|row| env_of(env, row))).collect()
    };
    let lent = if allocates { context.lend(taking_part(team, chunks)) } else { Vec::new() };
    let memories: Vec<Mutex<WorkerContext>> =
        lent.into_iter().map(|context| Mutex::new(WorkerContext(context))).collect();
    let own = Own { envs: &envs, memories: &memories, clear: &|chunk| clear(&rows, chunk) };
    // SAFETY: as the caller promises.
    let ok = unsafe { divided(context, team, chunks, body, env.as_ptr(), &[], own) };
    let inner = |m: Mutex<WorkerContext>| m.into_inner().unwrap_or_else(PoisonError::into_inner).0;
    if allocates {
        context.take_back(memories.into_iter().map(inner));
    }
    if ok {
        for (k, &to) in added.iter().enumerate() {
            let from: Vec<Added> = rows.iter().filter_map(|row| row.get(k).copied()).collect();
            // SAFETY: all are alive, and nothing else uses them.
            unsafe { add_all(context, team, to, &from) };
        }
    }
    free(context, copies.to_vec());
    ok
}

/// Clears the copies of a chunk.
fn clear(rows: &[Vec<Added>], chunk: i64) {
    let row = usize::try_from(chunk - 1).ok().and_then(|k| rows.get(k));
    // SAFETY: the copies are alive, and the chunk's own.
    row.into_iter().flatten().for_each(|a| unsafe { a.clear() });
}

/// Adds all copies of an array to it, on all threads.
///
/// # Safety
///
/// All are alive, and nothing else uses them.
unsafe fn add_all(context: &mut Context, team: &Arc<Team>, to: Added, from: &[Added]) {
    struct Sums<'a> {
        to: Added,
        from: &'a [Added],
    }
    /// # Safety
    ///
    /// `env` is [`Sums`], and this thread alone has the range.
    unsafe extern "C" fn part(_: *mut Record, env: *const u64, _: i64, lo: i64, hi: i64) -> i32 {
        // SAFETY: as the caller promises.
        unsafe {
            let Sums { to, from } = &*env.cast::<Sums<'_>>();
            from.iter().for_each(|&f| to.add(f, lo as usize, hi as usize));
        }
        0
    }
    let sums = Sums { to, from };
    let n = to.len as i64;
    let chunks = Chunks::new(n, n as f64 * from.len() as f64 * ADDITION);
    let env = (&raw const sums).cast();
    // SAFETY: `part` takes such an environment, and chunks are apart.
    unsafe {
        if chunks.count > 1 {
            divided(context, team, chunks, part, env, &[], Own::default());
        } else {
            part(context.record(), env, 0, 0, n);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
    use crate::context::{Failure, offsets};
    use crate::{FailureCode, GRAIN};

    /// The environment of the loop below, in slots: unused, unused, the elements, the places to add to, and their number.
    const SLOTS: usize = 5;

    /// Adds `1 / (k + 1)` at `places[k]`, and makes an array meanwhile if it may; fails at a place that does not exist.
    ///
    /// # Safety
    ///
    /// As its environment says.
    unsafe extern "C" fn scatter(record: *mut Record, env: *const u64, _: i64, lo: i64, hi: i64) -> i32 {
        // SAFETY: the tests pass such an environment.
        let (data, places, len) = unsafe {
            let pointer = |k: usize| std::ptr::with_exposed_provenance_mut::<u8>(env.add(k).read() as usize);
            (pointer(2).cast::<f64>(), pointer(3).cast::<i64>(), env.add(4).read())
        };
        for k in lo..hi {
            // SAFETY: there is a place for every iteration.
            let place = unsafe { places.add(k as usize).read() };
            if place as u64 >= len {
                // SAFETY: the fields of a record, as compiled code writes them.
                unsafe {
                    record.cast::<u8>().add(offsets::CODE).cast::<u32>().write(FailureCode::Index as u32);
                    record.cast::<u8>().add(offsets::VALUES).cast::<i64>().write(place);
                }
                return 1;
            }
            // SAFETY: the place is there, and this chunk's array.
            unsafe { *data.add(place as usize) += 1.0 / (k + 1) as f64 };
        }
        0
    }

    /// The sums, or the failure, with this many threads.
    fn run(threads: usize, places: &[i64], len: usize, limit: i64) -> Result<Vec<f64>, Failure> {
        let mut context = Context::new(limit, i64::MAX).with_threads(Threads::new(Some(threads)));
        let mut elements = vec![-0.0f64; len];
        let mut buffer = Buffer::borrowed(&elements);
        buffer.data = elements.as_mut_ptr().cast();
        let data = buffer.data.expose_provenance() as u64;
        let header = (&raw const buffer).expose_provenance() as u64;
        let places_at = places.as_ptr().expose_provenance() as u64;
        let rows = [SLOTS as u64, 0, 1, 2, header, AddedKind::F64 as u64];
        let env: Vec<u64> = [0, 0, data, places_at, len as u64].into_iter().chain(rows).collect();
        let table = env.as_ptr().wrapping_add(SLOTS);
        let cost = 40.0 * GRAIN;
        // SAFETY: the environment and the table are as `scatter` and the loop need them.
        let chunks = unsafe { arr_par_own(&mut context, places.len() as i64, cost, scatter, env.as_ptr(), table) };
        assert_eq!(context.memory().live, 0, "copies are freed");
        match context.failure() {
            Some(failure) => Err(failure),
            None => {
                assert!((1..=8).contains(&chunks));
                Ok(elements)
            }
        }
    }

    #[test]
    fn sums_have_the_same_bits_on_any_number_of_threads() -> Result<(), Failure> {
        for (n, len) in [(100_000, 1000), (100_000, 1), (70_001, 13), (3, 2), (0, 5), (1000, 1_000_000)] {
            let places: Vec<i64> = (0..n).map(|k| k * k % 7919 % len).collect();
            let one = run(1, &places, len as usize, i64::MAX)?;
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            for threads in [2, 3, 8] {
                assert_eq!(bits(&run(threads, &places, len as usize, i64::MAX)?), bits(&one), "{n} {len}");
            }
            let mut exact = vec![-0.0; len as usize];
            for (k, &place) in places.iter().enumerate() {
                exact[place as usize] += 1.0 / (k + 1) as f64;
            }
            assert!(one.iter().zip(&exact).all(|(a, b)| (a - b).abs() <= 1e-12 * b.abs()), "{n} {len}");
            // Elements that nothing is added to keep their sign; without memory for copies the order is that of one
            // chunk.
            assert!(one.iter().zip(&exact).all(|(a, b)| a.is_sign_negative() == b.is_sign_negative()));
            assert_eq!(bits(&run(2, &places, len as usize, 0)?), bits(&exact));
        }
        Ok(())
    }

    #[test]
    fn the_first_failure_is_kept() {
        let mut places: Vec<i64> = (0..100_000).map(|k| k % 50).collect();
        places.iter_mut().skip(60_000).step_by(1000).zip(0..).for_each(|(place, k)| *place = 50 + k);
        for threads in [1, 2, 3, 8] {
            let failure = run(threads, &places, 50, i64::MAX).err();
            assert_eq!(failure.map(|f| (f.code, f.values[0])), Some((FailureCode::Index, 50)));
        }
    }
}
