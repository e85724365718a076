//! Readers and writers of data.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod files;
mod formats;
#[cfg(feature = "parquet")]
mod parquet_files;
mod sums;
mod tables;
mod text;
