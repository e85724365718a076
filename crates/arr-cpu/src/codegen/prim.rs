//! Primitives: the code of each. The meaning is that of `arr_ir::Prim::eval`, bit for bit.

use super::{Codegen, Result, clif_type, internal};
use arr_ir::{Prim, Scalar, TypeRule};
use arr_loops::Operand;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Opcode, Value, types};

impl Codegen<'_, '_> {
    pub(super) fn prim(&mut self, prim: Prim, args: &[Operand]) -> Result<Value> {
        let (scalar, values) = self.operands(args)?;
        let result = match (prim.rule(), values.as_slice()) {
            (TypeRule::Convert(to), &[x]) => Some(self.convert(scalar, to, x)),
            (TypeRule::Select, &[c, a, b]) => Some(self.select(c, a, b)),
            (TypeRule::Compare, &[a, b]) => self.compare(prim, scalar, a, b),
            (TypeRule::Bool, _) => self.boolean(prim, &values),
            (TypeRule::FloatInt | TypeRule::IntFloat, &[a, b]) => Some(self.float_and_int(prim, a, b)?),
            (_, &[x]) if scalar.is_float() => self.float_unary(prim, scalar, x)?,
            (_, &[x, y]) if scalar.is_float() => self.float_binary(prim, scalar, x, y)?,
            (_, &[x]) => self.int_unary(prim, scalar, x),
            (_, &[x, y]) => {
                let divisor = args.get(1).and_then(|a| a.as_int());
                self.int_binary(prim, scalar, x, y, divisor)?
            }
            _ => None,
        };
        result.ok_or_else(|| internal(format!("`{}` on {scalar}", prim.name())))
    }

    /// A selection between floats is a jump, which the processor has to predict. Where several comparisons decide, as
    /// for the maximum of a window, mispredictions are too frequent, and integers are selected instead. Where a loop
    /// carries the best so far, it is mostly kept: the prediction is right, and the next comparison need not wait for
    /// the selection.
    fn select(&mut self, c: Value, a: Value, b: Value) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        let bits = if ty == types::F32 { types::I32 } else { types::I64 };
        let made_by = self.b.func.dfg.value_def(c).inst().map(|inst| self.b.func.dfg.insts[inst].opcode());
        let carried = [a, b].iter().any(|&x| self.b.func.dfg.value_def(x).inst().is_none());
        if !ty.is_float() || carried || !matches!(made_by, Some(Opcode::Bor | Opcode::Band)) {
            return self.b.ins().select(c, a, b);
        }
        let [a, b] = [a, b].map(|x| self.b.ins().bitcast(bits, MemFlagsData::new(), x));
        let chosen = self.b.ins().select(c, a, b);
        self.b.ins().bitcast(ty, MemFlagsData::new(), chosen)
    }

    fn compare(&mut self, prim: Prim, scalar: Scalar, a: Value, b: Value) -> Option<Value> {
        if scalar.is_float() {
            let cc = match prim {
                Prim::Eq => FloatCC::Equal,
                Prim::Ne => FloatCC::NotEqual,
                Prim::Lt => FloatCC::LessThan,
                Prim::Le => FloatCC::LessThanOrEqual,
                Prim::Gt => FloatCC::GreaterThan,
                Prim::Ge => FloatCC::GreaterThanOrEqual,
                _ => return None,
            };
            return Some(self.b.ins().fcmp(cc, a, b));
        }
        let cc = match (prim, scalar) {
            (Prim::Eq, _) => IntCC::Equal,
            (Prim::Ne, _) => IntCC::NotEqual,
            (Prim::Lt, Scalar::U32) => IntCC::UnsignedLessThan,
            (Prim::Le, Scalar::U32) => IntCC::UnsignedLessThanOrEqual,
            (Prim::Gt, Scalar::U32) => IntCC::UnsignedGreaterThan,
            (Prim::Ge, Scalar::U32) => IntCC::UnsignedGreaterThanOrEqual,
            (Prim::Lt, _) => IntCC::SignedLessThan,
            (Prim::Le, _) => IntCC::SignedLessThanOrEqual,
            (Prim::Gt, _) => IntCC::SignedGreaterThan,
            (Prim::Ge, _) => IntCC::SignedGreaterThanOrEqual,
            _ => return None,
        };
        Some(self.b.ins().icmp(cc, a, b))
    }

    fn boolean(&mut self, prim: Prim, values: &[Value]) -> Option<Value> {
        match (prim, values) {
            (Prim::And, &[a, b]) => Some(self.b.ins().band(a, b)),
            (Prim::Or, &[a, b]) => Some(self.b.ins().bor(a, b)),
            (Prim::Not, &[a]) => Some(self.b.ins().bxor_imm_u(a, 1)),
            _ => None,
        }
    }

    pub(super) fn convert(&mut self, from: Scalar, to: Scalar, x: Value) -> Value {
        let target = clif_type(to);
        match (from, to) {
            (Scalar::Bool, Scalar::Bool)
            | (Scalar::F32, Scalar::F32)
            | (Scalar::F64, Scalar::F64)
            | (Scalar::I64, Scalar::I64)
            | (Scalar::I32 | Scalar::U32, Scalar::I32 | Scalar::U32) => x,
            (Scalar::F32 | Scalar::F64, Scalar::Bool) => {
                let zero = self.zero(from);
                // NaN is not zero, so it is true.
                self.b.ins().fcmp(FloatCC::NotEqual, x, zero)
            }
            (_, Scalar::Bool) => self.b.ins().icmp_imm_s(IntCC::NotEqual, x, 0),
            (Scalar::F64, Scalar::F32) => self.b.ins().fdemote(types::F32, x),
            (Scalar::F32, Scalar::F64) => self.b.ins().fpromote(types::F64, x),
            (Scalar::F32 | Scalar::F64, Scalar::U32) => self.b.ins().fcvt_to_uint_sat(types::I32, x),
            (Scalar::F32 | Scalar::F64, _) => self.b.ins().fcvt_to_sint_sat(target, x),
            (_, Scalar::F32 | Scalar::F64) => {
                let wide = self.widen(from, x);
                self.b.ins().fcvt_from_sint(target, wide)
            }
            (Scalar::I64, _) => self.b.ins().ireduce(target, x),
            (Scalar::Bool, _) => self.b.ins().uextend(target, x),
            (_, Scalar::I64) => self.widen(from, x),
        }
    }

    pub(super) fn zero(&mut self, scalar: Scalar) -> Value {
        self.constant(arr_ir::Const::zero(scalar))
    }

    /// An integer or bool as `i64`.
    pub(super) fn widen(&mut self, from: Scalar, x: Value) -> Value {
        match from {
            Scalar::I32 => self.b.ins().sextend(types::I64, x),
            Scalar::U32 | Scalar::Bool => self.b.ins().uextend(types::I64, x),
            Scalar::I64 | Scalar::F32 | Scalar::F64 => x,
        }
    }
}
