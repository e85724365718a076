//! The loop IR: loop nests over buffers, and lowering to it.
//!
//! [`lower`] turns a function of fused or bulk IR (it accepts core IR without `vjp`/`jvp` too) into a [`LoopFunc`]:
//! structured loops, scalar locals, loads and stores at linear offsets, allocation and reference counts, and checks.
//! A back end reads nothing else.
//!
//! What lowering decides:
//! - **Memory.** A buffer has a dynamic reference count; every array variable owns one reference and gives it up at its
//!   last use, by a move or a release. A scatter whose destination is unique writes in place.
//! - **Addresses.** Row-major offsets are split by the loop that each part belongs to, so that what does not change in
//!   a loop is computed before it, and a strided index is an induction variable (see `address`).
//! - **Order.** Everything that can fail, and every floating-point accumulation, happens in the order of the reference
//!   interpreter; reductions are not reassociated. Under [`LowerOptions::relaxed`] matrix products may be: a kernel that is one
//!   is also lowered to [`Stmt::MatMul`], for which sizes decide when the program runs.
//! - **Passes over memory.** Neighbouring loops over one range that have an array in common are made one (see `fuse_loops`), and fill an
//!   array that dies in them (see `reuse_buffers`); an array that a loop overwrites, or adds to once, is not filled before (see `dead_fills`), and a state that is
//!   copied into its tape lives there (see `short_circuit`).
//! - **Blocks.** A loop of the program whose points do not look at each other is done for a block of points after the other (see
//!   `strip_mine`), if [`LowerOptions::blocks`].
//! - **Threads.** The outermost loop of a kernel says whether its iterations may be done in chunks on several threads, and
//!   how partial results are combined (see `parallel`). Sums and products of floats are taken in parts only if
//!   [`LowerOptions::relaxed`]. A loop of the program that is a scan says how it is done in chunks (see `scan`).
//! - **Bounds.** Every access that is left is proved inside of its array by the range analysis, or checked (see `bounds_checks`).
//! - **Trust.** The text form is read back ([`parse`]); [`verify`] checks a function without running it, after every pass in debug
//!   builds; [`shadow`] runs one in memory that finds what none may do. [`PASSES`] lists the passes over loops.

mod address;
mod analysis;
mod arguments;
mod bounds_checks;
mod checks;
mod dead;
mod dead_fills;
mod emit;
mod error;
mod fresh;
mod fuse_loops;
mod ir;
mod lower;
mod parallel;
mod parallelize;
mod parse;
mod passes;
mod print;
mod product;
mod reuse_buffers;
mod scan;
mod shadow;
mod short_circuit;
mod strip_mine;
mod verify;
mod walk;

pub use error::LowerError;
pub use ir::{
    Added, Demand, Expr, For, Induction, LiteralId, LocalId, LocalInfo, LoopFunc, Operand, Output, Parallel, Param,
    ParamSize, Partial, SpanId, Stmt, Ty, While,
};
pub use lower::{LowerOptions, lower, lower_unoptimized, lower_with};
pub use parallel::{captures, scan_captures};
pub use parse::parse;
pub use passes::{LoopPass, PASSES, When, run_passes};
pub use print::{print, print_operand, print_stmts};
pub use product::{MatMul, ProductAxis, Role};
pub use scan::{Chain, Link, Scan, ScanPart, ScanState, ScanStep};
pub use shadow::{ShadowFault, ShadowOptions, ShadowRun, ShadowStop, shadow, shadow_steps};
pub use verify::{LoopFault, unproved_accesses, verify};
pub use walk::{any_stmt, for_each_chunked_stmt, for_each_stmt, rewrite_stmts};
