//! The entry of each definition on its page: signature, text, examples with their values.

use crate::Source;
use crate::html::escape;
use crate::markdown;
use crate::text::{Names, introduction, linked, section};
use arr_base::{Diagnostic, Span};
use arr_driver::{Execution, Failure, Session};
use arr_syntax::ast::{Bound, Def, Item, TypeDef};
use arr_testing::{Piece, examples, pieces, run_example};

/// Longer signatures have one parameter per line.
const WIDTH: usize = 80;

/// A file, ready to be written as a page.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Module {
    pub title: String,
    pub path: String,
    /// The page's file name.
    pub file: String,
    /// Markup.
    pub introduction: String,
    /// Markup.
    pub summary: String,
    pub entries: Vec<Entry>,
}

/// A definition on its page. Fields of markup are marked; the others are plain text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entry {
    /// The title of the section that begins before it.
    pub section: Option<String>,
    pub name: String,
    /// Markup.
    pub summary: String,
    pub line: usize,
    /// Markup.
    pub signature: String,
    /// Markup.
    pub body: String,
}

/// Reads the documentation of a file and runs its examples. Failures are added to `failed`.
pub(crate) fn module(
    session: &mut Session,
    source: &Source,
    title: String,
    file: String,
    execution: &Execution,
    failed: &mut Vec<Diagnostic>,
) -> Result<Module, Failure> {
    let syntax = source.checked.module().clone();
    let text = session.text(source.file);
    let names = Names::new(syntax.items.iter().filter_map(shown).map(|(name, _, _)| name.to_string()));
    let mut entries = Vec::new();
    let mut before = 0;
    for item in &syntax.items {
        if let Some((name, doc, span)) = shown(item) {
            let between = text.get(before..span.start as usize).unwrap_or_default();
            let mut values = Vec::new();
            for example in examples(&text, item) {
                match run_example(session, source.file, &source.checked, &example, execution)? {
                    Ok(value) => values.push((example.text, value)),
                    Err(diagnostic) => failed.push(diagnostic),
                }
            }
            let declared = syntax.items.iter().any(|i| matches!(i, Item::Derivative(d) if d.name.text == name));
            entries.push(Entry {
                section: section(between).map(str::to_string),
                name: name.to_string(),
                summary: match pieces(doc).first() {
                    Some(Piece::Prose(text)) => markdown::summary(text),
                    _ => String::new(),
                },
                line: line_of(session, span),
                signature: linked(&signature(item), &names),
                body: body(doc, &values, declared, &names),
            });
        }
        before = item_span(item).end as usize;
    }
    let words = introduction(&text);
    Ok(Module {
        title,
        path: source.path.clone(),
        file,
        introduction: markdown::render(&words, &names),
        summary: markdown::summary(&words),
        entries,
    })
}

/// Items with an entry: definitions and types whose names do not begin with `_`, which marks parts of others.
fn shown(item: &Item) -> Option<(&str, &[String], Span)> {
    let (name, doc, span) = match item {
        Item::Def(Def { name, doc, span, .. }) => (name, doc, *span),
        Item::Type(TypeDef { name, doc, span, .. }) => (name, doc, *span),
        _ => return None,
    };
    (!name.text.starts_with('_')).then_some((name.text.as_str(), doc.as_slice(), span))
}

pub(crate) fn item_span(item: &Item) -> Span {
    match item {
        Item::Def(def) => def.span,
        Item::Type(def) => def.span,
        Item::Test(test) => test.def.span,
        Item::Derivative(def) => def.span,
        Item::Import(import) => import.span,
        Item::Error(span) => *span,
    }
}

fn line_of(session: &Session, span: Span) -> usize {
    session.sources().get(span.file).map_or(0, |file| file.line_column(span.start as usize).0)
}

/// The signature as written, on one line or with one parameter per line.
fn signature(item: &Item) -> String {
    match item {
        Item::Def(def) => {
            let one = format!("def {}", arr_driver::signature(def));
            if one.chars().count() <= WIDTH { one } else { tall(def) }
        }
        Item::Type(def) => {
            let bare = TypeDef { doc: Vec::new(), ..def.clone() };
            arr_syntax::print_item(&Item::Type(bare)).trim_end().to_string()
        }
        _ => String::new(),
    }
}

fn tall(def: &Def) -> String {
    let bound = |b: Bound| match b {
        Bound::Any => "any",
        Bound::Num => "num",
        Bound::Float => "float",
    };
    let mut text = format!("def {}", def.name.text);
    if !def.type_params.is_empty() {
        let params: Vec<String> =
            def.type_params.iter().map(|p| format!("{}: {}", p.name.text, bound(p.bound))).collect();
        text.push_str(&format!("[{}]", params.join(", ")));
    }
    if let Some(params) = &def.params {
        text.push_str("(\n");
        for param in params {
            let ty = param.ty.as_ref().map_or(String::new(), |ty| format!(": {}", arr_syntax::print_type(ty)));
            text.push_str(&format!("  {}{ty},\n", arr_syntax::print_pattern(&param.pattern)));
        }
        text.push(')');
    }
    if let Some(result) = &def.result {
        let arrow = if def.params.is_some() { " ->" } else { ":" };
        text.push_str(&format!("{arrow} {}", arr_syntax::print_type(result)));
    }
    text
}

/// The doc comment as markup.
fn body(doc: &[String], values: &[(String, String)], declared: bool, names: &Names) -> String {
    let mut out = String::new();
    for piece in pieces(doc) {
        match piece {
            Piece::Prose(text) => out.push_str(&markdown::render(&text, names)),
            Piece::Example(at) => {
                if let Some((text, value)) = values.get(at) {
                    out.push_str(&format!(
                        "<pre class=\"example\">&gt; {}\n<span class=\"value\">{}</span></pre>\n",
                        linked(&text.replace('\n', "\n  "), names),
                        escape(value)
                    ));
                }
            }
        }
    }
    if declared {
        out.push_str("<p>Its derivative is declared, not derived.</p>\n");
    }
    out
}
