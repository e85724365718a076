//! Reasons why a question has no answer.

use arr_base::Diagnostic;

#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The program or its input is at fault. Never empty.
    Diagnostics(Vec<Diagnostic>),
    /// The compiler is at fault.
    Bug(String),
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Diagnostics(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(mut diagnostics: Vec<Diagnostic>) -> Self {
        Diagnostic::sort(&mut diagnostics);
        Failure::Diagnostics(diagnostics)
    }
}

impl From<arr_pipeline::Failure> for Failure {
    fn from(failure: arr_pipeline::Failure) -> Self {
        match failure {
            arr_pipeline::Failure::Program(diagnostic) => (*diagnostic).into(),
            arr_pipeline::Failure::Bug(what) => Failure::Bug(what),
        }
    }
}
