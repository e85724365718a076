//! What a worker is asked, and what it answers: lines of JSON between processes.

use super::program::{Entry, Program};
use serde::{Deserialize, Serialize};

/// How code is made and run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Way {
    pub strict: bool,
    /// For the sizes of the call.
    pub sized: bool,
    pub threads: usize,
    pub checkpoint: bool,
}

impl Way {
    /// As flags of the command.
    pub fn flags(&self) -> String {
        let flag = |set: bool, text: &str| if set { format!(" {text}") } else { String::new() };
        let threads = format!(" --threads {}", self.threads);
        flag(self.strict, "--strict")
            + &flag(!self.sized, "--any-size")
            + &threads
            + &flag(self.checkpoint, "--checkpoint")
    }
}

/// A program to be compared.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Job {
    pub source: String,
    /// The program with `f64` for its floats, where these are `f32`.
    pub wider: Option<String>,
    /// The definitions to be run, the value first.
    pub entries: Vec<String>,
    pub arguments: Vec<String>,
    /// The same, each number moved by a billionth or so: what a program does with rounding errors.
    pub moved: Vec<String>,
    pub ways: Vec<Way>,
    /// Whether to run the oracle of derivatives.
    pub oracle: bool,
}

/// What went wrong with it, if anything.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Verdict {
    Passed,
    /// It was not compared, for a reason of its own.
    Skipped(String),
    Failed(Failure),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of fault it is, the same for all programs that show one: what reduction keeps.
    pub kind: String,
    pub entry: String,
    pub way: Option<Way>,
    pub told: String,
}

impl Failure {
    /// Failures with the same of these are taken for one fault.
    pub fn signature(&self) -> String {
        let way = self.way.map_or(String::new(), |w| format!("{} {}", w.strict, w.sized));
        let order = match self.entry.as_str() {
            "f" => "value",
            "jacobian" => "jacobian",
            "twice" | "mixed" | "crossed" => "second derivative",
            _ => "derivative",
        };
        format!("{} / {order} / {way}", self.kind)
    }
}

impl Job {
    pub fn new(program: &Program, ways: &[Way], oracle: bool) -> Job {
        let mut entries = vec![Entry::Value.name().to_string()];
        for entry in &program.entries {
            if *entry != Entry::Value && !program.wrt().is_empty() && !program.smooth_results().is_empty() {
                entries.push(entry.name().to_string());
            }
        }
        Job {
            source: program.source(program.single),
            wider: program.single.then(|| program.source(false)),
            entries,
            arguments: program.arguments(0),
            moved: program.moved(),
            ways: ways.to_vec(),
            oracle,
        }
    }
}

/// The ways that a seed's program is compiled in: of four seeds in a row, all.
pub fn ways(seed: u64) -> Vec<Way> {
    let way = |strict, sized, threads, checkpoint| Way { strict, sized, threads, checkpoint };
    let mut ways = match seed % 4 {
        0 => vec![way(true, false, 1, false), way(false, true, 2, false)],
        1 => vec![way(false, false, 1, false), way(true, true, 2, false)],
        2 => vec![way(false, true, 1, false), way(false, false, 2, false)],
        _ => vec![way(true, false, 2, false), way(false, true, 1, false)],
    };
    if seed % 8 == 5 {
        ways.push(way(false, true, 1, true));
    }
    if seed % 8 == 3 {
        ways.push(way(true, false, 1, true));
    }
    ways
}
