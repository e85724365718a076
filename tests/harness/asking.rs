//! Evaluates programs in this process: expressions in a file's scope, and the expressions for a comparison of
//! derivatives.

use crate::derivative::Random;
use crate::tree::Tree;
use arr_base::Diagnostic;
use arr_driver::{Backend, Execution, Failure, Outcome, Session};

/// The text of a failure, the codes first.
pub fn told(failure: Failure) -> String {
    let notes = |d: &Diagnostic| d.notes.join("\n").chars().take(2000).collect::<String>();
    match failure {
        Failure::Bug(what) => format!("a bug: {what}"),
        Failure::Diagnostics(list) => {
            list.iter().map(|d| format!("{} {}\n{}", d.code, d.title, notes(d))).collect::<Vec<_>>().join("\n")
        }
    }
}

/// The interpreter's value of an expression in the scope of a file, as printed.
pub fn meaning(session: &mut Session, path: &str, expression: &str) -> Result<Tree, String> {
    let mut program = session.expression(Some(path), expression).map_err(told)?;
    let interpreter = Execution { backend: Backend::Interp, ..Execution::default() };
    let Outcome { value, .. } = program.run(&[], &[], &interpreter).map_err(told)?;
    Tree::parse(&arr_data::to_literal(&value))
}

/// The derivatives of a function at a point, in both modes and one direction: two expressions.
pub fn both_modes(session: &mut Session, path: &str, function: &str, point: &str) -> Result<[String; 2], String> {
    let mut random = Random::new();
    let x = meaning(session, path, point)?;
    let y = meaning(session, path, &format!("({function})({x})"))?;
    let (dx, dy) = (x.map(&mut |_| random.next()), y.map(&mut |_| random.next()));
    Ok([format!("let (y, back) = vjp({function}, {x}) in (y, back({dy}))"), format!("jvp({function}, {x}, {dx})")])
}
