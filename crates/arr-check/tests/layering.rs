//! The parts of the crate depend on each other in one direction, which the table in `src/lib.rs` shows.

use std::path::{Path, PathBuf};

/// From the bottom upwards: each may use those before it.
const PARTS: &[&str] =
    &["data", "messages", "resolve", "declare", "elaborate", "check", "sink_updates", "entry", "readable"];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn parts_use_those_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let name = file.strip_prefix(&source).expect("below the sources").to_string_lossy().replace('\\', "/");
        if name == "lib.rs" {
            continue;
        }
        let part = name.split(['/', '.']).next().unwrap_or_default();
        let place =
            PARTS.iter().position(|p| *p == part).unwrap_or_else(|| panic!("{name} is in no part of the table"));
        let text = std::fs::read_to_string(&file).expect("text");
        for rest in text.split("crate::").skip(1) {
            let used = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            if !PARTS[..=place].contains(&used) {
                wrong.push(format!("{name} uses `{used}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_is_in_the_same_order() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("text");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | `")?.split(['`', '.']).next());
    assert_eq!(rows.collect::<Vec<_>>(), PARTS);
}
