//! Values as the checker sees them, and what the context of an expression expects of its value.
//!
//! A value is its type and its leaves: scalars and arrays of scalars in order of appearance. An array of tuples or
//! records is one array per leaf (struct of arrays).

use crate::data::types::{FnId, SumArg, Ty};
use arr_base::Span;
use arr_ir::{Atom, Scalar};

/// A value: its type, and an atom for each leaf. Leaves with axes are always variables.
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

    /// What the constructor at `k` carries, or would carry; for arrays of sums, arrays.
    pub fn payload(&self, k: usize) -> Option<Vec<Val>> {
        let (dims, Ty::Sum(sum)) = self.ty.peel() else { return None };
        let width = |fields: &[Ty]| fields.iter().map(Ty::width).sum::<usize>();
        let before: usize = sum.constructors.iter().take(k).map(|(_, fields)| width(fields)).sum();
        let mut rest = self.leaves.get(usize::from(sum.has_tag()) + before..)?;
        let mut out = Vec::new();
        for ty in &sum.constructors.get(k)?.1 {
            let (mine, after) = rest.split_at(ty.width().min(rest.len()));
            rest = after;
            out.push(Val::new(ty.clone().under(&dims), mine.to_vec()));
        }
        Some(out)
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
