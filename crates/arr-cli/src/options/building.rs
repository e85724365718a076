//! The options of `arr build`.

use super::Float;
use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};

/// Definitions to differentiate, each with the parameters to differentiate with respect to.
#[derive(Debug)]
pub struct Gradients(pub Vec<(String, Vec<String>)>);

/// The two options, whose order `Gradients` knows.
#[derive(Args, Debug)]
struct GradientOptions {
    /// A definition whose value and gradient to compile, as one function
    #[arg(long, value_name = "NAME")]
    grad: Vec<String>,
    /// The parameters to differentiate with respect to; all that hold floats if not given. One is for every `--grad`; of several
    /// each is for the `--grad` in front of it
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    wrt: Vec<String>,
}

impl Args for Gradients {
    fn augment_args(command: clap::Command) -> clap::Command {
        GradientOptions::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        GradientOptions::augment_args_for_update(command)
    }
}

impl FromArgMatches for Gradients {
    /// Fails where there is a `--wrt` and no `--grad`, and where one of several `--wrt` has no `--grad` in front of it, or one that has a `--wrt` already.
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Gradients, clap::Error> {
        let GradientOptions { grad, wrt } = GradientOptions::from_arg_matches(matches)?;
        let lists: Vec<Vec<String>> = matches
            .get_occurrences::<String>("wrt")
            .map_or(Vec::new(), |all| all.map(|names| names.cloned().collect()).collect());
        if let ([], Some(names)) = (grad.as_slice(), lists.first()) {
            let text = format!("`--wrt {}` is for a `--grad`, and there is none", names.join(","));
            return Err(clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, text));
        }
        if lists.len() <= 1 {
            return Ok(Gradients(grad.into_iter().map(|name| (name, wrt.clone())).collect()));
        }
        let indices = |id: &str| matches.indices_of(id).map_or(Vec::new(), Iterator::collect::<Vec<usize>>);
        let (of_grad, of_wrt) = (indices("grad"), indices("wrt"));
        let mut gradients: Vec<(String, Vec<String>)> = grad.into_iter().map(|name| (name, Vec::new())).collect();
        let mut before = 0;
        for names in lists {
            let at = of_wrt.get(before).copied().unwrap_or(0);
            before += names.len();
            let last = of_grad.iter().filter(|&&grad| grad < at).count().checked_sub(1);
            match last.and_then(|last| gradients.get_mut(last)) {
                Some((_, own)) if own.is_empty() => *own = names,
                _ => return Err(misplaced(&names.join(","))),
            }
        }
        Ok(Gradients(gradients))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Gradients::from_arg_matches(matches)?;
        Ok(())
    }
}

fn misplaced(names: &str) -> clap::Error {
    let text = format!("which `--grad` is `--wrt {names}` for? Of several `--wrt` each follows a `--grad` of its own");
    clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, text)
}

#[derive(Args, Debug)]
pub struct Build {
    /// A program
    #[arg(value_name = "FILE")]
    pub file: String,
    /// A definition to compile, of several each with its own `--entry`; `main` if neither this nor `--grad` is given
    #[arg(long, value_name = "NAME")]
    pub entry: Vec<String>,
    #[command(flatten)]
    pub gradients: Gradients,
    /// What to write; if not given, what the ending of PATH says: `.o`, `.a`, `.so`, `.h`, `.hpp`, `.rs`, `.c`, `.wgsl` or `.mlir`
    #[arg(long, value_enum, value_name = "KIND")]
    pub emit: Option<Artifact>,
    /// Where to write it. The header, for an object the runtime library, and for shaders and StableHLO a manifest are put beside it
    #[arg(short, long, value_name = "PATH")]
    pub output: String,
    /// With `--emit c` and `--emit mlir`: the sizes of arrays by name, such as `n=1000,d=8`
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = size)]
    pub sizes: Vec<(String, i64)>,
    /// With `--emit c` and `--emit mlir`: the room for sizes that only a run knows, such as the steps of a differentiated `while`
    #[arg(long, value_name = "N")]
    pub max_steps: Option<u64>,
    /// Where the runtime library goes: `inside` a library, unless several are to be linked together, which then share one
    #[arg(long, value_enum, value_name = "WHERE")]
    pub runtime: Option<Runtime>,
    /// The machine that it will run on, with `.o` or with `.a` and `--runtime beside`
    #[arg(long, value_enum, value_name = "MACHINE", default_value_t = Machine::Host)]
    pub target: Machine,
    /// The processors that it will run on
    #[arg(long, value_enum, default_value_t = Cpu::Any)]
    pub cpu: Cpu,
    /// Keep few states of differentiated loops and compute the others again: memory grows with the logarithm of the steps
    #[arg(long)]
    pub checkpoint: bool,
    /// Add in the order of the program and round every product: slower, and equal to `--backend interp` bit for bit
    #[arg(long)]
    pub strict: bool,
    /// Leave an optional step of the compiler out: slower or larger code, the same results
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    pub without: Vec<String>,
    /// What `f64` is: `f32` computes with `f32` in its place, in the functions' types too
    #[arg(long, value_enum, value_name = "TYPE", default_value_t = Float::F64)]
    pub float: Float,
    /// Print diagnostics as JSON
    #[arg(long)]
    pub json: bool,
}

/// A size by name.
fn size(text: &str) -> std::result::Result<(String, i64), String> {
    let wrong = || format!("`{text}` is not a name and a number, such as `n=1000`");
    let (name, size) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.trim().to_string(), size.trim().parse().map_err(|_| wrong())?))
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Artifact {
    /// An object file
    Obj,
    /// A library that holds the runtime: static if PATH ends in `.a`, shared if it ends in `.so`
    Lib,
    /// The header alone
    Header,
    /// A header in C++ that throws, frees results and takes `std::span`s, and the header in C that it includes
    Cpp,
    /// A module in Rust with safe functions that call those of the library
    Rust,
    /// Shaders for graphics devices, one module, with a manifest in JSON
    Wgsl,
    /// C99 source that needs no runtime library and allocates nothing, and its header
    C,
    /// A StableHLO module for XLA, for the sizes in `--sizes`, with a manifest in JSON
    Mlir,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runtime {
    /// In the library, which needs nothing else; the rule
    Inside,
    /// In a file beside it, `libarr_runtime.a`, that all libraries and objects in a directory share
    Beside,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// One like this
    Host,
    /// 64-bit ARM with Linux
    #[value(name = "aarch64-unknown-linux-gnu")]
    Aarch64Linux,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cpu {
    /// All of this architecture; code for newer ones is chosen when the program runs
    Any,
    /// All of this architecture, with the same code for old and new ones
    Baseline,
    /// This machine's, and those that have all that it has
    Native,
}
