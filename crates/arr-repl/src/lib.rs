//! An interactive session without its terminal: text in, replies out.
//!
//! A [`Repl`] keeps items (`def`, `type`, `import`) as syntax and the names that a `let` binds as values. An expression
//! is compiled as a definition whose parameters are the values that it mentions, so that nothing is computed twice.
//! Nothing here prints; [`Repl::enter`] returns the text to show.

// A failure occurs once per input; its size does not matter.
#![allow(clippy::result_large_err)]

mod about;
mod commands;
mod complete;
mod keep;
mod read;
mod state;

pub use commands::HELP;
pub use complete::Vocabulary;
pub use read::incomplete;
pub use state::{Repl, Reply};
