// `main`: made by the Arr compiler.

// From the library: arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

struct for_2_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<f32>;
@group(0) @binding(4) var<storage, read> for_2_y: array<f32>;
@group(0) @binding(5) var<storage, read_write> for_2_for_3: array<f32>;
@group(0) @binding(6) var<storage, read_write> for_2_for_4: array<f32>;
@group(0) @binding(7) var<storage, read_write> for_2_for_5: array<u32>;
// A point of a nest: (for a in x, b in y => a * b, for a in x, b in y => a + b, for a in x, b in y => a < b)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) * u32(for_2_params.m) { return; }
  let i = i32(point / u32(for_2_params.m));
  let i_2 = i32(point % u32(for_2_params.m));
  let i_step = i * for_2_params.m;
  let a = for_2_x[i];
  let for_data_row = i_step;
  let for_2_data_row = i_step;
  let for_3_data_row = i_step;
  let b = for_2_y[i_2];
  let mul = (a * b);
  let add = (a + b);
  let lt = arr_f32_lt(a, b);
  for_2_for_3[for_data_row + i_2] = mul;
  for_2_for_4[for_2_data_row + i_2] = add;
  for_2_for_5[for_3_data_row + i_2] = select(0u, 1u, lt);
}

// The host:
// let x.data: address f32 = data x
// let y.data: address f32 = data y
// let for: buffer f32 = alloc [n, m] @1
// let for.data: address f32 = data for
// let for.2: buffer f32 = alloc [n, m] @1
// let for.2.data: address f32 = data for.2
// let for.3: buffer bool = alloc [n, m] @1
// let for.3.data: address bool = data for.3
// run for_2 over n, m by 256 (n, m; x, y, for, for.2, for.3)
// return for [n, m], for.2 [n, m], for.3 [n, m]
