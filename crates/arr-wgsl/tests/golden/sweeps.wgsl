// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_i32_rem, arr_checked_stop, arr_checked_wide, arr_checked_add, arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

struct turn_loop_Params {
  size_3: i32,
  n: i32,
  chunk_length: i32,
  chunk_first: i32,
  start: i32,
}
@group(0) @binding(0) var<uniform> turn_loop_params: turn_loop_Params;
@group(0) @binding(3) var<storage, read_write> turn_loop_u_state_own_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> turn_loop_arrays: array<f32>;
var<workgroup> turn_loop_i32_told_0: i32;
var<workgroup> turn_loop_f32_0: array<f32, 256>;
var<workgroup> turn_loop_u32_told_0: u32;
var<private> total_state: f32;
var<private> count_state: i32;
var<private> turn_2: i32;
var<private> data: i32;
var<private> data_2: i32;
var<private> u_state_at: i32;
var<private> v_state_at: i32;
var<private> size: f32;
var<private> v_5_data_2: i32;
var<private> v_5_at: i32;
var<private> and: bool;
var<private> w_state_at: i32;
var<private> k_state: i32;
var<private> sum: f32;
var<private> w_2_data_2: i32;
var<private> k: i32;
var<private> w_3_data_2: i32;
var<private> for_data_2: i32;
var<private> k_2: i32;
var<private> for_at: i32;
var<private> size_2: f32;
var<private> gt_2: bool;
var<private> w_4_at: i32;
var<private> w_4_data_2: i32;
var<private> div: f32;
var<private> for_2_data_2: i32;
var<private> for_2_at: i32;
var<private> next_at: i32;
var<private> total: f32;
var<private> count: i32;
var<private> k_3: i32;
var<private> data_3: i32;
var<private> data_4: i32;

fn turn_loop_scalars() {
  u_state_at = 0i;
  data_2 = 0i;
}

fn turn_loop_at(element: i32) {
  let copied = turn_loop_u_state_own_2[element];
  turn_loop_arrays[data_2 + element] = copied;
}

fn turn_loop_scalars_2() {
    let t = (turn_loop_params.chunk_first + turn_2);
    let u_at = u_state_at;
    total = total_state;
    count = count_state;
    v_state_at = u_at;
}

fn turn_loop_first() {
    for (var i: i32 = 0i; i < turn_loop_params.n; i += 1i) {
      let v_at = v_state_at;
      let v_data_2 = v_at;
      let v_2 = turn_loop_arrays[v_data_2 + i];
      let mul = (0.5f * v_2);
      let s = arr_checked_add(i, 1i, 1u);
      if turn_loop_params.n == 0i {
        if arr_claim_fault(2u) { atomicStore(&fault[2], bitcast<u32>(turn_loop_params.n)); atomicStore(&fault[3], bitcast<u32>(turn_loop_params.n >> 31u)); }
        return;
      }
      let rem = arr_i32_rem(s, turn_loop_params.n);
      let v_3 = turn_loop_arrays[v_data_2 + rem];
      let mul_2 = (0.25f * v_3);
      let add = (mul + mul_2);
      let v_4_data_2 = v_at;
      turn_loop_arrays[v_4_data_2 + i] = add;
      v_state_at = v_at;
    }
}

fn turn_loop_scalars_3() {
    v_5_at = v_state_at;
    size = 0.0f;
    v_5_data_2 = v_5_at;
}

fn turn_loop_join(size_part: f32) {
    let t_3 = (size + size_part);
    size = t_3;
}

fn turn_loop_at_2(i_2: i32) {
    let w = turn_loop_arrays[v_5_data_2 + i_2];
    let mul_3 = (w * w);
    let t_2 = (size + mul_3);
    size = t_2;
}

fn turn_loop_scalars_4() {
    size_2 = size;
    w_state_at = v_5_at;
    k_state = 0i;
}

fn turn_loop_scalars_5() {
      let w_2_at = w_state_at;
      k = k_state;
      sum = 0.0f;
      w_2_data_2 = w_2_at;
}

fn turn_loop_join_2(sum_part: f32) {
      let t_5 = (sum + sum_part);
      sum = t_5;
}

fn turn_loop_at_3(i_3: i32) {
      let z = turn_loop_arrays[w_2_data_2 + i_3];
      let abs_2 = abs(z);
      let t_4 = (sum + abs_2);
      sum = t_4;
}

fn turn_loop_scalars_6() {
      let sum_2 = sum;
      let gt = arr_f32_lt(3.0f, sum_2);
      let lt = (k < 9i);
      and = (gt && lt);
}

fn turn_loop_scalars_7() {
      let w_3_at = w_state_at;
      k_2 = k_state;
      let place_3 = (w_3_at != 0i);
      let place_4 = select(turn_loop_params.start, 0i, place_3);
      for_at = place_4;
      w_3_data_2 = w_3_at;
      for_data_2 = for_at;
}

fn turn_loop_at_4(i_4: i32) {
      let z_2 = turn_loop_arrays[w_3_data_2 + i_4];
      let mul_4 = (0.5f * z_2);
      turn_loop_arrays[for_data_2 + i_4] = mul_4;
}

fn turn_loop_scalars_8() {
      let s_2 = arr_checked_add(k_2, 1i, 3u);
      w_state_at = for_at;
      k_state = s_2;
}

fn turn_loop_scalars_9() {
    w_4_at = w_state_at;
    k_3 = k_state;
    gt_2 = arr_f32_lt(4.0f, size_2);
    w_4_data_2 = w_4_at;
}

fn turn_loop_scalars_10() {
      div = (size_2 / 64.0f);
      let place = (w_4_at != 0i);
      let place_2 = select(turn_loop_params.start, 0i, place);
      for_2_at = place_2;
      for_2_data_2 = for_2_at;
}

fn turn_loop_at_5(i_5: i32) {
      let z_3 = turn_loop_arrays[w_4_data_2 + i_5];
      let sub = (z_3 - div);
      turn_loop_arrays[for_2_data_2 + i_5] = sub;
}

fn turn_loop_scalars_11() {
      next_at = for_2_at;
}

fn turn_loop_scalars_12() {
      next_at = w_4_at;
}

fn turn_loop_scalars_13() {
    let next_2_at = next_at;
    let add_2 = (total + size_2);
    let s_3 = arr_checked_add(count, k_3, 3u);
    u_state_at = next_2_at;
    total_state = add_2;
    count_state = s_3;
}

fn turn_loop_scalars_14() {
  data_3 = u_state_at;
}

fn turn_loop_at_6(element_2: i32) {
  let copied_2 = turn_loop_arrays[data_3 + element_2];
  turn_loop_u_state_own_2[element_2] = copied_2;
}

// In order, in one workgroup: loop (u, total, count) = (x, 0.0f32, 0) for t < steps do
@compute @workgroup_size(256)
fn turn_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  total_state = bitcast<f32>(slots[0]);
  count_state = bitcast<i32>(slots[2]);
  turn_loop_scalars();
  {
    let points = select(0u, u32(turn_loop_params.size_3), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at(i32(point));
    }
  }
  for (var turn: i32 = 0i; turn < turn_loop_params.chunk_length; turn += 1i) {
    turn_2 = turn;
    turn_loop_scalars_2();
    storageBarrier();
    workgroupBarrier();
    if lane == 0u {
      turn_loop_first();
      turn_loop_i32_told_0 = v_state_at;
    }
    workgroupBarrier();
    v_state_at = turn_loop_i32_told_0;
    turn_loop_scalars_3();
    storageBarrier();
    workgroupBarrier();
    let size_before = size;
    size = 0.0f;
    {
      let points = select(0u, u32(turn_loop_params.n), atomicLoad(&fault[0]) == 0u);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_2(i32(point));
      }
    }
    turn_loop_f32_0[lane] = size;
    workgroupBarrier();
    for (var width = 128u; width > 0u; width /= 2u) {
      if lane < width {
        turn_loop_join(turn_loop_f32_0[lane + width]);
        turn_loop_f32_0[lane] = size;
      }
      workgroupBarrier();
    }
    size = size_before;
    turn_loop_join(turn_loop_f32_0[0]);
    turn_loop_scalars_4();
    loop {
      turn_loop_scalars_5();
      storageBarrier();
      workgroupBarrier();
      let sum_before = sum;
      sum = 0.0f;
      {
        let points = select(0u, u32(turn_loop_params.n), atomicLoad(&fault[0]) == 0u);
        for (var point = lane; point < points; point += 256u) {
          turn_loop_at_3(i32(point));
        }
      }
      turn_loop_f32_0[lane] = sum;
      workgroupBarrier();
      for (var width = 128u; width > 0u; width /= 2u) {
        if lane < width {
          turn_loop_join_2(turn_loop_f32_0[lane + width]);
          turn_loop_f32_0[lane] = sum;
        }
        workgroupBarrier();
      }
      sum = sum_before;
      turn_loop_join_2(turn_loop_f32_0[0]);
      turn_loop_scalars_6();
      workgroupBarrier();
      if lane == 0u { turn_loop_u32_told_0 = select(0u, 1u, and && atomicLoad(&fault[0]) == 0u); }
      let told = workgroupUniformLoad(&turn_loop_u32_told_0);
      if told == 0u { break; }
      turn_loop_scalars_7();
      storageBarrier();
      workgroupBarrier();
      {
        let points = select(0u, u32(turn_loop_params.n), atomicLoad(&fault[0]) == 0u);
        for (var point = lane; point < points; point += 256u) {
          turn_loop_at_4(i32(point));
        }
      }
      turn_loop_scalars_8();
    }
    turn_loop_scalars_9();
    if lane == 0u { turn_loop_u32_told_0 = select(0u, 1u, gt_2); }
    let told_2 = workgroupUniformLoad(&turn_loop_u32_told_0);
    if told_2 != 0u {
      turn_loop_scalars_10();
      storageBarrier();
      workgroupBarrier();
      {
        let points = select(0u, u32(turn_loop_params.n), atomicLoad(&fault[0]) == 0u);
        for (var point = lane; point < points; point += 256u) {
          turn_loop_at_5(i32(point));
        }
      }
      turn_loop_scalars_11();
    }
    else {
      turn_loop_scalars_12();
    }
    turn_loop_scalars_13();
  }
  turn_loop_scalars_14();
  storageBarrier();
  workgroupBarrier();
  {
    let points = select(0u, u32(turn_loop_params.size_3), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at_6(i32(point));
    }
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(total_state);
    slots[2] = bitcast<u32>(count_state);
  }
}

// In order
@compute @workgroup_size(2)
fn size_4(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var total_state = bitcast<f32>(slots[0]);
  let total = total_state;
  var size: f32 = 0.0f;
  slots[4] = bitcast<u32>(total);
  slots[6] = bitcast<u32>(size);
}

struct v_state_own_2_all_Params {
  chunk_length_2: i32,
  chunk_first_2: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> v_state_own_2_all_params: v_state_own_2_all_Params;
@group(0) @binding(3) var<storage, read_write> v_state_own_2_all_v_state_own_2: array<f32>;

fn v_state_own_2_all_first() {
  for (var turn_3: i32 = 0i; turn_3 < v_state_own_2_all_params.chunk_length_2; turn_3 += 1i) {
    let i = (v_state_own_2_all_params.chunk_first_2 + turn_3);
    let v_2 = v_state_own_2_all_v_state_own_2[i];
    let mul = (0.5f * v_2);
    let s = arr_checked_add(i, 1i, 1u);
    if v_state_own_2_all_params.n == 0i {
      if arr_claim_fault(2u) { atomicStore(&fault[2], bitcast<u32>(v_state_own_2_all_params.n)); atomicStore(&fault[3], bitcast<u32>(v_state_own_2_all_params.n >> 31u)); }
      return;
    }
    let rem = arr_i32_rem(s, v_state_own_2_all_params.n);
    let v_3 = v_state_own_2_all_v_state_own_2[rem];
    let mul_2 = (0.25f * v_3);
    let add = (mul + mul_2);
    v_state_own_2_all_v_state_own_2[i] = add;
  }
}

// Small nests one after the other, the first of them: let v = loop v = u for i < n do v with [i] = 0.5f32 * v[i] + 0.25f32 * v[(i + 1) % n]
@compute @workgroup_size(32)
fn v_state_own_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if lane == 0u {
    v_state_own_2_all_first();
  }
}

struct size_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> size_parts_params: size_parts_Params;
@group(0) @binding(3) var<storage, read> size_parts_v_5: array<f32>;
@group(0) @binding(4) var<storage, read_write> size_parts_size_parts_2: array<f32>;
var<workgroup> size_parts_size_all: array<f32, 256>;

fn size_parts_join(size: ptr<function, f32>, size_part: f32) {
  let t_3 = ((*size) + size_part);
  (*size) = t_3;
}

// A point of a reduction: let size = sum(for w in v => w * w)
fn size_parts_at(i_2: i32, size: ptr<function, f32>) {
  let w = size_parts_v_5[i_2];
  let mul_3 = (w * w);
  let t_2 = ((*size) + mul_3);
  (*size) = t_2;
}

@compute @workgroup_size(256)
fn size_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var size: f32 = 0.0f;
  let points = u32(size_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    size_parts_at(i32(point), &size);
  }
  size_parts_size_all[lane] = size;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      size_parts_join(&size, size_parts_size_all[lane + width]);
      size_parts_size_all[lane] = size;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    size_parts_size_parts_2[group.x] = size;
  }
}

struct size_5_Params {
  groups_2: i32,
}
@group(0) @binding(0) var<uniform> size_5_params: size_5_Params;
@group(0) @binding(3) var<storage, read> size_5_size_parts_2: array<f32>;
var<workgroup> size_5_size_all: array<f32, 256>;

fn size_5_join(size: ptr<function, f32>, size_part: f32) {
  let t_3 = ((*size) + size_part);
  (*size) = t_3;
}

@compute @workgroup_size(256)
fn size_5(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var size: f32 = 0.0f;
  let points = u32(size_5_params.groups_2);
  for (var point = lane; point < points; point += 256u) {
    size_5_join(&size, size_5_size_parts_2[point]);
  }
  size_5_size_all[lane] = size;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      size_5_join(&size, size_5_size_all[lane + width]);
      size_5_size_all[lane] = size;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    let size_found = size;
    size = bitcast<f32>(slots[6]);
    size_5_join(&size, size_found);
    slots[6] = bitcast<u32>(size);
  }
}

struct size_6_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> size_6_params: size_6_Params;
@group(0) @binding(3) var<storage, read> size_6_v_5: array<f32>;
var<workgroup> size_6_size_all: array<f32, 256>;

fn size_6_join(size: ptr<function, f32>, size_part: f32) {
  let t_3 = ((*size) + size_part);
  (*size) = t_3;
}

// A point of a reduction: let size = sum(for w in v => w * w)
fn size_6_at(i_2: i32, size: ptr<function, f32>) {
  let w = size_6_v_5[i_2];
  let mul_3 = (w * w);
  let t_2 = ((*size) + mul_3);
  (*size) = t_2;
}

@compute @workgroup_size(256)
fn size_6(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var size: f32 = 0.0f;
  let points = u32(size_6_params.n);
  for (var point = lane; point < points; point += 256u) {
    size_6_at(i32(point), &size);
  }
  size_6_size_all[lane] = size;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      size_6_join(&size, size_6_size_all[lane + width]);
      size_6_size_all[lane] = size;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    let size_found_2 = size;
    size = bitcast<f32>(slots[6]);
    size_6_join(&size, size_found_2);
    slots[6] = bitcast<u32>(size);
  }
}

// In order
@compute @workgroup_size(2)
fn size_7(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var size = bitcast<f32>(slots[6]);
  let total = bitcast<f32>(slots[4]);
  var total_state = bitcast<f32>(slots[0]);
  let size_2 = size;
  let add_2 = (total + size_2);
  total_state = add_2;
  slots[0] = bitcast<u32>(total_state);
  slots[8] = bitcast<u32>(size_2);
}

struct size_2_all_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> size_2_all_params: size_2_all_Params;
@group(0) @binding(3) var<storage, read> size_2_all_v_5: array<f32>;
var<workgroup> size_2_all_f32_0: array<f32, 256>;

fn size_2_all_join(size_part: f32) {
  let t_3 = (size + size_part);
  size = t_3;
}

fn size_2_all_at(i_2: i32) {
  let w = size_2_all_v_5[i_2];
  let mul_3 = (w * w);
  let t_2 = (size + mul_3);
  size = t_2;
}

fn size_2_all_scalars() {
  size_2 = size;
  let add_2 = (total + size_2);
  total_state = add_2;
}

// Small nests one after the other, the first of them: let size = sum(for w in v => w * w)
@compute @workgroup_size(256)
fn size_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  size = bitcast<f32>(slots[6]);
  total = bitcast<f32>(slots[4]);
  total_state = bitcast<f32>(slots[0]);
  let size_before_2 = size;
  size = 0.0f;
  {
    let points = u32(size_2_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      size_2_all_at(i32(point));
    }
  }
  size_2_all_f32_0[lane] = size;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      size_2_all_join(size_2_all_f32_0[lane + width]);
      size_2_all_f32_0[lane] = size;
    }
    workgroupBarrier();
  }
  size = size_before_2;
  size_2_all_join(size_2_all_f32_0[0]);
  size_2_all_scalars();
  if lane == 0u {
    slots[6] = bitcast<u32>(size);
    slots[0] = bitcast<u32>(total_state);
    slots[8] = bitcast<u32>(size_2);
  }
}

struct while_loop_Params {
  size_8: i32,
  n: i32,
  start_3: i32,
}
@group(0) @binding(0) var<uniform> while_loop_params: while_loop_Params;
@group(0) @binding(3) var<storage, read_write> while_loop_w_state_own: array<f32>;
@group(0) @binding(4) var<storage, read_write> while_loop_arrays_2: array<f32>;
var<workgroup> while_loop_f32_0: array<f32, 256>;
var<workgroup> while_loop_u32_told_0: u32;
var<private> data_5: i32;
var<private> data_6: i32;
var<private> w_state_at_2: i32;
var<private> w_2_data_3: i32;
var<private> w_3_data_3: i32;
var<private> for_data_3: i32;
var<private> for_at_2: i32;
var<private> data_7: i32;
var<private> data_8: i32;

fn while_loop_scalars() {
  w_state_at_2 = 0i;
  data_6 = 0i;
}

fn while_loop_at(element_3: i32) {
  let copied_3 = while_loop_w_state_own[element_3];
  while_loop_arrays_2[data_6 + element_3] = copied_3;
}

fn while_loop_scalars_2() {
    let w_2_at_2 = w_state_at_2;
    k = k_state;
    sum = 0.0f;
    w_2_data_3 = w_2_at_2;
}

fn while_loop_join(sum_part: f32) {
    let t_5 = (sum + sum_part);
    sum = t_5;
}

fn while_loop_at_2(i_3: i32) {
    let z = while_loop_arrays_2[w_2_data_3 + i_3];
    let abs_2 = abs(z);
    let t_4 = (sum + abs_2);
    sum = t_4;
}

fn while_loop_scalars_3() {
    let sum_2 = sum;
    let gt = arr_f32_lt(3.0f, sum_2);
    let lt = (k < 9i);
    and = (gt && lt);
}

fn while_loop_scalars_4() {
    let w_3_at_2 = w_state_at_2;
    k_2 = k_state;
    let place_5 = (w_3_at_2 != 0i);
    let place_6 = select(while_loop_params.start_3, 0i, place_5);
    for_at_2 = place_6;
    w_3_data_3 = w_3_at_2;
    for_data_3 = for_at_2;
}

fn while_loop_at_3(i_4: i32) {
    let z_2 = while_loop_arrays_2[w_3_data_3 + i_4];
    let mul_4 = (0.5f * z_2);
    while_loop_arrays_2[for_data_3 + i_4] = mul_4;
}

fn while_loop_scalars_5() {
    let s_2 = arr_checked_add(k_2, 1i, 4u);
    w_state_at_2 = for_at_2;
    k_state = s_2;
}

fn while_loop_scalars_6() {
  data_7 = w_state_at_2;
}

fn while_loop_at_4(element_4: i32) {
  let copied_4 = while_loop_arrays_2[data_7 + element_4];
  while_loop_w_state_own[element_4] = copied_4;
}

// In order, in one workgroup: let (w, k) = loop (w, k) = (v, 0) while sum(for z in w => abs(z)) > 3.0f32 and k < 9 do
@compute @workgroup_size(256)
fn while_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  k_state = bitcast<i32>(slots[10]);
  while_loop_scalars();
  {
    let points = select(0u, u32(while_loop_params.size_8), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      while_loop_at(i32(point));
    }
  }
  loop {
    while_loop_scalars_2();
    storageBarrier();
    workgroupBarrier();
    let sum_before_2 = sum;
    sum = 0.0f;
    {
      let points = select(0u, u32(while_loop_params.n), atomicLoad(&fault[0]) == 0u);
      for (var point = lane; point < points; point += 256u) {
        while_loop_at_2(i32(point));
      }
    }
    while_loop_f32_0[lane] = sum;
    workgroupBarrier();
    for (var width = 128u; width > 0u; width /= 2u) {
      if lane < width {
        while_loop_join(while_loop_f32_0[lane + width]);
        while_loop_f32_0[lane] = sum;
      }
      workgroupBarrier();
    }
    sum = sum_before_2;
    while_loop_join(while_loop_f32_0[0]);
    while_loop_scalars_3();
    workgroupBarrier();
    if lane == 0u { while_loop_u32_told_0 = select(0u, 1u, and && atomicLoad(&fault[0]) == 0u); }
    let told_3 = workgroupUniformLoad(&while_loop_u32_told_0);
    if told_3 == 0u { break; }
    while_loop_scalars_4();
    storageBarrier();
    workgroupBarrier();
    {
      let points = select(0u, u32(while_loop_params.n), atomicLoad(&fault[0]) == 0u);
      for (var point = lane; point < points; point += 256u) {
        while_loop_at_3(i32(point));
      }
    }
    while_loop_scalars_5();
  }
  while_loop_scalars_6();
  {
    let points = select(0u, u32(while_loop_params.size_8), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      while_loop_at_4(i32(point));
    }
  }
  if lane == 0u {
    slots[10] = bitcast<u32>(k_state);
  }
}

struct sum_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_parts_params: sum_parts_Params;
@group(0) @binding(3) var<storage, read> sum_parts_w_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_parts_sum_parts_2: array<f32>;
var<workgroup> sum_parts_sum_all: array<f32, 256>;

fn sum_parts_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_5 = ((*sum) + sum_part);
  (*sum) = t_5;
}

// A point of a reduction: let (w, k) = loop (w, k) = (v, 0) while sum(for z in w => abs(z)) > 3.0f32 and k < 9 do
fn sum_parts_at(i_3: i32, sum: ptr<function, f32>) {
  let z = sum_parts_w_2[i_3];
  let abs_2 = abs(z);
  let t_4 = ((*sum) + abs_2);
  (*sum) = t_4;
}

@compute @workgroup_size(256)
fn sum_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    sum_parts_at(i32(point), &sum);
  }
  sum_parts_sum_all[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_parts_join(&sum, sum_parts_sum_all[lane + width]);
      sum_parts_sum_all[lane] = sum;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    sum_parts_sum_parts_2[group.x] = sum;
  }
}

struct sum_3_Params {
  groups_3: i32,
}
@group(0) @binding(0) var<uniform> sum_3_params: sum_3_Params;
@group(0) @binding(3) var<storage, read> sum_3_sum_parts_2: array<f32>;
var<workgroup> sum_3_sum_all: array<f32, 256>;

fn sum_3_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_5 = ((*sum) + sum_part);
  (*sum) = t_5;
}

@compute @workgroup_size(256)
fn sum_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_3_params.groups_3);
  for (var point = lane; point < points; point += 256u) {
    sum_3_join(&sum, sum_3_sum_parts_2[point]);
  }
  sum_3_sum_all[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_3_join(&sum, sum_3_sum_all[lane + width]);
      sum_3_sum_all[lane] = sum;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[12] = bitcast<u32>(sum);
  }
}

struct sum_4_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_4_params: sum_4_Params;
@group(0) @binding(3) var<storage, read> sum_4_w_2: array<f32>;
var<workgroup> sum_4_sum_all: array<f32, 256>;

fn sum_4_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_5 = ((*sum) + sum_part);
  (*sum) = t_5;
}

// A point of a reduction: let (w, k) = loop (w, k) = (v, 0) while sum(for z in w => abs(z)) > 3.0f32 and k < 9 do
fn sum_4_at(i_3: i32, sum: ptr<function, f32>) {
  let z = sum_4_w_2[i_3];
  let abs_2 = abs(z);
  let t_4 = ((*sum) + abs_2);
  (*sum) = t_4;
}

@compute @workgroup_size(256)
fn sum_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_4_params.n);
  for (var point = lane; point < points; point += 256u) {
    sum_4_at(i32(point), &sum);
  }
  sum_4_sum_all[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_4_join(&sum, sum_4_sum_all[lane + width]);
      sum_4_sum_all[lane] = sum;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[12] = bitcast<u32>(sum);
  }
}

// In order
@compute @workgroup_size(2)
fn gt_3(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum = bitcast<f32>(slots[12]);
  let sum_2 = sum;
  let gt = arr_f32_lt(3.0f, sum_2);
  slots[14] = select(0u, 1u, gt);
}

struct gt_all_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> gt_all_params: gt_all_Params;
@group(0) @binding(3) var<storage, read> gt_all_w_2: array<f32>;
var<workgroup> gt_all_f32_0: array<f32, 256>;
var<private> gt: bool;

fn gt_all_scalars() {
  sum = 0.0f;
}

fn gt_all_join(sum_part: f32) {
  let t_5 = (sum + sum_part);
  sum = t_5;
}

fn gt_all_at(i_3: i32) {
  let z = gt_all_w_2[i_3];
  let abs_2 = abs(z);
  let t_4 = (sum + abs_2);
  sum = t_4;
}

fn gt_all_scalars_2() {
  let sum_2 = sum;
  gt = arr_f32_lt(3.0f, sum_2);
}

// Small nests one after the other, the first of them: let (w, k) = loop (w, k) = (v, 0) while sum(for z in w => abs(z)) > 3.0f32 and k < 9 do
@compute @workgroup_size(256)
fn gt_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  gt_all_scalars();
  sum = 0.0f;
  {
    let points = u32(gt_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      gt_all_at(i32(point));
    }
  }
  gt_all_f32_0[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      gt_all_join(gt_all_f32_0[lane + width]);
      gt_all_f32_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = gt_all_f32_0[0];
  gt_all_scalars_2();
  if lane == 0u {
    slots[14] = select(0u, 1u, gt);
  }
}

struct and_2_Params {
  lt: u32,
}
@group(0) @binding(0) var<uniform> and_2_params: and_2_Params;
// In order
@compute @workgroup_size(2)
fn and_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  let gt = (slots[14] != 0u);
  let and = (gt && (and_2_params.lt != 0u));
  slots[16] = select(0u, 1u, and);
}

struct for_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_w_3: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: (for z in w => 0.5f32 * z, k + 1)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i_4 = i32(point);
  let z_2 = for_2_w_3[i_4];
  let mul_4 = (0.5f * z_2);
  for_2_for_3[i_4] = mul_4;
}

// In order
@compute @workgroup_size(2)
fn gt_4(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  let size_2 = bitcast<f32>(slots[8]);
  let gt_2 = arr_f32_lt(4.0f, size_2);
  slots[18] = select(0u, 1u, gt_2);
}

// In order
@compute @workgroup_size(2)
fn div_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  let size_2 = bitcast<f32>(slots[8]);
  let div = (size_2 / 64.0f);
  slots[20] = bitcast<u32>(div);
}

struct for_4_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_4_params: for_4_Params;
@group(0) @binding(3) var<storage, read> for_4_w_4: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_4_for_5: array<f32>;
// A point of a nest: let next = if size > 4.0f32 then (for z in w => z - size / 64.0f32) else w
@compute @workgroup_size(256)
fn for_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_4_params.n) { return; }
  let i_5 = i32(point);
  let div = bitcast<f32>(slots[20]);
  let z_3 = for_4_w_4[i_5];
  let sub = (z_3 - div);
  for_4_for_5[i_5] = sub;
}

// In order
@compute @workgroup_size(2)
fn total_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var total_state = bitcast<f32>(slots[0]);
  let total_3 = total_state;
  slots[22] = bitcast<u32>(total_3);
}

// The host:
// retain x
// var u.state: buffer f32 = x
// var count.state: i64 = 0
// put total.state = 0.0f32
// let size.3: i64 = max n, 0
// let start: i64 = add 0, size.3
// let start.2: i64 = add start, size.3
// let work: i64 = div n, 32
// let work.2: i64 = add work, 1
// let work.3: i64 = add work.2, 9
// let work.4: i64 = add n, work.3
// let work.5: i64 = div n, 32
// let work.6: i64 = add work.5, 1
// let work.7: i64 = add work.6, 9
// let work.8: i64 = div n, 32
// let work.9: i64 = add work.8, 1
// let work.10: i64 = add work.7, work.9
// let work.11: i64 = add work.10, 1
// let work.12: i64 = mul 64, work.11
// let work.13: i64 = add work.4, work.12
// let work.14: i64 = div n, 32
// let work.15: i64 = add work.14, 1
// let work.16: i64 = add work.13, work.15
// let work.17: i64 = add work.16, 1
// let work.18: i64 = div 1048576, work.17
// let work.19: i64 = max work.18, 1
// let work.20: i64 = add steps, work.19
// let work.21: i64 = sub work.20, 1
// let work.22: i64 = div work.21, work.19
// let fits: bool = le start.2, 16777216
// let fits.2: bool = le n, 8192
// let fit: bool = and fits, fits.2
// let fits.3: bool = le work.17, 1048576
// let fit.2: bool = and fit, fits.3
// if fit.2 {
//   let u.state.own.2: buffer f32 = unique u.state @9
//   set u.state = u.state.own.2
//   let arrays: buffer f32 = alloc [start.2] @9
//   put count.state = count.state
//   for chunk < work.22 with chunk.first step work.19 @9 {
//     let chunk.length: i64 = sub steps, chunk.first
//     let chunk.length: i64 = min work.19, chunk.length
//     run turn_loop over 1 by 1 (size.3, n, chunk.length, chunk.first, start; u.state.own.2, arrays)
//   }
//   fetch count.state
//   release arrays
// } else {
//   for t < steps source @9 {
//     let u: buffer f32 = u.state
//     var v.state: buffer f32 = u
//     run size_4 over 1 by 1 (; )
//     let work.23: i64 = add n, 1048576
//     let work.24: i64 = sub work.23, 1
//     let work.25: i64 = div work.24, 1048576
//     let v.state.own.2: buffer f32 = unique v.state @3
//     set v.state = v.state.own.2
//     for chunk.2 < work.25 with chunk.first.2 step 1048576 @3 {
//       let chunk.length.2: i64 = sub n, chunk.first.2
//       let chunk.length.2: i64 = min 1048576, chunk.length.2
//       run v_state_own_2_all over 1 by 1 (chunk.length.2, chunk.first.2, n; v.state.own.2)
//     }
//     let v.5: buffer f32 = v.state
//     let v.5.data: address f32 = data v.5
//     let fits.4: bool = le n, 32768
//     if fits.4 {
//       run size_2_all over 1 by 1 (n; v.5)
//     } else {
//       let short: bool = le n, 4096
//       if short {
//         run size_6 over 1 by 1 (n; v.5)
//       } else {
//         let s.5: i64 = add n, 4095
//         let s.6: i64 = div s.5, 4096
//         let groups: i64 = min s.6, 1024
//         let size.parts: buffer f32 = alloc [groups] @4
//         run size_parts over n by 4096 at most 1024 (n; v.5, size.parts)
//         run size_5 over 1 by 1 (groups; size.parts)
//         release size.parts
//       }
//       run size_7 over 1 by 1 (; )
//     }
//     var w.state: buffer f32 = v.5
//     var k.state: i64 = 0
//     let size.4: i64 = max n, 0
//     let start.3: i64 = add 0, size.4
//     let start.4: i64 = add start.3, size.4
//     let fits.5: bool = le start.4, 16777216
//     let fits.6: bool = le n, 8192
//     let fit.3: bool = and fits.5, fits.6
//     if fit.3 {
//       let w.state.own: buffer f32 = unique w.state @7
//       set w.state = w.state.own
//       let arrays.2: buffer f32 = alloc [start.4] @7
//       put k.state = k.state
//       run while_loop over 1 by 1 (size.4, n, start.3; w.state.own, arrays.2)
//       fetch k.state
//       release arrays.2
//     } else {
//       repeat {
//         let w.2: buffer f32 = w.state
//         let w.2.data: address f32 = data w.2
//         let fits.7: bool = le n, 32768
//         if fits.7 {
//           run gt_all over 1 by 1 (n; w.2)
//         } else {
//           let short.2: bool = le n, 4096
//           if short.2 {
//             run sum_4 over 1 by 1 (n; w.2)
//           } else {
//             let s.7: i64 = add n, 4095
//             let s.8: i64 = div s.7, 4096
//             let groups.2: i64 = min s.8, 1024
//             let sum.parts: buffer f32 = alloc [groups.2] @5
//             run sum_parts over n by 4096 at most 1024 (n; w.2, sum.parts)
//             run sum_3 over 1 by 1 (groups.2; sum.parts)
//             release sum.parts
//           }
//           run gt_3 over 1 by 1 (; )
//         }
//         let k: i64 = k.state
//         let lt: bool = lt k, 9
//         run and_2 over 1 by 1 (lt; )
//         fetch and
//       } while and {
//         let w.3: buffer f32 = w.state
//         let w.3.data: address f32 = data w.3
//         let for: buffer f32 = alloc [n] @6
//         let for.data: address f32 = data for
//         run for_2 over n by 256 (n; w.3, for)
//         release w.3
//         let k.2: i64 = k.state
//         let s.2: i64 = add k.2, 1
//         set w.state = for
//         set k.state = s.2
//       }
//     }
//     run gt_4 over 1 by 1 (; )
//     fetch gt.2
//     let w.4: buffer f32 = w.state
//     var next: buffer f32
//     let w.4.data: address f32 = data w.4
//     if gt.2 {
//       let for.2: buffer f32 = alloc [n] @8
//       let for.2.data: address f32 = data for.2
//       run div_2 over 1 by 1 (; )
//       run for_4 over n by 256 (n; w.4, for.2)
//       release w.4
//       set next = for.2
//     } else {
//       set next = w.4
//     }
//     let count: i64 = count.state
//     let k.3: i64 = k.state
//     let next.2: buffer f32 = next
//     let s.3: i64 = add count, k.3
//     set u.state = next.2
//     set count.state = s.3
//   }
// }
// let u.2: buffer f32 = u.state
// let count.2: i64 = count.state
// run total_2 over 1 by 1 (; )
// return u.2 [n], total.2, count.2
