def h0(d0: [a1]f64, d1: [b1]f64, d2: [b1]f64) =
  (loop x3 = d0 for i2 < 2 do let z4 = (0.7 * (tanh(d0) * x3) + 0.4 * (let r5 = d0 in (let e1 = exp(r5 - reduce(max, (-3.0), r5)) in e1 / (0.1 + sum(e1))))) let z6 = (sigmoid((sigmoid(x3) * d0)) * rotate(x3, 1)) in tanh((x3 + 0.2 * ((0.3 * grad(\z7 => z7)((if a1 > 0 then z6[0] else 1.110680))) * z6))))
def f(h: [n][c]f64) =
  let u0 = (for r9 in transpose(h) => 0.1 * sum(r9 * r9))
  let u1 = (for q10 < n, q11 < c => tanh(u0[(if q11 == 2 then 1000000 else 0)] * (0.11 * f64(q11 % 9))))
  in (u0, u1, 0)
def smooth(h: [n][c]f64) =
  let (u0, u1, _) = f(h) in (u0, u1)
def loss(h: [n][c]f64) -> f64 =
  let (u0, u1) = smooth(h)
  in sum(for i1 < c => u0[i1] * (0.3 + 0.1 * f64((1 * i1 + 0) % 7))) + sum(flatten(for i1 < n, i2 < c => u1[i1, i2] * (0.3 + 0.1 * f64((1 * i1 + 3 * i2 + 0) % 7))))
def gradient(h: [n][c]f64) =
