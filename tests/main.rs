//! All suites of tests of the whole compiler, in one program: `cargo test -p arr-tests -- shadow::` runs one of them.

mod accesses;
mod ahead_of_time;
mod c99;
mod costs;
mod divisions;
mod docs;
mod fuzz;
mod gpu;
mod gradients;
mod large;
mod lsp;
mod operations;
mod oracles;
mod papers;
mod peers;
mod programs;
mod random;
mod serve;
mod shadow;
mod stdlib;
mod terminal;
mod threads;
mod transcripts;
mod ways;

use arr_tests::trial::Trial;
use libtest_mimic::Arguments;

/// The tests of a suite.
type Suite = fn() -> Vec<Trial>;

/// Suites by name. Those with the longest single tests come first, so that no core waits for one of them at the end.
const SUITES: &[(&str, Suite)] = &[
    ("large", large::trials),
    ("ahead_of_time", ahead_of_time::trials),
    ("c99", c99::trials),
    ("shadow", shadow::trials),
    ("ways", ways::trials),
    ("gpu", gpu::trials),
    ("accesses", accesses::trials),
    ("costs", costs::trials),
    ("divisions", divisions::trials),
    ("docs", docs::trials),
    ("fuzz", fuzz::trials),
    ("gradients", gradients::trials),
    ("lsp", lsp::trials),
    ("operations", operations::trials),
    ("oracles", oracles::trials),
    ("papers", papers::trials),
    ("peers", peers::trials),
    ("programs", programs::trials),
    ("random", random::trials),
    ("serve", serve::trials),
    ("stdlib", stdlib::trials),
    ("terminal", terminal::trials),
    ("threads", threads::trials),
    ("transcripts", transcripts::trials),
];

fn main() {
    arr_tests::arr::is_at(env!("CARGO_BIN_EXE_tested-arr"));
    // Some suites run this program again, as a worker.
    if large::worked() || fuzz::worked() {
        return;
    }
    let arguments = Arguments::from_args();
    let trials = SUITES.iter().flat_map(|&(suite, trials)| trials().into_iter().map(move |trial| trial.of(suite)));
    libtest_mimic::run(&arguments, trials.collect()).exit();
}
