//! Values at the edge of a program: what a user passes in and gets back.
//!
//! Everything here is bytes and text in, values out (or back); opening and writing files belongs to the driver. A
//! value is read against the type that is declared for it, so a literal takes the type its place needs, and a
//! conversion that would lose something is refused. No claim that a file makes about its own size is believed before
//! it is checked against the bytes that are there.

// An error is made once a run; its size does not matter.
#![allow(clippy::result_large_err)]

mod args;
mod bind;
mod csv;
mod error;
mod files;
mod json;
mod npy;
mod npz;
mod number;
mod print;
mod raw;
mod text;
mod typed;
mod value;

pub use args::{Arg, ArgSource, assign};
pub use bind::{Bound, bind};
pub use error::{DataError, Origin, Problem, Source, too_large};
pub use files::{Format, check_writable, from_bytes, from_bytes_within, from_text, from_text_within, to_bytes};
pub use json::{from_json, is_text, to_json};
pub use print::{is_printable, to_literal};
pub use text::{edge_text, found_text, size_text};
pub use value::EdgeValue;
