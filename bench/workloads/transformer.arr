-- A block of a transformer: attention with several heads and two dense layers with GELU between them, each after layer
-- normalisation and added to what it reads. Vaswani et al., Attention is all you need (2017); normalisation first as in
-- Xiong et al., On layer normalization in the transformer architecture (2020). Single precision.

import nn

def dense(x: [n][d]f32, w: [d][f]f32, bias: [f]f32) -> [n][f]f32 =
  let y = x @ w
  in for row in y => row + bias

def normed(x: [n][d]f32, gain: [d]f32, bias: [d]f32) -> [n][d]f32 =
  for row in x => nn.layer_norm(row, gain, bias, 1e-5)

--| The mean squared difference between what the block makes of `b` sequences of `n` vectors and `target`.
def value(
  gain1: [d]f32,
  bias1: [d]f32,
  query: [h][e][d]f32,
  key: [h][e][d]f32,
  values: [h][e][d]f32,
  out: [h][d][e]f32,
  gain2: [d]f32,
  bias2: [d]f32,
  w1: [d][f]f32,
  b1: [f]f32,
  w2: [f][d]f32,
  b2: [d]f32,
  xs: [b][n][d]f32,
  target: [b][n][d]f32
) -> f32 =
  let heads = { query, key, value = values, out }
  let mask = nn.causal_mask(n)
  let ys = for x in xs =>
    let x = x + nn.multi_head_attention(heads, normed(x, gain1, bias1), mask)
    let hidden = dense(normed(x, gain2, bias2), w1, b1)
    in x + dense(for row in hidden => map(nn.gelu, row), w2, b2)
  in nn.mse(flatten(ys), flatten(target))

def gradient(
  gain1: [d]f32,
  bias1: [d]f32,
  query: [h][e][d]f32,
  key: [h][e][d]f32,
  values: [h][e][d]f32,
  out: [h][d][e]f32,
  gain2: [d]f32,
  bias2: [d]f32,
  w1: [d][f]f32,
  b1: [f]f32,
  w2: [f][d]f32,
  b2: [d]f32,
  xs: [b][n][d]f32,
  target: [b][n][d]f32
) =
  grad(\((gain1, bias1, query, key, values, out, gain2, bias2, w1, b1, w2, b2)) =>
    value(gain1, bias1, query, key, values, out, gain2, bias2, w1, b1, w2, b2, xs, target))(
    (gain1, bias1, query, key, values, out, gain2, bias2, w1, b1, w2, b2)
  )
