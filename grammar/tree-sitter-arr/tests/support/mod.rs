//! The programs of the repository.
#![allow(dead_code, clippy::unwrap_used)]

use arr_base::{Id, SourceId};
use arr_syntax::ast::Module;
use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The compiler's own tree; `None` for a text that it refuses.
pub fn module(text: &str) -> Option<Module> {
    let parsed = arr_syntax::parse_module(SourceId::from_index(0), text);
    parsed.diagnostics.is_empty().then_some(parsed.module)
}

/// Every program that the compiler can read, with its path.
pub fn programs() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    collect(&root(), &mut paths);
    paths.sort();
    let read = |path: PathBuf| (path.display().to_string(), std::fs::read_to_string(&path).unwrap());
    let all: Vec<_> = paths.into_iter().map(read).filter(|(_, text)| module(text).is_some()).collect();
    assert!(all.len() > 80);
    all
}

fn collect(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" {
            collect(&path, found);
        } else if name.ends_with(".arr") {
            found.push(path);
        }
    }
}
