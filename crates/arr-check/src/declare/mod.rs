//! Declaring: from the syntax of all files to the tables, before any expression is evaluated.
//!
//! The names of all modules are entered first; then named types are checked, sums declared, the types of definitions
//! found, and declared derivatives assigned to their functions.
//!
//! Depends on `data`, `messages` and `resolve`.

pub(crate) mod lowering;
mod rules;
mod sum_types;

use crate::data::declared_type::{DSize, DeclaredType, size_names};
use crate::data::problem::Problem;
use crate::data::program::{Imported, Program, ProgramModule};
use crate::data::recorded::Recorder;
use crate::data::tables::{DefInfo, Import, NamedRecord, ParamSig, Scope, Tables};
use crate::data::use_problem::{NotASize, UseProblem};
use crate::declare::lowering::Lowering;
use crate::messages::written::type_text;
use arr_base::{Diagnostic, Scalar, Span};
use arr_syntax::ast::{self, Def, ImportPath, Item, Pattern, PatternKind, TypeBody, TypeDef};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, OnceLock};

impl Tables {
    pub fn new(program: Program) -> Tables {
        let mut tables = Tables {
            modules: Vec::new(),
            available: program.available,
            defs: Vec::new(),
            index: FxHashMap::default(),
            types: IndexMap::new(),
            sums: IndexMap::new(),
            named_records: Vec::new(),
            constructors: FxHashMap::default(),
            problems: Vec::new(),
            looked_at: Mutex::default(),
            compared: AtomicUsize::new(0),
            recorder: Recorder::default(),
        };
        let mut given = Vec::new();
        for ProgramModule { syntax, name, imports, standard } in program.modules {
            tables.modules.push(Scope { syntax, name, imports: IndexMap::new(), standard });
            given.push(imports);
        }
        for (module, imports) in given.into_iter().enumerate() {
            tables.add_names(module, &imports);
        }
        tables.check_aliases();
        tables.add_sums();
        (0..tables.defs.len()).for_each(|at| tables.declare(at));
        tables.add_rules();
        tables
    }

    /// The names that a module owns and imports.
    fn add_names(&mut self, module: usize, imports: &[Imported]) {
        let Some(syntax) = self.modules.get(module).map(|m| m.syntax.clone()) else { return };
        let mut imports = imports.iter();
        for (at, item) in syntax.items.iter().enumerate() {
            match item {
                Item::Type(def) => self.add_type(module, def),
                Item::Import(import) => self.add_import(module, import, imports.next().copied()),
                Item::Def(def) => self.add_def(module, at, def, false),
                Item::Test(test) => self.add_def(module, at, &test.def, true),
                Item::Derivative(_) | Item::Error(_) => {}
            }
        }
        self.check_import_names(module);
    }

    pub fn add_import(&mut self, module: usize, import: &ast::Import, given: Option<Imported>) {
        let (path, path_span) = match &import.path {
            ImportPath::Std(name) => (&name.text, name.span),
            ImportPath::File { path, span } => (path, *span),
        };
        let target = match given {
            Some(Imported::Module(target)) => Some(target),
            Some(Imported::Nothing) => None,
            None => {
                self.problems.push(Problem::UnknownModule { name: path.clone(), span: path_span }.into());
                None
            }
        };
        let Some(name) = import.local_name() else {
            if target.is_some() {
                self.problems.push(Problem::NoAlias { path: path.clone(), span: path_span }.into());
            }
            return;
        };
        let span = import.alias.as_ref().map_or(path_span, |alias| alias.span);
        let Some(scope) = self.modules.get_mut(module) else { return };
        if let Some(first) = scope.imports.get(name) {
            let (name, first) = (name.to_string(), Some(first.span));
            self.problems.push(Problem::DuplicateImport { name, span, first }.into());
            return;
        }
        scope.imports.insert(name.to_string(), Import { target, span });
    }

    fn add_type(&mut self, module: usize, def: &TypeDef) {
        let name = def.name.text.clone();
        if Scalar::from_name(&name).is_some() {
            self.problems.push(Problem::BuiltInType { name, span: def.name.span }.into());
            return;
        }
        let key = self.key_of(module, &name).into_owned();
        if let Some(first) = self.types.get(&key) {
            let first = Some(first.name.span);
            self.problems.push(Problem::Duplicate { what: "type", name, span: def.name.span, first }.into());
            return;
        }
        self.types.insert(key, def.clone());
    }

    /// A definition and an import of the same name could be told apart only by what follows the name.
    fn check_import_names(&mut self, module: usize) {
        let Some(scope) = self.modules.get(module) else { return };
        let mut found = Vec::new();
        for (name, import) in &scope.imports {
            if let Some(def) = self.find(module, name).and_then(|at| self.info(at)) {
                let (name, first) = (name.clone(), Some(import.span));
                found.push(Problem::DuplicateImport { name, span: def.span, first }.into());
            }
        }
        self.problems.append(&mut found);
    }

    /// Checks type definitions once with their parameters standing for themselves, so that unused ones are checked too.
    fn check_aliases(&mut self) {
        let mut problems = Vec::new();
        let mut named = Vec::new();
        let mut known = FxHashMap::default();
        for (module, scope) in self.modules.iter().enumerate() {
            for item in &scope.syntax.items {
                let Item::Type(def) = item else { continue };
                let TypeBody::Alias(body) = &def.body else { continue };
                let mut lowering = Lowering::new(self, module, Vec::new());
                lowering.known = known;
                let ty = lowering.lower_alias(def, body);
                if matches!(ty, DeclaredType::Record(_)) && lowering.problems.is_empty() {
                    let params = def.params.iter().map(|p| p.name().text.clone()).collect();
                    named.push(NamedRecord { module, name: def.name.text.clone(), params, ty });
                }
                problems.append(&mut lowering.problems);
                known = lowering.known;
            }
        }
        self.problems.append(&mut problems);
        self.named_records = named;
    }

    fn add_def(&mut self, module: usize, item: usize, def: &Def, test: bool) {
        let name = def.name.text.clone();
        let key = self.key_of(module, &name).into_owned();
        if let Some(first) = self.index.get(&key) {
            let first = self.defs.get(*first).map(|d| d.span);
            let (what, name) = if test { ("test", name.trim_matches('"').to_string()) } else { ("definition", name) };
            self.problems.push(Problem::Duplicate { what, name, span: def.name.span, first }.into());
            return;
        }
        self.index.insert(key, self.defs.len());
        self.defs.push(DefInfo {
            id: self.defs.len(),
            module,
            name,
            item,
            span: def.name.span,
            type_params: def.type_params.iter().map(|p| (p.name.text.clone(), p.bound)).collect(),
            params: def.params.as_ref().map(|_| Vec::new()),
            result: None,
            result_span: def.result.as_ref().map(|ty| ty.span),
            uses: OnceLock::new(),
            problems: Vec::new(),
            name_problems: OnceLock::new(),
            cycle: OnceLock::new(),
            found: OnceLock::new(),
            recursive: AtomicBool::new(false),
            rule: None,
            inferred: OnceLock::new(),
            test,
        });
    }

    /// Finds the types that a definition declares. By now all names are known.
    fn declare(&mut self, at: usize) {
        let (Some(info), Some(def)) = (self.info(at), self.syntax(at)) else { return };
        let mut lowering = Lowering::new(self, info.module, info.type_params.clone());
        // In the types that follow, the name of a parameter means that parameter, whatever else has the name.
        lowering.locals = def.params.iter().flatten().map(|p| pattern_name(&p.pattern)).collect();
        let params = def.params.as_ref().map(|params| params.iter().map(|p| lower_param(&mut lowering, p)).collect());
        lowering.computed = true;
        let result = def.result.as_ref().map(|ty| lowering.lower(ty));
        let problems = std::mem::take(&mut lowering.problems);
        let problems = problems.into_iter().chain(duplicate_type_params(def));
        let problems = problems.chain(names_as_sizes(def, params.as_deref(), result.as_ref())).collect();
        if let Some(info) = self.defs.get_mut(at) {
            (info.params, info.result, info.problems) = (params, result, problems);
        }
    }
}

/// Type parameters of one name.
fn duplicate_type_params(def: &Def) -> Vec<Diagnostic> {
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    let mut problems = Vec::new();
    for param in &def.type_params {
        let (name, span) = (param.name.text.clone(), param.name.span);
        if let Some(first) = seen.insert(&param.name.text, span) {
            problems.push(Problem::Duplicate { what: "type parameter", name, span, first: Some(first) }.into());
        }
    }
    problems
}

/// Sizes that have the name of a type parameter, or of a parameter before them that is no `i64`.
fn names_as_sizes(def: &Def, params: Option<&[ParamSig]>, result: Option<&DeclaredType>) -> Vec<Diagnostic> {
    let params = params.unwrap_or_default();
    let mut problems = Vec::new();
    let mut check = |name: &str, from: usize, why: NotASize, declared: Span| {
        let types = params.iter().skip(from).map(|p| &p.ty).chain(result);
        let size = types.flat_map(DeclaredType::sizes).find(|size| size_names(&size.poly).contains(&name));
        if let Some(DSize { span, .. }) = size {
            let (name, span, declared) = (name.to_string(), *span, Some(declared));
            problems.push(Problem::from(UseProblem::NotASize { name, span, why, declared }).into());
        }
    };
    for param in &def.type_params {
        check(&param.name.text, 0, NotASize::TypeParameter, param.name.span);
    }
    for (at, param) in params.iter().enumerate() {
        if !matches!(param.ty, DeclaredType::Scalar(Scalar::I64) | DeclaredType::Error) {
            check(&param.name, at + 1, NotASize::Value(param.text.clone()), param.span);
        }
    }
    problems
}

fn lower_param(lowering: &mut Lowering, param: &ast::Param) -> ParamSig {
    let name = pattern_name(&param.pattern);
    match &param.ty {
        Some(ty) => ParamSig { name, ty: lowering.lower(ty), text: type_text(ty), span: ty.span },
        None => {
            let span = param.pattern.span;
            lowering.problems.push(Problem::MissingAnnotation { span, name: name.clone() }.into());
            ParamSig { name, ty: DeclaredType::Error, text: String::new(), span }
        }
    }
}

/// What messages call a parameter.
pub(crate) fn pattern_name(pattern: &Pattern) -> String {
    match &pattern.kind {
        PatternKind::Name(name) => name.clone(),
        _ => "_".to_string(),
    }
}
