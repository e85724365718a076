//! Stable orders of rows. One function per element type.
//!
//! Positions with equal keys are ordered by position, so that an unstable in-place sort gives the stable order and a
//! run needs no memory besides its buffers.

use crate::Symbol;
use crate::buffer::{Buffer, Elements};
use std::cmp::Ordering;
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
unsafe fn argsort<T: Elements>(
    into: *mut Buffer,
    keys: *const Buffer,
    length: i64,
    order: fn(&T, &T) -> Ordering,
    stop: Option<&AtomicBool>,
) {
    // SAFETY: the buffers are alive.
    let (into, keys) = unsafe { (&*into, &*keys) };
    let Some(length) = usize::try_from(length).ok().filter(|&n| n > 0 && into.len == keys.len) else { return };
    // SAFETY: `len` elements of type `T` have been written there.
    let keys = unsafe { std::slice::from_raw_parts(keys.data.cast::<T>(), keys.len) };
    for k in 0..into.len {
        // SAFETY: the place is inside the buffer, whose elements are `i64`.
        unsafe { into.data.cast::<i64>().add(k).write((k % length) as i64) };
    }
    // SAFETY: `len` elements of type `i64` have just been written there, and nothing else uses them.
    let positions = unsafe { std::slice::from_raw_parts_mut(into.data.cast::<i64>(), into.len) };
    for (row, keys) in positions.chunks_mut(length).zip(keys.chunks(length)) {
        let compare = |a: &i64, b: &i64| match (keys.get(*a as usize), keys.get(*b as usize)) {
            (Some(x), Some(y)) => order(x, y).then(a.cmp(b)),
            _ => Ordering::Equal,
        };
        match stop {
            Some(stop) => sort_in_pieces(row, PIECE, &compare, stop),
            None => row.sort_unstable_by(compare),
        }
    }
}

/// Sorts a row; a long one is first parted into pieces whose keys lie one behind the other. Stops between pieces if the flag
/// is set.
fn sort_in_pieces(row: &mut [i64], piece: usize, compare: &impl Fn(&i64, &i64) -> Ordering, stop: &AtomicBool) {
    if stop.load(Relaxed) {
        return;
    }
    if row.len() <= piece.max(1) {
        return row.sort_unstable_by(compare);
    }
    let (lower, _, upper) = row.select_nth_unstable_by(row.len() / 2, compare);
    sort_in_pieces(lower, piece, compare, stop);
    sort_in_pieces(upper, piece, compare, stop);
}

macro_rules! argsorts {
    ($( $name:ident : $ty:ty = $order:expr; )*) => {
        $(
            /// # Safety
            ///
            /// As for [`argsort`]; `stop` points to a flag or nowhere.
            unsafe extern "C" fn $name(into: *mut Buffer, keys: *const Buffer, length: i64, stop: *const AtomicBool) {
                // SAFETY: compiled code passes a buffer of this type and a new one of the same length, and the flag of its run,
                // which outlives it.
                unsafe { argsort::<$ty>(into, keys, length, $order, stop.as_ref()) }
            }
        )*

        /// One row per element type; the name is `arr_argsort_` and the type's name.
        pub(crate) fn symbols() -> Vec<Symbol> {
            vec![$( Symbol { name: stringify!($name), address: $name as *const u8 } ),*]
        }
    };
}

argsorts! {
    arr_argsort_bool: bool = Ord::cmp;
    arr_argsort_i32: i32 = Ord::cmp;
    arr_argsort_i64: i64 = Ord::cmp;
    arr_argsort_u32: u32 = Ord::cmp;
    arr_argsort_f32: f32 = |x, y| arr_math::order(f64::from(*x), f64::from(*y));
    arr_argsort_f64: f64 = |x, y| arr_math::order(*x, *y);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_sorted_as_the_whole() {
        let keys: Vec<i64> = (0..1000i64).map(|k| k * 7919 % 101).collect();
        let key = |k: &i64| keys.get(*k as usize).copied();
        let compare = |a: &i64, b: &i64| key(a).cmp(&key(b)).then(a.cmp(b));
        let mut whole: Vec<i64> = (0..1000).collect();
        whole.sort_by(compare);
        for piece in [0, 1, 2, 7, 64, 999, 1000, 5000] {
            let mut row: Vec<i64> = (0..1000).collect();
            sort_in_pieces(&mut row, piece, &compare, &AtomicBool::new(false));
            assert_eq!(row, whole, "{piece}");
        }
        let mut row: Vec<i64> = (0..1000).rev().collect();
        sort_in_pieces(&mut row, 10, &compare, &AtomicBool::new(true));
        assert_eq!(row.first(), Some(&999), "nothing is sorted behind the flag");
    }
}
