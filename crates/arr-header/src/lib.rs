//! The C interface of definitions: the names and layouts of their functions and structs, and a header that documents
//! them.
//!
//! A scalar is passed by value, everything else by the address of a struct. Arrays are the address of their elements
//! and a size for each axis; records, tuples and sums become structs, and arrays of them structs of arrays, as inside
//! the compiler. Results are written through pointers. [`Interface::header`] is the text in C, [`Interface::cpp`] and
//! [`Interface::rust`] are layers above it for C++ and Rust.

mod cpp;
mod describe;
mod hints;
mod interface;
mod names;
mod rust;
mod text;
mod types;

pub use describe::{Role, roles, sums};
pub use interface::{
    Definition, Function, Interface, Parameter, Release, documentation, result_names, symbol, tag_name,
};
pub use names::{Scope, identifier, plain, prefix};
pub use text::c_type;
