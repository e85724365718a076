//! Calls from programs of XLA, which JAX compiles: a handler of XLA's foreign function interface (`xla/ffi/api/c_api.h`).
//!
//! Handlers are plain functions of C on structs that begin with their size and only grow, so that this needs neither XLA's
//! headers nor its version. One handler serves all functions: the attribute `handle` is the number of the one to call. It
//! runs on XLA's threads, without Python.

use arr_cli::render::{self, Look};
use arr_driver::{Failure, Lent, LentArray, Owned};
use arr_ir::{Const, Scalar};
use arr_serve::host::{Function, Refused};
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Functions that compiled programs call. They may do so as long as the process lives.
static FUNCTIONS: Mutex<Vec<Arc<Function>>> = Mutex::new(Vec::new());

/// Makes a function callable by its number, which is returned.
pub fn publish(function: &Arc<Function>) -> usize {
    let mut all = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = all.iter().position(|one| Arc::ptr_eq(one, function)) {
        return at;
    }
    all.push(function.clone());
    all.len() - 1
}

fn published(number: i64) -> Option<Arc<Function>> {
    let all = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    all.get(usize::try_from(number).ok()?).cloned()
}

/// The handler, as `jax.ffi.register_ffi_target` takes it.
#[pyfunction]
pub fn xla_handler(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let handler: Handler = handle;
    // SAFETY: the address of a function is valid for ever, and the capsule has no destructor.
    unsafe {
        let capsule = ffi::PyCapsule_New(handler as *mut c_void, std::ptr::null(), None);
        Bound::from_owned_ptr_or_opt(py, capsule).ok_or_else(|| PyMemoryError::new_err("no capsule"))
    }
}

type Handler = unsafe extern "C" fn(*mut CallFrame) -> *mut c_void;

#[repr(C)]
struct Extension {
    size: usize,
    kind: c_int,
    next: *mut Extension,
}

#[repr(C)]
struct Version {
    size: usize,
    extension: *mut Extension,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct Metadata {
    size: usize,
    version: Version,
    traits: u32,
}

#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
struct Api {
    size: usize,
    extension: *mut Extension,
    version: Version,
    internal: *const c_void,
    error_create: unsafe extern "C" fn(*mut ErrorCreate) -> *mut c_void,
}

#[repr(C)]
struct ErrorCreate {
    size: usize,
    extension: *mut Extension,
    message: *const c_char,
    code: c_int,
}

#[repr(C)]
struct Buffer {
    size: usize,
    extension: *mut Extension,
    dtype: c_int,
    data: *mut u8,
    rank: i64,
    dims: *const i64,
}

/// Arguments or results: their kinds, and pointers to them.
#[repr(C)]
struct Values {
    size: usize,
    extension: *mut Extension,
    count: i64,
    kinds: *const c_int,
    values: *const *const Buffer,
}

#[repr(C)]
struct Span {
    data: *const u8,
    len: usize,
}

#[repr(C)]
struct Attribute {
    dtype: c_int,
    value: *const c_void,
}

#[repr(C)]
struct Attributes {
    size: usize,
    extension: *mut Extension,
    count: i64,
    kinds: *const c_int,
    names: *const *const Span,
    values: *const *const Attribute,
}

#[repr(C)]
pub struct CallFrame {
    size: usize,
    extension: *mut Extension,
    api: *const Api,
    context: *mut c_void,
    stage: c_int,
    args: Values,
    rets: Values,
    attributes: Attributes,
}

const EXTENSION_METADATA: c_int = 1;
const STAGE_EXECUTE: c_int = 3;
const BUFFER: c_int = 1;
const SCALAR_ATTRIBUTE: c_int = 3;
const S64: c_int = 5;
const ERROR_INVALID: c_int = 3;
/// The version of the interface whose structs stand above: later ones add fields to them.
const MAJOR: c_int = 0;
const MINOR: c_int = 1;

fn elem_of(dtype: c_int) -> Option<Scalar> {
    Some(match dtype {
        1 => Scalar::Bool,
        4 => Scalar::I32,
        5 => Scalar::I64,
        8 => Scalar::U32,
        11 => Scalar::F32,
        12 => Scalar::F64,
        _ => return None,
    })
}

/// # Safety
///
/// XLA calls it with a frame of its own, which nothing else uses meanwhile.
unsafe extern "C" fn handle(frame: *mut CallFrame) -> *mut c_void {
    // SAFETY: as XLA promises.
    let frame = unsafe { &*frame };
    let done = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: as above.
        if unsafe { described(frame) } || frame.stage != STAGE_EXECUTE {
            return Ok(());
        }
        // SAFETY: as above.
        unsafe { call(frame) }
    }));
    match done {
        Ok(Ok(())) => std::ptr::null_mut(),
        // SAFETY: as above.
        Ok(Err(why)) => unsafe { error(frame, &why) },
        // SAFETY: as above.
        Err(_) => unsafe { error(frame, "a function of Arr has panicked") },
    }
}

/// Answers the question for the version of the interface, if the frame asks it.
///
/// # Safety
///
/// As for [`handle`].
unsafe fn described(frame: &CallFrame) -> bool {
    if frame.extension.is_null() {
        return false;
    }
    // SAFETY: extensions begin with their kind, and one of this kind has the metadata behind.
    unsafe {
        if (*frame.extension).kind != EXTENSION_METADATA {
            return false;
        }
        let metadata = (*frame.extension.cast::<MetadataExtension>()).metadata;
        (*metadata).version.major = MAJOR;
        (*metadata).version.minor = MINOR;
        (*metadata).traits = 0;
    }
    true
}

/// # Safety
///
/// As for [`handle`].
unsafe fn error(frame: &CallFrame, why: &str) -> *mut c_void {
    let message = CString::new(why.replace('\0', " ")).unwrap_or_default();
    let mut args = ErrorCreate {
        size: size_of::<ErrorCreate>(),
        extension: std::ptr::null_mut(),
        message: message.as_ptr(),
        code: ERROR_INVALID,
    };
    // SAFETY: the table of functions lives as long as the frame; XLA copies the message.
    unsafe { ((*frame.api).error_create)(&raw mut args) }
}

/// The buffers of arguments or results.
///
/// # Safety
///
/// As for [`handle`].
unsafe fn buffers(values: &Values) -> Option<Vec<&Buffer>> {
    let count = usize::try_from(values.count).ok()?;
    // SAFETY: there are as many kinds and pointers; those of the kind of buffers lead to buffers.
    let found = (0..count).map(|at| unsafe { (*values.kinds.add(at) == BUFFER).then(|| &**values.values.add(at)) });
    found.collect()
}

/// The attribute `handle`.
///
/// # Safety
///
/// As for [`handle`].
unsafe fn number(attributes: &Attributes) -> Option<i64> {
    let count = usize::try_from(attributes.count).ok()?;
    (0..count).find_map(|at| {
        // SAFETY: there are as many kinds, names and values; a scalar has its type and a pointer to it.
        unsafe {
            let name = &**attributes.names.add(at);
            let is_named = std::slice::from_raw_parts(name.data, name.len) == b"handle";
            let value = &**attributes.values.add(at);
            let is_number = is_named && *attributes.kinds.add(at) == SCALAR_ATTRIBUTE && value.dtype == S64;
            is_number.then(|| value.value.cast::<i64>().read_unaligned())
        }
    })
}

/// # Safety
///
/// As for [`handle`].
unsafe fn call(frame: &CallFrame) -> Result<(), String> {
    // SAFETY: as the caller promises.
    let (args, rets, number) = unsafe { (buffers(&frame.args), buffers(&frame.rets), number(&frame.attributes)) };
    let function = number.and_then(published).ok_or("there is no function of Arr with this number")?;
    let args = args.ok_or("an argument is no buffer")?;
    let rets = rets.ok_or("a result is no buffer")?;
    // SAFETY: the buffers are alive, and as large as their extents say.
    let leaves = args.iter().map(|buffer| unsafe { lent(buffer) }).collect::<Option<Vec<_>>>();
    let leaves = leaves.ok_or("an argument has a type that Arr does not have")?;
    let run = || {
        let sizes = function.sizes(&leaves)?;
        function.run(&*function.code(&sizes)?, &sizes, &leaves, None)
    };
    let results = run().map_err(|why| text(&why))?;
    if results.len() != rets.len() {
        return Err(format!("{} results, and {} are expected", results.len(), rets.len()));
    }
    for (result, buffer) in results.iter().zip(rets) {
        // SAFETY: as above; nothing else uses the buffers of results.
        unsafe { write(result, buffer) }?;
    }
    Ok(())
}

/// # Safety
///
/// The buffer has as many elements as its extents say, and outlives what is returned.
unsafe fn lent<'a>(buffer: &'a Buffer) -> Option<Lent<'a>> {
    let elem = elem_of(buffer.dtype)?;
    let rank = usize::try_from(buffer.rank).ok()?;
    if rank == 0 {
        // SAFETY: one element.
        return Some(Lent::Scalar(unsafe { read(elem, buffer.data) }));
    }
    // SAFETY: as many extents as axes.
    let dims = unsafe { std::slice::from_raw_parts(buffer.dims, rank) };
    let len = arr_base::element_count(dims)?;
    if !(buffer.data as usize).is_multiple_of(elem.bytes()) {
        return None;
    }
    // SAFETY: as the caller promises; XLA's bools are 0 or 1.
    Some(Lent::Array(unsafe { LentArray::new(elem, dims, buffer.data, len) }))
}

/// # Safety
///
/// There is an element of this type.
unsafe fn read(elem: Scalar, data: *const u8) -> Const {
    // SAFETY: as the caller promises.
    unsafe {
        match elem {
            Scalar::Bool => Const::Bool(*data != 0),
            Scalar::I32 => Const::I32(data.cast::<i32>().read_unaligned()),
            Scalar::I64 => Const::I64(data.cast::<i64>().read_unaligned()),
            Scalar::U32 => Const::U32(data.cast::<u32>().read_unaligned()),
            Scalar::F32 => Const::F32(data.cast::<f32>().read_unaligned()),
            Scalar::F64 => Const::F64(data.cast::<f64>().read_unaligned()),
        }
    }
}

/// Copies a result to where XLA wants it.
///
/// # Safety
///
/// The buffer has as many elements as its extents say, which nothing else uses.
unsafe fn write(result: &Owned, buffer: &Buffer) -> Result<(), String> {
    let expected = elem_of(buffer.dtype);
    let rank = usize::try_from(buffer.rank).unwrap_or(0);
    // SAFETY: as many extents as axes.
    let dims = if rank == 0 { &[] } else { unsafe { std::slice::from_raw_parts(buffer.dims, rank) } };
    match result {
        Owned::Scalar(c) if rank == 0 && expected == Some(c.scalar()) => {
            let bits = c.bits().to_le_bytes();
            // SAFETY: one element. Machines with the other order of bytes have no such handler.
            unsafe { std::ptr::copy_nonoverlapping(bits.as_ptr(), buffer.data, c.scalar().bytes()) };
            Ok(())
        }
        Owned::Array { elem, dims: own, block } if expected == Some(*elem) && own.as_slice() == dims => {
            let bytes = block.bytes();
            // SAFETY: both have so many elements of this type.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.data, bytes.len()) };
            Ok(())
        }
        _ => Err("a result does not have the shape that was announced".to_string()),
    }
}

fn text(why: &Refused) -> String {
    const WIDTH: usize = 100;
    match &why.failure {
        Failure::Diagnostics(list) => render::diagnostics(list, &why.sources, Look { colors: false, width: WIDTH }),
        Failure::Bug(what) => format!("a fault of the compiler: {what}"),
    }
}
