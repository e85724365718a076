//! Requests to workers, and their answers: lines of JSON between processes.

use super::derivatives::Entry;
use super::program::Program;
use serde::{Deserialize, Serialize};

/// How code is compiled and run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Way {
    pub strict: bool,
    /// For the sizes of the call.
    pub sized: bool,
    pub threads: usize,
    pub checkpoint: bool,
    /// Every access is checked.
    pub sanitize: bool,
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
            + &flag(self.sanitize, "--sanitize")
    }
}

/// A program to be compared.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Job {
    pub source: String,
    /// Whether it computes with `f32`.
    pub single: bool,
    /// The program with `f64` instead of `f32`, if it uses that and the former is known.
    pub wider: Option<String>,
    /// The definitions to run, the value first.
    pub entries: Vec<String>,
    pub arguments: Vec<String>,
    /// The same arguments, each number moved by a billionth or so: the program's sensitivity to rounding errors.
    pub moved: Vec<String>,
    pub ways: Vec<Way>,
    /// Whether to run the oracle of derivatives.
    pub oracle: bool,
    /// Whether the compiler may refuse the program.
    pub refusable: bool,
    /// The program before the deliberate error, if there is one.
    pub original: Option<String>,
    /// Whether derivatives may have errors of their own, as declared ones may.
    pub own_errors: bool,
}

/// The failure, if there is one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Verdict {
    Passed,
    /// It was not compared, for the given reason.
    Skipped(String),
    Failed(Failure),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The kind of fault, the same for all programs that show one: the property that reduction keeps.
    pub kind: String,
    pub entry: String,
    pub way: Option<Way>,
    pub told: String,
}

impl Failure {
    /// Failures with the same signature are taken for one fault.
    pub fn signature(&self) -> String {
        let sanitized = |w: &Way| if w.sanitize { " sanitized" } else { "" };
        let way = self.way.map_or(String::new(), |w| format!("{} {}{}", w.strict, w.sized, sanitized(&w)));
        let order = match self.entry.as_str() {
            "" => "unknown",
            "jacobian_" => "jacobian",
            "hessians_" => "hessian",
            "twice_" | "mixed_" | "crossed_" => "second derivative",
            "gradient_" | "both_" | "forward_" | "backward_" => "derivative",
            _ => "value",
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
            single: program.single,
            wider: program.single.then(|| program.source(false)),
            entries,
            arguments: program.arguments(0),
            moved: program.moved(),
            ways: ways.to_vec(),
            oracle,
            refusable: false,
            original: None,
            own_errors: false,
        }
    }

    /// The command that shows a failure, for the program in `p.arr`.
    pub fn command(&self, failure: &Failure) -> String {
        let entry = if failure.entry.is_empty() { self.entries.last() } else { Some(&failure.entry) };
        let way = failure.way.or_else(|| self.ways.first().copied().filter(|_| failure.entry.is_empty()));
        let way = way.map_or(" --backend interp".to_string(), |way| way.flags());
        let arguments: Vec<String> = self.arguments.iter().map(|a| format!("'{a}'")).collect();
        format!("arr run p.arr --entry {}{way} {}", entry.map_or("f", String::as_str), arguments.join(" "))
    }
}

/// The ways in which a seed's program is compiled: four seeds in a row cover all.
pub fn ways(seed: u64) -> Vec<Way> {
    let way = |strict, sized, threads| Way { strict, sized, threads, checkpoint: false, sanitize: false };
    let mut ways = match seed % 4 {
        0 => vec![way(true, false, 1), way(false, true, 3)],
        1 => vec![way(false, false, 1), way(true, true, 3)],
        2 => vec![way(false, true, 1), way(false, false, 3)],
        _ => vec![way(true, false, 3), way(false, true, 1)],
    };
    match seed % 8 {
        5 => ways.push(Way { checkpoint: true, ..way(false, true, 1) }),
        3 => ways.push(Way { checkpoint: true, ..way(true, false, 1) }),
        0 | 6 => ways.push(Way { sanitize: true, ..way(seed % 16 > 7, seed.is_multiple_of(8), 1) }),
        _ => {}
    }
    ways
}
