//! Loading a program: a file and its imports, each once.

use crate::stdlib::{standard_module, standard_names};
use crate::{Failure, World, import_error};
use arr_base::{Code, Diagnostic, SourceId, SourceMap, Span};
use arr_check::{Imported, Program, ProgramModule};
use arr_syntax::ast::{Import, ImportPath, Item, Module};
use std::collections::{HashMap, HashSet};
use std::io::{Error, ErrorKind};
use std::sync::Arc;

/// A program, with the errors in the text of its files and in their imports.
pub(crate) struct Loaded {
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    /// The text of each module, unless it is in no file.
    pub sources: Vec<Option<SourceId>>,
}

/// Loads all imports of a parsed file. Instead of a file, it may be the surroundings of an expression.
pub(crate) fn load(world: &dyn World, sources: &mut SourceMap, path: &str, syntax: Module) -> Loaded {
    let mut loader = Loader {
        world,
        sources,
        modules: Vec::new(),
        places: HashMap::new(),
        names: HashSet::new(),
        diagnostics: Vec::new(),
    };
    loader.add(Key::File(clean(path)), String::new(), syntax, None);
    let mut at = 0;
    while at < loader.modules.len() {
        loader.imports_of(at);
        at += 1;
    }
    loader.cut_cycles();
    let sources = loader.modules.iter().map(|m| m.source).collect();
    let module = |m: Loading| ProgramModule {
        syntax: m.syntax,
        name: m.name,
        imports: m.edges.iter().map(|e| e.target.map_or(Imported::Nothing, Imported::Module)).collect(),
        standard: matches!(m.key, Key::Standard(_)),
    };
    let modules = loader.modules.into_iter().map(module).collect();
    Loaded { program: Program { modules, available: standard_names() }, diagnostics: loader.diagnostics, sources }
}

/// The maximal size of a program in bytes: spans have 32 bits.
const LARGEST: u64 = u32::MAX as u64;

/// Reads a program that the user names. A leading byte order mark is not part of it.
pub(crate) fn read(world: &dyn World, sources: &mut SourceMap, path: &str) -> Result<SourceId, Diagnostic> {
    let bytes = world.read_at_most(path, LARGEST).map_err(|e| unreadable(path, &e))?;
    decode(sources, path, bytes)
}

/// Reads a file that a program names.
pub(crate) fn read_imported(world: &dyn World, sources: &mut SourceMap, path: &str) -> Result<SourceId, Diagnostic> {
    let bytes = world.read_file(path, LARGEST).map_err(|e| unreadable(path, &e))?;
    decode(sources, path, bytes)
}

/// Reads the program on standard input.
pub(crate) fn read_stdin(world: &dyn World, sources: &mut SourceMap) -> Result<SourceId, Diagnostic> {
    const NAME: &str = "standard input";
    let bytes = world.read_stdin(LARGEST).map_err(|e| unreadable(NAME, &e))?;
    decode(sources, NAME, bytes)
}

fn unreadable(path: &str, error: &Error) -> Diagnostic {
    if error.kind() == ErrorKind::FileTooLarge {
        return Diagnostic::error(Code::BAD_FILE, format!("`{path}` is too large for a program"))
            .note(format!("a program has {LARGEST} bytes at most"));
    }
    crate::data::unreadable(path, error)
}

fn decode(sources: &mut SourceMap, path: &str, bytes: Vec<u8>) -> Result<SourceId, Diagnostic> {
    let text = String::from_utf8(bytes).map_err(|e| {
        let offset = e.utf8_error().valid_up_to();
        let good = e.as_bytes().get(..offset).unwrap_or(&[]);
        let line = good.iter().filter(|&&b| b == b'\n').count() + 1;
        Diagnostic::error(Code::BAD_FILE, format!("`{path}` is not a text file in UTF-8"))
            .note(format!("byte {offset}, on line {line}, begins no character"))
    })?;
    Ok(add_source(sources, path, text.strip_prefix('\u{feff}').unwrap_or(&text)))
}

/// An unchanged file that was read before keeps its position, so that its errors are the same diagnostics.
fn add_source(sources: &mut SourceMap, name: &str, text: &str) -> SourceId {
    let same = sources.iter().find(|(_, f)| f.name == name && *f.text == *text).map(|(id, _)| id);
    same.unwrap_or_else(|| sources.add(name, text))
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Standard(&'static str),
    /// The path for display, see [`clean`].
    File(String),
}

impl Key {
    fn shown(&self) -> String {
        match self {
            Key::Standard(name) => crate::survey::standard_path(name),
            Key::File(path) => path.clone(),
        }
    }
}

struct Loading {
    key: Key,
    name: String,
    syntax: Arc<Module>,
    source: Option<SourceId>,
    edges: Vec<Edge>,
}

#[derive(Clone, Copy)]
struct Edge {
    target: Option<usize>,
    span: Span,
}

struct Loader<'a> {
    world: &'a dyn World,
    sources: &'a mut SourceMap,
    modules: Vec<Loading>,
    places: HashMap<Key, usize>,
    names: HashSet<String>,
    diagnostics: Vec<Diagnostic>,
}

impl Loader<'_> {
    fn add(&mut self, key: Key, mut name: String, syntax: Module, source: Option<SourceId>) -> usize {
        while !self.names.insert(name.clone()) {
            name.push('\'');
        }
        self.places.insert(key.clone(), self.modules.len());
        self.modules.push(Loading { key, name, syntax: Arc::new(syntax), source, edges: Vec::new() });
        self.modules.len() - 1
    }

    fn imports_of(&mut self, at: usize) {
        let Some(module) = self.modules.get(at) else { return };
        let (syntax, key) = (module.syntax.clone(), module.key.clone());
        for item in &syntax.items {
            let Item::Import(import) = item else { continue };
            let span = match &import.path {
                ImportPath::Std(name) => name.span,
                ImportPath::File { span, .. } => *span,
            };
            let target = self.target(&key, import).unwrap_or_else(|diagnostic| {
                self.diagnostics.push(diagnostic);
                None
            });
            if let Some(module) = self.modules.get_mut(at) {
                module.edges.push(Edge { target, span });
            }
        }
    }

    /// The module that an import leads to, loaded if it was not before.
    fn target(&mut self, from: &Key, import: &Import) -> Result<Option<usize>, Diagnostic> {
        let beside = |path: &str| match from {
            Key::File(file) => beside(file, path),
            Key::Standard(_) => path.to_string(),
        };
        let name = import.local_name().unwrap_or("module").to_string();
        match &import.path {
            ImportPath::Std(module) => {
                let Some(standard) = standard_module(&module.text) else {
                    let there = self.world.is_file(&beside(&format!("{}.arr", module.text)));
                    return Err(import_error::unknown_module(&module.text, module.span, there));
                };
                let key = Key::Standard(standard.name);
                if let Some(at) = self.places.get(&key) {
                    return Ok(Some(*at));
                }
                let file = add_source(self.sources, &key.shown(), standard.text);
                Ok(Some(self.parse(key, name, file)))
            }
            ImportPath::File { path, span } => {
                let file = beside(path);
                let key = Key::File(file.clone());
                if let Some(at) = self.places.get(&key) {
                    return Ok(Some(*at));
                }
                match read_imported(self.world, self.sources, &file) {
                    Ok(file) => Ok(Some(self.parse(key, name, file))),
                    Err(why) => {
                        let other = format!("{path}.arr");
                        let other = self.world.is_file(&beside(&other)).then_some(other);
                        Err(import_error::no_file(why, *span, other))
                    }
                }
            }
        }
    }

    fn parse(&mut self, key: Key, name: String, file: SourceId) -> usize {
        let text = self.sources.get(file).map_or_else(|| Arc::from(""), |f| f.text.clone());
        let parsed = arr_syntax::parse_module(file, &text);
        self.diagnostics.extend(parsed.diagnostics);
        self.add(key, name, parsed.module, Some(file))
    }

    /// Reports the imports that close a cycle, and makes them lead nowhere.
    fn cut_cycles(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = vec![State::New; self.modules.len()];
        // The path from the first module: each with the number of its imports that were followed. The graph may be a
        // chain of thousands, so there is no recursion.
        let mut way: Vec<(usize, usize)> = vec![(0, 0)];
        while let Some((at, followed)) = way.last_mut() {
            let (at, edge) = (*at, *followed);
            *followed += 1;
            if let Some(state) = states.get_mut(at) {
                *state = State::Open;
            }
            let Some(Edge { target, span }) = self.modules.get(at).and_then(|m| m.edges.get(edge)).copied() else {
                if let Some(state) = states.get_mut(at) {
                    *state = State::Done;
                }
                way.pop();
                continue;
            };
            let Some(target) = target else { continue };
            match states.get(target) {
                Some(State::New) => way.push((target, 0)),
                Some(State::Open) => {
                    let cycle: Vec<usize> = way.iter().map(|w| w.0).skip_while(|m| *m != target).collect();
                    self.report_cycle(&cycle, target, span);
                    if let Some(edge) = self.modules.get_mut(at).and_then(|m| m.edges.get_mut(edge)) {
                        edge.target = None;
                    }
                }
                Some(State::Done) | None => {}
            }
        }
    }

    fn report_cycle(&mut self, cycle: &[usize], target: usize, span: Span) {
        let files: Vec<String> =
            cycle.iter().chain([&target]).filter_map(|m| self.modules.get(*m)).map(|m| m.key.shown()).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        self.diagnostics.push(import_error::cycle(span, &files));
    }
}

/// The path of a file that another one calls `path`.
pub(crate) fn beside(file: &str, path: &str) -> String {
    if path.starts_with(std::path::is_separator) {
        return clean(path);
    }
    match file.rfind(std::path::is_separator) {
        Some(end) => clean(&format!("{}/{path}", file.get(..end).unwrap_or(""))),
        None => clean(path),
    }
}

/// A path without redundant `.` and `..`, so that one file has one path however it was reached.
pub(crate) fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(std::path::is_separator) {
        match (part, parts.last()) {
            ("" | ".", _) => {}
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            (part, _) => parts.push(part),
        }
    }
    let root = if path.starts_with(std::path::is_separator) { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// Reads and loads the program of a file.
pub(crate) fn load_file(world: &dyn World, sources: &mut SourceMap, path: &str) -> Result<Loaded, Failure> {
    load_file_with(world, sources, path, Vec::new())
}

/// The same, with more items at the end of the file.
pub(crate) fn load_file_with(
    world: &dyn World,
    sources: &mut SourceMap,
    path: &str,
    more: Vec<Item>,
) -> Result<Loaded, Failure> {
    let file = read(world, sources, path)?;
    let text = sources.get(file).map_or_else(|| Arc::from(""), |f| f.text.clone());
    let mut parsed = arr_syntax::parse_module(file, &text);
    parsed.module.items.extend(more);
    let mut loaded = load(world, sources, path, parsed.module);
    loaded.diagnostics.splice(0..0, parsed.diagnostics);
    if let Some(first) = loaded.sources.first_mut() {
        *first = Some(file);
    }
    Ok(loaded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (file, path, expected) in [
            ("a.arr", "./model.arr", "model.arr"),
            ("a.arr", "model.arr", "model.arr"),
            ("dir/a.arr", "./model.arr", "dir/model.arr"),
            ("dir/a.arr", "../lib/x.arr", "lib/x.arr"),
            ("a.arr", "../x.arr", "../x.arr"),
            ("../a.arr", "../x.arr", "../../x.arr"),
            ("/p/q/a.arr", "../x.arr", "/p/x.arr"),
            ("/a.arr", "x.arr", "/x.arr"),
            ("dir/a.arr", "/lib/./x.arr", "/lib/x.arr"),
            ("dir//a.arr", ".//b/../x.arr", "dir/x.arr"),
        ] {
            assert_eq!(beside(file, path), expected, "{file} imports {path}");
        }
    }
}
