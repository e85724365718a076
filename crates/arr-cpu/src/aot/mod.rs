//! Compilation ahead of time: loop functions as an object file with functions of C.
//!
//! The code of a function is the one that runs in memory, emitted once for every processor of the architecture and, on
//! x86-64, once more for `x86-64-v3`; the runtime chooses the better one that the processor supports. It is wrapped in
//! a function with C's signature, which puts its arguments into slots and calls the runtime with a table (`tables.rs`).
//! Code calls the runtime by jumps through slots of the object (`imports.rs`), so that the runtime can choose the
//! kernels for each processor.

mod imports;
mod tables;
mod version;

use crate::CompileError;
use crate::codegen::{self, Flags, Result, internal};
use crate::target::{Processor, target};
use arr_capi::table::{LEVELS, Level};
use arr_capi::{Constant, Description};
use arr_ir::Scalar;
use arr_loops::LoopFunc;
use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, types};
use cranelift_codegen::ir::{Type, Value};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{DataId, FuncId, Linkage, Module};
use cranelift_object::{ObjectBuilder, ObjectModule};
use version::Version;

/// The functions of the runtime that an object calls.
const CALL: &str = "arr_call";
const CALL_INTO: &str = "arr_call_into";
const RELEASE: &str = "arr_release";

/// The processors that an object is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cpu {
    /// Those of this architecture, with better code for those that have more features.
    Any,
    /// Those of this architecture, with the same code for all.
    Baseline,
    /// Those that have all features of this one.
    Native,
    /// 64-bit ARM with Linux, on whatever machine the object is made.
    Aarch64Linux,
}

/// Options for compiling an object.
#[derive(Clone, Copy, Debug)]
pub struct ObjectOptions {
    pub cpu: Cpu,
    /// Let the code generator check its input.
    pub verify: bool,
    /// As for code in memory, see [`crate::CompileOptions::relaxed`].
    pub relaxed: bool,
}

/// A function to compile.
#[derive(Debug)]
pub struct ObjectFunction<'a> {
    pub symbol: &'a str,
    /// The symbol of the function that writes arrays into memory of the caller, if it has arrays among its results.
    pub into: Option<&'a str>,
    pub loops: &'a LoopFunc,
    /// The parameters behind the context: scalars by value, or addresses.
    pub parameters: Vec<Option<Scalar>>,
    /// Of `loops`; without its constants, which are taken from there, and the properties of its code.
    pub description: Description,
}

/// A function that frees the arrays of a struct.
#[derive(Debug)]
pub struct ObjectRelease<'a> {
    pub symbol: &'a str,
    /// Other objects may also define it.
    pub shared: bool,
    pub fields: &'a [arr_capi::Field],
}

/// The object file, in the format of this machine or of the one that it is for. Fails if no code can be made for the
/// processors, a function is too large or not well formed, or the code generator refuses its input, such as a symbol that
/// is defined twice.
pub fn object(
    name: &str,
    functions: &[ObjectFunction],
    releases: &[ObjectRelease],
    options: ObjectOptions,
) -> Result<Vec<u8>> {
    // The first is used for everything but the code of definitions.
    let processor = processors(options.cpu).first().map_or(Processor::Native, |(_, processor)| *processor);
    let isa = target(processor, true, options.verify, 0)?;
    let builder = ObjectBuilder::new(isa, name, cranelift_module::default_libcall_names())?;
    let mut module = ObjectModule::new(builder);
    let imports = imports::declare(&mut module)?;
    let called = declare_runtime(&mut module, CALL, &[types::I64; 3], &[types::I32])?;
    let called_into = declare_runtime(&mut module, CALL_INTO, &[types::I64; 3], &[types::I32])?;
    for function in functions {
        let (entries, divides, products) = versions(&mut module, function, options)?;
        let description = Description { divides, products, ..function.description.clone() };
        let constants = function.loops.literals.iter().map(|(_, l)| tables::constant(&mut module, l));
        let constants = constants.collect::<Result<Vec<(Constant, DataId)>>>()?;
        let table = tables::function(&mut module, &description, &constants, imports, entries)?;
        define_c_function(&mut module, function.symbol, &function.parameters, called, table)?;
        if let Some(symbol) = function.into {
            define_c_function(&mut module, symbol, &function.parameters, called_into, table)?;
        }
    }
    if !releases.is_empty() {
        let release = declare_runtime(&mut module, RELEASE, &[types::I64; 3], &[])?;
        releases.iter().try_for_each(|r| define_release(&mut module, r, release))?;
    }
    imports::define(&mut module, imports, &[CALL, CALL_INTO, RELEASE])?;
    module.finish().emit().map_err(|e| internal(e.to_string()))
}

/// Whether code is made for x86-64, which need not be this machine's architecture.
fn is_x86_64(isa: &dyn TargetIsa) -> bool {
    isa.name() == "x64"
}

/// The target processors, with the level that each stands for.
fn processors(cpu: Cpu) -> &'static [(Level, Processor)] {
    match cpu {
        Cpu::Native => &[(Level::Any, Processor::Native)],
        Cpu::Aarch64Linux => &[(Level::Any, Processor::Aarch64)],
        Cpu::Any if cfg!(target_arch = "x86_64") => &[(Level::Any, Processor::Baseline), (Level::V3, Processor::V3)],
        Cpu::Any | Cpu::Baseline => &[(Level::Any, Processor::Baseline)],
    }
}

fn declare_runtime(module: &mut ObjectModule, name: &str, params: &[Type], returns: &[Type]) -> Result<FuncId> {
    let mut signature = module.make_signature();
    signature.params.extend(params.iter().map(|&t| AbiParam::new(t)));
    signature.returns.extend(returns.iter().map(|&t| AbiParam::new(t)));
    Ok(module.declare_function(name, Linkage::Import, &signature)?)
}

/// The code of a function for each level, and its divisible parts: loops, and matrix products.
fn versions(
    module: &mut ObjectModule,
    function: &ObjectFunction,
    options: ObjectOptions,
) -> Result<([Option<FuncId>; LEVELS], bool, bool)> {
    let mut entries = [None; LEVELS];
    let (mut divides, mut products) = (false, false);
    for &(level, processor) in processors(options.cpu) {
        let isa = target(processor, true, options.verify, function.loops.locals.len())?;
        let suffix = if level == Level::Any { "any" } else { "v3" };
        let name = format!("{}.{suffix}", function.symbol);
        let mut version = Version::new(module, &*isa, &name);
        let signature = codegen::signature(&version);
        let id = version.declare_function("code", Linkage::Local, &signature)?;
        // Not every vector instruction has a form for the oldest processors of x86-64.
        let wide = processor != Processor::Baseline || !is_x86_64(&*isa);
        let vectors = match processor {
            Processor::Native => crate::host_isa(),
            Processor::V3 => Some(arr_x86::Isa::Avx2),
            Processor::Baseline | Processor::Aarch64 => None,
        };
        let flags = Flags {
            count_steps: false,
            wide,
            relaxed: options.relaxed,
            isa: vectors,
            sanitize: false,
            interruptible: false,
            watch: None,
        };
        let defined = codegen::define(function.loops, id, &mut version, flags)?;
        divides |= defined.regions > 0;
        products |= defined.products;
        if let Some(entry) = entries.get_mut(level as usize) {
            *entry = Some(id);
        }
    }
    Ok((entries, divides, products))
}

/// The type of a parameter in C.
fn c_type(parameter: Option<Scalar>) -> Type {
    match parameter {
        Some(Scalar::Bool) => types::I8,
        Some(Scalar::I32 | Scalar::U32) => types::I32,
        Some(Scalar::F32) => types::F32,
        Some(Scalar::F64) => types::F64,
        Some(Scalar::I64) | None => types::I64,
    }
}

fn define_c_function(
    module: &mut ObjectModule,
    symbol: &str,
    parameters: &[Option<Scalar>],
    called: FuncId,
    table: DataId,
) -> Result<()> {
    let mut signature = module.make_signature();
    signature.params.push(AbiParam::new(types::I64));
    signature.params.extend(parameters.iter().map(|&p| AbiParam::new(c_type(p))));
    signature.returns.push(AbiParam::new(types::I32));
    define(module, symbol, Linkage::Export, &signature, |module, b, params| {
        let bytes = u32::try_from(params.len() * 8).map_err(|_| CompileError::TooLarge)?;
        let slots = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 3));
        let slots = b.ins().stack_addr(types::I64, slots, 0);
        let (context, arguments) = params.split_first().ok_or_else(|| internal("a function without a context"))?;
        for (at, &argument) in arguments.iter().enumerate() {
            b.ins().store(MemFlagsData::trusted(), argument, slots, codegen::slot_offset(at)?);
        }
        let table = module.declare_data_in_func(table, b.func);
        let table = b.ins().symbol_value(types::I64, table);
        let called = module.declare_func_in_func(called, b.func);
        let call = b.ins().call(called, &[*context, table, slots]);
        let status: Vec<Value> = b.inst_results(call).to_vec();
        b.ins().return_(&status);
        Ok(())
    })
}

fn define_release(module: &mut ObjectModule, release: &ObjectRelease, called: FuncId) -> Result<()> {
    let fields = tables::fields(module, release.fields)?;
    let mut signature = module.make_signature();
    signature.params.push(AbiParam::new(types::I64));
    let linkage = if release.shared { Linkage::Preemptible } else { Linkage::Export };
    define(module, release.symbol, linkage, &signature, |module, b, params| {
        let place = params.first().ok_or_else(|| internal("a function without parameters"))?;
        let fields = module.declare_data_in_func(fields, b.func);
        let fields = b.ins().symbol_value(types::I64, fields);
        let count = b.ins().iconst(types::I64, release.fields.len() as i64);
        let called = module.declare_func_in_func(called, b.func);
        b.ins().call(called, &[*place, fields, count]);
        b.ins().return_(&[]);
        Ok(())
    })
}

/// Defines a function of one block.
fn define(
    module: &mut ObjectModule,
    name: &str,
    linkage: Linkage,
    signature: &cranelift_codegen::ir::Signature,
    body: impl FnOnce(&mut ObjectModule, &mut FunctionBuilder, &[Value]) -> Result<()>,
) -> Result<()> {
    let id = module.declare_function(name, linkage, signature)?;
    let mut context = module.make_context();
    context.func = Function::with_name_signature(context.func.name.clone(), signature.clone());
    let mut frontend = FunctionBuilderContext::new();
    let target = module.target_config();
    let mut b = FunctionBuilder::new(&mut context.func, &mut frontend);
    let block = b.create_block();
    b.append_block_params_for_function_params(block);
    b.switch_to_block(block);
    b.seal_block(block);
    let params = b.block_params(block).to_vec();
    body(module, &mut b, &params)?;
    b.finalize(target);
    module.define_function(id, &mut context)?;
    Ok(())
}
