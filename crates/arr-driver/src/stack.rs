//! Room for recursion over deep programs.

use std::sync::{Mutex, PoisonError};

/// Stack sizes to try: address space, which is only backed by memory where it is touched.
const SIZES: [usize; 4] = [1 << 30, 1 << 28, 1 << 26, 1 << 23];

/// The work panicked; the panic hook has reported it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crashed;

/// Runs `work` on a thread with a large stack.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Crashed> {
    // A thread that cannot be made drops its closure, so the work itself stays here until a thread takes it.
    let work = Mutex::new(Some(work));
    let body = || work.lock().unwrap_or_else(PoisonError::into_inner).take().map(|work| work());
    std::thread::scope(|scope| {
        for size in SIZES {
            let builder = std::thread::Builder::new().name("arr".to_string()).stack_size(size);
            if let Ok(thread) = builder.spawn_scoped(scope, body) {
                return thread.join().ok().flatten().ok_or(Crashed);
            }
        }
        body().ok_or(Crashed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_recursion_fits() {
        fn depth(n: u64) -> u64 {
            let block = std::hint::black_box([n; 64]);
            if n == 0 { 0 } else { block.iter().min().copied().unwrap_or(0).min(1) + depth(n - 1) }
        }
        assert_eq!(with_stack(|| depth(100_000)), Ok(100_000));
    }
}
