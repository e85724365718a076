//! What a name means in each module of a program.
//!
//! All modules share one table of definitions and one of types. What a module other than the first owns is filed under
//! a key `module.name`, so that equal names in two modules are two things; what the first one owns, under its name.

use crate::data::problem::{Elsewhere, Problem};
use crate::data::tables::{Import, Inferred, SumDef, Tables};
use crate::data::use_problem::UseProblem;
use crate::messages::nearest;
use arr_base::Span;
use arr_ir::Const;
use arr_syntax::ast::{Expr, ExprKind, split_qualified};
use std::borrow::Cow;
use std::sync::atomic::Ordering;

/// Where a name, which may be that of another module, is to be looked up.
pub(crate) enum NameLookup<'n> {
    /// A module, and the name in it.
    In(usize, &'n str),
    /// Nothing of this name is imported.
    NotImported(&'n str),
    /// The module could not be imported.
    Lost,
}

/// After this many comparisons nothing is suggested for an unknown name, as in a file with thousands of them.
const MAX_COMPARED: usize = 200_000;

impl Tables {
    /// Where a name that is written in a module is looked up.
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

    /// The key of a name that is written in a module; `None` if the name is in a module that is not there.
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

    /// The sum that a constructor belongs to, by its name as written in a module, and its place there.
    pub fn constructor(&self, module: usize, name: &str) -> Option<(&SumDef, usize)> {
        let (sum, k) = self.constructors.get(&*self.key(module, name)?)?;
        Some((self.sums.get(sum)?, *k))
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

    /// The problem that nothing is imported under a name.
    pub fn not_imported(&self, from: usize, module: &str, span: Span) -> Problem {
        let imports = self.modules.get(from).into_iter().flat_map(|m| m.imports.keys());
        let suggestion = self.nearest(module, imports.map(String::as_str));
        let standard = self.available.iter().any(|m| m.module == module);
        Problem::NotImported { module: module.to_string(), span, standard, suggestion }
    }

    /// The definitions of the standard library with this name, as this module writes them.
    pub fn in_library(&self, from: usize, name: &str) -> Vec<Elsewhere> {
        let defining = self.available.iter().filter(|m| m.definitions.iter().any(|d| d == name));
        defining.map(|m| self.elsewhere(from, &m.module, name)).collect()
    }

    /// A definition of the standard library as this module writes it.
    pub fn elsewhere(&self, from: usize, standard: &str, name: &str) -> Elsewhere {
        let is_it = |import: &Import| {
            let target = import.target.and_then(|target| self.modules.get(target));
            target.is_some_and(|m| m.standard && m.name == standard)
        };
        let imports = self.modules.get(from).into_iter().flat_map(|m| &m.imports);
        match imports.into_iter().find(|(_, import)| is_it(import)) {
            Some((alias, _)) => Elsewhere { name: format!("{alias}.{name}"), import: None },
            None => Elsewhere { name: format!("{standard}.{name}"), import: Some(standard.to_string()) },
        }
    }

    /// What stands before the names of a module where another one writes them: nothing in its own text, `linalg.` where
    /// it is imported. `None` where it is not known.
    pub fn prefix(&self, from: usize, module: usize) -> Option<String> {
        if from == module {
            return Some(String::new());
        }
        let imports = &self.modules.get(from)?.imports;
        imports.iter().find(|(_, import)| import.target == Some(module)).map(|(alias, _)| format!("{alias}."))
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

    /// The name nearest to one that is not known, if one is near enough to be a slip.
    pub fn nearest<'n>(&self, name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
        if self.compared.load(Ordering::Relaxed) > MAX_COMPARED {
            return None;
        }
        let mut count = 0;
        let nearest = nearest::nearest(name, names.into_iter().inspect(|_| count += 1));
        self.compared.fetch_add(count, Ordering::Relaxed);
        nearest
    }
}

/// The problem that a name of another file is for that file alone, if it is.
pub(crate) fn private(module: &str, name: &str, span: Span) -> Option<Problem> {
    let problem = || UseProblem::Private { module: module.to_string(), name: name.to_string(), span };
    name.starts_with('_').then(|| problem().into())
}
