-- A Jacobian in forward mode, of a program with branches whose values are expensive and do not depend on the direction.
-- cost: x=[26] a=[N] sizes 16 64 256 directions 26 factor 0.55
def dear(a: f64) -> f64 = sin(exp(cos(log(1.0 + tanh(exp(sin(a)) + erf(a))))))
def f(x: [26]f64, a: [n]f64) -> [n]f64 =
  for i < n =>
    let t = x[i % 26] * a[i]
    in if a[i] > 1.0 then t * dear(dear(a[i]))
       else if a[i] > 0.7 then dear(a[i] * a[i]) * t
       else t + dear(a[i])
def tangent(x: [26]f64, a: [n]f64) -> ([n]f64, [n]f64) = jvp(\y => f(y, a), x, onehot(26, 1))
def directions(x: [26]f64, a: [n]f64) -> [n][26]f64 = jacfwd(f)(x, a)
