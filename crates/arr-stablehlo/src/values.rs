//! Values of scalar code at every point of a space, and arrays.

use crate::text::{elem_name, tensor};
use arr_ir::{Const, Prim, Scalar};

/// An axis of a kernel. A larger one is further in.
pub(crate) type AxisId = usize;

/// The least and the greatest value that an integer can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range(pub i64, pub i64);

impl Range {
    pub const ANY: Range = Range(i64::MIN, i64::MAX);

    pub fn of(self, prim: Prim, other: Range) -> Range {
        let all = |f: fn(i64, i64) -> Option<i64>| {
            let corners = [f(self.0, other.0), f(self.0, other.1), f(self.1, other.0), f(self.1, other.1)];
            let found: Option<Vec<i64>> = corners.into_iter().collect();
            let ends = found.and_then(|all| Some(Range(*all.iter().min()?, *all.iter().max()?)));
            ends.unwrap_or(Range::ANY)
        };
        match prim {
            Prim::Add => all(i64::checked_add),
            Prim::Sub => all(|a, b| a.checked_sub(b)),
            Prim::Mul => all(i64::checked_mul),
            Prim::Min => Range(self.0.min(other.0), self.1.min(other.1)),
            Prim::Max => Range(self.0.max(other.0), self.1.max(other.1)),
            Prim::Div if other.0 > 0 => Range(
                arr_math::div_floor(self.0, if self.0 < 0 { other.0 } else { other.1 }),
                arr_math::div_floor(self.1, if self.1 < 0 { other.1 } else { other.0 }),
            ),
            Prim::Rem if other.0 > 0 => Range(0, other.1 - 1),
            _ => Range::ANY,
        }
    }

    pub fn or(self, other: Range) -> Range {
        Range(self.0.min(other.0), self.1.max(other.1))
    }
}

/// A tensor over axes, in ascending order; a scalar has none.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    pub name: String,
    pub axes: Vec<AxisId>,
    pub elem: Scalar,
    pub range: Range,
    /// The same with its axes in another order, from which it was made.
    pub unordered: Option<(String, Vec<AxisId>)>,
}

impl Val {
    /// A value of which nothing more is known.
    pub fn new(name: String, axes: Vec<AxisId>, elem: Scalar) -> Val {
        Val { name, axes, elem, range: Range::ANY, unordered: None }
    }

    /// Another value of the same type, of which the same is known.
    pub fn named(&self, name: String) -> Val {
        Val { name, unordered: None, ..self.clone() }
    }

    /// A value that is one of these integers.
    pub fn within(self, range: Range) -> Val {
        Val { range, ..self }
    }
}

/// `base + constant + sum of coefficients times indices`; a base with axes is one of a few integers.
#[derive(Clone, Debug)]
pub(crate) struct Affine {
    pub base: Option<Val>,
    pub constant: i64,
    pub terms: Vec<(AxisId, i64)>,
}

impl Affine {
    /// The base, if it has axes.
    pub fn decides(&self) -> Option<&Val> {
        self.base.as_ref().filter(|base| !base.axes.is_empty())
    }
}

/// A scalar of scalar code.
#[derive(Clone, Debug)]
pub(crate) enum Scal {
    Const(Const),
    Tensor(Val),
    /// An `i64`.
    Affine(Affine),
    /// A product of floats that nothing has needed yet.
    Product {
        factors: Vec<Scal>,
        zero_wins: bool,
        elem: Scalar,
    },
    /// Elements that a convolution may look up.
    Windows(Box<Windows>),
}

/// Elements at places of which some slide along two axes.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub array: Arr,
    pub index: Vec<Scal>,
    pub hint: String,
}

impl Scal {
    pub fn elem(&self) -> Scalar {
        match self {
            Scal::Const(c) => c.scalar(),
            Scal::Tensor(v) => v.elem,
            Scal::Affine(_) => Scalar::I64,
            Scal::Product { elem, .. } => *elem,
            Scal::Windows(windows) => windows.array.elem,
        }
    }

    pub fn as_const(&self) -> Option<Const> {
        if let Scal::Const(c) = self { Some(*c) } else { None }
    }

    /// The axes that it depends on, in order.
    pub fn axes(&self) -> Vec<AxisId> {
        match self {
            Scal::Const(_) => Vec::new(),
            Scal::Tensor(v) => v.axes.clone(),
            Scal::Affine(a) => {
                let base = a.base.as_ref().map_or(Vec::new(), |v| v.axes.clone());
                union(&[base, a.terms.iter().map(|t| t.0).collect()])
            }
            Scal::Product { factors, .. } => union(&factors.iter().map(Scal::axes).collect::<Vec<_>>()),
            Scal::Windows(windows) => union(&windows.index.iter().map(Scal::axes).collect::<Vec<_>>()),
        }
    }
}

/// The axes of any of these, in order.
pub(crate) fn union(all: &[Vec<AxisId>]) -> Vec<AxisId> {
    let mut axes: Vec<AxisId> = all.iter().flatten().copied().collect();
    axes.sort_unstable();
    axes.dedup();
    axes
}

/// An array of the function.
#[derive(Clone, Debug)]
pub(crate) struct Arr {
    pub name: String,
    pub dims: Vec<i64>,
    pub elem: Scalar,
    /// Whether an axis is longer here than in the program.
    pub ragged: bool,
    /// Of integers: what they are, if they are few.
    pub range: Range,
}

impl Arr {
    /// An array of which nothing more is known.
    pub fn new(name: String, dims: Vec<i64>, elem: Scalar) -> Arr {
        Arr { name, dims, elem, ragged: false, range: Range::ANY }
    }

    pub fn ty(&self) -> String {
        tensor(&self.dims, elem_name(self.elem))
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Scalar(Scal),
    Array(Arr),
}
