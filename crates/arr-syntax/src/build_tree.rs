//! The actions of the grammar: they make nodes, count nesting, and keep errors.

use crate::ast::*;
use crate::children::dismantle;
use crate::number;
use crate::token::Tok;
use arr_base::{Code, Diagnostic, SourceId, Span};
use lalrpop_util::{ErrorRecovery, ParseError};
use std::cell::Cell;
use std::convert::Infallible;
use std::rc::Rc;

/// The maximal nesting of brackets, types or `let` values. Error recovery visits all of them for each token it skips,
/// so this is far below [`MAX_DEPTH`].
pub const MAX_NESTING: u32 = 500;

/// After this many errors in one item the rest of the item is not read.
const MAX_ERRORS_PER_ITEM: usize = 20;

/// Well-formed text makes a node every few tokens, so after this many without one the parser is skipping text that it
/// cannot read. It is stopped, since it visits all open constructs for each token that it skips.
pub const MAX_IDLE: u32 = 2_000;

pub type GrammarError<'s> = ParseError<u32, Tok<'s>, Infallible>;

/// An error that the parser recovered from, and the text `start..end` that it skipped for it.
pub struct Recovered<'s> {
    pub error: GrammarError<'s>,
    pub start: u32,
    pub end: u32,
}

/// The result of the grammar's start symbol.
pub enum Parse {
    Item(Box<Item>),
    Expr(Expr),
}

/// The state that the actions share, for one item or one expression.
pub struct TreeBuilder<'s> {
    file: SourceId,
    pub diagnostics: Vec<Diagnostic>,
    pub recovered: Vec<Recovered<'s>>,
    /// Set when reading on is pointless. The token source checks it and ends the input.
    pub stop: Rc<Cell<bool>>,
    /// The number of tokens delivered since the last node was made.
    pub idle: Rc<Cell<u32>>,
    pub too_deep: bool,
    /// Open constructs that have no closing bracket: `if`, `\`, `-` and their like.
    open: u32,
    open_lets: u32,
    open_types: u32,
}

/// The first half of a `let`: everything before the value.
pub struct LetHead {
    pub pattern: Pattern,
    pub ty: Option<Type>,
}

/// The fields of a record, if all of them could be read. A record that lacks some would be reported again at every use.
pub fn complete<T>(fields: Vec<Option<T>>) -> Option<Vec<T>> {
    fields.into_iter().collect()
}

impl<'s> TreeBuilder<'s> {
    pub fn new(file: SourceId) -> Self {
        Self {
            file,
            diagnostics: Vec::new(),
            recovered: Vec::new(),
            stop: Rc::new(Cell::new(false)),
            idle: Rc::new(Cell::new(0)),
            too_deep: false,
            open: 0,
            open_lets: 0,
            open_types: 0,
        }
    }

    pub fn span(&self, start: u32, end: u32) -> Span {
        Span { file: self.file, start, end }
    }

    /// Keeps an error that the grammar recovered from.
    pub fn recover(&mut self, recovery: ErrorRecovery<u32, Tok<'s>, Infallible>, start: u32, end: u32) {
        self.recovered.push(Recovered { error: recovery.error, start, end });
        if self.recovered.len() >= MAX_ERRORS_PER_ITEM {
            self.stop.set(true);
        }
    }

    /// Keeps it, and returns the replacing expression.
    pub fn error_expr(&mut self, recovery: ErrorRecovery<u32, Tok<'s>, Infallible>, start: u32, end: u32) -> Expr {
        self.recover(recovery, start, end);
        self.expr(ExprKind::Error, start, end)
    }

    pub fn unexpected(&mut self, start: u32, end: u32, title: impl Into<String>, label: &str, hint: impl Into<String>) {
        let diagnostic = Diagnostic::error(Code::UNEXPECTED_TOKEN, title).at(self.span(start, end), label).hint(hint);
        self.diagnostics.push(diagnostic);
    }

    // ---- nesting

    /// Reports once for the item that it is nested too deeply, and ends the input.
    pub fn refuse_depth(&mut self, start: u32, end: u32) {
        self.stop.set(true);
        if !std::mem::replace(&mut self.too_deep, true) {
            self.diagnostics.push(too_deep(self.span(start, end)));
        }
    }

    /// A construct without closing bracket begins. Called before its end is known, so that a million `-` in a
    /// row stop early instead of filling memory.
    pub fn enter(&mut self, start: u32, end: u32) {
        self.idle.set(0);
        self.open += 1;
        if self.open > MAX_DEPTH {
            self.refuse_depth(start, end);
        }
    }

    pub fn leave(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    pub fn enter_let(&mut self, start: u32, end: u32) {
        self.open_lets += 1;
        if self.open_lets > MAX_NESTING {
            self.refuse_depth(start, end);
        }
    }

    pub fn leave_let(&mut self) {
        self.open_lets = self.open_lets.saturating_sub(1);
    }

    pub fn enter_type(&mut self, start: u32, end: u32) {
        self.open_types += 1;
        if self.open_types > MAX_NESTING {
            self.refuse_depth(start, end);
        }
    }

    pub fn leave_type(&mut self) {
        self.open_types = self.open_types.saturating_sub(1);
    }

    // ---- expressions

    /// The only maker of expressions: a tree that is too deep is reported and dropped.
    pub fn expr(&mut self, kind: ExprKind, start: u32, end: u32) -> Expr {
        self.idle.set(0);
        let span = self.span(start, end);
        let depth = kind.depth();
        if depth <= MAX_DEPTH {
            return Expr { kind: Box::new(kind), span, depth };
        }
        self.refuse_depth(start, end);
        dismantle(kind);
        Expr { kind: Box::new(ExprKind::Error), span, depth: 1 }
    }

    pub fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr, start: u32, end: u32) -> Expr {
        self.expr(ExprKind::Binary(op, a, b), start, end)
    }

    /// Ends a construct that [`enter`](Self::enter) began.
    pub fn close(&mut self, kind: ExprKind, start: u32, end: u32) -> Expr {
        self.leave();
        self.expr(kind, start, end)
    }

    /// Joins a `let` whose body is a parenthesised `let` with it, so that there is one tree for one meaning.
    pub fn let_in(&mut self, mut bindings: Vec<Binding>, body: Expr, start: u32, end: u32) -> Expr {
        self.leave();
        match *body.kind {
            ExprKind::Let(inner, inner_body) => {
                bindings.extend(inner);
                self.expr(ExprKind::Let(bindings, inner_body), start, end)
            }
            kind => {
                let body = Expr { kind: Box::new(kind), ..body };
                self.expr(ExprKind::Let(bindings, body), start, end)
            }
        }
    }

    pub fn binding(&mut self, head: LetHead, value: Expr) -> Binding {
        self.leave_let();
        Binding { pattern: head.pattern, ty: head.ty, value }
    }

    /// `t.0`
    pub fn project(&mut self, e: Expr, index: &str, (start, at, end): (u32, u32, u32)) -> Expr {
        let span = self.span(at, end);
        match index.parse::<u32>() {
            Ok(index) => self.expr(ExprKind::Project(e, index, span), start, end),
            Err(_) => {
                self.unexpected(
                    at,
                    end,
                    format!("`{index}` is not the place of a tuple's part"),
                    "expected a plain integer",
                    "the parts of a tuple are `t.0`, `t.1` and so on",
                );
                self.expr(ExprKind::Error, start, end)
            }
        }
    }

    /// `a < b < c`. Reported once for a chain, at its second operator.
    pub fn chained(&mut self, start: u32, operator: (u32, u32), end: u32) -> Expr {
        self.unexpected(
            operator.0,
            operator.1,
            "comparisons do not chain",
            "this compares the result of a comparison",
            "write `a < b and b < c`",
        );
        self.expr(ExprKind::Error, start, end)
    }

    // ---- numbers outside expressions

    /// An integer in a pattern or a size.
    pub fn integer(&mut self, text: &str, negated: bool, start: u32, end: u32) -> Option<i64> {
        let value = number::plain_integer(text, negated);
        if value.is_none() {
            let title = format!("`{text}` cannot stand here");
            let diagnostic = Diagnostic::error(Code::BAD_NUMBER, title)
                .at(self.span(start, end), "expected a plain integer that fits `i64`");
            self.diagnostics.push(diagnostic);
        }
        value
    }

    pub fn name(&self, text: &str, start: u32, end: u32) -> Name {
        self.idle.set(0);
        Name { text: text.to_string(), span: self.span(start, end) }
    }
}

/// The E0105 diagnostic.
pub fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(Code::TOO_DEEP, "this is nested too deeply")
        .at(span, "the limit is reached here")
        .hint("name an inner part with `let`, or a part of a long chain of operators")
}
