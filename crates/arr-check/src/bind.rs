//! Binding a definition's sizes and type parameters at a call. Extents are polynomials here, so that
//! sizes are solved for symbolically; [`arr_base::solve_sizes`] is the solver for numbers.

use crate::declared_type::{DArg, DSize, DeclaredType, NamePoly, poly_text, size_names, size_product};
use crate::elab::{Elab, TypeScope};
use crate::error::{Fact, Problem, Role};
use crate::module::{DefInfo, ParamSig};
use crate::sum_types::SumArg;
use crate::types::{Arg, FnId, Hint, Ty, Val};
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
    /// Types that are no scalars; only the parameters of sums stand for such.
    pub compound: BTreeMap<&'a str, (Ty, Span)>,
    /// Sizes that are no bare names: solved when all arguments were seen.
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
        TypeScope { module, types: self.types.iter().map(|(n, (s, _))| (*n, *s)).collect() }
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

    fn unify(&mut self, e: &Elab<'a>, declared: &'a DeclaredType, ty: &Ty, param: &'a str, span: Span) {
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

    /// The first size that no choice of its names makes what the argument has, or that cannot be told.
    fn unsolved(&self, e: &Elab<'a>, info: &DefInfo) -> Option<Problem> {
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
    fn types_from_context(&mut self, info: &'a DefInfo, hint: &Hint, span: Span) {
        self.learn_from_context(info, hint, span);
        for (name, bound) in &info.type_params {
            let usual = scalars_of(*bound).first().filter(|_| !self.compound.contains_key(name.as_str()));
            if let Some(usual) = usual {
                self.types.entry(name).or_insert((*usual, span));
            }
        }
    }

    /// Type parameters that no argument fixes are what the context expects of the result, where their bound allows it.
    pub fn learn_from_context(&mut self, info: &'a DefInfo, hint: &Hint, span: Span) {
        let Some(result) = &info.result else { return };
        let mut expected = Binding::default();
        expected.unify_hint(result, hint, span);
        for (name, bound) in &info.type_params {
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

impl<'a> Elab<'a> {
    /// Binds sizes and type parameters and brings the arguments into the declared types.
    pub fn bind_args(&mut self, info: &'a DefInfo, args: Vec<Arg>, hint: &Hint) -> Option<(Binding<'a>, Vec<Arg>)> {
        let mut binding = Binding::default();
        for (param, arg) in info.params().iter().zip(&args) {
            binding.bind(self, param, &arg.val, arg.span);
        }
        binding.solve(self);
        if !self.bind_from_functions(info, &mut binding, &args, hint) {
            return None;
        }
        // A definition whose sizes are not determined was reported where it stands.
        if let Some(problem) = binding.unsolved(self, info).filter(|_| self.is_determined(info)) {
            self.fail(problem);
            return None;
        }
        binding.types_from_context(info, hint, self.span());
        let bounds_hold = self.check_bounds(info, &binding, false);
        let mut out = Vec::new();
        // Functions come last: they are tried out on types that the other arguments fix.
        let mut ok = bounds_hold;
        for functions in [false, true] {
            for (i, (param, arg)) in info.params().iter().zip(&args).enumerate() {
                if param.ty.is_fn() != functions || !ok && functions {
                    continue;
                }
                let want = self.declared_type(&param.ty, &binding);
                let role = Role::Argument { param: param.name.clone(), def: info.name.clone() };
                let mut facts = binding.facts(self, &param.ty, &info.name);
                facts.retain(|(span, _)| *span != arg.span);
                let val = self.conform_with(arg.val.clone(), &want, role, arg.span, facts);
                ok &= !val.is_error();
                self.name_value(&val, &param.name);
                out.push((i, Arg { val, span: arg.span }));
            }
        }
        out.sort_by_key(|(i, _)| *i);
        ok.then(|| (binding, out.into_iter().map(|(_, arg)| arg).collect()))
    }

    /// What sizes and type parameters only the result of a function mentions is what that function gives, tried out on
    /// arguments of the declared types. False if a size remains that nothing fixes.
    fn bind_from_functions(&mut self, info: &'a DefInfo, binding: &mut Binding<'a>, args: &[Arg], hint: &Hint) -> bool {
        for (param, arg) in info.params().iter().zip(args) {
            let (DeclaredType::Fn(params, result), Ty::Fn(f)) = (&param.ty, &arg.val.ty) else { continue };
            let known = params.iter().all(|ty| self.is_known(binding, ty));
            if !known || self.is_known(binding, result) {
                continue;
            }
            let mut expected = binding.clone();
            expected.learn_from_context(info, hint, self.span());
            let hint = expected.hint(self, result);
            if let Some(ty) = self.try_out(*f, params, &hint, binding, arg.span) {
                binding.unify(self, result, &ty, &param.name, arg.span);
                binding.solve(self);
            }
            for name in param.ty.sizes().iter().flat_map(|s| size_names(&s.poly)).collect::<Vec<_>>() {
                if binding.poly(self, name).is_none() && self.is_determined(info) {
                    let (name, def) = (name.to_string(), Some(info.name.clone()));
                    self.fail(Problem::UndeterminedSize { name, span: arg.span, def });
                    return false;
                }
            }
        }
        true
    }

    fn is_known(&self, binding: &Binding<'a>, ty: &DeclaredType) -> bool {
        ty.type_params().iter().all(|name| binding.ty(name).is_some())
            && ty.sizes().iter().flat_map(|s| size_names(&s.poly)).all(|name| binding.poly(self, name).is_some())
    }

    /// The type that a function gives, if the sizes in it are known outside of it. What it computes is thrown away, and
    /// what is wrong with it is found when it is used.
    fn try_out(
        &mut self,
        f: FnId,
        params: &'a [DeclaredType],
        hint: &Hint,
        binding: &Binding<'a>,
        span: Span,
    ) -> Option<Ty> {
        let (mark, problems) = (self.mark(), self.problems.len());
        self.b.open();
        let args = params
            .iter()
            .map(|ty| {
                let ty = self.declared_type(ty, binding);
                Arg { val: self.placeholder(&ty, "x"), span }
            })
            .collect();
        let val = self.apply(f, args, hint);
        self.b.close(Vec::new());
        self.problems.truncate(problems);
        let vars = |size| self.b.func.types.poly(size).vars();
        let outside = |size| vars(size).into_iter().all(|v| arr_base::Id::index(v) < mark);
        (!val.is_error() && val.ty.sizes().into_iter().all(outside)).then_some(val.ty)
    }

    /// `compound` says whether a parameter that may be any type may be one that is not a scalar.
    pub fn check_bounds(&mut self, info: &DefInfo, binding: &Binding<'a>, compound: bool) -> bool {
        let mut ok = true;
        for (name, bound) in &info.type_params {
            let (ty, span) = match (binding.types.get(name.as_str()), binding.compound.get(name.as_str())) {
                (Some((elem, span)), _) => (Ty::Scalar(*elem), span),
                (None, Some((ty, span))) => (ty.clone(), span),
                (None, None) => continue,
            };
            let fits = match ty {
                Ty::Scalar(elem) => scalars_of(*bound).contains(&elem),
                _ => compound && *bound == Bound::Any,
            };
            if !fits {
                let (ty, def) = (self.show(&ty), info.name.clone());
                let bound = bound_name(*bound);
                self.fail(Problem::Bound { span: *span, param: name.clone(), bound, ty, def });
                ok = false;
            }
        }
        ok
    }
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
