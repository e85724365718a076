//! The options of commands that compile and run programs.

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum};
use std::ffi::{OsStr, OsString};

/// How a program is run.
#[derive(Args, Debug)]
pub struct Execution {
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    pub backend: Backend,
    /// Stop after this many loop iterations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=i64::MAX as u64))]
    pub max_steps: Option<u64>,
    /// Most memory that the program may use, in bytes or with a unit (`512MB`, `4GiB`); 80 % of the machine's if not given
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub max_memory: Option<u64>,
    /// Keep few states of differentiated loops and compute the others again: memory grows with the logarithm of the steps
    #[arg(long)]
    pub checkpoint: bool,
    /// Add in the order of the program and round every product: slower, and equal to `--backend interp` bit for bit
    #[arg(long)]
    pub strict: bool,
    /// Threads to run on; as many as the machine has cores if not given, and no more than these or 64. Results are the same
    /// for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Compile `run`, `eval` and `bench` for every size rather than for the sizes of the arguments
    #[arg(long)]
    pub any_size: bool,
    /// What `f64` is: computing with `f32` in its place rounds arguments, constants and results
    #[arg(long, value_enum, value_name = "TYPE", default_value_t = Float::F64)]
    pub float: Float,
    /// The graphics device for `--backend gpu`, by its number in `arr devices` or a part of its name; ARR_DEVICE if not given
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Use no more of the graphics device than every WebGPU device has
    #[arg(long)]
    pub portable: bool,
    /// Leave an optional step of the compiler out: slower or larger code, the same results
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Check every access of the machine code against its array, and look for memory that nothing has written: many times slower
    #[arg(long)]
    pub sanitize: bool,
    /// Stop at the operation that makes a NaN or an infinity, in a derivative too, and say where. The interpreter runs the
    /// program, which takes a hundred times as long. `--trap-nan=nan` lets infinities pass
    #[arg(long, value_enum, value_name = "FLOATS", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub trap_nan: Option<Trapped>,
    /// Print the result and diagnostics as JSON
    #[arg(long)]
    pub json: bool,
}

/// What a program shows while it runs.
#[derive(Args, Debug, Clone, Copy, Default)]
pub struct Tracing {
    /// Show every value of `trace` and `trace_grad`, instead of a few in a second for each place of the program
    #[arg(long, conflicts_with = "no_trace")]
    pub trace_all: bool,
    /// Show nothing of `trace` and `trace_grad`, which then cost nothing
    #[arg(long)]
    pub no_trace: bool,
}

/// Looking into the compiler.
#[derive(Args, Debug, Clone, Default)]
pub struct Inspection {
    /// Print the program after a stage, or after a step of the compiler, instead
    #[arg(long, value_name = "STAGE", value_parser = EmitParser)]
    pub emit: Option<Emit>,
    /// Print why the program is compiled as it is instead
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "emit")]
    pub explain: Option<Subject>,
    /// Verify the program after every step
    #[arg(long)]
    pub verify_ir: bool,
    /// Print how long each step took, on standard error
    #[arg(long)]
    pub time_passes: bool,
    /// Print the size of the program after each step, and what running it cost, on standard error
    #[arg(long)]
    pub stats: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Reverse,
    Forward,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// The reference interpreter
    Interp,
    /// Machine code for this processor
    Cpu,
    /// A graphics processor; `arr devices` lists them
    Gpu,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trapped {
    /// NaNs and infinities
    All,
    /// NaNs alone
    Nan,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Float {
    /// Single precision
    F32,
    /// As the program says
    F64,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Which arrays are in memory and why, and which kernels are matrix products
    Fuse,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The syntax tree, printed as source
    Ast,
    /// Core IR, as elaborated
    Core,
    /// Bulk IR
    Bulk,
    /// Bulk IR without derivatives
    Ad,
    /// Fused IR
    Fused,
    /// Loops over buffers
    Loops,
    /// Cranelift IR
    Clif,
    /// Shaders, and the steps of the host that runs them
    Wgsl,
}

/// What to print of the program on its way through the compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Emit {
    Stage(Stage),
    /// After a step of this name, which the driver knows.
    After(String),
}

/// `core`, or `after:hoist`.
#[derive(Clone)]
struct EmitParser;

impl TypedValueParser for EmitParser {
    type Value = Emit;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&clap::Arg>, value: &OsStr) -> Result<Emit, clap::Error> {
        match value.to_str().and_then(|text| text.strip_prefix("after:")) {
            Some(step) => Ok(Emit::After(step.to_string())),
            None => EnumValueParser::<Stage>::new().parse_ref(command, arg, value).map(Emit::Stage),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let stages = Stage::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let after =
            PossibleValue::new("after:STEP").help("The program after a step of the compiler, such as `after:fuse`");
        Some(Box::new(stages.chain([after])))
    }
}

/// `1000000`, `512MB`, `4GiB`
fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text.get(digits.len()..).unwrap_or("") {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" | "K" => 1 << 10,
        "MiB" | "M" => 1 << 20,
        "GiB" | "G" => 1 << 30,
        other => return Err(format!("`{other}` is not a unit of memory")),
    };
    let count: u64 = digits.parse().map_err(|_| "expected a number of bytes such as `512MB`".to_string())?;
    count.checked_mul(unit).filter(|n| i64::try_from(*n).is_ok()).ok_or_else(|| "the number is too large".to_string())
}

/// Keeps clap from taking a negative value for flags: `-inf`, `-3i32` get a space in front, which no value minds.
/// What it understands itself (`-3`, `-1e-3`) is left alone.
pub fn shield_negative_values(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let shield = |arg: OsString| match arg.to_str().and_then(|text| text.strip_prefix('-')) {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') || rest == "inf" || rest == "nan" => {
            OsString::from(format!(" -{rest}"))
        }
        _ => arg,
    };
    // What follows `--` is no flag anyway, and the program's own name is not an argument.
    let mut open = true;
    let each = |arg: OsString| {
        open &= arg != "--";
        if open { shield(arg) } else { arg }
    };
    args.map(each).collect()
}
