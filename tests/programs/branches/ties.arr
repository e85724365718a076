-- Two numbers that are equal decide alike wherever they are compared: if one comparison of a derivative were rounded in
-- another way than the next, a derivative could follow both sides of `max`, or neither.

def settled(h: [n][c]f32, w: [l][c][c]f32, r: [c][c]f32) -> [n][c]f32 =
  (loop (x, y, z) = (h, h, h) for i < l do
     (tanh(max(0.5 + 0.3 * h, 0.5 + 0.3 * y)), for i < n, j < c => 0.5f32, tanh(x * (h @ r)))).2

def weighted(h: [n][c]f32, w: [l][c][c]f32, r: [c][c]f32) -> f32 =
  let u = settled(h, w, r)
  in sum(flatten(for i < n, j < c => u[i, j] * (0.3 + 0.1 * f32((i + 3 * j) % 7))))

def crossed(h: [n][c]f32, w: [l][c][c]f32, r: [c][c]f32) -> ([n][c]f32, [l][c][c]f32, [c][c]f32) =
  let (dh, dw, dr) = (
    for i < n, j < c => 0.3 + 0.1 * f32((i + 3 * j) % 7),
    for k < l, i < c, j < c => 0.3 + 0.1 * f32((k + 3 * i + 5 * j) % 7),
    for i < c, j < c => 0.3 + 0.1 * f32((i + 3 * j) % 7)
  )
  in grad(\((h, w, r)) => jvp(\((h, w, r)) => weighted(h, w, r), (h, w, r), (dh, dw, dr)).1)((
    h,
    w,
    r
  ))

def point() -> [6][1]f32 =
  [[0.362424], [0.435081], [-1.132740], [-1.045981], [1.572626], [-1.541533]]
-- > abs(f64(crossed(point(), [[[0.517025]], [[1.142823]]], [[0.607411]]).0[5, 0]) - 0.1381967) < 1e-6
-- true
