//! Effects of signals besides ending the process: temporary files are removed, and exceeding a file size limit is an
//! error.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
        if let Some(signal) = signals.forever().next() {
            let _none = arr_driver::remove_temporaries();
            // The process ends as if there had been no handler, so that its parent sees the signal.
            let _ = emulate_default_handler(signal);
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
