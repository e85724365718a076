//! Shared libraries, by the system's C compiler.

use super::failed;
use crate::commands::Result;
use arr_base::{Code, Diagnostic};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Links an object and the runtime to a shared library that exports only the functions of the header. Fails with E0707
/// if temporary files cannot be written or read, or if the C compiler does not start or does not succeed.
pub fn link(name: &str, object: &[u8], runtime: &[u8], symbols: &[String]) -> Result<Vec<u8>> {
    let no_room = |e: std::io::Error| failed(format!("no temporary file can be written: {e}"));
    let directory = tempfile::tempdir().map_err(no_room)?;
    let place = |file: &str| directory.path().join(file);
    std::fs::write(place("object.o"), object).map_err(no_room)?;
    std::fs::write(place("runtime.a"), runtime).map_err(no_room)?;
    std::fs::write(place("exports"), exports(symbols)).map_err(no_room)?;
    let compiler = std::env::var_os("CC").filter(|cc| !cc.is_empty()).unwrap_or_else(|| OsString::from("cc"));
    let mut command = Command::new(&compiler);
    command.arg("-shared").arg("-o").arg(place("library.so")).arg(place("object.o"));
    for function in RUNTIME_FUNCTIONS {
        command.arg(format!("-Wl,-u,{}{function}", if cfg!(target_vendor = "apple") { "_" } else { "" }));
    }
    command.arg(place("runtime.a"));
    let file = Path::new(name).file_name().and_then(|f| f.to_str()).unwrap_or("library.so");
    if cfg!(target_vendor = "apple") {
        command.arg(format!("-Wl,-exported_symbols_list,{}", place("exports").display()));
        command.arg(format!("-Wl,-install_name,@rpath/{file}"));
    } else {
        command.arg(format!("-Wl,--version-script={}", place("exports").display()));
        command.args([format!("-Wl,-soname,{file}").as_str(), "-Wl,--gc-sections", "-Wl,-z,defs", "-Wl,-S"]);
        command.args(["-lm", "-lpthread"]);
    }
    let output = command.output().map_err(|e| {
        let title =
            format!("a shared library needs the system's C compiler, and `{}` does not start: {e}", compiler.display());
        Diagnostic::error(Code::FILE_NOT_WRITTEN, title)
            .hint("install one, name one with the variable CC, or make a static library (`libmodel.a`)")
    })?;
    if !output.status.success() {
        let title = format!("`{}` could not link the shared library", compiler.display());
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).note(said.trim_end()).into());
    }
    std::fs::read(place("library.so")).map_err(no_room)
}

/// The runtime's functions in the header.
const RUNTIME_FUNCTIONS: &[&str] = &[
    "arr_context_new",
    "arr_context_free",
    "arr_context_error",
    "arr_context_code",
    "arr_context_copy_error",
    "arr_context_set_max_memory",
    "arr_context_set_threads",
    "arr_status_text",
];

fn exports(symbols: &[String]) -> String {
    let all = symbols.iter().map(String::as_str).chain(RUNTIME_FUNCTIONS.iter().copied());
    if cfg!(target_vendor = "apple") {
        return all.map(|name| format!("_{name}\n")).collect();
    }
    let names: String = all.map(|name| format!("{name}; ")).collect();
    format!("{{ global: {names}local: *; }};\n")
}
