//! The back end for graphics devices, on the available device: every program of the suite with checks, examples,
//! GradBench's modules and random programs, in `f32` beside the interpreter's `f64`, and as written if the device has
//! `f64`; with only the features of every device; and the amount of work for the device.
//!
//! Without a device nothing is tested, and this says so. `ARR_DEVICE` names a device.

mod counts;
mod definitions;
mod examples;
mod exceptions;
mod limits;
mod modules;
mod programs;
mod swiftshader;
mod workloads;

use arr_driver::{DeviceReport, Floats};
use arr_tests::generator::ProgramKind;
use arr_tests::trial::{Trial, deep};
use arr_tests::{Outcome, arr, checks, files};
use programs::Test;

/// Programs that run in `f64` too.
const IN_DOUBLE: &[&str] = &["programs/dual_numbers", "programs/branches"];

/// Programs that run with only the features of every device.
const PORTABLE: &[&str] = &["programs/dual_numbers", "programs/branches", "papers/chad", "papers/tensor_language"];

const SEEDS: std::ops::Range<u64> = 0..4;

pub fn trials() -> Vec<Trial> {
    let Some(device) = device() else {
        eprintln!(
            "\n*** SKIPPED: there is no graphics device here, so that the GPU back end is not tested (docs/gpu.md)\n"
        );
        return Vec::new();
    };
    let mut trials =
        vec![Trial::test("browser", || Ok(browser()?)), Trial::test("swiftshader", || Ok(swiftshader::run()?))];
    let single = Test { floats: Floats::F32, device: device.number, portable: false };
    trials.extend(suite("f32", single, checks::DIRECTORIES));
    trials.extend(definitions::trials("f32", single));
    trials.extend(modules::trials("f32", single));
    trials.extend(workloads::trials("f32", single));
    let portable = Test { portable: true, ..single };
    trials.extend(suite("portable", portable, PORTABLE));
    trials.extend(definitions::trials("portable", portable));
    trials.extend(workloads::trials("portable", portable));
    if device.float64 {
        let double = Test { floats: Floats::Declared, ..single };
        trials.extend(suite("f64", double, IN_DOUBLE));
        trials.extend(definitions::trials("f64", double));
        trials.extend(workloads::trials("f64", double));
    }
    trials.extend(examples::trials(&device));
    trials.extend(counts::trials(&device));
    trials.extend(limits::trials(&device));
    trials
}

/// The programs of directories below `tests`, and random ones.
fn suite(name: &str, test: Test, directories: &[&str]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for directory in directories {
        let group = directory.rsplit('/').next().unwrap_or(directory);
        for program in files::list(&format!("tests/{directory}"), ".arr") {
            let trial = format!("{name}::{group}::{}", files::stem(&program));
            trials.push(Trial::test(trial, move || Ok(deep(move || test.file(&program))?)));
        }
    }
    for seed in SEEDS {
        for kind in ProgramKind::ALL {
            let trial = format!("{name}::random::{}_{seed}", kind.name);
            trials.push(Trial::test(trial, move || Ok(deep(move || test.random(seed, kind))?)));
        }
    }
    trials
}

fn device() -> Option<DeviceReport> {
    let all = arr_driver::devices().ok()?;
    let number = match std::env::var("ARR_DEVICE") {
        Ok(name) if !name.is_empty() => arr_driver::find_device(&name).ok()?,
        _ => 0,
    };
    all.into_iter().nth(number)
}

/// The page of `examples/webgpu` in headless Chromium, if it is installed.
fn browser() -> Outcome {
    let script = files::root().join("examples/webgpu/check.sh");
    let output = std::process::Command::new("sh").arg(script).env("ARR", arr::binary()?).output();
    let output = output.map_err(|error| format!("`sh` did not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => Ok(()),
        Some(77) => {
            eprintln!("{said}");
            Ok(())
        }
        status => Err(format!("check.sh ended with {status:?}:\n{said}")),
    }
}
