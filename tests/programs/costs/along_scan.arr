-- A scan, a product and a maximum, along many directions.
-- cost: x=[26] a=[N] sizes 16 64 256 directions 26 factor 0.55
def dear(a: f64) -> f64 = sin(exp(cos(log(1.0 + tanh(exp(sin(a)) + erf(a))))))
def f(x: [26]f64, a: [n]f64) -> [n]f64 =
  let y = for i < n => dear(a[i]) * x[i % 26] + 0.5
  let s = scan(\(p, q) => p * q + dear(dear(q)) / 9.0, 0.5, y)
  let (m, p) = (maximum(y), product(y))
  in for i < n => s[i] * m + p
def tangent(x: [26]f64, a: [n]f64) -> ([n]f64, [n]f64) = jvp(\y => f(y, a), x, onehot(26, 1))
def directions(x: [26]f64, a: [n]f64) -> [26][n]f64 =
  for k < 26 => jvp(\y => f(y, a), x, onehot(26, k)).1
