//! The formatter: the tree stays, the comments stay in order, formatting again changes nothing.
#![allow(clippy::string_slice)]

use crate::support::generate::{self, Random};
use crate::support::*;
use arr_base::on_large_stack;
use arr_syntax::ast::*;
use std::path::{Path, PathBuf};

fn format(text: &str) -> String {
    match arr_syntax::format_module(file(), text) {
        Ok(out) => out,
        Err(diagnostics) => panic!("{text}\n{}", render_all(text, &diagnostics)),
    }
}

fn erased(text: &str) -> Vec<Item> {
    let mut items = module(text).items;
    items.iter_mut().for_each(erase::item);
    items
}

/// The comments of a text that has no `--` in quotes.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.find("--").map(|at| line[at..].trim_end())).collect()
}

/// Formats, and checks the guarantees of the formatter.
fn checked(text: &str) -> String {
    let out = format(text);
    assert_eq!(comments(&out), comments(text), "comments of\n{text}\nin\n{out}");
    assert_eq!(erased(&out), erased(text), "tree of\n{text}\nin\n{out}");
    let again = format(&out);
    assert!(again == out, "from\n{text}\nfirst\n{out}\nagain\n{again}");
    for line in out.lines() {
        assert_eq!(line.trim_end(), line, "{out}");
    }
    assert!(!out.contains("\n\n\n") && !out.starts_with('\n') && !out.ends_with("\n\n"), "{out}");
    out
}

/// Each `tests/format/NAME.arr` has its formatted text beside it, `NAME.out`.
#[test]
fn texts_are_laid_out() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format");
    let mut names: Vec<PathBuf> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|e| e == "arr"));
    names.sort();
    assert!(names.len() >= 5);
    for path in names {
        let out = checked(&std::fs::read_to_string(&path).unwrap());
        let expected = path.with_extension("out");
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&expected, &out).unwrap();
        }
        assert_eq!(out, std::fs::read_to_string(&expected).unwrap_or_default(), "{}", path.display());
    }
}

#[test]
fn the_corpus_is_formatted() {
    checked(include_str!("corpus.arr"));
}

#[test]
fn empty_files_and_bare_comments() {
    for (text, expected) in [
        ("", ""),
        ("\n\n", ""),
        ("-- a", "-- a\n"),
        ("\n-- a\n\n\n--| b  \n", "-- a\n\n--| b\n"),
        ("\u{feff}def a = 1", "def a = 1\n"),
        ("def a = 1 --| b\ndef c = 2", "def a = 1\n--| b\ndef c = 2\n"),
        ("def a = 1 -- b\r\n\r\n\r\ndef c = 2\r\n", "def a = 1  -- b\r\n\r\ndef c = 2\r\n"),
        ("import -- a\n linalg --b\n", "import linalg  -- a\n--b\n"),
        ("import --| a\n linalg", "--| a\nimport linalg\n"),
    ] {
        assert_eq!(format(text), expected, "{text:?}");
        assert_eq!(format(expected), expected);
        assert_eq!(erased(text), erased(expected));
    }
}

#[test]
fn faulty_files_are_left_alone() {
    let diagnostics = arr_syntax::format_module(file(), "def a = (1\ndef b = 2 +\n").unwrap_err();
    assert_eq!(diagnostics.len(), 2);
}

/// Splits a text into tokens, roughly as the lexer does.
fn tokens(text: &str) -> Vec<&str> {
    const DOUBLE: [&str; 8] = ["**", "=>", "->", ":>", "==", "!=", "<=", ">="];
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |s: &str| s.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '\'').unwrap_or(s.len());
        let mut len = if first == '"' {
            rest[1..].find('"').unwrap() + 2
        } else if first.is_ascii_alphanumeric() || first == '_' {
            word(rest)
        } else if first == '?' {
            1 + word(&rest[1..])
        } else if DOUBLE.iter().any(|op| rest.starts_with(op)) {
            2
        } else {
            1
        };
        if first.is_ascii_digit() && out.last() != Some(&".") {
            if rest[len..].starts_with('.') {
                len += 1 + word(&rest[len + 1..]);
            }
            if rest[..len].ends_with(['e', 'E']) && rest[len..].starts_with(['+', '-']) {
                len += 1 + word(&rest[len + 1..]);
            }
        }
        out.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    out
}

/// The text with comments, line ends and empty lines inserted between its tokens.
fn disturbed(r: &mut Random, text: &str, often: usize) -> String {
    let mut out = String::new();
    for (index, token) in tokens(text).into_iter().enumerate() {
        out.push_str(token);
        match r.below(often) {
            0 => out.push_str(&format!(" -- beside {index}\n")),
            1 => out.push_str(&format!("\n-- above {index}\n")),
            2 => out.push_str(&format!("\n\n  -- apart {index}  \n\n\n")),
            3 => out.push_str("\n\n\n"),
            4 => out.push('\n'),
            // `test` and `derivative` are words of the grammar only if the next token follows directly.
            5 if !token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '"') => {
                out.push_str(&format!(" --| stray {index}\n"));
            }
            _ => out.push(' '),
        }
    }
    out
}

fn random_item(r: &mut Random, depth: usize) -> String {
    let body = arr_syntax::print_expr(&generate::expr(r, depth));
    let ty = arr_syntax::print_type(&generate::ty(r, 3));
    match r.below(8) {
        0 => format!("type Alias[n, t: num] = {ty}"),
        1 => format!("type Sum = A({ty}, {ty}) | B | C({ty})"),
        2 => format!("derivative f(x: {ty}, y, dy) = {body}"),
        3 => format!("test \"t\" gradient within 1e-5 (x: {ty}) = {body}"),
        4 => "import \"./m.arr\" as m".to_string(),
        5 => format!("def c: {ty} = {body}"),
        _ => format!("def f[t: num](x: {ty}, (y, z): {ty}) -> {ty} = {body}"),
    }
}

#[test]
fn random_programs_keep_their_trees_and_comments() {
    on_large_stack(|| {
        for seed in 0..1_000 {
            let mut r = Random::new(seed);
            let depth = 1 + (seed % 5) as usize;
            let items: Vec<String> = (0..3).map(|_| random_item(&mut r, depth)).collect();
            let often = [7, 20, 100, 400][r.below(4)];
            checked(&disturbed(&mut r, &items.join("\n"), often));
        }
    });
}

#[test]
fn a_form_below_its_let_has_no_parentheses() {
    let text = "def f(s: f64) -> f64 =\n  (let (y45, t46) = (loop (y45, t46) = (0.5, 0) while (false and (abs(y45) < 3.33)) \
                do (atan(s), (t46 + 1))) in y45)\n";
    let expected = "def f(s: f64) -> f64 =\n  let (y45, t46) =\n    \
                    loop (y45, t46) = (0.5, 0) while false and abs(y45) < 3.33 do (atan(s), t46 + 1)\n  in y45\n";
    assert_eq!(format(text), expected);
    assert_eq!(format(expected), expected);
    // The same of other forms, and under other heads.
    let long = "abs(s) + abs(s) + abs(s) + abs(s) + abs(s) + abs(s) + abs(s)";
    for form in ["for i < n =>", "\\x =>", "loop y = s for i < n do", "if s < 0.0 then s else", "let z = s in"] {
        for count in 1..60 {
            let name = "y".repeat(count);
            for place in [
                "(let Y = (FORM LONG) in Y)",
                "(if s < 0.0 then (FORM LONG) else s)",
                "g(s, (FORM LONG), Y)",
                "(FORM (FORM LONG))",
            ] {
                let body = place.replace("FORM", form).replace("LONG", long).replace('Y', &name);
                checked(&format!("def f(s: f64) =\n  {body}\n"));
            }
        }
    }
    let beside = "def f(s: f64) -> f64 =\n  let y = (loop y = 0.5 for i < 3 do y * s) in y\n";
    assert_eq!(format(beside), beside);
}

/// Programs that are untidy on purpose, or unreadable.
const UNTIDY: [&str; 4] =
    ["crates/arr-syntax/tests/", "tests/command_line/files/untidy.arr", "tests/bad/syntax_", "fuzz/corpus/"];

fn programs(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" {
            programs(&path, found);
        } else if name.ends_with(".arr") {
            found.push(path);
        }
    }
}

/// `arr fmt .` fixes what this finds.
#[test]
fn every_program_of_the_repository_is_formatted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut found = Vec::new();
    programs(&root, &mut found);
    found.sort();
    assert!(found.len() > 80);
    let mut untidy = Vec::new();
    for path in found {
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let text = std::fs::read_to_string(&path).unwrap();
        let read = arr_syntax::parse_module(file(), &text).diagnostics.is_empty();
        if read && !UNTIDY.iter().any(|start| name.starts_with(start)) && checked(&text) != text {
            untidy.push(name);
        }
    }
    assert!(untidy.is_empty(), "not formatted, see `arr fmt`:\n{}", untidy.join("\n"));
}

/// An optimised build formats each in well under a second.
#[test]
fn deep_and_long_programs_are_formatted() {
    on_large_stack(|| {
        let lets: String = (0..10_000).map(|i| format!("let x{i} = f(x, {i}) -- {i}\n")).collect();
        let deep = 19_000;
        for text in [
            "-- f\ndef f(x: [n]f64) -> f64 = let y = sum(x) in y + 1.0 -- so\n\n".repeat(10_000),
            format!("def f(x: f64) = x{}", " + x".repeat(10_000)),
            format!("def f(x: f64) = x{}", " -- c\n * x".repeat(10_000)),
            format!("def f(x: f64) = {lets} in x"),
            format!("def f = [{}]", "1.5, ".repeat(100_000)),
            format!("def f = {}x{}", "g(".repeat(450), ")".repeat(450)),
            format!("def f = {}x", "\\x => ".repeat(deep)),
            format!("def f = {}x", "for i =>\n".repeat(deep)),
            format!("def f = {}x", "- ".repeat(deep)),
            format!("def f = {}x", "x + \\y => ".repeat(deep / 2)),
            format!("def f = {}x", "x ** ".repeat(deep)),
            format!("def f = {}x", "if a then b else ".repeat(deep)),
            format!("def f = {}x{}", "if ".repeat(deep / 2), " then a else b".repeat(deep / 2)),
            format!("def f = x{}", "(x)".repeat(deep)),
            format!("def f = x{}", " with [0] = x".repeat(deep)),
        ] {
            let start = std::time::Instant::now();
            let out = format(&text);
            let time = start.elapsed();
            assert!(time.as_secs() < 20, "{time:?} for {}", &text[..40]);
            assert!(out.len() < 30 * text.len(), "{} for {}", out.len(), &text[..40]);
            assert!(format(&out) == out, "{}", &text[..40]);
        }
    });
}
