//! Programs made by hand, on the first adapter; without one the tests say so and pass.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use crate::error::Limit;
use crate::{Ask, Device, Executable, GpuError, Limits, Outcome};
use arr_base::{IndexVec, RunErrorKind};
use arr_ir::{Const, Data, Literal, Prim, Scalar, Value};
use arr_loops::{Demand, Expr, LocalId, LocalInfo, LoopFunc, Operand, Origin, Output, Param, ParamSize, SpanId, Ty};
use arr_wgsl::program::{
    Access, Binding, Fault, FaultSite, Groups, HostFor, HostWhile, Integers, Kernel, Needs, Program, Step,
};
use std::sync::{Arc, OnceLock};

/// The device of all tests.
fn device() -> Option<&'static Arc<Device>> {
    static DEVICE: OnceLock<Option<Arc<Device>>> = OnceLock::new();
    let device = DEVICE.get_or_init(|| Device::open(None, Ask::All).ok());
    if device.is_none() {
        eprintln!("SKIPPED: there is no graphics device here; see docs/gpu.md");
    }
    device.as_ref()
}

/// A program under construction.
struct Draft {
    func: LoopFunc,
    kernels: IndexVec<arr_wgsl::program::KernelId, Kernel>,
    wgsl: String,
    slots: Vec<LocalId>,
    places: IndexVec<arr_wgsl::program::PlaceId, FaultSite>,
}

impl Draft {
    fn new() -> Draft {
        let mut spans = IndexVec::new();
        spans.push(None);
        let func = LoopFunc {
            name: "test".to_string(),
            sizes: Vec::new(),
            params: Vec::new(),
            body: Vec::new(),
            outputs: Vec::new(),
            locals: IndexVec::new(),
            literals: IndexVec::new(),
            spans,
            traces: Default::default(),
            sections: Default::default(),
            broken: Vec::new(),
        };
        let (slots, wgsl) = (Vec::new(), String::new());
        Draft { func, kernels: IndexVec::new(), wgsl, slots, places: IndexVec::new() }
    }

    fn local(&mut self, name: &str, ty: Ty) -> LocalId {
        self.func.locals.push(LocalInfo { name: name.to_string(), ty, mutable: false })
    }

    fn size(&mut self, name: &str) -> LocalId {
        let local = self.local(name, Ty::Scalar(Scalar::I64));
        self.func.sizes.push(local);
        local
    }

    fn array(&mut self, name: &str, elem: Scalar, size: LocalId) -> LocalId {
        let local = self.local(name, Ty::Buffer(elem));
        self.func.params.push(Param { local, dims: vec![ParamSize::var(size)] });
        local
    }

    fn scalar(&mut self, name: &str, elem: Scalar) -> LocalId {
        let local = self.local(name, Ty::Scalar(elem));
        self.func.params.push(Param { local, dims: Vec::new() });
        local
    }

    fn kernel(&mut self, name: &str, points: Operand, params: &[LocalId], buffers: &[(LocalId, Access)]) -> Step {
        let elem = |l: LocalId| self.func.ty(l).elem();
        let buffers =
            buffers.iter().map(|&(buffer, access)| Binding { buffer, elem: elem(buffer), access }).collect::<Vec<_>>();
        let groups = Groups { points: vec![points], per_group: 64, most: None };
        Step::Dispatch(self.kernels.push(Kernel {
            name: name.to_string(),
            workgroup: [64, 1, 1],
            groups,
            params: params.to_vec(),
            slots: false,
            faults: false,
            buffers,
            span: span(),
        }))
    }

    fn output(&mut self, value: LocalId, dims: &[LocalId]) {
        let dims = dims.iter().map(|&d| Operand::Local(d)).collect();
        self.func.outputs.push(Output { value: value.into(), dims });
    }

    fn finish(self, steps: Vec<Step>) -> Program {
        let Draft { func, kernels, wgsl, slots, places } = self;
        let integers = Integers::Narrow;
        Program { func, integers, needs: Needs::default(), wgsl, kernels, steps, slots, places }
    }
}

fn span() -> SpanId {
    arr_base::Id::from_index(0)
}

fn floats(v: &[f32]) -> Value {
    Value::array(vec![v.len() as i64], Data::F32(v.to_vec()))
}

fn run(program: Program, sizes: &[i64], args: &[Value]) -> Option<Result<Outcome, GpuError>> {
    let executable = Executable::new(device()?, program).unwrap_or_else(|e| panic!("{e:?}"));
    Some(executable.run(sizes, args, &Limits::default()))
}

const INDEX: &str = "let i = id.x + id.y * groups.x * 64u;";
const BUILTINS: &str = "@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>";

/// `out[i] = x[i] * s + k`, for a scalar and a number of the host.
fn scaled() -> Program {
    let mut d = Draft::new();
    let n = d.size("n");
    let (x, s) = (d.array("x", Scalar::F32, n), d.scalar("s", Scalar::F32));
    let out = d.local("out", Ty::Buffer(Scalar::F32));
    let k = d.local("k", Ty::Scalar(Scalar::I64));
    d.wgsl = format!(
        "struct P {{ n: i32, k: i32, s: f32 }}
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64) fn scale({BUILTINS}) {{
  {INDEX}
  if (i < u32(p.n)) {{ out[i] = x[i] * p.s + f32(p.k); }}
}}"
    );
    let dispatch = d.kernel("scale", n.into(), &[n, k, s], &[(x, Access::Read), (out, Access::ReadWrite)]);
    d.output(out, &[n]);
    let add = Expr::Prim(Prim::Add, vec![n.into(), Operand::int(1)]);
    d.finish(vec![
        Step::Let { local: k, expr: add },
        Step::Alloc { local: out, dims: vec![n.into()], span: span() },
        dispatch,
    ])
}

#[test]
fn a_kernel_maps_an_array() {
    let args = [floats(&[1.0, 2.0, 3.0]), Value::Scalar(Const::F32(10.0))];
    let Some(outcome) = run(scaled(), &[3], &args) else { return };
    let outcome = outcome.unwrap();
    assert_eq!(outcome.results, vec![floats(&[14.0, 24.0, 34.0])]);
    assert_eq!((outcome.stats.dispatches, outcome.stats.submissions), (1, 1));
    assert_eq!((outcome.stats.bytes_down, outcome.stats.allocations), (12, 1));
    // The array and the block of parameters.
    assert_eq!(outcome.stats.bytes_up, 12 + 16);
}

#[test]
fn an_empty_array_takes_no_kernel() {
    let args = [floats(&[]), Value::Scalar(Const::F32(10.0))];
    let Some(outcome) = run(scaled(), &[0], &args) else { return };
    let outcome = outcome.unwrap();
    assert_eq!(outcome.results, vec![floats(&[])]);
    assert_eq!(outcome.stats.dispatches, 0);
}

#[test]
fn an_argument_that_is_still_there_is_not_moved_again() {
    let Some(device) = device() else { return };
    let executable = Executable::new(device, scaled()).unwrap();
    let x: Vec<f32> = (0..70_000).map(|i| i as f32).collect();
    let args = [floats(&x), Value::Scalar(Const::F32(2.0))];
    let first = executable.run(&[70_000], &args, &Limits::default()).unwrap();
    let second = executable.run(&[70_000], &args, &Limits::default()).unwrap();
    assert_eq!(first.results, second.results);
    assert_eq!((first.stats.bytes_up, second.stats.bytes_up), (280_016, 16));
    let other = [floats(&x), Value::Scalar(Const::F32(2.0))];
    assert_eq!(executable.run(&[70_000], &other, &Limits::default()).unwrap().stats.bytes_up, 280_016);
}

#[test]
fn memory_is_limited() {
    let Some(device) = device() else { return };
    let executable = Executable::new(device, scaled()).unwrap();
    let args = [floats(&[1.0; 100]), Value::Scalar(Const::F32(2.0))];
    let limits = Limits { max_bytes: Some(399), max_steps: None };
    let error = executable.run(&[100], &args, &limits).unwrap_err();
    let GpuError::Run(error) = error else { panic!("{error:?}") };
    assert_eq!(error.kind, RunErrorKind::OutOfMemory { bytes: 400, limit: 399 });
    let limits = Limits { max_bytes: Some(400), max_steps: None };
    assert!(executable.run(&[100], &args, &limits).is_ok());
}

#[test]
fn an_integer_that_does_not_fit_is_refused() {
    let mut program = scaled();
    program.steps[0] = Step::Let {
        local: arr_base::Id::from_index(4),
        expr: Expr::Prim(Prim::Mul, vec![Operand::int(1 << 20), Operand::int(1 << 20)]),
    };
    let args = [floats(&[1.0]), Value::Scalar(Const::F32(10.0))];
    let Some(outcome) = run(program, &[1], &args) else { return };
    let error = outcome.unwrap_err();
    assert!(matches!(error, GpuError::Range { value: 1_099_511_627_776, .. }), "{error:?}");
}

/// A loop of the host that doubles a buffer in place, after a copy of the argument.
fn doubled() -> Program {
    let mut d = Draft::new();
    let n = d.size("n");
    let (x, k) = (d.array("x", Scalar::F32, n), d.scalar("k", Scalar::I64));
    let own = d.local("own", Ty::Buffer(Scalar::F32));
    let index = d.local("i", Ty::Scalar(Scalar::I64));
    d.wgsl = format!(
        "@group(0) @binding(3) var<storage, read_write> a: array<f32>;
@compute @workgroup_size(64) fn double({BUILTINS}) {{
  {INDEX}
  if (i < arrayLength(&a)) {{ a[i] = a[i] + a[i]; }}
}}"
    );
    let dispatch = d.kernel("double", n.into(), &[], &[(own, Access::ReadWrite)]);
    d.output(own, &[n]);
    d.finish(vec![
        Step::Retain(x),
        Step::MakeUnique { local: own, buffer: x, span: span() },
        Step::For(Box::new(HostFor {
            index,
            extent: k.into(),
            reverse: false,
            inductions: Vec::new(),
            origin: Origin::Source,
            span: span(),
            body: vec![dispatch],
        })),
    ])
}

#[test]
fn a_loop_of_the_host_updates_in_place_and_is_one_submission() {
    let x = floats(&[1.0, -2.0, 0.5, 3.0]);
    let Some(outcome) = run(doubled(), &[4], &[x.clone(), Value::Scalar(Const::I64(5))]) else { return };
    let outcome = outcome.unwrap();
    assert_eq!(outcome.results, vec![floats(&[32.0, -64.0, 16.0, 96.0])]);
    assert_eq!((outcome.stats.dispatches, outcome.stats.submissions, outcome.stats.allocations), (5, 1, 1));
    assert_eq!(x, floats(&[1.0, -2.0, 0.5, 3.0]));
}

#[test]
fn long_loops_are_submitted_in_parts() {
    let args = [floats(&[1.0, 0.0, 0.0, 0.0]), Value::Scalar(Const::I64(2500))];
    let Some(outcome) = run(doubled(), &[4], &args) else { return };
    let outcome = outcome.unwrap();
    assert_eq!(outcome.results, vec![floats(&[f32::INFINITY, 0.0, 0.0, 0.0])]);
    assert_eq!((outcome.stats.dispatches, outcome.stats.submissions), (2500, 3));
}

#[test]
fn steps_of_the_host_are_counted() {
    let Some(device) = device() else { return };
    let executable = Executable::new(device, doubled()).unwrap();
    let args = [floats(&[1.0; 4]), Value::Scalar(Const::I64(5))];
    let limits = Limits { max_bytes: None, max_steps: Some(4) };
    let error = executable.run(&[4], &args, &limits).unwrap_err();
    let GpuError::Run(error) = error else { panic!("{error:?}") };
    assert_eq!(error.kind, RunErrorKind::TooManySteps { limit: 4 });
}

/// Counts up in a slot until the device says that it is enough; a second slot has a value that the host stored there.
#[test]
fn a_condition_of_the_device_is_fetched() {
    let mut d = Draft::new();
    let one = d.size("one");
    let limit = d.scalar("limit", Scalar::F32);
    let (sum, bound) = (d.local("sum", Ty::Scalar(Scalar::F32)), d.local("bound", Ty::Scalar(Scalar::F32)));
    let go = d.local("go", Ty::Scalar(Scalar::Bool));
    d.slots = vec![sum, bound, go];
    d.wgsl = "@group(0) @binding(1) var<storage, read_write> slots: array<u32>;
@compute @workgroup_size(64) fn more(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x == 0u) { slots[0] = bitcast<u32>(bitcast<f32>(slots[0]) + 1.5); }
}
@compute @workgroup_size(64) fn test(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x == 0u) { slots[4] = select(0u, 1u, bitcast<f32>(slots[0]) < bitcast<f32>(slots[2])); }
}"
    .to_string();
    let (more, test) = (d.kernel("more", one.into(), &[], &[]), d.kernel("test", one.into(), &[], &[]));
    for kernel in [0, 1] {
        d.kernels[arr_base::Id::from_index(kernel)].slots = true;
    }
    d.output(sum, &[]);
    d.output(go, &[]);
    d.output(one, &[]);
    let program = d.finish(vec![
        Step::Put(vec![(sum, Const::F32(0.0).into()), (bound, limit.into())]),
        Step::While(Box::new(HostWhile {
            head: vec![test, Step::Fetch(vec![go])],
            cond: go.into(),
            body: vec![more],
            span: span(),
        })),
    ]);
    let Some(outcome) = run(program, &[1], &[Value::Scalar(Const::F32(4.0))]) else { return };
    let outcome = outcome.unwrap();
    let scalars = [Const::F32(4.5), Const::Bool(false), Const::I64(1)].map(Value::Scalar);
    assert_eq!(outcome.results, scalars);
    assert_eq!((outcome.stats.dispatches, outcome.stats.submissions), (7, 5));
}

/// Reads `x[j]` for a number that only the device knows.
#[test]
fn a_fault_of_a_kernel_is_the_error_of_the_cpu() {
    let mut d = Draft::new();
    let n = d.size("n");
    let (x, j) = (d.array("x", Scalar::F32, n), d.scalar("j", Scalar::I64));
    let out = d.local("out", Ty::Scalar(Scalar::F32));
    d.slots = vec![out];
    d.places.push(FaultSite { fault: Fault::Demand(Demand::NonEmpty), span: span() });
    d.places.push(FaultSite { fault: Fault::Demand(Demand::Element), span: span() });
    d.wgsl = "struct P { n: i32, j: i32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@compute @workgroup_size(64) fn pick(@builtin(global_invocation_id) id: vec3<u32>) {
  if (atomicLoad(&fault[0]) != 0u) { return; }
  if (id.x != 0u) { return; }
  if (p.j < 0 || p.j >= p.n) {
    if (atomicCompareExchangeWeak(&fault[0], 0u, 2u).exchanged) {
      atomicStore(&fault[2], u32(p.j)); atomicStore(&fault[3], u32(p.j >> 31u));
      atomicStore(&fault[4], u32(p.n)); atomicStore(&fault[5], 0u);
    }
    return;
  }
  slots[0] = bitcast<u32>(x[p.j]);
}"
    .to_string();
    let dispatch = d.kernel("pick", n.into(), &[n, j], &[(x, Access::Read)]);
    let kernel = &mut d.kernels[arr_base::Id::from_index(0)];
    (kernel.slots, kernel.faults) = (true, true);
    d.output(out, &[]);
    let program = d.finish(vec![dispatch]);
    let x = floats(&[1.0, 2.0, 4.0]);
    let at = |j: i64| run(program.clone(), &[3], &[x.clone(), Value::Scalar(Const::I64(j))]);
    let Some(outcome) = at(2) else { return };
    assert_eq!(outcome.unwrap().results, vec![Value::Scalar(Const::F32(4.0))]);
    for j in [-1, 3] {
        let GpuError::Run(error) = at(j).unwrap().unwrap_err() else { panic!() };
        assert_eq!(error.kind, RunErrorKind::Index { index: j, extent: 3 });
    }
    // A run after a fault begins afresh.
    assert!(at(0).unwrap().is_ok());
}

#[test]
fn constants_and_arguments_come_back_without_being_moved() {
    let mut d = Draft::new();
    let n = d.size("n");
    let x = d.array("x", Scalar::F32, n);
    let data = [1, 2, 3].map(Const::I64).to_vec();
    let literal = d.func.literals.push(Arc::new(Literal { elem: Scalar::I64, dims: vec![3], data }));
    let table = d.local("table", Ty::Buffer(Scalar::I64));
    let three = d.local("three", Ty::Scalar(Scalar::I64));
    d.output(table, &[three]);
    d.output(x, &[n]);
    let program = d.finish(vec![
        Step::Let { local: three, expr: Expr::Copy(Operand::int(3)) },
        Step::Let { local: table, expr: Expr::Literal(literal) },
        Step::Retain(x),
    ]);
    let x = floats(&[7.0]);
    let Some(outcome) = run(program, &[1], std::slice::from_ref(&x)) else { return };
    let outcome = outcome.unwrap();
    assert_eq!(outcome.results, vec![Value::array(vec![3], Data::I64(vec![1, 2, 3])), x]);
    assert_eq!(outcome.stats.bytes_down, 0);
}

#[test]
fn more_groups_than_fit_in_a_row_are_rows() {
    let Some(device) = device() else { return };
    let mut program = scaled();
    let kernel = &mut program.kernels[arr_base::Id::from_index(0)];
    kernel.groups.per_group = 1;
    kernel.workgroup = [1, 1, 1];
    program.wgsl = program.wgsl.replace("workgroup_size(64)", "workgroup_size(1)").replace("* 64u", "");
    let n = i64::from(device.limits.max_compute_workgroups_per_dimension) + 2;
    let x: Vec<f32> = vec![2.0; n as usize];
    let outcome = run(program, &[n], &[floats(&x), Value::Scalar(Const::F32(1.0))]).unwrap().unwrap();
    let Value::Array(out) = &outcome.results[0] else { panic!() };
    let want = 2.0 + (n + 1) as f32;
    assert_eq!(out.data, Data::F32(vec![want; n as usize]));
}

#[test]
fn more_points_than_can_be_numbered_are_refused() {
    let mut program = scaled();
    program.kernels[arr_base::Id::from_index(0)].groups.points = vec![Operand::int(1 << 20), Operand::int(1 << 20)];
    let Some(outcome) = run(program, &[1], &[floats(&[1.0]), Value::Scalar(Const::F32(1.0))]) else { return };
    let error = outcome.unwrap_err();
    assert!(matches!(error, GpuError::TooLarge { what: Limit::Points, size: 0x100_0000_0000, .. }), "{error:?}");
}

#[test]
fn a_portable_device_has_no_more_than_all_have() {
    let Ok(device) = Device::open(None, Ask::Portable) else { return };
    let adapter = device.adapter();
    assert!(!adapter.float64 && !adapter.int64 && adapter.subgroups.is_none());
    let limits = adapter.limits;
    assert!(limits.storage_buffers <= 8 && limits.workgroup_bytes <= 16384 && limits.workgroup_invocations <= 256);
    assert!(limits.binding_bytes <= 128 << 20 && limits.buffer_bytes <= 256 << 20);
    assert_eq!(device.options().integers, Integers::Narrow);
    let args = [floats(&[1.0, 2.0]), Value::Scalar(Const::F32(10.0))];
    let outcome = Executable::new(&device, scaled()).unwrap().run(&[2], &args, &Limits::default()).unwrap();
    assert_eq!(outcome.results, vec![floats(&[13.0, 23.0])]);
}

#[test]
fn too_large_an_array_for_a_kernel_is_refused_with_the_numbers() {
    let Some(device) = device() else { return };
    let limit = device.limits.max_storage_buffer_binding_size;
    if limit > 512 << 20 {
        return;
    }
    let mut program = doubled();
    program.steps.insert(
        0,
        Step::AllocZeros {
            local: arr_base::Id::from_index(3),
            dims: vec![Operand::int(limit as i64 / 4 + 1)],
            span: span(),
        },
    );
    program.steps.retain(|step| !matches!(step, Step::MakeUnique { .. } | Step::Retain(_)));
    let outcome = run(program, &[1], &[floats(&[1.0]), Value::Scalar(Const::I64(1))]).unwrap();
    let error = outcome.unwrap_err();
    assert!(matches!(error, GpuError::TooLarge { size, .. } if size == limit + 4), "{error:?}");
    let text = error.to_diagnostic().title;
    assert!(text.contains(&limit.to_string()), "{text}");
}

#[test]
fn a_module_that_is_refused_is_an_error() {
    let Some(device) = device() else { return };
    let mut program = scaled();
    program.wgsl = "@compute @workgroup_size(64) fn scale() { let x: i32 = 1.5; }".to_string();
    let error = Executable::new(device, program).unwrap_err();
    assert!(matches!(&error, GpuError::Refused { reason, .. } if !reason.is_empty()), "{error:?}");
    // A binding that the module declares and the kernel does not.
    let mut program = scaled();
    program.kernels[arr_base::Id::from_index(0)].buffers.pop();
    let executable = Executable::new(device, program).unwrap();
    let args = [floats(&[1.0]), Value::Scalar(Const::F32(10.0))];
    let error = executable.run(&[1], &args, &Limits::default()).unwrap_err();
    assert!(matches!(error, GpuError::Refused { .. }), "{error:?}");
}

#[test]
fn devices_are_found_by_number_and_name() {
    if device().is_none() {
        let error = crate::find("anything").unwrap_err();
        assert!(error.to_diagnostic().hint.is_some_and(|hint| hint.contains("mesa-vulkan-drivers")));
        return;
    }
    let all = crate::adapters();
    assert_eq!(crate::find("0").unwrap(), all[0]);
    assert_eq!(crate::find(&all[0].name.to_uppercase()).unwrap().name, all[0].name);
    let error = crate::find("no such thing").unwrap_err();
    assert!(matches!(&error, GpuError::UnknownDevice { names, .. } if names.len() == all.len()));
    assert!(error.to_diagnostic().notes[0].contains(&all[0].name));
    assert!(all.windows(2).all(|pair| pair[0].kind <= pair[1].kind));
}

#[test]
fn every_error_has_words_and_a_hint() {
    let device = "a device".to_string();
    let errors = [
        GpuError::NoDevice,
        GpuError::UnknownDevice { wanted: "x".into(), names: vec!["y".into()] },
        GpuError::NoFloat64 { device: device.clone() },
        GpuError::NoInt64 { device: device.clone() },
        GpuError::TooLarge { what: Limit::Binding, size: 2, limit: 1, device: device.clone(), span: None },
        GpuError::TooLarge { what: Limit::Buffer, size: 2, limit: 1, device: device.clone(), span: None },
        GpuError::TooLarge { what: Limit::Points, size: 2, limit: 1, device: device.clone(), span: None },
        GpuError::TooLarge { what: Limit::Groups, size: 2, limit: 1, device: device.clone(), span: None },
        GpuError::Range { what: "`n`".into(), value: 1 << 40, span: None },
        GpuError::OutOfMemory { bytes: 1, device: device.clone(), span: None },
        GpuError::Lost { device: device.clone(), reason: "reset".into() },
        GpuError::Refused { device, reason: "no".into() },
    ];
    for error in errors {
        let diagnostic = error.to_diagnostic();
        assert_eq!(diagnostic.code.info().map(|row| row.family), Some(arr_base::Family::Device));
        assert!(diagnostic.hint.is_some(), "{error}");
    }
}
