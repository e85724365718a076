//! Scalar types, sizes and array types. Sizes and types are hash-consed: equal ids, equal meaning.
//!
//! A size is a polynomial with integer coefficients over `i64` variables of the function (its size parameters,
//! integer parameters, or integers computed in its body). Construction normalises, so two sizes are equal for
//! every input exactly when their ids are equal.

use crate::VarId;
use arr_base::Scalar;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A scalar constant. Floats compare and hash by their bits, so that constants can be keys.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub enum Const {
    Bool(bool),
    I32(i32),
    I64(i64),
    U32(u32),
    F32(f32),
    F64(f64),
}

impl Const {
    pub fn scalar(self) -> Scalar {
        match self {
            Const::Bool(_) => Scalar::Bool,
            Const::I32(_) => Scalar::I32,
            Const::I64(_) => Scalar::I64,
            Const::U32(_) => Scalar::U32,
            Const::F32(_) => Scalar::F32,
            Const::F64(_) => Scalar::F64,
        }
    }

    /// The constant's bits, widened to 64.
    pub fn bits(self) -> u64 {
        match self {
            Const::Bool(b) => u64::from(b),
            Const::I32(i) => i64::from(i) as u64,
            Const::I64(i) => i as u64,
            Const::U32(u) => u64::from(u),
            Const::F32(x) => u64::from(x.to_bits()),
            Const::F64(x) => x.to_bits(),
        }
    }

    /// The number `value` in type `scalar` (rounded, for a float); `value != 0` for `bool`.
    pub fn of_int(scalar: Scalar, value: i64) -> Const {
        match scalar {
            Scalar::Bool => Const::Bool(value != 0),
            Scalar::I32 => Const::I32(value as i32),
            Scalar::I64 => Const::I64(value),
            Scalar::U32 => Const::U32(value as u32),
            Scalar::F32 => Const::F32(value as f32),
            Scalar::F64 => Const::F64(value as f64),
        }
    }

    pub fn zero(scalar: Scalar) -> Const {
        Const::of_int(scalar, 0)
    }

    pub fn one(scalar: Scalar) -> Const {
        Const::of_int(scalar, 1)
    }

    /// As a 64-bit float, if it is a float.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Const::F32(x) => Some(f64::from(x)),
            Const::F64(x) => Some(x),
            Const::Bool(_) | Const::I32(_) | Const::I64(_) | Const::U32(_) => None,
        }
    }

    /// As a 64-bit integer, if it is an integer.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Const::I32(i) => Some(i64::from(i)),
            Const::I64(i) => Some(i),
            Const::U32(u) => Some(i64::from(u)),
            Const::Bool(_) | Const::F32(_) | Const::F64(_) => None,
        }
    }

    pub fn as_bool(self) -> Option<bool> {
        if let Const::Bool(b) = self { Some(b) } else { None }
    }

    /// Whether it is the number zero (of either sign) or `false`.
    pub fn is_zero(self) -> bool {
        self.as_f64() == Some(0.0) || self.as_i64() == Some(0) || self.as_bool() == Some(false)
    }

    pub fn is_one(self) -> bool {
        self.as_f64() == Some(1.0) || self.as_i64() == Some(1)
    }
}

impl PartialEq for Const {
    fn eq(&self, other: &Self) -> bool {
        self.scalar() == other.scalar() && self.bits() == other.bits()
    }
}

impl Eq for Const {}

impl std::hash::Hash for Const {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.scalar().hash(state);
        self.bits().hash(state);
    }
}

arr_base::define_id!(
    /// A size: a polynomial over `i64` variables.
    SizeId,
    "size"
);
arr_base::define_id!(
    /// The type of a value: an element type and the sizes of the axes.
    TypeId,
    "type"
);

/// A size: a polynomial over variables.
pub type Poly = arr_base::Polynomial<VarId>;

/// An element type and the sizes of the axes, outermost first. A scalar has no axes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Type {
    pub elem: Scalar,
    pub dims: Vec<SizeId>,
}

impl Type {
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    pub fn is_scalar(&self) -> bool {
        self.dims.is_empty()
    }
}

/// The interner of one function's sizes and types.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Types {
    sizes: IndexSet<Poly, FxBuildHasher>,
    types: IndexSet<Type, FxBuildHasher>,
}

impl Types {
    pub fn size(&mut self, poly: Poly) -> SizeId {
        arr_base::Id::from_index(self.sizes.insert_full(poly).0)
    }

    pub fn size_const(&mut self, value: i64) -> SizeId {
        self.size(Poly::constant(value))
    }

    pub fn size_var(&mut self, var: VarId) -> SizeId {
        self.size(Poly::var(var))
    }

    /// The polynomial of a size. The zero polynomial if the id is of another function.
    pub fn poly(&self, id: SizeId) -> &Poly {
        static ZERO: Poly = Poly { terms: arr_base::Terms::new() };
        self.sizes.get_index(arr_base::Id::index(id)).unwrap_or(&ZERO)
    }

    pub fn ty(&mut self, ty: Type) -> TypeId {
        arr_base::Id::from_index(self.types.insert_full(ty).0)
    }

    pub fn scalar(&mut self, elem: Scalar) -> TypeId {
        self.ty(Type { elem, dims: Vec::new() })
    }

    pub fn array(&mut self, dims: Vec<SizeId>, elem: Scalar) -> TypeId {
        self.ty(Type { elem, dims })
    }

    /// The type of an id; `bool` if the id is of another function.
    pub fn get(&self, id: TypeId) -> &Type {
        static UNIT: Type = Type { elem: Scalar::Bool, dims: Vec::new() };
        self.types.get_index(arr_base::Id::index(id)).unwrap_or(&UNIT)
    }
}
