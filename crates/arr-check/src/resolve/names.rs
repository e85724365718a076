//! Names: every name of a definition is resolved once, before any types, so that code that is never applied is checked
//! too. The walk also finds which definitions use which.

use crate::data::builtins;
use crate::data::chosen::chosen;
use crate::data::problem::{Elsewhere, Problem};
use crate::data::sum_problem::SumProblem;
use crate::data::tables::Tables;
use crate::messages::elsewhere;
use crate::messages::nearest::related;
use crate::messages::written::{expr_text, new_axis, short_text};
use crate::resolve::modules::{NameLookup, private};
use crate::resolve::parameters::sizes_given_twice;
use crate::resolve::written_names::{constants_of_type, size_names};
use arr_base::{Diagnostic, Span};
use arr_syntax::ast::{
    self, Def, DerivativeDef, Expr, ExprKind, Generator, Loop, LoopKind, Param, Pattern, PatternKind, Subscript,
    TypeKind, TypeParam,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the walk over one definition or expression found.
#[derive(Default)]
pub(crate) struct NameReport {
    /// The definitions it uses, each at its first use.
    pub uses: Vec<(usize, Span)>,
    pub problems: Vec<Diagnostic>,
}

/// Resolves the names of a definition.
pub(crate) fn resolve_def(tables: &Tables, module: usize, def: &Def) -> NameReport {
    let mut walker = Walker::new(tables, module);
    walker.type_params = &def.type_params;
    walker.lenient = def.params.iter().flatten().any(|p| matches!(p.pattern.kind, PatternKind::Error));
    sizes_given_twice(tables, module, def).into_iter().for_each(|problem| walker.problem(problem));
    for param in def.params.iter().flatten() {
        if let Some(ty) = &param.ty {
            walker.bind_sizes(ty);
        }
    }
    walker.params(def.params.as_deref().unwrap_or_default());
    walker.expr(&def.body);
    walker.report
}

/// Resolves the names of the derivative declared for a definition, whose sizes and type parameters it sees.
pub(crate) fn resolve_rule(tables: &Tables, module: usize, def: &Def, rule: &DerivativeDef) -> NameReport {
    let mut walker = Walker::new(tables, module);
    walker.type_params = &def.type_params;
    for param in def.params.iter().flatten() {
        if let Some(ty) = &param.ty {
            walker.bind_sizes(ty);
            let int = matches!(&ty.kind, TypeKind::Named { name, args } if name.text == "i64" && args.is_empty());
            if let (PatternKind::Name(name), true) = (&param.pattern.kind, int) {
                walker.bind(name);
            }
        }
    }
    rule.params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| walker.ty(ty));
    walker.params(&rule.params);
    walker.expr(&rule.body);
    walker.report
}

/// Resolves the names of an expression in the scope of the file.
pub(crate) fn resolve_expr(tables: &Tables, expr: &Expr) -> NameReport {
    let mut walker = Walker::new(tables, 0);
    walker.expr(expr);
    walker.report
}

struct Walker<'a> {
    tables: &'a Tables,
    /// The module that the text belongs to.
    module: usize,
    /// The type parameters of the definition: each is also the conversion to it.
    type_params: &'a [TypeParam],
    /// How often each name is bound around here.
    locals: FxHashMap<&'a str, usize>,
    scope: Vec<&'a str>,
    used: FxHashSet<usize>,
    /// Whether a parameter could not be read, so that names may be missing that the program has.
    lenient: bool,
    /// Inside an extent or a size: an unknown name is an unknown size.
    in_size: bool,
    report: NameReport,
}

impl<'a> Walker<'a> {
    fn new(tables: &'a Tables, module: usize) -> Self {
        let (locals, scope) = (FxHashMap::default(), Vec::new());
        let (used, report) = (FxHashSet::default(), NameReport::default());
        Self { tables, module, type_params: &[], locals, scope, used, lenient: false, in_size: false, report }
    }

    fn problem(&mut self, problem: Problem) {
        self.report.problems.push(problem.into());
    }

    fn bind(&mut self, name: &'a str) {
        *self.locals.entry(name).or_insert(0) += 1;
        self.scope.push(name);
    }

    fn close(&mut self, mark: usize) {
        for name in self.scope.drain(mark..) {
            if let Some(count) = self.locals.get_mut(name) {
                *count -= 1;
            }
        }
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.get(name).is_some_and(|count| *count > 0)
    }

    fn use_def(&mut self, index: usize, span: Span) {
        if self.used.insert(index) {
            self.report.uses.push((index, span));
        }
    }

    fn name(&mut self, name: &str, span: Span) {
        if self.is_local(name) || self.type_params.iter().any(|p| p.name.text == name) {
            return;
        }
        if let Some(index) = self.tables.find(self.module, name) {
            return self.use_def(index, span);
        }
        if self.tables.modules.get(self.module).is_some_and(|m| m.imports.contains_key(name)) {
            return self.problem(Problem::ModuleValue { span, name: name.to_string() });
        }
        if self.tables.constructor(self.module, name).is_some() {
            return;
        }
        if builtins::lookup(name).is_some() {
            return;
        }
        if self.lenient {
            return;
        }
        if name == "_" {
            let (name, library) = (name.to_string(), Vec::new());
            return self.problem(Problem::UnknownName { name, span, suggestion: None, library });
        }
        if self.is_type(name) {
            return self.problem(Problem::TypeValue { name: name.to_string(), span });
        }
        let locals = self.locals.iter().filter(|(_, c)| **c > 0).map(|(n, _)| *n);
        let known = locals.chain(self.own_definitions(self.module));
        let name_text = name.to_string();
        if self.in_size {
            let suggestion = self.tables.nearest(name, known);
            return self.problem(Problem::UnknownSize { name: name_text, span, suggestion });
        }
        let constructors = self.tables.constructors.keys().map(String::as_str);
        let known = known.chain(builtins::TABLE.iter().map(|b| b.name)).chain(constructors);
        let suggestion = self.tables.nearest(name, known);
        let library = self.library(name);
        self.problem(Problem::UnknownName { name: name_text, span, suggestion, library });
    }

    /// What the standard library calls by a name that is not known, or by the name of another language.
    fn library(&self, name: &str) -> Vec<Elsewhere> {
        match elsewhere::here(name) {
            Some(elsewhere::Here::Library(standard, name)) => vec![self.tables.elsewhere(self.module, standard, name)],
            _ => self.tables.in_library(self.module, name),
        }
    }

    /// Whether a type of this file has the name.
    fn is_type(&self, name: &str) -> bool {
        self.tables.types.contains_key(&*self.tables.key_of(self.module, name))
    }

    fn own_definitions(&self, module: usize) -> impl Iterator<Item = &'a str> {
        let own = self.tables.defs.iter().filter(move |d| d.module == module && !d.test);
        own.map(|d| d.name.as_str())
    }

    /// `e.name`, where `e` may be a module.
    fn field(&mut self, base: &'a Expr, name: &ast::Name) {
        let import = self.tables.import(self.module, base).filter(|(alias, _)| !self.is_local(alias));
        match (import, &*base.kind) {
            (Some((alias, import)), _) => {
                if let Some(target) = import.target {
                    self.member(alias, target, name);
                }
            }
            // A module that exists but was not imported, or was imported under another name.
            (None, ExprKind::Name(module)) if self.is_unimported(module) => {
                self.problem(self.tables.not_imported(self.module, module, base.span));
            }
            _ => self.expr(base),
        }
    }

    fn is_unimported(&self, name: &str) -> bool {
        let known = self.is_local(name) || self.tables.find(self.module, name).is_some();
        let imports = self.tables.modules.get(self.module).into_iter().flat_map(|m| m.imports.keys());
        let near = || self.tables.nearest(name, imports.map(String::as_str)).is_some();
        let could_be = || self.tables.available.iter().any(|m| m.module == name) || near();
        !known && builtins::lookup(name).is_none() && could_be()
    }

    fn member(&mut self, alias: &str, target: usize, name: &ast::Name) {
        let key = self.tables.key_of(target, &name.text);
        let constructor = self.tables.constructors.contains_key(&*key);
        let definition = self.tables.find(target, &name.text);
        if constructor || definition.is_some() {
            definition.into_iter().for_each(|index| self.use_def(index, name.span));
            private(alias, &name.text, name.span).into_iter().for_each(|problem| self.problem(problem));
            return;
        }
        let (module, name_text, span) = (alias.to_string(), name.text.clone(), name.span);
        let prefix = self.tables.key_of(target, "").into_owned();
        let constructors = self.tables.constructors.keys().filter_map(|key| key.strip_prefix(&prefix));
        let known = self.own_definitions(target).chain(constructors).filter(|known| !known.starts_with('_'));
        let suggestion = self.tables.nearest(&name.text, known);
        let is_type = self.tables.types.contains_key(&*key);
        let mut library = self.library(&name.text);
        library.retain(|other| other.name != format!("{module}.{name_text}"));
        let what = "definition";
        let related = related(&name_text, self.own_definitions(target));
        self.problem(Problem::NoMember { module, name: name_text, what, is_type, span, suggestion, related, library });
    }

    /// The sizes that a parameter's type mentions are bound in the body.
    fn bind_sizes(&mut self, ty: &'a ast::Type) {
        let mut sizes = Vec::new();
        size_names(ty, self.tables, self.module, &mut sizes);
        for (name, span) in sizes {
            match self.tables.find(self.module, name) {
                Some(index) if self.tables.is_constant(index) => self.use_def(index, span),
                // The declared types say what is wrong with a name of a module.
                _ if name.contains('.') => {}
                _ => self.bind(name),
            }
        }
    }

    /// A type inside an expression: its sizes are names in scope.
    fn ty(&mut self, ty: &'a ast::Type) {
        let mut sizes = Vec::new();
        size_names(ty, self.tables, self.module, &mut sizes);
        let outer = std::mem::replace(&mut self.in_size, true);
        for (name, span) in sizes {
            match self.tables.find(self.module, name) {
                Some(index) if name.contains('.') => self.use_def(index, span),
                None if name.contains('.') => {}
                _ => self.name(name, span),
            }
        }
        self.in_size = outer;
        for index in constants_of_type(self.tables, self.module, ty) {
            self.use_def(index, ty.span);
        }
    }

    fn params(&mut self, params: &'a [Param]) {
        let mut seen = FxHashMap::default();
        for param in params {
            self.pattern(&param.pattern, "parameter", &mut seen);
        }
    }

    fn pattern(&mut self, pattern: &'a Pattern, what: &'static str, seen: &mut FxHashMap<&'a str, Span>) {
        match &pattern.kind {
            PatternKind::Name(name) => self.bind_pattern(name, pattern.span, what, seen),
            PatternKind::Tuple(items) => items.iter().for_each(|p| self.pattern(p, what, seen)),
            PatternKind::Constructor(name, items) => {
                self.constructor(name);
                items.iter().for_each(|p| self.pattern(p, what, seen));
            }
            PatternKind::Record(fields) => {
                for (name, inner) in fields {
                    match inner {
                        Some(inner) => self.pattern(inner, what, seen),
                        None => self.bind_pattern(&name.text, name.span, what, seen),
                    }
                }
            }
            PatternKind::Wildcard | PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Error => {}
        }
    }

    fn constructor(&mut self, name: &ast::Name) {
        if let NameLookup::NotImported(module) = self.tables.place(self.module, &name.text) {
            if self.is_type(module) {
                return self.problem(Problem::TypeValue { name: module.to_string(), span: name.span });
            }
            return self.problem(self.tables.not_imported(self.module, module, name.span));
        }
        if self.tables.constructor(self.module, &name.text).is_none() {
            let suggestion = self.tables.nearest(&name.text, self.tables.constructors.keys().map(String::as_str));
            let (name, span) = (name.text.clone(), name.span);
            self.problem(Problem::Sums(SumProblem::UnknownConstructor { name, span, suggestion }));
        }
    }

    fn bind_pattern(&mut self, name: &'a str, span: Span, what: &'static str, seen: &mut FxHashMap<&'a str, Span>) {
        if let Some(&first) = seen.get(name) {
            self.problem(Problem::Duplicate { what, name: name.to_string(), span, first: Some(first) });
        }
        seen.insert(name, span);
        self.bind(name);
    }

    fn one_pattern(&mut self, pattern: &'a Pattern) {
        self.pattern(pattern, "name", &mut FxHashMap::default());
    }

    fn fields(&mut self, fields: &'a [(ast::Name, Expr)]) {
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for (name, value) in fields {
            if let Some(&first) = seen.get(name.text.as_str()) {
                let (text, span) = (name.text.clone(), name.span);
                self.problem(Problem::Duplicate { what: "field", name: text, span, first: Some(first) });
            }
            seen.insert(&name.text, name.span);
            self.expr(value);
        }
    }

    fn extent(&mut self, extent: &'a Expr) {
        let outer = std::mem::replace(&mut self.in_size, true);
        self.expr(extent);
        self.in_size = outer;
    }

    fn expr(&mut self, expr: &'a Expr) {
        // A size context ends at anything but arithmetic.
        if !matches!(&*expr.kind, ExprKind::Name(_) | ExprKind::Binary(..) | ExprKind::Unary(..)) {
            let outer = std::mem::replace(&mut self.in_size, false);
            self.inner(expr);
            self.in_size = outer;
        } else {
            self.inner(expr);
        }
    }

    fn inner(&mut self, expr: &'a Expr) {
        match &*expr.kind {
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Text(_) => {}
            ExprKind::Operator(_) | ExprKind::Error => {}
            ExprKind::Array(items) | ExprKind::Tuple(items) => items.iter().for_each(|e| self.expr(e)),
            ExprKind::Record(fields) => self.fields(fields),
            ExprKind::RecordWith(base, fields) => {
                self.expr(base);
                self.fields(fields);
            }
            ExprKind::Field(e, name) => self.field(e, name),
            ExprKind::Project(e, ..) | ExprKind::Unary(_, e) => self.expr(e),
            ExprKind::Call(f, args) => {
                self.expr(f);
                args.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Index(array, subscripts) => {
                self.expr(array);
                if let Some(index) = self.new_axis(expr) {
                    return self.no_new_axis(index, None);
                }
                // Names of parameters.
                if !self.chooses(array, subscripts) {
                    self.subscripts(subscripts);
                }
            }
            ExprKind::Binary(op, a, b) if self.new_axis(a).is_some() && self.new_axis(b).is_some() => {
                let array = |e: &'a Expr| if let ExprKind::Index(array, _) = &*e.kind { array } else { e };
                let (a_array, b_array) = (array(a), array(b));
                self.expr(a_array);
                self.expr(b_array);
                let (x, y) = (short_text(a_array), short_text(b_array));
                let pair = format!("for a in {x}, b in {y} => a {} b", op.symbol());
                self.new_axis(a).into_iter().for_each(|index| self.no_new_axis(index, Some(pair.clone())));
            }
            ExprKind::With(array, subscripts, value) => {
                self.expr(array);
                self.subscripts(subscripts);
                self.expr(value);
            }
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::If(c, a, b) => [c, a, b].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Assert(e, ty) => {
                self.expr(e);
                self.ty(ty);
            }
            ExprKind::Lambda(params, body) => self.lambda(params, body),
            ExprKind::Let(bindings, body) => self.let_(bindings, body),
            ExprKind::For(generators, body) => self.for_(generators, body),
            ExprKind::Loop(l) => self.loop_(l),
            ExprKind::Match(e, arms) => {
                self.expr(e);
                for (pattern, arm) in arms {
                    let mark = self.scope.len();
                    self.one_pattern(pattern);
                    self.expr(arm);
                    self.close(mark);
                }
            }
        }
    }

    /// The unknown name by which brackets are to add an axis.
    fn new_axis(&self, e: &'a Expr) -> Option<&'a Expr> {
        let ExprKind::Index(_, subscripts) = &*e.kind else { return None };
        let index = new_axis(subscripts)?;
        let base = if let ExprKind::Field(base, _) = &*index.kind { base } else { index };
        let ExprKind::Name(name) = &*base.kind else { return None };
        let known = self.is_local(name)
            || self.tables.find(self.module, name).is_some()
            || self.tables.constructor(self.module, name).is_some()
            || self.tables.import(self.module, base).is_some();
        (!known && !self.lenient).then_some(index)
    }

    fn no_new_axis(&mut self, index: &'a Expr, pair: Option<String>) {
        self.problem(Problem::NoNewAxis { name: expr_text(index), span: index.span, pair });
    }

    /// Whether it is a derivative by chosen parameters, `grad[w, b]`.
    fn chooses(&self, array: &Expr, subscripts: &[Subscript]) -> bool {
        let builtin = |name| !self.is_local(name) && self.tables.find(self.module, name).is_none();
        chosen(array, subscripts).is_some_and(|(derivative, _)| builtin(derivative.name))
    }

    fn subscripts(&mut self, subscripts: &'a [Subscript]) {
        for subscript in subscripts {
            match subscript {
                Subscript::Index(e) => self.expr(e),
                Subscript::Slice { lo, hi, step, .. } => {
                    [lo, hi, step].into_iter().flatten().for_each(|e| self.expr(e));
                }
            }
        }
    }

    fn lambda(&mut self, params: &'a [Param], body: &'a Expr) {
        let mark = self.scope.len();
        params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| self.ty(ty));
        self.params(params);
        self.expr(body);
        self.close(mark);
    }

    fn let_(&mut self, bindings: &'a [ast::Binding], body: &'a Expr) {
        let mark = self.scope.len();
        for binding in bindings {
            // Names that a pattern without meaning was to bind are not reported again.
            self.lenient |= matches!(binding.pattern.kind, PatternKind::Error);
            self.expr(&binding.value);
            if let Some(ty) = &binding.ty {
                self.ty(ty);
            }
            self.one_pattern(&binding.pattern);
        }
        self.expr(body);
        self.close(mark);
    }

    fn for_(&mut self, generators: &'a [Generator], body: &'a Expr) {
        let mark = self.scope.len();
        let mut seen = FxHashMap::default();
        for generator in generators {
            match generator {
                Generator::Range(name, extent) => {
                    self.extent(extent);
                    self.bind_pattern(&name.text, name.span, "name", &mut seen);
                }
                Generator::Inferred(name) => self.bind_pattern(&name.text, name.span, "name", &mut seen),
                Generator::Element(pattern, array) => {
                    self.expr(array);
                    self.pattern(pattern, "name", &mut seen);
                }
            }
        }
        self.expr(body);
        self.close(mark);
    }

    fn loop_(&mut self, l: &'a Loop) {
        let mark = self.scope.len();
        self.expr(&l.init);
        if let Some(ty) = &l.ty {
            self.ty(ty);
        }
        match &l.kind {
            LoopKind::Range(name, extent) => {
                self.extent(extent);
                self.bind(&name.text);
            }
            LoopKind::Element(pattern, array) => {
                self.expr(array);
                self.one_pattern(pattern);
            }
            LoopKind::While(_) => {}
        }
        self.one_pattern(&l.state);
        if let LoopKind::While(condition) = &l.kind {
            self.expr(condition);
        }
        self.expr(&l.body);
        self.close(mark);
    }
}
