-- A pushforward applied to many directions: `linearize` computes the values once.
-- cost: x=[N] w=[N][N] sizes 8 16 32 directions 26 factor 0.65
def layer(x: [n]f64, w: [n][n]f64) -> [n]f64 = exp(sin(w @ x) - w @ (x * x))
def f(x: [n]f64, w: [n][n]f64) -> [n]f64 = layer(layer(x, w), w)
def tangent(x: [n]f64, w: [n][n]f64) -> ([n]f64, [n]f64) = jvp(\y => f(y, w), x, onehot(n, 1))
def directions(x: [n]f64, w: [n][n]f64) -> ([n]f64, [26][n]f64) =
  let (y, push) = linearize(\y => f(y, w), x)
  in (y, for k < 26 => push(onehot(n, k % n)))
