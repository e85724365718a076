//! Names: what each one means in its module, which definitions use which, and which of them use themselves.
//!
//! All of this is done on the syntax, before types are known.
//!
//! Depends on `data` and `messages`.

mod cycles;
pub(crate) mod modules;
pub(crate) mod names;
mod parameters;
pub(crate) mod reach;
mod unused;
pub(crate) mod written_names;
