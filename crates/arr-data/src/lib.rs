//! Values at the edge of a program: a user's inputs and outputs.
//!
//! This crate converts bytes and text to values and back; opening and writing files belongs to the driver. A value is
//! read against its declared type, so that a literal takes the type of its context, and a lossy conversion is refused.
//! A file's claims about its own size are checked against the available bytes before they are used.

// An error occurs once per run; its size does not matter.
#![allow(clippy::result_large_err)]

mod archive;
mod args;
mod bind;
mod csv;
mod error;
mod files;
mod finite;
mod json;
mod npy;
mod npz;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod part;
mod picture;
mod plain;
mod print;
mod raw;
mod reading;
mod short;
mod tables;
mod tensors;
mod text;
mod trace;
mod typed;
mod untyped;
mod value;

pub use args::{Arg, ArgSource, assign};
pub use bind::{Bound, bind};
pub use error::{DataError, Origin, Problem, Source, too_large};
pub use files::{
    Format, check_writable, from_bytes, from_bytes_within, from_file, from_text, from_text_within, line_of_row,
    to_bytes,
};
pub use finite::NotFinite;
pub use json::{from_json, is_text, to_json};
pub use npy::elements;
pub use part::{part_type, part_value};
pub use print::{is_printable, to_literal};
pub use reading::{CellRules, DateUnit, Delimiter, Notes, Reading};
pub use short::to_short;
pub use tables::field_name;
pub use text::{edge_text, found_text, size_text};
pub use trace::{missed_line, trace_line};
pub use untyped::numbers_of;
pub use value::EdgeValue;
