def f(x: [n]f64, a: [n][m]f64, h: [n][c]f64, w: [l][c][c]f64, v: [l][c][c]f64, r: [c][c]f64) =
  let u0 = (transpose(a) with [min(1, m):, :] = transpose(a)[:m - min(1, m), :])
  let u1 = reduce(max, 0.1, x)
  let u2 = (loop (x8, x9) = (h, h) for i7 < l do let z10 = (tanh(tanh(x9 @ w[i7])) * (for r11 in x9 => tanh(r11))) let z12 = sigmoid((0.3 * x8 @ r)) let z13 = (0.7 * (z10 + z12) + 0.4 * exp(-z10 ** 2)) in (tanh((x8 + 0.2 * (x8 @ v[i7]))), (0.5 + 0.3 * (z10 @ (0.5 * r))))).1
  in (u0, u1, u2, 0)
def smooth(x: [n]f64, a: [n][m]f64, h: [n][c]f64, w: [l][c][c]f64, v: [l][c][c]f64, r: [c][c]f64) =
  let (u0, u1, u2, _) = f(x, a, h, w, v, r) in (u0, u1, u2)
def loss(x: [n]f64, a: [n][m]f64, h: [n][c]f64, w: [l][c][c]f64, v: [l][c][c]f64, r: [c][c]f64) -> f64 =
  let (u0, u1, u2) = smooth(x, a, h, w, v, r)
  in sum(flatten(for i1 < m, i2 < n => u0[i1, i2] * (0.3 + 0.1 * f64((1 * i1 + 3 * i2 + 0) % 7)))) + 0.7 * u1 + sum(flatten(for i1 < n, i2 < c => u2[i1, i2] * (0.3 + 0.1 * f64((1 * i1 + 3 * i2 + 0) % 7))))
def gradient(x: [n]f64, a: [n][m]f64, h: [n][c]f64, w: [l][c][c]f64, v: [l][c][c]f64, r: [c][c]f64) =
  grad(\((x, a, h, w, v, r)) => loss(x, a, h, w, v, r))((x, a, h, w, v, r))
