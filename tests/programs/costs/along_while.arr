-- A `while` that ends by the value alone, along many directions.
-- cost: x=[26] a=[N] sizes 16 64 256 directions 26 factor 0.35
def dear(a: f64) -> f64 = sin(exp(cos(log(1.0 + tanh(exp(sin(a)) + erf(a))))))
def f(x: [26]f64, a: [n]f64) -> f64 =
  let (s, i) = loop (s, i) = (1.0, 0) while i < n and s < 1e9 do
    (s * dear(a[i]) + dear(dear(a[i])) * x[i % 26], i + 1)
  in s
def tangent(x: [26]f64, a: [n]f64) -> (f64, f64) = jvp(\y => f(y, a), x, onehot(26, 1))
def directions(x: [26]f64, a: [n]f64) -> [26]f64 = jacfwd(f)(x, a)
