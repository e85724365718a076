//! Values at run time: scalars and dense row-major arrays.

use crate::{Const, Scalar};
use arr_base::Traced;
use std::sync::Arc;

/// The index of an element of an array with these extents by its place in row-major order; of a scalar none.
pub fn index_of(dims: &[i64], mut place: usize) -> Vec<usize> {
    let mut index = vec![0; dims.len()];
    for (i, &extent) in index.iter_mut().zip(dims).rev() {
        let extent = usize::try_from(extent).unwrap_or(1).max(1);
        *i = place % extent;
        place /= extent;
    }
    index
}

/// The same as a program writes it: `2, 1`.
pub fn index_text(dims: &[i64], place: usize) -> String {
    index_of(dims, place).iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// The elements of an array, row-major.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    Bool(Vec<bool>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U32(Vec<u32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Evaluates an expression on the vector, whatever the data's element type.
macro_rules! each {
    ($data:expr, $v:ident => $e:expr) => {
        match $data {
            Data::Bool($v) => $e,
            Data::I32($v) => $e,
            Data::I64($v) => $e,
            Data::U32($v) => $e,
            Data::F32($v) => $e,
            Data::F64($v) => $e,
        }
    };
}

pub(crate) use each;

impl Data {
    /// `len` zeros (`false` for `bool`).
    pub fn zeros(elem: Scalar, len: usize) -> Data {
        match elem {
            Scalar::Bool => Data::Bool(vec![false; len]),
            Scalar::I32 => Data::I32(vec![0; len]),
            Scalar::I64 => Data::I64(vec![0; len]),
            Scalar::U32 => Data::U32(vec![0; len]),
            Scalar::F32 => Data::F32(vec![0.0; len]),
            Scalar::F64 => Data::F64(vec![0.0; len]),
        }
    }

    pub fn elem(&self) -> Scalar {
        match self {
            Data::Bool(_) => Scalar::Bool,
            Data::I32(_) => Scalar::I32,
            Data::I64(_) => Scalar::I64,
            Data::U32(_) => Scalar::U32,
            Data::F32(_) => Scalar::F32,
            Data::F64(_) => Scalar::F64,
        }
    }

    pub fn len(&self) -> usize {
        each!(self, v => v.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, i: usize) -> Option<Const> {
        Some(match self {
            Data::Bool(v) => Const::Bool(*v.get(i)?),
            Data::I32(v) => Const::I32(*v.get(i)?),
            Data::I64(v) => Const::I64(*v.get(i)?),
            Data::U32(v) => Const::U32(*v.get(i)?),
            Data::F32(v) => Const::F32(*v.get(i)?),
            Data::F64(v) => Const::F64(*v.get(i)?),
        })
    }

    /// One element.
    pub fn of(value: Const) -> Data {
        match value {
            Const::Bool(x) => Data::Bool(vec![x]),
            Const::I32(x) => Data::I32(vec![x]),
            Const::I64(x) => Data::I64(vec![x]),
            Const::U32(x) => Data::U32(vec![x]),
            Const::F32(x) => Data::F32(vec![x]),
            Const::F64(x) => Data::F64(vec![x]),
        }
    }

    /// The elements for a listener.
    pub fn traced(&self) -> Traced<'_> {
        match self {
            Data::Bool(v) => Traced::Bool(v),
            Data::I32(v) => Traced::I32(v),
            Data::I64(v) => Traced::I64(v),
            Data::U32(v) => Traced::U32(v),
            Data::F32(v) => Traced::F32(v),
            Data::F64(v) => Traced::F64(v),
        }
    }

    /// The order of two elements in sorting: numbers ascending with NaNs last and the two zeros equal, `false` before
    /// `true`.
    pub fn order(&self, a: usize, b: usize) -> std::cmp::Ordering {
        match self {
            Data::Bool(v) => v.get(a).cmp(&v.get(b)),
            Data::I32(v) => v.get(a).cmp(&v.get(b)),
            Data::I64(v) => v.get(a).cmp(&v.get(b)),
            Data::U32(v) => v.get(a).cmp(&v.get(b)),
            Data::F32(v) => {
                let at = |i: usize| v.get(i).map_or(f64::NAN, |x| f64::from(*x));
                arr_math::order(at(a), at(b))
            }
            Data::F64(v) => {
                let at = |i: usize| v.get(i).copied().unwrap_or(f64::NAN);
                arr_math::order(at(a), at(b))
            }
        }
    }

    /// Writes one element; `false` when the position is out of range or the type does not fit.
    #[must_use]
    pub fn set(&mut self, i: usize, value: Const) -> bool {
        fn put<T>(v: &mut [T], i: usize, x: T) -> bool {
            v.get_mut(i).map(|place| *place = x).is_some()
        }
        match (self, value) {
            (Data::Bool(v), Const::Bool(x)) => put(v, i, x),
            (Data::I32(v), Const::I32(x)) => put(v, i, x),
            (Data::I64(v), Const::I64(x)) => put(v, i, x),
            (Data::U32(v), Const::U32(x)) => put(v, i, x),
            (Data::F32(v), Const::F32(x)) => put(v, i, x),
            (Data::F64(v), Const::F64(x)) => put(v, i, x),
            _ => false,
        }
    }
}

/// A dense array: `dims` outermost first; the number of elements is their product.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    pub dims: Vec<i64>,
    pub data: Data,
}

/// A leaf value. Arrays are shared; a writer copies unless it holds the only reference.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Scalar(Const),
    Array(Arc<Array>),
}

impl Value {
    pub fn array(dims: Vec<i64>, data: Data) -> Value {
        Value::Array(Arc::new(Array { dims, data }))
    }

    pub fn f64s(dims: &[i64], data: &[f64]) -> Value {
        Value::array(dims.to_vec(), Data::F64(data.to_vec()))
    }

    pub fn elem(&self) -> Scalar {
        match self {
            Value::Scalar(c) => c.scalar(),
            Value::Array(a) => a.data.elem(),
        }
    }

    pub fn dims(&self) -> &[i64] {
        match self {
            Value::Scalar(_) => &[],
            Value::Array(a) => &a.dims,
        }
    }

    /// All elements as `f64`, in row-major order; integers and booleans converted.
    pub fn to_f64s(&self) -> Vec<f64> {
        let as_f64 = |c: Const| match crate::convert(c, Scalar::F64) {
            Const::F64(x) => x,
            _ => f64::NAN,
        };
        match self {
            Value::Scalar(c) => vec![as_f64(*c)],
            Value::Array(a) => (0..a.data.len()).filter_map(|i| a.data.get(i)).map(as_f64).collect(),
        }
    }
}
