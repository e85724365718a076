//! Loop functions as C99 source: no runtime library, no allocation, no global state.
//!
//! [`function`] writes one function, [`module`] a file of functions and its header. Memory is the caller's: results are
//! written where the caller says, and everything else lies in a workspace whose size a function of the sizes tells (see
//! `memory`). A failure is a number, by which the table in the file knows its place in the program.

mod body;
mod error;
mod function;
mod library;
mod memory;
mod module;
mod names;
mod places;
mod scalar;
mod text;

pub use error::Error;
pub use function::{Function, Interface, Parameter, ResultSize, Tag, Workspace, function};
pub use module::{Module, module, taken};
pub use places::{Failure, FailureKind, Location, Places};
