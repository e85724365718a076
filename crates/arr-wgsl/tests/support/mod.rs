//! A device for tests: the first adapter that Vulkan has, in the test script a software one.
#![allow(dead_code)]

pub mod steps;

use std::sync::OnceLock;

pub struct Gpu {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub name: String,
}

/// The device with `f64` and `i64`, made once; `None`, and a loud line, if there is none.
#[allow(clippy::print_stderr)]
pub fn gpu() -> Option<&'static Gpu> {
    static GPU: OnceLock<Option<Gpu>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| pollster::block_on(open()));
    if gpu.is_none() {
        eprintln!(
            "SKIPPED: no Vulkan adapter with f64 and i64 (Debian: apt-get install mesa-vulkan-drivers libvulkan1)"
        );
    }
    gpu.as_ref()
}

async fn open() -> Option<Gpu> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN;
    let instance = wgpu::Instance::new(descriptor);
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await.ok()?;
    let features = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
    if !adapter.features().contains(features) {
        return None;
    }
    let descriptor =
        wgpu::DeviceDescriptor { required_features: features, required_limits: adapter.limits(), ..Default::default() };
    let (device, queue) = adapter.request_device(&descriptor).await.ok()?;
    Some(Gpu { device, queue, name: adapter.get_info().name })
}

impl Gpu {
    /// Runs the entry point `main` of a module, whose binding `k` is `buffers[k]`, and gives back what the buffers hold.
    pub fn run(&self, wgsl: &str, buffers: &[Vec<u8>], groups: u32) -> Vec<Vec<u8>> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(wgsl.into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let make = |usage, size| {
            self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        let made: Vec<_> = buffers.iter().map(|b| make(usage, b.len() as u64)).collect();
        for (buffer, bytes) in made.iter().zip(buffers) {
            self.queue.write_buffer(buffer, 0, bytes);
        }
        let entries: Vec<_> = made
            .iter()
            .zip(0..)
            .map(|(b, binding)| wgpu::BindGroupEntry { binding, resource: b.as_entire_binding() })
            .collect();
        let layout = &pipeline.get_bind_group_layout(0);
        let group =
            self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(groups, 1, 1);
        }
        let read = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let backs: Vec<_> = buffers.iter().map(|b| make(read, b.len() as u64)).collect();
        for (from, to) in made.iter().zip(&backs) {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
        }
        self.queue.submit([encoder.finish()]);
        if let Some(error) = pollster::block_on(scope.pop()) {
            panic!("{error}\n{wgsl}");
        }
        backs.iter().for_each(|b| b.slice(..).map_async(wgpu::MapMode::Read, |_| {}));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device works");
        backs.iter().map(|b| b.slice(..).get_mapped_range().expect("mapped").to_vec()).collect()
    }
}
