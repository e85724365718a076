//! Operands copied into matrices.

use super::Element;
use super::axes::{Axes, Axis, Side, count};

/// Whether a copy has rows (columns) next to each other, which is faster if they are so in the array.
pub(super) fn depth_first(axes: &[Axis], side: Side) -> bool {
    axes.last().is_some_and(|a| side.stride(a) == 1)
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
    pub(super) elements: Vec<T>,
    /// What is copied there: where it begins, and how many rows (columns).
    pub(super) key: Option<(usize, usize)>,
}

impl<T> Default for Copied<T> {
    fn default() -> Self {
        Copied { elements: Vec::new(), key: None }
    }
}

impl<T: Element> Copied<T> {
    /// # Safety
    ///
    /// `from` is the address of an array that holds every element of the axes.
    pub(super) unsafe fn fill(&mut self, from: *const T, axes: &[Axis], inner: &[Axis], side: Side) {
        self.elements.clear();
        self.elements.reserve(count(axes).saturating_mul(count(inner)));
        let order: Axes = if depth_first(axes, side) {
            inner.iter().chain(axes).copied().collect()
        } else {
            axes.iter().chain(inner).copied().collect()
        };
        // SAFETY: as the caller promises.
        unsafe { self.walk(from, &order, side) }
    }

    /// # Safety
    ///
    /// As for `fill`.
    unsafe fn walk(&mut self, from: *const T, axes: &[Axis], side: Side) {
        let Some((axis, rest)) = axes.split_first() else {
            // SAFETY: an element of the array.
            return self.elements.push(unsafe { *from });
        };
        let stride = side.stride(axis);
        if rest.is_empty() && stride == 1 {
            // SAFETY: elements of the array, one after the other.
            return self.elements.extend_from_slice(unsafe { std::slice::from_raw_parts(from, axis.len()) });
        }
        for k in 0..axis.len() {
            let at = from.wrapping_offset(stride.wrapping_mul(k as isize));
            if rest.is_empty() {
                // SAFETY: an element of the array.
                self.elements.push(unsafe { *at });
            } else {
                // SAFETY: as the caller promises.
                unsafe { self.walk(at, rest, side) };
            }
        }
    }
}
