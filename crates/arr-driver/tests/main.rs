//! The stages put together: caches, imports, pipelines.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bisect;
mod builds;
mod cache;
mod imports;
mod mistakes;
mod pipeline;
mod products;
mod segments;
mod shaders;
mod strict;
mod without;
mod world;
