// `main`: made by the Arr compiler.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

fn arr_claim_fault(place: u32) -> bool {
  loop {
    if atomicLoad(&fault[0]) != 0u { return false; }
    if atomicCompareExchangeWeak(&fault[0], 0u, place).exchanged { return true; }
  }
  return false;
}

// Toward negative infinity. The divisor has been found not to be zero.
fn arr_i32_div(a: i32, b: i32) -> i32 {
    let q = a / b;
    let r = a - q * b;
    return select(q, q - 1, r != 0 && (r < 0) != (b < 0));
}

// Has the divisor's sign.
fn arr_i32_rem(a: i32, b: i32) -> i32 {
    let r = a - (a / b) * b;
    return select(r, r + b, r != 0 && (r < 0) != (b < 0));
}

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

// Stops the program because of a number of 64 bits.
fn arr_checked_stop(low: u32, high: u32, place: u32) {
    if (place == 0u) {
        return;
    }
    arr_checked_stopped = true;
    if (arr_claim_fault(place)) {
        atomicStore(&fault[2], low);
        atomicStore(&fault[3], high);
    }
}

// A number of 64 bits.
fn arr_checked_wide(low: u32, high: u32, place: u32) -> i32 {
    let a = bitcast<i32>(low);
    if (bitcast<i32>(high) != (a >> 31u) || low + 2147483646u > 4294967292u) {
        arr_checked_stop(low, high, place);
    }
    return a;
}

// A number of 64 bits with a sign beside it.
fn arr_checked_signed(negative: bool, low: u32, high: u32, place: u32) -> i32 {
    let carry = select(0u, 1u, low == 0u);
    return arr_checked_wide(select(low, ~low + 1u, negative), select(high, ~high + carry, negative), place);
}

fn arr_checked_add(a: i32, b: i32, place: u32) -> i32 {
    let sum = a + b;
    let wrapped = ((a ^ sum) & (b ^ sum)) < 0;
    return arr_checked_wide(bitcast<u32>(sum), bitcast<u32>(select(sum, ~sum, wrapped) >> 31u), place);
}

// By halves, unless both are small.
fn arr_checked_mul(a: i32, b: i32, place: u32) -> i32 {
    let x = u32(abs(a));
    let y = u32(abs(b));
    if ((x | y) < 32768u) {
        return a * b;
    }
    let low = (x & 0xffffu) * (y & 0xffffu);
    let middle = (x & 0xffffu) * (y >> 16u) + (low >> 16u);
    let other = (x >> 16u) * (y & 0xffffu) + (middle & 0xffffu);
    let high = (x >> 16u) * (y >> 16u) + (middle >> 16u) + (other >> 16u);
    return arr_checked_signed((a < 0) != (b < 0), x * y, high, place);
}

struct for_2_Params {
  n: i32,
  d: i32,
  s: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<i32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<i32>;
// A point of a nest: def main(x: [n]i64, d: i64) -> [n]i64 = for v in x => (v / d) * 2 + v % (d + 1)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  let v = for_2_x[i];
  let div = arr_i32_div(v, for_2_params.d);
  let s_2 = arr_checked_mul(div, 2i, 1u);
  let rem = arr_i32_rem(v, for_2_params.s);
  let s_3 = arr_checked_add(s_2, rem, 1u);
  for_2_for_3[i] = s_3;
}

// The host:
// let s: i64 = add d, 1
// let x.data: address i64 = data x
// let for: buffer i64 = alloc [n] @1
// let for.data: address i64 = data for
// run for_2 over n by 256 (n, d, s; x, for)
// let some: bool = gt n, 0
// if some {
//   check non_zero d @2
// }
// if some {
//   check non_zero s @3
// }
// return for [n]
