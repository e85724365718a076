//! The page about the implemented papers (`docs/papers.md`): every file it names exists, no cell of its tables is
//! empty, every row names a test, and every program of the thesis on Accelerate that it lists is defined in the file
//! beside it.
//!
//! The pages about the sources ([`PAGES`]) name files as well, in links and as code: these must exist, too.

use arr_tests::trial::Trial;
use arr_tests::{Outcome, files};
use std::path::Path;

/// Pages that name files of the sources, each with the minimal number of such names.
const PAGES: &[(&str, usize)] = &[("ARCHITECTURE.md", 60), ("docs/contributing.md", 60), ("docs/glossary.md", 0)];

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("files_exist", || Ok(files_exist()?)),
        Trial::test("named_files_exist", || Ok(named_files_exist()?)),
        Trial::test("a_wrong_name_is_found", || Ok(a_wrong_name_is_found()?)),
        Trial::test("rows_are_full", || Ok(rows_are_full()?)),
        Trial::test("the_59_programs_are_defined", || Ok(programs_are_defined()?)),
        Trial::test("every_program_is_named", || Ok(every_program_is_named()?)),
    ]
}

fn page() -> Result<String, String> {
    files::read(&files::root().join("docs/papers.md"))
}

/// The targets of the links in a piece of the page, as paths from the root of the repository.
fn links(text: &str) -> Vec<String> {
    linked(text).into_iter().filter_map(|target| target.strip_prefix("../")).map(str::to_string).collect()
}

/// The rows of all tables, headings left out, as cells.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = page.lines().collect();
    let is_row = |line: &str| line.starts_with('|') && !line.starts_with("|---");
    let heads = |at: usize| lines.get(at + 1).is_some_and(|next| next.starts_with("|---"));
    let rows = lines.iter().enumerate().filter(|(at, line)| is_row(line) && !heads(*at));
    rows.map(|(_, line)| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

fn none(complaints: Vec<String>) -> Outcome {
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

fn files_exist() -> Outcome {
    let links = links(&page()?);
    if links.len() < 50 {
        return Err(format!("only {} links were found", links.len()));
    }
    none(links.into_iter().filter(|path| !files::root().join(path).is_file()).collect())
}

/// The code on a page that is the path of a file or folder: it contains a `/` or is the name of a Rust file.
fn paths(text: &str) -> Vec<&str> {
    let is_path = |span: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./*".contains(c);
        let begins = span.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
        begins && span.chars().all(plain) && (span.contains('/') || span.ends_with(".rs"))
    };
    // Blocks of code are commands and pictures.
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).filter(is_path).collect()
}

/// The targets of a page's links that are files, as seen from the page's folder.
fn linked(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    files.filter_map(|target| target.split('#').next()).collect()
}

/// The names on a page that do not exist. Paths are below the root, or below `crates`; `*` stands for some folder or
/// file.
fn missing(text: &str, folder: &str) -> Vec<String> {
    let root = files::root();
    let exists = |place: &Path, path: &str| match path.split_once('*') {
        Some((before, _)) => before.ends_with('/') && place.join(before).is_dir(),
        None => place.join(path).exists(),
    };
    let unknown = |path: &&str| !exists(&root, path) && !exists(&root.join("crates"), path);
    let named = paths(text).into_iter().filter(unknown);
    let links = linked(text).into_iter().filter(|target| !root.join(folder).join(target).exists());
    named.chain(links).map(str::to_string).collect()
}

fn named_files_exist() -> Outcome {
    let mut complaints = Vec::new();
    for (page, least) in PAGES {
        let text = files::read(&files::root().join(page))?;
        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        let found = paths(&text).len();
        if found < *least {
            complaints.push(format!("{page}: only {found} paths were found"));
        }
        complaints.extend(missing(&text, folder).into_iter().map(|path| format!("{page}: there is no {path}")));
    }
    none(complaints)
}

fn a_wrong_name_is_found() -> Outcome {
    let right = "`tests/papers.rs`, `arr-ir/src/lib.rs`, `crates/arr-ir/src/`, `tests/*/x.arr`, `1 / 2`, `--|/`, [x](papers.md#x)";
    let wrong = "`tests/no_such.rs`, `lib.rs`, `arr-ir/no_such/`, `no_such/*.ir`, [x](no_such.md), ```\n`a/b`\n```";
    let found = (missing(right, "docs"), missing(wrong, "docs"));
    let names = ["tests/no_such.rs", "lib.rs", "arr-ir/no_such/", "no_such/*.ir", "no_such.md"];
    if found.0.is_empty() && found.1 == names { Ok(()) } else { Err(format!("{found:?}")) }
}

fn rows_are_full() -> Outcome {
    let page = page()?;
    let rows = rows(&page);
    if rows.len() < 50 {
        return Err(format!("only {} rows were found", rows.len()));
    }
    let bad = |row: &&Vec<&str>| {
        row.len() != 3 || row.iter().any(|cell| cell.is_empty()) || row.last().is_none_or(|cell| links(cell).is_empty())
    };
    none(rows.iter().filter(bad).map(|row| row.join(" | ")).collect())
}

fn programs_are_defined() -> Outcome {
    let page = page()?;
    let (mut complaints, mut count) = (Vec::new(), 0);
    for row in rows(&page).iter().filter(|row| row.first().is_some_and(|cell| cell.starts_with('`'))) {
        let (Some(names), Some(file)) = (row.first(), row.last().and_then(|cell| links(cell).pop())) else { continue };
        if !file.starts_with("tests/papers/accelerate/") {
            continue;
        }
        let text = files::read(&files::root().join(&file))?;
        let names = names.split('`').skip(1).step_by(2).filter(|name| !name.starts_with('_'));
        for name in names.filter(|name| name.contains(|c: char| c.is_ascii_alphabetic())) {
            count += 1;
            let defined = [format!("def {name}("), format!("def {name}_(")].iter().any(|def| text.contains(def));
            let asked = text.contains(&format!("{name}(")) && text.contains(&format!("-- check-grad: {name}"))
                || text.contains(&format!("=> {name}("))
                || text.contains(&format!("-- check-grad: {name}_"));
            if !defined || !asked {
                complaints.push(format!("{name} in {file}"));
            }
        }
    }
    // Seven of the 59 are the `_friendly` forms of others.
    if count != 52 {
        complaints.push(format!("{count} programs are listed, not 52"));
    }
    none(complaints)
}

/// No program in `tests/papers` is missing from the page.
fn every_program_is_named() -> Outcome {
    let page = page()?;
    let mut complaints = Vec::new();
    for directory in ["accelerate", "chad", "tensor_language", "working_notes"] {
        let found = files::list(&format!("tests/papers/{directory}"), ".arr");
        if found.is_empty() {
            complaints.push(format!("no programs in {directory}"));
        }
        let named = found.iter().map(|path| format!("tests/papers/{directory}/{}.arr", files::stem(path)));
        complaints.extend(named.filter(|name| !page.contains(name.as_str())));
    }
    none(complaints)
}
