//! Declared types as types: names of sizes and type parameters replaced by what they stand for at a place.

use crate::data::declared_type::{DArg, DSize, DSum, DeclaredType, over_variables};
use crate::data::problem::Problem;
use crate::data::types::{SumArg, SumTy, Ty};
use crate::declare::lowering::Lowering;
use crate::elaborate::Elab;
use crate::elaborate::calls::binding::Binding;
use crate::elaborate::env::Entry;
use crate::elaborate::function::FnVal;
use arr_ir::{Poly, Scalar, SizeId};
use arr_syntax::ast;
use std::sync::Arc;

impl<'a> Elab<'a> {
    /// The type that a program writes inside an expression: sizes are names in scope.
    pub fn written_type(&mut self, ty: &ast::Type) -> Ty {
        let mut lowering = Lowering::new(self.tables, self.scope.module, self.scope.bounds());
        let declared = lowering.lower(ty);
        self.problems.append(&mut lowering.problems);
        let scope = self.scope.clone();
        self.instantiate(&declared, &mut |e, name| e.named_size(name), &|t| scope.ty(t).cloned())
    }

    /// The polynomial that a size name in scope stands for; an unknown name was reported before.
    pub fn named_size(&mut self, name: &str) -> Poly {
        let local = self.local_size(name);
        match self.env.get(local) {
            Some(Entry::Size(size)) => self.b.func.types.poly(*size).clone(),
            Some(Entry::Val(val)) => match (val.ty.as_scalar(), val.atom()) {
                (Some(Scalar::I64), Some(atom)) => {
                    self.size_of(atom);
                    self.poly(atom)
                }
                _ => self.no_size(name, local),
            },
            None => match self.tables.constant_size(name) {
                Some(value) => Poly::constant(value),
                None => self.no_size(name, local),
            },
        }
    }

    /// What a size of a declared type may be called here: a constant of this module may be shadowed.
    fn local_size<'n>(&self, name: &'n str) -> &'n str {
        let module = self.tables.modules.get(self.scope.module).map_or("", |m| &m.name);
        let prefix = if self.scope.module == 0 { "" } else { module };
        name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
    }

    /// Reports a name that is unknown as a size; what it stands for then.
    pub fn unknown_size(&mut self, name: &str) -> Poly {
        let span = self.span();
        self.fail(Problem::UnknownSize { name: name.to_string(), span, suggestion: None });
        let size = self.opaque_size(name, "is not known", None);
        self.b.func.types.poly(size).clone()
    }

    /// A declared type with its sizes and type parameters filled in.
    pub fn instantiate(
        &mut self,
        ty: &DeclaredType,
        size: &mut dyn FnMut(&mut Self, &str) -> Poly,
        param: &dyn Fn(&str) -> Option<Ty>,
    ) -> Ty {
        match ty {
            DeclaredType::Error => Ty::Error,
            DeclaredType::Scalar(elem) => Ty::Scalar(*elem),
            DeclaredType::Param(name) => param(name).unwrap_or(Ty::Error),
            DeclaredType::Array(n, inner) => {
                let Some(n) = self.instantiate_size(n, size) else { return Ty::Error };
                Ty::Array(n, Box::new(self.instantiate(inner, size, param)))
            }
            DeclaredType::Tuple(items) => Ty::Tuple(items.iter().map(|t| self.instantiate(t, size, param)).collect()),
            DeclaredType::Record(fields) => {
                Ty::Record(fields.iter().map(|(n, t)| (n.clone(), self.instantiate(t, size, param))).collect())
            }
            DeclaredType::Sum(sum) => self.instantiate_sum(sum, size, param),
            DeclaredType::Fn(params, result) => {
                let params = params.iter().map(|t| self.instantiate(t, size, param)).collect();
                let result = self.instantiate(result, size, param);
                Ty::Fn(self.fns.push(FnVal::Opaque { params, result }))
            }
        }
    }

    /// A declared size with its names filled in; one that is too long is reported.
    pub fn instantiate_size(&mut self, n: &DSize, size: &mut dyn FnMut(&mut Self, &str) -> Poly) -> Option<SizeId> {
        match over_variables(&n.poly, &mut |name| size(self, name)) {
            Some(poly) => Some(self.b.func.types.size(poly)),
            None => {
                let span = self.span();
                self.fail(Problem::long_size(span));
                None
            }
        }
    }

    pub fn instantiate_sum(
        &mut self,
        sum: &DSum,
        size: &mut dyn FnMut(&mut Self, &str) -> Poly,
        param: &dyn Fn(&str) -> Option<Ty>,
    ) -> Ty {
        let mut args = Vec::new();
        for arg in &sum.args {
            args.push(match arg {
                DArg::Size(n) => match self.instantiate_size(n, size) {
                    Some(n) => SumArg::Size(n),
                    None => return Ty::Error,
                },
                DArg::Ty(ty) => SumArg::Ty(self.instantiate(ty, size, param)),
            });
        }
        let mut constructors = Vec::new();
        for (name, fields) in &sum.constructors {
            constructors.push((name.clone(), fields.iter().map(|t| self.instantiate(t, size, param)).collect()));
        }
        Ty::Sum(Arc::new(SumTy { name: sum.name.clone(), args, constructors }))
    }

    /// A declared type of a definition under a binding of its sizes and type parameters.
    pub fn declared_type(&mut self, ty: &DeclaredType, binding: &Binding<'a>) -> Ty {
        self.instantiate_with(ty, binding, &mut |e, name| match name.starts_with('?') {
            true => e.opaque_size("", "is computed by the definition", None),
            // A name of the definition that is called would mean nothing to its caller.
            false => e.opaque_size("_", "is not determined", None),
        })
    }

    /// The same; `unknown` makes a size for each name that the binding has not.
    pub fn instantiate_with(
        &mut self,
        ty: &DeclaredType,
        binding: &Binding<'a>,
        unknown: &mut dyn FnMut(&mut Self, &str) -> SizeId,
    ) -> Ty {
        let mut fresh: Vec<(String, Poly)> = Vec::new();
        let mut size = |e: &mut Self, name: &str| {
            let known = binding.poly(e, name);
            let known = known.or_else(|| fresh.iter().find(|(n, _)| n == name).map(|(_, poly)| poly.clone()));
            known.unwrap_or_else(|| {
                let size = unknown(e, name);
                let poly = e.b.func.types.poly(size).clone();
                fresh.push((name.to_string(), poly.clone()));
                poly
            })
        };
        self.instantiate(ty, &mut size, &|t| binding.ty(t))
    }

    /// The declared type of a result: `want`, in which the sizes that the definition computes are those of the value.
    pub fn result_type(&mut self, ty: &'a DeclaredType, want: Ty, binding: &Binding<'a>, found: &Ty) -> Ty {
        if ty.computed_sizes().is_empty() {
            return want;
        }
        let mut binding = binding.clone();
        binding.unify(self, ty, found, "the result", self.span());
        binding.solve(self);
        self.declared_type(ty, &binding)
    }
}
