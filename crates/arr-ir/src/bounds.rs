//! The range analysis, which every level of the IR must satisfy: it proves accesses in bounds (known as bounds-check
//! elimination).
//!
//! An access is *unchecked* (`read!`, `scatter!`) only where this analysis derives, from the function's text alone, that
//! each index is at least zero and below the extent of its axis. It uses
//! - the axes around the access: an index is at least 0 and at most its extent less one;
//! - the conditions around it: branches, guards of a `scatter`;
//! - what earlier code in the same block or one around it has checked: after a `check`, a checked read or a checked
//!   scatter has passed, its indices are known to be in bounds;
//! - what has been checked at every point of an earlier nest or in every iteration of an earlier loop, for the same
//!   index (`earlier`);
//! - the definitions of integers: sums, products, quotients and remainders, extremes, selections, positions of extremes
//!   and of orders, and the elements of arrays made of these.
//!
//! An access that was moved away from its check, or whose check was removed, is therefore rejected by the verifier
//! (`verify`), and checked again by the pass `recheck`.
//!
//! Integers of programs wrap, and inequalities between wrapped integers cannot be added: `u + 1 < n` implies nothing
//! about `u` if `u` is the greatest integer. So polynomials are made of *exact* variables only, those whose magnitude
//! is bounded by the size of an array or of a loop; anything else is an opaque symbol, equal only to itself.
//!
//! `facts` holds what is known, `define` adds facts from statements and `conditions` from conditions, `prove` derives from
//! them, `accesses` walks a function.

mod accesses;
mod answers;
mod conditions;
mod define;
mod earlier;
mod facts;
mod flat;
mod prove;

pub use accesses::{check, check_unproved, unproved};
pub use facts::{Bounds, Elements};
pub use flat::limited_by;
