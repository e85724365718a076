//! Memory that stays between runs.

use crate::Elements;
use crate::memory::Memory;
use std::sync::{Mutex, PoisonError};

/// The most bytes that are kept between runs.
const KEPT_BYTES: usize = 1 << 30;
/// Memory is kept for so many runs at once.
const KEPT_RUNS: usize = 4;

/// The memory of a run that is over: freed blocks, no live buffer.
#[derive(Debug, Default)]
pub struct Kept(pub(crate) Memory);

// SAFETY: no buffer of it is alive, and nothing else has pointers to its freed blocks.
unsafe impl Send for Kept {}

/// Memory of runs that are over, for the next ones. Runs on several threads take turns; each has what it took to itself.
#[derive(Debug, Default)]
pub struct Keeper {
    kept: Mutex<Vec<Kept>>,
}

impl Keeper {
    /// Memory for a run, that of the last one to end if there is any.
    pub fn take(&self) -> Kept {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps the memory of a run.
    pub fn put(&self, mut kept: Kept) {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEPT_RUNS {
            all.remove(0);
        }
        let others: usize = all.iter().map(|kept| kept.0.pooled()).sum();
        kept.0.trim(KEPT_BYTES.saturating_sub(others));
        all.push(kept);
    }

    /// Takes over what another keeper has.
    pub fn inherit(&self, other: &Keeper) {
        if std::ptr::eq(self, other) {
            return;
        }
        let left = std::mem::take(&mut *other.kept.lock().unwrap_or_else(PoisonError::into_inner));
        left.into_iter().for_each(|kept| self.put(kept));
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|kept| kept.0.pooled()).sum()
    }
}

impl Kept {
    /// Takes over the memory of results that nobody needs any more.
    pub fn give<T: Elements>(&mut self, elements: Vec<T>) {
        self.0.give(elements);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    #[test]
    fn runs_at_once_have_memory_of_their_own() {
        let keeper = Keeper::default();
        let mut runs: Vec<Context> = (0..6).map(|_| Context::with_kept(i64::MAX, i64::MAX, keeper.take())).collect();
        for context in &mut runs {
            assert!(context.allocate(1000));
            assert_eq!(context.memory().fresh_bytes, 8000);
        }
        runs.into_iter().for_each(|context| keeper.put(context.keep()));
        assert_eq!(keeper.bytes(), KEPT_RUNS * 8000);
        let mut context = Context::with_kept(i64::MAX, i64::MAX, keeper.take());
        assert!(context.allocate(1000) && context.allocate(1000));
        assert_eq!((context.memory().fresh_bytes, context.memory().allocated_bytes), (8000, 16_000));
        drop(context);
        assert_eq!(keeper.bytes(), (KEPT_RUNS - 1) * 8000);
    }

    #[test]
    fn memory_goes_from_keeper_to_keeper() {
        let (before, after) = (Keeper::default(), Keeper::default());
        let mut context = Context::with_kept(i64::MAX, i64::MAX, before.take());
        assert!(context.allocate(1000));
        before.put(context.keep());
        before.inherit(&before);
        after.inherit(&before);
        assert_eq!((before.bytes(), after.bytes()), (0, 8000));
        let mut context = Context::with_kept(i64::MAX, i64::MAX, after.take());
        assert!(context.allocate(900) && context.allocate(900));
        assert_eq!(context.memory().fresh_bytes, 7200, "one of the two");
    }

    #[test]
    fn memory_goes_from_thread_to_thread() {
        let keeper = Keeper::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let mut context = Context::with_kept(i64::MAX, i64::MAX, keeper.take());
                        assert!(context.allocate(10_000) && context.allocate(20_000));
                        assert_eq!(context.memory().live, 2);
                        keeper.put(context.keep());
                    }
                });
            }
        });
        assert!(keeper.bytes() <= KEPT_RUNS * 240_000 && keeper.bytes() >= 240_000);
    }
}
