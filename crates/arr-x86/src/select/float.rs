//! Arithmetic, comparisons and choices of floats.

use super::{Lowered, Result, Select};
use crate::lir::{Class, Inst, Opcode, Reg, Vec2};
use crate::program::{Binary, Compare, Elem, Op, Unary, Value};
use crate::{Error, Isa};

/// The sign of a float.
fn sign_bit(elem: Elem) -> u64 {
    if elem == Elem::F32 { 1 << 31 } else { 1 << 63 }
}

/// The immediate of the comparing instruction: quiet.
fn predicate(op: Compare) -> i64 {
    match op {
        Compare::Eq => 0x00,
        Compare::Unordered => 0x03,
        Compare::Ne => 0x04,
        Compare::Lt => 0x11,
        Compare::Le => 0x12,
        Compare::Ge => 0x1d,
        Compare::Gt => 0x1e,
    }
}

impl Select<'_> {
    /// An operation that is computed register by register.
    pub(super) fn compute(&mut self, value: Value, op: Op) -> Result<Lowered> {
        match op {
            Op::Unary(op, a) => {
                let elem = self.elem(a);
                self.each(value, &[a], |s, r| match r {
                    &[a] => Ok(s.unary(op, elem, a)),
                    _ => Err(Error::TooLarge),
                })
            }
            Op::Binary(op, a, b) => {
                let elem = self.elem(a);
                self.each(value, &[a, b], |s, r| match r {
                    &[a, b] => Ok(s.binary(op, elem, a, b)),
                    _ => Err(Error::TooLarge),
                })
            }
            Op::Fma(a, b, c) => {
                let elem = self.elem(a);
                self.each(value, &[a, b, c], |s, r| Ok(s.emit_vector(Inst::new(Opcode::Fma(elem)).from(r))))
            }
            Op::Scale(a, power) => self.each(value, &[a, power], |s, r| match r {
                &[a, power] => Ok(s.scale(a, power)),
                _ => Err(Error::TooLarge),
            }),
            Op::Compare(op, a, b) => {
                let elem = self.elem(a);
                self.each(value, &[a, b], |s, r| match r {
                    &[a, b] => Ok(s.compare(op, elem, a, b)),
                    _ => Err(Error::TooLarge),
                })
            }
            Op::Select(m, a, b) => {
                let elem = self.elem(a);
                self.each(value, &[m, a, b], |s, r| match r {
                    &[m, a, b] => Ok(s.blend(elem, m, a, b)),
                    _ => Err(Error::TooLarge),
                })
            }
            Op::And(a, b) => self.each(value, &[a, b], |s, r| Ok(s.masks(Opcode::MaskAnd, Vec2::And, r))),
            Op::Or(a, b) => self.each(value, &[a, b], |s, r| Ok(s.masks(Opcode::MaskOr, Vec2::Or, r))),
            Op::Not(a) => self.each(value, &[a], |s, r| {
                if s.shape.isa == Isa::Avx512 {
                    return Ok(s.masks(Opcode::MaskNot, Vec2::Xor, r));
                }
                let ones = s.number(Elem::F64, u64::MAX);
                Ok(s.emit_vector(Inst::new(Opcode::Vec2(Vec2::Xor, Elem::F64)).from(&[r, &[ones]].concat())))
            }),
            _ => self.lanes_op(value, op),
        }
    }

    /// Once for each register of the result, or once in all if all lanes are equal.
    pub(super) fn each(
        &mut self,
        value: Value,
        args: &[Value],
        mut emit: impl FnMut(&mut Self, &[Reg]) -> Result<Reg>,
    ) -> Result<Lowered> {
        if args.iter().all(|&a| self.is_uniform(a)) {
            let regs = args.iter().map(|&a| self.chunk(a, 0)).collect::<Result<Vec<Reg>>>()?;
            return Ok(Lowered::Uniform(emit(self, &regs)?));
        }
        let mut results = Vec::new();
        for c in 0..self.chunks(value) {
            let regs = args.iter().map(|&a| self.chunk(a, c)).collect::<Result<Vec<Reg>>>()?;
            results.push(emit(self, &regs)?);
        }
        Ok(Lowered::Chunks(results))
    }

    pub(super) fn vec2(&mut self, op: Vec2, elem: Elem, a: Reg, b: Reg) -> Reg {
        self.emit_vector(Inst::new(Opcode::Vec2(op, elem)).from(&[a, b]))
    }

    fn unary(&mut self, op: Unary, elem: Elem, a: Reg) -> Reg {
        let round = |mode| Inst::new(Opcode::Round(elem)).from(&[a]).imm(mode);
        match op {
            Unary::Neg => {
                let sign = self.number(elem, sign_bit(elem));
                self.vec2(Vec2::Xor, elem, a, sign)
            }
            Unary::Abs => {
                let rest = self.number(elem, sign_bit(elem) - 1);
                self.vec2(Vec2::And, elem, a, rest)
            }
            Unary::Sqrt => self.emit_vector(Inst::new(Opcode::Sqrt(elem)).from(&[a])),
            Unary::Round => self.emit_vector(round(8)),
            Unary::Floor => self.emit_vector(round(9)),
            Unary::Ceil => self.emit_vector(round(10)),
            Unary::Sign => {
                let [zero, one, minus] = [0.0, 1.0, -1.0].map(|x| self.float(elem, x));
                let below = self.compare(Compare::Lt, elem, a, zero);
                let rest = self.blend(elem, below, minus, a);
                let above = self.compare(Compare::Gt, elem, a, zero);
                self.blend(elem, above, one, rest)
            }
        }
    }

    pub(super) fn binary(&mut self, op: Binary, elem: Elem, a: Reg, b: Reg) -> Reg {
        match op {
            Binary::Add => self.vec2(Vec2::Add, elem, a, b),
            Binary::Sub => self.vec2(Vec2::Sub, elem, a, b),
            Binary::Mul => self.vec2(Vec2::Mul, elem, a, b),
            Binary::Div => self.vec2(Vec2::Div, elem, a, b),
            Binary::Lesser => self.vec2(Vec2::Min, elem, a, b),
            Binary::Greater => self.vec2(Vec2::Max, elem, a, b),
            Binary::Min | Binary::Max => {
                // The machine returns its second operand at a tie and if either is NaN. With operands exchanged, that
                // is right except for a NaN in `b`.
                let op = if op == Binary::Min { Vec2::Min } else { Vec2::Max };
                let least = self.vec2(op, elem, b, a);
                let nan = self.compare(Compare::Unordered, elem, b, b);
                self.blend(elem, nan, b, least)
            }
            Binary::MulZero => {
                let zero = self.float(elem, 0.0);
                let product = self.vec2(Vec2::Mul, elem, a, b);
                if self.shape.isa == Isa::Avx512 {
                    // Values known later are compared last, beside the product: others wait for it.
                    let (early, late) = if a <= b { (a, b) } else { (b, a) };
                    let first = self.compare(Compare::Ne, elem, early, zero);
                    let both = Inst::new(Opcode::Compare(elem)).from(&[late, zero]).imm(predicate(Compare::Ne));
                    let both = self.emit(Class::Mask, both.mask(Some(first)));
                    return self.blend(elem, both, product, zero);
                }
                let first = self.compare(Compare::Ne, elem, a, zero);
                let second = self.compare(Compare::Ne, elem, b, zero);
                let both = self.vec2(Vec2::And, elem, first, second);
                self.vec2(Vec2::And, elem, product, both)
            }
        }
    }

    /// Times a power of two, in two steps, where the machine has no instruction with the meaning of `arr_math`.
    fn scale(&mut self, a: Reg, power: Reg) -> Reg {
        let elem = Elem::F64;
        if self.shape.isa == Isa::Avx512 {
            return self.vec2(Vec2::Scale, elem, a, power);
        }
        let (magic, one_half) = (self.float(elem, 6755399441055744.0), self.float(elem, 0.5));
        let bias = self.number(elem, 1023 << 52);
        let half = self.emit_vector(Inst::new(Opcode::Fma(elem)).from(&[power, one_half, magic]));
        let done = self.vec2(Vec2::Sub, elem, half, magic);
        let rest = self.vec2(Vec2::Sub, elem, power, done);
        let rest = self.vec2(Vec2::Add, elem, rest, magic);
        [half, rest].into_iter().fold(a, |product, marked| {
            let exponent = self.emit_vector(Inst::new(Opcode::ShiftLeft).from(&[marked]).imm(52));
            let factor = self.vec2(Vec2::IntAdd, elem, exponent, bias);
            self.vec2(Vec2::Mul, elem, product, factor)
        })
    }

    pub(super) fn compare(&mut self, op: Compare, elem: Elem, a: Reg, b: Reg) -> Reg {
        self.emit(Class::Mask, Inst::new(Opcode::Compare(elem)).from(&[a, b]).imm(predicate(op)))
    }

    pub(super) fn blend(&mut self, elem: Elem, mask: Reg, yes: Reg, no: Reg) -> Reg {
        self.emit_vector(Inst::new(Opcode::Blend(elem)).from(&[no, yes]).mask(Some(mask)))
    }

    pub(super) fn masks(&mut self, code: Opcode, vector: Vec2, regs: &[Reg]) -> Reg {
        let code = if self.shape.isa == Isa::Avx512 { code } else { Opcode::Vec2(vector, Elem::F64) };
        self.emit(Class::Mask, Inst::new(code).from(regs))
    }
}
