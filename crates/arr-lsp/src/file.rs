//! A parsed file of a program, with the names that it defines.

use crate::lines::Text;
use arr_base::{Id, SourceId};
use arr_driver::{imported_path, standard_path};
use arr_syntax::ast::{Import, ImportPath, Item, Module, TypeBody};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Files by path.
pub type Files = BTreeMap<String, Arc<File>>;

/// A parsed file.
#[derive(Debug)]
pub struct File {
    pub path: Arc<str>,
    pub text: Text,
    pub syntax: Arc<Module>,
    /// Definitions by name: the first item that defines it.
    pub defs: BTreeMap<String, usize>,
    pub types: BTreeMap<String, usize>,
    /// The type of a constructor, and its position there.
    pub constructors: BTreeMap<String, (usize, usize)>,
    /// Imported modules, by their local names.
    pub imports: BTreeMap<String, usize>,
    /// The number of duplicate names.
    pub duplicates: usize,
}

impl File {
    pub fn new(path: &str, text: Arc<str>, syntax: Arc<Module>) -> File {
        let mut file = File {
            path: path.into(),
            text: Text::new(text),
            syntax: syntax.clone(),
            defs: BTreeMap::new(),
            types: BTreeMap::new(),
            constructors: BTreeMap::new(),
            imports: BTreeMap::new(),
            duplicates: 0,
        };
        for (at, item) in syntax.items.iter().enumerate() {
            let twice = match item {
                Item::Def(def) => put(&mut file.defs, &def.name.text, at),
                Item::Import(import) => import.local_name().is_some_and(|name| put(&mut file.imports, name, at)),
                Item::Type(def) => {
                    if let TypeBody::Sum(constructors) = &def.body {
                        for (k, constructor) in constructors.iter().enumerate() {
                            let twice = put(&mut file.constructors, &constructor.name.text, (at, k));
                            file.duplicates += usize::from(twice);
                        }
                    }
                    put(&mut file.types, &def.name.text, at)
                }
                Item::Test(_) | Item::Derivative(_) | Item::Error(_) => false,
            };
            file.duplicates += usize::from(twice);
        }
        file.duplicates += file.imports.keys().filter(|name| file.defs.contains_key(*name)).count();
        file
    }

    /// Parses a text.
    pub fn parse(path: &str, text: &str) -> File {
        // A byte order mark is not part of the program.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let parsed = arr_syntax::parse_module(SourceId::from_index(0), text);
        File::new(path, text.into(), Arc::new(parsed.module))
    }

    pub fn item(&self, at: usize) -> Option<&Item> {
        self.syntax.items.get(at)
    }

    /// The path of the module with this local name.
    pub fn import(&self, name: &str) -> Option<String> {
        match self.item(*self.imports.get(name)?)? {
            Item::Import(import) => Some(self.target(import)),
            _ => None,
        }
    }

    /// The path of an imported file.
    pub fn target(&self, import: &Import) -> String {
        match &import.path {
            ImportPath::Std(name) => standard_path(&name.text),
            ImportPath::File { path, .. } => imported_path(&self.path, path),
        }
    }
}

/// Returns whether the name existed.
fn put<T>(names: &mut BTreeMap<String, T>, name: &str, value: T) -> bool {
    if names.contains_key(name) {
        return true;
    }
    names.insert(name.to_string(), value);
    false
}
