//! The modules of a program: what a name means in each of them.
//!
//! All modules share one table of definitions and one of types. What a module other than the first owns is filed under
//! a key `module.name`, so that equal names of two modules are two things; what the first one owns, under its name.

use crate::error::Problem;
use crate::module::Tables;
use arr_base::Span;
use arr_syntax::ast::{self, Expr, ExprKind, ImportPath, Module, split_qualified};
use indexmap::IndexMap;
use std::borrow::Cow;
use std::sync::Arc;

/// A program to check: its files parsed, and what they import found.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The first one is the file that was asked about.
    pub modules: Vec<ProgramModule>,
    /// The modules of the standard library, for messages.
    pub available: Vec<String>,
}

/// One file of a program.
#[derive(Clone, Debug)]
pub struct ProgramModule {
    pub syntax: Arc<Module>,
    /// What messages call it, different for each module.
    pub name: String,
    /// What its imports lead to, in the order in which they are written.
    pub imports: Vec<Imported>,
    /// Whether only those of its definitions are checked that the rest of the program uses.
    pub standard: bool,
}

/// What an import leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Imported {
    /// A module of the program, by its place.
    Module(usize),
    /// Nothing, which has been reported.
    Nothing,
}

impl From<Arc<Module>> for Program {
    /// A file alone, whose imports lead nowhere.
    fn from(syntax: Arc<Module>) -> Self {
        let module = ProgramModule { syntax, name: String::new(), imports: Vec::new(), standard: false };
        Program { modules: vec![module], available: Vec::new() }
    }
}

/// A module while its program is checked.
#[derive(Debug)]
pub(crate) struct Scope {
    pub syntax: Arc<Module>,
    pub name: String,
    pub imports: IndexMap<String, Import>,
    pub standard: bool,
}

/// A module that a file imports, by the name that it has there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Import {
    /// `None` if there is none, which has been reported.
    pub target: Option<usize>,
    pub span: Span,
}

/// Where a name, which may be that of another module, is to be looked up.
pub(crate) enum NameLookup<'n> {
    /// A module, and the name in it.
    In(usize, &'n str),
    /// Nothing of this name is imported.
    NotImported(&'n str),
    /// The module could not be imported.
    Lost,
}

impl Tables {
    /// Where a name is looked up that is written in a module.
    pub fn place<'n>(&self, module: usize, name: &'n str) -> NameLookup<'n> {
        let (alias, base) = split_qualified(name);
        let Some(alias) = alias else { return NameLookup::In(module, base) };
        match self.modules.get(module).and_then(|m| m.imports.get(alias)) {
            None => NameLookup::NotImported(alias),
            Some(Import { target: None, .. }) => NameLookup::Lost,
            Some(Import { target: Some(target), .. }) => NameLookup::In(*target, base),
        }
    }

    /// The key under which the tables file what a module owns.
    pub fn key_of<'n>(&self, module: usize, name: &'n str) -> Cow<'n, str> {
        match self.modules.get(module) {
            Some(scope) if module > 0 => Cow::Owned(format!("{}.{name}", scope.name)),
            _ => Cow::Borrowed(name),
        }
    }

    /// The key of a name that is written in a module; `None` if it is that of a module which is not there.
    pub fn key<'n>(&self, module: usize, name: &'n str) -> Option<Cow<'n, str>> {
        match self.place(module, name) {
            NameLookup::In(module, base) => Some(self.key_of(module, base)),
            NameLookup::NotImported(_) | NameLookup::Lost => None,
        }
    }

    /// The definition that a name written in a module means.
    pub fn find(&self, module: usize, name: &str) -> Option<usize> {
        self.index.get(&*self.key(module, name)?).copied()
    }

    pub fn is_type(&self, module: usize, name: &str) -> bool {
        self.key(module, name).is_some_and(|key| self.types.contains_key(&*key))
    }

    /// The problem that nothing is imported under a name.
    pub fn not_imported(&self, from: usize, module: &str, span: Span) -> Problem {
        let imports = self.modules.get(from).into_iter().flat_map(|m| m.imports.keys());
        let suggestion = self.nearest(module, imports.map(String::as_str));
        let standard = self.available.iter().any(|m| m == module);
        Problem::NotImported { module: module.to_string(), span, standard, suggestion }
    }

    /// The import that an expression names, if it is the name of one.
    pub fn import<'e>(&self, module: usize, expr: &'e Expr) -> Option<(&'e str, Import)> {
        let ExprKind::Name(name) = &*expr.kind else { return None };
        Some((name, *self.modules.get(module)?.imports.get(name.as_str())?))
    }

    /// How a size name that means a constant definition is written in declared types, so that it means the same
    /// everywhere: `module.name`, with nothing before the dot for the first module.
    pub fn constant_key(&self, module: usize, name: &str) -> Option<String> {
        let NameLookup::In(module, base) = self.place(module, name) else { return None };
        let def = self.index.get(&*self.key_of(module, base))?;
        let prefix = if module == 0 { "" } else { self.modules.get(module)?.name.as_str() };
        self.is_constant(*def).then(|| format!("{prefix}.{base}"))
    }

    /// The constant that a name of a declared type means.
    pub fn constant_of_key(&self, key: &str) -> Option<usize> {
        let main = key.strip_prefix('.');
        key.contains('.').then(|| self.index.get(main.unwrap_or(key)).copied())?
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
}

/// The last part of a key.
pub(crate) fn base_name(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}
