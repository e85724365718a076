//! A program on a device, ready to run any number of times.

use crate::data;
use crate::host::Machine;
use crate::memory::{Block, Use};
use crate::modules::Module;
use crate::params::Layout;
use crate::scope::Scope;
use crate::{Device, GpuError, Limits};
use arr_base::{IndexVec, RunErrorKind};
use arr_ir::{Array, Data, Value};
use arr_loops::{LiteralId, LocalId};
use arr_wgsl::program::{KernelId, Program};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// The resources that a run used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// The number of kernels that were run.
    pub dispatches: u64,
    /// The number of submissions of recorded commands.
    pub submissions: u64,
    /// Bytes from the host to the device: arguments, constants, parameters of kernels.
    pub bytes_up: u64,
    /// Bytes from the device to the host: results, and values that the host needed before.
    pub bytes_down: u64,
    /// Bytes of all arrays that the program made, in the device's representation.
    pub allocated_bytes: u64,
    /// The most bytes of them in use at once.
    pub peak_bytes: u64,
    pub allocations: u64,
}

/// The results of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub results: Vec<Value>,
    pub stats: Stats,
}

/// The buffers of a kernel run: the kernel, its parameters' buffer, then each buffer and the size of its used part.
pub(crate) type GroupKey = (KernelId, u64, SmallVec<[(u64, u64); 8]>);

/// A program on a device. Any number of threads may run it.
pub struct Executable {
    pub(crate) device: Arc<Device>,
    pub(crate) program: Program,
    pub(crate) module: Arc<Module>,
    pub(crate) layouts: IndexVec<KernelId, Layout>,
    pub(crate) slots: FxHashMap<LocalId, u32>,
    pub(crate) literals: IndexVec<LiteralId, Constant>,
    groups: Mutex<Groups>,
    kept: Mutex<Vec<CachedArgument>>,
}

/// A constant array of the program.
pub(crate) struct Constant {
    pub array: Arc<Array>,
    block: OnceLock<Arc<Block>>,
}

/// Bind groups, as long as the buffers that they refer to are kept.
#[derive(Default)]
struct Groups {
    known: FxHashMap<GroupKey, wgpu::BindGroup>,
    generation: u64,
}

/// The maximal number of kept bind groups.
const GROUPS: usize = 1024;

/// An argument of the last run. As long as the array has other owners nobody can have changed it.
struct CachedArgument {
    array: Weak<Array>,
    block: Arc<Block>,
}

impl Executable {
    /// Compiles the module of a program for a device; kernels are compiled on first use. Fails if the program needs
    /// `f64` ([`GpuError::NoFloat64`]), 64-bit integers ([`GpuError::NoInt64`]) or subgroups that the device lacks, or
    /// if the device refuses the module or is lost.
    pub fn new(device: &Arc<Device>, program: Program) -> Result<Executable, GpuError> {
        let adapter = device.adapter();
        if program.needs.f64 && !adapter.float64 {
            return Err(GpuError::NoFloat64 { device: adapter.name.clone() });
        }
        if program.needs.subgroups && adapter.subgroups.is_none() {
            let reason = "the program was made for a device with subgroups".to_string();
            return Err(GpuError::Refused { device: adapter.name.clone(), reason });
        }
        if program.needs.int64 && !adapter.int64 {
            return Err(GpuError::NoInt64 { device: adapter.name.clone() });
        }
        let module = device.module(&program)?;
        let layouts = program.kernels.iter().map(|(_, kernel)| Layout::of(&program, kernel)).collect();
        let slots = program.slots.iter().enumerate().map(|(slot, &local)| (local, slot as u32)).collect();
        let literal = |(_, literal): (LiteralId, &Arc<arr_ir::Literal>)| constant(literal);
        let literals = program.func.literals.iter().map(literal).collect();
        let (groups, kept) = (Mutex::default(), Mutex::default());
        Ok(Executable { device: device.clone(), program, module, layouts, slots, literals, groups, kept })
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Runs the program. `sizes` and `args` are checked against its parameters. Of `limits`, steps are those of loops
    /// that the host runs; besides, each invocation of a kernel counts its own, if the program is compiled to. Fails
    /// with [`GpuError::Run`] if the program stops, and with another error if a value or a kernel exceeds a limit of
    /// the device, or the device fails. Arguments that do not fit are an internal error.
    pub fn run(&self, sizes: &[i64], args: &[Value], limits: &Limits) -> Result<Outcome, GpuError> {
        self.program.func.check_arguments(sizes, args).map_err(GpuError::internal)?;
        self.device.check()?;
        let scope = Scope::open(&self.device);
        let mut machine = Machine::new(self, limits);
        let results = machine.run(sizes, args);
        let (stats, blocks) = machine.finish();
        let caught = scope.close();
        self.device.give_back(blocks);
        match (results, caught) {
            // A program that stopped did so before any later error.
            (Err(GpuError::Run(e)), _) if !matches!(e.kind, RunErrorKind::Internal(_)) => Err(GpuError::Run(e)),
            (_, Err(caught)) => Err(caught.into_error(&self.device, stats.peak_bytes)),
            (results, Ok(())) => Ok(Outcome { results: results?, stats }),
        }
    }

    /// The bind group for these buffers: a cached one, or a new one.
    pub(crate) fn group(&self, key: GroupKey, make: impl FnOnce() -> wgpu::BindGroup) -> wgpu::BindGroup {
        let generation = self.device.pool.lock().unwrap_or_else(PoisonError::into_inner).generation();
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if groups.generation != generation || groups.known.len() >= GROUPS {
            groups.known.clear();
            groups.generation = generation;
        }
        groups.known.entry(key).or_insert_with(make).clone()
    }

    /// A constant's elements on the device, and the number of bytes transferred for it.
    pub(crate) fn literal(&self, id: LiteralId) -> Result<(Arc<Block>, &Arc<Array>, u64), GpuError> {
        let constant =
            self.literals.get(id).ok_or_else(|| GpuError::internal("a constant that is not in the table"))?;
        if let Some(block) = constant.block.get() {
            return Ok((block.clone(), &constant.array, 0));
        }
        let (block, bytes) = self.upload(&constant.array, "an element of a constant")?;
        Ok((constant.block.get_or_init(|| block).clone(), &constant.array, bytes))
    }

    /// An argument's elements on the device, and the number of bytes transferred for it: none if the last run had the
    /// same array.
    pub(crate) fn argument(&self, array: &Arc<Array>, name: &str) -> Result<(Arc<Block>, u64), GpuError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |kept: &&CachedArgument| std::ptr::eq(kept.array.as_ptr(), Arc::as_ptr(array));
        if let Some(found) = kept.iter().find(same) {
            return Ok((found.block.clone(), 0));
        }
        drop(kept);
        self.upload(array, &format!("an element of `{name}`"))
    }

    /// Keeps the arguments of this run, and frees those of the run before.
    pub(crate) fn keep(&self, arguments: Vec<(Arc<Array>, Arc<Block>)>) -> Vec<Arc<Block>> {
        let now: Vec<CachedArgument> = arguments
            .into_iter()
            .map(|(array, block)| CachedArgument { array: Arc::downgrade(&array), block })
            .collect();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *kept, now).into_iter().map(|kept| kept.block).collect()
    }

    fn upload(&self, array: &Array, what: &str) -> Result<(Arc<Block>, u64), GpuError> {
        let bytes = data::to_bytes(&array.data, self.program.integers).map_err(|value| GpuError::Range {
            what: what.to_string(),
            value,
            span: None,
        })?;
        let block = self.device.take(Use::Storage, bytes.len() as u64)?;
        if !bytes.is_empty() {
            self.device.queue.write_buffer(&block.buffer, 0, &bytes);
        }
        Ok((block, bytes.len() as u64))
    }
}

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Executable({} on {})", self.program.func.name, self.device.adapter().name)
    }
}

fn constant(literal: &arr_ir::Literal) -> Constant {
    let mut data = Data::zeros(literal.elem, literal.data.len());
    // A verified constant has elements of its type only.
    let _typed = literal.data.iter().enumerate().all(|(i, &c)| data.set(i, c));
    Constant { array: Arc::new(Array { dims: literal.dims.clone(), data }), block: OnceLock::new() }
}
