//! Products against plain sums of products.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::block::Matrix;

use super::*;
use std::ptr::null;

/// A small generator of numbers (Knuth's constants).
pub(super) struct Lcg(pub(super) u64);

impl Lcg {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    pub(super) fn number(&mut self) -> f64 {
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
pub(super) fn naive(axes: &[Axis], arrays: (&mut [f64], &[f64], &[f64]), flags: i64) {
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
    let flags = rng.below(4) as i64;
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
        arr_gemm_f64(found.as_mut_ptr(), left.as_ptr(), right.as_ptr(), axes.as_ptr(), axes.len() as i64, flags, null())
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

/// A vector times a matrix with rows and with columns next to each other, as either operand.
#[test]
fn vectors_times_matrices() {
    let mut rng = Lcg(11);
    for (n, depth) in [(64, 8), (65, 9), (255, 31), (256, 8), (300, 64), (1030, 70), (2049, 17), (8200, 40)] {
        for flags in 0..4 {
            let (s, e, d) = (n as isize + 3, n as i64, depth as i64);
            let axis = |role, extent, into, left, right| Axis { role, extent, into, left, right };
            let row = [axis(2, e, 1, 0, 1), axis(3, d, 0, 2, s)];
            let column = [axis(1, e, 1, 1, 0), axis(3, d, 0, s, 2)];
            let apart = [axis(2, e, 2, 0, 1), axis(3, d, 0, 2, s)];
            for axes in [row, column, apart] {
                let size = (n + 3) * depth + 2 * n;
                let fill = |rng: &mut Lcg| -> Vec<f64> {
                    (0..size).map(|_| if flags > 0 && rng.below(200) == 0 { f64::NAN } else { rng.number() }).collect()
                };
                let (left, right) = (fill(&mut rng), fill(&mut rng));
                let mut found: Vec<f64> = (0..2 * n).map(|_| rng.number()).collect();
                let mut expected = found.clone();
                naive(&axes, (&mut expected, &left, &right), flags);
                // SAFETY: the arrays hold every point of the axes.
                unsafe {
                    arr_gemm_f64(found.as_mut_ptr(), left.as_ptr(), right.as_ptr(), axes.as_ptr(), 2, flags, null())
                };
                let wrong = found.iter().zip(&expected).position(|(x, y)| !same(*x, *y));
                assert_eq!(wrong, None, "{n} {depth} {flags} {axes:?}");
            }
        }
    }
}

/// Thread CPU time per call of products of n x n matrices, beside `gemm` itself. Run with `--ignored --nocapture`.
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
                            Problem::new::<f64>(&axes, 0).run(arrays);
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
    pool.install(|| unsafe { Problem::new::<f32>(axes, 0).run(arrays) });
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
    // Pieces along either axis, and few columns of rows that are no multiple of a vector.
    for [m, n, k] in [[300, 100, 784], [100, 700, 200], [2100, 16, 130], [1030, 1, 1100], [1, 1030, 1100]] {
        let (rows, columns, depth) = (m as isize, n as isize, k as isize);
        let row_major = [axis(1, m, columns, depth, 0), axis(2, n, 1, 0, 1), axis(3, k, 0, 1, columns)];
        let column_major = [axis(1, m, 1, 1, 0), axis(2, n, rows, 0, depth), axis(3, k, 0, rows, 1)];
        for axes in [&row_major[..], &column_major] {
            let size = [m * n, m * k, k * n];
            let one = bits(1, axes, size);
            assert_eq!(one, bits(2, axes, size), "{m} {n} {k}");
            assert_eq!(one, bits(3, axes, size), "{m} {n} {k}");
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
    // The derivative by the filters: rows in several parts, sums in several parts.
    let filters = [
        axis(1, 16, 25, 324, 0),
        axis(1, 5, 5, 18, 0),
        axis(1, 5, 1, 1, 0),
        axis(2, 12, 400, 0, 196),
        axis(3, 9, 0, 16 * 324, 12 * 196),
        axis(3, 14, 0, 18, 14),
        axis(3, 14, 0, 1, 1),
    ];
    let size = [12 * 400, 9 * 16 * 324, 9 * 12 * 196];
    assert_eq!(bits(1, &filters, size), bits(3, &filters, size));
}
