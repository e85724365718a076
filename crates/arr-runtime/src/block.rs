//! Blocks: elements that outlive the run that made them, at an address that other programs like.

use crate::buffer::{Buffer, layout};
use crate::pool;
use std::alloc;

/// The alignment of blocks: that of a cache line and of the widest vectors, which NumPy and XLA ask for.
pub const BLOCK_ALIGN: usize = 64;

/// Elements of a finished run, which are freed with it. Their type is known to whoever holds it.
#[derive(Debug)]
pub struct Block {
    data: *mut u8,
    len: usize,
    capacity: usize,
    width: usize,
    align: usize,
}

// SAFETY: it owns its memory alone, and nothing in it depends on a thread.
unsafe impl Send for Block {}
// SAFETY: shared, it can only be read.
unsafe impl Sync for Block {}

impl Block {
    /// The elements of a buffer whose header is not used again.
    pub(crate) fn of(buffer: Buffer) -> Block {
        let Buffer { data, len, capacity, width, align, .. } = buffer;
        Block { data, len, capacity, width, align }
    }

    /// A copy of elements. `None` if there is no memory.
    ///
    /// # Safety
    ///
    /// `len` elements of `width` bytes can be read at `data`.
    pub unsafe fn copied(data: *const u8, len: usize, width: usize) -> Option<Block> {
        let to = pool::fresh(len, width, BLOCK_ALIGN.max(width))?;
        // SAFETY: both have so many bytes, and the new block overlaps nothing.
        unsafe { std::ptr::copy_nonoverlapping(data, to, len * width) };
        Some(Block { data: to, len, capacity: len, width, align: BLOCK_ALIGN.max(width) })
    }

    /// The first element. Whoever writes there must be the only user of the block.
    pub fn data(&self) -> *mut u8 {
        self.data
    }

    /// The elements as bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the run has written all elements, which live as long as the block.
        unsafe { std::slice::from_raw_parts(self.data, self.len * self.width) }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of an element.
    pub fn width(&self) -> usize {
        self.width
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(layout) = layout(self.capacity, self.width, self.align).filter(|l| l.size() > 0) {
            // SAFETY: allocated with this layout by `pool::fresh`, and owned by this block alone.
            unsafe { alloc::dealloc(self.data, layout) };
        }
    }
}
