//! One matrix product.

use super::axes::{Axis, Side, count};
use super::call::Call;
use super::copy::each_start;
use super::{Arrays, Element};

#[derive(Clone, Copy)]
pub(super) struct Matrix<T> {
    pub(super) data: *const T,
    pub(super) outer: isize,
    pub(super) inner: isize,
}

pub(super) struct Block<'a> {
    pub(super) rows: &'a [Axis],
    pub(super) columns: &'a [Axis],
    pub(super) depth: usize,
}

impl Block<'_> {
    /// # Safety
    ///
    /// The matrices hold the elements of the block, and `into` is nowhere in them.
    pub(super) unsafe fn multiply<T: Element>(
        &self,
        into: *mut T,
        left: Matrix<T>,
        right: Matrix<T>,
        accumulate: bool,
        threads: usize,
    ) {
        let (m, n) = (count(self.rows), count(self.columns));
        // The stride of a missing axis is chosen so that a vector is a column or a row by itself.
        let row = self.rows.last().map(|a| a.into);
        let column = self.columns.last().map(|a| a.into);
        let column_stride = column.unwrap_or_else(|| row.unwrap_or(1).wrapping_mul(m as isize));
        let row_stride = row.unwrap_or_else(|| column_stride.wrapping_mul(n as isize));
        let call = Call {
            m,
            n,
            depth: self.depth,
            into,
            into_strides: (row_stride, column_stride),
            left: (left.data, left.outer, left.inner),
            right: (right.data, right.inner, right.outer),
            accumulate,
        };
        // Vectors lie along the axis on which results are closer to each other: those are the rows.
        let call = if column_stride.unsigned_abs() < row_stride.unsigned_abs() { call.transposed() } else { call };
        // SAFETY: as the caller promises.
        unsafe { call.in_pieces(threads) };
    }

    /// Where zeros win, a product of zero and infinity (or NaN) is zero. Such a product has made its sum NaN, so only
    /// those sums are recomputed.
    ///
    /// # Safety
    ///
    /// As for `Problem::run`.
    pub(super) unsafe fn mend<T: Element>(&self, arrays: Arrays<T>, inner: &[Axis]) {
        let again = |at: Arrays<T>| {
            let mut sum = T::ZERO;
            // SAFETY: as the caller promises.
            unsafe { for_each_point(at, inner, &mut |k| sum = sum.plus_product(*k.left, *k.right)) };
            // SAFETY: an element of the result, which nothing else uses.
            unsafe { *at.into = sum };
        };
        // SAFETY: as the caller promises.
        unsafe {
            for_each_point(arrays, self.rows, &mut |row| {
                for_each_point(row, self.columns, &mut |at| {
                    if (*at.into).is_nan() {
                        again(at);
                    }
                });
            });
        }
    }
}

/// # Safety
///
/// Whatever `f` demands.
pub(super) unsafe fn for_each_point<T>(arrays: Arrays<T>, axes: &[Axis], f: &mut dyn FnMut(Arrays<T>)) {
    let Some((axis, rest)) = axes.split_first() else { return f(arrays) };
    for k in 0..axis.len() {
        // SAFETY: as the caller promises.
        unsafe { for_each_point(arrays.moved(axis, k), rest, f) };
    }
}

/// Whether all elements of an array satisfy the predicate.
///
/// # Safety
///
/// `from` is the address of an array that holds every element of the axes, which come from [`in_order`].
pub(super) unsafe fn all_are<T: Element>(from: *const T, axes: &[Axis], good: impl Fn(T) -> bool) -> bool {
    let (outer, line, stride) = match axes {
        [outer @ .., last] => (outer, last.len(), last.into),
        [] => (axes, 1, 1),
    };
    let mut all = true;
    each_start(from, outer, Side::Into, &mut |from| {
        // SAFETY: as the caller promises: the elements of a line are next to each other, or a stride apart.
        all &= unsafe {
            match stride {
                1 => std::slice::from_raw_parts(from, line).iter().fold(true, |all, x| all & good(*x)),
                _ => (0..line as isize).fold(true, |all, k| all & good(*from.wrapping_offset(stride.wrapping_mul(k)))),
            }
        };
    });
    all
}
