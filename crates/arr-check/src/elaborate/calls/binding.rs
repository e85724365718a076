//! What a definition's sizes and type parameters stand for at a call, as far as arguments and context say. Extents are
//! polynomials here, so sizes are solved for symbolically; [`arr_base::solve_sizes`] is the solver for numbers.

use crate::data::declared_type::{
    DArg, DSize, DeclaredType, NamePoly, over_variables, poly_text, scalars_of, size_names, size_product,
};
use crate::data::problem::{Fact, Problem};
use crate::data::tables::{DefInfo, ParamSig, SumDef};
use crate::data::types::{SumArg, Ty};
use crate::data::values::{Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::env::TypeScope;
use arr_base::Span;
use arr_ir::{Poly, Scalar, SizeId};
use arr_syntax::ast::Bound;
use std::collections::BTreeMap;

/// A size that an argument has fixed.
#[derive(Clone, Debug)]
pub(crate) struct BoundSize<'a> {
    pub size: SizeId,
    pub param: &'a str,
    pub span: Span,
}

/// What the sizes and type parameters of a definition stand for at one call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binding<'a> {
    pub sizes: BTreeMap<&'a str, BoundSize<'a>>,
    pub types: BTreeMap<&'a str, (Scalar, Span)>,
    /// Types that are not scalars: what parameters bounded by `any` stand for, and those of sums.
    pub compound: BTreeMap<&'a str, (Ty, Span)>,
    /// Sizes that are not bare names: solved after all arguments were seen.
    deferred: Vec<(&'a NamePoly, SizeId, &'a str, Span)>,
}

impl<'a> Binding<'a> {
    pub fn scalar(&self, name: &str) -> Option<Scalar> {
        self.types.get(name).map(|(s, _)| *s)
    }

    /// What a type parameter stands for.
    pub fn ty(&self, name: &str) -> Option<Ty> {
        self.scalar(name).map(Ty::Scalar).or_else(|| self.compound.get(name).map(|(ty, _)| ty.clone()))
    }

    /// The polynomial of a size name of the definition.
    pub fn poly(&self, e: &Elab<'a>, name: &str) -> Option<Poly> {
        match self.sizes.get(name) {
            Some(bound) => Some(e.b.func.types.poly(bound.size).clone()),
            None => e.tables.constant_size(name).map(Poly::constant),
        }
    }

    pub fn type_scope(&self, module: usize) -> TypeScope<'a> {
        let scalars = self.types.iter().map(|(name, (elem, _))| (*name, Ty::Scalar(*elem)));
        let others = self.compound.iter().filter(|(name, _)| !self.types.contains_key(*name));
        TypeScope { module, types: scalars.chain(others.map(|(name, (ty, _))| (*name, ty.clone()))).collect() }
    }

    /// What a declared type says about numbers without a type, as far as type parameters are fixed.
    pub fn hint(&self, e: &mut Elab<'a>, ty: &DeclaredType) -> Hint {
        match ty {
            DeclaredType::Error | DeclaredType::Fn(..) => Hint::None,
            DeclaredType::Scalar(elem) => Hint::Elem(*elem),
            DeclaredType::Param(name) => self.ty(name).map_or(Hint::None, |ty| Hint::of(&ty)),
            DeclaredType::Array(_, inner) => Hint::Array(Box::new(self.hint(e, inner))),
            DeclaredType::Tuple(items) => Hint::Tuple(items.iter().map(|t| self.hint(e, t)).collect()),
            DeclaredType::Record(fields) => {
                Hint::Record(fields.iter().map(|(n, t)| (n.clone(), self.hint(e, t))).collect())
            }
            DeclaredType::Sum(sum) => {
                Hint::Sum(sum.name.clone(), sum.args.iter().map(|arg| self.known_arg(e, arg)).collect())
            }
        }
    }

    /// What is known of an argument of a sum's type.
    pub fn known_arg(&self, e: &mut Elab<'a>, arg: &DArg) -> Option<SumArg> {
        match arg {
            DArg::Size(size) => {
                let known = size_names(&size.poly).into_iter().all(|name| self.poly(e, name).is_some());
                if !known {
                    return None;
                }
                let poly = over_variables(&size.poly, &mut |name| self.poly(e, name).unwrap_or_default())?;
                Some(SumArg::Size(e.b.func.types.size(poly)))
            }
            DArg::Ty(ty) => {
                let sizes = ty.sizes();
                let known = sizes.iter().flat_map(|s| size_names(&s.poly)).all(|name| self.poly(e, name).is_some())
                    && ty.type_params().into_iter().all(|name| self.ty(name).is_some());
                known.then(|| SumArg::Ty(e.declared_type(ty, self)))
            }
        }
    }

    /// Learns from the type that the context expects what is not known yet.
    pub fn learn(&mut self, sum: &'a SumDef, hint: &Hint, span: Span) {
        let Hint::Sum(name, args) = hint else { return };
        if *name != sum.name {
            return;
        }
        for (param, arg) in sum.params.iter().zip(args) {
            match arg {
                Some(SumArg::Size(size)) => {
                    self.sizes.entry(param).or_insert(BoundSize { size: *size, param, span });
                }
                Some(SumArg::Ty(Ty::Scalar(elem))) => {
                    self.types.entry(param).or_insert((*elem, span));
                }
                Some(SumArg::Ty(ty)) if !self.types.contains_key(param.as_str()) => {
                    self.compound.entry(param).or_insert((ty.clone(), span));
                }
                Some(SumArg::Ty(_)) | None => {}
            }
        }
    }

    /// Learns from one argument. What does not fit is reported later, when the types are compared.
    pub fn bind(&mut self, e: &mut Elab<'a>, param: &'a ParamSig, val: &Val, span: Span) {
        self.unify(e, &param.ty, &val.ty, &param.name, span);
        if let (DeclaredType::Scalar(Scalar::I64), Ty::Scalar(Scalar::I64), Some(atom)) =
            (&param.ty, &val.ty, val.atom())
        {
            let size = e.size_of(atom);
            self.sizes.entry(&param.name).or_insert(BoundSize { size, param: &param.name, span });
        }
    }

    /// Learns from the type that stands where a declared type is.
    pub fn unify(&mut self, e: &Elab<'a>, declared: &'a DeclaredType, ty: &Ty, param: &'a str, span: Span) {
        match (declared, ty) {
            (DeclaredType::Array(n, inner), Ty::Array(size, ty)) => {
                self.unify_size(e, n, *size, param, span);
                self.unify(e, inner, ty, param, span);
            }
            (DeclaredType::Param(name), Ty::Scalar(elem)) => {
                self.types.entry(name).or_insert((*elem, span));
            }
            (DeclaredType::Param(name), ty) if !ty.has_error() && !ty.has_fn() => {
                self.compound.entry(name).or_insert((ty.clone(), span));
            }
            (DeclaredType::Sum(a), Ty::Sum(b)) if a.name == b.name => {
                for (a, b) in a.args.iter().zip(&b.args) {
                    match (a, b) {
                        (DArg::Size(n), SumArg::Size(size)) => self.unify_size(e, n, *size, param, span),
                        (DArg::Ty(a), SumArg::Ty(b)) => self.unify(e, a, b, param, span),
                        _ => {}
                    }
                }
            }
            (DeclaredType::Tuple(a), Ty::Tuple(b)) => {
                a.iter().zip(b).for_each(|(a, b)| self.unify(e, a, b, param, span));
            }
            (DeclaredType::Record(a), Ty::Record(b)) => {
                for (name, a) in a {
                    if let Some((_, b)) = b.iter().find(|(n, _)| n == name) {
                        self.unify(e, a, b, param, span);
                    }
                }
            }
            _ => {}
        }
    }

    fn unify_size(&mut self, e: &Elab<'a>, n: &'a DSize, size: SizeId, param: &'a str, span: Span) {
        match n.poly.as_name() {
            Some(name) if e.tables.constant_size(name).is_none() => {
                self.sizes.entry(name).or_insert(BoundSize { size, param, span });
            }
            Some(_) => {}
            None => self.deferred.push((&n.poly, size, param, span)),
        }
    }

    /// Solves the sizes that are not bare names: `[n+1]` binds `n` if nothing else does.
    pub fn solve(&mut self, e: &mut Elab<'a>) {
        let mut deferred = std::mem::take(&mut self.deferred);
        loop {
            let before = deferred.len();
            deferred.retain(|&(poly, size, param, span)| {
                let unknown: Vec<&'a str> =
                    size_names(poly).into_iter().filter(|n| self.poly(e, n).is_none()).collect();
                match unknown.as_slice() {
                    [] => false,
                    [name] => match self.solve_for(e, name, poly, size) {
                        Some(size) => {
                            // `[n+1]` says that there is an element: an argument without any has no `n`.
                            e.demand_size(size, span);
                            self.sizes.insert(name, BoundSize { size, param, span });
                            false
                        }
                        None => true,
                    },
                    _ => true,
                }
            });
            if deferred.len() == before {
                break;
            }
        }
        self.deferred = deferred;
    }

    /// The first size that is not solved: no choice of its names gives the size of the argument, or none is known.
    pub fn unsolved(&self, e: &Elab<'a>, info: &DefInfo) -> Option<Problem> {
        let &(poly, size, param, span) = self.deferred.first()?;
        let name = size_names(poly).into_iter().find(|name| self.poly(e, name).is_none())?;
        let declared = info.params().iter().find(|p| p.name == param).map_or(info.span, |p| p.span);
        Some(Problem::Unsolved {
            span,
            argument: (param.to_string(), info.name.clone()),
            name: name.to_string(),
            wanted: poly_text(poly),
            found: e.show_size(size),
            never: e.constant_size(size).is_some(),
            declared,
            facts: e.origins_of(&[size]),
        })
    }

    /// Solves `poly(name) = size` where `poly` is linear in `name` with a constant coefficient.
    fn solve_for(&self, e: &mut Elab<'a>, name: &str, poly: &NamePoly, size: SizeId) -> Option<SizeId> {
        let mut rest = e.b.func.types.poly(size).clone();
        let mut coefficient = 0;
        for (monomial, &c) in &poly.terms {
            if monomial.iter().any(|n| n == name) {
                if monomial.len() != 1 {
                    return None;
                }
                coefficient = c;
            } else {
                let factors = monomial.iter().map(|n| self.poly(e, n));
                let term = factors.into_iter().try_fold(Poly::constant(c), |p, f| size_product(&p, &f?))?;
                rest = rest.sub(&term);
            }
        }
        if coefficient == 0 || rest.terms.values().any(|c| c.wrapping_rem(coefficient) != 0) {
            return None;
        }
        rest.terms.values_mut().for_each(|c| *c = c.wrapping_div(coefficient));
        Some(e.b.func.types.size(rest))
    }

    /// Type parameters that no argument fixes are what the context expects of the result, and otherwise the most usual
    /// type that their bound allows.
    pub fn types_from_context(&mut self, info: &'a DefInfo, hint: &Hint, span: Span) {
        self.learn_from_context(info, hint, span);
        for (name, bound) in &info.type_params {
            let usual = scalars_of(*bound).first().filter(|_| !self.compound.contains_key(name.as_str()));
            if let Some(usual) = usual {
                self.types.entry(name).or_insert((*usual, span));
            }
        }
    }

    /// What numbers without a type are given for, where neither arguments nor the context say it and the bound allows
    /// floats alone.
    pub fn floats_by_default(&mut self, info: &'a DefInfo, span: Span) {
        for (name, bound) in &info.type_params {
            if *bound == Bound::Float && !self.compound.contains_key(name.as_str()) {
                self.types.entry(name).or_insert((Scalar::F64, span));
            }
        }
    }

    /// Type parameters that no argument fixes are what the context expects of the result, where their bound allows it.
    pub fn learn_from_context(&mut self, info: &'a DefInfo, hint: &Hint, span: Span) {
        let Some(result) = &info.result else { return };
        let mut expected = Binding::default();
        expected.unify_hint(result, hint, span);
        for (name, bound) in &info.type_params {
            // An argument has said what it is: nothing that is one number.
            if self.compound.contains_key(name.as_str()) {
                continue;
            }
            if let Some((elem, _)) = expected.types.get(name.as_str()).filter(|(s, _)| scalars_of(*bound).contains(s)) {
                self.types.entry(name).or_insert((*elem, span));
            }
        }
    }

    fn unify_hint(&mut self, declared: &'a DeclaredType, hint: &Hint, span: Span) {
        match declared {
            DeclaredType::Param(name) => {
                if let Some(elem) = hint.elem() {
                    self.types.entry(name).or_insert((elem, span));
                }
            }
            DeclaredType::Array(_, inner) => self.unify_hint(inner, &hint.inner(), span),
            DeclaredType::Tuple(items) => {
                items.iter().enumerate().for_each(|(i, t)| self.unify_hint(t, &hint.component(i), span));
            }
            DeclaredType::Record(fields) => {
                fields.iter().for_each(|(name, t)| self.unify_hint(t, &hint.field(name), span))
            }
            DeclaredType::Sum(sum) => {
                let Hint::Sum(name, args) = hint else { return };
                for (declared, arg) in sum.args.iter().zip(args).filter(|_| *name == sum.name) {
                    if let (DArg::Ty(declared), Some(SumArg::Ty(ty))) = (declared, arg) {
                        self.unify_hint(declared, &Hint::of(ty), span);
                    }
                }
            }
            DeclaredType::Error | DeclaredType::Scalar(_) | DeclaredType::Fn(..) => {}
        }
    }

    /// Where the names of a declared type got their sizes, for a message.
    pub fn facts(&self, e: &Elab<'a>, ty: &DeclaredType, def: &str) -> Vec<Fact> {
        let mut names: Vec<&str> = ty.sizes().iter().flat_map(|s| size_names(&s.poly)).collect();
        names.sort_unstable();
        names.dedup();
        names
            .into_iter()
            .filter_map(|name| self.sizes.get(name).map(|b| (name, b)))
            .map(|(name, b)| {
                let size = e.show_size(b.size);
                (b.span, format!("`{name}` of `{def}` is `{size}`, from argument `{}`", b.param))
            })
            .collect()
    }
}
