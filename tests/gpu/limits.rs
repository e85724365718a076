//! Programs beyond the capacity of a device are refused with the numbers, and `--max-steps` ends an infinite loop, in
//! kernels and between them.

use super::programs::{Test, told};
use arr_driver::{DeviceReport, Execution, Floats, MemoryWorld, Session};
use arr_tests::Outcome;
use arr_tests::trial::Trial;

/// A row: a name, an expression, its code, and the title.
const ENDLESS: &[(&str, &str)] = &[
    ("one_point", "loop x = 1.0 while x > 0.0 do x + 1.0"),
    ("every_point", "for i < 100 => loop x = f64(i) while x >= 0.0 do x + 1.0"),
    ("one_of_many", "sum(for i < 100 => loop x = f64(i) - 98.5 while x > 0.0 do x + 1.0)"),
    ("between_kernels", "loop x = ones(300) while sum(x) > 0.0 do x + 1.0"),
    ("inner", "for i < 3 => loop x = 0.0 while x < 10.0 do x + (loop y = 0.5 while y > 0.0 do y + 1.0)"),
    ("long", "for i < 3 => loop x = 0.0 for k < 100000000000 do x + sin(x)"),
];

/// Programs that Mesa's software device, which truncates the loops of an invocation after 65,535 iterations, cannot
/// run: an element takes more.
const ENDED: &[(&str, &str)] = &[
    ("sums_of_their_own", "for j < 3 => sum(for i < 70000 * (j + 1) / (j + 1) => f64(j))"),
    ("while", "for j < 300 => loop x = f64(j) while x < 70000.0 do x + 1.0"),
    ("in_a_loop", "for j < 300 => loop x = 0.0 for k < 300 do x + (loop y = f64(j % 2) while y < 300.0 do y + 1.0)"),
    // Every lane iterates 30,000 times, at different times, so that all of them together exceed the limit.
    (
        "lanes_apart",
        "for j < 8 => loop x = 0.0 for i < 8 do x + (loop y = 0.0 while y < (if i == j then 30000.0 else 0.0) do y + 1.0)",
    ),
    // The truncation is in the last iteration of the outer loop, which ends by itself.
    ("at_the_end", "for j < 300 => loop x = 0.0 for k < 2 do (loop y = x + f64(j) while y < 50000.0 + x do y + 1.0)"),
    ("reduced", "sum(for j < 300 => loop x = f64(j) while x < 70000.0 do x + 1.0)"),
];

/// Programs that it can run, since such loops are divided among invocations or kernels: the value.
const DIVIDED: &[(&str, &str, &str)] = &[
    ("few_points", "for j < 3 => sum(for i < 100000 => f64(j))", "[0.0, 100000.0, 200000.0]"),
    (
        "many_points",
        "let a = sort(for j < 300 => sum(for i < 70000 => f64(j % 2 * 2 + i % 2))) in [a[0], a[299]]",
        "[35000.0, 175000.0]",
    ),
    ("state", "for j < 3 => loop x = 0.0 for i < 100000 do x + 1.0", "[100000.0, 100000.0, 100000.0]"),
    (
        "thin_product",
        "sum(sum((for i < 3, k < 70000 => f64(k % 2)) @ (for k < 70000, j < 6000 => f64(k % 2)) / 35000.0))",
        "18000.0",
    ),
    ("just_so_long", "for j < 3 => loop x = f64(j % 2) while x < 65000.0 do x + 1.0", "[65000.0, 65000.0, 65000.0]"),
];

pub fn trials(device: &DeviceReport) -> Vec<Trial> {
    let number = device.number;
    let ends_loops = device.limits.iter().any(|&(name, _)| name == "element_iterations");
    let ended = ENDED.iter().filter(move |_| ends_loops).map(move |&(name, expression)| {
        Trial::test(format!("f32::ended::{name}"), move || Ok(super::deep(move || ended(expression, number))?))
    });
    let divided = DIVIDED.iter().map(move |&(name, expression, value)| {
        Trial::test(format!("f32::divided::{name}"), move || Ok(super::deep(move || gives(expression, value, number))?))
    });
    let endless = ENDLESS.iter().map(move |&(name, expression)| {
        Trial::test(format!("f32::endless::{name}"), move || Ok(super::deep(move || stops(expression, number))?))
    });
    let ends = Trial::test("f32::endless::that_ends", move || Ok(super::deep(move || ends(number))?));
    endless.chain([ends]).chain(ended).chain(divided).collect()
}

fn with_steps(expression: &str, device: usize, limit: Option<u64>) -> Result<String, String> {
    let test = Test { floats: Floats::F32, device, portable: false };
    let mut session = Session::new(MemoryWorld::new([]));
    let mut program = session.expression(None, expression).map_err(told)?;
    let execution = Execution { max_steps: limit, ..test.execution() };
    program.run(&[], &[], &execution).map(|outcome| arr_data::to_literal(&outcome.value)).map_err(told)
}

fn stops(expression: &str, device: usize) -> Outcome {
    match with_steps(expression, device, Some(1000)) {
        Err(said) if said.starts_with("E0607") && said.contains("1000") => Ok(()),
        other => Err(format!("{expression}\n  expected E0607, found {other:?}")),
    }
}

/// Exactly as many iterations as are allowed are no fault.
fn ends(device: usize) -> Outcome {
    let expression = "for i < 4 => loop x = 0 while x < 10 do x + 1";
    match (with_steps(expression, device, Some(40)), with_steps(expression, device, Some(9))) {
        (Ok(value), Err(said)) if value == "[10, 10, 10, 10]" && said.starts_with("E0607") => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn ended(expression: &str, device: usize) -> Outcome {
    match with_steps(expression, device, None) {
        Err(said) if said.starts_with("E1003") && said.contains("65535") => Ok(()),
        other => Err(format!("{expression}\n  expected E1003, found {other:?}")),
    }
}

fn gives(expression: &str, value: &str, device: usize) -> Outcome {
    match with_steps(expression, device, None)? {
        found if found == value => Ok(()),
        found => Err(format!("{expression}\n  expected {value}, found {found}")),
    }
}
