//! Stable orders of rows. One function per element type.
//!
//! Positions with equal keys are ordered by position, so that an unstable in-place sort gives the stable order and a
//! run needs no memory besides its buffers.

use crate::Symbol;
use crate::buffer::{Buffer, Elements};
use std::cmp::Ordering;

/// Writes the order of each row of `length` keys into the row of `into` at the same position.
///
/// # Safety
///
/// Both buffers are alive and have as many elements, `keys` of type `T` and all written, `into` of type `i64`; nothing else
/// uses `into` meanwhile.
unsafe fn argsort<T: Elements>(into: *mut Buffer, keys: *const Buffer, length: i64, order: fn(&T, &T) -> Ordering) {
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
        row.sort_unstable_by(compare);
    }
}

macro_rules! argsorts {
    ($( $name:ident : $ty:ty = $order:expr; )*) => {
        $(
            /// # Safety
            ///
            /// As for [`argsort`].
            unsafe extern "C" fn $name(into: *mut Buffer, keys: *const Buffer, length: i64) {
                // SAFETY: compiled code passes a buffer of this type and a new one of the same length.
                unsafe { argsort::<$ty>(into, keys, length, $order) }
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
