-- A perceptron with two hidden layers, batch normalisation after each, and its cross entropy. Ioffe and Szegedy, Batch
-- normalization (2015). Single precision.

import nn

def hidden(x: [b][n]f32, w: [n][m]f32, gain: [m]f32, bias: [m]f32) -> [b][m]f32 =
  max(nn.batch_norm(x @ w, gain, bias, 1e-5).y, 0.0)

def value(
  w1: [d][h]f32,
  gain1: [h]f32,
  bias1: [h]f32,
  w2: [h][h]f32,
  gain2: [h]f32,
  bias2: [h]f32,
  w3: [h][c]f32,
  b3: [c]f32,
  xs: [b][d]f32,
  ys: [b]i64
) -> f32 =
  let deep = hidden(hidden(xs, w1, gain1, bias1), w2, gain2, bias2)
  let scores = deep @ w3
  in nn.cross_entropy(for row in scores => row + b3, ys)

def gradient(
  w1: [d][h]f32,
  gain1: [h]f32,
  bias1: [h]f32,
  w2: [h][h]f32,
  gain2: [h]f32,
  bias2: [h]f32,
  w3: [h][c]f32,
  b3: [c]f32,
  xs: [b][d]f32,
  ys: [b]i64
) =
  grad(\((w1, gain1, bias1, w2, gain2, bias2, w3, b3)) =>
    value(w1, gain1, bias1, w2, gain2, bias2, w3, b3, xs, ys))(
    (w1, gain1, bias1, w2, gain2, bias2, w3, b3)
  )
