//! The adapters of this machine: their names and capabilities.

use crate::GpuError;
use std::sync::OnceLock;
use wgpu::{Backends, DeviceType, Features};

/// The kind of processor of an adapter, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AdapterKind {
    Discrete,
    Integrated,
    /// A part of a processor that is shared with other machines.
    Virtual,
    Other,
    /// The CPU, in the guise of a graphics processor.
    Software,
}

impl AdapterKind {
    pub fn name(self) -> &'static str {
        match self {
            AdapterKind::Discrete => "discrete",
            AdapterKind::Integrated => "integrated",
            AdapterKind::Virtual => "virtual",
            AdapterKind::Other => "other",
            AdapterKind::Software => "software",
        }
    }

    fn of(kind: DeviceType) -> AdapterKind {
        match kind {
            DeviceType::DiscreteGpu => AdapterKind::Discrete,
            DeviceType::IntegratedGpu => AdapterKind::Integrated,
            DeviceType::VirtualGpu => AdapterKind::Virtual,
            DeviceType::Other => AdapterKind::Other,
            DeviceType::Cpu => AdapterKind::Software,
        }
    }
}

/// The limits of an adapter that programs can reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AdapterLimits {
    /// Bytes of an array that a kernel can access.
    pub binding_bytes: u64,
    /// Bytes of a buffer.
    pub buffer_bytes: u64,
    /// Bytes of memory that the invocations of a workgroup share.
    pub workgroup_bytes: u32,
    /// Invocations of a workgroup.
    pub workgroup_invocations: u32,
    /// Workgroups in a row; a kernel may have as many rows.
    pub groups: u32,
    /// Arrays that a kernel can use.
    pub storage_buffers: u32,
}

/// An adapter, as `arr devices` shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adapter {
    /// Its index in [`adapters`], which identifies it.
    pub number: usize,
    pub name: String,
    pub kind: AdapterKind,
    /// The driver and its version.
    pub driver: String,
    /// The interface it is reached through: `vulkan`, `metal`, `dx12`.
    pub backend: &'static str,
    pub float64: bool,
    pub int64: bool,
    /// The least and the greatest size of a subgroup, if shaders may use subgroups.
    pub subgroups: Option<(u32, u32)>,
    pub limits: AdapterLimits,
}

/// The adapters with their handles, enumerated once in a process: it takes up to a quarter of a second.
pub(crate) fn handles() -> &'static [wgpu::Adapter] {
    static FOUND: OnceLock<Vec<wgpu::Adapter>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = Backends::PRIMARY;
        // Lines of shaders for debuggers, which builds with assertions would write: naga looks each up from the start.
        descriptor.flags.remove(wgpu::InstanceFlags::DEBUG);
        if wgpu::Instance::enabled_backend_features().is_empty() {
            return Vec::new();
        }
        let instance = wgpu::Instance::new(descriptor);
        let mut found = pollster::block_on(instance.enumerate_adapters(Backends::PRIMARY));
        found.retain(|adapter| adapter.limits().max_storage_buffers_per_shader_stage > 0);
        // A stable sort: among equals the system's order.
        found.sort_by_key(|adapter| AdapterKind::of(adapter.get_info().device_type));
        found
    })
}

/// The adapters of this machine that programs can run on, the best first; none without a driver.
pub fn adapters() -> Vec<Adapter> {
    handles().iter().enumerate().map(|(number, adapter)| describe(number, adapter)).collect()
}

/// The adapter that a user means: by its number in [`adapters`], by its name, or by a unique part of its name or its
/// kind. Fails with [`GpuError::UnknownDevice`] if there is none, or it is ambiguous.
pub fn find(text: &str) -> Result<Adapter, GpuError> {
    let all = adapters();
    let wanted = text.trim().to_lowercase();
    let unknown = || GpuError::UnknownDevice {
        wanted: text.trim().to_string(),
        names: all.iter().map(|a| a.name.clone()).collect(),
    };
    if let Ok(number) = wanted.parse::<usize>() {
        return all.get(number).cloned().ok_or_else(unknown);
    }
    if let Some(adapter) = all.iter().find(|a| a.name.to_lowercase() == wanted) {
        return Ok(adapter.clone());
    }
    let fits = |a: &&Adapter| a.name.to_lowercase().contains(&wanted) || a.kind.name() == wanted;
    match all.iter().filter(fits).collect::<Vec<_>>().as_slice() {
        [one] if !wanted.is_empty() => Ok((*one).clone()),
        _ => Err(unknown()),
    }
}

pub(crate) fn describe(number: usize, adapter: &wgpu::Adapter) -> Adapter {
    let info = adapter.get_info();
    let driver = [info.driver.trim(), info.driver_info.trim()];
    let driver: Vec<&str> = driver.into_iter().filter(|text| !text.is_empty()).collect();
    let mut described = Adapter {
        number,
        name: info.name.trim().to_string(),
        kind: AdapterKind::of(info.device_type),
        driver: driver.join(" "),
        backend: info.backend.to_str(),
        float64: false,
        int64: false,
        subgroups: Some((info.subgroup_min_size, info.subgroup_max_size)),
        limits: AdapterLimits::of(&adapter.limits()),
    };
    described.narrow(adapter.features(), &adapter.limits());
    described
}

impl Adapter {
    /// The number of iterations, in all loops of an invocation together, after which the device silently truncates
    /// loops, if it does: Mesa's software device does that (`LP_MAX_TGSI_LOOP_ITERATIONS` in its `lp_bld_limits.h`). No
    /// interface reports it.
    pub fn ends_loops(&self) -> Option<u32> {
        self.is_llvmpipe().then_some(65_535)
    }

    /// The least size of its subgroups, if kernels should exchange elements in them. Among software devices, Mesa's
    /// took half the time for products of 256 to 384 rows, SwiftShader a seventh more.
    pub fn shared_subgroup(&self) -> Option<u32> {
        let pays = self.kind != AdapterKind::Software || self.is_llvmpipe();
        self.subgroups.map(|(least, _)| least).filter(|_| pays)
    }

    fn is_llvmpipe(&self) -> bool {
        let named = |text: &str| text.to_lowercase().contains("llvmpipe");
        self.kind == AdapterKind::Software && (named(&self.name) || named(&self.driver))
    }

    /// Restricts it to a device with these features and limits.
    pub(crate) fn narrow(&mut self, features: Features, limits: &wgpu::Limits) {
        self.float64 = features.contains(Features::SHADER_F64);
        self.int64 = features.contains(Features::SHADER_INT64);
        self.subgroups = self.subgroups.filter(|_| features.contains(Features::SUBGROUP));
        self.limits = AdapterLimits::of(limits);
    }
}

impl AdapterLimits {
    fn of(limits: &wgpu::Limits) -> AdapterLimits {
        AdapterLimits {
            binding_bytes: limits.max_storage_buffer_binding_size,
            buffer_bytes: limits.max_buffer_size,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            workgroup_invocations: limits.max_compute_invocations_per_workgroup,
            groups: limits.max_compute_workgroups_per_dimension,
            storage_buffers: limits.max_storage_buffers_per_shader_stage,
        }
    }
}
