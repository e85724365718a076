//! Renaming. A change is first made in memory: if it would change the meaning of any name in the affected files, or
//! duplicate a name, it is refused.

use crate::FileSpan;
use crate::file::{File, Files};
use crate::navigate::occurrences;
use crate::paths::is_standard;
use crate::resolve::{Bound, NameKind, Occurrence, Role, Target, resolve};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A piece of a text, and what replaces it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub start: u32,
    pub end: u32,
    pub text: String,
}

/// Changes by file, each in source order.
pub type Edits = BTreeMap<String, Vec<Edit>>;

/// The current name at a byte, if it can be renamed. Fails, with the reason, if there is no name, or it is one of the
/// language, of the standard library, of a file, or unknown.
pub fn renamable(files: &Files, path: &str, offset: usize) -> Result<(Occurrence, FileSpan, Bound), String> {
    let file = files.get(path).ok_or("the file cannot be read")?;
    let index = resolve(file, files);
    let occurrence = index.at(offset).ok_or("there is no name here")?.clone();
    match &occurrence.target {
        Target::Builtin(name) => Err(format!("`{name}` is part of the language")),
        Target::Unknown(name) => Err(format!("it is not known what `{name}` means")),
        Target::File(_) => Err("this is the name of a file".to_string()),
        Target::Bound(place) if is_standard(place) => Err("this is part of the standard library".to_string()),
        Target::Bound(place) => {
            let place = place.clone();
            let owner = files.get(&place.path).ok_or("the file that defines it cannot be read")?;
            let bound = resolve(owner, files).bound_at(place.start).cloned();
            Ok((occurrence, place, bound.ok_or("the name has no place")?))
        }
    }
}

/// The changes that rename the target of the name at a byte. Fails, with the reason, if it cannot be renamed, the new
/// name is not valid for it, or any name would change its meaning.
pub fn rename(files: &Files, path: &str, offset: usize, new: &str) -> Result<Edits, String> {
    let (_, place, bound) = renamable(files, path, offset)?;
    check_name(&bound, new)?;
    let target = Target::Bound(place.clone());
    let mut edits = Edits::new();
    let mut moved = Moved { edits: Edits::new(), place, to: 0 };
    for (path, found) in occurrences(files, &target) {
        let list = edits.entry(path.clone()).or_default();
        for occurrence in found {
            let (edit, ahead) = edit_of(&occurrence, &bound.name, new);
            if path == moved.place.path && occurrence.start == moved.place.start {
                // Behind the text that the edit puts in front of the name.
                moved.to = edit.start + ahead;
            }
            list.push(edit);
        }
    }
    moved.edits = edits.clone();
    if new != bound.name {
        verify(files, &moved, &bound.name, new)?;
    }
    Ok(edits)
}

fn check_name(bound: &Bound, new: &str) -> Result<(), String> {
    if !arr_syntax::is_name(new) {
        return Err(format!("`{new}` is not a name, or is a keyword"));
    }
    let capital = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
    match bound.kind {
        NameKind::Constructor(..) if !capital(new) => Err("a constructor starts with a capital letter".to_string()),
        NameKind::Parameter | NameKind::Local if capital(new) => {
            Err("in a pattern, a name with a capital letter is a constructor".to_string())
        }
        _ => Ok(()),
    }
}

/// The change of one occurrence, and the number of bytes of its text before the name.
fn edit_of(occurrence: &Occurrence, old: &str, new: &str) -> (Edit, u32) {
    let ahead = match occurrence.role {
        Role::Shorthand => format!("{old} = "),
        Role::Import => " as ".to_string(),
        Role::Value | Role::Type | Role::Binding => String::new(),
    };
    let start = if occurrence.role == Role::Import { occurrence.end } else { occurrence.start };
    (Edit { start, end: occurrence.end, text: format!("{ahead}{new}") }, number(ahead.len()))
}

/// The text with changes made.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.start as usize).unwrap_or(""));
        out.push_str(&edit.text);
        at = edit.end as usize;
    }
    out.push_str(text.get(at..).unwrap_or(""));
    out
}

/// The positions after the changes.
struct Moved {
    edits: Edits,
    /// The renamed target, and the new position of its name, as far as the change itself moves it.
    place: FileSpan,
    to: u32,
}

impl Moved {
    fn start(&self, path: &str, start: u32) -> u32 {
        let renamed = path == self.place.path && start == self.place.start;
        let start = if renamed { self.to } else { start };
        let before = self.edits.get(path).into_iter().flatten().filter(|e| e.end <= start && e.start < start);
        let own = |e: &&Edit| !(renamed && e.start <= self.place.end && e.end >= self.place.start);
        let grown = before.filter(own).map(|e| number(e.text.len()).wrapping_sub(e.end - e.start));
        grown.fold(start, u32::wrapping_add)
    }

    fn target(&self, target: &Target) -> Target {
        match target {
            Target::Bound(place) => {
                let start = self.start(&place.path, place.start);
                // The start alone identifies the place.
                Target::Bound(FileSpan { path: place.path.clone(), start, end: start })
            }
            other => other.clone(),
        }
    }
}

/// Compares the meaning of every name before and after.
fn verify(files: &Files, moved: &Moved, old: &str, new: &str) -> Result<(), String> {
    let mut changed: Files = files.clone();
    for (path, edits) in &moved.edits {
        if let Some(file) = files.get(path) {
            changed.insert(path.clone(), Arc::new(File::parse(path, &apply(file.text.text(), edits))));
        }
    }
    let mentions = |file: &File| file.text.text().contains(old) || file.text.text().contains(new);
    for (path, file) in files.iter().filter(|(_, file)| mentions(file)) {
        let Some(after) = changed.get(path) else { continue };
        let (before, after) = (resolve(file, files), resolve(after, &changed));
        if after.duplicates > before.duplicates {
            return Err(format!("`{new}` would be given twice"));
        }
        if before.occurrences.len() != after.occurrences.len() {
            return Err(format!("`{new}` cannot stand everywhere in {path}"));
        }
        for (was, is) in before.occurrences.iter().zip(&after.occurrences) {
            let start = match &is.target {
                Target::Bound(place) => Target::Bound(FileSpan { end: place.start, ..place.clone() }),
                other => other.clone(),
            };
            if moved.target(&was.target) != start {
                let line = file.text.position(was.start as usize).line + 1;
                let word = file.text.slice(was.start as usize, was.end as usize);
                return Err(format!("`{new}` is taken: `{word}` in line {line} of {path} would mean something else"));
            }
        }
    }
    Ok(())
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(texts: &[(&str, &str)]) -> Files {
        texts.iter().map(|(path, text)| (path.to_string(), Arc::new(File::parse(path, text)))).collect()
    }

    /// Renames the name behind `|` in the first text and shows the result.
    fn renamed(texts: &[(&str, &str)], new: &str) -> Result<Vec<String>, String> {
        let offset = texts[0].1.find('|').unwrap_or(0);
        let first = texts[0].1.replacen('|', "", 1);
        let texts: Vec<(&str, &str)> =
            texts.iter().enumerate().map(|(i, (path, text))| (*path, if i == 0 { &first } else { *text })).collect();
        let files = files(&texts);
        let edits = rename(&files, texts[0].0, offset, new)?;
        let text = |(path, text): &(&str, &str)| apply(text, edits.get(*path).map_or(&[][..], Vec::as_slice));
        Ok(texts.iter().map(text).collect())
    }

    #[test]
    fn every_kind_of_name() {
        for (text, new, expected) in [
            ("def f(|x: [n]f64) -> f64 = sum(x) + g(x)", "y", "def f(y: [n]f64) -> f64 = sum(y) + g(y)"),
            (
                "def f(x: [n]f64, y: [|n]f64) -> [n]i64 = iota(n)",
                "k",
                "def f(x: [k]f64, y: [k]f64) -> [k]i64 = iota(k)",
            ),
            ("def f[t: num](x: t) -> |t = t(1) + x", "u", "def f[u: num](x: u) -> u = u(1) + x"),
            (
                "def |f(x: f64) = x\nderivative f(x, y, d) = d\ndef g() = f(1.0)",
                "h",
                "def h(x: f64) = x\nderivative h(x, y, d) = d\ndef g() = h(1.0)",
            ),
            (
                "type |P[k] = { a: [k]f64 }\ndef f(p: P[n]) -> P[n] = p",
                "Q",
                "type Q[k] = { a: [k]f64 }\ndef f(p: Q[n]) -> Q[n] = p",
            ),
            (
                "type S = |A(f64) | B\ndef f(s: S) = match s { A(x) => A(x), B => B }",
                "C",
                "type S = C(f64) | B\ndef f(s: S) = match s { C(x) => C(x), B => B }",
            ),
            (
                "def f(r: { a: f64 }) = let { |a } = r in a + r.a",
                "b",
                "def f(r: { a: f64 }) = let { a = b } = r in b + r.a",
            ),
            ("def f(n: i64) = loop |s = 0 for i < n do s + i", "t", "def f(n: i64) = loop t = 0 for i < n do t + i"),
            ("def f(x: f64) = let x = x in let x = |x in x", "y", "def f(x: f64) = let y = x in let x = y in x"),
            (
                "def f(x: [n]f64) = x\nderivative f(x, y, d) = for i < |n => d[i]",
                "m",
                "def f(x: [m]f64) = x\nderivative f(x, y, d) = for i < m => d[i]",
            ),
            ("import stats\ndef f() = |stats.mean([1.0])", "s", "import stats as s\ndef f() = s.mean([1.0])"),
            ("import stats as q\ndef f() = |q.mean([1.0])", "s", "import stats as s\ndef f() = s.mean([1.0])"),
            ("-- é\ndef |k = 1\ndef f(x: [k]f64) = \"", "l", "-- é\ndef l = 1\ndef f(x: [l]f64) = \""),
        ] {
            assert_eq!(renamed(&[("a.arr", text)], new), Ok(vec![expected.to_string()]), "{text}");
        }
    }

    #[test]
    fn across_files() {
        let a = "def |f(x: f64) = x\ntype T = f64";
        let b = "import \"./a.arr\" as m\nimport \"c.arr\"\ndef f(x: m.T) = m.f(x) + c.f(x)";
        let c = "def f(x: f64) = x";
        let expected = ["def g(x: f64) = x\ntype T = f64", &b.replace("m.f", "m.g"), c].map(str::to_string);
        assert_eq!(renamed(&[("a.arr", a), ("b.arr", b), ("c.arr", c)], "g"), Ok(expected.to_vec()));
        // From a use in another file.
        let b = b.replace("m.f", "m.|f");
        let expected = [b.replace("m.|f", "m.g"), "def g(x: f64) = x\ntype T = f64".to_string(), c.to_string()];
        let files = [("b.arr", &*b), ("a.arr", &a.replace('|', "")), ("c.arr", c)];
        assert_eq!(renamed(&files, "g"), Ok(expected.to_vec()));
    }

    #[test]
    fn what_would_change_the_meaning_is_refused() {
        for (text, new, reason) in [
            ("def f(|x: f64) = let y = 1.0 in x + y", "y", "would mean something else"),
            ("def f(x: f64) = let |y = 1.0 in x + y", "x", "would mean something else"),
            ("def |f(x: f64) = x\ndef g(x: f64) = x", "g", "given twice"),
            ("def |f(x: f64) = x\ndef g(x: f64) = sin(x)", "sin", "would mean something else"),
            ("def f(|x: f64, y: f64) = x", "y", "given twice"),
            ("def f(x: f64) = si|n(x)", "cos", "part of the language"),
            ("def f(x: |f64) = x", "g", "part of the language"),
            ("def f(x: f64) = |nothing", "g", "not known"),
            ("def f(|x: f64) = x", "let", "keyword"),
            ("def f(|x: f64) = x", "2x", "not a name"),
            ("def f(|x: f64) = x", "X", "capital"),
            ("type S = |A | B", "b", "capital"),
            ("def |f(x: f64) = x\nimport stats", "stats", "given twice"),
            ("def f(x: f64) -> f64 = |+ x", "g", "no name"),
        ] {
            let found = renamed(&[("a.arr", text)], new);
            assert!(found.as_ref().is_err_and(|why| why.contains(reason)), "{text} to {new}: {found:?}");
        }
        let library = ("<std>/stats.arr", "def mean(x: f64) = x");
        let found = renamed(&[("a.arr", "import stats\ndef f() = stats.|mean(1.0)"), library], "average");
        assert!(found.is_err_and(|why| why.contains("standard library")));
    }
}
