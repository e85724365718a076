//! The C types of a program's edge. Types of equal structure are one type, as in the language.

use crate::names::Scope;
use arr_capi::{Field as Release, array_bytes};
use arr_ir::Scalar;
use std::collections::BTreeMap;

/// A C type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CType {
    Scalar(Scalar),
    Array {
        elem: Scalar,
        rank: usize,
    },
    /// A row of [`Structs`].
    Struct(usize),
    /// A struct without a name, written where it is used.
    Inline(Vec<(String, CType)>),
}

/// The fields of a struct; for a sum with payloads also the names of its constructors.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StructFields {
    pub fields: Vec<(String, CType)>,
    pub constructors: Vec<String>,
}

/// A struct with a name.
#[derive(Clone, Debug)]
pub struct Struct {
    pub name: String,
    pub shape: StructFields,
    /// The header's documentation of it.
    pub doc: Vec<String>,
    /// The header's note on each field.
    pub notes: Vec<String>,
}

/// The position of a leaf in a struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeafLayout {
    pub offset: usize,
    pub elem: Scalar,
    /// Nothing for a scalar.
    pub rank: Option<usize>,
}

/// All structs of a header, each after those that it mentions.
#[derive(Debug, Default)]
pub struct Structs {
    pub rows: Vec<Struct>,
    known: BTreeMap<StructFields, usize>,
}

impl Structs {
    /// The struct with this shape; a new one takes a name like the given one.
    pub fn add(
        &mut self,
        shape: StructFields,
        scope: &mut Scope,
        name: &str,
        doc: Vec<String>,
        notes: Vec<String>,
    ) -> CType {
        if let Some(&row) = self.known.get(&shape) {
            return CType::Struct(row);
        }
        let row = self.rows.len();
        self.known.insert(shape.clone(), row);
        self.rows.push(Struct { name: scope.fresh(name), shape, doc, notes });
        CType::Struct(row)
    }

    pub fn fields<'a>(&'a self, ty: &'a CType) -> &'a [(String, CType)] {
        match ty {
            CType::Struct(row) => self.rows.get(*row).map_or(&[], |s| s.shape.fields.as_slice()),
            CType::Inline(fields) => fields,
            CType::Scalar(_) | CType::Array { .. } => &[],
        }
    }

    /// Size and alignment, by the layout rules of C.
    pub fn layout(&self, ty: &CType) -> (usize, usize) {
        match ty {
            CType::Scalar(elem) => (elem.bytes(), elem.bytes()),
            CType::Array { rank, .. } => (array_bytes(*rank), size_of::<u64>()),
            CType::Struct(_) | CType::Inline(_) => {
                let (mut size, mut align) = (0usize, 1usize);
                for (_, field) in self.fields(ty) {
                    let (bytes, own) = self.layout(field);
                    size = size.next_multiple_of(own) + bytes;
                    align = align.max(own);
                }
                (size.next_multiple_of(align), align)
            }
        }
    }

    /// The leaves of a type, in the order of the program.
    pub fn places(&self, ty: &CType) -> Vec<LeafLayout> {
        let mut places = Vec::new();
        self.collect(ty, 0, &mut places);
        places
    }

    fn collect(&self, ty: &CType, at: usize, places: &mut Vec<LeafLayout>) {
        match ty {
            CType::Scalar(elem) => places.push(LeafLayout { offset: at, elem: *elem, rank: None }),
            CType::Array { elem, rank } => places.push(LeafLayout { offset: at, elem: *elem, rank: Some(*rank) }),
            CType::Struct(_) | CType::Inline(_) => {
                let mut offset = at;
                for (_, field) in self.fields(ty) {
                    let (bytes, align) = self.layout(field);
                    offset = offset.next_multiple_of(align);
                    self.collect(field, offset, places);
                    offset += bytes;
                }
            }
        }
    }

    /// The arrays of a type, for freeing them.
    pub fn releases(&self, ty: &CType) -> Vec<Release> {
        let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let arrays = self.places(ty).into_iter().filter_map(|place| {
            let offset = u32::try_from(place.offset).unwrap_or(u32::MAX);
            Some(Release { offset, elem: number(place.elem as usize), rank: number(place.rank?) })
        });
        arrays.collect()
    }
}
