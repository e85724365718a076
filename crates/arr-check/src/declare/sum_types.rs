//! The sum types, also known as algebraic data types, that a program declares.

use crate::data::declared_type::{DSum, DeclaredType, size_names};
use crate::data::problem::Problem;
use crate::data::sum_problem::SumProblem;
use crate::data::tables::{DefInfo, ParamSig, SumDef, Tables};
use crate::declare::lowering::Lowering;
use crate::messages::written::type_text;
use arr_base::Span;
use arr_syntax::ast::{Constructor, Item, TypeBody, TypeDef, TypeDefParam};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

impl Tables {
    /// Declares the sums of the program.
    pub fn add_sums(&mut self) {
        let mut found: Vec<(usize, TypeDef)> = Vec::new();
        for (module, scope) in self.modules.iter().enumerate() {
            let types = scope.syntax.items.iter();
            found.extend(
                types.filter_map(|item| if let Item::Type(def) = item { Some((module, def.clone())) } else { None }),
            );
        }
        for (module, def) in found {
            let key = self.key_of(module, &def.name.text).into_owned();
            // Where two types have one name, the second was reported.
            let first = self.types.get(&key).is_some_and(|t| t.name.span == def.name.span);
            if let (TypeBody::Sum(constructors), true) = (&def.body, first) {
                self.add_constructors(module, &key, constructors);
                let sum = self.sum_def(module, &def, constructors);
                self.sums.insert(key, sum);
            }
        }
    }

    fn add_constructors(&mut self, module: usize, sum: &str, constructors: &[Constructor]) {
        for (k, constructor) in constructors.iter().enumerate() {
            let (name, span) = (constructor.name.text.clone(), constructor.name.span);
            let key = self.key_of(module, &name).into_owned();
            let def = self.index.get(&key).and_then(|at| self.defs.get(*at)).map(|d| d.span);
            let before = self.constructor_span(&key, constructors);
            if let Some(first) = before.or(def) {
                let what = if before.is_some() { "constructor" } else { "definition or constructor" };
                // The later one is reported.
                let (first, span) = if first.start < span.start { (first, span) } else { (span, first) };
                self.problems.push(Problem::Duplicate { what, name, span, first: Some(first) }.into());
            }
            if before.is_some() {
                continue;
            }
            self.constructors.insert(key, (sum.to_string(), k));
        }
    }

    /// Where a constructor was declared before; perhaps in the same sum, which is not in the tables yet.
    fn constructor_span(&self, key: &str, own: &[Constructor]) -> Option<Span> {
        let (sum, k) = self.constructors.get(key)?;
        let elsewhere = self.sums.get(sum).and_then(|sum| sum.span_of(*k));
        elsewhere.or_else(|| own.get(*k).map(|c| c.name.span))
    }

    fn sum_def(&mut self, module: usize, def: &TypeDef, constructors: &[Constructor]) -> SumDef {
        let bounded = |p: &TypeDefParam| match p {
            TypeDefParam::Type(p) => Some((p.name.text.clone(), p.bound)),
            TypeDefParam::Size(_) => None,
        };
        let type_params: Vec<_> = def.params.iter().filter_map(bounded).collect();
        let mut lowering = Lowering::new(self, module, Vec::new());
        let declared = lowering.lower_sum(def, constructors);
        let mut problems = std::mem::take(&mut lowering.problems);
        problems.extend(free_sizes(def, &declared).into_iter().map(Into::into));
        // Where the payload could not be read, what it mentions is not known.
        if problems.is_empty() {
            problems.extend(unused_params(def, &declared).into_iter().map(Into::into));
        }
        self.problems.append(&mut problems);
        let ty = DeclaredType::Sum(Arc::new(declared.clone()));
        let infos = declared.constructors.iter().zip(constructors).map(|((name, fields), syntax)| {
            let param = |(i, (ty, written)): (usize, (&DeclaredType, &arr_syntax::ast::Type))| ParamSig {
                name: (i + 1).to_string(),
                ty: ty.clone(),
                text: type_text(written),
                span: written.span,
            };
            DefInfo {
                name: name.clone(),
                id: usize::MAX,
                module,
                item: usize::MAX,
                span: syntax.name.span,
                type_params: type_params.clone(),
                params: Some(fields.iter().zip(&syntax.fields).enumerate().map(param).collect()),
                result: Some(ty.clone()),
                result_span: None,
                uses: OnceLock::new(),
                problems: Vec::new(),
                name_problems: OnceLock::new(),
                cycle: OnceLock::new(),
                found: OnceLock::new(),
                recursive: AtomicBool::new(false),
                inferred: OnceLock::new(),
                test: false,
                rule: None,
            }
        });
        SumDef {
            name: declared.name.clone(),
            params: def.params.iter().map(|p| param_name(p).to_string()).collect(),
            constructors: infos.collect(),
            ty,
        }
    }
}

fn param_name(param: &TypeDefParam) -> &str {
    match param {
        TypeDefParam::Size(name) => &name.text,
        TypeDefParam::Type(param) => &param.name.text,
    }
}

/// Sizes that a sum's constructors mention must be its parameters: the type of a value says all its sizes.
fn free_sizes(def: &TypeDef, sum: &DSum) -> Vec<Problem> {
    let mut seen: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for size in sum.constructors.iter().flat_map(|(_, fields)| fields).flat_map(DeclaredType::sizes) {
        for name in size_names(&size.poly) {
            // A name with a dot is a constant definition.
            let known = def.params.iter().any(|p| param_name(p) == name) || name.contains('.');
            if !known && !seen.contains(&name) {
                seen.push(name);
                let (name, ty) = (name.to_string(), def.name.text.clone());
                found.push(Problem::Sums(SumProblem::FreeSize { name, ty, span: size.span }));
            }
        }
    }
    found
}

/// A parameter that no constructor mentions could not be determined from a value.
fn unused_params(def: &TypeDef, sum: &DSum) -> Vec<Problem> {
    let fields = || sum.constructors.iter().flat_map(|(_, fields)| fields);
    let unused = def.params.iter().filter(|param| match param {
        TypeDefParam::Size(name) => {
            !fields().flat_map(DeclaredType::sizes).any(|s| size_names(&s.poly).contains(&name.text.as_str()))
        }
        TypeDefParam::Type(param) => !fields().flat_map(DeclaredType::type_params).any(|t| t == param.name.text),
    });
    let problem = |param: &TypeDefParam| {
        let span = match param {
            TypeDefParam::Size(name) => name.span,
            TypeDefParam::Type(param) => param.name.span,
        };
        let (param, ty) = (param_name(param).to_string(), def.name.text.clone());
        Problem::Sums(SumProblem::UnusedParameter { param, ty, span })
    };
    unused.map(problem).collect()
}
