//! Results: taken from the run, then written to the caller's destinations, all or none.

use crate::arguments::{elements, place_of};
use crate::description::{At, Description, Elem, Output};
use crate::fault::Fault;
use arr_runtime::{Buffer, Context, Elements};
use std::mem::ManuallyDrop;

/// A leaf of the result.
enum Taken {
    Scalar(Elem, u64),
    Array(Owned, Vec<i64>),
}

/// Elements that the caller is to own.
struct Owned {
    data: *mut u8,
    count: usize,
    elem: Elem,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: made by `owned` of this type, and not handed over.
        unsafe { free(self.elem, self.data, self.count) };
    }
}

/// Elements that are now owned exclusively.
fn owned<T>(elem: Elem, elements: Vec<T>) -> Owned {
    let mut elements = ManuallyDrop::new(elements.into_boxed_slice());
    let data = if elements.is_empty() { std::ptr::null_mut() } else { elements.as_mut_ptr().cast() };
    Owned { data, count: elements.len(), elem }
}

/// Frees elements that [`owned`] gave.
///
/// # Safety
///
/// There are as many elements of the type there as when they were given, and they are not used again.
pub(crate) unsafe fn free(elem: Elem, data: *mut u8, count: usize) {
    /// # Safety
    ///
    /// As for [`free`].
    unsafe fn of<T>(data: *mut u8, count: usize) {
        // SAFETY: a boxed slice of this type and length.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(data.cast::<T>(), count)) });
    }
    if data.is_null() {
        return;
    }
    // SAFETY: as the caller promises. The type matters by its size and alignment.
    unsafe {
        match elem.bytes() {
            1 => of::<u8>(data, count),
            4 => of::<u32>(data, count),
            _ => of::<u64>(data, count),
        }
    }
}

/// The number of slots that compiled code writes: one per result, and one more for each axis.
pub(crate) fn slot_count(description: &Description) -> usize {
    description.outputs.iter().map(|output| 1 + output.rank.unwrap_or(0)).sum()
}

/// Takes the results of a run and writes them to their destinations.
///
/// # Safety
///
/// Compiled code has written `results` under this context; the pointers in `slots` are null or lead to structs of the types
/// in the header.
pub(crate) unsafe fn hand_over(
    context: &mut Context,
    description: &Description,
    results: &[u64],
    slots: *const u64,
) -> Result<(), Fault> {
    let mut taken = Vec::new();
    let mut rest = results;
    for output in &description.outputs {
        let (own, after) = rest
            .split_at_checked(1 + output.rank.unwrap_or(0))
            .ok_or_else(|| Fault::internal("results are missing"))?;
        rest = after;
        // SAFETY: as the caller promises.
        taken.push(unsafe { take(context, description, output, own) }?);
    }
    for (output, value) in description.outputs.iter().zip(taken) {
        // SAFETY: as the caller promises.
        let place = if output.at == At::Nowhere { None } else { unsafe { place_of(output.at, slots) } };
        if let Some(place) = place {
            // SAFETY: a struct or scalar of this type is there.
            unsafe { write(place, value) };
        }
    }
    Ok(())
}

/// # Safety
///
/// As for [`hand_over`].
unsafe fn take(
    context: &mut Context,
    description: &Description,
    output: &Output,
    slots: &[u64],
) -> Result<Taken, Fault> {
    let Some((&value, dims)) = slots.split_first() else { return Err(Fault::internal("results are missing")) };
    if output.rank.is_none() {
        return Ok(Taken::Scalar(output.elem, value));
    }
    let dims: Vec<i64> = dims.iter().map(|&d| d as i64).collect();
    let buffer = value as usize as *mut Buffer;
    // SAFETY: as the caller promises; the buffer's elements have the type of the result.
    let taken = unsafe {
        match output.elem {
            Elem::Bool => take_elements::<bool>(context, output.elem, buffer),
            Elem::I32 => take_elements::<i32>(context, output.elem, buffer),
            Elem::I64 => take_elements::<i64>(context, output.elem, buffer),
            Elem::U32 => take_elements::<u32>(context, output.elem, buffer),
            Elem::F32 => take_elements::<f32>(context, output.elem, buffer),
            Elem::F64 => take_elements::<f64>(context, output.elem, buffer),
        }
    };
    // SAFETY: memory can only be insufficient for a copy of a borrowed buffer, which is alive.
    let missing = || Fault::memory(&description.name, unsafe { (*buffer).len() } * output.elem.bytes());
    Ok(Taken::Array(taken.ok_or_else(missing)?, dims))
}

/// The elements of a result: moved, or copied if they are an argument's or a constant's.
///
/// # Safety
///
/// `buffer` is a reference that compiled code returned under this context.
unsafe fn take_elements<T: Elements>(context: &mut Context, elem: Elem, buffer: *mut Buffer) -> Option<Owned> {
    // SAFETY: the buffer is alive.
    let header = unsafe { &*buffer };
    if !header.is_borrowed() {
        // SAFETY: it is of this context, and all its elements have been written.
        return unsafe { context.take_vec::<T>(buffer) }.map(|vec| owned(elem, vec));
    }
    // SAFETY: the elements outlive the call.
    let source = unsafe { elements::<T>(header.data(), header.len()) };
    let mut copy = Vec::new();
    copy.try_reserve_exact(source.len()).ok()?;
    copy.extend_from_slice(source);
    Some(owned(elem, copy))
}

/// # Safety
///
/// A struct or scalar of this type is there.
unsafe fn write(place: *mut u8, value: Taken) {
    // SAFETY: as the caller promises.
    unsafe {
        match value {
            Taken::Scalar(Elem::Bool, bits) => place.write(u8::from(bits & 0xff != 0)),
            Taken::Scalar(Elem::I32 | Elem::U32 | Elem::F32, bits) => place.cast::<u32>().write_unaligned(bits as u32),
            Taken::Scalar(Elem::I64 | Elem::F64, bits) => place.cast::<u64>().write_unaligned(bits),
            Taken::Array(elements, dims) => {
                place.cast::<*mut u8>().write_unaligned(elements.data);
                for (axis, dim) in dims.into_iter().enumerate() {
                    place.cast::<i64>().add(1 + axis).write_unaligned(dim);
                }
                // They are the caller's now.
                std::mem::forget(elements);
            }
        }
    }
}
