-- A deep network of residual layers of one width, their weights stacked. He et al., Identity mappings in deep residual
-- networks (2016), with dense layers and the smooth rectifier SiLU. Single precision.

import nn

def dense(x: [b][n]f32, w: [n][m]f32, bias: [m]f32) -> [b][m]f32 =
  let y = x @ w
  in for row in y => row + bias

def active(x: [b][n]f32) -> [b][n]f32 = for row in x => map(nn.silu, row)

--| The mean cross entropy of `b` points with the labels `ys` after `l` layers.
def value(
  w1: [l][c][c]f32,
  b1: [l][c]f32,
  w2: [l][c][c]f32,
  b2: [l][c]f32,
  weight: [c][k]f32,
  bias: [k]f32,
  xs: [b][c]f32,
  ys: [b]i64
) -> f32 =
  let deep = loop x = xs for i < l do
    let hidden = dense(active(x), w1[i], b1[i])
    in x + dense(active(hidden), w2[i], b2[i])
  in nn.cross_entropy(dense(deep, weight, bias), ys)

def gradient(
  w1: [l][c][c]f32,
  b1: [l][c]f32,
  w2: [l][c][c]f32,
  b2: [l][c]f32,
  weight: [c][k]f32,
  bias: [k]f32,
  xs: [b][c]f32,
  ys: [b]i64
) =
  grad(\((w1, b1, w2, b2, weight, bias)) => value(w1, b1, w2, b2, weight, bias, xs, ys))(
    (w1, b1, w2, b2, weight, bias)
  )
