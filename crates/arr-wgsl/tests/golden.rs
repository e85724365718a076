//! Golden tests: `golden/*.arr` give `golden/*.wgsl`, whose end has the host's steps in comments. The first line of a
//! program that is `-- entry: NAME` names the entry, otherwise `main`; `-- buffers: N` gives the number of buffers that
//! a kernel can bind, `-- subgroup: N` the least size of a subgroup, and `-- ends loops: N` the number of iterations
//! after which the device truncates loops. `ARR_BLESS=1` rewrites them. naga accepts all of them.

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
        let actual = format!("{}\n// The host:\n{steps}", program.wgsl);
        let expected = path.with_extension("wgsl");
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&expected, &actual).unwrap();
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != actual {
            wrong.push(format!("{}:\n{actual}", expected.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
