//! Products of middling size, whose operands are read in place.
//!
//! Packing an operand, as `gemm` does, takes about a tenth of the time of a product with a hundred columns, and several
//! times as much where the terms of its rows are contiguous. In a cache neither operand needs it: the vectors of the
//! left one stream through the first-level cache, and a few columns of the right one stay there. A left operand with
//! contiguous terms is transposed first, a few vectors of rows at a time.
//!
//! A product is divided into parts that depend on its sizes alone, and every element is summed by one thread in the
//! order of the terms.

use super::Element;
use super::call::Call;
use super::kernels::{Kernels, LINES, Unpacked};
use super::turn::turned;
use std::cell::RefCell;

/// Bytes of a row's (column's) terms: those of a few stay in the nearest caches.
const MOST_BYTES: usize = 4096;
/// If both rows and columns are more, packing costs little in comparison.
const MOST_BOTH: usize = 512;
/// Products with fewer columns spend about as much time reading their left operand as computing.
const LEAST_COLUMNS: usize = 4;
/// The minimal percentage of lanes in use.
const WORTH_LANES: usize = 60;
/// The approximate number of multiplications of a part.
const PART: usize = 1 << 19;
/// Bytes of the right operand that are traversed once for every few vectors of rows: they stay in the second-level
/// cache.
const COLUMN_BYTES: usize = 1 << 17;
/// The distance of terms in bytes from which on they would compete for few lines of the first-level cache.
const FAR: usize = 4096;
/// The minimal number of columns that is worth a copy of the rows.
const WORTH_A_COPY: usize = 32;

thread_local! {
    /// Room for copies of rows, in units of the widest vectors.
    static ROOM: RefCell<Vec<[u64; 8]>> = const { RefCell::new(Vec::new()) };
}

/// How the rows of the left operand become contiguous.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RowLayout {
    AsTheyAre,
    Copied,
    Turned,
}

/// A product of this kind, and its division.
pub(super) struct Product<T: 'static> {
    call: Call<T>,
    kernels: &'static Kernels<T>,
    rows: RowLayout,
    /// Vectors of rows, the last one perhaps not full.
    vectors: usize,
    /// Tiles of at most [`LINES`] vectors, and the number per part.
    tiles: usize,
    tiles_each: usize,
    /// Columns of a part, and of a panel.
    columns_each: usize,
    panel: usize,
}

impl<T: Element> Product<T> {
    /// The product, if it suits this method, with the best kernels of the processor.
    pub(super) fn new(call: Call<T>) -> Option<Product<T>> {
        Product::by(T::kernels().next()?, call)
    }

    pub(super) fn by(kernels: &'static Kernels<T>, call: Call<T>) -> Option<Product<T>> {
        let (m, n, lanes) = (call.m, call.n, kernels.lanes);
        let rows = match call.left {
            (_, 1, inner) if inner.unsigned_abs() * size_of::<T>() >= FAR && n >= WORTH_A_COPY => RowLayout::Copied,
            (_, 1, _) => RowLayout::AsTheyAre,
            (_, _, 1) => RowLayout::Turned,
            _ => return None,
        };
        let terms = 1..=MOST_BYTES / size_of::<T>();
        let small = m > 0 && terms.contains(&call.depth) && m.min(n) <= MOST_BOTH;
        let full = 100 * m >= WORTH_LANES * m.next_multiple_of(lanes);
        if call.into_strides.0 != 1 || !small || !full || n < LEAST_COLUMNS {
            return None;
        }
        let vectors = m.div_ceil(lanes);
        let tiles = vectors.div_ceil(LINES);
        let panel = n.div_ceil(n.div_ceil(kernels.most_columns));
        let parts = (m.saturating_mul(n).saturating_mul(call.depth) / PART).max(1);
        let tiles_each = (tiles / parts).max(1);
        let column_parts = (parts / tiles).max(1);
        let columns_each = n.div_ceil(column_parts).next_multiple_of(panel);
        Some(Product { call, kernels, rows, vectors, tiles, tiles_each, columns_each, panel })
    }

    /// Computes the product, on several threads if there are.
    ///
    /// # Safety
    ///
    /// As for [`Call::in_pieces`].
    pub(super) unsafe fn run(&self, threads: usize) {
        let across = self.call.n.div_ceil(self.columns_each);
        let count = self.tiles.div_ceil(self.tiles_each) * across;
        // SAFETY: as the caller promises; parts have elements of their own.
        let part = |k: usize| unsafe { self.part(k / across * self.tiles_each, k % across * self.columns_each) };
        if threads > 1 && count > 1 {
            crate::team::for_each(count, &part);
        } else {
            (0..count).for_each(part);
        }
    }

    /// The part that begins at a tile and a column.
    ///
    /// # Safety
    ///
    /// As for `run`.
    unsafe fn part(&self, tile: usize, column: usize) {
        let columns = column..self.call.n.min(column + self.columns_each);
        let bytes = self.panel * self.call.depth * size_of::<T>();
        let each = (COLUMN_BYTES / bytes.max(1)).max(1) * self.panel;
        let tiles = tile..self.tiles.min(tile + self.tiles_each);
        if self.rows == RowLayout::AsTheyAre {
            for from in columns.clone().step_by(each) {
                for tile in tiles.clone() {
                    // SAFETY: as the caller promises.
                    unsafe { self.tile(tile, (self.left(tile), self.call.left.2), from..columns.end.min(from + each)) };
                }
            }
            return;
        }
        let width = LINES * self.kernels.lanes;
        for tile in tiles {
            with_room(width * self.call.depth, &mut |room: *mut T| {
                // SAFETY: as the caller promises; there is room for a tile.
                unsafe {
                    self.copy(tile, room, width);
                    self.tile(tile, (room, width as isize), columns.clone());
                }
            });
        }
    }

    /// The vectors of a tile: tiles are as equal as possible.
    fn vectors(&self, tile: usize) -> std::ops::Range<usize> {
        tile * self.vectors / self.tiles..(tile + 1) * self.vectors / self.tiles
    }

    /// The rows of a tile.
    fn rows(&self, tile: usize) -> std::ops::Range<usize> {
        let vectors = self.vectors(tile);
        vectors.start * self.kernels.lanes..self.call.m.min(vectors.end * self.kernels.lanes)
    }

    fn left(&self, tile: usize) -> *const T {
        let (data, row, _) = self.call.left;
        data.wrapping_offset(row.wrapping_mul(self.rows(tile).start as isize))
    }

    /// Copies the rows of a tile: those of a term are contiguous, terms `width` apart.
    ///
    /// # Safety
    ///
    /// As for `run`; there are so many places.
    unsafe fn copy(&self, tile: usize, into: *mut T, width: usize) {
        let (left, rows) = (self.left(tile), self.rows(tile).len());
        let (_, row, term) = self.call.left;
        // SAFETY: as the caller promises.
        unsafe {
            if self.rows == RowLayout::Turned {
                return turned((left, row), (rows, self.call.depth), (into, width));
            }
            for k in 0..self.call.depth {
                let from = left.wrapping_offset(term.wrapping_mul(k as isize));
                std::ptr::copy_nonoverlapping(from, into.wrapping_add(k * width), rows);
            }
        }
    }

    /// Some columns of a tile, whose rows begin at `left` and have terms a stride apart.
    ///
    /// # Safety
    ///
    /// As for `run`; the rows are there.
    unsafe fn tile(&self, tile: usize, (left, left_term): (*const T, isize), columns: std::ops::Range<usize>) {
        let Call { into, into_strides: (_, into_column), right: (right, right_term, right_column), .. } = self.call;
        let (rows, vectors) = (self.rows(tile), self.vectors(tile).len());
        let into = into.wrapping_add(rows.start);
        for from in columns.clone().step_by(self.panel) {
            let at = |stride: isize| stride.wrapping_mul(from as isize);
            let few = Unpacked {
                into: into.wrapping_offset(at(into_column)),
                into_column,
                left,
                left_term,
                right: right.wrapping_offset(at(right_column)),
                right_term,
                right_column,
                terms: self.call.depth,
                vectors,
                lanes: rows.len() - (vectors - 1) * self.kernels.lanes,
                columns: self.panel.min(columns.end - from),
                accumulate: self.call.accumulate,
            };
            // SAFETY: as the caller promises.
            unsafe { (self.kernels.unpacked)(&few) };
        }
    }
}

/// Room for this many elements, which no other call on this thread uses meanwhile.
fn with_room<T>(elements: usize, f: &mut dyn FnMut(*mut T)) {
    let vectors = (elements * size_of::<T>()).div_ceil(size_of::<[u64; 8]>());
    ROOM.with(|room| match room.try_borrow_mut() {
        Ok(mut room) => {
            if room.len() < vectors {
                room.resize(vectors, [0; 8]);
            }
            f(room.as_mut_ptr().cast())
        }
        Err(_) => f(vec![[0u64; 8]; vectors].as_mut_ptr().cast()),
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]

    use super::super::kernels::Vectors;
    use super::super::tests::Lcg;
    use super::*;

    /// A product by its definition and by every kind of kernels that the processor has; returns how many accepted it.
    fn check(rng: &mut Lcg, [m, n, depth]: [usize; 3], turned: bool, accumulate: bool) -> usize {
        let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| rng.number()).collect() };
        let gap = m % 3;
        let (left, right) = (numbers((m + gap) * (depth + gap)), numbers((n + gap) * depth));
        let start = numbers(n * (m + 2));
        let (row, term) = if turned { (depth + gap, 1) } else { (1, m + gap) };
        let (right_term, column) = if n % 2 == 0 { (1, depth) } else { (n + gap, 1) };
        let sum = |i: usize, j: usize| -> f64 {
            (0..depth).map(|k| left[i * row + k * term] * right[k * right_term + j * column]).sum()
        };
        let mut taken = 0;
        for kernels in f64::kernels() {
            let mut into = start.clone();
            let call = Call {
                m,
                n,
                depth,
                into: into.as_mut_ptr(),
                into_strides: (1, (m + 2) as isize),
                left: (left.as_ptr(), row as isize, term as isize),
                right: (right.as_ptr(), right_term as isize, column as isize),
                accumulate,
            };
            let Some(product) = Product::by(kernels, call) else { continue };
            // SAFETY: the arrays hold every element.
            unsafe { product.run(1) };
            taken += 1;
            for (j, (into, start)) in into.chunks_exact(m + 2).zip(start.chunks_exact(m + 2)).enumerate() {
                for (i, (&x, &before)) in into.iter().zip(start).enumerate() {
                    let outside = i >= m;
                    let expected = if outside { before } else { sum(i, j) + if accumulate { before } else { 0.0 } };
                    let most = if outside { 0.0 } else { 1e-12 };
                    assert!((x - expected).abs() <= most, "{m} {n} {depth} {turned}: {i} {j}: {x}, {expected}");
                }
            }
        }
        taken
    }

    #[test]
    fn all_kernels_sum_products() {
        let mut rng = Lcg(11);
        let kinds = f64::kernels().count();
        for turned in [false, true] {
            // Lines of one to many vectors, full or not; panels of all widths; copies; several parts of rows and columns.
            for [m, n, depth] in
                [[8, 4, 1], [7, 5, 3], [13, 11, 9], [24, 6, 40], [31, 7, 2], [29, 9, 8], [200, 130, 70]]
            {
                assert_eq!(check(&mut rng, [m, n, depth], turned, m % 2 == 0), kinds);
            }
            for [m, n, depth] in [[517, 33, 20], [520, 40, 512], [40, 700, 64], [33, 1030, 50]] {
                assert_eq!(check(&mut rng, [m, n, depth], turned, n % 2 == 0), kinds);
            }
            // Nothing to sum, few columns, few lanes, sums too long, and sizes where packing costs little.
            for [m, n, depth] in [[16, 16, 0], [16, 3, 16], [1, 16, 16], [16, 16, 513], [600, 600, 4], [0, 8, 8]] {
                assert_eq!(check(&mut rng, [m, n, depth], turned, false), 0);
            }
        }
    }
}
