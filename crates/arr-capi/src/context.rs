//! Contexts, which the users of C functions hold.

use crate::call::Prepared;
use crate::fault::{Fault, Status};
use crate::table::FunctionTable;
use arr_runtime::{Context, Threads};
use std::ffi::{CStr, CString, c_char};
use std::sync::atomic::{AtomicBool, Ordering};

/// `arr_context` of the header. One thread uses it at a time; a second one that calls meanwhile is refused.
#[derive(Debug)]
pub struct ArrContext {
    busy: AtomicBool,
    state: State,
}

/// The resources of a call.
#[derive(Debug)]
pub(crate) struct State {
    message: CString,
    code: u16,
    /// The memory limit of a call in bytes.
    pub max_memory: i64,
    /// The number of threads of calls.
    pub threads: Threads,
    /// The context of runs. It keeps the memory of a run for the next one.
    pub run: Context,
    /// The functions called before.
    pub known: Known,
}

/// The functions that were called, by the addresses of their tables. They are few, so that looking through them is
/// quicker than hashing.
#[derive(Debug, Default)]
pub(crate) struct Known(Vec<(usize, Prepared)>);

impl Known {
    /// The function of a table; `None` if the table cannot be read.
    ///
    /// # Safety
    ///
    /// The table is one that the compiler of this version wrote, and stays where it is.
    pub unsafe fn of(&mut self, table: &FunctionTable) -> Option<&mut Prepared> {
        let address = std::ptr::from_ref(table).addr();
        let at = match self.0.iter().position(|(known, _)| *known == address) {
            Some(at) => at,
            None => {
                // SAFETY: as the caller promises.
                self.0.push((address, unsafe { Prepared::new(table) }?));
                self.0.len() - 1
            }
        };
        self.0.get_mut(at).map(|(_, prepared)| prepared)
    }
}

impl State {
    fn note(&mut self, fault: &Fault) {
        self.code = fault.code;
        // A message quotes names and paths, which contain no zero byte.
        self.message = CString::new(fault.message.replace('\0', "?")).unwrap_or_default();
    }
}

impl ArrContext {
    /// Runs `work` with the context unless another thread uses it.
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

/// The message of a null pointer.
const NO_CONTEXT: &CStr = c"there is no context";

/// A new context. Free it with [`arr_context_free`].
// SAFETY: nothing else has this name.
#[unsafe(no_mangle)]
pub extern "C" fn arr_context_new() -> *mut ArrContext {
    let state = State {
        message: CString::default(),
        code: 0,
        max_memory: i64::MAX,
        threads: Threads::new(Some(1)),
        run: Context::new(i64::MAX, i64::MAX),
        known: Known::default(),
    };
    Box::into_raw(Box::new(ArrContext { busy: AtomicBool::new(false), state }))
}

/// Frees a context; null is allowed. Results stay valid.
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

/// The message of the last failed call, one line; empty if none failed. Valid until the next call with the context.
///
/// # Safety
///
/// `context` is null or alive, and no call is under way with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_context_error(context: *const ArrContext) -> *const c_char {
    // SAFETY: as the caller promises.
    match unsafe { context.as_ref() } {
        Some(context) => context.state.message.as_ptr(),
        None => NO_CONTEXT.as_ptr(),
    }
}

/// What a status says, in one line; it needs no context. Of a number that is no status it says so.
// SAFETY: nothing else has this name.
#[unsafe(no_mangle)]
pub extern "C" fn arr_status_text(status: i32) -> *const c_char {
    Status::of(status).map_or(c"there is no such status", Status::text).as_ptr()
}

/// Copies the message of a call that has just returned `status`, of at most `room` bytes with the zero at its end, and gives the
/// number of its diagnostic code. Other threads may be in a call with the context meanwhile, which is wrong of them: the
/// text of [`Status::Busy`] is copied then.
///
/// # Safety
///
/// `context` is null or alive; `text` is null or has `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_context_copy_error(
    context: *mut ArrContext,
    status: i32,
    text: *mut c_char,
    room: i64,
) -> i32 {
    let room = if text.is_null() { 0 } else { usize::try_from(room).unwrap_or(0) };
    // SAFETY: as the caller promises.
    let copy = |message: &CStr| unsafe { copy_text(message, text.cast(), room) };
    let mut code = 0;
    if context.is_null() {
        copy(NO_CONTEXT);
        return code;
    }
    let read = |state: &mut State| {
        copy(&state.message);
        code = i32::from(state.code);
        Ok(())
    };
    let is_busy = status == Status::Busy as i32;
    // SAFETY: as the caller promises.
    let entered = if is_busy { Status::Busy } else { unsafe { ArrContext::enter(context, read) } };
    if entered != Status::Ok {
        copy(entered.text());
    }
    code
}

/// Copies as much of a text as there is room for, and a zero behind it.
///
/// # Safety
///
/// There are `room` bytes at `to`.
unsafe fn copy_text(text: &CStr, to: *mut u8, room: usize) {
    let Some(last) = room.checked_sub(1) else { return };
    let bytes = text.to_bytes();
    let count = bytes.len().min(last);
    // SAFETY: `count` is less than `room`, and the text no part of what the caller gives.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, count);
        to.add(count).write(0);
    }
}

/// The number of the diagnostic code of the last failed call, 601 for E0601; 0 if it has none.
///
/// # Safety
///
/// As for [`arr_context_error`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_context_code(context: *const ArrContext) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { context.as_ref() }.map_or(0, |context| i32::from(context.state.code))
}

/// Limits the memory of every later call with the context to this many bytes. Without it the only limit is the
/// machine's.
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

/// Sets the number of threads of every later call with the context, or the number of cores if it is 0; the default is
/// one, and never more than there are cores or 64, whichever is more. All contexts of a process share threads. Results
/// do not depend on it.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The message that is copied after a call that returned `status`, with room for so many bytes.
    fn copied(context: *mut ArrContext, status: Status, room: usize) -> (String, i32) {
        let mut text = vec![1u8; room];
        // SAFETY: the context is alive, and the text has as many bytes.
        let code = unsafe { arr_context_copy_error(context, status as i32, text.as_mut_ptr().cast(), room as i64) };
        let text = CStr::from_bytes_until_nul(&text).map_or(String::new(), |text| text.to_string_lossy().into_owned());
        (text, code)
    }

    #[test]
    fn messages_are_copied_unless_another_thread_is_in_a_call() {
        let context = arr_context_new();
        let fail = |_: &mut State| Err(Fault::argument("f", "`x` is too long".to_string()));
        // SAFETY: the context is alive.
        let status = unsafe { ArrContext::enter(context, fail) };
        assert_eq!(copied(context, status, 100), ("f: E0704: `x` is too long".to_string(), 704));
        assert_eq!(copied(context, status, 9), ("f: E0704".to_string(), 704));
        assert_eq!(copied(context, status, 0), (String::new(), 704));
        // As if another thread were in a call.
        let inside = |_: &mut State| {
            let busy = ("another thread is in a call with this context".to_string(), 0);
            assert_eq!(copied(context, Status::Busy, 100), busy);
            assert_eq!(copied(context, status, 100), busy);
            Ok(())
        };
        // SAFETY: as above.
        assert_eq!(unsafe { ArrContext::enter(context, inside) }, Status::Ok);
        assert_eq!(copied(std::ptr::null_mut(), status, 100).0, "there is no context");
        // SAFETY: it is not used again.
        unsafe { arr_context_free(context) };
    }
}
