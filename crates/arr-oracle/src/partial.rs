//! Partial derivatives of the primitives, written down from calculus; at kinks as defined in `docs/reference.md`.

use crate::machine::Machine;
use crate::number::Num;
use crate::{Run, internal};
use arr_ir::{Const, Prim, Scalar};

/// The factor of a cotangent or tangent.
#[derive(Clone, Debug)]
pub(crate) enum Partial {
    One,
    Times(Num),
    Over(Num),
    /// The product in which a zero wins.
    ZeroWins(Num),
    /// 1, between the float types of operand and result.
    Convert {
        operand: Scalar,
        result: Scalar,
    },
}

impl<'f> Machine<'f> {
    /// The partial derivative of `y = prim(a)` by operand `k`; `None` if it is zero because the operand is not used.
    pub(crate) fn partial(&mut self, prim: Prim, a: &[Num], y: &Num, k: usize) -> Run<Option<Partial>> {
        let Some(x) = a.get(k) else { return Err(internal("an operand is missing")) };
        if !x.elem().is_float() || !y.elem().is_float() {
            return Ok(None);
        }
        let other = a.get(1 - k.min(1)).unwrap_or(x).clone();
        let one = x.like(1.0);
        let minus_one = x.like(-1.0);
        Ok(Some(match prim {
            Prim::Add => Partial::One,
            Prim::Sub if k == 0 => Partial::One,
            Prim::Sub | Prim::Neg => Partial::Times(minus_one),
            Prim::Mul => Partial::Times(other),
            Prim::MulZero => Partial::ZeroWins(other),
            Prim::Div if k == 0 => Partial::Over(other),
            Prim::Div => {
                let q = self.prim(Prim::Div, &[y.clone(), x.clone()])?;
                Partial::Times(self.prim(Prim::Neg, &[q])?)
            }
            Prim::Rem if k == 0 => Partial::One,
            Prim::Rem => {
                let q = self.prim(Prim::Div, &[other, x.clone()])?;
                let q = self.prim(Prim::Floor, &[q])?;
                Partial::Times(self.prim(Prim::Neg, &[q])?)
            }
            Prim::Sign | Prim::Floor | Prim::Ceil | Prim::Round => return Ok(None),
            Prim::Abs => Partial::Times(self.unary(Prim::Sign, x)?),
            Prim::Max | Prim::Min => {
                let wins = if prim == Prim::Max { Prim::Ge } else { Prim::Le };
                let first = self.prim(wins, &[a[0].clone(), a[1].clone()])?.plain() == Const::Bool(true);
                return Ok((first == (k == 0)).then_some(Partial::One));
            }
            Prim::Select => {
                let first = a[0].plain() == Const::Bool(true);
                return Ok((first == (k == 1)).then_some(Partial::One));
            }
            Prim::Pow if k == 0 => {
                let less = self.prim(Prim::Sub, &[other.clone(), one])?;
                let power = self.prim(Prim::Pow, &[x.clone(), less])?;
                Partial::Times(self.prim(Prim::Mul, &[other, power])?)
            }
            Prim::Pow => {
                let positive = x.plain().as_f64().is_some_and(|p| p > 0.0);
                if other.plain().is_zero() && positive {
                    return Ok(None);
                }
                let log = self.prim(Prim::Log, &[other])?;
                Partial::Times(self.prim(Prim::Mul, &[y.clone(), log])?)
            }
            Prim::PowInt => {
                let Some(n) = other.plain().as_i64() else { return Err(internal("an exponent that is no integer")) };
                if n == 0 {
                    return Ok(None);
                }
                let power = self.prim(Prim::PowInt, &[x.clone(), Num::Plain(Const::I64(n - 1))])?;
                Partial::Times(self.prim(Prim::Mul, &[x.like(n as f64), power])?)
            }
            _ => return self.partial_of_function(prim, a, y, k).map(Some),
        }))
    }

    /// Smooth functions of `x`, which is operand `k`.
    fn partial_of_function(&mut self, prim: Prim, a: &[Num], y: &Num, k: usize) -> Run<Partial> {
        let Some(x) = a.get(k) else { return Err(internal("an operand is missing")) };
        let one = x.like(1.0);
        let square = self.prim(Prim::Mul, &[x.clone(), x.clone()])?;
        let unexpected = || Err(internal(&format!("no derivative of `{}`", prim.name())));
        Ok(match prim {
            Prim::Exp => Partial::Times(y.clone()),
            Prim::Log => Partial::Over(x.clone()),
            Prim::Log1p => Partial::Over(self.prim(Prim::Add, &[one, x.clone()])?),
            Prim::Expm1 => Partial::Times(self.unary(Prim::Exp, x)?),
            Prim::Sqrt => Partial::Over(self.prim(Prim::Mul, &[x.like(2.0), y.clone()])?),
            Prim::Sin => Partial::Times(self.unary(Prim::Cos, x)?),
            Prim::Cos => {
                let s = self.unary(Prim::Sin, x)?;
                Partial::Times(self.prim(Prim::Neg, &[s])?)
            }
            Prim::Tan => {
                let c = self.unary(Prim::Cos, x)?;
                Partial::Over(self.prim(Prim::Mul, &[c.clone(), c])?)
            }
            Prim::Asin | Prim::Acos => {
                let rest = self.prim(Prim::Sub, &[one, square])?;
                let root = self.prim(Prim::Sqrt, &[rest])?;
                Partial::Over(if prim == Prim::Asin { root } else { self.prim(Prim::Neg, &[root])? })
            }
            Prim::Atan => Partial::Over(self.prim(Prim::Add, &[one, square])?),
            Prim::Sinh => Partial::Times(self.unary(Prim::Cosh, x)?),
            Prim::Cosh => Partial::Times(self.unary(Prim::Sinh, x)?),
            Prim::Tanh => {
                let square = self.prim(Prim::Mul, &[y.clone(), y.clone()])?;
                Partial::Times(self.prim(Prim::Sub, &[one, square])?)
            }
            Prim::Atan2 => self.partial_of_angle(a, k)?,
            Prim::Erf => {
                let minus = self.prim(Prim::Neg, &[square])?;
                let e = self.prim(Prim::Exp, &[minus])?;
                Partial::Times(self.prim(Prim::Mul, &[x.like(2.0 / std::f64::consts::PI.sqrt()), e])?)
            }
            Prim::Lgamma => Partial::Times(self.unary(Prim::Digamma, x)?),
            Prim::Digamma => Partial::Times(self.prim(Prim::Polygamma, &[Num::Plain(Const::I64(1)), x.clone()])?),
            Prim::Polygamma => {
                let order = a.first().and_then(|n| n.plain().as_i64()).unwrap_or(0);
                let next = Num::Plain(Const::I64(order.wrapping_add(1)));
                Partial::Times(self.prim(Prim::Polygamma, &[next, x.clone()])?)
            }
            Prim::Sigmoid => {
                let rest = self.prim(Prim::Sub, &[one, y.clone()])?;
                Partial::Times(self.prim(Prim::Mul, &[y.clone(), rest])?)
            }
            Prim::Softplus => Partial::Times(self.unary(Prim::Sigmoid, x)?),
            Prim::ToF32 | Prim::ToF64 => Partial::Convert { operand: x.elem(), result: y.elem() },
            // Those of `partial`, and those whose results are not floats. There is no arm for the rest, so that the compiler
            // names a primitive without a derivative.
            Prim::Add | Prim::Sub | Prim::Mul | Prim::MulZero | Prim::Div | Prim::Rem => return unexpected(),
            Prim::Neg | Prim::Abs | Prim::Sign | Prim::Floor | Prim::Ceil | Prim::Round => return unexpected(),
            Prim::Min | Prim::Max | Prim::Select | Prim::Pow | Prim::PowInt => return unexpected(),
            Prim::IsNan | Prim::IsFinite | Prim::And | Prim::Or | Prim::Not => return unexpected(),
            Prim::Eq | Prim::Ne | Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge => return unexpected(),
            Prim::BitAnd | Prim::BitOr | Prim::BitXor | Prim::Shl | Prim::Shr => return unexpected(),
            Prim::ToBool | Prim::ToI32 | Prim::ToI64 | Prim::ToU32 => return unexpected(),
        })
    }

    /// `atan2(y, x)`: `x / (x^2 + y^2)` and `-y / (x^2 + y^2)`.
    fn partial_of_angle(&mut self, a: &[Num], k: usize) -> Run<Partial> {
        let [y, x] = a else { return Err(internal("an operand is missing")) };
        let (yy, xx) = (self.prim(Prim::Mul, &[y.clone(), y.clone()])?, self.prim(Prim::Mul, &[x.clone(), x.clone()])?);
        let sum = self.prim(Prim::Add, &[xx, yy])?;
        let top = if k == 0 { x.clone() } else { self.unary(Prim::Neg, y)? };
        Ok(Partial::Times(self.prim(Prim::Div, &[top, sum])?))
    }

    fn unary(&mut self, prim: Prim, x: &Num) -> Run<Num> {
        self.prim(prim, std::slice::from_ref(x))
    }

    /// Propagates a tangent of the operand to the result.
    pub(crate) fn forwards(&mut self, partial: &Partial, tangent: &Num) -> Run<Num> {
        match partial {
            Partial::Convert { result, .. } => self.unary(Prim::convert(*result), tangent),
            _ => self.backwards(partial, tangent),
        }
    }

    /// Propagates a cotangent of the result to the operand.
    pub(crate) fn backwards(&mut self, partial: &Partial, cotangent: &Num) -> Run<Num> {
        match partial {
            Partial::One => Ok(cotangent.clone()),
            Partial::Times(p) => self.prim(Prim::Mul, &[cotangent.clone(), p.clone()]),
            Partial::Over(p) => self.prim(Prim::Div, &[cotangent.clone(), p.clone()]),
            Partial::ZeroWins(p) => self.prim(Prim::MulZero, &[cotangent.clone(), p.clone()]),
            Partial::Convert { operand, .. } => self.unary(Prim::convert(*operand), cotangent),
        }
    }
}
