//! Golden tests: a file holds the text of a loop function, a line `==>`, and the C file. `ARR_BLESS=1` rewrites the second part.
//! A compiler has to accept all of them, as C and as C++, without a warning, where there is one.

use crate::interface;
use arr_c99::{Module, Places, function, module};
use std::path::{Path, PathBuf};
use std::process::Command;

fn files() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 8);
    files
}

fn written(input: &str, path: &Path) -> Module {
    let func = arr_loops::parse(input).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
    arr_loops::verify(&func).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
    let nowhere = |_| None;
    let mut places = Places::new(&nowhere);
    let face = interface(&func, true);
    let made = function(&func, &face, &mut places).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
    module(&func.name, (&func.name, "A golden file."), &[], &[made], &places)
}

/// The part of a file behind its table of failures, which all files have.
fn functions(module: &Module) -> String {
    let header = module.header.split("_explain(int status);\n").nth(1).unwrap();
    let header = header.split("#ifdef __cplusplus").next().unwrap();
    let source = module.source.split("#include <string.h>\n\n").nth(1).unwrap();
    format!("{}\n==> source\n{source}", header.trim())
}

#[test]
fn functions_are_as_expected() {
    let mut wrong = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (input, expected) = text.split_once("==>\n").unwrap_or((&text, ""));
        let actual = functions(&written(input, &path));
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&path, format!("{}\n==>\n{actual}", input.trim_end())).unwrap();
        } else if actual != expected {
            wrong.push(format!("{}:\n{actual}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn compilers_have_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let module = written(text.split("==>\n").next().unwrap(), &path);
        let name = module.source.split('"').nth(1).unwrap().trim_end_matches(".h").to_string();
        std::fs::write(folder.path().join(format!("{name}.c")), &module.source).unwrap();
        std::fs::write(folder.path().join(format!("{name}.h")), &module.header).unwrap();
        for compiler in ["gcc -std=c99", "clang -std=c99", "g++ -x c++ -std=c++11"] {
            let mut words = compiler.split(' ');
            let mut command = Command::new(words.next().unwrap());
            command.args(words).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2", "-c", "-o", "out.o"]);
            let Ok(output) = command.arg(format!("{name}.c")).current_dir(folder.path()).output() else {
                println!("*** SKIPPED: there is no `{compiler}`");
                continue;
            };
            assert!(output.status.success(), "{compiler} {name}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}
