//! One matrix product.

use super::axes::{Axis, count};
use super::call::Call;
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
        // The stride of an axis that is not there is chosen so that a vector is a column or a row of its own.
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
    /// those sums are taken again.
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
        // Long lines are looked through first: they seldom have a NaN in them.
        let (lines, line) = match (self.rows.split_last(), self.columns.split_last()) {
            (_, Some((line, rest))) if line.into == 1 => ([self.rows, rest], Some(line)),
            (Some((line, rest)), _) if line.into == 1 => ([rest, self.columns], Some(line)),
            _ => ([self.rows, self.columns], None),
        };
        // SAFETY: as the caller promises.
        unsafe {
            for_each_point(arrays, lines[0], &mut |start| {
                for_each_point(start, lines[1], &mut |start| match line {
                    Some(line) => {
                        let elements = std::slice::from_raw_parts(start.into, line.len());
                        if elements.iter().fold(false, |any, x| any | x.is_nan()) {
                            for_each_point(start, std::slice::from_ref(line), &mut |at| {
                                if (*at.into).is_nan() {
                                    again(at);
                                }
                            });
                        }
                    }
                    None if (*start.into).is_nan() => again(start),
                    None => {}
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
