//! Reasons why a program cannot be compiled for a device.

use crate::program::MOST_POINTS;
use arr_loops::SpanId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// The language has it, kernels do not.
    Unsupported {
        /// A noun phrase.
        what: String,
        /// The source position; row 0 is none.
        span: SpanId,
    },
    /// A kernel needs more storage buffers than the device binds.
    TooManyBuffers { found: u32, most: u32, span: SpanId },
    /// A kernel has more points than can be numbered.
    TooManyPoints { found: u64, span: SpanId },
    /// naga refuses the module: a bug of this crate.
    Invalid(String),
    /// The loop function is not well formed, or this crate has met an impossible case, which the text describes.
    Broken(&'static str),
}

impl CompileError {
    pub fn span(&self) -> Option<SpanId> {
        match self {
            CompileError::Unsupported { span, .. }
            | CompileError::TooManyBuffers { span, .. }
            | CompileError::TooManyPoints { span, .. } => Some(*span),
            CompileError::Invalid(_) | CompileError::Broken(_) => None,
        }
    }
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CompileError::Unsupported { what, .. } => write!(f, "kernels of a graphics device have no {what}"),
            CompileError::TooManyBuffers { found, most, .. } => {
                write!(f, "a kernel needs {found} storage buffers, and the device binds {most}")
            }
            CompileError::TooManyPoints { found, .. } => {
                write!(f, "a kernel of {found} points is more than the {MOST_POINTS} that devices can number")
            }
            CompileError::Invalid(why) => write!(f, "the module is not valid WGSL: {why}"),
            CompileError::Broken(what) => write!(f, "making kernels has met what cannot be: {what}"),
        }
    }
}

impl std::error::Error for CompileError {}
