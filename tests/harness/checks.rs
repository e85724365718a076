//! Checks written as comments in a program:
//!
//! ```text
//! -- > dot([1.0, 2.0], [3.0, 4.0])        the expression below which its value stands,
//! -- 11.0                                 on one line or several,
//! -- error: E0601                         or the code of the run-time error that it gives
//! -- check-grad: f at [1.0, 2.0]          forward, reverse and finite differences agree on `f` at the point
//! ```

use crate::values::{NEAR, same};
use crate::{Outcome, arr, derivative};
use std::path::Path;

/// The directories of programs with checks, below `tests`.
pub const DIRECTORIES: &[&str] = &[
    "programs/dual_numbers",
    "programs/branches",
    "programs/language",
    "programs/ragged",
    "programs/builtins",
    "papers/accelerate",
    "papers/chad",
    "papers/tensor_language",
    "papers/working_notes",
];

#[derive(Clone, PartialEq, Debug)]
pub enum Check {
    Value { expression: String, expected: String },
    Error { expression: String, code: String },
    Gradient { function: String, point: String },
}

/// Questions that differ from others of their files only in sizes around the widths of a processor's vectors.
const FOR_MACHINE_CODE: &[(&str, &[&str])] = &[("gated_loops", &["(16, 17)", "(9, 64)", "(8, 65)", "(16, 33)"])];

/// Whether a question says nothing new to what has no such vectors: the oracles and graphics devices.
pub fn is_for_machine_code(path: &Path, expression: &str) -> bool {
    let here = FOR_MACHINE_CODE.iter().filter(|(name, _)| path.file_stem().is_some_and(|stem| stem == *name));
    here.flat_map(|(_, parts)| *parts).any(|part| expression.contains(part))
}

/// The checks of a program, in order, each with its line.
pub fn read(text: &str) -> Vec<(usize, Check)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut checks = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if let Some(expression) = line.strip_prefix("-- > ") {
            checks.push((i + 1, answer(expression, lines.get(i + 1..).unwrap_or_default())));
        }
        if let Some((function, point)) = line.strip_prefix("-- check-grad: ").and_then(|rest| rest.split_once(" at ")) {
            checks.push((i + 1, Check::Gradient { function: function.to_string(), point: point.to_string() }));
        }
    }
    checks
}

/// The answer to an expression: the comment lines under it, up to the next question.
fn answer(expression: &str, below: &[&str]) -> Check {
    let expression = expression.to_string();
    let is_answer =
        |line: &&&str| line.starts_with("-- ") && !line.starts_with("-- > ") && !line.starts_with("-- check-grad: ");
    let answer: Vec<&str> = below.iter().take_while(is_answer).map(|line| line[3..].trim()).collect();
    match answer.first().and_then(|line| line.strip_prefix("error: ")) {
        Some(code) => Check::Error { expression, code: code.to_string() },
        None => Check::Value { expression, expected: answer.join("\n") },
    }
}

/// Checks that the program is accepted, then all its claims, on every back end.
pub fn run(file: &Path, text: &str) -> Outcome {
    let directory = file.parent().unwrap_or(Path::new("."));
    let output = arr::run(&["check", &file.to_string_lossy()], directory)?;
    if output.status != Some(0) {
        return Err(format!("`arr check` ended with {:?}:\n{}", output.status, output.stderr));
    }
    let mut complaints = Vec::new();
    for (line, check) in read(text) {
        for backend in arr::BACKENDS {
            if let Err(complaint) = one(file, &check, backend) {
                complaints.push(format!("line {line}, {backend}: {complaint}"));
            }
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

fn one(file: &Path, check: &Check, backend: &str) -> Outcome {
    match check {
        Check::Gradient { function, point } => derivative::agree(file, function, point, backend),
        Check::Value { expression, expected } => {
            let found = arr::value(file, expression, backend)?;
            if same(&found, expected, NEAR) {
                return Ok(());
            }
            Err(format!("{expression}\n  expected {expected}\n  found    {found}"))
        }
        Check::Error { expression, code } => match arr::eval(file, expression, backend)? {
            Err(codes) if codes == [code.as_str()] => Ok(()),
            Err(codes) => Err(format!("{expression}\n  expected {code}\n  found    {}", codes.join(" "))),
            Ok(found) => Err(format!("{expression}\n  expected {code}\n  found    {found}")),
        },
    }
}
