//! Compilation into memory.

use crate::codegen::{self, Defined, Flags, Result, internal};
use crate::image::{Image, Recorder};
use crate::sanitize::{CheckedKernels, arr_sanitize_kernel};
use crate::saved::Saved;
use crate::target::{Processor, target};
use arr_ir::{Array, Const, Data, Literal, Scalar};
use arr_loops::{LoopFunc, Section, SpanId, Stmt};
use arr_runtime::{ArenaCache, Entry, Threads};
use arr_x86::Isa;
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

/// Options of compilation.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    /// Count loop iterations against `Limits::max_steps`; otherwise there is no such limit.
    pub count_steps: bool,
    /// Let the code generator check its input.
    pub verify: bool,
    /// Sums and products of floats may be reordered, in a way that depends only on sizes, and a product that is added
    /// to something need not be rounded. Otherwise results equal the interpreter's bit for bit.
    pub relaxed: bool,
    /// Threads of a run; `None` means the number of cores. Results do not depend on it.
    pub threads: Option<usize>,
    /// The instruction set of vector kernels; `None` means vectors of 128 bits.
    pub isa: Option<Isa>,
    /// Record the code, so that it can be saved. Impossible for sanitized code.
    pub record: bool,
    /// Check every access against its buffer, and fill fresh memory with NaNs: a fault is an internal error. Runs take
    /// many times as long.
    pub sanitize: bool,
    /// Make code that a flag stops, see [`Compiled::run_lent`].
    pub interruptible: bool,
    /// Make code that writes there which of [`arr_loops::LoopFunc::sections`] it begins, 0 outside of all, so that another
    /// thread can see where the time goes. Such code cannot be recorded.
    pub watch: Option<&'static AtomicU32>,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            count_steps: false,
            verify: arr_base::checks_itself(),
            relaxed: false,
            threads: None,
            isa: host_isa(),
            record: false,
            sanitize: false,
            interruptible: false,
            watch: None,
        }
    }
}

/// The vector instruction set of this machine.
pub fn host_isa() -> Option<Isa> {
    #[cfg(target_arch = "x86_64")]
    {
        let narrow = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("bmi2");
        if narrow {
            return Some(if wide { Isa::Avx512 } else { Isa::Avx2 });
        }
    }
    None
}

/// Machine code in memory, which is freed with it.
pub struct Compiled {
    pub(crate) entry: Entry,
    pub(crate) loops: LoopFunc,
    pub(crate) literals: Vec<Arc<Array>>,
    pub(crate) counts_steps: bool,
    pub(crate) threads: Threads,
    /// Loops that may be divided among threads.
    pub(crate) regions: usize,
    /// Whether there are matrix products, which find the threads to run on themselves.
    pub(crate) products: bool,
    /// Whether the number of iterations of every loop is known.
    pub(crate) steady: bool,
    /// The memory of finished runs.
    pub(crate) arenas: ArenaCache,
    /// Keeps the code's memory. Locked only to be dropped.
    module: Mutex<Option<JITModule>>,
    code_bytes: usize,
    /// The code independent of this memory, if it was recorded.
    pub(crate) image: Option<Image>,
    /// Whether accesses are checked, and runs have memory of their own.
    pub(crate) sanitizes: bool,
    /// The data that such code points to.
    _checked: CheckedKernels,
    watch: Option<&'static AtomicU32>,
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled").field("name", &self.loops.name).field("code_bytes", &self.code_bytes).finish()
    }
}

impl Compiled {
    /// Sets the number of threads of later runs; `None` means the number of cores. Counted iterations run on one.
    pub fn set_threads(&mut self, threads: Option<usize>) {
        self.threads = Threads::new(if self.counts_steps { Some(1) } else { threads });
    }

    /// Where the code writes the place of the section that it is in, if it was compiled to be watched.
    pub fn watch(&self) -> Option<&'static AtomicU32> {
        self.watch
    }

    /// What the code's sections compute.
    pub fn sections(&self) -> &BTreeMap<SpanId, Section> {
        &self.loops.sections
    }

    /// Bytes of machine code.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        let module = self.module.get_mut().map(Option::take);
        if let Ok(Some(module)) = module {
            // SAFETY: a run borrows `self`, so none is active, and the entry cannot be called any more.
            unsafe { module.free_memory() };
        }
    }
}

/// Compiles a loop function. Fails as [`compile_with`] does.
pub fn compile(loops: &LoopFunc) -> Result<Compiled> {
    compile_with(loops, CompileOptions::default())
}

/// Compiles a loop function, with options. Fails if no code can be made for this machine, or the function is too large
/// or not well formed (see [`CompileError`](crate::CompileError)).
pub fn compile_with(loops: &LoopFunc, options: CompileOptions) -> Result<Compiled> {
    compile_as(loops, options, flags(options))
}

/// As [`compile_with`], strict and without vectorisation: slower code, for telling whether that is at fault. Fails as
/// that does.
pub fn compile_plain(loops: &LoopFunc, options: CompileOptions) -> Result<Compiled> {
    compile_as(loops, options, Flags { wide: false, relaxed: false, isa: None, ..flags(options) })
}

fn flags(options: CompileOptions) -> Flags {
    let CompileOptions { count_steps, relaxed, isa, sanitize, interruptible, watch, .. } = options;
    Flags { count_steps, wide: true, relaxed, isa, sanitize, interruptible, watch }
}

fn compile_as(loops: &LoopFunc, options: CompileOptions, flags: Flags) -> Result<Compiled> {
    let mut recorder = Recorder::new(
        new_module(options.verify, loops)?,
        options.record && !options.sanitize && options.watch.is_none(),
    );
    match define(&mut recorder, loops, flags) {
        Ok((entry, defined)) => {
            let image = recorder.image();
            let mut compiled = assemble(entry, loops.clone(), defined, options.count_steps, recorder.module);
            compiled.image = image;
            compiled.sanitizes = options.sanitize;
            compiled.watch = options.watch;
            compiled.set_threads(options.threads);
            Ok(compiled)
        }
        Err(error) => {
            // SAFETY: no pointer into the module was handed out.
            unsafe { recorder.module.free_memory() };
            Err(error)
        }
    }
}

fn assemble(entry: Entry, loops: LoopFunc, defined: Defined, counts_steps: bool, module: JITModule) -> Compiled {
    let steady = steady(&loops.body);
    let literals = loops.literals.iter().filter_map(|(_, literal)| literal_array(literal)).map(Arc::new).collect();
    Compiled {
        entry,
        loops,
        literals,
        counts_steps,
        threads: Threads::new(Some(1)),
        regions: defined.regions,
        products: defined.products,
        steady,
        arenas: ArenaCache::default(),
        module: Mutex::new(Some(module)),
        code_bytes: defined.bytes,
        image: None,
        sanitizes: false,
        _checked: defined.checked,
        watch: None,
    }
}

/// Whether the number of iterations of every loop is known.
fn steady(stmts: &[Stmt]) -> bool {
    stmts.iter().all(|stmt| {
        let own = match stmt {
            Stmt::While(_) => false,
            Stmt::For(l) => l.extent.as_int().is_some(),
            _ => true,
        };
        own && stmt.blocks().into_iter().all(steady)
    })
}

/// Puts saved code into memory.
pub(crate) fn load(saved: Saved, threads: Option<usize>) -> Result<Compiled> {
    let Saved { image, loops, counts_steps, regions, products, steady } = saved;
    let mut module = new_module(false, &loops)?;
    let defined = image.define(&mut module, ENTRY);
    let found = defined.and_then(|id| id.ok_or_else(|| internal("saved code without its entry")));
    match found.and_then(|id| entry(&mut module, id)) {
        Ok(entry) => {
            let defined = Defined { bytes: image.code_bytes(), regions, products, checked: Vec::new() };
            let mut compiled = assemble(entry, loops, defined, counts_steps, module);
            compiled.steady = steady;
            compiled.set_threads(threads);
            Ok(compiled)
        }
        Err(error) => {
            // SAFETY: no pointer into the module was handed out.
            unsafe { module.free_memory() };
            Err(error)
        }
    }
}

/// The CLIF of a loop function, before the code generator's optimisations. Fails as [`compile_with`] does before it
/// makes machine code.
pub fn clif_text(loops: &LoopFunc, options: CompileOptions) -> Result<String> {
    let mut module = new_module(options.verify, loops)?;
    let text = declare(&mut module).and_then(|id| codegen::emit(loops, id, &mut module, flags(options))).map(
        |(functions, _)| {
            let texts: Vec<String> = functions.iter().map(|f| f.clif.display().to_string()).collect();
            texts.join("\n")
        },
    );
    // SAFETY: no pointer into the module was handed out.
    unsafe { module.free_memory() };
    text
}

/// The vectorised loops, one per line: `i: f64 x 8, 1 fold in lanes` has 8 vectors of 128 bits per value, and an
/// accumulator in every lane.
pub fn wide_loops(loops: &LoopFunc, options: CompileOptions) -> Vec<String> {
    codegen::wide_loops(loops, flags(options))
}

fn new_module(verify: bool, loops: &LoopFunc) -> Result<JITModule> {
    let isa = target(Processor::Native, false, verify, loops.locals.len())?;
    let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
    for symbol in arr_runtime::symbols() {
        builder.symbol(symbol.name, symbol.address);
    }
    builder.symbol("arr_sanitize_kernel", arr_sanitize_kernel as *const u8);
    // Where address space is limited, functions get memory one by one.
    if let Ok(arena) = ArenaMemoryProvider::new_with_size(RESERVED + loops.locals.len() * RESERVED_FOR_LOCAL) {
        builder.memory_provider(Box::new(arena));
    }
    Ok(JITModule::new(builder))
}

/// Bytes of address space that are reserved for the code of a program, so that its functions are within the 2 GiB of each
/// other that their calls reach: in a process whose address space others have divided, memory that is asked for later may
/// be further away. Pages that are not used take no memory.
const RESERVED: usize = 32 << 20;
const RESERVED_FOR_LOCAL: usize = 4 << 10;

/// The name of the function that is called.
const ENTRY: &str = "main";

fn declare(module: &mut dyn Module) -> Result<FuncId> {
    let signature = codegen::signature(module);
    Ok(module.declare_function(ENTRY, Linkage::Export, &signature)?)
}

fn define(recorder: &mut Recorder<JITModule>, loops: &LoopFunc, flags: Flags) -> Result<(Entry, Defined)> {
    let id = declare(recorder)?;
    let defined = codegen::define(loops, id, recorder, flags)?;
    Ok((entry(&mut recorder.module, id)?, defined))
}

/// Makes the code runnable. `id` is the function that [`declare`] declared, now or when the code was saved.
fn entry(module: &mut JITModule, id: FuncId) -> Result<Entry> {
    module.finalize_definitions()?;
    let address = module.get_finalized_function(id);
    // SAFETY: the function was defined with exactly this signature and the platform's C calling convention.
    Ok(unsafe { std::mem::transmute::<*const u8, Entry>(address) })
}

/// The elements of a constant in memory. `None` if they are not of its type, which lowering refuses.
fn literal_array(literal: &Literal) -> Option<Array> {
    fn all<T>(data: &[Const], get: impl Fn(Const) -> Option<T>) -> Option<Vec<T>> {
        data.iter().map(|&c| get(c)).collect()
    }
    let data = &literal.data;
    let data = match literal.elem {
        Scalar::Bool => Data::Bool(all(data, Const::as_bool)?),
        Scalar::I32 => Data::I32(all(data, |c| if let Const::I32(x) = c { Some(x) } else { None })?),
        Scalar::I64 => Data::I64(all(data, |c| if let Const::I64(x) = c { Some(x) } else { None })?),
        Scalar::U32 => Data::U32(all(data, |c| if let Const::U32(x) = c { Some(x) } else { None })?),
        Scalar::F32 => Data::F32(all(data, |c| if let Const::F32(x) = c { Some(x) } else { None })?),
        Scalar::F64 => Data::F64(all(data, |c| if let Const::F64(x) = c { Some(x) } else { None })?),
    };
    Some(Array { dims: literal.dims.clone(), data })
}
