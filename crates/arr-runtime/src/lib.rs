//! The run-time library of compiled code: memory, scalar mathematics, matrix products, threads, run-time errors.
//!
//! Compiled code gets a pointer to a [`Context`], and pointers to [`Buffer`]s. It changes reference counts itself and
//! calls [`symbols`] for everything else. A failure is recorded in the context; compiled code then returns at once,
//! and all live buffers are freed with the context.
#![allow(unsafe_code)]

mod arena_cache;
mod block;
mod buffer;
mod call;
mod context;
mod failure;
mod gemm;
mod math;
mod memory;
mod par;
mod pool;
mod privatize;
mod sanitize;
mod scan;
mod sort;
mod team;
mod trace;
mod vector;

pub use arena_cache::{Arena, ArenaCache};
pub use block::{BLOCK_ALIGN, Block};
pub use buffer::{Buffer, Elements};
pub use call::{Call, Entry};
pub use context::{Context, Failure, FailureCode, Record, offsets};
pub use math::{function_symbol, run_symbols};
pub use memory::MemoryStats;
pub use par::{GRAIN, MAX_CHUNKS, Threads};
pub use privatize::{AddedKind, OWN_HEAD, OWN_ROW};
pub use sanitize::{PLACE_WORDS, is_fill_32, is_fill_64};
pub use trace::Tracing;

/// A function that compiled code may call, by the name it is linked under.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    pub name: &'static str,
    pub address: *const u8,
}

/// Every function that compiled code may call.
pub fn symbols() -> Vec<Symbol> {
    let mut symbols = math::symbols();
    symbols.extend(gemm::symbols());
    symbols.extend(sort::symbols());
    symbols.extend(vector::symbols());
    symbols.extend(sanitize::symbols());
    symbols.extend([
        Symbol { name: "arr_alloc", address: context::arr_alloc as *const u8 },
        Symbol { name: "arr_free", address: context::arr_free as *const u8 },
        Symbol { name: "arr_check_shape", address: context::arr_check_shape as *const u8 },
        Symbol { name: "arr_copy", address: context::arr_copy as *const u8 },
        Symbol { name: "arr_trace_scalar", address: trace::arr_trace_scalar as *const u8 },
        Symbol { name: "arr_trace_array", address: trace::arr_trace_array as *const u8 },
        Symbol { name: "arr_par_for", address: par::arr_par_for as *const u8 },
        Symbol { name: "arr_par_own", address: privatize::arr_par_own as *const u8 },
        Symbol { name: "arr_par_scan", address: scan::arr_par_scan as *const u8 },
    ]);
    symbols
}
