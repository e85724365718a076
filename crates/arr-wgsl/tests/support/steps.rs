//! The host's part of a program, as far as the library's steps need it.

use super::Gpu;
use arr_base::Id;
use arr_ir::{Const, Scalar};
use arr_loops::{Expr, LocalId, Operand, Ty};
use arr_wgsl::Options;
use arr_wgsl::builder::Builder;
use arr_wgsl::program::{Access, Integers, Kernel, KernelId, Step};
use std::collections::HashMap;

#[derive(Clone)]
enum Entry {
    Scalar(Const),
    Address(usize, i64),
}

/// A program on a device, with values of its locals.
pub struct Machine<'a> {
    gpu: &'a Gpu,
    func: arr_loops::LoopFunc,
    integers: Integers,
    kernels: Vec<Kernel>,
    pipelines: Vec<(wgpu::ComputePipeline, wgpu::BindGroupLayout)>,
    env: HashMap<LocalId, Entry>,
    buffers: Vec<wgpu::Buffer>,
    slots: wgpu::Buffer,
    pub dispatches: usize,
}

pub fn options(integers: Integers) -> Options {
    Options { integers, ..Options::default() }
}

/// Bytes of an element or parameter.
fn width(scalar: Scalar, integers: Integers) -> u64 {
    match scalar {
        Scalar::F64 => 8,
        Scalar::I64 if integers == Integers::Native => 8,
        _ => 4,
    }
}

pub fn encode(c: Const, integers: Integers) -> Vec<u8> {
    let bits = c.bits().to_le_bytes();
    bits.into_iter().take(width(c.scalar(), integers) as usize).collect()
}

impl<'a> Machine<'a> {
    pub fn new(gpu: &'a Gpu, builder: &Builder<'_>) -> Machine<'a> {
        let wgsl = builder.finish();
        arr_wgsl::validate(&wgsl, builder.needs(&wgsl)).unwrap_or_else(|e| panic!("{e}\n{wgsl}"));
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(wgsl.as_str().into()),
        });
        let kernels: Vec<Kernel> = builder.kernels.iter().map(|(_, k)| k.clone()).collect();
        let pipelines = kernels.iter().map(|kernel| pipeline(gpu, &module, kernel)).collect();
        if let Some(error) = pollster::block_on(scope.pop()) {
            panic!("{error}\n{wgsl}");
        }
        let slots = buffer(gpu, 8 * builder.slots.len() as u64);
        Machine {
            gpu,
            func: builder.func.clone(),
            integers: builder.options.integers,
            kernels,
            pipelines,
            env: HashMap::new(),
            buffers: Vec::new(),
            slots,
            dispatches: 0,
        }
    }

    pub fn int(&mut self, local: LocalId, value: i64) {
        self.env.insert(local, Entry::Scalar(Const::I64(value)));
    }

    /// A buffer with these elements, at `local` and as the address of one of them at `address`.
    pub fn array(&mut self, local: LocalId, address: LocalId, offset: i64, values: &[Const]) {
        let bytes: Vec<u8> = values.iter().flat_map(|&c| encode(c, self.integers)).collect();
        let made = buffer(self.gpu, bytes.len() as u64);
        self.gpu.queue.write_buffer(&made, 0, &bytes);
        self.buffers.push(made);
        let row = self.buffers.len() - 1;
        self.env.insert(local, Entry::Address(row, 0));
        self.env.insert(address, Entry::Address(row, offset));
    }

    fn value(&self, operand: Operand) -> Entry {
        match operand {
            Operand::Const(c) => Entry::Scalar(c),
            Operand::Local(l) => {
                self.env.get(&l).unwrap_or_else(|| panic!("{} is not known", self.func.locals[l].name)).clone()
            }
        }
    }

    pub fn scalar(&self, operand: Operand) -> Const {
        match self.value(operand) {
            Entry::Scalar(c) => c,
            Entry::Address(..) => panic!("an address"),
        }
    }

    fn place(&self, local: LocalId) -> (usize, i64) {
        match self.value(local.into()) {
            Entry::Address(row, offset) => (row, offset),
            Entry::Scalar(_) => panic!("a scalar"),
        }
    }

    pub fn run(&mut self, steps: &[Step]) {
        steps.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Let { local, expr } => {
                let entry = match expr {
                    Expr::Prim(prim, args) => {
                        let args: Vec<Const> = args.iter().map(|&a| self.scalar(a)).collect();
                        Entry::Scalar(prim.eval(&args).unwrap_or_else(|| panic!("{prim:?}{args:?}")))
                    }
                    Expr::Copy(operand) => self.value(*operand),
                    Expr::BaseAddr(buffer) => self.value((*buffer).into()),
                    Expr::Offset(address, by) => {
                        let (row, offset) = self.place(*address);
                        Entry::Address(row, offset + self.scalar(*by).as_i64().expect("an integer"))
                    }
                    Expr::Load(..) | Expr::Len(_) | Expr::Literal(_) => panic!("not of the host"),
                };
                self.env.insert(*local, entry);
            }
            Step::Var { local, init } => {
                if let Some(init) = init {
                    let value = self.value(*init);
                    self.env.insert(*local, value);
                }
            }
            Step::Set { local, value } => {
                let value = self.value(*value);
                self.env.insert(*local, value);
            }
            Step::Alloc { local, dims, .. } | Step::AllocZeros { local, dims, .. } => {
                let count: i64 = dims.iter().map(|&d| self.scalar(d).as_i64().expect("an integer").max(0)).product();
                let Ty::Buffer(elem) = self.func.ty(*local) else { panic!("not a buffer") };
                self.buffers.push(buffer(self.gpu, count as u64 * width(elem, self.integers)));
                self.env.insert(*local, Entry::Address(self.buffers.len() - 1, 0));
            }
            Step::Retain(_) | Step::Release(_) => {}
            Step::Dispatch(kernel) => self.dispatch(*kernel),
            Step::Put(values) => {
                for (k, (_, value)) in values.iter().enumerate() {
                    let bytes = encode(self.scalar(*value), self.integers);
                    self.gpu.queue.write_buffer(&self.slots, 8 * k as u64, &bytes);
                }
            }
            Step::For(l) => {
                let extent = self.scalar(l.extent).as_i64().expect("an integer");
                for k in 0..extent {
                    let k = if l.reverse { extent - 1 - k } else { k };
                    self.int(l.index, k);
                    for induction in &l.inductions {
                        let by = self.scalar(induction.step).as_i64().expect("an integer");
                        self.int(induction.local, k * by);
                    }
                    self.run(&l.body);
                }
            }
            Step::If { cond, then_steps, else_steps } => {
                let taken = self.scalar(*cond).as_bool().expect("a bool");
                self.run(if taken { then_steps } else { else_steps });
            }
            other => panic!("{other:?} is not a step of the library"),
        }
    }

    fn dispatch(&mut self, id: KernelId) {
        let kernel = &self.kernels[id.index()];
        let mut count: i64 = 1;
        for &point in &kernel.groups.points {
            let point = self.scalar(point).as_i64().expect("an integer");
            count = if point <= 0 { 0 } else { count * point };
            if count == 0 {
                return;
            }
        }
        count = (count + i64::from(kernel.groups.per_group) - 1) / i64::from(kernel.groups.per_group);
        count = count.min(kernel.groups.most.map_or(i64::MAX, i64::from));
        let mut params = Vec::new();
        for &param in &kernel.params {
            let c = match self.value(param.into()) {
                Entry::Scalar(c) => c,
                Entry::Address(_, offset) => Const::I64(offset),
            };
            let bytes = encode(c, self.integers);
            while params.len() % bytes.len() != 0 {
                params.push(0);
            }
            params.extend(bytes);
        }
        let uniform = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: (params.len() as u64).next_multiple_of(16).max(16),
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        params.resize(params.len().next_multiple_of(4), 0);
        self.gpu.queue.write_buffer(&uniform, 0, &params);
        let mut entries = Vec::new();
        if !kernel.params.is_empty() {
            entries.push(wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() });
        }
        if kernel.slots {
            entries.push(wgpu::BindGroupEntry { binding: 1, resource: self.slots.as_entire_binding() });
        }
        for (binding, k) in kernel.buffers.iter().zip(3..) {
            let (row, _) = self.place(binding.buffer);
            entries.push(wgpu::BindGroupEntry { binding: k, resource: self.buffers[row].as_entire_binding() });
        }
        let (pipeline, layout) = &self.pipelines[id.index()];
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        let group = self.gpu.device.create_bind_group(&descriptor);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            let rows = (count as u32).div_ceil(65_535);
            pass.dispatch_workgroups((count as u32).div_ceil(rows), rows, 1);
        }
        self.gpu.queue.submit([encoder.finish()]);
        self.dispatches += 1;
    }

    /// The bytes of the buffer at a local.
    pub fn read(&self, local: LocalId) -> Vec<u8> {
        let (row, _) = self.place(local);
        let from = &self.buffers[row];
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size: from.size(), usage, mapped_at_creation: false };
        let to = self.gpu.device.create_buffer(&descriptor);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(from, 0, &to, 0, from.size());
        self.gpu.queue.submit([encoder.finish()]);
        to.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        self.gpu.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device works");
        to.slice(..).get_mapped_range().expect("mapped").to_vec()
    }
}

fn buffer(gpu: &Gpu, size: u64) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let size = size.max(16).next_multiple_of(4);
    gpu.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

fn pipeline(gpu: &Gpu, module: &wgpu::ShaderModule, kernel: &Kernel) -> (wgpu::ComputePipeline, wgpu::BindGroupLayout) {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let mut entries = Vec::new();
    if !kernel.params.is_empty() {
        entries.push(entry(0, wgpu::BufferBindingType::Uniform));
    }
    if kernel.slots {
        entries.push(entry(1, wgpu::BufferBindingType::Storage { read_only: false }));
    }
    for (binding, k) in kernel.buffers.iter().zip(3..) {
        let read_only = binding.access == Access::Read;
        entries.push(entry(k, wgpu::BufferBindingType::Storage { read_only }));
    }
    let layout =
        gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: 0,
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&pipeline_layout),
        module,
        entry_point: Some(&kernel.name),
        compilation_options: Default::default(),
        cache: None,
    });
    (pipeline, layout)
}
