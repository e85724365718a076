//! Threads that stay ready between the parallel loops of a run.
//!
//! Waking a thread takes some ten times as long as a small loop. A thread of the pool that has helped with a loop
//! therefore spins for a while, waiting for the next one, before it parks, and meanwhile runs other work of the pool. A
//! thread with a loop to divide publishes it, works on it as well, closes it, and waits for the helpers that are
//! inside; later ones find it closed. A helper keeps its number, so that it can be given the same part of every loop,
//! whose elements are in its cache.

use rayon::ThreadPool;
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize};
use std::time::{Duration, Instant};

/// How long a helper spins before it parks.
const PATIENCE: Duration = Duration::from_micros(60);
/// Polls of the published work between polls of the clock and of the pool's other work.
const TURNS: u32 = 8;
/// Work of fewer parts is not worth waking a thread for, which takes longer than that; awake threads help with it.
const WORTH_A_CALL: u64 = 8;
/// Unless this much of it adds up.
const OWED: u64 = 32;
/// Polls of the helpers inside before the processor is yielded.
const WAIT: u32 = 500;

/// The state: the number of helpers inside, whether the published task is open, and the number of tasks published so
/// far.
const INSIDE: u64 = 0xffff;
const OPEN: u64 = INSIDE + 1;
const NEXT: u64 = 2 * OPEN;

thread_local! {
    /// The team of the run that this thread is in.
    static CURRENT: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
}

/// A run with a team, on this thread; holds the team of the run around it.
pub(crate) struct Inside(Option<Arc<Team>>);

impl Inside {
    pub fn of(team: Arc<Team>) -> Inside {
        Inside(CURRENT.replace(Some(team)))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Calls `f` for every number below `count`, on the threads of the run's team, or the pool's if it is taken.
pub(crate) fn for_each(count: usize, f: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let work = |_: usize| {
        loop {
            let k = next.fetch_add(1, Relaxed);
            if k >= count {
                return;
            }
            f(k);
        }
    };
    let team = CURRENT.with_borrow(Clone::clone);
    let shared = team.is_some_and(|team| team.share(count.min(team.pool.current_num_threads()), WORTH_A_CALL, &work));
    if !shared {
        (0..count).into_par_iter().for_each(f);
    }
}

/// The task of all participants, with their numbers: 0 for the publisher.
type Task<'a> = &'a (dyn Fn(usize) + Sync);

/// What is published: a task, and the number of those who may take part in it.
struct Published<'a> {
    task: Task<'a>,
    count: usize,
}

/// A number that a thread has as long as it helps.
#[derive(Debug, Default)]
struct Helper {
    /// Whether a thread has the number and spins, or soon will; who sets this has the number.
    present: AtomicBool,
    /// The last task that was done, or passed by, under this number. None is done twice: the number may go to another thread
    /// while the task is still open.
    seen: AtomicU64,
}

/// The threads of a pool that help.
#[derive(Debug)]
pub(crate) struct Team {
    pool: ThreadPool,
    state: AtomicU64,
    published: AtomicPtr<Published<'static>>,
    /// Whether somebody has published something, or is about to.
    taken: AtomicBool,
    /// The parts of small work since helpers were last called.
    owed: AtomicU64,
    /// By number; the first entry is not used.
    helpers: Vec<Helper>,
}

impl Team {
    pub fn new(pool: ThreadPool) -> Arc<Team> {
        let helpers = (0..pool.current_num_threads()).map(|_| Helper::default()).collect();
        let (state, published) = (AtomicU64::new(0), AtomicPtr::default());
        Arc::new(Team { pool, state, published, taken: AtomicBool::new(false), owed: AtomicU64::new(0), helpers })
    }

    pub fn pool(&self) -> &ThreadPool {
        &self.pool
    }

    /// Runs the task on at most `count` threads, including this one, once for each of their numbers, which are below
    /// `count`, and returns when every thread that started has finished; absent threads are woken only if there are
    /// enough parts to be worth it. Returns `false`, with nothing done, if the team is taken.
    pub fn share(self: &Arc<Team>, count: usize, parts: u64, task: Task<'_>) -> bool {
        if self.taken.swap(true, Acquire) {
            return false;
        }
        let published = Published { task, count };
        self.published.store(std::ptr::from_ref(&published).cast::<Published<'static>>().cast_mut(), Relaxed);
        // Nobody is inside a closed task.
        let state = (self.state.load(Relaxed) | INSIDE | OPEN) + 1;
        self.state.store(state | OPEN, Release);
        let closing = Closing(self);
        let owed = self.owed.load(Relaxed) + parts;
        let call = parts >= WORTH_A_CALL || owed >= OWED;
        self.owed.store(if call { 0 } else { owed }, Relaxed);
        if call {
            self.call(count);
        }
        task(0);
        drop(closing);
        self.published.store(std::ptr::null_mut(), Relaxed);
        self.taken.store(false, Release);
        true
    }

    /// Makes sure that helpers are there, or will be soon.
    fn call(self: &Arc<Team>, count: usize) {
        let caller = self.pool.current_thread_index();
        for (number, helper) in self.helpers.iter().enumerate().take(count).skip(1) {
            if helper.present.load(Relaxed) || helper.present.swap(true, Acquire) {
                continue;
            }
            let team = self.clone();
            self.pool.spawn(move || {
                let Some(helper) = team.helpers.get(number) else { return };
                // A thread that waits for others may take up work that it has itself left for them.
                if caller.is_none() || team.pool.current_thread_index() != caller {
                    team.look_out(number, helper);
                } else {
                    helper.present.store(false, Release);
                }
            });
        }
    }

    /// Helps with everything that is published, until for a while nothing is.
    fn look_out(&self, number: usize, helper: &Helper) {
        let (mut since, mut turns) = (Instant::now(), 0u32);
        loop {
            let state = self.state.load(Acquire);
            let published = state / NEXT;
            if state & OPEN != 0 && helper.seen.load(Relaxed) != published {
                if self.state.compare_exchange_weak(state, state + 1, AcqRel, Relaxed).is_ok() {
                    helper.seen.store(published, Relaxed);
                    // SAFETY: who has published this waits, now that this helper is inside, until it is out again.
                    let Published { task, count } = unsafe { &*self.published.load(Relaxed) };
                    // A helper that a wider loop has called has no part in a narrower one, and no memory in it.
                    if number < *count {
                        task(number);
                        (since, turns) = (Instant::now(), 0);
                    }
                    self.state.fetch_sub(1, Release);
                }
                continue;
            }
            std::hint::spin_loop();
            turns += 1;
            if turns.is_multiple_of(TURNS) {
                // The pool's work may be a whole run, which looks for helpers itself.
                helper.present.store(false, Release);
                match rayon::yield_now() {
                    Some(rayon::Yield::Executed) => since = Instant::now(),
                    _ if since.elapsed() > PATIENCE => return,
                    _ => {}
                }
                // Another thread has taken over this helper's number.
                if helper.present.swap(true, Acquire) {
                    return;
                }
            }
        }
    }
}

/// Closes the published task, and waits for the helpers inside.
struct Closing<'a>(&'a Team);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.fetch_and(!OPEN, AcqRel);
        let mut turns = 0u32;
        while state & INSIDE != 0 {
            turns += 1;
            if turns < WAIT {
                std::hint::spin_loop()
            } else {
                std::thread::yield_now()
            }
            state = self.0.state.load(Acquire);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(threads: usize) -> Option<Arc<Team>> {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok().map(Team::new)
    }

    #[test]
    fn every_number_is_done_once() -> Result<(), &'static str> {
        let team = team(3).ok_or("no threads")?;
        let all = |count: usize| {
            let times: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            for_each(count, &|k| {
                times.get(k).map(|t| t.fetch_add(1, Relaxed));
            });
            times.iter().all(|t| t.load(Relaxed) == 1)
        };
        let each = |_: usize| [0, 1, 2, 7, 100].into_iter().all(all);
        team.pool().install(|| {
            let inside = Inside::of(team.clone());
            assert!((0..50).all(each));
            // Taken, and without a team.
            assert!(team.share(3, 100, &|number| assert!(number > 0 || each(0))));
            drop(inside);
            assert!(each(0) && CURRENT.with_borrow(Option::is_none));
        });
        Ok(())
    }

    #[test]
    fn everybody_inside_is_waited_for() -> Result<(), &'static str> {
        let team = team(3).ok_or("no threads")?;
        for round in 0..2000 {
            // On the stack, as loops are: a helper that was not waited for would write to freed memory.
            let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let shared = team.share(3, WORTH_A_CALL, &|number| {
                assert!(number < 3);
                begun.fetch_add(1, Relaxed);
                (0..round % 50).for_each(|_| std::hint::spin_loop());
                ended.fetch_add(1, Relaxed);
            });
            assert!(shared);
            assert!((1..=3).contains(&begun.load(Relaxed)));
            assert_eq!(begun.load(Relaxed), ended.load(Relaxed));
        }
        Ok(())
    }

    #[test]
    fn a_number_comes_once_and_only_if_there_is_a_part_for_it() -> Result<(), &'static str> {
        let team = team(4).ok_or("no threads")?;
        for round in 0..500 {
            // A wide task calls helpers, which are still there when a narrow one is published.
            for count in [4, 2, 3, 1] {
                let times: Vec<AtomicUsize> = (0..4).map(|_| AtomicUsize::new(0)).collect();
                team.share(count, WORTH_A_CALL, &|number| {
                    times.get(number).map(|t| t.fetch_add(1, Relaxed));
                    // The publisher gives the others time, in which they may park and be replaced.
                    (0..round % 7 * 10).for_each(|_| std::thread::yield_now());
                });
                let times: Vec<usize> = times.into_iter().map(AtomicUsize::into_inner).collect();
                assert!(
                    times.iter().all(|&t| t <= 1) && times.iter().skip(count).all(|&t| t == 0),
                    "{count}: {times:?}"
                );
            }
        }
        Ok(())
    }

    #[test]
    fn helpers_come_and_keep_their_numbers() -> Result<(), &'static str> {
        let team = team(2).ok_or("no threads")?;
        let others = AtomicUsize::new(0);
        for _ in 0..100 {
            let came = AtomicBool::new(false);
            let start = Instant::now();
            team.share(2, WORTH_A_CALL, &|number| {
                came.fetch_or(number == 1, Relaxed);
                // Long enough for the other thread to wake up.
                while number == 0 && !came.load(Relaxed) && start.elapsed() < Duration::from_secs(2) {
                    std::hint::spin_loop();
                }
            });
            others.fetch_add(usize::from(came.load(Relaxed)), Relaxed);
        }
        assert!(others.load(Relaxed) > 90, "{others:?}");
        Ok(())
    }

    #[test]
    fn small_work_calls_helpers_once_in_a_while() -> Result<(), &'static str> {
        let team = team(2).ok_or("no threads")?;
        let called = || team.helpers.get(1).is_some_and(|h| h.present.load(Relaxed));
        let parts = WORTH_A_CALL / 2;
        for _ in 1..OWED / parts {
            team.share(2, parts, &|_| {});
            assert!(!called());
        }
        let seen = AtomicBool::new(false);
        team.share(2, parts, &|number| {
            seen.fetch_or(number == 1 || called(), Relaxed);
        });
        assert!(seen.load(Relaxed));
        Ok(())
    }

    #[test]
    fn one_at_a_time() -> Result<(), &'static str> {
        let team = team(2).ok_or("no threads")?;
        team.share(2, 1, &|_| assert!(!team.share(2, 1, &|_| {})));
        assert!(team.share(2, 1, &|_| {}));
        Ok(())
    }

    #[test]
    fn who_waits_still_does_what_the_pool_has_to_do() -> Result<(), &'static str> {
        let team = team(2).ok_or("no threads")?;
        let sum: usize = team.pool().install(|| {
            (0..200)
                .map(|k| {
                    team.share(2, WORTH_A_CALL, &|_| {});
                    let (a, b) = rayon::join(|| k, || k + 1);
                    b - a
                })
                .sum()
        });
        assert_eq!(sum, 200);
        Ok(())
    }
}
