//! A call of a compiled function from C.

use crate::arguments::{self, Arguments};
use crate::context::{ArrContext, State};
use crate::description::Description;
use crate::fault::{Fault, Status};
use crate::results;
use crate::table::{FORMAT, FunctionTable};
use arr_runtime::{Buffer, Call, Context};
use std::panic::AssertUnwindSafe;

/// Calls a function with arguments in slots. Returns the status, by the numbers of the header; after a failure the
/// context has details, and nothing was written to the results.
///
/// # Safety
///
/// `context` is null or alive; the table is one that the compiler wrote; `slots` are the arguments of its function: scalars,
/// and pointers that are null or lead to structs as the header declares them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_call(context: *mut ArrContext, table: *const FunctionTable, slots: *const u64) -> i32 {
    let work = |state: &mut State| {
        // SAFETY: as the caller promises.
        let call = AssertUnwindSafe(|| unsafe { run(state, &*table, slots) });
        // A panic of the runtime must not propagate into C.
        std::panic::catch_unwind(call).unwrap_or_else(|_| Err(Fault::internal("the runtime panicked")))
    };
    // SAFETY: as the caller promises.
    let status: Status = unsafe { ArrContext::enter(context, work) };
    status as i32
}

/// # Safety
///
/// As for [`arr_call`].
unsafe fn run(state: &mut State, table: &FunctionTable, slots: *const u64) -> Result<(), Fault> {
    if table.format != FORMAT {
        return Err(Fault::version("their formats differ"));
    }
    // SAFETY: a table of this format.
    unsafe { table.link() }.map_err(|name| Fault::version(&format!("there is no {name}")))?;
    let entry = table.entry().ok_or_else(|| Fault::version("there is no code for this processor"))?;
    // SAFETY: a table of this format, in the program's own data.
    let description = unsafe { state.description(table) }.ok_or_else(|| Fault::version("it cannot be read"))?;
    // SAFETY: as the caller promises.
    let arguments = unsafe { arguments::read(&description, slots) }?;
    // SAFETY: the table has the constants of its description.
    let constants = unsafe { constants(table, &description) };
    let arena = std::mem::take(&mut state.arena);
    let mut context = Context::with_arena(state.max_memory, i64::MAX, arena).with_threads(state.threads);
    let mut out = vec![0u64; results::slot_count(&description)];
    let call = Call {
        entry,
        context: &mut context,
        sizes: arguments.sizes.as_ptr(),
        args: arguments.slots.as_ptr(),
        results: out.as_mut_ptr(),
        literals: constants.pointers.as_ptr(),
    };
    // Loops are divided from any thread, but products find the threads that they run among.
    let enters = state.threads.count() > 1 && description.products;
    // SAFETY: the description tells as many sizes, arguments, results and constants as the code reads and writes. The
    // borrowed buffers outlive the call and hold a reference each, so that the code neither writes nor frees them.
    let status = unsafe { call.make(enters.then_some(state.threads)) };
    let done = if status == 0 {
        // SAFETY: the code has written its results under this context; the rest as the caller promises.
        unsafe { results::hand_over(&mut context, &description, &out, slots) }
    } else {
        Err(failure(&context, &description))
    };
    state.arena = context.into_arena();
    done
}

fn failure(context: &Context, description: &Description) -> Fault {
    let Some(failure) = context.failure() else {
        return Fault::internal("compiled code failed without a reason");
    };
    let place = description.places.get(failure.span as usize).and_then(Option::as_ref);
    Fault::run(failure.kind(i64::MAX), &description.name, place)
}

/// The headers of constants, and pointers to them.
struct Constants {
    _headers: Arguments,
    pointers: Vec<*mut Buffer>,
}

/// # Safety
///
/// The table has the constants of the description.
unsafe fn constants(table: &FunctionTable, description: &Description) -> Constants {
    let mut headers = Arguments::default();
    let mut pointers = Vec::new();
    for (at, constant) in description.constants.iter().enumerate() {
        // SAFETY: there is an address for every constant, of as many elements.
        let slot = unsafe { headers.header(constant.elem, *table.constants.add(at), constant.len) };
        pointers.push(slot as usize as *mut Buffer);
    }
    Constants { _headers: headers, pointers }
}
