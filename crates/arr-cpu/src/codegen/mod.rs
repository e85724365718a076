//! Emission of CLIF for a loop function.
//!
//! The compiled function takes the context, the sizes, the arguments, the places for results and the constants'
//! buffers, and returns 0, or 1 after a failure that is recorded in the context. Loops are rotated: one test before,
//! one at the end of the body. Failures are in cold blocks.

mod contract;
mod control;
mod empty_nest;
mod float;
mod fold;
mod int;
mod kernel;
mod matmul;
mod memory;
mod nontemporal;
mod outline;
mod parallel_cost;
mod prim;
mod sanitize;
mod scan;
mod vector;
mod vectorize;

use crate::CompileError;
use crate::sanitize::CheckedKernels;
use arr_base::{Id, IndexVec};
use arr_ir::{Const, Scalar};
use arr_loops::{Expr, For, LocalId, LoopFunc, Operand, SpanId, Stmt, Ty};
use arr_x86::Isa;
use cranelift_codegen::entity::packed_option::ReservedValue;
use cranelift_codegen::ir::{
    AbiParam, Block, FuncRef, Function, InstBuilder, MemFlagsData, Signature, StackSlot, Type, UserFuncName, Value,
    types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_module::{FuncId, Linkage, Module};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicU32;
use vectorize::Inner;

pub(crate) type Result<T> = std::result::Result<T, CompileError>;

/// The vectorised loops, one per line: the loop's index, the vectors of a value, and the form of its reductions.
pub(crate) fn wide_loops(loops: &LoopFunc, flags: Flags) -> Vec<String> {
    vectorize::plan::describe(
        loops,
        vectorize::plan::Aims { counts: flags.count_steps, relaxed: flags.relaxed, kernels: flags.isa.is_some() },
    )
}

/// Options of code generation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    pub count_steps: bool,
    /// Vectorise where results stay the same.
    pub wide: bool,
    /// Reorder reductions of floats and contract products into sums.
    pub relaxed: bool,
    /// Make kernels of vectorised loops for this instruction set.
    pub isa: Option<Isa>,
    /// Check every access against its buffer. The code is then valid only in this process.
    pub sanitize: bool,
    /// Look at the flag that stops a run, in loops that may take long.
    pub interruptible: bool,
    /// Where the code writes the place of the section that it begins ([`LoopFunc::sections`]).
    pub watch: Option<&'static AtomicU32>,
}

/// The signature of compiled functions.
pub(crate) fn signature(module: &dyn Module) -> Signature {
    let pointer = module.target_config().pointer_type();
    let mut signature = module.make_signature();
    signature.params.extend([AbiParam::new(pointer); 5]);
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// A function of a module, to be defined.
pub(crate) struct Emitted {
    pub id: FuncId,
    pub clif: Function,
}

/// A parallel loop, to be emitted as a function of its own.
struct Outlined {
    id: FuncId,
    l: For,
    captured: Vec<LocalId>,
    part: Part,
}

/// The task of a function of a parallel loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Range,
    Scan(scan::Pass),
}

/// The data shared by all functions of a loop function.
struct Given<'a> {
    loops: &'a LoopFunc,
    flags: Flags,
    /// The buffers that addresses point into.
    roots: HashMap<LocalId, LocalId>,
    contractions: contract::Contractions,
    /// The addresses of arrays that are written past the cache, with non-temporal stores.
    streamed: HashSet<LocalId>,
}

impl<'a> Given<'a> {
    fn new(loops: &'a LoopFunc, flags: Flags, module: &dyn Module) -> Given<'a> {
        let contracts = flags.relaxed && has_fma(module);
        let contractions = if contracts { contract::contractions(loops) } else { contract::Contractions::default() };
        let roots = vectorize::plan::roots(loops);
        // Only kernels write so.
        let streamed = if flags.isa.is_some() { nontemporal::streamed(loops, &roots) } else { HashSet::new() };
        Given { loops, flags, roots, contractions, streamed }
    }
}

/// Iterations of a loop: the first index and the inductions there, and the exclusive end; the index of the last
/// iteration if the loop runs downwards.
struct Range {
    first: Vec<Value>,
    end: Value,
}

/// The functions of a loop function: itself, declared as `id` with [`signature`], and its parallel loops.
pub(crate) fn emit(
    loops: &LoopFunc,
    id: FuncId,
    module: &mut dyn Module,
    flags: Flags,
) -> Result<(Vec<Emitted>, CheckedKernels)> {
    let mut frontend = FunctionBuilderContext::new();
    let given = Given::new(loops, flags, module);
    let slots = loops.locals.iter().map(|_| Slot::Unset).collect();
    let mut main = Function::with_name_signature(function_name(id), signature(module));
    let mut finished = emit_main(&given, &mut main, &mut frontend, module, slots)?;
    let mut emitted = vec![Emitted { id, clif: main }];
    if let Some(id) = finished.divider {
        emitted.push(outline::divider(id, module, &mut frontend)?);
    }
    let mut slots = std::mem::take(&mut finished.slots);
    for part in finished.outlined {
        let mut clif = Function::with_name_signature(function_name(part.id), outline::signature(module));
        let id = part.id;
        let done = emit_part(&given, &mut clif, &mut frontend, module, slots, part)?;
        slots = done.slots;
        finished.checked.extend(done.checked);
        emitted.push(Emitted { id, clif });
    }
    Ok((emitted, finished.checked))
}

/// The result of compiling a loop function.
#[derive(Debug, Default)]
pub(crate) struct Defined {
    /// Machine code.
    pub bytes: usize,
    /// Loops that may be divided.
    pub regions: usize,
    /// Whether there are matrix products.
    pub products: bool,
    /// The data that sanitized code reads at run time.
    pub checked: CheckedKernels,
}

/// Emits the functions of a loop function and defines them.
pub(crate) fn define(loops: &LoopFunc, id: FuncId, module: &mut dyn Module, flags: Flags) -> Result<Defined> {
    let (functions, checked) = emit(loops, id, module, flags)?;
    let (regions, products) = (functions.len().saturating_sub(1), has_products(&loops.body));
    let mut defined = Defined { bytes: 0, regions, products, checked };
    for Emitted { id, clif } in functions {
        let mut context = cranelift_codegen::Context::for_function(clif);
        module.define_function(id, &mut context)?;
        defined.bytes += context.compiled_code().map_or(0, |code| code.code_buffer().len());
    }
    Ok(defined)
}

fn has_products(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::MatMul(_) => true,
        Stmt::For(l) => has_products(&l.body),
        Stmt::While(l) => has_products(&l.head) || has_products(&l.body),
        Stmt::If { then_body, else_body, .. } => has_products(then_body) || has_products(else_body),
        _ => false,
    })
}

fn function_name(id: FuncId) -> UserFuncName {
    UserFuncName::user(0, id.as_u32())
}

type Slots = IndexVec<LocalId, Slot>;

/// The work left after emitting a function.
struct Finished {
    /// For reuse.
    slots: Slots,
    outlined: Vec<Outlined>,
    divider: Option<FuncId>,
    checked: CheckedKernels,
}

fn emit_main(
    given: &Given<'_>,
    clif: &mut Function,
    frontend: &mut FunctionBuilderContext,
    module: &mut dyn Module,
    slots: Slots,
) -> Result<Finished> {
    let (mut codegen, params) = Codegen::start(given, FunctionBuilder::new(clif, frontend), module, slots);
    let &[context, sizes, args, results, literals] = params.as_slice() else {
        return Err(internal("the compiled function has five parameters"));
    };
    (codegen.context, codegen.literals) = (context, literals);
    codegen.params(sizes, args)?;
    codegen.stmts(&given.loops.body)?;
    codegen.outputs(results)?;
    Ok(codegen.finish())
}

fn emit_part(
    given: &Given<'_>,
    clif: &mut Function,
    frontend: &mut FunctionBuilderContext,
    module: &mut dyn Module,
    slots: Slots,
    part: Outlined,
) -> Result<Finished> {
    let (mut codegen, params) = Codegen::start(given, FunctionBuilder::new(clif, frontend), module, slots);
    let &[record, env, chunk, lo, hi] = params.as_slice() else {
        return Err(internal("the function of a loop has five parameters"));
    };
    // Such a loop needs no constants, and no more context than a record.
    (codegen.context, codegen.literals) = (record, env);
    codegen.divides = false;
    let at = [env, chunk, lo, hi];
    match part.part {
        Part::Range => codegen.part(&part.l, &part.captured, at)?,
        Part::Scan(pass) => codegen.scan_part(&part.l, &part.captured, pass, at)?,
    }
    Ok(codegen.finish())
}

/// The location of a local's value.
#[derive(Clone, Copy)]
enum Slot {
    Unset,
    Value(Value),
    Variable(Variable),
}

pub(crate) struct Codegen<'a, 'b> {
    loops: &'a LoopFunc,
    b: FunctionBuilder<'b>,
    module: &'a mut dyn Module,
    slots: IndexVec<LocalId, Slot>,
    functions: HashMap<&'static str, FuncRef>,
    context: Value,
    literals: Value,
    /// Records a failure given as block parameters, then gives up.
    fail: Block,
    /// Returns 1.
    give_up: Block,
    /// Where the sizes of an allocation are passed.
    dims_slot: Option<StackSlot>,
    /// The operands of the runtime's functions on runs of elements.
    run_slots: [Option<StackSlot>; 2],
    /// The buffers that addresses point into.
    roots: &'a HashMap<LocalId, LocalId>,
    /// The locals of the wide loop that is being emitted.
    wide: HashMap<LocalId, vectorize::Wide>,
    /// The accumulators of its reductions, one vector each, by the local that the combined value is bound to.
    accumulators: HashMap<LocalId, Vec<Variable>>,
    contractions: &'a contract::Contractions,
    /// The addresses of arrays that are written past the cache.
    streamed: &'a HashSet<LocalId>,
    /// Whether parallel loops become functions of their own.
    divides: bool,
    /// Those that were outlined.
    outlined: Vec<Outlined>,
    /// The number of loops of the program around the present code.
    repeated: usize,
    /// Extents that are known to be positive here.
    not_empty: Vec<LocalId>,
    /// The loops around the present code inside a wide one.
    inner: Inner,
    /// The function that calls the runtime to divide a loop, once a loop needs it.
    divider: Option<FuncId>,
    region_slots: Option<outline::RegionSlots>,
    flags: Flags,
    /// The valid ranges of addresses, in sanitized code.
    extents: HashMap<LocalId, sanitize::Extent>,
    /// The innermost loop around the present code.
    here: SpanId,
    checked: CheckedKernels,
}

/// Whether the processor has a fused multiply-add. Without one, a function would be called.
fn has_fma(module: &dyn Module) -> bool {
    module.isa().isa_flags().iter().any(|flag| flag.name == "has_fma" && flag.as_bool() == Some(true))
}

pub(crate) fn internal(what: impl Into<String>) -> CompileError {
    CompileError::Internal(what.into())
}

/// Memory that is known to exist and to be aligned.
pub(crate) fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}

pub(crate) fn clif_type(scalar: Scalar) -> Type {
    match scalar {
        Scalar::Bool => types::I8,
        Scalar::I32 | Scalar::U32 => types::I32,
        Scalar::I64 => types::I64,
        Scalar::F32 => types::F32,
        Scalar::F64 => types::F64,
    }
}

impl<'a, 'b> Codegen<'a, 'b> {
    /// Begins a function. Returns the code generator, whose context and constants are to be set, and the function's
    /// parameters.
    fn start(
        given: &'a Given<'a>,
        mut b: FunctionBuilder<'b>,
        module: &'a mut dyn Module,
        slots: Slots,
    ) -> (Codegen<'a, 'b>, Vec<Value>) {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.seal_block(entry);
        let params = b.block_params(entry).to_vec();
        let nothing = params.first().copied().unwrap_or(Value::reserved_value());
        let fail = b.create_block();
        b.set_cold_block(fail);
        let give_up = b.create_block();
        b.set_cold_block(give_up);
        let codegen = Codegen {
            loops: given.loops,
            b,
            module,
            slots,
            functions: HashMap::new(),
            context: nothing,
            literals: nothing,
            fail,
            give_up,
            dims_slot: None,
            run_slots: [None; 2],
            roots: &given.roots,
            wide: HashMap::new(),
            accumulators: HashMap::new(),
            contractions: &given.contractions,
            streamed: &given.streamed,
            divides: true,
            outlined: Vec::new(),
            repeated: 0,
            not_empty: Vec::new(),
            inner: Inner::default(),
            divider: None,
            region_slots: None,
            flags: given.flags,
            extents: HashMap::new(),
            here: sanitize::nowhere(),
            checked: Vec::new(),
        };
        (codegen, params)
    }

    /// Ends the function.
    fn finish(mut self) -> Finished {
        let target = self.module.target_config();
        self.failure_blocks();
        self.b.seal_all_blocks();
        self.b.finalize(target);
        Finished { slots: self.slots, outlined: self.outlined, divider: self.divider, checked: self.checked }
    }
}

impl Codegen<'_, '_> {
    fn params(&mut self, sizes: Value, args: Value) -> Result<()> {
        for (k, &size) in self.loops.sizes.iter().enumerate() {
            let value = self.b.ins().load(types::I64, trusted(), sizes, slot_offset(k)?);
            self.slots[size] = Slot::Value(value);
        }
        for (k, param) in self.loops.params.iter().enumerate() {
            let ty = self.local_type(param.local);
            let value = self.b.ins().load(ty, trusted(), args, slot_offset(k)?);
            self.slots[param.local] = Slot::Value(value);
        }
        Ok(())
    }

    /// Every result takes a slot, and one more for the size of each of its axes.
    fn outputs(&mut self, results: Value) -> Result<()> {
        let mut k = 0;
        for output in &self.loops.outputs {
            for operand in std::iter::once(&output.value).chain(&output.dims) {
                let value = self.operand(*operand)?;
                self.b.ins().store(trusted(), value, results, slot_offset(k)?);
                k += 1;
            }
        }
        self.settle_stores();
        let ok = self.b.ins().iconst(types::I32, 0);
        self.b.ins().return_(&[ok]);
        Ok(())
    }

    fn stmts(&mut self, stmts: &[Stmt]) -> Result<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        match stmt {
            Stmt::Let { local, .. } if self.contractions.products.contains(local) => {}
            Stmt::Let { local, expr } => {
                let value = match self.contractions.sums.get(local).copied() {
                    Some(sum) => self.contracted(sum)?,
                    None => self.expr(*local, expr)?,
                };
                self.slots[*local] = Slot::Value(value);
                self.note_extent(*local, expr)?;
            }
            Stmt::Var { local, init } => {
                let ty = self.local_type(*local);
                let variable = self.b.declare_var(ty);
                self.slots[*local] = Slot::Variable(variable);
                if let Some(init) = init {
                    let value = self.operand(*init)?;
                    self.b.def_var(variable, value);
                }
            }
            Stmt::Set { local, value } => {
                let value = self.operand(*value)?;
                self.set_variable(*local, value)?;
            }
            Stmt::Store { address, offset, value } => self.store(*address, *offset, *value)?,
            Stmt::Alloc { local, dims, span } => self.alloc(*local, dims, *span)?,
            Stmt::MakeUnique { local, buffer, span } => self.make_unique(*local, *buffer, *span)?,
            Stmt::Retain(buffer) => self.retain(*buffer)?,
            Stmt::Release(buffer) => self.release(*buffer)?,
            Stmt::Check { demand, args, span } => self.check(*demand, args, *span)?,
            Stmt::CheckShape { buffer, dims, span } => self.check_shape(*buffer, dims, *span)?,
            Stmt::For(l) => {
                self.within(l.span, |codegen| codegen.unless_empty(l, &mut |codegen| codegen.for_loop(l)))?
            }
            Stmt::While(l) => self.within(l.span, |codegen| codegen.while_loop(l))?,
            Stmt::Argsort { into, keys, length, span } => {
                self.within(*span, |codegen| codegen.argsort(*into, *keys, *length))?
            }
            Stmt::Trace { site, value, dims } => self.trace(*site, *value, dims)?,
            Stmt::MatMul(product) => self.within(product.span, |codegen| codegen.matmul(product))?,
            Stmt::If { cond, then_body, else_body } => self.branch(*cond, then_body, else_body)?,
        }
        Ok(())
    }

    /// Emits a loop of the program's text, which failures of sanitized code name.
    fn within(&mut self, span: SpanId, emit: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let around = std::mem::replace(&mut self.here, span);
        if span == sanitize::nowhere() {
            self.here = around;
        }
        self.enter_section(span);
        emit(self)?;
        self.here = around;
        self.enter_section(around);
        Ok(())
    }

    /// Says that what follows belongs to a section, in code that is watched.
    fn enter_section(&mut self, span: SpanId) {
        let Some(watch) = self.flags.watch else { return };
        if span != sanitize::nowhere() && !self.loops.sections.contains_key(&span) {
            return;
        }
        let number = self.b.ins().iconst(types::I32, i64::from(span.index() as u32));
        let pointer = self.module.target_config().pointer_type();
        let address = self.b.ins().iconst(pointer, watch.as_ptr() as usize as i64);
        self.b.ins().store(trusted(), number, address, 0);
    }

    fn set_variable(&mut self, local: LocalId, value: Value) -> Result<()> {
        match self.slots[local] {
            Slot::Variable(variable) => {
                self.b.def_var(variable, value);
                Ok(())
            }
            Slot::Unset | Slot::Value(_) => Err(internal("an immutable local is set")),
        }
    }

    fn expr(&mut self, local: LocalId, expr: &Expr) -> Result<Value> {
        match expr {
            Expr::Prim(prim, args) => self.prim(*prim, args),
            Expr::Copy(operand) => self.operand(*operand),
            Expr::BaseAddr(buffer) => self.data(*buffer),
            Expr::Len(buffer) => self.length(*buffer),
            Expr::Offset(address, offset) => {
                let (address, bytes) = self.place(*address, *offset)?;
                Ok(if bytes == 0 { address } else { self.b.ins().iadd_imm_s(address, i64::from(bytes)) })
            }
            Expr::Load(address, offset) => {
                let ty = self.local_type(local);
                self.load(ty, *address, *offset)
            }
            Expr::Literal(id) => self.literal(*id),
        }
    }

    fn local_type(&self, local: LocalId) -> Type {
        match self.loops.ty(local) {
            Ty::Scalar(s) => clif_type(s),
            Ty::Buffer(_) | Ty::Address(_) => self.module.target_config().pointer_type(),
        }
    }

    fn local(&mut self, local: LocalId) -> Result<Value> {
        match self.slots[local] {
            Slot::Value(value) => Ok(value),
            Slot::Variable(variable) => Ok(self.b.use_var(variable)),
            Slot::Unset => Err(internal(format!("{} is used before it is bound", self.loops.locals[local].name))),
        }
    }

    fn operand(&mut self, operand: Operand) -> Result<Value> {
        match operand {
            Operand::Local(local) => self.local(local),
            Operand::Const(c) => Ok(self.constant(c)),
        }
    }

    fn constant(&mut self, c: Const) -> Value {
        match c {
            Const::F64(x) => self.b.ins().f64const(x),
            Const::F32(x) => self.b.ins().f32const(x),
            Const::Bool(b) => self.b.ins().iconst(types::I8, i64::from(b)),
            Const::I64(i) => self.b.ins().iconst(types::I64, i),
            Const::I32(i) => self.b.ins().iconst(types::I32, i64::from(i as u32)),
            Const::U32(u) => self.b.ins().iconst(types::I32, i64::from(u)),
        }
    }

    fn int(&mut self, value: i64) -> Value {
        self.b.ins().iconst(types::I64, value)
    }

    /// Calls a function of the runtime with one result.
    fn call(&mut self, name: &'static str, args: &[Value], result: Type) -> Result<Value> {
        let function = match self.functions.get(name) {
            Some(&function) => function,
            None => {
                let mut signature = self.module.make_signature();
                signature.params.extend(args.iter().map(|&a| AbiParam::new(self.b.func.dfg.value_type(a))));
                if result != types::INVALID {
                    signature.returns.push(AbiParam::new(result));
                }
                let id = self.module.declare_function(name, Linkage::Import, &signature)?;
                let function = self.module.declare_func_in_func(id, self.b.func);
                self.functions.insert(name, function);
                function
            }
        };
        let call = self.b.ins().call(function, args);
        match self.b.inst_results(call).first() {
            Some(&value) => Ok(value),
            // The value of a function that has none is never used.
            None if result == types::INVALID => Ok(self.context),
            None => Err(internal(format!("`{name}` has no result"))),
        }
    }
}

/// The offset of the k-th slot of eight bytes.
pub(crate) fn slot_offset(k: usize) -> Result<i32> {
    i32::try_from(k.saturating_mul(8)).map_err(|_| CompileError::TooLarge)
}

/// A row number as an immediate operand.
pub(crate) fn row<I: Id>(id: I) -> i64 {
    id.index() as i64
}
