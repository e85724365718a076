//! The context of one run, shared with compiled code.

use crate::arena_cache::Arena;
use crate::buffer::{Buffer, Elements};
use crate::memory::{Memory, MemoryStats};
use crate::par::Threads;
use crate::team::Team;
use crate::trace::Tracing;
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The kind of a failure. Compiled code writes the numbers.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureCode {
    /// Values: index, extent.
    Index = 1,
    /// Values: lo, hi, extent.
    Slice = 2,
    DivisionByZero = 3,
    /// Values: found, expected.
    SizeAssertion = 4,
    /// Value: size.
    NegativeSize = 5,
    /// Values: bytes, limit.
    OutOfMemory = 6,
    EmptyReduction = 7,
    TooManySteps = 8,
    /// Value: step.
    Step = 9,
    /// Of sanitized code: an access outside its buffer. Values: the local, the offset in elements, the buffer's length.
    Outside = 10,
    /// Of sanitized code: use of a freed buffer. Value: the local.
    Released = 11,
    /// An access outside its array. Values: the position, the array's length.
    Place = 12,
    /// The run's owner has asked it to stop.
    Interrupted = 13,
}

impl FailureCode {
    fn from_number(number: u32) -> Option<FailureCode> {
        use FailureCode::*;
        let program = [Index, Slice, DivisionByZero, SizeAssertion, NegativeSize, OutOfMemory, EmptyReduction];
        let all = program.into_iter().chain([TooManySteps, Step, Outside, Released, Place, Interrupted]);
        all.into_iter().find(|&code| code as u32 == number)
    }
}

/// A failure that compiled code recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    pub code: FailureCode,
    /// The row of the function's span table.
    pub span: u32,
    pub values: [i64; 3],
}

/// Where compiled code records a failure and counts iterations: at the head of the context, or of a chunk's own.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Record {
    code: u32,
    span: u32,
    values: [i64; 3],
    /// The number of loop iterations still allowed.
    steps_left: i64,
    /// Whether the run is to stop: set by its owner, read by code that can be interrupted.
    stop: &'static AtomicBool,
}

/// The row of the span table of what happens at no place of the program.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The flag of runs that nobody stops.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Record {
    fn default() -> Record {
        Record { code: 0, span: 0, values: [0; 3], steps_left: i64::MAX, stop: &NEVER }
    }
}

impl Record {
    /// A record that stops when this flag is set.
    pub(crate) fn stopped_by(stop: &'static AtomicBool) -> Record {
        Record { stop, ..Record::default() }
    }

    pub(crate) fn stops(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Records a failure.
    pub fn fail(&mut self, code: FailureCode, span: u32, values: [i64; 3]) {
        (self.code, self.span, self.values) = (code as u32, span, values);
    }
}

/// The state of one run.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    record: Record,
    memory: Memory,
    threads: Threads,
    /// Set when it is needed first.
    pool: Option<Arc<Team>>,
    /// Loops that were divided into chunks.
    regions: u64,
    /// What it shows, where somebody listens.
    tracing: Option<Box<Tracing>>,
}

/// Offsets of the fields that compiled code reads and writes.
pub mod offsets {
    use super::{Buffer, Context, Record, offset_of};
    pub const CODE: usize = offset_of!(Record, code);
    pub const SPAN: usize = offset_of!(Record, span);
    pub const VALUES: usize = offset_of!(Record, values);
    pub const STEPS_LEFT: usize = offset_of!(Record, steps_left);
    pub const STOP: usize = offset_of!(Record, stop);
    // A context is used as a record.
    const _: () = assert!(offset_of!(Context, record) == 0);
    pub const BUFFER_DATA: usize = offset_of!(Buffer, data);
    pub const BUFFER_REFS: usize = offset_of!(Buffer, refs);
    pub const BUFFER_LEN: usize = offset_of!(Buffer, len);
}

impl Context {
    /// A context for one run, with limits on bytes and loop iterations.
    pub fn new(max_bytes: i64, max_steps: i64) -> Context {
        Context::of(Memory::new(max_bytes), max_steps)
    }

    /// The same, with the memory that an earlier run left.
    pub fn with_arena(max_bytes: i64, max_steps: i64, arena: Arena) -> Context {
        let Arena(mut memory) = arena;
        memory.begin(max_bytes);
        Context::of(memory, max_steps)
    }

    fn of(memory: Memory, max_steps: i64) -> Context {
        let record = Record { steps_left: max_steps, ..Record::default() };
        Context { record, memory, threads: Threads::new(Some(1)), pool: None, regions: 0, tracing: None }
    }

    /// Ends the run and keeps its memory. All live buffers are freed.
    pub fn into_arena(self) -> Arena {
        let mut memory = self.memory;
        memory.end();
        Arena(memory)
    }

    /// Makes this the context of a new run, with the memory of the one before, which [`Context::end`] has ended.
    pub fn begin(&mut self, max_bytes: i64, max_steps: i64, threads: Threads) {
        self.memory.begin(max_bytes);
        self.record = Record { steps_left: max_steps, ..Record::default() };
        // Threads do not survive a fork, so that they are looked up in every run.
        (self.threads, self.pool, self.regions) = (threads, None, 0);
    }

    /// Ends the run. All live buffers are freed; the failure can still be read.
    pub fn end(&mut self) {
        self.memory.end();
    }

    /// The same, for a run with this many threads.
    pub fn with_threads(self, threads: Threads) -> Context {
        Context { threads, ..self }
    }

    /// The same, for a run that stops when the flag is set, as far as its code looks at it.
    pub fn stopped_by(mut self, stop: &'static AtomicBool) -> Context {
        self.record.stop = stop;
        self
    }

    /// Whether the run is to stop; that is its failure then.
    pub(crate) fn interrupted(&mut self) -> bool {
        let stops = self.record.stops();
        if stops {
            self.fail(FailureCode::Interrupted, NOWHERE, [0; 3]);
        }
        stops
    }

    /// The flag that stops the run.
    pub(crate) fn stop(&self) -> &'static AtomicBool {
        self.record.stop
    }

    /// The same, for a run that somebody listens to.
    pub fn listened_to(self, tracing: Tracing) -> Context {
        Context { tracing: Some(Box::new(tracing)), ..self }
    }

    pub(crate) fn tracing(&mut self) -> Option<&mut Tracing> {
        self.tracing.as_deref_mut()
    }

    /// The same, for results that are taken as blocks: all memory is aligned as these are.
    pub fn aligned(mut self) -> Context {
        self.memory.align_to(crate::BLOCK_ALIGN);
        self
    }

    /// The same, for sanitized code: memory is filled, and freed memory is not reused.
    pub fn sanitized(mut self) -> Context {
        self.memory.sanitize();
        self
    }

    /// The length of a buffer that was written beyond its elements, in a sanitized run.
    pub fn damaged(&mut self) -> Option<usize> {
        self.memory.damaged()
    }

    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// The number of loops that were divided into chunks, on however many threads.
    pub fn regions(&self) -> u64 {
        self.regions
    }

    pub(crate) fn note_region(&mut self, divided: bool) {
        self.regions += u64::from(divided);
    }

    /// The team that loops are divided among; `None` on one thread.
    pub(crate) fn pool(&mut self) -> Option<Arc<Team>> {
        if self.pool.is_none() {
            self.pool = self.threads.pool();
        }
        self.pool.clone()
    }

    /// Where compiled code on this thread records failures.
    pub(crate) fn record(&mut self) -> *mut Record {
        &raw mut self.record
    }

    /// The record, which is cleared here.
    pub(crate) fn take_record(&mut self) -> Record {
        let fresh = Record::stopped_by(self.record.stop);
        std::mem::replace(&mut self.record, fresh)
    }

    pub(crate) fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Contexts for threads, each with a part of the memory. They must be given back.
    pub(crate) fn lend(&mut self, parts: usize) -> Vec<Context> {
        let stop = self.record.stop;
        let of = |memory| Context::of(memory, i64::MAX).stopped_by(stop);
        self.memory.lend(parts).into_iter().map(of).collect()
    }

    pub(crate) fn take_back(&mut self, parts: impl Iterator<Item = Context>) {
        self.memory.take_back(parts.map(|context| context.memory).collect());
    }

    /// Takes over the failure that a chunk recorded.
    pub(crate) fn take_failure(&mut self, record: Record) {
        self.record = Record { steps_left: self.record.steps_left, stop: self.record.stop, ..record };
    }

    pub fn failure(&self) -> Option<Failure> {
        let Record { code, span, values, .. } = self.record;
        Some(Failure { code: FailureCode::from_number(code)?, span, values })
    }

    pub fn memory(&self) -> MemoryStats {
        self.memory.stats()
    }

    fn fail(&mut self, code: FailureCode, span: u32, values: [i64; 3]) {
        self.record.fail(code, span, values);
    }

    /// The elements of a buffer that the run returned; gives up the reference. `None` if the buffer is borrowed, or
    /// the element type does not fit.
    ///
    /// # Safety
    ///
    /// `buffer` is an owned reference that compiled code returned under this context, or a borrowed buffer that is
    /// still alive.
    pub unsafe fn take_vec<T: Elements>(&mut self, buffer: *mut Buffer) -> Option<Vec<T>> {
        // SAFETY: the buffer is alive.
        if unsafe { &*buffer }.borrowed {
            return None;
        }
        // SAFETY: it is ours and alive; compiled code has written all elements of what it returns.
        unsafe { self.memory.take_vec(buffer) }
    }

    /// The elements of a buffer that the run returned, with no copy if all memory is aligned as blocks are; gives up the
    /// reference. `None` if the buffer is borrowed, or there is no memory for a copy.
    ///
    /// # Safety
    ///
    /// As for [`Context::take_vec`].
    pub unsafe fn take_block(&mut self, buffer: *mut Buffer) -> Option<crate::Block> {
        // SAFETY: the buffer is alive.
        if unsafe { &*buffer }.borrowed {
            return None;
        }
        // SAFETY: it is ours and alive; compiled code has written all elements of what it returns.
        unsafe { self.memory.take_block(buffer) }
    }

    /// The number of elements under axes of these sizes. A number that does not fit is a failure. An empty axis makes
    /// an array empty, whatever the others are, and a negative size is an empty axis: where a program requests one it
    /// is checked, and elsewhere nothing uses the array.
    fn count(&mut self, dims: &[i64], span: u32) -> Option<usize> {
        if dims.iter().any(|&d| d <= 0) {
            return Some(0);
        }
        let count = dims.iter().try_fold(1i64, |n, &d| n.checked_mul(d)).and_then(|n| usize::try_from(n).ok());
        if count.is_none() {
            self.fail(FailureCode::OutOfMemory, span, [i64::MAX, i64::MAX, 0]);
        }
        count
    }

    /// Whether there was memory for this many numbers.
    #[cfg(test)]
    pub(crate) fn allocate(&mut self, len: usize) -> bool {
        !self.alloc(len, 8, 0).is_null()
    }

    fn alloc(&mut self, len: usize, width: usize, span: u32) -> *mut Buffer {
        if let Some(buffer) = self.memory.alloc(len, width) {
            return buffer;
        }
        let bytes = len.checked_mul(width).and_then(|n| i64::try_from(n).ok());
        let values = bytes.map_or([i64::MAX, i64::MAX, 0], |bytes| [bytes, self.memory.limit(), 0]);
        self.fail(FailureCode::OutOfMemory, span, values);
        std::ptr::null_mut()
    }
}

/// A new buffer for elements of `width` bytes under axes of the given sizes; null after a failure.
///
/// # Safety
///
/// `context` is the running context; `dims` points to `rank` numbers.
pub(crate) unsafe extern "C" fn arr_alloc(
    context: *mut Context,
    width: i64,
    rank: i64,
    dims: *const i64,
    span: i64,
) -> *mut Buffer {
    // SAFETY: compiled code passes its own context, which nothing else uses meanwhile.
    let context = unsafe { &mut *context };
    // SAFETY: compiled code has written `rank` sizes there.
    let dims = unsafe { std::slice::from_raw_parts(dims, rank as usize) };
    match context.count(dims, span as u32) {
        Some(len) => context.alloc(len, width as usize, span as u32),
        None => std::ptr::null_mut(),
    }
}

/// 1 if a buffer has as many elements as axes of these sizes hold; 0 after a failure.
///
/// # Safety
///
/// `context` is the running context; `buffer` is alive; `dims` points to `rank` numbers.
pub(crate) unsafe extern "C" fn arr_check_shape(
    context: *mut Context,
    buffer: *const Buffer,
    rank: i64,
    dims: *const i64,
    span: i64,
) -> i64 {
    // SAFETY: compiled code passes its own context, which nothing else uses meanwhile.
    let context = unsafe { &mut *context };
    // SAFETY: compiled code has written `rank` sizes there.
    let dims = unsafe { std::slice::from_raw_parts(dims, rank as usize) };
    // SAFETY: the buffer is alive.
    let found = unsafe { (*buffer).len };
    match context.count(dims, span as u32) {
        Some(expected) if expected == found => 1,
        Some(expected) => {
            context.fail(FailureCode::SizeAssertion, span as u32, [found as i64, expected as i64, 0]);
            0
        }
        None => 0,
    }
}

/// Frees a buffer whose last reference was given up.
///
/// # Safety
///
/// `context` is the running context; `buffer` is one of its buffers, with no reference left.
pub(crate) unsafe extern "C" fn arr_free(context: *mut Context, buffer: *mut Buffer) {
    // SAFETY: compiled code passes its own context, which nothing else uses meanwhile.
    let context = unsafe { &mut *context };
    // Borrowed buffers keep their owner's reference, so this is never true; freeing one would be worse than a test.
    // SAFETY: the buffer is alive.
    if unsafe { (*buffer).borrowed } {
        return;
    }
    // SAFETY: it is one of ours; its count is zero, so it is unused.
    unsafe { context.memory.free(buffer) };
}

/// A copy of a shared buffer, with one reference; gives up one reference to the original. Null after a failure.
///
/// # Safety
///
/// `context` is the running context; `buffer` is alive and has another reference.
pub(crate) unsafe extern "C" fn arr_copy(context: *mut Context, buffer: *mut Buffer, span: i64) -> *mut Buffer {
    // SAFETY: compiled code passes its own context, which nothing else uses meanwhile.
    let context = unsafe { &mut *context };
    // SAFETY: the buffer is alive.
    let (data, len, width) = unsafe { ((*buffer).data, (*buffer).len, (*buffer).width) };
    let copy = context.alloc(len, width, span as u32);
    if copy.is_null() {
        return copy;
    }
    // SAFETY: both have `len * width` bytes, and the copy is new, so they do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(data, (*copy).data, len * width) };
    // SAFETY: the buffer is alive, and stays so by its other reference.
    unsafe { (*buffer).refs -= 1 };
    copy
}
