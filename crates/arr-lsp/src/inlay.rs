//! Inlay hints for inferred parts: types of results, of local names, and extents.

use crate::analysis::Analysis;
use crate::resolve::NameKind;
use arr_syntax::PieceKind;
use arr_syntax::ast::{Def, Item};
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip};

/// The length of the longest type shown in the text.
const LONGEST: usize = 60;

/// The hints for the bytes of the analysed file.
pub fn hints(analysis: &Analysis, start: usize, end: usize) -> Vec<InlayHint> {
    let (Some(file), Some(index)) = (analysis.file(), analysis.index()) else { return Vec::new() };
    let mut found: Vec<(usize, String)> = Vec::new();
    for item in &file.syntax.items {
        if let Item::Def(def) = item
            && def.result.is_none()
            && let Some(known) = analysis.result(&file.path, def.name.span.start, def.name.span.end)
            && !known.function
            && let Some(at) = end_of_head(file.text.text(), def)
        {
            let arrow = if def.params.is_some() { " -> " } else { ": " };
            found.push((at, format!("{arrow}{}", known.ty)));
        }
    }
    for bound in index.bound.iter().filter(|b| b.inferred) {
        let Some(known) = analysis.known(&file.path, bound).filter(|k| !k.function) else { continue };
        let label = match (bound.kind, &known.extent) {
            (NameKind::Index, Some(extent)) => format!(" < {extent}"),
            (NameKind::Index, None) => continue,
            _ => format!(": {}", known.ty),
        };
        found.push((bound.end as usize, label));
    }
    found.sort();
    let hint = |(at, label): (usize, String)| {
        let short = match label.char_indices().nth(LONGEST) {
            Some((cut, _)) => format!("{}…", label.get(..cut).unwrap_or_default()),
            None => label.clone(),
        };
        InlayHint {
            position: file.text.position(at),
            tooltip: (short != label).then(|| InlayHintTooltip::String(label.trim().to_string())),
            label: InlayHintLabel::String(short),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            padding_left: None,
            padding_right: None,
            data: None,
        }
    };
    found.into_iter().filter(|(at, _)| (start..=end).contains(at)).map(hint).collect()
}

/// The position for the type of the result: before the `=`.
fn end_of_head(text: &str, def: &Def) -> Option<usize> {
    let body = def.body.span.start as usize;
    let head = text.get(def.span.start as usize..body)?;
    let mut end = None;
    let mut before = 0;
    for piece in arr_syntax::pieces(head) {
        if piece.kind == PieceKind::Punctuation && head.get(piece.range.clone()) == Some("=") {
            end = Some(before);
        }
        if !matches!(piece.kind, PieceKind::Comment | PieceKind::Doc) {
            before = piece.range.end;
        }
    }
    Some(def.span.start as usize + end?)
}
