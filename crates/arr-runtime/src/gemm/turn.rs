//! Matrix transposition: copies with rows and columns exchanged.
//!
//! Squares of as many rows as a vector has lanes are exchanged in registers: in step `s` of 1, 2, 4, .. vectors that
//! are `s` apart exchange the lanes in which they differ from where these belong, so that a square of 16 takes four
//! steps (Eklundh, "A Fast Computer Method for Matrix Transposing", 1972). Elements outside squares are copied one by
//! one.

/// A type of elements whose squares are transposed in registers where the processor supports it.
pub(super) trait Turn: Copy {
    /// The rows and columns of a square; 0 if there are none.
    fn square() -> usize;

    /// Copies a square: element `j` of row `i` becomes element `i` of row `j`. Rows are `step` elements apart.
    ///
    /// # Safety
    ///
    /// There are so many elements and places, apart from each other, and `square` is not 0.
    unsafe fn turn_square(from: *const Self, step: isize, into: *mut Self, into_step: usize);
}

/// Copies `rows` rows of `columns` elements next to each other, `step` apart, so that `into` has `columns` rows, `into_step`
/// elements apart.
///
/// # Safety
///
/// There are so many elements and places, apart from each other.
pub(super) unsafe fn turned<T: Turn>(
    (from, step): (*const T, isize),
    (rows, columns): (usize, usize),
    (into, into_step): (*mut T, usize),
) {
    let square = T::square();
    let whole = |n: usize| n.checked_div(square).unwrap_or(0) * square;
    let start = |i: usize| from.wrapping_offset(step.wrapping_mul(i as isize));
    let one_by_one = |i: usize, columns: std::ops::Range<usize>| {
        for j in columns {
            // SAFETY: as the caller promises.
            unsafe { *into.wrapping_add(j * into_step + i) = *start(i).wrapping_add(j) };
        }
    };
    for i in (0..whole(rows)).step_by(square.max(1)) {
        for j in (0..whole(columns)).step_by(square.max(1)) {
            // SAFETY: as the caller promises; the square is inside.
            unsafe { T::turn_square(start(i).wrapping_add(j), step, into.wrapping_add(j * into_step + i), into_step) };
        }
    }
    (0..whole(rows)).for_each(|i| one_by_one(i, whole(columns)..columns));
    (whole(rows)..rows).for_each(|i| one_by_one(i, 0..columns));
}

macro_rules! turn {
    ($( $t:ty: $name:ident, $vector:ty, $lanes:literal, steps $( $step:literal )+, $index:ty, $load:ident, $store:ident, $indices:ident, $pick:ident; )*) => {
        $(
            impl Turn for $t {
                fn square() -> usize {
                    #[cfg(target_arch = "x86_64")]
                    if is_x86_feature_detected!("avx512f") {
                        return $lanes;
                    }
                    0
                }

                // SAFETY: the caller promises what the trait asks for.
                unsafe fn turn_square(from: *const $t, step: isize, into: *mut $t, into_step: usize) {
                    // SAFETY: as the caller promises; there are squares on processors with AVX-512 only.
                    #[cfg(target_arch = "x86_64")]
                    unsafe {
                        $name::square(from, step, into, into_step)
                    }
                    #[cfg(not(target_arch = "x86_64"))]
                    let _ = (from, step, into, into_step);
                }
            }

            #[cfg(target_arch = "x86_64")]
            mod $name {
                use std::arch::x86_64::*;

                /// The sources of the lanes of vectors `s` apart; those of the second vector count on from the first's.
                const fn lanes(s: usize, second: bool) -> [$index; $lanes] {
                    let (mut out, mut lane) = ([0; $lanes], 0);
                    while lane < $lanes {
                        let own = if second { lane + $lanes } else { lane };
                        let stays = (lane & s != 0) == second;
                        out[lane] = match (stays, second) {
                            (true, _) => own as $index,
                            (false, true) => (lane + s) as $index,
                            (false, false) => (lane + $lanes - s) as $index,
                        };
                        lane += 1;
                    }
                    out
                }

                #[target_feature(enable = "avx512f")]
                #[inline]
                fn step<const S: usize>(rows: [$vector; $lanes]) -> [$vector; $lanes] {
                    let (first, second) = const { (&lanes(S, false), &lanes(S, true)) };
                    // SAFETY: the arrays are as long as a vector.
                    let (first, second) =
                        unsafe { ($indices(first.as_ptr().cast()), $indices(second.as_ptr().cast())) };
                    std::array::from_fn(|i| {
                        if i & S == 0 {
                            $pick(rows[i], first, rows[i + S])
                        } else {
                            $pick(rows[i - S], second, rows[i])
                        }
                    })
                }

                /// # Safety
                ///
                /// As for [`super::Turn::turn_square`], on a processor with AVX-512.
                #[target_feature(enable = "avx512f")]
                pub(super) unsafe fn square(from: *const $t, step: isize, into: *mut $t, into_step: usize) {
                    // SAFETY: as the caller promises.
                    let row = |i: usize| unsafe { $load(from.wrapping_offset(step.wrapping_mul(i as isize))) };
                    let rows = steps(std::array::from_fn(row));
                    for (j, &row) in rows.iter().enumerate() {
                        // SAFETY: as the caller promises.
                        unsafe { $store(into.wrapping_add(j.wrapping_mul(into_step)), row) };
                    }
                }

                #[target_feature(enable = "avx512f")]
                #[inline]
                fn steps(mut rows: [$vector; $lanes]) -> [$vector; $lanes] {
                    $( rows = step::<$step>(rows); )+
                    rows
                }
            }
        )*
    };
}

turn! {
    f32: square_f32, __m512, 16, steps 1 2 4 8, i32, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_loadu_epi32, _mm512_permutex2var_ps;
    f64: square_f64, __m512d, 8, steps 1 2 4, i64, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_loadu_epi64, _mm512_permutex2var_pd;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Turn + PartialEq + std::fmt::Debug>(number: fn(usize) -> T) {
        for (rows, columns) in [(0, 3), (1, 1), (5, 16), (16, 16), (17, 40), (33, 8), (48, 100), (8, 8), (7, 64)] {
            let (step, into_step) = (columns + 3, rows + 1);
            let from: Vec<T> = (0..rows * step).map(number).collect();
            let mut into = vec![number(0); columns * into_step];
            // SAFETY: there are so many elements and places.
            unsafe { turned((from.as_ptr(), step as isize), (rows, columns), (into.as_mut_ptr(), into_step)) };
            for (j, row) in into.chunks_exact(into_step).enumerate() {
                let expected: Vec<T> = (0..rows).map(|i| number(i * step + j)).chain([number(0)]).collect();
                assert_eq!(row, expected, "{rows} {columns} {j}");
            }
        }
    }

    #[test]
    fn rows_become_columns() {
        check(|k| k as f32);
        check(|k| k as f64);
    }
}
