//! Every block of Arr in the documentation: what is headed `arr` is accepted and gives the answers it claims, and what
//! is headed `arr E0401` is refused with that code.

use arr_tests::{Outcome, arr, checks, files};
use libtest_mimic::{Arguments, Trial};
use std::path::Path;

fn main() {
    let mut trials = Vec::new();
    for page in ["README.md", "docs/reference.md", "docs/tools.md", "docs/stdlib.md"] {
        let text = files::read(&files::root().join(page)).unwrap_or_default();
        for block in blocks(&text) {
            trials.push(Trial::test(format!("{page}:{}", block.line), move || Ok(check(&block)?)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

struct Block {
    line: usize,
    /// The code that the block must be refused with, if any.
    code: Option<String>,
    text: String,
}

/// The blocks of a page that are headed `arr`; other blocks are passed over.
fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<(String, Block)> = None;
    for (i, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some((heading, block))) => found.extend((heading == "arr").then_some(block)),
            (Some(heading), None) => {
                let (heading, code) =
                    heading.split_once(' ').map_or((heading, None), |(h, c)| (h, Some(c.to_string())));
                open = Some((heading.to_string(), Block { line: i + 2, code, text: String::new() }));
            }
            (None, Some((heading, mut block))) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some((heading, block));
            }
            (None, None) => {}
        }
    }
    found
}

/// What a block says of itself in tests and doc comments holds too.
fn tested(directory: &Path) -> Outcome {
    let output = arr::run(&["test", "block.arr"], directory)?;
    if output.status == Some(0) { Ok(()) } else { Err(output.stderr) }
}

fn check(block: &Block) -> Outcome {
    let directory = files::scratch()?;
    let file = directory.path().join("block.arr");
    files::write(&file, &block.text)?;
    let Some(code) = &block.code else {
        checks::run(&file, &block.text)?;
        return tested(directory.path());
    };
    let output = arr::run(&["check", "block.arr"], directory.path())?;
    if output.status == Some(1) && arr::codes(&output.stderr) == [code.as_str()] {
        return Ok(());
    }
    Err(format!("expected {code}, status 1; found status {:?}:\n{}", output.status, output.stderr))
}
