-- A Hessian as forward over reverse: the gradient's values are computed once.
-- cost: x=[26] w=[N] sizes 16 64 256 directions 26 factor 0.65
def dear(a: f64) -> f64 = sin(exp(cos(log(1.0 + tanh(exp(sin(a)) + erf(a))))))
def energy(x: [26]f64, w: [n]f64) -> f64 =
  sum(for i < n => exp(sin(x[i % 26] * dear(dear(w[i])))) * log(w[i] + x[(i * 7) % 26]))
def f(x: [26]f64, w: [n]f64) -> [26]f64 = grad(energy)(x, w)
def tangent(x: [26]f64, w: [n]f64) -> ([26]f64, [26]f64) = jvp(\y => f(y, w), x, onehot(26, 1))
def directions(x: [26]f64, w: [n]f64) -> [26][26]f64 = hessian(energy)(x, w)
