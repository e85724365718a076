//! Sums of products in registers, with operands that are read in place.
//!
//! Three forms. *Along*: vectors of results lie along a line of the result and of one operand, and elements of the
//! other operand, packed, are multiplied by them one by one. *Across*: vectors lie along a line of the sum, in both
//! operands, and are added up at the end. In neither do the terms of a sum need a common stride: each is at an offset
//! of its own. *Unpacked*: as along, with terms a stride apart and the other operand read in place. Lines that are no
//! multiple of a vector end with a vector of which only some lanes are read and written.

use super::Arrays;

/// Lines per tile along.
pub(super) const LINES: usize = 3;
/// Rows per tile across.
pub(super) const ROWS: usize = 4;

/// `into[line + column] (+)= sum over terms of left[line + term] * right[term][column]`, for every lane of vectors.
pub(super) struct Along<'a, T> {
    /// The left operand and the result.
    pub(super) arrays: Arrays<T>,
    /// The starts of lines in the left operand and the result: one to [`LINES`].
    pub(super) lines: &'a [(isize, isize)],
    /// The offsets of terms in the left operand.
    pub(super) terms: &'a [isize],
    /// The right operand: `width` elements for every term.
    pub(super) right: *const T,
    pub(super) width: usize,
    /// The offsets of columns in the result: one to `width`.
    pub(super) columns: &'a [isize],
    /// Lanes in use.
    pub(super) lanes: usize,
    pub(super) accumulate: bool,
}

/// `into[row + column] (+)= sum over lines and lanes of left[row + line] * right[column + line]`.
pub(super) struct Across<'a, T> {
    pub(super) arrays: Arrays<T>,
    /// The offsets of rows in the left operand and the result: one to [`ROWS`].
    pub(super) rows: &'a [(isize, isize)],
    /// The offsets of columns in the right operand and the result: one to `width`.
    pub(super) columns: &'a [(isize, isize)],
    /// The number of columns computed: the surplus over `columns` is wasted.
    pub(super) width: usize,
    /// The starts of lines in the left and the right operand.
    pub(super) lines: &'a [(isize, isize)],
    /// Lanes in use.
    pub(super) lanes: usize,
    pub(super) accumulate: bool,
}

/// `into[k, column] (+)= sum over terms of left[k, term] * right[term, column]`, for the lanes `k` of vectors next to each other.
pub(super) struct Unpacked<T> {
    pub(super) into: *mut T,
    /// The stride of columns in the result.
    pub(super) into_column: isize,
    pub(super) left: *const T,
    /// The stride of terms in the left operand.
    pub(super) left_term: isize,
    pub(super) right: *const T,
    pub(super) right_term: isize,
    pub(super) right_column: isize,
    pub(super) terms: usize,
    /// One to [`LINES`].
    pub(super) vectors: usize,
    /// Lanes in use of the last vector; the others use all.
    pub(super) lanes: usize,
    /// One to [`Kernels::most_columns`].
    pub(super) columns: usize,
    pub(super) accumulate: bool,
}

/// The kernels of a processor. The functions return whether there is a NaN among the results.
pub(super) struct Kernels<T> {
    /// Elements of a vector.
    pub(super) lanes: usize,
    /// The numbers of columns that `along` supports, the largest first.
    pub(super) along_widths: &'static [usize],
    pub(super) across_widths: &'static [usize],
    /// # Safety
    ///
    /// Every element that is named exists, the processor supports the kernel, the width is one of those above, and
    /// nothing else uses the elements of `into` meanwhile.
    pub(super) along: unsafe fn(&Along<'_, T>) -> bool,
    /// # Safety
    ///
    /// As for `along`.
    pub(super) across: unsafe fn(&Across<'_, T>) -> bool,
    /// The maximal number of columns of `unpacked`.
    pub(super) most_columns: usize,
    /// # Safety
    ///
    /// As for `along`.
    pub(super) unpacked: unsafe fn(&Unpacked<T>),
}

/// A type of elements that has kernels.
pub(super) trait Vectors: Sized + 'static {
    /// The kernels that this processor supports, the best first.
    fn kernels() -> impl Iterator<Item = &'static Kernels<Self>>;
}

#[cfg(not(target_arch = "x86_64"))]
impl<T: 'static> Vectors for T {
    fn kernels() -> impl Iterator<Item = &'static Kernels<T>> {
        std::iter::empty()
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! vectors {
    ($( $t:ty: $wide:ident, $narrow:ident; )*) => {
        $(
            impl Vectors for $t {
                fn kernels() -> impl Iterator<Item = &'static Kernels<$t>> {
                    let wide = is_x86_feature_detected!("avx512f").then_some(&$wide::KERNELS);
                    let narrow = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
                    wide.into_iter().chain(narrow.then_some(&$narrow::KERNELS))
                }
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
vectors! {
    f32: wide_f32, narrow_f32;
    f64: wide_f64, narrow_f64;
}

/// The kernels of a type for a set of instructions: the widths of tiles that fit its registers, and its operations.
#[cfg(target_arch = "x86_64")]
macro_rules! kernels {
    (
        $name:ident, $t:ty, $features:literal, $vector:ty, $lanes:literal, $mask:ty,
        along $( $along:literal )+, across $( $across:literal )+,
        unpacked $most:literal $( $columns:literal )*,
        $of:expr, $load:expr, $store:expr, $zero:ident, $all:ident, $element:expr, $fma:ident, $add:ident, $has_nan:expr
    ) => {
        mod $name {
            use super::{Across, Along, Kernels, LINES, ROWS, Unpacked};
            use std::arch::x86_64::*;

            pub(super) static KERNELS: Kernels<$t> = Kernels {
                lanes: $lanes,
                along_widths: &[$( $along ),+],
                across_widths: &[$( $across ),+],
                along,
                across,
                most_columns: $most,
                unpacked,
            };

            /// # Safety
            ///
            /// As for [`Kernels::along`].
            #[target_feature(enable = $features)]
            unsafe fn along(a: &Along<'_, $t>) -> bool {
                // SAFETY: as the caller promises.
                unsafe {
                    match a.width {
                        $( $along => along_by::<$along>(a), )+
                        _ => false,
                    }
                }
            }

            /// # Safety
            ///
            /// As for [`Kernels::along`].
            #[target_feature(enable = $features)]
            unsafe fn across(a: &Across<'_, $t>) -> bool {
                // SAFETY: as the caller promises.
                unsafe {
                    match a.width {
                        $( $across => across_by::<$across>(a), )+
                        _ => false,
                    }
                }
            }

            /// # Safety
            ///
            /// As for [`Kernels::along`].
            #[target_feature(enable = $features)]
            unsafe fn unpacked(a: &Unpacked<$t>) {
                // SAFETY: as the caller promises.
                unsafe {
                    match a.columns {
                        $most => unpacked_by::<$most>(a),
                        $( $columns => unpacked_by::<$columns>(a), )*
                        _ => {}
                    }
                }
            }

            /// # Safety
            ///
            /// As for [`Kernels::along`].
            #[target_feature(enable = $features)]
            unsafe fn unpacked_by<const N: usize>(a: &Unpacked<$t>) {
                // SAFETY: as the caller promises.
                unsafe {
                    match a.vectors {
                        1 => unpacked_of::<1, N>(a),
                        2 => unpacked_of::<2, N>(a),
                        _ => unpacked_of::<LINES, N>(a),
                    }
                }
            }

            /// # Safety
            ///
            /// As for [`Kernels::along`].
            #[target_feature(enable = $features)]
            unsafe fn unpacked_of<const L: usize, const N: usize>(a: &Unpacked<$t>) {
                let (all, last): ($mask, $mask) = ($of($lanes), $of(a.lanes));
                let column = |n: usize| a.right.wrapping_offset(a.right_column.wrapping_mul(n as isize));
                let columns: [*const $t; N] = std::array::from_fn(column);
                let (mut left, mut at) = (a.left, 0isize);
                let mut sums = [[$zero(); N]; L];
                for _ in 0..a.terms {
                    // SAFETY: the lanes in use are there.
                    let vector = |k: usize| unsafe {
                        $load(left.wrapping_add(k.wrapping_mul($lanes)), if k + 1 == L { last } else { all })
                    };
                    let vectors: [$vector; L] = std::array::from_fn(vector);
                    for n in 0..N {
                        // SAFETY: every column has this term.
                        let factor = unsafe { $element(columns[n].wrapping_offset(at)) };
                        for k in 0..L {
                            sums[k][n] = $fma(vectors[k], factor, sums[k][n]);
                        }
                    }
                    left = left.wrapping_offset(a.left_term);
                    at = at.wrapping_add(a.right_term);
                }
                for n in 0..N {
                    let into = a.into.wrapping_offset(a.into_column.wrapping_mul(n as isize));
                    for k in 0..L {
                        let mask = if k + 1 == L { last } else { all };
                        let (at, sum) = (into.wrapping_add(k.wrapping_mul($lanes)), sums[k][n]);
                        // SAFETY: the lanes in use are there.
                        unsafe { $store(at, mask, if a.accumulate { $add($load(at, mask), sum) } else { sum }) };
                    }
                }
            }

            /// # Safety
            ///
            /// As for [`Kernels::along`].
            #[target_feature(enable = $features)]
            unsafe fn along_by<const N: usize>(a: &Along<'_, $t>) -> bool {
                let mask: $mask = $of(a.lanes);
                // Missing lines are computed like the first one.
                let mut starts = [a.arrays.left; LINES];
                for (start, &(left, _)) in starts.iter_mut().zip(a.lines) {
                    *start = a.arrays.left.wrapping_offset(left);
                }
                for k in a.lines.len()..LINES {
                    starts[k] = starts[0];
                }
                let mut sums = [[$zero(); N]; LINES];
                let mut right = a.right;
                for &term in a.terms {
                    let mut vectors = [$zero(); LINES];
                    for (vector, start) in vectors.iter_mut().zip(&starts) {
                        // SAFETY: the lanes in use are there.
                        *vector = unsafe { $load(start.wrapping_offset(term), mask) };
                    }
                    for n in 0..N {
                        // SAFETY: there are so many elements for every term.
                        let factor = $all(unsafe { *right.add(n) });
                        for (sums, &vector) in sums.iter_mut().zip(&vectors) {
                            sums[n] = $fma(vector, factor, sums[n]);
                        }
                    }
                    right = right.wrapping_add(N);
                }
                let mut nan = false;
                for (sums, &(_, line)) in sums.iter().zip(a.lines) {
                    for (&sum, &column) in sums.iter().zip(a.columns) {
                        let at = a.arrays.into.wrapping_offset(line.wrapping_add(column));
                        // SAFETY: the lanes in use are there.
                        unsafe {
                            let sum = if a.accumulate { $add($load(at, mask), sum) } else { sum };
                            nan |= $has_nan(sum);
                            $store(at, mask, sum);
                        }
                    }
                }
                nan
            }

            /// # Safety
            ///
            /// As for [`Kernels::along`].
            #[target_feature(enable = $features)]
            unsafe fn across_by<const N: usize>(a: &Across<'_, $t>) -> bool {
                let mask: $mask = $of(a.lanes);
                let (mut rows, mut columns) = ([a.arrays.left; ROWS], [a.arrays.right; N]);
                for (start, &(left, _)) in rows.iter_mut().zip(a.rows) {
                    *start = a.arrays.left.wrapping_offset(left);
                }
                for (start, &(right, _)) in columns.iter_mut().zip(a.columns) {
                    *start = a.arrays.right.wrapping_offset(right);
                }
                for k in a.rows.len()..ROWS {
                    rows[k] = rows[0];
                }
                for k in a.columns.len()..N {
                    columns[k] = columns[0];
                }
                let mut sums = [[$zero(); N]; ROWS];
                for &(left, right) in a.lines {
                    let mut vectors = [$zero(); ROWS];
                    for (vector, start) in vectors.iter_mut().zip(&rows) {
                        // SAFETY: the lanes in use are there.
                        *vector = unsafe { $load(start.wrapping_offset(left), mask) };
                    }
                    for (n, start) in columns.iter().enumerate() {
                        // SAFETY: as above.
                        let factor = unsafe { $load(start.wrapping_offset(right), mask) };
                        for (sums, &vector) in sums.iter_mut().zip(&vectors) {
                            sums[n] = $fma(vector, factor, sums[n]);
                        }
                    }
                }
                let all = $of($lanes);
                let mut lanes = [[[0.0; $lanes]; N]; ROWS];
                for (lanes, sums) in lanes.iter_mut().zip(&sums) {
                    for (lanes, &sum) in lanes.iter_mut().zip(sums) {
                        // SAFETY: there is room for a vector.
                        unsafe { $store(lanes.as_mut_ptr(), all, sum) };
                    }
                }
                let mut nan = false;
                for (lanes, &(_, row)) in lanes.iter_mut().zip(a.rows) {
                    for (lanes, &(_, column)) in lanes.iter_mut().zip(a.columns) {
                        let at = a.arrays.into.wrapping_offset(row.wrapping_add(column));
                        let sum = total(lanes);
                        // SAFETY: the element of the result is there.
                        unsafe {
                            *at = if a.accumulate { *at + sum } else { sum };
                            nan |= (*at).is_nan();
                        }
                    }
                }
                nan
            }

            /// The sum of a power of two of elements, pair by pair.
            #[inline(always)]
            fn total(lanes: &mut [$t; $lanes]) -> $t {
                let mut half = $lanes / 2;
                while half > 0 {
                    for k in 0..half {
                        lanes[k] += lanes[k + half];
                    }
                    half /= 2;
                }
                lanes[0]
            }
        }
    };
}

/// The lanes in use of a vector of 256 bits: `maskload` tests the highest bit of each.
#[cfg(target_arch = "x86_64")]
static LANES_32: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
#[cfg(target_arch = "x86_64")]
static LANES_64: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];

#[cfg(target_arch = "x86_64")]
kernels! {
    wide_f32, f32, "avx512f", __m512, 16, __mmask16, along 8 4, across 6 5, unpacked 8 7 6 5 4 3 2 1,
    |lanes: usize| ((1u32 << lanes) - 1) as __mmask16,
    |at: *const f32, mask| _mm512_maskz_loadu_ps(mask, at),
    |at: *mut f32, mask, x| _mm512_mask_storeu_ps(at, mask, x),
    _mm512_setzero_ps, _mm512_set1_ps,
    |at| _mm512_broadcastss_ps(_mm_load_ss(at)), _mm512_fmadd_ps, _mm512_add_ps,
    |x| _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x) != 0
}

#[cfg(target_arch = "x86_64")]
kernels! {
    wide_f64, f64, "avx512f", __m512d, 8, __mmask8, along 8 4, across 6 5, unpacked 8 7 6 5 4 3 2 1,
    |lanes: usize| ((1u32 << lanes) - 1) as __mmask8,
    |at: *const f64, mask| _mm512_maskz_loadu_pd(mask, at),
    |at: *mut f64, mask, x| _mm512_mask_storeu_pd(at, mask, x),
    _mm512_setzero_pd, _mm512_set1_pd,
    |at| _mm512_broadcastsd_pd(_mm_load_sd(at)), _mm512_fmadd_pd, _mm512_add_pd,
    |x| _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(x, x) != 0
}

#[cfg(target_arch = "x86_64")]
kernels! {
    narrow_f32, f32, "avx2,fma", __m256, 8, __m256i, along 4, across 3, unpacked 4 3 2 1,
    // SAFETY: so many numbers follow there.
    |lanes: usize| unsafe { _mm256_loadu_si256(super::LANES_32.as_ptr().wrapping_add(8 - lanes).cast()) },
    |at: *const f32, mask| _mm256_maskload_ps(at, mask),
    |at: *mut f32, mask, x| _mm256_maskstore_ps(at, mask, x),
    _mm256_setzero_ps, _mm256_set1_ps,
    |at| _mm256_broadcastss_ps(_mm_load_ss(at)), _mm256_fmadd_ps, _mm256_add_ps,
    |x| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(x, x)) != 0
}

#[cfg(target_arch = "x86_64")]
kernels! {
    narrow_f64, f64, "avx2,fma", __m256d, 4, __m256i, along 4, across 3, unpacked 4 3 2 1,
    // SAFETY: so many numbers follow there.
    |lanes: usize| unsafe { _mm256_loadu_si256(super::LANES_64.as_ptr().wrapping_add(4 - lanes).cast()) },
    |at: *const f64, mask| _mm256_maskload_pd(at, mask),
    |at: *mut f64, mask, x| _mm256_maskstore_pd(at, mask, x),
    _mm256_setzero_pd, _mm256_set1_pd,
    |at| _mm256_broadcastsd_pd(_mm_load_sd(at)), _mm256_fmadd_pd, _mm256_add_pd,
    |x| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_UNORD_Q>(x, x)) != 0
}
