//! Name resolution for a file: the occurrences of every name, and the places that bind them.
//!
//! The rules of scope are those of the checker (`arr-check/src/names.rs`); here they are applied to the syntax tree
//! alone, even where the text has errors, and give places instead of types.

mod exprs;
mod types;

pub use types::SCALARS;

use crate::FileSpan;
use crate::file::{File, Files};
use arr_base::Span;
use arr_syntax::ast::{
    Bound as TypeBound, Def, DerivativeDef, Import, ImportPath, Item, Name, Param, PatternKind, TypeBody, TypeDef,
    TypeDefParam, TypeKind, TypeParam,
};
use std::collections::BTreeMap;

/// The target of a name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// The binding at a place.
    Bound(FileSpan),
    /// A function or type of the language.
    Builtin(String),
    /// A module.
    File(String),
    /// Nothing.
    Unknown(String),
}

/// How a name occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Value,
    Type,
    /// It binds the name.
    Binding,
    /// `x` in the pattern `{ x }`, which names a field too.
    Shorthand,
    /// An import that gives its module no other name.
    Import,
}

/// One name in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    pub start: u32,
    pub end: u32,
    pub target: Target,
    pub role: Role,
}

/// The kind of a bound name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameKind {
    /// The index of the item in the file.
    Def(usize),
    Type(usize),
    /// The index of its type's item, and its position there.
    Constructor(usize, usize),
    Module(usize),
    Parameter,
    Local,
    /// An index of `for` or `loop`.
    Index,
    Size,
    TypeParam(TypeBound),
}

/// A name that the file binds.
#[derive(Clone, Debug)]
pub struct Bound {
    pub name: String,
    pub kind: NameKind,
    pub start: u32,
    pub end: u32,
    /// Where a local name can be used.
    pub visible: Vec<(u32, u32)>,
    /// Whether its type, or for an index its extent, is inferred and is worth showing.
    pub inferred: bool,
}

/// `e.name`, where `e` is no module.
#[derive(Clone, Copy, Debug)]
pub struct FieldAccess {
    pub base: Span,
    pub name: Span,
}

/// The names of one file.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// In source order.
    pub occurrences: Vec<Occurrence>,
    /// In source order.
    pub bound: Vec<Bound>,
    pub fields: Vec<FieldAccess>,
    /// The number of duplicate names in one scope.
    pub duplicates: usize,
}

impl Index {
    /// The name at a byte; at the boundary of two, the one that begins there.
    pub fn at(&self, offset: usize) -> Option<&Occurrence> {
        let touches = |o: &&Occurrence| o.start as usize <= offset && offset <= o.end as usize;
        self.occurrences.iter().filter(touches).max_by_key(|o| o.start)
    }

    /// The name that is bound at a byte.
    pub fn bound_at(&self, start: u32) -> Option<&Bound> {
        self.bound.get(self.bound.binary_search_by_key(&start, |b| b.start).ok()?)
    }
}

/// Resolves every name of a file.
pub fn resolve(file: &File, files: &Files) -> Index {
    let mut resolver = Resolver {
        file,
        files,
        scope: Vec::new(),
        headers: BTreeMap::new(),
        out: Index { duplicates: file.duplicates, ..Index::default() },
    };
    // A declared derivative sees sizes that its definition binds.
    for (at, item) in file.syntax.items.iter().enumerate() {
        resolver.item(at, item);
    }
    for item in &file.syntax.items {
        if let Item::Derivative(rule) = item {
            resolver.derivative(rule);
        }
    }
    let mut out = resolver.out;
    out.occurrences.sort_by_key(|o| (o.start, o.end));
    out.bound.sort_by_key(|b| b.start);
    out
}

/// A local name in scope.
struct Local<'a> {
    name: &'a str,
    /// Its index among the bound names.
    bound: usize,
    /// The start of its scope.
    from: u32,
}

struct Resolver<'a> {
    file: &'a File,
    files: &'a Files,
    scope: Vec<Local<'a>>,
    /// The sizes, type parameters and integer parameters of definitions, by name.
    headers: BTreeMap<&'a str, Vec<(&'a str, usize)>>,
    out: Index,
}

impl<'a> Resolver<'a> {
    fn occur(&mut self, span: Span, target: Target, role: Role) {
        self.out.occurrences.push(Occurrence { start: span.start, end: span.end, target, role });
    }

    fn here(&self, start: u32, end: u32) -> Target {
        Target::Bound(FileSpan { path: self.file.path.to_string(), start, end })
    }

    /// Records that a place binds a name.
    fn bound(&mut self, name: &str, span: Span, kind: NameKind, role: Role) -> usize {
        let target = self.here(span.start, span.end);
        self.occur(span, target, role);
        let (name, start, end) = (name.to_string(), span.start, span.end);
        self.out.bound.push(Bound { name, kind, start, end, visible: Vec::new(), inferred: false });
        self.out.bound.len() - 1
    }

    /// Brings a name into scope.
    fn enter(&mut self, name: &'a str, bound: usize, from: u32) {
        self.scope.push(Local { name, bound, from });
    }

    fn bind(&mut self, name: &'a str, span: Span, kind: NameKind, from: u32) -> usize {
        let bound = self.bound(name, span, kind, Role::Binding);
        self.enter(name, bound, from);
        bound
    }

    /// Ends the scope of the names since a mark.
    fn close(&mut self, mark: usize, end: u32) {
        for local in self.scope.drain(mark..) {
            if let Some(bound) = self.out.bound.get_mut(local.bound) {
                bound.visible.push((local.from, end));
            }
        }
    }

    /// The target of a local name here.
    fn local(&self, name: &str) -> Option<Target> {
        let local = self.scope.iter().rev().find(|local| local.name == name)?;
        let bound = self.out.bound.get(local.bound)?;
        Some(self.here(bound.start, bound.end))
    }

    /// A definition or constructor of a file.
    fn value_of(file: &File, name: &str) -> Option<Target> {
        let span = match file.defs.get(name).and_then(|at| file.item(*at)) {
            Some(Item::Def(def)) => Some(def.name.span),
            _ => None,
        };
        let def = span.map(|span| Target::Bound(FileSpan::new(&file.path, span)));
        def.or_else(|| Self::constructor_of(file, name))
    }

    fn constructor_of(file: &File, name: &str) -> Option<Target> {
        let (item, k) = *file.constructors.get(name)?;
        match file.item(item)? {
            Item::Type(TypeDef { body: TypeBody::Sum(constructors), .. }) => {
                Some(Target::Bound(FileSpan::new(&file.path, constructors.get(k)?.name.span)))
            }
            _ => None,
        }
    }

    fn type_of(file: &File, name: &str) -> Option<Target> {
        match file.item(*file.types.get(name)?)? {
            Item::Type(def) => Some(Target::Bound(FileSpan::new(&file.path, def.name.span))),
            _ => None,
        }
    }

    /// The name of an imported module, which is bound by its import.
    fn module(&self, name: &str) -> Option<Target> {
        match self.file.item(*self.file.imports.get(name)?)? {
            Item::Import(import) => {
                let span = alias_span(import);
                Some(self.here(span.start, span.end))
            }
            _ => None,
        }
    }

    fn imported(&self, name: &str) -> Option<&'a File> {
        self.files.get(&self.file.import(name)?).map(|file| &**file)
    }

    fn item(&mut self, at: usize, item: &'a Item) {
        match item {
            Item::Def(def) => {
                self.bound(&def.name.text, def.name.span, NameKind::Def(at), Role::Binding);
                self.def(def);
            }
            Item::Test(test) => self.def(&test.def),
            Item::Type(def) => self.type_def(at, def),
            Item::Import(import) => self.import(at, import),
            Item::Derivative(_) | Item::Error(_) => {}
        }
    }

    fn import(&mut self, at: usize, import: &'a Import) {
        let span = path_span(import);
        self.occur(span, Target::File(self.file.target(import)), Role::Value);
        if let Some(name) = import.local_name() {
            let role = if import.alias.is_some() { Role::Binding } else { Role::Import };
            self.bound(name, alias_span(import), NameKind::Module(at), role);
        }
    }

    fn type_def(&mut self, at: usize, def: &'a TypeDef) {
        self.bound(&def.name.text, def.name.span, NameKind::Type(at), Role::Binding);
        let mark = self.scope.len();
        let mut names = Vec::new();
        for param in &def.params {
            let (name, kind) = match param {
                TypeDefParam::Size(name) => (name, NameKind::Size),
                TypeDefParam::Type(param) => (&param.name, NameKind::TypeParam(param.bound)),
            };
            self.bind(&name.text, name.span, kind, name.span.end);
            names.push(name.text.as_str());
        }
        self.count_duplicates(names);
        match &def.body {
            TypeBody::Alias(ty) => self.ty(ty, false),
            TypeBody::Sum(constructors) => {
                for (k, constructor) in constructors.iter().enumerate() {
                    let name = &constructor.name;
                    self.bound(&name.text, name.span, NameKind::Constructor(at, k), Role::Binding);
                    constructor.fields.iter().for_each(|ty| self.ty(ty, false));
                }
            }
        }
        self.close(mark, def.span.end);
    }

    fn type_params(&mut self, params: &'a [TypeParam]) {
        for param in params {
            self.bind(&param.name.text, param.name.span, NameKind::TypeParam(param.bound), param.name.span.end);
        }
        self.count_duplicates(params.iter().map(|p| p.name.text.as_str()).collect());
    }

    fn def(&mut self, def: &'a Def) {
        let mark = self.scope.len();
        self.type_params(&def.type_params);
        let params = def.params.as_deref().unwrap_or_default();
        // Sizes may be parameters, also such as come later.
        self.params(params, NameKind::Parameter);
        params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| self.ty(ty, true));
        self.keep_header(def, mark);
        if let Some(ty) = &def.result {
            self.ty(ty, false);
        }
        self.expr(&def.body);
        self.close(mark, def.span.end);
    }

    /// Keeps the names of the definition that a declared derivative sees.
    fn keep_header(&mut self, def: &'a Def, mark: usize) {
        let mut header = Vec::new();
        let int = |name: &str| {
            def.params.iter().flatten().any(|p| {
                let named = matches!(&p.pattern.kind, PatternKind::Name(n) if n == name);
                let is_int = |ty: &TypeKind| matches!(ty, TypeKind::Named { name, .. } if name.text == "i64");
                named && p.ty.as_ref().is_some_and(|ty| is_int(&ty.kind))
            })
        };
        for local in self.scope.get(mark..).unwrap_or_default() {
            let parameter = self.out.bound.get(local.bound).is_some_and(|b| b.kind == NameKind::Parameter);
            if !parameter || int(local.name) {
                header.push((local.name, local.bound));
            }
        }
        self.headers.entry(&def.name.text).or_insert(header);
    }

    fn derivative(&mut self, rule: &'a DerivativeDef) {
        let target = Self::value_of(self.file, &rule.name.text);
        let target = target.unwrap_or_else(|| Target::Unknown(rule.name.text.clone()));
        self.occur(rule.name.span, target, Role::Value);
        let mark = self.scope.len();
        for (name, bound) in self.headers.get(rule.name.text.as_str()).cloned().unwrap_or_default() {
            self.enter(name, bound, rule.span.start);
        }
        rule.params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| self.ty(ty, false));
        self.params(&rule.params, NameKind::Parameter);
        self.expr(&rule.body);
        self.close(mark, rule.span.end);
    }

    fn params(&mut self, params: &'a [Param], kind: NameKind) {
        let mut names = Vec::new();
        for param in params {
            let from = param.ty.as_ref().map_or(param.pattern.span.end, |ty| ty.span.end);
            self.pattern(&param.pattern, kind, from, false, &mut names);
        }
        self.count_duplicates(names);
    }

    fn count_duplicates(&mut self, mut names: Vec<&str>) {
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        self.out.duplicates += all - names.len();
    }
}

fn path_span(import: &Import) -> Span {
    match &import.path {
        ImportPath::Std(name) => name.span,
        ImportPath::File { span, .. } => *span,
    }
}

/// The place that binds the name of a module.
fn alias_span(import: &Import) -> Span {
    import.alias.as_ref().map_or(path_span(import), |alias: &Name| alias.span)
}
