//! The checker: core IR, values, diagnostics, limits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod api;
mod codes;
mod common;
mod derivatives;
mod golden;
mod in_place;
mod large;
mod layering;
mod limits;
mod literals;
mod modules;
mod robust;
mod sum_types;
mod types;
mod values;
