// `main`: made by the Arr compiler.

// From the library: arr_f32_infinity, arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

struct scan_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> scan_params: scan_Params;
@group(0) @binding(3) var<storage, read_write> scan_scan_2: array<f32>;
// A point of a nest: cumsum(x)
@compute @workgroup_size(256)
fn scan(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(scan_params.n) { return; }
  let i = i32(point);
  scan_scan_2[i] = 0.0f;
}

struct scan_state_own_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> scan_state_own_params: scan_state_own_Params;
@group(0) @binding(3) var<storage, read> scan_state_own_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> scan_state_own_scan_state_own_2: array<f32>;
// In order: cumsum(x)
@compute @workgroup_size(2)
fn scan_state_own(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var acc_state = bitcast<f32>(slots[0]);
  for (var i_2: i32 = 0i; i_2 < scan_state_own_params.n; i_2 += 1i) {
    let acc = acc_state;
    let x_2 = scan_state_own_x[i_2];
    let add = (acc + x_2);
    scan_state_own_scan_state_own_2[i_2] = add;
    acc_state = add;
  }
  slots[0] = bitcast<u32>(acc_state);
}

struct acc_state_summaries_Params {
  n: i32,
  chunk_3: i32,
  chunks_3: i32,
}
@group(0) @binding(0) var<uniform> acc_state_summaries_params: acc_state_summaries_Params;
@group(0) @binding(3) var<storage, read> acc_state_summaries_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> acc_state_summaries_acc_state_offset_chunks: array<f32>;
// What the chunks of a scan do to its states: cumsum(x)
@compute @workgroup_size(64)
fn acc_state_summaries(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let chunk = i32((group.x + group.y * groups.x) * 64u + lane);
  if chunk >= acc_state_summaries_params.chunks_3 { return; }
  var acc_state_offset: f32 = (-0.0f);
  let chunk_start = chunk * acc_state_summaries_params.chunk_3;
  let chunk_end = chunk_start + min(acc_state_summaries_params.chunk_3, acc_state_summaries_params.n - chunk_start);
  for (var turn: i32 = chunk_start; turn < chunk_end; turn += 1i) {
    let i_2 = turn;
    let x_2_2 = acc_state_summaries_x[i_2];
    let t = (acc_state_offset + x_2_2);
    acc_state_offset = t;
  }
  acc_state_summaries_acc_state_offset_chunks[chunk] = acc_state_offset;
}

struct acc_state_states_Params {
  n: i32,
  chunk_3: i32,
  chunks_3: i32,
}
@group(0) @binding(0) var<uniform> acc_state_states_params: acc_state_states_Params;
@group(0) @binding(3) var<storage, read> acc_state_states_x: array<f32>;
@group(0) @binding(4) var<storage, read> acc_state_states_acc_state_offset_chunks: array<f32>;
@group(0) @binding(5) var<storage, read_write> acc_state_states_acc_state_entries: array<f32>;
// The states that the chunks of a scan begin with: cumsum(x)
var<workgroup> acc_state_states_acc_state_offset_all: array<f32, 256>;
var<workgroup> acc_state_states_acc_state_all: array<f32, 256>;
var<workgroup> acc_state_states_told: u32;
var<workgroup> acc_state_states_told_by: atomic<u32>;
@compute @workgroup_size(256)
fn acc_state_states(@builtin(local_invocation_index) lane: u32) {
  var acc_state = bitcast<f32>(slots[0]);
  var unsound = false;
  let acc_state_before = acc_state;
  acc_state = (-0.0f);
  let chunk_row = (acc_state_states_params.chunks_3 + 256i - 1i) / 256i;
  let chunk_start = min(i32(lane) * chunk_row, acc_state_states_params.chunks_3);
  let chunk_end = chunk_start + min(chunk_row, acc_state_states_params.chunks_3 - chunk_start);
  for (var chunk: i32 = chunk_start; chunk < chunk_end; chunk += 1i) {
    let t_2 = (acc_state + acc_state_states_acc_state_offset_chunks[chunk]);
    let t_3 = abs(t_2);
    let t_4 = arr_f32_lt(t_3, arr_f32_infinity());
    if !t_4 { unsound = true; }
    let acc_state_next = t_2;
    acc_state = acc_state_next;
  }
  acc_state_states_acc_state_all[lane] = acc_state;
  workgroupBarrier();
  if lane == 0u {
    acc_state = acc_state_before;
    for (var turn = 0u; turn < 256u; turn++) {
      let acc_state_run = acc_state_states_acc_state_all[turn];
      acc_state_states_acc_state_all[turn] = acc_state;
      let t_2 = (acc_state + acc_state_run);
      let t_3 = abs(t_2);
      let t_4 = arr_f32_lt(t_3, arr_f32_infinity());
      if !t_4 { unsound = true; }
      let acc_state_next_2 = t_2;
      acc_state = acc_state_next_2;
    }
  }
  workgroupBarrier();
  acc_state = acc_state_states_acc_state_all[lane];
  for (var chunk: i32 = chunk_start; chunk < chunk_end; chunk += 1i) {
    acc_state_states_acc_state_entries[chunk] = acc_state;
    let t_2 = (acc_state + acc_state_states_acc_state_offset_chunks[chunk]);
    let t_3 = abs(t_2);
    let t_4 = arr_f32_lt(t_3, arr_f32_infinity());
    if !t_4 { unsound = true; }
    let acc_state_next_3 = t_2;
    acc_state = acc_state_next_3;
  }
  if unsound { atomicStore(&acc_state_states_told_by, 1u); }
  storageBarrier();
  workgroupBarrier();
  if lane == 0u { acc_state_states_told = atomicLoad(&acc_state_states_told_by); }
  acc_state = bitcast<f32>(slots[0]);
  if workgroupUniformLoad(&acc_state_states_told) != 0u {
    for (var block: i32 = 0i; block < acc_state_states_params.chunks_3; block += 256i) {
      let mine = block + i32(lane);
      if mine < acc_state_states_params.chunks_3 {
        acc_state_states_acc_state_offset_all[lane] = acc_state_states_acc_state_offset_chunks[mine];
      }
      workgroupBarrier();
      if lane == 0u {
        for (var chunk = block; chunk < min(block + 256i, acc_state_states_params.chunks_3); chunk += 1i) {
          let chunk_row = u32(chunk - block);
          acc_state_states_acc_state_all[chunk_row] = acc_state;
          let t_2 = (acc_state_states_acc_state_all[chunk_row] + acc_state_states_acc_state_offset_all[chunk_row]);
          let t_3 = abs(t_2);
          let t_4 = arr_f32_lt(t_3, arr_f32_infinity());
          if !t_4 {
            let chunk_start = chunk * acc_state_states_params.chunk_3;
            let chunk_end = chunk_start + min(acc_state_states_params.chunk_3, acc_state_states_params.n - chunk_start);
            for (var turn: i32 = chunk_start; turn < chunk_end; turn += 1i) {
              let i_2 = turn;
              let acc = acc_state;
              let x_2 = acc_state_states_x[i_2];
              let add = (acc + x_2);
              acc_state = add;
            }
            continue;
          }
          acc_state = t_2;
        }
      }
      workgroupBarrier();
      if mine < acc_state_states_params.chunks_3 {
        acc_state_states_acc_state_entries[mine] = acc_state_states_acc_state_all[lane];
      }
      workgroupBarrier();
    }
  }
}

struct acc_state_iterations_Params {
  n: i32,
  chunk_3: i32,
  chunks_3: i32,
}
@group(0) @binding(0) var<uniform> acc_state_iterations_params: acc_state_iterations_Params;
@group(0) @binding(3) var<storage, read> acc_state_iterations_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> acc_state_iterations_scan_state_own_2: array<f32>;
@group(0) @binding(5) var<storage, read> acc_state_iterations_acc_state_entries: array<f32>;
// The iterations of a scan: cumsum(x)
@compute @workgroup_size(64)
fn acc_state_iterations(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let chunk = i32((group.x + group.y * groups.x) * 64u + lane);
  if chunk >= acc_state_iterations_params.chunks_3 { return; }
  var acc_state: f32 = acc_state_iterations_acc_state_entries[chunk];
  let chunk_start = chunk * acc_state_iterations_params.chunk_3;
  let chunk_end = chunk_start + min(acc_state_iterations_params.chunk_3, acc_state_iterations_params.n - chunk_start);
  for (var turn: i32 = chunk_start; turn < chunk_end; turn += 1i) {
    let i_2 = turn;
    let acc = acc_state;
    let x_2 = acc_state_iterations_x[i_2];
    let add = (acc + x_2);
    acc_state_iterations_scan_state_own_2[i_2] = add;
    acc_state = add;
  }
  if chunk == acc_state_iterations_params.chunks_3 - 1i {
    slots[0] = bitcast<u32>(acc_state);
  }
}

// The host:
// let scan: buffer f32 = alloc [n] @1
// let scan.data: address f32 = data scan
// run scan over n by 256 (n; scan)
// put acc.state = 0.0f32
// var scan.state: buffer f32 = scan
// let x.data: address f32 = data x
// let scan.state.own: buffer f32 = unique scan.state @1
// let scan.state.own.data: address f32 = data scan.state.own
// let long: bool = ge n, 1024
// if long {
//   let chunk: i64 = add n, 8191
//   let chunk.2: i64 = div chunk, 8192
//   let chunk.3: i64 = max chunk.2, 64
//   let chunks: i64 = sub chunk.3, 1
//   let chunks.2: i64 = add n, chunks
//   let chunks.3: i64 = div chunks.2, chunk.3
//   let acc.state.offset.chunks: buffer f32 = alloc [chunks.3] @1
//   let acc.state.entries: buffer f32 = alloc [chunks.3] @1
//   run acc_state_summaries over chunks.3 by 64 (n, chunk.3, chunks.3; x, acc.state.offset.chunks)
//   run acc_state_states over 1 by 1 (n, chunk.3, chunks.3; x, acc.state.offset.chunks, acc.state.entries)
//   run acc_state_iterations over chunks.3 by 64 (n, chunk.3, chunks.3; x, scan.state.own, acc.state.entries)
//   release acc.state.offset.chunks
//   release acc.state.entries
// } else {
//   run scan_state_own over 1 by 1 (n; x, scan.state.own)
// }
// set scan.state = scan.state.own
// let scan.4: buffer f32 = scan.state
// return scan.4 [n]
