//! Compiled programs of earlier runs, and the conditions for their reuse.
//!
//! A program is found by everything that it depends on: the compiler, the machine, the options, the text of its first
//! file, and the question. Its entry has its interface, and the names and fingerprints of the other files, which must
//! be unchanged. Its code has an entry for each choice of sizes that it was compiled for.

use crate::execution::Execution;
use crate::program::Program;
use crate::stdlib::STANDARD_MODULES;
use crate::{World, load, standard_path};
use arr_base::SourceMap;
use arr_ir::Func;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

/// Storage for entries. A failure counts as a missing entry.
pub trait Store: Send + Sync {
    fn get(&self, key: &str) -> Option<Vec<u8>>;
    fn put(&self, key: &str, entry: &[u8]);
    /// Identifies this compiler: code of one is of no use to another.
    fn compiler(&self) -> &str;
}

impl<S: Store + ?Sized> Store for std::sync::Arc<S> {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        (**self).get(key)
    }

    fn put(&self, key: &str, entry: &[u8]) {
        (**self).put(key, entry);
    }

    fn compiler(&self) -> &str {
        (**self).compiler()
    }
}

/// A question to the compiler.
#[derive(Clone, Debug)]
pub enum Question {
    /// A definition of a file.
    Entry { path: String, name: String },
    /// An expression, in the scope of a file if one is given.
    Expression { path: Option<String>, text: String },
    /// A definition among those at the end of a file that are not in its text.
    Derived { path: String, definitions: String, name: String },
}

/// The entry of a program in a [`Store`].
#[derive(Serialize, Deserialize)]
struct Interface {
    sources: Vec<Source>,
    /// The interface of the program: without its body.
    core: Func,
}

/// A source text of the program, in the order of reading: spans refer to texts by their positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Source {
    File { name: String, fingerprint: u128 },
    Standard(String),
    Text { name: String, text: String },
}

/// How a program is kept, once it has been compiled.
#[derive(Clone, Debug)]
pub(crate) struct Keep {
    pub question: Question,
    pub key: String,
    sources: Vec<Source>,
    /// Whether the program is a kept one, which has no body.
    pub cached: bool,
}

/// Data for the store.
#[derive(Clone, Debug)]
pub(crate) struct CacheEntry {
    pub key: String,
    pub entry: Vec<u8>,
}

/// The prefix of every entry, by which a store recognises its own files. The digit is the version of the format.
pub const ENTRY_MAGIC: &[u8] = b"arr compiled code 4\n";

impl Keep {
    /// For this key, with `sources` being all that was read for the program.
    pub fn new(world: &dyn World, sources: &SourceMap, question: Question, key: String) -> Keep {
        let standard = |name: &str| STANDARD_MODULES.iter().find(|m| standard_path(m.name) == name);
        let source = |name: &str, text: &str| match standard(name) {
            Some(module) => Source::Standard(module.name.to_string()),
            // A text outside files has an empty name.
            None if !world.is_file(name) => Source::Text { name: name.to_string(), text: text.to_string() },
            None => Source::File { name: name.to_string(), fingerprint: xxh3_128(text.as_bytes()) },
        };
        let sources = sources.iter().map(|(_, file)| source(&file.name, &file.text)).collect();
        Keep { question, key, sources, cached: false }
    }

    /// The key of the code for these sizes, or for all.
    fn code_key(&self, sizes: Option<&[i64]>) -> String {
        fingerprint(&format!("{}\n{:?}\n{sizes:?}", self.key, self.sources))
    }

    /// The entry of the program.
    pub fn interface(&self, core: &Func) -> Option<CacheEntry> {
        let interface = Interface { sources: self.sources.clone(), core: core.clone() };
        whole(&self.key, &interface).map(|entry| CacheEntry { key: self.key.clone(), entry })
    }

    /// The entries for compiled code; none if the code cannot be kept.
    pub fn entries(&self, core: &Func, sizes: Option<&[i64]>, code: &arr_cpu::Compiled) -> Vec<CacheEntry> {
        let key = self.code_key(sizes);
        let code = code.save().and_then(|code| whole(&key, &code));
        let code = code.map(|entry| CacheEntry { key, entry });
        code.into_iter().flat_map(|code| [Some(code), self.interface(core)]).flatten().collect()
    }

    /// The code for these sizes, or for all, if an earlier run kept it.
    pub fn code(&self, store: &dyn Store, sizes: Option<&[i64]>, threads: Option<usize>) -> Option<arr_cpu::Compiled> {
        let key = self.code_key(sizes);
        arr_cpu::restore(read(&key, &store.get(&key)?)?, threads).ok()
    }
}

/// An entry's bytes: its key, its content, and a checksum.
fn whole(key: &str, content: &impl Serialize) -> Option<Vec<u8>> {
    let payload = postcard::to_stdvec(&(key, content)).ok()?;
    let mut bytes = ENTRY_MAGIC.to_vec();
    bytes.extend(xxh3_128(&payload).to_le_bytes());
    bytes.extend(payload);
    Some(bytes)
}

/// An entry's content, if it is intact and has the requested key: one under the name of another counts as missing.
fn read<T: serde::de::DeserializeOwned>(key: &str, bytes: &[u8]) -> Option<T> {
    let (sum, payload) = bytes.strip_prefix(ENTRY_MAGIC)?.split_at_checked(size_of::<u128>())?;
    if u128::from_le_bytes(sum.try_into().ok()?) != xxh3_128(payload) {
        return None;
    }
    let (found, content): (String, T) = postcard::from_bytes(payload).ok()?;
    (found == key).then_some(content)
}

fn fingerprint(text: &str) -> String {
    format!("{:032x}", xxh3_128(text.as_bytes()))
}

/// The key of a question: the fingerprint of all that the code depends on, except imported files and sizes. `None` if
/// the program cannot be read, which is reported elsewhere, and for sanitized code, which points into this process.
pub(crate) fn key(world: &dyn World, store: &dyn Store, question: &Question, execution: &Execution) -> Option<String> {
    let path = match question {
        Question::Entry { path, .. } | Question::Derived { path, .. } => Some(path),
        Question::Expression { path, .. } => path.as_ref(),
    };
    let text = match path {
        // A pipe can be read only once.
        Some(path) => world.read_file(path, u64::MAX).ok()?,
        None => Vec::new(),
    };
    let Execution {
        backend: _,
        max_steps,
        max_memory: _,
        checkpoint,
        strict,
        threads: _,
        floats,
        device: _,
        // The key of the code contains its sizes.
        any_size: _,
        portable: _,
        without,
        sanitize,
        interruptible,
        stop: _,
        profile,
        // The interpreter looks for them, which has no machine code.
        trap: _,
        listening,
    } = *execution;
    if sanitize || profile {
        return None;
    }
    // The limits on steps and threads are given when the code runs; whether steps are counted changes the code.
    // Who listens does not change the code, but whether anybody does.
    let options = (max_steps.is_some(), checkpoint, strict, floats, without, interruptible, listening.is_some());
    let (compiler, target) = (store.compiler(), arr_cpu::target_name());
    Some(fingerprint(&format!("{compiler}\n{target}\n{options:?}\n{question:?}\n{:x}", xxh3_128(&text))))
}

/// The program that an earlier run kept, without its body, and with its former texts in `sources`.
pub(crate) fn load(
    world: &dyn World,
    store: &dyn Store,
    sources: &mut SourceMap,
    question: &Question,
    key: &str,
) -> Option<Program> {
    // Spans refer to texts by their positions, so that nothing may have been read before.
    if sources.iter().next().is_some() {
        return None;
    }
    let Interface { sources: kept, core }: Interface = read(key, &store.get(key)?)?;
    *sources = restored(world, &kept)?;
    let mut program = Program::new(core);
    let keep = Keep { question: question.clone(), key: key.to_string(), sources: kept, cached: true };
    program.keep = Some(keep);
    Some(program)
}

/// The texts, if all of them are unchanged.
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
