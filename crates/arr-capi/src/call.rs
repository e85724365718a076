//! A call of a compiled function from C.

use crate::arguments::{Arguments, borrowed, read};
use crate::context::{ArrContext, State};
use crate::description::Description;
use crate::fault::{Fault, Status};
use crate::results::{self, Copying};
use crate::table::{FORMAT, FunctionTable};
use arr_runtime::{Buffer, Call, Context};
use std::panic::AssertUnwindSafe;

/// What becomes of the arrays of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Results {
    /// They are the caller's, who frees them.
    New,
    /// They are copied to memory that the caller gives.
    Into,
}

/// A function that was called with a context, and what its calls need: made once, so that later calls allocate nothing.
#[derive(Debug)]
pub(crate) struct Prepared {
    description: Description,
    constants: Constants,
    arguments: Arguments,
    /// What compiled code writes: see [`results::slot_count`].
    results: Vec<u64>,
    copies: Vec<Copying>,
}

/// Calls a function with arguments in slots. Returns the status, by the numbers of the header; after a failure the
/// context has details, and nothing was written to the results.
///
/// # Safety
///
/// `context` is null or alive; the table is one that the compiler wrote; `slots` are the arguments of its function: scalars,
/// and pointers that are null or lead to structs as the header declares them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_call(context: *mut ArrContext, table: *const FunctionTable, slots: *const u64) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { enter(context, table, slots, Results::New) }
}

/// The same, but arrays of results are written to memory of the caller: where the struct of a result says, which has room
/// for as many elements as its sizes say. It may be the memory of arguments.
///
/// # Safety
///
/// As for [`arr_call`], and there is that much memory, which may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arr_call_into(
    context: *mut ArrContext,
    table: *const FunctionTable,
    slots: *const u64,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { enter(context, table, slots, Results::Into) }
}

/// # Safety
///
/// As for [`arr_call`], or [`arr_call_into`].
unsafe fn enter(context: *mut ArrContext, table: *const FunctionTable, slots: *const u64, to: Results) -> i32 {
    let work = |state: &mut State| {
        // SAFETY: as the caller promises.
        let call = AssertUnwindSafe(|| unsafe { run(state, &*table, slots, to) });
        // A panic of the runtime must not propagate into C.
        std::panic::catch_unwind(call).unwrap_or_else(|_| {
            state.run.end();
            Err(Fault::internal("the runtime panicked"))
        })
    };
    // SAFETY: as the caller promises.
    let status: Status = unsafe { ArrContext::enter(context, work) };
    status as i32
}

/// # Safety
///
/// As for [`enter`].
unsafe fn run(state: &mut State, table: &FunctionTable, slots: *const u64, to: Results) -> Result<(), Fault> {
    if table.format != FORMAT {
        return Err(Fault::version("their formats differ"));
    }
    // SAFETY: a table of this format.
    unsafe { table.link() }.map_err(|name| Fault::version(&format!("there is no {name}")))?;
    let entry = table.entry().ok_or_else(|| Fault::version("there is no code for this processor"))?;
    let (max_memory, threads) = (state.max_memory, state.threads);
    let context = &mut state.run;
    // SAFETY: a table of this format, in the program's own data.
    let prepared = unsafe { state.known.of(table) }.ok_or_else(|| Fault::version("it cannot be read"))?;
    let Prepared { description, constants, arguments, results, copies } = prepared;
    // SAFETY: as the caller promises.
    unsafe { read(description, slots, arguments) }?;
    context.begin(max_memory, i64::MAX, threads);
    results.fill(0);
    let call = Call {
        entry,
        context: &raw mut *context,
        sizes: arguments.sizes.as_ptr(),
        args: arguments.slots.as_ptr(),
        results: results.as_mut_ptr(),
        literals: constants.pointers.as_ptr(),
    };
    // Loops are divided from any thread, but products find the threads that they run among.
    let enters = threads.count() > 1 && description.products;
    // SAFETY: the description tells as many sizes, arguments, results and constants as the code reads and writes. The
    // borrowed buffers outlive the call and hold a reference each, so that the code neither writes nor frees them.
    let status = unsafe { call.make(enters.then_some(threads)) };
    let done = match (status, to) {
        // SAFETY: the code has written its results under this context; the rest as the caller promises.
        (0, Results::New) => unsafe { results::hand_over(context, description, results, slots) },
        // SAFETY: as above.
        (0, Results::Into) => unsafe { results::copy_into(description, results, slots, copies) },
        _ => Err(failure(context, description)),
    };
    context.end();
    done
}

fn failure(context: &Context, description: &Description) -> Fault {
    let Some(failure) = context.failure() else {
        return Fault::internal("compiled code failed without a reason");
    };
    let place = description.places.get(failure.span as usize).and_then(Option::as_ref);
    Fault::run(failure.kind(i64::MAX), &description.name, place)
}

impl Prepared {
    /// Prepares for calls of a function. `None` if its table cannot be read.
    ///
    /// # Safety
    ///
    /// The table is one that the compiler of this version wrote, and stays where it is.
    pub unsafe fn new(table: &FunctionTable) -> Option<Prepared> {
        // SAFETY: as the caller promises.
        let description = unsafe { table.description() }?;
        // SAFETY: the table has the constants of its description.
        let constants = unsafe { Constants::of(table, &description) };
        let arguments = Arguments::new(&description);
        let results = vec![0; results::slot_count(&description)];
        Some(Prepared { description, constants, arguments, results, copies: Vec::new() })
    }
}

/// The headers of constants, and pointers to them.
#[derive(Debug)]
struct Constants {
    _headers: Box<[Buffer]>,
    pointers: Vec<*mut Buffer>,
}

impl Constants {
    /// # Safety
    ///
    /// The table has the constants of the description.
    unsafe fn of(table: &FunctionTable, description: &Description) -> Constants {
        let constants = description.constants.iter().enumerate();
        // SAFETY: there is an address for every constant, of as many elements.
        let header = |(at, constant): (usize, &crate::Constant)| unsafe {
            borrowed(constant.elem, *table.constants.add(at), constant.len)
        };
        let mut headers: Box<[Buffer]> = constants.map(header).collect();
        let pointers = headers.iter_mut().map(std::ptr::from_mut).collect();
        Constants { _headers: headers, pointers }
    }
}
