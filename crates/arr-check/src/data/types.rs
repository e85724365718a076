//! Types as the checker sees them.
//!
//! The type of a function is the function itself, a singleton type without leaves, so functions travel through tuples
//! and `let`s like any value and are gone in the IR.

use arr_ir::{Atom, Const, Edge, Scalar, SizeId, Type};
use std::sync::Arc;

arr_base::define_id!(
    /// A function value known to the elaborator.
    FnId,
    "fn"
);

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Ty {
    /// The type of what was already reported; it fits everything.
    Error,
    Scalar(Scalar),
    Array(SizeId, Box<Ty>),
    Tuple(Vec<Ty>),
    Record(Vec<(String, Ty)>),
    Sum(Arc<SumTy>),
    Fn(FnId),
}

impl Ty {
    pub fn unit() -> Ty {
        Ty::Tuple(Vec::new())
    }

    /// An array of scalars; a scalar when there are no axes.
    pub fn array(dims: &[SizeId], elem: Scalar) -> Ty {
        Ty::Scalar(elem).under(dims)
    }

    /// This type with axes put in front.
    pub fn under(self, dims: &[SizeId]) -> Ty {
        dims.iter().rev().fold(self, |ty, &d| Ty::Array(d, Box::new(ty)))
    }

    pub fn has_error(&self) -> bool {
        self.any(&|t| matches!(t, Ty::Error))
    }

    pub fn has_fn(&self) -> bool {
        self.any(&|t| matches!(t, Ty::Fn(_)))
    }

    pub fn has_sum(&self) -> bool {
        self.any(&|t| matches!(t, Ty::Sum(_)))
    }

    pub fn has_float(&self) -> bool {
        self.any(&|t| matches!(t, Ty::Scalar(elem) if elem.is_float()))
    }

    fn any(&self, test: &dyn Fn(&Ty) -> bool) -> bool {
        test(self)
            || match self {
                Ty::Array(_, inner) => inner.any(test),
                Ty::Tuple(items) => items.iter().any(|t| t.any(test)),
                Ty::Record(fields) => fields.iter().any(|(_, t)| t.any(test)),
                Ty::Sum(sum) => sum.payload().any(|t| t.any(test)),
                Ty::Error | Ty::Scalar(_) | Ty::Fn(_) => false,
            }
    }

    /// How many types it is made of, itself included; counting stops once there are more than `most`.
    pub fn parts(&self, most: usize) -> usize {
        let mut found = 0;
        let mut todo = vec![self];
        while let Some(ty) = todo.pop() {
            found += 1;
            if found > most {
                break;
            }
            match ty {
                Ty::Error | Ty::Scalar(_) | Ty::Fn(_) => {}
                Ty::Array(_, inner) => todo.push(inner),
                Ty::Tuple(items) => todo.extend(items),
                Ty::Record(fields) => todo.extend(fields.iter().map(|(_, ty)| ty)),
                Ty::Sum(sum) => todo.extend(sum.payload()),
            }
        }
        found
    }

    /// How many leaves a value of this type has.
    pub fn width(&self) -> usize {
        match self {
            Ty::Error | Ty::Fn(_) => 0,
            Ty::Scalar(_) => 1,
            Ty::Array(_, inner) => inner.width(),
            Ty::Tuple(items) => items.iter().map(Ty::width).sum(),
            Ty::Record(fields) => fields.iter().map(|(_, t)| t.width()).sum(),
            Ty::Sum(sum) => usize::from(sum.has_tag()) + sum.payload().map(Ty::width).sum::<usize>(),
        }
    }

    /// The leaves: path (`.x.0`) and type.
    pub fn leaves(&self) -> Vec<(String, Type)> {
        let mut out = Vec::new();
        self.collect(&mut Vec::new(), String::new(), &mut out);
        out
    }

    fn collect(&self, dims: &mut Vec<SizeId>, path: String, out: &mut Vec<(String, Type)>) {
        match self {
            Ty::Error | Ty::Fn(_) => {}
            Ty::Scalar(elem) => out.push((path, Type { elem: *elem, dims: dims.clone() })),
            Ty::Array(size, inner) => {
                dims.push(*size);
                inner.collect(dims, path, out);
                dims.pop();
            }
            Ty::Tuple(items) => {
                for (i, item) in items.iter().enumerate() {
                    item.collect(dims, format!("{path}.{i}"), out);
                }
            }
            Ty::Record(fields) => {
                for (name, field) in fields {
                    field.collect(dims, format!("{path}.{name}"), out);
                }
            }
            Ty::Sum(sum) => {
                if sum.has_tag() {
                    out.push((format!("{path}.tag"), Type { elem: SumTy::TAG, dims: dims.clone() }));
                }
                for (name, fields) in &sum.constructors {
                    let path = format!("{path}.{}", variable_name(name));
                    for (i, field) in fields.iter().enumerate() {
                        let path = if fields.len() == 1 { path.clone() } else { format!("{path}.{i}") };
                        field.collect(dims, path, out);
                    }
                }
            }
        }
    }

    /// The axes in front and what is below them.
    pub fn peel(&self) -> (Vec<SizeId>, &Ty) {
        let mut dims = Vec::new();
        let mut ty = self;
        while let Ty::Array(size, inner) = ty {
            dims.push(*size);
            ty = inner;
        }
        (dims, ty)
    }

    /// Axes and element type, if it is a scalar or an array of scalars.
    pub fn as_numeric(&self) -> Option<(Vec<SizeId>, Scalar)> {
        match self.peel() {
            (dims, Ty::Scalar(elem)) => Some((dims, *elem)),
            _ => None,
        }
    }

    pub fn as_scalar(&self) -> Option<Scalar> {
        if let Ty::Scalar(elem) = self { Some(*elem) } else { None }
    }

    /// The element type of the first leaf.
    pub fn first_elem(&self) -> Option<Scalar> {
        match self {
            Ty::Scalar(elem) => Some(*elem),
            Ty::Array(_, inner) => inner.first_elem(),
            Ty::Tuple(items) => items.iter().find_map(Ty::first_elem),
            Ty::Record(fields) => fields.iter().find_map(|(_, t)| t.first_elem()),
            // The parts of a sum say nothing about the types beside it.
            Ty::Error | Ty::Fn(_) | Ty::Sum(_) => None,
        }
    }

    /// The sizes of all axes in it.
    pub fn sizes(&self) -> Vec<SizeId> {
        match self {
            Ty::Array(size, inner) => std::iter::once(*size).chain(inner.sizes()).collect(),
            Ty::Tuple(items) => items.iter().flat_map(Ty::sizes).collect(),
            Ty::Record(fields) => fields.iter().flat_map(|(_, t)| t.sizes()).collect(),
            Ty::Sum(sum) => sum.payload().flat_map(Ty::sizes).collect(),
            Ty::Error | Ty::Scalar(_) | Ty::Fn(_) => Vec::new(),
        }
    }

    /// The type of a derivative with respect to a value of this type: the same structure without what is not a
    /// float. Fields that hold no float are left out, tuple positions that hold none are `()`. A sum that carries a
    /// float keeps its type: constructor and other parts are those of the value. `None` if nothing is left.
    pub fn float_part(&self) -> Option<Ty> {
        match self {
            Ty::Error => Some(Ty::Error),
            Ty::Scalar(elem) => elem.is_float().then_some(Ty::Scalar(*elem)),
            Ty::Fn(_) => None,
            Ty::Array(size, inner) => Some(Ty::Array(*size, Box::new(inner.float_part()?))),
            Ty::Tuple(items) => {
                let parts: Vec<Option<Ty>> = items.iter().map(Ty::float_part).collect();
                parts
                    .iter()
                    .any(Option::is_some)
                    .then(|| Ty::Tuple(parts.into_iter().map(|p| p.unwrap_or_else(Ty::unit)).collect()))
            }
            Ty::Record(fields) => {
                let parts: Vec<(String, Ty)> =
                    fields.iter().filter_map(|(n, t)| Some((n.clone(), t.float_part()?))).collect();
                (!parts.is_empty()).then_some(Ty::Record(parts))
            }
            Ty::Sum(_) => (self.has_float() || self.has_error()).then(|| self.clone()),
        }
    }

    /// The type at the program's edge; `None` for functions and errors.
    pub fn edge(&self) -> Option<Edge> {
        Some(match self {
            Ty::Error | Ty::Fn(_) => return None,
            Ty::Scalar(elem) => Edge::Scalar(*elem),
            Ty::Array(size, inner) => Edge::Array(*size, Box::new(inner.edge()?)),
            Ty::Tuple(items) => Edge::Tuple(items.iter().map(Ty::edge).collect::<Option<_>>()?),
            Ty::Record(fields) => {
                Edge::Record(fields.iter().map(|(n, t)| Some((n.clone(), t.edge()?))).collect::<Option<_>>()?)
            }
            Ty::Sum(sum) => sum.edge()?,
        })
    }
}

/// What a parameter of a sum's declaration stands for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SumArg {
    Size(SizeId),
    Ty(Ty),
}

/// A sum type. Two are the same if they have the same name and carry the same types.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SumTy {
    pub name: String,
    pub args: Vec<SumArg>,
    /// Constructors, and the types of what they carry.
    pub constructors: Vec<(String, Vec<Ty>)>,
}

impl SumTy {
    /// The tag is an `i64`: a number without a suffix in printed programs, and as wide as an `f64`, so that a
    /// comparison of tags masks lanes of numbers as it is.
    pub const TAG: Scalar = Edge::TAG;

    /// The tag of the constructor at this place.
    pub fn tag(k: usize) -> Atom {
        Atom::Const(Const::I64(i64::try_from(k).unwrap_or(i64::MAX)))
    }

    pub fn has_tag(&self) -> bool {
        self.constructors.len() > 1
    }

    /// What all constructors carry, in the order of the leaves.
    pub fn payload(&self) -> impl Iterator<Item = &Ty> {
        self.constructors.iter().flat_map(|(_, fields)| fields)
    }

    pub fn edge(&self) -> Option<Edge> {
        let mut constructors = Vec::new();
        for (name, fields) in &self.constructors {
            constructors.push((name.clone(), fields.iter().map(Ty::edge).collect::<Option<_>>()?));
        }
        Some(Edge::Sum { name: self.name.clone(), constructors })
    }

    /// This type with the sizes of another of the same sum.
    pub fn with_sizes_of(&self, other: &SumTy) -> Arc<SumTy> {
        let mut constructors = Vec::new();
        for ((name, own), (_, other)) in self.constructors.iter().zip(&other.constructors) {
            constructors.push((name.clone(), own.iter().zip(other).map(|(a, b)| with_sizes_of(a, b)).collect()));
        }
        Arc::new(SumTy { name: self.name.clone(), args: other.args.clone(), constructors })
    }
}

/// What the leaves of a constructor are called: constructors begin with a capital letter, variables do not.
pub(crate) fn variable_name(constructor: &str) -> String {
    let mut name = constructor.to_string();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    name
}

/// The first type with the sizes of the second, as far as they have the same axes.
pub(crate) fn with_sizes_of(ty: &Ty, other: &Ty) -> Ty {
    match (ty, other) {
        (Ty::Array(_, a), Ty::Array(n, b)) => Ty::Array(*n, Box::new(with_sizes_of(a, b))),
        (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
            Ty::Tuple(a.iter().zip(b).map(|(a, b)| with_sizes_of(a, b)).collect())
        }
        (Ty::Sum(a), Ty::Sum(b)) if a.name == b.name => Ty::Sum(a.with_sizes_of(b)),
        (Ty::Record(a), Ty::Record(b)) => Ty::Record(
            a.iter()
                .map(|(n, a)| match b.iter().find(|(m, _)| m == n) {
                    Some((_, b)) => (n.clone(), with_sizes_of(a, b)),
                    None => (n.clone(), a.clone()),
                })
                .collect(),
        ),
        _ => ty.clone(),
    }
}

/// A derivative applied to a function: still a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Derivative {
    Grad,
    ValueAndGrad,
    JacRev,
    JacFwd,
    Hessian,
    /// The gradient whose Jacobian `hessian` is.
    HessianGrad,
}
