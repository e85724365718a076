//! What a device does not have room for is refused with the numbers, and a loop without an end is ended by `--max-steps`, in
//! kernels and between them.

use crate::programs::{Test, told};
use arr_driver::{DeviceReport, Execution, Floats, MemoryWorld, Session};
use arr_tests::Outcome;
use libtest_mimic::Trial;

/// A row: a name, an expression, the code that it gives, what its title says.
const ENDLESS: &[(&str, &str)] = &[
    ("one_point", "loop x = 1.0 while x > 0.0 do x + 1.0"),
    ("every_point", "for i < 100 => loop x = f64(i) while x >= 0.0 do x + 1.0"),
    ("one_of_many", "sum(for i < 100 => loop x = f64(i) - 98.5 while x > 0.0 do x + 1.0)"),
    ("between_kernels", "loop x = ones(300) while sum(x) > 0.0 do x + 1.0"),
    ("inner", "for i < 3 => loop x = 0.0 while x < 10.0 do x + (loop y = 0.5 while y > 0.0 do y + 1.0)"),
    ("long", "for i < 3 => loop x = 0.0 for k < 100000000000 do x + sin(x)"),
];

pub fn trials(device: &DeviceReport) -> Vec<Trial> {
    let number = device.number;
    let endless = ENDLESS.iter().map(move |&(name, expression)| {
        Trial::test(format!("f32::endless::{name}"), move || Ok(crate::deep(move || stops(expression, number))?))
    });
    let ends = Trial::test("f32::endless::that_ends", move || Ok(crate::deep(move || ends(number))?));
    endless.chain([ends]).collect()
}

fn with_steps(expression: &str, device: usize, limit: u64) -> Result<String, String> {
    let test = Test { floats: Floats::F32, device, portable: false };
    let mut session = Session::new(MemoryWorld::new([]));
    let mut program = session.expression(None, expression).map_err(told)?;
    let execution = Execution { max_steps: Some(limit), ..test.execution() };
    program.run(&[], &[], &execution).map(|outcome| arr_data::to_literal(&outcome.value)).map_err(told)
}

fn stops(expression: &str, device: usize) -> Outcome {
    match with_steps(expression, device, 1000) {
        Err(said) if said.starts_with("E0607") && said.contains("1000") => Ok(()),
        other => Err(format!("{expression}\n  expected E0607, found {other:?}")),
    }
}

/// As many iterations as are allowed are no fault.
fn ends(device: usize) -> Outcome {
    let expression = "for i < 4 => loop x = 0 while x < 10 do x + 1";
    match (with_steps(expression, device, 40), with_steps(expression, device, 9)) {
        (Ok(value), Err(said)) if value == "[10, 10, 10, 10]" && said.starts_with("E0607") => Ok(()),
        other => Err(format!("{other:?}")),
    }
}
