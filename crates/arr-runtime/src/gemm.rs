//! Matrix products.
//!
//! Compiled code describes a product by its axes (see [`Axis`]): any number of batch, row, column and inner axes with any
//! strides. Axes that follow on each other in memory are joined; of the row axes that are left one is the matrix's, and the
//! others are taken one after the other, as the batch is; columns alike. An operand whose inner axes cannot be joined (a
//! convolution's windows) is copied into a matrix first, a block at a time. The product itself is the crate `gemm`.
//!
//! Results are a function of the operands and the axes alone: `gemm` adds up every element in an order that follows
//! from the sizes, whatever the number of threads, and the split of the batch changes no element.

use crate::Symbol;
use ::gemm::Parallelism;
use rayon::prelude::*;
use smallvec::SmallVec;

/// Operands that are copied are copied in blocks of this many elements: they stay in the second-level cache.
const BLOCK: usize = 1 << 17;
/// Products with fewer multiplications are not split between threads.
const WORTH_A_THREAD: usize = 1 << 17;

/// An axis as compiled code passes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// 0: batch, of all three; 1: row, of the left operand; 2: column, of the right operand; 3: inner, summed over.
    role: i64,
    extent: i64,
    /// Strides in elements; 0 where the axis is not one of the array's.
    into: isize,
    left: isize,
    right: isize,
}

impl Axis {
    fn len(&self) -> usize {
        usize::try_from(self.extent).unwrap_or(0)
    }

    /// Whether one step is as far as the inner axis is long, in every array.
    fn continues(&self, inner: &Axis) -> bool {
        let steps = |outer: isize, step: isize| outer == step.wrapping_mul(inner.extent as isize);
        steps(self.into, inner.into) && steps(self.left, inner.left) && steps(self.right, inner.right)
    }
}

/// A call for a small product must not wait for the allocator.
type Axes = SmallVec<[Axis; 4]>;

/// Which operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn stride(self, axis: &Axis) -> isize {
        match self {
            Side::Left => axis.left,
            Side::Right => axis.right,
        }
    }
}

/// A type of elements.
trait Element: Copy + Send + Sync + 'static {
    const ZERO: Self;
    const ONE: Self;
    fn is_nan(self) -> bool;
    /// `self` plus the product of two factors, of which a zero wins.
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

            fn plus_product(self, x: $t, y: $t) -> $t {
                if x == 0.0 || y == 0.0 { self } else { self + x * y }
            }
        }
    };
}

element!(f32);
element!(f64);

/// Where the three arrays begin; shared between threads, which write different elements.
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

/// A product taken apart: a matrix product at every point of the batch.
#[derive(Default)]
struct Problem {
    batch: Axes,
    /// One, unless the left operand is copied.
    rows: Axes,
    /// One, unless the right operand is copied.
    columns: Axes,
    inner: Axes,
    accumulate: bool,
    zero_wins: bool,
}

fn count(axes: &[Axis]) -> usize {
    axes.iter().fold(1usize, |n, a| n.saturating_mul(a.len()))
}

/// Axes of one role without those of one point, and with those joined that follow on each other.
fn joined(axes: impl Iterator<Item = Axis>) -> Axes {
    let mut out = Axes::new();
    for axis in axes.filter(|a| a.extent != 1) {
        match out.last_mut() {
            Some(last) if last.continues(&axis) => {
                // Next to an empty axis there may be any other.
                *last = Axis { extent: last.extent.saturating_mul(axis.extent), ..axis };
            }
            _ => out.push(axis),
        }
    }
    out
}

/// The stride of axes that an operand walks through as if they were one.
fn single(axes: &[Axis], side: Side) -> Option<isize> {
    let stride = |a: &Axis| side.stride(a);
    let follow = |pair: &[Axis]| match pair {
        [outer, inner] => stride(outer) == stride(inner).wrapping_mul(inner.extent as isize),
        _ => true,
    };
    axes.windows(2).all(follow).then(|| axes.last().map_or(1, stride))
}

impl Problem {
    fn new(axes: &[Axis], flags: i64) -> Problem {
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
            accumulate: flags & 1 != 0,
            zero_wins: flags & 2 != 0,
        };
        let depth = count(&problem.inner);
        let mut rows = std::mem::take(&mut problem.rows);
        problem.keep_matrix(&mut rows, Side::Left, depth);
        let mut columns = std::mem::take(&mut problem.columns);
        problem.keep_matrix(&mut columns, Side::Right, depth);
        (problem.rows, problem.columns) = (rows, columns);
        problem
    }

    /// Leaves the axes of the matrix; the others become batch axes.
    fn keep_matrix(&mut self, axes: &mut Axes, side: Side, depth: usize) {
        let kept = if single(&self.inner, side).is_some() {
            // The longest one.
            let longest = axes.iter().enumerate().max_by_key(|(_, a)| a.extent).map(|(k, _)| k);
            longest.map(|k| axes.remove(k)).into_iter().collect()
        } else {
            // As many from the innermost as follow on each other in the result, and fit a block.
            let mut kept: Axes = axes.pop().into_iter().collect();
            while let (Some(outer), Some(inner)) = (axes.last(), kept.first())
                && outer.into == inner.into.wrapping_mul(inner.extent as isize)
                && count(&kept).saturating_mul(outer.len()).saturating_mul(depth) <= BLOCK
            {
                kept.insert_many(0, axes.pop());
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
        let points = count(&self.batch);
        let work = count(&self.rows).saturating_mul(count(&self.columns)).saturating_mul(count(&self.inner)).max(1);
        let threads = threads();
        // With few points of large products, each is split.
        let together = points < 4 * threads;
        if threads > 1 && !together && work.saturating_mul(points) >= WORTH_A_THREAD {
            let block = (WORTH_A_THREAD / work).max(1);
            (0..points.div_ceil(block)).into_par_iter().for_each(|k| {
                // SAFETY: as the caller promises; every point has its own elements of the result.
                unsafe { self.run_points(arrays, k * block, points.min((k + 1) * block), 1) }
            });
            return;
        }
        let threads = if work >= WORTH_A_THREAD { threads } else { 1 };
        // SAFETY: as the caller promises.
        unsafe { self.run_points(arrays, 0, points, threads) }
    }

    /// # Safety
    ///
    /// As for `run`.
    unsafe fn run_points<T: Element>(&self, arrays: Arrays<T>, from: usize, to: usize, threads: usize) {
        let mut space = Space::default();
        for point in from..to {
            let mut at = arrays;
            let mut left = point;
            for axis in self.batch.iter().rev() {
                at = at.moved(axis, left % axis.len());
                left /= axis.len();
            }
            // SAFETY: as the caller promises.
            unsafe { self.matrix(at, &mut space, threads) };
        }
    }

    /// One matrix product, in blocks where operands are copied.
    ///
    /// # Safety
    ///
    /// As for `run`.
    unsafe fn matrix<T: Element>(&self, arrays: Arrays<T>, space: &mut Space<T>, threads: usize) {
        let depth = count(&self.inner);
        let row_block = self.block(&self.rows, Side::Left, depth);
        let column_block = self.block(&self.columns, Side::Right, depth);
        let (m, n) = (count(&self.rows), count(&self.columns));
        for j in (0..n).step_by(column_block.max(1)) {
            let columns = part(&self.columns, column_block, n - j);
            let at = self.columns.last().map_or(arrays, |a| arrays.moved(a, j));
            // SAFETY: as the caller promises.
            let right = unsafe { self.operand(at.right, &columns, Side::Right, &mut space.right) };
            for i in (0..m).step_by(row_block.max(1)) {
                let rows = part(&self.rows, row_block, m - i);
                let at = self.rows.last().map_or(at, |a| at.moved(a, i));
                // SAFETY: as the caller promises.
                let left = unsafe { self.operand(at.left, &rows, Side::Left, &mut space.left) };
                let block = Block { rows: &rows, columns: &columns, depth };
                // SAFETY: as the caller promises; the copies hold what the axes of this block read.
                unsafe {
                    block.multiply(at.into, left, right, self.accumulate, threads);
                    if self.zero_wins {
                        block.mend(at, &self.inner);
                    }
                }
            }
        }
    }

    /// How many rows (columns) are done at once.
    fn block(&self, axes: &[Axis], side: Side, depth: usize) -> usize {
        let all = count(axes);
        // Several axes are kept only if they fit.
        if axes.len() != 1 || single(&self.inner, side).is_some() { all } else { (BLOCK / depth.max(1)).clamp(1, all) }
    }

    /// The operand's rows (columns) as a matrix: its address, and the strides of rows (columns) and of the inner axis.
    ///
    /// # Safety
    ///
    /// `from` is the address of an array that holds every element of the axes.
    unsafe fn operand<T: Element>(
        &self,
        from: *const T,
        axes: &[Axis],
        side: Side,
        space: &mut Copied<T>,
    ) -> Matrix<T> {
        let stride = |a: &Axis| side.stride(a);
        if let Some(inner) = single(&self.inner, side) {
            return Matrix { data: from, outer: axes.last().map_or(1, stride), inner };
        }
        let (points, depth) = (count(axes), count(&self.inner));
        let key = (from as usize, points);
        if space.key != Some(key) {
            // SAFETY: as the caller promises.
            unsafe { space.fill(from, axes, &self.inner, side) };
            space.key = Some(key);
        }
        let data = space.elements.as_ptr();
        if depth_first(axes, side) {
            Matrix { data, outer: 1, inner: points as isize }
        } else {
            Matrix { data, outer: depth as isize, inner: 1 }
        }
    }
}

/// `most` elements of the last axis, or what is left; several axes as they are.
fn part(axes: &[Axis], most: usize, left: usize) -> Axes {
    match axes {
        [one] => [Axis { extent: one.extent.min(most.min(left) as i64), ..*one }].into_iter().collect(),
        _ => Axes::from_slice(axes),
    }
}

/// Whether a copy has rows (columns) next to each other, which is faster if they are so in the array.
fn depth_first(axes: &[Axis], side: Side) -> bool {
    axes.last().is_some_and(|a| side.stride(a) == 1)
}

/// Copies of operands, kept from one point of the batch to the next.
struct Space<T> {
    left: Copied<T>,
    right: Copied<T>,
}

impl<T> Default for Space<T> {
    fn default() -> Self {
        Space { left: Copied::default(), right: Copied::default() }
    }
}

struct Copied<T> {
    elements: Vec<T>,
    /// What is copied there: where it begins, and how many rows (columns).
    key: Option<(usize, usize)>,
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
    unsafe fn fill(&mut self, from: *const T, axes: &[Axis], inner: &[Axis], side: Side) {
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

#[derive(Clone, Copy)]
struct Matrix<T> {
    data: *const T,
    outer: isize,
    inner: isize,
}

struct Block<'a> {
    rows: &'a [Axis],
    columns: &'a [Axis],
    depth: usize,
}

impl Block<'_> {
    /// # Safety
    ///
    /// The matrices hold the elements of the block, and `into` is nowhere in them.
    unsafe fn multiply<T: Element>(
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
        let parallel = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
        // SAFETY: as the caller promises.
        unsafe {
            ::gemm::gemm(
                m,
                n,
                self.depth,
                into,
                column_stride,
                row_stride,
                accumulate,
                left.data,
                left.inner,
                left.outer,
                right.data,
                right.outer,
                right.inner,
                T::ONE,
                T::ONE,
                false,
                false,
                false,
                parallel,
            );
        }
    }

    /// Where zeros win, a product of zero and infinity (or NaN) is zero. Such a product has made its sum NaN, so only
    /// those sums are taken again.
    ///
    /// # Safety
    ///
    /// As for `Problem::run`.
    unsafe fn mend<T: Element>(&self, arrays: Arrays<T>, inner: &[Axis]) {
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
unsafe fn for_each_point<T>(arrays: Arrays<T>, axes: &[Axis], f: &mut dyn FnMut(Arrays<T>)) {
    let Some((axis, rest)) = axes.split_first() else { return f(arrays) };
    for k in 0..axis.len() {
        // SAFETY: as the caller promises.
        unsafe { for_each_point(arrays.moved(axis, k), rest, f) };
    }
}

/// Threads to work with: those of the pool that the run is in.
fn threads() -> usize {
    if rayon::current_thread_index().is_some() { rayon::current_num_threads() } else { 1 }
}

macro_rules! products {
    ($( $name:ident : $t:ty; )*) => {
        $(
            /// `into = left * right`, with `flags` 1 to add to what is there and 2 for zeros that win.
            ///
            /// # Safety
            ///
            /// As for [`Problem::run`]; `axes` points to `count` axes.
            unsafe extern "C" fn $name(
                into: *mut $t,
                left: *const $t,
                right: *const $t,
                axes: *const Axis,
                count: i64,
                flags: i64,
            ) {
                // SAFETY: compiled code has written so many axes there.
                let axes = unsafe { std::slice::from_raw_parts(axes, count as usize) };
                // SAFETY: compiled code passes addresses of its own buffers, the result's a new one.
                unsafe { Problem::new(axes, flags).run(Arrays { into, left, right }) }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    /// A small generator of numbers (Knuth's constants).
    struct Lcg(u64);

    impl Lcg {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % n
        }

        fn number(&mut self) -> f64 {
            self.below(2001) as f64 / 1000.0 - 1.0
        }
    }

    /// Strides for the axes that an array has, in a random order with gaps; the number of elements.
    fn layout(rng: &mut Lcg, axes: &[Axis], has: fn(i64) -> bool) -> (Vec<isize>, usize) {
        let mut order: Vec<usize> = (0..axes.len()).filter(|&k| has(axes[k].role)).collect();
        if rng.below(3) == 0 {
            for k in (1..order.len()).rev() {
                order.swap(k, rng.below(k as u64 + 1) as usize);
            }
        }
        let mut strides = vec![0; axes.len()];
        let mut size = 1usize;
        for &k in order.iter().rev() {
            strides[k] = size as isize;
            size = size * axes[k].len().max(1) + if rng.below(8) == 0 { 3 } else { 0 };
        }
        (strides, size)
    }

    fn has_into(role: i64) -> bool {
        role != 3
    }

    fn has_left(role: i64) -> bool {
        role != 2
    }

    fn has_right(role: i64) -> bool {
        role != 1
    }

    fn random_axes(rng: &mut Lcg, large: bool) -> Vec<Axis> {
        let extents: &[i64] = if large { &[1, 2, 17, 64, 31] } else { &[0, 1, 2, 3, 5, 7, -1] };
        let mut axes = Vec::new();
        for (role, most) in [(0, 2), (1, 3), (2, 3), (3, 3)] {
            for _ in 0..rng.below(if large { 2 } else { most + 1 }) {
                let extent = extents[rng.below(extents.len() as u64) as usize];
                axes.push(Axis { role, extent, into: 0, left: 0, right: 0 });
            }
        }
        axes
    }

    /// Every element by its definition.
    fn naive(axes: &[Axis], arrays: (&mut [f64], &[f64], &[f64]), flags: i64) {
        let (into, left, right) = arrays;
        let (outer, inner): (Vec<Axis>, Vec<Axis>) = axes.iter().copied().partition(|a| a.role != 3);
        let start = Arrays { into: into.as_mut_ptr(), left: left.as_ptr(), right: right.as_ptr() };
        // SAFETY: the arrays hold every point of the axes.
        unsafe {
            for_each_point(start, &outer, &mut |at| {
                let mut sum = if flags & 1 != 0 { *at.into } else { 0.0 };
                for_each_point(at, &inner, &mut |k| {
                    let zero = *k.left == 0.0 || *k.right == 0.0;
                    sum += if flags & 2 != 0 && zero { 0.0 } else { *k.left * *k.right };
                });
                *at.into = sum;
            });
        }
    }

    fn same(x: f64, y: f64) -> bool {
        x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= 1e-12 * (1.0 + x.abs()) * 64.0
    }

    fn check(rng: &mut Lcg, large: bool) {
        let mut axes = random_axes(rng, large);
        let (into_strides, into_size) = layout(rng, &axes, has_into);
        let (left_strides, left_size) = layout(rng, &axes, has_left);
        let (right_strides, right_size) = layout(rng, &axes, has_right);
        for (k, axis) in axes.iter_mut().enumerate() {
            (axis.into, axis.left, axis.right) = (into_strides[k], left_strides[k], right_strides[k]);
        }
        let flags = rng.below(3) as i64;
        let mut fill = |n: usize, edges: bool| -> Vec<f64> {
            let edge = [f64::INFINITY, f64::NAN, f64::NEG_INFINITY, 0.0];
            let one = |rng: &mut Lcg| match rng.below(30) {
                0 if edges => edge[rng.below(4) as usize],
                1..4 => 0.0,
                _ => rng.number(),
            };
            (0..n).map(|_| one(rng)).collect()
        };
        let edges = flags != 0;
        let (left, right) = (fill(left_size, edges), fill(right_size, edges));
        let mut found = fill(into_size, false);
        let mut expected = found.clone();
        naive(&axes, (&mut expected, &left, &right), flags);
        // SAFETY: the arrays hold every point of the axes, and no two points share an element of the result.
        unsafe {
            arr_gemm_f64(found.as_mut_ptr(), left.as_ptr(), right.as_ptr(), axes.as_ptr(), axes.len() as i64, flags)
        };
        for (k, (x, y)) in found.iter().zip(&expected).enumerate() {
            let text: Vec<_> = axes.iter().map(|a| (a.role, a.extent, a.into, a.left, a.right)).collect();
            assert!(same(*x, *y), "element {k}: {x} instead of {y}; flags {flags}, {text:?}");
        }
    }

    #[test]
    fn products_are_sums_of_products() {
        let mut rng = Lcg(7);
        for _ in 0..4_000 {
            check(&mut rng, false);
        }
        for _ in 0..60 {
            check(&mut rng, true);
        }
    }

    /// Thread CPU time a call of products of n x n matrices, beside `gemm` itself. Run with `--ignored --nocapture`.
    #[test]
    #[ignore = "measures"]
    #[allow(clippy::print_stdout)]
    fn speed() {
        for n in [16usize, 64, 256, 512, 1024] {
            let s = n as isize;
            let axis = |role, into, left, right| Axis { role, extent: n as i64, into, left, right };
            let axes = [axis(1, s, s, 0), axis(2, 1, 0, 1), axis(3, 0, 1, s)];
            let (mut into, left) = (vec![0.0f64; n * n], vec![0.5f64; n * n]);
            let arrays = Arrays { into: into.as_mut_ptr(), left: left.as_ptr(), right: left.as_ptr() };
            let matrix = Matrix { data: left.as_ptr(), outer: s, inner: 1 };
            let right = Matrix { data: left.as_ptr(), outer: 1, inner: s };
            let mut best = [f64::INFINITY; 2];
            for _ in 0..7 {
                for (which, best) in best.iter_mut().enumerate() {
                    let times = (200_000_000 / (n * n * n)).max(1);
                    let start = std::time::Instant::now();
                    for _ in 0..times {
                        // SAFETY: the arrays hold every point of the axes.
                        unsafe {
                            if which == 0 {
                                Problem::new(&axes, 0).run(arrays);
                            } else {
                                let (rows, columns) = (&axes[..1], &axes[1..2]);
                                Block { rows, columns, depth: n }.multiply(arrays.into, matrix, right, false, 1);
                            }
                        }
                    }
                    *best = best.min(start.elapsed().as_secs_f64() / times as f64);
                }
            }
            let rate = |t: f64| 2.0 * (n * n * n) as f64 / t / 1e9;
            println!("{n}: {:.1} GFLOP/s, gemm {:.1}", rate(best[0]), rate(best[1]));
        }
    }

    /// The bits of a result for a number of threads.
    fn bits(threads: usize, axes: &[Axis], size: [usize; 3]) -> Vec<u32> {
        let numbers = |n: usize, seed: u64| -> Vec<f32> {
            let mut rng = Lcg(seed);
            (0..n).map(|_| rng.number() as f32).collect()
        };
        let (mut into, left, right) = (vec![0.0f32; size[0]], numbers(size[1], 1), numbers(size[2], 2));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let arrays = Arrays { into: into.as_mut_ptr(), left: left.as_ptr(), right: right.as_ptr() };
        // SAFETY: the arrays hold every point of the axes.
        pool.install(|| unsafe { Problem::new(axes, 0).run(arrays) });
        into.iter().map(|x| x.to_bits()).collect()
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let axis = |role, extent: usize, into, left, right| Axis { role, extent: extent as i64, into, left, right };
        for n in [1usize, 17, 64, 200, 333, 700] {
            let (m, k) = (n as isize, n as isize);
            let nn = [axis(1, n, m, k, 0), axis(2, n, 1, 0, 1), axis(3, n, 0, 1, m)];
            let tn = [axis(1, n, m, 1, 0), axis(2, n, 1, 0, 1), axis(3, n, 0, m, m)];
            let nt = [axis(1, n, m, k, 0), axis(2, n, 1, 0, k), axis(3, n, 0, 1, 1)];
            let vector = [axis(1, n, 1, k, 0), axis(3, n, 0, 1, 1)];
            for axes in [&nn[..], &tn, &nt, &vector] {
                let size = [n * n, n * n, n * n];
                let one = bits(1, axes, size);
                assert_eq!(one, bits(2, axes, size), "{n}");
                assert_eq!(one, bits(3, axes, size), "{n}");
            }
        }
        // A batch, and windows.
        let batch = [axis(0, 40, 900, 900, 900), axis(1, 30, 30, 30, 0), axis(2, 30, 1, 0, 1), axis(3, 30, 0, 1, 30)];
        let size = [36_000; 3];
        assert_eq!(bits(1, &batch, size), bits(3, &batch, size));
        let windows = [
            axis(0, 8, 28 * 28 * 16, 900, 0),
            axis(1, 28, 28 * 16, 30, 0),
            axis(1, 28, 16, 1, 0),
            axis(2, 16, 1, 0, 9),
            axis(3, 3, 0, 30, 3),
            axis(3, 3, 0, 1, 1),
        ];
        let size = [8 * 28 * 28 * 16, 8 * 900, 16 * 9];
        assert_eq!(bits(1, &windows, size), bits(3, &windows, size));
    }
}
