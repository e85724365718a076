//! The runtime of ahead-of-time compiled programs: the functions called by their C functions and by users.
//!
//! A C function from `arr build` does one thing: it puts its arguments into slots and calls [`arr_call`] with a table
//! that describes them, or [`arr_call_into`]. All delicate work is here, once: reading structs, checking sizes against each other, running
//! the compiled code, turning failures into messages, returning results.
//!
//! The table contains the versions of a function for several kinds of processors; the best supported one is used.
//! Functions that compiled code calls are found by name in `arr_runtime`, and their addresses kept in the object
//! ([`table`]).
//!
//! There is no state except contexts, which users hold, and those addresses.
#![allow(unsafe_code)]

mod arguments;
mod call;
mod context;
mod description;
mod fault;
mod release;
mod results;
mod shapes;
pub mod table;

pub use call::{arr_call, arr_call_into};
pub use context::{
    ArrContext, arr_context_code, arr_context_copy_error, arr_context_error, arr_context_free, arr_context_new,
    arr_context_set_max_memory, arr_context_set_threads, arr_status_text,
};
pub use description::{Argument, At, Constant, Description, Dim, Encoded, Leaf, Output, SourceLocation, array_bytes};
pub use fault::Status;
pub use release::{Field, arr_release};
