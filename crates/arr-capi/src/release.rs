//! Freeing results.

use crate::arguments::{dims, element_count};
use crate::results::free;
use arr_base::Scalar;

/// An array inside a struct.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Bytes from the struct's beginning to the array.
    pub offset: u32,
    /// The number of its [`Scalar`].
    pub elem: u16,
    pub rank: u16,
}

/// Frees the arrays of a result, which are empty afterwards: freeing twice does nothing. Null is allowed.
///
/// # Safety
///
/// `place` is null or leads to a struct with these arrays, each a result that was not freed, or all zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_release(place: *mut u8, fields: *const Field, count: u64) {
    if place.is_null() {
        return;
    }
    for at in 0..count as usize {
        // SAFETY: the compiler wrote as many fields.
        let field = unsafe { fields.add(at).read() };
        let Some(&elem) = Scalar::ALL.get(usize::from(field.elem)) else { continue };
        // SAFETY: an array of this rank is there.
        let array = unsafe { place.add(field.offset as usize) };
        // SAFETY: as above.
        let data = unsafe { array.cast::<*mut u8>().read_unaligned() };
        // SAFETY: as above.
        let sizes = unsafe { dims(array, usize::from(field.rank)) };
        if let Some(count) = element_count(sizes, elem).filter(|&n| n > 0) {
            // SAFETY: as the caller promises.
            unsafe { free(elem, data, count) };
        }
        // SAFETY: as above.
        unsafe { array.write_bytes(0, crate::array_bytes(usize::from(field.rank))) };
    }
}
