-- A block of attention with several heads, in single precision.

import stats

--| One head: `s` queries, keys and values of `d` numbers.
def head(q: [s][d]f32, k: [s][d]f32, v: [s][d]f32) -> [s][d]f32 =
  let scores = (q @ transpose(k)) / sqrt(f32(d))
  in (for row in scores => stats.softmax(row)) @ v

def value(q: [h][s][d]f32, k: [h][s][d]f32, v: [h][s][d]f32) -> f32 =
  sum(for i => sum(flatten(head(q[i], k[i], v[i]) ** 2)))

def gradient(
  q: [h][s][d]f32,
  k: [h][s][d]f32,
  v: [h][s][d]f32
) -> ([h][s][d]f32, [h][s][d]f32, [h][s][d]f32) =
  grad(\((q, k, v)) => value(q, k, v))((q, k, v))
