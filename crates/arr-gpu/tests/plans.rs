//! The programs of `arr-wgsl`'s golden tests, and a gradient that is many kernels, on a device and in the interpreter:
//! at sizes where kernels run separately, over rows, in one workgroup, and in parts.
#![allow(clippy::print_stderr)]

use crate::common;
use crate::on_device::{device, lowered, numbers};
use arr_gpu::{Device, Executable, GpuError};
use arr_ir::interp::Limits;
use arr_ir::{Func, interp, sample};
use arr_wgsl::{Integers, Options};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Compares at sizes; the error of the interpreter, if any, must be the device's.
fn agree(name: &str, func: &Func, device: &Arc<Device>, all: &[Vec<i64>], wrong: &mut Vec<String>) {
    for integers in [Integers::Narrow, Integers::Native] {
        agree_with(name, func, device, integers, all, wrong);
    }
}

fn agree_with(
    name: &str,
    func: &Func,
    device: &Arc<Device>,
    integers: Integers,
    all: &[Vec<i64>],
    wrong: &mut Vec<String>,
) {
    let program = match arr_wgsl::compile(lowered(func), &Options { integers, ..device.options() }, &|_| None) {
        Ok(program) => program,
        Err(error) => return wrong.push(format!("{name}: {error}")),
    };
    let executable = Executable::new(device, program).unwrap_or_else(|e| panic!("{name}: {e}"));
    for sizes in all {
        let Some(args) = sample::args(func, sizes, 7) else { continue };
        let expected = interp::run(func, sizes, &args, &Limits::default());
        let found = executable.run(sizes, &args, &Limits::default());
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                for (k, (e, f)) in expected.results.iter().zip(&found.results).enumerate() {
                    let (e, f) = (numbers(e), numbers(f));
                    let size = e.iter().fold(1e-30f64, |m, x| if x.is_finite() { m.max(x.abs()) } else { m });
                    let single = matches!(func.ty(func.params[0]).elem, arr_ir::Scalar::F32);
                    let within = if single { 2e-4 } else { 1e-9 } * size;
                    let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= within;
                    if e.len() != f.len() || e.iter().zip(&f).any(|(a, b)| !same(*a, *b)) {
                        let at = e.iter().zip(&f).position(|(a, b)| !same(*a, *b)).unwrap_or(0);
                        wrong.push(format!(
                            "{name} at {sizes:?}: result {k}[{at}]: {:?} instead of {:?}",
                            f.get(at),
                            e.get(at)
                        ));
                    }
                }
            }
            (Err(_), Err(GpuError::Run(_))) => {}
            (expected, found) => {
                let what = expected.map(|_| "results");
                wrong.push(format!("{name} at {sizes:?}: {:?} instead of {what:?}", found.map(|_| "results")));
            }
        }
    }
}

fn golden() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../arr-wgsl/tests/golden");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "arr"));
    files.sort();
    files
}

/// Programs with partial reductions at a size that the interpreter can run, too.
const LONG: &[&str] = &["argmax", "extremes", "normalise", "prefix", "sum"];

/// Programs that have one workgroup per row if rows are long, or per column.
const WIDE: &[&str] = &["columns", "matvec", "rows", "softmax", "standard_rows"];

#[test]
fn golden_programs_are_right() {
    let Some(device) = device() else { return };
    let mut wrong = Vec::new();
    for path in golden() {
        let source = std::fs::read_to_string(&path).unwrap();
        let entry = source.lines().next().and_then(|l| l.strip_prefix("-- entry: ")).unwrap_or("main").trim();
        let func = common::fused(&source, entry);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let sizes = [0, 1, 5, 40].map(|n| func.sizes.iter().enumerate().map(|(k, _)| n + k as i64).collect());
        let mut all: Vec<Vec<i64>> = sizes.to_vec();
        let many = if LONG.contains(&name.as_str()) { 5000 } else { 200 };
        all.push(func.sizes.iter().enumerate().map(|(k, _)| if k == 0 { many } else { 3 }).collect());
        if WIDE.contains(&name.as_str()) {
            all.extend([vec![3, 500], vec![70, 129], vec![1, 4100], vec![1500, 7]]);
        }
        let start = std::time::Instant::now();
        agree(&name, &func, device, &all, &mut wrong);
        eprintln!("{name}: {:?}", start.elapsed());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn gradients_of_the_mixture_are_right() {
    let Some(device) = device() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mixture.arr");
    let func = common::fused(&std::fs::read_to_string(path).unwrap(), "gradient");
    let mut wrong = Vec::new();
    let all = [vec![3, 2, 10], vec![3, 4, 150], vec![5, 3, 1000], vec![2, 20, 40]];
    agree("mixture", &func, device, &all, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
