//! The tables of a checked program: modules, definitions with their signatures, named types and sums.
//!
//! `declare` makes them. What is found out later is in cells of a definition, filled while it is checked: see
//! `check/mod.rs`.

use crate::data::declared_type::DeclaredType;
use crate::data::program::StandardNames;
use crate::data::recorded::Recorder;
use arr_base::{Diagnostic, Span};
use arr_ir::Const;
use arr_syntax::ast::{Bound, Def, DerivativeDef, Item, Module, TestDef, TypeDef};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

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
    /// The definitions that it uses, each at its first use, once its names were resolved.
    pub uses: OnceLock<Vec<(usize, Span)>>,
    /// What is wrong with the declared types.
    pub problems: Vec<Diagnostic>,
    /// What is wrong with its names, once they were resolved.
    pub name_problems: OnceLock<Vec<Diagnostic>>,
    /// The problem that it uses itself, if it does.
    pub cycle: OnceLock<Diagnostic>,
    /// What is wrong with its body, once it was checked.
    pub found: OnceLock<Vec<Diagnostic>>,
    pub recursive: AtomicBool,
    /// The derivative declared for it.
    pub rule: Option<RuleInfo>,
    pub inferred: OnceLock<Inferred>,
    /// Whether it is a test, which cannot be used by name.
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
    pub available: Arc<[StandardNames]>,
    pub defs: Vec<DefInfo>,
    /// Definitions by key, see `resolve/modules.rs`; so are types and constructors.
    pub index: FxHashMap<String, usize>,
    pub types: IndexMap<String, TypeDef>,
    pub sums: IndexMap<String, SumDef>,
    pub named_records: Vec<NamedRecord>,
    /// The sum of each constructor, and its place there.
    pub constructors: FxHashMap<String, (String, usize)>,
    /// Problems of no definition: duplicates, imports, type definitions.
    pub problems: Vec<Diagnostic>,
    /// The definitions that were looked at.
    pub looked_at: Mutex<LookedAt>,
    /// How many names were compared with unknown ones.
    pub compared: AtomicUsize,
    /// Records types where they were asked for.
    pub recorder: Recorder,
}

impl Tables {
    /// A definition of the first module.
    pub fn def_index(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied().filter(|at| self.defs.get(*at).is_some_and(|d| d.module == 0))
    }

    /// The item of a definition.
    fn item(&self, index: usize) -> Option<&Item> {
        let info = self.defs.get(index)?;
        self.modules.get(info.module)?.syntax.items.get(info.item)
    }

    /// The names of the definitions of the first module, in source order, without those of tests.
    pub fn entry_names(&self) -> Vec<String> {
        self.defs.iter().filter(|d| d.module == 0 && !d.test).map(|d| d.name.clone()).collect()
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

    /// The syntax of the derivative that a definition declares.
    pub fn rule_syntax(&self, def: usize) -> Option<&DerivativeDef> {
        let info = self.info(def)?;
        match self.modules.get(info.module)?.syntax.items.get(info.rule.as_ref()?.item)? {
            Item::Derivative(rule) => Some(rule),
            _ => None,
        }
    }

    pub fn is_constant(&self, index: usize) -> bool {
        self.defs.get(index).is_some_and(|d| d.params.is_none())
    }
}

/// A record type that a program gives a name, for messages.
#[derive(Debug)]
pub(crate) struct NamedRecord {
    pub module: usize,
    pub name: String,
    /// Its sizes and type parameters, in order.
    pub params: Vec<String>,
    /// The type, of its own parameters.
    pub ty: DeclaredType,
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

/// A declared sum.
#[derive(Debug)]
pub(crate) struct SumDef {
    pub name: String,
    pub params: Vec<String>,
    /// The sum of its own parameters.
    pub ty: DeclaredType,
    /// Each constructor as the signature of a function.
    pub constructors: Vec<DefInfo>,
}

impl SumDef {
    pub fn span_of(&self, k: usize) -> Option<Span> {
        self.constructors.get(k).map(|c| c.span)
    }

    /// `(f64, f64) -> Shape`
    pub fn signature(&self, k: usize) -> String {
        let fields: Vec<&str> =
            self.constructors.get(k).map(DefInfo::params).unwrap_or_default().iter().map(|p| p.text.as_str()).collect();
        match fields.as_slice() {
            [one] => format!("{one} -> {}", self.name),
            many => format!("({}) -> {}", many.join(", "), self.name),
        }
    }
}

/// A declared derivative: where it stands in the file, and the definitions that it uses, once its names were resolved.
#[derive(Debug)]
pub(crate) struct RuleInfo {
    pub item: usize,
    pub uses: OnceLock<Vec<(usize, Span)>>,
}

/// The definitions that were looked at: their names are resolved, and those in no cycle are checked.
#[derive(Debug, Default)]
pub(crate) struct LookedAt {
    /// Used ones before their users. Those of a cycle are left out.
    pub order: Vec<usize>,
    pub all: FxHashSet<usize>,
}
