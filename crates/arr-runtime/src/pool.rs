//! Freed blocks that are kept for the next buffers.
//!
//! Fresh pages are expensive: the kernel clears them one by one as they are touched. A program that runs again, or a
//! loop that makes an array per step, reuses its earlier blocks here.

use crate::buffer::{Buffer, layout};
use std::alloc;

/// Smaller blocks are kept separately, so that many of them do not evict an important one.
const LARGE_BYTES: usize = 64 << 10;
/// The maximal numbers of kept blocks, small ones and large ones.
const MOST: [usize; 2] = [128, 64];

/// A freed block with its header.
#[derive(Debug)]
struct Block {
    header: *mut Buffer,
    width: usize,
    align: usize,
    bytes: usize,
}

/// Freed blocks, on each shelf the newest last.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    /// Small blocks, and large ones.
    shelves: [Vec<Block>; 2],
    bytes: usize,
}

fn shelf(bytes: usize) -> usize {
    usize::from(bytes >= LARGE_BYTES)
}

impl Pool {
    /// Bytes of all blocks.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The header of a block for this many bytes in elements of this width, with this alignment: the smallest available,
    /// and of those the newest. At most a quarter and 64 bytes of it are unused. The header still has its old contents.
    pub fn take(&mut self, bytes: usize, width: usize, align: usize) -> Option<*mut Buffer> {
        let most = bytes.saturating_add(bytes / 4).saturating_add(64);
        let mut best: Option<(usize, usize, usize)> = None;
        for shelf in shelf(bytes)..=shelf(most) {
            for (at, block) in self.shelves.get(shelf)?.iter().enumerate().rev() {
                let fits = block.width == width && block.align == align && (bytes..=most).contains(&block.bytes);
                if fits && best.is_none_or(|(_, _, smallest)| block.bytes < smallest) {
                    best = Some((shelf, at, block.bytes));
                    if block.bytes == bytes {
                        break;
                    }
                }
            }
        }
        let (shelf, at, _) = best?;
        let block = self.shelves.get_mut(shelf)?.remove(at);
        self.bytes -= block.bytes;
        Some(block.header)
    }

    /// Keeps a block, if this many bytes may be kept; older ones are released for it.
    ///
    /// # Safety
    ///
    /// The header came from `Box::into_raw`, and its elements, if it has any, from the global allocator with the layout of
    /// its capacity. Nothing uses either any more.
    pub unsafe fn put(&mut self, header: *mut Buffer, share: usize) {
        // SAFETY: the header is alive.
        let (bytes, width, align) = unsafe { ((*header).capacity * (*header).width, (*header).width, (*header).align) };
        if bytes > share {
            // SAFETY: as the caller promises.
            return unsafe { release(header) };
        }
        self.trim(share - bytes);
        let shelf = shelf(bytes);
        if let (Some(blocks), Some(&most)) = (self.shelves.get_mut(shelf), MOST.get(shelf)) {
            if blocks.len() >= most {
                self.bytes -= drop_oldest(blocks);
            }
            blocks.push(Block { header, width, align, bytes });
            self.bytes += bytes;
        }
    }

    /// Releases blocks, large and old ones first, until no more than this many bytes are kept.
    pub fn trim(&mut self, share: usize) {
        for blocks in self.shelves.iter_mut().rev() {
            while self.bytes > share && !blocks.is_empty() {
                self.bytes -= drop_oldest(blocks);
            }
        }
    }

    /// All blocks, large ones first; the caller owns them now.
    pub fn drain(&mut self) -> Vec<*mut Buffer> {
        self.bytes = 0;
        self.shelves.iter_mut().rev().flat_map(|blocks| blocks.drain(..)).map(|block| block.header).collect()
    }

    /// Distributes its blocks among new pools in turn; none are left here.
    pub fn divide(&mut self, parts: usize) -> Vec<Pool> {
        let mut pools: Vec<Pool> = (0..parts).map(|_| Pool::default()).collect();
        self.bytes = 0;
        for (shelf, blocks) in self.shelves.iter_mut().enumerate() {
            for (k, block) in blocks.drain(..).enumerate() {
                let pool = pools.get_mut(k % parts.max(1)).map(|pool| (&mut pool.bytes, &mut pool.shelves));
                if let Some((bytes, shelf)) = pool.and_then(|(b, s)| Some((b, s.get_mut(shelf)?))) {
                    *bytes += block.bytes;
                    shelf.push(block);
                }
            }
        }
        pools
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.shelves.iter().map(Vec::len).sum()
    }
}

/// Releases the oldest block and returns its bytes.
fn drop_oldest(blocks: &mut Vec<Block>) -> usize {
    let block = blocks.remove(0);
    // SAFETY: what is in the pool was given to `put`, and leaves it once.
    unsafe { release(block.header) };
    block.bytes
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Also those without elements, which `trim` does not count.
        for header in self.drain() {
            // SAFETY: what is in the pool was given to `put`, and leaves it once.
            unsafe { release(header) };
        }
    }
}

/// Frees a buffer with its elements.
///
/// # Safety
///
/// As for [`Pool::put`].
pub(crate) unsafe fn release(header: *mut Buffer) {
    // SAFETY: as the caller promises.
    let buffer = unsafe { Box::from_raw(header) };
    if let Some(layout) = layout(buffer.capacity, buffer.width, buffer.align).filter(|l| l.size() > 0) {
        // SAFETY: as the caller promises.
        unsafe { alloc::dealloc(buffer.data, layout) };
    }
}

/// A block of this many unwritten elements; `None` if there is no memory. A large one requests huge pages, of which far
/// fewer have to be brought in.
pub(crate) fn fresh(len: usize, width: usize, align: usize) -> Option<*mut u8> {
    let layout = layout(len, width, align)?;
    if layout.size() == 0 {
        return Some(std::ptr::without_provenance_mut(align));
    }
    // SAFETY: the layout's size is not zero.
    let data = unsafe { alloc::alloc(layout) };
    if data.is_null() {
        return None;
    }
    advise(data, layout.size());
    Some(data)
}

/// Requests huge pages wherever a whole one fits into a large block. It is advice: nothing depends on the answer.
#[cfg(target_os = "linux")]
fn advise(data: *mut u8, bytes: usize) {
    const HUGE: usize = 2 << 20;
    if bytes < 2 * HUGE {
        return;
    }
    let start = data.addr().next_multiple_of(HUGE);
    let end = (data.addr() + bytes) / HUGE * HUGE;
    if start < end {
        // SAFETY: the range is inside the block, and the advice changes nothing that a program sees.
        unsafe { libc::madvise(data.with_addr(start).cast(), end - start, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_data: *mut u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(len: usize, width: usize) -> *mut Buffer {
        let data = fresh(len, width, width).unwrap_or(std::ptr::null_mut());
        assert!(!data.is_null());
        Box::into_raw(Box::new(Buffer {
            data,
            refs: 0,
            len,
            capacity: len,
            width,
            align: width,
            borrowed: false,
            slot: 0,
        }))
    }

    /// Keeps new blocks of these many elements of 8 bytes; returns their headers.
    fn filled(pool: &mut Pool, lens: &[usize]) -> Vec<*mut Buffer> {
        let headers: Vec<_> = lens.iter().map(|&len| block(len, 8)).collect();
        // SAFETY: made above in the way that is asked for.
        headers.iter().for_each(|&header| unsafe { pool.put(header, usize::MAX) });
        headers
    }

    #[test]
    fn the_smallest_block_that_is_large_enough_serves() {
        let mut pool = Pool::default();
        let blocks = filled(&mut pool, &[130_000, 105_000, 100_000, 120_000, 100_000]);
        assert_eq!(pool.bytes(), 8 * 555_000);
        assert_eq!(pool.take(8 * 100_000, 4, 4), None, "of another width");
        assert_eq!(pool.take(8 * 100_000, 8, 8), blocks.get(4).copied(), "the newest of that size");
        assert_eq!(pool.take(8 * 100_001, 8, 8), blocks.get(1).copied());
        assert_eq!(pool.take(8 * 90_000, 8, 8), blocks.get(2).copied());
        assert_eq!(pool.take(8 * 90_000, 8, 8), None, "more than a quarter would be unused");
        assert_eq!(pool.take(8 * 130_001, 8, 8), None, "too small");
        assert_eq!(pool.bytes(), 8 * 250_000);
        for header in blocks.iter().enumerate().filter(|(k, _)| [4, 1, 2].contains(k)).map(|(_, h)| *h) {
            // SAFETY: taken out of the pool above.
            unsafe { release(header) };
        }
    }

    #[test]
    fn a_small_request_may_get_a_block_of_the_other_shelf() {
        let mut pool = Pool::default();
        let blocks = filled(&mut pool, &[8192, 8191]);
        assert_eq!(pool.take(8 * 8190, 8, 8), blocks.get(1).copied());
        assert_eq!(pool.take(8 * 8190, 8, 8), blocks.first().copied());
        // SAFETY: taken out of the pool above.
        blocks.iter().for_each(|&header| unsafe { release(header) });
    }

    #[test]
    fn what_is_kept_is_bounded_by_bytes_and_by_number() {
        let mut pool = Pool::default();
        filled(&mut pool, &vec![10; 1000]);
        assert_eq!((pool.len(), pool.bytes()), (128, 128 * 80));
        filled(&mut pool, &vec![10_000; 100]);
        assert_eq!((pool.len(), pool.bytes()), (192, 128 * 80 + 64 * 80_000));
        pool.trim(200_000);
        assert_eq!((pool.len(), pool.bytes()), (130, 128 * 80 + 2 * 80_000), "large ones go first");
        let large = block(100_000, 8);
        // SAFETY: made by `block`.
        unsafe { pool.put(large, 799_999) };
        assert_eq!(pool.len(), 130, "larger than all that may be kept");
        let large = block(100_000, 8);
        // SAFETY: made by `block`.
        unsafe { pool.put(large, 800_000) };
        assert_eq!((pool.len(), pool.bytes()), (1, 800_000));
        let empty = block(0, 8);
        // SAFETY: made by `block`. Of an empty one the header is kept.
        unsafe { pool.put(empty, usize::MAX) };
        assert_eq!((pool.len(), pool.take(0, 8, 8)), (2, Some(empty)));
        // SAFETY: taken out of the pool.
        unsafe { release(empty) };
    }
}
