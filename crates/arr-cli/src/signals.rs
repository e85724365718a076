//! Effects of signals besides ending the process: temporary files are removed, and exceeding a file size limit is an
//! error. While an interactive session evaluates, Ctrl-C stops the evaluation and nothing else; where a program runs once,
//! it stops that, which says where it was.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

/// What goes on that an interrupt is to stop.
static RUNNING: AtomicU8 = AtomicU8::new(NOTHING);
const NOTHING: u8 = 0;
/// An input of an interactive session, which goes on behind it.
const EVALUATION: u8 = 1;
/// A program, whose end is that of the process.
const PROGRAM: u8 = 2;

/// Stops what runs once it is set.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// How long a program that is interrupted may take to say where it was: what compiles, or waits for a device, does not.
const PATIENCE: Duration = Duration::from_millis(500);

/// Runs an evaluation that an interrupt stops, by setting [`STOP`].
pub fn stoppable<T>(evaluate: impl FnOnce() -> T) -> T {
    STOP.store(false, Ordering::SeqCst);
    running(EVALUATION, evaluate)
}

/// Runs a program that an interrupt stops, by setting [`STOP`], and then ends the process if it goes on.
pub fn stopped<T>(run: impl FnOnce() -> T) -> T {
    running(PROGRAM, run)
}

fn running<T>(what: u8, run: impl FnOnce() -> T) -> T {
    RUNNING.store(what, Ordering::SeqCst);
    let value = run();
    RUNNING.store(NOTHING, Ordering::SeqCst);
    value
}

/// Ends the process as an interrupt does, so that its parent sees that.
pub fn end_interrupted() {
    let _none = arr_driver::remove_temporaries();
    let _ = emulate_default_handler(SIGINT);
}

/// The thread that waits for signals needs little stack.
const STACK: usize = 1 << 17;

/// Installs the handlers. If that fails, signals keep their default effects.
pub fn install() {
    // With a handler, even one without any effect, writing past the limit is a failure of the write, which is reported
    // like a full disk.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let ignored = ignored();
    // Signals that were ignored from the start (`nohup`, background jobs) stay ignored.
    let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    let Ok(mut signals) = Signals::new(wanted) else { return };
    let wait = move || {
        for signal in signals.forever() {
            // The second of two ends the process in any case.
            let what = if signal == SIGINT { RUNNING.load(Ordering::SeqCst) } else { NOTHING };
            if what != NOTHING && !STOP.swap(true, Ordering::SeqCst) {
                if what == PROGRAM {
                    end_soon();
                }
                continue;
            }
            let _none = arr_driver::remove_temporaries();
            // The process ends as if there had been no handler, so that its parent sees the signal.
            let _ = emulate_default_handler(signal);
            return;
        }
    };
    let _ = std::thread::Builder::new().name("signals".to_string()).stack_size(STACK).spawn(wait);
}

/// Ends the process in a while, if what was stopped still runs.
fn end_soon() {
    let wait = || {
        std::thread::sleep(PATIENCE);
        if RUNNING.load(Ordering::SeqCst) == PROGRAM {
            end_interrupted();
        }
    };
    let _ = std::thread::Builder::new().name("patience".to_string()).stack_size(STACK).spawn(wait);
}

/// The signals that the process inherited as ignored, signal `n` as bit `n - 1`; none if that cannot be known.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
