-- A vector of parameters cut into pieces, by constant offsets.
-- cost: x=[N] sizes 64 256 1024 4096 factor 5 growth 2
def f(x: [n]f64) -> f64 =
  let m = n / 8
  let a = x[0:m]
  let b = x[m:2*m]
  let c = x[2*m:3*m]
  let d = x[3*m:4*m]
  let e = x[4*m:5*m]
  let g = x[5*m:6*m]
  in sum(for i < m => a[i] * b[i] + c[i] * d[i] * e[i] + g[i])
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
