//! Parallel loops: functions of their own that do a range of the iterations.
//!
//! ```text
//! fn(record, environment, chunk, lo, hi) -> i32        0 when all went well
//! ```
//!
//! The environment is a row of slots on the stack of the compiled function: the place for partial results, and the captured
//! locals. A loop that is too cheap to be divided calls the function directly; others go through the runtime, which divides
//! by the sizes alone (`arr_par_for`). Partial results are combined in the order of the chunks.

use super::{Codegen, Outlined, Range, Result, Slot, internal, slot_offset, trusted};
use arr_loops::{For, LocalId, Parallel, Partial, captures};
use arr_runtime::{GRAIN, MAX_CHUNKS};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, BlockArg, FuncRef, InstBuilder, Signature, StackSlot, StackSlotData, StackSlotKind, Value, types,
};
use cranelift_module::Module;

/// A loop is divided from this many chunks on.
const FEWEST_CHUNKS: f64 = 2.0;

/// Loops with more accumulators are not divided: the partial results would need much of the stack.
const MOST_PARTIALS: usize = 64;

/// The signature of the functions that do a part of a loop.
pub(super) fn signature(module: &dyn Module) -> Signature {
    let pointer = module.target_config().pointer_type();
    let mut signature = module.make_signature();
    signature.params.extend([pointer, pointer, types::I64, types::I64, types::I64].map(AbiParam::new));
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

impl Codegen<'_, '_> {
    /// What is known about a loop that is to become a function of its own; `None` if it is to stay where it is.
    pub(super) fn divisible<'l>(&self, l: &'l For) -> Option<&'l Parallel> {
        let parallel = l.parallel.as_ref().filter(|p| self.divides && p.partials.len() <= MOST_PARTIALS)?;
        let tiny = self.known_cost(l).is_some_and(|cost| cost < FEWEST_CHUNKS * GRAIN);
        (!tiny && !l.reverse).then_some(parallel)
    }

    /// Emits the call of a loop's function, which is emitted later.
    pub(super) fn region(&mut self, l: &For, parallel: &Parallel) -> Result<()> {
        let extent = self.operand(l.extent)?;
        let zero = self.int(0);
        let n = self.b.ins().smax(extent, zero);
        let cost = self.cost(l, n)?;
        let captured = captures(l);
        let (env, places) = self.environment(parallel, &captured)?;
        let function = self.outline(l, captured)?;
        let count = self.call_region(function, n, cost, env)?;
        if parallel.partials.is_empty() { Ok(()) } else { self.combine(parallel, places, count) }
    }

    /// Writes what the function needs to the stack. The results are the address of that, and of the partial results.
    fn environment(&mut self, parallel: &Parallel, captured: &[LocalId]) -> Result<(Value, Value)> {
        let pointer = self.module.target_config().pointer_type();
        let slots = self.region_slots()?;
        self.at_least(slots.env, captured.len() + 1)?;
        self.at_least(slots.partials, parallel.partials.len() * MAX_CHUNKS)?;
        let env = self.b.ins().stack_addr(pointer, slots.env, 0);
        let places = self.b.ins().stack_addr(pointer, slots.partials, 0);
        if !parallel.partials.is_empty() {
            self.b.ins().store(trusted(), places, env, 0);
        }
        for (k, &local) in captured.iter().enumerate() {
            let value = self.local(local)?;
            self.b.ins().store(trusted(), value, env, slot_offset(k + 1)?);
        }
        Ok((env, places))
    }

    /// The stack slots that all loops of a function share: one loop is done at a time.
    fn region_slots(&mut self) -> Result<RegionSlots> {
        if let Some(slots) = self.region_slots {
            return Ok(slots);
        }
        let mut slot = || self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3));
        let slots = RegionSlots { env: slot(), partials: slot() };
        self.region_slots = Some(slots);
        Ok(slots)
    }

    fn at_least(&mut self, slot: StackSlot, count: usize) -> Result<()> {
        let bytes = slot_offset(count)? as u32;
        if let Some(data) = self.b.func.sized_stack_slots.get_mut(slot) {
            data.size = data.size.max(bytes);
        }
        Ok(())
    }

    /// Declares the function of a loop, and leaves its body for later.
    fn outline(&mut self, l: &For, captured: Vec<LocalId>) -> Result<FuncRef> {
        let id = self.module.declare_anonymous_function(&signature(self.module))?;
        self.outlined.push(Outlined { id, l: l.clone(), captured });
        Ok(self.module.declare_func_in_func(id, self.b.func))
    }

    /// Calls the function for all iterations, at once if they are cheap. The result is the number of chunks.
    fn call_region(&mut self, function: FuncRef, n: Value, cost: Value, env: Value) -> Result<Value> {
        let pointer = self.module.target_config().pointer_type();
        let (divide, whole, next) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let count = self.b.append_block_param(next, types::I64);
        let enough = self.b.ins().f64const(FEWEST_CHUNKS * GRAIN);
        let dear = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, cost, enough);
        self.b.ins().brif(dear, divide, &[], whole, &[]);

        self.b.switch_to_block(whole);
        self.b.seal_block(whole);
        let (zero, one) = (self.int(0), self.int(1));
        let call = self.b.ins().call(function, &[self.context, env, zero, zero, n]);
        let failed = self.b.inst_results(call).first().copied().ok_or_else(|| internal("a region has no result"))?;
        self.b.ins().brif(failed, self.give_up, &[], next, &[BlockArg::Value(one)]);

        self.b.switch_to_block(divide);
        self.b.seal_block(divide);
        let body = self.b.ins().func_addr(pointer, function);
        let chunks = self.call("arr_par_for", &[self.context, n, cost, body, env], types::I64)?;
        self.b.ins().brif(chunks, next, &[BlockArg::Value(chunks)], self.give_up, &[]);

        self.b.switch_to_block(next);
        self.b.seal_block(next);
        Ok(count)
    }

    /// Takes the partial results of every chunk into the accumulators, in order.
    fn combine(&mut self, parallel: &Parallel, places: Value, count: Value) -> Result<()> {
        let (body, exit) = (self.b.create_block(), self.b.create_block());
        let chunk = self.b.append_block_param(body, types::I64);
        let zero = self.int(0);
        // There is always one chunk.
        self.b.ins().jump(body, &[BlockArg::Value(zero)]);
        self.b.switch_to_block(body);
        let row = self.partial_row(&parallel.partials, places, chunk)?;
        for (k, partial) in parallel.partials.iter().enumerate() {
            let ty = self.local_type(partial.other);
            let value = self.b.ins().load(ty, trusted(), row, slot_offset(k)?);
            self.slots[partial.other] = Slot::Value(value);
        }
        self.stmts(&parallel.combine)?;
        let next = self.b.ins().iadd_imm_s(chunk, 1);
        let more = self.b.ins().icmp(IntCC::SignedLessThan, next, count);
        self.b.ins().brif(more, body, &[BlockArg::Value(next)], exit, &[]);
        self.b.seal_block(body);
        self.b.switch_to_block(exit);
        self.b.seal_block(exit);
        Ok(())
    }

    fn partial_row(&mut self, partials: &[Partial], places: Value, chunk: Value) -> Result<Value> {
        let offset = self.b.ins().imul_imm_s(chunk, i64::from(slot_offset(partials.len())?));
        Ok(self.b.ins().iadd(places, offset))
    }

    /// The body of a loop's function: `env`, the chunk's number and its range are the function's parameters.
    pub(super) fn part(&mut self, l: &For, captured: &[LocalId], [env, chunk, lo, hi]: [Value; 4]) -> Result<()> {
        for (k, &local) in captured.iter().enumerate() {
            let ty = self.local_type(local);
            let value = self.b.ins().load(ty, trusted(), env, slot_offset(k + 1)?);
            self.slots[local] = Slot::Value(value);
        }
        let partials = l.parallel.as_ref().map(|p| p.partials.as_slice()).unwrap_or_default();
        for partial in partials {
            let ty = self.local_type(partial.local);
            let variable = self.b.declare_var(ty);
            let init = self.constant(partial.init);
            self.b.def_var(variable, init);
            self.slots[partial.local] = Slot::Variable(variable);
        }
        let mut first = vec![lo];
        for induction in &l.inductions {
            let step = self.operand(induction.step)?;
            first.push(self.b.ins().imul(lo, step));
        }
        self.for_range(l, Range { first, end: hi })?;
        if !partials.is_empty() {
            let pointer = self.module.target_config().pointer_type();
            let places = self.b.ins().load(pointer, trusted(), env, 0);
            let row = self.partial_row(partials, places, chunk)?;
            for (k, partial) in partials.iter().enumerate() {
                let value = self.local(partial.local)?;
                self.b.ins().store(trusted(), value, row, slot_offset(k)?);
            }
        }
        let ok = self.b.ins().iconst(types::I32, 0);
        self.b.ins().return_(&[ok]);
        Ok(())
    }
}

/// Where the loops of a function find captured values, and leave partial results.
#[derive(Clone, Copy)]
pub(super) struct RegionSlots {
    env: StackSlot,
    partials: StackSlot,
}
