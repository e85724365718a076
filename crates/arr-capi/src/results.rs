//! Results: taken from the run, or copied to the caller's memory, then written to their destinations, all or none.

use crate::arguments::{dims, element_count, elements, place_of};
use crate::description::{At, Description, Output};
use crate::fault::Fault;
use arr_base::Scalar;
use arr_runtime::{Buffer, Context, Elements};
use std::mem::ManuallyDrop;

/// Elements that the caller is to own.
struct Owned {
    data: *mut u8,
    count: usize,
    elem: Scalar,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: made by `owned` of this type, and not handed over.
        unsafe { free(self.elem, self.data, self.count) };
    }
}

/// Elements that are now owned exclusively.
fn owned<T>(elem: Scalar, elements: Vec<T>) -> Owned {
    let mut elements = ManuallyDrop::new(elements.into_boxed_slice());
    let data = if elements.is_empty() { std::ptr::null_mut() } else { elements.as_mut_ptr().cast() };
    Owned { data, count: elements.len(), elem }
}

/// Frees elements that [`owned`] gave.
///
/// # Safety
///
/// There are as many elements of the type there as when they were given, and they are not used again.
pub(crate) unsafe fn free(elem: Scalar, data: *mut u8, count: usize) {
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

/// The outputs, each with its own slots: the value, and the extents of an array.
fn with_slots<'a>(
    description: &'a Description,
    results: &'a [u64],
) -> impl Iterator<Item = (&'a Output, u64, &'a [u64])> + Clone {
    let mut at = 0;
    description.outputs.iter().map(move |output| {
        let first = at;
        at += 1 + output.rank.unwrap_or(0);
        let value = results.get(first).copied().unwrap_or(0);
        (output, value, results.get(first + 1..at).unwrap_or_default())
    })
}

/// Where a result goes; `None` if it is not wanted.
///
/// # Safety
///
/// As for [`hand_over`].
unsafe fn destination(output: &Output, slots: *const u64) -> Option<*mut u8> {
    // SAFETY: as the caller promises.
    if output.at == At::Nowhere { None } else { unsafe { place_of(output.at, slots) } }
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
    for (output, value, _) in with_slots(description, results).filter(|(output, ..)| output.rank.is_some()) {
        // SAFETY: as the caller promises.
        taken.push(unsafe { take(context, description, output, value) }?);
    }
    let mut taken = taken.into_iter();
    for (output, value, dims) in with_slots(description, results) {
        let array = if output.rank.is_some() { taken.next() } else { None };
        // SAFETY: as the caller promises.
        let Some(place) = (unsafe { destination(output, slots) }) else { continue };
        // SAFETY: a struct or scalar of this type is there.
        unsafe {
            match array {
                None => write_scalar(place, output.elem, value),
                Some(array) => {
                    place.cast::<*mut u8>().write_unaligned(array.data);
                    write_dims(place, dims);
                    // They are the caller's now.
                    std::mem::forget(array);
                }
            }
        }
    }
    Ok(())
}

/// The elements of a result.
///
/// # Safety
///
/// As for [`hand_over`].
unsafe fn take(context: &mut Context, description: &Description, output: &Output, value: u64) -> Result<Owned, Fault> {
    let buffer = value as usize as *mut Buffer;
    // SAFETY: as the caller promises; the buffer's elements have the type of the result.
    let taken = unsafe {
        match output.elem {
            Scalar::Bool => take_elements::<bool>(context, output.elem, buffer),
            Scalar::I32 => take_elements::<i32>(context, output.elem, buffer),
            Scalar::I64 => take_elements::<i64>(context, output.elem, buffer),
            Scalar::U32 => take_elements::<u32>(context, output.elem, buffer),
            Scalar::F32 => take_elements::<f32>(context, output.elem, buffer),
            Scalar::F64 => take_elements::<f64>(context, output.elem, buffer),
        }
    };
    // SAFETY: memory can only be insufficient for a copy of a borrowed buffer, which is alive.
    taken.ok_or_else(|| Fault::memory(&description.name, unsafe { (*buffer).len() } * output.elem.bytes()))
}

/// The elements of a result: moved, or copied if they are an argument's or a constant's.
///
/// # Safety
///
/// `buffer` is a reference that compiled code returned under this context.
unsafe fn take_elements<T: Elements>(context: &mut Context, elem: Scalar, buffer: *mut Buffer) -> Option<Owned> {
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
/// A scalar of this type is there.
unsafe fn write_scalar(place: *mut u8, elem: Scalar, bits: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        match elem {
            Scalar::Bool => place.write(u8::from(bits & 0xff != 0)),
            Scalar::I32 | Scalar::U32 | Scalar::F32 => place.cast::<u32>().write_unaligned(bits as u32),
            Scalar::I64 | Scalar::F64 => place.cast::<u64>().write_unaligned(bits),
        }
    }
}

/// # Safety
///
/// An array struct of this rank is there.
unsafe fn write_dims(place: *mut u8, dims: &[u64]) {
    for (axis, &dim) in dims.iter().enumerate() {
        // A negative size stands for an empty axis. SAFETY: as the caller promises.
        unsafe { place.cast::<i64>().add(1 + axis).write_unaligned((dim as i64).max(0)) };
    }
}

/// An array of a result, and the memory that it is copied to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copying {
    from: *const u8,
    to: *mut u8,
    bytes: usize,
    /// Whether what it is copied from may be the caller's memory.
    borrowed: bool,
}

impl Copying {
    /// Whether its source lies where another array is copied to.
    fn is_below(&self, other: &Copying) -> bool {
        let (from, to) = (self.from.addr(), other.to.addr());
        from < to.saturating_add(other.bytes) && to < from.saturating_add(self.bytes)
    }
}

/// Copies the results of a run to the memory that the caller's structs name. Fails if there is too little of it; then nothing
/// is written. `copies` is overwritten.
///
/// # Safety
///
/// As for [`hand_over`], and the structs of results have memory for as many elements as their sizes say, which may be
/// written.
pub(crate) unsafe fn copy_into(
    description: &Description,
    results: &[u64],
    slots: *const u64,
    copies: &mut Vec<Copying>,
) -> Result<(), Fault> {
    copies.clear();
    // SAFETY: as the caller promises.
    for array in unsafe { arrays(description, results, slots) } {
        copies.push(array?);
    }
    // An argument that is a result may lie where another result goes.
    let below = |one: &Copying| one.borrowed && copies.iter().any(|other| one.is_below(other));
    let kept: Vec<(*mut u8, Vec<u8>)> = copies
        .iter()
        .filter(|one| below(one))
        // SAFETY: so many bytes are there.
        .map(|array| (array.to, unsafe { elements::<u8>(array.from, array.bytes) }.to_vec()))
        .collect();
    for array in copies.iter().filter(|one| !below(one)) {
        // SAFETY: both have so many bytes.
        unsafe { std::ptr::copy(array.from, array.to, array.bytes) };
    }
    for (to, bytes) in kept {
        // SAFETY: as many bytes as were there.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }
    for (output, value, dims) in with_slots(description, results) {
        // SAFETY: as the caller promises.
        let Some(place) = (unsafe { destination(output, slots) }) else { continue };
        // SAFETY: a struct or scalar of this type is there.
        unsafe {
            match output.rank {
                None => write_scalar(place, output.elem, value),
                Some(_) => write_dims(place, dims),
            }
        }
    }
    Ok(())
}

/// What is to be copied where; an error for what has too little room.
///
/// # Safety
///
/// As for [`copy_into`].
unsafe fn arrays<'a>(
    description: &'a Description,
    results: &'a [u64],
    slots: *const u64,
) -> impl Iterator<Item = Result<Copying, Fault>> + 'a {
    with_slots(description, results).filter_map(move |(output, value, _)| {
        let rank = output.rank?;
        // SAFETY: as the caller promises.
        let place = unsafe { destination(output, slots) }?;
        // SAFETY: compiled code has written the buffer's address; it is alive.
        let buffer = unsafe { &*(value as usize as *const Buffer) };
        let bytes = buffer.len() * output.elem.bytes();
        // SAFETY: an array struct of this rank is there.
        let (to, room) =
            unsafe { (place.cast::<*mut u8>().read_unaligned(), element_count(dims(place, rank), output.elem)) };
        let wrong = |what: String| Some(Err(Fault::argument(&description.name, what)));
        let name = &output.name;
        let room = if to.is_null() { 0 } else { room.unwrap_or(0) };
        if room < buffer.len() {
            return wrong(format!(
                "the memory of `{name}` has room for {room} elements, and the result has {}",
                buffer.len()
            ));
        }
        if to.addr() % output.elem.bytes() != 0 {
            return wrong(format!("the memory of `{name}` is not aligned to its elements"));
        }
        if bytes == 0 {
            return None;
        }
        Some(Ok(Copying { from: buffer.data(), to, bytes, borrowed: buffer.is_borrowed() }))
    })
}
