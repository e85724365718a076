//! Declared types: the types that a program writes, with aliases expanded and sizes as polynomials over names.

use arr_base::{Polynomial, Span};
use arr_ir::{Poly, Scalar};
use arr_syntax::ast::Bound;
use std::sync::Arc;

/// A size as written: a polynomial over names.
pub(crate) type NamePoly = Polynomial<String>;

/// The names in a size, each once, in order.
pub(crate) fn size_names(poly: &NamePoly) -> Vec<&str> {
    poly.names().into_iter().map(String::as_str).collect()
}

/// A size as messages show it, names first.
pub(crate) fn poly_text(poly: &NamePoly) -> String {
    let mut text = String::new();
    let (constant, rest): (Vec<_>, Vec<_>) = poly.terms.iter().partition(|(m, _)| m.is_empty());
    for (monomial, &c) in rest.into_iter().chain(constant) {
        if !text.is_empty() || c < 0 {
            text.push(if c < 0 { '-' } else { '+' });
        }
        let names: Vec<&str> = monomial.iter().map(|name| base_name(name)).collect();
        match (c.unsigned_abs(), names.is_empty()) {
            (1, false) => text.push_str(&names.join("*")),
            (n, true) => text.push_str(&n.to_string()),
            (n, false) => text.push_str(&format!("{n}*{}", names.join("*"))),
        }
    }
    if text.is_empty() { "0".to_string() } else { text }
}

/// The polynomial over variables, given those of the names, if it is no longer than sizes may be.
pub(crate) fn over_variables(poly: &NamePoly, lookup: &mut dyn FnMut(&str) -> Poly) -> Option<Poly> {
    let mut sum = Poly::default();
    for (m, c) in &poly.terms {
        let mut product = Poly::constant(*c);
        for name in m {
            product = size_product(&product, &lookup(name))?;
        }
        sum = sum.add(&product);
    }
    (sum.terms.len() <= MAX_TERMS).then_some(sum)
}

/// How many terms a size may have, and how many factors a term: a product of sums has as many terms as the product of
/// their numbers, and a size of a size that of their squares.
pub(crate) const MAX_TERMS: usize = 256;
const MAX_FACTORS: usize = 64;

/// The product of two sizes, if it is no longer than sizes may be.
pub(crate) fn size_product<V: Ord + Clone>(a: &Polynomial<V>, b: &Polynomial<V>) -> Option<Polynomial<V>> {
    let factors = |p: &Polynomial<V>| p.terms.keys().map(|m| m.len()).max().unwrap_or(0);
    // Neither is longer than sizes may be, so this does not take long.
    let short = |p: &Polynomial<V>| p.terms.len() <= MAX_TERMS;
    if !short(a) || !short(b) || factors(a) + factors(b) > MAX_FACTORS {
        return None;
    }
    Some(a.mul(b)).filter(short)
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DSize {
    pub poly: NamePoly,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum DeclaredType {
    Error,
    Scalar(Scalar),
    /// A type parameter.
    Param(String),
    Array(DSize, Box<DeclaredType>),
    Tuple(Vec<DeclaredType>),
    Record(Vec<(String, DeclaredType)>),
    Sum(Arc<DSum>),
    Fn(Vec<DeclaredType>, Box<DeclaredType>),
}

/// A declared sum type: what its parameters stand for, and its constructors with that filled in.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DSum {
    pub name: String,
    pub args: Vec<DArg>,
    pub constructors: Vec<(String, Vec<DeclaredType>)>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum DArg {
    Size(DSize),
    Ty(DeclaredType),
}

impl DeclaredType {
    pub fn is_fn(&self) -> bool {
        matches!(self, DeclaredType::Fn(..))
    }

    pub fn has_fn(&self) -> bool {
        match self {
            DeclaredType::Fn(..) => true,
            DeclaredType::Array(_, inner) => inner.has_fn(),
            DeclaredType::Tuple(items) => items.iter().any(DeclaredType::has_fn),
            DeclaredType::Record(fields) => fields.iter().any(|(_, t)| t.has_fn()),
            // A sum's own constructors were checked when it was declared.
            DeclaredType::Sum(sum) => sum.args.iter().any(|arg| matches!(arg, DArg::Ty(ty) if ty.has_fn())),
            DeclaredType::Error | DeclaredType::Scalar(_) | DeclaredType::Param(_) => false,
        }
    }

    /// The type parameters in it.
    pub fn type_params(&self) -> Vec<&str> {
        match self {
            DeclaredType::Param(name) => vec![name],
            DeclaredType::Array(_, inner) => inner.type_params(),
            DeclaredType::Tuple(items) => items.iter().flat_map(DeclaredType::type_params).collect(),
            DeclaredType::Record(fields) => fields.iter().flat_map(|(_, t)| t.type_params()).collect(),
            DeclaredType::Sum(sum) => {
                let types = sum.args.iter().filter_map(|arg| if let DArg::Ty(ty) = arg { Some(ty) } else { None });
                types.flat_map(DeclaredType::type_params).collect()
            }
            DeclaredType::Fn(params, result) => {
                params.iter().chain([&**result]).flat_map(DeclaredType::type_params).collect()
            }
            DeclaredType::Error | DeclaredType::Scalar(_) => Vec::new(),
        }
    }

    /// Every size in it, in order of writing.
    pub fn sizes(&self) -> Vec<&DSize> {
        match self {
            DeclaredType::Array(size, inner) => std::iter::once(size).chain(inner.sizes()).collect(),
            DeclaredType::Tuple(items) => items.iter().flat_map(DeclaredType::sizes).collect(),
            DeclaredType::Record(fields) => fields.iter().flat_map(|(_, t)| t.sizes()).collect(),
            DeclaredType::Sum(sum) => sum.args.iter().flat_map(DArg::sizes).collect(),
            DeclaredType::Fn(params, result) => {
                params.iter().flat_map(DeclaredType::sizes).chain(result.sizes()).collect()
            }
            DeclaredType::Error | DeclaredType::Scalar(_) | DeclaredType::Param(_) => Vec::new(),
        }
    }

    /// The names of the sizes that a definition computes, `?k` in its result.
    pub fn computed_sizes(&self) -> Vec<&str> {
        let names = self.sizes().into_iter().flat_map(|size| size_names(&size.poly));
        names.filter(|name| name.starts_with('?')).collect()
    }

    /// The sizes that can be read off an argument of this type: not those of functions.
    pub fn shown_sizes(&self) -> Vec<&DSize> {
        match self {
            DeclaredType::Fn(..) => Vec::new(),
            DeclaredType::Array(size, inner) => std::iter::once(size).chain(inner.shown_sizes()).collect(),
            DeclaredType::Tuple(items) => items.iter().flat_map(DeclaredType::shown_sizes).collect(),
            DeclaredType::Record(fields) => fields.iter().flat_map(|(_, t)| t.shown_sizes()).collect(),
            DeclaredType::Sum(sum) => sum.args.iter().flat_map(DArg::sizes).collect(),
            DeclaredType::Error | DeclaredType::Scalar(_) | DeclaredType::Param(_) => Vec::new(),
        }
    }
}

impl DArg {
    /// The sizes in a sum's type are in its arguments: its constructors mention no others.
    pub fn sizes(&self) -> Vec<&DSize> {
        match self {
            DArg::Size(size) => vec![size],
            DArg::Ty(ty) => ty.sizes(),
        }
    }
}

/// What a size that a definition computes is called in its types: no other size is called so.
pub(crate) fn computed_name(name: &str) -> String {
    format!("?{name}")
}

/// The last part of a key.
pub(crate) fn base_name(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

pub(crate) fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Any => "any",
        Bound::Num => "num",
        Bound::Float => "float",
    }
}

/// The scalar types that a bound allows, the most usual first.
pub(crate) fn scalars_of(bound: Bound) -> &'static [Scalar] {
    const ALL: &[Scalar] = &[Scalar::F64, Scalar::F32, Scalar::I64, Scalar::I32, Scalar::U32, Scalar::Bool];
    match bound {
        Bound::Any => ALL,
        Bound::Num => &[Scalar::F64, Scalar::F32, Scalar::I64, Scalar::I32, Scalar::U32],
        Bound::Float => &[Scalar::F64, Scalar::F32],
    }
}
