//! Worker processes: each runs programs one after the other, and is restarted when one ends it.

use super::compare::compare;
use super::job::{Failure, Job, Verdict};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Says that this process is a worker.
const VARIABLE: &str = "ARR_LARGE_WORKER";

/// Whether this process was started as a worker; if so it has to call [`work`] and end.
pub fn is_worker() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Answers jobs until there are no more.
pub fn work() {
    let input = std::io::stdin();
    // The panic's message belongs to the answer.
    let message = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let kept = message.clone();
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut kept) = kept.lock() {
            *kept = info.to_string();
        }
    }));
    for line in input.lock().lines() {
        let Ok(line) = line else { return };
        let Ok(job) = serde_json::from_str::<Job>(&line) else { return };
        let verdict = arr_driver::with_stack(|| compare(&job)).unwrap_or_else(|_| {
            let told = message.lock().map(|told| told.clone()).unwrap_or_default();
            let place =
                told.split(" at ").nth(1).and_then(|rest| rest.split(':').next()).unwrap_or("").trim().to_string();
            let failure = Failure { kind: format!("panic in {place}"), entry: String::new(), way: None, told };
            Verdict::Failed(failure)
        });
        let Ok(mut answer) = serde_json::to_string(&verdict) else { return };
        answer.push('\n');
        let mut output = std::io::stdout().lock();
        if output.write_all(answer.as_bytes()).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

/// The kind of failure of a program that exceeds its time limit.
const NO_ANSWER: &str = "no answer";

/// A process that compares programs.
pub struct Worker {
    /// The command that starts a worker: mostly this program.
    running: Option<Running>,
    limit: Duration,
}

struct Running {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Worker {
    /// A worker with a time limit for each program.
    pub fn new(limit: Duration) -> Worker {
        Worker { running: None, limit }
    }

    /// The outcome of a program. A process that ends, or does not answer, is a failure of the program, but one for
    /// which the interpreter has no answer either is skipped: code need not be faster than its definition.
    pub fn ask(&mut self, job: &Job) -> Result<Verdict, String> {
        let verdict = self.answer(job)?;
        let unanswered = |verdict: &Verdict| matches!(verdict, Verdict::Failed(failure) if failure.kind == NO_ANSWER);
        if !unanswered(&verdict) {
            return Ok(verdict);
        }
        let meaning = Job { ways: Vec::new(), oracle: false, ..job.clone() };
        let slow = unanswered(&self.answer(&meaning)?);
        Ok(if slow { Verdict::Skipped("the interpreter takes too long".to_string()) } else { verdict })
    }

    fn answer(&mut self, job: &Job) -> Result<Verdict, String> {
        if self.running.is_none() {
            self.running = Some(start()?);
        }
        let Some(running) = &mut self.running else { return Err("no worker".to_string()) };
        let mut line = serde_json::to_string(job).map_err(|error| error.to_string())?;
        line.push('\n');
        let sent = running.input.write_all(line.as_bytes()).and_then(|()| running.input.flush());
        let answer = match sent {
            Ok(()) => running.answers.recv_timeout(self.limit),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        let kind = match answer {
            Ok(answer) => return serde_json::from_str(&answer).map_err(|error| format!("{error}: {answer}")),
            Err(RecvTimeoutError::Timeout) => NO_ANSWER.to_string(),
            Err(RecvTimeoutError::Disconnected) => {
                // Without a little time the process may not have been reaped.
                let status = running.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                format!("the process ended: {status}")
            }
        };
        self.stop();
        Ok(Verdict::Failed(Failure { kind, entry: String::new(), way: None, told: String::new() }))
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}

fn start() -> Result<Running, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(this)
        .env(VARIABLE, "1")
        // Memory that is read before it was written, or after it was released, holds no zeros.
        .env("MALLOC_PERTURB_", "165")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("no worker: {error}"))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("a worker without pipes".to_string());
    };
    let (sender, answers) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    Ok(Running { child, input, answers })
}
