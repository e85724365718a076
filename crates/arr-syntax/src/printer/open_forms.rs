//! `let if for loop match \`.

use super::Printer;
use super::level::Level;
use crate::ast::*;
use crate::doc::Doc;

impl Printer {
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
            _ => self.bare(e),
        }
    }

    /// A head, and a body on the same line or indented below.
    fn block(&mut self, head: Doc, body: &Expr) -> Doc {
        let body = self.expr(body);
        let body = self.indented(body);
        self.block_head = self.docs.width(head).unwrap_or(u32::MAX);
        self.cat([head, body])
    }

    /// Each `let` on its line, then `in` and the body.
    fn let_in(&mut self, bindings: &[Binding], mut body: &Expr) -> Doc {
        let mut parts = Vec::new();
        let mut bindings: Vec<&Binding> = bindings.iter().collect();
        // The parser joins a `let` with a `let` in its body, a generator of programs may not.
        while let ExprKind::Let(more, inner) = &*body.kind {
            bindings.extend(more);
            body = inner;
        }
        for binding in bindings {
            let (word, pattern) = (self.text("let "), self.annotated(&binding.pattern, binding.ty.as_ref()));
            let head = self.cat([word, pattern]);
            parts.push(self.value_after(head, " =", &binding.value));
            parts.push(self.docs.hard());
        }
        parts.push(self.text("in "));
        // The `else`s of an `if` stand below it, not below the `in`.
        let indent = if matches!(*body.kind, ExprKind::If(..)) { 3 } else { 0 };
        let body = self.expr(body);
        parts.push(self.docs.nest(indent, body));
        self.cat(parts)
    }

    /// `if .. then .. else if .. then .. else ..` is one chain that breaks as a whole.
    fn if_chain(&mut self, mut e: &Expr) -> Doc {
        let mut parts = Vec::new();
        while let ExprKind::If(condition, yes, no) = &*e.kind {
            parts.push(self.text("if "));
            parts.push(self.at(condition, Level::Top));
            parts.push(self.text(" then"));
            let yes = self.at(yes, Level::Open);
            self.branch(&mut parts, yes);
            parts.push(self.docs.line());
            parts.push(self.text("else"));
            e = no;
            if matches!(*e.kind, ExprKind::If(..)) {
                parts.push(self.text(" "));
            }
        }
        let last = self.expr(e);
        self.branch(&mut parts, last);
        let all = self.cat(parts);
        self.docs.group(all)
    }

    fn branch(&mut self, parts: &mut Vec<Doc>, doc: Doc) {
        let line = self.docs.line();
        let inner = self.cat([line, doc]);
        parts.push(self.docs.nest(2, inner));
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
        let separator = self.separator(",");
        let list = self.joined(parts, separator);
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
        let kind = self.indented(kind);
        let head = self.cat([word, state, equals, init, kind]);
        self.block(head, &l.body)
    }

    fn match_form(&mut self, e: &Expr, arms: &[(Pattern, Expr)]) -> Doc {
        let (word, e, space) = (self.text("match "), self.at(e, Level::Top), self.text(" "));
        let arms = arms
            .iter()
            .map(|(p, e)| {
                let p = self.pattern(p);
                self.value_after(p, " =>", e)
            })
            .collect();
        let arms = self.bracketed("{", arms, "}", true);
        self.cat([word, e, space, arms])
    }
}
