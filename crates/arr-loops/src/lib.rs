//! The loop IR: loop nests over buffers, and lowering to it.
//!
//! [`lower`] turns a function of fused or bulk IR (it accepts core IR without `vjp`/`jvp` too) into a [`LoopFunc`]:
//! structured loops, scalar locals, loads and stores at linear offsets, allocation and reference counts, and checks.
//! A back end reads nothing else.
//!
//! What lowering decides:
//! - **Memory.** A buffer has a dynamic reference count; every array variable owns one reference and gives it up at its
//!   last use, by a move or a release. A scatter whose destination is unique writes in place.
//! - **Addresses.** Row-major offsets are split by the loop that each part belongs to, so that loop-invariant parts are
//!   computed before the loop, and a strided index is an induction variable (see `address`).
//! - **Order.** Everything that can fail, and every floating-point accumulation, happens in the order of the reference
//!   interpreter; reductions are not reassociated. Under [`LowerOptions::relaxed`] matrix products may be: such a
//!   kernel is lowered to [`Stmt::MatMul`] as well, and the sizes at run time choose between the two.
//! - **Passes over memory.** Neighbouring loops over one range that share an array are fused (see `fuse_loops`) and
//!   write their result into an array that dies in them (see `reuse_buffers`); an array that a loop overwrites, or adds
//!   to once, is not filled before (see `dead_fills`); and a state that every iteration copies into its tape is built
//!   there directly (see `short_circuit`).
//! - **Blocks.** With [`LowerOptions::blocks`], a loop of the program without dependences between its points runs for
//!   one block of points after another (see `strip_mine`).
//! - **Threads.** The outermost loop of a kernel says whether its iterations may run in chunks on several threads, and
//!   how partial results are combined (see `parallel`). Sums and products of floats are split into partial results only
//!   under [`LowerOptions::relaxed`]. A loop of the program that is a scan says how it runs in chunks (see `scan`).
//! - **Bounds.** The range analysis proves every remaining access inside its array, or the access is checked (see
//!   `bounds_checks`).
//! - **Trust.** The text form is read back ([`parse`]); [`verify`] checks a function without running it, after every
//!   pass if asked to; [`shadow`] runs a function in shadow memory, which detects forbidden accesses. [`PASSES`]
//!   lists the passes over loops.

mod address;
mod analysis;
mod arguments;
mod bounds_checks;
mod checks;
mod dead;
mod dead_fills;
mod emit;
mod empty_nest;
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

pub use arguments::Given;
pub use empty_nest::inner_extents;
pub use error::LowerError;
pub use ir::{
    Added, Demand, Expr, For, Induction, LiteralId, LocalId, LocalInfo, LoopFunc, Operand, Origin, Output, Parallel,
    Param, ParamSize, Partial, Section, SpanId, Stmt, TraceId, TraceSite, Ty, While,
};
pub use lower::{LowerOptions, lower, lower_unoptimized, lower_with};
pub use parallel::{captures, scan_captures};
pub use parse::parse;
pub use passes::{LoopPass, PASSES, When, run_passes};
pub use print::{print, print_operand, print_stmts};
pub use product::{MatMul, ProductAxis, Role};
pub use scan::{Chain, Link, Scan, ScanPart, ScanState, ScanStep};
pub use shadow::{ShadowFault, ShadowOptions, ShadowRun, ShadowStop, shadow, shadow_steps};
pub use verify::{LoopFault, access_steps, unproved_accesses, verify};
pub use walk::{any_stmt, for_each_chunked_stmt, for_each_stmt, has_trace, rewrite_stmts};
