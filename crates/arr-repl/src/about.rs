//! What functions do: `:doc name`.

use crate::state::{Repl, Reply};
use arr_syntax::ast::{Def, Import, ImportPath, Item, Module};

impl Repl {
    /// The signature of a definition or a built-in function, and its documentation.
    pub(crate) fn doc(&self, name: &str) -> Reply {
        let own = self.items.iter().find_map(|item| about(item, name));
        let member = || {
            let (module, name) = name.split_once('.')?;
            standard(self.imported(module).unwrap_or(module))?.items.iter().find_map(|item| about(item, name))
        };
        let text = own.or_else(member).or_else(|| builtin(name));
        match text {
            Some(text) => Reply::Text(text),
            None => Reply::Refused(format!("nothing is known of `{name}`")),
        }
    }

    /// The module of the standard library that is imported under a name.
    pub(crate) fn imported(&self, alias: &str) -> Option<&str> {
        self.items.iter().find_map(|item| match item {
            Item::Import(import) if import.local_name() == Some(alias) => standard_name(import),
            _ => None,
        })
    }
}

/// The name of the module of the standard library that an import means.
pub(crate) fn standard_name(import: &Import) -> Option<&str> {
    match &import.path {
        ImportPath::Std(name) => Some(&name.text),
        ImportPath::File { .. } => None,
    }
}

/// A module of the standard library.
pub(crate) fn standard(name: &str) -> Option<Module> {
    let module = arr_driver::standard_module(name)?;
    Some(arr_syntax::parse_module(arr_base::Id::from_index(0), module.text).module)
}

fn about(item: &Item, name: &str) -> Option<String> {
    let (text, doc) = match item {
        Item::Def(def @ Def { doc, .. }) if def.name.text == name => (arr_driver::signature(def), doc),
        Item::Type(def) if def.name.text == name => {
            let bare = arr_syntax::ast::TypeDef { doc: Vec::new(), ..def.clone() };
            (arr_syntax::print_item(&Item::Type(bare)).trim_end().to_string(), &def.doc)
        }
        _ => return None,
    };
    Some(format!("{text}\n{}", doc.iter().map(|line| format!("  {line}\n")).collect::<String>()))
}

fn builtin(name: &str) -> Option<String> {
    let (_, doc) = arr_check::builtin_docs().find(|(own, _)| *own == name)?;
    let signature = arr_check::builtin_signature(name)?;
    Some(format!("{signature}\n  {doc}\n"))
}
