//! From a name to its target, and from there to all its uses.

use crate::FileSpan;
use crate::analysis::Analysis;
use crate::file::Files;
use crate::resolve::{NameKind, Occurrence, Role, Target, resolve};
use arr_syntax::ast::Item;

/// The place of the target of the name at a byte.
pub fn definition(analysis: &Analysis, offset: usize) -> Option<FileSpan> {
    match &analysis.index()?.at(offset)?.target {
        Target::Bound(place) => Some(module_of(analysis, place).unwrap_or_else(|| place.clone())),
        Target::File(path) => file_place(analysis, path),
        Target::Builtin(_) | Target::Unknown(_) => None,
    }
}

/// The file that the name of a module stands for.
fn module_of(analysis: &Analysis, place: &FileSpan) -> Option<FileSpan> {
    let (file, bound) = analysis.bound(place)?;
    let NameKind::Module(at) = bound.kind else { return None };
    let Some(Item::Import(import)) = file.item(at) else { return None };
    file_place(analysis, &file.target(import))
}

fn file_place(analysis: &Analysis, path: &str) -> Option<FileSpan> {
    analysis.files.contains_key(path).then(|| FileSpan { path: path.to_string(), start: 0, end: 0 })
}

/// The name under which a target is used in a file; a module may have another name in each file.
fn word<'a>(files: &'a Files, target: &'a Target) -> Option<&'a str> {
    match target {
        Target::Bound(place) => {
            let word = files.get(&place.path)?.text.slice(place.start as usize, place.end as usize);
            // A module without a name of its own is bound by a path.
            Some(if arr_syntax::is_name(word) { word } else { "" })
        }
        Target::Builtin(name) => Some(name),
        Target::File(_) => Some("import"),
        Target::Unknown(_) => None,
    }
}

/// All occurrences of a target, by file.
pub fn occurrences(files: &Files, target: &Target) -> Vec<(String, Vec<Occurrence>)> {
    let Some(word) = word(files, target) else { return Vec::new() };
    let mut all = Vec::new();
    for (path, file) in files.iter().filter(|(_, file)| file.text.text().contains(word)) {
        let found: Vec<Occurrence> =
            resolve(file, files).occurrences.into_iter().filter(|o| o.target == *target).collect();
        if !found.is_empty() {
            all.push((path.clone(), found));
        }
    }
    all
}

/// The occurrences of a target, with or without the place that binds it.
pub fn references(files: &Files, target: &Target, declaration: bool) -> Vec<FileSpan> {
    let binds = |o: &Occurrence| matches!(o.role, Role::Binding | Role::Shorthand | Role::Import);
    let mut places = Vec::new();
    for (path, found) in occurrences(files, target) {
        let kept = found.into_iter().filter(|o| declaration || !binds(o));
        places.extend(kept.map(|o| FileSpan { path: path.clone(), start: o.start, end: o.end }));
    }
    places
}
