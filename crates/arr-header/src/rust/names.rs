//! Rust names for those of a header.

use crate::interface::{Function, Interface};
use crate::names::{Scope, identifier as of_c};
use crate::types::CType;
use std::collections::BTreeMap;

/// Words that are no names in Rust, besides those that `identifier` changes for C.
const RESERVED: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "crate", "dyn", "final", "fn", "gen", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "self", "Self", "super", "trait",
    "try", "type", "unsafe", "unsized", "use", "where", "yield",
];

/// The types of every file, and those of Rust that they mention.
const TYPES: &[&str] = &[
    "Array",
    "ArrayMut",
    "Arrays",
    "Clone",
    "Context",
    "Copy",
    "Debug",
    "Default",
    "Drop",
    "Err",
    "Error",
    "ErrorKind",
    "From",
    "None",
    "Ok",
    "Option",
    "Owned",
    "Result",
    "Self",
    "Send",
    "Some",
    "String",
    "Sync",
    "RawContext",
];

/// The functions and modules of every file.
const FUNCTIONS: &[&str] = &["sys", "std", "extents", "element_count"];

/// Names that are values already: no function can have them, and a parameter of such a name would be a pattern.
const VALUES: &[&str] = &["Ok", "Err", "Some", "None", "Context", "Owned"];

/// A name of C as one of Rust.
pub fn identifier(name: &str) -> String {
    if RESERVED.contains(&name) { format!("{name}_") } else { name.to_string() }
}

/// The name of a struct, and that of the one for memory that is written to.
struct Pair(String, String);

impl Pair {
    fn fresh(scope: &mut Scope, name: &str) -> Pair {
        let read = scope.fresh(name);
        let write = scope.fresh(&format!("{read}Mut"));
        Pair(read, write)
    }

    fn of(&self, writes: bool) -> &str {
        if writes { &self.1 } else { &self.0 }
    }
}

/// The names of what a file declares.
pub struct Names {
    /// Each for reading and for memory that is written to.
    structs: Vec<Pair>,
    /// By struct and field.
    payloads: BTreeMap<(usize, usize), Pair>,
    tags: Vec<Vec<String>>,
    functions: Vec<(String, Option<String>)>,
}

impl Names {
    pub fn new(interface: &Interface<'_>) -> Names {
        let mut types = Scope::with(TYPES);
        let mut values = Scope::with(&[FUNCTIONS, VALUES].concat());
        let prefix = format!("{}_", interface.prefix());
        let own = |name: &str| name.strip_prefix(&prefix).unwrap_or(name).to_string();
        let mut names =
            Names { structs: Vec::new(), payloads: BTreeMap::new(), tags: Vec::new(), functions: Vec::new() };
        for (row, s) in interface.structs.rows.iter().enumerate() {
            let name = camel(&own(&s.name));
            for (at, (field, _)) in
                s.shape.fields.iter().enumerate().filter(|(_, (_, ty))| matches!(ty, CType::Inline(_)))
            {
                names.payloads.insert((row, at), Pair::fresh(&mut types, &format!("{name}{}", camel(field))));
            }
            names.structs.push(Pair::fresh(&mut types, &name));
        }
        for (_, tags) in &interface.tags {
            let tags = tags.iter().map(|tag| values.fresh(&identifier(&own(tag)).to_ascii_uppercase()));
            names.tags.push(tags.collect());
        }
        for function in &interface.functions {
            let name = values.fresh(&identifier(&of_c(&own(&function.symbol))));
            let into = function.into.as_ref().map(|into| values.fresh(&identifier(&of_c(&own(into)))));
            names.functions.push((name, into));
        }
        names
    }

    /// The names of a function's parameters, by those in C.
    pub fn locals(&self, function: &Function) -> BTreeMap<String, String> {
        let mut scope = Scope::with(&[&["context", "status"], VALUES].concat());
        // A constant would be a pattern, too.
        self.tags.iter().flatten().for_each(|tag| scope.take(tag.clone()));
        function.parameters.iter().map(|p| (p.name.clone(), scope.fresh(&identifier(&p.name)))).collect()
    }

    /// A struct: for memory that is written to, if it `writes`.
    pub fn structure(&self, row: usize, writes: bool) -> &str {
        self.structs.get(row).map_or("", |pair| pair.of(writes))
    }

    /// The struct of the payload of a constructor.
    pub fn payload(&self, row: usize, field: usize, writes: bool) -> &str {
        self.payloads.get(&(row, field)).map_or("", |pair| pair.of(writes))
    }

    pub fn tag(&self, sum: usize, value: usize) -> &str {
        self.tags.get(sum).and_then(|tags| tags.get(value)).map_or("", String::as_str)
    }

    pub fn function(&self, at: usize) -> &str {
        self.functions.get(at).map_or("", |(name, _)| name)
    }

    /// The function that writes arrays into memory of the caller.
    pub fn memory_function(&self, at: usize) -> Option<&str> {
        self.functions.get(at).and_then(|(_, into)| into.as_deref())
    }
}

/// `point_q` as `PointQ`, and `Shape_1` as `Shape1`.
fn camel(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    let text: String = name.split('_').map(capital).collect();
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) { text } else { format!("T{text}") }
}
