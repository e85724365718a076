//! From written types to declared types: names looked up, aliases expanded, bounds checked.

use crate::data::declared_type::{
    DArg, DSize, DSum, DeclaredType, NamePoly, base_name, bound_name, computed_name, scalars_of, size_product,
};
use crate::data::problem::Problem;
use crate::data::sum_problem::SumProblem;
use crate::data::tables::Tables;
use crate::data::use_problem::{NotASize, UseProblem};
use crate::messages::elsewhere::type_hint;
use crate::messages::written::{size_text, type_text};
use crate::resolve::modules::{NameLookup, private};
use arr_base::{Diagnostic, Span};
use arr_ir::Scalar;
use arr_syntax::ast::{
    self, Bound, SizeKind, TypeArg, TypeBody, TypeDef, TypeDefParam, TypeKind, TypeParam, split_qualified,
};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the parameters of an alias stand for.
#[derive(Default)]
struct AliasScope {
    sizes: BTreeMap<String, NamePoly>,
    types: BTreeMap<String, DeclaredType>,
}

/// The greatest number of parts of a type. Its written length is no limit: each named type can double it.
pub(crate) const MAX_PARTS: usize = 20_000;

/// Turns written types into declared types. Reports unknown types and wrong arguments.
pub(crate) struct Lowering<'a> {
    tables: &'a Tables,
    /// The module that the type is written in: inside a named type, that of its definition.
    module: usize,
    /// The type parameters in scope, with their bounds.
    type_params: Vec<(String, Bound)>,
    /// Names that mean a size even if a definition has the same name.
    pub locals: Vec<String>,
    /// Whether sizes may stand for what a definition computes: in the type of its result.
    pub computed: bool,
    pub problems: Vec<Diagnostic>,
    /// The keys of the named types that are being expanded.
    stack: IndexSet<String>,
    /// What named types without parameters stand for, and how many parts they have.
    pub known: FxHashMap<String, (DeclaredType, usize)>,
    /// The number of types lowered so far, counted with names replaced by what they stand for.
    parts: usize,
    /// Whether the size that is being lowered has too many terms, or is none.
    unknown_size: bool,
}

impl<'a> Lowering<'a> {
    pub fn new(tables: &'a Tables, module: usize, type_params: Vec<(String, Bound)>) -> Self {
        let (locals, problems, stack) = (Vec::new(), Vec::new(), IndexSet::new());
        let known = FxHashMap::default();
        let (computed, unknown_size) = (false, false);
        Self { tables, module, type_params, locals, computed, problems, stack, known, parts: 0, unknown_size }
    }

    /// Lowers the body of an alias, with its parameters standing for themselves.
    pub fn lower_alias(&mut self, def: &TypeDef, body: &ast::Type) -> DeclaredType {
        let scope = self.own_params(def);
        self.stack.insert(self.tables.key_of(self.module, &def.name.text).into_owned());
        let ty = self.ty(body, &scope);
        self.stack.pop();
        ty
    }

    /// The sum type that a definition declares, of its own parameters.
    pub fn lower_sum(&mut self, def: &TypeDef, constructors: &[ast::Constructor]) -> DSum {
        let arg = |param: &TypeDefParam| match param {
            TypeDefParam::Size(name) => DArg::Size(DSize { poly: NamePoly::var(name.text.clone()), span: name.span }),
            TypeDefParam::Type(param) => DArg::Ty(DeclaredType::Param(param.name.text.clone())),
        };
        let args = def.params.iter().map(arg).collect();
        let scope = self.own_params(def);
        let name = self.tables.key_of(self.module, &def.name.text).into_owned();
        self.stack.insert(name.clone());
        let constructors = self.constructors(constructors, &scope);
        self.stack.pop();
        DSum { name, args, constructors }
    }

    /// The parameters of a type, standing for themselves.
    fn own_params(&mut self, def: &TypeDef) -> AliasScope {
        let mut scope = AliasScope::default();
        let mut seen: IndexMap<&str, Span> = IndexMap::new();
        for param in &def.params {
            let name = match param {
                TypeDefParam::Size(name) => {
                    scope.sizes.insert(name.text.clone(), NamePoly::var(name.text.clone()));
                    name
                }
                TypeDefParam::Type(param) => {
                    let name = &param.name.text;
                    self.type_params.push((name.clone(), param.bound));
                    scope.types.insert(name.clone(), DeclaredType::Param(name.clone()));
                    &param.name
                }
            };
            if let Some(first) = seen.insert(&name.text, name.span) {
                let (name, span, first) = (name.text.clone(), name.span, Some(first));
                self.report(Problem::Duplicate { what: "parameter", name, span, first });
            }
        }
        scope
    }

    pub fn lower(&mut self, ty: &ast::Type) -> DeclaredType {
        self.ty(ty, &AliasScope::default())
    }

    fn report(&mut self, problem: Problem) -> DeclaredType {
        self.problems.push(problem.into());
        DeclaredType::Error
    }

    fn ty(&mut self, ty: &ast::Type, scope: &AliasScope) -> DeclaredType {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            let what = format!("a type of more than {MAX_PARTS} parts is");
            // Reported once; the rest of the type is not lowered.
            if self.parts == MAX_PARTS + 1 {
                self.report(Problem::Unsupported { span: ty.span, what });
            }
            return DeclaredType::Error;
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
                if unreadable(size) {
                    return DeclaredType::Error;
                }
                let before = std::mem::replace(&mut self.unknown_size, false);
                let size = self.size(size, scope);
                let unknown = std::mem::replace(&mut self.unknown_size, before);
                if unknown { DeclaredType::Error } else { DeclaredType::Array(size, Box::new(inner_ty)) }
            }
            TypeKind::Tuple(items) => DeclaredType::Tuple(items.iter().map(|t| self.ty(t, scope)).collect()),
            TypeKind::Record(fields) => self.record(fields, scope),
            TypeKind::Function(params, result) => {
                let computed = std::mem::replace(&mut self.computed, false);
                let params = params.iter().map(|t| self.ty(t, scope)).collect();
                let result = self.ty(result, scope);
                self.computed = computed;
                DeclaredType::Fn(params, Box::new(result))
            }
            TypeKind::Error => DeclaredType::Error,
        }
    }

    fn record(&mut self, fields: &[(ast::Name, ast::Type)], scope: &AliasScope) -> DeclaredType {
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
        DeclaredType::Record(out)
    }

    fn size(&mut self, size: &ast::Size, scope: &AliasScope) -> DSize {
        DSize { poly: self.size_poly(size, scope), span: size.span }
    }

    fn size_poly(&mut self, size: &ast::Size, scope: &AliasScope) -> NamePoly {
        match &size.kind {
            SizeKind::Int(value) => NamePoly::constant(*value),
            SizeKind::Name(name) => self.size_name(name, size.span, scope),
            SizeKind::Computed(name) => self.computed_size(name, size.span),
            SizeKind::Add(a, b) => self.size_poly(a, scope).add(&self.size_poly(b, scope)),
            SizeKind::Sub(a, b) => self.size_poly(a, scope).sub(&self.size_poly(b, scope)),
            SizeKind::Mul(a, b) => {
                let product = size_product(&self.size_poly(a, scope), &self.size_poly(b, scope));
                product.unwrap_or_else(|| {
                    // Reported once for the whole size.
                    if !std::mem::replace(&mut self.unknown_size, true) {
                        self.report(Problem::long_size(size.span));
                    }
                    NamePoly::constant(0)
                })
            }
            SizeKind::Error => NamePoly::constant(0),
        }
    }

    /// A size that the definition computes; each call has its own.
    fn computed_size(&mut self, name: &str, span: Span) -> NamePoly {
        if !self.computed {
            self.report(Problem::ComputedSize { span, name: name.to_string() });
            // Nothing is known of an array of this size.
            self.unknown_size = true;
            return NamePoly::constant(0);
        }
        NamePoly::var(computed_name(name))
    }

    fn size_name(&mut self, name: &str, span: Span, scope: &AliasScope) -> NamePoly {
        if let Some(poly) = scope.sizes.get(name) {
            return poly.clone();
        }
        if scope.types.contains_key(name) {
            let (name, why) = (name.to_string(), NotASize::TypeParameter);
            self.report(UseProblem::NotASize { name, span, why, declared: None }.into());
            return NamePoly::constant(0);
        }
        if self.locals.iter().any(|local| local == name) {
            return NamePoly::var(name.to_string());
        }
        match self.tables.constant_key(self.module, name) {
            Some(key) => {
                self.refuse_private(name, span);
                NamePoly::var(key)
            }
            None if name.contains('.') => {
                self.no_member(name, span, "constant");
                NamePoly::constant(0)
            }
            None => NamePoly::var(name.to_string()),
        }
    }

    /// Reports a name of another file that is for that file alone.
    fn refuse_private(&mut self, name: &str, span: Span) {
        let (module, base) = split_qualified(name);
        self.problems.extend(module.and_then(|module| private(module, base, span)).map(Diagnostic::from));
    }

    /// Reports that a module does not have what `name` asks of it.
    fn no_member(&mut self, name: &str, span: Span, what: &'static str) -> DeclaredType {
        let (alias, _) = split_qualified(name);
        let alias = alias.unwrap_or_default().to_string();
        match self.tables.place(self.module, name) {
            NameLookup::Lost => DeclaredType::Error,
            // A type of another language, `np.ndarray`.
            NameLookup::NotImported(_) if what == "type" && type_hint(base_name(name)).is_some() => {
                self.report(Problem::UnknownType { name: name.to_string(), span, suggestion: None })
            }
            NameLookup::NotImported(module) => self.report(self.tables.not_imported(self.module, module, span)),
            NameLookup::In(target, base) => {
                let known: Vec<&str> = if what == "type" {
                    let types = self.tables.types.keys();
                    types.filter(|k| *self.tables.key_of(target, base_name(k)) == **k).map(|k| base_name(k)).collect()
                } else {
                    let own = self.tables.defs.iter().filter(|d| d.module == target && d.params.is_none());
                    own.map(|d| d.name.as_str()).collect()
                };
                let suggestion = self.tables.nearest(base, known);
                let name = base.to_string();
                let (library, related, is_type) = (Vec::new(), Vec::new(), false);
                self.report(Problem::NoMember {
                    module: alias,
                    name,
                    what,
                    is_type,
                    span,
                    suggestion,
                    related,
                    library,
                })
            }
        }
    }

    fn named(&mut self, name: &ast::Name, args: &[TypeArg], span: Span, scope: &AliasScope) -> DeclaredType {
        let text = name.text.as_str();
        let param = scope.types.get(text).cloned();
        let is_param = || self.type_params.iter().any(|(p, _)| p == text);
        let param = param.or_else(|| is_param().then(|| DeclaredType::Param(text.to_string())));
        if let Some(ty) = param {
            return if args.is_empty() { ty } else { self.no_arguments(text, span, args.len()) };
        }
        if let NameLookup::In(module, base) = self.tables.place(self.module, text)
            && let Some(def) = self.tables.types.get(&*self.tables.key_of(module, base))
        {
            self.refuse_private(text, name.span);
            return self.defined(module, def, args, span, scope);
        }
        if let Some(elem) = Scalar::from_name(text) {
            return if args.is_empty() {
                DeclaredType::Scalar(elem)
            } else {
                self.no_arguments(text, span, args.len())
            };
        }
        if text.contains('.') {
            return self.no_member(text, name.span, "type");
        }
        let own = self.tables.types.keys().filter(|k| *self.tables.key_of(self.module, base_name(k)) == ***k);
        let known = own.map(|k| base_name(k)).chain(Scalar::ALL.iter().map(|s| s.name()));
        let known = known.chain(self.type_params.iter().map(|(p, _)| p.as_str()));
        let suggestion = self.tables.nearest(text, known);
        self.report(Problem::UnknownType { name: text.to_string(), span: name.span, suggestion })
    }

    fn no_arguments(&mut self, name: &str, span: Span, found: usize) -> DeclaredType {
        let (name, expected) = (format!("the type `{name}`"), "0 arguments".to_string());
        let hint = Some("the size of an axis stands before the type of its elements: `[n]f64`");
        self.report(Problem::ArgumentCount { name, span, expected, found, declared: None, hint })
    }

    fn defined(
        &mut self,
        module: usize,
        def: &TypeDef,
        args: &[TypeArg],
        span: Span,
        outer: &AliasScope,
    ) -> DeclaredType {
        let name = &def.name.text;
        let key = self.tables.key_of(module, name).into_owned();
        if self.stack.contains(&key) {
            let cycle = self.stack.iter().chain([&key]).map(|k| base_name(k).to_string()).collect();
            return self.report(Problem::Sums(SumProblem::Recursive { name: name.clone(), span, cycle }));
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
        let mut given = Vec::new();
        for (param, arg) in def.params.iter().zip(args) {
            match param {
                TypeDefParam::Size(param) => {
                    let poly = self.size_arg(arg, span, outer);
                    given.push(DArg::Size(DSize { poly: poly.clone(), span }));
                    scope.sizes.insert(param.text.clone(), poly);
                }
                TypeDefParam::Type(param) => {
                    let ty = self.type_arg(arg, outer);
                    let ty = self.bounded(ty, param, arg, span, name);
                    given.push(DArg::Ty(ty.clone()));
                    scope.types.insert(param.name.text.clone(), ty);
                }
            }
        }
        if let Some((ty, parts)) = self.known.get(&key) {
            self.parts += parts;
            if self.parts <= MAX_PARTS {
                return ty.clone();
            }
        }
        let before = self.parts;
        self.stack.insert(key.clone());
        let outer_module = std::mem::replace(&mut self.module, module);
        let locals = std::mem::take(&mut self.locals);
        let ty = match &def.body {
            TypeBody::Alias(body) => self.ty(body, &scope),
            TypeBody::Sum(constructors) => {
                let constructors = self.constructors(constructors, &scope);
                DeclaredType::Sum(Arc::new(DSum { name: key.clone(), args: given, constructors }))
            }
        };
        self.locals = locals;
        self.module = outer_module;
        self.stack.pop();
        if args.is_empty() {
            self.known.insert(key, (ty.clone(), self.parts - before));
        }
        ty
    }

    /// What the constructors of a sum carry.
    fn constructors(
        &mut self,
        constructors: &[ast::Constructor],
        scope: &AliasScope,
    ) -> Vec<(String, Vec<DeclaredType>)> {
        let mut out = Vec::new();
        for constructor in constructors {
            let fields = constructor.fields.iter().map(|field| {
                let ty = self.ty(field, scope);
                if ty.has_fn() {
                    let place = "carried by a constructor";
                    return self.report(Problem::FunctionValue { span: field.span, place, hint: None });
                }
                ty
            });
            out.push((constructor.name.text.clone(), fields.collect()));
        }
        out
    }

    /// An argument of a named type, if the bound of its parameter allows it. Where every type is allowed, so are
    /// arrays, tuples and records.
    fn bounded(&mut self, ty: DeclaredType, param: &TypeParam, arg: &TypeArg, span: Span, def: &str) -> DeclaredType {
        let fits = match (&ty, param.bound) {
            (DeclaredType::Error, _) | (_, Bound::Any) => true,
            (DeclaredType::Scalar(elem), bound) => scalars_of(bound).contains(elem),
            (DeclaredType::Param(name), bound) => {
                let own = self.type_params.iter().rev().find(|(p, _)| p == name).map(|(_, b)| *b);
                own.is_some_and(|own| scalars_of(own).iter().all(|s| scalars_of(bound).contains(s)))
            }
            _ => false,
        };
        if fits {
            return ty;
        }
        let (param, bound) = (param.name.text.clone(), bound_name(param.bound));
        // A type parameter is shown with its own bound, which is what is wrong with it.
        let own = self.type_params.iter().rev().find(|(p, _)| ty == DeclaredType::Param(p.clone()));
        let own = own.map(|(p, bound)| format!("{p}: {}", bound_name(*bound)));
        let (span, ty) = match arg {
            TypeArg::Type(ty) => (ty.span, type_text(ty)),
            TypeArg::Size(size) => (if size.kind == SizeKind::Error { span } else { size.span }, size_text(size)),
        };
        let ty = own.unwrap_or(ty);
        self.report(Problem::Bound { span, param, bound, ty, def: def.to_string() })
    }

    fn size_arg(&mut self, arg: &TypeArg, span: Span, scope: &AliasScope) -> NamePoly {
        match arg {
            TypeArg::Size(size) => self.size_poly(size, scope),
            TypeArg::Type(ty) => match &ty.kind {
                TypeKind::Named { name, args } if args.is_empty() => self.size_name(&name.text, ty.span, scope),
                _ => {
                    self.report(Problem::UnknownSize { name: type_text(ty), span, suggestion: None });
                    NamePoly::constant(0)
                }
            },
        }
    }

    fn type_arg(&mut self, arg: &TypeArg, scope: &AliasScope) -> DeclaredType {
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

/// Whether a part of a size could not be parsed, which has been reported.
fn unreadable(size: &ast::Size) -> bool {
    match &size.kind {
        SizeKind::Add(a, b) | SizeKind::Sub(a, b) | SizeKind::Mul(a, b) => unreadable(a) || unreadable(b),
        SizeKind::Int(_) | SizeKind::Name(_) | SizeKind::Computed(_) => false,
        SizeKind::Error => true,
    }
}
