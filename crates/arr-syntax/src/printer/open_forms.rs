//! `let if for loop match \`.

use super::exprs::hugs;
use super::level::{Level, is_open};
use super::{CURLY, Printer};
use crate::ast::*;
use crate::doc::{Doc, LINE, Line};

impl Printer<'_> {
    pub(super) fn open_form(&mut self, e: &Expr) -> Doc {
        match &*e.kind {
            ExprKind::Let(bindings, body) => self.let_in(bindings, body),
            ExprKind::If(..) => self.if_chain(e),
            ExprKind::For(generators, body) => {
                let (head, arrow) = (self.generators(generators), self.text(" =>"));
                let head = self.cat([head, arrow]);
                self.block(head, body)
            }
            ExprKind::Lambda(params, body) => {
                let (head, arrow) = (self.lambda_params(params), self.text(" =>"));
                let head = self.cat([head, arrow]);
                self.block(head, body)
            }
            ExprKind::Loop(l) => self.loop_form(l),
            ExprKind::Match(e, arms) => self.match_form(e, arms),
            _ => self.expr(e),
        }
    }

    /// A head, and a body on the same line or indented below. Without an author, only a short body is beside its head.
    fn block(&mut self, head: Doc, body: &Expr) -> Doc {
        if self.source.is_some() {
            return self.value_after(head, "", body);
        }
        let body = self.expr(body);
        let body = self.indented(false, body);
        self.cat([head, body])
    }

    /// Each `let` on its line, then `in` and the body. One `let` alone may stay on one line if it was written so.
    fn let_in(&mut self, bindings: &[Binding], mut body: &Expr) -> Doc {
        let mut parts = Vec::new();
        let mut bindings: Vec<&Binding> = bindings.iter().collect();
        // The parser joins a `let` with a `let` in its body, a generator of programs may not.
        while let ExprKind::Let(more, inner) = &*body.kind {
            bindings.extend(more);
            body = inner;
        }
        let start = body.span.start;
        let short = bindings.len() == 1
            && self.source.is_some_and(|s| !s.value_starts_line(start) && !s.word_starts_line(start, "in"));
        for binding in bindings {
            let (word, pattern) = (self.text("let "), self.annotated(&binding.pattern, binding.ty.as_ref()));
            let head = self.cat([word, pattern]);
            let sign = self.text(" =");
            let value = self.bound(&binding.value);
            parts.extend([head, sign, value]);
            parts.push(self.docs.line(Line { hard: !short, spaced: true, ..LINE }));
        }
        parts.push(self.text("in"));
        let commented = self.source.is_some_and(|s| s.comment_beside(start));
        // The `else`s of an `if` stand below it, not below the `in`.
        let indent = if matches!(*body.kind, ExprKind::If(..)) { 3 } else { 0 };
        let body = self.expr(body);
        parts.push(if commented {
            // The comment stays on the line of the `in`, so that the body begins the next one.
            self.indented(true, body)
        } else {
            let space = self.text(" ");
            let body = self.docs.nest(indent, body);
            self.cat([space, body])
        });
        let all = self.cat(parts);
        self.docs.group(all)
    }

    /// The value of a `let`. Parentheses that an author has put around an open form stay while it is on one line, for the
    /// sake of `in`.
    fn bound(&mut self, value: &Expr) -> Doc {
        let hard = self.value_starts_line(value.span);
        let doc = self.expr(value);
        if is_open(&value.kind) && self.parenthesized(value.span) {
            return self.place_in_parens(value, hard, doc);
        }
        self.place(value, hard, doc)
    }

    /// `if .. then .. else if .. then .. else ..` is one chain that breaks as a whole.
    fn if_chain(&mut self, mut e: &Expr) -> Doc {
        let mut parts = Vec::new();
        while let ExprKind::If(condition, yes, no) = &*e.kind {
            parts.push(self.text("if "));
            parts.push(self.at(condition, Level::Top));
            parts.push(self.text(" then"));
            parts.push(self.branch(yes));
            let hard = self.source.is_some_and(|s| s.word_starts_line(no.span.start, "else"));
            parts.push(self.line(hard));
            parts.push(self.text("else"));
            e = no;
            if matches!(*e.kind, ExprKind::If(..)) {
                parts.push(self.text(" "));
            }
        }
        parts.push(self.branch(e));
        let all = self.cat(parts);
        self.docs.group(all)
    }

    /// Parentheses that an author has put around an open form stay, for the sake of `else`.
    fn branch(&mut self, e: &Expr) -> Doc {
        let hard = self.value_starts_line(e.span);
        let mut doc = self.expr(e);
        let parens = is_open(&e.kind) && self.parenthesized(e.span);
        if parens {
            doc = self.parens(doc);
        }
        if parens || self.source.is_none() || !hugs(e) { self.indented(hard, doc) } else { self.place(e, hard, doc) }
    }

    fn generators(&mut self, generators: &[Generator]) -> Doc {
        let parts = generators
            .iter()
            .map(|generator| match generator {
                Generator::Range(i, n) => self.range(i, n),
                Generator::Inferred(i) => self.text(i.text.clone()),
                Generator::Element(p, e) => self.element(p, e),
            })
            .collect();
        let list = self.joined(parts);
        let list = self.docs.nest(4, list);
        let (word, list) = (self.text("for "), self.docs.group(list));
        self.cat([word, list])
    }

    /// `i < n`, where the bound stops before a comparison.
    fn range(&mut self, i: &Name, n: &Expr) -> Doc {
        let (i, n) = (self.text(format!("{} < ", i.text)), self.at(n, Level::Sum));
        self.cat([i, n])
    }

    fn element(&mut self, p: &Pattern, e: &Expr) -> Doc {
        let (p, word, e) = (self.pattern(p), self.text(" in "), self.at(e, Level::Top));
        self.cat([p, word, e])
    }

    /// `\x`, `\(x, y)`, and `\((x, y))` for one pair.
    fn lambda_params(&mut self, params: &[Param]) -> Doc {
        let slash = self.text("\\");
        let params = match params {
            [only]
                if matches!(
                    only.pattern.kind,
                    PatternKind::Wildcard | PatternKind::Name(_) | PatternKind::Record(_)
                ) =>
            {
                self.param(only)
            }
            params => self.params(params),
        };
        self.cat([slash, params])
    }

    fn loop_form(&mut self, l: &Loop) -> Doc {
        let (word, state) = (self.text("loop "), self.annotated(&l.state, l.ty.as_ref()));
        let (equals, init) = (self.text(" = "), self.at(&l.init, Level::Top));
        let kind = match &l.kind {
            LoopKind::Range(i, n) => {
                let (word, range) = (self.text("for "), self.range(i, n));
                self.cat([word, range])
            }
            LoopKind::Element(p, e) => {
                let (word, element) = (self.text("for "), self.element(p, e));
                self.cat([word, element])
            }
            LoopKind::While(e) => {
                let (word, e) = (self.text("while "), self.at(e, Level::Top));
                self.cat([word, e])
            }
        };
        let end = self.text(" do");
        let kind = self.cat([kind, end]);
        let line = self.line(false);
        let kind = self.cat([line, kind]);
        let kind = self.docs.nest(4, kind);
        let kind = self.docs.group(kind);
        let head = self.cat([word, state, equals, init, kind]);
        self.block(head, &l.body)
    }

    fn match_form(&mut self, e: &Expr, arms: &[(Pattern, Expr)]) -> Doc {
        let (word, e, space) = (self.text("match "), self.at(e, Level::Top), self.text(" "));
        let broken = self.any_starts_line(arms.iter().map(|(p, _)| p.span));
        let arms = arms
            .iter()
            .map(|(p, e)| {
                let p = self.pattern(p);
                self.value_after(p, " =>", e)
            })
            .collect();
        let arms = self.bracketed(CURLY, arms, broken);
        self.cat([word, e, space, arms])
    }
}
