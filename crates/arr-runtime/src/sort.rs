//! Stable orders of rows. One function per element type.
//!
//! A key is a word of 64 bits in the same order. The upper bits of such a word and the position make one integer: these
//! are sorted in the place of the result, so that a run needs no memory besides its buffers, and an unstable sort gives
//! the stable order. Keys that differ only below the bits that fit are sorted again by those.

use crate::Symbol;
use crate::buffer::{Buffer, Elements};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A piece of so many keys takes some tenths of a second.
const PIECE: usize = 1 << 21;

/// Writes the order of each row of `length` keys into the row of `into` at the same position, unless the flag `stop` is set
/// meanwhile: then the order is not finished.
///
/// # Safety
///
/// Both buffers are alive and have as many elements, `keys` of type `T` and all written, `into` of type `i64`; nothing else
/// uses `into` meanwhile.
unsafe fn argsort<T: Elements + Copy>(
    into: *mut Buffer,
    keys: *const Buffer,
    length: i64,
    word: fn(T) -> u64,
    stop: Option<&AtomicBool>,
) {
    // SAFETY: the buffers are alive.
    let (into, keys) = unsafe { (&*into, &*keys) };
    let Some(length) = usize::try_from(length).ok().filter(|&n| n > 0 && into.len == keys.len) else { return };
    // SAFETY: `len` elements of type `T` have been written there.
    let keys = unsafe { std::slice::from_raw_parts(keys.data.cast::<T>(), keys.len) };
    // SAFETY: the place has `len` elements of 64 bits, and zeros are values of them.
    let places = unsafe {
        into.data.cast::<u64>().write_bytes(0, into.len);
        std::slice::from_raw_parts_mut(into.data.cast::<u64>(), into.len)
    };
    for (row, keys) in places.chunks_mut(length).zip(keys.chunks(length)) {
        order_of(row, keys, word, PIECE, stop);
    }
}

/// Writes the stable order of the keys.
fn order_of<T: Copy>(row: &mut [u64], keys: &[T], word: fn(T) -> u64, piece: usize, stop: Option<&AtomicBool>) {
    let words = || keys.iter().map(|&k| word(k));
    let (Some(low), Some(high)) = (words().min(), words().max()) else { return };
    let key = |at: u64| usize::try_from(at).ok().and_then(|k| keys.get(k)).map_or(0, |&k| word(k) - low);
    let below = u64::BITS - (keys.len() as u64 - 1).leading_zeros();
    row.iter_mut().zip(0..).for_each(|(place, at)| *place = at);
    Rows { key, below, piece, stop }.sort(row, u64::BITS - (high - low).leading_zeros());
}

/// Keys by their position, how many bits a position has, and how to sort integers.
struct Rows<'s, K> {
    key: K,
    below: u32,
    piece: usize,
    stop: Option<&'s AtomicBool>,
}

impl<K: Fn(u64) -> u64> Rows<'_, K> {
    /// Sorts ascending positions by the last `bits` bits of their keys, in which alone they differ.
    fn sort(&self, row: &mut [u64], bits: u32) {
        if row.len() < 2 || bits == 0 {
            return;
        }
        let left = bits.saturating_sub(u64::BITS - self.below);
        for place in row.iter_mut() {
            let upper = lowest((self.key)(*place), bits).unbounded_shr(left);
            *place |= upper.unbounded_shl(self.below);
        }
        match self.stop {
            Some(stop) => sort_in_pieces(row, self.piece, stop),
            None => row.sort_unstable(),
        }
        for run in row.chunk_by_mut(|a, b| a.unbounded_shr(self.below) == b.unbounded_shr(self.below)) {
            run.iter_mut().for_each(|place| *place = lowest(*place, self.below));
            self.sort(run, left);
        }
    }
}

fn lowest(x: u64, bits: u32) -> u64 {
    x & !u64::MAX.unbounded_shl(bits)
}

/// Sorts a row; a long one is first parted into pieces that lie one behind the other. Stops between pieces if the flag
/// is set.
fn sort_in_pieces(row: &mut [u64], piece: usize, stop: &AtomicBool) {
    if stop.load(Relaxed) {
        return;
    }
    if row.len() <= piece.max(1) {
        return row.sort_unstable();
    }
    let (lower, _, upper) = row.select_nth_unstable(row.len() / 2);
    sort_in_pieces(lower, piece, stop);
    sort_in_pieces(upper, piece, stop);
}

/// A word in the order of the integers.
fn of_int(x: impl Into<i64>) -> u64 {
    x.into().cast_unsigned() ^ (1 << 63)
}

/// A word in the order of `arr_math::order`: the two zeros are equal, and so are all NaNs, which are the last.
fn of_float(x: impl Into<f64>) -> u64 {
    let x: f64 = x.into();
    let bits = if x.is_nan() { f64::INFINITY.to_bits() + 1 } else { (x + 0.0).to_bits() };
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

macro_rules! argsorts {
    ($( $name:ident : $ty:ty = $word:expr; )*) => {
        $(
            /// # Safety
            ///
            /// As for [`argsort`]; `stop` points to a flag or nowhere.
            unsafe extern "C" fn $name(into: *mut Buffer, keys: *const Buffer, length: i64, stop: *const AtomicBool) {
                // SAFETY: compiled code passes a buffer of this type and a new one of the same length, and the flag of its run,
                // which outlives it.
                unsafe { argsort::<$ty>(into, keys, length, $word, stop.as_ref()) }
            }
        )*

        /// One row per element type; the name is `arr_argsort_` and the type's name.
        pub(crate) fn symbols() -> Vec<Symbol> {
            vec![$( Symbol { name: stringify!($name), address: $name as *const u8 } ),*]
        }
    };
}

argsorts! {
    arr_argsort_bool: bool = of_int;
    arr_argsort_i32: i32 = of_int;
    arr_argsort_i64: i64 = of_int;
    arr_argsort_u32: u32 = of_int;
    arr_argsort_f32: f32 = of_float;
    arr_argsort_f64: f64 = of_float;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    /// The order that `order_of` finds beside a stable sort by comparisons.
    fn check<T: Copy + std::fmt::Debug>(keys: &[T], word: fn(T) -> u64, order: fn(&T, &T) -> Ordering) {
        let mut expected: Vec<u64> = (0..keys.len() as u64).collect();
        expected.sort_by(|&a, &b| order(&keys[a as usize], &keys[b as usize]));
        for piece in [1, 7, PIECE] {
            for stop in [None, Some(&AtomicBool::new(false))] {
                let mut row = vec![0; keys.len()];
                order_of(&mut row, keys, word, piece, stop);
                assert_eq!(row, expected, "{keys:?}");
            }
        }
    }

    fn random(seed: u64) -> impl Iterator<Item = u64> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state ^ state >> 29
        })
    }

    #[test]
    fn floats_have_their_order() {
        let special =
            [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX, f64::MIN, 5e-324, -5e-324];
        for n in [0, 1, 2, 3, 10, 1000] {
            // Any bits; numbers that differ in the last bits only; few numbers, so that many are equal.
            let any: Vec<f64> = random(n).take(n as usize).map(f64::from_bits).collect();
            let near: Vec<f64> = random(n).take(n as usize).map(|b| f64::from_bits(1.5f64.to_bits() + b % 9)).collect();
            let mixed: Vec<f64> = random(n).take(n as usize).map(|b| special[(b % 10) as usize]).collect();
            let wide: Vec<f64> = near.iter().copied().chain(special).chain(near.iter().map(|x| -x)).collect();
            for keys in [any, near, mixed, wide] {
                check(&keys, of_float, |x, y| arr_math::order(*x, *y));
                let single: Vec<f32> = keys.iter().map(|&x| x as f32).collect();
                check(&single, of_float, |x, y| arr_math::order((*x).into(), (*y).into()));
            }
        }
    }

    #[test]
    fn integers_have_their_order() {
        for n in [0, 1, 2, 3, 10, 1000] {
            let any: Vec<i64> = random(n).take(n as usize).map(|b| b as i64).collect();
            let few: Vec<i64> = any.iter().map(|x| x % 5).collect();
            let far: Vec<i64> = any.iter().map(|x| if x % 2 == 0 { i64::MIN } else { i64::MAX - (x & 3) }).collect();
            for keys in [any, few, far, vec![7; n as usize]] {
                check(&keys, of_int, Ord::cmp);
                check(&keys.iter().map(|&x| x as i32).collect::<Vec<i32>>(), of_int, Ord::cmp);
                check(&keys.iter().map(|&x| x as u32).collect::<Vec<u32>>(), of_int, Ord::cmp);
                check(&keys.iter().map(|&x| x % 2 == 0).collect::<Vec<bool>>(), of_int, Ord::cmp);
            }
        }
    }

    #[test]
    fn nothing_is_sorted_behind_the_flag() {
        let mut row: Vec<u64> = (0..1000).rev().collect();
        sort_in_pieces(&mut row, 10, &AtomicBool::new(true));
        assert_eq!(row.first(), Some(&999));
    }
}
