//! Derivatives for readers: calls of definitions with declared derivatives stay calls, and types keep their names. What
//! such a function mentions of the program it comes from goes with it.

use crate::data::tables::Tables;
use arr_base::{Id, SourceId, Span};
use arr_ir::rewrite::for_each_stmt;
use arr_ir::{Func, Op};
use arr_syntax::ast::{Import, ImportPath, Item, Module, Name, Type, TypeBody};
use indexmap::IndexSet;
use std::sync::Arc;

/// A derivative as it is printed.
#[derive(Clone, Debug)]
pub struct Readable {
    /// With [`Op::Call`]s: to be printed, not to be run.
    pub func: Func,
    /// The types of its first parameters as the program has them. Empty where they may mean something else elsewhere.
    pub types: Vec<Type>,
    module: Arc<Module>,
}

impl Readable {
    /// The imports, types and definitions of the program that these types and the calls of a function mention, in the
    /// program's order. `None` where other files are among them: the text may stand in another folder.
    pub fn items(&self, func: &Func, types: &[Type]) -> Option<Vec<Item>> {
        let mut mentioned = Mentioned { module: &self.module, names: IndexSet::new() };
        types.iter().for_each(|ty| mentioned.text(&arr_syntax::print_type(ty)));
        let mut imports = IndexSet::new();
        for_each_stmt(&func.body.stmts, &mut |stmt| {
            if let Op::Call { callee, .. } = &stmt.op {
                mentioned.text(&callee.name);
                imports.extend(callee.name.split_once('.').map(|(module, _)| module));
            }
        });
        let own = mentioned.items();
        let known = |name: &str| own.iter().any(|item| matches!(item, Item::Import(i) if i.local_name() == Some(name)));
        let missing: Vec<Item> = imports.into_iter().filter(|name| !known(name)).map(import).collect();
        let is_file = |item: &Item| matches!(item, Item::Import(Import { path: ImportPath::File { .. }, .. }));
        (!own.iter().any(is_file)).then(|| missing.into_iter().chain(own).collect())
    }
}

/// `None` for functions with sums at their edge, whose types are printed with the function.
pub(crate) fn readable(tables: &Tables, entry: &str, func: Func) -> Option<Readable> {
    let edges = func.edge_params.iter().map(|param| &param.ty).chain([&func.edge_result]);
    if edges.into_iter().any(|edge| edge.has_sum()) {
        return None;
    }
    let types = types(tables, entry).unwrap_or_default();
    Some(Readable { func, types, module: Arc::clone(&tables.modules.first()?.syntax) })
}

/// The declared types of a definition's parameters, if all are declared and none depends on a type parameter.
fn types(tables: &Tables, entry: &str) -> Option<Vec<Type>> {
    let syntax = tables.syntax(tables.def_index(entry)?)?;
    let declared = syntax.params.iter().flatten().map(|param| param.ty.clone()).collect::<Option<Vec<Type>>>()?;
    syntax.type_params.is_empty().then_some(declared)
}

fn import(module: &str) -> Item {
    let span = Span::new(SourceId::from_index(0), 0, 0);
    let path = ImportPath::Std(Name { text: module.to_string(), span });
    Item::Import(Import { path, alias: None, span })
}

/// The items of a file that texts mention, by themselves and through others.
struct Mentioned<'a> {
    module: &'a Module,
    names: IndexSet<String>,
}

impl Mentioned<'_> {
    /// Adds what a text mentions. A name that something local hides is taken for a mention too.
    fn text(&mut self, text: &str) {
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
        for word in text.split(|c| !inside(c)).filter(|word| !word.is_empty()) {
            if !self.names.contains(word) && self.module.items.iter().any(|item| defines(item, word)) {
                self.names.insert(word.to_string());
                let items = self.module.items.iter().filter(|item| belongs(item, word));
                for item in items.cloned().collect::<Vec<Item>>() {
                    self.text(&arr_syntax::print_item(&plain(item)));
                }
            }
        }
    }

    fn items(&self) -> Vec<Item> {
        let named = |item: &&Item| self.names.iter().any(|name| belongs(item, name));
        self.module.items.iter().filter(named).cloned().map(plain).collect()
    }
}

/// Whether a name is that of an item, or of a constructor that it declares.
fn defines(item: &Item, name: &str) -> bool {
    match item {
        Item::Def(def) => def.name.text == name,
        Item::Type(ty) => {
            ty.name.text == name || matches!(&ty.body, TypeBody::Sum(cs) if cs.iter().any(|c| c.name.text == name))
        }
        Item::Import(import) => import.local_name() == Some(name),
        Item::Derivative(_) | Item::Test(_) | Item::Error(_) => false,
    }
}

/// Whether an item goes where the one of a name goes: it, or the derivative declared for it.
fn belongs(item: &Item, name: &str) -> bool {
    matches!(item, Item::Derivative(rule) if rule.name.text == name) || defines(item, name)
}

/// Without its documentation, whose examples may mention anything.
fn plain(mut item: Item) -> Item {
    match &mut item {
        Item::Def(def) => def.doc.clear(),
        Item::Type(ty) => ty.doc.clear(),
        _ => {}
    }
    item
}
