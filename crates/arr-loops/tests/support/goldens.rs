//! The golden files of loops.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

const FOLDERS: [&str; 7] = ["cases", "products", "scans", "fuse_loops", "strip_mine", "parallelize", "short_circuit"];

/// The files of this ending, in order.
pub fn files(ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let all = FOLDERS.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut files: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == ending));
    files.sort();
    files
}
