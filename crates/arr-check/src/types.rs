//! Types and values as the checker sees them.
//!
//! A value is its type and its leaves: scalars and arrays of scalars in order of appearance. An array of tuples or
//! records is one array a leaf (struct of arrays). The type of a function is the function itself, a singleton type
//! without leaves, so functions travel through tuples and `let`s like any value and are gone in the IR.

use crate::sum_types::{SumArg, SumTy, variable_name};
use arr_base::Span;
use arr_ir::{Atom, Edge, Scalar, SizeId, Type};
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

    /// How many types it is made of, this one among them, up to a number past which that does not matter.
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
            // A sum's parts say nothing about what stands beside it.
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
    /// float. Fields that hold no float are gone, tuple positions that hold none are `()`. A sum that carries a float
    /// keeps its type: constructor and other parts are those of the value. `None` if nothing is left.
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

/// A value: its type, and an atom a leaf. Leaves with axes are always variables.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Val {
    pub ty: Ty,
    pub leaves: Vec<Atom>,
}

impl Val {
    pub fn new(ty: Ty, leaves: Vec<Atom>) -> Val {
        Val { ty, leaves }
    }

    pub fn error() -> Val {
        Val { ty: Ty::Error, leaves: Vec::new() }
    }

    pub fn scalar(elem: Scalar, atom: impl Into<Atom>) -> Val {
        Val { ty: Ty::Scalar(elem), leaves: vec![atom.into()] }
    }

    pub fn function(id: FnId) -> Val {
        Val { ty: Ty::Fn(id), leaves: Vec::new() }
    }

    pub fn tuple(items: Vec<Val>) -> Val {
        let (types, leaves): (Vec<Ty>, Vec<Vec<Atom>>) = items.into_iter().map(|v| (v.ty, v.leaves)).unzip();
        Val { ty: Ty::Tuple(types), leaves: leaves.concat() }
    }

    pub fn record(fields: Vec<(String, Val)>) -> Val {
        let mut leaves = Vec::new();
        let types = fields
            .into_iter()
            .map(|(name, v)| {
                leaves.extend(v.leaves);
                (name, v.ty)
            })
            .collect();
        Val { ty: Ty::Record(types), leaves }
    }

    pub fn is_error(&self) -> bool {
        self.ty.has_error()
    }

    /// The only leaf of a scalar or an array of scalars.
    pub fn atom(&self) -> Option<Atom> {
        match self.leaves.as_slice() {
            [atom] => Some(*atom),
            _ => None,
        }
    }

    /// The components of a tuple, or of an array of tuples as arrays.
    pub fn components(&self) -> Option<Vec<Val>> {
        let (dims, below) = self.ty.peel();
        let types: Vec<Ty> = match below {
            Ty::Tuple(items) => items.clone(),
            Ty::Record(fields) => fields.iter().map(|(_, t)| t.clone()).collect(),
            _ => return None,
        };
        let mut rest = self.leaves.as_slice();
        let mut out = Vec::new();
        for ty in types {
            let (mine, after) = rest.split_at(ty.width().min(rest.len()));
            rest = after;
            out.push(Val { ty: ty.under(&dims), leaves: mine.to_vec() });
        }
        Some(out)
    }

    /// A field of a record.
    pub fn field(&self, name: &str) -> Option<Val> {
        let Ty::Record(fields) = &self.ty else { return None };
        let at = fields.iter().position(|(n, _)| n == name)?;
        self.components()?.into_iter().nth(at)
    }
}

/// An argument of a call: its value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    pub val: Val,
    pub span: Span,
}

/// What the context expects, as far as it helps to read a literal.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Hint {
    None,
    /// Scalars of this type, under any axes.
    Elem(Scalar),
    Array(Box<Hint>),
    Tuple(Vec<Hint>),
    Record(Vec<(String, Hint)>),
    /// A sum, with what is known of its sizes and types.
    Sum(String, Vec<Option<SumArg>>),
}

impl Hint {
    pub fn of(ty: &Ty) -> Hint {
        match ty {
            Ty::Error | Ty::Fn(_) => Hint::None,
            Ty::Scalar(elem) => Hint::Elem(*elem),
            Ty::Array(_, inner) => Hint::Array(Box::new(Hint::of(inner))),
            Ty::Tuple(items) => Hint::Tuple(items.iter().map(Hint::of).collect()),
            Ty::Record(fields) => Hint::Record(fields.iter().map(|(n, t)| (n.clone(), Hint::of(t))).collect()),
            Ty::Sum(sum) => Hint::Sum(sum.name.clone(), sum.args.iter().cloned().map(Some).collect()),
        }
    }

    /// The scalar type at the bottom, if there is just one.
    pub fn elem(&self) -> Option<Scalar> {
        match self {
            Hint::Elem(elem) => Some(*elem),
            Hint::Array(inner) => inner.elem(),
            Hint::None | Hint::Tuple(_) | Hint::Record(_) | Hint::Sum(..) => None,
        }
    }

    /// What is left of the structure when only element types matter.
    pub fn elem_only(&self) -> Hint {
        self.elem().map_or(Hint::None, Hint::Elem)
    }

    /// What an element of an array that is expected here should be.
    pub fn inner(&self) -> Hint {
        match self {
            Hint::Array(inner) => (**inner).clone(),
            Hint::Elem(elem) => Hint::Elem(*elem),
            Hint::None | Hint::Tuple(_) | Hint::Record(_) | Hint::Sum(..) => Hint::None,
        }
    }

    pub fn component(&self, at: usize) -> Hint {
        match self {
            Hint::Tuple(items) => items.get(at).cloned().unwrap_or(Hint::None),
            Hint::Elem(elem) => Hint::Elem(*elem),
            Hint::None | Hint::Array(_) | Hint::Record(_) | Hint::Sum(..) => Hint::None,
        }
    }

    pub fn field(&self, name: &str) -> Hint {
        match self {
            Hint::Record(fields) => fields.iter().find(|(n, _)| n == name).map_or(Hint::None, |(_, h)| h.clone()),
            Hint::None | Hint::Elem(_) | Hint::Array(_) | Hint::Tuple(_) | Hint::Sum(..) => Hint::None,
        }
    }
}
