//! What must not be replaced: the files of the program, and those of the user beside the output.

use super::{beside, stem};
use crate::commands::Result;
use arr_base::{Code, Diagnostic};
use arr_driver::Session;
use std::io::Read;
use std::path::Path;

/// The bytes at the beginning of a file that say whether Arr has written it.
const BEGINNING: u64 = 4096;

/// Sources that people write by hand as well.
const SOURCES: [&str; 4] = [".c", ".h", ".hpp", ".rs"];

/// Fails with E0707 where the output, or what is put beside it, is a file of the program; and where a source, or what is put
/// beside the output, is a file that Arr has not written.
pub fn check(session: &Session, output: &str, companion: Option<&str>) -> Result<()> {
    for path in std::iter::once(output).chain(companion) {
        if let Some(own) = session.sources().iter().map(|(_, file)| &file.name).find(|own| is_same(own, path)) {
            let title = format!("`{path}` would replace the program, which is compiled from `{own}`");
            let hint = "give the output a name of its own, such as `-o model.c`";
            return Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).hint(hint).into());
        }
    }
    if SOURCES.iter().any(|end| output.ends_with(end)) && is_foreign(output) {
        let title = format!("`{output}` is there already, and not from arr");
        let hint = "give the output another name, or move that file away";
        return Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).hint(hint).into());
    }
    match companion.filter(|path| is_foreign(path)) {
        None => Ok(()),
        Some(path) => {
            let title = format!("`{path}`, which is put beside `{output}`, is there already, and not from arr");
            let hint = format!("give the output another name than `{}`, or move `{path}` away", stem(output));
            Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).hint(hint).into())
        }
    }
}

/// Whether two paths lead to one file.
fn is_same(one: &str, other: &str) -> bool {
    let real = |path: &str| std::fs::canonicalize(path).ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// Whether there is something in a file that Arr has not written.
fn is_foreign(path: &str) -> bool {
    beginning(path).is_some_and(|text| !text.trim().is_empty() && !is_ours(&text))
}

/// The beginning of a file; `None` where there is none that can be read.
fn beginning(path: &str) -> Option<String> {
    let file = std::fs::File::open(path).ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()))?;
    let mut bytes = Vec::new();
    file.take(BEGINNING).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether Arr has written a file: headers and sources say so in their first lines, and manifests have keys of their own.
fn is_ours(text: &str) -> bool {
    let says = |line: &str| {
        let mut rest = line.split(" by arr ").skip(1);
        rest.any(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    let has = |keys: [&str; 2]| text.starts_with('{') && keys.iter().all(|key| text.contains(&format!("\"{key}\":")));
    let is_manifest = has(["format", "i64"]) || has(["functions", "checks"]) || has(["functions", "stablehlo"]);
    is_manifest || text.lines().take(4).any(says)
}

/// Says that the header of another output of the same name is replaced by one that declares something else.
pub fn warn_of_other(path: &str, header: &str, text: &str) {
    let same = std::fs::read_to_string(header).is_ok_and(|before| before == text);
    if same || !Path::new(header).exists() {
        return;
    }
    let stem = stem(path);
    let compiled = [format!("{stem}.o"), format!("lib{stem}.a"), format!("lib{stem}.so"), format!("lib{stem}.dylib")];
    let written = [format!("{stem}.c"), format!("{stem}.hpp")];
    let places = |names: &[String]| names.iter().map(|name| beside(path, name)).collect::<Vec<String>>();
    let compiled = places(&compiled).into_iter().filter(|other| Path::new(other).exists());
    // Of these, others of the name are none of our business.
    let written = places(&written).into_iter().filter(|other| beginning(other).is_some_and(|text| is_ours(&text)));
    let Some(other) = compiled.chain(written).find(|other| other != path) else { return };
    let way = if [path, &other].iter().any(|one| one.ends_with(".c")) {
        "give one of them another name"
    } else {
        "build that with the same definitions, or give one of them another name"
    };
    crate::output::to_stderr(&format!(
        "warning: `{header}` declared something else before, for `{other}`, which it no longer fits: {way}\n"
    ));
}
