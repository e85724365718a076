//! Memory of sanitized runs: the contents of fresh elements, and the fate of freed buffers.
//!
//! Elements begin as [`FILL`]: a signalling NaN where floats are read, a large integer where integers are, `true` for
//! bools. Behind the elements of each buffer lies a guard zone that nothing may write. Freed buffers are not reused:
//! their headers show until the end of the run that no reference is left, which sanitized code checks before every
//! access.

use crate::buffer::Buffer;
use crate::context::{FailureCode, Record};
use crate::{Symbol, pool};
use std::ops::Range;

/// Fresh elements of eight bytes. As a float, a signalling NaN, which arithmetic makes quiet and otherwise preserves.
pub const FILL_64: u64 = 0x7ff4_a55a_a55a_a55a;
/// Fresh elements of four bytes.
pub const FILL_32: u32 = 0x7fa5_5aa5;
/// The bit that marks a quiet NaN.
const QUIET_64: u64 = 1 << 51;
const QUIET_32: u32 = 1 << 22;

/// Guard bytes behind the elements of a buffer: twice the size of the widest vectors.
const ZONE: usize = 128;
/// Their contents.
const ZONE_BYTE: u8 = 0xa5;
/// Bytes of freed elements that are kept; beyond, only headers are.
const MOST_KEPT: usize = 64 << 20;

/// [`FILL_32`] after conversion to `f64`, and [`FILL_64`] after conversion to `f32`, both made quiet: the payload of a
/// NaN keeps its upper bits (IEEE 754, 6.2.3). As bits, as a compiler that converts NaNs itself may make any NaN of
/// them.
const WIDENED: u64 = 0x7ff << 52 | QUIET_64 | (FILL_32 as u64 & ((1 << 23) - 1)) << 29;
const NARROWED: u32 = 0xff << 23 | QUIET_32 | ((FILL_64 & ((1 << 52) - 1)) >> 29) as u32;

/// Whether no operation of the program made a float: the fill of fresh memory, also after arithmetic or conversion from
/// the other float type.
pub fn is_fill_64(x: f64) -> bool {
    let bits = (x.to_bits() | QUIET_64) & !(1 << 63);
    bits == FILL_64 | QUIET_64 || bits == WIDENED
}

/// As [`is_fill_64`].
pub fn is_fill_32(x: f32) -> bool {
    let bits = (x.to_bits() | QUIET_32) & !(1 << 31);
    bits == FILL_32 | QUIET_32 || bits == NARROWED
}

/// The freed buffers of a run, and whether one was written beyond its elements.
#[derive(Debug, Default)]
pub(crate) struct Quarantine {
    freed: Vec<*mut Buffer>,
    /// Bytes of those whose elements are kept, the most recent ones.
    bytes: usize,
    /// The number of those without elements.
    bare: usize,
    damaged: Option<usize>,
}

impl Quarantine {
    /// A new block with its guard zone: the address, and the number of elements that fit.
    pub fn fresh(len: usize, width: usize) -> Option<(*mut u8, usize)> {
        let capacity = len.checked_add(ZONE / width.max(1))?;
        let data = pool::fresh(capacity, width, width)?;
        fill(data, len, width);
        // SAFETY: the block has `capacity` elements of this width.
        unsafe { data.add(len * width).write_bytes(ZONE_BYTE, (capacity - len) * width) };
        Some((data, capacity))
    }

    /// Keeps a buffer that was freed.
    ///
    /// # Safety
    ///
    /// It came from `Box::into_raw`, with a block of [`Quarantine::fresh`], and is only given here.
    pub unsafe fn put(&mut self, buffer: *mut Buffer) {
        self.inspect(buffer);
        // SAFETY: the header is alive and ours.
        let header = unsafe { &mut *buffer };
        header.refs = 0;
        fill(header.data, header.len, header.width);
        self.bytes += header.capacity * header.width;
        self.freed.push(buffer);
        while self.bytes > MOST_KEPT && self.bare < self.freed.len() {
            self.strip();
        }
    }

    /// Frees the elements of the oldest buffer that has any.
    fn strip(&mut self) {
        let Some(&oldest) = self.freed.get(self.bare) else { return };
        self.bare += 1;
        // SAFETY: headers of freed buffers stay until the end of the run.
        let header = unsafe { &mut *oldest };
        self.bytes -= header.capacity * header.width;
        let elements = Buffer { slot: usize::MAX, ..*header };
        (header.len, header.capacity) = (0, 0);
        // SAFETY: the elements are those of a freed buffer, whose header does not have them any more.
        unsafe { pool::release(Box::into_raw(Box::new(elements))) };
    }

    /// Checks the guard zone of a live buffer.
    pub fn inspect(&mut self, buffer: *const Buffer) {
        // SAFETY: the buffer is alive.
        let header = unsafe { &*buffer };
        let (used, all) = (header.bytes(), header.capacity * header.width);
        // SAFETY: the block has so many bytes, which were written when it was new.
        let zone = unsafe { std::slice::from_raw_parts(header.data.add(used), all - used) };
        if zone.iter().any(|&byte| byte != ZONE_BYTE) {
            self.damaged = Some(header.len);
        }
    }

    /// The length of a buffer that was written beyond its elements.
    pub fn damaged(&self) -> Option<usize> {
        self.damaged
    }

    /// Takes over the freed buffers of a thread.
    pub fn absorb(&mut self, mut other: Quarantine) {
        self.damaged = self.damaged.or(other.damaged);
        for buffer in std::mem::take(&mut other.freed) {
            // SAFETY: it was freed and kept there, and is kept in one place only. A header without elements has none to free.
            unsafe { pool::release(buffer) };
        }
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        for buffer in std::mem::take(&mut self.freed) {
            // SAFETY: every pointer in the table came from `Box::into_raw` and is in no other table.
            unsafe { pool::release(buffer) };
        }
    }
}

/// Fills all elements like fresh ones.
fn fill(data: *mut u8, len: usize, width: usize) {
    // SAFETY: the block has `len` elements of this width, and is aligned to it.
    unsafe {
        match width {
            8 => std::slice::from_raw_parts_mut(data.cast::<u64>(), len).fill(FILL_64),
            4 => std::slice::from_raw_parts_mut(data.cast::<u32>(), len).fill(FILL_32),
            _ => data.write_bytes(1, len * width),
        }
    }
}

/// The place of an array of a matrix product: its buffer, the buffer's first element, the point where every index is 0,
/// and its local in the program.
pub const PLACE_WORDS: usize = 4;

/// 1 if every element that a matrix product touches is inside its buffer; 0 after a failure, which is recorded.
///
/// # Safety
///
/// `record` is the running record; `axes` points to `count` axes of five numbers, `places` to three rows of [`PLACE_WORDS`]
/// words, those of the result and both operands, whose headers are those of buffers of this run.
unsafe extern "C" fn arr_sanitize_product(
    record: *mut Record,
    axes: *const i64,
    count: i64,
    places: *const u64,
    width: i64,
    span: i64,
) -> i64 {
    // SAFETY: as the caller promises.
    let (axes, places) = unsafe {
        let axes = std::slice::from_raw_parts(axes, 5 * count as usize);
        (axes, std::slice::from_raw_parts(places, 3 * PLACE_WORDS))
    };
    for (k, place) in places.chunks_exact(PLACE_WORDS).enumerate() {
        let &[header, low, at, local] = place else { continue };
        let Some(touched) = touched(axes, k) else { continue };
        let header = std::ptr::with_exposed_provenance::<Buffer>(header as usize);
        // SAFETY: headers stay until the end of the run.
        let (refs, len) = unsafe { ((*header).refs, (*header).len) };
        let first = i128::from(at.wrapping_sub(low) as i64 / width.max(1));
        let (least, most) = (first + touched.start, first + touched.end - 1);
        let outside = if least < 0 { Some(least) } else { Some(most).filter(|&n| n >= len as i128) };
        let failure = match outside {
            _ if refs <= 0 => Some((FailureCode::Released, 0)),
            Some(offset) => Some((FailureCode::Outside, i64::try_from(offset).unwrap_or(i64::MAX))),
            None => None,
        };
        if let Some((code, offset)) = failure {
            // SAFETY: compiled code passes its own record, which nothing else uses meanwhile.
            unsafe { (*record).fail(code, span as u32, [local as i64, offset, len as i64]) };
            return 0;
        }
    }
    1
}

/// The elements that a product touches in its k-th array, from its first point; `None` if it touches none.
fn touched(axes: &[i64], k: usize) -> Option<Range<i128>> {
    let mut range = 0..1;
    for axis in axes.chunks_exact(5) {
        let &[role, extent, into, left, right] = axis else { return None };
        // An empty sum is zero, which is written too.
        if k == 0 && role == INNER {
            continue;
        }
        if extent <= 0 {
            return None;
        }
        let stride = if k == 0 {
            into
        } else if k == 1 {
            left
        } else {
            right
        };
        let reach = i128::from(extent - 1) * i128::from(stride);
        if reach < 0 { range.start += reach } else { range.end += reach }
    }
    Some(range)
}

/// The number of the summed axes.
const INNER: i64 = 3;

pub(crate) fn symbols() -> Vec<Symbol> {
    vec![Symbol { name: "arr_sanitize_product", address: arr_sanitize_product as *const u8 }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fill_is_known_after_arithmetic() {
        // The processor's arithmetic is needed, not the compiler's.
        let (x, y) = std::hint::black_box((f64::from_bits(FILL_64), f32::from_bits(FILL_32)));
        assert!(x.is_nan() && y.is_nan());
        for z in [x, x + 1.0, -x, 2.0 * x, f64::from(y), f64::from(y) * 3.0] {
            assert!(is_fill_64(z), "{:x}", z.to_bits());
        }
        for z in [y, y + 1.0, -y, 2.0 * y, x as f32] {
            assert!(is_fill_32(z), "{:x}", z.to_bits());
        }
        assert!(!is_fill_64(f64::NAN) && !is_fill_32(f32::NAN) && !is_fill_64(-f64::NAN) && !is_fill_64(1.0));
    }

    #[test]
    fn a_product_touches_the_corners_of_its_axes() {
        // Rows, columns and an inner axis of 2 x 3 by 3 x 4, the right operand backwards.
        let axes = [1, 2, 4, 3, 0, 2, 4, 1, 0, -1, 3, 3, 0, 1, -4];
        assert_eq!(touched(&axes, 0), Some(0..8));
        assert_eq!(touched(&axes, 1), Some(0..6));
        assert_eq!(touched(&axes, 2), Some(-11..1));
        let empty = [1, 2, 4, 3, 0, 3, 0, 0, 1, 1];
        assert_eq!((touched(&empty, 0), touched(&empty, 1)), (Some(0..5), None));
    }
}
