//! What functions do: `:doc name`.

use crate::keep::item_name;
use crate::state::{Repl, Reply};
use arr_syntax::ast::{Def, Import, ImportPath, Item, Module};

impl Repl {
    /// The signature of a definition or a built-in function, and its documentation; of a keyword, what is written with it.
    pub(crate) fn doc(&mut self, name: &str) -> Reply {
        let own = self.items.iter().find_map(|item| about(item, name));
        let member = own.or_else(|| {
            let (_, last) = name.split_once('.')?;
            about(&self.member(name)?, last)
        });
        match member.or_else(|| builtin(name)).or_else(|| keyword(name)) {
            Some(text) => Reply::Text(text),
            None => Reply::Refused(format!("nothing is known of `{name}`")),
        }
    }

    /// The definition or type that `module.name` means: of an imported file, or of a module of the standard library,
    /// imported or not.
    pub(crate) fn member(&mut self, text: &str) -> Option<Item> {
        let (module, name) = text.split_once('.').filter(|(_, name)| !name.starts_with('_'))?;
        let items = match self.import(module).map(|import| &import.path) {
            Some(ImportPath::File { path, .. }) => {
                let path = path.clone();
                let file = self.session.load(&path).ok()?;
                arr_syntax::parse_module(file, &self.session.text(file)).module.items
            }
            Some(ImportPath::Std(name)) => standard(&name.text)?.items,
            None => standard(module)?.items,
        };
        items.into_iter().find(|item| item_name(item).is_some_and(|(kind, own)| own == name && kind != "import"))
    }

    /// The import that gives its module a name.
    fn import(&self, alias: &str) -> Option<&Import> {
        self.items.iter().find_map(|item| match item {
            Item::Import(import) if import.local_name() == Some(alias) => Some(import),
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

/// What is written with keywords.
const KEYWORDS: &[(&[&str], &str)] = &[
    (&["def"], "def f(x: [n]f64) -> f64 = e\n  a definition; `def c = 2.0` is a constant"),
    (&["let"], "let x = e in e2\n  a name for a value; here `let x = e` alone keeps it"),
    (&["in"], "let x = e in e2; for x in xs => e\n  what a `let` is for; the elements of an array"),
    (&["for"], "for x in xs => e, for i < n => e\n  an array of the values of `e`, one for each element or index"),
    (&["if", "then", "else"], "if c then a else b\n  one of two values"),
    (
        &["loop"],
        "loop s = e0 for i < n do e, loop s = e0 for x in xs do e, loop s = e0 while c do e\n  the last state: \
              each iteration's `e` is the next `s`",
    ),
    (&["while"], "loop s = e0 while c do e\n  the first state for which `c` is false"),
    (&["do"], "loop s = e0 for i < n do e\n  the last state"),
    (&["match"], "match s { Circle(r) => e, Empty => e2 }\n  a value by the constructor of a sum"),
    (&["with"], "xs with [i] = v, p with { x = v }\n  an array or a record with one part changed"),
    (&["type"], "type P = { x: f64 }, type S = Circle(f64) | Empty\n  a name for a record, or a sum"),
    (&["derivative"], "derivative f(x, y, dy) = e\n  the cotangents of the arguments of `f`, where `y` is its result"),
    (&["import"], "import linalg, import \"./file.arr\" as m\n  the definitions of a module, as `linalg.solve`"),
    (&["test"], "test \"name\" = e\n  what `arr test` checks"),
];

fn keyword(name: &str) -> Option<String> {
    let (_, text) = KEYWORDS.iter().find(|(words, _)| words.contains(&name))?;
    Some(format!("{text}\n"))
}

fn builtin(name: &str) -> Option<String> {
    let (_, doc) = arr_check::builtin_docs().find(|(own, _)| *own == name)?;
    let signature = arr_check::builtin_signature(name)?;
    Some(format!("{signature}\n  {doc}\n"))
}
