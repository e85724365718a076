//! Runs the sessions in `tests/transcripts/` and compares the command's output and exit status.
//!
//! In a transcript a line `$ arr ...` is a command; the following lines are its standard output, standard error with
//! `! ` in front, and `? N` for an exit status other than 0. Lines with `#` are comments. A command may end in
//! `< FILE`; `$ cat FILE` and `$ rm FILE` are understood as well. Each transcript runs in its own copy of
//! `tests/files/`. With `ARR_BLESS=1` the transcripts are rewritten.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn transcripts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let bless = std::env::var_os("ARR_BLESS").is_some_and(|v| v == "1");
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(root.join("transcripts")).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let mut failed = Vec::new();
    for path in names {
        let expected = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        let actual = replay(&expected, &place(&root, &name));
        if actual == expected {
            continue;
        }
        if bless {
            std::fs::write(&path, &actual).unwrap();
        } else {
            failed.push(format!("{name}: {}", first_difference(&expected, &actual)));
        }
    }
    assert!(failed.is_empty(), "{}\n(ARR_BLESS=1 rewrites them)", failed.join("\n"));
}

fn first_difference(expected: &str, actual: &str) -> String {
    let (mut e, mut a) = (expected.lines(), actual.lines());
    let mut line = 1;
    loop {
        match (e.next(), a.next()) {
            (Some(x), Some(y)) if x == y => line += 1,
            (x, y) => {
                return format!(
                    "line {line}\n  expected {}\n  actual   {}",
                    x.unwrap_or("(end)"),
                    y.unwrap_or("(end)")
                );
            }
        }
    }
}

/// A fresh directory with the files that the transcripts use.
fn place(root: &Path, name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("transcript-{name}"));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("directory")).unwrap();
    for entry in std::fs::read_dir(root.join("files")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), dir.join(entry.file_name())).unwrap();
    }
    for (name, bytes) in binary_files() {
        std::fs::write(dir.join(name), bytes).unwrap();
    }
    dir
}

/// Files that are no text, or whose bytes matter.
fn binary_files() -> Vec<(&'static str, Vec<u8>)> {
    let three: Vec<u8> = [1.0f64, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let ints: Vec<u8> = [1i32, 2, 3].iter().flat_map(|x| x.to_le_bytes()).collect();
    let big: Vec<u8> = [1i64, (1 << 53) + 1].iter().flat_map(|x| x.to_le_bytes()).collect();
    vec![
        ("three.npy", npy("<f8", "(3,)", &three)),
        ("ints.npy", npy("<i4", "(3,)", &ints)),
        ("big.npy", npy("<i8", "(2,)", &big)),
        ("matrix.npy", npy("<f8", "(1, 3)", &three)),
        ("short.npy", npy("<f8", "(300000000000,)", &three)),
        ("complex.npy", npy("<c16", "(1,)", &[0; 16])),
        ("not.npy", b"hello".to_vec()),
        ("not.npz", b"hello".to_vec()),
        ("latin1.arr", b"def main() -> f64 = 1.0 -- caf\xe9\n".to_vec()),
        ("bom.arr", b"\xef\xbb\xbfdef main() -> f64 =\r\n  x\r\n".to_vec()),
        ("control.arr", b"def main() -> f64 = \x1b[31m 1.0\n".to_vec()),
        ("empty.arr", Vec::new()),
    ]
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// The transcript with the present output of its commands.
fn replay(text: &str, dir: &Path) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with('#') {
            writeln!(out, "{line}").unwrap();
        } else if let Some(command) = line.strip_prefix("$ ") {
            writeln!(out, "{line}").unwrap();
            out.push_str(&perform(command, dir));
        }
    }
    out
}

fn perform(command: &str, dir: &Path) -> String {
    let mut words = split(command);
    let mut stdin = None;
    if let Some(at) = words.iter().position(|w| w == "<") {
        stdin = Some(words[at + 1].clone());
        words.truncate(at);
    }
    let path = |name: &String| dir.join(name);
    match words[0].as_str() {
        "cat" => return std::fs::read_to_string(path(&words[1])).unwrap_or_else(|_| "(no such file)\n".to_string()),
        "ls" => {
            let mut names: Vec<_> =
                std::fs::read_dir(path(&words[1])).unwrap().map(|e| e.unwrap().file_name()).collect();
            names.sort();
            return names.iter().map(|n| format!("{}\n", n.to_string_lossy())).collect();
        }
        "rm" => {
            std::fs::remove_file(path(&words[1])).unwrap();
            return String::new();
        }
        _ => {}
    }
    let mut process = Command::new(env!("CARGO_BIN_EXE_arr"));
    process.args(&words[1..]).current_dir(dir).env_remove("RUST_BACKTRACE");
    process.stdin(stdin.map_or(Stdio::null(), |f| std::fs::File::open(path(&f)).unwrap().into()));
    let output = process.output().unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str("(no line break)\n");
    }
    for line in String::from_utf8(output.stderr).unwrap().lines() {
        text.push_str(format!("! {line}").trim_end());
        text.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        Some(code) => writeln!(text, "? {code}").unwrap(),
        None => text.push_str("? killed\n"),
    }
    text
}

/// Words as a shell would split them, with `'...'` and `"..."` and nothing else.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_arr"))
        .arg("explain")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}
