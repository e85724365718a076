//! Building the runtime library with cargo. Also part of `build.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The settings of the surrounding build, which do not apply to this one: a library for every processor.
const SURROUNDING: &[&str] = &[
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOCFLAGS",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_BUILD_DIR",
    "CARGO_BUILD_TARGET",
    "CARGO_MAKEFLAGS",
];

/// Builds the runtime library in a target directory of its own, and returns its path. Fails, with cargo's message, if
/// cargo does not start or does not succeed.
pub fn make_runtime(manifest: &Path, target_dir: &Path, triple: Option<&str>) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let attempt = |offline: bool| {
        let mut command = Command::new(&cargo);
        command.args(["rustc", "--quiet", "--package", "arr-capi", "--lib", "--crate-type", "staticlib"]);
        command.args(["--profile", "runtime"]).arg("--target-dir").arg(target_dir).current_dir(manifest);
        if let Some(triple) = triple {
            command.args(["--target", triple]);
        }
        if offline {
            command.args(["--locked", "--offline"]);
        }
        SURROUNDING.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.output()
    };
    // The build of the compiler has fetched everything.
    let mut output = attempt(true).map_err(|e| format!("cargo did not start: {e}"))?;
    if !output.status.success() {
        output = attempt(false).map_err(|e| format!("cargo did not start: {e}"))?;
    }
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let profile = triple.map_or_else(|| target_dir.to_path_buf(), |triple| target_dir.join(triple)).join("runtime");
    Ok(profile.join("libarr_capi.a"))
}
