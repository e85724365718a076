//! Operands copied into matrices.

use super::Element;
use super::axes::{Axes, Axis, Side, count, single};
use super::block::Matrix;

/// Whether a copy has rows (columns) next to each other, and not the terms of the sum: whichever is the longer line of
/// elements next to each other in the array.
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
    /// What is copied there: where it begins, how many rows (columns), and how many terms.
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

/// Copies elements in the order of the axes; the result is the address behind the copy.
///
/// # Safety
///
/// `from` is the address of an array that holds every element of the axes, and `into` has room for as many.
unsafe fn copy<T: Copy>(from: *const T, mut into: *mut T, axes: &[Axis], side: Side) -> *mut T {
    let Some((axis, rest)) = axes.split_first() else {
        // SAFETY: an element of the array, and a place.
        unsafe { into.write(*from) };
        return into.wrapping_add(1);
    };
    let stride = side.stride(axis);
    for k in 0..axis.len() {
        let from = from.wrapping_offset(stride.wrapping_mul(k as isize));
        // SAFETY: as the caller promises.
        into = unsafe {
            match rest {
                [line] if side.stride(line) == 1 => copy_line(from, into, line.len()),
                _ => copy(from, into, rest, side),
            }
        };
    }
    into
}

/// Copies elements next to each other. Lines are short: to call `memcpy` would take longer.
///
/// # Safety
///
/// There are so many elements, and places.
unsafe fn copy_line<T: Copy>(from: *const T, into: *mut T, count: usize) -> *mut T {
    const WIDTH: usize = 4;
    // SAFETY: every group lies inside of the line; the last one overlaps the one before it.
    unsafe {
        if count < WIDTH {
            for k in 0..count {
                into.add(k).write(*from.add(k));
            }
        } else {
            let group = |k: usize| {
                into.add(k).cast::<[T; WIDTH]>().write_unaligned(from.add(k).cast::<[T; WIDTH]>().read_unaligned());
            };
            (0..count - WIDTH).step_by(WIDTH).for_each(group);
            group(count - WIDTH);
        }
        into.add(count)
    }
}
