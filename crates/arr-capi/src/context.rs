//! Contexts: what the users of C functions hold.

use crate::description::Description;
use crate::fault::{Fault, Status};
use crate::table::FunctionTable;
use arr_runtime::{Arena, Threads};
use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// `arr_context` of the header. One thread uses it at a time; a second one that calls meanwhile is refused.
#[derive(Debug)]
pub struct ArrContext {
    busy: AtomicBool,
    state: State,
}

/// What a call uses.
#[derive(Debug)]
pub(crate) struct State {
    message: CString,
    code: u16,
    /// Bytes that one call may use.
    pub max_memory: i64,
    /// On how many threads calls run.
    pub threads: Threads,
    /// The memory of the last call, for the next one.
    pub arena: Arena,
    /// What was called before.
    known: HashMap<usize, Arc<Description>>,
}

impl State {
    /// What a function is called with.
    ///
    /// # Safety
    ///
    /// The table is one that the compiler of this version wrote, and stays where it is.
    pub unsafe fn description(&mut self, table: &FunctionTable) -> Option<Arc<Description>> {
        let address = std::ptr::from_ref(table).addr();
        if let Some(known) = self.known.get(&address) {
            return Some(known.clone());
        }
        // SAFETY: as the caller promises.
        let description = Arc::new(unsafe { table.description() }?);
        self.known.insert(address, description.clone());
        Some(description)
    }

    fn note(&mut self, fault: &Fault) {
        self.code = fault.code;
        // A message quotes names and paths, which hold no zero byte.
        self.message = CString::new(fault.message.replace('\0', "?")).unwrap_or_default();
    }
}

impl ArrContext {
    /// Does something with the context unless another thread does.
    ///
    /// # Safety
    ///
    /// `context` is null or came from [`arr_context_new`] and was not freed.
    pub(crate) unsafe fn enter(context: *mut ArrContext, work: impl FnOnce(&mut State) -> Result<(), Fault>) -> Status {
        if context.is_null() {
            return Status::BadArgument;
        }
        // SAFETY: the context is alive. Only the flag is borrowed, which threads may share.
        let busy = unsafe { &*std::ptr::addr_of!((*context).busy) };
        if busy.swap(true, Ordering::Acquire) {
            return Status::Busy;
        }
        // SAFETY: the flag was not set, so that no other thread is here.
        let state = unsafe { &mut *std::ptr::addr_of_mut!((*context).state) };
        let status = match work(state) {
            Ok(()) => Status::Ok,
            Err(fault) => {
                state.note(&fault);
                fault.status
            }
        };
        busy.store(false, Ordering::Release);
        status
    }
}

/// A new context. Free it with [`arr_context_free`].
// SAFETY: nothing else has this name.
#[unsafe(no_mangle)]
pub extern "C" fn arr_context_new() -> *mut ArrContext {
    let state = State {
        message: CString::default(),
        code: 0,
        max_memory: i64::MAX,
        threads: Threads::new(Some(1)),
        arena: Arena::default(),
        known: HashMap::new(),
    };
    Box::into_raw(Box::new(ArrContext { busy: AtomicBool::new(false), state }))
}

/// Frees a context; null is fine. Results live on.
///
/// # Safety
///
/// `context` is null or came from [`arr_context_new`], and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_context_free(context: *mut ArrContext) {
    if !context.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(context) });
    }
}

/// What the last call that failed had to say, one line; empty if none did. Valid until the next call with the context.
///
/// # Safety
///
/// `context` is null or alive, and no call is under way with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_context_error(context: *const ArrContext) -> *const c_char {
    // SAFETY: as the caller promises.
    match unsafe { context.as_ref() } {
        Some(context) => context.state.message.as_ptr(),
        None => c"there is no context".as_ptr(),
    }
}

/// The number of the diagnostic code of the last call that failed, 601 for E0601; 0 if it has none.
///
/// # Safety
///
/// As for [`arr_context_error`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_context_code(context: *const ArrContext) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { context.as_ref() }.map_or(0, |context| i32::from(context.state.code))
}

/// Allows every later call with the context so many bytes. Without it there is no limit but the machine's.
///
/// # Safety
///
/// As for [`arr_context_error`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_context_set_max_memory(context: *mut ArrContext, bytes: i64) {
    // SAFETY: as the caller promises.
    if let Some(context) = unsafe { context.as_mut() } {
        context.state.max_memory = bytes.max(0);
    }
}

/// Has every later call with the context run on so many threads, or as many as there are cores if the number is 0; on one
/// without it, and never on more than there are cores or 64, whichever is more. All contexts of a process share threads. Results do not depend on it.
///
/// # Safety
///
/// As for [`arr_context_error`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_context_set_threads(context: *mut ArrContext, threads: i32) {
    // SAFETY: as the caller promises.
    if let Some(context) = unsafe { context.as_mut() } {
        context.state.threads = Threads::new(usize::try_from(threads).ok().filter(|&n| n > 0));
    }
}
