//! Matrix products.
//!
//! Compiled code describes a product by its axes (see [`Axis`]): any number of batch, row, column and inner axes with
//! any strides. Axes that are contiguous in memory are joined; of the remaining row axes one is the matrix's, and the
//! others are iterated over like the batch; columns likewise. The product itself is computed by the crate `gemm`. An
//! operand whose inner axes cannot be joined (a convolution's windows) is read in place by kernels of our own, or else
//! copied into a matrix first, a block at a time.
//!
//! Results are a function of the operands and the axes alone: large products are divided into pieces by their sizes, never by
//! the number of threads, and the split of the batch changes no element.

// There are kernels of our own for x86-64 only; elsewhere nothing calls them.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

mod axes;
mod block;
mod call;
mod copy;
mod kernels;
mod pieces;
mod row;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_windows;
mod turn;
mod unpacked;
mod windows;

use crate::Symbol;
use axes::{Axes, Axis, Side, count, in_order, joined, part, single};
use block::{Block, all_are, for_each_point};
use copy::Space;
use kernels::Vectors;
use row::Rows;
use std::sync::atomic::AtomicBool;
use turn::Turn;
use windows::Windows;

/// Copied operands are copied in blocks of this many elements: they stay in the second-level cache.
const BLOCK: usize = 1 << 17;
/// Sums with copied operands are split into parts of about this many terms, so that a block holds many rows and
/// columns.
const DEPTH: usize = 1024;
/// Products with fewer multiplications are not split between threads.
const WORTH_A_THREAD: usize = 1 << 17;

/// A type of elements.
trait Element: Vectors + Rows + Turn + Copy + Send + Sync + 'static {
    const ZERO: Self;
    const ONE: Self;
    fn is_nan(self) -> bool;
    fn is_finite(self) -> bool;
    /// `self` plus the product of two factors, in which a zero wins.
    fn plus_product(self, x: Self, y: Self) -> Self;
}

macro_rules! element {
    ($t:ty) => {
        impl Element for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;

            fn is_nan(self) -> bool {
                self.is_nan()
            }

            fn is_finite(self) -> bool {
                self.is_finite()
            }

            fn plus_product(self, x: $t, y: $t) -> $t {
                if x == 0.0 || y == 0.0 { self } else { self + x * y }
            }
        }
    };
}

element!(f32);
element!(f64);

/// The starts of the three arrays; shared between threads, which write different elements.
struct Arrays<T> {
    into: *mut T,
    left: *const T,
    right: *const T,
}

impl<T> Clone for Arrays<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Arrays<T> {}

// SAFETY: threads read the operands, which nothing writes meanwhile, and each writes elements of its own.
unsafe impl<T: Send> Send for Arrays<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Arrays<T> {}

impl<T> Arrays<T> {
    fn moved(self, axis: &Axis, index: usize) -> Arrays<T> {
        let by = |stride: isize| stride.wrapping_mul(index as isize);
        Arrays {
            into: self.into.wrapping_offset(by(axis.into)),
            left: self.left.wrapping_offset(by(axis.left)),
            right: self.right.wrapping_offset(by(axis.right)),
        }
    }
}

/// A decomposed product: a matrix product at every point of the batch.
#[derive(Default)]
struct Problem {
    batch: Axes,
    /// One, unless the left operand is copied.
    rows: Axes,
    /// One, unless the right operand is copied.
    columns: Axes,
    inner: Axes,
    /// The range of the outermost inner axis that is summed at once; 0 for everything.
    step: usize,
    accumulate: bool,
    zero_wins: bool,
    /// The way without copies, for operands that would otherwise be copied, if there is one.
    windows: Option<Windows>,
}

impl Problem {
    fn new<T: Element>(axes: &[Axis], flags: i64) -> Problem {
        let axis = |a: &Axis| Axis { extent: a.extent.max(0), ..*a };
        let of = |role: i64| axes.iter().map(axis).filter(move |a| a.role == role);
        let mut inner: Axes = of(3).collect();
        // The order of a sum is free: the longest steps first.
        inner.sort_by_key(|a| std::cmp::Reverse((a.left.unsigned_abs(), a.right.unsigned_abs())));
        let mut problem = Problem {
            batch: joined(of(0)),
            rows: joined(of(1)),
            columns: joined(of(2)),
            inner: joined(inner.into_iter()),
            step: 0,
            accumulate: flags & 1 != 0,
            zero_wins: flags & 2 != 0,
            windows: None,
        };
        problem.step = problem.summed_at_once();
        if problem.step > 0 {
            problem.windows = Windows::new::<T>(&problem.batch, &problem.rows, &problem.columns, &problem.inner);
        }
        let inner = problem.inner_from(0);
        let mut rows = std::mem::take(&mut problem.rows);
        problem.keep_matrix(&mut rows, Side::Left, &inner);
        let mut columns = std::mem::take(&mut problem.columns);
        problem.keep_matrix(&mut columns, Side::Right, &inner);
        (problem.rows, problem.columns) = (rows, columns);
        problem
    }

    fn summed_at_once(&self) -> usize {
        let copied = |side| single(&self.inner, side).is_none();
        match self.inner.split_first() {
            Some((_, rest)) if copied(Side::Left) || copied(Side::Right) => (DEPTH / count(rest).max(1)).max(1),
            _ => 0,
        }
    }

    /// The inner axes of the part of the sum that begins at an index of the outermost one.
    fn inner_from(&self, from: usize) -> Axes {
        match self.inner.split_first() {
            Some((first, rest)) if self.step > 0 => {
                let extent = self.step.min(first.len() - from.min(first.len())) as i64;
                joined([Axis { extent, ..*first }].into_iter().chain(rest.iter().copied()))
            }
            _ => self.inner.clone(),
        }
    }

    /// The starts of the parts of the sum. There is always at least one.
    fn parts(&self) -> impl Iterator<Item = usize> + use<> {
        let all = self.inner.first().map_or(1, Axis::len).max(1);
        (0..all).step_by(if self.step > 0 { self.step } else { all })
    }

    /// Keeps the axes of the matrix; the others become batch axes.
    fn keep_matrix(&mut self, axes: &mut Axes, side: Side, inner: &[Axis]) {
        let depth = count(inner);
        let kept = if single(inner, side).is_some() {
            // The longest one.
            let longest = axes.iter().enumerate().max_by_key(|(_, a)| a.extent).map(|(k, _)| k);
            longest.map(|k| axes.remove(k)).into_iter().collect()
        } else {
            // As many of the innermost axes as are contiguous in the result, and fit a block.
            let mut kept: Axes = axes.pop().into_iter().collect();
            while let (Some(&outer), Some(inner)) = (axes.last(), kept.first())
                && outer.into == inner.into.wrapping_mul(inner.extent as isize)
                && let Some(part) = divisor(outer.len(), BLOCK / count(&kept).saturating_mul(depth).max(1))
            {
                axes.pop();
                kept.insert(0, Axis { extent: part as i64, ..outer });
                if part < outer.len() {
                    axes.push(outer.every(part));
                    break;
                }
            }
            kept
        };
        self.batch.extend(axes.drain(..));
        *axes = kept;
    }

    /// # Safety
    ///
    /// The addresses are those of arrays of `T` that hold every element of the axes; those of `into` are in no operand,
    /// and nothing else uses them meanwhile.
    unsafe fn run<T: Element>(&self, arrays: Arrays<T>) {
        if self.batch.iter().chain(&self.rows).chain(&self.columns).any(|a| a.len() == 0) {
            return;
        }
        if self.accumulate && self.zero_wins {
            // SAFETY: as the caller promises.
            return unsafe { self.add(arrays) };
        }
        // SAFETY: as the caller promises.
        unsafe { self.run_plain(arrays, self.zero_wins) }
    }

    /// As `run`; `mend` says whether zeros win, which is corrected at the end.
    ///
    /// # Safety
    ///
    /// As for `run`.
    unsafe fn run_plain<T: Element>(&self, arrays: Arrays<T>, mend: bool) {
        let points = count(&self.batch);
        if let Some(windows) = &self.windows {
            // SAFETY: as the caller promises.
            unsafe {
                if windows.run(arrays, self.accumulate, threads()) && mend {
                    self.mend(arrays, 0, points);
                }
            }
            return;
        }
        let work = count(&self.rows).saturating_mul(count(&self.columns)).saturating_mul(count(&self.inner)).max(1);
        let threads = threads();
        // With few points of large products, each is split; copied operands are not split again.
        let copied = self.step > 0;
        let together = points < if copied { threads } else { 4 * threads };
        if threads > 1 && !together && work.saturating_mul(points) >= WORTH_A_THREAD {
            let block = (WORTH_A_THREAD / work).max(1);
            crate::team::for_each(points.div_ceil(block), &|k| {
                // SAFETY: as the caller promises; every point has its own elements of the result.
                unsafe { self.run_points(arrays, k * block, points.min((k + 1) * block), 1, mend) }
            });
            return;
        }
        let threads = if work >= WORTH_A_THREAD { threads } else { 1 };
        // SAFETY: as the caller promises.
        unsafe { self.run_points(arrays, 0, points, threads, mend) }
    }

    /// Adds a product in which zeros win: like any other if no factor is infinite or NaN, else sum by sum, as the old
    /// value cannot be told from a sum that has gone wrong.
    ///
    /// # Safety
    ///
    /// As for `run`.
    unsafe fn add<T: Element>(&self, arrays: Arrays<T>) {
        let axes = |parts: [&Axes; 3]| parts.into_iter().flatten().copied().collect::<Axes>();
        let left = in_order(axes([&self.batch, &self.rows, &self.inner]).into_iter(), Side::Left);
        let right = in_order(axes([&self.batch, &self.inner, &self.columns]).into_iter(), Side::Right);
        // SAFETY: as the caller promises.
        let finite =
            unsafe { all_are(arrays.left, &left, T::is_finite) && all_are(arrays.right, &right, T::is_finite) };
        if finite {
            // SAFETY: as the caller promises.
            return unsafe { self.run_plain(arrays, false) };
        }
        let points = axes([&self.batch, &self.rows, &self.columns]);
        // SAFETY: as the caller promises.
        unsafe {
            for_each_point(arrays, &points, &mut |at| {
                let mut sum = *at.into;
                for_each_point(at, &self.inner, &mut |k| sum = sum.plus_product(*k.left, *k.right));
                *at.into = sum;
            });
        }
    }

    /// # Safety
    ///
    /// As for `run`.
    unsafe fn run_points<T: Element>(&self, arrays: Arrays<T>, from: usize, to: usize, threads: usize, mend: bool) {
        let mut space = Space::default();
        // An operand that is the same at every point is copied once per part.
        for part in self.parts() {
            for at in (from..to).map(|k| self.point(arrays, k)) {
                // SAFETY: as the caller promises.
                unsafe { self.matrix(at, part, &mut space, threads) };
            }
        }
        if mend {
            // SAFETY: as the caller promises.
            unsafe { self.mend(arrays, from, to) };
        }
    }

    /// The starts of the arrays at a point of the batch.
    fn point<T>(&self, mut at: Arrays<T>, mut point: usize) -> Arrays<T> {
        for axis in self.batch.iter().rev() {
            at = at.moved(axis, point % axis.len());
            point /= axis.len();
        }
        at
    }

    /// Finds sums that are NaN at points of the batch, and recomputes them. Results are scanned in the order of memory:
    /// all at once if these are all points, as the elements of one may lie among those of others, else point by point.
    ///
    /// # Safety
    ///
    /// As for `run`; the products are done.
    unsafe fn mend<T: Element>(&self, arrays: Arrays<T>, from: usize, to: usize) {
        let matrix = self.rows.iter().chain(&self.columns).copied();
        let every = in_order(self.batch.iter().copied().chain(matrix.clone()), Side::Into);
        let own = in_order(matrix, Side::Into);
        let good = |x: T| !x.is_nan();
        let all = from == 0 && to == count(&self.batch);
        // SAFETY: as the caller promises.
        if all && unsafe { all_are(arrays.into, &every, good) } {
            return;
        }
        let block = Block { rows: &self.rows, columns: &self.columns, depth: 0 };
        for at in (from..to).map(|k| self.point(arrays, k)) {
            // SAFETY: as the caller promises.
            unsafe {
                if !all_are(at.into, &own, good) {
                    block.mend(at, &self.inner);
                }
            }
        }
    }

    /// A part of the sum of one matrix product, in blocks where operands are copied.
    ///
    /// # Safety
    ///
    /// As for `run`.
    unsafe fn matrix<T: Element>(&self, arrays: Arrays<T>, from: usize, space: &mut Space<T>, threads: usize) {
        let (m, n) = (count(&self.rows), count(&self.columns));
        let inner = self.inner_from(from);
        let depth = count(&inner);
        let row_block = block(&self.rows, &inner, Side::Left);
        let column_block = block(&self.columns, &inner, Side::Right);
        let arrays = self.inner.first().map_or(arrays, |a| arrays.moved(a, from));
        for j in (0..n).step_by(column_block.max(1)) {
            let columns = part(&self.columns, column_block, n - j);
            let at = self.columns.last().map_or(arrays, |a| arrays.moved(a, j));
            // SAFETY: as the caller promises.
            let right = unsafe { space.right.operand(at.right, &columns, &inner, Side::Right) };
            for i in (0..m).step_by(row_block.max(1)) {
                let rows = part(&self.rows, row_block, m - i);
                let at = self.rows.last().map_or(at, |a| at.moved(a, i));
                // SAFETY: as the caller promises.
                let left = unsafe { space.left.operand(at.left, &rows, &inner, Side::Left) };
                let block = Block { rows: &rows, columns: &columns, depth };
                // SAFETY: as the caller promises; the copies hold what the axes of this block read.
                unsafe { block.multiply(at.into, left, right, self.accumulate || from > 0, threads) };
            }
        }
    }
}

/// The greatest divisor of `n` that is more than one and at most `most`; `None` if none is found soon.
fn divisor(n: usize, most: usize) -> Option<usize> {
    (2..=most.min(n)).rev().take(64).find(|d| n.is_multiple_of(*d))
}

/// The number of rows (columns) per block.
fn block(axes: &[Axis], inner: &[Axis], side: Side) -> usize {
    let all = count(axes);
    // Several axes are kept only if they fit.
    if axes.len() != 1 || single(inner, side).is_some() { all } else { (BLOCK / count(inner).max(1)).clamp(1, all) }
}

/// The number of threads available: those of the pool that the run is in.
fn threads() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}

macro_rules! products {
    ($( $name:ident : $t:ty; )*) => {
        $(
            /// `into = left * right`, with `flags` 1 to add to the old values, plus 2 for zeros that win. If `stop` is a flag
            /// that is set meanwhile, the result is incomplete.
            ///
            /// # Safety
            ///
            /// As for [`Problem::run`]; `axes` points to `count` axes, and `stop` to a flag or nowhere.
            unsafe extern "C" fn $name(
                into: *mut $t,
                left: *const $t,
                right: *const $t,
                axes: *const Axis,
                count: i64,
                flags: i64,
                stop: *const AtomicBool,
            ) {
                // SAFETY: compiled code has written so many axes there.
                let axes = unsafe { std::slice::from_raw_parts(axes, count as usize) };
                // SAFETY: compiled code passes addresses of its own buffers, the result's a new one, and the run's flag.
                unsafe { pieces::run(Arrays { into, left, right }, axes, flags, stop.as_ref()) }
            }
        )*

        pub(crate) fn symbols() -> Vec<Symbol> {
            vec![$( Symbol { name: stringify!($name), address: $name as *const u8 } ),*]
        }
    };
}

products! {
    arr_gemm_f32: f32;
    arr_gemm_f64: f64;
}
