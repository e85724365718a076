//! Shared code of the tests on a device.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use arr_gpu::{Ask, Device, Executable};
use arr_ir::{Const, Func, Value};
use arr_loops::{LoopFunc, LowerOptions};
use arr_wgsl::{Integers, Options};
use std::sync::{Arc, OnceLock};

/// A device with `f64` and `i64`; without one it says loudly that a test is skipped.
pub fn device() -> Option<&'static Arc<Device>> {
    static DEVICE: OnceLock<Option<Arc<Device>>> = OnceLock::new();
    let device = DEVICE.get_or_init(|| Device::open(None, Ask::All).ok());
    let device = device.as_ref().filter(|d| d.options().integers == Integers::Native && d.adapter().float64);
    if device.is_none() {
        eprintln!("SKIPPED: there is no graphics device with f64 and i64 here; see docs/gpu.md");
    }
    device
}

/// Loops in the form for a device.
pub fn lowered(func: &Func) -> LoopFunc {
    let options = LowerOptions { relaxed: true, nested: true, ..LowerOptions::default() };
    arr_loops::lower_with(func, options).unwrap()
}

/// The program for a device; it must have a kernel whose name passes.
pub fn executable(func: &Func, device: &Arc<Device>, is_wanted: impl Fn(&str) -> bool) -> Executable {
    let options = Options { storage_buffers: 16, ..device.options() };
    let program = arr_wgsl::compile(lowered(func), &options, &|_| None).unwrap_or_else(|e| panic!("{e}"));
    assert!(program.kernels.iter().any(|(_, k)| is_wanted(&k.name)), "{}", program.wgsl);
    Executable::new(device, program).unwrap_or_else(|e| panic!("{e}"))
}

/// The elements as numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    let one = |c: Const| match c {
        Const::Bool(b) => f64::from(u8::from(b)),
        Const::I32(i) => f64::from(i),
        Const::U32(u) => f64::from(u),
        Const::I64(i) => i as f64,
        Const::F32(x) => f64::from(x),
        Const::F64(x) => x,
    };
    match value {
        Value::Scalar(c) => vec![one(*c)],
        Value::Array(a) => (0..a.data.len()).map(|k| one(a.data.get(k).unwrap())).collect(),
    }
}
