//! Transcripts: commands on lines that start with `$ `, each followed by what it prints, standard output before standard
//! error, and, unless it is 0, its exit status. A transcript is checked by running its commands again; `ARR_BLESS=1`
//! rewrites it.

use crate::npy::{doubles, npy};
use crate::values::{NEAR, same};
use crate::{Outcome, arr, blessing, files};
use std::path::Path;
use std::process::Command;

/// The compilers that a transcript can call, as the programs that they make, `./NAME`, and `grep`.
pub const COMPILERS: [&str; 3] = ["cc", "c++", "rustc"];

/// The commands of a transcript.
pub fn commands(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_string).collect()
}

/// The commands of a transcript, and its comments: lines that start with `# `.
pub fn commands_and_comments(text: &str) -> Vec<String> {
    let of =
        |line: &str| line.strip_prefix("$ ").map(str::to_string).or(line.starts_with("# ").then(|| line.to_string()));
    text.lines().filter_map(of).collect()
}

/// The commands in a program's first comment: lines that start with `-- $ `.
pub fn commands_of_program(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix("-- $ ")).map(str::to_string).collect()
}

/// Runs the commands one after another in a directory and returns the transcript. `extra` goes to every command; `--strict`,
/// with which the digits are the same on every machine, to those that run programs.
pub fn record(commands: &[String], directory: &Path, extra: &[&str]) -> Result<String, String> {
    let mut transcript = String::new();
    for command in commands {
        if command.starts_with("# ") {
            transcript.push_str(&format!("{command}\n"));
            continue;
        }
        transcript.push_str(&format!("$ {command}\n"));
        transcript.push_str(&one(command, directory, extra)?);
    }
    Ok(transcript)
}

fn one(command: &str, directory: &Path, extra: &[&str]) -> Result<String, String> {
    let words = split(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["arr", rest @ ..] => {
            let (first, rest) = rest.split_at(rest.len().min(1));
            let runs = first.iter().any(|first| matches!(*first, "run" | "eval" | "plot" | "check-grad" | "repl"))
                && !rest.contains(&"--strict");
            let extra = extra.iter().copied().filter(|&word| runs || word != "--strict");
            let arguments: Vec<&str> = first.iter().copied().chain(extra).chain(rest.iter().copied()).collect();
            // `< FILE` at the end feeds standard input.
            let output = match arguments.as_slice() {
                [arguments @ .., "<", file] => arr::feed(arguments, &directory.join(file), directory)?,
                arguments if rest.contains(&"gpu") || *first == ["devices"] => {
                    arr::run_without_devices(arguments, directory)?
                }
                arguments => arr::run(arguments, directory)?,
            };
            check_streams(command, &output)?;
            let status = match output.status {
                Some(0) => String::new(),
                Some(status @ (1 | 2)) => format!("[status {status}]\n"),
                // A fault of the compiler is never expected.
                other => return Err(format!("`{command}` ended with {other:?}:\n{}", output.stderr)),
            };
            Ok(with_newline(output.stdout) + &with_newline(output.stderr) + &status)
        }
        ["cat", name] if !directory.join(name).exists() => Ok("(no such file)\n".to_string()),
        ["cat", name] => files::read(&directory.join(name)).map(with_newline),
        ["rm", name] => {
            std::fs::remove_file(directory.join(name)).map_err(|error| format!("{name}: {error}"))?;
            Ok(String::new())
        }
        ["ls", name] => {
            let found = directory.join(name).exists();
            Ok(if found { format!("{name}\n") } else { format!("{name}: no such file\n") })
        }
        [program, rest @ ..] if COMPILERS.contains(program) || *program == "grep" || program.starts_with("./") => {
            outside(program, rest, directory)
        }
        _ => Err(format!("a transcript cannot run `{command}`")),
    }
}

/// What another program than `arr` prints.
fn outside(program: &str, arguments: &[&str], directory: &Path) -> Result<String, String> {
    let output = match Command::new(program).args(arguments).current_dir(directory).output() {
        Ok(output) => output,
        Err(error) => return Ok(format!("({program} did not start: {error})\n")),
    };
    let status = match output.status.code() {
        Some(0) => String::new(),
        Some(status) => format!("[status {status}]\n"),
        None => return Err(format!("`{program}` ended with {}", output.status)),
    };
    let text = |bytes: &[u8]| with_newline(String::from_utf8_lossy(bytes).into_owned());
    Ok(text(&output.stdout) + &text(&output.stderr) + &status)
}

/// Diagnostics go to standard error: what reads a command's output never meets one.
fn check_streams(command: &str, output: &arr::Output) -> Outcome {
    let is_code =
        |line: &str| line.len() == 5 && line.starts_with('E') && line[1..].bytes().all(|c| c.is_ascii_digit());
    let found = output.stdout.lines().find(|line| is_code(line));
    match found.filter(|_| !command.starts_with("arr explain") && !command.starts_with("arr repl")) {
        Some(code) => Err(format!("`{command}` prints {code} to standard output")),
        None => Ok(()),
    }
}

fn with_newline(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Splits a command into words as a shell does, with single and double quotation marks.
fn split(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, Some(q)) if c == q => quote = None,
            (' ', None) => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Compares a transcript with the golden file, or rewrites that.
pub fn compare(found: &str, golden: &Path) -> Outcome {
    if blessing() {
        return files::write(golden, found);
    }
    let expected = files::read(golden).unwrap_or_default();
    let (old, new) = (blocks(&expected), blocks(found));
    if old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| old == new || same_values(old, new)) {
        return Ok(());
    }
    Err(difference(&expected, found, golden))
}

/// The part of a transcript about a command, including the command itself.
pub fn of_command<'a>(text: &'a str, command: &str) -> Option<&'a str> {
    let start = format!("$ {command}\n");
    blocks(text).into_iter().find(|block| block.starts_with(&start))
}

/// A transcript, command by command.
fn blocks(text: &str) -> Vec<&str> {
    let starts = text.match_indices("$ ").map(|(at, _)| at).filter(|&at| at == 0 || text[..at].ends_with('\n'));
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect()
}

/// Whether two blocks print the same values up to rounding, which depends on the machine's mathematics library. The
/// text of an error must be exactly the same.
fn same_values(old: &str, new: &str) -> bool {
    !old.contains("[status ") && !new.contains("[status ") && same(new, old, NEAR)
}

/// The lines around the first difference.
fn difference(expected: &str, found: &str, golden: &Path) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let at = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let show = |lines: &[&str], mark: char| {
        lines.iter().skip(at).take(12).map(|line| format!("{mark} {line}\n")).collect::<String>()
    };
    format!(
        "differs from {} at line {} (ARR_BLESS=1 rewrites it):\n{}{}",
        golden.display(),
        at + 1,
        show(&old, '-'),
        show(&new, '+')
    )
}

/// A directory for the transcripts of the command line: small files, good and bad.
pub fn command_line() -> Result<tempfile::TempDir, String> {
    let directory = files::scratch()?;
    files::copy(&files::root().join("tests/command_line/files"), directory.path())?;
    std::fs::create_dir(directory.path().join("directory")).map_err(|error| error.to_string())?;
    let three = doubles(&[1.0, 2.0, 3.0]);
    let put = |name: &str, bytes: Vec<u8>| files::write(&directory.path().join(name), bytes);
    put("ints.npy", npy("<i4", &[3], &[1i32, 2, 3].iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<_>>()))?;
    let large = [1i64, (1 << 53) + 1];
    put("big.npy", npy("<i8", &[2], &large.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<_>>()))?;
    put("matrix.npy", npy("<f8", &[1, 3], &three))?;
    put("short.npy", npy("<f8", &[300_000_000_000], &three))?;
    put("complex.npy", npy("<c16", &[1], &[0; 16]))?;
    put("three.npy", npy("<f8", &[3], &three))?;
    put("not.npy", b"hello".to_vec())?;
    put("not.npz", b"hello".to_vec())?;
    put("latin1.arr", b"def main() -> f64 = 1.0 -- caf\xe9\n".to_vec())?;
    put("bom.arr", b"\xef\xbb\xbfdef main() -> f64 =\r\n  x\r\n".to_vec())?;
    put("control.arr", b"def main() -> f64 = \x1b[31m 1.0\n".to_vec())?;
    put("empty.arr", Vec::new())?;
    Ok(directory)
}

/// A directory as expected by transcripts: the examples, the bad programs, and data files good and bad.
pub fn workplace() -> Result<tempfile::TempDir, String> {
    let directory = files::scratch()?;
    let root = files::root();
    files::copy(&root.join("examples"), &directory.path().join("examples"))?;
    files::copy(&root.join("tests/bad"), &directory.path().join("bad"))?;
    files::copy(&root.join("tests/imports"), &directory.path().join("imports"))?;
    files::copy(&root.join("tests/tools"), &directory.path().join("tools"))?;
    files::copy(&root.join("tests/commands"), &directory.path().join("commands"))?;
    let put = |name: &str, bytes: Vec<u8>| files::write(&directory.path().join(name), bytes);
    let whole = npy("<f8", &[3], &doubles(&[1.0, 2.0, 3.0]));
    put("cut.npy", whole[..whole.len() - 5].to_vec())?;
    put("header.npy", whole[..20].to_vec())?;
    put("x.npy", whole)?;
    put("matrix.npy", npy("<f8", &[2, 2], &doubles(&[1.0, 2.0, 3.0, 4.0])))?;
    put("integers.npy", npy("<i8", &[3], &[1i64, 2, 3].iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<_>>()))?;
    put("complex.npy", npy("<c16", &[1], &doubles(&[1.0, 2.0])))?;
    put("bytes.npy", b"this is no array".to_vec())?;
    put("ragged.csv", b"1,2\n3\n".to_vec())?;
    put("words.csv", b"1,2\n3,four\n".to_vec())?;
    put("semicolons.csv", b"x;n\n1,5;2\n".to_vec())?;
    put("gaps.csv", b"x,n,kind\n1.5,2,cat\nNA,,bird\n".to_vec())?;
    put("ragged.json", b"[[1.0, 2.0], [3.0]]".to_vec())?;
    put("broken.json", b"[1.0, 2.0".to_vec())?;
    for name in ["patients.arr", "patients.csv", "plots.arr"] {
        put(name, std::fs::read(root.join("tests/data").join(name)).map_err(|error| format!("{name}: {error}"))?)?;
    }
    put("note.txt", b"one\ntwo\n".to_vec())?;
    put("latin.arr", b"def caf\xe9(x: f64) -> f64 = x\n".to_vec())?;
    put("empty.arr", Vec::new())?;
    let deep = format!("def f(x: f64) -> f64 = {}x{}\n", "(".repeat(100_000), ")".repeat(100_000));
    put("parentheses.arr", deep.into_bytes())?;
    put("unclosed.arr", format!("def f(x: f64) -> f64 = {}x\n", "(".repeat(100_000)).into_bytes())?;
    put("minuses.arr", format!("def f(x: f64) -> f64 = {}x\n", "- ".repeat(100_000)).into_bytes())?;
    put("brackets.arr", format!("def f() -> f64 = {}\n", "[".repeat(100_000)).into_bytes())?;
    put(
        "calls.arr",
        format!("def f(x: f64) -> f64 = {}x{}\n", "sin(".repeat(100_000), ")".repeat(100_000)).into_bytes(),
    )?;
    put("lets.arr", format!("def f(x: f64) -> f64 = {}x\n", "let x = x + x in ".repeat(100_000)).into_bytes())?;
    Ok(directory)
}
