//! Signals during a run: Ctrl-C, and timers that end what takes too long.
//!
//! Python's own handler of a signal only notes it: what the program wants done is done when the interpreter goes on, which it
//! does not while a run has the thread. A run in the main thread therefore has handlers of its own, which set the flag that
//! its code looks at, and call Python's. They are installed for runs alone that may take long, and taken away after them.
//!
//! If what Python does then raises nothing, the run starts over, in a thread beside, while the main one does what further
//! signals ask for: a timer that ticks would otherwise keep a run from ever ending.

use arr_base::Code;
use arr_driver::{Failure, Lent, Owned};
use arr_serve::host::{Function, Refused};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Set by the handlers. Only runs of the main thread, or beside it, look at it.
static STOP: AtomicBool = AtomicBool::new(false);

/// How often the main thread looks for signals while a run is beside it.
const LOOK: Duration = Duration::from_millis(10);

/// The stack of a thread beside: as much as the main one has on most machines.
const STACK: usize = 8 << 20;

type Results = Result<SmallVec<[Owned; 4]>, Refused>;

/// Runs a function without the lock of the interpreter. After a signal the exception is the one that Python's handler
/// raises, if it raises one.
pub fn run(py: Python<'_>, function: &Function, leaves: &[Lent<'_>]) -> PyResult<Results> {
    let mut results = py.detach(|| once(function, leaves));
    while matches!(&results, Err(why) if is_interrupt(why)) {
        py.check_signals()?;
        results = py.detach(|| beside(function, leaves))?;
    }
    Ok(results)
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
    let handlers = handlers::Installed::new();
    let stop = handlers.is_some().then_some(&STOP);
    let start = Instant::now();
    let results = function.run(&code, &sizes, leaves, stop);
    code.took(start.elapsed());
    drop(handlers);
    results
}

/// Runs the function in another thread. This one, the main one, does what signals ask for, and fails with what that raises.
fn beside(function: &Function, leaves: &[Lent<'_>]) -> PyResult<Results> {
    STOP.store(false, SeqCst);
    let work = || {
        let sizes = function.sizes(leaves)?;
        function.run(&*function.code(&sizes)?, &sizes, leaves, Some(&STOP))
    };
    thread::scope(|scope| {
        let (done, finished) = mpsc::channel();
        let spawned = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
            // Nobody waits any more if a handler has raised.
            let _ = done.send(work());
        });
        if spawned.is_err() {
            // Without another thread it starts over here, as long as signals come.
            return Ok(once(function, leaves));
        }
        loop {
            match finished.recv_timeout(LOOK) {
                Ok(results) => return Ok(results),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()).inspect_err(|_| {
                    // The scope waits for the thread, which sees this.
                    STOP.store(true, SeqCst);
                })?,
                // The thread has panicked, and so does the scope.
                Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("a run has panicked")),
            }
        }
    })
}

#[cfg(unix)]
mod handlers {
    use super::STOP;
    use libc::{c_int, c_void, sigaction, siginfo_t};
    use std::mem::MaybeUninit;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

    /// The signals that programs of Python take to stop something or to look at it.
    const SIGNALS: [c_int; 7] =
        [libc::SIGINT, libc::SIGALRM, libc::SIGVTALRM, libc::SIGPROF, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];

    /// For each signal the address of the handler that this one stands before, and whether it takes three arguments.
    static BEFORE: [AtomicUsize; SIGNALS.len()] = [const { AtomicUsize::new(0) }; SIGNALS.len()];
    static TAKES_INFO: [AtomicBool; SIGNALS.len()] = [const { AtomicBool::new(false) }; SIGNALS.len()];

    /// The handlers, until they are dropped: what was there before.
    pub struct Installed([Option<sigaction>; SIGNALS.len()]);

    impl Installed {
        /// Installs the handlers in the main thread, for signals that have one: those that are ignored, or end the process,
        /// stay so. From then on the flag tells of signals.
        pub fn new() -> Option<Installed> {
            if !is_main_thread() {
                return None;
            }
            STOP.store(false, SeqCst);
            let mut installed = Installed([None; SIGNALS.len()]);
            for (at, before) in installed.0.iter_mut().enumerate() {
                *before = install(at);
            }
            installed.0.iter().any(Option::is_some).then_some(installed)
        }
    }

    impl Drop for Installed {
        fn drop(&mut self) {
            for (signal, before) in SIGNALS.iter().zip(&self.0) {
                if let Some(before) = before {
                    // SAFETY: it is the handler from before.
                    unsafe { libc::sigaction(*signal, before, std::ptr::null_mut()) };
                }
            }
        }
    }

    /// Installs the handler of a signal, by its place in the list; the one from before, if there is one.
    fn install(at: usize) -> Option<sigaction> {
        let (signal, address, takes_info) = (*SIGNALS.get(at)?, BEFORE.get(at)?, TAKES_INFO.get(at)?);
        let mut before = MaybeUninit::<sigaction>::uninit();
        // SAFETY: the present handler is written to the place that is given.
        let before = unsafe {
            if libc::sigaction(signal, std::ptr::null(), before.as_mut_ptr()) != 0 {
                return None;
            }
            before.assume_init()
        };
        if before.sa_sigaction == libc::SIG_DFL || before.sa_sigaction == libc::SIG_IGN {
            return None;
        }
        address.store(before.sa_sigaction, SeqCst);
        takes_info.store(before.sa_flags & libc::SA_SIGINFO != 0, SeqCst);
        let mut own = before;
        let handler: unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = interrupted;
        own.sa_sigaction = handler as usize;
        own.sa_flags |= libc::SA_SIGINFO;
        // SAFETY: the handler does only what a handler may.
        let installed = unsafe { libc::sigaction(signal, &raw const own, std::ptr::null_mut()) } == 0;
        installed.then_some(before)
    }

    /// Sets the flag and does what the handler from before does.
    unsafe extern "C" fn interrupted(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        STOP.store(true, SeqCst);
        let Some(at) = SIGNALS.iter().position(|&one| one == signal) else { return };
        let (Some(before), Some(takes_info)) = (BEFORE.get(at), TAKES_INFO.get(at)) else { return };
        let before = before.load(SeqCst);
        // SAFETY: the address is that of the handler that was installed, of this type.
        unsafe {
            if takes_info.load(SeqCst) {
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
mod handlers {
    /// There are no handlers: a run goes on to its end.
    pub struct Installed;

    impl Installed {
        pub fn new() -> Option<Installed> {
            None
        }
    }
}
