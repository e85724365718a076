//! Arguments: reads and checks structs, and converts them for compiled code.

use crate::description::{At, Description, Leaf};
use crate::fault::Fault;
use crate::shapes::{bind, name_of};
use arr_base::Scalar;
use arr_runtime::{Buffer, Elements};
use std::collections::BTreeSet;

/// A leaf as given by the caller.
enum Given {
    Scalar(u64),
    Array {
        data: *const u8,
        count: usize,
    },
    /// The payload of a constructor other than the value's own.
    Absent,
}

/// The inputs of compiled code. Borrows the caller's arrays, and owns those that had to be made. It is kept from call to
/// call, so that a call whose arguments have the sizes of the one before allocates nothing here.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    /// The values of the size parameters.
    pub sizes: Vec<i64>,
    /// A word for each leaf: a scalar's bits, or the address of a header.
    pub slots: Vec<u64>,
    /// The values of the `i64` leaves.
    scalars: Vec<Option<i64>>,
    /// The leaves that sizes mention.
    integers: Vec<usize>,
    /// The extents of all axes, one leaf after the other; nothing where an argument does not show it.
    shown: Vec<Option<i64>>,
    /// What `sizes` and `extents` were solved from.
    solved_from: Option<SolvedFrom>,
    extents: Vec<i64>,
    headers: Vec<Buffer>,
    /// The zeros for each leaf that is not there.
    zeros: Vec<Vec<u64>>,
}

/// All that sizes follow from.
#[derive(Debug)]
struct SolvedFrom {
    /// The values of the leaves that sizes mention.
    integers: Vec<Option<i64>>,
    shown: Vec<Option<i64>>,
}

/// Reads all leaves into `arguments`.
///
/// # Safety
///
/// There are as many slots as the description has, and the pointers among them are null or lead to structs of the types
/// in the header, with as many elements in their arrays as they say.
pub(crate) unsafe fn read(
    description: &Description,
    slots: *const u64,
    arguments: &mut Arguments,
) -> Result<(), Fault> {
    arguments.clear(description);
    for (at, leaf) in description.leaves.iter().enumerate() {
        // SAFETY: as the caller promises; the leaves of tags come before what constructors carry.
        let given = unsafe { read_leaf(description, at, leaf, slots, arguments) }?;
        let slot = match given {
            Given::Scalar(bits) => bits,
            // SAFETY: as the caller promises.
            Given::Array { data, count } => unsafe { arguments.header(leaf.elem, data, count) },
            // Its size is not known yet.
            Given::Absent => 0,
        };
        arguments.scalars.push(match given {
            Given::Scalar(bits) if leaf.elem == Scalar::I64 => Some(bits as i64),
            _ => None,
        });
        arguments.slots.push(slot);
    }
    arguments.solve(description)?;
    arguments.fill_absent(description)
}

/// # Safety
///
/// As for [`read`].
unsafe fn read_leaf(
    description: &Description,
    at: usize,
    leaf: &Leaf,
    slots: *const u64,
    arguments: &mut Arguments,
) -> Result<Given, Fault> {
    let rank = leaf.dims.as_ref().map_or(0, Vec::len);
    // A scalar tag decides whether the constructor is the value's own; arrays of tags do not.
    let scalars = &arguments.scalars;
    let tag = |&(tag, value): &(usize, i64)| scalars.get(tag).copied().flatten().is_none_or(|t| t == value);
    let chosen = leaf.carried_by.iter().all(tag);
    let first = arguments.shown.len();
    arguments.shown.resize(first + rank, None);
    if !chosen {
        return Ok(if leaf.dims.is_some() { Given::Absent } else { Given::Scalar(0) });
    }
    // SAFETY: as the caller promises.
    let place = unsafe { place_of(leaf.at, slots) };
    let (name, path) = name_of(description, at);
    let wrong = |what: String| Err(Fault::argument(&description.name, what));
    let Some(place) = place else { return wrong(format!("argument `{name}` is NULL")) };
    if leaf.dims.is_none() {
        // SAFETY: a scalar of this type is there.
        let bits = unsafe { scalar(leaf.elem, place) };
        return if leaf.choices > 0 && bits >= leaf.choices as u64 {
            wrong(format!("`{name}{path}` is {}, but the tags are 0 to {}", bits as i64, leaf.choices - 1))
        } else {
            Ok(Given::Scalar(bits))
        };
    }
    // SAFETY: an array struct of this rank is there.
    let data = unsafe { place.cast::<*const u8>().read_unaligned() };
    let shown = arguments.shown.get_mut(first..).unwrap_or_default();
    // SAFETY: the sizes lie behind the address.
    let dims = unsafe { dims(place, rank) };
    if let Some(size) = dims.clone().find(|&d| d < 0) {
        return wrong(format!("`{name}{path}` has the negative size {size}"));
    }
    let Some(count) = element_count(dims.clone(), leaf.elem) else {
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
    shown.iter_mut().zip(dims).for_each(|(shown, dim)| *shown = Some(dim));
    Ok(Given::Array { data, count })
}

/// The number of elements under axes of these sizes, if their bytes can be counted.
pub(crate) fn element_count(dims: impl Iterator<Item = i64> + Clone, elem: Scalar) -> Option<usize> {
    let count = arr_base::count_elements(dims)?;
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
unsafe fn scalar(elem: Scalar, place: *const u8) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        match elem {
            Scalar::Bool => u64::from(place.read() != 0),
            Scalar::I32 | Scalar::U32 | Scalar::F32 => u64::from(place.cast::<u32>().read_unaligned()),
            Scalar::I64 | Scalar::F64 => place.cast::<u64>().read_unaligned(),
        }
    }
}

/// The extents of an array struct.
///
/// # Safety
///
/// An array struct of the rank is there, for as long as the extents are read.
pub(crate) unsafe fn dims(place: *const u8, rank: usize) -> impl Iterator<Item = i64> + Clone {
    // SAFETY: the sizes lie behind the address.
    (1..=rank).map(move |axis| unsafe { place.cast::<i64>().add(axis).read_unaligned() })
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
pub(crate) unsafe fn borrowed(elem: Scalar, data: *const u8, count: usize) -> Buffer {
    /// # Safety
    ///
    /// As for [`elements`].
    unsafe fn of<T: Elements>(data: *const u8, count: usize) -> Buffer {
        // SAFETY: as the caller promises.
        Buffer::borrowed(unsafe { elements::<T>(data, count) })
    }
    // SAFETY: as the caller promises. A `bool` of C is 0 or 1.
    unsafe {
        match elem {
            Scalar::Bool => of::<bool>(data, count),
            Scalar::I32 => of::<i32>(data, count),
            Scalar::I64 => of::<i64>(data, count),
            Scalar::U32 => of::<u32>(data, count),
            Scalar::F32 => of::<f32>(data, count),
            Scalar::F64 => of::<f64>(data, count),
        }
    }
}

impl Arguments {
    /// For calls of one function.
    pub fn new(description: &Description) -> Arguments {
        let dims = description.leaves.iter().flat_map(|leaf| leaf.dims.iter().flatten());
        let rows = dims.flat_map(|dim| dim.size.terms.keys().flatten());
        let leaves: BTreeSet<usize> = rows.filter_map(|row| row.checked_sub(description.sizes)).collect();
        Arguments { integers: leaves.into_iter().collect(), ..Arguments::default() }
    }

    /// Prepares for a call. Headers must not move once slots have their addresses, so there is room for all of them.
    fn clear(&mut self, description: &Description) {
        let leaves = description.leaves.len();
        self.slots.clear();
        self.scalars.clear();
        self.shown.clear();
        self.headers.clear();
        self.headers.reserve(leaves);
        self.zeros.resize_with(leaves, Vec::new);
    }

    /// The slot of a buffer whose elements outlive the call.
    ///
    /// # Safety
    ///
    /// As for [`borrowed`].
    unsafe fn header(&mut self, elem: Scalar, data: *const u8, count: usize) -> u64 {
        // There is room for a header per leaf, so that this one stays where it is.
        debug_assert!(self.headers.len() < self.headers.capacity());
        // SAFETY: as the caller promises.
        self.headers.push(unsafe { borrowed(elem, data, count) });
        self.headers.last_mut().map_or(0, |header| std::ptr::from_mut(header).addr() as u64)
    }

    /// Solves for the sizes, unless everything that they follow from is as it was.
    fn solve(&mut self, description: &Description) -> Result<(), Fault> {
        let integers = || self.integers.iter().map(|&leaf| self.scalars.get(leaf).copied().flatten());
        let is_from =
            |before: &SolvedFrom| before.shown == self.shown && integers().eq(before.integers.iter().copied());
        if self.solved_from.as_ref().is_some_and(is_from) {
            return Ok(());
        }
        let from = SolvedFrom { integers: integers().collect(), shown: self.shown.clone() };
        self.solved_from = None;
        let solved = bind(description, &self.scalars, &self.shown)?;
        (self.sizes, self.extents, self.solved_from) = (solved.names, solved.extents, Some(from));
        Ok(())
    }

    /// Gives the leaves that are not there arrays of zeros. Fails if there is no memory for one.
    fn fill_absent(&mut self, description: &Description) -> Result<(), Fault> {
        let mut first = 0;
        for (at, leaf) in description.leaves.iter().enumerate() {
            let Some(rank) = leaf.dims.as_ref().map(Vec::len) else { continue };
            let axes = first..first + rank;
            first += rank;
            if self.slots.get(at) != Some(&0) {
                continue;
            }
            let no_memory = |bytes: usize| Fault::memory(&description.name, bytes);
            let dims = self.extents.get(axes).unwrap_or_default().iter().copied();
            let count = element_count(dims, leaf.elem).ok_or_else(|| no_memory(usize::MAX))?;
            let words = (count * leaf.elem.bytes()).div_ceil(size_of::<u64>());
            let Some(zeros) = self.zeros.get_mut(at) else { continue };
            // Those of an earlier call are still zeros.
            let more = words.saturating_sub(zeros.len());
            zeros.try_reserve_exact(more).map_err(|_| no_memory(words.saturating_mul(size_of::<u64>())))?;
            zeros.resize(words, 0);
            let data = zeros.as_ptr().cast();
            // SAFETY: so many bytes are there, aligned for every element, and zero is a value of every element type. They
            // live as long as the headers, and nothing changes them.
            let slot = unsafe { self.header(leaf.elem, data, count) };
            if let Some(own) = self.slots.get_mut(at) {
                *own = slot;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_can_be_counted() {
        assert_eq!(element_count([3, 4].into_iter(), Scalar::F64), Some(12));
        assert_eq!(element_count([1 << 30, 1 << 31].into_iter(), Scalar::F64), None);
    }
}
