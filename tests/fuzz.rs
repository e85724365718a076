//! A few seconds of each target of `fuzz/`: mutated programs, IR, data, requests, messages and cache entries, different
//! ones in every run. `cargo xtask fuzz` searches longer; `ARR_SEED=S` runs the inputs of a seed, as printed by the
//! failure of an earlier run.

use arr_fuzz::TARGETS;
use arr_fuzz::runner::{is_worker, run};
use arr_tests::large::soak::new_seed;
use arr_tests::trial::Trial;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(3);

/// Whether this process is a worker of a target; its work is then done.
pub fn worked() -> bool {
    is_worker()
}

pub fn trials() -> Vec<Trial> {
    let seed = std::env::var("ARR_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or_else(new_seed);
    println!("seed {seed}");
    let trial = |target: arr_fuzz::Target| {
        Trial::test(target.name, move || match run(target, seed, TIME)?.failure {
            None => Ok(()),
            Some(failure) => {
                Err(format!("seed {seed}: {}\n{}", failure.told, String::from_utf8_lossy(&failure.input)).into())
            }
        })
    };
    TARGETS.iter().copied().map(trial).collect()
}
