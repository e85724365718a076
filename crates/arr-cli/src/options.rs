//! The command line as data.

mod building;
mod running;

pub use building::*;
pub use running::*;

use crate::cells::Cells;
use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Parser, Debug)]
#[command(
    name = "arr",
    version,
    about = "The Arr compiler: shape-typed arrays with derivatives.",
    max_term_width = 100
)]
pub struct Options {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Begin a program with a test, in a new directory
    New(New),
    /// Parse and check programs; print nothing when they are right
    Check(Check),
    /// Run a definition and print its value
    Run(Run),
    /// Evaluate an expression, in the scope of FILE if one is given
    Eval(Eval),
    /// Print the program that computes a derivative, as Arr source
    Grad(Grad),
    /// Compile definitions and gradients to an object or a library, with a header for C
    Build(Build),
    /// Compare the derivatives of both modes with finite differences
    CheckGrad(CheckGrad),
    /// Run the examples, tests, properties and gradient tests of programs
    Test(Test),
    /// Draw the value of a definition, or the numbers in a data file
    Plot(Plot),
    /// Time a definition: compiled once, called again and again on the same arguments
    Bench(Bench),
    /// Print what a definition and its gradient cost, as formulas in the sizes
    Cost(Cost),
    /// Write pages from the doc comments of programs, with their examples run
    Doc(Doc),
    /// Evaluate expressions and keep definitions, line by line
    Repl(Repl),
    /// Serve an editor over standard input and output: the Language Server Protocol
    Lsp(Lsp),
    /// Answer another program over standard input and output, one request per line
    Serve(Serve),
    /// Format programs in place
    Fmt(Fmt),
    /// List the graphics devices that programs can run on, and what they can do
    Devices(Devices),
    /// Explain a diagnostic code; without one, list them
    Explain(Explain),
    /// Print the completions for a shell
    Completions(Completions),
    /// Write the manual pages of all commands to a directory
    Man(Man),
}

#[derive(Args, Debug)]
pub struct New {
    /// The directory to make; its name is that of the program
    #[arg(value_name = "DIR")]
    pub directory: String,
}

#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub struct Man {
    /// The directory to write the pages to
    #[arg(value_name = "DIR", default_value = "man")]
    pub directory: String,
}

#[derive(Args, Debug)]
pub struct Devices {
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Lsp {
    /// What editors say that can do otherwise too; it makes no difference
    #[arg(long)]
    pub stdio: bool,
}

#[derive(Args, Debug)]
pub struct Check {
    /// Programs; `-` for one on standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Fail where there are warnings too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub deny: Option<Deny>,
    /// Print diagnostics as JSON, one per line
    #[arg(long)]
    pub json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deny {
    /// Names that nothing uses, and definitions that hide a built-in function
    Warnings,
}

#[derive(Args, Debug)]
pub struct Run {
    /// A program; `-` for one on standard input
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Values for the parameters: `3`, `[1.0, 2.0]`, `{x = 1.0}`, `name=value`, `@file.npy`, `@table.csv:column`,
    /// `@file.json:part`, `-` for standard input
    #[arg(value_name = "ARG", allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// The definition to run
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// Where to write the result: `.npy`, `.npz`, `.json`, `.csv`, `.safetensors`, `.png` or `.txt`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Print all elements of long arrays at a terminal too, where they are shown in short otherwise
    #[arg(long)]
    pub full: bool,
    /// Take a part of the result: `model.w` of a record, `0` of a tuple
    #[arg(long, value_name = "PART")]
    pub get: Option<String>,
    /// Draw the result, to a file `.svg` or `.png`, or with `-` on the terminal, instead of printing it
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pub plot: Option<String>,
    /// The field along the horizontal axis of the drawing; the index if not given
    #[arg(long, value_name = "FIELD", requires = "plot")]
    pub x: Option<String>,
    /// The fields that are drawn; all vectors, and arrays of points, if not given
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', requires = "plot")]
    pub y: Vec<String>,
    #[command(flatten)]
    pub look: Look,
    #[command(flatten)]
    pub cells: Cells,
    /// Say on standard error where the time goes, by lines of the program and by kernels, with derivatives apart; or
    /// into a file: a picture `.svg`, or `.json` for speedscope. A short program is run several times
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub profile: Option<String>,
    /// Compare the results after each step of the compiler, and name the first that changed them
    #[arg(long, conflicts_with_all = ["emit", "explain", "output", "get", "plot", "profile"])]
    pub bisect: bool,
    #[command(flatten)]
    pub execution: Execution,
    #[command(flatten)]
    pub tracing: Tracing,
    #[command(flatten)]
    pub inspection: Inspection,
}

#[derive(Args, Debug)]
#[command(override_usage = "arr eval [OPTIONS] [FILE] <EXPR>")]
pub struct Eval {
    /// A program, if the expression uses one, and the expression
    #[arg(value_name = "EXPR", required = true, num_args = 1..=2, allow_negative_numbers = true)]
    pub file_and_expr: Vec<String>,
    /// Print all elements of long arrays at a terminal too, where they are shown in short otherwise
    #[arg(long)]
    pub full: bool,
    /// Where to write the result: `.npy`, `.npz`, `.json`, `.csv`, `.safetensors`, `.png` or `.txt`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Take a part of the result: `model.w` of a record, `0` of a tuple
    #[arg(long, value_name = "PART")]
    pub get: Option<String>,
    #[command(flatten)]
    pub execution: Execution,
    #[command(flatten)]
    pub tracing: Tracing,
    #[command(flatten)]
    pub inspection: Inspection,
}

#[derive(Args, Debug)]
pub struct Grad {
    /// A program
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The definition to differentiate
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// The parameters to differentiate with respect to; the first if not given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub wrt: Vec<String>,
    /// From results to parameters, or from parameters to results
    #[arg(long, value_enum, default_value_t = Mode::Reverse)]
    pub mode: Mode,
    /// Keep few states of loops and compute the others again: memory grows with the logarithm of the steps
    #[arg(long)]
    pub checkpoint: bool,
    /// With `--emit loops` or `--emit clif`: the code of `arr run --strict`
    #[arg(long)]
    pub strict: bool,
    /// Leave an optional step of the compiler out
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Where to write the program
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Print the result and diagnostics as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub inspection: Inspection,
}

#[derive(Args, Debug)]
pub struct CheckGrad {
    /// A program
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The point at which to compare
    #[arg(value_name = "ARG", allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// The definition to differentiate
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    #[command(flatten)]
    pub cells: Cells,
    #[command(flatten)]
    pub execution: Execution,
}

#[derive(Args, Debug)]
pub struct Test {
    /// Programs, and directories of programs
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<String>,
    /// Run only what has this text in its name
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Draw other arguments for properties
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Try a property on this many arguments, and a gradient test on a tenth of it
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub cases: u32,
    /// Run with the arithmetic of `arr run`, which may differ from `--strict` in the last digits of sums
    #[arg(long, conflicts_with = "strict")]
    pub relaxed: bool,
    #[command(flatten)]
    pub execution: Execution,
    #[command(flatten)]
    pub tracing: Tracing,
}

#[derive(Args, Debug)]
pub struct Plot {
    /// A program; or a file `.csv`, `.json` or `.npy`, perhaps with a part, `fit.json:loss`
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Values for the parameters, as for `run`
    #[arg(value_name = "ARG", allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// The definition to run
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// Where to draw: a file `.svg` or `.png`; the terminal if not given
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Take a part of the result: `model.w` of a record, `0` of a tuple
    #[arg(long, value_name = "PART")]
    pub get: Option<String>,
    /// The field along the horizontal axis; the index if not given
    #[arg(long, value_name = "FIELD")]
    pub x: Option<String>,
    /// The fields that are drawn; all vectors, and arrays of points, if not given
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub y: Vec<String>,
    #[command(flatten)]
    pub look: Look,
    #[command(flatten)]
    pub cells: Cells,
    #[command(flatten)]
    pub execution: Execution,
}

/// How a drawing shows its numbers.
#[derive(Args, Debug)]
pub struct Look {
    /// Draw bars instead of lines
    #[arg(long)]
    pub bars: bool,
    /// The axes that are logarithmic
    #[arg(long, value_enum, value_name = "AXES")]
    pub log: Option<LogAxes>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogAxes {
    /// The horizontal one
    X,
    /// The vertical one
    Y,
    /// Both
    Xy,
}

#[derive(Args, Debug)]
pub struct Cost {
    /// A program
    #[arg(value_name = "FILE")]
    pub file: String,
    /// The definition
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// The parameters to differentiate with respect to; the first if not given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub wrt: Vec<String>,
    /// What the lines are compared by
    #[arg(long, value_enum, value_name = "COUNT", default_value_t = CostMeasure::Operations)]
    pub by: CostMeasure,
    /// Print all terms of every polynomial, not only those that matter for large sizes
    #[arg(long)]
    pub full: bool,
    /// Keep few states of loops and compute the others again: memory grows with the logarithm of the steps
    #[arg(long)]
    pub checkpoint: bool,
    /// What `f64` is
    #[arg(long, value_enum, value_name = "TYPE", default_value_t = Float::F64)]
    pub float: Float,
    /// Print the costs and diagnostics as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CostMeasure {
    /// Operations on floats, functions included
    Operations,
    /// Functions of floats: `exp`, `sin`, `**`
    Functions,
    /// Operations on integers and booleans, most of them for indices
    Integers,
    /// Bytes that are read and written
    Bytes,
    /// Bytes of arrays that are made
    Allocated,
}

#[derive(Args, Debug)]
pub struct Bench {
    /// A program
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Values for the parameters, as for `run`
    #[arg(value_name = "ARG", allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// The definition to time
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// Time its gradient too
    #[arg(long)]
    pub grad: bool,
    /// The parameters to differentiate with respect to, the first if not given; implies `--grad`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub wrt: Vec<String>,
    /// Call it this many times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,
    /// Call it for about this long, three times at least
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, conflicts_with = "runs")]
    pub seconds: f64,
    #[command(flatten)]
    pub cells: Cells,
    #[command(flatten)]
    pub execution: Execution,
}

#[derive(Args, Debug)]
#[command(after_help = "`:help` in the session lists its commands.")]
pub struct Repl {
    /// A program whose definitions are there from the start
    #[arg(value_name = "FILE")]
    pub file: Option<String>,
    /// Print all elements of long arrays at a terminal too, where they are shown in short otherwise
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub execution: Execution,
    #[command(flatten)]
    pub tracing: Tracing,
}

#[derive(Args, Debug)]
pub struct Serve {
    /// The directory of the modules: `name.arr` is the module `name`
    #[arg(value_name = "DIR", default_value = ".")]
    pub directory: String,
    /// What is spoken
    #[arg(long, value_enum, default_value_t = Protocol::Json)]
    pub protocol: Protocol,
    #[command(flatten)]
    pub execution: Execution,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Load, call, gradient: for any host
    Json,
    /// That of the GradBench suite
    Gradbench,
}

#[derive(Args, Debug)]
pub struct Doc {
    /// Programs, and directories of programs; the current directory if there is neither this nor `--std`
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
    /// The standard library
    #[arg(long)]
    pub std: bool,
    /// The directory to write the pages to
    #[arg(short, long, value_name = "DIR", default_value = "doc")]
    pub output: String,
    #[command(flatten)]
    pub execution: Execution,
}

#[derive(Args, Debug)]
pub struct Fmt {
    /// Programs, and directories whose `.arr` files are meant; `-` or nothing formats standard input to standard output
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// Write nothing; name the files that are laid out otherwise, and fail if there are any
    #[arg(long)]
    pub check: bool,
    /// Write nothing; print what would change, and fail if something would
    #[arg(long)]
    pub diff: bool,
}

#[derive(Args, Debug)]
pub struct Explain {
    /// A code such as `E0401`
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}
