//! The commands in the first comments of the examples, on a device: their output is that of the transcripts, in `f32`
//! within a tolerance. GradBench's modules likewise, on the inputs of `serve/gradbench.json`.

use super::programs::{DOUBLE, SINGLE};
use arr_driver::DeviceReport;
use arr_tests::trial::Trial;
use arr_tests::values::{Tolerance, same};
use arr_tests::{Outcome, files, transcript};
use std::path::Path;

/// The modified form in which a command is run.
enum How {
    /// In `f32`, compared within this tolerance.
    Within(Tolerance),
    /// This instead, compared with the interpreter.
    Instead(&'static str),
    /// As written, on a device with `f64`.
    Double,
    Never,
}

use How::{Double, Instead, Never, Within};

const LOOSE: Tolerance = Tolerance { relative: 1e-3, absolute: 1e-5 };

/// A part of a command, and the reason why it is an exception.
const EXCEPTIONS: &[(&str, How, &str)] = &[
    ("run examples/mixture.arr", Double, "ascends so far that f32 diverges, in the interpreter too"),
    ("run examples/least_squares.arr", Double, "the condition of the normal equations is past the digits of f32"),
    (
        "check-grad examples/black_scholes.arr",
        Instead(
            "arr check-grad examples/black_scholes.arr --entry simulated {spot=100.0,strike=105.0,years=0.5,rate=0.03,volatility=0.2} [-1.5,-0.5,0.8,1.2]",
        ),
        "a step that f32 needs crosses the kink at 0.31",
    ),
    (
        "run examples/bundle.arr",
        Instead("arr run examples/bundle.arr rounds=2"),
        "later costs are squares of rounding errors",
    ),
    ("run examples/convnet.arr", Instead("arr run examples/convnet.arr steps=3"), "time"),
    ("test examples/convnet.arr", Never, "differences at equal pixels, where pooling has kinks, on the CPU too"),
    (
        "run examples/kalman.arr",
        Instead(
            "arr eval examples/kalman.arr 'let ys = generate({ process = -2.3, measured = -0.7 }, 12) in (fit({ process = 0.0, measured = 0.0 }, ys, 2), value_and_grad(likelihood)({ process = -1.0, measured = -0.5 }, ys))'",
        ),
        "time",
    ),
    (
        "run examples/raymarch.arr --entry improve",
        Instead("arr run examples/raymarch.arr --entry improve @examples/data/scene.json steps=1"),
        "time",
    ),
    ("test examples/nbody.arr", Never, "forces that cancel are as large as they like"),
    ("run examples/nbody.arr", Within(LOOSE), "the drift is a small difference of energies"),
    ("run examples/black_scholes.arr", Within(LOOSE), "a sum of 100,000 terms"),
];

pub fn trials(device: &DeviceReport) -> Vec<Trial> {
    let (number, float64) = (device.number.to_string(), device.float64);
    let mut trials = Vec::new();
    for program in files::list("examples", ".arr") {
        let number = number.clone();
        let name = format!("f32::example::{}", files::stem(&program));
        trials.push(Trial::test(name, move || Ok(example(&program, &number, float64)?)));
    }
    trials
}

fn example(program: &Path, device: &str, float64: bool) -> Outcome {
    let golden = files::root().join("tests/examples").join(format!("{}.txt", files::stem(program)));
    let golden = files::read(&golden)?;
    let directory = transcript::workplace()?;
    let single = ["--backend", "gpu", "--device", device, "--float", "f32"];
    let double = ["--backend", "gpu", "--device", device];
    for command in transcript::commands_of_program(&files::read(program)?) {
        let exception = EXCEPTIONS.iter().find(|(part, _, _)| command.contains(part)).map(|(_, how, _)| how);
        let run = |command: &str, extra: &[&str]| transcript::record(&[command.to_string()], directory.path(), extra);
        let expected = || transcript::of_command(&golden, &command).ok_or(format!("no transcript of `{command}`"));
        let (found, expected, tolerance) = match exception {
            Some(Never) => continue,
            Some(Double) if !float64 => continue,
            Some(Double) => (run(&command, &double)?, expected()?.to_string(), Tolerance { relative: 1e-6, ..DOUBLE }),
            Some(Within(tolerance)) => (run(&command, &single)?, expected()?.to_string(), *tolerance),
            Some(Instead(other)) => (run(other, &single)?, run(other, &["--backend", "interp"])?, SINGLE),
            None => (run(&command, &single)?, expected()?.to_string(), SINGLE),
        };
        judged(&command, &found, &expected, tolerance)?;
    }
    Ok(())
}

/// Tests and comparisons of derivatives report themselves whether they pass.
fn judged(command: &str, found: &str, expected: &str, tolerance: Tolerance) -> Outcome {
    let by_itself = command.starts_with("arr test") || command.starts_with("arr check-grad");
    let right = if by_itself { !found.contains("[status") } else { same(found, expected, tolerance) };
    if right { Ok(()) } else { Err(format!("on the device\n{found}\nexpected\n{expected}")) }
}
