//! The tree as well laid out source.
//!
//! What is printed reads back as the same tree. Parentheses stand where the grammar needs them, and around
//! `let if for loop match \` as operands, where the grammar would allow them bare but no reader would thank us.

mod exprs;
mod level;
mod open_forms;
mod types;

use crate::ast::*;
use crate::doc::{Doc, Docs};

/// Lines are this wide where that is possible.
const WIDTH: u32 = 100;

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
    let mut printer = Printer::default();
    let doc = printer.item(item);
    let mut out = printer.docs.render(doc, WIDTH);
    out.push('\n');
    out
}

/// Prints an expression.
pub fn print_expr(expr: &Expr) -> String {
    let mut printer = Printer::default();
    let doc = printer.expr(expr);
    printer.docs.render(doc, WIDTH)
}

/// Prints a type.
pub fn print_type(ty: &Type) -> String {
    let mut printer = Printer::default();
    let doc = printer.ty(ty);
    printer.docs.render(doc, WIDTH)
}

/// Prints a pattern.
pub fn print_pattern(pattern: &Pattern) -> String {
    let mut printer = Printer::default();
    let doc = printer.pattern(pattern);
    printer.docs.render(doc, WIDTH)
}

#[derive(Default)]
struct Printer {
    docs: Docs,
    /// How wide the part before the body of the `for`, `loop` or lambda printed last is.
    block_head: u32,
}

impl Printer {
    fn text(&mut self, text: impl Into<std::borrow::Cow<'static, str>>) -> Doc {
        self.docs.text(text)
    }

    fn cat(&mut self, parts: impl Into<Vec<Doc>>) -> Doc {
        self.docs.concat(parts.into())
    }

    /// On the same line, or indented on the next.
    fn indented(&mut self, doc: Doc) -> Doc {
        let line = self.docs.line();
        let inner = self.cat([line, doc]);
        let nested = self.docs.nest(2, inner);
        self.docs.group(nested)
    }

    /// `parts` between brackets: on one line, or one a line. `pad` is for the blanks inside braces.
    fn bracketed(&mut self, open: &'static str, parts: Vec<Doc>, close: &'static str, pad: bool) -> Doc {
        let separator = self.separator(",");
        let edge = |p: &mut Self| if pad { p.docs.line() } else { p.docs.soft() };
        let (open, close) = (self.text(open), self.text(close));
        if parts.is_empty() {
            return self.cat([open, close]);
        }
        let inner = self.joined(parts, separator);
        let first = edge(self);
        let inner = self.cat([first, inner]);
        let inner = self.docs.nest(2, inner);
        let last = edge(self);
        let all = self.cat([open, inner, last, close]);
        self.docs.group(all)
    }

    /// Text and a possible line break.
    fn separator(&mut self, text: &'static str) -> Doc {
        let (text, line) = (self.text(text), self.docs.line());
        self.cat([text, line])
    }

    fn joined(&mut self, parts: Vec<Doc>, separator: Doc) -> Doc {
        let mut all = Vec::with_capacity(parts.len() * 2);
        for part in parts {
            if !all.is_empty() {
                all.push(separator);
            }
            all.push(part);
        }
        self.cat(all)
    }

    fn item(&mut self, item: &Item) -> Doc {
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

    /// Doc comments, each on its line, before an item.
    fn documented(&mut self, lines: &[String], item: Doc) -> Doc {
        let mut parts = Vec::new();
        for line in lines {
            parts.push(self.text(format!("--| {line}").trim_end().to_string()));
            parts.push(self.docs.hard());
        }
        parts.push(item);
        self.cat(parts)
    }

    fn def(&mut self, def: &Def) -> Doc {
        let mut head = vec![self.text(format!("def {}", def.name.text))];
        if !def.type_params.is_empty() {
            let params = def.type_params.iter().map(|p| self.type_param(p)).collect();
            head.push(self.bracketed("[", params, "]", false));
        }
        if let Some(params) = &def.params {
            head.push(self.params(params));
        }
        if let Some(result) = &def.result {
            head.push(self.text(if def.params.is_some() { " -> " } else { ": " }));
            head.push(self.ty(result));
        }
        let head = self.cat(head);
        let constant = def.params.is_none() && matches!(*def.body.kind, ExprKind::Array(_) | ExprKind::Record(_));
        let item = if constant { self.value_after(head, " =", &def.body) } else { self.equation(head, &def.body) };
        self.documented(&def.doc, item)
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

    /// `head = body`
    fn equation(&mut self, head: Doc, body: &Expr) -> Doc {
        let equals = self.text(" =");
        let body = self.expr(body);
        let body = self.indented(body);
        self.cat([head, equals, body])
    }

    fn params(&mut self, params: &[Param]) -> Doc {
        let params = params.iter().map(|p| self.param(p)).collect();
        self.bracketed("(", params, ")", false)
    }

    fn type_def(&mut self, def: &TypeDef) -> Doc {
        let mut head = vec![self.text(format!("type {}", def.name.text))];
        if !def.params.is_empty() {
            let params = def.params.iter().map(|p| self.type_def_param(p)).collect();
            head.push(self.bracketed("[", params, "]", false));
        }
        head.push(self.text(" ="));
        let head = self.cat(head);
        let body = match &def.body {
            TypeBody::Alias(ty) => {
                let (space, ty) = (self.text(" "), self.ty(ty));
                self.cat([space, ty])
            }
            TypeBody::Sum(constructors) => self.sum(head, constructors),
        };
        let item = self.cat([head, body]);
        self.documented(&def.doc, item)
    }

    /// `A(f64) | B` on one line, or each on its line behind a bar. A constructor alone needs its bar.
    fn sum(&mut self, head: Doc, constructors: &[Constructor]) -> Doc {
        let parts: Vec<Doc> = constructors.iter().map(|c| self.constructor(c)).collect();
        let (bar, space) = (self.text(" | "), self.text(if parts.len() == 1 { " | " } else { " " }));
        let row = self.joined(parts.clone(), bar);
        let row = self.cat([space, row]);
        let whole = self.cat([head, row]);
        if self.docs.width(whole).is_some_and(|w| w <= WIDTH) {
            return row;
        }
        let mut column = Vec::new();
        for part in parts {
            column.extend([self.docs.hard(), self.text("| "), part]);
        }
        let column = self.cat(column);
        self.docs.nest(2, column)
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
