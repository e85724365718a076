def f(x: [n]f32, h: [n][c]f32) =
  let u0 = (for q1 < c => (0.2 * cumsum(x)))
  in (u0, 0)
def smooth(x: [n]f32, h: [n][c]f32) =
  let (u0, _) = f(x, h) in u0
def loss(x: [n]f32, h: [n][c]f32) -> f32 =
  let u0 = smooth(x, h)
  in sum(flatten(for i1 < c, i2 < n => u0[i1, i2] * (0.3 + 0.1 * f32((1 * i1 + 3 * i2 + 0) % 7))))
def gradient(x: [n]f32, h: [n][c]f32) =
  grad(\((x, h)) => loss(x, h))((x, h))
def forward(x: [n]f32, h: [n][c]f32) =
  jvp(\((x, h)) => smooth(x, h), (x, h), ((for i1 < n => (0.3 + 0.1 * f32((1 * i1 + 0) % 7))), (for i1 < n, i2 < c => (0.3 + 0.1 * f32((1 * i1 + 3 * i2 + 0) % 7)))))
