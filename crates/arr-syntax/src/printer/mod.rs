//! Prints the tree as well formatted source.
//!
//! The printed text parses to the same tree. There are parentheses where the grammar needs them, and around
//! `let if for loop match \` as operands, where the grammar would allow them bare but readers would suffer.
//!
//! The printer may be given the [`Source`] that the tree was read from. Then it keeps its author's line ends after `=`,
//! `=>`, `then` and so on, lists with elements on lines of their own, and parentheses that only help the reader.
//! Comments are merged in afterwards, see [`crate::weave`].

mod exprs;
mod level;
mod open_forms;
mod types;

use crate::ast::*;
use crate::doc::{Doc, Docs, LINE, Line};
use crate::trivia::Source;
use arr_base::Span;

/// The width of lines where possible.
pub(crate) const WIDTH: u32 = 100;

/// Prints a module, with an empty line between its items.
pub fn print_module(module: &Module) -> String {
    let mut out = String::new();
    let mut before: Option<&Item> = None;
    for item in &module.items {
        let imports = matches!((before, item), (Some(Item::Import(_)), Item::Import(_)));
        if before.is_some() && !imports {
            out.push('\n');
        }
        out.push_str(&print_item(item));
        before = Some(item);
    }
    out
}

/// Prints one item, with a line end.
pub fn print_item(item: &Item) -> String {
    let mut printer = Printer::new(None);
    let doc = printer.item(item);
    let mut out = printer.docs.render(doc, WIDTH);
    out.push('\n');
    out
}

/// Prints an expression.
pub fn print_expr(expr: &Expr) -> String {
    let mut printer = Printer::new(None);
    let doc = printer.expr(expr);
    printer.docs.render(doc, WIDTH)
}

/// Prints a type.
pub fn print_type(ty: &Type) -> String {
    let mut printer = Printer::new(None);
    let doc = printer.ty(ty);
    printer.docs.render(doc, WIDTH)
}

/// Prints a pattern.
pub fn print_pattern(pattern: &Pattern) -> String {
    let mut printer = Printer::new(None);
    let doc = printer.pattern(pattern);
    printer.docs.render(doc, WIDTH)
}

pub(crate) struct Printer<'s> {
    pub(crate) docs: Docs,
    /// The source of the tree.
    source: Option<&'s Source<'s>>,
}

impl<'s> Printer<'s> {
    pub(crate) fn new(source: Option<&'s Source<'s>>) -> Self {
        Self { docs: Docs::default(), source }
    }

    /// Whether the author began a new line for a value.
    fn value_starts_line(&self, span: Span) -> bool {
        self.source.is_some_and(|source| source.value_starts_line(span.start))
    }

    /// Whether the author began a new line for any of these elements of a list.
    fn any_starts_line(&self, spans: impl IntoIterator<Item = Span>) -> bool {
        self.source.is_some_and(|source| spans.into_iter().any(|span| source.starts_line(span.start)))
    }

    /// Whether the author put parentheses around an operand. `false` where there is no author.
    fn parenthesized(&self, span: Span) -> bool {
        self.source.is_some_and(|source| source.parenthesized(span))
    }

    fn text(&mut self, text: impl Into<std::borrow::Cow<'static, str>>) -> Doc {
        self.docs.text(text)
    }

    fn cat(&mut self, parts: impl Into<Vec<Doc>>) -> Doc {
        self.docs.concat(parts.into())
    }

    /// A space, or a line break, which `hard` makes certain.
    fn line(&mut self, hard: bool) -> Doc {
        self.docs.line(Line { hard, ..LINE })
    }

    /// On the same line, or indented on the next.
    fn indented(&mut self, hard: bool, doc: Doc) -> Doc {
        let line = self.line(hard);
        let inner = self.cat([line, doc]);
        let nested = self.docs.nest(2, inner);
        self.docs.group(nested)
    }

    /// `parts` between brackets: on one line, or one per line, as `broken` demands.
    fn bracketed(&mut self, brackets: Brackets, parts: Vec<Doc>, broken: bool) -> Doc {
        let (open, close) = (self.text(brackets.open), self.text(brackets.close));
        if parts.is_empty() {
            return self.cat([open, close]);
        }
        let first = self.docs.line(Line { flat: brackets.pad, hard: broken, ..LINE });
        let inner = self.joined(parts);
        let inner = self.cat([first, inner]);
        let inner = self.docs.nest(2, inner);
        let last = self.docs.line(Line { flat: brackets.pad, closing: true, ..LINE });
        let all = self.cat([open, inner, last, close]);
        self.docs.group(all)
    }

    /// Parts with commas and possible line breaks between them.
    fn joined(&mut self, parts: Vec<Doc>) -> Doc {
        let mut all = Vec::with_capacity(parts.len() * 3);
        for part in parts {
            if !all.is_empty() {
                let separator = [self.text(","), self.docs.line(Line { spaced: true, ..LINE })];
                all.extend(separator);
            }
            all.push(part);
        }
        self.cat(all)
    }

    pub(crate) fn item(&mut self, item: &Item) -> Doc {
        match item {
            Item::Def(def) => self.def(def),
            Item::Type(def) => self.type_def(def),
            Item::Import(import) => self.import(import),
            Item::Derivative(d) => {
                let name = self.text(format!("derivative {}", d.name.text));
                let params = self.params(&d.params);
                let head = self.cat([name, params]);
                self.equation(head, &d.body)
            }
            Item::Test(test) => self.test(test),
            Item::Error(_) => self.text("-- an item that could not be read"),
        }
    }

    fn test(&mut self, test: &TestDef) -> Doc {
        let mut head = format!("test {}", test.def.name.text);
        if test.gradient {
            head.push_str(" gradient");
        }
        if let Some(Tolerance { number, .. }) = &test.within {
            head.push_str(&format!(" within {}{}", number.digits, number.suffix.as_deref().unwrap_or_default()));
        }
        let mut head = vec![self.text(head)];
        if let Some(params) = &test.def.params {
            // After a word or a number the bracket would look like a call's.
            if test.gradient || test.within.is_some() {
                head.push(self.text(" "));
            }
            head.push(self.params(params));
        }
        let head = self.cat(head);
        let item = self.equation(head, &test.def.body);
        self.documented(&test.def.doc, item)
    }

    /// Doc comments before an item, each on its line. If there is a source, they are among its comments.
    fn documented(&mut self, lines: &[String], item: Doc) -> Doc {
        if self.source.is_some() {
            return item;
        }
        let mut parts = Vec::new();
        for line in lines {
            parts.push(self.text(format!("--| {line}").trim_end().to_string()));
            parts.push(self.line(true));
        }
        parts.push(item);
        self.cat(parts)
    }

    fn def(&mut self, def: &Def) -> Doc {
        let mut head = vec![self.text(format!("def {}", def.name.text))];
        if !def.type_params.is_empty() {
            let params = def.type_params.iter().map(|p| self.type_param(p)).collect();
            head.push(self.bracketed(SQUARE, params, false));
        }
        if let Some(params) = &def.params {
            head.push(self.params(params));
        }
        if let Some(result) = &def.result {
            head.push(self.text(if def.params.is_some() { " -> " } else { ": " }));
            let ty = self.ty(result);
            // Long parameters go on lines of their own before the result does.
            let solid = def.params.as_ref().is_some_and(|params| !params.is_empty())
                && self.docs.width(ty).is_some_and(|width| width + 8 <= WIDTH);
            head.push(if solid { self.docs.solid(ty) } else { ty });
        }
        let head = self.cat(head);
        let constant = def.params.is_none() && matches!(*def.body.kind, ExprKind::Array(_) | ExprKind::Record(_));
        let item = if constant { self.value_after(head, " =", &def.body) } else { self.equation(head, &def.body) };
        self.documented(&def.doc, item)
    }

    /// `head = body`
    fn equation(&mut self, head: Doc, body: &Expr) -> Doc {
        if self.source.is_some() {
            return self.value_after(head, " =", body);
        }
        let equals = self.text(" =");
        let body = self.expr(body);
        let body = self.indented(false, body);
        self.cat([head, equals, body])
    }

    fn params(&mut self, params: &[Param]) -> Doc {
        let broken = self.any_starts_line(params.first().map(|p| p.pattern.span));
        let params = params.iter().map(|p| self.param(p)).collect();
        self.bracketed(ROUND, params, broken)
    }

    fn type_def(&mut self, def: &TypeDef) -> Doc {
        let mut head = vec![self.text(format!("type {}", def.name.text))];
        if !def.params.is_empty() {
            let params = def.params.iter().map(|p| self.type_def_param(p)).collect();
            head.push(self.bracketed(SQUARE, params, false));
        }
        head.push(self.text(" ="));
        let body = match &def.body {
            TypeBody::Alias(ty) => self.alias(ty),
            TypeBody::Sum(constructors) => self.sum(constructors),
        };
        head.push(body);
        let item = self.cat(head);
        self.documented(&def.doc, item)
    }

    fn alias(&mut self, ty: &Type) -> Doc {
        let hard = self.value_starts_line(ty.span);
        let doc = self.ty(ty);
        if matches!(ty.kind, TypeKind::Record(_)) && !hard {
            let line = self.line(false);
            return self.docs.begun(line, doc, None);
        }
        self.indented(hard, doc)
    }

    /// `A(f64) | B` on one line, or each on its line behind a bar. A constructor alone needs its bar.
    fn sum(&mut self, constructors: &[Constructor]) -> Doc {
        let bar = if constructors.len() == 1 { self.text("| ") } else { self.docs.broken("| ") };
        let mut parts = Vec::new();
        for (index, constructor) in constructors.iter().enumerate() {
            let hard = self.sum_breaks_before(constructor);
            parts.push(self.docs.line(Line { hard, spaced: index > 0, ..LINE }));
            parts.push(if index > 0 { self.text("| ") } else { bar });
            parts.push(self.constructor(constructor));
        }
        let all = self.cat(parts);
        let all = self.docs.nest(2, all);
        self.docs.group(all)
    }

    /// Whether the author began a new line for a constructor or for the bar before it.
    fn sum_breaks_before(&self, constructor: &Constructor) -> bool {
        let start = constructor.name.span.start;
        self.source.is_some_and(|s| s.starts_line(start) || s.word_starts_line(start, "|"))
    }

    fn import(&mut self, import: &Import) -> Doc {
        let path = match &import.path {
            ImportPath::Std(name) => name.text.clone(),
            ImportPath::File { path, .. } => format!("\"{path}\""),
        };
        let alias = import.alias.as_ref().map_or(String::new(), |name| format!(" as {}", name.text));
        self.text(format!("import {path}{alias}"))
    }
}

/// A pair of brackets, and the blanks inside them.
#[derive(Clone, Copy)]
struct Brackets {
    open: &'static str,
    close: &'static str,
    pad: &'static str,
}

const ROUND: Brackets = Brackets { open: "(", close: ")", pad: "" };
const SQUARE: Brackets = Brackets { open: "[", close: "]", pad: "" };
const CURLY: Brackets = Brackets { open: "{", close: "}", pad: " " };
