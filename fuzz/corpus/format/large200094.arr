type Item[c] = One(f64) | Two(f64, f64) | Row([c]f64) | Count(i64, f64) | Nil
def h0(d0: [a1]f64, d1: [b1]f64, d2: [b1]f64) =
  (for q1 < a1, q2 < b1 => (1.0 / (2.0 + ((0.5 * (0.11 * f64(q1 % 9)) + 0.4 * d1[q2]) / (1.5 + abs(((abs((0.11 * f64(q2 % 9))) + 0.3) ** (0.5 * d2[q2]))))) ** 2)))
def f(h: [n][c]f64, w: [l][c][c]f64, k: [n]i64, g: [c]f64, r: [c][c]f64, q: [m]Item[c], e: i64) =
  let u0 = checkpoint(\z7 => (loop (x12, x13) = (h, h) for i11 < l do let z14 = ((z7 * x13) * (sin((if n > 0 and c > 0 then x13[(n / 2), 0] else (-0.365967)) + (if n > 0 and c > 0 then x13[0, 0] else 1.383042)) * x13)) in (tanh(x12), (x13 + 0.2 * exp(-z7 ** 2)))).0)(h)
  let u1 = (for i15 < n => { p = (0.3 * grad(\z16 => (if c > 0 then h[k[i15], (c - 1)] else 0.445632))((if c > 0 then u0[(i15 / 2), (c / 2)] else 0.989010))), tag = (2 * i15 + 1), v = g, q = (softplus((if c > 0 then u0[((i15 * 3 + 2) % n), (c - 1)] else 0.280594)), (if m > 0 then (match q[(m / 2)] { One(m17) => (0.2 * sum(for p22 < m => (if p22 > 0 then (match q[(p22 - 1)] { One(m23) => (0.3 * grad(\z28 => m17)((0.11 * f64(p22 % 9)))), Two(m23, m24) => min((if l > 0 and c > 0 and c > 0 then w[(l - 1), 0, 0] else (-0.474208)), 0.9 - m23), Row(m25) => 0.2 * sum(m25), Count(m26, m27) => f64(m26) * m27, Nil => (match q[max(p22 - 1, 0)] { One(m29) => max((0.11 * f64(p22 % 9)), (0.11 * f64(i15 % 9))), Two(m29, m30) => tanh(m17), Row(m31) => 0.2 * sum(m31), Count(m32, m33) => f64(m32) * m33, Nil => (0.11 * f64(i15 % 9)) }) }) else 0.750972))), Two(m17, m18) => sqrt(1.0 + m17 ** 2), Row(m19) => 0.2 * sum(m19), Count(m20, m21) => f64(m20) * m21, Nil => (0.11 * f64(i15 % 9)) }) else (-0.938441))) })
  let u2 = (let q36 = pad(r, (1, 1), replicate(c, 0.1)) in for q34 < c, q35 < c => 0.4 * q36[q34, q35] + 0.4 * q36[q34 + 2, q35] + tanh((0.11 * f64(e % 9)) * (0.11 * f64(q34 % 9))))
  in (u0, u1, u2, 0)
def smooth(h: [n][c]f64, w: [l][c][c]f64, k: [n]i64, g: [c]f64, r: [c][c]f64, q: [m]Item[c], e: i64) =
  let (u0, _, u2, _) = f(h, w, k, g, r, q, e) in (u0, u2)
def loss(h: [n][c]f64, w: [l][c][c]f64, k: [n]i64, g: [c]f64, r: [c][c]f64, q: [m]Item[c], e: i64) -> f64 =
  let (u0, u2) = smooth(h, w, k, g, r, q, e)
