//! Compiled programs of earlier runs: what is kept, and when it may be used again.
//!
//! An entry is found by everything that its code depends on: the compiler, the machine, the options, the text of the
//! program's first file, and what was asked of it. It holds the names and fingerprints of the other files, which must
//! be as they were.

use crate::program::{Execution, Program};
use crate::stdlib::STANDARD_MODULES;
use crate::{PassReport, World, load, standard_path};
use arr_base::SourceMap;
use arr_ir::Func;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;
use xxhash_rust::xxh3::xxh3_128;

/// Where entries are kept. Every failure is an entry that is not there.
pub trait Store: Send + Sync {
    fn get(&self, key: &str) -> Option<Vec<u8>>;
    fn put(&self, key: &str, entry: &[u8]);
    /// What tells this compiler from every other: code of one is of no use to another.
    fn compiler(&self) -> &str;
}

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The program, if there is one.
    pub path: Option<&'a str>,
    /// A definition to run, or an expression to evaluate.
    pub what: Asked<'a>,
}

#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    Entry(&'a str),
    Expression(&'a str),
}

/// An entry of a [`Store`].
#[derive(Serialize, Deserialize)]
struct Entry {
    sources: Vec<Source>,
    /// How the program is called: without its body.
    core: Func,
    code: arr_cpu::Saved,
}

/// A text that the program was made of, in the order they were read: spans name them by their places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Source {
    File { name: String, fingerprint: u128 },
    Standard(String),
    Text { name: String, text: String },
}

/// What a program is kept as, once it has been compiled.
#[derive(Clone, Debug)]
pub(crate) struct Keep {
    key: String,
    sources: Vec<Source>,
}

/// What is to be put into the store.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub key: String,
    pub entry: Vec<u8>,
}

/// A first byte that says how entries are written.
const FORMAT: u8 = 1;

impl Keep {
    /// As this key, `sources` being all that was read for the program.
    pub fn new(world: &dyn World, sources: &SourceMap, key: String) -> Keep {
        let standard = |name: &str| STANDARD_MODULES.iter().find(|m| standard_path(m.name) == name);
        let source = |name: &str, text: &str| match standard(name) {
            Some(module) => Source::Standard(module.name.to_string()),
            // A text that stands in no file has the name of none.
            None if world.read(name).is_err() => Source::Text { name: name.to_string(), text: text.to_string() },
            None => Source::File { name: name.to_string(), fingerprint: xxh3_128(text.as_bytes()) },
        };
        Keep { key, sources: sources.iter().map(|(_, file)| source(&file.name, &file.text)).collect() }
    }

    /// The entry for compiled code; `None` if the code cannot be kept.
    pub fn entry(&self, core: &Func, code: &arr_cpu::Compiled) -> Option<Kept> {
        let entry = Entry { sources: self.sources.clone(), core: core.clone(), code: code.save()? };
        let payload = postcard::to_stdvec(&entry).ok()?;
        let mut bytes = vec![FORMAT];
        bytes.extend(xxh3_128(&payload).to_le_bytes());
        bytes.extend(payload);
        Some(Kept { key: self.key.clone(), entry: bytes })
    }
}

/// The entry's content, if it is whole.
fn read_entry(bytes: &[u8]) -> Option<Entry> {
    let (&format, rest) = bytes.split_first()?;
    let (sum, payload) = rest.split_at_checked(size_of::<u128>())?;
    let whole = format == FORMAT && u128::from_le_bytes(sum.try_into().ok()?) == xxh3_128(payload);
    if whole { postcard::from_bytes(payload).ok() } else { None }
}

/// The key of a question: the fingerprint of all that the code depends on, but for imported files. `None` if the
/// program cannot be read, which is for someone else to report.
pub(crate) fn key(world: &dyn World, store: &dyn Store, question: &Question, execution: &Execution) -> Option<String> {
    let text = match question.path {
        Some(path) => world.read(path).ok()?,
        None => Vec::new(),
    };
    let (kind, asked) = match question.what {
        Asked::Entry(name) => ("entry", name),
        Asked::Expression(text) => ("expression", text),
    };
    let Execution { backend: _, max_steps, max_memory: _, checkpoint, strict, threads: _, floats, device: _ } =
        *execution;
    // The number of steps and of threads is said when the code is run; whether steps are counted changes the code.
    let options = (max_steps.is_some(), checkpoint, strict, floats);
    let parts = format!(
        "{}\n{}\n{options:?}\n{:?}\n{:x}\n{kind}\n{asked}",
        store.compiler(),
        arr_cpu::target_name(),
        question.path,
        xxh3_128(&text)
    );
    Some(format!("{:032x}", xxh3_128(parts.as_bytes())))
}

/// The compiled program of an earlier run, its texts in `sources` as they were then.
pub(crate) fn recall(
    world: &dyn World,
    store: &dyn Store,
    sources: &mut SourceMap,
    key: &str,
    threads: Option<usize>,
) -> Option<Program> {
    // Spans name texts by their places, so that nothing may have been read before.
    if sources.iter().next().is_some() {
        return None;
    }
    let start = Instant::now();
    let entry = read_entry(&store.get(key)?)?;
    let texts: Option<SourceMap> = restored(world, &entry.sources);
    let code = arr_cpu::restore(entry.code, threads).ok()?;
    *sources = texts?;
    let mut program = Program::new(entry.core);
    program.make_ready(Arc::new(code), PassReport { name: "cache", time: start.elapsed(), stmts: None });
    Some(program)
}

/// The texts, if all of them are as they were.
fn restored(world: &dyn World, kept: &[Source]) -> Option<SourceMap> {
    let mut sources = SourceMap::new();
    for source in kept {
        match source {
            Source::File { name, fingerprint } => {
                let id = load::read(world, &mut sources, name).ok()?;
                if xxh3_128(sources.get(id)?.text.as_bytes()) != *fingerprint {
                    return None;
                }
            }
            Source::Standard(module) => {
                let text = STANDARD_MODULES.iter().find(|m| m.name == *module)?.text;
                sources.add(standard_path(module), text);
            }
            Source::Text { name, text } => drop(sources.add(name.clone(), text.as_str())),
        }
    }
    (sources.iter().count() == kept.len()).then_some(sources)
}
