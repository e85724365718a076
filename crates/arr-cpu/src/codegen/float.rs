//! Floating-point primitives. Those of `f32` that are not exact in `f32` are computed in `f64` and rounded once, as
//! the interpreter does.

use super::contract::{Contraction, Sign};
use super::{Codegen, Result, clif_type};
use arr_ir::{Prim, Scalar};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Opcode, Value, types};

impl Codegen<'_, '_> {
    pub(super) fn float_unary(&mut self, prim: Prim, scalar: Scalar, x: Value) -> Result<Option<Value>> {
        Ok(Some(match prim {
            Prim::Neg => self.b.ins().fneg(x),
            Prim::Abs => self.b.ins().fabs(x),
            Prim::Sign => self.float_sign(scalar, x),
            Prim::Sqrt => self.b.ins().sqrt(x),
            Prim::Floor => self.b.ins().floor(x),
            Prim::Ceil => self.b.ins().ceil(x),
            Prim::Round => self.b.ins().nearest(x),
            Prim::IsNan => self.b.ins().fcmp(FloatCC::Unordered, x, x),
            Prim::IsFinite => {
                let size = self.b.ins().fabs(x);
                let infinity = self.number(scalar, f64::INFINITY);
                self.b.ins().fcmp(FloatCC::LessThan, size, infinity)
            }
            _ => {
                let Some(function) = unary_function(prim, scalar) else { return Ok(None) };
                let wide = self.widened(x);
                let result = self.call(function, &[wide], types::F64)?;
                self.rounded(scalar, result)
            }
        }))
    }

    pub(super) fn float_binary(&mut self, prim: Prim, scalar: Scalar, x: Value, y: Value) -> Result<Option<Value>> {
        Ok(Some(match prim {
            Prim::Add => self.b.ins().fadd(x, y),
            Prim::Sub => self.b.ins().fsub(x, y),
            Prim::Mul => self.b.ins().fmul(x, y),
            Prim::Div => self.b.ins().fdiv(x, y),
            Prim::MulZero => self.multiply_zero(scalar, x, y),
            Prim::Rem => self.float_rem(scalar, x, y),
            Prim::Min => self.float_choice(scalar, FloatCC::LessThanOrEqual, x, y),
            Prim::Max => self.float_choice(scalar, FloatCC::GreaterThanOrEqual, x, y),
            Prim::Pow | Prim::Atan2 => {
                let function = if prim == Prim::Pow { "arr_pow" } else { "arr_atan2" };
                let (x, y) = (self.widened(x), self.widened(y));
                let result = self.call(function, &[x, y], types::F64)?;
                self.rounded(scalar, result)
            }
            _ => return Ok(None),
        }))
    }

    /// A product in which zero wins, in all lanes of vectors: comparisons of vectors give masks, those of numbers
    /// flags, and a selection by flags is a jump.
    fn multiply_zero(&mut self, scalar: Scalar, x: Value, y: Value) -> Value {
        let ty = if scalar == Scalar::F32 { types::F32X4 } else { types::F64X2 };
        let product = self.b.ins().fmul(x, y);
        let zero = self.zero(scalar);
        let [x, y, zero, product] = [x, y, zero, product].map(|v| self.b.ins().splat(ty, v));
        let first = self.b.ins().fcmp(FloatCC::Equal, x, zero);
        let second = self.b.ins().fcmp(FloatCC::Equal, y, zero);
        let wins = self.b.ins().bor(first, second);
        let wins = self.b.ins().bitcast(ty, MemFlagsData::new().with_endianness(Endianness::Little), wins);
        let rest = self.b.ins().band_not(product, wins);
        self.b.ins().extractlane(rest, 0)
    }

    pub(super) fn contracted(&mut self, sum: Contraction) -> Result<Value> {
        let [a, b, c] = [self.operand(sum.a)?, self.operand(sum.b)?, self.operand(sum.c)?];
        Ok(self.multiply_add(sum.sign, a, b, c))
    }

    /// A fused multiply-add, of numbers or vectors.
    pub(super) fn multiply_add(&mut self, sign: Sign, a: Value, b: Value, c: Value) -> Value {
        let (a, c) = match sign {
            Sign::Plus => (a, c),
            Sign::MinusProduct => (self.b.ins().fneg(a), c),
            Sign::MinusAddend => (a, self.b.ins().fneg(c)),
        };
        self.b.ins().fma(a, b, c)
    }

    /// `powi` and `polygamma`: one float and one `i64`, in either order.
    pub(super) fn float_and_int(&mut self, prim: Prim, a: Value, b: Value) -> Result<Value> {
        let (function, float) = if prim == Prim::PowInt { ("arr_powi", a) } else { ("arr_polygamma", b) };
        let narrow = self.b.func.dfg.value_type(float) == types::F32;
        let (a, b) = (self.widened(a), self.widened(b));
        let result = self.call(function, &[a, b], types::F64)?;
        Ok(self.rounded(if narrow { Scalar::F32 } else { Scalar::F64 }, result))
    }

    /// `x - y * floor(x / y)`, in `f64`.
    fn float_rem(&mut self, scalar: Scalar, x: Value, y: Value) -> Value {
        let (x, y) = (self.widened(x), self.widened(y));
        let ratio = self.b.ins().fdiv(x, y);
        let whole = self.b.ins().floor(ratio);
        let part = self.b.ins().fmul(y, whole);
        let rem = self.b.ins().fsub(x, part);
        self.rounded(scalar, rem)
    }

    /// The first operand if the comparison holds or it is NaN, else the second. A selection by flags is a jump. In the
    /// search for a maximum it is mostly predicted; against a constant, as in a rectifier, it is unpredictable, and a
    /// mask takes less time than mispredictions.
    fn float_choice(&mut self, scalar: Scalar, cc: FloatCC, x: Value, y: Value) -> Value {
        if self.is_float_const(x) || self.is_float_const(y) {
            let ty = if scalar == Scalar::F32 { types::F32X4 } else { types::F64X2 };
            let [x, y] = [x, y].map(|v| self.b.ins().splat(ty, v));
            let nan = self.b.ins().fcmp(FloatCC::Unordered, x, x);
            let first = self.b.ins().fcmp(cc, x, y);
            let first = self.b.ins().bor(first, nan);
            let chosen = self.choose(first, x, y);
            return self.b.ins().extractlane(chosen, 0);
        }
        let nan = self.b.ins().fcmp(FloatCC::Unordered, x, x);
        let other = self.b.ins().select(nan, x, y);
        let first = self.b.ins().fcmp(cc, x, y);
        self.b.ins().select(first, x, other)
    }

    fn is_float_const(&self, value: Value) -> bool {
        let made_by = self.b.func.dfg.value_def(value).inst().map(|inst| self.b.func.dfg.insts[inst].opcode());
        matches!(made_by, Some(Opcode::F32const | Opcode::F64const))
    }

    /// -1, 1, or the operand itself if it is a zero or NaN.
    fn float_sign(&mut self, scalar: Scalar, x: Value) -> Value {
        let zero = self.zero(scalar);
        let (one, minus) = (self.number(scalar, 1.0), self.number(scalar, -1.0));
        let below = self.b.ins().fcmp(FloatCC::LessThan, x, zero);
        let rest = self.b.ins().select(below, minus, x);
        let above = self.b.ins().fcmp(FloatCC::GreaterThan, x, zero);
        self.b.ins().select(above, one, rest)
    }

    pub(super) fn number(&mut self, scalar: Scalar, x: f64) -> Value {
        if scalar == Scalar::F32 { self.b.ins().f32const(x as f32) } else { self.b.ins().f64const(x) }
    }

    fn widened(&mut self, x: Value) -> Value {
        if self.b.func.dfg.value_type(x) == types::F32 { self.b.ins().fpromote(types::F64, x) } else { x }
    }

    fn rounded(&mut self, scalar: Scalar, x: Value) -> Value {
        if scalar == Scalar::F32 { self.b.ins().fdemote(clif_type(scalar), x) } else { x }
    }
}

/// The runtime's function for a primitive of one float that has no instruction. Some have a version of their own for `f32`.
fn unary_function(prim: Prim, scalar: Scalar) -> Option<&'static str> {
    match prim {
        Prim::Exp if scalar == Scalar::F32 => Some("arr_exp_f32"),
        Prim::Tanh if scalar == Scalar::F32 => Some("arr_tanh_f32"),
        Prim::Sigmoid if scalar == Scalar::F32 => Some("arr_sigmoid_f32"),
        Prim::Sinh if scalar == Scalar::F32 => Some("arr_sinh_f32"),
        Prim::Cosh if scalar == Scalar::F32 => Some("arr_cosh_f32"),
        Prim::Erf if scalar == Scalar::F32 => Some("arr_erf_f32"),
        _ => arr_runtime::function_symbol(prim.name()),
    }
}
