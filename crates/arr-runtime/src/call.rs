//! A call of compiled code.

use crate::{Buffer, Context, Threads};

/// Compiled code: context, sizes, arguments, results, constants; 0 when all went well.
pub type Entry = unsafe extern "C" fn(*mut Context, *const i64, *const u64, *mut u64, *const *mut Buffer) -> i32;

/// Compiled code with its arguments.
#[derive(Debug)]
pub struct Call {
    pub entry: Entry,
    pub context: *mut Context,
    pub sizes: *const i64,
    pub args: *const u64,
    pub results: *mut u64,
    pub literals: *const *mut Buffer,
}

// SAFETY: `make` hands the call to another thread and waits there until it is over; nothing uses what it points to
// meanwhile.
unsafe impl Send for Call {}

impl Call {
    /// Makes the call, on one of the threads if there are any. Returns 0 if all went well.
    ///
    /// # Safety
    ///
    /// The code fits its arguments, and reads and writes nothing beyond them.
    pub unsafe fn make(self, threads: Option<Threads>) -> i32 {
        // SAFETY: as the caller promises.
        let work =
            |call: Call| unsafe { (call.entry)(call.context, call.sizes, call.args, call.results, call.literals) };
        match threads {
            Some(threads) => threads.enter(move || work(self)),
            None => work(self),
        }
    }
}
