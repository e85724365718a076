//! Programs whose kernels use more arrays than the device binds.
#![allow(clippy::print_stderr)]

use crate::common;
use crate::on_device::{device, lowered, numbers};
use arr_gpu::{Device, Executable, GpuError};
use arr_ir::interp::Limits;
use arr_ir::{Func, interp, sample};
use arr_wgsl::{CompileError, Integers, Options};
use std::path::Path;
use std::sync::Arc;

/// Programs, and whether they need packs where a kernel binds four buffers.
const PROGRAMS: &[(&str, bool)] = &[
    // A nest: arrays of every type, read and written.
    (
        "def main(a: [n]f64, b: [n]f64, c: [n]f64, k: [n]i64, on: [n]bool, u: [n]u32, v: [n]f32, w: [n]i32) -> ([n]f64, [n]i64, [n]bool, [n]f32) =
          let x = for i < n => if on[i] then a[i] * b[i] else c[i] + f64(v[i])
          let y = for i < n => k[i] / 2 + i64(u[i] % 7u32) + i64(w[i])
          let z = for i < n => on[i] == (w[i] > 0i32)
          let r = for i < n => v[i] * 2.0f32
          in (x, y, z, r)",
        true,
    ),
    // Reads at computed places, which are checked, of many arrays.
    (
        "def main(a: [n]f64, b: [n]f64, c: [n]f64, d: [n]f64, e: [n]f64, f: [n]f64, g: [n]f64, h: [n]f64) -> [n]f64 =
          for i < n => let k = (i * 7 + 3) % n in
            a[k] + b[(k + 1) % n] * c[(k + 2) % n] - d[k] + e[i] * f[i] - g[n - 1 - i] + h[k]",
        true,
    ),
    // A reduction, short and long.
    (
        "def main(a: [n]f64, b: [n]f64, c: [n]f64, d: [n]f64, e: [n]f64, on: [n]bool) -> (f64, f64) =
          (sum(for i < n => if on[i] then a[i] * b[i] + d[i] else c[i] - e[i]), maximum(for i < n => d[i] - e[i] * a[i]))",
        true,
    ),
    // Scans, and a loop in order.
    (
        "def main(a: [n]f64, b: [n]f64, c: [n]f64, d: [n]f64, e: [n]f64) -> ([n]f64, [n]f64) =
          let s = cumsum(for i < n => a[i] * b[i] + c[i] - d[i] * e[i])
          let t = loop t = for i < n => a[i] * 0.0 for i < n do t with [i] = a[i] + b[i] * (if i == 0 then 1.0 else sin(t[i - 1])) + c[i] * d[i] - e[i]
          in (s, t)",
        true,
    ),
    // Sums at computed places.
    (
        "def main(a: [n]f64, b: [n]f64, c: [n]f64, d: [n]f64, e: [n]f64, k: [n]u32) -> [5]f64 =
          scatter_add(zeros(5), for i < n => i64(k[i] % 5u32), for i < n => a[i] * b[i] + c[i] - d[i] * e[i])",
        true,
    ),
    // Several results of one gradient.
    (
        "def loss(a: [n]f64, b: [n]f64, c: [n]f64, d: [n]f64, x: [n]f64) -> f64 = sum(sin(a * x) * b + exp(-c * c) * d * x)
         def main(a: [n]f64, b: [n]f64, c: [n]f64, d: [n]f64, x: [n]f64) -> ([n]f64, [n]f64, [n]f64, [n]f64) =
           grad(\\((a, b, c, d)) => loss(a, b, c, d, x))((a, b, c, d))",
        true,
    ),
    ("def main(a: [n]f64, b: [n]f64) -> [n]f64 = a + b", false),
];

fn agree(what: &str, func: &Func, device: &Arc<Device>, options: &Options, all: &[Vec<i64>], packs: Option<bool>) {
    let program = arr_wgsl::compile(lowered(func), options, &|_| None).unwrap_or_else(|e| panic!("{what}: {e}"));
    for (_, kernel) in program.kernels.iter() {
        let bound = kernel.buffers.len() + usize::from(kernel.slots) + usize::from(kernel.faults);
        assert!(bound <= options.storage_buffers as usize, "{what}: {}", kernel.name);
    }
    let steps = arr_wgsl::print(&program);
    assert!(packs.is_none_or(|packs| packs == steps.contains(" = pack ")), "{what}\n{steps}");
    let exe = Executable::new(device, program).unwrap_or_else(|e| panic!("{what}: {e}"));
    for sizes in all {
        let Some(args) = sample::args(func, sizes, 7) else { continue };
        let expected = interp::run(func, sizes, &args, &Limits::default());
        let found = exe.run(sizes, &args, &Limits::default());
        let (expected, found) = match (expected, found) {
            (Ok(expected), Ok(found)) => (expected.results, found.results),
            (Err(_), Err(GpuError::Run(_))) => continue,
            (expected, found) => panic!("{what} at {sizes:?}: {found:?} instead of {:?}", expected.map(|_| ())),
        };
        for (e, f) in expected.iter().zip(&found) {
            let (e, f) = (numbers(e), numbers(f));
            let size = e.iter().fold(1e-30f64, |m, x| if x.is_finite() { m.max(x.abs()) } else { m });
            let single = matches!(func.ty(func.params[0]).elem, arr_ir::Scalar::F32);
            let within = if single { 2e-4 } else { 1e-9 } * size;
            let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= within;
            assert_eq!(e.len(), f.len(), "{what}");
            let wrong = e.iter().zip(&f).position(|(a, b)| !same(*a, *b));
            assert!(wrong.is_none(), "{what} at {sizes:?}, {wrong:?}: {f:.10?} instead of {e:.10?}");
        }
    }
}

#[test]
fn kernels_with_many_arrays_are_right() {
    let Some(device) = device() else { return };
    for (source, packs) in PROGRAMS {
        let func = common::fused(source, "main");
        // Five are enough for slots, faults, words and numbers of 64 bits.
        for (integers, storage_buffers) in [(Integers::Narrow, 5), (Integers::Narrow, 8), (Integers::Native, 5)] {
            let options = Options { integers, storage_buffers, ..device.options() };
            let packs = (storage_buffers == 5 || !packs).then_some(*packs);
            agree(source, &func, device, &options, &[vec![0], vec![7], vec![5000]], packs);
        }
    }
}

/// With the minimum, for programs in `f32`.
#[test]
fn four_buffers_are_enough_for_narrow_programs() {
    let Some(device) = device() else { return };
    for (source, packs) in PROGRAMS {
        let source = source.replace("f64(v[i])", "v[i]").replace("f64", "f32");
        let func = common::fused(&source, "main");
        let options = Options { integers: Integers::Narrow, storage_buffers: 4, ..device.options() };
        let all: &[Vec<i64>] = &[vec![1], vec![300], vec![5000]];
        match arr_wgsl::compile(lowered(&func), &options, &|_| None) {
            Ok(_) => agree(&source, &func, device, &options, all, Some(*packs)),
            // Sums of sorted terms are a kernel of their own.
            Err(CompileError::TooManyBuffers { found: 5, most: 4, .. }) if source.contains("scatter_add") => {}
            Err(e) => panic!("{source}: {e}"),
        }
    }
}

#[test]
fn golden_programs_are_right_with_five_buffers() {
    let Some(device) = device() else { return };
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../arr-wgsl/tests/golden");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "arr"));
    files.sort();
    for path in files {
        let source = std::fs::read_to_string(&path).unwrap();
        let entry = source.lines().next().and_then(|l| l.strip_prefix("-- entry: ")).unwrap_or("main").trim();
        let func = common::fused(&source, entry);
        let all = [5, 200]
            .map(|n| func.sizes.iter().enumerate().map(|(k, _)| if k == 0 { n } else { 3 + k as i64 }).collect());
        let options = Options { integers: Integers::Narrow, storage_buffers: 5, ..device.options() };
        agree(&path.display().to_string(), &func, device, &options, &all, None);
    }
}
