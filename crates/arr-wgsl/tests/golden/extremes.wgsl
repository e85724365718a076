// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_checked_stop, arr_checked_wide, arr_checked_add, arr_f32_infinity, arr_f32_is_nan, arr_f32_ordered, arr_f32_lt, arr_f32_max, arr_f32_min.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

struct max_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> max_parts_params: max_parts_Params;
@group(0) @binding(3) var<storage, read> max_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> max_parts_max_parts_2: array<f32>;
var<workgroup> max_parts_max_2_all: array<f32, 256>;

fn max_parts_join(max_2: ptr<function, f32>, max_part: f32) {
  let t_2 = arr_f32_max((*max_2), max_part);
  (*max_2) = t_2;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn max_parts_at(i: i32, max_2: ptr<function, f32>) {
  let x_2 = max_parts_x[i];
  let t = arr_f32_max((*max_2), x_2);
  (*max_2) = t;
}

@compute @workgroup_size(256)
fn max_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var max_2: f32 = (-arr_f32_infinity());
  let points = u32(max_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    max_parts_at(i32(point), &max_2);
  }
  max_parts_max_2_all[lane] = max_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      max_parts_join(&max_2, max_parts_max_2_all[lane + width]);
      max_parts_max_2_all[lane] = max_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    max_parts_max_parts_2[group.x] = max_2;
  }
}

struct max_3_Params {
  groups_2: i32,
}
@group(0) @binding(0) var<uniform> max_3_params: max_3_Params;
@group(0) @binding(3) var<storage, read> max_3_max_parts_2: array<f32>;
var<workgroup> max_3_max_2_all: array<f32, 256>;

fn max_3_join(max_2: ptr<function, f32>, max_part: f32) {
  let t_2 = arr_f32_max((*max_2), max_part);
  (*max_2) = t_2;
}

@compute @workgroup_size(256)
fn max_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var max_2: f32 = (-arr_f32_infinity());
  let points = u32(max_3_params.groups_2);
  for (var point = lane; point < points; point += 256u) {
    max_3_join(&max_2, max_3_max_parts_2[point]);
  }
  max_3_max_2_all[lane] = max_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      max_3_join(&max_2, max_3_max_2_all[lane + width]);
      max_3_max_2_all[lane] = max_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(max_2);
  }
}

struct max_4_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> max_4_params: max_4_Params;
@group(0) @binding(3) var<storage, read> max_4_x: array<f32>;
var<workgroup> max_4_max_2_all: array<f32, 256>;

fn max_4_join(max_2: ptr<function, f32>, max_part: f32) {
  let t_2 = arr_f32_max((*max_2), max_part);
  (*max_2) = t_2;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn max_4_at(i: i32, max_2: ptr<function, f32>) {
  let x_2 = max_4_x[i];
  let t = arr_f32_max((*max_2), x_2);
  (*max_2) = t;
}

@compute @workgroup_size(256)
fn max_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var max_2: f32 = (-arr_f32_infinity());
  let points = u32(max_4_params.n);
  for (var point = lane; point < points; point += 256u) {
    max_4_at(i32(point), &max_2);
  }
  max_4_max_2_all[lane] = max_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      max_4_join(&max_2, max_4_max_2_all[lane + width]);
      max_4_max_2_all[lane] = max_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(max_2);
  }
}

// In order
@compute @workgroup_size(2)
fn max_5(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var max_2 = bitcast<f32>(slots[0]);
  let max_6 = max_2;
  slots[2] = bitcast<u32>(max_6);
}

struct min_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> min_parts_params: min_parts_Params;
@group(0) @binding(3) var<storage, read> min_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> min_parts_min_parts_2: array<f32>;
var<workgroup> min_parts_min_2_all: array<f32, 256>;

fn min_parts_join(min_2: ptr<function, f32>, min_part: f32) {
  let t_4 = arr_f32_min((*min_2), min_part);
  (*min_2) = t_4;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn min_parts_at(i_2: i32, min_2: ptr<function, f32>) {
  let x_3 = min_parts_x[i_2];
  let t_3 = arr_f32_min((*min_2), x_3);
  (*min_2) = t_3;
}

@compute @workgroup_size(256)
fn min_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var min_2: f32 = arr_f32_infinity();
  let points = u32(min_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    min_parts_at(i32(point), &min_2);
  }
  min_parts_min_2_all[lane] = min_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      min_parts_join(&min_2, min_parts_min_2_all[lane + width]);
      min_parts_min_2_all[lane] = min_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    min_parts_min_parts_2[group.x] = min_2;
  }
}

struct min_3_Params {
  groups_3: i32,
}
@group(0) @binding(0) var<uniform> min_3_params: min_3_Params;
@group(0) @binding(3) var<storage, read> min_3_min_parts_2: array<f32>;
var<workgroup> min_3_min_2_all: array<f32, 256>;

fn min_3_join(min_2: ptr<function, f32>, min_part: f32) {
  let t_4 = arr_f32_min((*min_2), min_part);
  (*min_2) = t_4;
}

@compute @workgroup_size(256)
fn min_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var min_2: f32 = arr_f32_infinity();
  let points = u32(min_3_params.groups_3);
  for (var point = lane; point < points; point += 256u) {
    min_3_join(&min_2, min_3_min_parts_2[point]);
  }
  min_3_min_2_all[lane] = min_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      min_3_join(&min_2, min_3_min_2_all[lane + width]);
      min_3_min_2_all[lane] = min_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[4] = bitcast<u32>(min_2);
  }
}

struct min_4_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> min_4_params: min_4_Params;
@group(0) @binding(3) var<storage, read> min_4_x: array<f32>;
var<workgroup> min_4_min_2_all: array<f32, 256>;

fn min_4_join(min_2: ptr<function, f32>, min_part: f32) {
  let t_4 = arr_f32_min((*min_2), min_part);
  (*min_2) = t_4;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn min_4_at(i_2: i32, min_2: ptr<function, f32>) {
  let x_3 = min_4_x[i_2];
  let t_3 = arr_f32_min((*min_2), x_3);
  (*min_2) = t_3;
}

@compute @workgroup_size(256)
fn min_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var min_2: f32 = arr_f32_infinity();
  let points = u32(min_4_params.n);
  for (var point = lane; point < points; point += 256u) {
    min_4_at(i32(point), &min_2);
  }
  min_4_min_2_all[lane] = min_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      min_4_join(&min_2, min_4_min_2_all[lane + width]);
      min_4_min_2_all[lane] = min_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[4] = bitcast<u32>(min_2);
  }
}

// In order
@compute @workgroup_size(2)
fn min_5(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var min_2 = bitcast<f32>(slots[4]);
  let min_6 = min_2;
  slots[6] = bitcast<u32>(min_6);
}

struct product_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> product_parts_params: product_parts_Params;
@group(0) @binding(3) var<storage, read> product_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> product_parts_product_parts_2: array<f32>;
var<workgroup> product_parts_product_all: array<f32, 256>;

fn product_parts_join(product: ptr<function, f32>, product_part: f32) {
  let t_6 = ((*product) * product_part);
  (*product) = t_6;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn product_parts_at(i_3: i32, product: ptr<function, f32>) {
  let x_4 = product_parts_x[i_3];
  let t_5 = ((*product) * x_4);
  (*product) = t_5;
}

@compute @workgroup_size(256)
fn product_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var product: f32 = 1.0f;
  let points = u32(product_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    product_parts_at(i32(point), &product);
  }
  product_parts_product_all[lane] = product;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      product_parts_join(&product, product_parts_product_all[lane + width]);
      product_parts_product_all[lane] = product;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    product_parts_product_parts_2[group.x] = product;
  }
}

struct product_2_Params {
  groups_4: i32,
}
@group(0) @binding(0) var<uniform> product_2_params: product_2_Params;
@group(0) @binding(3) var<storage, read> product_2_product_parts_2: array<f32>;
var<workgroup> product_2_product_all: array<f32, 256>;

fn product_2_join(product: ptr<function, f32>, product_part: f32) {
  let t_6 = ((*product) * product_part);
  (*product) = t_6;
}

@compute @workgroup_size(256)
fn product_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var product: f32 = 1.0f;
  let points = u32(product_2_params.groups_4);
  for (var point = lane; point < points; point += 256u) {
    product_2_join(&product, product_2_product_parts_2[point]);
  }
  product_2_product_all[lane] = product;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      product_2_join(&product, product_2_product_all[lane + width]);
      product_2_product_all[lane] = product;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[8] = bitcast<u32>(product);
  }
}

struct product_3_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> product_3_params: product_3_Params;
@group(0) @binding(3) var<storage, read> product_3_x: array<f32>;
var<workgroup> product_3_product_all: array<f32, 256>;

fn product_3_join(product: ptr<function, f32>, product_part: f32) {
  let t_6 = ((*product) * product_part);
  (*product) = t_6;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn product_3_at(i_3: i32, product: ptr<function, f32>) {
  let x_4 = product_3_x[i_3];
  let t_5 = ((*product) * x_4);
  (*product) = t_5;
}

@compute @workgroup_size(256)
fn product_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var product: f32 = 1.0f;
  let points = u32(product_3_params.n);
  for (var point = lane; point < points; point += 256u) {
    product_3_at(i32(point), &product);
  }
  product_3_product_all[lane] = product;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      product_3_join(&product, product_3_product_all[lane + width]);
      product_3_product_all[lane] = product;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[8] = bitcast<u32>(product);
  }
}

// In order
@compute @workgroup_size(2)
fn product_4(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var product = bitcast<f32>(slots[8]);
  let product_5 = product;
  slots[10] = bitcast<u32>(product_5);
}

struct sum_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_parts_params: sum_parts_Params;
@group(0) @binding(3) var<storage, read> sum_parts_k: array<i32>;
@group(0) @binding(4) var<storage, read_write> sum_parts_sum_parts_2: array<i32>;
var<workgroup> sum_parts_sum_all: array<i32, 256>;

fn sum_parts_join(sum: ptr<function, i32>, sum_part: i32) {
  let t_8 = arr_checked_add((*sum), sum_part, 1u);
  (*sum) = t_8;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn sum_parts_at(i_4: i32, sum: ptr<function, i32>) {
  let k_2 = sum_parts_k[i_4];
  let t_7 = arr_checked_add((*sum), k_2, 1u);
  (*sum) = t_7;
}

@compute @workgroup_size(256)
fn sum_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: i32 = 0i;
  let points = select(0u, u32(sum_parts_params.n), atomicLoad(&fault[0]) == 0u);
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

struct sum_2_Params {
  groups_5: i32,
}
@group(0) @binding(0) var<uniform> sum_2_params: sum_2_Params;
@group(0) @binding(3) var<storage, read> sum_2_sum_parts_2: array<i32>;
var<workgroup> sum_2_sum_all: array<i32, 256>;

fn sum_2_join(sum: ptr<function, i32>, sum_part: i32) {
  let t_8 = arr_checked_add((*sum), sum_part, 1u);
  (*sum) = t_8;
}

@compute @workgroup_size(256)
fn sum_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: i32 = 0i;
  let points = select(0u, u32(sum_2_params.groups_5), atomicLoad(&fault[0]) == 0u);
  for (var point = lane; point < points; point += 256u) {
    sum_2_join(&sum, sum_2_sum_parts_2[point]);
  }
  sum_2_sum_all[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_2_join(&sum, sum_2_sum_all[lane + width]);
      sum_2_sum_all[lane] = sum;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[12] = bitcast<u32>(sum);
  }
}

struct sum_3_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_3_params: sum_3_Params;
@group(0) @binding(3) var<storage, read> sum_3_k: array<i32>;
var<workgroup> sum_3_sum_all: array<i32, 256>;

fn sum_3_join(sum: ptr<function, i32>, sum_part: i32) {
  let t_8 = arr_checked_add((*sum), sum_part, 1u);
  (*sum) = t_8;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn sum_3_at(i_4: i32, sum: ptr<function, i32>) {
  let k_2 = sum_3_k[i_4];
  let t_7 = arr_checked_add((*sum), k_2, 1u);
  (*sum) = t_7;
}

@compute @workgroup_size(256)
fn sum_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: i32 = 0i;
  let points = select(0u, u32(sum_3_params.n), atomicLoad(&fault[0]) == 0u);
  for (var point = lane; point < points; point += 256u) {
    sum_3_at(i32(point), &sum);
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

// In order
@compute @workgroup_size(2)
fn sum_4(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum = bitcast<i32>(slots[12]);
  let sum_5 = sum;
  slots[14] = bitcast<u32>(sum_5);
}

struct any_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> any_parts_params: any_parts_Params;
@group(0) @binding(3) var<storage, read> any_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> any_parts_any_parts_2: array<u32>;
var<workgroup> any_parts_any_2_all: array<bool, 256>;

fn any_parts_join(any_2: ptr<function, bool>, any_part: bool) {
  let t_10 = ((*any_2) || any_part);
  (*any_2) = t_10;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn any_parts_at(i_5: i32, any_2: ptr<function, bool>) {
  let x_5 = any_parts_x[i_5];
  let gt = arr_f32_lt(0.5f, x_5);
  let t_9 = ((*any_2) || gt);
  (*any_2) = t_9;
}

@compute @workgroup_size(256)
fn any_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var any_2: bool = false;
  let points = u32(any_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    any_parts_at(i32(point), &any_2);
  }
  any_parts_any_2_all[lane] = any_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      any_parts_join(&any_2, any_parts_any_2_all[lane + width]);
      any_parts_any_2_all[lane] = any_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    any_parts_any_parts_2[group.x] = select(0u, 1u, any_2);
  }
}

struct any_3_Params {
  groups_6: i32,
}
@group(0) @binding(0) var<uniform> any_3_params: any_3_Params;
@group(0) @binding(3) var<storage, read> any_3_any_parts_2: array<u32>;
var<workgroup> any_3_any_2_all: array<bool, 256>;

fn any_3_join(any_2: ptr<function, bool>, any_part: bool) {
  let t_10 = ((*any_2) || any_part);
  (*any_2) = t_10;
}

@compute @workgroup_size(256)
fn any_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var any_2: bool = false;
  let points = u32(any_3_params.groups_6);
  for (var point = lane; point < points; point += 256u) {
    any_3_join(&any_2, (any_3_any_parts_2[point] != 0u));
  }
  any_3_any_2_all[lane] = any_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      any_3_join(&any_2, any_3_any_2_all[lane + width]);
      any_3_any_2_all[lane] = any_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[16] = select(0u, 1u, any_2);
  }
}

struct any_4_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> any_4_params: any_4_Params;
@group(0) @binding(3) var<storage, read> any_4_x: array<f32>;
var<workgroup> any_4_any_2_all: array<bool, 256>;

fn any_4_join(any_2: ptr<function, bool>, any_part: bool) {
  let t_10 = ((*any_2) || any_part);
  (*any_2) = t_10;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn any_4_at(i_5: i32, any_2: ptr<function, bool>) {
  let x_5 = any_4_x[i_5];
  let gt = arr_f32_lt(0.5f, x_5);
  let t_9 = ((*any_2) || gt);
  (*any_2) = t_9;
}

@compute @workgroup_size(256)
fn any_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var any_2: bool = false;
  let points = u32(any_4_params.n);
  for (var point = lane; point < points; point += 256u) {
    any_4_at(i32(point), &any_2);
  }
  any_4_any_2_all[lane] = any_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      any_4_join(&any_2, any_4_any_2_all[lane + width]);
      any_4_any_2_all[lane] = any_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[16] = select(0u, 1u, any_2);
  }
}

// In order
@compute @workgroup_size(2)
fn any_5(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var any_2 = (slots[16] != 0u);
  let any_6 = any_2;
  slots[18] = select(0u, 1u, any_6);
}

struct all_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> all_parts_params: all_parts_Params;
@group(0) @binding(3) var<storage, read> all_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> all_parts_all_parts_2: array<u32>;
var<workgroup> all_parts_all_2_all: array<bool, 256>;

fn all_parts_join(all_2: ptr<function, bool>, all_part: bool) {
  let t_12 = ((*all_2) && all_part);
  (*all_2) = t_12;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn all_parts_at(i_6: i32, all_2: ptr<function, bool>) {
  let x_6 = all_parts_x[i_6];
  let gt_2 = arr_f32_lt(0.0f, x_6);
  let t_11 = ((*all_2) && gt_2);
  (*all_2) = t_11;
}

@compute @workgroup_size(256)
fn all_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var all_2: bool = true;
  let points = u32(all_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    all_parts_at(i32(point), &all_2);
  }
  all_parts_all_2_all[lane] = all_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      all_parts_join(&all_2, all_parts_all_2_all[lane + width]);
      all_parts_all_2_all[lane] = all_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    all_parts_all_parts_2[group.x] = select(0u, 1u, all_2);
  }
}

struct all_3_Params {
  groups_7: i32,
}
@group(0) @binding(0) var<uniform> all_3_params: all_3_Params;
@group(0) @binding(3) var<storage, read> all_3_all_parts_2: array<u32>;
var<workgroup> all_3_all_2_all: array<bool, 256>;

fn all_3_join(all_2: ptr<function, bool>, all_part: bool) {
  let t_12 = ((*all_2) && all_part);
  (*all_2) = t_12;
}

@compute @workgroup_size(256)
fn all_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var all_2: bool = true;
  let points = u32(all_3_params.groups_7);
  for (var point = lane; point < points; point += 256u) {
    all_3_join(&all_2, (all_3_all_parts_2[point] != 0u));
  }
  all_3_all_2_all[lane] = all_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      all_3_join(&all_2, all_3_all_2_all[lane + width]);
      all_3_all_2_all[lane] = all_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[20] = select(0u, 1u, all_2);
  }
}

struct all_4_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> all_4_params: all_4_Params;
@group(0) @binding(3) var<storage, read> all_4_x: array<f32>;
var<workgroup> all_4_all_2_all: array<bool, 256>;

fn all_4_join(all_2: ptr<function, bool>, all_part: bool) {
  let t_12 = ((*all_2) && all_part);
  (*all_2) = t_12;
}

// A point of a reduction: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
fn all_4_at(i_6: i32, all_2: ptr<function, bool>) {
  let x_6 = all_4_x[i_6];
  let gt_2 = arr_f32_lt(0.0f, x_6);
  let t_11 = ((*all_2) && gt_2);
  (*all_2) = t_11;
}

@compute @workgroup_size(256)
fn all_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var all_2: bool = true;
  let points = u32(all_4_params.n);
  for (var point = lane; point < points; point += 256u) {
    all_4_at(i32(point), &all_2);
  }
  all_4_all_2_all[lane] = all_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      all_4_join(&all_2, all_4_all_2_all[lane + width]);
      all_4_all_2_all[lane] = all_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[20] = select(0u, 1u, all_2);
  }
}

// In order
@compute @workgroup_size(2)
fn all_5(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var all_2 = (slots[20] != 0u);
  let all_6 = all_2;
  slots[22] = select(0u, 1u, all_6);
}

struct all_2_all_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> all_2_all_params: all_2_all_Params;
@group(0) @binding(3) var<storage, read> all_2_all_x: array<f32>;
@group(0) @binding(4) var<storage, read> all_2_all_k: array<i32>;
var<workgroup> all_2_all_f32_0: array<f32, 256>;
var<workgroup> all_2_all_i32_0: array<i32, 256>;
var<workgroup> all_2_all_bool_0: array<bool, 256>;
var<private> max_6: f32;
var<private> min_6: f32;
var<private> product_5: f32;
var<private> sum_5: i32;
var<private> any_6: bool;
var<private> all_6: bool;
var<private> max_2: f32;
var<private> min_2: f32;
var<private> product: f32;
var<private> sum: i32;
var<private> any_2: bool;
var<private> all_2: bool;

fn all_2_all_scalars() {
  max_2 = (-arr_f32_infinity());
}

fn all_2_all_join(max_part: f32) {
  let t_2 = arr_f32_max(max_2, max_part);
  max_2 = t_2;
}

fn all_2_all_at(i: i32) {
  let x_2 = all_2_all_x[i];
  let t = arr_f32_max(max_2, x_2);
  max_2 = t;
}

fn all_2_all_scalars_2() {
  max_6 = max_2;
  min_2 = arr_f32_infinity();
}

fn all_2_all_join_2(min_part: f32) {
  let t_4 = arr_f32_min(min_2, min_part);
  min_2 = t_4;
}

fn all_2_all_at_2(i_2: i32) {
  let x_3 = all_2_all_x[i_2];
  let t_3 = arr_f32_min(min_2, x_3);
  min_2 = t_3;
}

fn all_2_all_scalars_3() {
  min_6 = min_2;
  product = 1.0f;
}

fn all_2_all_join_3(product_part: f32) {
  let t_6 = (product * product_part);
  product = t_6;
}

fn all_2_all_at_3(i_3: i32) {
  let x_4 = all_2_all_x[i_3];
  let t_5 = (product * x_4);
  product = t_5;
}

fn all_2_all_scalars_4() {
  product_5 = product;
  sum = 0i;
}

fn all_2_all_join_4(sum_part: i32) {
  let t_8 = arr_checked_add(sum, sum_part, 2u);
  sum = t_8;
}

fn all_2_all_at_4(i_4: i32) {
  let k_2 = all_2_all_k[i_4];
  let t_7 = arr_checked_add(sum, k_2, 2u);
  sum = t_7;
}

fn all_2_all_scalars_5() {
  sum_5 = sum;
  any_2 = false;
}

fn all_2_all_join_5(any_part: bool) {
  let t_10 = (any_2 || any_part);
  any_2 = t_10;
}

fn all_2_all_at_5(i_5: i32) {
  let x_5 = all_2_all_x[i_5];
  let gt = arr_f32_lt(0.5f, x_5);
  let t_9 = (any_2 || gt);
  any_2 = t_9;
}

fn all_2_all_scalars_6() {
  any_6 = any_2;
  all_2 = true;
}

fn all_2_all_join_6(all_part: bool) {
  let t_12 = (all_2 && all_part);
  all_2 = t_12;
}

fn all_2_all_at_6(i_6: i32) {
  let x_6 = all_2_all_x[i_6];
  let gt_2 = arr_f32_lt(0.0f, x_6);
  let t_11 = (all_2 && gt_2);
  all_2 = t_11;
}

fn all_2_all_scalars_7() {
  all_6 = all_2;
}

// Small nests one after the other, the first of them: (maximum(x), minimum(x), product(x), sum(k), any(x > 0.5), all(x > 0.0))
@compute @workgroup_size(256)
fn all_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  all_2_all_scalars();
  max_2 = (-arr_f32_infinity());
  {
    let points = select(0u, u32(all_2_all_params.n), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      all_2_all_at(i32(point));
    }
  }
  all_2_all_f32_0[lane] = max_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      all_2_all_join(all_2_all_f32_0[lane + width]);
      all_2_all_f32_0[lane] = max_2;
    }
    workgroupBarrier();
  }
  max_2 = all_2_all_f32_0[0];
  all_2_all_scalars_2();
  min_2 = arr_f32_infinity();
  {
    let points = select(0u, u32(all_2_all_params.n), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      all_2_all_at_2(i32(point));
    }
  }
  workgroupBarrier();
  all_2_all_f32_0[lane] = min_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      all_2_all_join_2(all_2_all_f32_0[lane + width]);
      all_2_all_f32_0[lane] = min_2;
    }
    workgroupBarrier();
  }
  min_2 = all_2_all_f32_0[0];
  all_2_all_scalars_3();
  product = 1.0f;
  {
    let points = select(0u, u32(all_2_all_params.n), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      all_2_all_at_3(i32(point));
    }
  }
  workgroupBarrier();
  all_2_all_f32_0[lane] = product;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      all_2_all_join_3(all_2_all_f32_0[lane + width]);
      all_2_all_f32_0[lane] = product;
    }
    workgroupBarrier();
  }
  product = all_2_all_f32_0[0];
  all_2_all_scalars_4();
  sum = 0i;
  {
    let points = select(0u, u32(all_2_all_params.n), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      all_2_all_at_4(i32(point));
    }
  }
  workgroupBarrier();
  all_2_all_i32_0[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      all_2_all_join_4(all_2_all_i32_0[lane + width]);
      all_2_all_i32_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = all_2_all_i32_0[0];
  all_2_all_scalars_5();
  any_2 = false;
  {
    let points = select(0u, u32(all_2_all_params.n), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      all_2_all_at_5(i32(point));
    }
  }
  workgroupBarrier();
  all_2_all_bool_0[lane] = any_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      all_2_all_join_5(all_2_all_bool_0[lane + width]);
      all_2_all_bool_0[lane] = any_2;
    }
    workgroupBarrier();
  }
  any_2 = all_2_all_bool_0[0];
  all_2_all_scalars_6();
  all_2 = true;
  {
    let points = select(0u, u32(all_2_all_params.n), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      all_2_all_at_6(i32(point));
    }
  }
  workgroupBarrier();
  all_2_all_bool_0[lane] = all_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      all_2_all_join_6(all_2_all_bool_0[lane + width]);
      all_2_all_bool_0[lane] = all_2;
    }
    workgroupBarrier();
  }
  all_2 = all_2_all_bool_0[0];
  all_2_all_scalars_7();
  if lane == 0u {
    slots[2] = bitcast<u32>(max_6);
    slots[6] = bitcast<u32>(min_6);
    slots[10] = bitcast<u32>(product_5);
    slots[14] = bitcast<u32>(sum_5);
    slots[18] = select(0u, 1u, any_6);
    slots[22] = select(0u, 1u, all_6);
  }
}

// The host:
// let x.data: address f32 = data x
// let k.data: address i64 = data k
// let fits: bool = le n, 32768
// if fits {
//   run all_2_all over 1 by 1 (n; x, k)
// } else {
//   let short: bool = le n, 4096
//   if short {
//     run max_4 over 1 by 1 (n; x)
//   } else {
//     let s: i64 = add n, 4095
//     let s.2: i64 = div s, 4096
//     let groups: i64 = min s.2, 1024
//     let max.parts: buffer f32 = alloc [groups] @1
//     run max_parts over n by 4096 at most 1024 (n; x, max.parts)
//     run max_3 over 1 by 1 (groups; max.parts)
//     release max.parts
//   }
//   run max_5 over 1 by 1 (; )
//   let short.2: bool = le n, 4096
//   if short.2 {
//     run min_4 over 1 by 1 (n; x)
//   } else {
//     let s.3: i64 = add n, 4095
//     let s.4: i64 = div s.3, 4096
//     let groups.2: i64 = min s.4, 1024
//     let min.parts: buffer f32 = alloc [groups.2] @2
//     run min_parts over n by 4096 at most 1024 (n; x, min.parts)
//     run min_3 over 1 by 1 (groups.2; min.parts)
//     release min.parts
//   }
//   run min_5 over 1 by 1 (; )
//   let short.3: bool = le n, 4096
//   if short.3 {
//     run product_3 over 1 by 1 (n; x)
//   } else {
//     let s.5: i64 = add n, 4095
//     let s.6: i64 = div s.5, 4096
//     let groups.3: i64 = min s.6, 1024
//     let product.parts: buffer f32 = alloc [groups.3] @3
//     run product_parts over n by 4096 at most 1024 (n; x, product.parts)
//     run product_2 over 1 by 1 (groups.3; product.parts)
//     release product.parts
//   }
//   run product_4 over 1 by 1 (; )
//   let short.4: bool = le n, 4096
//   if short.4 {
//     run sum_3 over 1 by 1 (n; k)
//   } else {
//     let s.7: i64 = add n, 4095
//     let s.8: i64 = div s.7, 4096
//     let groups.4: i64 = min s.8, 1024
//     let sum.parts: buffer i64 = alloc [groups.4] @4
//     run sum_parts over n by 4096 at most 1024 (n; k, sum.parts)
//     run sum_2 over 1 by 1 (groups.4; sum.parts)
//     release sum.parts
//   }
//   run sum_4 over 1 by 1 (; )
//   let short.5: bool = le n, 4096
//   if short.5 {
//     run any_4 over 1 by 1 (n; x)
//   } else {
//     let s.9: i64 = add n, 4095
//     let s.10: i64 = div s.9, 4096
//     let groups.5: i64 = min s.10, 1024
//     let any.parts: buffer bool = alloc [groups.5] @5
//     run any_parts over n by 4096 at most 1024 (n; x, any.parts)
//     run any_3 over 1 by 1 (groups.5; any.parts)
//     release any.parts
//   }
//   run any_5 over 1 by 1 (; )
//   let short.6: bool = le n, 4096
//   if short.6 {
//     run all_4 over 1 by 1 (n; x)
//   } else {
//     let s.11: i64 = add n, 4095
//     let s.12: i64 = div s.11, 4096
//     let groups.6: i64 = min s.12, 1024
//     let all.parts: buffer bool = alloc [groups.6] @6
//     run all_parts over n by 4096 at most 1024 (n; x, all.parts)
//     run all_3 over 1 by 1 (groups.6; all.parts)
//     release all.parts
//   }
//   run all_5 over 1 by 1 (; )
// }
// check non_empty n @1
// return max.2, min.2, product.2, sum.2, any.2, all.2
