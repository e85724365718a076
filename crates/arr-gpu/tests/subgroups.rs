//! Matrix products whose tiles are exchanged in subgroups: the same bits as without, on any device.
#![allow(clippy::print_stderr)]

use crate::common;
use crate::on_device::{lowered, numbers};
use arr_gpu::{Ask, Device, Executable};
use arr_ir::interp::Limits;
use arr_ir::{Func, interp, sample};
use arr_wgsl::Options;
use std::sync::Arc;

/// Products, and sizes of their arguments.
const PRODUCTS: &[(&str, &[&[i64]])] = &[
    (
        "def main(a: [n][k]f64, b: [k][m]f64) -> [n][m]f64 = a @ b",
        &[
            &[1, 1, 1],
            &[16, 16, 16],
            &[17, 33, 67],
            &[64, 64, 64],
            &[65, 31, 130],
            &[20, 0, 20],
            &[0, 20, 20],
            &[40, 1, 40],
            // In parts.
            &[20, 2500, 20],
            &[70, 1025, 33],
        ],
    ),
    // Operands transposed, and a product that is added to something.
    (
        "def main(a: [k][n]f64, b: [m][k]f64, c: [n][m]f64) -> [n][m]f64 = c + transpose(a) @ transpose(b)",
        &[&[37, 21, 18]],
    ),
    (
        "def main(a: [s][n][k]f64, b: [s][k][m]f64) -> [s][n][m]f64 = for i < s => a[i] @ b[i]",
        &[&[3, 18, 37, 65], &[0, 18, 3, 20]],
    ),
    // A zero that wins, in reverse mode.
    (
        "def loss(a: [n][k]f64, b: [k][m]f64) -> f64 = sum(for row in a @ b => maximum(row))
         def main(a: [n][k]f64, b: [k][m]f64) -> ([n][k]f64, [k][m]f64) = grad(\\((a, b)) => loss(a, b))((a, b))",
        &[&[33, 40, 50]],
    ),
];

/// The first device with subgroups.
fn device() -> Option<Arc<Device>> {
    let device = Device::open(None, Ask::All).ok().filter(|device| device.adapter().subgroups.is_some());
    if device.is_none() {
        eprintln!("SKIPPED: there is no graphics device with subgroups here; see docs/gpu.md");
    }
    device
}

/// A program with subgroups of a size or without, and its arguments.
struct Product {
    source: String,
    func: Func,
    exe: Executable,
}

impl Product {
    fn new(source: &str, device: &Arc<Device>, subgroup: Option<u32>) -> Product {
        let func = common::fused(source, "main");
        let options = Options { subgroup, ..device.options() };
        let program =
            arr_wgsl::compile(lowered(&func), &options, &|_| None).unwrap_or_else(|e| panic!("{source}\n{e}"));
        let shuffles = program.wgsl.contains("subgroupShuffle");
        assert_eq!(shuffles, subgroup.is_some(), "{}", program.wgsl);
        assert_eq!(shuffles, program.needs.subgroups);
        let exe = Executable::new(device, program).unwrap_or_else(|e| panic!("{source}\n{e}"));
        Product { source: source.to_string(), func, exe }
    }

    fn run(&self, sizes: &[i64]) -> Vec<Vec<f64>> {
        let args = sample::args(&self.func, sizes, 7).expect("arguments");
        let outcome = self.exe.run(sizes, &args, &Limits::default());
        let outcome = outcome.unwrap_or_else(|e| panic!("{}\n{e}", self.source));
        outcome.results.iter().map(numbers).collect()
    }

    /// The interpreter's results.
    fn expected(&self, sizes: &[i64]) -> Vec<Vec<f64>> {
        let args = sample::args(&self.func, sizes, 7).expect("arguments");
        let outcome = interp::run(&self.func, sizes, &args, &Limits::default()).unwrap_or_else(|e| panic!("{e:?}"));
        outcome.results.iter().map(numbers).collect()
    }
}

fn bits(results: &[Vec<f64>]) -> Vec<Vec<u64>> {
    results.iter().map(|values| values.iter().map(|x| x.to_bits()).collect()).collect()
}

#[test]
fn subgroups_change_no_bit() {
    let Some(device) = device() else { return };
    let least = device.adapter().subgroups.map(|(least, _)| least);
    let float64 = device.adapter().float64;
    for (source, all) in PRODUCTS {
        let single = source.replace("f64", "f32");
        for (source, within) in [(single.as_str(), 1e-4), (source, 1e-11)].into_iter().take(1 + usize::from(float64)) {
            let plain = Product::new(source, &device, None);
            // If subgroups are smaller than stated, each invocation reads for itself.
            let others = [least, Some(4), Some(64)].map(|size| (size, Product::new(source, &device, size)));
            for sizes in *all {
                let found = plain.run(sizes);
                for (size, other) in &others {
                    assert_eq!(bits(&found), bits(&other.run(sizes)), "{source} at {sizes:?} in subgroups of {size:?}");
                }
                let expected = plain.expected(sizes).concat();
                let wrong =
                    expected.iter().zip(found.concat()).find(|(a, b)| (*a - b).abs() > within * (1.0 + a.abs()));
                assert!(wrong.is_none(), "{source} at {sizes:?}: {wrong:?}");
            }
        }
    }
}

/// A program for a device with subgroups is refused by one without.
#[test]
fn a_device_without_them_refuses() {
    let Ok(device) = Device::open(None, Ask::Portable) else { return };
    let func = common::fused("def main(a: [n][k]f32, b: [k][m]f32) -> [n][m]f32 = a @ b", "main");
    let options = Options { subgroup: Some(8), ..device.options() };
    let program = arr_wgsl::compile(lowered(&func), &options, &|_| None).unwrap();
    let refused = Executable::new(&device, program).err().map(|e| e.to_diagnostic().notes.join(" "));
    assert!(refused.is_some_and(|notes| notes.contains("subgroups")));
}
