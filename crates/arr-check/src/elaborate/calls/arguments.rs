//! The arguments of a call brought into the declared types of the parameters.

use crate::data::declared_type::{DeclaredType, bound_name, scalars_of, size_names};
use crate::data::problem::{Problem, Role};
use crate::data::tables::DefInfo;
use crate::data::types::{FnId, Ty};
use crate::data::values::{Arg, Hint};
use crate::elaborate::Elab;
use crate::elaborate::calls::binding::Binding;
use arr_base::Span;
use arr_syntax::ast::Bound;

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
        let bounds_hold = self.check_bounds(info, &binding);
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

    /// Binds sizes and type parameters that only the result of a function argument mentions: the function is tried out
    /// on arguments of the declared types. False if a size remains that nothing fixes.
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

    /// The type that a function gives, if the sizes in it are known outside the function. What it computes is thrown
    /// away, and what is wrong with it is reported when it is used.
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
    pub fn check_bounds(&mut self, info: &DefInfo, binding: &Binding<'a>) -> bool {
        let mut ok = true;
        for (name, bound) in &info.type_params {
            let (ty, span) = match (binding.types.get(name.as_str()), binding.compound.get(name.as_str())) {
                (Some((elem, span)), _) => (Ty::Scalar(*elem), span),
                (None, Some((ty, span))) => (ty.clone(), span),
                (None, None) => continue,
            };
            let fits = match ty {
                Ty::Scalar(elem) => scalars_of(*bound).contains(&elem),
                _ => *bound == Bound::Any,
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
