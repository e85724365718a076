//! Diagnostics for the editor.

use crate::analysis::Analysis;
use crate::paths::Library;
use arr_base::{CodeInfo, Diagnostic, Severity};
use lsp_types::{CodeDescription, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range};
use std::collections::BTreeMap;

/// The parts of a diagnostic that an editor can show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Abilities {
    pub related: bool,
    pub pages: bool,
}

/// The diagnostics of a program, by file.
pub fn by_file(
    analysis: &Analysis,
    library: &Library,
    abilities: Abilities,
) -> BTreeMap<String, Vec<lsp_types::Diagnostic>> {
    let mut all: BTreeMap<String, Vec<lsp_types::Diagnostic>> = BTreeMap::new();
    for diagnostic in &analysis.diagnostics {
        let place = diagnostic.primary_span().and_then(|span| analysis.place(span));
        let path = place.map_or_else(|| analysis.path.clone(), |place| place.path);
        all.entry(path).or_default().push(convert(analysis, library, abilities, diagnostic));
    }
    all
}

/// A diagnostic in the form of the protocol.
pub fn convert(
    analysis: &Analysis,
    library: &Library,
    abilities: Abilities,
    diagnostic: &Diagnostic,
) -> lsp_types::Diagnostic {
    let primary = diagnostic.primary_span();
    let location = |span| -> Option<Location> {
        let place = analysis.place(span)?;
        let text = &analysis.files.get(&place.path)?.text;
        Some(Location { uri: library.uri(&place.path)?, range: text.range(place.start as usize, place.end as usize) })
    };
    let main = primary.and_then(location);
    let range = main.as_ref().map_or(Range::default(), |location| location.range);
    let mut message = diagnostic.title.clone();
    let mut line = |text: &str| {
        message.push('\n');
        message.push_str(text);
    };
    if let Some(label) = diagnostic.labels.iter().find(|l| Some(l.span) == primary).filter(|l| !l.text.is_empty()) {
        line(&label.text);
    }
    if let Some((expected, found)) = &diagnostic.expected_found {
        line(&format!("expected {expected}\nfound {found}"));
    }
    diagnostic.notes.iter().for_each(|note| line(note));
    let mut related = Vec::new();
    for label in diagnostic.labels.iter().filter(|l| Some(l.span) != primary) {
        if let Some(location) = location(label.span) {
            related.push(DiagnosticRelatedInformation { location, message: label.text.clone() });
        }
    }
    match (&diagnostic.hint, &main) {
        (Some(hint), Some(location)) if abilities.related => {
            related.push(DiagnosticRelatedInformation { location: location.clone(), message: format!("help: {hint}") });
        }
        (Some(hint), _) => line(&format!("help: {hint}")),
        (None, _) => {}
    }
    let page = library.page(diagnostic.code).filter(|_| abilities.pages);
    lsp_types::Diagnostic {
        range,
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(diagnostic.code.to_string())),
        code_description: page.map(|href| CodeDescription { href }),
        source: Some("arr".to_string()),
        message,
        related_information: (abilities.related && !related.is_empty()).then_some(related),
        ..lsp_types::Diagnostic::default()
    }
}

/// The page of a code, in Markdown.
pub fn page(info: &CodeInfo) -> String {
    let title = info.name.to_lowercase().replace('_', " ");
    let mut text = format!("# {}: {title}\n\n{}\n", info.code, info.page);
    if let Some(example) = info.example {
        text.push_str(&format!("\nA program that gives it:\n\n```arr\n{example}\n```\n"));
    }
    text
}
