//! Whether the compiler checks what it makes, which takes half as long again as compiling.

use std::sync::OnceLock;

/// Whether every step's output is verified: in a build with assertions, and where the environment variable `ARR_VERIFY` is
/// set and is not empty, as in the tests.
pub fn checks_itself() -> bool {
    static ASKED: OnceLock<bool> = OnceLock::new();
    cfg!(debug_assertions) || *ASKED.get_or_init(|| std::env::var_os("ARR_VERIFY").is_some_and(|set| !set.is_empty()))
}
