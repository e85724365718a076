//! The command line as data.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Parser, Debug)]
#[command(name = "cargo xtask bench", about = "Run the workloads in Arr and in the peers that are found, and compare.")]
#[command(args_conflicts_with_subcommands = true)]
pub struct Options {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Threads of every peer: a number, `all`, or several of these
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,all")]
    pub threads: Vec<String>,
    #[command(flatten)]
    pub selection: Selection,
    /// The peers to run beside Arr; those that can be built on this machine if not given. `none` for Arr alone
    #[arg(long, value_name = "PEERS", value_delimiter = ',')]
    pub peers: Option<Vec<PeerChoice>>,
    /// About how long to call each function of each peer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub seconds: f64,
    /// How often the peers take turns
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub rounds: usize,
    /// What of the times of a function goes into the tables and ratios
    #[arg(long, value_enum, default_value_t = Statistic::Median)]
    pub statistic: Statistic,
    /// Where to write `benchmarks.md`, `benchmarks.svg` and `benchmarks.json`
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// A Python that has JAX or PyTorch already, to be used instead of a virtual environment of the programme's own
    #[arg(long, value_name = "FILE")]
    pub python: Option<PathBuf>,
    /// List the workloads and their sizes
    #[arg(long)]
    pub list: bool,
}

/// Which cases are run.
#[derive(Args, Clone, Debug)]
pub struct Selection {
    /// Only workloads whose name, or name and sizes (`gmm d=2,k=5,n=1000`), contains one of these texts
    #[arg(long, value_name = "NAMES", value_delimiter = ';')]
    pub only: Vec<String>,
    /// Small sizes and few runs: whether everything works, not how fast it is
    #[arg(long)]
    pub quick: bool,
    /// The largest sizes too
    #[arg(long)]
    pub large: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PeerChoice {
    None,
    C,
    /// Arr's programs as C99 source, compiled by the C compiler
    C99,
    /// Arr's programs as StableHLO, compiled by XLA
    Xla,
    Jax,
    Torch,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Statistic {
    Median,
    /// The least, for a machine that is busy with other things
    Min,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Leave out each optional step of the compiler in turn, and print what it is worth in time, memory and compile time
    Ablate(Ablate),
    /// Serve an Arr program to the benchmark over standard input and output
    #[command(hide = true)]
    Serve(Serve),
    /// The same by C source that Arr writes
    #[command(hide = true)]
    C99(Serve),
}

#[derive(Args, Debug)]
pub struct Ablate {
    #[command(flatten)]
    pub selection: Selection,
    /// Only these steps; all optional steps of relaxed code for processors if not given
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    pub steps: Vec<String>,
    /// Threads of the programs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// About how long to call each function with and without a step, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.3)]
    pub seconds: f64,
    /// How often the two take turns
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub rounds: usize,
    /// Where to write `ablation.md`
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct Serve {
    pub file: String,
    /// Steps of the compiler that are left out
    #[arg(long, value_name = "STEP")]
    pub without: Vec<String>,
    pub threads: usize,
    pub args: Vec<String>,
}
