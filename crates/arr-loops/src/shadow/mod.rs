//! The shadow evaluator: runs a loop function on values, with shadow memory that records for every element whether it
//! was written, by which iteration, and under which name, and for every array its references.
//!
//! The faults of a run are data ([`ShadowFault`]): the function is ill-formed, whatever its results are. It detects
//! - reads and writes outside of an array, and reads of elements that nothing wrote;
//! - uses of arrays after their release, double releases, and leaks; stores to an array with a second reference;
//! - elements that two iterations of a parallel loop touch, one of which writes, unless chunks have copies of the array;
//! - elements that a kernel stores under one name of an array and reaches under another: a back end assumes that two
//!   names do not alias there;
//! - sizes and extents that wrapped around;
//! - a matrix product that writes what it reads; a scan whose summary is exact and differs from the state that the
//!   iterations leave.
//!
//! Results are those of the loops in order, with sums in the order of the text: for strict code the interpreter's bits.
//! With [`ShadowOptions::chunks`] parallel loops and scans run in that many chunks, one after the other, as threads
//! would run them.
//! Meant for tests: an access takes a hundred times as long as in machine code, and memory grows in proportion.

mod chunks;
mod memory;
mod product;

use crate::{Demand, Expr, For, LocalId, LoopFunc, LowerError, LowerOptions, Operand, ScanState, SpanId, Stmt};
use arr_base::{Id, RunError, RunErrorKind};
use arr_ir::{Const, Prim, Value};
use memory::{Block, Frame, Memory};

/// Sizes that no integer can represent.
const UNCOUNTABLE: RunErrorKind = RunErrorKind::OutOfMemory { bytes: i64::MAX, limit: i64::MAX };

/// Options of a run.
#[derive(Clone, Copy, Debug)]
pub struct ShadowOptions {
    /// The maximal number of statements.
    pub most_steps: u64,
    /// The maximal number of live elements.
    pub most_elements: usize,
    /// The number of chunks of parallel loops and scans.
    pub chunks: usize,
}

impl Default for ShadowOptions {
    fn default() -> Self {
        ShadowOptions { most_steps: 20_000_000, most_elements: 1 << 24, chunks: 1 }
    }
}

/// A fault that no function may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShadowFault {
    /// An element outside of its array.
    Outside { name: String, place: i64, length: usize, stored: bool },
    /// An element that is read and was never written.
    Unwritten { name: String, place: i64 },
    /// An array that is used after its last reference was given up.
    Released { name: String },
    /// A reference that is given up and was not there.
    ReleasedTwice { name: String },
    /// References left at the end.
    Leaked { name: String, references: i64 },
    /// A store to an array that something else holds, too.
    Shared { name: String },
    /// Two iterations of a parallel loop at one element, one of which writes.
    Race { name: String, place: i64, iterations: [i64; 2] },
    /// An element that a kernel stores under one name and reaches under another.
    TwoNames { names: [String; 2], place: i64 },
    /// A size or an extent that wrapped around.
    Wrapped { size: i64 },
    /// A matrix product that writes an element that it reads.
    Overlap { name: String },
    /// A summary of a chunk whose state differs from the one that its iterations leave.
    Summary { name: String },
}

impl std::fmt::Display for ShadowFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ShadowFault::Outside { name, place, length, stored } => {
                let what = if *stored { "stored" } else { "loaded" };
                write!(f, "element {place} of `{name}`, which has {length}, is {what}")
            }
            ShadowFault::Unwritten { name, place } => {
                write!(f, "element {place} of `{name}` is loaded before it is stored")
            }
            ShadowFault::Released { name } => write!(f, "`{name}` is used after its last reference was given up"),
            ShadowFault::ReleasedTwice { name } => write!(f, "`{name}` is released once too often"),
            ShadowFault::Leaked { name, references } => write!(f, "{references} references to `{name}` are left"),
            ShadowFault::Shared { name } => write!(f, "`{name}` is stored to, and something else holds the array, too"),
            ShadowFault::Race { name, place, iterations: [a, b] } => {
                write!(f, "iterations {a} and {b} of a parallel loop meet at element {place} of `{name}`")
            }
            ShadowFault::TwoNames { names: [a, b], place } => {
                write!(f, "element {place} is stored as one of `{a}` and reached as one of `{b}` in one kernel")
            }
            ShadowFault::Wrapped { size } => write!(f, "a size wrapped around to {size}"),
            ShadowFault::Overlap { name } => write!(f, "a matrix product writes elements of `{name}` that it reads"),
            ShadowFault::Summary { name } => {
                write!(f, "the summary of a chunk gives another `{name}` than its iterations")
            }
        }
    }
}

/// Why a run ended early.
#[derive(Clone, PartialEq, Debug)]
pub enum ShadowStop {
    /// A check of the program failed.
    Failed(RunError),
    /// More statements or elements than the options allow.
    TooLong,
    /// The function, or a call of it, is not well formed.
    Malformed(String),
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct ShadowRun {
    pub results: Result<Vec<Value>, ShadowStop>,
    /// Each kind of fault once per name.
    pub faults: Vec<ShadowFault>,
}

/// Runs a function on sizes and arguments.
pub fn shadow(func: &LoopFunc, sizes: &[i64], args: &[Value], options: &ShadowOptions) -> ShadowRun {
    if let Err(what) = func.check_arguments(sizes, args) {
        return ShadowRun { results: Err(ShadowStop::Malformed(what)), faults: Vec::new() };
    }
    let mut machine = Machine {
        func,
        options: *options,
        slots: vec![Slot::Unset; func.locals.len()],
        memory: Memory::default(),
        literals: Vec::new(),
        steps: 0,
        kernels: 0,
        in_chunks: false,
    };
    let results = machine.function(sizes, args);
    ShadowRun { results, faults: machine.memory.faults }
}

/// Lowers a function and runs it after lowering and after every pass. `found` receives the step and the result of the
/// run. Fails if the function cannot be lowered or a pass fails; faults of the runs go to `found`.
pub fn shadow_steps(
    func: &arr_ir::Func,
    lowering: LowerOptions,
    (sizes, args): (&[i64], &[Value]),
    options: &ShadowOptions,
    found: &mut dyn FnMut(&'static str, &LoopFunc, ShadowRun),
) -> Result<(), LowerError> {
    let mut loops = crate::lower_unoptimized(func, lowering)?;
    found("lowering", &loops, shadow(&loops, sizes, args, options));
    crate::run_passes(&mut loops, &lowering, &|_| false, &mut |name, loops| {
        found(name, loops, shadow(loops, sizes, args, options));
        Ok(())
    })
}

type Done<T = ()> = Result<T, ShadowStop>;

fn malformed<T>(what: impl Into<String>) -> Done<T> {
    Err(ShadowStop::Malformed(what.into()))
}

/// The value of a local.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Unset,
    /// A number, and whether it is an integer that wrapped around.
    Scalar(Const, bool),
    Buffer(Block),
    Address(Address),
}

/// An address in an array, the name that it was taken from, and the address of the first element that it is derived
/// from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Address {
    block: Block,
    at: i64,
    name: LocalId,
    data: LocalId,
}

struct Machine<'a> {
    func: &'a LoopFunc,
    options: ShadowOptions,
    slots: Vec<Slot>,
    memory: Memory,
    /// The constant arrays created so far.
    literals: Vec<(crate::LiteralId, Block)>,
    steps: u64,
    /// The number of open loops of kernels.
    kernels: usize,
    /// Whether an outer loop already runs in chunks.
    in_chunks: bool,
}

impl Machine<'_> {
    fn function(&mut self, sizes: &[i64], args: &[Value]) -> Done<Vec<Value>> {
        for (&local, &size) in self.func.sizes.iter().zip(sizes) {
            self.bind(local, Slot::Scalar(Const::I64(size), false));
        }
        let mut held = Vec::new();
        for (param, arg) in self.func.params.iter().zip(args) {
            let slot = match arg {
                Value::Scalar(c) => Slot::Scalar(*c, false),
                Value::Array(array) => {
                    let block = self.memory.whole(array.data.clone(), param.local);
                    held.push(block);
                    Slot::Buffer(block)
                }
            };
            self.bind(param.local, slot);
        }
        let func = self.func;
        self.block(&func.body)?;
        let mut results = Vec::new();
        for output in &func.outputs {
            results.push(match self.slot(output.value)? {
                Slot::Scalar(c, _) => Value::Scalar(c),
                Slot::Buffer(block) => {
                    let dims = output.dims.iter().map(|&d| self.int(d)).collect::<Done<Vec<i64>>>()?;
                    let dims: Vec<i64> = dims.into_iter().map(|d| d.max(0)).collect();
                    Value::array(dims, self.memory.given(self.func, block))
                }
                _ => return malformed("a result that is an address"),
            });
        }
        // The caller's references, and the program's to its constants.
        held.extend(self.literals.iter().map(|(_, block)| *block));
        held.into_iter().for_each(|block| self.memory.release(self.func, block));
        self.memory.leaks(self.func);
        Ok(results)
    }

    // Values.

    fn bind(&mut self, local: LocalId, slot: Slot) {
        if let Some(place) = self.slots.get_mut(local.index()) {
            *place = slot;
        }
    }

    fn slot(&self, operand: Operand) -> Done<Slot> {
        match operand {
            Operand::Const(c) => Ok(Slot::Scalar(c, false)),
            Operand::Local(local) => match self.slots.get(local.index()) {
                None | Some(Slot::Unset) => malformed(format!("`{}` has no value", self.func.locals[local].name)),
                Some(slot) => Ok(*slot),
            },
        }
    }

    fn scalar(&self, operand: Operand) -> Done<Const> {
        match self.slot(operand)? {
            Slot::Scalar(c, _) => Ok(c),
            _ => malformed("an array where a number is needed"),
        }
    }

    fn int(&self, operand: Operand) -> Done<i64> {
        match self.scalar(operand)?.as_i64() {
            Some(i) => Ok(i),
            None => malformed("a number that is no integer"),
        }
    }

    /// What is shown is alive, and all sizes are known.
    fn trace(&mut self, value: Operand, dims: &[Operand]) -> Done<()> {
        dims.iter().try_for_each(|&dim| self.int(dim).map(drop))?;
        match value {
            Operand::Local(buffer) if !dims.is_empty() => self.buffer(buffer).map(drop),
            value => self.scalar(value).map(drop),
        }
    }

    fn bool(&self, operand: Operand) -> Done<bool> {
        match self.scalar(operand)?.as_bool() {
            Some(b) => Ok(b),
            None => malformed("a number that is no bool"),
        }
    }

    /// A size or an extent, which must not have wrapped around.
    fn extent(&mut self, operand: Operand) -> Done<i64> {
        let size = self.int(operand)?;
        if matches!(self.slot(operand)?, Slot::Scalar(_, true)) {
            self.memory.fault(ShadowFault::Wrapped { size });
        }
        Ok(size)
    }

    fn buffer(&mut self, local: LocalId) -> Done<Block> {
        match self.slot(local.into())? {
            Slot::Buffer(block) => {
                self.memory.alive(self.func, block, local);
                Ok(block)
            }
            _ => malformed("a number where an array is needed"),
        }
    }

    fn address(&self, local: LocalId, offset: Operand) -> Done<Address> {
        match self.slot(local.into())? {
            Slot::Address(address) => Ok(Address { at: address.at.wrapping_add(self.int(offset)?), ..address }),
            _ => malformed("a number where an address is needed"),
        }
    }

    // Statements.

    fn block(&mut self, stmts: &[Stmt]) -> Done {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Done {
        self.steps += 1;
        if self.steps > self.options.most_steps {
            return Err(ShadowStop::TooLong);
        }
        match stmt {
            Stmt::Let { local, expr } => {
                let slot = self.expr(*local, expr)?;
                self.bind(*local, slot);
            }
            Stmt::Var { local, init } => {
                let slot = init.map_or(Ok(Slot::Unset), |init| self.slot(init))?;
                self.bind(*local, slot);
            }
            Stmt::Set { local, value } => {
                let slot = self.slot(*value)?;
                self.bind(*local, slot);
            }
            Stmt::Store { address, offset, value } => {
                let (place, value) = (self.address(*address, *offset)?, self.scalar(*value)?);
                self.memory.store(self.func, place, value);
            }
            Stmt::Alloc { local, dims, span } => {
                let count = self.count(dims, *span)?;
                self.allocate(*local, count)?;
            }
            Stmt::MakeUnique { local, buffer, .. } => {
                let block = self.buffer(*buffer)?;
                let unique = self.memory.unique(self.func, block, *local);
                self.bind(*local, Slot::Buffer(unique));
                self.room()?;
            }
            Stmt::Retain(buffer) => {
                let block = self.buffer(*buffer)?;
                self.memory.retain(block);
            }
            Stmt::Release(buffer) => match self.slot((*buffer).into())? {
                Slot::Buffer(block) => self.memory.release(self.func, block),
                _ => return malformed("a number is released"),
            },
            Stmt::Check { demand, args, span } => self.check(*demand, args, *span)?,
            Stmt::CheckShape { buffer, dims, span } => {
                let length = self.buffer(*buffer).map(|block| self.memory.length(block))?;
                let wanted = self.count(dims, *span)?;
                if wanted != length {
                    let (found, expected) = (length as i64, wanted as i64);
                    return self.fail(RunErrorKind::SizeAssertion { found, expected }, *span);
                }
            }
            Stmt::For(l) => self.for_loop(l)?,
            Stmt::While(l) => loop {
                self.block(&l.head)?;
                if !self.bool(l.cond)? {
                    break;
                }
                self.block(&l.body)?;
            },
            Stmt::Argsort { into, keys, length, .. } => {
                let (to, from, length) = (self.buffer(*into)?, self.buffer(*keys)?, self.int(*length)?);
                self.argsort((*into, to), (*keys, from), length)?;
            }
            Stmt::Trace { value, dims, .. } => self.trace(*value, dims)?,
            Stmt::MatMul(product) => self.matmul(product)?,
            Stmt::If { cond, then_body, else_body } => {
                let body = if self.bool(*cond)? { then_body } else { else_body };
                self.block(body)?;
            }
        }
        Ok(())
    }

    fn expr(&mut self, local: LocalId, expr: &Expr) -> Done<Slot> {
        Ok(match expr {
            Expr::Prim(prim, args) => {
                let values = args.iter().map(|&a| self.scalar(a)).collect::<Done<Vec<Const>>>()?;
                let Some(value) = prim.eval(&values) else {
                    return malformed(format!("`{}` of {values:?}", prim.name()));
                };
                Slot::Scalar(value, self.wraps(*prim, args, &values)?)
            }
            Expr::Copy(a) => self.slot(*a)?,
            Expr::BaseAddr(buffer) => {
                let block = self.buffer(*buffer)?;
                Slot::Address(Address { block, at: 0, name: *buffer, data: local })
            }
            Expr::Len(buffer) => {
                let block = self.buffer(*buffer)?;
                Slot::Scalar(Const::I64(i64::try_from(self.memory.length(block)).unwrap_or(i64::MAX)), false)
            }
            Expr::Offset(address, offset) => Slot::Address(self.address(*address, *offset)?),
            Expr::Load(address, offset) => {
                let place = self.address(*address, *offset)?;
                let zero = Const::zero(self.func.ty(local).elem());
                Slot::Scalar(self.memory.load(self.func, place).unwrap_or(zero), false)
            }
            Expr::Literal(id) => {
                let known = self.literals.iter().find(|(known, _)| known == id).map(|(_, block)| *block);
                let block = match known {
                    Some(block) => block,
                    None => {
                        let block = self.memory.literal(self.func, *id, local);
                        self.literals.push((*id, block));
                        block
                    }
                };
                self.memory.retain(block);
                Slot::Buffer(block)
            }
        })
    }

    /// Whether a primitive on integers, or one of its operands, wraps around.
    fn wraps(&self, prim: Prim, args: &[Operand], values: &[Const]) -> Done<bool> {
        let &[Const::I64(a), Const::I64(b)] = values else { return Ok(false) };
        let over = match prim {
            Prim::Add => a.checked_add(b).is_none(),
            Prim::Sub => a.checked_sub(b).is_none(),
            Prim::Mul => a.checked_mul(b).is_none(),
            _ => return Ok(false),
        };
        let before = args.iter().map(|&a| self.slot(a)).collect::<Done<Vec<Slot>>>()?;
        Ok(over || before.iter().any(|slot| matches!(slot, Slot::Scalar(_, true))))
    }

    /// The number of elements of axes of these sizes.
    fn count(&mut self, dims: &[Operand], span: SpanId) -> Done<usize> {
        let sizes = dims.iter().map(|&d| self.extent(d)).collect::<Done<Vec<i64>>>()?;
        if sizes.iter().any(|&d| d <= 0) {
            return Ok(0);
        }
        let count = sizes.iter().try_fold(1i64, |count, &d| count.checked_mul(d));
        match count.and_then(|count| usize::try_from(count).ok()) {
            Some(count) => Ok(count),
            None => self.fail(RunErrorKind::OutOfMemory { bytes: i64::MAX, limit: i64::MAX }, span),
        }
    }

    fn allocate(&mut self, local: LocalId, count: usize) -> Done {
        if count > self.options.most_elements {
            return Err(ShadowStop::TooLong);
        }
        let block = self.memory.empty(self.func.ty(local).elem(), count, local);
        self.bind(local, Slot::Buffer(block));
        self.room()
    }

    fn room(&self) -> Done {
        if self.memory.held > self.options.most_elements { Err(ShadowStop::TooLong) } else { Ok(()) }
    }

    fn fail<T>(&self, kind: RunErrorKind, span: SpanId) -> Done<T> {
        let span = self.func.spans.get(span).copied().flatten();
        Err(ShadowStop::Failed(RunError::new(kind, span)))
    }

    fn check(&self, demand: Demand, args: &[Operand], span: SpanId) -> Done {
        if demand == Demand::NonZero {
            let zero = args.iter().map(|&a| self.scalar(a)).collect::<Done<Vec<Const>>>()?.iter().any(|c| c.is_zero());
            return if zero { self.fail(RunErrorKind::DivisionByZero, span) } else { Ok(()) };
        }
        let values = args.iter().map(|&a| self.int(a)).collect::<Done<Vec<i64>>>()?;
        let kind = match (demand, values.as_slice()) {
            (Demand::Index | Demand::Element, &[index, extent]) if !(0..extent).contains(&index) => {
                RunErrorKind::Index { index, extent }
            }
            (Demand::Place, &[place, length]) if !(0..length).contains(&place) => {
                RunErrorKind::Internal(format!("an access to element {place} of an array of {length}"))
            }
            (Demand::Slice, &[lo, hi, extent]) if !(0 <= lo && lo <= hi && hi <= extent) => {
                RunErrorKind::Slice { lo, hi, extent }
            }
            (Demand::SizeEq, &[found, expected]) if found != expected => {
                RunErrorKind::SizeAssertion { found, expected }
            }
            (Demand::SizeNonNeg, &[size]) if size < 0 => RunErrorKind::NegativeSize { size },
            (Demand::SizeSum, &[a, b]) if a.checked_add(b).is_none() => UNCOUNTABLE,
            (Demand::SizeProduct, sizes) if sizes.iter().try_fold(1i64, |n, &s| n.checked_mul(s)).is_none() => {
                UNCOUNTABLE
            }
            (Demand::NonEmpty, &[size]) if size <= 0 => RunErrorKind::EmptyReduction,
            (Demand::Step, &[step]) if step <= 0 => RunErrorKind::Step { step },
            _ => return Ok(()),
        };
        self.fail(kind, span)
    }

    // Loops.

    fn for_loop(&mut self, l: &For) -> Done {
        let extent = self.extent(l.extent)?.max(0);
        let kernel = !l.is_source();
        if kernel && self.kernels == 0 {
            self.memory.names.clear();
        }
        self.kernels += usize::from(kernel);
        self.memory.in_kernel = self.kernels > 0;
        let apart = match l.parallel.as_ref().and_then(|p| p.disjoint_if) {
            Some(apart) => self.bool(apart.into())?,
            None => true,
        };
        let done = match (&l.parallel, &l.scan) {
            (Some(parallel), _) if apart => self.parallel(l, parallel, extent),
            (None, Some(scan)) if self.options.chunks > 1 && !self.in_chunks => self.scanned(l, scan, extent),
            _ => self.iterations(l, &l.body, 0..extent),
        };
        self.kernels -= usize::from(kernel);
        self.memory.in_kernel = self.kernels > 0;
        done
    }

    /// Iterations, counted in the order of the loop.
    fn iterations(&mut self, l: &For, body: &[Stmt], range: std::ops::Range<i64>) -> Done {
        let last = self.int(l.extent)?.saturating_sub(1);
        for k in range {
            let index = if l.reverse { last - k } else { k };
            self.bind(l.index, Slot::Scalar(Const::I64(index), false));
            for induction in &l.inductions {
                let step = self.int(induction.step)?;
                self.bind(induction.local, Slot::Scalar(Const::I64(index.wrapping_mul(step)), false));
            }
            if let Some(frame) = self.memory.frames.last_mut() {
                frame.enter(l.index, index);
            }
            self.block(body)?;
        }
        Ok(())
    }
}
