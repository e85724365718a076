//! Values as pictures: a vector is a line or bars, a record of vectors is several, an array `[n][2]` is points, a matrix a picture.
//!
//! [`Chart::of`] decides what a value shows and what its axes are called; [`Chart::svg`], [`Chart::png`] and [`Chart::text`]
//! draw that. The drawing needs no fonts of the system, and the same value gives the same bytes everywhere.

// An error occurs once per run; its size does not matter.
#![allow(clippy::result_large_err)]

mod axes;
mod bars;
mod chart;
mod figure;
mod matrix;
mod raster;
mod scale;
mod series;
mod text;
mod words;
mod wrap;

pub use chart::{Body, Chart, Choice};
pub use matrix::Matrix;
pub use series::{Mark, Series};
pub use words::Words;
