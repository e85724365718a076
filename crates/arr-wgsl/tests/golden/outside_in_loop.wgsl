// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_i32_div, arr_i32_rem, arr_checked_stop, arr_checked_wide, arr_checked_add.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

struct while_loop_Params {
  size: i32,
  n: i32,
  m: i32,
  start: i32,
  some: u32,
}
@group(0) @binding(0) var<uniform> while_loop_params: while_loop_Params;
@group(0) @binding(3) var<storage, read_write> while_loop_u_state_own: array<f32>;
@group(0) @binding(4) var<storage, read_write> while_loop_arrays: array<f32>;
@group(0) @binding(5) var<storage, read> while_loop_at_2: array<i32>;
var<workgroup> while_loop_u32_told_0: u32;
var<private> k_state: i32;
var<private> data: i32;
var<private> data_2: i32;
var<private> lt: bool;
var<private> u_state_at: i32;
var<private> u_2_data_2: i32;
var<private> s: i32;
var<private> for_data_2: i32;
var<private> k_2: i32;
var<private> for_at: i32;
var<private> data_3: i32;
var<private> data_4: i32;

fn while_loop_scalars() {
  u_state_at = 0i;
  data_2 = 0i;
}

fn while_loop_at(element: i32) {
  let copied = while_loop_u_state_own[element];
  while_loop_arrays[data_2 + element] = copied;
}

fn while_loop_scalars_2() {
    let k = k_state;
    lt = (k < 12i);
}

fn while_loop_scalars_3() {
    let u_2_at = u_state_at;
    k_2 = k_state;
    if while_loop_params.m == 0i {
      if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(while_loop_params.m)); atomicStore(&fault[3], bitcast<u32>(while_loop_params.m >> 31u)); }
      return;
    }
    let rem = arr_i32_rem(k_2, while_loop_params.m);
    let at_2 = while_loop_at_2[rem];
    let div = arr_i32_div(k_2, 6i);
    s = arr_checked_add(at_2, div, 2u);
    let place = (u_2_at != 0i);
    let place_2 = select(while_loop_params.start, 0i, place);
    for_at = place_2;
    u_2_data_2 = u_2_at;
    if (while_loop_params.some != 0u) {
      if s < 0i || s >= while_loop_params.n {
        if arr_claim_fault(3u) { atomicStore(&fault[2], bitcast<u32>(s)); atomicStore(&fault[3], bitcast<u32>(s >> 31u)); atomicStore(&fault[4], bitcast<u32>(while_loop_params.n)); atomicStore(&fault[5], bitcast<u32>(while_loop_params.n >> 31u)); }
        return;
      }
    }
    for_data_2 = for_at;
}

fn while_loop_at_3(i: i32) {
    let u_3 = while_loop_arrays[u_2_data_2 + i];
    let u_4 = while_loop_arrays[u_2_data_2 + s];
    let add = (u_3 + u_4);
    while_loop_arrays[for_data_2 + i] = add;
}

fn while_loop_scalars_4() {
    let s_2 = arr_checked_add(k_2, 1i, 2u);
    u_state_at = for_at;
    k_state = s_2;
}

fn while_loop_scalars_5() {
  data_3 = u_state_at;
}

fn while_loop_at_4(element_2: i32) {
  let copied_2 = while_loop_arrays[data_3 + element_2];
  while_loop_u_state_own[element_2] = copied_2;
}

// In order, in one workgroup: loop (u, k) = (x, 0) while k < 12 do
@compute @workgroup_size(256)
fn while_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  k_state = bitcast<i32>(slots[0]);
  while_loop_scalars();
  {
    let points = select(0u, u32(while_loop_params.size), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      while_loop_at(i32(point));
    }
  }
  loop {
    while_loop_scalars_2();
    workgroupBarrier();
    if lane == 0u { while_loop_u32_told_0 = select(0u, 1u, lt && atomicLoad(&fault[0]) == 0u); }
    let told = workgroupUniformLoad(&while_loop_u32_told_0);
    if told == 0u { break; }
    while_loop_scalars_3();
    storageBarrier();
    workgroupBarrier();
    {
      let points = select(0u, u32(while_loop_params.n), atomicLoad(&fault[0]) == 0u);
      for (var point = lane; point < points; point += 256u) {
        while_loop_at_3(i32(point));
      }
    }
    while_loop_scalars_4();
  }
  while_loop_scalars_5();
  storageBarrier();
  workgroupBarrier();
  {
    let points = select(0u, u32(while_loop_params.size), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      while_loop_at_4(i32(point));
    }
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(k_state);
  }
}

struct s_3_Params {
  rem: i32,
  div: i32,
  some: u32,
  n: i32,
}
@group(0) @binding(0) var<uniform> s_3_params: s_3_Params;
@group(0) @binding(3) var<storage, read> s_3_at: array<i32>;
// In order: in (for i < n => u[i] + u[j], k + 1)
@compute @workgroup_size(2)
fn s_3(@builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  if lane != 0u { return; }
  let at_2 = s_3_at[s_3_params.rem];
  let s = arr_checked_add(at_2, s_3_params.div, 4u);
  if (s_3_params.some != 0u) {
    if s < 0i || s >= s_3_params.n {
      if arr_claim_fault(3u) { atomicStore(&fault[2], bitcast<u32>(s)); atomicStore(&fault[3], bitcast<u32>(s >> 31u)); atomicStore(&fault[4], bitcast<u32>(s_3_params.n)); atomicStore(&fault[5], bitcast<u32>(s_3_params.n >> 31u)); }
      return;
    }
  }
  slots[2] = bitcast<u32>(s);
}

struct for_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_u_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: in (for i < n => u[i] + u[j], k + 1)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  let s = bitcast<i32>(slots[2]);
  let u_3 = for_2_u_2[i];
  let u_4 = for_2_u_2[s];
  let add = (u_3 + u_4);
  for_2_for_3[i] = add;
}

// The host:
// retain x
// var u.state: buffer f32 = x
// var k.state: i64 = 0
// let at.data: address i64 = data at
// let some: bool = gt n, 0
// let size: i64 = max n, 0
// let start: i64 = add 0, size
// let start.2: i64 = add start, size
// let fits: bool = le start.2, 16777216
// let fits.2: bool = le n, 8192
// let fit: bool = and fits, fits.2
// if fit {
//   let u.state.own: buffer f32 = unique u.state @4
//   set u.state = u.state.own
//   let arrays: buffer f32 = alloc [start.2] @4
//   put k.state = k.state
//   run while_loop over 1 by 1 (size, n, m, start, some; u.state.own, arrays, at)
//   fetch k.state
//   release arrays
// } else {
//   repeat {
//     let k: i64 = k.state
//     let lt: bool = lt k, 12
//   } while lt {
//     let k.2: i64 = k.state
//     let rem: i64 = rem k.2, m
//     let div: i64 = div k.2, 6
//     let u.2: buffer f32 = u.state
//     let u.2.data: address f32 = data u.2
//     let for: buffer f32 = alloc [n] @2
//     let for.data: address f32 = data for
//     run s_3 over 1 by 1 (rem, div, some, n; at)
//     run for_2 over n by 256 (n; u.2, for)
//     release u.2
//     check non_zero m @1
//     let s.2: i64 = add k.2, 1
//     set u.state = for
//     set k.state = s.2
//   }
// }
// let u.5: buffer f32 = u.state
// let k.3: i64 = k.state
// return u.5 [n], k.3
