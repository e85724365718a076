// `main`: made by the Arr compiler.

// From the library: arr_i32_div.

struct x_Params {
  n: i32,
  a_start: i32,
  b_start: i32,
}
@group(0) @binding(0) var<uniform> x_params: x_Params;
@group(0) @binding(3) var<storage, read> x_on: array<u32>;
@group(0) @binding(4) var<storage, read> x_c: array<f32>;
@group(0) @binding(5) var<storage, read_write> x_x_2: array<f32>;
@group(0) @binding(6) var<storage, read> x_packed: array<f32>;
// A point of a nest: let x = for i < n => if on[i] then a[i] * b[i] else c[i]
@compute @workgroup_size(256)
fn x(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(x_params.n) { return; }
  let i = i32(point);
  let on_2 = (x_on[i] != 0u);
  let a_2 = x_packed[u32(x_params.a_start) + u32(i)];
  let b_2 = x_packed[u32(x_params.b_start) + u32(i)];
  let mul = (a_2 * b_2);
  let c_2 = x_c[i];
  let if_2 = select(c_2, mul, on_2);
  x_x_2[i] = if_2;
}

struct y_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> y_params: y_Params;
@group(0) @binding(3) var<storage, read> y_k: array<i32>;
@group(0) @binding(4) var<storage, read_write> y_y_2: array<i32>;
// A point of a nest: let y = for i < n => k[i] / 2
@compute @workgroup_size(256)
fn y(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(y_params.n) { return; }
  let i_2 = i32(point);
  let k_2 = y_k[i_2];
  let div = arr_i32_div(k_2, 2i);
  y_y_2[i_2] = div;
}

// The host:
// let on.data: address bool = data on
// let a.data: address f32 = data a
// let b.data: address f32 = data b
// let c.data: address f32 = data c
// let x: buffer f32 = alloc [n] @1
// let x.data: address f32 = data x
// let k.data: address i64 = data k
// let y: buffer i64 = alloc [n] @2
// let y.data: address i64 = data y
// let packed: buffer f32 = pack a, b
// run x over n by 256 (n, a.start, b.start; on, c, x, packed)
// release packed
// run y over n by 256 (n; k, y)
// return x [n], y [n]
