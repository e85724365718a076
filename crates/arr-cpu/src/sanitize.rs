//! Sanitized runs: kernels are evaluated before they are called, and results are searched for unwritten memory.

use arr_base::{Id, RunErrorKind};
use arr_ir::{Const, Data, Value};
use arr_loops::{LocalId, LoopFunc};
use arr_runtime::{Buffer, FailureCode, Record, is_fill_32, is_fill_64};
use arr_x86::{Elements, Error, Kernel, Program};
use std::collections::BTreeMap;

/// Kernels whose addresses the code holds: none may move.
pub(crate) type CheckedKernels = Vec<Box<CheckedKernel>>;

/// A kernel as data, for code that makes the evaluator run it before calling it.
#[derive(Debug)]
pub(crate) struct CheckedKernel {
    pub program: Program,
    /// Of the same program: the number of iterations at once.
    pub kernel: Kernel,
    /// For each slot of the environment the buffer that its address points into, if it holds an address.
    pub buffers: Vec<Option<LocalId>>,
}

/// The buffer that an address in the environment points into.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    header: *const Buffer,
    low: u64,
}

/// Memory that admits only accesses inside buffers, and keeps stores to itself.
struct Guarded<'a> {
    buffers: &'a [Option<LocalId>],
    extents: &'a [Extent],
    stored: BTreeMap<u64, u64>,
    /// The failure found, and its values.
    found: Option<(FailureCode, [i64; 3])>,
}

impl Guarded<'_> {
    fn check(&mut self, root: Option<u32>, address: u64, bytes: usize) -> Result<(), Error> {
        let slot = root.map_or(usize::MAX, |slot| slot as usize);
        let Some((buffer, extent)) = self.buffers.get(slot).copied().flatten().zip(self.extents.get(slot)) else {
            return Err(Error::Malformed("an address from no buffer".to_string()));
        };
        // SAFETY: headers of a sanitized run stay until its end.
        let header = unsafe { &*extent.header };
        let local = buffer.index() as i64;
        let distance = address.wrapping_sub(extent.low) as i64;
        let all = header.len().saturating_mul(header.width()) as i64;
        if !header.is_referenced() {
            self.found = Some((FailureCode::Released, [local, 0, 0]));
        } else if distance < 0 || distance > all - bytes as i64 {
            let offset = distance.div_euclid(header.width() as i64);
            self.found = Some((FailureCode::Outside, [local, offset, header.len() as i64]));
        }
        if self.found.is_some() { Err(Error::Malformed("an access outside of a buffer".to_string())) } else { Ok(()) }
    }
}

impl Elements for Guarded<'_> {
    fn load(&mut self, root: Option<u32>, address: u64, bytes: usize) -> Result<u64, Error> {
        self.check(root, address, bytes)?;
        if let Some(&bits) = self.stored.get(&address) {
            return Ok(bits);
        }
        let place = std::ptr::with_exposed_provenance::<u8>(address as usize);
        let mut bits = [0; 8];
        // SAFETY: the bytes have just been found to be inside of a buffer that is alive.
        let found = unsafe { std::slice::from_raw_parts(place, bytes) };
        bits.iter_mut().zip(found).for_each(|(to, from)| *to = *from);
        Ok(u64::from_le_bytes(bits))
    }

    fn store(&mut self, root: Option<u32>, address: u64, bytes: usize, bits: u64) -> Result<(), Error> {
        self.check(root, address, bytes)?;
        self.stored.insert(address, bits);
        Ok(())
    }
}

/// 1 if every access of a kernel is inside of its buffer; 0 after a failure, which is recorded.
///
/// # Safety
///
/// `record` is the running record; `check` is alive, and `env` and `extents` have as many slots as its kernel's environment;
/// the extents of those that hold addresses are those of buffers of this run.
pub(crate) unsafe extern "C" fn arr_sanitize_kernel(
    record: *mut Record,
    check: *const CheckedKernel,
    env: *const u64,
    extents: *const Extent,
    span: i64,
) -> i64 {
    // SAFETY: as the caller promises.
    let check = unsafe { &*check };
    let slots = check.buffers.len();
    // SAFETY: as the caller promises.
    let (env, extents) =
        unsafe { (std::slice::from_raw_parts(env, slots), std::slice::from_raw_parts(extents, slots)) };
    let mut memory = Guarded { buffers: &check.buffers, extents, stored: BTreeMap::new(), found: None };
    if arr_x86::eval(&check.program, &check.kernel, &mut env.to_vec(), &mut memory).is_ok() {
        return 1;
    }
    let (code, values) = memory.found.unwrap_or((FailureCode::Outside, [-1, 0, 0]));
    // SAFETY: compiled code passes its own record, which nothing else uses meanwhile.
    unsafe { (*record).fail(code, span as u32, values) };
    0
}

/// The description of a failure of sanitized code; `None` for those of the program.
pub(crate) fn described(loops: &LoopFunc, code: FailureCode, values: [i64; 3]) -> Option<RunErrorKind> {
    let [local, offset, length] = values;
    let local = usize::try_from(local).ok().map(LocalId::from_index).and_then(|id| loops.locals.get(id));
    let name = local.map_or("of no known name", |local| local.name.as_str());
    match code {
        FailureCode::Outside => Some(RunErrorKind::Internal(format!(
            "sanitizer: access to element {offset} of the buffer `{name}`, whose length is {length}"
        ))),
        FailureCode::Released => {
            Some(RunErrorKind::Internal(format!("sanitizer: the buffer `{name}` is used after it was freed")))
        }
        _ => None,
    }
}

/// The position of an unwritten element in a result.
pub(crate) fn unwritten(result: &Value) -> Option<usize> {
    match result {
        Value::Scalar(Const::F64(x)) => is_fill_64(*x).then_some(0),
        Value::Scalar(Const::F32(x)) => is_fill_32(*x).then_some(0),
        Value::Scalar(_) => None,
        Value::Array(array) => match &array.data {
            Data::F64(v) => v.iter().position(|&x| is_fill_64(x)),
            Data::F32(v) => v.iter().position(|&x| is_fill_32(x)),
            Data::I64(v) => v.iter().position(|&x| is_fill_64(f64::from_bits(x as u64))),
            Data::I32(v) => v.iter().position(|&x| is_fill_32(f32::from_bits(x as u32))),
            Data::U32(v) => v.iter().position(|&x| is_fill_32(f32::from_bits(x))),
            Data::Bool(_) => None,
        },
    }
}
