//! The host's part of a program: its steps, interpreted. This file has the state of a run; the modules have the effects
//! of steps.

mod arrays;
mod dispatch;
mod faults;
mod fetch;
mod steps;

use crate::executable::Executable;
use crate::memory::{Block, Use};
use crate::recorder::Recorder;
use crate::{GpuError, Limits, Stats};
use arr_base::{Id, RunError, RunErrorKind, Span};
use arr_ir::{Array, Const, Value};
use arr_loops::{LocalId, Operand, SpanId};
use arr_wgsl::program::Program;
use arrays::Live;
use faults::FAULT_BYTES;
use std::collections::BTreeMap;
use std::sync::Arc;

type Result<T> = std::result::Result<T, GpuError>;

/// The host's value of a local.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Entry {
    Unknown,
    Scalar(Const),
    /// A row of [`Machine::buffers`].
    Buffer(usize),
    /// A row, and an offset in it in elements.
    Address(usize, i64),
}

/// One run of a program.
pub(crate) struct Machine<'a> {
    exe: &'a Executable,
    program: &'a Program,
    limits: Limits,
    env: Vec<Entry>,
    buffers: Vec<Live>,
    /// Blocks that the program has freed, by size: recorded commands may still use them, so other runs must wait.
    free: BTreeMap<u64, Vec<Arc<Block>>>,
    slots: Option<Arc<Block>>,
    fault: Option<Arc<Block>>,
    in_use: u64,
    steps: u64,
    arguments: Vec<(Arc<Array>, Arc<Block>)>,
    recorder: Recorder<'a>,
    stats: Stats,
}

fn internal<T>(what: impl Into<String>) -> Result<T> {
    Err(GpuError::internal(what))
}

impl<'a> Machine<'a> {
    pub fn new(exe: &'a Executable, limits: &Limits) -> Machine<'a> {
        Machine {
            exe,
            program: &exe.program,
            limits: *limits,
            env: vec![Entry::Unknown; exe.program.func.locals.len()],
            buffers: Vec::new(),
            free: BTreeMap::new(),
            slots: None,
            fault: None,
            in_use: 0,
            steps: 0,
            arguments: Vec::new(),
            recorder: Recorder::new(&exe.device),
            stats: Stats::default(),
        }
    }

    /// Runs all steps and reads the results. Fails if the program stops, a value or a kernel exceeds a limit of the
    /// device, or the device fails.
    pub fn run(&mut self, sizes: &[i64], args: &[Value]) -> Result<Vec<Value>> {
        self.bind(sizes, args)?;
        if !self.program.slots.is_empty() {
            self.slots = Some(self.exe.device.take(Use::Storage, 8 * self.program.slots.len() as u64)?);
        }
        if self.program.kernels.iter().any(|(_, kernel)| kernel.faults) {
            let fault = self.exe.device.take(Use::Storage, FAULT_BYTES)?;
            self.recorder.clear(&fault, FAULT_BYTES);
            if let Some(limit) = self.limits.max_steps {
                // One that does not fit means none: no kernel gets that far.
                let word = u32::try_from(limit).ok().and_then(|n| n.checked_add(1)).unwrap_or(0);
                let placed = self.recorder.place(&word.to_le_bytes(), 8)?;
                self.recorder.copy(&placed.block, u64::from(placed.offset), &fault, 4, 4);
            }
            self.fault = Some(fault);
        }
        self.steps(&self.program.steps)?;
        self.results()
    }

    /// The statistics of the run, and the blocks that it no longer needs.
    pub fn finish(self) -> (Stats, Vec<Arc<Block>>) {
        let mut blocks = self.recorder.into_blocks();
        blocks.extend(self.exe.keep(self.arguments));
        blocks.extend(self.free.into_values().flatten());
        blocks.extend(self.slots);
        blocks.extend(self.fault);
        blocks.extend(self.buffers.into_iter().filter(|live| live.origin.is_none()).map(|live| live.block));
        (self.stats, blocks)
    }

    fn bind(&mut self, sizes: &[i64], args: &[Value]) -> Result<()> {
        for (&local, &size) in self.program.func.sizes.iter().zip(sizes) {
            self.set(local, Entry::Scalar(Const::I64(size)))?;
        }
        for (param, arg) in self.program.func.params.iter().zip(args) {
            let entry = match arg {
                Value::Scalar(c) => Entry::Scalar(*c),
                Value::Array(array) => {
                    let (block, bytes) = self.exe.argument(array, &self.program.func.locals[param.local].name)?;
                    self.stats.bytes_up += bytes;
                    self.arguments.push((array.clone(), block.clone()));
                    Entry::Buffer(self.borrow(block, array))
                }
            };
            self.set(param.local, entry)?;
        }
        Ok(())
    }

    fn set(&mut self, local: LocalId, entry: Entry) -> Result<()> {
        match self.env.get_mut(local.index()) {
            Some(place) => *place = entry,
            None => return internal("a local that is not in the table"),
        }
        Ok(())
    }

    fn name(&self, local: LocalId) -> String {
        self.program.func.locals.get(local).map_or_else(|| format!("{local}"), |info| info.name.clone())
    }

    fn entry(&self, operand: Operand) -> Result<Entry> {
        match operand {
            Operand::Const(c) => Ok(Entry::Scalar(c)),
            Operand::Local(local) => match self.env.get(local.index()) {
                None | Some(Entry::Unknown) => internal(format!("the host does not know {}", self.name(local))),
                Some(&entry) => Ok(entry),
            },
        }
    }

    fn scalar(&self, operand: Operand) -> Result<Const> {
        match self.entry(operand)? {
            Entry::Scalar(c) => Ok(c),
            _ => internal("an array where a scalar is needed"),
        }
    }

    fn int(&self, operand: Operand) -> Result<i64> {
        self.scalar(operand)?.as_i64().ok_or_else(|| GpuError::internal("a number that is not an integer"))
    }

    fn ints(&self, operands: &[Operand]) -> Result<Vec<i64>> {
        operands.iter().map(|&operand| self.int(operand)).collect()
    }

    fn bool(&self, operand: Operand) -> Result<bool> {
        self.scalar(operand)?.as_bool().ok_or_else(|| GpuError::internal("a condition that is not a boolean"))
    }

    fn span(&self, span: SpanId) -> Option<Span> {
        self.program.func.spans.get(span).copied().flatten()
    }

    fn stop<T>(&self, kind: RunErrorKind, span: SpanId) -> Result<T> {
        Err(GpuError::Run(RunError::new(kind, self.span(span))))
    }

    fn slots(&self) -> Result<Arc<Block>> {
        self.slots.clone().ok_or_else(|| GpuError::internal("no buffer for slots"))
    }

    fn slot(&self, local: LocalId) -> Result<u64> {
        let slot = self.exe.slots.get(&local);
        slot.map(|&slot| 8 * u64::from(slot))
            .ok_or_else(|| GpuError::internal(format!("{} has no slot", self.name(local))))
    }
}

/// The error, with a source position if it has none.
fn at(mut error: GpuError, place: Option<Span>) -> GpuError {
    match &mut error {
        GpuError::TooLarge { span, .. } | GpuError::Range { span, .. } | GpuError::OutOfMemory { span, .. } => {
            *span = span.or(place);
        }
        _ => {}
    }
    error
}
