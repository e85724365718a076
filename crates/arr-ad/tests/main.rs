//! Derivatives: three ways, through loops, of segments.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod loops;
mod segments;
mod three_way;
