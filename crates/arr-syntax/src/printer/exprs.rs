//! Expressions: parentheses and layout.

use super::level::{Level, binary_level, is_open, level, muddled, tighter};
use super::types::UNREADABLE;
use super::{CURLY, Printer, ROUND, SQUARE};
use crate::ast::*;
use crate::doc::{Doc, LINE, Line, Parens};

/// A printed expression and how tightly it binds.
#[derive(Clone, Copy)]
pub(super) struct Printed {
    pub doc: Doc,
    pub level: Level,
}

/// Whether a form may begin on the line of its context and continue on indented lines: `let y = for i =>`.
pub(super) fn hugs(e: &Expr) -> bool {
    matches!(*e.kind, ExprKind::For(..) | ExprKind::Lambda(..) | ExprKind::Loop(_) | ExprKind::Match(..))
        || holds(e)
        || matches!(*e.kind, ExprKind::Call(..))
        || ends_in_block_call(e)
}

/// Whether a value begins on the line of its context even if it does not end there.
fn begins(value: &Expr, hard: bool) -> bool {
    holds(value) || hugs(value) && !hard
}

/// Literals between brackets of their own.
fn holds(e: &Expr) -> bool {
    matches!(*e.kind, ExprKind::Array(_) | ExprKind::Tuple(_) | ExprKind::Record(_) | ExprKind::RecordWith(..))
}

/// Whether a last argument may begin on the line of its call: `sum(for i < n =>`.
fn hangs(last: &Expr, alone: bool) -> bool {
    let form = matches!(*last.kind, ExprKind::For(..) | ExprKind::Lambda(..) | ExprKind::Match(..));
    form || holds(last) || alone && matches!(&*last.kind, ExprKind::Call(_, args) if args.len() == 1)
}

/// `sum(for i =>` and its like, whose argument is a block.
fn is_block_call(e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::Call(_, args) => args.last().is_some_and(|last| {
            matches!(*last.kind, ExprKind::For(..) | ExprKind::Lambda(..) | ExprKind::Match(..)) || is_block_call(last)
        }),
        _ => false,
    }
}

fn ends_in_block_call(mut e: &Expr) -> bool {
    while let ExprKind::Binary(_, _, last) | ExprKind::Unary(_, last) = &*e.kind {
        e = last;
    }
    is_block_call(e)
}

impl Printer<'_> {
    /// An expression in any context.
    pub(super) fn expr(&mut self, e: &Expr) -> Doc {
        self.bare(e).doc
    }

    /// An expression in a context of at least this level, otherwise in parentheses.
    pub(super) fn at(&mut self, e: &Expr, least: Level) -> Doc {
        self.last(e, least).doc
    }

    /// The same in last position. There the author may have left out parentheses that we would set; then the whole
    /// extends as far right as its last part.
    fn last(&mut self, e: &Expr, least: Level) -> Printed {
        let printed = self.bare(e);
        if printed.level >= least {
            return printed;
        }
        if self.source.is_some() && !self.parenthesized(e.span) {
            return Printed { doc: printed.doc, level: Level::Open };
        }
        Printed { doc: self.parens(printed.doc), level: Level::Postfix }
    }

    /// An operand. Its author's parentheses stay where few readers could do without them.
    fn operand(&mut self, parent: &ExprKind, e: &Expr, least: Level) -> Printed {
        let printed = self.last(e, least);
        if printed.level < Level::Postfix && muddled(parent, &e.kind) && self.parenthesized(e.span) {
            return Printed { doc: self.parens(printed.doc), level: Level::Postfix };
        }
        printed
    }

    pub(super) fn parens(&mut self, doc: Doc) -> Doc {
        let (open, inner, close) = (self.text("("), self.docs.nest(1, doc), self.text(")"));
        self.cat([open, inner, close])
    }

    fn exprs(&mut self, es: &[Expr]) -> Vec<Doc> {
        es.iter().map(|e| self.expr(e)).collect()
    }

    pub(super) fn bare(&mut self, e: &Expr) -> Printed {
        match &*e.kind {
            ExprKind::Unary(op, operand) => self.unary(*op, operand, &e.kind),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, &e.kind),
            ExprKind::With(a, subs, value) => self.with(a, subs, value, &e.kind),
            kind => Printed { doc: self.closed(e), level: level(kind) },
        }
    }

    /// Every form that is not decided by an operator's level.
    fn closed(&mut self, e: &Expr) -> Doc {
        match &*e.kind {
            ExprKind::Number(n) => self.text(format!("{}{}", n.digits, n.suffix.as_deref().unwrap_or(""))),
            ExprKind::Bool(b) => self.text(b.to_string()),
            ExprKind::Text(text) => self.text(format!("\"{text}\"")),
            ExprKind::Name(name) => self.text(name.clone()),
            ExprKind::Operator(op) => self.text(format!("({})", op.symbol())),
            ExprKind::Array(es) => self.array(es),
            ExprKind::Tuple(es) => {
                let broken = self.any_starts_line(es.iter().map(|e| e.span));
                let parts = self.exprs(es);
                self.tuple(parts, broken)
            }
            ExprKind::Record(fields) => {
                let broken = self.any_starts_line(fields.iter().map(|(name, _)| name.span));
                let fields = self.fields(fields);
                self.bracketed(CURLY, fields, broken)
            }
            ExprKind::RecordWith(e, fields) => self.record_with(e, fields),
            ExprKind::Field(e, name) => self.part(e, name.text.clone()),
            ExprKind::Project(e, index, span) => {
                let index = self.integer(i64::from(*index), *span);
                self.part(e, index)
            }
            ExprKind::Call(f, args) => self.call(f, args),
            ExprKind::Index(a, subs) => {
                let (a, subs) = (self.at(a, Level::Postfix), self.subscripts(subs));
                self.cat([a, subs])
            }
            ExprKind::Assert(a, ty) => {
                let a = self.operand(&e.kind, a, Level::Top).doc;
                let (sign, ty) = (self.text(" :> "), self.ty(ty));
                self.cat([a, sign, ty])
            }
            ExprKind::Error | ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::With(..) => self.text(UNREADABLE),
            ExprKind::Lambda(..)
            | ExprKind::Let(..)
            | ExprKind::If(..)
            | ExprKind::For(..)
            | ExprKind::Loop(_)
            | ExprKind::Match(..) => self.open_form(e),
        }
    }

    /// `e.name` or `e.0`. Before a point, `1.0` would be read as a decimal number, so a number stands in parentheses.
    fn part(&mut self, e: &Expr, name: String) -> Doc {
        let mut owner = self.at(e, Level::Postfix);
        if matches!(*e.kind, ExprKind::Number(_)) {
            owner = self.parens(owner);
        }
        let name = self.text(format!(".{name}"));
        self.cat([owner, name])
    }

    fn fields(&mut self, fields: &[(Name, Expr)]) -> Vec<Doc> {
        fields
            .iter()
            .map(|(name, e)| {
                let label = self.text(name.text.clone());
                if is_short(name, e) { label } else { self.value_after(label, " =", e) }
            })
            .collect()
    }

    fn record_with(&mut self, e: &Expr, fields: &[(Name, Expr)]) -> Doc {
        let broken = self.any_starts_line(fields.iter().map(|(name, _)| name.span));
        let (open, e, with) = (self.text("{ "), self.at(e, Level::Or), self.text(" with"));
        let line = self.line(broken);
        let fields = self.fields(fields);
        let fields = self.joined(fields);
        let fields = self.cat([line, fields]);
        let fields = self.docs.nest(2, fields);
        let (last, close) = (self.docs.line(Line { closing: true, ..LINE }), self.text("}"));
        let all = self.cat([open, e, with, fields, last, close]);
        self.docs.group(all)
    }

    /// Short elements fill lines; others are printed one per line.
    fn array(&mut self, es: &[Expr]) -> Doc {
        let simple = |e: &Expr| match &*e.kind {
            ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Name(_) => true,
            ExprKind::Unary(UnaryOp::Neg, e) => matches!(*e.kind, ExprKind::Number(_) | ExprKind::Name(_)),
            _ => false,
        };
        let broken = self.any_starts_line(es.iter().map(|e| e.span));
        if es.len() < 5 || !es.iter().all(simple) {
            let parts = self.exprs(es);
            return self.bracketed(SQUARE, parts, broken);
        }
        let mut inner = vec![self.docs.line(Line { flat: "", hard: broken, ..LINE })];
        for (index, e) in es.iter().enumerate() {
            if index > 0 {
                inner.push(self.text(","));
                let hard = self.any_starts_line([e.span]);
                let line = self.docs.line(Line { hard, spaced: true, ..LINE });
                inner.push(self.docs.group(line));
            }
            inner.push(self.expr(e));
        }
        let inner = self.cat(inner);
        let inner = self.docs.nest(2, inner);
        let last = self.docs.line(Line { flat: "", closing: true, ..LINE });
        let (open, close) = (self.text("["), self.text("]"));
        let all = self.cat([open, inner, last, close]);
        self.docs.group(all)
    }

    /// The last argument of a call may begin on the call's line: `sum(for i < n =>`.
    fn call(&mut self, f: &Expr, args: &[Expr]) -> Doc {
        let callee = self.at(f, Level::Postfix);
        let broken = self.any_starts_line(args.first().map(|e| e.span));
        let mut parts = self.exprs(args);
        let last = match args.split_last() {
            Some((last, rest)) if !broken && hangs(last, rest.is_empty()) => parts.pop(),
            _ => None,
        };
        let Some(last) = last else {
            let args = self.bracketed(ROUND, parts, broken);
            return self.cat([callee, args]);
        };
        let mut all = vec![self.text("("), self.docs.line(Line { flat: "", ..LINE })];
        for part in parts {
            all.extend([part, self.text(","), self.docs.line(Line { spaced: true, ..LINE })]);
        }
        let index = all.len();
        all.extend([last, self.docs.line(Line { flat: "", closing: true, ..LINE }), self.text(")")]);
        let args = self.docs.hanging(all, index);
        self.cat([callee, args])
    }

    fn subscripts(&mut self, subs: &[Subscript]) -> Doc {
        let parts = subs.iter().map(|sub| self.subscript(sub)).collect();
        self.bracketed(SQUARE, parts, false)
    }

    /// Bounds of names and numbers are written tight, `x[i:i+2]`; around others the colon has blanks.
    fn subscript(&mut self, sub: &Subscript) -> Doc {
        let (lo, hi, step) = match sub {
            Subscript::Index(e) => return self.expr(e),
            Subscript::Slice { lo, hi, step, .. } => (lo, hi, step),
        };
        let tight = [lo, hi, step].into_iter().flatten().all(is_tight);
        let mut parts = Vec::new();
        for (index, bound) in [lo, hi, step].into_iter().enumerate() {
            if index == 1 || index == 2 && step.is_some() {
                let (before, after) = (!tight && !parts.is_empty(), !tight && bound.is_some());
                parts.push(self.text(match (before, after) {
                    (false, false) => ":",
                    (true, false) => " :",
                    (false, true) => ": ",
                    (true, true) => " : ",
                }));
            }
            match bound {
                Some(e) if tight => parts.push(self.tight(e)),
                Some(e) => parts.push(self.at(e, Level::Top)),
                None => {}
            }
        }
        self.cat(parts)
    }

    fn tight(&mut self, e: &Expr) -> Doc {
        match &*e.kind {
            ExprKind::Binary(op, a, b) => {
                let own = binary_level(*op);
                let (a, sign) = (self.tight_operand(a, own), self.text(op.symbol()));
                let b = self.tight_operand(b, tighter(own));
                self.cat([a, sign, b])
            }
            _ => self.expr(e),
        }
    }

    fn tight_operand(&mut self, e: &Expr, least: Level) -> Doc {
        let doc = self.tight(e);
        if level(&e.kind) < least { self.parens(doc) } else { doc }
    }

    /// `--` begins a comment, so a negation of a negation is `-(-x)`, or `- -x` where it was written so.
    fn unary(&mut self, op: UnaryOp, e: &Expr, whole: &ExprKind) -> Printed {
        let least = match op {
            UnaryOp::Neg => Level::Power,
            UnaryOp::Not => Level::Not,
        };
        let inner = self.operand(whole, e, least);
        let minus = matches!(*e.kind, ExprKind::Unary(UnaryOp::Neg, _));
        let sign = match op {
            UnaryOp::Neg if minus && inner.level == Level::Open => "- ",
            UnaryOp::Neg => "-",
            UnaryOp::Not => "not ",
        };
        let sign = self.text(sign);
        Printed { doc: self.cat([sign, inner.doc]), level: level(whole).min(reach(inner)) }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, whole: &ExprKind) -> Printed {
        let own = binary_level(op);
        match own {
            Level::Power => {
                let (a, b) = (self.operand(whole, a, Level::Postfix), self.operand(whole, b, Level::Negation));
                let sign = self.text(" ** ");
                return Printed { doc: self.cat([a.doc, sign, b.doc]), level: own.min(reach(b)) };
            }
            Level::Comparison => {
                let a = self.operand(whole, a, tighter(own));
                return self.chain(a.doc, &[(whole, op, b)], own);
            }
            _ => {}
        }
        // A chain of one level is laid out as a whole, and collected without recursion since it may be long.
        let mut operands = vec![(whole, op, b)];
        let (mut first, mut parent) = (a, whole);
        while let ExprKind::Binary(op, a, b) = &*first.kind
            && binary_level(*op) == own
            && !(muddled(parent, &first.kind) && self.parenthesized(first.span))
        {
            operands.push((&first.kind, *op, b));
            parent = &first.kind;
            first = a;
        }
        operands.reverse();
        let first = self.operand(parent, first, own);
        self.chain(first.doc, &operands, own)
    }

    /// Operands on one line, or each on its line behind its operator. The author's line ends are kept, and the parts
    /// between stay together if they fit.
    fn chain(&mut self, first: Doc, operands: &[Operand], own: Level) -> Printed {
        let (mut reaches, mut opens) = (Level::Postfix, false);
        let (mut segments, mut segment) = (Vec::new(), Vec::new());
        let mut start = vec![first];
        for &(parent, op, e) in operands {
            let broken = self
                .source
                .is_some_and(|s| s.value_starts_line(e.span.start) || s.word_starts_line(e.span.start, op.symbol()));
            let (line, sign) = (self.line(broken), self.text(format!("{} ", op.symbol())));
            let operand = self.operand(parent, e, tighter(own));
            reaches = reach(operand);
            // A block, or parentheses around several lines, may begin on the line of its operator.
            let parens = operand.level == Level::Postfix && matches!(*e.kind, ExprKind::Binary(..));
            opens = is_block_call(e) || parens && self.docs.width(operand.doc).is_none();
            if broken {
                segments.push((std::mem::replace(&mut start, vec![line]), std::mem::take(&mut segment)));
                segment.extend([sign, operand.doc]);
            } else {
                segment.extend([line, sign, operand.doc]);
            }
        }
        let hanging = segments.is_empty() && opens;
        segments.push((start, segment));
        let mut all = Vec::new();
        for (index, (start, segment)) in segments.into_iter().enumerate() {
            let count = segment.len();
            if hanging {
                all.extend(start);
                all.push(self.docs.hanging(segment, count - 1));
                continue;
            }
            let segment = self.cat(segment);
            let segment = self.docs.nest(2, segment);
            let segment = if index == 0 { self.cat([start.as_slice(), &[segment]].concat()) } else { segment };
            let segment = self.docs.group(segment);
            if index > 0 {
                let line = self.cat(start);
                all.push(self.docs.nest(2, line));
            }
            all.push(segment);
        }
        Printed { doc: self.cat(all), level: own.min(reaches) }
    }

    fn with(&mut self, a: &Expr, subs: &[Subscript], value: &Expr, whole: &ExprKind) -> Printed {
        let a = self.operand(whole, a, Level::Top).doc;
        let alone = !matches!(whole, ExprKind::With(a, ..) if matches!(*a.kind, ExprKind::With(..)));
        // One update stays with its array, several are printed one per line.
        let line = if alone { self.text(" ") } else { self.line(false) };
        let (with, subs) = (self.text("with "), self.subscripts(subs));
        let head = self.cat([with, subs]);
        let sign = self.text(" =");
        let (value_doc, level) = if is_open(&value.kind) {
            (self.value(value), Level::Open)
        } else {
            let hard = self.value_starts_line(value.span);
            let printed = self.operand(whole, value, Level::Or);
            (self.place(value, hard, printed.doc), Level::Top.min(reach(printed)))
        };
        let rest = self.cat([line, head, sign, value_doc]);
        let rest = if alone { rest } else { self.docs.nest(2, rest) };
        let all = self.cat([a, rest]);
        Printed { doc: self.docs.group(all), level }
    }

    /// `head sign value`, where the value begins on the same line if it fits or may continue from there.
    pub(super) fn value_after(&mut self, head: Doc, sign: &'static str, value: &Expr) -> Doc {
        let sign = self.text(sign);
        let value = self.value(value);
        self.cat([head, sign, value])
    }

    /// A line break and a value.
    pub(super) fn value(&mut self, value: &Expr) -> Doc {
        let hard = self.value_starts_line(value.span);
        let doc = self.expr(value);
        self.place(value, hard, doc)
    }

    /// A line break and a printed value.
    pub(super) fn place(&mut self, value: &Expr, hard: bool, doc: Doc) -> Doc {
        if begins(value, hard) {
            let line = self.line(hard);
            return self.docs.begun(line, doc, None);
        }
        self.indented(hard, doc)
    }

    /// The same, in parentheses where all of it is on the line of what is before it.
    pub(super) fn place_in_parens(&mut self, value: &Expr, hard: bool, doc: Doc) -> Doc {
        let (open, close) = (self.docs.unbroken("("), self.docs.unbroken(")"));
        if begins(value, hard) {
            let line = self.line(hard);
            return self.docs.begun(line, doc, Some(Parens { open, close }));
        }
        let doc = self.cat([open, doc, close]);
        self.indented(hard, doc)
    }
}

/// An operand behind its operator, with the expression that the operator makes.
type Operand<'e> = (&'e ExprKind, BinaryOp, &'e Expr);

/// How far right a whole extends because of its last part.
fn reach(last: Printed) -> Level {
    if last.level == Level::Open { Level::Open } else { Level::Postfix }
}

/// Whether the field `x = x` was written as `x`, or has no source: then the name is written once.
fn is_short(name: &Name, e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::Name(n) if *n == name.text) && e.span == name.span
}

/// Whether a bound is written without blanks.
fn is_tight(e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::Name(_) => true,
        ExprKind::Number(n) => !n.digits.starts_with('-'),
        ExprKind::Unary(UnaryOp::Neg, e) => matches!(*e.kind, ExprKind::Name(_) | ExprKind::Number(_)),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
            e.depth <= 4 && is_tight(a) && is_tight(b)
        }
        _ => false,
    }
}
