-- A curve through samples at uneven places, read at many points: a search for the piece, and a cubic between its ends. Catmull
-- and Rom, A class of local interpolating splines (1974), with the slopes of three samples.

--| The slope at sample `i`: of the parabola through it and its neighbours, or of the line at the ends.
def slope(xs: [k]f64, ys: [k]f64, i: i64) -> f64 =
  if i == 0 then (ys[1] - ys[0]) / (xs[1] - xs[0])
  else if i == k - 1 then (ys[k - 1] - ys[k - 2]) / (xs[k - 1] - xs[k - 2])
  else
    let (left, right) = (xs[i] - xs[i - 1], xs[i + 1] - xs[i])
    let (before, after) = ((ys[i] - ys[i - 1]) / left, (ys[i + 1] - ys[i]) / right)
    in (before * right + after * left) / (left + right)

--| The last piece that begins at or before `x`, by halving.
def piece(xs: [k]f64, x: f64) -> i64 =
  let (low, _) = loop (low, high) = (0, k - 1) while high - low > 1 do
    let mid = (low + high) / 2
    in if xs[mid] <= x then (mid, high) else (low, mid)
  in low

def read(xs: [k]f64, ys: [k]f64, slopes: [k]f64, x: f64) -> f64 =
  let i = piece(xs, x)
  let h = xs[i + 1] - xs[i]
  let t = (x - xs[i]) / h
  let u = 1.0 - t
  let ends = u * u * (1.0 + 2.0 * t) * ys[i] + t * t * (1.0 + 2.0 * u) * ys[i + 1]
  in ends + h * t * u * (u * slopes[i] - t * slopes[i + 1])

--| The mean squared difference between the curve at `points` and what was measured there.
def value(ys: [k]f64, points: [n]f64, xs: [k]f64, measured: [n]f64) -> f64 =
  let slopes = for i < k => slope(xs, ys, i)
  in mean(for j => (read(xs, ys, slopes, points[j]) - measured[j]) ** 2)

def gradient(ys: [k]f64, points: [n]f64, xs: [k]f64, measured: [n]f64) -> ([k]f64, [n]f64) =
  grad(\((ys, points)) => value(ys, points, xs, measured))((ys, points))
