//! Rules about the text of source files: where `unsafe` may stand, that every module states its purpose, how long a
//! file may be, that no test and no file of tests is left out of the programs that run them, and which words pages,
//! messages and comments do not use.

use crate::unrun::unrun;
use std::path::{Path, PathBuf};

/// The crates that may contain `unsafe`, each use with its reason.
const UNSAFE_CRATES: &[&str] =
    &["crates/arr-runtime/", "crates/arr-capi/", "crates/arr-cpu/", "crates/arr-gpu/", "crates/arr-python/"];
/// A longer file is refused.
const MAX_LINES: usize = 900;
/// A longer file is listed.
const MANY_LINES: usize = 600;
/// Words that a native reader stumbles over, and what to write instead: refused in pages (`*.md` of the root and of
/// `docs`), in the text of messages, in the help of the command line, and in comments.
const REFUSED: &[(&str, &str)] = &[
    ("dear", "expensive"),
    ("dearer", "more expensive"),
    ("is told", "is reported"),
    ("are told", "are reported"),
    ("object a line", "object per line"),
    ("request a line", "request per line"),
    ("bytes an element", "bytes per element"),
    ("anew", "again"),
    ("in vain", "for nothing"),
    ("gone over", "traversed"),
    ("looks out for", "waits for"),
    ("look at each other", "depend on each other"),
    ("nobody's promise", "unspecified"),
];
/// Units for which "per" is right, as in "one per line"; here with the article that is wrong in its place.
const UNITS: &[&str] = &[
    "a block",
    "a case",
    "a chunk",
    "a direction",
    "a file",
    "a leaf",
    "a line",
    "a parameter",
    "a pass",
    "a peer",
    "a point",
    "a request",
    "a result",
    "a row",
    "a run",
    "a step",
    "a type",
    "a vector",
    "an axis",
    "an element",
    "an invocation",
    "an iteration",
];
/// The help of the command line: its comments are shown.
const HELP: &str = "crates/arr-cli/src/options.rs";
/// The maximal distance in lines of an `unsafe` from its reason above.
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
        if name.starts_with("crates/") && name.contains("/src/") {
            let unrun = unrun(root, &name, &text).into_iter();
            complaints.extend(unrun.map(|(line, what)| format!("{name}:{line}: {what}")));
            let shown = if name == HELP { text.clone() } else { parts(&text).quoted };
            complaints.extend(refused_words(&name, &shown));
        }
        if name != HELP {
            complaints.extend(refused_words(&name, &parts(&text).comments));
        }
    }
    for page in pages(root).map_err(|error| format!("the pages: {error}"))? {
        let text = std::fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        let name = page.strip_prefix(root).unwrap_or(&page).to_string_lossy().replace('\\', "/");
        complaints.extend(refused_words(&name, &text));
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

/// The pages of the root and of `docs`.
fn pages(root: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in [root.to_path_buf(), root.join("docs")] {
        for entry in std::fs::read_dir(folder)? {
            found.push(entry?.path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    Ok(found)
}

/// The lines of a text with refused words, which may continue on the next line.
fn refused_words(name: &str, text: &str) -> Vec<String> {
    let lines: Vec<String> = text.lines().map(|line| line.trim().to_lowercase()).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).map_or("", |next| next.as_str());
        let both = format!("{line} {next}");
        let begins_here = |words: &str| starts_of(&both, words).any(|start| start < line.len());
        let refused = REFUSED.iter().filter(|(words, _)| begins_here(words));
        let complaint = |words: &str, better: &str| format!("{name}:{}: not `{words}` but `{better}`", at + 1);
        found.extend(refused.map(|(words, better)| complaint(words, better)));
        let units = if both.contains("one a") || both.contains("once a") { UNITS } else { &[] };
        let counts = units.iter().filter(|unit| {
            let once = format!("once {unit}");
            begins_here(&format!("one {unit}"))
                || starts_of(&both, &once).any(|start| start < line.len() && closes(&both, start + once.len()))
        });
        found.extend(counts.map(|unit| complaint(unit, &unit.replacen("an ", "per ", 1).replacen("a ", "per ", 1))));
    }
    found
}

/// Whether a sentence or clause ends here; if not, the words may begin one, as in "once a point is reached".
fn closes(text: &str, at: usize) -> bool {
    text.get(at..).is_none_or(|rest| rest.trim().is_empty() || rest.starts_with(['.', ',', ';', ':', ')']))
}

/// Where the words occur in a text, as words of their own.
fn starts_of<'t>(text: &'t str, words: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(words).map(|(at, _)| at).filter(|at| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text.get(at + words.len()..).and_then(|text| text.chars().next());
        [before, after].into_iter().flatten().all(|c| !c.is_alphanumeric() && c != '_' && c != '-')
    })
}

/// The texts in a source file, with all its line ends in each.
struct TextParts {
    /// The text between quotation marks.
    quoted: String,
    /// The text of comments.
    comments: String,
}

/// Takes the text of messages and comments out of a source file.
fn parts(text: &str) -> TextParts {
    let (mut found, mut rest) = (TextParts { quoted: String::new(), comments: String::new() }, text);
    while let Some(c) = rest.chars().next() {
        let hashes = rest.strip_prefix('r').map_or(0, |raw| raw.chars().take_while(|c| *c == '#').count());
        let raw = format!("r{}\"", "#".repeat(hashes));
        let length = if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            let comment = rest.get(..end).unwrap_or_default();
            found.comments.push_str(comment.trim_start_matches('/').trim_start_matches('!'));
            end
        } else if hashes > 0 && rest.starts_with(&raw) {
            let close = raw.chars().skip(1).collect::<String>().chars().rev().collect::<String>();
            let inside = rest.get(raw.len()..).unwrap_or_default();
            let end = inside.find(&close).unwrap_or(inside.len());
            found.quote(inside.get(..end).unwrap_or_default());
            raw.len() + end + close.len()
        } else if c == '"' {
            let inside = rest.get(1..).unwrap_or_default();
            let end = end_of_text(inside);
            found.quote(inside.get(..end).unwrap_or_default());
            end + 2
        } else if rest.starts_with("'\\") {
            4
        } else if rest.starts_with("'\"'") {
            3
        } else {
            c.len_utf8()
        };
        if c == '\n' {
            found.quoted.push('\n');
            found.comments.push('\n');
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

impl TextParts {
    fn quote(&mut self, text: &str) {
        self.quoted.push_str(text);
        self.comments.extend(text.chars().filter(|c| *c == '\n'));
    }
}

/// The position of the closing quotation mark of a text.
fn end_of_text(inside: &str) -> usize {
    let mut escaped = false;
    let ends = |&(_, c): &(usize, char)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    };
    inside.char_indices().find(ends).map_or(inside.len(), |(at, _)| at)
}

/// Whether the text has a line `mod NAME;` for the file.
fn is_module(text: &str, file: &Path) -> bool {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    text.lines().any(|line| line == format!("mod {name};"))
}

/// The first thing in a file that is not blank or an attribute must be its `//!` documentation.
fn module_doc(text: &str) -> Option<&'static str> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("#!["));
    match first {
        Some(line) if line.starts_with("//!") => None,
        _ => Some("no module documentation (`//!`) at the top"),
    }
}

/// Lines where `unsafe` is not allowed, or has no reason.
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

/// The line without its comment and without quoted text.
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
    fn finds_words_that_are_refused() {
        let found = refused_words("x.md", "It is dear.\nOf several errors\nany one IS TOLD.\nIn JSON, one a line.");
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[0], "x.md:1: not `dear` but `expensive`");
        assert!(refused_words("x.md", "`pairs_dear_loop`, endear, what this told, none a line").is_empty());
        let found = refused_words("x.md", "Computed in\n  vain, once a point; one an iteration.");
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[0], "x.md:1: not `in vain` but `for nothing`");
        assert!(refused_words("x.md", "Once a point is reached, one at a line.").is_empty());
        let code = "let dear = '\"'; // \"dear\"\nlet s = \"a // \\\"b\nc\";\nr#\"d\"e\"#; '\\n' \"f\"";
        assert_eq!(parts(code).quoted, "\na // \\\"b\nc\nd\"ef");
        let found = refused_words("x.rs", &parts(code).comments);
        assert_eq!(found, ["x.rs:1: not `dear` but `expensive`"]);
        let header = "//! Rows,\n//! one a line.\nfn f() {} // in vain";
        assert_eq!(refused_words("x.rs", &parts(header).comments).len(), 2);
    }

    #[test]
    fn wants_module_documentation() {
        assert_eq!(module_doc("#![allow(x)]\n\n//! What it is for.\n"), None);
        assert!(module_doc("use x;\n").is_some());
    }
}
