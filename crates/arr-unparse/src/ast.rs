//! Builds syntax trees. Nothing here has a position in a file, so all spans are one empty span.

use arr_base::{Id, SourceId, Span};
use arr_syntax::ast::{
    BinaryOp, Binding, Expr, ExprKind, Generator, Loop, LoopKind, Name, Number, Pattern, PatternKind, Size, SizeKind,
    Subscript, Type, TypeKind, UnaryOp,
};

pub fn span() -> Span {
    Span::new(SourceId::from_index(0), 0, 0)
}

pub fn name(text: &str) -> Name {
    Name { text: text.to_string(), span: span() }
}

pub fn expr(kind: ExprKind) -> Expr {
    Expr::new(kind, span())
}

pub fn var(text: &str) -> Expr {
    expr(ExprKind::Name(text.to_string()))
}

pub fn int(value: i64) -> Expr {
    expr(ExprKind::Number(Number { digits: value.to_string(), suffix: None }))
}

pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, a, b))
}

pub fn unary(op: UnaryOp, a: Expr) -> Expr {
    expr(ExprKind::Unary(op, a))
}

pub fn call(function: &str, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Call(var(function), args))
}

/// A tuple; a single value stays itself.
pub fn tuple(mut items: Vec<Expr>) -> Expr {
    match (items.len(), items.pop()) {
        (1, Some(only)) => only,
        (_, last) => expr(ExprKind::Tuple(items.into_iter().chain(last).collect())),
    }
}

/// `e[i, j]`; without indices, `e`.
pub fn index(e: Expr, indices: Vec<Expr>) -> Expr {
    if indices.is_empty() {
        return e;
    }
    expr(ExprKind::Index(e, indices.into_iter().map(Subscript::Index).collect()))
}

/// `e[lo:hi]`, `e[lo:hi:step]`
pub fn slice(e: Expr, lo: Expr, hi: Expr, step: Option<Expr>) -> Expr {
    expr(ExprKind::Index(e, vec![Subscript::Slice { lo: Some(lo), hi: Some(hi), step, span: span() }]))
}

/// `e with [i, j] = value`; without indices, `value`.
pub fn with(e: Expr, indices: Vec<Expr>, value: Expr) -> Expr {
    if indices.is_empty() {
        return value;
    }
    expr(ExprKind::With(e, indices.into_iter().map(Subscript::Index).collect(), value))
}

pub fn if_(cond: Expr, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::If(cond, a, b))
}

/// `for i < n, j < m => body`
pub fn for_(axes: &[(String, Expr)], body: Expr) -> Expr {
    let generators = axes.iter().map(|(i, n)| Generator::Range(name(i), n.clone())).collect();
    expr(ExprKind::For(generators, body))
}

/// `loop state = init for i < n do body`
pub fn loop_(state: Pattern, init: Expr, (i, n): (&str, Expr), body: Expr) -> Expr {
    let kind = LoopKind::Range(name(i), n);
    expr(ExprKind::Loop(Box::new(Loop { state, ty: None, init, kind, body })))
}

/// `loop state = init while cond do body`
pub fn loop_while(state: Pattern, init: Expr, cond: Expr, body: Expr) -> Expr {
    expr(ExprKind::Loop(Box::new(Loop { state, ty: None, init, kind: LoopKind::While(cond), body })))
}

/// `for x in xs => body`
pub fn for_in(x: &str, xs: Expr, body: Expr) -> Expr {
    expr(ExprKind::For(vec![Generator::Element(pattern(&[x.to_string()]), xs)], body))
}

pub fn let_(bindings: Vec<Binding>, body: Expr) -> Expr {
    if bindings.is_empty() {
        return body;
    }
    // Bindings of a body that is itself a `let` are one list with its own.
    match *body.kind {
        ExprKind::Let(inner, last) => expr(ExprKind::Let(bindings.into_iter().chain(inner).collect(), last)),
        kind => expr(ExprKind::Let(bindings, expr(kind))),
    }
}

pub fn binding(pattern: Pattern, value: Expr) -> Binding {
    Binding { pattern, ty: None, value }
}

/// The pattern that binds these names; `_` for none.
pub fn pattern(names: &[String]) -> Pattern {
    let one = |n: &String| Pattern { kind: PatternKind::Name(n.clone()), span: span() };
    match names {
        [] => Pattern { kind: PatternKind::Wildcard, span: span() },
        [only] => one(only),
        _ => Pattern { kind: PatternKind::Tuple(names.iter().map(one).collect()), span: span() },
    }
}

pub fn ty(kind: TypeKind) -> Type {
    Type { kind, span: span() }
}

pub fn size(kind: SizeKind) -> Size {
    Size { kind, span: span() }
}

/// The approximate width of the expression on a line, in characters.
pub fn width(e: &Expr) -> usize {
    let mut children = 0;
    let mut count = 0;
    e.kind.for_each_child(|child| {
        children += width(child);
        count += 1;
    });
    let own = match &*e.kind {
        ExprKind::Number(n) => n.digits.len() + n.suffix.as_ref().map_or(0, String::len),
        ExprKind::Name(text) => text.len(),
        ExprKind::Field(_, field) => field.text.len() + 1,
        ExprKind::Record(fields) => fields.iter().map(|(n, _)| n.text.len() + 5).sum(),
        ExprKind::If(..) => 14,
        ExprKind::For(generators, _) => 4 + 6 * generators.len(),
        ExprKind::Let(bindings, _) => 8 * bindings.len() + 3,
        ExprKind::Loop(_) => 30,
        ExprKind::With(..) => 10,
        _ => 2 * count,
    };
    own + children
}
