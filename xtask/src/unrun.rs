//! Tests that nobody would run. No library has examples in its comments run, which takes as long as compiling it again,
//! and some have no tests inside, so that they are not compiled once more to look for them.

use std::path::Path;

/// What is wrong with a file of a library, by lines.
pub fn unrun(root: &Path, name: &str, text: &str) -> Vec<(usize, &'static str)> {
    let mut found: Vec<_> = examples(text)
        .into_iter()
        .map(|line| (line, "an example that nothing runs: mark the block as `text`"))
        .collect();
    let package = name.split_once("/src/").map_or("", |(package, _)| package);
    let manifest = std::fs::read_to_string(root.join(package).join("Cargo.toml")).unwrap_or_default();
    if leaves_tests_out(&manifest) {
        let tests = text.lines().enumerate().filter(|(_, line)| line.trim() == "#[test]");
        found.extend(tests.map(|(at, _)| (at + 1, "a test that nothing runs: `test = false` stands in Cargo.toml")));
    }
    found
}

/// The lines where a block begins that rustdoc takes for an example.
fn examples(text: &str) -> Vec<usize> {
    let (mut found, mut inside) = (Vec::new(), false);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let Some(comment) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            inside = false;
            continue;
        };
        let Some(kind) = comment.trim().strip_prefix("```") else { continue };
        inside = !inside;
        if inside && (kind.is_empty() || ["rust", "no_run", "should_panic"].iter().any(|word| kind.starts_with(word))) {
            found.push(at + 1);
        }
    }
    found
}

/// Whether a manifest says that the library has no tests inside.
fn leaves_tests_out(manifest: &str) -> bool {
    let mut lines = manifest.lines().skip_while(|line| line.trim() != "[lib]").skip(1);
    lines.by_ref().take_while(|line| !line.starts_with('[')).any(|line| line.trim() == "test = false")
}

#[cfg(test)]
mod tests {
    use super::{examples, leaves_tests_out};

    #[test]
    fn examples_are_found() {
        assert_eq!(examples("//! ```text\n//! a\n//! ```\nlet a;\n/// ```\n/// b\n/// ```\n/// ```rust\n"), [5, 8]);
    }

    #[test]
    fn the_library_says_whether_it_has_tests() {
        assert!(leaves_tests_out("[lib]\ndoctest = false\ntest = false\n\n[[test]]\n"));
        assert!(!leaves_tests_out("[lib]\ndoctest = false\n\n[[bin]]\ntest = false\n"));
    }
}
