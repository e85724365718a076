//! Products with windows, read in place, against plain sums of products: every kernel that the processor supports.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::tests::{Lcg, naive};
use super::windows::Windows;
use super::*;
use std::ptr::null;

/// A convolution of `b` pictures of `c` channels, `h` by `w`, with `f` filters of `p` by `q`.
struct Convolution {
    b: isize,
    c: isize,
    f: isize,
    h: isize,
    w: isize,
    p: isize,
    q: isize,
}

fn axis(role: i64, extent: isize, into: isize, left: isize, right: isize) -> Axis {
    Axis { role, extent: extent as i64, into, left, right }
}

impl Convolution {
    fn random(rng: &mut Lcg) -> Convolution {
        let mut one = |least: u64, most: u64| (least + rng.below(most - least + 1)) as isize;
        Convolution {
            b: one(1, 5),
            c: one(1, 3),
            f: one(1, 17),
            h: one(1, 9),
            w: one(1, 40),
            p: one(1, 5),
            q: one(1, 6),
        }
    }

    fn padded(&self) -> (isize, isize) {
        (self.h + self.p - 1, self.w + self.q - 1)
    }

    /// The pictures' convolution; `turned` reads the windows backwards, as the derivative by the pictures does. Returns
    /// the numbers of elements, and the start of the left operand.
    fn forward(&self, turned: bool) -> (Vec<Axis>, [usize; 3], isize) {
        let Convolution { b, c, f, h, w, p, q } = *self;
        let (high, wide) = self.padded();
        let sign = if turned { -1 } else { 1 };
        let axes = vec![
            axis(1, b, f * h * w, c * high * wide, 0),
            axis(2, f, h * w, 0, c * p * q),
            axis(1, h, w, wide, 0),
            axis(1, w, 1, 1, 0),
            axis(3, c, 0, high * wide, p * q),
            axis(3, p, 0, sign * wide, q),
            axis(3, q, 0, sign, 1),
        ];
        let start = if turned { (p - 1) * wide + q - 1 } else { 0 };
        (axes, [b * f * h * w, b * c * high * wide, f * c * p * q].map(|n| n as usize), start)
    }

    /// The derivative by the filters.
    fn by_filters(&self) -> (Vec<Axis>, [usize; 3], isize) {
        let Convolution { b, c, f, h, w, p, q } = *self;
        let (high, wide) = self.padded();
        let axes = vec![
            axis(2, f, c * p * q, 0, h * w),
            axis(1, c, p * q, high * wide, 0),
            axis(1, p, q, wide, 0),
            axis(1, q, 1, 1, 0),
            axis(3, b, 0, c * high * wide, f * h * w),
            axis(3, h, 0, wide, w),
            axis(3, w, 0, 1, 1),
        ];
        (axes, [f * c * p * q, b * c * high * wide, b * f * h * w].map(|n| n as usize), 0)
    }

    /// As `forward`, with one channel per group.
    fn in_groups(&self) -> (Vec<Axis>, [usize; 3], isize) {
        let Convolution { b, c, f, h, w, p, q } = *self;
        let (high, wide) = self.padded();
        let axes = vec![
            axis(0, c, f * h * w, high * wide, f * p * q),
            axis(1, b, c * f * h * w, c * high * wide, 0),
            axis(1, h, w, wide, 0),
            axis(1, w, 1, 1, 0),
            axis(2, f, h * w, 0, p * q),
            axis(3, p, 0, wide, q),
            axis(3, q, 0, 1, 1),
        ];
        (axes, [b * c * f * h * w, b * c * high * wide, c * f * p * q].map(|n| n as usize), 0)
    }
}

fn of_role(axes: &[Axis], role: i64) -> Axes {
    joined(axes.iter().filter(|a| a.role == role).copied())
}

fn windows_of(lanes: usize, axes: &[Axis]) -> Option<Windows> {
    let [batch, rows, columns, inner] = [0, 1, 2, 3].map(|role| of_role(axes, role));
    Windows::in_vectors(lanes, (&batch, &rows, &columns, &inner))
}

macro_rules! check {
    ($name:ident, $t:ty, $entry:ident, $most:literal) => {
        /// The number of kernels that computed the product.
        fn $name(rng: &mut Lcg, axes: &[Axis], size: [usize; 3], start: isize, flags: i64) -> usize {
            let edges = [f64::INFINITY, f64::NAN, f64::NEG_INFINITY];
            let mut fill = |n: usize, edge: bool| -> Vec<$t> {
                let one = |rng: &mut Lcg| match rng.below(60) {
                    0 if edge => edges[rng.below(3) as usize],
                    1..6 => 0.0,
                    _ => rng.number(),
                };
                (0..n).map(|_| one(rng) as $t).collect()
            };
            let (left, right, before) = (fill(size[1], flags & 2 != 0), fill(size[2], false), fill(size[0], false));
            let wide = |v: &[$t]| v.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
            let mut expected = wide(&before);
            naive(axes, (&mut expected, &wide(&left)[start as usize..], &wide(&right)), flags);
            let same = |found: &[$t]| {
                for (k, (&x, &y)) in found.iter().zip(&expected).enumerate() {
                    let x = f64::from(x);
                    let close = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= $most * (1.0 + y.abs());
                    assert!(close, "element {k}: {x} instead of {y}; flags {flags}, {axes:?}");
                }
            };
            let mut found = before.clone();
            let from = left.as_ptr().wrapping_offset(start);
            let count = axes.len() as i64;
            // SAFETY: the arrays hold every point of the axes, and no two points share an element of the result.
            unsafe { $entry(found.as_mut_ptr(), from, right.as_ptr(), axes.as_ptr(), count, flags, null()) };
            same(&found);
            if flags & 2 != 0 {
                return 0;
            }
            let mut done = 0;
            for kernels in <$t>::kernels() {
                let Some(windows) = windows_of(kernels.lanes, axes) else { continue };
                let mut found = before.clone();
                let arrays = Arrays { into: found.as_mut_ptr(), left: from, right: right.as_ptr() };
                // SAFETY: as above.
                unsafe { windows.run_by(kernels, arrays, flags & 1 != 0, 1) };
                same(&found);
                done += 1;
            }
            done
        }
    };
}

check!(check_f32, f32, arr_gemm_f32, 1e-4);
check!(check_f64, f64, arr_gemm_f64, 1e-12);

#[test]
fn windows_are_read_where_they_are() {
    let mut rng = Lcg(11);
    let mut done = [0; 4];
    for _ in 0..400 {
        let shape = Convolution::random(&mut rng);
        let forms = [shape.forward(false), shape.forward(true), shape.by_filters(), shape.in_groups()];
        for ((axes, size, start), done) in forms.into_iter().zip(&mut done) {
            let flags = rng.below(4) as i64;
            let turned: Vec<Axis> = axes.iter().map(Axis::exchanged).collect();
            *done += check_f32(&mut rng, &axes, size, start, flags);
            *done += check_f64(&mut rng, &axes, size, start, flags);
            if start == 0 {
                // The operands exchanged: the windows are the right one.
                let size = [size[0], size[2], size[1]];
                *done += check_f64(&mut rng, &turned, size, start, flags & 1);
            }
        }
    }
    // Every form needs no copies, where the processor has vectors.
    assert!(f64::kernels().next().is_none() || done.iter().all(|&n| n > 100), "{done:?}");
}

#[test]
fn sums_of_many_terms_are_taken_in_parts() {
    let mut rng = Lcg(5);
    let shape = Convolution { b: 1, c: 70, f: 5, h: 3, w: 16, p: 3, q: 3 };
    for flags in [0, 1] {
        let (axes, size, start) = shape.forward(false);
        check_f64(&mut rng, &axes, size, start, flags);
    }
    let shape = Convolution { b: 40, c: 2, f: 9, h: 9, w: 21, p: 3, q: 3 };
    let (axes, size, start) = shape.by_filters();
    check_f64(&mut rng, &axes, size, start, 0);
}
