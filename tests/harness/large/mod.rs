//! Large random programs, compared in every way of compiling them, and made small where one fails.
//!
//! Programs run in worker processes (`pool`), so that a crash or a program without end is a failure like another. `soak` runs
//! seeds, reduces what fails and says so.

pub mod compare;
pub mod job;
mod make;
mod pool;
mod program;
mod reduce;
pub mod soak;
mod tree;

pub use make::program;
pub use pool::{is_worker, work};
pub use program::{Entry, Program};
