//! Rules about the text of source files: where `unsafe` may stand, that every module says what it is for, how long a file
//! may be, and that no file of tests is left out of the program that runs them.

use std::path::{Path, PathBuf};

/// The crates that may contain `unsafe`, each use with its reason.
const UNSAFE_CRATES: &[&str] = &["crates/arr-runtime/", "crates/arr-capi/", "crates/arr-cpu/", "crates/arr-gpu/"];
/// A longer file is refused.
const MAX_LINES: usize = 900;
/// A longer file is listed.
const MANY_LINES: usize = 600;
/// How many lines above an `unsafe` its reason may stand.
const REASON_LINES: usize = 6;

pub fn check(root: &Path) -> Result<String, String> {
    let mut files = Vec::new();
    for folder in ["bench", "crates", "fuzz", "xtask", "tests"] {
        rust_files(&root.join(folder), &mut files).map_err(|error| format!("{folder}: {error}"))?;
    }
    files.sort();
    let (mut complaints, mut long, mut lines) = (Vec::new(), Vec::new(), 0);
    for file in &files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let count = text.lines().count();
        lines += count;
        if count > MAX_LINES {
            complaints.push(format!("{name}: {count} lines, more than {MAX_LINES}"));
        } else if count > MANY_LINES {
            long.push(format!("  {name}: {count} lines"));
        }
        complaints.extend(module_doc(&text).map(|complaint| format!("{name}: {complaint}")));
        let allowed = UNSAFE_CRATES.iter().any(|prefix| name.starts_with(prefix));
        complaints.extend(unsafe_uses(&text, allowed).into_iter().map(|(line, what)| format!("{name}:{line}: {what}")));
    }
    for main in files.iter().filter(|file| file.ends_with("tests/main.rs")) {
        let text = std::fs::read_to_string(main).map_err(|error| format!("{}: {error}", main.display()))?;
        let beside = files.iter().filter(|file| *file != main && file.parent() == main.parent());
        let left_out = beside.filter(|file| !is_module(&text, file));
        complaints.extend(left_out.map(|file| format!("{}: `main.rs` beside it has no `mod` for it", file.display())));
    }
    if !long.is_empty() {
        println!("files of more than {MANY_LINES} lines:\n{}", long.join("\n"));
    }
    if complaints.is_empty() { Ok(format!("{} files, {lines} lines", files.len())) } else { Err(complaints.join("\n")) }
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether the text has a line `mod NAME;` for the file.
fn is_module(text: &str, file: &Path) -> bool {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    text.lines().any(|line| line == format!("mod {name};"))
}

/// The first thing in a file that is not blank or an attribute is its `//!` documentation.
fn module_doc(text: &str) -> Option<&'static str> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("#!["));
    match first {
        Some(line) if line.starts_with("//!") => None,
        _ => Some("no module documentation (`//!`) at the top"),
    }
}

/// Lines where `unsafe` stands and should not, or stands without a reason.
fn unsafe_uses(text: &str, allowed: bool) -> Vec<(usize, &'static str)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let code = code_of(line);
        if !has_word(&code, "unsafe") || names_a_type(&code) {
            continue;
        }
        let from = i.saturating_sub(REASON_LINES);
        let reasoned = lines[from..=i].iter().any(|above| above.contains("// SAFETY:") || above.contains("# Safety"));
        if !allowed {
            found.push((i + 1, "`unsafe` outside arr-runtime, arr-capi, arr-cpu and arr-gpu"));
        } else if !reasoned {
            found.push((i + 1, "`unsafe` without a `// SAFETY:` comment above it"));
        }
    }
    found
}

/// The line without its comment and without what is between quotation marks.
fn code_of(line: &str) -> String {
    let (mut code, mut quoted, mut escaped) = (String::new(), false, false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '/' if !quoted && rest.peek() == Some(&'/') => break,
            _ if quoted => {}
            _ => code.push(c),
        }
    }
    code
}

/// `unsafe extern "C" fn(..)` is the type of a function, which promises nothing yet.
fn names_a_type(code: &str) -> bool {
    code.split_once("unsafe").is_some_and(|(_, rest)| rest.replace("extern", "").trim_start().starts_with("fn("))
}

fn has_word(code: &str, word: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_unsafe_only_in_code() {
        let bare = ["un", "safe { x }"].concat();
        assert_eq!(unsafe_uses(&bare, true).len(), 1);
        assert_eq!(unsafe_uses(&bare, false).len(), 1);
        assert!(unsafe_uses(&format!("// SAFETY: x is valid.\n{bare}"), true).is_empty());
        assert!(unsafe_uses(&["type F = un", "safe extern \"C\" fn(i32);"].concat(), true).is_empty());
        assert!(unsafe_uses(&format!("// {bare}\nlet s = \"{bare}\"; deny(unsafe_code)"), false).is_empty());
    }

    #[test]
    fn finds_tests_that_are_left_out() {
        assert!(is_module("mod a;\nmod b;\n", Path::new("tests/b.rs")));
        assert!(!is_module("mod a;\n// mod b;\n", Path::new("tests/b.rs")));
    }

    #[test]
    fn wants_module_documentation() {
        assert_eq!(module_doc("#![allow(x)]\n\n//! What it is for.\n"), None);
        assert!(module_doc("use x;\n").is_some());
    }
}
