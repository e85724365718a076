//! The arena cache: memory that is recycled from run to run.

use crate::Elements;
use crate::memory::Memory;
use std::sync::{Mutex, PoisonError};

/// The most bytes that are kept between runs.
const MOST_BYTES: usize = 1 << 30;
/// The maximal number of kept arenas.
const MOST_ARENAS: usize = 4;

/// The memory of a finished run: freed blocks, no live buffer.
#[derive(Debug, Default)]
pub struct Arena(pub(crate) Memory);

// SAFETY: no buffer of it is alive, and nothing else has pointers to its freed blocks.
unsafe impl Send for Arena {}

/// Memory of finished runs, for the next ones. Concurrent runs take turns; each has exclusive use of its arena.
#[derive(Debug, Default)]
pub struct ArenaCache {
    arenas: Mutex<Vec<Arena>>,
}

impl ArenaCache {
    /// Memory for a run, that of the last finished one if there is any.
    pub fn take(&self) -> Arena {
        self.arenas.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Keeps the memory of a run.
    pub fn put(&self, mut arena: Arena) {
        let mut all = self.arenas.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_ARENAS {
            all.remove(0);
        }
        let others: usize = all.iter().map(|arena| arena.0.pooled()).sum();
        arena.0.trim(MOST_BYTES.saturating_sub(others));
        all.push(arena);
    }

    /// Takes over the arenas of another cache.
    pub fn inherit(&self, other: &ArenaCache) {
        if std::ptr::eq(self, other) {
            return;
        }
        let left = std::mem::take(&mut *other.arenas.lock().unwrap_or_else(PoisonError::into_inner));
        left.into_iter().for_each(|arena| self.put(arena));
    }

    /// Bytes of all arenas.
    pub fn bytes(&self) -> usize {
        self.arenas.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|arena| arena.0.pooled()).sum()
    }
}

impl Arena {
    /// Takes over the memory of results that are no longer needed.
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
        let arenas = ArenaCache::default();
        let mut runs: Vec<Context> = (0..6).map(|_| Context::with_arena(i64::MAX, i64::MAX, arenas.take())).collect();
        for context in &mut runs {
            assert!(context.allocate(1000));
            assert_eq!(context.memory().fresh_bytes, 8000);
        }
        runs.into_iter().for_each(|context| arenas.put(context.into_arena()));
        assert_eq!(arenas.bytes(), MOST_ARENAS * 8000);
        let mut context = Context::with_arena(i64::MAX, i64::MAX, arenas.take());
        assert!(context.allocate(1000) && context.allocate(1000));
        assert_eq!((context.memory().fresh_bytes, context.memory().allocated_bytes), (8000, 16_000));
        drop(context);
        assert_eq!(arenas.bytes(), (MOST_ARENAS - 1) * 8000);
    }

    #[test]
    fn memory_goes_from_keeper_to_keeper() {
        let (before, after) = (ArenaCache::default(), ArenaCache::default());
        let mut context = Context::with_arena(i64::MAX, i64::MAX, before.take());
        assert!(context.allocate(1000));
        before.put(context.into_arena());
        before.inherit(&before);
        after.inherit(&before);
        assert_eq!((before.bytes(), after.bytes()), (0, 8000));
        let mut context = Context::with_arena(i64::MAX, i64::MAX, after.take());
        assert!(context.allocate(900) && context.allocate(900));
        assert_eq!(context.memory().fresh_bytes, 7200, "one of the two");
    }

    #[test]
    fn memory_goes_from_thread_to_thread() {
        let arenas = ArenaCache::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let mut context = Context::with_arena(i64::MAX, i64::MAX, arenas.take());
                        assert!(context.allocate(10_000) && context.allocate(20_000));
                        assert_eq!(context.memory().live, 2);
                        arenas.put(context.into_arena());
                    }
                });
            }
        });
        assert!(arenas.bytes() <= MOST_ARENAS * 240_000 && arenas.bytes() >= 240_000);
    }
}
