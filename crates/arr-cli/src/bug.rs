//! Messages for faults of the compiler itself.

use crate::output;

/// The exit status of a fault of the compiler, which is that of a panic.
pub const STATUS: u8 = 101;

/// Replaces Rust's message for a panic.
pub fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let backtrace = std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0");
        if arr_base::is_quiet() && !backtrace {
            return;
        }
        let what = info.payload_as_str().unwrap_or("a panic");
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        let mut text = message(&format!("{what}{place}"));
        if backtrace {
            text.push_str(&format!("\n{}\n", std::backtrace::Backtrace::force_capture()));
        }
        output::to_stderr(&text);
    }));
}

/// The message for a fault that was noticed without a panic.
pub fn report(what: &str) {
    output::to_stderr(&message(what));
}

fn message(what: &str) -> String {
    let args: Vec<String> = std::env::args().skip(1).collect();
    format!(
        "arr: internal compiler error: {what}\n\n\
         This is a bug in the compiler, not in your program. Please report it with the program and its input:\n  \
         version  arr {} ({} {})\n  \
         command  arr {}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        args.join(" ").escape_debug(),
    )
}
