//! The raw material of inputs: the committed corpus, and the repository's own programs and golden files.

use crate::Target;
use arr_data::Arg;
use arr_driver::{Execution, MemoryWorld, Question, Session, Store};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The committed inputs of a target, and other suitable files of the repository.
pub fn inputs(target: Target) -> Vec<Vec<u8>> {
    let mut found = files(&root().join("fuzz/corpus").join(target.name), "");
    let more: &[(&str, &str)] = match target.name {
        "format" | "check" => &[("tests/programs", "arr"), ("tests/bad", "arr"), ("examples", "arr")],
        "ir" => {
            &[("crates/arr-ir/tests/golden", "ir"), ("crates/arr-passes/tests", "ir"), ("crates/arr-ad/tests", "ir")]
        }
        "loops" => &[("crates/arr-loops/tests", "loops")],
        _ => &[],
    };
    for (folder, extension) in more {
        found.extend(files(&root().join(folder), extension).into_iter().filter(|bytes| bytes.len() < 8000));
    }
    if target.name == "cache" {
        found.extend(entries());
    }
    if found.is_empty() { vec![Vec::new()] } else { found }
}

fn files(folder: &Path, extension: &str) -> Vec<Vec<u8>> {
    let Ok(listed) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if extension.is_empty() || path.extension().is_some_and(|own| own == extension) {
            found.extend(std::fs::read(&path));
        }
    }
    found
}

/// Stores everything that it receives.
struct Keeper(Arc<Mutex<Vec<Vec<u8>>>>);

impl Store for Keeper {
    fn get(&self, _key: &str) -> Option<Vec<u8>> {
        None
    }
    fn put(&self, _key: &str, entry: &[u8]) {
        if let Ok(mut kept) = self.0.lock() {
            kept.push(entry.to_vec());
        }
    }
    fn compiler(&self) -> &str {
        "a compiler"
    }
}

/// The contents of a program's cache entries, without the leading checksum.
fn entries() -> Vec<Vec<u8>> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let program = b"def f(x: [n]f64, k: i64) -> [n]f64 = for i < n => x[i] * f64(k)\n";
    let mut session = Session::new(MemoryWorld::new([("p.arr", &program[..])])).with_store(Keeper(kept.clone()));
    let question = Question::Entry { path: "p.arr".to_string(), name: "f".to_string() };
    let execution = Execution::default();
    if let Ok(mut program) = session.program_cached(&question, &execution) {
        let _ = session.run(&mut program, &["[1.0, 2.0]", "3"].map(Arg::parse), &execution);
    }
    let kept = kept.lock().map(|kept| kept.clone()).unwrap_or_default();
    kept.iter().filter_map(|entry| entry.get(17..)).map(<[u8]>::to_vec).collect()
}
