//! Readers and writers of data.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod files;
mod formats;
mod sums;
mod tables;
mod text;
