//! Reasons why a call failed.

use crate::description::SourceLocation;
use arr_base::{Code, RunError, RunErrorKind};
use std::ffi::CStr;

/// The return values of C functions, by the numbers in the header.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Ok = 0,
    /// The program stopped: E0601 to E0608, but not E0605.
    Failed = 1,
    /// An argument does not fit the function, or the others: E0704.
    BadArgument = 2,
    /// There is not enough memory, or the context allows no more: E0605.
    OutOfMemory = 3,
    /// The context is in use by another thread.
    Busy = 4,
    /// The object and the runtime have different versions, or one of them has a bug.
    Internal = 5,
}

impl Status {
    const ALL: [Status; 6] =
        [Status::Ok, Status::Failed, Status::BadArgument, Status::OutOfMemory, Status::Busy, Status::Internal];

    /// The status of a number.
    pub(crate) fn of(number: i32) -> Option<Status> {
        Status::ALL.into_iter().find(|status| *status as i32 == number)
    }

    /// What it says without the message of a context.
    pub(crate) fn text(self) -> &'static CStr {
        match self {
            Status::Ok => c"nothing failed",
            Status::Failed => c"the program stopped",
            Status::BadArgument => c"an argument does not fit the function, or the other arguments",
            Status::OutOfMemory => c"there is not enough memory, or the context allows no more",
            Status::Busy => c"another thread is in a call with this context",
            Status::Internal => c"the library was put together from different versions, or has a fault",
        }
    }
}

/// A status, the number of the diagnostic code or 0, and a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub status: Status,
    pub code: u16,
    pub message: String,
}

impl Fault {
    pub fn internal(what: &str) -> Fault {
        Fault {
            status: Status::Internal,
            code: 0,
            message: format!("{what}; this is a fault of arr, please report it"),
        }
    }

    pub fn version(what: &str) -> Fault {
        let message = format!("the object was compiled by another version of arr than the runtime library: {what}");
        Fault { status: Status::Internal, code: 0, message }
    }

    /// An argument of a function that does not fit.
    pub fn argument(function: &str, what: String) -> Fault {
        let code = Code::ARGUMENT_SHAPE;
        Fault { status: Status::BadArgument, code: code.0, message: format!("{function}: {code}: {what}") }
    }

    pub fn memory(function: &str, bytes: usize) -> Fault {
        let code = Code::OUT_OF_MEMORY;
        let message = format!("{function}: {code}: there is no memory for an array of {bytes} bytes");
        Fault { status: Status::OutOfMemory, code: code.0, message }
    }

    /// A run-time error of the program.
    pub fn run(kind: RunErrorKind, function: &str, place: Option<&SourceLocation>) -> Fault {
        let out_of_memory = matches!(kind, RunErrorKind::OutOfMemory { .. });
        let diagnostic = RunError::new(kind, None).to_diagnostic();
        let from = place.map(|p| format!("{}:{}:{}: ", p.file, p.line, p.column)).unwrap_or_default();
        let message = format!("{from}{function}: {}: {}", diagnostic.code, diagnostic.title);
        let status = if out_of_memory { Status::OutOfMemory } else { Status::Failed };
        Fault { status, code: diagnostic.code.0, message }
    }
}
