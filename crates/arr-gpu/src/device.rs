//! An open device: its queue, its memory, the modules it has compiled, and its errors.

use crate::adapter::{self, Adapter, AdapterKind};
use crate::error::GpuError;
use crate::memory::Pool;
use crate::modules::Modules;
use arr_wgsl::program::{Integers, Options};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use wgpu::Features;

/// A device that programs run on. Any number of programs may, on any threads.
pub struct Device {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    adapter: Adapter,
    pub(crate) pool: Mutex<Pool>,
    pub(crate) modules: Mutex<Modules>,
    trouble: Arc<Mutex<Trouble>>,
    buffers: AtomicU64,
}

/// An error that was reported outside error scopes.
#[derive(Default)]
struct Trouble {
    lost: Option<String>,
    uncaptured: Option<String>,
}

/// The features to request from an adapter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Ask {
    /// All of them.
    #[default]
    All,
    /// Those of every WebGPU device: no more than the default limits, and no optional features.
    Portable,
}

/// The features to request if the adapter has them.
const WANTED: Features = Features::SHADER_F64.union(Features::SHADER_INT64).union(Features::SUBGROUP);

impl Device {
    /// Opens the adapter of a number, the first if none is given. Fails with [`GpuError::NoDevice`] if there is no such
    /// adapter, with [`GpuError::Refused`] if its driver does not open it.
    pub fn open(number: Option<usize>, ask: Ask) -> Result<Arc<Device>, GpuError> {
        let handles = adapter::handles();
        let number = number.unwrap_or(0);
        let handle = handles.get(number).ok_or(GpuError::NoDevice)?;
        let mut adapter = adapter::describe(number, handle);
        let (features, limits) = match ask {
            Ask::All => (handle.features() & WANTED, handle.limits()),
            Ask::Portable => (Features::empty(), wgpu::Limits::defaults().or_worse_values_from(&handle.limits())),
        };
        adapter.narrow(features, &limits);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("arr"),
            required_features: features,
            required_limits: limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(handle.request_device(&descriptor))
            .map_err(|e| GpuError::Refused { device: adapter.name.clone(), reason: e.to_string() })?;
        let trouble = Arc::new(Mutex::new(Trouble::default()));
        watch(&device, &trouble);
        let (pool, modules) = (Mutex::default(), Mutex::default());
        let buffers = AtomicU64::new(0);
        Ok(Arc::new(Device { device, queue, limits, adapter, pool, modules, trouble, buffers }))
    }

    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The features that modules for this device may use.
    pub fn options(&self) -> Options {
        let invocations =
            self.limits.max_compute_invocations_per_workgroup.min(self.limits.max_compute_workgroup_size_x);
        let workgroup = invocations.clamp(1, 256);
        Options {
            integers: if self.adapter.int64 { Integers::Native } else { Integers::Narrow },
            // The largest power of two that is not greater.
            workgroup: 1 << workgroup.ilog2(),
            workgroup_memory: self.limits.max_compute_workgroup_storage_size,
            subgroup: self.adapter.shared_subgroup(),
            storage_buffers: self.limits.max_storage_buffers_per_shader_stage,
            count_steps: false,
            ends_loops: self.adapter.ends_loops(),
            // Far below the limit after which Mesa's software device truncates loops, as it counts some iterations more
            // than once.
            loop_steps: if self.adapter.kind == AdapterKind::Software {
                1 << 13
            } else {
                Options::default().loop_steps
            },
        }
    }

    pub(crate) fn name(&self) -> String {
        self.adapter.name.clone()
    }

    pub(crate) fn next_buffer(&self) -> u64 {
        self.buffers.fetch_add(1, Ordering::Relaxed)
    }

    /// An error that was reported asynchronously.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = &trouble.lost {
            return Err(GpuError::Lost { device: self.name(), reason: reason.clone() });
        }
        match trouble.uncaptured.take() {
            Some(reason) => Err(GpuError::Refused { device: self.name(), reason }),
            None => Ok(()),
        }
    }

    /// Waits until all submitted work is finished.
    pub(crate) fn wait(&self) -> Result<(), GpuError> {
        let outcome = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check()?;
        match outcome {
            Ok(_) => Ok(()),
            Err(e) => Err(GpuError::Refused { device: self.name(), reason: e.to_string() }),
        }
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Device({})", self.adapter.name)
    }
}

/// Records errors that wgpu would otherwise turn into panics.
fn watch(device: &wgpu::Device, trouble: &Arc<Mutex<Trouble>>) {
    let lost = trouble.clone();
    device.set_device_lost_callback(move |reason, message| {
        let mut lost = lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.lost.get_or_insert(format!("{reason:?}: {message}"));
    });
    let uncaptured = trouble.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        let mut trouble = uncaptured.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.uncaptured.get_or_insert(error.to_string());
    }));
}
