//! Expressions: parentheses and layout.

use super::Printer;
use super::level::{Level, binary_level, is_open, level, tighter};
use super::types::UNREADABLE;
use crate::ast::*;
use crate::doc::Doc;

/// A call this wide moves to a line of its own as a whole before its arguments are put one a line.
const CALL_WIDTH: u32 = 80;

/// Whether a form may begin on the line of what holds it and continue on indented lines: `let y = for i =>`.
fn hugs(e: &Expr) -> bool {
    matches!(*e.kind, ExprKind::For(..) | ExprKind::Lambda(..) | ExprKind::Loop(_) | ExprKind::Match(..)) || holds(e)
}

/// Forms between brackets of their own.
fn holds(e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::Array(_) | ExprKind::Tuple(_) | ExprKind::Record(_) | ExprKind::RecordWith(..) => true,
        ExprKind::Call(_, args) => is_call(e) && args.len() == 1,
        _ => false,
    }
}

/// A call of something named.
fn is_call(e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::Call(f, _) if matches!(*f.kind, ExprKind::Name(_) | ExprKind::Field(..)))
}

impl Printer {
    /// An expression where any may stand.
    pub(super) fn expr(&mut self, e: &Expr) -> Doc {
        self.at(e, Level::Open)
    }

    /// An expression where one of at least this level may stand, otherwise in parentheses.
    pub(super) fn at(&mut self, e: &Expr, least: Level) -> Doc {
        let doc = self.bare(e);
        if level(&e.kind) < least { self.parens(doc) } else { doc }
    }

    fn parens(&mut self, doc: Doc) -> Doc {
        let (open, inner, close) = (self.text("("), self.docs.nest(1, doc), self.text(")"));
        self.cat([open, inner, close])
    }

    fn exprs(&mut self, es: &[Expr]) -> Vec<Doc> {
        es.iter().map(|e| self.expr(e)).collect()
    }

    pub(super) fn bare(&mut self, e: &Expr) -> Doc {
        match &*e.kind {
            ExprKind::Number(n) => self.text(format!("{}{}", n.digits, n.suffix.as_deref().unwrap_or(""))),
            ExprKind::Bool(b) => self.text(b.to_string()),
            ExprKind::Name(name) => self.text(name.clone()),
            ExprKind::Operator(op) => self.text(format!("({})", op.symbol())),
            ExprKind::Error => self.text(UNREADABLE),
            ExprKind::Array(es) => self.array(es),
            ExprKind::Tuple(es) => {
                let parts = self.exprs(es);
                self.tuple(parts)
            }
            ExprKind::Record(fields) => {
                let fields = self.fields(fields);
                self.bracketed("{", fields, "}", true)
            }
            ExprKind::RecordWith(e, fields) => self.record_with(e, fields),
            ExprKind::Field(e, name) => {
                let (e, name) = (self.part_owner(e), self.text(format!(".{}", name.text)));
                self.cat([e, name])
            }
            ExprKind::Project(e, index, _) => {
                let (e, index) = (self.part_owner(e), self.text(format!(".{index}")));
                self.cat([e, index])
            }
            ExprKind::Call(f, args) => self.call(f, args),
            ExprKind::Index(a, subs) => {
                let (a, subs) = (self.at(a, Level::Postfix), self.subscripts(subs));
                self.cat([a, subs])
            }
            ExprKind::Unary(op, e) => self.unary(*op, e),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::With(a, subs, value) => self.with(a, subs, value),
            ExprKind::Assert(e, ty) => {
                let (e, sign, ty) = (self.at(e, Level::Top), self.text(" :> "), self.ty(ty));
                self.cat([e, sign, ty])
            }
            ExprKind::Lambda(..)
            | ExprKind::Let(..)
            | ExprKind::If(..)
            | ExprKind::For(..)
            | ExprKind::Loop(_)
            | ExprKind::Match(..) => self.open_form(e),
        }
    }

    /// Before a point: `1.0` would be read as a decimal number, so a number stands in parentheses.
    fn part_owner(&mut self, e: &Expr) -> Doc {
        let doc = self.at(e, Level::Postfix);
        if matches!(*e.kind, ExprKind::Number(_)) { self.parens(doc) } else { doc }
    }

    fn fields(&mut self, fields: &[(Name, Expr)]) -> Vec<Doc> {
        fields
            .iter()
            .map(|(name, e)| {
                let name = self.text(name.text.clone());
                self.value_after(name, " =", e)
            })
            .collect()
    }

    fn record_with(&mut self, e: &Expr, fields: &[(Name, Expr)]) -> Doc {
        let (open, close) = (self.text("{ "), self.text("}"));
        let (e, with) = (self.at(e, Level::Or), self.text(" with"));
        let fields = self.fields(fields);
        let separator = self.separator(",");
        let fields = self.joined(fields, separator);
        let line = self.docs.line();
        let fields = self.cat([line, fields]);
        let fields = self.docs.nest(2, fields);
        let last = self.docs.line();
        let all = self.cat([open, e, with, fields, last, close]);
        self.docs.group(all)
    }

    /// Short elements fill lines; others stand one a line.
    fn array(&mut self, es: &[Expr]) -> Doc {
        let simple = |e: &Expr| match &*e.kind {
            ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Name(_) => true,
            ExprKind::Unary(UnaryOp::Neg, e) => matches!(*e.kind, ExprKind::Number(_) | ExprKind::Name(_)),
            _ => false,
        };
        let parts = self.exprs(es);
        if es.len() < 5 || !es.iter().all(simple) {
            return self.bracketed("[", parts, "]", false);
        }
        let (comma, line) = (self.text(","), self.docs.line());
        let line = self.docs.group(line);
        let separator = self.cat([comma, line]);
        let inner = self.joined(parts, separator);
        let first = self.docs.soft();
        let inner = self.cat([first, inner]);
        let inner = self.docs.nest(2, inner);
        let (open, last, close) = (self.text("["), self.docs.soft(), self.text("]"));
        let all = self.cat([open, inner, last, close]);
        self.docs.group(all)
    }

    /// The last argument of a call may begin on the call's line: `sum(for i < n =>`.
    fn call(&mut self, f: &Expr, args: &[Expr]) -> Doc {
        let callee = self.at(f, Level::Postfix);
        let parts = self.exprs(args);
        let args_doc = match (args.split_last(), parts.split_last()) {
            (Some((last, _)), Some((last_doc, first_docs))) if self.call_hugs(last, first_docs) => {
                let comma = self.text(", ");
                let mut all = vec![self.text("(")];
                for &doc in first_docs {
                    all.push(doc);
                    all.push(comma);
                }
                all.push(*last_doc);
                all.push(self.text(")"));
                self.cat(all)
            }
            _ => self.bracketed("(", parts, ")", false),
        };
        self.cat([callee, args_doc])
    }

    fn call_hugs(&self, last: &Expr, first: &[Doc]) -> bool {
        let width = first.iter().try_fold(0, |w, &doc| Some(w + self.docs.width(doc)? + 2));
        let form = matches!(*last.kind, ExprKind::For(..) | ExprKind::Lambda(..) | ExprKind::Match(..));
        form && width.is_some_and(|w| w <= 50) || first.is_empty() && holds(last)
    }

    fn subscripts(&mut self, subs: &[Subscript]) -> Doc {
        let parts = subs.iter().map(|sub| self.subscript(sub)).collect();
        self.bracketed("[", parts, "]", false)
    }

    fn subscript(&mut self, sub: &Subscript) -> Doc {
        let (lo, hi, step) = match sub {
            Subscript::Index(e) => return self.expr(e),
            Subscript::Slice { lo, hi, step, .. } => (lo, hi, step),
        };
        let mut parts = Vec::new();
        parts.extend(lo.as_ref().map(|e| self.at(e, Level::Top)));
        parts.push(self.text(":"));
        parts.extend(hi.as_ref().map(|e| self.at(e, Level::Top)));
        if let Some(step) = step {
            parts.push(self.text(":"));
            parts.push(self.at(step, Level::Top));
        }
        self.cat(parts)
    }

    /// `--` begins a comment, so a negation of a negation is `-(-x)`.
    fn unary(&mut self, op: UnaryOp, e: &Expr) -> Doc {
        let (sign, least) = match op {
            UnaryOp::Neg => ("-", Level::Power),
            UnaryOp::Not => ("not ", Level::Not),
        };
        let (sign, e) = (self.text(sign), self.at(e, least));
        self.cat([sign, e])
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Doc {
        let own = binary_level(op);
        match own {
            Level::Power => {
                let (a, b) = (self.at(a, Level::Postfix), self.at(b, Level::Negation));
                let sign = self.text(" ** ");
                return self.cat([a, sign, b]);
            }
            Level::Comparison => {
                let a = self.at(a, tighter(own));
                return self.chain(a, &[(op, b)], own);
            }
            _ => {}
        }
        // A chain of one level is laid out as a whole, and found without recursion since it may be long.
        let mut operands = vec![(op, b)];
        let mut first = a;
        while let ExprKind::Binary(op, a, b) = &*first.kind
            && binary_level(*op) == own
        {
            operands.push((*op, b));
            first = a;
        }
        operands.reverse();
        let first = self.at(first, own);
        self.chain(first, &operands, own)
    }

    /// Operands on one line, or each on its line behind its operator.
    fn chain(&mut self, first: Doc, operands: &[(BinaryOp, &Expr)], own: Level) -> Doc {
        let mut rest = Vec::new();
        for (op, e) in operands {
            rest.push(self.docs.line());
            rest.push(self.text(format!("{} ", op.symbol())));
            rest.push(self.at(e, tighter(own)));
        }
        let rest = self.cat(rest);
        let rest = self.docs.nest(2, rest);
        let all = self.cat([first, rest]);
        self.docs.group(all)
    }

    fn with(&mut self, a: &Expr, subs: &[Subscript], value: &Expr) -> Doc {
        let a = self.at(a, Level::Top);
        let (line, with) = (self.docs.line(), self.text("with "));
        let subs = self.subscripts(subs);
        let rest = if is_open(&value.kind) {
            let head = self.cat([with, subs]);
            self.value_after(head, " =", value)
        } else {
            let (equals, value) = (self.text(" = "), self.at(value, Level::Or));
            self.cat([with, subs, equals, value])
        };
        let rest = self.cat([line, rest]);
        let rest = self.docs.nest(2, rest);
        let all = self.cat([a, rest]);
        self.docs.group(all)
    }

    /// `head sign value`, where the value begins on the same line if it fits or may continue from there.
    pub(super) fn value_after(&mut self, head: Doc, sign: &'static str, value: &Expr) -> Doc {
        let sign = self.text(sign);
        let doc = self.expr(value);
        let wide = is_call(value) && self.docs.width(doc).is_none_or(|w| w > CALL_WIDTH);
        let block = matches!(*value.kind, ExprKind::For(..) | ExprKind::Lambda(..) | ExprKind::Loop(_));
        let room = CALL_WIDTH.saturating_sub(self.docs.width(head).unwrap_or(CALL_WIDTH));
        let narrow = !block || self.block_head <= room;
        let value = if wide || hugs(value) && narrow {
            let space = self.text(" ");
            self.cat([space, doc])
        } else {
            self.indented(doc)
        };
        self.cat([head, sign, value])
    }
}
