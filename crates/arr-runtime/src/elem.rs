//! The types of elements.

/// Element types, by their numbers in descriptions of interfaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elem {
    Bool,
    I32,
    I64,
    U32,
    F32,
    F64,
}

impl Elem {
    pub const ALL: [Elem; 6] = [Elem::Bool, Elem::I32, Elem::I64, Elem::U32, Elem::F32, Elem::F64];

    /// Size and alignment.
    pub const fn bytes(self) -> usize {
        match self {
            Elem::Bool => 1,
            Elem::I32 | Elem::U32 | Elem::F32 => 4,
            Elem::I64 | Elem::F64 => 8,
        }
    }
}
