//! Matrix products: those of middling size by kernels of our own, others by `gemm`, large ones in pieces that depend on
//! their sizes alone.

use super::Element;
use super::row::RowProduct;
use super::unpacked::Product;
use ::gemm::Parallelism;

/// The minimal number of multiplications of a piece.
const PIECE: usize = 1 << 21;
/// The minimal number of rows (columns) of a piece: packing the other operand again for it costs little in comparison.
const PIECE_ROWS: usize = 128;
/// Products with fewer columns spend about as much time reading their matrix as computing.
const FEW_COLUMNS: usize = 8;
/// `gemm` does not pack a left operand with contiguous rows if there are at most this many columns.
const UNPACKED_COLUMNS: usize = 48;
/// The bytes of the widest vectors.
const VECTOR: usize = 64;

/// One matrix product. Strides are in elements: of rows and of columns for the result, of rows and of the inner axis for the
/// left operand, of the inner axis and of columns for the right one.
#[derive(Clone, Copy)]
pub(super) struct Call<T> {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) depth: usize,
    pub(super) into: *mut T,
    pub(super) into_strides: (isize, isize),
    pub(super) left: (*const T, isize, isize),
    pub(super) right: (*const T, isize, isize),
    pub(super) accumulate: bool,
}

// SAFETY: threads read the operands, which nothing writes meanwhile, and each writes elements of its own.
unsafe impl<T: Send> Send for Call<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Call<T> {}

impl<T: Element> Call<T> {
    /// The same product with rows and columns exchanged.
    pub(super) fn transposed(self) -> Call<T> {
        let ((row, column), (left, rows, inner), (right, right_inner, columns)) =
            (self.into_strides, self.left, self.right);
        Call {
            m: self.n,
            n: self.m,
            into_strides: (column, row),
            left: (right, columns, right_inner),
            right: (left, inner, rows),
            ..self
        }
    }

    fn rows(self, from: usize, to: usize) -> Call<T> {
        let at = |stride: isize| stride.wrapping_mul(from as isize);
        let (data, rows, inner) = self.left;
        Call {
            m: to - from,
            into: self.into.wrapping_offset(at(self.into_strides.0)),
            left: (data.wrapping_offset(at(rows)), rows, inner),
            ..self
        }
    }

    /// The number of rows (columns) of a piece.
    fn piece(&self, rows: usize, multiple: usize) -> usize {
        let work = self.m.saturating_mul(self.n.max(FEW_COLUMNS)).saturating_mul(self.depth);
        let pieces = (work / PIECE).min(rows / PIECE_ROWS).max(1);
        rows.div_ceil(pieces).next_multiple_of(multiple)
    }

    /// Computes the product in pieces, on several threads if there are.
    ///
    /// # Safety
    ///
    /// The operands hold every element of the product, `into` is nowhere in them, and nothing else uses it meanwhile.
    pub(super) unsafe fn in_pieces(self, threads: usize) {
        if let Some(product) = RowProduct::new(self) {
            // SAFETY: as the caller promises.
            return unsafe { product.run(threads) };
        }
        if let Some(product) = Product::new(self) {
            // SAFETY: as the caller promises.
            return unsafe { product.run(threads) };
        }
        let lanes = VECTOR / size_of::<T>();
        let rows = self.piece(self.m, lanes);
        if rows >= self.m {
            let columns = self.piece(self.n, 12);
            if columns < self.n {
                // SAFETY: as the caller promises.
                self.transposed().each(columns, threads, &|call| unsafe { call.transposed().once() });
                return;
            }
        }
        // SAFETY: as the caller promises.
        self.each(rows.max(1), threads, &|call| unsafe { call.in_vectors(lanes) });
    }

    /// The pieces of this many rows.
    fn each(self, rows: usize, threads: usize, f: &(dyn Fn(Call<T>) + Sync)) {
        let piece = |k: usize| self.rows(k * rows, self.m.min((k + 1) * rows));
        let count = self.m.div_ceil(rows);
        if threads > 1 && count > 1 {
            crate::team::for_each(count, &|k| f(piece(k)));
        } else {
            (0..count).for_each(|k| f(piece(k)));
        }
    }

    /// A product with few columns without packing its left operand: whole vectors of rows, then the rest.
    ///
    /// # Safety
    ///
    /// As for `in_pieces`.
    unsafe fn in_vectors(self, lanes: usize) {
        let whole = self.m / lanes * lanes;
        if self.left.1 == 1 && self.n <= UNPACKED_COLUMNS && 4 * lanes <= whole && whole < self.m {
            // SAFETY: as the caller promises.
            unsafe {
                self.rows(0, whole).once();
                self.rows(whole, self.m).once();
            }
        } else {
            // SAFETY: as the caller promises.
            unsafe { self.once() }
        }
    }

    /// # Safety
    ///
    /// As for `in_pieces`.
    unsafe fn once(self) {
        let ((row, column), (left, rows, left_inner), (right, right_inner, columns)) =
            (self.into_strides, self.left, self.right);
        // SAFETY: as the caller promises.
        unsafe {
            ::gemm::gemm(
                self.m,
                self.n,
                self.depth,
                self.into,
                column,
                row,
                self.accumulate,
                left,
                left_inner,
                rows,
                right,
                columns,
                right_inner,
                T::ONE,
                T::ONE,
                false,
                false,
                false,
                Parallelism::None,
            );
        }
    }
}
