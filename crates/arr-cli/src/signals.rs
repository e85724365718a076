//! Effects of signals besides ending the process: temporary files are removed, and exceeding a file size limit is an
//! error. While an interactive session evaluates, Ctrl-C stops the evaluation and nothing else.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether an interactive session evaluates an input, which an interrupt is to stop.
static EVALUATING: AtomicBool = AtomicBool::new(false);
/// Stops the evaluation once it is set.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// Runs an evaluation that an interrupt stops, by setting [`STOP`].
pub fn stoppable<T>(evaluate: impl FnOnce() -> T) -> T {
    STOP.store(false, Ordering::SeqCst);
    EVALUATING.store(true, Ordering::SeqCst);
    let value = evaluate();
    EVALUATING.store(false, Ordering::SeqCst);
    value
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
            if signal == SIGINT && EVALUATING.load(Ordering::SeqCst) && !STOP.swap(true, Ordering::SeqCst) {
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

/// The signals that the process inherited as ignored, signal `n` as bit `n - 1`; none if that cannot be known.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
