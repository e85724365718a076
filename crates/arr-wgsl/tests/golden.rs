//! Golden tests: `golden/*.arr` give `golden/*.wgsl`, whose end has the host's steps in comments. The first line of a
//! program that is `-- entry: NAME` names the entry, otherwise `main`; `-- buffers: N` gives the number of buffers that
//! a kernel can bind, `-- subgroup: N` the least size of a subgroup, and `-- ends loops: N` the number of iterations
//! after which the device truncates loops. `ARR_BLESS=1` rewrites them. naga accepts all of them.
//!
//! Functions of the library and kernels of products and sorts are the same everywhere: only their names stand in the files, but
//! for `product*` and `sort*`, which show these kernels. What they compute has tests in `scalar.rs`, `matmul.rs`, `argsort.rs`.

use crate::common;
use arr_wgsl::{Integers, Options};
use std::path::Path;

#[test]
fn modules_are_as_expected() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "arr"));
    files.sort();
    let mut wrong = Vec::new();
    for path in files {
        let source = std::fs::read_to_string(&path).unwrap();
        let entry = source.lines().next().and_then(|l| l.strip_prefix("-- entry: ")).unwrap_or("main").trim();
        let mut options = common::options(Integers::Narrow);
        let most = source.lines().next().and_then(|l| l.strip_prefix("-- buffers: "));
        options.storage_buffers = most.map_or(options.storage_buffers, |most| most.trim().parse().unwrap());
        let most = source.lines().next().and_then(|l| l.strip_prefix("-- ends loops: "));
        options.ends_loops = most.map(|most| most.trim().parse().unwrap());
        let least = source.lines().next().and_then(|l| l.strip_prefix("-- subgroup: "));
        options.subgroup = least.map(|least| least.trim().parse().unwrap());
        let program = match common::compile(&source, entry, &options) {
            Ok(program) => program,
            Err(error) => {
                wrong.push(format!("{}: {error}", path.display()));
                continue;
            }
        };
        common::compile(&source, entry, &Options { integers: Integers::Native, ..options }).unwrap();
        let steps: String = arr_wgsl::print(&program).lines().map(|l| format!("// {l}\n")).collect();
        let name = path.file_stem().unwrap().to_string_lossy();
        let actual = format!("{}\n// The host:\n{steps}", shortened(&program.wgsl, &name));
        let expected = path.with_extension("wgsl");
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&expected, &actual).unwrap();
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != actual {
            wrong.push(format!("{}:\n{actual}", expected.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A module with a line in the place of what is the same in all of them.
fn shortened(wgsl: &str, name: &str) -> String {
    let (mut library, mut kernels, mut out) = (Vec::new(), Vec::new(), Vec::new());
    let is_shown =
        |found: &str| ["product", "sort"].into_iter().all(|kind| !found.starts_with(kind) || name.starts_with(kind));
    for item in wgsl.split("\n\n") {
        let named = |line: &str| {
            let after = ["fn ", "const "].into_iter().find_map(|word| line.strip_prefix(word));
            after.map(|rest| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>())
        };
        match item.lines().find_map(named) {
            Some(found) if found.starts_with("arr_") => library.push(found),
            // Only kernels that are written by hand call it so.
            Some(found) if item.contains(" group_id: vec3<u32>") && !is_shown(&found) => kernels.push(found),
            _ => out.push(item.to_string()),
        }
    }
    for (what, names) in [("kernels of products and sorts", kernels), ("the library", library)] {
        if !names.is_empty() {
            out.insert(1.min(out.len()), format!("// From {what}: {}.", names.join(", ")));
        }
    }
    out.join("\n\n")
}
