//! Every block of Arr in the documentation: blocks headed `arr` are accepted and give the answers they claim, and
//! blocks headed `arr E0401` are refused with that code.

use arr_tests::trial::Trial;
use arr_tests::{Outcome, arr, checks, files, page};
use std::collections::BTreeSet;
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let named =
        ["README.md", "docs/tour.md", "docs/reference.md", "docs/tools.md", "docs/stdlib.md", "docs/coming-from.md"];
    let named = named.map(|page| files::root().join(page));
    for page in named.into_iter().chain(files::list("docs/tour", ".md")) {
        let name = page.strip_prefix(files::root()).unwrap_or(&page).display().to_string();
        let text = files::read(&page).unwrap_or_default();
        let blocks = page::blocks(&text).unwrap_or_default();
        for block in blocks.iter().filter(|block| block.language == "arr" && block.file().is_none()) {
            let (heading, text) = (block.heading.to_string(), block.text.to_string());
            trials.push(Trial::test(format!("{name}:{}", block.line), move || Ok(check(&heading, &text)?)));
        }
    }
    trials.push(Trial::test("every built-in function is in the reference", || Ok(built_ins()?)));
    trials.push(Trial::test("every function of the standard library is on its page", || Ok(standard_library()?)));
    trials.push(Trial::test("every command and option is in the reference", || Ok(command_line()?)));
    trials
}

/// The words of a text that are set as code.
fn code_words(text: &str) -> BTreeSet<&str> {
    let spans = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.flat_map(|span| span.split(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)))).collect()
}

fn reference() -> Result<String, String> {
    files::read(&files::root().join("docs/reference.md"))
}

fn built_ins() -> Outcome {
    let text = reference()?;
    let words = code_words(&text);
    let missing: Vec<_> = arr_check::builtin_docs().map(|(name, _)| name).filter(|n| !words.contains(*n)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("the reference lacks {missing:?}")) }
}

/// A module is a section of the page, which names the module's functions.
fn standard_library() -> Outcome {
    let page = files::read(&files::root().join("docs/stdlib.md"))?;
    let mut missing = Vec::new();
    for file in files::list("stdlib", ".arr") {
        let module = files::stem(&file);
        let section = page.split("\n## ").find(|section| section.starts_with(&format!("{module}:")));
        let words = code_words(section.unwrap_or_default());
        let text = files::read(&file)?;
        let names = text.lines().filter_map(|line| line.strip_prefix("def ")?.split(['[', '(', ' ', ':']).next());
        let public = names.filter(|name| !name.starts_with('_'));
        missing.extend(public.filter(|name| !words.contains(name)).map(|name| format!("{module}.{name}")));
    }
    if missing.is_empty() { Ok(()) } else { Err(format!("docs/stdlib.md lacks {missing:?}")) }
}

/// What `arr --help` and the help of every command list.
fn command_line() -> Outcome {
    let text = reference()?;
    let words = code_words(&text);
    let directory = files::scratch()?;
    let commands = listed(&arr::run(&["--help"], directory.path())?.stdout, "Commands:");
    let mut missing = Vec::new();
    for command in commands.iter().filter(|c| *c != "help") {
        let help = arr::run(&[command, "--help"], directory.path())?.stdout;
        let options = help.split_whitespace().filter(|w| w.starts_with("--") && w.len() > 2);
        let options = options.map(|w| {
            let word = w.split_once("[=").map_or(w, |(name, _)| name);
            word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_string()
        });
        missing.extend(options.chain([command.clone()]).filter(|w| w != "--help" && !words.contains(w.as_str())));
    }
    if missing.is_empty() && commands.len() > 5 { Ok(()) } else { Err(format!("the reference lacks {missing:?}")) }
}

/// The first words of the indented lines under a heading.
fn listed(help: &str, heading: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|l| *l != heading).skip(1).take_while(|l| l.starts_with("  "));
    lines.filter_map(|l| l.split_whitespace().next()).map(str::to_string).collect()
}

/// Claims of a block in tests and doc comments hold too.
fn tested(directory: &Path) -> Outcome {
    let output = arr::run(&["test", "block.arr"], directory)?;
    if output.status == Some(0) { Ok(()) } else { Err(output.stderr) }
}

/// The heading of a block is the code that it must be refused with, if any.
fn check(heading: &str, text: &str) -> Outcome {
    let directory = files::scratch()?;
    let file = directory.path().join("block.arr");
    files::write(&file, text)?;
    if heading.is_empty() {
        checks::run(&file, text)?;
        return tested(directory.path());
    }
    let output = arr::run(&["check", "block.arr"], directory.path())?;
    if output.status == Some(1) && arr::codes(&output.stderr) == [heading] {
        return Ok(());
    }
    Err(format!("expected {heading}, status 1; found status {:?}:\n{}", output.status, output.stderr))
}
