//! Values: scalars and dense arrays of [`Num`].

use crate::number::Num;
use arr_ir::{Array, Const, Data, Scalar, Value};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(crate) enum Val {
    Num(Num),
    Array(Rc<Elements>),
}

/// Row-major.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub elem: Scalar,
    pub dims: Vec<i64>,
    pub data: Vec<Num>,
}

impl Val {
    pub fn array(elem: Scalar, dims: Vec<i64>, data: Vec<Num>) -> Val {
        Val::Array(Rc::new(Elements { elem, dims, data }))
    }

    pub fn of(value: &Value) -> Val {
        match value {
            Value::Scalar(c) => Val::Num(Num::Plain(*c)),
            Value::Array(array) => {
                let data = (0..array.data.len()).filter_map(|i| array.data.get(i)).map(Num::Plain).collect();
                Val::array(array.data.elem(), array.dims.clone(), data)
            }
        }
    }

    /// The plain value; `None` if an array's elements are not of its type.
    pub fn to_value(&self) -> Option<Value> {
        match self {
            Val::Num(n) => Some(Value::Scalar(n.plain())),
            Val::Array(array) => {
                let mut data = Data::zeros(array.elem, array.data.len());
                let fits = array.data.iter().enumerate().all(|(i, n)| data.set(i, n.plain()));
                fits.then(|| Value::Array(Array { dims: array.dims.clone(), data }.into()))
            }
        }
    }

    /// The elements; for a scalar, the single one.
    pub fn nums(&self) -> &[Num] {
        match self {
            Val::Num(n) => std::slice::from_ref(n),
            Val::Array(array) => &array.data,
        }
    }

    pub fn elem(&self) -> Scalar {
        match self {
            Val::Num(n) => n.elem(),
            Val::Array(array) => array.elem,
        }
    }

    /// A value of the same shape with these elements.
    pub fn with(&self, mut nums: Vec<Num>) -> Val {
        match self {
            Val::Num(n) => Val::Num(nums.pop().unwrap_or_else(|| n.clone())),
            Val::Array(array) => Val::array(array.elem, array.dims.clone(), nums),
        }
    }

    pub fn map(&self, f: impl FnMut(&Num) -> Num) -> Val {
        self.with(self.nums().iter().map(f).collect())
    }
}

/// A cotangent: an element for each of the value's, where `None` is zero. Elements that are not floats have none.
#[derive(Clone, Debug)]
pub(crate) struct Cot(pub Vec<Option<Num>>);

impl Cot {
    pub fn zero(len: usize) -> Cot {
        Cot(vec![None; len])
    }

    pub fn is_zero(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The cotangent that a value stands for: exact zeros contribute nothing.
    pub fn of(value: &Val) -> Cot {
        Cot(value.nums().iter().map(|n| (n.elem().is_float() && !n.is_zero()).then(|| n.clone())).collect())
    }

    /// As a value with the form of the one it belongs to.
    pub fn to_val(&self, like: &Val) -> Val {
        let elem = like.elem();
        like.with(self.0.iter().map(|n| n.clone().unwrap_or(Num::Plain(Const::zero(elem)))).collect())
    }
}
