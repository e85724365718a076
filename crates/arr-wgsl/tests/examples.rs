//! naga accepts the modules of the programs in `examples/`, and of gradients of them.

use crate::common;
use arr_wgsl::Integers;
use std::path::{Path, PathBuf};

fn files(dir: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(dir);
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "arr"));
    files.sort();
    files
}

#[test]
fn examples_are_modules() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in files("examples").into_iter().chain(files("examples/gradbench")) {
        let source = std::fs::read_to_string(&path).unwrap();
        let parsed = arr_syntax::parse_module(arr_base::Id::from_index(0), &source);
        let checked = arr_check::check_module(parsed.module);
        if !checked.diagnostics.is_empty() {
            continue;
        }
        for entry in checked.entry_names() {
            if arr_check::elaborate(&checked, &entry).is_err() {
                continue;
            }
            for integers in [Integers::Narrow, Integers::Native] {
                count += 1;
                if let Err(error) = common::compile(&source, &entry, &common::options(integers)) {
                    wrong.push(format!("{} {entry}: {error}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 80, "{count}");
}
