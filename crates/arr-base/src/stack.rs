//! Large stacks for recursion over deep programs: the only place where threads with large stacks are made.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

/// Stack sizes to try: address space, which is only backed by memory where it is touched. A limit on address space
/// (`ulimit -v`, batch systems) refuses the first of them.
const SIZES: [usize; 5] = [1 << 30, 1 << 28, 1 << 26, 1 << 24, 1 << 23];

thread_local! {
    /// Whether this thread was made here, so that nested work needs no second stack.
    static LARGE: Cell<bool> = const { Cell::new(false) };
}

/// The work panicked; the panic hook has reported it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crashed;

thread_local! {
    /// Whether a panic on this thread is expected, and reported by whoever catches it.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs work of a library that panics on what it does not expect, such as a damaged file: there a panic is an answer.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, Crashed> {
    let before = QUIET.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.map_err(|_| Crashed)
}

/// Whether a panic on this thread is expected, so that a panic hook has nothing to report.
pub fn is_quiet() -> bool {
    QUIET.get()
}

type Panic = Box<dyn Any + Send>;

/// Runs `work` on a large stack: here if this thread has one, else on a thread that has. If the system refuses every
/// thread, the present stack has to suffice.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Crashed> {
    run(work).map_err(|_| Crashed)
}

/// The same for a caller that has no answer if `work` panics: the panic continues in the caller.
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    run(work).unwrap_or_else(|panic| resume_unwind(panic))
}

fn run<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Panic> {
    if LARGE.get() {
        return catch_unwind(AssertUnwindSafe(work));
    }
    // A thread that cannot be made drops its closure, so the work itself stays here until a thread takes it.
    let work = Mutex::new(Some(work));
    let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let here = || take().map(|work| work());
    let gone = || -> Panic { Box::new("the work was taken twice") };
    let on_thread = || {
        LARGE.set(true);
        here()
    };
    scope(|scope| {
        for size in SIZES {
            let thread = Builder::new().name("arr".to_string()).stack_size(size).spawn_scoped(scope, on_thread);
            if let Ok(thread) = thread {
                return thread.join()?.ok_or_else(gone);
            }
        }
        catch_unwind(AssertUnwindSafe(here))?.ok_or_else(gone)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_recursion_fits() {
        fn depth(n: u64) -> u64 {
            let block = std::hint::black_box([n; 64]);
            if n == 0 { 0 } else { block.iter().min().copied().unwrap_or(0).min(1) + depth(n - 1) }
        }
        assert_eq!(with_stack(|| depth(100_000)), Ok(100_000));
        assert_eq!(on_large_stack(|| depth(100_000)), 100_000);
    }

    #[test]
    fn work_within_work_stays_on_its_thread() {
        let thread = || std::thread::current().id();
        let (outer, inner) = on_large_stack(|| (thread(), with_stack(thread)));
        assert_eq!(inner, Ok(outer));
        assert_ne!(outer, thread());
    }

    #[test]
    fn an_expected_panic_is_an_answer() {
        assert_eq!(quietly(is_quiet), Ok(true));
        assert_eq!(quietly(|| -> u8 { resume_unwind(Box::new("stopped")) }), Err(Crashed));
        assert!(!is_quiet());
    }

    #[test]
    fn a_panic_within_is_seen_by_the_nearest_caller() {
        let quiet = || -> u8 { resume_unwind(Box::new("stopped")) };
        assert_eq!(with_stack(quiet), Err(Crashed));
        assert_eq!(with_stack(|| with_stack(quiet)), Ok(Err(Crashed)));
        assert_eq!(with_stack(|| on_large_stack(quiet)), Err(Crashed));
    }
}
