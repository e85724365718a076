//! Errors of devices, and their messages.

use arr_base::{Code, Diagnostic, RunError, RunErrorKind, Span};

/// Reasons why a program could not run, or stopped, on a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GpuError {
    /// The program stopped, as it would on any back end.
    Run(RunError),
    /// There is no adapter.
    NoDevice,
    /// No adapter has this name, or several have.
    UnknownDevice { wanted: String, names: Vec<String> },
    /// The program needs SHADER_F64.
    NoFloat64 { device: String },
    /// The program needs SHADER_INT64.
    NoInt64 { device: String },
    /// Something exceeds a limit of the device.
    TooLarge { what: Limit, size: u64, limit: u64, device: String, span: Option<Span> },
    /// A kernel's loops are longer than the device allows: its limit in iterations.
    LoopsEnded { most: u32, device: String, span: Option<Span> },
    /// An integer does not fit the device's 32 bits.
    Range { what: String, value: i64, span: Option<Span> },
    /// The device's own memory is exhausted; the number of requested bytes.
    OutOfMemory { bytes: u64, device: String, span: Option<Span> },
    /// The device was lost.
    Lost { device: String, reason: String },
    /// The driver, or the validation of shaders before it, refused.
    Refused { device: String, reason: String },
}

/// A quantity that a device limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Bytes of an array that a kernel accesses.
    Binding,
    /// Bytes of a buffer.
    Buffer,
    /// Points of a kernel.
    Points,
    /// Workgroups of a kernel.
    Groups,
}

impl Limit {
    fn title(self, size: u64, limit: u64, device: &str) -> String {
        match self {
            Limit::Binding => {
                format!("a kernel needs an array of {size} bytes, and on the device `{device}` sees {limit} at most")
            }
            Limit::Buffer => format!("an array has {size} bytes, and on the device `{device}` {limit} at most"),
            Limit::Points => format!("a kernel of {size} points is more than the {limit} that devices can number"),
            Limit::Groups => {
                format!("a kernel needs {size} workgroups, and the device `{device}` runs {limit} at most")
            }
        }
    }
}

impl GpuError {
    /// An error that only an ill-formed program can cause.
    pub(crate) fn internal(what: impl Into<String>) -> GpuError {
        GpuError::Run(RunError::new(RunErrorKind::Internal(what.into()), None))
    }

    pub fn to_diagnostic(&self) -> Diagnostic {
        match self {
            GpuError::Run(error) => error.to_diagnostic(),
            GpuError::NoDevice => {
                Diagnostic::error(Code::NO_DEVICE, "there is no graphics device that programs can run on")
                    .hint(HOW_TO_GET_ONE)
            }
            GpuError::UnknownDevice { names, .. } if names.is_empty() => GpuError::NoDevice.to_diagnostic(),
            GpuError::UnknownDevice { wanted, names } => unknown(wanted, names),
            GpuError::NoFloat64 { device } => Diagnostic::error(
                Code::NO_FLOAT64,
                format!("the program uses `f64`, which the device `{device}` does not have"),
            )
            .hint("`--backend cpu` runs the program as it is; `--float f32` computes with `f32` in the place of `f64`"),
            GpuError::NoInt64 { device } => Diagnostic::error(
                Code::INTEGER_RANGE,
                format!("the program uses integers of 64 bits, which the device `{device}` does not have"),
            )
            .hint("`--backend cpu` runs the program"),
            GpuError::TooLarge { what, size, limit, device, span } => {
                place(Diagnostic::error(Code::DEVICE_LIMIT, what.title(*size, *limit, device)), *span)
                    .hint("`arr devices` lists the limits of every device; `--backend cpu` has no such limit")
            }
            GpuError::LoopsEnded { most, device, span } => {
                let title = format!(
                    "loops of a kernel take more than the {most} iterations after which the device `{device}` ends them"
                );
                place(Diagnostic::error(Code::DEVICE_LIMIT, title), *span)
                    .note("the limit is for what one element takes, all loops together")
                    .hint("`--backend cpu` has no such limit, and neither have graphics processors")
            }
            GpuError::Range { what, value, span } => {
                let title = format!("{what} is {value}, which does not fit the 32 bits of the device's integers");
                place(Diagnostic::error(Code::INTEGER_RANGE, title), *span)
                    .hint("`--backend cpu`, and a device with integers of 64 bits, run the program")
            }
            GpuError::OutOfMemory { bytes, device, span } => {
                let title = format!("the device `{device}` has no memory left for {bytes} bytes");
                place(Diagnostic::error(Code::DEVICE_FAILED, title), *span).hint("`--backend cpu` runs the program")
            }
            GpuError::Lost { device, reason } => Diagnostic::error(
                Code::DEVICE_FAILED,
                format!("the device `{device}` was lost"),
            )
            .note(reason.trim().to_string())
            .hint(
                "systems reset a device on which one kernel runs for many seconds; `--backend cpu` has no such limit",
            ),
            GpuError::Refused { device, reason } => {
                Diagnostic::error(Code::DEVICE_FAILED, format!("the device `{device}` refused what it was given"))
                    .note(reason.trim().to_string())
                    .hint("this is a bug in the compiler or in the driver; `--backend cpu` runs the program")
            }
        }
    }
}

/// Advice if no adapter was found.
pub const HOW_TO_GET_ONE: &str = "programs run on devices that have a driver for Vulkan, Metal or Direct3D 12; without a graphics \
     processor a software device does: `apt-get install mesa-vulkan-drivers libvulkan1` on Debian and Ubuntu";

fn place(diagnostic: Diagnostic, span: Option<Span>) -> Diagnostic {
    match span {
        Some(span) => diagnostic.at(span, "needed here"),
        None => diagnostic,
    }
}

fn unknown(wanted: &str, names: &[String]) -> Diagnostic {
    let lines: Vec<String> = names.iter().enumerate().map(|(number, name)| format!("{number}: {name}")).collect();
    Diagnostic::error(Code::NO_DEVICE, format!("no one graphics device is called `{wanted}`"))
        .note(format!("the devices are\n{}", lines.join("\n")))
        .hint("a device is named by its number, or by a part of its name that no other has")
}

impl From<RunError> for GpuError {
    fn from(error: RunError) -> GpuError {
        GpuError::Run(error)
    }
}

impl std::fmt::Display for GpuError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.to_diagnostic().title)
    }
}

impl std::error::Error for GpuError {}
