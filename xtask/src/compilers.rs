//! The C compilers and emulators for the tests of C and of objects for other machines: existing ones, or Debian's if they can
//! be installed.

use crate::packages::{install, quietly};
use std::path::Path;
use std::process::Command;

/// The programs, and the packages that they are in.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("gcc", &["gcc"]),
    ("g++", &["g++"]),
    ("clang", &["clang"]),
    ("aarch64-linux-gnu-gcc", &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"]),
    ("arm-linux-gnueabihf-gcc", &["gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross"]),
    ("qemu-aarch64", &["qemu-user"]),
    ("qemu-arm", &["qemu-user"]),
];

/// The libraries of clang's sanitizers, which are a package of their own in some distributions.
const SANITIZERS: (&str, &[&str]) = ("clang -fsanitize", &["libclang-rt-dev"]);

/// Whether clang links a sanitized program.
fn sanitizes() -> bool {
    let folder = std::env::temp_dir().join(format!("arr-sanitizers-{}", std::process::id()));
    let made = std::fs::create_dir_all(&folder).is_ok()
        && std::fs::write(folder.join("empty.c"), "int main(void) { return 0; }\n").is_ok()
        && quietly(
            Command::new("clang").args(["-fsanitize=address,undefined", "-o", "empty", "empty.c"]).current_dir(&folder),
        );
    // A folder that stays is only untidy.
    std::fs::remove_dir_all(&folder).ok();
    made
}

/// Looks for the programs, installs what is missing, or warns loudly that tests will be skipped. None of this is a failure:
/// everything else works without them.
pub fn provide(_root: &Path) -> Result<String, String> {
    if !cfg!(target_os = "linux") {
        return Ok("of the system".to_string());
    }
    let missing = || {
        let programs = PROGRAMS.iter().filter(|(name, _)| !quietly(Command::new(name).arg("--version")));
        let sanitizers = (!sanitizes()).then_some(&SANITIZERS);
        programs.chain(sanitizers).collect::<Vec<_>>()
    };
    // Objects for other machines are linked with the runtime library, which is Rust. Where there is no rustup, and no network,
    // their test is skipped.
    quietly(Command::new("rustup").args(["target", "add", "aarch64-unknown-linux-gnu"]));
    let before = missing();
    if before.is_empty() {
        return Ok("there are all".to_string());
    }
    let packages: Vec<&str> = before.iter().flat_map(|(_, packages)| packages.iter().copied()).collect();
    println!("installing {}", packages.join(" "));
    install(&packages);
    let after = missing();
    if after.is_empty() {
        return Ok(format!("installed {}", packages.join(" ")));
    }
    let names: Vec<&str> = after.iter().map(|(name, _)| *name).collect();
    println!("\n*** NO {}: the tests of C that need it will be SKIPPED.\n", names.join(", "));
    Ok(format!("NO {}: some tests of C are SKIPPED", names.join(", ")))
}
