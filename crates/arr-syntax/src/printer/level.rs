//! Precedence for the printer.

use crate::ast::*;

/// How tightly a form binds, loosest first, by the levels of the grammar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// `let if for loop match \`, which extend as far right as possible.
    Open,
    /// `:>` and `with`
    Top,
    Or,
    And,
    Not,
    Comparison,
    Sum,
    Product,
    Contraction,
    Negation,
    Power,
    Postfix,
}

/// How tightly an operator binds.
pub(super) fn binary_level(op: BinaryOp) -> Level {
    match op {
        BinaryOp::Or => Level::Or,
        BinaryOp::And => Level::And,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Level::Comparison,
        BinaryOp::Add | BinaryOp::Sub => Level::Sum,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Level::Product,
        BinaryOp::MatMul => Level::Contraction,
        BinaryOp::Pow => Level::Power,
    }
}

/// The next tighter level, for the right operand of left-associative operators.
pub(super) fn tighter(level: Level) -> Level {
    match level {
        Level::Open => Level::Top,
        Level::Top => Level::Or,
        Level::Or => Level::And,
        Level::And => Level::Not,
        Level::Not => Level::Comparison,
        Level::Comparison => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Contraction,
        Level::Contraction => Level::Negation,
        Level::Negation => Level::Power,
        Level::Power | Level::Postfix => Level::Postfix,
    }
}

/// Whether a form extends as far right as possible. `match` does not, but is treated so for the reader's sake.
pub(super) fn is_open(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Let(..)
            | ExprKind::If(..)
            | ExprKind::For(..)
            | ExprKind::Loop(_)
            | ExprKind::Match(..)
            | ExprKind::Lambda(..)
    )
}

/// How tightly an expression binds when it is printed without parentheses and ends in no open form.
pub(super) fn level(kind: &ExprKind) -> Level {
    match kind {
        kind if is_open(kind) => Level::Open,
        ExprKind::With(..) | ExprKind::Assert(..) => Level::Top,
        ExprKind::Binary(op, _, _) => binary_level(*op),
        ExprKind::Unary(UnaryOp::Not, _) => Level::Not,
        ExprKind::Unary(UnaryOp::Neg, _) => Level::Negation,
        ExprKind::Number(number) if number.digits.starts_with('-') => Level::Negation,
        _ => Level::Postfix,
    }
}

/// Whether parentheses around an operand help the reader though the grammar needs none. If the author has written them,
/// they stay.
pub(super) fn muddled(parent: &ExprKind, operand: &ExprKind) -> bool {
    use BinaryOp::{And, Div, MatMul, Or, Rem};
    let ordering = |op: &BinaryOp| matches!(op, Div | Rem);
    match (parent, operand) {
        (ExprKind::Binary(Or, ..), ExprKind::Binary(And, ..)) => true,
        (ExprKind::Binary(op, ..), ExprKind::Binary(MatMul, ..)) => *op != MatMul && is_product(op),
        (ExprKind::Binary(op, ..), ExprKind::Binary(inner, ..)) if is_product(op) && is_product(inner) => {
            ordering(op) || ordering(inner)
        }
        (ExprKind::Binary(MatMul, ..), ExprKind::Unary(UnaryOp::Neg, _)) => true,
        (ExprKind::Binary(..), ExprKind::Unary(UnaryOp::Not, _)) => true,
        (ExprKind::Unary(..), ExprKind::Binary(..)) => true,
        (ExprKind::With(..) | ExprKind::Assert(..), ExprKind::Binary(..)) => true,
        _ => false,
    }
}

fn is_product(op: &BinaryOp) -> bool {
    binary_level(*op) == Level::Product
}
