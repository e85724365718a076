//! Targets for fuzzing: laws for every reader of foreign bytes, as functions of bytes that need no fuzzer.
//!
//! A target returns an error if a law is violated; a panic, a crash, or a hang are its failures as well. `fuzz_targets`
//! beside this crate passes them to libFuzzer (`cargo fuzz`, nightly); [`runner`] mutates a corpus on any compiler
//! (`cargo xtask fuzz`).

pub mod corpus;
mod data;
mod entries;
mod ir;
pub mod mutate;
mod protocols;
pub mod runner;
mod text;

/// The message of a violated law.
pub type Outcome = Result<(), String>;

/// A target: its name, which is that of its corpus, and its law.
#[derive(Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]) -> Outcome,
    /// Whether inputs are text, and how they are mutated.
    pub text: bool,
}

pub const TARGETS: &[Target] = &[
    Target { name: "format", run: text::format, text: true },
    Target { name: "check", run: text::check, text: true },
    Target { name: "ir", run: ir::ir, text: true },
    Target { name: "loops", run: ir::loops, text: true },
    Target { name: "npy", run: data::npy, text: false },
    Target { name: "npz", run: data::npz, text: false },
    Target { name: "json", run: data::json, text: true },
    Target { name: "csv", run: data::csv, text: true },
    #[cfg(feature = "parquet")]
    Target { name: "parquet", run: data::parquet, text: false },
    Target { name: "safetensors", run: data::safetensors, text: false },
    Target { name: "png", run: data::png, text: false },
    Target { name: "literal", run: data::literal, text: true },
    Target { name: "serve", run: protocols::serve, text: true },
    Target { name: "lsp", run: protocols::lsp, text: true },
    Target { name: "cache", run: entries::cache, text: false },
];

pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}

/// The target with this name, for a fuzzer that takes panics for failures.
///
/// # Panics
/// If the law is violated.
#[allow(clippy::panic)]
pub fn must(name: &str, bytes: &[u8]) {
    let Some(target) = target(name) else { panic!("no target `{name}`") };
    if let Err(told) = (target.run)(bytes) {
        panic!("{told}");
    }
}
