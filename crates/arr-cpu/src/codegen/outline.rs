//! Outlines parallel loops: each becomes a function of its own that executes a range of the iterations.
//!
//! ```text
//! fn(record, environment, chunk, lo, hi) -> i32        0 when all went well
//! ```
//!
//! The environment is an array of slots on the stack of the compiled function: the address of partial results, and the
//! captured locals. The runtime divides the loop according to its size and cost alone, and calls the function for each
//! chunk (`arr_par_for`); partial results are combined in the order of the chunks. In a loop of the program the kernel
//! is also emitted in place, for sizes at which it is too cheap to be divided: then the overhead is only a test.

use super::vectorize::plan::choose;
use super::{Codegen, Emitted, Outlined, Part, Range, Result, Slot, function_name, internal, slot_offset, trusted};
use arr_ir::Scalar;
use arr_loops::{Added, For, LocalId, Parallel, captures};
use arr_runtime::{AddedKind, GRAIN, MAX_CHUNKS, OWN_HEAD, OWN_ROW};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, BlockArg, FuncRef, Function, InstBuilder, Signature, StackSlot, StackSlotData, StackSlotKind, Value,
    types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{FuncId, Linkage, Module};

/// The minimal number of chunks for dividing a loop.
const FEWEST_CHUNKS: f64 = 2.0;

/// The minimal number of iterations of a vectorised chunk, and of two such chunks: enough for the widest vectors to pay
/// off.
const SIDE_BY_SIDE: i64 = 32;

/// The minimal number of iterations for dividing loops of the program: with fewer there may be too little work for all
/// threads.
const FEWEST_POINTS: i64 = 16;

/// Loops with more accumulators are not divided: the partial results would need much of the stack.
const MOST_PARTIALS: usize = 64;

/// The environment: the address of partial results, the final number of chunks, and the captured locals.
pub(super) const PLACES: usize = 0;
const CHUNKS: usize = 1;
pub(super) const CAPTURED: usize = 2;

/// The signature of the function that calls the runtime: it preserves all registers, so that the code around the call,
/// which is rarely executed, keeps its values in registers. It has no result for that reason, and leaves it in the
/// environment.
fn divider_signature(module: &dyn Module) -> Signature {
    let pointer = module.target_config().pointer_type();
    let mut signature = Signature::new(CallConv::PreserveAll);
    signature.params.extend([pointer, types::I64, types::F64, pointer, pointer].map(AbiParam::new));
    signature
}

/// Emits that function, declared as `id`.
pub(super) fn divider(id: FuncId, module: &mut dyn Module, frontend: &mut FunctionBuilderContext) -> Result<Emitted> {
    let pointer = module.target_config().pointer_type();
    let mut clif = Function::with_name_signature(function_name(id), divider_signature(module));
    let mut b = FunctionBuilder::new(&mut clif, frontend);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    b.seal_block(entry);
    let args = b.block_params(entry).to_vec();
    let mut signature = module.make_signature();
    signature.params.extend([pointer, types::I64, types::F64, pointer, pointer].map(AbiParam::new));
    signature.returns.push(AbiParam::new(types::I64));
    let runtime = module.declare_function("arr_par_for", Linkage::Import, &signature)?;
    let runtime = module.declare_func_in_func(runtime, b.func);
    let call = b.ins().call(runtime, &args);
    if let (&[chunks], Some(&env)) = (b.inst_results(call), args.last()) {
        b.ins().store(trusted(), chunks, env, slot_offset(CHUNKS)?);
    }
    b.ins().return_(&[]);
    b.finalize(module.target_config());
    Ok(Emitted { id, clif })
}

/// The signature of the functions that execute a part of a loop.
pub(super) fn signature(module: &dyn Module) -> Signature {
    let pointer = module.target_config().pointer_type();
    let mut signature = module.make_signature();
    signature.params.extend([pointer, pointer, types::I64, types::I64, types::I64].map(AbiParam::new));
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

impl Codegen<'_, '_> {
    /// The facts about a loop that is to be outlined; `None` if it stays in place.
    pub(super) fn divisible<'l>(&self, l: &'l For) -> Option<&'l Parallel> {
        let parallel = l.parallel.as_ref().filter(|p| self.divides && p.partials.len() <= MOST_PARTIALS)?;
        // Counted iterations of the program run in order.
        let counts = l.is_source() && self.flags.count_steps;
        (!self.is_tiny(l) && !l.reverse && !counts).then_some(parallel)
    }

    /// Whether a loop is known to be too cheap to be divided.
    pub(super) fn is_tiny(&self, l: &For) -> bool {
        self.known_cost(l).is_some_and(|cost| cost < FEWEST_CHUNKS * GRAIN)
    }

    /// Emits a loop that is divided if it is expensive enough. Its function is emitted later. In a loop of the program,
    /// which may run many times, a cheap one runs in place.
    pub(super) fn region(&mut self, l: &For, parallel: &Parallel) -> Result<()> {
        let extent = self.operand(l.extent)?;
        let zero = self.int(0);
        let n = self.b.ins().smax(extent, zero);
        let cost = self.cost(l, n)?;
        let cost = self.side_by_side(l, n, cost);
        let cost = self.where_apart(l, parallel, n, cost)?;
        if self.repeated == 0 && !l.is_source() {
            return self.call_region(l, parallel, n, cost);
        }
        self.divide_if_expensive(
            cost,
            |codegen| codegen.call_region(l, parallel, n, cost),
            |codegen| {
                let range = codegen.whole(l)?;
                codegen.for_range(l, range)
            },
        )
    }

    /// The cost reported for a loop, chosen so that a chunk of expensive vectorised iterations is not shorter than
    /// vectors.
    fn side_by_side(&mut self, l: &For, n: Value, cost: Value) -> Value {
        if !self.flags.wide || choose(self.loops, l, self.roots, self.aims()).is_none() {
            return cost;
        }
        let chunks = self.b.ins().iadd_imm_s(n, SIDE_BY_SIDE - 1);
        let chunks = self.b.ins().fcvt_from_sint(types::F64, chunks);
        let each = self.b.ins().f64const(GRAIN / SIDE_BY_SIDE as f64);
        let most = self.b.ins().fmul(chunks, each);
        let long = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, n, 2 * SIDE_BY_SIDE);
        let costs_more = self.b.ins().fcmp(FloatCC::GreaterThan, cost, most);
        let limited = self.b.ins().band(long, costs_more);
        self.b.ins().select(limited, most, cost)
    }

    /// The cost, or none if iterations conflict, or if a few of the program's hold loops that can be divided
    /// themselves.
    fn where_apart(&mut self, l: &For, parallel: &Parallel, n: Value, cost: Value) -> Result<Value> {
        let none = self.b.ins().f64const(0.0);
        let mut cost = cost;
        if let Some(apart) = parallel.disjoint_if {
            let apart = self.local(apart)?;
            cost = self.b.ins().select(apart, cost, none);
        }
        if l.is_source() {
            let many = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, n, FEWEST_POINTS);
            cost = self.b.ins().select(many, cost, none);
        }
        Ok(cost)
    }

    /// Emits a loop twice: as `divided` has it done where it is expensive enough, and as a whole.
    pub(super) fn divide_if_expensive(
        &mut self,
        cost: Value,
        divided: impl FnOnce(&mut Self) -> Result<()>,
        undivided: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let enough = self.b.ins().f64const(FEWEST_CHUNKS * GRAIN);
        let expensive = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, cost, enough);
        let (divide, whole, next) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(divide);
        self.b.ins().brif(expensive, divide, &[], whole, &[]);
        self.b.switch_to_block(divide);
        self.b.seal_block(divide);
        divided(self)?;
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(whole);
        self.b.seal_block(whole);
        undivided(self)?;
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
        self.b.seal_block(next);
        Ok(())
    }

    /// Calls the runtime to divide a loop and call its function for each chunk.
    fn call_region(&mut self, l: &For, parallel: &Parallel, n: Value, cost: Value) -> Result<()> {
        self.settle_stores();
        let pointer = self.module.target_config().pointer_type();
        let captured = captures(l);
        let (env, places) = self.environment(parallel, &captured)?;
        let table = self.own_table(parallel, &captured, env)?;
        let function = self.outline(l, captured, Part::Range)?;
        let body = self.b.ins().func_addr(pointer, function);
        if let Some(table) = table {
            let chunks = self.call("arr_par_own", &[self.context, n, cost, body, env, table], types::I64)?;
            self.give_up_if_zero(chunks);
            return if parallel.partials.is_empty() { Ok(()) } else { self.combine(parallel, places, chunks) };
        }
        let divider = match self.divider {
            Some(id) => id,
            None => *self.divider.insert(self.module.declare_anonymous_function(&divider_signature(self.module))?),
        };
        let divider = self.module.declare_func_in_func(divider, self.b.func);
        self.b.ins().call(divider, &[self.context, n, cost, body, env]);
        let chunks = self.b.ins().load(types::I64, trusted(), env, slot_offset(CHUNKS)?);
        self.give_up_if_zero(chunks);
        if parallel.partials.is_empty() { Ok(()) } else { self.combine(parallel, places, chunks) }
    }

    /// Writes the function's inputs to the stack. Returns the address of these, and of the partial results.
    fn environment(&mut self, parallel: &Parallel, captured: &[LocalId]) -> Result<(Value, Value)> {
        let pointer = self.module.target_config().pointer_type();
        let slots = self.region_slots()?;
        self.at_least(slots.env, self.captured_slots(captured) + CAPTURED)?;
        self.at_least(slots.partials, parallel.partials.len() * MAX_CHUNKS)?;
        let env = self.b.ins().stack_addr(pointer, slots.env, 0);
        let places = self.b.ins().stack_addr(pointer, slots.partials, 0);
        if !parallel.partials.is_empty() {
            self.b.ins().store(trusted(), places, env, slot_offset(PLACES)?);
        }
        self.store_captured(captured, env)?;
        Ok((env, places))
    }

    /// Writes a description of the chunks' private data behind the environment: the table that `arr_par_own` reads.
    /// `None` if they have none.
    fn own_table(&mut self, parallel: &Parallel, captured: &[LocalId], env: Value) -> Result<Option<Value>> {
        if parallel.added.is_empty() && !parallel.allocates {
            return Ok(None);
        }
        let slots = CAPTURED + self.captured_slots(captured);
        let stack = self.region_slots()?.env;
        self.at_least(stack, slots + OWN_HEAD + OWN_ROW * parallel.added.len())?;
        let head = [slots, usize::from(parallel.allocates), parallel.added.len()];
        let mut values: Vec<Value> = head.iter().map(|&x| self.int(x as i64)).collect();
        for Added { buffer, data } in &parallel.added {
            let slot =
                captured.iter().position(|c| c == data).ok_or_else(|| internal("an array that is not added to"))?;
            let kind = match self.loops.ty(*buffer).elem() {
                Scalar::F64 => AddedKind::F64,
                Scalar::F32 => AddedKind::F32,
                Scalar::I64 => AddedKind::I64,
                Scalar::I32 | Scalar::U32 => AddedKind::I32,
                Scalar::Bool => return Err(internal("bools are added")),
            };
            values.extend([self.int((CAPTURED + slot) as i64), self.local(*buffer)?, self.int(kind as i64)]);
        }
        for (k, value) in values.into_iter().enumerate() {
            self.b.ins().store(trusted(), value, env, slot_offset(slots + k)?);
        }
        Ok(Some(self.b.ins().iadd_imm_s(env, i64::from(slot_offset(slots)?))))
    }

    pub(super) fn store_captured(&mut self, captured: &[LocalId], env: Value) -> Result<()> {
        for (k, &local) in captured.iter().enumerate() {
            let value = self.local(local)?;
            self.b.ins().store(trusted(), value, env, slot_offset(k + CAPTURED)?);
        }
        self.store_extents(captured, env)
    }

    /// The stack slots that all loops of a function share: one loop runs at a time.
    pub(super) fn region_slots(&mut self) -> Result<RegionSlots> {
        if let Some(slots) = self.region_slots {
            return Ok(slots);
        }
        let mut slot = || self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3));
        let slots = RegionSlots { env: slot(), partials: slot() };
        self.region_slots = Some(slots);
        Ok(slots)
    }

    pub(super) fn at_least(&mut self, slot: StackSlot, count: usize) -> Result<()> {
        let bytes = slot_offset(count)? as u32;
        if let Some(data) = self.b.func.sized_stack_slots.get_mut(slot) {
            data.size = data.size.max(bytes);
        }
        Ok(())
    }

    /// Declares the function of a loop, and leaves its body for later.
    pub(super) fn outline(&mut self, l: &For, captured: Vec<LocalId>, part: Part) -> Result<FuncRef> {
        let id = self.module.declare_anonymous_function(&signature(self.module))?;
        self.outlined.push(Outlined { id, l: l.clone(), captured, part });
        Ok(self.module.declare_func_in_func(id, self.b.func))
    }

    /// Merges the partial results of every chunk into the accumulators, in order.
    fn combine(&mut self, parallel: &Parallel, places: Value, count: Value) -> Result<()> {
        for partial in &parallel.partials {
            // They have their initial values here, but those would have to be kept across the call, and for their sake
            // the accumulators of the loop in place.
            let init = self.constant(partial.init);
            self.set_variable(partial.local, init)?;
        }
        let (body, exit) = (self.b.create_block(), self.b.create_block());
        let chunk = self.b.append_block_param(body, types::I64);
        let zero = self.int(0);
        // There is always one chunk.
        self.b.ins().jump(body, &[BlockArg::Value(zero)]);
        self.b.switch_to_block(body);
        let row = self.row_of_places(places, chunk, parallel.partials.len())?;
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

    /// The address of a chunk's `width` partial results.
    pub(super) fn row_of_places(&mut self, places: Value, chunk: Value, width: usize) -> Result<Value> {
        let offset = self.b.ins().imul_imm_s(chunk, i64::from(slot_offset(width)?));
        Ok(self.b.ins().iadd(places, offset))
    }

    /// Makes a mutable local of the function, with its first value.
    pub(super) fn new_variable(&mut self, local: LocalId, value: Value) {
        let ty = self.local_type(local);
        let variable = self.b.declare_var(ty);
        self.b.def_var(variable, value);
        self.slots[local] = Slot::Variable(variable);
    }

    pub(super) fn load_captured(&mut self, captured: &[LocalId], env: Value) -> Result<()> {
        for (k, &local) in captured.iter().enumerate() {
            let ty = self.local_type(local);
            let value = self.b.ins().load(ty, trusted(), env, slot_offset(k + CAPTURED)?);
            self.slots[local] = Slot::Value(value);
        }
        self.load_extents(captured, env)
    }

    /// The body of a loop's function: `env`, the chunk's number and its range are the function's parameters.
    pub(super) fn part(&mut self, l: &For, captured: &[LocalId], [env, chunk, lo, hi]: [Value; 4]) -> Result<()> {
        self.load_captured(captured, env)?;
        self.here = l.span;
        for added in l.parallel.iter().flat_map(|p| &p.added) {
            self.rebase_extent(added.data);
        }
        let partials = l.parallel.as_ref().map(|p| p.partials.as_slice()).unwrap_or_default();
        for partial in partials {
            let init = self.constant(partial.init);
            self.new_variable(partial.local, init);
        }
        let mut first = vec![lo];
        for induction in &l.inductions {
            let step = self.operand(induction.step)?;
            first.push(self.b.ins().imul(lo, step));
        }
        self.for_range(l, Range { first, end: hi })?;
        if !partials.is_empty() {
            let pointer = self.module.target_config().pointer_type();
            let places = self.b.ins().load(pointer, trusted(), env, slot_offset(PLACES)?);
            let row = self.row_of_places(places, chunk, partials.len())?;
            for (k, partial) in partials.iter().enumerate() {
                let value = self.local(partial.local)?;
                self.b.ins().store(trusted(), value, row, slot_offset(k)?);
            }
        }
        self.settle_stores();
        let ok = self.b.ins().iconst(types::I32, 0);
        self.b.ins().return_(&[ok]);
        Ok(())
    }
}

/// Where the functions of loops find captured values, and leave partial results.
#[derive(Clone, Copy)]
pub(super) struct RegionSlots {
    pub env: StackSlot,
    pub partials: StackSlot,
}
