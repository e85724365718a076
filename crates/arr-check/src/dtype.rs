//! Declared types: the types that a program writes, with aliases expanded and sizes as polynomials over names.

use crate::error::Problem;
use crate::words::nearest;
use arr_base::{Diagnostic, Span};
use arr_ir::{Poly, Scalar};
use arr_syntax::ast::{self, SizeKind, TypeArg, TypeBody, TypeDef, TypeDefParam, TypeKind};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// A size as written: coefficient of each product of names.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct NamePoly {
    pub terms: BTreeMap<Vec<String>, i64>,
}

impl NamePoly {
    pub fn constant(value: i64) -> Self {
        let mut poly = Self::default();
        poly.add_term(Vec::new(), value);
        poly
    }

    pub fn name(name: &str) -> Self {
        let mut poly = Self::default();
        poly.add_term(vec![name.to_string()], 1);
        poly
    }

    pub fn add_term(&mut self, monomial: Vec<String>, coefficient: i64) {
        let entry = self.terms.entry(monomial.clone()).or_insert(0);
        *entry = entry.wrapping_add(coefficient);
        if *entry == 0 {
            self.terms.remove(&monomial);
        }
    }

    fn add(mut self, other: &Self, sign: i64) -> Self {
        for (m, c) in &other.terms {
            self.add_term(m.clone(), c.wrapping_mul(sign));
        }
        self
    }

    fn mul(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (m1, c1) in &self.terms {
            for (m2, c2) in &other.terms {
                let mut m: Vec<String> = m1.iter().chain(m2).cloned().collect();
                m.sort();
                product.add_term(m, c1.wrapping_mul(*c2));
            }
        }
        product
    }

    /// The name, if it is just one name.
    pub fn as_name(&self) -> Option<&str> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (Some((m, 1)), None) => match m.as_slice() {
                [name] => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.terms.keys().flatten().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The polynomial over variables, given those of the names.
    pub fn to_poly(&self, lookup: &mut dyn FnMut(&str) -> Poly) -> Poly {
        self.terms.iter().fold(Poly::default(), |sum, (m, c)| {
            sum.add(&m.iter().fold(Poly::constant(*c), |product, name| product.mul(&lookup(name))))
        })
    }

    fn substitute(&self, scope: &AliasScope) -> Self {
        self.terms.iter().fold(Self::default(), |sum, (m, c)| {
            let product = m.iter().fold(Self::constant(*c), |product, name| {
                let factor = scope.sizes.get(name).cloned().unwrap_or_else(|| Self::name(name));
                product.mul(&factor)
            });
            sum.add(&product, 1)
        })
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DSize {
    pub poly: NamePoly,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum DTy {
    Error,
    Scalar(Scalar),
    /// A type parameter.
    Param(String),
    Array(DSize, Box<DTy>),
    Tuple(Vec<DTy>),
    Record(Vec<(String, DTy)>),
    Fn(Vec<DTy>, Box<DTy>),
}

impl DTy {
    pub fn is_fn(&self) -> bool {
        matches!(self, DTy::Fn(..))
    }

    /// Every size in it, in order of writing.
    pub fn sizes(&self) -> Vec<&DSize> {
        match self {
            DTy::Array(size, inner) => std::iter::once(size).chain(inner.sizes()).collect(),
            DTy::Tuple(items) => items.iter().flat_map(DTy::sizes).collect(),
            DTy::Record(fields) => fields.iter().flat_map(|(_, t)| t.sizes()).collect(),
            DTy::Fn(params, result) => params.iter().flat_map(DTy::sizes).chain(result.sizes()).collect(),
            DTy::Error | DTy::Scalar(_) | DTy::Param(_) => Vec::new(),
        }
    }

    /// The sizes that an argument of this type shows: not those of functions.
    pub fn shown_sizes(&self) -> Vec<&DSize> {
        match self {
            DTy::Fn(..) => Vec::new(),
            DTy::Array(size, inner) => std::iter::once(size).chain(inner.shown_sizes()).collect(),
            DTy::Tuple(items) => items.iter().flat_map(DTy::shown_sizes).collect(),
            DTy::Record(fields) => fields.iter().flat_map(|(_, t)| t.shown_sizes()).collect(),
            DTy::Error | DTy::Scalar(_) | DTy::Param(_) => Vec::new(),
        }
    }
}

/// What the parameters of an alias stand for.
#[derive(Default)]
struct AliasScope {
    sizes: BTreeMap<String, NamePoly>,
    types: BTreeMap<String, DTy>,
}

/// Names can double a type at each definition, so its written length bounds nothing.
const MAX_PARTS: usize = 20_000;

/// Takes written types to declared types. Reports unknown types and wrong arguments.
pub(crate) struct Lowering<'a> {
    pub types: &'a IndexMap<String, TypeDef>,
    pub type_params: &'a [String],
    pub problems: Vec<Diagnostic>,
    stack: Vec<String>,
    /// Types lowered so far, names replaced by what they stand for.
    parts: usize,
}

impl<'a> Lowering<'a> {
    pub fn new(types: &'a IndexMap<String, TypeDef>, type_params: &'a [String]) -> Self {
        Self { types, type_params, problems: Vec::new(), stack: Vec::new(), parts: 0 }
    }

    /// Says that what follows is the body of this alias.
    pub fn enter(&mut self, alias: &str) {
        self.stack.push(alias.to_string());
    }

    pub fn lower(&mut self, ty: &ast::Type) -> DTy {
        self.ty(ty, &AliasScope::default())
    }

    fn report(&mut self, problem: Problem) -> DTy {
        self.problems.push(problem.into());
        DTy::Error
    }

    fn ty(&mut self, ty: &ast::Type, scope: &AliasScope) -> DTy {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            let what = format!("a type of more than {MAX_PARTS} parts is");
            // Said once; the rest of the type is not looked at.
            if self.parts == MAX_PARTS + 1 {
                self.report(Problem::Unsupported { span: ty.span, what });
            }
            return DTy::Error;
        }
        match &ty.kind {
            TypeKind::Named { name, args } => self.named(name, args, ty.span, scope),
            TypeKind::Array(size, inner) => {
                let inner_ty = self.ty(inner, scope);
                if inner_ty.is_fn() {
                    return self.report(Problem::FunctionValue {
                        span: inner.span,
                        place: "an element of an array",
                        hint: None,
                    });
                }
                DTy::Array(self.size(size, scope), Box::new(inner_ty))
            }
            TypeKind::Tuple(items) => DTy::Tuple(items.iter().map(|t| self.ty(t, scope)).collect()),
            TypeKind::Record(fields) => self.record(fields, scope),
            TypeKind::Function(params, result) => {
                let params = params.iter().map(|t| self.ty(t, scope)).collect();
                DTy::Fn(params, Box::new(self.ty(result, scope)))
            }
            TypeKind::Error => DTy::Error,
        }
    }

    fn record(&mut self, fields: &[(ast::Name, ast::Type)], scope: &AliasScope) -> DTy {
        let mut seen: IndexMap<&str, Span> = IndexMap::new();
        let mut out = Vec::new();
        for (name, ty) in fields {
            if let Some(&first) = seen.get(name.text.as_str()) {
                let (what, name) = ("field", name);
                self.report(Problem::Duplicate { what, name: name.text.clone(), span: name.span, first: Some(first) });
                continue;
            }
            seen.insert(&name.text, name.span);
            out.push((name.text.clone(), self.ty(ty, scope)));
        }
        DTy::Record(out)
    }

    fn size(&mut self, size: &ast::Size, scope: &AliasScope) -> DSize {
        DSize { poly: size_poly(size).substitute(scope), span: size.span }
    }

    fn named(&mut self, name: &ast::Name, args: &[TypeArg], span: Span, scope: &AliasScope) -> DTy {
        let text = name.text.as_str();
        if let Some(ty) = scope.types.get(text) {
            return ty.clone();
        }
        if self.type_params.iter().any(|p| p == text) {
            return DTy::Param(text.to_string());
        }
        let types = self.types;
        if let Some(def) = types.get(text) {
            return self.alias(def, args, span, scope);
        }
        if let Some(elem) = Scalar::from_name(text) {
            return DTy::Scalar(elem);
        }
        let known = types.keys().map(String::as_str).chain(Scalar::ALL.iter().map(|s| s.name()));
        let suggestion = nearest(text, known.chain(self.type_params.iter().map(String::as_str)));
        self.report(Problem::UnknownType { name: text.to_string(), span: name.span, suggestion })
    }

    fn alias(&mut self, def: &TypeDef, args: &[TypeArg], span: Span, outer: &AliasScope) -> DTy {
        let name = &def.name.text;
        let body = match &def.body {
            TypeBody::Alias(body) => body,
            TypeBody::Sum(_) => {
                return self.report(Problem::Unsupported { span, what: format!("the sum type `{name}` is") });
            }
        };
        if self.stack.contains(name) {
            let cycle = self.stack.iter().chain([name]).cloned().collect();
            return self.report(Problem::Recursion { name: name.clone(), span, cycle });
        }
        if def.params.len() != args.len() {
            let n = def.params.len();
            return self.report(Problem::ArgumentCount {
                name: format!("the type `{name}`"),
                span,
                expected: format!("{n} argument{}", if n == 1 { "" } else { "s" }),
                found: args.len(),
                declared: Some(def.name.span),
                hint: None,
            });
        }
        let mut scope = AliasScope::default();
        for (param, arg) in def.params.iter().zip(args) {
            match param {
                TypeDefParam::Size(param) => {
                    let size = self.size_arg(arg, span, outer);
                    scope.sizes.insert(param.text.clone(), size);
                }
                TypeDefParam::Type(param) => {
                    let ty = self.type_arg(arg, outer);
                    scope.types.insert(param.name.text.clone(), ty);
                }
            }
        }
        self.stack.push(name.clone());
        let ty = self.ty(body, &scope);
        self.stack.pop();
        ty
    }

    fn size_arg(&mut self, arg: &TypeArg, span: Span, scope: &AliasScope) -> NamePoly {
        match arg {
            TypeArg::Size(size) => size_poly(size).substitute(scope),
            TypeArg::Type(ty) => match &ty.kind {
                TypeKind::Named { name, args } if args.is_empty() => NamePoly::name(&name.text).substitute(scope),
                _ => {
                    self.report(Problem::UnknownSize { name: type_text(ty), span, suggestion: None });
                    NamePoly::constant(0)
                }
            },
        }
    }

    fn type_arg(&mut self, arg: &TypeArg, scope: &AliasScope) -> DTy {
        match arg {
            TypeArg::Type(ty) => self.ty(ty, scope),
            TypeArg::Size(size) => match &size.kind {
                SizeKind::Name(name) => {
                    let name = ast::Name { text: name.clone(), span: size.span };
                    self.named(&name, &[], size.span, scope)
                }
                _ => self.report(Problem::UnknownType { name: size_text(size), span: size.span, suggestion: None }),
            },
        }
    }
}

pub(crate) fn size_poly(size: &ast::Size) -> NamePoly {
    match &size.kind {
        SizeKind::Int(value) => NamePoly::constant(*value),
        SizeKind::Name(name) => NamePoly::name(name),
        SizeKind::Add(a, b) => size_poly(a).add(&size_poly(b), 1),
        SizeKind::Sub(a, b) => size_poly(a).add(&size_poly(b), -1),
        SizeKind::Mul(a, b) => size_poly(a).mul(&size_poly(b)),
        SizeKind::Error => NamePoly::constant(0),
    }
}

/// A size as it is written.
fn size_text(size: &ast::Size) -> String {
    let factor = |s: &ast::Size| match &s.kind {
        SizeKind::Add(..) | SizeKind::Sub(..) => format!("({})", size_text(s)),
        _ => size_text(s),
    };
    match &size.kind {
        SizeKind::Int(value) => value.to_string(),
        SizeKind::Name(name) => name.clone(),
        SizeKind::Add(a, b) => format!("{} + {}", size_text(a), size_text(b)),
        SizeKind::Sub(a, b) => format!("{} - {}", size_text(a), factor(b)),
        SizeKind::Mul(a, b) => format!("{} * {}", factor(a), factor(b)),
        SizeKind::Error => "?".to_string(),
    }
}

/// A type as it is written.
pub(crate) fn type_text(ty: &ast::Type) -> String {
    let many = |items: &[ast::Type]| items.iter().map(type_text).collect::<Vec<_>>().join(", ");
    match &ty.kind {
        TypeKind::Named { name, args } if args.is_empty() => name.text.clone(),
        TypeKind::Named { name, args } => {
            let args: Vec<String> = args
                .iter()
                .map(|arg| match arg {
                    TypeArg::Size(size) => size_text(size),
                    TypeArg::Type(ty) => type_text(ty),
                })
                .collect();
            format!("{}[{}]", name.text, args.join(", "))
        }
        TypeKind::Array(size, inner) => format!("[{}]{}", size_text(size), type_text(inner)),
        TypeKind::Tuple(items) => format!("({})", many(items)),
        TypeKind::Record(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, ty)| format!("{}: {}", name.text, type_text(ty))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        TypeKind::Function(params, result) => match params.as_slice() {
            [one] if !matches!(one.kind, TypeKind::Function(..) | TypeKind::Tuple(_)) => {
                format!("{} -> {}", type_text(one), type_text(result))
            }
            params => format!("({}) -> {}", many(params), type_text(result)),
        },
        TypeKind::Error => "?".to_string(),
    }
}
