-- A loop over an array's elements, whose state has a value and derivatives: the value is carried once.
-- cost: x=[26] a=[N] sizes 16 64 256 directions 26 factor 0.35
def dear(a: f64) -> f64 = sin(exp(cos(log(1.0 + tanh(exp(sin(a)) + erf(a))))))
def f(x: [26]f64, a: [n]f64) -> f64 =
  loop s = 1.0 for i < n do s * dear(a[i]) + dear(dear(a[i])) * x[i % 26]
def tangent(x: [26]f64, a: [n]f64) -> (f64, f64) = jvp(\y => f(y, a), x, onehot(26, 1))
def directions(x: [26]f64, a: [n]f64) -> [26]f64 = jacfwd(f)(x, a)
