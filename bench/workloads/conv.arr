-- A convolutional network on pictures: twice convolution, rectifier and pooling, then a dense layer. Single precision.

import nn

--| `f` channels of a picture with edges of zeros, so that a filter gives a picture of the same size.
def layer(x: [c][h][w]f32, filters: [f][c][5][5]f32, bias: [f]f32) =
  let found = nn.conv2d(x, filters, 1, 2)
  let lit = for k => max(found[k] + bias[k], 0.0)
  in nn.max_pool2d(lit, 2, 2)

def scores(
  f1: [f][1][5][5]f32,
  b1: [f]f32,
  f2: [f][f][5][5]f32,
  b2: [f]f32,
  weight: [c][49*f]f32,
  bias: [c]f32,
  x: [1][28][28]f32
) -> [c]f32 =
  let deep = layer(layer(x, f1, b1), f2, b2) :> [f][7][7]f32
  in weight @ flatten(deep) + bias

def value(
  f1: [f][1][5][5]f32,
  b1: [f]f32,
  f2: [f][f][5][5]f32,
  b2: [f]f32,
  weight: [c][49*f]f32,
  bias: [c]f32,
  xs: [b][1][28][28]f32,
  ys: [b]i64
) -> f32 =
  nn.cross_entropy(for x in xs => scores(f1, b1, f2, b2, weight, bias, x), ys)

def gradient(
  f1: [f][1][5][5]f32,
  b1: [f]f32,
  f2: [f][f][5][5]f32,
  b2: [f]f32,
  weight: [c][49*f]f32,
  bias: [c]f32,
  xs: [b][1][28][28]f32,
  ys: [b]i64
) =
  grad(\((f1, b1, f2, b2, weight, bias)) => value(f1, b1, f2, b2, weight, bias, xs, ys))(
    (f1, b1, f2, b2, weight, bias)
  )
