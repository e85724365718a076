//! The repository's programs, and all their deliberate errors.

use super::arguments::{Bad, Change, integers, size_variables};
use super::sites::{Body, bodies, reach, replacements};
use crate::files;
use arr_driver::{Derive, MemoryWorld, Session, with_stack};
use arr_ir::Func;
use std::collections::BTreeMap;

/// The directories of programs.
const DIRECTORIES: &[&str] = &[
    "tests/programs/branches",
    "tests/programs/builtins",
    "tests/programs/costs",
    "tests/programs/dual_numbers",
    "tests/programs/language",
    "tests/programs/ragged",
    "tests/papers/accelerate",
    "tests/papers/chad",
    "tests/papers/tensor_language",
    "tests/papers/working_notes",
    "tests/peers/futhark",
    "tests/peers/jax",
    "tests/peers/minpack",
    "tests/peers/stan",
    "tests/peers/torch",
    "tests/threads",
    "examples",
    "examples/gradbench",
    "bench/workloads",
    "stdlib",
];

/// A program.
pub struct File {
    pub path: String,
    pub text: String,
    /// The definitions that can be called with numbers.
    pub definitions: Vec<Definition>,
}

pub struct Definition {
    pub name: String,
    /// Whether it uses a declared derivative.
    pub declared: bool,
    pub func: Func,
}

/// A change of the text.
#[derive(Clone, PartialEq, Debug)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// A definition with a deliberate error, by the indices of its file and of itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Mutant {
    pub file: usize,
    pub definition: usize,
    pub edit: Option<Edit>,
    pub arguments: Change,
}

#[derive(Default)]
pub struct Catalog {
    pub files: Vec<File>,
    /// Files that are no complete programs.
    pub left_out: Vec<String>,
    pub mutants: Vec<Mutant>,
}

impl Catalog {
    /// All programs of the repository.
    pub fn new() -> Catalog {
        let mut catalog = Catalog::default();
        for path in DIRECTORIES.iter().flat_map(|directory| files::list(directory, ".arr")) {
            let name = path.strip_prefix(files::root()).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let read = files::read(&path).ok().and_then(|text| {
                let found = with_stack(|| read(&text)).ok().flatten()?;
                Some((text, found))
            });
            match read {
                Some((text, (definitions, bodies))) => catalog.add(File { path: name, text, definitions }, &bodies),
                None => catalog.left_out.push(name),
            }
        }
        catalog
    }

    fn add(&mut self, file: File, bodies: &BTreeMap<String, Body>) {
        let at = self.files.len();
        for (definition, own) in file.definitions.iter().enumerate() {
            let mut add = |edit, arguments| self.mutants.push(Mutant { file: at, definition, edit, arguments });
            changes(&own.func).into_iter().for_each(|change| add(None, change));
            for name in reach(bodies, &own.name) {
                // Definitions that can be called by themselves are spoiled there.
                let elsewhere = name != own.name && file.definitions.iter().any(|d| d.name == name);
                let Some(body) = bodies.get(&name).filter(|_| !elsewhere) else { continue };
                edits(&file.text, body).into_iter().for_each(|edit| add(Some(edit), Change::Nothing));
            }
        }
        self.files.push(file);
    }
}

fn read(text: &str) -> Option<(Vec<Definition>, BTreeMap<String, Body>)> {
    let mut session = Session::new(MemoryWorld::new([("p.arr", text.as_bytes())]));
    let checked = session.checked("p.arr").ok()?;
    let bodies = bodies(checked.module());
    let called = |name: String| {
        let declared = reach(&bodies, &name).iter().any(|used| bodies.get(used).is_some_and(|body| body.declared));
        let program = session.definition(&checked, "p.arr", &name, &Derive::Nothing).ok()?;
        Some(Definition { name, declared, func: program.func().clone() })
    };
    let definitions = checked.entry_names().into_iter().filter_map(called).collect();
    Some((definitions, bodies))
}

/// The changes of a function's arguments.
fn changes(func: &Func) -> Vec<Change> {
    let sizes = size_variables(func).len();
    let mut changes = vec![Change::Nothing];
    changes.extend((0..sizes).map(Change::Empty));
    if sizes > 1 {
        changes.push(Change::AllEmpty);
    }
    for leaf in integers(func) {
        changes.extend([Bad::Negative, Bad::End, Bad::Huge].map(|bad| Change::Bad(leaf, bad)));
    }
    changes
}

fn edits(text: &str, body: &Body) -> Vec<Edit> {
    let mut edits = Vec::new();
    for span in &body.indices {
        let (start, end) = (span.start as usize, span.end as usize);
        let Some(index) = text.get(start..end) else { continue };
        edits.extend(replacements(index, &body.sizes).into_iter().map(|text| Edit { start, end, text }));
    }
    edits
}
