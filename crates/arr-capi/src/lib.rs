//! The runtime of programs that were compiled ahead of time: what their C functions and their users call.
//!
//! A C function that `arr build` makes does one thing: it puts its arguments into slots and calls [`arr_call`] with a table
//! that says what they are. Everything that needs care is here, once: reading structs, checking sizes against each
//! other, running the compiled code, turning failures into messages, handing results over.
//!
//! Functions compiled for several kinds of processors stand side by side in the table; the best that this one can run is
//! taken. What compiled code calls itself is found by name in `arr_runtime` and kept in the object ([`table`]).
//!
//! There is no state but contexts, which their users hold, and those addresses.
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

pub use call::arr_call;
pub use context::{
    ArrContext, arr_context_code, arr_context_error, arr_context_free, arr_context_new, arr_context_set_max_memory,
    arr_context_set_threads,
};
pub use description::{
    Argument, At, Constant, Description, Dim, Elem, Encoded, Leaf, Output, SourceLocation, array_bytes,
};
pub use fault::Status;
pub use release::{Field, arr_release};
