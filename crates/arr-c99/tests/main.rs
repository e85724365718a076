//! C source.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod golden;
mod memory;
mod rows;

use arr_c99::{Interface, Parameter};
use arr_loops::LoopFunc;

/// An interface with the names of the loop function.
fn interface(func: &LoopFunc, strict: bool) -> Interface {
    let named = |name: String| Parameter { name, ty: String::new(), tag: None };
    let params = func.params.iter().map(|p| named(func.locals[p.local].name.clone()));
    let results = (0..func.outputs.len()).map(|at| named(format!("result_{at}")));
    Interface {
        symbol: func.name.clone(),
        doc: Vec::new(),
        parameters: params.collect(),
        results: results.collect(),
        sizes: None,
        room: None,
        strict,
        taken: arr_header::Scope::default(),
        result_sizes: Vec::new(),
        place: None,
    }
}
