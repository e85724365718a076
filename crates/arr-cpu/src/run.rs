//! Running compiled code: arguments in, results out.

use crate::Compiled;
use crate::lent::Lent;
use crate::sanitize::{described, unwritten};
use arr_base::{Id, Listening, TracePlace, Traces};
use arr_ir::interp::Limits;
use arr_ir::{Array, Const, Data, RunError, RunErrorKind, Scalar, Value};
use arr_loops::{Output, SpanId, Ty};
use arr_runtime::{Buffer, Call, Context, Elements, Tracing};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The resources that a run used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Bytes of all allocations together.
    pub allocated_bytes: u64,
    /// The most bytes in use at once.
    pub peak_bytes: u64,
    pub allocations: u64,
    /// Buffers alive after the results were taken: 0, or memory was kept longer than needed.
    pub leaked: u64,
    /// Loops that were divided into chunks.
    pub regions: u64,
    /// Threads that chunks could be done on.
    pub threads: u64,
    /// Bytes of the allocations that no memory of earlier ones, in this run or before, could serve.
    pub fresh_bytes: u64,
}

/// The results of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub results: Vec<Value>,
    pub stats: Stats,
}

pub(crate) type Result<T> = std::result::Result<T, RunError>;

pub(crate) fn internal(what: impl Into<String>) -> RunError {
    RunError::new(RunErrorKind::Internal(what.into()), None)
}

impl Compiled {
    /// Runs the function. `sizes` and `args` are checked against its parameters; arrays are read in place. A limit on
    /// steps holds only for code that was compiled to count them. Fails with the run-time error of the program where
    /// one of its checks fails or a limit is passed, and with [`RunErrorKind::Internal`] where the arguments do not fit
    /// the parameters or the sanitizer finds a fault.
    pub fn run(&self, sizes: &[i64], args: &[Value], limits: &Limits) -> Result<Outcome> {
        self.run_with_stats(sizes, args, limits).0
    }

    /// As [`Compiled::run`]; the statistics are returned after a failure too.
    pub fn run_with_stats(&self, sizes: &[i64], args: &[Value], limits: &Limits) -> (Result<Outcome>, Stats) {
        self.run_until(sizes, args, limits, (None, None))
    }

    /// As [`Compiled::run`]. If `stop` is set meanwhile, code that was compiled to be interruptible fails with
    /// [`RunErrorKind::Interrupted`](arr_ir::RunErrorKind).
    pub fn run_stopped_by(
        &self,
        sizes: &[i64],
        args: &[Value],
        limits: &Limits,
        stop: &'static AtomicBool,
    ) -> Result<Outcome> {
        self.run_listened_to(sizes, args, limits, None, Some(stop))
    }

    /// As [`Compiled::run`] and [`Compiled::run_stopped_by`], for code that has kept its traces: they are shown.
    pub fn run_listened_to(
        &self,
        sizes: &[i64],
        args: &[Value],
        limits: &Limits,
        listening: Option<Listening>,
        stop: Option<&'static AtomicBool>,
    ) -> Result<Outcome> {
        self.run_until(sizes, args, limits, (stop, listening)).0
    }

    fn tracing(&self, listening: Listening) -> Tracing {
        let places: Vec<TracePlace> = self.loops.traces.iter().map(|(_, site)| site.place.clone()).collect();
        let elems = self.loops.traces.iter().map(|(_, site)| site.elem).collect();
        Tracing { traces: Traces::new(listening, &places), elems }
    }

    fn run_until(
        &self,
        sizes: &[i64],
        args: &[Value],
        limits: &Limits,
        (stop, listening): (Option<&'static AtomicBool>, Option<Listening>),
    ) -> (Result<Outcome>, Stats) {
        let context = Context::with_arena(bound(limits.max_bytes), bound(limits.max_steps), self.arenas.take());
        let mut context = context.with_threads(self.threads);
        if self.sanitizes {
            context = context.sanitized();
        }
        if let Some(stop) = stop {
            context = context.stopped_by(stop);
        }
        if let Some(listening) = listening.filter(|_| !self.loops.traces.is_empty()) {
            context = context.listened_to(self.tracing(listening));
        }
        let results = self.call(&mut context, sizes, args, limits);
        let stats = stats_of(&context);
        self.arenas.put(context.into_arena());
        (results.map(|results| Outcome { results, stats }), stats)
    }

    /// Takes back results that are no longer needed, so that the next run can use their memory. Shared ones are left
    /// alone.
    pub fn recycle(&self, results: Vec<Value>) {
        let mut arena = self.arenas.take();
        for result in results {
            let Value::Array(array) = result else { continue };
            match Arc::try_unwrap(array).map(|array| array.data) {
                Ok(Data::Bool(v)) => arena.give(v),
                Ok(Data::I32(v)) => arena.give(v),
                Ok(Data::I64(v)) => arena.give(v),
                Ok(Data::U32(v)) => arena.give(v),
                Ok(Data::F32(v)) => arena.give(v),
                Ok(Data::F64(v)) => arena.give(v),
                Err(_) => {}
            }
        }
        self.arenas.put(arena);
    }

    /// Takes over the memory that runs of other code have left.
    pub fn inherit(&self, before: &Compiled) {
        self.arenas.inherit(&before.arenas);
    }

    /// Bytes of memory that are kept for the next runs.
    pub fn kept_bytes(&self) -> usize {
        self.arenas.bytes()
    }

    fn call(&self, context: &mut Context, sizes: &[i64], args: &[Value], limits: &Limits) -> Result<Vec<Value>> {
        let lent: SmallVec<[Lent<'_>; 8]> = args.iter().map(Lent::of).collect();
        let mut borrowed = Borrowed::new(&lent, &self.literals);
        let slots = self.enter(context, sizes, &lent, &mut borrowed, limits)?;
        let arrays: SmallVec<[&Arc<Array>; 8]> = args.iter().filter_map(shared).chain(&self.literals).collect();
        let mut results = Vec::with_capacity(self.loops.outputs.len());
        for (output, own) in self.split(&slots) {
            results.push(self.result(context, &borrowed, &arrays, output, own)?);
        }
        if self.sanitizes
            && let Some((k, at)) = results.iter().enumerate().find_map(|(k, r)| Some((k, unwritten(r)?)))
        {
            return Err(internal(format!(
                "sanitizer: element {at} of result {k} comes from memory that was not written"
            )));
        }
        Ok(results)
    }

    /// Runs the code; returns the slots of the results.
    pub(crate) fn enter(
        &self,
        context: &mut Context,
        sizes: &[i64],
        args: &[Lent<'_>],
        borrowed: &mut Borrowed,
        limits: &Limits,
    ) -> Result<SmallVec<[u64; 16]>> {
        self.loops.check_given(sizes, args.iter().map(Lent::given)).map_err(internal)?;
        // Nothing moves the headers while there are pointers to them.
        let (arg_slots, literals) = borrowed.pointers(args);
        let mut slots: SmallVec<[u64; 16]> = SmallVec::new();
        slots.resize(self.loops.outputs.iter().map(|o| 1 + o.dims.len()).sum(), 0);
        let call = Call {
            entry: self.entry,
            context,
            sizes: sizes.as_ptr(),
            args: arg_slots.as_ptr(),
            results: slots.as_mut_ptr(),
            literals: literals.as_ptr(),
        };
        // SAFETY: the code was compiled from a loop function whose parameters these values were checked against; it
        // reads as many sizes, arguments and constants and writes as many results as there are slots. The borrowed
        // buffers outlive the call and hold a reference each, so the code neither writes nor frees them.
        let status = unsafe { call.make(self.products.then_some(self.threads)) };
        if status != 0 {
            return Err(self.error(context, limits));
        }
        if let Some(length) = context.damaged() {
            return Err(internal(format!("sanitizer: something was written behind a buffer of length {length}")));
        }
        Ok(slots)
    }

    /// Each result with its slots.
    pub(crate) fn split<'s>(&'s self, slots: &'s [u64]) -> impl Iterator<Item = (&'s Output, &'s [u64])> {
        let mut rest = slots;
        self.loops.outputs.iter().map_while(move |output| {
            let (own, after) = rest.split_at_checked(1 + output.dims.len())?;
            rest = after;
            Some((output, own))
        })
    }

    pub(crate) fn is_array(&self, output: &Output) -> bool {
        matches!(output.value, arr_loops::Operand::Local(l) if matches!(self.loops.ty(l), Ty::Buffer(_)))
    }

    fn result(
        &self,
        context: &mut Context,
        borrowed: &Borrowed,
        arrays: &[&Arc<Array>],
        output: &Output,
        slots: &[u64],
    ) -> Result<Value> {
        let (&[value], dims) = slots.split_at(1) else { return Err(internal("missing results")) };
        let elem = self.loops.elem(output.value);
        if !self.is_array(output) {
            return Ok(Value::Scalar(scalar_of(elem, value)));
        }
        // A negative size stands for an empty axis.
        let dims: Vec<i64> = dims.iter().map(|&d| (d as i64).max(0)).collect();
        let buffer = value as *mut Buffer;
        if let Some(array) = borrowed.find(buffer).and_then(|at| arrays.get(at)) {
            // An argument or constant comes back: the same array, perhaps under other axes.
            let same = array.dims == dims;
            return Ok(if same { Value::Array(Arc::clone(array)) } else { Value::array(dims, array.data.clone()) });
        }
        // SAFETY: the code returned an owned reference to a buffer of this context; borrowed ones were found above.
        let data = unsafe { take(context, buffer, elem) }.ok_or_else(|| internal("a result of another type"))?;
        Ok(Value::array(dims, data))
    }

    fn error(&self, context: &Context, limits: &Limits) -> RunError {
        let Some(failure) = context.failure() else {
            return internal("compiled code failed without a reason");
        };
        let kind = described(&self.loops, failure.code, failure.values);
        let kind = kind.unwrap_or_else(|| failure.kind(bound(limits.max_steps)));
        let span = self.loops.spans.get(SpanId::from_index(failure.span as usize)).copied().flatten();
        RunError::new(kind, span)
    }

    /// Whether `Limits::max_steps` has an effect.
    pub fn counts_steps(&self) -> bool {
        self.counts_steps
    }
}

/// No limit is the largest number.
pub(crate) fn bound(limit: Option<u64>) -> i64 {
    limit.and_then(|n| i64::try_from(n).ok()).unwrap_or(i64::MAX)
}

fn stats_of(context: &Context) -> Stats {
    let memory = context.memory();
    Stats {
        allocated_bytes: memory.allocated_bytes,
        peak_bytes: memory.peak_bytes,
        allocations: memory.allocations,
        leaked: memory.live,
        regions: context.regions(),
        threads: context.threads().count() as u64,
        fresh_bytes: memory.fresh_bytes,
    }
}

/// The headers of borrowed buffers. Code changes the counts in them, so that every run has its own.
pub(crate) struct Borrowed {
    buffers: SmallVec<[Buffer; 8]>,
}

impl Borrowed {
    /// The arrays among the arguments, then the constants.
    pub fn new(args: &[Lent<'_>], literals: &[Arc<Array>]) -> Borrowed {
        let args = args.iter().filter_map(Lent::header);
        Borrowed { buffers: args.chain(literals.iter().map(|array| header(&array.data))).collect() }
    }

    /// The slots of the arguments, and pointers to the constants. They hold as long as this is not moved.
    fn pointers(&mut self, args: &[Lent<'_>]) -> (SmallVec<[u64; 16]>, SmallVec<[*mut Buffer; 8]>) {
        let mut headers = self.buffers.iter_mut().map(std::ptr::from_mut);
        let slot = |arg: &Lent<'_>| match arg {
            Lent::Scalar(c) => c.bits(),
            Lent::Array(_) => headers.next().map_or(0, |header| header.expose_provenance() as u64),
        };
        let slots = args.iter().map(slot).collect();
        (slots, headers.collect())
    }

    /// Which of the arrays a buffer is.
    pub fn find(&self, buffer: *mut Buffer) -> Option<usize> {
        self.buffers.iter().position(|header| std::ptr::eq(header, buffer))
    }

    /// The header of one of the arrays.
    pub fn get(&self, at: usize) -> Option<&Buffer> {
        self.buffers.get(at)
    }
}

/// The array of an argument.
fn shared(arg: &Value) -> Option<&Arc<Array>> {
    if let Value::Array(array) = arg { Some(array) } else { None }
}

pub(crate) fn header(data: &Data) -> Buffer {
    match data {
        Data::Bool(v) => Buffer::borrowed(v),
        Data::I32(v) => Buffer::borrowed(v),
        Data::I64(v) => Buffer::borrowed(v),
        Data::U32(v) => Buffer::borrowed(v),
        Data::F32(v) => Buffer::borrowed(v),
        Data::F64(v) => Buffer::borrowed(v),
    }
}

pub(crate) fn scalar_of(elem: Scalar, bits: u64) -> Const {
    match elem {
        Scalar::Bool => Const::Bool(bits as u8 != 0),
        Scalar::I32 => Const::I32(bits as i32),
        Scalar::I64 => Const::I64(bits as i64),
        Scalar::U32 => Const::U32(bits as u32),
        Scalar::F32 => Const::F32(f32::from_bits(bits as u32)),
        Scalar::F64 => Const::F64(f64::from_bits(bits)),
    }
}

/// The elements of a result.
///
/// # Safety
///
/// As for [`Context::take_vec`].
unsafe fn take(context: &mut Context, buffer: *mut Buffer, elem: Scalar) -> Option<Data> {
    // SAFETY: as the caller promises.
    unsafe fn vec<T: Elements>(context: &mut Context, buffer: *mut Buffer) -> Option<Vec<T>> {
        // SAFETY: as the caller promises.
        unsafe { context.take_vec(buffer) }
    }
    // SAFETY: as the caller promises; the buffer's element type is that of the loop function's local.
    unsafe {
        Some(match elem {
            Scalar::Bool => Data::Bool(vec(context, buffer)?),
            Scalar::I32 => Data::I32(vec(context, buffer)?),
            Scalar::I64 => Data::I64(vec(context, buffer)?),
            Scalar::U32 => Data::U32(vec(context, buffer)?),
            Scalar::F32 => Data::F32(vec(context, buffer)?),
            Scalar::F64 => Data::F64(vec(context, buffer)?),
        })
    }
}
