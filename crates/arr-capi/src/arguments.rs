//! Arguments: reads and checks structs, and converts them for compiled code.

use crate::description::{At, Description, Elem, Leaf};
use crate::fault::Fault;
use crate::shapes::{bind, name_of};
use arr_runtime::{Buffer, Elements};

/// A leaf as given by the caller.
enum Given {
    Scalar(u64),
    Array {
        data: *const u8,
        dims: Vec<i64>,
        count: usize,
    },
    /// The payload of a constructor other than the value's own.
    Absent,
}

/// The inputs of compiled code. Borrows the caller's arrays, and owns those that had to be made.
#[derive(Default)]
pub(crate) struct Arguments {
    pub sizes: Vec<i64>,
    pub slots: Vec<u64>,
    headers: Vec<*mut Buffer>,
    made: Vec<Vec<u64>>,
}

impl Drop for Arguments {
    fn drop(&mut self) {
        for &header in &self.headers {
            // SAFETY: made by `Box::into_raw` in `header`, and compiled code has returned.
            drop(unsafe { Box::from_raw(header) });
        }
    }
}

/// Reads all leaves.
///
/// # Safety
///
/// There are as many slots as the description has, and the pointers among them are null or lead to structs of the types
/// in the header, with as many elements in their arrays as they say.
pub(crate) unsafe fn read(description: &Description, slots: *const u64) -> Result<Arguments, Fault> {
    let mut given = Vec::new();
    let mut scalars = Vec::new();
    for (at, leaf) in description.leaves.iter().enumerate() {
        // SAFETY: as the caller promises; the leaves of tags come before what constructors carry.
        let value = unsafe { read_leaf(description, at, leaf, slots, &scalars) }?;
        scalars.push(match value {
            Given::Scalar(bits) if leaf.elem == Elem::I64 => Some(bits as i64),
            _ => None,
        });
        given.push(value);
    }
    let shapes: Vec<Option<Vec<i64>>> = given.iter().map(shape).collect();
    let sizes = bind(description, &scalars, &shapes)?;
    let mut arguments = Arguments::default();
    for (at, (leaf, value)) in description.leaves.iter().zip(given).enumerate() {
        let slot = match value {
            Given::Scalar(bits) => bits,
            // SAFETY: as the caller promises.
            Given::Array { data, count, .. } => unsafe { arguments.header(leaf.elem, data, count) },
            Given::Absent => arguments.zeros(description, leaf.elem, sizes.of_leaf(description, at))?,
        };
        arguments.slots.push(slot);
    }
    arguments.sizes = sizes.parameters;
    Ok(arguments)
}

fn shape(given: &Given) -> Option<Vec<i64>> {
    if let Given::Array { dims, .. } = given { Some(dims.clone()) } else { None }
}

/// # Safety
///
/// As for [`read`].
unsafe fn read_leaf(
    description: &Description,
    at: usize,
    leaf: &Leaf,
    slots: *const u64,
    scalars: &[Option<i64>],
) -> Result<Given, Fault> {
    // A scalar tag decides whether the constructor is the value's own; arrays of tags do not.
    let tag = |&(tag, value): &(usize, i64)| scalars.get(tag).copied().flatten().is_none_or(|t| t == value);
    if !leaf.carried_by.iter().all(tag) {
        return Ok(if leaf.dims.is_some() { Given::Absent } else { Given::Scalar(0) });
    }
    // SAFETY: as the caller promises.
    let place = unsafe { place_of(leaf.at, slots) };
    let (name, path) = name_of(description, at);
    let wrong = |what: String| Err(Fault::argument(&description.name, what));
    let Some(place) = place else { return wrong(format!("argument `{name}` is NULL")) };
    let Some(dims) = &leaf.dims else {
        // SAFETY: a scalar of this type is there.
        let bits = unsafe { scalar(leaf.elem, place) };
        return if leaf.choices > 0 && bits >= leaf.choices as u64 {
            wrong(format!("`{name}{path}` is {}, but the tags are 0 to {}", bits as i64, leaf.choices - 1))
        } else {
            Ok(Given::Scalar(bits))
        };
    };
    // SAFETY: an array struct of this rank is there.
    let (data, dims) = unsafe { array(place, dims.len()) };
    if let Some(&size) = dims.iter().find(|&&d| d < 0) {
        return wrong(format!("`{name}{path}` has the negative size {size}"));
    }
    let Some(count) = element_count(&dims, leaf.elem) else {
        return wrong(format!("`{name}{path}` has more elements than there is memory"));
    };
    if data.is_null() && !leaf.carried_by.is_empty() && count == 0 {
        return Ok(Given::Absent);
    }
    if data.is_null() && count > 0 {
        return wrong(format!("`{name}{path}` has {count} elements, but its data is NULL"));
    }
    if data.addr() % leaf.elem.bytes() != 0 {
        return wrong(format!("the data of `{name}{path}` is not aligned to its elements"));
    }
    if leaf.choices > 0 {
        // SAFETY: so many tags are there.
        let tags = unsafe { elements::<i64>(data, count) };
        if let Some(tag) = tags.iter().find(|&&tag| tag < 0 || tag as u64 >= leaf.choices as u64) {
            return wrong(format!("`{name}{path}` holds {tag}, but the tags are 0 to {}", leaf.choices - 1));
        }
    }
    Ok(Given::Array { data, dims, count })
}

/// The number of elements under axes of these sizes, if their bytes can be counted.
pub(crate) fn element_count(dims: &[i64], elem: Elem) -> Option<usize> {
    let count = arr_base::element_count(dims)?;
    count.checked_mul(elem.bytes()).filter(|&bytes| isize::try_from(bytes).is_ok()).map(|_| count)
}

/// The address of a leaf; `None` if the path to it is null.
///
/// # Safety
///
/// As for [`read`].
pub(crate) unsafe fn place_of(at: At, slots: *const u64) -> Option<*mut u8> {
    match at {
        At::Nowhere => None,
        // SAFETY: there is such a slot.
        At::Slot(slot) => Some(unsafe { slots.add(slot) }.cast_mut().cast()),
        At::Behind(slot, offset) => {
            // SAFETY: there is such a slot, and it holds a pointer.
            let base = unsafe { slots.add(slot).cast::<*mut u8>().read() };
            // SAFETY: the struct that it leads to is larger than this.
            (!base.is_null()).then(|| unsafe { base.add(offset) })
        }
    }
}

/// The bits of a scalar, as slots hold them.
///
/// # Safety
///
/// A scalar of the type is there. One in a slot has its bytes first, as all processors that code is made for have.
unsafe fn scalar(elem: Elem, place: *const u8) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        match elem {
            Elem::Bool => u64::from(place.read() != 0),
            Elem::I32 | Elem::U32 | Elem::F32 => u64::from(place.cast::<u32>().read_unaligned()),
            Elem::I64 | Elem::F64 => place.cast::<u64>().read_unaligned(),
        }
    }
}

/// # Safety
///
/// An array struct of the rank is there.
unsafe fn array(place: *const u8, rank: usize) -> (*const u8, Vec<i64>) {
    // SAFETY: as the caller promises.
    let data = unsafe { place.cast::<*const u8>().read_unaligned() };
    // SAFETY: the sizes lie behind the address.
    let dims = (1..=rank).map(|axis| unsafe { place.cast::<i64>().add(axis).read_unaligned() });
    (data, dims.collect())
}

/// # Safety
///
/// There are so many elements at the address, aligned, that nothing changes meanwhile; it may be null if there are none.
pub(crate) unsafe fn elements<'a, T>(data: *const u8, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(data.cast::<T>(), count) }
}

/// The header of elements that someone else owns.
///
/// # Safety
///
/// As for [`elements`], with elements of this type.
unsafe fn borrowed(elem: Elem, data: *const u8, count: usize) -> Box<Buffer> {
    /// # Safety
    ///
    /// As for [`elements`].
    unsafe fn of<T: Elements>(data: *const u8, count: usize) -> Box<Buffer> {
        // SAFETY: as the caller promises.
        Box::new(Buffer::borrowed(unsafe { elements::<T>(data, count) }))
    }
    // SAFETY: as the caller promises. A `bool` of C is 0 or 1.
    unsafe {
        match elem {
            Elem::Bool => of::<bool>(data, count),
            Elem::I32 => of::<i32>(data, count),
            Elem::I64 => of::<i64>(data, count),
            Elem::U32 => of::<u32>(data, count),
            Elem::F32 => of::<f32>(data, count),
            Elem::F64 => of::<f64>(data, count),
        }
    }
}

impl Arguments {
    /// The slot of a buffer whose elements outlive this.
    ///
    /// # Safety
    ///
    /// As for [`borrowed`].
    pub unsafe fn header(&mut self, elem: Elem, data: *const u8, count: usize) -> u64 {
        // SAFETY: as the caller promises.
        let header = Box::into_raw(unsafe { borrowed(elem, data, count) });
        self.headers.push(header);
        header.addr() as u64
    }

    /// The slot of an array of zeros. Fails if there is no memory for it.
    fn zeros(&mut self, description: &Description, elem: Elem, dims: &[i64]) -> Result<u64, Fault> {
        let no_memory = |bytes: usize| Fault::memory(&description.name, bytes);
        let count = element_count(dims, elem).ok_or_else(|| no_memory(usize::MAX))?;
        let words = (count * elem.bytes()).div_ceil(size_of::<u64>());
        let mut zeros: Vec<u64> = Vec::new();
        zeros.try_reserve_exact(words).map_err(|_| no_memory(words.saturating_mul(size_of::<u64>())))?;
        zeros.resize(words, 0);
        // SAFETY: so many bytes are there, aligned for every element, and zero is a value of every element type. They live
        // as long as the headers.
        let slot = unsafe { self.header(elem, zeros.as_ptr().cast(), count) };
        self.made.push(zeros);
        Ok(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_can_be_counted() {
        assert_eq!(element_count(&[3, 4], Elem::F64), Some(12));
        assert_eq!(element_count(&[1 << 30, 1 << 31], Elem::F64), None);
    }
}
