//! Code actions from the hints of diagnostics.

use crate::analysis::Analysis;
use crate::paths::Library;
use crate::publish::{Abilities, convert};
use lsp_types::TextEdit;
use serde_json::{Value, json};

/// The quick fixes for bytes of the analysed file.
pub fn actions(analysis: &Analysis, library: &Library, abilities: Abilities, start: usize, end: usize) -> Vec<Value> {
    let mut out = Vec::new();
    for diagnostic in &analysis.diagnostics {
        let Some(fix) = &diagnostic.fix else { continue };
        let Some(place) = analysis.place(fix.span).filter(|place| place.path == analysis.path) else { continue };
        let (Some(file), Some(uri)) = (analysis.file(), library.uri(&place.path)) else { continue };
        let (from, to) = (place.start as usize, place.end as usize);
        if to < start || end < from {
            continue;
        }
        let edit = TextEdit { range: file.text.range(from, to), new_text: fix.text.clone() };
        out.push(json!({
            "title": format!("Replace `{}` with `{}`", file.text.slice(from, to), fix.text),
            "kind": "quickfix",
            "isPreferred": true,
            "diagnostics": [convert(analysis, library, abilities, diagnostic)],
            "edit": { "changes": { uri.as_str(): [edit] } },
        }));
    }
    out
}
