//! Constants, primitives and sizes as expressions.

use crate::ast;
use arr_ir::{Const, Poly, Prim, VarId};
use arr_syntax::ast::{BinaryOp, Expr, ExprKind, Number, UnaryOp};

/// A constant: with a suffix unless it has the type of an unsuffixed literal.
pub fn constant(c: Const) -> Expr {
    match c {
        Const::Bool(b) => ast::expr(ExprKind::Bool(b)),
        Const::F64(x) => float(x, format!("{:?}", x.abs()), None),
        Const::F32(x) => float(f64::from(x), format!("{:?}", x.abs()), Some("f32")),
        Const::I64(i64::MIN) => {
            let most = number((i64::MIN + 1).unsigned_abs().to_string(), None);
            ast::binary(BinaryOp::Sub, ast::unary(UnaryOp::Neg, most), ast::int(1))
        }
        Const::I64(i) => signed(i < 0, number(i.unsigned_abs().to_string(), None)),
        Const::I32(i32::MIN) => {
            let most = number((i32::MIN + 1).unsigned_abs().to_string(), Some("i32"));
            ast::binary(BinaryOp::Sub, ast::unary(UnaryOp::Neg, most), number("1".to_string(), Some("i32")))
        }
        Const::I32(i) => signed(i < 0, number(i.unsigned_abs().to_string(), Some("i32"))),
        Const::U32(u) => number(u.to_string(), Some("u32")),
    }
}

fn number(digits: String, suffix: Option<&str>) -> Expr {
    ast::expr(ExprKind::Number(Number { digits, suffix: suffix.map(str::to_string) }))
}

fn signed(negative: bool, e: Expr) -> Expr {
    if negative { ast::unary(UnaryOp::Neg, e) } else { e }
}

/// Infinities and NaN have no literal: they are quotients.
fn float(x: f64, digits: String, suffix: Option<&str>) -> Expr {
    let digit = |d: &str| number(d.to_string(), suffix);
    if x.is_nan() {
        return ast::binary(BinaryOp::Div, digit("0.0"), digit("0.0"));
    }
    if x.is_infinite() {
        return ast::binary(BinaryOp::Div, signed(x < 0.0, digit("1.0")), digit("0.0"));
    }
    signed(x.is_sign_negative(), number(digits, suffix))
}

/// The number behind a minus sign.
fn negated(e: &Expr) -> Option<Expr> {
    match &*e.kind {
        ExprKind::Unary(UnaryOp::Neg, inner) if matches!(*inner.kind, ExprKind::Number(_)) => Some(inner.clone()),
        _ => None,
    }
}

/// An application of a primitive: as an operator if there is one.
pub fn prim(prim: Prim, args: Vec<Expr>) -> Expr {
    let operator = match prim {
        Prim::Add => Some(BinaryOp::Add),
        Prim::Sub => Some(BinaryOp::Sub),
        Prim::Mul => Some(BinaryOp::Mul),
        Prim::Div => Some(BinaryOp::Div),
        Prim::Rem => Some(BinaryOp::Rem),
        Prim::Pow | Prim::PowInt => Some(BinaryOp::Pow),
        Prim::Eq => Some(BinaryOp::Eq),
        Prim::Ne => Some(BinaryOp::Ne),
        Prim::Lt => Some(BinaryOp::Lt),
        Prim::Le => Some(BinaryOp::Le),
        Prim::Gt => Some(BinaryOp::Gt),
        Prim::Ge => Some(BinaryOp::Ge),
        Prim::And => Some(BinaryOp::And),
        Prim::Or => Some(BinaryOp::Or),
        _ => None,
    };
    match (operator, prim, args.as_slice()) {
        (Some(BinaryOp::Add), _, [a, b]) => match (negated(a), negated(b)) {
            (_, Some(b)) => ast::binary(BinaryOp::Sub, a.clone(), b),
            (Some(a), None) => ast::binary(BinaryOp::Sub, b.clone(), a),
            (None, None) => ast::binary(BinaryOp::Add, a.clone(), b.clone()),
        },
        (Some(BinaryOp::Sub), _, [a, b]) => match negated(b) {
            Some(b) => ast::binary(BinaryOp::Add, a.clone(), b),
            None => ast::binary(BinaryOp::Sub, a.clone(), b.clone()),
        },
        (Some(op), _, [a, b]) => ast::binary(op, a.clone(), b.clone()),
        (_, Prim::Neg, [a]) => ast::unary(UnaryOp::Neg, a.clone()),
        (_, Prim::Not, [a]) => ast::unary(UnaryOp::Not, a.clone()),
        _ => ast::call(prim.name(), args),
    }
}

/// A polynomial: positive terms first, the constant last.
pub fn poly(poly: &Poly, var: &dyn Fn(VarId) -> Expr) -> Expr {
    let mut terms: Vec<(&[VarId], i64)> = poly.terms.iter().map(|(m, &c)| (m.as_slice(), c)).collect();
    terms.sort_by_key(|(m, c)| (*c < 0, m.is_empty()));
    let mut sum: Option<Expr> = None;
    for (monomial, c) in terms {
        let factors = monomial.iter().map(|&v| var(v));
        let number = (c.unsigned_abs() != 1 || monomial.is_empty()).then(|| number(c.unsigned_abs().to_string(), None));
        let term = number.into_iter().chain(factors).reduce(|a, b| ast::binary(BinaryOp::Mul, a, b));
        let Some(term) = term else { continue };
        sum = Some(match sum {
            None => signed(c < 0, term),
            Some(sum) => ast::binary(if c < 0 { BinaryOp::Sub } else { BinaryOp::Add }, sum, term),
        });
    }
    sum.unwrap_or_else(|| ast::int(0))
}
