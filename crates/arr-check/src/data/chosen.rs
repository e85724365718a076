//! Derivatives with respect to chosen parameters, as they are written: `grad[w, b]` by their names, `grad[0, 2]` by
//! their places.

use crate::data::builtins::{self, Builtin, BuiltinKind};
use arr_base::Span;
use arr_syntax::ast::{Expr, ExprKind, Subscript};

/// A parameter of a function: its name, or its place from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chosen<'a> {
    Name(&'a str),
    Place(usize),
}

/// A chosen parameter, and where it is written.
pub(crate) type ChosenAt<'a> = (Chosen<'a>, Span);

/// What `array[subscripts]` chooses, provided that the name in front means the built-in function: the derivative, and the
/// parameters.
pub(crate) fn chosen<'a>(array: &Expr, subscripts: &'a [Subscript]) -> Option<(&'static Builtin, Vec<ChosenAt<'a>>)> {
    let ExprKind::Name(name) = &*array.kind else { return None };
    let builtin = builtins::lookup(name)?;
    let differentiates = matches!(
        builtin.kind,
        BuiltinKind::Derivative(_) | BuiltinKind::Vjp | BuiltinKind::Jvp | BuiltinKind::Linearize
    );
    let parameters: Option<Vec<ChosenAt<'a>>> = subscripts.iter().map(parameter).collect();
    if differentiates { Some((builtin, parameters?)) } else { None }
}

fn parameter(subscript: &Subscript) -> Option<ChosenAt<'_>> {
    let Subscript::Index(e) = subscript else { return None };
    match &*e.kind {
        ExprKind::Name(name) => Some((Chosen::Name(name), e.span)),
        ExprKind::Number(n) if n.suffix.is_none() => Some((Chosen::Place(n.digits.parse().ok()?), e.span)),
        _ => None,
    }
}
