//! The host's part of a program: its steps, interpreted.

use crate::data::{self, width};
use crate::executable::{Executable, GroupKey};
use crate::memory::{Block, Use};
use crate::recorder::Recorder;
use crate::{GpuError, Limits, Stats, readback};
use arr_base::{Id, RunError, RunErrorKind, Span};
use arr_ir::{Array, Const, Data, Scalar, Value};
use arr_loops::{Demand, Expr, LocalId, Operand, Output, SpanId, Ty};
use arr_wgsl::program::{Groups, HostFor, HostWhile, KernelId, Program, Step};
use std::collections::BTreeMap;
use std::sync::Arc;

type Result<T> = std::result::Result<T, GpuError>;

/// What the host knows of a local.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Entry {
    Unknown,
    Scalar(Const),
    /// A row of [`Machine::buffers`].
    Buffer(usize),
    /// A row, and a place in it in elements.
    Address(usize, i64),
}

/// A buffer of the program.
struct Live {
    block: Arc<Block>,
    elem: Scalar,
    /// Elements, and their bytes on the device.
    len: u64,
    bytes: u64,
    count: u32,
    /// The array of the host with the same elements, for arguments and constants. The program did not allocate those.
    origin: Option<Arc<Array>>,
}

/// Bytes of the fault buffer: a place, a word to spare, and three arguments.
const FAULT_BYTES: u64 = 32;

/// One run of a program.
pub(crate) struct Machine<'a> {
    exe: &'a Executable,
    program: &'a Program,
    limits: Limits,
    env: Vec<Entry>,
    buffers: Vec<Live>,
    /// Blocks that the program has freed, by size: what was recorded may still use them, so other runs must wait.
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

    /// Runs all steps and reads the results.
    pub fn run(&mut self, sizes: &[i64], args: &[Value]) -> Result<Vec<Value>> {
        self.bind(sizes, args)?;
        if !self.program.slots.is_empty() {
            self.slots = Some(self.exe.device.take(Use::Storage, 8 * self.program.slots.len() as u64)?);
        }
        if self.program.kernels.iter().any(|(_, kernel)| kernel.faults) {
            let fault = self.exe.device.take(Use::Storage, FAULT_BYTES)?;
            self.recorder.clear(&fault, FAULT_BYTES);
            self.fault = Some(fault);
        }
        self.steps(&self.program.steps)?;
        self.results()
    }

    /// What the run used, and the blocks that it no longer needs.
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

    /// A buffer that the program did not make. It never frees it, and copies it rather than write to it.
    fn borrow(&mut self, block: Arc<Block>, array: &Arc<Array>) -> usize {
        let len = array.data.len() as u64;
        let elem = array.data.elem();
        let bytes = len * width(elem, self.program.integers);
        self.enter(Live { block, elem, len, bytes, count: 1, origin: Some(array.clone()) })
    }

    /// A row of its own: steps may ask for the size of an array that has been freed.
    fn enter(&mut self, live: Live) -> usize {
        self.buffers.push(live);
        self.buffers.len() - 1
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

    fn buffer(&self, local: LocalId) -> Result<usize> {
        match self.entry(local.into())? {
            Entry::Buffer(row) | Entry::Address(row, _) => Ok(row),
            _ => internal(format!("{} is not an array", self.name(local))),
        }
    }

    fn live(&mut self, row: usize) -> Result<&mut Live> {
        self.buffers.get_mut(row).ok_or_else(|| GpuError::internal("an array that is not in the table"))
    }

    fn span(&self, span: SpanId) -> Option<Span> {
        self.program.func.spans.get(span).copied().flatten()
    }

    fn stop<T>(&self, kind: RunErrorKind, span: SpanId) -> Result<T> {
        Err(GpuError::Run(RunError::new(kind, self.span(span))))
    }

    fn steps(&mut self, steps: &'a [Step]) -> Result<()> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &'a Step) -> Result<()> {
        match step {
            Step::Let { local, expr } => {
                let entry = self.expr(expr)?;
                self.set(*local, entry)
            }
            Step::Var { local, init: Some(value) } | Step::Set { local, value } => {
                let entry = self.entry(*value)?;
                self.set(*local, entry)
            }
            Step::Var { local, init: None } => self.set(*local, Entry::Unknown),
            Step::Alloc { local, dims, span } => self.alloc(*local, dims, *span).map(|_| ()),
            Step::AllocZeros { local, dims, span } => {
                let row = self.alloc(*local, dims, *span)?;
                let (block, bytes) = self.whole(row)?;
                self.recorder.clear(&block, bytes);
                Ok(())
            }
            Step::MakeUnique { local, buffer, span } => self.make_unique(*local, *buffer, *span),
            Step::Retain(local) => {
                let row = self.buffer(*local)?;
                self.live(row)?.count += 1;
                Ok(())
            }
            Step::Release(local) => {
                let row = self.buffer(*local)?;
                self.release(row)
            }
            Step::Check { demand, args, span } => {
                let args = self.ints(args)?;
                match violation(*demand, &args) {
                    Some(kind) => self.stop(kind, *span),
                    None => Ok(()),
                }
            }
            Step::CheckShape { buffer, dims, span } => self.check_shape(*buffer, dims, *span),
            Step::Dispatch(kernel) => self.dispatch(*kernel),
            Step::Put(values) => self.put(values),
            Step::Fetch(locals) => self.fetch(locals),
            Step::For(step) => self.for_(step),
            Step::While(step) => self.while_(step),
            Step::If { cond, then_steps, else_steps } => {
                if self.bool(*cond)? {
                    self.steps(then_steps)
                } else {
                    self.steps(else_steps)
                }
            }
        }
    }

    fn expr(&mut self, expr: &Expr) -> Result<Entry> {
        match expr {
            Expr::Prim(prim, args) => {
                let args = args.iter().map(|&a| self.scalar(a)).collect::<Result<Vec<Const>>>()?;
                match prim.eval(&args) {
                    Some(value) => Ok(Entry::Scalar(value)),
                    None => internal(format!("`{}` is not defined on its operands", prim.name())),
                }
            }
            Expr::Copy(operand) => self.entry(*operand),
            Expr::Data(buffer) => Ok(Entry::Address(self.buffer(*buffer)?, 0)),
            Expr::Offset(address, by) => {
                let by = self.int(*by)?;
                match self.entry((*address).into())? {
                    Entry::Address(row, offset) => Ok(Entry::Address(row, offset.wrapping_add(by))),
                    _ => internal(format!("{} is not an address", self.name(*address))),
                }
            }
            Expr::Load(..) => internal("the host reads an element"),
            Expr::Literal(id) => {
                let (block, array, bytes) = self.exe.literal(*id)?;
                self.stats.bytes_up += bytes;
                Ok(Entry::Buffer(self.borrow(block, array)))
            }
        }
    }

    /// The elements under axes of these sizes: a negative size is an empty axis, which makes the array empty.
    fn count(&self, dims: &[Operand], span: SpanId) -> Result<u64> {
        let dims = self.ints(dims)?;
        if dims.iter().any(|&d| d <= 0) {
            return Ok(0);
        }
        match dims.iter().try_fold(1i64, |n, &d| n.checked_mul(d)) {
            Some(count) => Ok(count as u64),
            None => self.stop(RunErrorKind::OutOfMemory { bytes: i64::MAX, limit: i64::MAX }, span),
        }
    }

    fn alloc(&mut self, local: LocalId, dims: &[Operand], span: SpanId) -> Result<usize> {
        let Ty::Buffer(elem) = self.program.func.ty(local) else { return internal("an array for a scalar") };
        let len = self.count(dims, span)?;
        let row = self.allocate(elem, len, span)?;
        self.set(local, Entry::Buffer(row))?;
        Ok(row)
    }

    fn allocate(&mut self, elem: Scalar, len: u64, span: SpanId) -> Result<usize> {
        let limit = self.limits.max_bytes.unwrap_or(u64::MAX);
        let bytes = len.saturating_mul(width(elem, self.program.integers));
        if self.in_use.saturating_add(bytes) > limit {
            let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            return self.stop(RunErrorKind::OutOfMemory { bytes: number(bytes), limit: number(limit) }, span);
        }
        let block = match self.free.get_mut(&crate::memory::size_class(bytes.max(16))).and_then(Vec::pop) {
            Some(block) => block,
            None => self.fresh(bytes).map_err(|e| at(e, self.span(span)))?,
        };
        self.in_use += bytes;
        self.stats.allocated_bytes += bytes;
        self.stats.peak_bytes = self.stats.peak_bytes.max(self.in_use);
        self.stats.allocations += 1;
        Ok(self.enter(Live { block, elem, len, bytes, count: 1, origin: None }))
    }

    /// A block of the device. Where there is no memory left for it, those that the program has freed give way.
    fn fresh(&mut self, bytes: u64) -> Result<Arc<Block>> {
        let device = &self.exe.device;
        match device.take(Use::Storage, bytes) {
            Err(GpuError::OutOfMemory { .. }) if !self.free.is_empty() => {
                self.recorder.submit(&mut self.stats);
                device.wait()?;
                self.free.clear();
                device.take(Use::Storage, bytes)
            }
            other => other,
        }
    }

    fn whole(&mut self, row: usize) -> Result<(Arc<Block>, u64)> {
        self.live(row).map(|live| (live.block.clone(), live.bytes))
    }

    fn make_unique(&mut self, local: LocalId, buffer: LocalId, span: SpanId) -> Result<()> {
        let row = self.buffer(buffer)?;
        let live = self.live(row)?;
        if live.count == 1 && live.origin.is_none() {
            return self.set(local, Entry::Buffer(row));
        }
        let (elem, len) = (live.elem, live.len);
        let copy = self.allocate(elem, len, span)?;
        let ((from, bytes), (to, _)) = (self.whole(row)?, self.whole(copy)?);
        self.recorder.copy(&from, 0, &to, 0, bytes);
        self.release(row)?;
        self.set(local, Entry::Buffer(copy))
    }

    fn release(&mut self, row: usize) -> Result<()> {
        let live = self.live(row)?;
        live.count = live.count.checked_sub(1).ok_or_else(|| GpuError::internal("an array is freed twice"))?;
        if live.count > 0 {
            return Ok(());
        }
        let (block, bytes, owned) = (live.block.clone(), live.bytes, live.origin.is_none());
        if owned {
            self.in_use = self.in_use.saturating_sub(bytes);
            self.free.entry(block.size).or_default().push(block);
        }
        Ok(())
    }

    fn check_shape(&mut self, buffer: LocalId, dims: &[Operand], span: SpanId) -> Result<()> {
        let expected = self.count(dims, span)?;
        let row = self.buffer(buffer)?;
        let found = self.live(row)?.len;
        if found == expected {
            return Ok(());
        }
        self.stop(RunErrorKind::SizeAssertion { found: found as i64, expected: expected as i64 }, span)
    }

    fn dispatch(&mut self, id: KernelId) -> Result<()> {
        let Some(kernel) = self.program.kernels.get(id) else { return internal("a kernel that is not in the table") };
        let device = &*self.exe.device;
        let Some(groups) = self.groups(&kernel.groups, kernel.span)? else { return Ok(()) };
        let layout = self.exe.layouts.get(id).ok_or_else(|| GpuError::internal("a kernel without a layout"))?;
        let pipeline = self.exe.module.pipeline(device, id.index(), kernel, layout)?;
        let params = if layout.bytes == 0 {
            None
        } else {
            let value = |local: LocalId| match self.entry(local.into())? {
                Entry::Scalar(c) => Ok(c),
                Entry::Address(_, offset) => Ok(Const::I64(offset)),
                _ => internal(format!("{} is not a parameter", self.name(local))),
            };
            let block = layout.block(self.program.integers, value, |local| self.name(local));
            let block = block.map_err(|e| at(e, self.span(kernel.span)))?;
            let alignment = u64::from(device.limits.min_uniform_buffer_offset_alignment).max(16);
            Some(self.recorder.place(&block, alignment)?)
        };
        let mut bound: Vec<(u32, Arc<Block>, u64)> = Vec::with_capacity(kernel.buffers.len() + 2);
        if kernel.slots {
            bound.push((1, self.slots()?, 8 * self.program.slots.len() as u64));
        }
        if kernel.faults {
            let fault = self.fault.clone().ok_or_else(|| GpuError::internal("no buffer for faults"))?;
            bound.push((2, fault, FAULT_BYTES));
        }
        let limit = device.limits.max_storage_buffer_binding_size / 4 * 4;
        for (k, binding) in kernel.buffers.iter().enumerate() {
            let row = self.buffer(binding.buffer)?;
            let (block, bytes) = self.whole(row)?;
            if bytes > limit {
                let span = self.span(kernel.span);
                let what = "an array of bytes, seen by one kernel,";
                return Err(GpuError::TooLarge { what, size: bytes, limit, device: device.name(), span });
            }
            bound.push((3 + k as u32, block, bytes.max(16)));
        }
        let ring = params.as_ref().map_or(u64::MAX, |placed| placed.block.id);
        let key: GroupKey = (id, ring, bound.iter().map(|(_, block, bytes)| (block.id, *bytes)).collect());
        let group = self.exe.group(key, || {
            let uniform = params.iter().map(|placed| entry(0, &placed.block, layout.bytes));
            let storage = bound.iter().map(|(binding, block, bytes)| entry(*binding, block, *bytes));
            let entries: Vec<wgpu::BindGroupEntry<'_>> = uniform.chain(storage).collect();
            device.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.bindings,
                entries: &entries,
            })
        });
        self.recorder.dispatch(pipeline, &group, params.map(|placed| placed.offset), groups, &mut self.stats)
    }

    fn slots(&self) -> Result<Arc<Block>> {
        self.slots.clone().ok_or_else(|| GpuError::internal("no buffer for slots"))
    }

    /// The rows and columns of workgroups; none if there is nothing to do.
    fn groups(&self, groups: &Groups, span: SpanId) -> Result<Option<[u32; 2]>> {
        let points = self.ints(&groups.points)?;
        if points.iter().any(|&n| n <= 0) {
            return Ok(None);
        }
        let device = &self.exe.device;
        let row = u64::from(device.limits.max_compute_workgroups_per_dimension).max(1);
        let total = points.iter().fold(1u128, |n, &p| n.saturating_mul(p as u128));
        let count = total.div_ceil(u128::from(groups.per_group.max(1)));
        let count = groups.most.map_or(count, |most| count.min(u128::from(most)));
        let count = u64::try_from(count).ok().filter(|&n| n <= row * row).ok_or_else(|| GpuError::TooLarge {
            what: "a kernel's number of groups",
            size: u64::try_from(count).unwrap_or(u64::MAX),
            limit: row * row,
            device: device.name(),
            span: self.span(span),
        })?;
        let rows = count.div_ceil(row);
        Ok(Some([count.div_ceil(rows) as u32, rows as u32]))
    }

    fn slot(&self, local: LocalId) -> Result<u64> {
        let slot = self.exe.slots.get(&local);
        slot.map(|&slot| 8 * u64::from(slot))
            .ok_or_else(|| GpuError::internal(format!("{} has no slot", self.name(local))))
    }

    fn put(&mut self, values: &[(LocalId, Operand)]) -> Result<()> {
        let slots = self.slots()?;
        for &(local, value) in values {
            let value = self.scalar(value)?;
            let (bytes, len) = data::word(value, self.program.integers).ok_or_else(|| GpuError::Range {
                what: format!("`{}`", self.name(local)),
                value: value.as_i64().unwrap_or(0),
                span: None,
            })?;
            let placed = self.recorder.place(&bytes, 8)?;
            self.recorder.copy(&placed.block, u64::from(placed.offset), &slots, self.slot(local)?, len as u64);
        }
        Ok(())
    }

    fn fetch(&mut self, locals: &[LocalId]) -> Result<()> {
        let (values, _) = self.download(&[], !locals.is_empty())?;
        for &local in locals {
            let value = self.fetched(&values, local)?;
            self.set(local, Entry::Scalar(value))?;
        }
        Ok(())
    }

    fn fetched(&self, slots: &[u8], local: LocalId) -> Result<Const> {
        let at = self.slot(local)? as usize;
        let bytes = slots.get(at..at + 8).and_then(|bytes| <[u8; 8]>::try_from(bytes).ok());
        let bytes = bytes.ok_or_else(|| GpuError::internal("a slot that was not read"))?;
        Ok(data::scalar(self.program.func.ty(local).elem(), bytes, self.program.integers))
    }

    /// Submits what was recorded, waits, and reads the fault, the slots if they are wanted, and the buffers of these rows.
    fn download(&mut self, rows: &[usize], slots: bool) -> Result<(Vec<u8>, Vec<Data>)> {
        let mut sources = Vec::new();
        let faults = usize::from(self.fault.is_some());
        sources.extend(self.fault.clone().map(|fault| (fault, FAULT_BYTES)));
        let slots = if slots { self.slots.clone() } else { None };
        let first = faults + usize::from(slots.is_some());
        sources.extend(slots.map(|slots| (slots, 8 * self.program.slots.len() as u64)));
        let mut arrays = Vec::new();
        for &row in rows {
            let live = self.live(row)?;
            arrays.push(Data::zeros(live.elem, 0));
            sources.push((live.block.clone(), live.bytes));
        }
        let (mut fault, mut words) = (Vec::new(), Vec::new());
        let integers = self.program.integers;
        let sink = |number: usize, bytes: &[u8]| match number.checked_sub(first) {
            Some(row) => arrays.iter_mut().skip(row).take(1).for_each(|data| data::append(data, bytes, integers)),
            None if number < faults => fault.extend_from_slice(bytes),
            None => words.extend_from_slice(bytes),
        };
        readback::read(&self.exe.device, &mut self.recorder, &sources, &mut self.stats, sink)?;
        self.fault_of(&fault)?;
        Ok((words, arrays))
    }

    /// Whether a kernel has stopped.
    fn fault_of(&self, bytes: &[u8]) -> Result<()> {
        let (words, _) = bytes.as_chunks::<4>();
        let (numbers, _) = bytes.as_chunks::<8>();
        let code = words.first().map_or(0, |word| u32::from_le_bytes(*word));
        let Some(place) = code.checked_sub(1) else { return Ok(()) };
        let (_, place) = self
            .program
            .places
            .iter()
            .nth(place as usize)
            .ok_or_else(|| GpuError::internal("a fault at a place that is not in the table"))?;
        let args: Vec<i64> = numbers.iter().skip(1).map(|number| i64::from_le_bytes(*number)).collect();
        match kind(place.demand, &args) {
            Some(kind) => self.stop(kind, place.span),
            None => internal("a fault without arguments"),
        }
    }

    fn counted(&mut self, span: SpanId) -> Result<()> {
        let Some(limit) = self.limits.max_steps else { return Ok(()) };
        if self.steps >= limit {
            return self.stop(RunErrorKind::TooManySteps { limit: i64::try_from(limit).unwrap_or(i64::MAX) }, span);
        }
        self.steps += 1;
        Ok(())
    }

    fn for_(&mut self, step: &'a HostFor) -> Result<()> {
        let extent = self.int(step.extent)?;
        for turn in 0..extent {
            if step.counted {
                self.counted(step.span)?;
            }
            let index = if step.reverse { extent - 1 - turn } else { turn };
            self.set(step.index, Entry::Scalar(Const::I64(index)))?;
            for induction in &step.inductions {
                let by = self.int(induction.step)?;
                self.set(induction.local, Entry::Scalar(Const::I64(index.wrapping_mul(by))))?;
            }
            self.steps(&step.body)?;
        }
        Ok(())
    }

    fn while_(&mut self, step: &'a HostWhile) -> Result<()> {
        loop {
            self.steps(&step.head)?;
            if !self.bool(step.cond)? {
                return Ok(());
            }
            self.counted(step.span)?;
            self.steps(&step.body)?;
        }
    }

    /// The results, read after everything else.
    fn results(&mut self) -> Result<Vec<Value>> {
        let outputs = &self.program.func.outputs;
        let mut rows = Vec::new();
        let mut slots = false;
        for output in outputs {
            match self.place_of(output)? {
                Place::Device(row) => rows.push(row),
                Place::Slot(_) => slots = true,
                Place::Host(_) => {}
            }
        }
        // A result that is there twice is read once.
        rows.sort_unstable();
        rows.dedup();
        let (words, arrays) = self.download(&rows, slots)?;
        let arrays: BTreeMap<usize, Data> = rows.into_iter().zip(arrays).collect();
        outputs.iter().map(|output| self.result(output, &words, &arrays)).collect()
    }

    fn place_of(&self, output: &Output) -> Result<Place> {
        if let Operand::Local(local) = output.value
            && self.exe.slots.contains_key(&local)
        {
            return Ok(Place::Slot(local));
        }
        match self.entry(output.value)? {
            Entry::Scalar(c) => Ok(Place::Host(Value::Scalar(c))),
            Entry::Address(..) | Entry::Unknown => internal("a result that is no value"),
            Entry::Buffer(row) => match self.buffers.get(row) {
                Some(Live { origin: Some(array), .. }) => Ok(Place::Host(Value::Array(array.clone()))),
                Some(_) => Ok(Place::Device(row)),
                None => internal("an array that is not in the table"),
            },
        }
    }

    fn result(&self, output: &Output, slots: &[u8], arrays: &BTreeMap<usize, Data>) -> Result<Value> {
        // A negative size stands for an empty axis.
        let dims: Vec<i64> = self.ints(&output.dims)?.into_iter().map(|d| d.max(0)).collect();
        match self.place_of(output)? {
            Place::Slot(local) => Ok(Value::Scalar(self.fetched(slots, local)?)),
            // An argument or constant comes back: the same array, perhaps under other axes.
            Place::Host(Value::Array(array)) if array.dims != dims => Ok(Value::array(dims, array.data.clone())),
            Place::Host(value) => Ok(value),
            Place::Device(row) => match arrays.get(&row) {
                Some(data) => Ok(Value::array(dims, data.clone())),
                None => internal("a result that was not read"),
            },
        }
    }
}

fn entry(binding: u32, block: &Block, bytes: u64) -> wgpu::BindGroupEntry<'_> {
    let size = std::num::NonZeroU64::new(bytes);
    let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &block.buffer, offset: 0, size });
    wgpu::BindGroupEntry { binding, resource }
}

/// Where a result is.
enum Place {
    Host(Value),
    Slot(LocalId),
    /// A row of [`Machine::buffers`].
    Device(usize),
}

/// The error, at a place if it has none.
fn at(mut error: GpuError, place: Option<Span>) -> GpuError {
    match &mut error {
        GpuError::TooLarge { span, .. } | GpuError::Range { span, .. } | GpuError::OutOfMemory { span, .. } => {
            *span = span.or(place);
        }
        _ => {}
    }
    error
}

/// The error, if what is demanded of these values does not hold.
fn violation(demand: Demand, args: &[i64]) -> Option<RunErrorKind> {
    let holds = match (demand, args) {
        (Demand::Index | Demand::Element, &[index, extent]) => 0 <= index && index < extent,
        (Demand::Slice, &[lo, hi, extent]) => 0 <= lo && lo <= hi && hi <= extent,
        (Demand::NonZero, &[divisor]) => divisor != 0,
        (Demand::SizeEq, &[found, expected]) => found == expected,
        (Demand::SizeNonNeg, &[size]) => size >= 0,
        (Demand::NonEmpty | Demand::Step, &[size]) => size > 0,
        _ => return Some(RunErrorKind::Internal(format!("a check of {} has {} operands", demand.name(), args.len()))),
    };
    if holds { None } else { kind(demand, args) }
}

/// The error of a demand that these values violate; `None` if there are too few.
fn kind(demand: Demand, args: &[i64]) -> Option<RunErrorKind> {
    let arg = |k: usize| args.get(k).copied();
    Some(match demand {
        Demand::Index => RunErrorKind::Index { index: arg(0)?, extent: arg(1)? },
        // An array under a negative size is empty, and known as such.
        Demand::Element => RunErrorKind::Index { index: arg(0)?, extent: arg(1)?.max(0) },
        Demand::Slice => RunErrorKind::Slice { lo: arg(0)?, hi: arg(1)?, extent: arg(2)? },
        Demand::NonZero => RunErrorKind::DivisionByZero,
        Demand::SizeEq => RunErrorKind::SizeAssertion { found: arg(0)?, expected: arg(1)? },
        Demand::SizeNonNeg => RunErrorKind::NegativeSize { size: arg(0)? },
        Demand::NonEmpty => RunErrorKind::EmptyReduction,
        Demand::Step => RunErrorKind::Step { step: arg(0)? },
    })
}
