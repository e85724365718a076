//! Which accesses are inside of their arrays: the range analysis that every level of the IR is held to.
//!
//! An access is *unchecked* (`read!`, `scatter!`) only where this analysis derives, from the function's text alone, that
//! each index is at least zero and below the extent of its axis. It uses
//! - the axes around the access: an index is at least 0 and at most its extent less one;
//! - the conditions around it: branches, guards of a `scatter`;
//! - what has been checked before it in the same block or one around it: a `check`, a checked read or a checked scatter
//!   that was passed says that its indices were inside;
//! - what has been checked at every point of an earlier nest or in every iteration of an earlier loop, for the same index
//!   (`earlier`);
//! - what integers are made of: sums, products, quotients and remainders, extremes, selections, positions of extremes and
//!   of orders, and the elements of arrays that are made of such.
//!
//! An access that was moved away from its check, or whose check was dropped, is therefore refused by the verifier
//! (`verify`), and checked again by the pass `recheck`.
//!
//! Integers of programs wrap, and inequalities between wrapped integers do not add up: for `u + 1 < n` with the greatest `u`
//! nothing follows for `u`. So polynomials are made of *exact* variables only, those whose magnitude the size of an array
//! or of a loop limits; anything else is a symbol of its own, equal to nothing but itself.
//!
//! `facts` holds what is known, `define` takes it from statements, `prove` derives from it, `accesses` walks a function.

mod accesses;
mod define;
mod earlier;
mod facts;
mod flat;
mod prove;

pub use accesses::{check_unproved, unproved};
pub use facts::{Bounds, Elements};
pub use flat::limited_by;
