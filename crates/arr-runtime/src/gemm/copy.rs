//! Operands copied into matrices.

use super::Element;
use super::axes::{Axes, Axis, Side, count, single};
use super::block::Matrix;

/// Whether a copy has contiguous rows (columns) rather than contiguous terms of the sum: whichever is the longer
/// contiguous line in the array.
fn depth_first(axes: &[Axis], inner: &[Axis], side: Side) -> bool {
    let line = |axes: &[Axis]| axes.last().filter(|a| side.stride(a) == 1).map_or(0, Axis::len);
    line(axes) > 0 && line(axes) >= line(inner)
}

/// Copies of operands, kept from one point of the batch to the next.
pub(super) struct Space<T> {
    pub(super) left: Copied<T>,
    pub(super) right: Copied<T>,
}

impl<T> Default for Space<T> {
    fn default() -> Self {
        Space { left: Copied::default(), right: Copied::default() }
    }
}

pub(super) struct Copied<T> {
    elements: Vec<T>,
    /// The contents: where the operand begins, how many rows (columns), and how many terms.
    key: Option<(usize, usize, usize)>,
}

impl<T> Default for Copied<T> {
    fn default() -> Self {
        Copied { elements: Vec::new(), key: None }
    }
}

impl<T: Element> Copied<T> {
    /// An operand's rows (columns) as a matrix: its address, and the strides of rows (columns) and of the inner axis.
    ///
    /// # Safety
    ///
    /// `from` is the address of an array that holds every element of the axes.
    pub(super) unsafe fn operand(&mut self, from: *const T, axes: &[Axis], inner: &[Axis], side: Side) -> Matrix<T> {
        if let Some(stride) = single(inner, side) {
            return Matrix { data: from, outer: axes.last().map_or(1, |a| side.stride(a)), inner: stride };
        }
        let (points, depth) = (count(axes), count(inner));
        let depth_first = depth_first(axes, inner, side);
        let key = (from as usize, points, depth);
        if self.key != Some(key) {
            let order: Axes = match depth_first {
                true => inner.iter().chain(axes).copied().collect(),
                false => axes.iter().chain(inner).copied().collect(),
            };
            self.elements.clear();
            self.elements.reserve(points.saturating_mul(depth));
            // SAFETY: as the caller promises; there is room for every point of the axes.
            unsafe {
                let end = copy(from, self.elements.as_mut_ptr(), &order, side);
                self.elements.set_len(end.offset_from_unsigned(self.elements.as_ptr()));
            }
            self.key = Some(key);
        }
        let data = self.elements.as_ptr();
        if depth_first {
            Matrix { data, outer: 1, inner: points as isize }
        } else {
            Matrix { data, outer: depth as isize, inner: 1 }
        }
    }
}

/// Copies elements in the order of the axes; returns the address behind the copy.
///
/// # Safety
///
/// `from` is the address of an array that holds every element of the axes, and `into` has room for as many.
unsafe fn copy<T: Copy>(from: *const T, into: *mut T, axes: &[Axis], side: Side) -> *mut T {
    let [outer @ .., lines, line] = axes else {
        // SAFETY: as the caller promises; one line, or one element, is as many lines.
        return match axes {
            [line] => unsafe { copy_lines(from, 0, 1, into, (side.stride(line), line.len())) },
            _ => unsafe { copy_lines(from, 0, 1, into, (1, 1)) },
        };
    };
    let mut end = into;
    let mut each = |from: *const T| {
        // SAFETY: as the caller promises.
        end = unsafe { copy_lines(from, side.stride(lines), lines.len(), end, (side.stride(line), line.len())) };
    };
    each_start(from, outer, side, &mut each);
    end
}

/// The start of every point of the axes, in order.
pub(super) fn each_start<T>(from: *const T, axes: &[Axis], side: Side, f: &mut dyn FnMut(*const T)) {
    let Some((axis, rest)) = axes.split_first() else { return f(from) };
    for k in 0..axis.len() {
        each_start(from.wrapping_offset(side.stride(axis).wrapping_mul(k as isize)), rest, side, f);
    }
}

/// Copies `count` lines that are `step` elements apart next to each other. The elements of a line are a stride apart.
/// Returns the address behind the copy.
///
/// # Safety
///
/// There are so many elements, and places.
unsafe fn copy_lines<T: Copy>(
    from: *const T,
    step: isize,
    count: usize,
    into: *mut T,
    (stride, length): (isize, usize),
) -> *mut T {
    let starts = |k: usize| (from.wrapping_offset(step.wrapping_mul(k as isize)), into.wrapping_add(k * length));
    if stride != 1 {
        for (from, into) in (0..count).map(starts) {
            for j in 0..length {
                // SAFETY: as the caller promises.
                unsafe { into.add(j).write(*from.wrapping_offset(stride.wrapping_mul(j as isize))) };
            }
        }
        return into.wrapping_add(count * length);
    }
    let lines = Lines {
        from: from.cast(),
        step: step.wrapping_mul(size_of::<T>() as isize),
        count,
        into: into.cast(),
        bytes: length * size_of::<T>(),
    };
    // SAFETY: as the caller promises; the processor has what the version is compiled for.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx") {
            lines.copy_avx();
            return into.wrapping_add(count * length);
        }
        lines.copy();
    }
    into.wrapping_add(count * length)
}

/// Lines of bytes to be copied next to each other. Lines are short: calling `memcpy` for each would take longer.
struct Lines {
    from: *const u8,
    step: isize,
    count: usize,
    into: *mut u8,
    bytes: usize,
}

impl Lines {
    /// # Safety
    ///
    /// There are so many bytes, and places.
    #[inline(always)]
    unsafe fn copy(&self) {
        // SAFETY: as the caller promises; no width is more than a line.
        unsafe {
            match self.bytes {
                0 => {}
                32.. => self.in_groups::<32>(),
                16.. => self.in_groups::<16>(),
                8.. => self.in_groups::<8>(),
                4.. => self.in_groups::<4>(),
                _ => self.in_groups::<1>(),
            }
        }
    }

    /// As [`Lines::copy`].
    ///
    /// # Safety
    ///
    /// As for `copy`, on a processor with AVX.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx")]
    unsafe fn copy_avx(&self) {
        // SAFETY: as the caller promises.
        unsafe { self.copy() }
    }

    /// Every line in groups of this many bytes; the last one overlaps the one before it.
    ///
    /// # Safety
    ///
    /// As for `copy`; a line has a group at least.
    #[inline(always)]
    unsafe fn in_groups<const N: usize>(&self) {
        let last = self.bytes - N;
        let (mut from, mut into) = (self.from, self.into);
        for _ in 0..self.count {
            let group = |k: usize| {
                // SAFETY: every group lies inside of the line.
                unsafe {
                    into.add(k).cast::<[u8; N]>().write_unaligned(from.add(k).cast::<[u8; N]>().read_unaligned());
                }
            };
            (0..last).step_by(N).for_each(group);
            group(last);
            from = from.wrapping_offset(self.step);
            into = into.wrapping_add(self.bytes);
        }
    }
}
