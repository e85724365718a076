//! Large random programs, compared in every way of compiling them, and reduced where one fails.
//!
//! Programs run in worker processes (`pool`), so that a crash or an endless program is a failure like any other. `soak`
//! runs seeds, reduces failures and reports them.

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
