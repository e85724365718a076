//! Two meanings of a program with derivatives, each as defined in its paper: slow, literal, and written without the
//! compiler's differentiation, so that tests can compare the two.
//!
//! [`run`] evaluates a function of the IR at any level, `vjp` and `jvp` included, to any depth. A `vjp` is evaluated
//!
//! - by [`Method::Chad`] with the rules of Vákár and Smeding, *CHAD: Combinatory Homomorphic Automatic Differentiation*
//!   (2022): every construct gives its value and a backpropagator, a function from the cotangent of the value to that of the
//!   environment, which is a map from variables to cotangents with a plus (`chad`);
//! - by [`Method::Dual`] with scalar dual numbers after Smeding, Konarski, Peyton Jones and Fitzgibbon, *Dual-Numbers Reverse AD
//!   for Functional Array Languages* (2025), section 2: every number that is differentiated carries the number of a tape entry,
//!   which says from which entries it came and with which partial derivatives (`dual`).
//!
//! A `jvp` is evaluated with forward dual numbers. If derivatives nest, the innermost ones follow the method, and those
//! around them use dual numbers.
//!
//! Both treat an exact zero specially: a cotangent that is exactly zero contributes nothing, whatever the partial
//! derivative it would be multiplied with. Linear maps have this property, and the language guarantees it for values
//! that were not selected.
//!
//! [`Operations`] counts additions, multiplications and other functions in the accounting of Bernstein, Mara, Li, Maclaurin
//! and Ragan-Kelley, *Differentiating a Tensor Language* (2020), section 4.

mod chad;
mod count;
mod dual;
mod kernel;
mod machine;
mod number;
mod partial;
mod value;

pub use count::Operations;

use arr_ir::{Func, RunErrorKind, Value};
use machine::Machine;

/// How a `vjp` is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    Chad,
    Dual,
}

/// Reasons why there are no results.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// The program's own run-time error.
    Failed(RunErrorKind),
    /// More statements than the limit: this evaluator is for small programs.
    TooLong,
}

/// One result for each of the function's, and the cost of computing them.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub results: Vec<Value>,
    pub operations: Operations,
}

/// Evaluates a function on values for its sizes and parameters, in at most `limit` statements. Fails with the run-time
/// error of the program, with [`Stop::TooLong`] past the limit, and with [`RunErrorKind::Internal`] where the number of
/// arguments is wrong, the function is not well formed or a primitive has no derivative.
pub fn run(func: &Func, sizes: &[i64], args: &[Value], method: Method, limit: u64) -> Result<Outcome, Stop> {
    let mut machine = Machine::new(func, method, limit);
    machine.bind_arguments(sizes, args)?;
    let results = machine.block(&func.body)?;
    let results = results.iter().map(|r| r.to_value().ok_or_else(|| internal("an array of mixed elements")));
    Ok(Outcome { results: results.collect::<Result<_, _>>()?, operations: machine.operations })
}

type Run<T> = Result<T, Stop>;

/// An error that only ill-formed code can cause.
fn internal(what: &str) -> Stop {
    Stop::Failed(RunErrorKind::Internal(what.to_string()))
}
