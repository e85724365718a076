//! Parts of the syntax as text: types and sizes as they are written, and short texts for expressions and patterns.

use arr_syntax::ast::{self, Expr, ExprKind, Pattern, PatternKind, SizeKind, Subscript, TypeArg, TypeKind};
use arr_syntax::print_expr;

/// A size as it is written.
pub(crate) fn size_text(size: &ast::Size) -> String {
    let factor = |s: &ast::Size| match &s.kind {
        SizeKind::Add(..) | SizeKind::Sub(..) => format!("({})", size_text(s)),
        _ => size_text(s),
    };
    match &size.kind {
        SizeKind::Int(value) => value.to_string(),
        SizeKind::Name(name) => name.clone(),
        SizeKind::Computed(name) => format!("?{name}"),
        SizeKind::Add(a, b) => format!("{} + {}", size_text(a), size_text(b)),
        SizeKind::Sub(a, b) => format!("{} - {}", size_text(a), factor(b)),
        SizeKind::Mul(a, b) => format!("{} * {}", factor(a), factor(b)),
        SizeKind::Error => "?".to_string(),
    }
}

/// A type as it is written.
pub(crate) fn type_text(ty: &ast::Type) -> String {
    let many = |items: &[ast::Type]| items.iter().map(type_text).collect::<Vec<_>>().join(", ");
    match &ty.kind {
        TypeKind::Named { name, args } if args.is_empty() => name.text.clone(),
        TypeKind::Named { name, args } => {
            let args: Vec<String> = args
                .iter()
                .map(|arg| match arg {
                    TypeArg::Size(size) => size_text(size),
                    TypeArg::Type(ty) => type_text(ty),
                })
                .collect();
            format!("{}[{}]", name.text, args.join(", "))
        }
        TypeKind::Array(size, inner) => format!("[{}]{}", size_text(size), type_text(inner)),
        TypeKind::Tuple(items) => format!("({})", many(items)),
        TypeKind::Record(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, ty)| format!("{}: {}", name.text, type_text(ty))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        TypeKind::Function(params, result) => match params.as_slice() {
            [one] if !matches!(one.kind, TypeKind::Function(..) | TypeKind::Tuple(_)) => {
                format!("{} -> {}", type_text(one), type_text(result))
            }
            params => format!("({}) -> {}", many(params), type_text(result)),
        },
        TypeKind::Error => "?".to_string(),
    }
}

/// A short text for an expression in a message: names, fields and calls as written, `..` for the rest.
pub(crate) fn expr_text(expr: &Expr) -> String {
    match &*expr.kind {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Number(n) => format!("{}{}", n.digits, n.suffix.as_deref().unwrap_or("")),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Text(text) => format!("\"{text}\""),
        ExprKind::Field(e, name) => format!("{}.{}", expr_text(e), name.text),
        ExprKind::Project(e, at, _) => format!("{}.{at}", expr_text(e)),
        ExprKind::Call(f, _) => format!("{}(..)", expr_text(f)),
        ExprKind::Index(a, _) => format!("{}[..]", expr_text(a)),
        _ => "..".to_string(),
    }
}

/// An expression as it is written, or `..` for one that would fill the message.
pub(crate) fn short_text(expr: &Expr) -> String {
    const LONGEST: usize = 40;
    // Printing a large expression takes time that a message is not worth.
    if expr.span.len() > 2 * LONGEST {
        return "..".to_string();
    }
    let text = print_expr(expr);
    if text.len() > LONGEST || text.contains('\n') { "..".to_string() } else { text }
}

/// The index in brackets that is to add an axis, as in NumPy.
pub(crate) fn new_axis(subscripts: &[Subscript]) -> Option<&Expr> {
    subscripts.iter().find_map(|subscript| match subscript {
        Subscript::Index(e) => match &*e.kind {
            ExprKind::Name(name) if matches!(name.as_str(), "None" | "newaxis") => Some(e),
            ExprKind::Field(base, name) if name.text == "newaxis" && matches!(&*base.kind, ExprKind::Name(_)) => {
                Some(e)
            }
            _ => None,
        },
        Subscript::Slice { .. } => None,
    })
}

pub(crate) fn pattern_text(pattern: &Pattern) -> String {
    match &pattern.kind {
        PatternKind::Tuple(items) => format!("a tuple pattern of {}", items.len()),
        PatternKind::Record(fields) => {
            let names: Vec<String> = fields.iter().map(|(n, _)| n.text.clone()).collect();
            format!("the record pattern `{{ {} }}`", names.join(", "))
        }
        PatternKind::Constructor(name, _) => format!("the pattern `{}`", name.text),
        _ => "the pattern".to_string(),
    }
}
