//! Ctrl-C during a run.
//!
//! Python's own handler of the signal only notes it: the exception is raised when the interpreter goes on, which it does
//! not while a run has the thread. A run in the main thread therefore has a handler of its own, which sets the flag that
//! its code looks at, and calls Python's. It is installed for runs alone that may take long, and taken away after them.

use arr_base::Code;
use arr_driver::{Failure, Lent, Owned};
use arr_serve::host::{Function, Refused};
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Instant;

/// Set by the handler. Only the main thread runs code that looks at it, one run at a time.
static STOP: AtomicBool = AtomicBool::new(false);

type Results = Result<SmallVec<[Owned; 4]>, Refused>;

/// Runs a function without the lock of the interpreter. After Ctrl-C the exception is the one that Python's handler
/// raises; if it raises none, the run starts over.
pub fn run(py: Python<'_>, function: &Function, leaves: &[Lent<'_>]) -> PyResult<Results> {
    loop {
        let results = py.detach(|| once(function, leaves));
        if !matches!(&results, Err(why) if is_interrupt(why)) {
            return Ok(results);
        }
        py.check_signals()?;
    }
}

fn is_interrupt(why: &Refused) -> bool {
    matches!(&why.failure, Failure::Diagnostics(list) if list.iter().any(|d| d.code == Code::INTERRUPTED))
}

fn once(function: &Function, leaves: &[Lent<'_>]) -> Results {
    let sizes = function.sizes(leaves)?;
    let code = function.code(&sizes)?;
    if code.is_short() {
        return function.run(&code, &sizes, leaves, None);
    }
    let handler = handler::Installed::new();
    let stop = handler.is_some().then_some(&STOP);
    STOP.store(false, SeqCst);
    let start = Instant::now();
    let results = function.run(&code, &sizes, leaves, stop);
    code.took(start.elapsed());
    drop(handler);
    results
}

#[cfg(unix)]
mod handler {
    use super::STOP;
    use libc::{SIGINT, c_int, c_void, sigaction, siginfo_t};
    use std::mem::MaybeUninit;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    /// The address of the handler that this one stands before, and whether it takes three arguments.
    static BEFORE: AtomicUsize = AtomicUsize::new(0);
    static TAKES_INFO: AtomicUsize = AtomicUsize::new(0);

    /// The handler, until it is dropped.
    pub struct Installed(sigaction);

    impl Installed {
        /// Installs the handler in the main thread, if the signal has a handler: one that is ignored, or ends the
        /// process, stays so.
        pub fn new() -> Option<Installed> {
            if !is_main_thread() {
                return None;
            }
            let mut before = MaybeUninit::<sigaction>::uninit();
            // SAFETY: the present handler is written to the place that is given.
            let before = unsafe {
                if libc::sigaction(SIGINT, std::ptr::null(), before.as_mut_ptr()) != 0 {
                    return None;
                }
                before.assume_init()
            };
            if before.sa_sigaction == libc::SIG_DFL || before.sa_sigaction == libc::SIG_IGN {
                return None;
            }
            BEFORE.store(before.sa_sigaction, SeqCst);
            TAKES_INFO.store(usize::from(before.sa_flags & libc::SA_SIGINFO != 0), SeqCst);
            let mut own = before;
            let handler: unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = interrupted;
            own.sa_sigaction = handler as usize;
            own.sa_flags |= libc::SA_SIGINFO;
            // SAFETY: the handler does only what a handler may.
            let installed = unsafe { libc::sigaction(SIGINT, &raw const own, std::ptr::null_mut()) } == 0;
            installed.then_some(Installed(before))
        }
    }

    impl Drop for Installed {
        fn drop(&mut self) {
            // SAFETY: it is the handler from before.
            unsafe { libc::sigaction(SIGINT, &raw const self.0, std::ptr::null_mut()) };
        }
    }

    /// Sets the flag and does what the handler from before does.
    unsafe extern "C" fn interrupted(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        STOP.store(true, SeqCst);
        let before = BEFORE.load(SeqCst);
        // SAFETY: the address is that of the handler that was installed, of this type.
        unsafe {
            if TAKES_INFO.load(SeqCst) != 0 {
                let handler = std::mem::transmute::<usize, extern "C" fn(c_int, *mut siginfo_t, *mut c_void)>(before);
                handler(signal, info, context);
            } else {
                let handler = std::mem::transmute::<usize, extern "C" fn(c_int)>(before);
                handler(signal);
            }
        }
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn is_main_thread() -> bool {
        // SAFETY: these only ask.
        unsafe { libc::gettid() == libc::getpid() }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn is_main_thread() -> bool {
        // SAFETY: this only asks.
        unsafe { libc::pthread_main_np() != 0 }
    }
}

#[cfg(not(unix))]
mod handler {
    /// There is no handler: a run goes on to its end.
    pub struct Installed;

    impl Installed {
        pub fn new() -> Option<Installed> {
            None
        }
    }
}
