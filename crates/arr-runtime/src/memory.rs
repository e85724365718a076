//! The live buffers of one run, and their memory use.

use crate::block::{BLOCK_ALIGN, Block};
use crate::buffer::{Buffer, Elements};
use crate::pool::{self, Pool};
use crate::sanitize::Quarantine;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// Statistics of a run's allocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryStats {
    /// Bytes of all allocations together.
    pub allocated_bytes: u64,
    /// The most bytes in use at once.
    pub peak_bytes: u64,
    pub allocations: u64,
    /// Buffers that are alive now.
    pub live: u64,
    /// Bytes of the allocations that no freed block served.
    pub fresh_bytes: u64,
}

/// The number of bytes of freed blocks that may always be kept, as far as the limit of a run allows.
const KEPT_AT_LEAST: usize = 64 << 20;

/// Allocates and frees buffers, and frees the remaining ones when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    live: Vec<*mut Buffer>,
    pool: Pool,
    /// Bytes of live buffers, as the program requested them: the limited and counted quantity.
    in_use: i64,
    limit: i64,
    stats: MemoryStats,
    /// The peak of the previous run, in bytes.
    peak_before: u64,
    /// For a thread's part: the bytes that all parts together may still use, and the number of parts.
    budget: Option<(Arc<AtomicI64>, usize)>,
    /// Of a sanitized run: the freed buffers, instead of the pool.
    quarantine: Option<Box<Quarantine>>,
    /// The alignment of blocks, if it is to be more than that of their elements.
    align: usize,
}

impl Memory {
    pub fn new(limit: i64) -> Memory {
        let mut memory = Memory::default();
        memory.limit = limit;
        memory
    }

    /// Makes the run a sanitized one, before anything is allocated.
    pub fn sanitize(&mut self) {
        self.quarantine.get_or_insert_default();
    }

    /// Gives all blocks this alignment, before anything is allocated. A power of two.
    pub fn align_to(&mut self, align: usize) {
        self.align = align;
    }

    /// The length of a buffer that was written beyond its elements.
    pub fn damaged(&mut self) -> Option<usize> {
        let quarantine = self.quarantine.as_mut()?;
        self.live.iter().for_each(|&buffer| quarantine.inspect(buffer));
        quarantine.damaged()
    }

    pub fn limit(&self) -> i64 {
        self.limit
    }

    pub fn stats(&self) -> MemoryStats {
        MemoryStats { live: self.live.len() as u64, ..self.stats }
    }

    /// The bytes of freed blocks.
    pub fn pooled(&self) -> usize {
        self.pool.bytes()
    }

    /// Begins a run with the blocks that others have left.
    pub fn begin(&mut self, limit: i64) {
        self.limit = limit;
        self.pool.trim(self.share());
    }

    /// Ends a run: all of its buffers are freed, and the statistics are reset.
    pub fn end(&mut self) {
        while let Some(buffer) = self.live.pop() {
            // SAFETY: every pointer in the table is a live buffer of ours, and the run is over.
            unsafe { self.keep(buffer) };
        }
        self.quarantine = None;
        self.peak_before = self.stats.peak_bytes;
        self.in_use = 0;
        self.stats = MemoryStats::default();
        self.pool.trim(self.share());
    }

    /// Whether this many more bytes may be used.
    pub fn has(&self, bytes: i64) -> bool {
        self.in_use.checked_add(bytes).is_some_and(|n| n <= self.limit)
    }

    /// Counts allocations that a run with more threads makes, all of them live at once.
    pub fn count(&mut self, bytes: u64, allocations: u64) {
        self.stats.allocated_bytes += bytes;
        self.stats.allocations += allocations;
        let in_use = u64::try_from(self.in_use).unwrap_or(0);
        self.stats.peak_bytes = self.stats.peak_bytes.max(in_use.saturating_add(bytes));
    }

    /// Memory for several threads at once, which share the freed blocks and the remaining budget. It must be taken
    /// back.
    pub fn lend(&mut self, parts: usize) -> Vec<Memory> {
        let left = self.limit.saturating_sub(self.in_use);
        let budget = Arc::new(AtomicI64::new(left));
        let part = |pool| {
            let mut memory = Memory::new(left);
            (memory.pool, memory.budget) = (pool, Some((budget.clone(), parts)));
            memory.quarantine = self.quarantine.is_some().then(Box::default);
            memory.align = self.align;
            memory
        };
        self.pool.divide(parts).into_iter().map(part).collect()
    }

    /// Takes back the parts. All live buffers in them are freed.
    pub fn take_back(&mut self, parts: Vec<Memory>) {
        let mut peaks = 0;
        for mut part in parts {
            peaks += part.stats.peak_bytes;
            self.stats.allocated_bytes += part.stats.allocated_bytes;
            self.stats.allocations += part.stats.allocations;
            self.stats.fresh_bytes += part.stats.fresh_bytes;
            if let (Some(all), Some(own)) = (&mut self.quarantine, part.quarantine.take()) {
                all.absorb(*own);
            }
            let share = self.share();
            for header in part.pool.drain() {
                // SAFETY: it was in a pool, and is in none now.
                unsafe { self.pool.put(header, share) };
            }
        }
        // The peaks may not have coincided, but no better bound is known.
        let peak = u64::try_from(self.in_use).unwrap_or(0).saturating_add(peaks);
        self.stats.peak_bytes = self.stats.peak_bytes.max(peak);
    }

    /// Keeps no more than this many bytes of freed blocks.
    pub fn trim(&mut self, bytes: usize) {
        self.pool.trim(bytes);
    }

    /// The number of bytes of freed blocks that may be kept: as many as this run, or the previous one, used at once,
    /// and at most half of the limit.
    fn share(&self) -> usize {
        let peak = usize::try_from(self.stats.peak_bytes.max(self.peak_before)).unwrap_or(usize::MAX);
        let parts = self.budget.as_ref().map_or(1, |(_, parts)| *parts);
        let half = usize::try_from(self.limit / 2).unwrap_or(0) / parts.max(1);
        peak.max(KEPT_AT_LEAST).min(half)
    }

    /// A buffer with one reference and elements not yet written; `None` if it does not fit.
    pub fn alloc(&mut self, len: usize, width: usize) -> Option<*mut Buffer> {
        let size = len.checked_mul(width)?;
        let bytes = i64::try_from(size).ok()?;
        let in_use = self.in_use.checked_add(bytes).filter(|&n| n <= self.limit)?;
        self.reserve(bytes)?;
        let pooled = if self.quarantine.is_some() { None } else { self.pool.take(size, width, self.align.max(width)) };
        let buffer = match pooled {
            Some(buffer) => buffer,
            None => match self.fresh(len, width, in_use) {
                Some(buffer) => buffer,
                None => {
                    self.give_up(bytes);
                    return None;
                }
            },
        };
        // SAFETY: the header is alive and ours alone.
        let header = unsafe { &mut *buffer };
        header.refs = 1;
        header.len = len;
        header.slot = self.live.len();
        self.live.push(buffer);
        self.in_use = in_use;
        self.stats.allocated_bytes += bytes as u64;
        self.stats.allocations += 1;
        self.stats.peak_bytes = self.stats.peak_bytes.max(in_use as u64);
        Some(buffer)
    }

    /// Reserves bytes of the budget of all parts; `None` if there are fewer.
    fn reserve(&self, bytes: i64) -> Option<()> {
        let Some((budget, _)) = &self.budget else { return Some(()) };
        let rest = |left: i64| left.checked_sub(bytes).filter(|&left| left >= 0);
        budget.fetch_update(Relaxed, Relaxed, rest).ok().map(drop)
    }

    fn give_up(&self, bytes: i64) {
        if let Some((budget, _)) = &self.budget {
            budget.fetch_add(bytes, Relaxed);
        }
    }

    /// A buffer that is not in the table yet, on a new block. Freed blocks are released to stay under the limit, and
    /// when there is no memory left.
    fn fresh(&mut self, len: usize, width: usize, in_use: i64) -> Option<*mut Buffer> {
        self.pool.trim(usize::try_from(self.limit - in_use).unwrap_or(0));
        let (data, capacity, align) = if self.quarantine.is_some() {
            let (data, capacity) = Quarantine::fresh(len, width)?;
            (data, capacity, width)
        } else {
            let align = self.align.max(width);
            let data = pool::fresh(len, width, align).or_else(|| {
                self.pool.trim(0);
                pool::fresh(len, width, align)
            })?;
            (data, len, align)
        };
        self.stats.fresh_bytes += (len * width) as u64;
        let buffer = Buffer { data, refs: 1, len, capacity, width, align, borrowed: false, slot: 0 };
        Some(Box::into_raw(Box::new(buffer)))
    }

    /// Frees a buffer that this memory allocated and that is alive.
    ///
    /// # Safety
    ///
    /// `buffer` came from [`Memory::alloc`] of this memory, and is not used again.
    pub unsafe fn free(&mut self, buffer: *mut Buffer) {
        // SAFETY: the caller gives a live buffer of ours, whose elements are freed with it.
        unsafe {
            self.forget(buffer);
            self.keep(buffer);
        }
    }

    /// Keeps the block of a freed buffer.
    ///
    /// # Safety
    ///
    /// The buffer is one of ours and in no table; in a sanitized run only its header is looked at again.
    unsafe fn keep(&mut self, buffer: *mut Buffer) {
        // SAFETY: as the caller promises.
        unsafe {
            match &mut self.quarantine {
                Some(quarantine) => quarantine.put(buffer),
                None => self.pool.put(buffer, self.share()),
            }
        }
    }

    /// Takes a live buffer out of the table.
    ///
    /// # Safety
    ///
    /// As for [`Memory::free`], but the buffer is the caller's now.
    unsafe fn forget(&mut self, buffer: *mut Buffer) {
        // SAFETY: the buffer is alive.
        let (slot, bytes) = unsafe { ((*buffer).slot, (*buffer).bytes()) };
        if slot < self.live.len() {
            self.live.swap_remove(slot);
            if let Some(&moved) = self.live.get(slot) {
                // SAFETY: every pointer in the table is a live buffer.
                unsafe { (*moved).slot = slot };
            }
        }
        self.in_use -= bytes as i64;
        self.give_up(bytes as i64);
    }

    /// The elements of a live buffer as a vector: moved if this is the only reference, else copied. Gives up one
    /// reference. `None` if the element type does not fit.
    ///
    /// # Safety
    ///
    /// As for [`Memory::free`], and all elements have been written.
    pub unsafe fn take_vec<T: Elements>(&mut self, buffer: *mut Buffer) -> Option<Vec<T>> {
        // SAFETY: the buffer is alive.
        let header = unsafe { &mut *buffer };
        if header.width != size_of::<T>() || align_of::<T>() != size_of::<T>() {
            return None;
        }
        if header.refs > 1 || header.align != align_of::<T>() {
            header.refs -= 1;
            // SAFETY: `len` elements of this width have been written at `data`, which is aligned to them.
            return Some(unsafe { std::slice::from_raw_parts(header.data.cast::<T>(), header.len) }.to_vec());
        }
        if let Some(quarantine) = &mut self.quarantine {
            quarantine.inspect(buffer);
        }
        // SAFETY: as the caller promises; every header was made by `Box::into_raw`, and is used once only.
        let buffer = unsafe {
            self.forget(buffer);
            Box::from_raw(buffer)
        };
        // SAFETY: allocated by the global allocator with exactly this capacity and this alignment.
        Some(unsafe { Vec::from_raw_parts(buffer.data.cast::<T>(), buffer.len, buffer.capacity) })
    }

    /// The elements of a live buffer as a block: moved if this is the only reference and the alignment is that of blocks,
    /// else copied. Gives up one reference. `None` if there is no memory for a copy.
    ///
    /// # Safety
    ///
    /// As for [`Memory::take_vec`].
    pub unsafe fn take_block(&mut self, buffer: *mut Buffer) -> Option<Block> {
        // SAFETY: the buffer is alive.
        let header = unsafe { &mut *buffer };
        if header.refs > 1 || header.align < BLOCK_ALIGN {
            header.refs -= 1;
            // SAFETY: `len` elements of this width have been written at `data`.
            return unsafe { Block::copied(header.data, header.len, header.width) };
        }
        // SAFETY: as the caller promises; every header was made by `Box::into_raw`, and is used once only.
        let buffer = unsafe {
            self.forget(buffer);
            Box::from_raw(buffer)
        };
        Some(Block::of(*buffer))
    }

    /// Takes over the memory of elements that are no longer needed.
    pub fn give<T: Elements>(&mut self, elements: Vec<T>) {
        if align_of::<T>() != size_of::<T>() {
            return;
        }
        let mut elements = std::mem::ManuallyDrop::new(elements);
        let (data, capacity, width) = (elements.as_mut_ptr().cast(), elements.capacity(), size_of::<T>());
        let header = Box::into_raw(Box::new(Buffer {
            data,
            refs: 0,
            len: 0,
            capacity,
            width,
            align: width,
            borrowed: false,
            slot: 0,
        }));
        // SAFETY: the header is new; the elements were allocated as a vector of this capacity, which is not dropped.
        unsafe { self.pool.put(header, self.share()) };
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for buffer in std::mem::take(&mut self.live) {
            // SAFETY: every pointer in the table is a live buffer made by `Box::into_raw`.
            unsafe { pool::release(buffer) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alloc(memory: &mut Memory, len: usize) -> *mut Buffer {
        let buffer = memory.alloc(len, 8).unwrap_or(std::ptr::null_mut());
        assert!(!buffer.is_null());
        // SAFETY: the buffer is new. All of it may be written.
        unsafe { std::ptr::write_bytes((*buffer).data, 1, 8 * len) };
        buffer
    }

    #[test]
    fn parts_share_what_is_left() -> Result<(), &'static str> {
        let mut memory = Memory::new(1000);
        let first = alloc(&mut memory, 25);
        let freed = alloc(&mut memory, 50);
        // SAFETY: it is alive, and not used again.
        unsafe { memory.free(freed) };
        let mut parts = memory.lend(3);
        let [a, b, c] = parts.as_mut_slice() else { return Err("three parts") };
        assert_eq!(a.limit(), 800);
        let (of_a, of_b) = (alloc(a, 50), alloc(b, 40));
        assert_eq!(of_a, freed, "freed blocks are lent, too");
        assert!(c.alloc(11, 8).is_none() && c.alloc(10, 8).is_some());
        assert!(b.alloc(1, 8).is_none());
        // SAFETY: it is alive, and not used again.
        unsafe { b.free(of_b) };
        assert!(b.alloc(40, 8).is_some());
        memory.take_back(parts);
        let stats = memory.stats();
        assert_eq!((stats.live, stats.allocations, stats.peak_bytes), (1, 6, 200 + 400 + 320 + 80));
        // Of each part's freed blocks, a third of half of the remaining budget is kept.
        assert_eq!((memory.pooled(), stats.fresh_bytes), (0, 200 + 400 + 320 + 80 + 320), "what was alive is gone");
        assert!(memory.has(800) && !memory.has(801));
        // SAFETY: it is alive, and not used again.
        unsafe { memory.free(first) };
        Ok(())
    }

    #[test]
    fn results_of_aligned_memory_are_blocks_without_copies() {
        let mut memory = Memory::new(i64::MAX);
        memory.align_to(BLOCK_ALIGN);
        let (own, shared) = (alloc(&mut memory, 10), alloc(&mut memory, 1000));
        // SAFETY: both are alive, and all their elements are written.
        let (data, moved, copied) = unsafe {
            (*shared).refs = 2;
            ((*own).data, memory.take_block(own), memory.take_block(shared))
        };
        let (moved, copied) = (moved.map(|block| block.data()), copied);
        assert_eq!(moved, Some(data));
        assert!(data.addr().is_multiple_of(BLOCK_ALIGN));
        let bytes = copied.as_ref().map(|block| (block.bytes().len(), block.bytes().iter().all(|&byte| byte == 1)));
        assert_eq!(bytes, Some((8000, true)));
        // SAFETY: the other reference is still there.
        assert_ne!(copied.map(|block| block.data()), Some(unsafe { (*shared).data }));
        assert_eq!(memory.stats().live, 1);
        memory.end();
        // Blocks of one alignment do not serve for another.
        memory.align_to(0);
        let plain = alloc(&mut memory, 1000);
        // SAFETY: it is alive.
        assert_eq!(unsafe { (*plain).align }, 8);
    }

    #[test]
    fn a_second_run_is_served_by_the_blocks_of_the_first() {
        let mut memory = Memory::new(i64::MAX);
        for round in 0..3 {
            memory.begin(i64::MAX);
            let (a, b) = (alloc(&mut memory, 100_000), alloc(&mut memory, 50_000));
            // SAFETY: alive, and not used again.
            unsafe { memory.free(a) };
            let c = alloc(&mut memory, 99_990);
            let stats = memory.stats();
            assert_eq!((stats.allocations, stats.allocated_bytes, stats.peak_bytes), (3, 8 * 249_990, 8 * 150_000));
            assert_eq!((stats.live, stats.fresh_bytes), (2, if round == 0 { 8 * 150_000 } else { 0 }));
            // SAFETY: alive, and not used again.
            unsafe { memory.free(b) };
            assert_ne!(b, c);
            // One is alive, as after a failure.
            memory.end();
            assert_eq!((memory.stats(), memory.pooled()), (MemoryStats::default(), 8 * 150_000));
        }
    }

    #[test]
    fn results_leave_and_may_come_back() {
        let mut memory = Memory::new(i64::MAX);
        let fresh = |memory: &mut Memory| {
            let buffer = alloc(memory, 1000);
            // SAFETY: alive, written, and not used again.
            let elements = unsafe { memory.take_vec::<i64>(buffer) }.unwrap_or_default();
            let fresh = memory.stats().fresh_bytes;
            memory.end();
            (elements, fresh)
        };
        let (first, bytes) = fresh(&mut memory);
        assert_eq!((first.len(), bytes, memory.pooled()), (1000, 8000, 0));
        let (second, bytes) = fresh(&mut memory);
        assert_eq!((bytes, first == second), (8000, true));
        memory.give(first);
        memory.give(Vec::<i64>::new());
        assert_eq!(memory.pooled(), 8000);
        let (third, bytes) = fresh(&mut memory);
        assert_eq!((third.len(), bytes, memory.pooled()), (1000, 0, 0));
    }

    #[test]
    fn the_limit_is_that_of_live_buffers_and_freed_ones_give_way() {
        let mut memory = Memory::new(1_000_000);
        let a = alloc(&mut memory, 60_000);
        assert!(memory.alloc(65_001, 8).is_none());
        let b = alloc(&mut memory, 65_000);
        assert!(memory.alloc(1, 1).is_none() && memory.alloc(0, 8).is_some());
        // SAFETY: alive, and not used again.
        unsafe { memory.free(a) };
        assert_eq!(memory.pooled(), 480_000, "less than half of the limit");
        // SAFETY: as above.
        unsafe { memory.free(b) };
        assert_eq!(memory.pooled(), 480_000, "more than half of it");
        alloc(&mut memory, 125_000);
        assert_eq!(memory.pooled(), 0);
        memory.end();
        memory.begin(100);
        assert!(memory.alloc(13, 8).is_none());
        assert_eq!(memory.pooled(), 0);
        assert!(memory.alloc(usize::MAX, 8).is_none() && memory.alloc(usize::MAX / 8, 8).is_none());
    }

    #[test]
    fn a_vector_has_the_capacity_of_its_block() {
        let mut memory = Memory::new(i64::MAX);
        let large = alloc(&mut memory, 1000);
        // SAFETY: alive, and not used again.
        unsafe { memory.free(large) };
        let buffer = alloc(&mut memory, 900);
        // SAFETY: as above, and written.
        let elements = unsafe { memory.take_vec::<i64>(buffer) }.unwrap_or_default();
        assert_eq!((elements.len(), elements.capacity()), (900, 1000));
        let buffer = alloc(&mut memory, 3);
        // SAFETY: as above; the type does not fit, so that the buffer stays.
        assert!(unsafe { memory.take_vec::<f32>(buffer) }.is_none());
        assert_eq!(memory.stats().live, 1);
    }
}
