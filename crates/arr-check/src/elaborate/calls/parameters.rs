//! The parameters of a definition as symbolic arguments: sizes, type parameters, leaves.

use crate::data::declared_type::{DSize, DeclaredType, size_names};
use crate::data::problem::Problem;
use crate::data::tables::{DefInfo, Tables};
use crate::data::types::Ty;
use crate::data::values::Val;
use crate::elaborate::Elab;
use crate::elaborate::calls::binding::{Binding, BoundSize};
use crate::elaborate::elab::SizeOrigin;
use crate::elaborate::env::Entry;
use arr_base::Span;
use arr_ir::{Atom, Scalar, VarId};
use rustc_hash::FxHashSet;

/// The symbolic arguments of a definition.
pub(crate) struct Declared<'a> {
    pub binding: Binding<'a>,
    pub params: Vec<Val>,
    pub sizes: Vec<VarId>,
}

impl<'a> Elab<'a> {
    /// Makes the parameters of a definition, with the given types for its type parameters.
    pub fn declare(&mut self, info: &'a DefInfo, types: &[(&'a str, Scalar)]) -> Declared<'a> {
        let mut binding = Binding::default();
        for (name, elem) in types {
            binding.types.insert(name, (*elem, info.span));
        }
        let mut declared = Declared { binding, params: Vec::new(), sizes: Vec::new() };
        for param in info.params() {
            self.declare_sizes(&param.ty, &param.name, param.span, &mut declared);
            let ty = self.declared_type(&param.ty, &declared.binding);
            let alone = ty.sizes().into_iter().filter_map(|s| self.b.func.types.poly(s).as_var());
            self.lengths.extend(alone.collect::<Vec<_>>());
            let val = self.placeholder(&ty, &param.name);
            for atom in &val.leaves {
                if let Atom::Var(v) = atom {
                    self.named.insert(*v);
                }
            }
            if let (Ty::Scalar(Scalar::I64), Some(Atom::Var(v))) = (&ty, val.atom()) {
                let origin = SizeOrigin { name: param.name.clone(), span: Some(param.span), fact: "is this parameter" };
                self.origins.insert(v, origin);
                let bound = BoundSize { size: self.size_of(Atom::Var(v)), param: &param.name, span: param.span };
                // If an earlier parameter binds a size of this name, that size is a different one.
                declared.binding.sizes.entry(&param.name).or_insert(bound);
            }
            declared.params.push(val);
        }
        declared
    }

    /// Makes the sizes that a parameter's type mentions first.
    fn declare_sizes(&mut self, ty: &'a DeclaredType, param: &'a str, span: Span, declared: &mut Declared<'a>) {
        for size in ty.sizes() {
            for name in size_names(&size.poly) {
                if declared.binding.sizes.contains_key(name) || self.tables.constant_size(name).is_some() {
                    continue;
                }
                let v = self.b.func.scalar_var(name, Scalar::I64);
                self.named.insert(v);
                // A size that comes from a named type is written elsewhere; then messages point at the parameter.
                let inside = span.file == size.span.file && span.start <= size.span.start && size.span.end <= span.end;
                let place = if inside { size.span } else { span };
                let origin = SizeOrigin { name: name.to_string(), span: Some(place), fact: "is bound here" };
                self.origins.insert(v, origin);
                declared.sizes.push(v);
                let size = self.b.func.types.size_var(v);
                declared.binding.sizes.insert(name, BoundSize { size, param, span });
            }
        }
    }

    /// Binds the names of a definition's sizes and parameters in an empty environment.
    pub fn enter(&mut self, info: &'a DefInfo, declared: &Declared<'a>) {
        self.scope = declared.binding.type_scope(info.module);
        for (name, bound) in &declared.binding.sizes {
            self.env.bind(name, Entry::Size(bound.size));
        }
        let tables = self.tables;
        let Some(syntax) = tables.syntax(info.id) else { return };
        for (param, val) in syntax.params.iter().flatten().zip(&declared.params) {
            self.b.span = Some(param.pattern.span);
            self.bind_pattern(&param.pattern, val.clone());
        }
    }

    /// Whether the arguments of a definition fix all its sizes.
    pub fn is_determined(&self, info: &DefInfo) -> bool {
        self.undetermined(info).is_empty()
    }

    /// Reports sizes of a definition that no argument fixes.
    pub fn check_determined(&mut self, info: &DefInfo) {
        // A parameter that could not be read may be the one that fixes a size.
        if info.params().iter().any(|param| param.ty == DeclaredType::Error) {
            return;
        }
        for (name, span) in self.undetermined(info) {
            self.fail(Problem::UndeterminedSize { name, span, def: None });
        }
    }

    /// The sizes of a definition that no argument fixes, with the places that need them.
    fn undetermined(&self, info: &DefInfo) -> Vec<(String, Span)> {
        let mut known: FxHashSet<&str> = info.type_params.iter().map(|(name, _)| name.as_str()).collect();
        let mut open: Vec<(&DSize, Span)> = Vec::new();
        for param in info.params() {
            // Where it is no `i64`, that is what is wrong.
            known.insert(&param.name);
            // A function shows the sizes of its result where it is called.
            let shown =
                if let DeclaredType::Fn(_, result) = &param.ty { result.shown_sizes() } else { param.ty.shown_sizes() };
            open.extend(shown.into_iter().map(|s| (s, param.span)));
        }
        let tables = self.tables;
        fn unknown<'s>(tables: &Tables, known: &FxHashSet<&'s str>, size: &'s DSize) -> Vec<&'s str> {
            let names = size_names(&size.poly);
            names.into_iter().filter(|n| !known.contains(n) && tables.constant_size(n).is_none()).collect()
        }
        loop {
            let before = known.len();
            for (size, _) in &open {
                // One unknown name, alone in its term, can be solved for.
                if let [name] = unknown(tables, &known, size).as_slice()
                    && size.poly.terms.keys().all(|m| m.len() == 1 || !m.iter().any(|n| n == name))
                {
                    known.insert(name);
                }
            }
            if known.len() == before {
                break;
            }
        }
        let in_functions = info.params().iter().flat_map(|p| p.ty.sizes().into_iter().map(|s| (s, p.span)));
        let result_span = info.result_span.unwrap_or(info.span);
        let in_result = info.result.iter().flat_map(|ty| ty.sizes()).map(|s| (s, result_span));
        // The body fixes what it computes.
        known.extend(info.result.iter().flat_map(DeclaredType::computed_sizes));
        let mut undetermined = Vec::new();
        for (size, span) in in_functions.chain(in_result) {
            for name in unknown(tables, &known, size) {
                known.insert(name);
                undetermined.push((name.to_string(), span));
            }
        }
        undetermined
    }
}
