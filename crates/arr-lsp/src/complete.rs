//! Completion: the possible names at the cursor. The text is first repaired (`repair.rs`) and then checked, so that
//! names have types even while the text is no valid program.

use crate::FileSpan;
use crate::analysis::Analysis;
use crate::describe::{self, describe};
use crate::documents::Desk;
use crate::file::File;
use crate::repair::repaired;
use crate::resolve::{NameKind, Role, SCALARS, Target};
use arr_driver::STANDARD_MODULES;
use arr_syntax::ast::{Item, TypeBody};
use arr_syntax::{KEYWORDS, PieceKind};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent, MarkupKind, Range, TextEdit,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Words that begin an item.
const ITEMS: &[&str] = &["def", "type", "import", "derivative", "test"];

/// The names that fit at a byte of a file.
pub fn complete(desk: &Desk, path: &str, offset: usize) -> Vec<CompletionItem> {
    let Some(text) = desk.open.get(path).cloned() else { return Vec::new() };
    let start = start_of_name(&text, offset);
    if !is_code(&text, start, offset) {
        return Vec::new();
    }
    let mut out = Completions { items: BTreeMap::new() };
    if after_import(&text, start) {
        STANDARD_MODULES.iter().for_each(|m| out.add('0', m.name, CompletionItemKind::MODULE, "standard library", ""));
    } else {
        let at_line_start = text.get(..start).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
        if at_line_start {
            ITEMS.iter().for_each(|word| out.add('0', word, CompletionItemKind::KEYWORD, "", ""));
        }
        let readable = repaired(path, &text, start, offset);
        let known = readable.is_some();
        let mut desk = desk.clone();
        desk.open.insert(path.to_string(), readable.map_or(text.clone(), Arc::from));
        let analysis = Analysis::new(&desk, path);
        let member = text.get(..start).is_some_and(|before| before.ends_with('.'));
        match (member, known) {
            (true, _) => out.members(&analysis, start),
            (false, true) => out.names(&analysis, start),
            // The position of the name in the program is not known.
            (false, false) => out.globals(&analysis, true),
        }
    }
    let lines = crate::lines::Text::new(text);
    out.finish(lines.range(start, offset))
}

fn start_of_name(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or("");
    before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '\'').len()
}

/// Whether a name is possible there: not in a comment, a string or a number.
fn is_code(text: &str, start: usize, offset: usize) -> bool {
    if text.get(start..offset).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit())) {
        return false;
    }
    !arr_syntax::pieces(text).iter().any(|piece| match piece.kind {
        // A comment goes on to the end of its line.
        PieceKind::Comment | PieceKind::Doc => {
            text.get(piece.range.start..offset).is_some_and(|before| !before.is_empty() && !before.contains('\n'))
        }
        PieceKind::Text => piece.range.start < offset && offset < piece.range.end,
        _ => false,
    })
}

fn after_import(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or("");
    let trimmed = before.trim_end_matches([' ', '\t']);
    trimmed.len() < before.len() && trimmed.rsplit('\n').next() == Some("import")
}

/// Proposals by label; the first one of a label stays, since inner names hide outer ones.
struct Completions {
    items: BTreeMap<String, CompletionItem>,
}

impl Completions {
    /// `group` orders nearer names before farther ones.
    fn add(&mut self, group: char, label: &str, kind: CompletionItemKind, detail: &str, doc: &str) {
        let item = CompletionItem {
            label: label.to_string(),
            kind: Some(kind),
            detail: (!detail.is_empty()).then(|| detail.to_string()),
            documentation: (!doc.is_empty()).then(|| {
                Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: doc.to_string() })
            }),
            sort_text: Some(format!("{group}{label}")),
            ..CompletionItem::default()
        };
        self.items.entry(label.to_string()).or_insert(item);
    }

    fn finish(self, range: Range) -> Vec<CompletionItem> {
        let edit = |mut item: CompletionItem| {
            item.text_edit = Some(CompletionTextEdit::Edit(TextEdit { range, new_text: item.label.clone() }));
            item
        };
        self.items.into_values().map(edit).collect()
    }

    /// The possible names after a dot.
    fn members(&mut self, analysis: &Analysis, start: usize) {
        let (Some(file), Some(index)) = (analysis.file(), analysis.index()) else { return };
        let text = file.text.text();
        if let Some(access) = index.fields.iter().find(|f| f.name.start as usize == start) {
            let known = analysis.span(&file.path, access.base.start, access.base.end);
            let known = known.and_then(|span| analysis.types.expr(span));
            for (name, ty) in known.map(|k| k.fields.as_slice()).unwrap_or_default() {
                self.add('0', name, CompletionItemKind::FIELD, ty, "");
            }
            return;
        }
        // `m.`: a module of this file.
        let before = text.get(..start).and_then(|t| t.strip_suffix('.')).unwrap_or("");
        let alias = before.get(start_of_name(before, before.len())..).unwrap_or("");
        let Some(module) = file.import(alias).and_then(|path| analysis.files.get(&path)) else { return };
        let role = index.occurrences.iter().find(|o| o.start as usize == start).map(|o| o.role);
        if role != Some(Role::Type) {
            self.definitions(analysis, module, '0', false);
            self.constructors(analysis, module, '1');
        }
        if role != Some(Role::Value) {
            self.types(analysis, module, '0');
        }
    }

    fn names(&mut self, analysis: &Analysis, start: usize) {
        let Some(index) = analysis.index() else { return };
        let role = index.occurrences.iter().find(|o| o.start as usize == start).map(|o| o.role);
        let in_type = role == Some(Role::Type);
        let at = u32::try_from(start).unwrap_or(u32::MAX);
        let mut locals: Vec<_> = index
            .bound
            .iter()
            .filter(|b| b.start != at && b.visible.iter().any(|(from, to)| *from <= at && at <= *to))
            .collect();
        // Inner names hide outer ones.
        locals.sort_by_key(|b| std::cmp::Reverse(b.start));
        for bound in locals {
            let size_or_type = matches!(bound.kind, NameKind::Size | NameKind::TypeParam(_));
            if in_type && !size_or_type {
                continue;
            }
            let target = Target::Bound(FileSpan { path: analysis.path.clone(), start: bound.start, end: bound.end });
            let described = describe(analysis, &target).unwrap_or_default();
            let detail = described.code.strip_prefix(&bound.name).unwrap_or("").trim_start_matches([':', ' ']);
            let kind = match bound.kind {
                NameKind::TypeParam(_) => CompletionItemKind::TYPE_PARAMETER,
                _ => CompletionItemKind::VARIABLE,
            };
            self.add('0', &bound.name, kind, detail, &described.text);
        }
        self.globals(analysis, !in_type);
    }

    /// Names visible everywhere in the file: values, or types.
    fn globals(&mut self, analysis: &Analysis, values: bool) {
        let Some(file) = analysis.file() else { return };
        for alias in file.imports.keys() {
            self.add('2', alias, CompletionItemKind::MODULE, "module", "");
        }
        if !values {
            self.types(analysis, file, '1');
            SCALARS.iter().for_each(|name| self.add('3', name, CompletionItemKind::STRUCT, "built-in", ""));
            return;
        }
        self.definitions(analysis, file, '1', true);
        self.constructors(analysis, file, '1');
        for (name, doc) in arr_check::builtin_docs() {
            self.add('3', name, CompletionItemKind::FUNCTION, "built-in", doc);
        }
        for word in KEYWORDS.iter().filter(|word| !ITEMS.contains(word)) {
            self.add('4', word, CompletionItemKind::KEYWORD, "", "");
        }
    }

    /// The definitions of a file; `own`: also those whose names begin with `_`, which are for it alone.
    fn definitions(&mut self, analysis: &Analysis, file: &File, group: char, own: bool) {
        for (name, at) in file.defs.iter().filter(|(name, _)| own || !name.starts_with('_')) {
            let Some(Item::Def(def)) = file.item(*at) else { continue };
            let kind = if def.params.is_some() { CompletionItemKind::FUNCTION } else { CompletionItemKind::CONSTANT };
            let signature = describe::signature(analysis, &file.path, def);
            self.add(group, name, kind, &signature, &describe::doc_markdown(&def.doc));
        }
    }

    fn constructors(&mut self, analysis: &Analysis, file: &File, group: char) {
        for (name, (at, k)) in &file.constructors {
            let Some(Item::Type(def)) = file.item(*at) else { continue };
            let TypeBody::Sum(constructors) = &def.body else { continue };
            let Some(constructor) = constructors.get(*k) else { continue };
            let target = Target::Bound(FileSpan::new(&file.path, constructor.name.span));
            let described = describe(analysis, &target).unwrap_or_default();
            self.add(group, name, CompletionItemKind::ENUM_MEMBER, &described.code, &described.text);
        }
    }

    fn types(&mut self, analysis: &Analysis, file: &File, group: char) {
        for (name, at) in &file.types {
            let Some(Item::Type(def)) = file.item(*at) else { continue };
            let target = Target::Bound(FileSpan::new(&file.path, def.name.span));
            let described = describe(analysis, &target).unwrap_or_default();
            self.add(group, name, CompletionItemKind::STRUCT, "", &described.markdown());
        }
    }
}
