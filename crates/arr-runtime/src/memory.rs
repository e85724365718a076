//! The live buffers of one run, and what they use.

use crate::buffer::{Buffer, Elements, layout};
use std::alloc;

/// What a run allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryStats {
    /// Bytes of all allocations together.
    pub allocated_bytes: u64,
    /// The most bytes in use at once.
    pub peak_bytes: u64,
    pub allocations: u64,
    /// Buffers that are alive now.
    pub live: u64,
}

/// Freed memory of at least this size is kept for the next buffer of the same size.
const POOLED_BYTES: usize = 64 << 10;
/// How many freed blocks are kept.
const POOL_SIZE: usize = 8;

#[derive(Debug)]
struct Block {
    data: *mut u8,
    len: usize,
    width: usize,
}

/// Allocates and frees buffers, and frees what is left when it is dropped.
#[derive(Debug)]
pub(crate) struct Memory {
    live: Vec<*mut Buffer>,
    /// Large blocks that were freed, newest last: a loop that makes an array a step uses the same pages again.
    pool: Vec<Block>,
    in_use: i64,
    limit: i64,
    stats: MemoryStats,
}

impl Memory {
    pub fn new(limit: i64) -> Memory {
        Memory { live: Vec::new(), pool: Vec::new(), in_use: 0, limit, stats: MemoryStats::default() }
    }

    pub fn limit(&self) -> i64 {
        self.limit
    }

    pub fn stats(&self) -> MemoryStats {
        MemoryStats { live: self.live.len() as u64, ..self.stats }
    }

    /// A buffer with one reference and elements not yet written; `None` if it does not fit.
    pub fn alloc(&mut self, len: usize, width: usize) -> Option<*mut Buffer> {
        let layout = layout(len, width)?;
        let bytes = i64::try_from(layout.size()).ok()?;
        let in_use = self.in_use.checked_add(bytes).filter(|&n| n <= self.limit)?;
        let data = if bytes == 0 {
            std::ptr::without_provenance_mut(width)
        } else if let Some(data) = self.pooled(len, width) {
            data
        } else {
            // SAFETY: the layout's size is not zero.
            let data = unsafe { alloc::alloc(layout) };
            if data.is_null() {
                return None;
            }
            data
        };
        self.in_use = in_use;
        self.stats.allocated_bytes += bytes as u64;
        self.stats.allocations += 1;
        self.stats.peak_bytes = self.stats.peak_bytes.max(in_use as u64);
        let buffer = Buffer { data, refs: 1, len, width, borrowed: false, slot: self.live.len() };
        let buffer = Box::into_raw(Box::new(buffer));
        self.live.push(buffer);
        Some(buffer)
    }

    fn pooled(&mut self, len: usize, width: usize) -> Option<*mut u8> {
        let found = self.pool.iter().rposition(|b| b.len == len && b.width == width)?;
        Some(self.pool.remove(found).data)
    }

    /// Frees a buffer that this memory allocated and that is alive.
    ///
    /// # Safety
    ///
    /// `buffer` came from [`Memory::alloc`] of this memory, and is not used again.
    pub unsafe fn free(&mut self, buffer: *mut Buffer) {
        // SAFETY: the caller gives a live buffer of ours.
        let buffer = unsafe { self.forget(buffer) };
        self.recycle(Block { data: buffer.data, len: buffer.len, width: buffer.width });
    }

    fn recycle(&mut self, block: Block) {
        if block.len * block.width < POOLED_BYTES {
            return release(&block);
        }
        if self.pool.len() >= POOL_SIZE {
            release(&self.pool.remove(0));
        }
        self.pool.push(block);
    }

    /// Takes a live buffer out of the table.
    ///
    /// # Safety
    ///
    /// As for [`Memory::free`].
    unsafe fn forget(&mut self, buffer: *mut Buffer) -> Box<Buffer> {
        // SAFETY: it was made by `Box::into_raw` in `alloc`, and is used once only.
        let buffer = unsafe { Box::from_raw(buffer) };
        if buffer.slot < self.live.len() {
            self.live.swap_remove(buffer.slot);
            if let Some(&moved) = self.live.get(buffer.slot) {
                // SAFETY: every pointer in the table is a live buffer.
                unsafe { (*moved).slot = buffer.slot };
            }
        }
        self.in_use -= buffer.bytes() as i64;
        buffer
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
        if header.refs > 1 {
            header.refs -= 1;
            // SAFETY: `len` elements of this width have been written at `data`, which is aligned to them.
            return Some(unsafe { std::slice::from_raw_parts(header.data.cast::<T>(), header.len) }.to_vec());
        }
        // SAFETY: as the caller promises.
        let buffer = unsafe { self.forget(buffer) };
        // SAFETY: allocated by the global allocator with exactly this length as capacity and this alignment.
        Some(unsafe { Vec::from_raw_parts(buffer.data.cast::<T>(), buffer.len, buffer.len) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for buffer in std::mem::take(&mut self.live) {
            // SAFETY: every pointer in the table is a live buffer made by `Box::into_raw`.
            let buffer = unsafe { Box::from_raw(buffer) };
            release(&Block { data: buffer.data, len: buffer.len, width: buffer.width });
        }
        for block in std::mem::take(&mut self.pool) {
            release(&block);
        }
    }
}

fn release(block: &Block) {
    if let Some(layout) = layout(block.len, block.width).filter(|l| l.size() > 0) {
        // SAFETY: allocated in `alloc` with this layout, and dropped from every table.
        unsafe { alloc::dealloc(block.data, layout) };
    }
}
