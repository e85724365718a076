//! Modules and their pipelines, compiled once and cached: shader compilers take longer than most kernels.

use crate::memory::size_class;
use crate::params::Layout;
use crate::scope::Scope;
use crate::{Device, GpuError};
use arr_wgsl::program::{Access, Kernel, Program};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock, PoisonError};
use wgpu::{BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages};

/// The modules that a device has compiled, the most recently used at the end.
#[derive(Default)]
pub(crate) struct Modules {
    known: Vec<Arc<Module>>,
}

/// The maximal number of cached modules.
const KEPT: usize = 64;

/// A compiled module.
pub(crate) struct Module {
    text: String,
    shader: wgpu::ShaderModule,
    pipelines: Vec<OnceLock<Result<Pipeline, GpuError>>>,
}

/// A kernel, ready to run.
pub(crate) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub bindings: wgpu::BindGroupLayout,
}

impl Device {
    /// The module of a program.
    pub(crate) fn module(&self, program: &Program) -> Result<Arc<Module>, GpuError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = modules.known.iter().position(|module| module.text == program.wgsl) {
            let module = modules.known.remove(at);
            modules.known.push(module.clone());
            return Ok(module);
        }
        drop(modules);
        let scope = Scope::open(self);
        let source = wgpu::ShaderSource::Wgsl(Cow::Borrowed(&program.wgsl));
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(&program.func.name), source };
        let shader = self.device.create_shader_module(descriptor);
        scope.close().map_err(|e| e.into_error(self, 0))?;
        let pipelines = program.kernels.iter().map(|_| OnceLock::new()).collect();
        let module = Arc::new(Module { text: program.wgsl.clone(), shader, pipelines });
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if modules.known.len() >= KEPT {
            modules.known.remove(0);
        }
        modules.known.push(module.clone());
        Ok(module)
    }

    fn pipeline(&self, module: &Module, kernel: &Kernel, layout: &Layout) -> Result<Pipeline, GpuError> {
        let scope = Scope::open(self);
        let label = Some(kernel.name.as_str());
        let entries = entries(kernel, layout);
        let bindings =
            self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let layouts = [Some(&bindings)];
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &layouts,
            immediate_size: 0,
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&layout),
            module: &module.shader,
            entry_point: label,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        scope.close().map_err(|e| e.into_error(self, 0))?;
        Ok(Pipeline { pipeline, bindings })
    }
}

impl Module {
    /// A kernel of the module, compiled on first use. Fails if the module has none of this index, or if the device
    /// refused to compile it, then and at every later call.
    pub fn pipeline(
        &self,
        device: &Device,
        index: usize,
        kernel: &Kernel,
        layout: &Layout,
    ) -> Result<&Pipeline, GpuError> {
        let cell =
            self.pipelines.get(index).ok_or_else(|| GpuError::internal("a kernel that the module does not have"))?;
        cell.get_or_init(|| device.pipeline(self, kernel, layout)).as_ref().map_err(Clone::clone)
    }
}

/// The bindings of a kernel, according to its declarations; see [`Kernel`].
fn entries(kernel: &Kernel, layout: &Layout) -> Vec<BindGroupLayoutEntry> {
    let entry = |binding: usize, ty: BufferBindingType, dynamic: bool, least: Option<u64>| BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty,
            has_dynamic_offset: dynamic,
            min_binding_size: least.and_then(std::num::NonZeroU64::new),
        },
        count: None,
    };
    let storage = |read_only| BufferBindingType::Storage { read_only };
    let mut entries = Vec::new();
    if layout.bytes > 0 {
        entries.push(entry(0, BufferBindingType::Uniform, true, Some(layout.bytes)));
    }
    if kernel.slots {
        entries.push(entry(1, storage(false), false, None));
    }
    if kernel.faults {
        entries.push(entry(2, storage(false), false, None));
    }
    for (k, binding) in kernel.buffers.iter().enumerate() {
        entries.push(entry(3 + k, storage(binding.access == Access::Read), false, None));
    }
    entries
}

/// Bytes of a buffer that holds parameters of many kernels.
pub(crate) fn ring_bytes() -> u64 {
    size_class(64 << 10)
}
