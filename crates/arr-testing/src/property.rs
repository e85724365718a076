//! One evaluation of a test: its body for one set of arguments.

use crate::compare::{self, Difference};
use crate::error::Broken;
use crate::generate::Case;
use arr_check::Observation;
use arr_data::EdgeValue;
use arr_driver::{Executable, Failure, Gradients};
use arr_ir::{Const, Data, Edge, Func, Value};
use arr_syntax::ast::BinaryOp;

/// A test that is ready to be run any number of times.
pub(crate) enum Compiled {
    Body { executable: Executable, result: Edge, parts: Vec<Observation>, tolerance: Option<f64> },
    Derivatives { name: String, gradients: Box<Gradients> },
}

impl Compiled {
    /// The violation for these arguments; nothing if the test holds. Fails only with a [`Failure::Bug`]: a body that
    /// stops is a violation.
    pub fn look(&self, func: &Func, case: &Case) -> Result<Option<Broken>, Failure> {
        let sizes = case.size_values(func);
        let outcome = match self {
            Compiled::Derivatives { name, gradients } => gradients.at(&sizes, &case.leaves).map(|check| {
                let broken = || Broken::Derivatives(check.to_diagnostic(name));
                (!check.agree()).then(broken)
            }),
            Compiled::Body { executable, result, parts, tolerance } => {
                executable.run(&sizes, &case.leaves).and_then(|(leaves, _)| broken(result, &leaves, parts, *tolerance))
            }
        };
        match outcome {
            Err(Failure::Diagnostics(list)) => Ok(Some(Broken::Stopped(list))),
            other => other,
        }
    }
}

/// The first part of a body that does not hold.
fn broken(
    result: &Edge,
    leaves: &[Value],
    parts: &[Observation],
    tolerance: Option<f64>,
) -> Result<Option<Broken>, Failure> {
    let bug = || Failure::Bug("the results do not have the type of the test".to_string());
    let Some(EdgeValue::Tuple(items)) = EdgeValue::from_leaves(result, leaves) else { return Err(bug()) };
    let mut items = items.into_iter();
    for part in parts {
        let verdict = items.next().ok_or_else(bug)?;
        let (span, op) = match part {
            Observation::Verdict { span } => {
                if !holds(&verdict) {
                    return Ok(Some(Broken::False { span: *span, verdict }));
                }
                continue;
            }
            Observation::Comparison { op, span } => (*span, *op),
        };
        let (left, right) = (items.next().ok_or_else(bug)?, items.next().ok_or_else(bug)?);
        let difference = match (op, &left, &right) {
            (BinaryOp::Eq, EdgeValue::Leaf(a), EdgeValue::Leaf(b)) => compare::sides(a, b, tolerance),
            (BinaryOp::Eq, left, right) => compare::difference(left, right, tolerance),
            _ => None,
        };
        // What holds floats is judged by a tolerance, everything else by the program.
        let close = op == BinaryOp::Eq && tolerance.is_some() && has_floats(&left) && has_floats(&right);
        let fails = if close { beyond(&left, &right, difference.as_ref()) } else { !holds(&verdict) };
        if fails {
            return Ok(Some(Broken::Compared { span, op, left, right, difference }));
        }
    }
    Ok(None)
}

/// Whether two values are too far apart; as in the language, nothing equals a NaN.
fn beyond(left: &EdgeValue, right: &EdgeValue, difference: Option<&Difference>) -> bool {
    let nan = |value: &EdgeValue| value.leaves().iter().flat_map(Value::to_f64s).any(f64::is_nan);
    difference.is_some() || nan(left) || nan(right)
}

fn has_floats(value: &EdgeValue) -> bool {
    value.leaves().iter().any(|leaf| leaf.elem().is_float())
}

/// Whether a verdict is `true`, in all its elements.
fn holds(verdict: &EdgeValue) -> bool {
    verdict.leaves().iter().all(|leaf| match leaf {
        Value::Scalar(c) => *c == Const::Bool(true),
        Value::Array(array) => match &array.data {
            Data::Bool(all) => all.iter().all(|b| *b),
            _ => false,
        },
    })
}
