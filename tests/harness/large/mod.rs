//! Large random programs, compared in every way of compiling them, and made small where one fails.
//!
//! Programs run in worker processes (`pool`), so that a crash or a program without end is a failure like another. `soak` runs
//! seeds, reduces what fails and says so.

pub mod compare;
mod derivatives;
pub mod job;
mod make;
mod pool;
mod program;
pub mod random;
mod reduce;
pub mod soak;
mod tree;
pub mod wrong;

pub use derivatives::Entry;
pub use make::program;
pub use pool::{is_worker, work};
pub use program::Program;
