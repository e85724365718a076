//! Errors of the device, caught where they belong.

use crate::{Device, GpuError};
use wgpu::{Error, ErrorFilter, ErrorScopeGuard};

/// Catches every error of this thread's calls until it is closed.
pub(crate) struct Scope<'a> {
    device: &'a Device,
    // Popped in the order of the fields, the reverse of the order in which they were pushed.
    memory: ErrorScopeGuard,
    internal: ErrorScopeGuard,
    validation: ErrorScopeGuard,
}

impl<'a> Scope<'a> {
    pub fn open(device: &'a Device) -> Scope<'a> {
        let validation = device.device.push_error_scope(ErrorFilter::Validation);
        let internal = device.device.push_error_scope(ErrorFilter::Internal);
        let memory = device.device.push_error_scope(ErrorFilter::OutOfMemory);
        Scope { device, memory, internal, validation }
    }

    /// The first error since the scope was opened; the loss of the device, and a lack of memory, cause others.
    pub fn close(self) -> Result<(), Caught> {
        let memory = pollster::block_on(self.memory.pop());
        let internal = pollster::block_on(self.internal.pop());
        let validation = pollster::block_on(self.validation.pop());
        self.device.check().map_err(Caught::Other)?;
        match (memory, internal.or(validation)) {
            (Some(_), _) | (_, Some(Error::OutOfMemory { .. })) => Err(Caught::OutOfMemory),
            (None, Some(error)) => {
                Err(Caught::Other(GpuError::Refused { device: self.device.name(), reason: error.to_string() }))
            }
            (None, None) => Ok(()),
        }
    }
}

/// The error caught by a scope.
pub(crate) enum Caught {
    OutOfMemory,
    Other(GpuError),
}

impl Caught {
    /// The error, after a request of this many bytes.
    pub fn into_error(self, device: &Device, bytes: u64) -> GpuError {
        match self {
            Caught::OutOfMemory => GpuError::OutOfMemory { bytes, device: device.name(), span: None },
            Caught::Other(error) => error,
        }
    }
}
