//! Diagnostics as JSON, one object per line.

use arr_base::{Diagnostic, Severity, SourceMap, Span};
use serde_json::{Value, json};

pub fn diagnostic(d: &Diagnostic, sources: &SourceMap) -> String {
    let labels: Vec<Value> = d
        .labels
        .iter()
        .map(|label| {
            let mut place = place(label.span, sources);
            if let Some(fields) = place.as_object_mut() {
                fields.insert("text".into(), json!(label.text));
                fields.insert("primary".into(), json!(label.primary));
            }
            place
        })
        .collect();
    let severity = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let (expected, found) = d.expected_found.clone().unzip();
    json!({
        "code": d.code.to_string(),
        "severity": severity,
        "title": d.title,
        "labels": labels,
        "expected": expected,
        "found": found,
        "notes": d.notes,
        "hint": d.hint,
    })
    .to_string()
}

/// Lines and columns from 1, columns in characters; the end is exclusive.
fn place(span: Span, sources: &SourceMap) -> Value {
    let Some(file) = sources.get(span.file) else { return json!({}) };
    let (line, column) = file.line_column(span.start as usize);
    let (end_line, end_column) = file.line_column(span.end as usize);
    json!({
        "file": file.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    })
}
