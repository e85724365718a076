//! Writing to the two streams.

use std::io::{ErrorKind, IsTerminal, Write};

/// Writes to standard output. A closed pipe (`| head`) is no fault. Fails on any other error of the stream.
pub fn to_stdout(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes to standard error; there is nowhere left to report a failure to.
pub fn to_stderr(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

pub fn stderr_colors() -> bool {
    std::io::stderr().is_terminal() && colors_wanted()
}

pub fn stdout_colors() -> bool {
    std::io::stdout().is_terminal() && colors_wanted()
}

/// <https://no-color.org>: any non-empty value turns colors off.
fn colors_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}
