//! The graphics devices of this machine, and programs on them. Without the feature `gpu` there are none, and the error
//! says so.

use crate::Failure;

/// A device, for display.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceReport {
    /// Its number, as in [`crate::Execution::device`].
    pub number: usize,
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    pub kind: &'static str,
    pub driver: String,
    /// The interface through which it is reached.
    pub backend: &'static str,
    pub float64: bool,
    pub int64: bool,
    /// The least and the greatest size of a subgroup, if kernels may use them.
    pub subgroups: Option<(u32, u32)>,
    /// The limits that programs can reach, by name.
    pub limits: Vec<(&'static str, u64)>,
}

#[cfg(feature = "gpu")]
pub(crate) use with::*;

#[cfg(feature = "gpu")]
mod with {
    use super::DeviceReport;
    use crate::{Failure, Statistics};
    use arr_base::{RunErrorKind, SourceMap};
    use arr_gpu::{Adapter, Ask, Device, GpuError, Stats};
    use arr_loops::LoopFunc;
    use arr_wgsl::{Options, Program};
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex, PoisonError};

    /// A program on a device.
    pub(crate) type Compiled = arr_gpu::Executable;

    pub(super) fn report(adapter: Adapter) -> DeviceReport {
        let ends_loops = adapter.ends_loops().map(|most| ("element_iterations", most.into()));
        let limits = adapter.limits;
        DeviceReport {
            number: adapter.number,
            name: adapter.name,
            kind: adapter.kind.name(),
            driver: adapter.driver,
            backend: adapter.backend,
            float64: adapter.float64,
            int64: adapter.int64,
            subgroups: adapter.subgroups,
            limits: [
                ("binding_bytes", limits.binding_bytes),
                ("buffer_bytes", limits.buffer_bytes),
                ("workgroup_bytes", limits.workgroup_bytes.into()),
                ("workgroup_invocations", limits.workgroup_invocations.into()),
                ("groups", limits.groups.into()),
                ("storage_buffers", limits.storage_buffers.into()),
            ]
            .into_iter()
            .chain(ends_loops)
            .collect(),
        }
    }

    /// The device of a number, by default the best, opened once in a process with all its features and once with only
    /// those of every device.
    pub(crate) fn open(number: Option<usize>, portable: bool) -> Result<Arc<Device>, Failure> {
        static OPEN: Mutex<BTreeMap<(usize, bool), Arc<Device>>> = Mutex::new(BTreeMap::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let number = number.unwrap_or(0);
        if let Some(device) = open.get(&(number, portable)) {
            return Ok(device.clone());
        }
        let ask = if portable { Ask::Portable } else { Ask::All };
        let device = Device::open(Some(number), ask).map_err(failed)?;
        open.insert((number, portable), device.clone());
        Ok(device)
    }

    /// The program for a device.
    pub(crate) fn compile(
        loops: LoopFunc,
        device: &Device,
        count_steps: bool,
        sources: &SourceMap,
    ) -> Result<Program, Failure> {
        crate::wgsl::compile(loops, &Options { count_steps, ..device.options() }, sources)
    }

    /// The counters, in the order of display.
    pub(crate) fn statistics(stats: &Stats) -> Statistics {
        vec![
            ("kernels", stats.dispatches),
            ("submissions", stats.submissions),
            ("bytes to the device", stats.bytes_up),
            ("bytes from the device", stats.bytes_down),
            ("bytes allocated", stats.allocated_bytes),
            ("bytes in use at most", stats.peak_bytes),
            ("allocations", stats.allocations),
        ]
    }

    pub(crate) fn failed(error: GpuError) -> Failure {
        match &error {
            GpuError::Run(e) => match &e.kind {
                RunErrorKind::Internal(what) => Failure::Bug(what.clone()),
                _ => error.to_diagnostic().into(),
            },
            _ => error.to_diagnostic().into(),
        }
    }
}

/// The devices that programs can run on, the best first. Fails with E1006 without the feature `gpu`, and never with it.
#[cfg(feature = "gpu")]
pub fn devices() -> Result<Vec<DeviceReport>, Failure> {
    Ok(arr_gpu::adapters().into_iter().map(with::report).collect())
}

/// Keeps drivers from printing messages about unneeded features. For the first line of a command.
pub fn quiet_devices() {
    #[cfg(feature = "gpu")]
    arr_gpu::quiet();
}

/// The number of the device with this name. Errors: E1001 where there is none or several have it; E1006 without the
/// feature `gpu`.
#[cfg(feature = "gpu")]
pub fn find_device(text: &str) -> Result<usize, Failure> {
    arr_gpu::find(text).map(|adapter| adapter.number).map_err(failed)
}

/// Advice for a machine without a device.
#[cfg(feature = "gpu")]
pub fn how_to_get_a_device() -> &'static str {
    arr_gpu::HOW_TO_GET_ONE
}

#[cfg(not(feature = "gpu"))]
mod without {
    use crate::Failure;
    use arr_base::{Code, Diagnostic};

    pub(crate) fn missing() -> Failure {
        Diagnostic::error(Code::NO_BACKEND, "this `arr` was built without the back end for graphics devices")
            .hint("build it with the feature `gpu`, or use `--backend cpu`")
            .into()
    }
}

#[cfg(not(feature = "gpu"))]
pub(crate) use without::missing;

/// Fails with E1006: the back end is missing.
#[cfg(not(feature = "gpu"))]
pub fn devices() -> Result<Vec<DeviceReport>, Failure> {
    Err(missing())
}

/// Fails with E1006: the back end is missing.
#[cfg(not(feature = "gpu"))]
pub fn find_device(_text: &str) -> Result<usize, Failure> {
    Err(missing())
}

#[cfg(not(feature = "gpu"))]
pub fn how_to_get_a_device() -> &'static str {
    ""
}
