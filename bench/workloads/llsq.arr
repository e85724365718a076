-- A polynomial fitted to a step: the sum of squares, by the rule of Horner.

def value(x: [m]f64, ts: [n]f64) -> f64 =
  0.5 * sum(for t in ts =>
    let y = loop y = 0.0 for j < m do y * t + x[m - 1 - j]
    in (sign(t) - y) ** 2)

def gradient(x: [m]f64, ts: [n]f64) -> [m]f64 = grad(value)(x, ts)
