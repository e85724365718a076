// Runs what `arr build --emit wgsl` makes, in a browser: a module of kernels and a manifest of the host's steps.
//
//   const program = await Program.open(await navigator.gpu.requestAdapter(), wgsl, manifest);
//   const [loss, gradient] = await program.run({ n: 3 }, [new Float32Array([1, 2, 3])]);
//
// Integers of type i64 are BigInts on the host, and i32 on the device, from -2147483646 to 2147483646: sizes, arguments and
// values of the host that do not fit are refused, and kernels stop where what they compute does not. The extremes of i32 stand
// for those of i64. A result is a number, or { data, dims }.

const ARRAYS = { f32: Float32Array, i32: Int32Array, u32: Uint32Array };
const STORAGE = 0x80 | 0x04 | 0x08; // STORAGE, COPY_SRC, COPY_DST
const DEMANDS = {
  index: ([i, n]) => 0n <= i && i < n,
  element: ([i, n]) => 0n <= i && i < n,
  slice: ([lo, hi, n]) => 0n <= lo && lo <= hi && hi <= n,
  non_zero: ([d]) => BigInt(d) !== 0n,
  size_eq: ([found, expected]) => found === expected,
  size_non_neg: ([n]) => n >= 0n,
  non_empty: ([n]) => n > 0n,
  step: ([n]) => n > 0n,
};

const floor = (a, b) => { const q = a / b; return a % b !== 0n && (a < 0n) !== (b < 0n) ? q - 1n : q; };
const compare = {
  eq: (a, b) => a === b, ne: (a, b) => a !== b, lt: (a, b) => a < b, le: (a, b) => a <= b, gt: (a, b) => a > b,
  ge: (a, b) => a >= b, and: (a, b) => a && b, or: (a, b) => a || b, not: (a) => !a, select: (c, a, b) => (c ? a : b),
};
const integers = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: floor, rem: (a, b) => a - b * floor(a, b),
  neg: (a) => -a, abs: (a) => (a < 0n ? -a : a), sign: (a) => (a > 0n ? 1n : a < 0n ? -1n : 0n),
  min: (a, b) => (a < b ? a : b), max: (a, b) => (a > b ? a : b), bit_and: (a, b) => a & b, bit_or: (a, b) => a | b,
  bit_xor: (a, b) => a ^ b,
};
const floats = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: (a, b) => a / b, neg: (a) => -a,
  mulz: (a, b) => (a === 0 || b === 0 ? 0 : a * b), min: Math.min, max: Math.max, abs: Math.abs, sign: Math.sign,
  sqrt: Math.sqrt, exp: Math.exp, log: Math.log, sin: Math.sin, cos: Math.cos, tanh: Math.tanh, floor: Math.floor,
  ceil: Math.ceil, pow: Math.pow, log1p: Math.log1p, expm1: Math.expm1, atan2: Math.atan2,
};
const number = (x) => (x === 'NaN' ? NaN : x === 'inf' ? Infinity : x === '-inf' ? -Infinity : x);
// A value as one of the given type: integers of 32 bits are BigInts too, until they are stored.
const convert = (type, x) => {
  if (type === 'bool') return typeof x === 'boolean' ? x : Number(x) !== 0;
  if (type === 'f32') return Math.fround(Number(x));
  if (type === 'f64') return Number(x);
  if (typeof x === 'bigint') return type === 'i64' ? BigInt.asIntN(64, x) : type === 'i32' ? BigInt.asIntN(32, x) : BigInt.asUintN(32, x);
  return BigInt(Math.trunc(Number(x)) || 0);
};

class Fault extends Error {}

const LARGEST = 2147483646n;
const I64 = [-(2n ** 63n), 2n ** 63n - 1n];
const I32 = [-(2n ** 31n), 2n ** 31n - 1n];

// An integer of a type as the device holds it: one that does not fit is an error, since a typed array would wrap it.
const fitting = (type, x, what) => {
  const value = typeof x === 'bigint' ? x : typeof x === 'boolean' || Number.isInteger(x) ? BigInt(x) : null;
  const kept = value === null ? null : type === 'i32' ? BigInt.asIntN(32, value) : type === 'i64' ? value : BigInt.asUintN(32, value);
  const large = type === 'i64' && (value > LARGEST || value < -LARGEST);
  if (value === null || kept !== value || large) throw new RangeError(`${what}: ${x} is not an integer that fits ${type} here`);
  return Number(value);
};

export class Program {
  static async open(adapter, wgsl, manifest) {
    if (!adapter) throw new Error('this browser has no WebGPU adapter');
    if (manifest.needs.f64 || manifest.needs.int64) throw new Error('WebGPU has no f64 and no i64: build with --float f32');
    const names = ['maxStorageBufferBindingSize', 'maxBufferSize', 'maxStorageBuffersPerShaderStage'];
    const requiredLimits = Object.fromEntries(names.map((name) => [name, adapter.limits[name]]));
    const device = await adapter.requestDevice({ requiredLimits });
    device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
    const module = device.createShaderModule({ code: wgsl });
    const errors = (await module.getCompilationInfo()).messages.filter((m) => m.type === 'error');
    if (errors.length) throw new Error(errors.map((m) => `${m.lineNum}: ${m.message}`).join('\n'));
    const kernels = new Map();
    for (const kernel of manifest.kernels) {
      const type = ({ kind, access }) => (kind === 'params' ? 'uniform' : access === 'read' ? 'read-only-storage' : 'storage');
      const entries = kernel.bindings.map((b) => ({ binding: b.binding, visibility: 4, buffer: { type: type(b) } }));
      const bindings = device.createBindGroupLayout({ entries });
      const layout = device.createPipelineLayout({ bindGroupLayouts: [bindings] });
      const pipeline = await device.createComputePipelineAsync({ layout, compute: { module, entryPoint: kernel.entry } });
      kernels.set(kernel.entry, { ...kernel, pipeline, layout: bindings });
    }
    return new Program(device, manifest, kernels);
  }

  constructor(device, manifest, kernels) {
    Object.assign(this, { device, manifest, kernels });
    this.slotOf = new Map(manifest.slots.map((slot, k) => [slot.local, { at: 8 * k, type: slot.type }]));
  }

  // `sizes` has a number for each size of the manifest, `args` a number or an array for each parameter.
  async run(sizes, args) {
    const { device, manifest } = this;
    this.env = new Map();
    this.encoder = device.createCommandEncoder();
    this.dispatches = this.submissions = 0;
    for (const name of manifest.sizes) this.env.set(name, BigInt(fitting('i64', sizes[name], name)));
    manifest.params.forEach((param, k) => {
      const array = typeof args[k] === 'object';
      this.env.set(param.local, array ? this.upload(param.type, args[k], param.local) : this.scalar(param, args[k]));
    });
    this.literals = manifest.literals.map((l) => this.upload(l.type, l.data.map(number), 'a constant'));
    this.slots = this.buffer(8 * manifest.slots.length);
    this.fault = this.buffer(32);
    await this.steps(manifest.steps);
    const wanted = manifest.outputs.map((output) => (this.slotOf.has(output.value) ? null : this.value(output.value)));
    const arrays = wanted.filter((value) => value?.gpu);
    const [slots, ...data] = await this.read([this.slots, ...arrays.map((a) => a.gpu)]);
    return manifest.outputs.map((output, k) => {
      if (wanted[k] === null) return this.fromSlot(slots, output.value);
      if (!wanted[k].gpu) return wanted[k];
      const bytes = data[arrays.indexOf(wanted[k])];
      const elements = new (ARRAYS[this.stored(output.type)])(bytes, 0, wanted[k].length);
      return { data: elements, dims: output.dims.map((d) => Number(this.value(d))) };
    });
  }

  stored(type) { return type === 'bool' ? 'u32' : type === 'i64' ? 'i32' : type; }

  buffer(bytes) {
    return this.device.createBuffer({ size: Math.max(16, Math.ceil(bytes / 4) * 4), usage: STORAGE });
  }

  scalar({ local, type }, value) {
    if (type === 'f32' || type === 'bool') return convert(type, value);
    return BigInt(fitting(type, value, local));
  }

  upload(type, values, what) {
    const stored = this.stored(type);
    const data = ARRAYS[stored].from(values, stored === 'f32' ? Number : (x) => fitting(type, x, what));
    const gpu = this.buffer(data.byteLength);
    this.device.queue.writeBuffer(gpu, 0, data);
    return { gpu, length: data.length, count: 1, borrowed: true };
  }

  value(operand) {
    if (typeof operand === 'string') {
      if (!this.env.has(operand)) throw new Error(`the host does not know ${operand}`);
      return this.env.get(operand);
    }
    const [[type, constant]] = Object.entries(operand);
    return convert(type, number(constant));
  }

  // What was recorded is done; the contents of buffers come back. A kernel that has stopped is an error.
  async read(buffers) {
    const all = [this.fault, ...buffers];
    const copies = all.map((source) => {
      const copy = this.device.createBuffer({ size: source.size, usage: 0x01 | 0x08 }); // MAP_READ, COPY_DST
      this.encoder.copyBufferToBuffer(source, 0, copy, 0, source.size);
      return copy;
    });
    this.device.queue.submit([this.encoder.finish()]);
    this.submissions += 1;
    this.encoder = this.device.createCommandEncoder();
    await Promise.all(copies.map((copy) => copy.mapAsync(1)));
    const [fault, ...rest] = copies.map((copy) => copy.getMappedRange().slice(0));
    copies.forEach((copy) => copy.destroy());
    const place = new Uint32Array(fault)[0];
    if (place) this.stop(this.manifest.places[place - 1], [...new BigInt64Array(fault, 8)]);
    return rest;
  }

  stop({ demand, span }, args) {
    if (demand === 'range') throw new Fault(`an integer is ${args[0]}, which does not fit 32 bits (bytes ${span} of the program)`);
    throw new Fault(`${demand} does not hold of ${args.join(', ')} (bytes ${span} of the program)`);
  }

  fromSlot(bytes, local) {
    const { at, type } = this.slotOf.get(local);
    const [word] = new (ARRAYS[this.stored(type)])(bytes, at, 1);
    if (type === 'f32') return word;
    const extreme = type === 'i64' ? I32.indexOf(BigInt(word)) : -1;
    return extreme < 0 ? convert(type, BigInt(word)) : I64[extreme];
  }

  async steps(steps) {
    for (const step of steps) await this[`do_${step.step}`](step);
  }

  do_let({ local, op, args, type }) {
    const values = op === 'literal' ? args : args.map((a) => this.value(a));
    if (op === 'copy') return this.env.set(local, values[0]);
    if (op === 'literal') return this.env.set(local, this.literals[values[0]]);
    if (op === 'data') return this.env.set(local, 0n);
    if (op === 'offset') return this.env.set(local, values[0] + values[1]);
    const apply = compare[op] ?? (['bool', 'i32', 'i64', 'u32', 'f32', 'f64'].includes(op) ? (x) => x : null)
      ?? (typeof values[0] === 'bigint' ? integers : floats)[op];
    if (!apply) throw new Error(`the host cannot compute ${op}`);
    this.env.set(local, convert(type, apply(...values)));
  }

  do_var({ local, init }) { if (init !== null) this.env.set(local, this.value(init)); }

  do_set({ local, value }) { this.env.set(local, this.value(value)); }

  length(dims) { return dims.reduce((n, d) => n * Math.max(0, Number(this.value(d))), 1); }

  do_alloc({ local, dims, zeros }) {
    const length = this.length(dims);
    // A new buffer of WebGPU is zero.
    this.env.set(local, { gpu: this.buffer(4 * length), length, count: 1, zeros });
  }

  do_unique({ local, buffer }) {
    const from = this.value(buffer);
    if (from.count === 1 && !from.borrowed) return this.env.set(local, from);
    const gpu = this.buffer(4 * from.length);
    this.encoder.copyBufferToBuffer(from.gpu, 0, gpu, 0, gpu.size);
    from.count -= 1;
    this.env.set(local, { gpu, length: from.length, count: 1 });
  }

  // A buffer of several, all of whose elements have four bytes.
  do_pack({ local, parts }) {
    const length = parts.reduce((n, { buffer }) => n + this.value(buffer).length, 0);
    const packed = { gpu: this.buffer(4 * length), length, count: 1 };
    this.env.set(local, packed);
    let at = 0;
    for (const { buffer, start } of parts) {
      const part = this.value(buffer);
      if (part.length > 0) this.encoder.copyBufferToBuffer(part.gpu, 0, packed.gpu, 4 * at, 4 * part.length);
      this.env.set(start, BigInt(at));
      at += part.length;
    }
  }

  do_unpack({ local, parts }) {
    for (const { buffer, start } of parts) {
      const part = this.value(buffer);
      const from = 4 * Number(this.value(start));
      if (part.length > 0) this.encoder.copyBufferToBuffer(this.value(local).gpu, from, part.gpu, 0, 4 * part.length);
    }
  }

  do_retain({ buffer }) { this.value(buffer).count += 1; }

  do_release({ buffer }) { this.value(buffer).count -= 1; }

  do_check({ demand, args, span }) {
    const values = args.map((a) => this.value(a));
    if (!DEMANDS[demand](values)) this.stop({ demand, span }, values);
  }

  do_check_shape({ buffer, dims, span }) {
    const [found, expected] = [this.value(buffer).length, this.length(dims)];
    if (found !== expected) this.stop({ demand: 'size_eq', span }, [found, expected]);
  }

  do_put({ values }) {
    for (const { local, value } of values) {
      const { at, type } = this.slotOf.get(local);
      const stored = this.stored(type);
      // A constant may be an extreme.
      const extreme = type === 'i64' && typeof value === 'object' ? I64.indexOf(this.value(value)) : -1;
      const bits = () => (extreme < 0 ? fitting(type, this.value(value), local) : Number(I32[extreme]));
      const word = new (ARRAYS[stored])([stored === 'f32' ? this.value(value) : bits()]);
      const from = this.device.createBuffer({ size: 4, usage: 0x04, mappedAtCreation: true }); // COPY_SRC
      new Uint8Array(from.getMappedRange()).set(new Uint8Array(word.buffer));
      from.unmap();
      this.encoder.copyBufferToBuffer(from, 0, this.slots, at, 4);
    }
  }

  async do_fetch({ locals }) {
    const [slots] = await this.read([this.slots]);
    for (const local of locals) this.env.set(local, this.fromSlot(slots, local));
  }

  async do_for({ index, extent, reverse, inductions, body }) {
    const count = this.value(extent);
    for (let turn = 0n; turn < count; turn += 1n) {
      const i = reverse ? count - 1n - turn : turn;
      this.env.set(index, i);
      for (const { local, step } of inductions) this.env.set(local, i * this.value(step));
      await this.steps(body);
    }
  }

  async do_while({ head, cond, body }) {
    for (;;) {
      await this.steps(head);
      if (!this.value(cond)) return;
      await this.steps(body);
    }
  }

  async do_if({ cond, then, else: otherwise }) { await this.steps(this.value(cond) ? then : otherwise); }

  do_dispatch({ kernel: name }) {
    const kernel = this.kernels.get(name);
    const points = kernel.groups.points.map((p) => Number(this.value(p)));
    if (points.some((n) => n <= 0)) return;
    const all = points.reduce((a, b) => a * b, 1);
    if (all > Number(LARGEST)) throw new RangeError(`${name}: ${all} points are more than a kernel counts`);
    const wanted = Math.ceil(all / kernel.groups.per_group);
    const groups = Math.min(wanted, kernel.groups.most ?? wanted);
    const rows = Math.ceil(groups / this.device.limits.maxComputeWorkgroupsPerDimension);
    const entries = kernel.bindings.map(({ binding, kind, buffer }) => ({
      binding,
      resource: { buffer: { params: () => this.block(kernel.params), slots: () => this.slots, fault: () => this.fault, buffer: () => this.value(buffer).gpu }[kind]() },
    }));
    const pass = this.encoder.beginComputePass();
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, this.device.createBindGroup({ layout: kernel.layout, entries }));
    pass.dispatchWorkgroups(Math.ceil(groups / rows), rows);
    pass.end();
    this.dispatches += 1;
  }

  // The uniform block of a kernel's parameters.
  block({ bytes, fields }) {
    const view = new DataView(new ArrayBuffer(bytes));
    for (const { local, type, of, offset } of fields) {
      const value = this.value(local);
      if (type === 'f32') view.setFloat32(offset, value, true);
      else if (type === 'i32') view.setInt32(offset, fitting(of, value, local), true);
      else view.setUint32(offset, fitting(of, value, local), true);
    }
    const gpu = this.device.createBuffer({ size: bytes, usage: 0x40 | 0x08 }); // UNIFORM, COPY_DST
    this.device.queue.writeBuffer(gpu, 0, view.buffer);
    return gpu;
  }
}
