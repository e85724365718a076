//! Running the `arr` command.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The back ends, each of which must give the same answers.
pub const BACKENDS: [&str; 2] = ["interp", "cpu"];

/// The output of a command, and its exit status: `None` if a signal ended it.
#[derive(Clone, Debug)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    pub status: Option<i32>,
}

/// Where the command is.
static BINARY: OnceLock<PathBuf> = OnceLock::new();

/// Says where cargo has built the command (`bin/tested_arr.rs`), which it tells tests alone; `ARR_BIN` names another.
pub fn is_at(path: &str) {
    BINARY.get_or_init(|| std::env::var_os("ARR_BIN").map_or_else(|| PathBuf::from(path), PathBuf::from));
}

/// The command.
pub fn binary() -> Result<&'static Path, String> {
    BINARY.get().map(PathBuf::as_path).ok_or_else(|| "nothing has said where `arr` is".to_string())
}

/// Runs `arr` with these arguments in a directory.
pub fn run(arguments: &[&str], directory: &Path) -> Result<Output, String> {
    start(arguments, directory, Stdio::null())
}

/// Like [`run`], with a file as standard input.
pub fn feed(arguments: &[&str], file: &Path, directory: &Path) -> Result<Output, String> {
    let file = std::fs::File::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    start(arguments, directory, Stdio::from(file))
}

/// Like [`run`], as on a machine without a graphics device: Vulkan is given no driver.
pub fn run_without_devices(arguments: &[&str], directory: &Path) -> Result<Output, String> {
    finish(Command::new(binary()?).env("VK_DRIVER_FILES", ""), arguments, directory, Stdio::null())
}

fn start(arguments: &[&str], directory: &Path, input: Stdio) -> Result<Output, String> {
    finish(&mut Command::new(binary()?), arguments, directory, input)
}

fn finish(command: &mut Command, arguments: &[&str], directory: &Path, input: Stdio) -> Result<Output, String> {
    let output = command
        .args(arguments)
        .current_dir(directory)
        .stdin(input)
        .env("NO_COLOR", "1")
        .env_remove("RUST_BACKTRACE")
        .output()
        .map_err(|error| format!("`arr` did not start: {error}"))?;
    Ok(Output {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        status: output.status.code(),
    })
}

/// The printed value of an expression in the scope of a file; the codes of the diagnostics otherwise.
pub fn eval(file: &Path, expression: &str, backend: &str) -> Result<Result<String, Vec<String>>, String> {
    let name = file.to_string_lossy();
    let directory = file.parent().unwrap_or(Path::new("."));
    // An expression may begin with a minus, which is no flag.
    let output = run(&["eval", "--backend", backend, "--", &name, expression], directory)?;
    match output.status {
        Some(0) => Ok(Ok(output.stdout.trim().to_string())),
        Some(1) => Ok(Err(codes(&output.stderr))),
        _ => Err(format!("`arr eval` of `{expression}` ended with {:?}:\n{}", output.status, output.stderr)),
    }
}

/// Like [`eval`], where a diagnostic is a failure.
pub fn value(file: &Path, expression: &str, backend: &str) -> Result<String, String> {
    eval(file, expression, backend)?.map_err(|codes| format!("`{expression}` gives {} ({backend})", codes.join(" ")))
}

/// The codes of the diagnostics in a rendering, in order: words of the form `E0401`.
pub fn codes(rendering: &str) -> Vec<String> {
    let is_code =
        |word: &&str| word.len() == 5 && word.starts_with('E') && word[1..].bytes().all(|b| b.is_ascii_digit());
    rendering.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_code).map(str::to_string).collect()
}
