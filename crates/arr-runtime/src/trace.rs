//! What compiled code calls to show values.

use crate::Buffer;
use crate::context::Context;
use arr_base::{Scalar, Traced, Traces};

/// The traces of a run, and the types of the values of its places, or of their elements.
#[derive(Debug)]
pub struct Tracing {
    pub traces: Traces,
    pub elems: Vec<Scalar>,
}

/// The elements of a buffer; `None` if they are of another width.
///
/// # Safety
///
/// The buffer is alive, all its elements are written, and if they are as wide as `elem` they are of this type.
unsafe fn elements(buffer: &Buffer, elem: Scalar) -> Option<Traced<'_>> {
    /// # Safety
    ///
    /// As above, for elements of this type.
    unsafe fn slice<T>(buffer: &Buffer) -> Option<&[T]> {
        if buffer.is_empty() {
            return Some(&[]);
        }
        if buffer.width() != size_of::<T>() {
            return None;
        }
        // SAFETY: as the caller promises; memory of buffers is aligned for their elements.
        Some(unsafe { std::slice::from_raw_parts(buffer.data().cast::<T>(), buffer.len()) })
    }
    // SAFETY: as the caller promises.
    unsafe {
        Some(match elem {
            Scalar::Bool => Traced::Bool(slice(buffer)?),
            Scalar::I32 => Traced::I32(slice(buffer)?),
            Scalar::I64 => Traced::I64(slice(buffer)?),
            Scalar::U32 => Traced::U32(slice(buffer)?),
            Scalar::F32 => Traced::F32(slice(buffer)?),
            Scalar::F64 => Traced::F64(slice(buffer)?),
        })
    }
}

/// Shows a scalar, given as its bits.
///
/// # Safety
///
/// `context` is the running context.
pub(crate) unsafe extern "C" fn arr_trace_scalar(context: *mut Context, site: i64, bits: i64) {
    // SAFETY: compiled code passes its own context, which nothing else uses meanwhile.
    let context = unsafe { &mut *context };
    let Some(Tracing { traces, elems }) = context.tracing() else { return };
    let Some(elem) = usize::try_from(site).ok().and_then(|site| elems.get(site)) else { return };
    let site = site as usize;
    let low = bits as u32;
    // A value of each type lies somewhere; which one is shown, the place says.
    let (bools, i32s, i64s) = ([bits & 1 != 0], [low as i32], [bits]);
    let (u32s, f32s, f64s) = ([low], [f32::from_bits(low)], [f64::from_bits(bits as u64)]);
    let data = match elem {
        Scalar::Bool => Traced::Bool(&bools),
        Scalar::I32 => Traced::I32(&i32s),
        Scalar::I64 => Traced::I64(&i64s),
        Scalar::U32 => Traced::U32(&u32s),
        Scalar::F32 => Traced::F32(&f32s),
        Scalar::F64 => Traced::F64(&f64s),
    };
    traces.show(site, || (&[], data));
}

/// Shows an array.
///
/// # Safety
///
/// `context` is the running context; `buffer` is alive and written, with elements of the type of the place; `dims` points
/// to `rank` numbers.
pub(crate) unsafe extern "C" fn arr_trace_array(
    context: *mut Context,
    site: i64,
    buffer: *const Buffer,
    rank: i64,
    dims: *const i64,
) {
    // SAFETY: compiled code passes its own context, which nothing else uses meanwhile.
    let context = unsafe { &mut *context };
    let Some(Tracing { traces, elems }) = context.tracing() else { return };
    let Some(&elem) = usize::try_from(site).ok().and_then(|site| elems.get(site)) else { return };
    // SAFETY: the buffer is alive and written, and of the type of the place.
    let Some(data) = (unsafe { elements(&*buffer, elem) }) else { return };
    // SAFETY: compiled code has written `rank` sizes there.
    let dims = unsafe { std::slice::from_raw_parts(dims, rank as usize) };
    traces.show(site as usize, || (dims, data));
}
