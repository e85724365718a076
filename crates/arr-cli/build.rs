//! Embeds the runtime library in a release build of the compiler. A debug build makes it when it is needed, see
//! `src/building/runtime.rs`.

#[path = "src/building/make_runtime.rs"]
mod make_runtime;

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(embedded_runtime)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/building/make_runtime.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    if variable("PROFILE") != "release" {
        return;
    }
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    for part in ["arr-base", "arr-math", "arr-runtime", "arr-capi"] {
        println!("cargo::rerun-if-changed=../{part}");
    }
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    println!("cargo::rustc-cfg=embedded_runtime");
    let out = PathBuf::from(variable("OUT_DIR"));
    let (target, host) = (variable("TARGET"), variable("HOST"));
    let triple = (target != host).then_some(target.as_str());
    // Beside the directories of profiles, where compilers for debugging make it too, and it is made once.
    let shared = out.ancestors().nth(4).unwrap_or(&out).join("arr-runtime");
    let made = make_runtime::make_runtime(&manifest, &shared, triple)
        .and_then(|library| copy(&library, &out.join("libarr_runtime.a")));
    if let Err(why) = made {
        println!("cargo::error=the runtime library of compiled programs cannot be built: {}", why.replace('\n', " | "));
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::copy(from, to).map(|_| ()).map_err(|e| format!("{}: {e}", from.display()))
}
