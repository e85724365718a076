//! Calls on memory that somebody else owns: arguments are read where they lie, results are blocks.

use crate::Compiled;
use crate::run::{Borrowed, Result, bound, header, internal, scalar_of};
use arr_ir::interp::Limits;
use arr_ir::{Const, Data, Scalar, Value};
use arr_loops::Given;
use arr_runtime::{Block, Buffer, Context, Elements};
use smallvec::SmallVec;
use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

/// Axes of an array.
pub type Dims = SmallVec<[i64; 4]>;

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum Lent<'a> {
    Scalar(Const),
    Array(LentArray<'a>),
}

/// An array that outlives the call, row-major.
#[derive(Clone, Copy, Debug)]
pub struct LentArray<'a> {
    elem: Scalar,
    dims: &'a [i64],
    data: *const u8,
    len: usize,
    owner: PhantomData<&'a [u8]>,
}

// SAFETY: it stands for a shared reference to plain elements.
unsafe impl Send for LentArray<'_> {}
// SAFETY: as above.
unsafe impl Sync for LentArray<'_> {}

impl<'a> LentArray<'a> {
    /// An array of `len` elements at an address.
    ///
    /// # Safety
    ///
    /// As many elements of this type can be read there for `'a`, aligned to their size; a `bool` is 0 or 1.
    pub unsafe fn new(elem: Scalar, dims: &'a [i64], data: *const u8, len: usize) -> LentArray<'a> {
        LentArray { elem, dims, data, len, owner: PhantomData }
    }

    pub fn elem(&self) -> Scalar {
        self.elem
    }

    pub fn dims(&self) -> &'a [i64] {
        self.dims
    }

    /// A copy.
    fn to_data(self) -> Data {
        /// # Safety
        ///
        /// `len` elements can be read at `data`.
        unsafe fn of<T: Elements>(data: *const u8, len: usize) -> Vec<T> {
            // SAFETY: as the caller promises; an empty array may have any address.
            if len == 0 { Vec::new() } else { unsafe { std::slice::from_raw_parts(data.cast::<T>(), len) }.to_vec() }
        }
        // SAFETY: as promised when this was made.
        unsafe {
            match self.elem {
                Scalar::Bool => Data::Bool(of(self.data, self.len)),
                Scalar::I32 => Data::I32(of(self.data, self.len)),
                Scalar::I64 => Data::I64(of(self.data, self.len)),
                Scalar::U32 => Data::U32(of(self.data, self.len)),
                Scalar::F32 => Data::F32(of(self.data, self.len)),
                Scalar::F64 => Data::F64(of(self.data, self.len)),
            }
        }
    }

    fn header(&self) -> Buffer {
        /// # Safety
        ///
        /// `len` elements can be read at `data`.
        unsafe fn of<T: Elements>(data: *const u8, len: usize) -> Buffer {
            // An empty array may have any address.
            if len == 0 {
                return Buffer::borrowed::<T>(&[]);
            }
            // SAFETY: as the caller promises.
            Buffer::borrowed(unsafe { std::slice::from_raw_parts(data.cast::<T>(), len) })
        }
        // SAFETY: as promised when this was made.
        unsafe {
            match self.elem {
                Scalar::Bool => of::<bool>(self.data, self.len),
                Scalar::I32 => of::<i32>(self.data, self.len),
                Scalar::I64 => of::<i64>(self.data, self.len),
                Scalar::U32 => of::<u32>(self.data, self.len),
                Scalar::F32 => of::<f32>(self.data, self.len),
                Scalar::F64 => of::<f64>(self.data, self.len),
            }
        }
    }
}

impl<'a> Lent<'a> {
    /// A value of ours, lent.
    pub fn of(value: &'a Value) -> Lent<'a> {
        match value {
            Value::Scalar(c) => Lent::Scalar(*c),
            Value::Array(array) => {
                let (elem, len, data) = (array.data.elem(), array.data.len(), header(&array.data).data());
                Lent::Array(LentArray { elem, dims: &array.dims, data, len, owner: PhantomData })
            }
        }
    }

    /// A copy of it.
    pub fn to_value(&self) -> Value {
        match self {
            Lent::Scalar(c) => Value::Scalar(*c),
            Lent::Array(array) => Value::array(array.dims.to_vec(), array.to_data()),
        }
    }

    pub(crate) fn given(&self) -> Given<'_> {
        match self {
            Lent::Scalar(c) => Given::Scalar(*c),
            Lent::Array(array) => Given::Array(array.elem, array.dims, array.len),
        }
    }

    pub(crate) fn header(&self) -> Option<Buffer> {
        if let Lent::Array(array) = self { Some(array.header()) } else { None }
    }
}

/// A result that its caller owns.
#[derive(Debug)]
pub enum Owned {
    Scalar(Const),
    Array { elem: Scalar, dims: Dims, block: Block },
}

impl Owned {
    /// A copy of a value. `None` if there is no memory for it.
    pub fn of_value(value: &Value) -> Option<Owned> {
        let array = match value {
            Value::Scalar(c) => return Some(Owned::Scalar(*c)),
            Value::Array(array) => array,
        };
        let elements = header(&array.data);
        // SAFETY: the elements of a value, which is alive.
        let block = unsafe { Block::copied(elements.data(), elements.len(), elements.width()) }?;
        Some(Owned::Array { elem: array.data.elem(), dims: array.dims.as_slice().into(), block })
    }
}

impl Compiled {
    /// As [`Compiled::run`], without copies: arguments are read where they lie, and results are blocks, aligned for
    /// other programs. A result that is an argument or a constant is a copy of it. Sanitized code runs as other code
    /// does, but nothing searches its results. If `stop` is set meanwhile, code that was compiled to be interruptible
    /// fails with [`RunErrorKind::Interrupted`](arr_ir::RunErrorKind).
    pub fn run_lent(
        &self,
        sizes: &[i64],
        args: &[Lent<'_>],
        limits: &Limits,
        stop: Option<&'static AtomicBool>,
    ) -> Result<SmallVec<[Owned; 4]>> {
        let context = Context::with_arena(bound(limits.max_bytes), bound(limits.max_steps), self.arenas.take());
        let mut context = context.aligned().with_threads(self.threads);
        if let Some(stop) = stop {
            context = context.stopped_by(stop);
        }
        let results = self.call_lent(&mut context, sizes, args, limits);
        self.arenas.put(context.into_arena());
        results
    }

    /// Whether the time of a run follows from its sizes, as far as loops tell: none is repeated as often as values say.
    pub fn is_steady(&self) -> bool {
        self.steady
    }

    fn call_lent(
        &self,
        context: &mut Context,
        sizes: &[i64],
        args: &[Lent<'_>],
        limits: &Limits,
    ) -> Result<SmallVec<[Owned; 4]>> {
        let mut borrowed = Borrowed::new(args, &self.literals);
        let slots = self.enter(context, sizes, args, &mut borrowed, limits)?;
        let mut results = SmallVec::new();
        for (output, own) in self.split(&slots) {
            let (&[value], dims) = own.split_at(1) else { return Err(internal("missing results")) };
            let elem = self.loops.elem(output.value);
            if !self.is_array(output) {
                results.push(Owned::Scalar(scalar_of(elem, value)));
                continue;
            }
            // A negative size stands for an empty axis.
            let dims: Dims = dims.iter().map(|&d| (d as i64).max(0)).collect();
            let buffer = value as *mut Buffer;
            let block = match borrowed.find(buffer).and_then(|at| borrowed.get(at)) {
                // SAFETY: the elements of arguments and constants outlive the call.
                Some(lent) => unsafe { Block::copied(lent.data(), lent.len(), lent.width()) },
                // SAFETY: the code returned an owned reference to a buffer of this context.
                None => unsafe { context.take_block(buffer) },
            };
            let block = block.ok_or_else(|| internal("there is no memory for a copy of a result"))?;
            results.push(Owned::Array { elem, dims, block });
        }
        Ok(results)
    }
}
