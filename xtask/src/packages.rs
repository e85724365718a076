//! Commands that are run, and packages of the system that tests need: installed where `apt-get` and the permissions are
//! available.

use std::process::{Command, Stdio};

/// Installs packages. Returns whether it did; without permissions `apt-get` fails at once.
pub fn install(packages: &[&str]) -> bool {
    let once = || {
        let mut command = Command::new("apt-get");
        command.args(["-qq", "-y", "--no-install-recommends", "install"]).args(packages);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        quietly(&mut command)
    };
    // The lists of packages may be missing, or name packages that no longer exist.
    once() || (quietly(Command::new("apt-get").args(["-qq", "update"])) && once())
}

/// Runs a command with its output going to ours. Fails if it does not start or does not succeed.
pub fn succeed(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} failed: {status}")),
        Err(error) => Err(format!("{command:?} did not start: {error}")),
    }
}

/// Whether a command exists and succeeds.
pub fn quietly(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
