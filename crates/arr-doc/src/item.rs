//! The entry of each definition and test on its page: signature, text, examples with their values, source.

use crate::Source;
use crate::html::escape;
use crate::images::Images;
use crate::markdown;
use crate::signature::signature;
use crate::text::{Names, introduction, linked, linked_source, section};
use arr_base::{Diagnostic, Span};
use arr_driver::{Execution, Failure, Session};
use arr_syntax::ast::{Def, Item, TypeDef};
use arr_testing::{Piece, examples, pieces, run_example};
use std::ops::Range;
use std::sync::Arc;

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
    pub tests: Vec<Test>,
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
    /// Whether one of its examples fails.
    pub failing: bool,
    /// Markup; empty if the signature is all of it.
    pub source: String,
}

/// A test on its page.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Test {
    pub line: usize,
    /// Markup.
    pub body: String,
    /// Markup.
    pub source: String,
}

/// What was found besides the pages.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Found {
    /// The examples that fail.
    pub failures: Vec<Diagnostic>,
    /// The images that cannot be read.
    pub warnings: Vec<Diagnostic>,
}

/// Reads the documentation of a file and runs its examples.
pub(crate) fn module(
    session: &mut Session,
    source: &Source,
    title: String,
    file: String,
    execution: &Execution,
    found: &mut Found,
) -> Result<Module, Failure> {
    let syntax = source.checked.module().clone();
    let text = session.text(source.file);
    let names = Names::new(syntax.items.iter().filter_map(shown).map(|(name, _)| name.to_string()));
    let images = Images::new(session, &source.path, source.file);
    let mut reader = Reader { session, source, execution, text: text.clone(), names, images, failures: Vec::new() };
    let (mut entries, mut tests, mut before) = (Vec::new(), Vec::new(), 0);
    let first = syntax.items.first().map_or(text.len(), |item| item_span(item).start as usize);
    let words = introduction(&text);
    let introduction = reader.prose(&words, &(0..first));
    for item in &syntax.items {
        let comment = before..item_span(item).start as usize;
        if let Some((name, doc)) = shown(item) {
            entries.push(reader.entry(item, name, doc, &comment)?);
        } else if let Item::Test(test) = item {
            let (body, _) = reader.body(item, &test.def.doc, &comment)?;
            tests.push(Test { line: reader.line_of(item), body, source: reader.source_of(item) });
        }
        before = item_span(item).end as usize;
    }
    found.failures.append(&mut reader.failures);
    found.warnings.append(&mut reader.images.warnings);
    let summary = markdown::summary(&words);
    Ok(Module { title, path: source.path.clone(), file, introduction, summary, entries, tests })
}

/// Items with an entry: definitions and types whose names do not begin with `_`, which marks parts of others.
fn shown(item: &Item) -> Option<(&str, &[String])> {
    let (name, doc) = match item {
        Item::Def(Def { name, doc, .. }) | Item::Type(TypeDef { name, doc, .. }) => (name, doc),
        _ => return None,
    };
    (!name.text.starts_with('_')).then_some((name.text.as_str(), doc.as_slice()))
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

/// Reads the parts of one file.
struct Reader<'a> {
    session: &'a mut Session,
    source: &'a Source,
    execution: &'a Execution,
    text: Arc<str>,
    names: Names,
    images: Images,
    failures: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn entry(&mut self, item: &Item, name: &str, doc: &[String], comment: &Range<usize>) -> Result<Entry, Failure> {
        let (mut body, failing) = self.body(item, doc, comment)?;
        let items = &self.source.checked.module().items;
        if items.iter().any(|i| matches!(i, Item::Derivative(d) if d.name.text == name)) {
            body.push_str("<p>Its derivative is declared, not derived.</p>\n");
        }
        let between = self.text.get(comment.clone()).unwrap_or_default();
        let signature = signature(item, &self.source.types, &self.names);
        // A type is often nothing but its signature.
        let source = Some(self.source_of(item)).filter(|source| *source != signature);
        Ok(Entry {
            section: section(between).map(str::to_string),
            name: name.to_string(),
            summary: match pieces(doc).first() {
                Some(Piece::Prose(text)) => markdown::summary(text),
                _ => String::new(),
            },
            line: self.line_of(item),
            signature,
            body,
            failing,
            source: source.unwrap_or_default(),
        })
    }

    /// A doc comment as markup, and whether one of its examples fails. `comment` is the part of the file with it.
    fn body(&mut self, item: &Item, doc: &[String], comment: &Range<usize>) -> Result<(String, bool), Failure> {
        let examples = examples(&self.text, item);
        let (mut out, mut failing) = (String::new(), false);
        for piece in pieces(doc) {
            match piece {
                Piece::Prose(text) => out.push_str(&self.prose(&text, comment)),
                Piece::Example(at) => {
                    let Some(example) = examples.get(at) else { continue };
                    let (file, checked) = (self.source.file, &self.source.checked);
                    match run_example(self.session, file, checked, example, self.execution)? {
                        Ok(value) => out.push_str(&self.example(&example.text, &value, None)),
                        Err(failure) => {
                            failing = true;
                            out.push_str(&self.example(&example.text, &example.expected, Some(&failure)));
                            self.failures.push(failure);
                        }
                    }
                }
            }
        }
        Ok((out, failing))
    }

    fn prose(&mut self, text: &str, comment: &Range<usize>) -> String {
        let (session, images) = (&*self.session, &mut self.images);
        markdown::render(text, &self.names, &mut |address| images.embedded(session, address, comment))
    }

    /// An example with its value, or with the one that it should have and the reason why it has not.
    fn example(&self, text: &str, value: &str, failure: Option<&Diagnostic>) -> String {
        let text = linked(&text.replace('\n', "\n  "), &self.names);
        let value = match value {
            "" => String::new(),
            value => format!("\n<span class=\"value\">{}</span>", escape(value)),
        };
        match failure {
            None => format!("<pre class=\"example\">&gt; {text}{value}</pre>\n"),
            Some(failure) => {
                let why = escape(&reasons(failure).join("\n"));
                format!(
                    "<pre class=\"example failed\">&gt; {text}{value}\n<span class=\"failure\">{why}</span></pre>\n"
                )
            }
        }
    }

    fn line_of(&self, item: &Item) -> usize {
        let span = item_span(item);
        self.session.sources().get(span.file).map_or(0, |file| file.line_column(span.start as usize).0)
    }

    /// The text of an item without its doc comment, as markup.
    fn source_of(&self, item: &Item) -> String {
        let span = item_span(item);
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        linked_source(text.trim_end(), &self.names)
    }
}

/// The words of a diagnostic, one fact per line.
fn reasons(failure: &Diagnostic) -> Vec<String> {
    let mut lines = vec![failure.title.clone()];
    if let Some((expected, found)) = &failure.expected_found {
        lines.extend([format!("expected: {expected}"), format!("   found: {found}")]);
    }
    lines.extend(failure.notes.iter().cloned());
    lines
}
