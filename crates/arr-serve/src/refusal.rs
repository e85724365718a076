//! Reasons for refusing a request, in words and as data.

use arr_base::{Diagnostic, SourceMap};
use arr_driver::Failure;
use serde_json::{Value, json};

/// The reply to a refused request. Never empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Refusal {
    pub problems: Vec<Problem>,
}

/// One error.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// The code of the diagnostic, if it is one.
    pub code: Option<String>,
    pub title: String,
    /// `file:line:column`
    pub place: Option<String>,
    pub notes: Vec<String>,
}

impl From<String> for Refusal {
    fn from(title: String) -> Self {
        Refusal { problems: vec![Problem { code: None, title, place: None, notes: Vec::new() }] }
    }
}

impl Refusal {
    /// Hints are left out: they refer to the command line.
    pub fn of(failure: &Failure, sources: &SourceMap) -> Refusal {
        match failure {
            Failure::Bug(what) => Refusal::from(format!("a fault of the compiler: {what}")),
            Failure::Diagnostics(list) => Refusal { problems: list.iter().map(|d| problem(d, sources)).collect() },
        }
    }

    pub fn of_diagnostic(diagnostic: &Diagnostic, sources: &SourceMap) -> Refusal {
        Refusal { problems: vec![problem(diagnostic, sources)] }
    }

    /// All of it as one text, one problem per line.
    pub fn text(&self) -> String {
        self.problems.iter().map(Problem::text).collect::<Vec<_>>().join("\n")
    }

    /// All of it as a JSON list.
    pub fn json(&self) -> Value {
        let each = |p: &Problem| json!({ "code": p.code, "title": p.title, "place": p.place, "notes": p.notes });
        Value::Array(self.problems.iter().map(each).collect())
    }
}

impl Problem {
    fn text(&self) -> String {
        let code = self.code.as_ref().map_or(String::new(), |code| format!("{code}: "));
        let place = self.place.as_ref().map_or(String::new(), |place| format!("{place}: "));
        let notes: String = self.notes.iter().map(|note| format!("; {note}")).collect();
        format!("{place}{code}{}{notes}", self.title)
    }
}

fn problem(d: &Diagnostic, sources: &SourceMap) -> Problem {
    let label = d.labels.iter().find(|label| label.primary);
    let place = label.and_then(|label| {
        let file = sources.get(label.span.file)?;
        let (line, column) = file.line_column(label.span.start as usize);
        Some(format!("{}:{line}:{column}", file.name))
    });
    let expected = d.expected_found.iter().map(|(expected, found)| format!("expected `{expected}`, found `{found}`"));
    let notes = expected.chain(d.notes.iter().cloned()).collect();
    Problem { code: Some(d.code.to_string()), title: d.title.clone(), place, notes }
}
