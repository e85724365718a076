//! The tables of a checked file: definitions with their signatures, type aliases, and what each definition uses.

use crate::dtype::{DTy, Lowering, type_text};
use crate::error::Problem;
use crate::names;
use crate::rules::RuleInfo;
use arr_base::{Diagnostic, Span};
use arr_ir::Const;
use arr_syntax::ast::{self, Bound, Def, ImportPath, Item, Module, Pattern, PatternKind, TestDef, TypeBody, TypeDef};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// A parameter of a definition.
#[derive(Debug)]
pub(crate) struct ParamSig {
    /// What messages call it: its name, or `_` for a pattern.
    pub name: String,
    pub ty: DTy,
    /// The type as written.
    pub text: String,
    pub span: Span,
}

/// What is known about the result of a definition without its body.
#[derive(Debug)]
pub(crate) enum Inferred {
    /// All leaves are constants.
    Const(DTy, Vec<Const>),
    Ty(DTy),
    /// Not expressible as a type: look at the body at each use.
    Inline,
    Error,
}

#[derive(Debug)]
pub(crate) struct DefInfo {
    pub name: String,
    pub item: usize,
    pub span: Span,
    pub type_params: Vec<(String, Bound)>,
    /// `None` for a constant.
    pub params: Option<Vec<ParamSig>>,
    pub result: Option<DTy>,
    pub result_span: Option<Span>,
    pub uses: Vec<(usize, Span)>,
    pub problems: Vec<Diagnostic>,
    pub recursive: bool,
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
        self.uses.iter().chain(self.rule.iter().flat_map(|rule| &rule.uses)).map(|(def, _)| *def)
    }
}

/// A file's definitions and types.
#[derive(Debug)]
pub(crate) struct Tables {
    pub module: Arc<Module>,
    pub defs: Vec<DefInfo>,
    pub index: FxHashMap<String, usize>,
    pub types: IndexMap<String, TypeDef>,
    pub imports: Vec<String>,
    pub constructors: FxHashSet<String>,
    /// Problems of no definition: duplicates, imports, type definitions.
    pub problems: Vec<Diagnostic>,
    /// Definitions, used ones before their users. Those of a cycle are left out.
    pub order: Vec<usize>,
}

impl Tables {
    pub fn new(module: Arc<Module>) -> Tables {
        let mut tables = Tables {
            module: module.clone(),
            defs: Vec::new(),
            index: FxHashMap::default(),
            types: IndexMap::new(),
            imports: Vec::new(),
            constructors: FxHashSet::default(),
            problems: Vec::new(),
            order: Vec::new(),
        };
        for item in &module.items {
            match item {
                Item::Type(def) => tables.add_type(def),
                Item::Import(import) => tables.add_import(import),
                Item::Def(_) | Item::Derivative(_) | Item::Test(_) | Item::Error(_) => {}
            }
        }
        tables.check_aliases();
        for (at, item) in module.items.iter().enumerate() {
            match item {
                Item::Def(def) => tables.add_def(at, def, false),
                Item::Test(test) => tables.add_def(at, &test.def, true),
                Item::Type(_) | Item::Import(_) | Item::Derivative(_) | Item::Error(_) => {}
            }
        }
        tables.add_rules();
        tables.resolve_names();
        tables.sort_out_cycles();
        tables
    }

    pub fn def_index(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    pub fn info(&self, index: usize) -> Option<&DefInfo> {
        self.defs.get(index)
    }

    /// The syntax of a definition.
    pub fn syntax(&self, index: usize) -> Option<&Def> {
        match self.module.items.get(self.defs.get(index)?.item)? {
            Item::Def(def) => Some(def),
            Item::Test(test) => Some(&test.def),
            _ => None,
        }
    }

    /// The syntax of a definition that is a test.
    pub fn test(&self, index: usize) -> Option<&TestDef> {
        match self.module.items.get(self.defs.get(index)?.item)? {
            Item::Test(test) => Some(test),
            _ => None,
        }
    }

    pub fn is_constant(&self, index: usize) -> bool {
        self.defs.get(index).is_some_and(|d| d.params.is_none())
    }

    /// The value of a constant definition that is an `i64`.
    pub fn constant_size(&self, name: &str) -> Option<i64> {
        let info = self.info(self.def_index(name)?)?;
        if info.params.is_some() {
            return None;
        }
        match info.inferred.get()? {
            Inferred::Const(_, values) => match values.as_slice() {
                [Const::I64(value)] => Some(*value),
                _ => None,
            },
            _ => None,
        }
    }

    /// A definition and all it uses, each once, users last.
    pub fn reachable(&self, roots: &[usize]) -> Vec<usize> {
        let mut seen = FxHashSet::default();
        let mut todo = roots.to_vec();
        while let Some(at) = todo.pop() {
            if seen.insert(at) {
                todo.extend(self.defs.get(at).into_iter().flat_map(DefInfo::all_uses));
            }
        }
        let mut all: Vec<usize> = self.order.iter().copied().filter(|d| seen.contains(d)).collect();
        let mut rest: Vec<usize> =
            seen.into_iter().filter(|d| self.defs.get(*d).is_some_and(|d| d.recursive)).collect();
        rest.sort_unstable();
        all.extend(rest);
        all
    }

    fn add_type(&mut self, def: &TypeDef) {
        let name = def.name.text.clone();
        if let Some(first) = self.types.get(&name) {
            let first = Some(first.name.span);
            self.problems.push(Problem::Duplicate { what: "type", name, span: def.name.span, first }.into());
            return;
        }
        if let TypeBody::Sum(constructors) = &def.body {
            self.constructors.extend(constructors.iter().map(|c| c.name.text.clone()));
        }
        self.types.insert(name, def.clone());
    }

    fn add_import(&mut self, import: &ast::Import) {
        let (name, span, known) = match &import.path {
            ImportPath::Std(name) => (name.text.clone(), name.span, STANDARD_MODULES.contains(&name.text.as_str())),
            ImportPath::File { path, span } => {
                let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".arr");
                (stem.to_string(), *span, true)
            }
        };
        let problem = if known {
            Problem::Unsupported { span: import.span, what: "`import` is".to_string() }
        } else {
            Problem::UnknownModule { name: name.clone(), span }
        };
        self.problems.push(problem.into());
        self.imports.push(import.alias.as_ref().map_or(name, |alias| alias.text.clone()));
    }

    /// Type definitions are looked at once with their parameters as they stand, so that one nobody uses is checked.
    fn check_aliases(&mut self) {
        let mut problems = Vec::new();
        for def in self.types.values() {
            let TypeBody::Alias(body) = &def.body else { continue };
            let type_params: Vec<String> = def
                .params
                .iter()
                .filter_map(|p| match p {
                    ast::TypeDefParam::Type(p) => Some(p.name.text.clone()),
                    ast::TypeDefParam::Size(_) => None,
                })
                .collect();
            let mut lowering = Lowering::new(&self.types, &type_params);
            lowering.enter(&def.name.text);
            lowering.lower(body);
            problems.append(&mut lowering.problems);
        }
        self.problems.append(&mut problems);
    }

    fn add_def(&mut self, item: usize, def: &Def, test: bool) {
        let name = def.name.text.clone();
        if let Some(first) = self.def_index(&name) {
            let first = self.defs.get(first).map(|d| d.span);
            let (what, name) = if test { ("test", name.trim_matches('"').to_string()) } else { ("definition", name) };
            self.problems.push(Problem::Duplicate { what, name, span: def.name.span, first }.into());
            return;
        }
        let type_params: Vec<(String, Bound)> =
            def.type_params.iter().map(|p| (p.name.text.clone(), p.bound)).collect();
        let names: Vec<String> = type_params.iter().map(|(n, _)| n.clone()).collect();
        let mut lowering = Lowering::new(&self.types, &names);
        let params = def.params.as_ref().map(|params| params.iter().map(|p| lower_param(&mut lowering, p)).collect());
        let result = def.result.as_ref().map(|ty| lowering.lower(ty));
        let problems = std::mem::take(&mut lowering.problems);
        self.index.insert(name.clone(), self.defs.len());
        self.defs.push(DefInfo {
            name,
            item,
            span: def.name.span,
            type_params,
            params,
            result,
            result_span: def.result.as_ref().map(|ty| ty.span),
            uses: Vec::new(),
            problems,
            recursive: false,
            rule: None,
            inferred: OnceLock::new(),
            test,
        });
    }

    fn resolve_names(&mut self) {
        let reports: Vec<names::NameReport> = (0..self.defs.len())
            .map(|i| self.syntax(i).map(|def| names::resolve_def(self, def)).unwrap_or_default())
            .collect();
        for (info, report) in self.defs.iter_mut().zip(reports) {
            info.uses = report.uses;
            info.problems.extend(report.problems);
        }
    }

    /// Orders definitions by use and reports every cycle once, at its first definition.
    fn sort_out_cycles(&mut self) {
        let mut finder = CycleFinder {
            uses: self.defs.iter().map(|d| d.uses.iter().map(|(u, _)| *u).collect()).collect(),
            state: vec![Node::default(); self.defs.len()],
            ..CycleFinder::default()
        };
        for at in 0..self.defs.len() {
            finder.visit(at);
        }
        self.order = finder.order;
        for mut cycle in finder.cycles {
            cycle.sort_unstable();
            for &at in &cycle {
                if let Some(info) = self.defs.get_mut(at) {
                    info.recursive = true;
                }
            }
            self.report_cycle(&cycle);
        }
    }

    fn report_cycle(&mut self, cycle: &[usize]) {
        let Some(&first) = cycle.first() else { return };
        let Some(info) = self.defs.get(first) else { return };
        let Some(&(next, span)) = info.uses.iter().find(|(u, _)| cycle.contains(u)) else { return };
        let path = self.path_back(first, next, cycle);
        let names = path.iter().filter_map(|i| self.defs.get(*i)).map(|d| d.name.clone()).collect();
        let problem = Problem::Recursion { name: info.name.clone(), span, cycle: names };
        if let Some(info) = self.defs.get_mut(first) {
            info.problems.push(problem.into());
        }
    }

    /// The way from `first` over `next` back to `first`, inside the cycle.
    fn path_back(&self, first: usize, next: usize, cycle: &[usize]) -> Vec<usize> {
        let mut from: FxHashMap<usize, usize> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([next]);
        while let Some(at) = queue.pop_front() {
            if at == first {
                break;
            }
            for (to, _) in self.defs.get(at).into_iter().flat_map(|d| &d.uses) {
                if cycle.contains(to) && *to != next && !from.contains_key(to) {
                    from.insert(*to, at);
                    queue.push_back(*to);
                }
            }
        }
        let mut path = vec![first];
        let mut at = first;
        while at != next {
            let Some(&before) = from.get(&at) else { break };
            path.push(before);
            at = before;
        }
        path.push(first);
        path.reverse();
        path
    }
}

/// Modules that the language names and that are not there yet.
const STANDARD_MODULES: &[&str] = &["linalg", "stats", "random", "nn", "optim"];

fn lower_param(lowering: &mut Lowering, param: &ast::Param) -> ParamSig {
    let name = pattern_name(&param.pattern);
    match &param.ty {
        Some(ty) => ParamSig { name, ty: lowering.lower(ty), text: type_text(ty), span: ty.span },
        None => {
            let span = param.pattern.span;
            lowering.problems.push(Problem::MissingAnnotation { span, name: name.clone() }.into());
            ParamSig { name, ty: DTy::Error, text: String::new(), span }
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

#[derive(Clone, Copy, Default)]
struct Node {
    visited: bool,
    on_stack: bool,
    low: usize,
}

/// Strongly connected components, after Tarjan.
#[derive(Default)]
struct CycleFinder {
    uses: Vec<Vec<usize>>,
    state: Vec<Node>,
    stack: Vec<usize>,
    counter: usize,
    order: Vec<usize>,
    cycles: Vec<Vec<usize>>,
}

impl CycleFinder {
    fn node(&mut self, at: usize) -> Option<&mut Node> {
        self.state.get_mut(at)
    }

    fn visit(&mut self, at: usize) {
        let number = self.counter;
        match self.node(at) {
            Some(node) if !node.visited => *node = Node { visited: true, on_stack: true, low: number },
            _ => return,
        }
        self.counter += 1;
        self.stack.push(at);
        let uses = self.uses.get(at).cloned().unwrap_or_default();
        let mut low = number;
        for &next in &uses {
            self.visit(next);
            if let Some(node) = self.node(next).filter(|n| n.on_stack) {
                low = low.min(node.low);
            }
        }
        if let Some(node) = self.node(at) {
            node.low = low;
        }
        if low == number {
            self.close(at, uses.contains(&at));
        }
    }

    fn close(&mut self, root: usize, uses_itself: bool) {
        let mut component = Vec::new();
        while let Some(at) = self.stack.pop() {
            if let Some(node) = self.node(at) {
                node.on_stack = false;
            }
            component.push(at);
            if at == root {
                break;
            }
        }
        if component.len() > 1 || uses_itself {
            self.cycles.push(component);
        } else {
            self.order.extend(component);
        }
    }
}
