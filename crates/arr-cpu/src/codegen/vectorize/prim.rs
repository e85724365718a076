//! Vectorized primitives: on vectors of floats, on masks, and on integers lane by lane.

use super::plan::{MOST_VECTORS, Plan, is_lane_prim, run_function};
use super::{Wide, vector_type};
use crate::codegen::{Codegen, Result, internal};
use arr_ir::{Prim, Scalar};
use arr_loops::Operand;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Value, types};

/// Memory for the values of one operand in the largest number of vectors of any plan.
const RUN_BYTES: u32 = 16 * MOST_VECTORS as u32;

impl Codegen<'_, '_> {
    pub(in crate::codegen) fn wide_prim(&mut self, prim: Prim, args: &[Operand], plan: &Plan) -> Result<Wide> {
        let first = *args.first().ok_or_else(|| internal("a primitive without operands"))?;
        let elem = self.loops.elem(first);
        if elem == Scalar::Bool {
            return self.wide_bool(prim, args, plan);
        }
        if elem.is_float() {
            let operands = args.iter().map(|&a| self.vectors(a, plan)).collect::<Result<Vec<_>>>()?;
            if let Some(function) = run_function(prim, elem) {
                return Ok(Wide::Vectors(self.on_run(function, &operands, plan)?));
            }
            let column = |k: usize| operands.iter().filter_map(|v| v.get(k).copied()).collect::<Vec<Value>>();
            if is_lane_prim(prim) {
                let values =
                    (0..plan.vectors).map(|k| self.lane_prim(prim, &column(k), plan)).collect::<Result<_>>()?;
                return Ok(Wide::Vectors(values));
            }
            let values = (0..plan.vectors).map(|k| self.vector_prim(prim, &column(k), plan)).collect::<Result<_>>()?;
            let is_mask = prim.result(&vec![elem; args.len()]) == Some(Scalar::Bool);
            return Ok(if is_mask { Wide::Masks(values) } else { Wide::Vectors(values) });
        }
        let operands = args.iter().map(|&a| self.wide_value(a)).collect::<Result<Vec<Wide>>>()?;
        match (prim, operands.as_slice()) {
            (Prim::ToF64 | Prim::ToF32, [a]) => {
                let to = if prim == Prim::ToF64 { Scalar::F64 } else { Scalar::F32 };
                let lanes = self.lanes(a.clone(), 1, plan)?;
                let floats: Vec<Value> = lanes.into_iter().map(|v| self.convert(elem, to, v)).collect();
                Ok(Wide::Vectors(self.pack(&floats, plan)))
            }
            (Prim::Add, [Wide::Uniform(a), Wide::Linear(b, step)] | [Wide::Linear(a, step), Wide::Uniform(b)]) => {
                Ok(Wide::Linear(self.b.ins().iadd(*a, *b), *step))
            }
            (Prim::Add, [Wide::Linear(a, s), Wide::Linear(b, t)]) => {
                let step = self.add_steps(*s, *t);
                Ok(Wide::Linear(self.b.ins().iadd(*a, *b), step))
            }
            (Prim::Add | Prim::Sub | Prim::Mul, [a, b]) => {
                let (a, b) = (self.lanes(a.clone(), 1, plan)?, self.lanes(b.clone(), 1, plan)?);
                let each = |(a, b): (Value, Value)| match prim {
                    Prim::Add => self.b.ins().iadd(a, b),
                    Prim::Sub => self.b.ins().isub(a, b),
                    _ => self.b.ins().imul(a, b),
                };
                Ok(Wide::Lanes(a.into_iter().zip(b).map(each).collect()))
            }
            _ => Err(internal(format!("`{}` cannot be made wide", prim.name()))),
        }
    }

    /// Calls a function of the runtime on vectors, through memory: it works in place on its first operand.
    fn on_run(&mut self, function: &'static str, operands: &[Vec<Value>], plan: &Plan) -> Result<Vec<Value>> {
        let pointer = self.module.target_config().pointer_type();
        let mut args = Vec::new();
        for (k, vectors) in operands.iter().enumerate() {
            let Some(slot) = self.run_slots.get(k).copied() else { return Err(internal("too many operands")) };
            let slot = match slot {
                Some(slot) => slot,
                None => {
                    // Large enough for all plans, and aligned so that no vector crosses a cache line.
                    let slot =
                        self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, RUN_BYTES, 6));
                    if let Some(place) = self.run_slots.get_mut(k) {
                        *place = Some(slot);
                    }
                    slot
                }
            };
            for (k, &vector) in vectors.iter().enumerate() {
                self.b.ins().stack_store(pointer, vector, slot, 16 * k as i32);
            }
            args.push((slot, self.b.ins().stack_addr(pointer, slot, 0)));
        }
        let Some(&(result, _)) = args.first() else { return Err(internal("a primitive without operands")) };
        let mut values: Vec<Value> = args.into_iter().map(|(_, address)| address).collect();
        values.push(self.int(plan.width() as i64));
        self.call(function, &values, types::INVALID)?;
        let vector = vector_type(plan.elem);
        Ok((0..plan.vectors as i32).map(|k| self.b.ins().stack_load(pointer, vector, result, 16 * k)).collect())
    }

    fn wide_bool(&mut self, prim: Prim, args: &[Operand], plan: &Plan) -> Result<Wide> {
        match (prim, args) {
            (Prim::Select, [c, a, b]) => {
                let masks = self.masks(*c)?;
                let (a, b) = (self.vectors(*a, plan)?, self.vectors(*b, plan)?);
                let pick = |(mask, (a, b)): (Value, (Value, Value))| self.choose(mask, a, b);
                Ok(Wide::Vectors(masks.into_iter().zip(a.into_iter().zip(b)).map(pick).collect()))
            }
            (Prim::Not, [a]) => {
                let masks = self.masks(*a)?;
                Ok(Wide::Masks(masks.into_iter().map(|m| self.b.ins().bnot(m)).collect()))
            }
            (Prim::And | Prim::Or, [a, b]) => {
                let (a, b) = (self.masks(*a)?, self.masks(*b)?);
                let join = |(a, b): (Value, Value)| match prim {
                    Prim::And => self.b.ins().band(a, b),
                    _ => self.b.ins().bor(a, b),
                };
                Ok(Wide::Masks(a.into_iter().zip(b).map(join).collect()))
            }
            _ => Err(internal(format!("`{}` cannot be made wide", prim.name()))),
        }
    }

    /// The first value where the mask is set, else the second.
    pub(in crate::codegen) fn choose(&mut self, mask: Value, a: Value, b: Value) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        let mask = self.b.ins().bitcast(ty, MemFlagsData::new().with_endianness(Endianness::Little), mask);
        self.b.ins().bitselect(mask, a, b)
    }

    /// A primitive on one vector of each operand, lane by lane.
    fn lane_prim(&mut self, prim: Prim, args: &[Value], plan: &Plan) -> Result<Value> {
        let mut lanes = Vec::new();
        for lane in 0..plan.lanes() as u8 {
            let args: Vec<Value> = args.iter().map(|&a| self.b.ins().extractlane(a, lane)).collect();
            let value = match *args.as_slice() {
                [x] => self.float_unary(prim, plan.elem, x)?,
                [x, y] => self.float_binary(prim, plan.elem, x, y)?,
                _ => None,
            };
            lanes.push(value.ok_or_else(|| internal(format!("`{}` cannot be made wide", prim.name())))?);
        }
        self.pack(&lanes, plan).first().copied().ok_or_else(|| internal("a vector without lanes"))
    }

    /// A primitive on one vector of each operand. The meaning is that of the plain code, lane by lane.
    fn vector_prim(&mut self, prim: Prim, args: &[Value], plan: &Plan) -> Result<Value> {
        let number = |codegen: &mut Self, x: f64| {
            let x = codegen.number(plan.elem, x);
            codegen.b.ins().splat(vector_type(plan.elem), x)
        };
        Ok(match (prim, args) {
            (Prim::Add, &[x, y]) => self.b.ins().fadd(x, y),
            (Prim::Sub, &[x, y]) => self.b.ins().fsub(x, y),
            (Prim::Mul, &[x, y]) => self.b.ins().fmul(x, y),
            (Prim::Div, &[x, y]) => self.b.ins().fdiv(x, y),
            (Prim::MulZero, &[x, y]) => {
                let product = self.b.ins().fmul(x, y);
                let zero = number(self, 0.0);
                let first = self.b.ins().fcmp(FloatCC::Equal, x, zero);
                let second = self.b.ins().fcmp(FloatCC::Equal, y, zero);
                let wins = self.b.ins().bor(first, second);
                self.choose(wins, zero, product)
            }
            (Prim::Neg, &[x]) => self.b.ins().fneg(x),
            (Prim::Abs, &[x]) => self.b.ins().fabs(x),
            (Prim::Sqrt, &[x]) => self.b.ins().sqrt(x),
            (Prim::Sign, &[x]) => {
                let (zero, one, minus) = (number(self, 0.0), number(self, 1.0), number(self, -1.0));
                let below = self.b.ins().fcmp(FloatCC::LessThan, x, zero);
                let rest = self.choose(below, minus, x);
                let above = self.b.ins().fcmp(FloatCC::GreaterThan, x, zero);
                self.choose(above, one, rest)
            }
            (Prim::Min | Prim::Max, &[x, y]) => {
                let cc = if prim == Prim::Min { FloatCC::LessThanOrEqual } else { FloatCC::GreaterThanOrEqual };
                let nan = self.b.ins().fcmp(FloatCC::Unordered, x, x);
                let other = self.choose(nan, x, y);
                let first = self.b.ins().fcmp(cc, x, y);
                self.choose(first, x, other)
            }
            (Prim::IsNan, &[x]) => self.b.ins().fcmp(FloatCC::Unordered, x, x),
            (Prim::Eq, &[x, y]) => self.b.ins().fcmp(FloatCC::Equal, x, y),
            (Prim::Ne, &[x, y]) => self.b.ins().fcmp(FloatCC::NotEqual, x, y),
            (Prim::Lt, &[x, y]) => self.b.ins().fcmp(FloatCC::LessThan, x, y),
            (Prim::Le, &[x, y]) => self.b.ins().fcmp(FloatCC::LessThanOrEqual, x, y),
            (Prim::Gt, &[x, y]) => self.b.ins().fcmp(FloatCC::GreaterThan, x, y),
            (Prim::Ge, &[x, y]) => self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, x, y),
            _ => return Err(internal(format!("`{}` has no vector form", prim.name()))),
        })
    }
}
