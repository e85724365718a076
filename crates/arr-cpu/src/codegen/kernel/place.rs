//! Integers, and the addresses computed from them, in a vector program.

use super::{Address, Step, Translated, Translator};
use arr_ir::Prim;
use arr_loops::{LocalId, Operand};
use arr_x86::{Access, Bits, MemOperand, Op, Value};

impl Translator<'_, '_> {
    pub(super) fn integers(&mut self, prim: Prim, a: Operand, b: Operand) -> Option<Translated> {
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let op = match prim {
            Prim::Add => Bits::Add,
            Prim::Sub => Bits::Sub,
            _ => Bits::Mul,
        };
        Some(match (op, a, b) {
            (_, Translated::Linear(a, Step::Const(0)), Translated::Linear(b, Step::Const(0))) => {
                Translated::Linear(self.b.int_binary(op, a, b), Step::Const(0))
            }
            (Bits::Add, Translated::Linear(a, s), Translated::Linear(b, t)) => {
                let step = self.add_steps(s, t);
                Translated::Linear(self.b.int_binary(op, a, b), step)
            }
            (_, a, b) => {
                let (a, b) = (self.lanes(a)?, self.lanes(b)?);
                Translated::Lanes(self.b.op(Op::LanesBinary(op, a, b)))
            }
        })
    }

    pub(super) fn lanes(&mut self, value: Translated) -> Option<Value> {
        match value {
            Translated::Lanes(lanes) => Some(lanes),
            Translated::Linear(first, Step::Const(0)) => Some(self.b.op(Op::Splat(first))),
            Translated::Linear(first, step) => Some(self.linear(first, step, 1)),
            _ => None,
        }
    }

    pub(super) fn linear(&mut self, first: Value, step: Step, unit: i64) -> Value {
        let step = self.bytes(step, unit);
        self.b.op(Op::Linear(first, step))
    }

    /// A step of this many units.
    pub(super) fn bytes(&mut self, step: Step, unit: i64) -> Value {
        match step {
            Step::Const(step) => self.b.before(Op::Int(step.wrapping_mul(unit))),
            Step::Value(step) if unit == 1 => step,
            Step::Value(step) => {
                let unit = self.b.before(Op::Int(unit));
                self.scaled(step, unit)
            }
        }
    }

    /// A product, computed before the loop if its factors are known there.
    pub(super) fn scaled(&mut self, step: Value, unit: Value) -> Value {
        self.b.int_binary(Bits::Mul, step, unit)
    }

    pub(super) fn add_steps(&mut self, a: Step, b: Step) -> Step {
        match (a, b) {
            (Step::Const(a), Step::Const(b)) => Step::Const(a.wrapping_add(b)),
            (step, Step::Const(0)) | (Step::Const(0), step) => step,
            (a, b) => {
                let (a, b) = (self.bytes(a, 1), self.bytes(b, 1));
                Step::Value(self.b.int_binary(Bits::Add, a, b))
            }
        }
    }

    pub(super) fn address(&mut self, local: LocalId) -> Option<Address> {
        match self.operand(local.into())? {
            Translated::Address(address) => Some(address),
            _ => None,
        }
    }

    pub(super) fn offset(&mut self, address: LocalId, offset: Operand) -> Option<Address> {
        let bytes = self.loops.ty(address).elem().bytes() as i64;
        let address = self.address(address)?;
        let unit = self.b.before(Op::Int(bytes));
        match self.operand(offset)? {
            Translated::Linear(n, step) => {
                let distance = self.b.int_binary(Bits::Mul, n, unit);
                let base = self.b.int_binary(Bits::Add, address.base, distance);
                Some(Address { base, step: self.add_steps(address.step, step), ..address })
            }
            Translated::Lanes(n) => self.apart(address, n, bytes),
            _ => None,
        }
    }

    /// An address moved by a number of elements in each lane.
    pub(super) fn apart(&mut self, address: Address, n: Value, bytes: i64) -> Option<Address> {
        let shift = i8::try_from(bytes.trailing_zeros()).ok()?;
        let n = if shift == 0 { n } else { self.b.op(Op::Shift(n, shift)) };
        let offsets = match address.offsets {
            Some(offsets) => self.b.op(Op::LanesBinary(Bits::Add, offsets, n)),
            None => n,
        };
        Some(Address { offsets: Some(offsets), ..address })
    }

    pub(super) fn place(&mut self, address: LocalId, offset: Operand) -> Option<MemOperand> {
        let bytes = self.loops.ty(address).elem().bytes() as i64;
        let mut at = self.address(address)?;
        let (mut index, mut disp) = (None, 0);
        if let Some(n) = offset.as_int() {
            disp = i32::try_from(n.checked_mul(bytes)?).ok()?;
        } else {
            match self.operand(offset)? {
                Translated::Linear(n, step) => {
                    index = Some((n, u8::try_from(bytes).ok()?));
                    at.step = self.add_steps(at.step, step);
                }
                Translated::Lanes(n) => at = self.apart(at, n, bytes)?,
                _ => return None,
            }
        }
        let access = match (at.offsets, at.step) {
            (None, Step::Const(0)) => Access::Same,
            (None, Step::Const(1)) => Access::Row,
            (None, step) => Access::Strided(self.bytes(step, bytes)),
            (Some(offsets), Step::Const(0)) => Access::Each(offsets),
            (Some(offsets), step) => {
                let zero = self.b.before(Op::Int(0));
                let line = self.linear(zero, step, bytes);
                Access::Each(self.b.op(Op::LanesBinary(Bits::Add, offsets, line)))
            }
        };
        Some(MemOperand { base: at.base, index, disp, access })
    }
}
