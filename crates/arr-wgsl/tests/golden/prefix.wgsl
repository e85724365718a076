// `main`: made by the Arr compiler.

// From the library: arr_f32_infinity, arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

struct for_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: let (out, _) = loop (out, s) = (for i < n => 0.0f32, 0.0f32) for i < n do
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  for_2_for_3[i] = 0.0f;
}

struct out_state_own_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> out_state_own_params: out_state_own_Params;
@group(0) @binding(3) var<storage, read> out_state_own_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> out_state_own_out_state_own_2: array<f32>;
// In order: let (out, _) = loop (out, s) = (for i < n => 0.0f32, 0.0f32) for i < n do
@compute @workgroup_size(2)
fn out_state_own(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var s_state = bitcast<f32>(slots[0]);
  for (var i_2: i32 = 0i; i_2 < out_state_own_params.n; i_2 += 1i) {
    let s = s_state;
    let x_2 = out_state_own_x[i_2];
    let t = (s + x_2);
    out_state_own_out_state_own_2[i_2] = t;
    s_state = t;
  }
  slots[0] = bitcast<u32>(s_state);
}

struct s_state_summaries_Params {
  n: i32,
  chunk_3: i32,
  chunks_3: i32,
}
@group(0) @binding(0) var<uniform> s_state_summaries_params: s_state_summaries_Params;
@group(0) @binding(3) var<storage, read> s_state_summaries_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> s_state_summaries_s_state_offset_chunks: array<f32>;
// What the chunks of a scan do to its states: let (out, _) = loop (out, s) = (for i < n => 0.0f32, 0.0f32) for i < n do
@compute @workgroup_size(64)
fn s_state_summaries(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let chunk = i32((group.x + group.y * groups.x) * 64u + lane);
  if chunk >= s_state_summaries_params.chunks_3 { return; }
  var s_state_offset: f32 = (-0.0f);
  let chunk_start = chunk * s_state_summaries_params.chunk_3;
  let chunk_end = chunk_start + min(s_state_summaries_params.chunk_3, s_state_summaries_params.n - chunk_start);
  for (var turn: i32 = chunk_start; turn < chunk_end; turn += 1i) {
    let i_2 = turn;
    let x_2_2 = s_state_summaries_x[i_2];
    let t_2 = (s_state_offset + x_2_2);
    s_state_offset = t_2;
  }
  s_state_summaries_s_state_offset_chunks[chunk] = s_state_offset;
}

struct s_state_states_Params {
  n: i32,
  chunk_3: i32,
  chunks_3: i32,
}
@group(0) @binding(0) var<uniform> s_state_states_params: s_state_states_Params;
@group(0) @binding(3) var<storage, read> s_state_states_x: array<f32>;
@group(0) @binding(4) var<storage, read> s_state_states_s_state_offset_chunks: array<f32>;
@group(0) @binding(5) var<storage, read_write> s_state_states_s_state_entries: array<f32>;
// The states that the chunks of a scan begin with: let (out, _) = loop (out, s) = (for i < n => 0.0f32, 0.0f32) for i < n do
var<workgroup> s_state_states_s_state_offset_all: array<f32, 256>;
var<workgroup> s_state_states_s_state_all: array<f32, 256>;
var<workgroup> s_state_states_told: u32;
var<workgroup> s_state_states_told_by: atomic<u32>;
@compute @workgroup_size(256)
fn s_state_states(@builtin(local_invocation_index) lane: u32) {
  var s_state = bitcast<f32>(slots[0]);
  var unsound = false;
  let s_state_before = s_state;
  s_state = (-0.0f);
  let chunk_row = (s_state_states_params.chunks_3 + 256i - 1i) / 256i;
  let chunk_start = min(i32(lane) * chunk_row, s_state_states_params.chunks_3);
  let chunk_end = chunk_start + min(chunk_row, s_state_states_params.chunks_3 - chunk_start);
  for (var chunk: i32 = chunk_start; chunk < chunk_end; chunk += 1i) {
    let t_3 = (s_state + s_state_states_s_state_offset_chunks[chunk]);
    let t_4 = abs(t_3);
    let t_5 = arr_f32_lt(t_4, arr_f32_infinity());
    if !t_5 { unsound = true; }
    let s_state_next = t_3;
    s_state = s_state_next;
  }
  s_state_states_s_state_all[lane] = s_state;
  workgroupBarrier();
  if lane == 0u {
    s_state = s_state_before;
    for (var turn = 0u; turn < 256u; turn++) {
      let s_state_run = s_state_states_s_state_all[turn];
      s_state_states_s_state_all[turn] = s_state;
      let t_3 = (s_state + s_state_run);
      let t_4 = abs(t_3);
      let t_5 = arr_f32_lt(t_4, arr_f32_infinity());
      if !t_5 { unsound = true; }
      let s_state_next_2 = t_3;
      s_state = s_state_next_2;
    }
  }
  workgroupBarrier();
  s_state = s_state_states_s_state_all[lane];
  for (var chunk: i32 = chunk_start; chunk < chunk_end; chunk += 1i) {
    s_state_states_s_state_entries[chunk] = s_state;
    let t_3 = (s_state + s_state_states_s_state_offset_chunks[chunk]);
    let t_4 = abs(t_3);
    let t_5 = arr_f32_lt(t_4, arr_f32_infinity());
    if !t_5 { unsound = true; }
    let s_state_next_3 = t_3;
    s_state = s_state_next_3;
  }
  if unsound { atomicStore(&s_state_states_told_by, 1u); }
  storageBarrier();
  workgroupBarrier();
  if lane == 0u { s_state_states_told = atomicLoad(&s_state_states_told_by); }
  s_state = bitcast<f32>(slots[0]);
  if workgroupUniformLoad(&s_state_states_told) != 0u {
    for (var block: i32 = 0i; block < s_state_states_params.chunks_3; block += 256i) {
      let mine = block + i32(lane);
      if mine < s_state_states_params.chunks_3 {
        s_state_states_s_state_offset_all[lane] = s_state_states_s_state_offset_chunks[mine];
      }
      workgroupBarrier();
      if lane == 0u {
        for (var chunk = block; chunk < min(block + 256i, s_state_states_params.chunks_3); chunk += 1i) {
          let chunk_row = u32(chunk - block);
          s_state_states_s_state_all[chunk_row] = s_state;
          let t_3 = (s_state_states_s_state_all[chunk_row] + s_state_states_s_state_offset_all[chunk_row]);
          let t_4 = abs(t_3);
          let t_5 = arr_f32_lt(t_4, arr_f32_infinity());
          if !t_5 {
            let chunk_start = chunk * s_state_states_params.chunk_3;
            let chunk_end = chunk_start + min(s_state_states_params.chunk_3, s_state_states_params.n - chunk_start);
            for (var turn: i32 = chunk_start; turn < chunk_end; turn += 1i) {
              let i_2 = turn;
              let s = s_state;
              let x_2 = s_state_states_x[i_2];
              let t = (s + x_2);
              s_state = t;
            }
            continue;
          }
          s_state = t_3;
        }
      }
      workgroupBarrier();
      if mine < s_state_states_params.chunks_3 {
        s_state_states_s_state_entries[mine] = s_state_states_s_state_all[lane];
      }
      workgroupBarrier();
    }
  }
}

struct s_state_iterations_Params {
  n: i32,
  chunk_3: i32,
  chunks_3: i32,
}
@group(0) @binding(0) var<uniform> s_state_iterations_params: s_state_iterations_Params;
@group(0) @binding(3) var<storage, read> s_state_iterations_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> s_state_iterations_out_state_own_2: array<f32>;
@group(0) @binding(5) var<storage, read> s_state_iterations_s_state_entries: array<f32>;
// The iterations of a scan: let (out, _) = loop (out, s) = (for i < n => 0.0f32, 0.0f32) for i < n do
@compute @workgroup_size(64)
fn s_state_iterations(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let chunk = i32((group.x + group.y * groups.x) * 64u + lane);
  if chunk >= s_state_iterations_params.chunks_3 { return; }
  var s_state: f32 = s_state_iterations_s_state_entries[chunk];
  let chunk_start = chunk * s_state_iterations_params.chunk_3;
  let chunk_end = chunk_start + min(s_state_iterations_params.chunk_3, s_state_iterations_params.n - chunk_start);
  for (var turn: i32 = chunk_start; turn < chunk_end; turn += 1i) {
    let i_2 = turn;
    let s = s_state;
    let x_2 = s_state_iterations_x[i_2];
    let t = (s + x_2);
    s_state_iterations_out_state_own_2[i_2] = t;
    s_state = t;
  }
  if chunk == s_state_iterations_params.chunks_3 - 1i {
    slots[0] = bitcast<u32>(s_state);
  }
}

// The host:
// let for: buffer f32 = alloc [n] @1
// let for.data: address f32 = data for
// run for_2 over n by 256 (n; for)
// put s.state = 0.0f32
// var out.state: buffer f32 = for
// let x.data: address f32 = data x
// let out.state.own: buffer f32 = unique out.state @2
// let out.state.own.data: address f32 = data out.state.own
// let long: bool = ge n, 1024
// if long {
//   let chunk: i64 = add n, 8191
//   let chunk.2: i64 = div chunk, 8192
//   let chunk.3: i64 = max chunk.2, 64
//   let chunks: i64 = sub chunk.3, 1
//   let chunks.2: i64 = add n, chunks
//   let chunks.3: i64 = div chunks.2, chunk.3
//   let s.state.offset.chunks: buffer f32 = alloc [chunks.3] @3
//   let s.state.entries: buffer f32 = alloc [chunks.3] @3
//   run s_state_summaries over chunks.3 by 64 (n, chunk.3, chunks.3; x, s.state.offset.chunks)
//   run s_state_states over 1 by 1 (n, chunk.3, chunks.3; x, s.state.offset.chunks, s.state.entries)
//   run s_state_iterations over chunks.3 by 64 (n, chunk.3, chunks.3; x, out.state.own, s.state.entries)
//   release s.state.offset.chunks
//   release s.state.entries
// } else {
//   run out_state_own over 1 by 1 (n; x, out.state.own)
// }
// set out.state = out.state.own
// let out.3: buffer f32 = out.state
// return out.3 [n]
