//! Loops on several threads.
//!
//! A loop is divided into chunks, whose number and length follow from its size and cost, never from the number of
//! threads: whatever is computed chunk by chunk is the same on any machine. Every participating thread (see [`Team`])
//! begins with a row of chunks of its own, the same in every loop of that shape, so that it finds its elements in its
//! cache; then it steals chunks from the ends of the others' rows, so that a thread with a busy processor does less.
//!
//! **Failures.** A chunk records its failure in a record of its own. Chunks after the first failed one are not begun;
//! those before it are finished, so the final failure is that of the lowest failing chunk: the one that a single thread
//! meets.

use crate::context::{Context, FailureCode, NOWHERE, Record};
use crate::privatize::WorkerContext;
use crate::team::{Inside, Team};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The estimated cost of a chunk, in operations: about 4 µs. Less is not worth handing to another thread.
pub const GRAIN: f64 = 16_384.0;

/// The maximal number of chunks of a loop. There are places for as many partial results.
pub const MAX_CHUNKS: usize = 256;

/// The maximal number of threads in a loop, and of threads made on a machine that has no more cores.
const MOST_THREADS: usize = 64;

/// Address space for the stack of a thread; only touched pages take memory.
const STACK: usize = 64 << 20;

/// A part of a loop, `lo .. hi`, as compiled code: the record for failures, captured values, the chunk's number and its
/// range. The record is the head of a context in loops whose iterations manage memory. Returns 0 if all went well.
pub type Body = unsafe extern "C" fn(*mut Record, *const u64, i64, i64, i64) -> i32;

/// The threads of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threads(usize);

impl Threads {
    /// This many threads, at least one and at most [`MOST_THREADS`] or the number of cores if that is larger; `None`
    /// means the number of cores.
    pub fn new(count: Option<usize>) -> Threads {
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = || *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
        let count = match count {
            Some(count) if count > MOST_THREADS => count.min(MOST_THREADS.max(cores())),
            Some(count) => count,
            None => cores(),
        };
        Threads(count.max(1))
    }

    pub fn count(self) -> usize {
        self.0
    }

    /// Runs `work` on one of the threads, which are then available for loops divided in it. On the caller's own if
    /// there is only one.
    pub fn enter<T: Send>(self, work: impl FnOnce() -> T + Send) -> T {
        match self.pool() {
            Some(team) => team.pool().install(|| {
                let _inside = Inside::of(team.clone());
                work()
            }),
            None => work(),
        }
    }

    /// The team of this many threads; all runs of a process share it. `None` for one thread, or if it cannot be made.
    pub(crate) fn pool(self) -> Option<Arc<Team>> {
        // Threads do not survive a fork: the child makes teams of its own. Those of its parent it leaves alone.
        static TEAMS: Mutex<BTreeMap<(u64, usize), Arc<Team>>> = Mutex::new(BTreeMap::new());
        if self.0 == 1 {
            return None;
        }
        let mut teams = TEAMS.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (forks(), self.0);
        if let Some(team) = teams.get(&key) {
            return Some(team.clone());
        }
        let builder = rayon::ThreadPoolBuilder::new().num_threads(self.0).stack_size(STACK);
        let team = Team::new(builder.thread_name(|k| format!("arr-{k}")).build().ok()?);
        teams.insert(key, team.clone());
        Some(team)
    }
}

/// The number of forks between the process that made the first team and this one.
#[cfg(unix)]
fn forks() -> u64 {
    static FORKS: AtomicU64 = AtomicU64::new(0);
    static COUNTED: OnceLock<()> = OnceLock::new();
    extern "C" fn forked() {
        FORKS.fetch_add(1, Relaxed);
    }
    COUNTED.get_or_init(|| {
        // SAFETY: the function, which the child calls, only counts. Without memory for it there is no count.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    });
    FORKS.load(Relaxed)
}

#[cfg(not(unix))]
fn forks() -> u64 {
    0
}

/// The division of a loop: chunks `k * length .. min((k + 1) * length, n)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Chunks {
    pub n: i64,
    length: i64,
    pub count: i64,
}

/// Chunks of many iterations begin at multiples of this, so that rows of elements begin at vector boundaries.
const ALIGNMENT: u64 = 64;

impl Chunks {
    /// `n` iterations of this total cost. At least one chunk, at most [`MAX_CHUNKS`].
    pub fn new(n: i64, cost: f64) -> Chunks {
        Chunks::at_most(n, cost, MAX_CHUNKS as f64)
    }

    /// The same, with no more chunks than `most`.
    pub fn at_most(n: i64, cost: f64, most: f64) -> Chunks {
        let n = n.max(0) as u64;
        // A NaN cost counts as zero.
        let wanted = (cost / GRAIN).min(most).clamp(1.0, MAX_CHUNKS as f64) as u64;
        let length = n.div_ceil(wanted.clamp(1, n.max(1))).max(1);
        let length = if length >= 4 * ALIGNMENT { length.next_multiple_of(ALIGNMENT) } else { length };
        Chunks { n: n as i64, length: length as i64, count: n.div_ceil(length).max(1) as i64 }
    }

    pub fn range(&self, chunk: i64) -> (i64, i64) {
        let lo = chunk * self.length;
        (lo, lo.saturating_add(self.length).min(self.n))
    }
}

/// The remaining chunks of a thread's row: the first in the upper half, the end in the lower. In a cache line of its
/// own.
#[repr(align(64))]
struct Row(AtomicU64);

impl Row {
    fn new(first: i64, end: i64) -> Row {
        Row(AtomicU64::new((first as u64) << 32 | end as u64))
    }

    /// Takes the first remaining chunk, or the last; it belongs to the caller then.
    fn take(&self, last: bool) -> Option<i64> {
        let rest = |row: u64| {
            let (first, end) = (row >> 32, row & u64::from(u32::MAX));
            let less = if last { row.wrapping_sub(1) } else { row.wrapping_add(1 << 32) };
            (first < end).then_some(less)
        };
        let row = self.0.fetch_update(Relaxed, Relaxed, rest).ok()?;
        Some(if last { (row & u64::from(u32::MAX)) as i64 - 1 } else { (row >> 32) as i64 })
    }
}

/// A divided loop during its execution.
struct Region<'a> {
    body: Body,
    env: *const u64,
    chunks: Chunks,
    /// Chunks that are finished already, by number.
    done: &'a [bool],
    /// Private data of chunks and threads.
    own: Own<'a>,
    /// The chunks that nobody has taken.
    rows: &'a [Row],
    /// The lowest chunk that is known to have failed.
    failed: AtomicI64,
    failure: Mutex<Option<(i64, Record)>>,
    /// The flag that stops the run.
    stop: &'static AtomicBool,
}

/// Data that differs between chunks and threads of a loop.
#[derive(Clone, Copy)]
pub(crate) struct Own<'a> {
    /// Chunks that have environments of their own, by number.
    pub envs: &'a [Vec<u64>],
    /// The allocators of threads, by number, if iterations make arrays.
    pub memories: &'a [Mutex<WorkerContext>],
    /// Prepares the private data of a chunk.
    pub clear: &'a (dyn Fn(i64) + Sync),
}

impl Default for Own<'_> {
    fn default() -> Self {
        Own { envs: &[], memories: &[], clear: &|_| () }
    }
}

// SAFETY: what `env` points to is not written while the region is shared, except for the partial results, of which every
// chunk writes its own; compiled code of different chunks writes distinct elements of arrays and reads none that another
// chunk writes. The rest is synchronised.
unsafe impl Sync for Region<'_> {}

impl Region<'_> {
    /// Takes chunks until none is left: those of the thread's own row, then the others' last ones.
    fn work(&self, thread: usize) {
        let mut memory = self.own.memories.get(thread).map(|m| m.lock().unwrap_or_else(PoisonError::into_inner));
        let (before, from) = self.rows.split_at(thread.min(self.rows.len()));
        for (k, row) in from.iter().chain(before).enumerate() {
            while let Some(chunk) = row.take(k > 0) {
                self.chunk(chunk, memory.as_deref_mut().map(|lent| &mut lent.0));
            }
        }
    }

    /// Runs a chunk, unless it is finished or one before it has failed.
    fn chunk(&self, chunk: i64, memory: Option<&mut Context>) {
        if chunk > self.failed.load(Relaxed) || self.done.get(chunk as usize).is_some_and(|&done| done) {
            return;
        }
        let mut record = Record::stopped_by(self.stop);
        if record.stops() {
            record.fail(FailureCode::Interrupted, NOWHERE, [0; 3]);
            return self.fail(chunk, record);
        }
        let (lo, hi) = self.chunks.range(chunk);
        (self.own.clear)(chunk);
        let env = self.own.envs.get(chunk as usize).map_or(self.env, |env| env.as_ptr());
        // SAFETY: `arr_par_for` was given this body with this environment, and this thread alone has the chunk, the record
        // and the memory.
        let status = unsafe {
            match memory {
                Some(context) => {
                    let status = (self.body)((&raw mut *context).cast(), env, chunk, lo, hi);
                    record = context.take_record();
                    status
                }
                None => (self.body)(&mut record, env, chunk, lo, hi),
            }
        };
        if status != 0 {
            self.fail(chunk, record);
        }
    }

    fn fail(&self, chunk: i64, record: Record) {
        self.failed.fetch_min(chunk, Relaxed);
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.is_none_or(|(lowest, _)| chunk < lowest) {
            *failure = Some((chunk, record));
        }
    }

    /// The work of some of the threads, if another run has the team. A thread that comes late finds nothing left.
    fn work_of(&self, threads: std::ops::Range<usize>) {
        if threads.len() <= 1 {
            return self.work(threads.start);
        }
        let middle = threads.start + threads.len() / 2;
        rayon::join(|| self.work_of(threads.start..middle), || self.work_of(middle..threads.end));
    }
}

/// Runs a loop of `n` iterations in chunks. Returns their number, or 0 after a failure, which is recorded.
///
/// # Safety
///
/// `context` is the running context, and nothing else uses it meanwhile. `body` may be called with `env` for distinct chunks
/// at the same time: it writes only its record, its chunk's partial results and elements that no other chunk reads or
/// writes, and calls no function that needs the context. There are places for [`MAX_CHUNKS`] partial results.
pub(crate) unsafe extern "C" fn arr_par_for(
    context: *mut Context,
    n: i64,
    cost: f64,
    body: Body,
    env: *const u64,
) -> i64 {
    let chunks = Chunks::new(n, cost);
    // SAFETY: compiled code passes its own context, which nothing else uses meanwhile.
    let context = unsafe { &mut *context };
    context.note_region(chunks.count > 1);
    let team = if chunks.count > 1 { context.pool() } else { None };
    let Some(team) = team else {
        for chunk in 0..chunks.count {
            let (lo, hi) = chunks.range(chunk);
            if context.interrupted() {
                return 0;
            }
            // SAFETY: as the caller promises; failures and steps are the context's own.
            if unsafe { body(context.record(), env, chunk, lo, hi) } != 0 {
                return 0;
            }
        }
        return chunks.count;
    };
    // SAFETY: as the caller promises.
    if unsafe { divided(context, &team, chunks, body, env, &[], Own::default()) } { chunks.count } else { 0 }
}

/// The number of threads of a team that participate in a loop of this many chunks.
pub(crate) fn taking_part(team: &Team, chunks: Chunks) -> usize {
    team.pool().current_num_threads().min(MOST_THREADS).min(chunks.count as usize).max(1)
}

/// Lets a team run the chunks of a loop that are not `done`. Returns whether all went well; a failure is recorded.
///
/// # Safety
///
/// As for [`arr_par_for`]. Chunks and threads have nothing of their own, or each of them has.
pub(crate) unsafe fn divided(
    context: &mut Context,
    team: &Arc<Team>,
    chunks: Chunks,
    body: Body,
    env: *const u64,
    done: &[bool],
    own: Own<'_>,
) -> bool {
    let threads = taking_part(team, chunks);
    let first = |thread: usize| thread as i64 * chunks.count / threads as i64;
    let rows: SmallVec<[Row; 4]> = (0..threads).map(|k| Row::new(first(k), first(k + 1))).collect();
    let (failed, failure) = (AtomicI64::new(i64::MAX), Mutex::new(None));
    let stop = context.stop();
    let region = Region { body, env, chunks, done, own, rows: &rows, failed, failure, stop };
    if !team.share(threads, chunks.count as u64, &|thread| region.work(thread)) {
        team.pool().install(|| region.work_of(0..threads));
    }
    match region.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        None => true,
        Some((_, record)) => {
            context.take_failure(record);
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offsets;

    #[test]
    fn chunks_cover_every_iteration_once() {
        for n in [0, 1, 2, 3, 63, 64, 100, 1000, 4097, 1_000_000, i64::MAX / 2] {
            for cost in [0.0, 1.0, GRAIN, 3.0 * GRAIN, 77.5 * GRAIN, 1e300, f64::INFINITY, f64::NAN, -1.0] {
                let chunks = Chunks::new(n, cost);
                assert!(1 <= chunks.count && chunks.count <= MAX_CHUNKS as i64, "{chunks:?}");
                let mut next = 0;
                for chunk in 0..chunks.count {
                    let (lo, hi) = chunks.range(chunk);
                    assert!(lo == next && (lo < hi || n == 0), "{chunks:?} {chunk}");
                    next = hi;
                }
                assert_eq!(next, n, "{chunks:?}");
            }
        }
        assert_eq!(Chunks::new(1000, 0.9 * GRAIN).count, 1);
        assert_eq!(Chunks::new(1000, 2.5 * GRAIN).count, 2);
    }

    #[test]
    fn pools_are_shared() {
        let two = || Threads::new(Some(2)).pool();
        assert!(two().zip(two()).is_some_and(|(a, b)| Arc::ptr_eq(&a, &b) && a.pool().current_num_threads() == 2));
        assert!(Threads::new(Some(1)).pool().is_none());
        assert_eq!(Threads::new(Some(0)).count(), 1);
        assert!(Threads::new(None).count() >= 1);
        let cores = Threads::new(None).count();
        assert_eq!(Threads::new(Some(usize::MAX)).count(), MOST_THREADS.max(cores));
        assert_eq!(Threads::new(Some(MOST_THREADS)).count(), MOST_THREADS);
    }

    /// The environment of the loops below: where to write, and the failing places.
    struct Env {
        data: *mut i64,
        bad: Vec<i64>,
    }

    /// # Safety
    ///
    /// `env` is an [`Env`] whose data has a place for every iteration.
    unsafe extern "C" fn squares(record: *mut Record, env: *const u64, chunk: i64, lo: i64, hi: i64) -> i32 {
        // SAFETY: the tests pass such an environment.
        let env = unsafe { &*env.cast::<Env>() };
        for k in lo..hi {
            if env.bad.contains(&k) {
                // SAFETY: the fields of a record, as compiled code writes them.
                unsafe {
                    record.cast::<u8>().add(offsets::CODE).cast::<u32>().write(FailureCode::Index as u32);
                    record.cast::<u8>().add(offsets::VALUES).cast::<i64>().write(k);
                    record.cast::<u8>().add(offsets::VALUES + 8).cast::<i64>().write(chunk);
                }
                return 1;
            }
            // SAFETY: the range is inside, and no other chunk has it.
            unsafe { env.data.add(k as usize).write(k * k) };
        }
        0
    }

    #[test]
    fn every_chunk_is_done_and_the_lowest_failure_is_kept() {
        let n = 20_000;
        for threads in [1, 2, 7] {
            let threads = Threads::new(Some(threads));
            for round in 0..200 {
                let mut data = vec![-1i64; n as usize];
                let bad: Vec<i64> = if round % 2 == 0 { Vec::new() } else { vec![19_000, 7_000 + round, 12_345] };
                let env = Env { data: data.as_mut_ptr(), bad };
                let mut context = Context::new(i64::MAX, i64::MAX).with_threads(threads);
                let env_pointer = (&raw const env).cast::<u64>();
                // SAFETY: `squares` writes distinct elements, and the environment outlives the call.
                let count = unsafe { arr_par_for(&mut context, n, 40.0 * GRAIN, squares, env_pointer) };
                if round % 2 == 0 {
                    assert_eq!(count, 40);
                    assert!(data.iter().enumerate().all(|(k, &x)| x == (k * k) as i64));
                    assert_eq!(context.regions(), 1);
                } else {
                    assert_eq!(count, 0);
                    assert_eq!(context.failure().map(|f| f.values[0]), Some(7_000 + round));
                }
            }
        }
    }

    #[test]
    fn regions_nest_in_a_run() {
        let threads = Threads::new(Some(3));
        let sum = threads.enter(|| {
            let mut data = vec![0i64; 1000];
            let env = Env { data: data.as_mut_ptr(), bad: Vec::new() };
            let mut context = Context::new(i64::MAX, i64::MAX).with_threads(threads);
            for _ in 0..1000 {
                let env_pointer = (&raw const env).cast::<u64>();
                // SAFETY: as above.
                assert_eq!(unsafe { arr_par_for(&mut context, 1000, 8.0 * GRAIN, squares, env_pointer) }, 8);
            }
            data.iter().sum::<i64>()
        });
        assert_eq!(sum, (0..1000i64).map(|k| k * k).sum());
    }
}
