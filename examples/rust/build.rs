//! Compiles the gradient of examples/mixture.arr, links it, and writes the module that calls it. `ARR` names the compiler if it
//! is not in the path.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    let source = "../mixture.arr";
    println!("cargo::rerun-if-changed={source}");
    println!("cargo::rerun-if-env-changed=ARR");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo says where to write"));
    let arr = std::env::var_os("ARR").unwrap_or_else(|| "arr".into());
    for made in ["libmixture.a", "mixture.rs"] {
        let mut build = Command::new(&arr);
        build.args(["build", source, "--grad", "density", "--wrt", "p", "-o"]).arg(out.join(made));
        assert!(build.status().expect("arr starts").success(), "arr build failed");
    }
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static=mixture");
    println!("cargo::rustc-link-lib=m");
}
