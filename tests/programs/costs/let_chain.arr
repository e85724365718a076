-- A long environment: each binding uses two before it. (CHAD's chain of lets, quadratic by the rules as printed.)
-- cost: x=[N] sizes 16 64 256 1024 factor 5
def f(x: [n]f64) -> f64 =
  sum(for i =>
    let a = x[i] * 1.5
    let b = a * x[i]
    let c = b * a
    let d = c * b + a
    let e = d * c
    let g = e * d + b
    let h = g * e
    let k = h * g + c
    let l = k * h
    let m = l * k + d
    in m * 0.001)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
