//! Integer primitives: wrapping, and division toward negative infinity. The divisor has been checked.

use super::{Codegen, Result, clif_type};
use arr_ir::{Prim, Scalar};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

impl Codegen<'_, '_> {
    pub(super) fn int_unary(&mut self, prim: Prim, scalar: Scalar, x: Value) -> Option<Value> {
        Some(match (prim, scalar) {
            (Prim::Neg, _) => self.b.ins().ineg(x),
            (Prim::Abs, Scalar::U32) => x,
            (Prim::Abs, _) => self.b.ins().iabs(x),
            (Prim::Sign, _) => {
                let ty = clif_type(scalar);
                let signed = scalar != Scalar::U32;
                let positive = self.b.ins().icmp_imm_s(IntCC::NotEqual, x, 0);
                let positive = if signed { self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, x, 0) } else { positive };
                let positive = self.b.ins().uextend(ty, positive);
                if !signed {
                    return Some(positive);
                }
                let negative = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, x, 0);
                let negative = self.b.ins().uextend(ty, negative);
                self.b.ins().isub(positive, negative)
            }
            _ => return None,
        })
    }

    /// `divisor` is the second operand if it is a constant.
    pub(super) fn int_binary(
        &mut self,
        prim: Prim,
        scalar: Scalar,
        x: Value,
        y: Value,
        divisor: Option<i64>,
    ) -> Result<Option<Value>> {
        let unsigned = scalar == Scalar::U32;
        Ok(Some(match prim {
            Prim::Add => self.b.ins().iadd(x, y),
            Prim::Sub => self.b.ins().isub(x, y),
            Prim::Mul => self.b.ins().imul(x, y),
            Prim::Div if unsigned => self.b.ins().udiv(x, y),
            Prim::Rem if unsigned => self.b.ins().urem(x, y),
            Prim::Div => self.div_floor(x, y, divisor),
            Prim::Rem => self.rem_floor(x, y, divisor),
            Prim::Min if unsigned => self.b.ins().umin(x, y),
            Prim::Max if unsigned => self.b.ins().umax(x, y),
            Prim::Min => self.b.ins().smin(x, y),
            Prim::Max => self.b.ins().smax(x, y),
            Prim::BitAnd => self.b.ins().band(x, y),
            Prim::BitOr => self.b.ins().bor(x, y),
            Prim::BitXor => self.b.ins().bxor(x, y),
            // The machine reduces the count modulo the width, as the language does.
            Prim::Shl => self.b.ins().ishl(x, y),
            Prim::Shr if unsigned => self.b.ins().ushr(x, y),
            Prim::Shr => self.b.ins().sshr(x, y),
            Prim::Pow => {
                let (x, y) = (self.widen(scalar, x), self.widen(scalar, y));
                let power = self.call("arr_pow_int", &[x, y], types::I64)?;
                let ty = clif_type(scalar);
                if ty == types::I64 { power } else { self.b.ins().ireduce(ty, power) }
            }
            _ => return Ok(None),
        }))
    }

    /// The divisor, with 1 in place of -1: the machine's division traps on the least number divided by -1.
    fn safe_divisor(&mut self, y: Value, divisor: Option<i64>) -> (Value, Option<Value>) {
        if divisor.is_some_and(|d| d != -1) {
            return (y, None);
        }
        let minus = self.b.ins().icmp_imm_s(IntCC::Equal, y, -1);
        let ty = self.b.func.dfg.value_type(y);
        let one = self.b.ins().iconst(ty, 1);
        (self.b.ins().select(minus, one, y), Some(minus))
    }

    fn div_floor(&mut self, x: Value, y: Value, divisor: Option<i64>) -> Value {
        let (safe, minus) = self.safe_divisor(y, divisor);
        let quotient = self.b.ins().sdiv(x, safe);
        let back = self.b.ins().imul(quotient, safe);
        let rem = self.b.ins().isub(x, back);
        let wrong = self.wrong_sign(rem, safe);
        let ty = self.b.func.dfg.value_type(x);
        let wrong = self.b.ins().uextend(ty, wrong);
        let floor = self.b.ins().isub(quotient, wrong);
        match minus {
            Some(minus) => {
                let negated = self.b.ins().ineg(x);
                self.b.ins().select(minus, negated, floor)
            }
            None => floor,
        }
    }

    fn rem_floor(&mut self, x: Value, y: Value, divisor: Option<i64>) -> Value {
        let (safe, _) = self.safe_divisor(y, divisor);
        let rem = self.b.ins().srem(x, safe);
        let wrong = self.wrong_sign(rem, safe);
        let shifted = self.b.ins().iadd(rem, safe);
        self.b.ins().select(wrong, shifted, rem)
    }

    /// Whether a remainder is not zero and differs from the divisor in sign.
    fn wrong_sign(&mut self, rem: Value, divisor: Value) -> Value {
        let nonzero = self.b.ins().icmp_imm_s(IntCC::NotEqual, rem, 0);
        let mixed = self.b.ins().bxor(rem, divisor);
        let differs = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, mixed, 0);
        self.b.ins().band(nonzero, differs)
    }
}
