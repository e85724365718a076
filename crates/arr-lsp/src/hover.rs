//! Hover texts for the name or expression under the cursor.

use crate::analysis::Analysis;
use crate::describe::{Description, describe};
use crate::publish::page;
use arr_base::Span;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

/// The texts for a byte of the analysed file, and the range of bytes that they describe.
pub fn hover(analysis: &Analysis, offset: usize) -> Option<Hover> {
    let file = analysis.file()?;
    let mut parts = Vec::new();
    let mut range = None;
    let occurrence = analysis.index().and_then(|index| index.at(offset));
    if let Some(occurrence) = occurrence
        && let Some(description) = describe(analysis, &occurrence.target)
    {
        range = Some((occurrence.start, occurrence.end));
        parts.push(description.markdown());
    }
    if range.is_none()
        && let Some((span, known)) = analysis.expr_at(offset)
        && !known.function
    {
        range = Some((span.start, span.end));
        parts.push(Description { code: known.ty.clone(), text: String::new() }.markdown());
    }
    for diagnostic in &analysis.diagnostics {
        let around = |span: &Span| span.start as usize <= offset && offset <= span.end as usize;
        let here = diagnostic.primary_span().filter(around).and_then(|span| analysis.place(span));
        if let (Some(place), Some(info)) = (here.filter(|p| p.path == analysis.path), diagnostic.code.info()) {
            range = range.or(Some((place.start, place.end)));
            parts.push(page(info));
        }
    }
    let (start, end) = range?;
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: parts.join("\n\n---\n\n") }),
        range: Some(file.text.range(start as usize, end as usize)),
    })
}
