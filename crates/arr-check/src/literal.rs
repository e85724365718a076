//! Numbers, and expressions of numbers that take the type of their context.

use crate::elab::Elab;
use crate::error::Problem;
use crate::types::{Hint, Val};
use arr_base::Span;
use arr_ir::{Const, Scalar};
use arr_syntax::ast::{BinaryOp, Expr, ExprKind, Number, UnaryOp};

/// Whether the expression's element type is open: a number without a suffix, arithmetic of such, or an array filled
/// with them. The context, most often the other operand, decides.
pub(crate) fn is_flexible(expr: &Expr) -> bool {
    flexible(expr, 48)
}

fn flexible(expr: &Expr, fuel: u32) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    match &*expr.kind {
        ExprKind::Number(n) => n.suffix.is_none(),
        ExprKind::Unary(UnaryOp::Neg, e) => flexible(e, fuel),
        ExprKind::Binary(op, a, b) => is_arithmetic(*op) && flexible(b, fuel) && flexible(a, fuel),
        ExprKind::Array(items) => items.iter().take(16).all(|e| flexible(e, fuel)),
        ExprKind::Tuple(items) => !items.is_empty() && items.iter().take(16).all(|e| flexible(e, fuel)),
        ExprKind::If(_, a, b) => flexible(a, fuel) && flexible(b, fuel),
        ExprKind::Let(_, body) | ExprKind::For(_, body) => flexible(body, fuel),
        ExprKind::Match(_, arms) => !arms.is_empty() && arms.iter().take(16).all(|(_, e)| flexible(e, fuel)),
        ExprKind::Call(f, args) => match (&*f.kind, args.as_slice()) {
            (ExprKind::Name(name), _) if matches!(name.as_str(), "zeros" | "ones" | "onehot") => true,
            (ExprKind::Name(name), [_, x]) if name == "replicate" => flexible(x, fuel),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a number with a point is among the numbers that make up a flexible expression.
pub(crate) fn has_decimal(expr: &Expr) -> bool {
    decimal(expr, 48)
}

fn decimal(expr: &Expr, fuel: u32) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    match &*expr.kind {
        ExprKind::Number(n) => n.is_decimal() && n.suffix.is_none(),
        ExprKind::Unary(UnaryOp::Neg, e) => decimal(e, fuel),
        ExprKind::Binary(op, a, b) => is_arithmetic(*op) && (decimal(b, fuel) || decimal(a, fuel)),
        ExprKind::Array(items) => items.iter().take(16).any(|e| decimal(e, fuel)),
        ExprKind::If(_, a, b) => decimal(a, fuel) || decimal(b, fuel),
        ExprKind::Let(_, body) | ExprKind::For(_, body) => decimal(body, fuel),
        ExprKind::Match(_, arms) => arms.iter().take(16).any(|(_, e)| decimal(e, fuel)),
        _ => false,
    }
}

/// What numbers without a type become together: what the context says, and otherwise floats where one of them is a
/// decimal.
pub(crate) fn joint_hint<'e>(hint: Hint, exprs: impl IntoIterator<Item = &'e Expr>) -> Hint {
    let open = hint.elem().is_none() && exprs.into_iter().any(|e| is_flexible(e) && has_decimal(e));
    if open { Hint::Elem(Scalar::F64) } else { hint }
}

pub(crate) fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Pow, Rem, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Pow)
}

impl Elab<'_> {
    pub fn number(&mut self, number: &Number, negative: bool, span: Span, hint: &Hint) -> Val {
        let digits: String = number.digits.chars().filter(|c| *c != '_').collect();
        let sign = if negative { "-" } else { "" };
        let text = format!("{sign}{digits}");
        let decimal = number.is_decimal();
        let elem = match number.suffix.as_deref().and_then(Scalar::from_name) {
            Some(elem) => elem,
            None => match hint.elem() {
                Some(Scalar::Bool) | None => {
                    if decimal {
                        Scalar::F64
                    } else {
                        Scalar::I64
                    }
                }
                Some(elem) => elem,
            },
        };
        if decimal && elem.is_int() {
            return self.fail(Problem::LiteralType { span, text, ty: elem.name().to_string(), decimal });
        }
        if elem.is_float() {
            return match float(elem, &text, decimal) {
                Ok(Some(value)) => Val::scalar(elem, value),
                Ok(None) => self.fail(Problem::LiteralRange { span, text, ty: elem }),
                Err(_) => self.fail(Problem::BadNumber { span, text }),
            };
        }
        match text.parse::<i128>() {
            Ok(value) => match in_range(elem, value) {
                Some(value) => Val::scalar(elem, value),
                None => self.fail(Problem::LiteralRange { span, text, ty: elem }),
            },
            Err(_) => self.fail(Problem::LiteralRange { span, text, ty: elem }),
        }
    }
}

/// The number, rounded once from its text; `None` where it is too large, or an integer that the type does not hold: only
/// what is written as a decimal is rounded.
fn float(elem: Scalar, text: &str, decimal: bool) -> Result<Option<Const>, std::num::ParseFloatError> {
    let (value, wide) = match elem {
        Scalar::F32 => {
            let value: f32 = text.parse()?;
            (Const::F32(value), f64::from(value))
        }
        _ => {
            let value: f64 = text.parse()?;
            (Const::F64(value), value)
        }
    };
    let exact = decimal || text.parse::<i128>().is_ok_and(|int| wide as i128 == int);
    Ok((wide.is_finite() && exact).then_some(value))
}

fn in_range(elem: Scalar, value: i128) -> Option<Const> {
    Some(match elem {
        Scalar::I32 => Const::I32(i32::try_from(value).ok()?),
        Scalar::U32 => Const::U32(u32::try_from(value).ok()?),
        Scalar::I64 => Const::I64(i64::try_from(value).ok()?),
        Scalar::Bool | Scalar::F32 | Scalar::F64 => return None,
    })
}
