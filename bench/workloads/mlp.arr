-- A perceptron of three layers and its cross entropy, in single precision.

import nn

def relu(x: [b][n]f32) -> [b][n]f32 = max(x, 0.0)

def dense(x: [b][n]f32, w: [n][m]f32, bias: [m]f32) -> [b][m]f32 =
  let y = x @ w
  in for i, j => y[i, j] + bias[j]

def value(
  w1: [d][h]f32,
  b1: [h]f32,
  w2: [h][g]f32,
  b2: [g]f32,
  w3: [g][c]f32,
  b3: [c]f32,
  xs: [b][d]f32,
  ys: [b]i64
) -> f32 =
  let first = relu(dense(xs, w1, b1))
  let second = relu(dense(first, w2, b2))
  in nn.cross_entropy(dense(second, w3, b3), ys)

def gradient(
  w1: [d][h]f32,
  b1: [h]f32,
  w2: [h][g]f32,
  b2: [g]f32,
  w3: [g][c]f32,
  b3: [c]f32,
  xs: [b][d]f32,
  ys: [b]i64
) =
  grad(\((w1, b1, w2, b2, w3, b3)) => value(w1, b1, w2, b2, w3, b3, xs, ys))((
    w1,
    b1,
    w2,
    b2,
    w3,
    b3
  ))
