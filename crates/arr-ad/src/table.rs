//! The table of scalar derivatives: one row per primitive and operand.
//!
//! For `y = prim(a, b, ..)` a row is the partial derivative with respect to one operand, as a [`Partial`]. Reverse mode
//! multiplies the result's cotangent by it, forward mode the operand's tangent. Kinks follow the conventions of the
//! language: at a tie of `min` or `max` all goes to the first operand, and the derivative is 0 for `abs` at 0 and for
//! `floor ceil round sign`.

use crate::code::CodeBuilder;
use arr_ir::{Atom, Const, Prim, Scalar};

/// The partial derivative of a primitive with respect to one operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Partial {
    /// The result does not depend on the operand, or only through steps.
    Zero,
    One,
    MinusOne,
    /// A number to multiply by.
    Times(Atom),
    /// A number to divide by.
    Over(Atom),
    /// 1 where the condition holds, 0 elsewhere: the operand is selected there.
    Where(Atom),
    /// 1 where the condition does not hold.
    Unless(Atom),
    /// A number to multiply by, where a zero on either side must win (see `Prim::MulZero`). It may itself be the zero
    /// of something that was not selected.
    TimesZero(Atom),
    /// 1, with a conversion between float types.
    Convert,
}

/// The partial derivative of `y = prim(args)` with respect to operand `k`, a float. Auxiliary code goes to `code`.
pub(crate) fn partial(code: &mut CodeBuilder<'_>, prim: Prim, args: &[Atom], y: Atom, k: usize) -> Option<Partial> {
    let arg = |n: usize| args.get(n).copied();
    let a = arg(0)?;
    let row = match (prim, k) {
        (Prim::Add, _) | (Prim::Sub, 0) => Partial::One,
        (Prim::Sub, _) | (Prim::Neg, _) => Partial::MinusOne,
        (Prim::Mul, 0) => Partial::Times(arg(1)?),
        (Prim::Mul, _) => Partial::Times(a),
        (Prim::MulZero, 0) => Partial::TimesZero(arg(1)?),
        (Prim::MulZero, _) => Partial::TimesZero(a),
        (Prim::Div, 0) => Partial::Over(arg(1)?),
        (Prim::Div, _) => {
            let q = code.prim(Prim::Div, &[y, arg(1)?], "q");
            Partial::Times(code.prim(Prim::Neg, &[q], "q"))
        }
        (Prim::Rem, 0) => Partial::One,
        (Prim::Rem, _) => {
            let q = code.prim(Prim::Div, &[a, arg(1)?], "q");
            let q = code.prim(Prim::Floor, &[q], "q");
            Partial::Times(code.prim(Prim::Neg, &[q], "q"))
        }
        (Prim::Abs, _) => Partial::Times(code.prim(Prim::Sign, &[a], "s")),
        (Prim::Sign | Prim::Floor | Prim::Ceil | Prim::Round, _) => Partial::Zero,
        (Prim::Max, _) | (Prim::Min, _) => {
            let first = first_wins(code, prim, a, arg(1)?);
            if k == 0 { Partial::Where(first) } else { Partial::Unless(first) }
        }
        (Prim::Select, 1) => Partial::Where(a),
        (Prim::Select, 2) => Partial::Unless(a),
        (Prim::Pow, 0) => {
            let one = code.number(a, 1.0);
            let p = code.prim(Prim::Sub, &[arg(1)?, one], "p");
            let power = code.prim(Prim::Pow, &[a, p], "p");
            Partial::Times(code.prim(Prim::Mul, &[arg(1)?, power], "p"))
        }
        (Prim::Pow, _) => Partial::Times(pow_exponent(code, a, arg(1)?, y)),
        (Prim::PowInt, 0) => Partial::Times(pow_int(code, a, arg(1)?)),
        (Prim::Exp, _) => Partial::Times(y),
        (Prim::Log, _) => Partial::Over(a),
        (Prim::Log1p, _) => {
            let one = code.number(a, 1.0);
            Partial::Over(code.prim(Prim::Add, &[one, a], "s"))
        }
        (Prim::Expm1, _) => {
            let one = code.number(a, 1.0);
            Partial::Times(code.prim(Prim::Add, &[y, one], "e"))
        }
        (Prim::Sqrt, _) => {
            let two = code.number(a, 2.0);
            Partial::Over(code.prim(Prim::Mul, &[two, y], "s"))
        }
        (Prim::Sin, _) => Partial::Times(code.prim(Prim::Cos, &[a], "c")),
        (Prim::Cos, _) => {
            let s = code.prim(Prim::Sin, &[a], "s");
            Partial::Times(code.prim(Prim::Neg, &[s], "s"))
        }
        (Prim::Tan, _) => {
            let t = code.prim(Prim::Mul, &[y, y], "t");
            let one = code.number(a, 1.0);
            Partial::Times(code.prim(Prim::Add, &[one, t], "t"))
        }
        (Prim::Asin, _) => Partial::Over(root_of_one_minus_square(code, a)),
        (Prim::Acos, _) => {
            let r = root_of_one_minus_square(code, a);
            Partial::Over(code.prim(Prim::Neg, &[r], "r"))
        }
        (Prim::Atan, _) => {
            let s = code.prim(Prim::Mul, &[a, a], "s");
            let one = code.number(a, 1.0);
            Partial::Over(code.prim(Prim::Add, &[one, s], "s"))
        }
        (Prim::Sinh, _) => Partial::Times(code.prim(Prim::Cosh, &[a], "c")),
        (Prim::Cosh, _) => Partial::Times(code.prim(Prim::Sinh, &[a], "s")),
        (Prim::Tanh, _) => {
            let s = code.prim(Prim::Mul, &[y, y], "t");
            let one = code.number(a, 1.0);
            Partial::Times(code.prim(Prim::Sub, &[one, s], "t"))
        }
        // atan2(y, x): x / (x^2 + y^2) and -y / (x^2 + y^2).
        (Prim::Atan2, _) => {
            let b = arg(1)?;
            let aa = code.prim(Prim::Mul, &[a, a], "s");
            let bb = code.prim(Prim::Mul, &[b, b], "s");
            let s = code.prim(Prim::Add, &[aa, bb], "s");
            let top = if k == 0 { b } else { code.prim(Prim::Neg, &[a], "q") };
            Partial::Times(code.prim(Prim::Div, &[top, s], "q"))
        }
        (Prim::Erf, _) => {
            let s = code.prim(Prim::Mul, &[a, a], "s");
            let s = code.prim(Prim::Neg, &[s], "s");
            let e = code.prim(Prim::Exp, &[s], "e");
            let c = code.number(a, std::f64::consts::FRAC_2_SQRT_PI);
            Partial::Times(code.prim(Prim::Mul, &[c, e], "e"))
        }
        (Prim::Lgamma, _) => Partial::Times(code.prim(Prim::Digamma, &[a], "g")),
        (Prim::Digamma, _) => Partial::Times(code.prim(Prim::Polygamma, &[Atom::int(1), a], "g")),
        (Prim::Polygamma, 1) => {
            let n = code.prim(Prim::Add, &[a, Atom::int(1)], "n");
            Partial::Times(code.prim(Prim::Polygamma, &[n, arg(1)?], "g"))
        }
        (Prim::Sigmoid, _) => {
            let one = code.number(a, 1.0);
            let s = code.prim(Prim::Sub, &[one, y], "s");
            Partial::Times(code.prim(Prim::Mul, &[y, s], "s"))
        }
        (Prim::Softplus, _) => Partial::Times(code.prim(Prim::Sigmoid, &[a], "s")),
        (Prim::ToF32 | Prim::ToF64, _) => Partial::Convert,
        // Results that are not floats have no derivative; no caller asks for operands that are not floats.
        (Prim::IsNan | Prim::IsFinite | Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge, _)
        | (Prim::And | Prim::Or | Prim::Not, _)
        | (Prim::BitAnd | Prim::BitOr | Prim::BitXor | Prim::Shl | Prim::Shr, _)
        | (Prim::ToBool | Prim::ToI32 | Prim::ToI64 | Prim::ToU32, _) => Partial::Zero,
        (Prim::Select | Prim::PowInt | Prim::Polygamma, _) => return None,
    };
    Some(row)
}

/// Whether the first operand of `min` or `max` is the result, as it is at a tie.
fn first_wins(code: &mut CodeBuilder<'_>, prim: Prim, a: Atom, b: Atom) -> Atom {
    let compare = if prim == Prim::Max { Prim::Ge } else { Prim::Le };
    code.prim(compare, &[a, b], "first")
}

/// `d/dp x^p = x^p log x`, and 0 at `x = 0` when `p > 0`.
fn pow_exponent(code: &mut CodeBuilder<'_>, x: Atom, p: Atom, y: Atom) -> Atom {
    let zero = code.number(x, 0.0);
    let log = code.prim(Prim::Log, &[x], "l");
    let slope = code.prim(Prim::Mul, &[y, log], "l");
    let at_zero = code.prim(Prim::Eq, &[x, zero], "at_zero");
    let positive = code.prim(Prim::Gt, &[p, zero], "positive");
    let flat = code.prim(Prim::And, &[at_zero, positive], "flat");
    code.prim(Prim::Select, &[flat, zero, slope], "l")
}

/// `d/dx x^n = n x^(n-1)`, and 0 for `n = 0` even at `x = 0`.
fn pow_int(code: &mut CodeBuilder<'_>, x: Atom, n: Atom) -> Atom {
    if let Some(n) = n.constant().and_then(Const::as_i64) {
        let c = code.number(x, n as f64);
        return match n {
            0 => c,
            1 => c,
            2 => code.prim(Prim::Mul, &[c, x], "p"),
            _ => {
                let power = code.prim(Prim::PowInt, &[x, Atom::int(n - 1)], "p");
                code.prim(Prim::Mul, &[c, power], "p")
            }
        };
    }
    let less = code.prim(Prim::Sub, &[n, Atom::int(1)], "n");
    let power = code.prim(Prim::PowInt, &[x, less], "p");
    let to = Prim::convert(code.func.atom_elem(x));
    let c = code.prim(to, &[n], "c");
    let slope = code.prim(Prim::Mul, &[c, power], "p");
    let constant = code.prim(Prim::Eq, &[n, Atom::int(0)], "constant");
    let zero = code.number(x, 0.0);
    code.prim(Prim::Select, &[constant, zero, slope], "p")
}

fn root_of_one_minus_square(code: &mut CodeBuilder<'_>, x: Atom) -> Atom {
    let s = code.prim(Prim::Mul, &[x, x], "s");
    let one = code.number(x, 1.0);
    let s = code.prim(Prim::Sub, &[one, s], "s");
    code.prim(Prim::Sqrt, &[s], "r")
}

/// A cotangent or tangent times a partial derivative; `None` when that is zero. When `selective`, the cotangent may be
/// the exact zero of something that was not selected, which must win over an infinite partial.
pub(crate) fn times(
    code: &mut CodeBuilder<'_>,
    d: Atom,
    partial: Partial,
    elem: Scalar,
    selective: bool,
) -> Option<Atom> {
    let name = "d";
    Some(match partial {
        Partial::Zero => return None,
        Partial::One => d,
        Partial::MinusOne => code.prim(Prim::Neg, &[d], name),
        Partial::Times(f) if selective => code.prim(Prim::MulZero, &[d, f], name),
        Partial::Times(f) => code.prim(Prim::Mul, &[d, f], name),
        Partial::TimesZero(f) => code.prim(Prim::MulZero, &[d, f], name),
        Partial::Over(f) if selective => {
            let one = code.number(f, 1.0);
            let f = code.prim(Prim::Div, &[one, f], name);
            code.prim(Prim::MulZero, &[d, f], name)
        }
        Partial::Over(f) => code.prim(Prim::Div, &[d, f], name),
        Partial::Where(c) => {
            let zero = code.zero(code.func.atom_elem(d));
            code.prim(Prim::Select, &[c, d, zero], name)
        }
        Partial::Unless(c) => {
            let zero = code.zero(code.func.atom_elem(d));
            code.prim(Prim::Select, &[c, zero, d], name)
        }
        Partial::Convert => {
            if code.func.atom_elem(d) == elem {
                d
            } else {
                code.prim(Prim::convert(elem), &[d], name)
            }
        }
    })
}
