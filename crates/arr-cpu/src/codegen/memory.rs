//! Loads, stores, allocation and reference counts.

use super::{Codegen, Result, Slot, internal, row, slot_offset, trusted};
use arr_ir::Scalar;
use arr_loops::{LiteralId, LocalId, Operand, SpanId, TraceId};
use arr_runtime::offsets;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Type, Value, types};

impl Codegen<'_, '_> {
    /// An address and a constant number of bytes after it.
    pub(super) fn place(&mut self, address: LocalId, offset: Operand) -> Result<(Value, i32)> {
        let width = self.loops.ty(address).elem().bytes() as i64;
        let base = self.local(address)?;
        if let Some(Ok(bytes)) = offset.as_int().map(|n| i32::try_from(n.wrapping_mul(width))) {
            return Ok((base, bytes));
        }
        let offset = self.operand(offset)?;
        let bytes =
            if width == 1 { offset } else { self.b.ins().ishl_imm_u(offset, i64::from(width.trailing_zeros())) };
        Ok((self.b.ins().iadd(base, bytes), 0))
    }

    pub(super) fn load(&mut self, ty: Type, address: LocalId, offset: Operand) -> Result<Value> {
        let at = self.checked_place(address, offset)?;
        Ok(self.b.ins().load(ty, trusted(), at.0, at.1))
    }

    pub(super) fn store(&mut self, address: LocalId, offset: Operand, value: Operand) -> Result<()> {
        let value = self.operand(value)?;
        let at = self.checked_place(address, offset)?;
        self.b.ins().store(trusted(), value, at.0, at.1);
        Ok(())
    }

    /// The address of an element that is about to be loaded or stored.
    fn checked_place(&mut self, address: LocalId, offset: Operand) -> Result<(Value, i32)> {
        let (at, bytes) = self.place(address, offset)?;
        if self.flags.sanitize {
            let element = self.b.ins().iadd_imm_s(at, i64::from(bytes));
            self.check_access(address, element, self.loops.ty(address).elem().bytes() as i64)?;
        }
        Ok((at, bytes))
    }

    pub(super) fn data(&mut self, buffer: LocalId) -> Result<Value> {
        let header = self.local(buffer)?;
        self.check_alive(buffer, header)?;
        let pointer = self.module.target_config().pointer_type();
        Ok(self.b.ins().load(pointer, trusted(), header, offsets::BUFFER_DATA as i32))
    }

    /// How many elements a buffer has.
    pub(super) fn length(&mut self, buffer: LocalId) -> Result<Value> {
        let header = self.local(buffer)?;
        self.check_alive(buffer, header)?;
        Ok(self.length_of(header))
    }

    pub(super) fn length_of(&mut self, header: Value) -> Value {
        self.b.ins().load(types::I64, trusted(), header, offsets::BUFFER_LEN as i32)
    }

    pub(super) fn literal(&mut self, id: LiteralId) -> Result<Value> {
        let pointer = self.module.target_config().pointer_type();
        let offset = slot_offset(arr_base::Id::index(id))?;
        let buffer = self.b.ins().load(pointer, trusted(), self.literals, offset);
        self.add_reference(buffer);
        Ok(buffer)
    }

    fn references(&mut self, buffer: Value) -> Value {
        self.b.ins().load(types::I64, trusted(), buffer, offsets::BUFFER_REFS as i32)
    }

    fn set_references(&mut self, buffer: Value, count: Value) {
        self.b.ins().store(trusted(), count, buffer, offsets::BUFFER_REFS as i32);
    }

    fn add_reference(&mut self, buffer: Value) {
        let count = self.references(buffer);
        let more = self.b.ins().iadd_imm_s(count, 1);
        self.set_references(buffer, more);
    }

    pub(super) fn retain(&mut self, buffer: LocalId) -> Result<()> {
        let header = self.local(buffer)?;
        self.check_alive(buffer, header)?;
        self.add_reference(header);
        Ok(())
    }

    pub(super) fn release(&mut self, local: LocalId) -> Result<()> {
        let buffer = self.local(local)?;
        self.check_alive(local, buffer)?;
        let count = self.references(buffer);
        let less = self.b.ins().iadd_imm_s(count, -1);
        self.set_references(buffer, less);
        let (free, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(less, next, &[], free, &[]);
        self.b.switch_to_block(free);
        self.b.seal_block(free);
        self.call("arr_free", &[self.context, buffer], types::INVALID)?;
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        Ok(())
    }

    pub(super) fn alloc(&mut self, local: LocalId, dims: &[Operand], span: SpanId) -> Result<()> {
        let pointer = self.module.target_config().pointer_type();
        let (rank, place) = self.pass_dims(dims)?;
        let width = self.int(self.loops.ty(local).elem().bytes() as i64);
        let span = self.int(row(span));
        let buffer = self.call("arr_alloc", &[self.context, width, rank, place, span], pointer)?;
        self.give_up_if_zero(buffer);
        self.slots[local] = Slot::Value(buffer);
        Ok(())
    }

    pub(super) fn check_shape(&mut self, local: LocalId, dims: &[Operand], span: SpanId) -> Result<()> {
        let buffer = self.local(local)?;
        self.check_alive(local, buffer)?;
        let (rank, place) = self.pass_dims(dims)?;
        let span = self.int(row(span));
        let fits = self.call("arr_check_shape", &[self.context, buffer, rank, place, span], types::I64)?;
        self.give_up_if_zero(fits);
        Ok(())
    }

    /// Hands a value to the runtime, which shows it. Only the context of the run knows who listens, so that a loop that is
    /// divided shows nothing.
    pub(super) fn trace(&mut self, site: TraceId, value: Operand, dims: &[Operand]) -> Result<()> {
        if !self.divides {
            return Err(internal("a trace in a loop that is divided"));
        }
        let number = self.int(arr_base::Id::index(site) as i64);
        let given = self.operand(value)?;
        let Some(buffer) = value.as_local().filter(|_| !dims.is_empty()) else {
            let bits = self.bits(given);
            self.call("arr_trace_scalar", &[self.context, number, bits], types::INVALID)?;
            return Ok(());
        };
        self.check_alive(buffer, given)?;
        let (rank, place) = self.pass_dims(dims)?;
        self.call("arr_trace_array", &[self.context, number, given, rank, place], types::INVALID)?;
        Ok(())
    }

    /// The bits of a scalar as an integer of 64.
    fn bits(&mut self, value: Value) -> Value {
        let ty = self.b.func.dfg.value_type(value);
        let int = match ty {
            types::F64 => types::I64,
            types::F32 => types::I32,
            other => other,
        };
        let bits = if int == ty { value } else { self.b.ins().bitcast(int, MemFlagsData::new(), value) };
        if int == types::I64 { bits } else { self.b.ins().uextend(types::I64, bits) }
    }

    /// Writes sizes to where the runtime reads them; returns their number and address.
    pub(super) fn pass_dims(&mut self, dims: &[Operand]) -> Result<(Value, Value)> {
        let pointer = self.module.target_config().pointer_type();
        let slot = match self.dims_slot {
            Some(slot) => slot,
            None => {
                let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3);
                *self.dims_slot.insert(self.b.create_sized_stack_slot(data))
            }
        };
        if let Some(data) = self.b.func.sized_stack_slots.get_mut(slot) {
            data.size = data.size.max(slot_offset(dims.len())? as u32);
        }
        let place = self.b.ins().stack_addr(pointer, slot, 0);
        for (k, &dim) in dims.iter().enumerate() {
            let dim = self.operand(dim)?;
            self.b.ins().store(trusted(), dim, place, slot_offset(k)?);
        }
        Ok((self.int(dims.len() as i64), place))
    }

    pub(super) fn make_unique(&mut self, local: LocalId, from: LocalId, span: SpanId) -> Result<()> {
        let pointer = self.module.target_config().pointer_type();
        let buffer = self.local(from)?;
        self.check_alive(from, buffer)?;
        let count = self.references(buffer);
        let unique = self.b.ins().icmp_imm_s(IntCC::Equal, count, 1);
        let (copy, next) = (self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(next, pointer);
        self.b.set_cold_block(copy);
        self.b.ins().brif(unique, next, &[BlockArg::Value(buffer)], copy, &[]);
        self.b.switch_to_block(copy);
        self.b.seal_block(copy);
        let span = self.int(row(span));
        let copied = self.call("arr_copy", &[self.context, buffer, span], pointer)?;
        self.give_up_if_zero(copied);
        self.b.ins().jump(next, &[BlockArg::Value(copied)]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        self.slots[local] = Slot::Value(result);
        Ok(())
    }

    pub(super) fn argsort(&mut self, into: LocalId, keys: LocalId, length: Operand) -> Result<()> {
        let function = match self.loops.ty(keys).elem() {
            Scalar::Bool => "arr_argsort_bool",
            Scalar::I32 => "arr_argsort_i32",
            Scalar::I64 => "arr_argsort_i64",
            Scalar::U32 => "arr_argsort_u32",
            Scalar::F32 => "arr_argsort_f32",
            Scalar::F64 => "arr_argsort_f64",
        };
        self.check_sort(into, keys)?;
        let (into, keys, length) = (self.local(into)?, self.local(keys)?, self.operand(length)?);
        let stop = self.stop_flag();
        self.call(function, &[into, keys, length, stop], types::INVALID)?;
        if self.flags.interruptible { self.look_at_stop(self.here) } else { Ok(()) }
    }

    /// Zero from the runtime: the failure is recorded already.
    pub(super) fn give_up_if_zero(&mut self, value: Value) {
        let next = self.b.create_block();
        self.b.ins().brif(value, next, &[], self.give_up, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
    }
}
