//! Integers in lanes, and conversions: one value may have twice the registers of the other.

use super::{Lowered, Result, Select};
use crate::lir::{Class, Inst, Opcode, Reg, Vec2};
use crate::program::{Bits, Elem, Op, Value};
use crate::{Error, Isa};

impl Select<'_> {
    pub(super) fn lanes_op(&mut self, value: Value, op: Op) -> Result<Lowered> {
        match op {
            Op::Splat(a) => {
                let a = self.general(a)?;
                Ok(Lowered::Uniform(self.emit_vector(Inst::new(Opcode::Splat).from(&[a]))))
            }
            Op::Linear(first, step) => self.linear(first, step),
            Op::LanesBinary(op, a, b) => self.each(value, &[a, b], |s, r| match r {
                &[a, b] => s.lanes_binary(op, a, b),
                _ => Err(Error::TooLarge),
            }),
            Op::Shift(a, by) => {
                let code = if by >= 0 { Opcode::ShiftLeft } else { Opcode::ShiftRight };
                let count = i64::from(by.unsigned_abs());
                self.each(value, &[a], |s, r| Ok(s.emit_vector(Inst::new(code).from(r).imm(count))))
            }
            Op::TestBits(a, bits) => self.each(value, &[a], |s, r| s.test_bits(r, bits)),
            Op::ToFloat(Elem::F64, a) => self.each(value, &[a], |s, r| match r {
                &[a] => Ok(s.float_of(a)),
                _ => Err(Error::TooLarge),
            }),
            Op::ToFloat(Elem::F32, a) if self.shape.isa == Isa::Avx512 => {
                self.halves(value, a, |s, r| s.emit_vector(Inst::new(Opcode::FromInt(Elem::F32)).from(&[r])))
            }
            Op::ToFloat(Elem::F32, _) => Err(Error::Unsupported("64-bit integers as 32-bit floats")),
            Op::Narrow(a) => self.halves(value, a, |s, r| s.emit_vector(Inst::new(Opcode::Narrow).from(&[r]))),
            Op::Widen(a) => self.widen(value, a),
            _ => Err(Error::Unsupported("such an operation")),
        }
    }

    /// The first iteration's integer and a step, as one integer for each.
    fn linear(&mut self, first: Value, step: Value) -> Result<Lowered> {
        let offsets = self.offsets(step)?;
        let first = self.general(first)?;
        let first = self.emit_vector(Inst::new(Opcode::Splat).from(&[first]));
        let add = |offset| self.vec2(Vec2::IntAdd, Elem::F64, first, offset);
        Ok(Lowered::Chunks(offsets.into_iter().map(add).collect()))
    }

    /// Each lane's number times a step: once, before the loop, if the step is known there.
    pub(super) fn offsets(&mut self, step: Value) -> Result<Vec<Reg>> {
        let early = self.early.get(step.index()).copied().unwrap_or(false);
        if let Some(found) = self.strides.get(&step).filter(|_| early) {
            return Ok(found.clone());
        }
        let step_reg = self.general(step)?;
        let in_loop = self.in_loop;
        self.in_loop = in_loop && !early;
        let splat = self.emit_vector(Inst::new(Opcode::Splat).from(&[step_reg]));
        let high = self.emit_vector(Inst::new(Opcode::ShiftRight).from(&[splat]).imm(32));
        let mut offsets = Vec::new();
        for c in 0..self.shape.width / self.lanes(8) {
            let lanes = self.counting(8, c * self.lanes(8));
            let low = self.vec2(Vec2::MulLow, Elem::F64, splat, lanes);
            let upper = self.vec2(Vec2::MulLow, Elem::F64, high, lanes);
            let upper = self.emit_vector(Inst::new(Opcode::ShiftLeft).from(&[upper]).imm(32));
            offsets.push(self.vec2(Vec2::IntAdd, Elem::F64, low, upper));
        }
        self.in_loop = in_loop;
        if early {
            self.strides.insert(step, offsets.clone());
        }
        Ok(offsets)
    }

    fn lanes_binary(&mut self, op: Bits, a: Reg, b: Reg) -> Result<Reg> {
        let op = match op {
            Bits::Add => Vec2::IntAdd,
            Bits::Sub => Vec2::IntSub,
            Bits::And => Vec2::And,
            Bits::Or => Vec2::Or,
            Bits::Xor => Vec2::Xor,
            Bits::Mul if self.shape.isa == Isa::Avx512 => Vec2::IntMul,
            Bits::Mul => {
                let [a_high, b_high] =
                    [a, b].map(|r| self.emit_vector(Inst::new(Opcode::ShiftRight).from(&[r]).imm(32)));
                let first = self.vec2(Vec2::MulLow, Elem::F64, a_high, b);
                let second = self.vec2(Vec2::MulLow, Elem::F64, a, b_high);
                let cross = self.vec2(Vec2::IntAdd, Elem::F64, first, second);
                let cross = self.emit_vector(Inst::new(Opcode::ShiftLeft).from(&[cross]).imm(32));
                let low = self.vec2(Vec2::MulLow, Elem::F64, a, b);
                return Ok(self.vec2(Vec2::IntAdd, Elem::F64, low, cross));
            }
        };
        Ok(self.vec2(op, Elem::F64, a, b))
    }

    fn test_bits(&mut self, regs: &[Reg], bits: i64) -> Result<Reg> {
        if self.shape.isa == Isa::Avx512 {
            let bits = self.number(Elem::F64, bits as u64);
            return Ok(self.emit(Class::Mask, Inst::new(Opcode::TestBits).from(&[regs, &[bits]].concat())));
        }
        if bits.count_ones() != 1 {
            return Err(Error::Unsupported("test of several bits"));
        }
        // Zero is greater than a number with the sign bit.
        let up = i64::from(bits.leading_zeros());
        let sign = self.emit_vector(Inst::new(Opcode::ShiftLeft).from(regs).imm(up));
        let zero = self.number(Elem::F64, 0);
        Ok(self.vec2(Vec2::IntGreater, Elem::F64, zero, sign))
    }

    /// An `i64` as the nearest `f64`.
    fn float_of(&mut self, a: Reg) -> Reg {
        if self.shape.isa == Isa::Avx512 {
            return self.emit_vector(Inst::new(Opcode::FromInt(Elem::F64)).from(&[a]));
        }
        // Both halves as floats by their bits: the low one above 2^52, the high one times 2^32 above 2^84 + 2^63. One sum
        // is rounded.
        let [low_bits, low_magic, high_magic, both] =
            [0xffff_ffff, 0x4330_0000_0000_0000, 0x4530_0000_8000_0000, 0x4530_0000_8010_0000]
                .map(|bits| self.number(Elem::F64, bits));
        let high = self.emit_vector(Inst::new(Opcode::ShiftRight).from(&[a]).imm(32));
        let high = self.vec2(Vec2::Xor, Elem::F64, high, high_magic);
        let low = self.vec2(Vec2::And, Elem::F64, a, low_bits);
        let low = self.vec2(Vec2::Or, Elem::F64, low, low_magic);
        let high = self.vec2(Vec2::Sub, Elem::F64, high, both);
        self.vec2(Vec2::Add, Elem::F64, high, low)
    }

    /// Registers of 8-byte elements, each made half a register of 4-byte ones.
    fn halves(&mut self, value: Value, a: Value, mut half: impl FnMut(&mut Self, Reg) -> Reg) -> Result<Lowered> {
        if self.is_uniform(a) {
            let a = self.chunk(a, 0)?;
            let low = half(self, a);
            return Ok(Lowered::Uniform(self.emit_vector(Inst::new(Opcode::Join).from(&[low, low]))));
        }
        let mut results = Vec::new();
        for c in 0..self.chunks(value) {
            let (low, high) = (self.chunk(a, 2 * c)?, self.chunk(a, 2 * c + 1)?);
            let (low, high) = (half(self, low), half(self, high));
            results.push(self.emit_vector(Inst::new(Opcode::Join).from(&[low, high])));
        }
        Ok(Lowered::Chunks(results))
    }

    fn widen(&mut self, value: Value, a: Value) -> Result<Lowered> {
        let wide = |s: &mut Self, r: Reg| s.emit_vector(Inst::new(Opcode::Widen).from(&[r]));
        if self.is_uniform(a) {
            let a = self.chunk(a, 0)?;
            return Ok(Lowered::Uniform(wide(self, a)));
        }
        let mut results = Vec::new();
        for c in 0..self.chunks(value) {
            let whole = self.chunk(a, c / 2)?;
            let half = if c % 2 == 0 { whole } else { self.high_half(whole) };
            results.push(wide(self, half));
        }
        Ok(Lowered::Chunks(results))
    }

    pub(super) fn high_half(&mut self, whole: Reg) -> Reg {
        self.emit_vector(Inst::new(Opcode::HighHalf).from(&[whole]))
    }
}
