//! Numbers, and expressions of numbers that take the type of their context.

use crate::data::builtins;
use crate::data::declared_type::DeclaredType;
use crate::data::problem::Problem;
use crate::data::tables::ParamSig;
use crate::data::values::{Hint, Val};
use crate::elaborate::Elab;
use arr_base::Span;
use arr_ir::{Const, Scalar};
use arr_syntax::ast::{BinaryOp, Bound, Expr, ExprKind, Number, UnaryOp};

/// Expressions are examined to this depth.
const FUEL: u32 = 48;

impl Elab<'_> {
    /// Whether the expression's element type is open: a number without a suffix, arithmetic of such, an array filled
    /// with them, or a call of a definition whose arguments leave the type of its result open. The context, most often
    /// the other operand, decides.
    pub(crate) fn is_flexible(&self, expr: &Expr) -> bool {
        self.flexible(expr, FUEL)
    }

    fn flexible(&self, expr: &Expr, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        match &*expr.kind {
            ExprKind::Number(n) => n.suffix.is_none(),
            ExprKind::Unary(UnaryOp::Neg, e) => self.flexible(e, fuel),
            ExprKind::Binary(op, a, b) => is_arithmetic(*op) && self.flexible(b, fuel) && self.flexible(a, fuel),
            ExprKind::Array(items) => items.iter().take(16).all(|e| self.flexible(e, fuel)),
            ExprKind::Tuple(items) => !items.is_empty() && items.iter().take(16).all(|e| self.flexible(e, fuel)),
            ExprKind::If(_, a, b) | ExprKind::With(a, _, b) => self.flexible(a, fuel) && self.flexible(b, fuel),
            ExprKind::Let(_, body) | ExprKind::For(_, body) => self.flexible(body, fuel),
            ExprKind::Match(_, arms) => !arms.is_empty() && arms.iter().take(16).all(|(_, e)| self.flexible(e, fuel)),
            ExprKind::Call(f, args) => match (&*f.kind, args.as_slice()) {
                (ExprKind::Name(name), _) if matches!(name.as_str(), "zeros" | "ones" | "onehot") => true,
                (ExprKind::Name(name), [_, x]) if name == "replicate" => self.flexible(x, fuel),
                _ => self.leaves_result_open(f, args, fuel),
            },
            _ => false,
        }
    }

    /// Whether a definition is called whose result has a type parameter for its element type, and no argument fixes it.
    fn leaves_result_open(&self, callee: &Expr, args: &[Expr], fuel: u32) -> bool {
        let Some(info) = self.named_def(callee).and_then(|def| self.tables.info(def)) else { return false };
        let Some(name) = info.result.as_ref().and_then(elem_param) else { return false };
        info.params().iter().zip(args).all(|(param, arg)| {
            !param.ty.type_params().contains(&name) || !param.ty.is_fn() && self.flexible(arg, fuel)
        })
    }

    /// The definition that an expression names, in this file or a module.
    pub(crate) fn named_def(&self, expr: &Expr) -> Option<usize> {
        match &*expr.kind {
            ExprKind::Name(name) if self.env.get(name).is_none() => self.tables.find(self.scope.module, name),
            ExprKind::Field(base, name) => self.tables.find(self.module_of(base)??, &name.text),
            _ => None,
        }
    }

    /// Whether a number with a point, or a definition whose result is a float unless told otherwise, is among what
    /// makes up a flexible expression.
    pub(crate) fn has_decimal(&self, expr: &Expr) -> bool {
        self.decimal(expr, FUEL)
    }

    fn decimal(&self, expr: &Expr, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        match &*expr.kind {
            ExprKind::Number(n) => n.is_decimal() && n.suffix.is_none(),
            ExprKind::Unary(UnaryOp::Neg, e) => self.decimal(e, fuel),
            ExprKind::Binary(op, a, b) => is_arithmetic(*op) && (self.decimal(b, fuel) || self.decimal(a, fuel)),
            ExprKind::Array(items) => items.iter().take(16).any(|e| self.decimal(e, fuel)),
            ExprKind::If(_, a, b) | ExprKind::With(a, _, b) => self.decimal(a, fuel) || self.decimal(b, fuel),
            ExprKind::Let(_, body) | ExprKind::For(_, body) => self.decimal(body, fuel),
            ExprKind::Match(_, arms) => arms.iter().take(16).any(|(_, e)| self.decimal(e, fuel)),
            ExprKind::Call(f, args) => self.is_float_definition(f, args, fuel),
            _ => false,
        }
    }

    fn is_float_definition(&self, callee: &Expr, args: &[Expr], fuel: u32) -> bool {
        let Some(info) = self.named_def(callee).and_then(|def| self.tables.info(def)) else { return false };
        let Some(name) = info.result.as_ref().and_then(elem_param) else { return false };
        let mentions = |param: &ParamSig| param.ty.type_params().contains(&name);
        let bound = info.type_params.iter().find(|(param, _)| param == name).map(|(_, bound)| *bound);
        let from_args = || info.params().iter().zip(args).any(|(p, arg)| mentions(p) && self.decimal(arg, fuel));
        bound == Some(Bound::Float) || !info.params().iter().any(mentions) || from_args()
    }

    /// Whether an exponent whose type is open must be a float: where a number with a point, or a function of floats,
    /// decides the type of the whole. The context does not say, as an exponent may be an integer as well.
    pub(crate) fn wants_float(&self, expr: &Expr) -> bool {
        self.floating(expr, FUEL)
    }

    fn floating(&self, expr: &Expr, fuel: u32) -> bool {
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        match &*expr.kind {
            ExprKind::Unary(UnaryOp::Neg, e) | ExprKind::Index(e, _) => self.floating(e, fuel),
            ExprKind::Binary(op, a, b) if is_arithmetic(*op) || *op == BinaryOp::MatMul => {
                self.floating(b, fuel) || self.floating(a, fuel)
            }
            ExprKind::Array(items) => items.iter().take(16).any(|e| self.floating(e, fuel)),
            ExprKind::If(_, a, b) | ExprKind::With(a, _, b) => self.floating(a, fuel) || self.floating(b, fuel),
            ExprKind::Let(_, body) | ExprKind::For(_, body) => self.floating(body, fuel),
            ExprKind::Match(_, arms) => arms.iter().take(16).any(|(_, e)| self.floating(e, fuel)),
            ExprKind::Call(f, args) => match self.named_builtin(f) {
                Some(kind) => {
                    let decides = |at: usize| kind.keeps_elem() && !kind.is_int_arg(at);
                    let mut deciding = args.iter().enumerate().filter(|(at, _)| decides(*at));
                    kind.takes_floats() || deciding.any(|(_, e)| self.floating(e, fuel))
                }
                None => self.decimal(expr, fuel),
            },
            _ => self.decimal(expr, fuel),
        }
    }

    /// The built-in function that an expression names.
    pub(crate) fn named_builtin(&self, expr: &Expr) -> Option<builtins::BuiltinKind> {
        let ExprKind::Name(name) = &*expr.kind else { return None };
        let module = self.scope.module;
        let other = self.env.get(name).is_some()
            || self.scope.get(name).is_some()
            || self.tables.find(module, name).is_some()
            || self.tables.constructor(module, name).is_some();
        builtins::lookup(name).filter(|_| !other).map(|builtin| builtin.kind)
    }

    /// What numbers without a type become together: what the context says, and otherwise floats where one of them is a
    /// decimal.
    pub(crate) fn joint_hint<'e>(&self, hint: Hint, exprs: impl IntoIterator<Item = &'e Expr>) -> Hint {
        let open = hint.elem().is_none() && exprs.into_iter().any(|e| self.is_flexible(e) && self.has_decimal(e));
        if open { Hint::Elem(Scalar::F64) } else { hint }
    }
}

/// The type parameter that is the element type of a scalar or an array.
pub(crate) fn elem_param(ty: &DeclaredType) -> Option<&str> {
    match ty {
        DeclaredType::Param(name) => Some(name),
        DeclaredType::Array(_, inner) => elem_param(inner),
        _ => None,
    }
}

pub(crate) fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Pow, Rem, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Pow)
}

impl Elab<'_> {
    pub fn number(&mut self, number: &Number, negative: bool, span: Span, hint: &Hint) -> Val {
        let digits = number.decimal_digits();
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

/// The number, rounded once from its text; `None` where it is too large, or an integer that the type does not hold:
/// only what is written as a decimal is rounded.
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
