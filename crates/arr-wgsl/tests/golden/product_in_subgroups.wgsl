// `main`: made by the Arr compiler.

struct product_tiles_Params {
  a_data: i32,
  b_data: i32,
  dot_data: i32,
}
@group(0) @binding(0) var<uniform> product_tiles_params: product_tiles_Params;
@group(0) @binding(3) var<storage, read> product_tiles_a: array<f32>;
@group(0) @binding(4) var<storage, read> product_tiles_b: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_tiles_dot_2: array<f32>;
var<workgroup> arr_product_tiles_left: array<vec4<f32>, 256>;
var<workgroup> arr_product_tiles_right: array<vec4<f32>, 256>;
@compute @workgroup_size(256)
fn product_tiles(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32, @builtin(subgroup_size) subgroup_size: u32, @builtin(subgroup_invocation_id) subgroup_lane: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile_column = group % 4;
  let tile_row = (group / 4) % 2;
  let square = group / (4 * 2);
  if square >= 1 { return; }
  let batch = square;
  let first = 0;
  let end = 64;
  let left = product_tiles_params.a_data;
  let right = product_tiles_params.b_data;
  let origin = lane - i32(subgroup_lane);
  let first_origin = subgroupBroadcastFirst(origin);
  let present = subgroupAdd(1u);
  let is_run = origin == first_origin && origin % 8 == 0 && present == subgroup_size && present % 8u == 0u;
  let share = subgroupAll(is_run);
  let own = lane % 8;
  let row_lane = subgroup_lane - u32(own);
  var sum0 = vec4<f32>();
  var sum1 = vec4<f32>();
  var sum2 = vec4<f32>();
  var sum3 = vec4<f32>();
  for (var start = first; start < end; start += 16) {
    {
      let four = lane / 16;
      let inner = lane % 16;
      let k = start + inner;
      let first = tile_row * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = left + k;
        if first + 0 < 128 { value[0] = product_tiles_a[place + ((first + 0) * 64)]; }
        if first + 1 < 128 { value[1] = product_tiles_a[place + ((first + 1) * 64)]; }
        if first + 2 < 128 { value[2] = product_tiles_a[place + ((first + 2) * 64)]; }
        if first + 3 < 128 { value[3] = product_tiles_a[place + ((first + 3) * 64)]; }
      }
      arr_product_tiles_left[inner * 16 + four] = value;
    }
    {
      let four = lane % 16;
      let inner = lane / 16;
      let k = start + inner;
      let first = tile_column * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = right + (k * 256);
        if first + 0 < 256 { value[0] = product_tiles_b[place + (first + 0)]; }
        if first + 1 < 256 { value[1] = product_tiles_b[place + (first + 1)]; }
        if first + 2 < 256 { value[2] = product_tiles_b[place + (first + 2)]; }
        if first + 3 < 256 { value[3] = product_tiles_b[place + (first + 3)]; }
      }
      arr_product_tiles_right[inner * 16 + four] = value;
    }
    workgroupBarrier();
    if share {
      for (var k0 = 0; k0 < 16; k0 += 8) {
        let mine = arr_product_tiles_left[(k0 + own) * 16 + lane / 16];
        {
          let l = subgroupShuffle(mine, row_lane + 0u);
          let r = arr_product_tiles_right[(k0 + 0) * 16 + lane % 16];
          sum0 += l[0] * r;
          sum1 += l[1] * r;
          sum2 += l[2] * r;
          sum3 += l[3] * r;
        }
        {
          let l = subgroupShuffle(mine, row_lane + 1u);
          let r = arr_product_tiles_right[(k0 + 1) * 16 + lane % 16];
          sum0 += l[0] * r;
          sum1 += l[1] * r;
          sum2 += l[2] * r;
          sum3 += l[3] * r;
        }
        {
          let l = subgroupShuffle(mine, row_lane + 2u);
          let r = arr_product_tiles_right[(k0 + 2) * 16 + lane % 16];
          sum0 += l[0] * r;
          sum1 += l[1] * r;
          sum2 += l[2] * r;
          sum3 += l[3] * r;
        }
        {
          let l = subgroupShuffle(mine, row_lane + 3u);
          let r = arr_product_tiles_right[(k0 + 3) * 16 + lane % 16];
          sum0 += l[0] * r;
          sum1 += l[1] * r;
          sum2 += l[2] * r;
          sum3 += l[3] * r;
        }
        {
          let l = subgroupShuffle(mine, row_lane + 4u);
          let r = arr_product_tiles_right[(k0 + 4) * 16 + lane % 16];
          sum0 += l[0] * r;
          sum1 += l[1] * r;
          sum2 += l[2] * r;
          sum3 += l[3] * r;
        }
        {
          let l = subgroupShuffle(mine, row_lane + 5u);
          let r = arr_product_tiles_right[(k0 + 5) * 16 + lane % 16];
          sum0 += l[0] * r;
          sum1 += l[1] * r;
          sum2 += l[2] * r;
          sum3 += l[3] * r;
        }
        {
          let l = subgroupShuffle(mine, row_lane + 6u);
          let r = arr_product_tiles_right[(k0 + 6) * 16 + lane % 16];
          sum0 += l[0] * r;
          sum1 += l[1] * r;
          sum2 += l[2] * r;
          sum3 += l[3] * r;
        }
        {
          let l = subgroupShuffle(mine, row_lane + 7u);
          let r = arr_product_tiles_right[(k0 + 7) * 16 + lane % 16];
          sum0 += l[0] * r;
          sum1 += l[1] * r;
          sum2 += l[2] * r;
          sum3 += l[3] * r;
        }
      }
    } else {
      for (var k = 0; k < 16; k++) {
        let l = arr_product_tiles_left[k * 16 + lane / 16];
        let r = arr_product_tiles_right[k * 16 + lane % 16];
        sum0 += l[0] * r;
        sum1 += l[1] * r;
        sum2 += l[2] * r;
        sum3 += l[3] * r;
      }
    }
    workgroupBarrier();
  }
  let row0 = tile_row * 64 + 4 * (lane / 16);
  let column0 = tile_column * 64 + 4 * (lane % 16);
  var sums = array<vec4<f32>, 4>(sum0, sum1, sum2, sum3);
  for (var i = 0; i < 4; i++) {
    for (var j = 0; j < 4; j++) {
      let row = row0 + i;
      let column = column0 + j;
      if row < 128 && column < 256 {
        var sum = sums[i][j];
        let into = product_tiles_params.dot_data + (row * 256) + column;
        product_tiles_dot_2[into] = sum;
      }
    }
  }
}

// The host:
// let dot: buffer f32 = alloc [128, 256] @1
// let a.data: address f32 = data a
// let b.data: address f32 = data b
// let dot.data: address f32 = data dot
// run product_tiles over 4, 2, 1 by 1 (a.data, b.data, dot.data; a, b, dot)
// return dot [128, 256]
