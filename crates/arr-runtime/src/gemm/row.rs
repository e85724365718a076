//! A vector times a matrix whose rows are read in place: `into[j] (+)= sum over k of left[k] * right[k, j]`.
//!
//! It takes as long as reading the matrix, if that is read row by row: a few rows at a time are added to a stretch of
//! the result, which stays in the nearest cache. Stretches are divided between threads; their length follows from that
//! of the result, and every element is summed in the order of the terms.

use super::Element;
use super::call::Call;

/// Rows that are added at once: as many as can be streamed side by side at full speed.
const ROWS: usize = 8;
/// Shorter results are left to others.
const LEAST_COLUMNS: usize = 64;
/// The range of lengths of a stretch: its part of a row should be long enough to stream, and it should stay in the
/// cache.
const STRETCH: (usize, usize) = (256, 2048);
/// The approximate number of stretches between these limits.
const STRETCHES: usize = 4;

/// The functions of a processor.
pub(super) struct Adders<T> {
    /// Adds [`ROWS`] rows to a stretch, the first at an address and the others a stride apart, each times its factor.
    ///
    /// # Safety
    ///
    /// The rows have as many elements as the stretch, and the processor supports the function.
    many: unsafe fn(&mut [T], *const T, isize, &[T; ROWS]),
    /// One row.
    ///
    /// # Safety
    ///
    /// As for `many`.
    one: unsafe fn(&mut [T], *const T, isize, &[T; 1]),
}

/// A type of elements whose rows can be added.
pub(super) trait Rows: Sized + 'static {
    fn adders() -> Option<&'static Adders<Self>>;
}

/// # Safety
///
/// The rows have as many elements as the stretch.
#[inline(always)]
unsafe fn add<T: Copy, const N: usize>(
    into: &mut [T],
    first: *const T,
    stride: isize,
    factors: &[T; N],
    fma: impl Fn(T, T, T) -> T,
) {
    let len = into.len();
    // SAFETY: as the caller promises.
    let row =
        |k: usize| unsafe { std::slice::from_raw_parts(first.wrapping_offset(stride.wrapping_mul(k as isize)), len) };
    let rows: [&[T]; N] = std::array::from_fn(row);
    for (j, sum) in into.iter_mut().enumerate() {
        let mut next = *sum;
        for (row, &factor) in rows.iter().zip(factors) {
            if let Some(&x) = row.get(j) {
                next = fma(factor, x, next);
            }
        }
        *sum = next;
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! adders {
    ($( $name:ident $t:ty, $features:literal; )*) => {
        $(
            mod $name {
                use super::{Adders, ROWS, add};

                pub(super) static ADDERS: Adders<$t> = Adders { many: by::<ROWS>, one: by::<1> };

                /// # Safety
                ///
                /// As for [`Adders`].
                #[target_feature(enable = $features)]
                unsafe fn by<const N: usize>(into: &mut [$t], first: *const $t, stride: isize, factors: &[$t; N]) {
                    // SAFETY: as the caller promises.
                    unsafe { add(into, first, stride, factors, |a: $t, b: $t, c: $t| a.mul_add(b, c)) }
                }
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
adders! {
    wide_f64 f64, "avx512f,fma";
    wide_f32 f32, "avx512f,fma";
    narrow_f64 f64, "avx2,fma";
    narrow_f32 f32, "avx2,fma";
}

#[cfg(target_arch = "x86_64")]
macro_rules! rows {
    ($( $t:ty: $wide:ident $narrow:ident; )*) => {
        $(
            impl Rows for $t {
                fn adders() -> Option<&'static Adders<$t>> {
                    let narrow = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
                    let wide = narrow && is_x86_feature_detected!("avx512f");
                    if wide { Some(&$wide::ADDERS) } else { narrow.then_some(&$narrow::ADDERS) }
                }
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
rows! {
    f64: wide_f64 narrow_f64;
    f32: wide_f32 narrow_f32;
}

#[cfg(not(target_arch = "x86_64"))]
impl<T: 'static> Rows for T {
    fn adders() -> Option<&'static Adders<T>> {
        None
    }
}

/// Such a product.
pub(super) struct RowProduct<T: 'static> {
    /// With one row.
    call: Call<T>,
    adders: &'static Adders<T>,
}

impl<T: Element> RowProduct<T> {
    /// The product, if it has this form: unchanged, or with rows and columns exchanged.
    pub(super) fn new(call: Call<T>) -> Option<RowProduct<T>> {
        let call = if call.m == 1 { call } else { Some(call.transposed()).filter(|c| c.m == 1)? };
        let rows_as_they_are = call.right.2 == 1 && call.into_strides.1 == 1;
        let worth = call.n >= LEAST_COLUMNS && call.depth >= ROWS;
        (rows_as_they_are && worth).then_some(RowProduct { call, adders: T::adders()? })
    }

    /// # Safety
    ///
    /// As for [`Call::in_pieces`].
    pub(super) unsafe fn run(&self, threads: usize) {
        let n = self.call.n;
        let length = n.div_ceil(STRETCHES).next_multiple_of(LEAST_COLUMNS).clamp(STRETCH.0, STRETCH.1);
        let stretch = |k: usize| {
            let from = k * length;
            // SAFETY: as the caller promises; stretches have elements of their own.
            unsafe { self.stretch(from, length.min(n - from)) }
        };
        let count = n.div_ceil(length);
        if threads > 1 && count > 1 {
            crate::team::for_each(count, &stretch);
        } else {
            (0..count).for_each(stretch);
        }
    }

    /// # Safety
    ///
    /// As for `run`; there are so many columns from the first on.
    unsafe fn stretch(&self, from: usize, length: usize) {
        let Call { into, left: (left, _, term), right: (right, stride, _), depth, .. } = self.call;
        // SAFETY: as the caller promises: nothing else uses these elements.
        let into = unsafe { std::slice::from_raw_parts_mut(into.wrapping_add(from), length) };
        if !self.call.accumulate {
            into.fill(T::ZERO);
        }
        // SAFETY: as the caller promises: the left operand has every term.
        let factor = |k: usize| unsafe { *left.wrapping_offset(term.wrapping_mul(k as isize)) };
        let row = |k: usize| right.wrapping_offset(stride.wrapping_mul(k as isize)).wrapping_add(from);
        let whole = depth / ROWS * ROWS;
        for k in (0..whole).step_by(ROWS) {
            let factors: [T; ROWS] = std::array::from_fn(|i| factor(k + i));
            // SAFETY: as the caller promises; the processor is one for these functions.
            unsafe { (self.adders.many)(into, row(k), stride, &factors) };
        }
        for k in whole..depth {
            // SAFETY: as above.
            unsafe { (self.adders.one)(into, row(k), stride, &[factor(k)]) };
        }
    }
}
