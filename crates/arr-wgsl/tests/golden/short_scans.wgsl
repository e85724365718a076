// `main`: made by the Arr compiler.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

@group(0) @binding(3) var<storage, read_write> ys_ys_2: array<f32>;
// A point of a nest: def chain(x: f32, r: [n]f32) -> f32 = loop y = x for s in r do s * y
@compute @workgroup_size(256)
fn ys(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= 4u { return; }
  let i = i32(point);
  ys_ys_2[i] = 0.0f;
}

@group(0) @binding(3) var<storage, read_write> d_r_d_r_2: array<f32>;
// A point of a nest: def chain(x: f32, r: [n]f32) -> f32 = loop y = x for s in r do s * y
@compute @workgroup_size(256)
fn d_r(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= 4u { return; }
  let i_3 = i32(point);
  d_r_d_r_2[i_3] = 0.0f;
}

@group(0) @binding(3) var<storage, read_write> ys_all_ys_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> ys_all_d_r_2: array<f32>;
var<private> y_state: f32;
var<private> d_y_state: f32;

fn ys_all_at(i: i32) {
  ys_all_ys_2[i] = 0.0f;
}

fn ys_all_scalars() {
  y_state = 1.5f;
}

fn ys_all_at_2(i_3: i32) {
  ys_all_d_r_2[i_3] = 0.0f;
}

fn ys_all_scalars_2() {
  d_y_state = 1.0f;
}

// Small nests one after the other, the first of them: def chain(x: f32, r: [n]f32) -> f32 = loop y = x for s in r do s * y
@compute @workgroup_size(32)
fn ys_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  {
    let points = 4u;
    for (var point = lane; point < points; point += 32u) {
      ys_all_at(i32(point));
    }
  }
  ys_all_scalars();
  {
    let points = 4u;
    for (var point = lane; point < points; point += 32u) {
      ys_all_at_2(i32(point));
    }
  }
  ys_all_scalars_2();
  if lane == 0u {
    slots[0] = bitcast<u32>(y_state);
    slots[2] = bitcast<u32>(d_y_state);
  }
}

@group(0) @binding(3) var<storage, read_write> ys_state_own_ys_state_own_2: array<f32>;
@group(0) @binding(4) var<storage, read> ys_state_own_r: array<f32>;
// In order: def chain(x: f32, r: [n]f32) -> f32 = loop y = x for s in r do s * y
@compute @workgroup_size(2)
fn ys_state_own(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var y_state = bitcast<f32>(slots[0]);
  for (var i_2: i32 = 0i; i_2 < 4i; i_2 += 1i) {
    let y = y_state;
    ys_state_own_ys_state_own_2[i_2] = y;
    let s = ys_state_own_r[i_2];
    let mul = (s * y);
    y_state = mul;
  }
  slots[0] = bitcast<u32>(y_state);
}

@group(0) @binding(3) var<storage, read> d_r_state_own_ys_4: array<f32>;
@group(0) @binding(4) var<storage, read> d_r_state_own_r: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_r_state_own_d_r_state_own_2: array<f32>;
// In order: def chain(x: f32, r: [n]f32) -> f32 = loop y = x for s in r do s * y
@compute @workgroup_size(2)
fn d_r_state_own(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var d_y_state = bitcast<f32>(slots[2]);
  for (var i_4: i32 = 4i - 1i; i_4 >= 0i; i_4 -= 1i) {
    let d_y = d_y_state;
    let y_3 = d_r_state_own_ys_4[i_4];
    let s_2 = d_r_state_own_r[i_4];
    let d = (d_y * y_3);
    let d_2 = (d_y * s_2);
    let old = d_r_state_own_d_r_state_own_2[i_4];
    let t = (old + d);
    d_r_state_own_d_r_state_own_2[i_4] = t;
    d_y_state = d_2;
  }
  slots[2] = bitcast<u32>(d_y_state);
}

// The host:
// let ys: buffer f32 = alloc [4] @1
// let ys.data: address f32 = data ys
// let d_r: buffer f32 = alloc [4] @1
// let d_r.data: address f32 = data d_r
// run ys_all over 1 by 1 (; ys, d_r)
// var ys.state: buffer f32 = ys
// let r.data: address f32 = data r
// let ys.state.own: buffer f32 = unique ys.state @1
// let ys.state.own.data: address f32 = data ys.state.own
// set ys.state = ys.state.own
// var d_r.state: buffer f32 = d_r
// let ys.4: buffer f32 = ys.state
// let ys.4.data: address f32 = data ys.4
// let d_r.state.own: buffer f32 = unique d_r.state @1
// let d_r.state.own.data: address f32 = data d_r.state.own
// run ys_state_own over 1 by 1 (; ys.state.own, r)
// set d_r.state = d_r.state.own
// run d_r_state_own over 1 by 1 (; ys.4, r, d_r.state.own)
// release ys.4
// let d_r.4: buffer f32 = d_r.state
// return d_r.4 [4]
