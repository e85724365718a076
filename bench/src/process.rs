//! A running peer: a process that receives commands on its standard input, and answers with times.
//!
//! A process is started as `PROGRAM .. THREADS ARG..`, reads its inputs and prints `ready value` or `ready value gradient`. Then
//! it answers each line with one line:
//!
//! | line | what it does | answer |
//! |---|---|---|
//! | `run value 5` | calls the function five times | what each call took, in nanoseconds |
//! | `save gradient PATH` | calls the function and writes the result | `ok` |
//! | `code value STEP` | compiles the function without a step, `-` for none (Arr alone) | a number that stands for its loops, nanoseconds |
//! | `peak` | | the most bytes in use during the last call, if it counts them, else `-` |
//!
//! A result is written as its arrays one after the other, each as a count (`u64`) and that many `f64`. A line that starts with
//! `error` is a failure.
//!
//! Between answers a process is stopped: threads that spin while waiting for work, as those of OpenMP do for a while,
//! would take a core from the next peer.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A function of a workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    Value,
    Gradient,
}

impl Function {
    pub fn name(self) -> &'static str {
        match self {
            Function::Value => "value",
            Function::Gradient => "gradient",
        }
    }
}

/// Whether a process has its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Begins,
    Over,
}

#[derive(Debug)]
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    started: Instant,
    /// The functions that the peer has.
    pub functions: Vec<Function>,
    /// Memory in use with the inputs read and before the first call, in bytes.
    pub resident_before: Option<u64>,
}

impl Process {
    /// Starts a peer and waits until it has read its inputs.
    pub fn start(mut command: Command, threads: usize, args: &[String]) -> Result<Process, String> {
        let started = Instant::now();
        command.arg(threads.to_string()).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = command.spawn().map_err(|error| format!("`{name}` did not start: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("`{name}` has no streams"));
        };
        let output = BufReader::new(output);
        let mut process = Process { child, input, output, started, functions: Vec::new(), resident_before: None };
        let line = process.answer()?;
        for function in [Function::Value, Function::Gradient] {
            if line.split(' ').skip(1).any(|word| word == function.name()) {
                process.functions.push(function);
            }
        }
        process.resident_before = process.status("VmRSS:");
        process.signal(Turn::Over);
        Ok(process)
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| error.to_string())?;
        let line = line.trim().to_string();
        match line.strip_prefix("error") {
            Some(what) => Err(what.trim_start_matches(':').trim().to_string()),
            None if line.is_empty() => Err("it ended without an answer".to_string()),
            None => Ok(line),
        }
    }

    fn ask(&mut self, line: &str) -> Result<String, String> {
        self.signal(Turn::Begins);
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).map_err(|error| error.to_string())?;
        let answer = self.answer();
        self.signal(Turn::Over);
        answer
    }

    /// Lets all threads of the process continue, or stops them. One that has ended needs neither.
    #[cfg(unix)]
    fn signal(&self, turn: Turn) {
        use rustix::process::{Pid, Signal, kill_process};
        let signal = match turn {
            Turn::Begins => Signal::CONT,
            Turn::Over => Signal::STOP,
        };
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, signal);
        }
    }

    #[cfg(not(unix))]
    fn signal(&self, _: Turn) {}

    /// Seconds that each of `count` calls took.
    pub fn run(&mut self, function: Function, count: usize) -> Result<Vec<f64>, String> {
        let line = self.ask(&format!("run {} {count}", function.name()))?;
        let times: Result<Vec<f64>, _> = line.split(' ').map(|word| word.parse::<f64>().map(|ns| ns * 1e-9)).collect();
        times.map_err(|_| format!("not times: {line}"))
    }

    pub fn save(&mut self, function: Function, path: &Path) -> Result<(), String> {
        self.ask(&format!("save {} {}", function.name(), path.display())).map(|_| ())
    }

    /// A fingerprint of the loops that a function is compiled to, without a step if one is given, and the compilation
    /// time in seconds.
    pub fn code(&mut self, function: Function, without: Option<&str>) -> Result<(u64, f64), String> {
        let line = self.ask(&format!("code {} {}", function.name(), without.unwrap_or("-")))?;
        let numbers =
            line.split_once(' ').and_then(|(code, took)| Some((code.parse().ok()?, took.parse::<f64>().ok()?)));
        numbers.map(|(code, took)| (code, took * 1e-9)).ok_or_else(|| format!("not understood: {line}"))
    }

    /// The peak memory of the last call in bytes, if the peer counts it itself.
    pub fn counted_peak(&mut self) -> Option<u64> {
        self.ask("peak").ok()?.parse().ok()
    }

    /// The peak growth of the process's memory since its inputs were read, in bytes.
    pub fn grown(&self) -> Option<u64> {
        Some(self.status("VmHWM:")?.saturating_sub(self.resident_before?))
    }

    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// A line of the system's status of the process, on Linux.
    fn status(&self, key: &str) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
