//! The tables of a checked program: definitions with their signatures, and type aliases.

use crate::declared_type::{DeclaredType, type_text};
use crate::error::Problem;
use crate::lowering::Lowering;
use crate::program::{Imported, Program, ProgramModule, Scope};
use crate::reach::LookedAt;
use crate::record::Recorder;
use crate::rules::RuleInfo;
use crate::sum_types::SumDef;
use arr_base::{Diagnostic, Span};
use arr_ir::Const;
use arr_syntax::ast::{self, Bound, Def, Item, Pattern, PatternKind, TestDef, TypeBody, TypeDef};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// A parameter of a definition.
#[derive(Debug)]
pub(crate) struct ParamSig {
    /// What messages call it: its name, or `_` for a pattern.
    pub name: String,
    pub ty: DeclaredType,
    /// The type as written.
    pub text: String,
    pub span: Span,
}

/// What is known about the result of a definition without its body.
#[derive(Debug)]
pub(crate) enum Inferred {
    /// All leaves are constants.
    Const(DeclaredType, Vec<Const>),
    Ty(DeclaredType),
    /// Not expressible as a type: look at the body at each use.
    Inline,
    Error,
}

#[derive(Debug)]
pub(crate) struct DefInfo {
    /// Its place among the definitions of the program.
    pub id: usize,
    pub module: usize,
    pub name: String,
    /// Its place among the items of its module.
    pub item: usize,
    pub span: Span,
    pub type_params: Vec<(String, Bound)>,
    /// `None` for a constant.
    pub params: Option<Vec<ParamSig>>,
    pub result: Option<DeclaredType>,
    pub result_span: Option<Span>,
    /// The definitions that it uses, each at its first use, once its names were looked at.
    pub uses: OnceLock<Vec<(usize, Span)>>,
    /// What is wrong with the declared types.
    pub problems: Vec<Diagnostic>,
    /// What is wrong with its names, once they were looked at.
    pub name_problems: OnceLock<Vec<Diagnostic>>,
    /// What is wrong with the use of itself.
    pub cycle: OnceLock<Diagnostic>,
    /// What is wrong with its body, once it was looked at.
    pub found: OnceLock<Vec<Diagnostic>>,
    pub recursive: AtomicBool,
    /// The derivative declared for it.
    pub rule: Option<RuleInfo>,
    pub inferred: OnceLock<Inferred>,
    /// Whether it is a test, which nothing can name.
    pub test: bool,
}

impl DefInfo {
    pub fn params(&self) -> &[ParamSig] {
        self.params.as_deref().unwrap_or_default()
    }

    /// The definitions that it and its declared derivative use.
    pub fn all_uses(&self) -> impl Iterator<Item = usize> {
        let rule = self.rule.iter().filter_map(|rule| rule.uses.get()).flatten();
        self.uses().iter().chain(rule).map(|(def, _)| *def)
    }

    pub fn uses(&self) -> &[(usize, Span)] {
        self.uses.get().map_or(&[], Vec::as_slice)
    }

    pub fn is_recursive(&self) -> bool {
        self.recursive.load(Ordering::Relaxed)
    }

    /// All that is wrong with it; nothing unless it was looked at.
    pub fn all_problems(&self) -> impl Iterator<Item = &Diagnostic> {
        let names = self.name_problems.get();
        let names = names.into_iter().flat_map(|names| self.problems.iter().chain(names));
        names.chain(self.cycle.get()).chain(self.found.get().into_iter().flatten())
    }
}

/// The definitions and types of a program.
#[derive(Debug)]
pub(crate) struct Tables {
    /// The first one is the file that was asked about.
    pub modules: Vec<Scope>,
    /// The modules of the standard library, for messages.
    pub available: Vec<String>,
    pub defs: Vec<DefInfo>,
    /// Definitions by key, see `program.rs`; so are types and constructors.
    pub index: FxHashMap<String, usize>,
    pub types: IndexMap<String, TypeDef>,
    pub sums: IndexMap<String, SumDef>,
    /// The sum of each constructor, and its place there.
    pub constructors: FxHashMap<String, (String, usize)>,
    /// Problems of no definition: duplicates, imports, type definitions.
    pub problems: Vec<Diagnostic>,
    /// The definitions that were looked at.
    pub looked_at: Mutex<LookedAt>,
    /// How many names were compared with unknown ones.
    compared: AtomicUsize,
    /// Takes down types where somebody asked for them.
    pub recorder: Recorder,
}

/// Past so many comparisons nothing is suggested for an unknown name: a file with thousands of them says enough.
const MAX_COMPARED: usize = 200_000;

impl Tables {
    pub fn new(program: Program) -> Tables {
        let mut tables = Tables {
            modules: Vec::new(),
            available: program.available,
            defs: Vec::new(),
            index: FxHashMap::default(),
            types: IndexMap::new(),
            sums: IndexMap::new(),
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

    /// The name nearest to one that is not known, if one is near enough to be a slip.
    pub fn nearest<'n>(&self, name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
        if self.compared.load(Ordering::Relaxed) > MAX_COMPARED {
            return None;
        }
        let mut count = 0;
        let nearest = crate::words::nearest(name, names.into_iter().inspect(|_| count += 1));
        self.compared.fetch_add(count, Ordering::Relaxed);
        nearest
    }

    /// A definition of the first module.
    pub fn def_index(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied().filter(|at| self.defs.get(*at).is_some_and(|d| d.module == 0))
    }

    /// The item of a definition.
    fn item(&self, index: usize) -> Option<&Item> {
        let info = self.defs.get(index)?;
        self.modules.get(info.module)?.syntax.items.get(info.item)
    }

    pub fn info(&self, index: usize) -> Option<&DefInfo> {
        self.defs.get(index)
    }

    /// The syntax of a definition.
    pub fn syntax(&self, index: usize) -> Option<&Def> {
        match self.item(index)? {
            Item::Def(def) => Some(def),
            Item::Test(test) => Some(&test.def),
            _ => None,
        }
    }

    /// The syntax of a definition that is a test.
    pub fn test(&self, index: usize) -> Option<&TestDef> {
        match self.item(index)? {
            Item::Test(test) => Some(test),
            _ => None,
        }
    }

    pub fn is_constant(&self, index: usize) -> bool {
        self.defs.get(index).is_some_and(|d| d.params.is_none())
    }

    /// The value of a size that is a constant definition of type `i64`, given as declared types have it.
    pub fn constant_size(&self, key: &str) -> Option<i64> {
        let info = self.info(self.constant_of_key(key)?)?;
        match info.inferred.get()? {
            Inferred::Const(_, values) => match values.as_slice() {
                [Const::I64(value)] => Some(*value),
                _ => None,
            },
            _ => None,
        }
    }

    fn add_type(&mut self, module: usize, def: &TypeDef) {
        let name = def.name.text.clone();
        let key = self.key_of(module, &name).into_owned();
        if let Some(first) = self.types.get(&key) {
            let first = Some(first.name.span);
            self.problems.push(Problem::Duplicate { what: "type", name, span: def.name.span, first }.into());
            return;
        }
        self.types.insert(key, def.clone());
    }

    /// A definition and the name of an import would be told apart only by what stands behind them.
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

    /// Type definitions are looked at once with their parameters as they stand, so that one nobody uses is checked.
    fn check_aliases(&mut self) {
        let mut problems = Vec::new();
        let mut known = FxHashMap::default();
        for (module, scope) in self.modules.iter().enumerate() {
            for item in &scope.syntax.items {
                let Item::Type(def) = item else { continue };
                let TypeBody::Alias(body) = &def.body else { continue };
                let mut lowering = Lowering::new(self, module, Vec::new());
                lowering.known = known;
                lowering.lower_alias(def, body);
                problems.append(&mut lowering.problems);
                known = lowering.known;
            }
        }
        self.problems.append(&mut problems);
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
        // In the types that follow, the name of a parameter is that parameter, whatever else has the name.
        lowering.locals = def.params.iter().flatten().map(|p| pattern_name(&p.pattern)).collect();
        let params = def.params.as_ref().map(|params| params.iter().map(|p| lower_param(&mut lowering, p)).collect());
        let result = def.result.as_ref().map(|ty| lowering.lower(ty));
        let problems = std::mem::take(&mut lowering.problems);
        let problems = problems.into_iter().chain(duplicate_type_params(def)).collect();
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
