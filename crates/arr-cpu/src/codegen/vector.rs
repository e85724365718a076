//! Wide loops as kernels of machine code with the machine's widest vectors: a call with an environment on the stack.

use super::control::block_args;
use super::kernel::{EXTENT, FIXED, START, STOP, Translation, translate};
use super::vectorize::plan::Plan;
use super::{Codegen, Range, Result, clif_type, internal, slot_offset};
use arr_loops::For;
use arr_x86::Kernel;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, FuncRef, InstBuilder, StackSlot, StackSlotData, StackSlotKind, Value, types};
use cranelift_module::Module;

/// The minimal number of vectors of a kernel: fewer are not worth the call.
const FEWEST_VECTORS: i64 = 2;

/// The number of statements from which on one vector is enough: an elementary function is that long.
const LONG: usize = 24;

impl Codegen<'_, '_> {
    /// The loop as a kernel if it can be one, and as a wide loop where it is short. Returns the iterations left to the
    /// plain loop.
    pub(super) fn vector_loop(&mut self, l: &For, plan: &Plan, range: Range) -> Result<Range> {
        let kernel = self.flags.isa.and_then(|isa| {
            let translation =
                translate(self.loops, l, plan, self.contractions, self.streamed, self.flags.interruptible)?;
            let kernel = arr_x86::assemble(&translation.program.kept(), isa).ok()?;
            let long = translation.program.outer.body.len() >= LONG;
            let least = if long { 1 } else { FEWEST_VECTORS } * kernel.step as i64;
            let worth = l.extent.as_int().is_none_or(|n| n >= least);
            worth.then_some((translation, kernel, least))
        });
        let Some((translation, kernel, least)) = kernel else {
            return if plan.kernel { Ok(range) } else { self.wide_loop(l, plan, range) };
        };
        let function = self.kernel_function(&kernel)?;
        let (long, short, exit) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let first = range.first.first().copied().ok_or_else(|| internal("a loop without an index"))?;
        let count = self.b.ins().isub(range.end, first);
        let many = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, count, least);
        let rest: Vec<Value> = range.first.iter().map(|_| self.b.append_block_param(short, types::I64)).collect();
        self.b.ins().brif(many, long, &[], short, &block_args(&range.first));
        self.b.seal_block(long);
        self.b.switch_to_block(long);
        let slot = self.kernel_environment(&translation, first, range.end)?;
        let fixed = FIXED as usize + translation.folds.len();
        self.check_kernel(&translation, &kernel, slot, fixed)?;
        let reached = match self.flags.isa.filter(|_| !translation.streams.is_empty()) {
            Some(isa) => {
                let streams = arr_x86::assemble(&translation.program, isa);
                let streams = self.kernel_function(&streams.map_err(|e| internal(e.to_string()))?)?;
                self.streaming_call(&translation.streams, [function, streams], slot, [first, range.end])?
            }
            None => self.kernel_call(function, slot)?,
        };
        if translation.stops {
            self.look_at_stop(l.span)?;
        }
        self.take_folds(&translation, plan, slot)?;
        let index = if translation.leaves { self.b.ins().smin(reached, range.end) } else { range.end };
        let mut done = vec![index];
        for induction in &l.inductions {
            let step = self.operand(induction.step)?;
            done.push(self.b.ins().imul(index, step));
        }
        // If the kernel may stop early, calls of the runtime's functions continue.
        let next = if translation.leaves && !plan.kernel { short } else { exit };
        self.b.ins().jump(next, &block_args(&done));
        self.b.seal_block(short);
        self.b.switch_to_block(short);
        let end = range.end;
        let range = Range { first: rest, end };
        let rest = if plan.kernel { range } else { self.wide_loop(l, plan, range)? };
        self.b.ins().jump(exit, &block_args(&rest.first));
        let ends = rest.first.iter().map(|_| self.b.append_block_param(exit, types::I64)).collect();
        self.b.switch_to_block(exit);
        self.b.seal_block(exit);
        Ok(Range { first: ends, end })
    }

    fn kernel_function(&mut self, kernel: &Kernel) -> Result<FuncRef> {
        let mut signature = self.module.make_signature();
        signature.params.push(AbiParam::new(self.module.target_config().pointer_type()));
        signature.returns.push(AbiParam::new(types::I64));
        let id = self.module.declare_anonymous_function(&signature)?;
        self.module.define_function_bytes(id, 64, &kernel.bytes, &[])?;
        Ok(self.module.declare_func_in_func(id, self.b.func))
    }

    /// Calls a kernel. Returns the first index that it did not reach.
    pub(super) fn kernel_call(&mut self, function: FuncRef, env: StackSlot) -> Result<Value> {
        let env = self.b.ins().stack_addr(self.module.target_config().pointer_type(), env, 0);
        let call = self.b.ins().call(function, &[env]);
        self.b.inst_results(call).first().copied().ok_or_else(|| internal("a kernel gives no index"))
    }

    /// Runs the statements before the kernel, and writes its environment.
    fn kernel_environment(&mut self, translation: &Translation<'_>, first: Value, end: Value) -> Result<StackSlot> {
        let pointer = self.module.target_config().pointer_type();
        for stmt in &translation.before {
            self.stmt(stmt)?;
        }
        let fixed = FIXED as usize + translation.folds.len();
        let bytes = slot_offset(fixed + translation.env.len())?;
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes as u32, 3);
        let slot = self.b.create_sized_stack_slot(data);
        self.b.ins().stack_store(pointer, first, slot, 8 * START as i32);
        self.b.ins().stack_store(pointer, end, slot, 8 * EXTENT as i32);
        if translation.stops {
            let flag = self.stop_flag();
            self.b.ins().stack_store(pointer, flag, slot, 8 * STOP as i32);
        }
        for (k, &operand) in translation.env.iter().enumerate() {
            let value = self.operand(operand)?;
            self.b.ins().stack_store(pointer, value, slot, slot_offset(fixed + k)?);
        }
        Ok(slot)
    }

    /// Merges the combined results of the kernel into the accumulators.
    fn take_folds(&mut self, translation: &Translation<'_>, plan: &Plan, env: StackSlot) -> Result<()> {
        let pointer = self.module.target_config().pointer_type();
        for (next, slot) in &translation.folds {
            let fold = plan.folds.get(next).ok_or_else(|| internal("a kernel combines what nothing folds"))?;
            let total = self.b.ins().stack_load(pointer, clif_type(plan.elem), env, 8 * *slot as i32);
            let accumulator = self.accumulator(fold)?;
            let before = self.b.use_var(accumulator);
            let total = self.combined(fold, before, total, plan)?;
            self.b.def_var(accumulator, total);
        }
        Ok(())
    }
}
