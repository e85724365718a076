//! What is found out about code before derivatives of it are written. Nothing here writes statements.
//!
//! | file | what it finds |
//! |---|---|
//! | `activity` | which variables depend on the differentiated inputs |
//! | `structural_zeros` | where exact zeros of what was not selected come from |
//! | `update_chains` | which states a loop updates in place, and by which statements |
//! | `index` | index expressions as polynomials over axes |
//! | `affine` | the points of a kernel that read a given element |

pub(crate) mod activity;
pub(crate) mod affine;
pub(crate) mod index;
pub(crate) mod structural_zeros;
pub(crate) mod update_chains;
