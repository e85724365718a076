//! Buffers: elements with a reference count.

use std::alloc::Layout;

/// A buffer's header. Compiled code reads `data` and changes `refs`; the rest belongs to the runtime.
///
/// The elements are laid out as a `Vec` of the element type, so that a result becomes a `Vec` without a copy. Elements
/// of arguments and constants are borrowed, never freed or written here: their owner's reference keeps the count above
/// one wherever code could write.
#[repr(C)]
#[derive(Debug)]
pub struct Buffer {
    pub(crate) data: *mut u8,
    pub(crate) refs: i64,
    /// Number of elements.
    pub(crate) len: usize,
    /// Number of elements that fit into its memory.
    pub(crate) capacity: usize,
    /// Size of an element.
    pub(crate) width: usize,
    /// Alignment of its memory, at least that of an element.
    pub(crate) align: usize,
    pub(crate) borrowed: bool,
    /// Its row in the table of live buffers.
    pub(crate) slot: usize,
}

impl Buffer {
    /// Wraps elements that someone else owns. The owner's reference is counted. The elements must outlive every run
    /// that uses the buffer.
    pub fn borrowed<T: Elements>(elements: &[T]) -> Buffer {
        Buffer {
            data: elements.as_ptr().cast_mut().cast(),
            refs: 1,
            len: elements.len(),
            capacity: elements.len(),
            width: size_of::<T>(),
            align: align_of::<T>(),
            borrowed: true,
            slot: usize::MAX,
        }
    }

    pub fn is_borrowed(&self) -> bool {
        self.borrowed
    }

    /// The first element.
    pub fn data(&self) -> *const u8 {
        self.data
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes of an element.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whether it is alive; among freed buffers only those of sanitized runs have headers.
    pub fn is_referenced(&self) -> bool {
        self.refs > 0
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn bytes(&self) -> usize {
        self.len * self.width
    }
}

/// The layout of `len` elements of `width` bytes; that of a `Vec` if the alignment is the width.
pub(crate) fn layout(len: usize, width: usize, align: usize) -> Option<Layout> {
    Layout::from_size_align(len.checked_mul(width)?, align).ok()
}

/// Element types: plain numbers, and `bool`, of which compiled code writes only 0 and 1.
///
/// # Safety
///
/// The type has no padding, its alignment is its size, and every value that compiled code writes is valid for it.
pub unsafe trait Elements: Copy {}

// SAFETY: plain numbers; a bool is stored as 0 or 1 only.
unsafe impl Elements for bool {}
// SAFETY: as above.
unsafe impl Elements for i32 {}
// SAFETY: as above.
unsafe impl Elements for i64 {}
// SAFETY: as above.
unsafe impl Elements for u32 {}
// SAFETY: as above.
unsafe impl Elements for f32 {}
// SAFETY: as above.
unsafe impl Elements for f64 {}
