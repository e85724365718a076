-- Interpolation of samples `ys` at places `xs`, which must ascend.
--
-- Everything is given for one point; several are a `for`. Derivatives with respect to the samples, the places and the
-- point are those of the piece that the point lies in, at a place of a sample of the piece before it. Where the point
-- is NaN the value is, and without samples there is error E0601.

-- ---- Between neighbours

--| The line between the two samples around `x`; the first or the last sample outside, as NumPy has it, with
--| derivative zero.
--| > linear([0.0, 1.0, 3.0], [1.0, 2.0, 0.0], 2.0)
--| 1.0
--| > for x in [-1.0, 9.0] => linear([0.0, 1.0, 3.0], [1.0, 2.0, 0.0], x)
--| [1.0, 0.0]
def linear[t: float](xs: [n]t, ys: [n]t, x: t) -> t =
  if n == 1 or x <= xs[0] then ys[0] + 0 * x
  else if x >= xs[n - 1] then ys[n - 1]
  else linear_extrapolated(xs, ys, x)

--| Like `linear`, with the first and the last line going on outside. At least two samples.
--| > linear_extrapolated([0.0, 1.0, 3.0], [1.0, 2.0, 0.0], 4.0)
--| -1.0
def linear_extrapolated[t: float](xs: [n]t, ys: [n]t, x: t) -> t =
  let i = _piece(xs, x)
  let share = (x - xs[i]) / (xs[i + 1] - xs[i])
  in ys[i] + share * (ys[i + 1] - ys[i])

-- The piece that a point lies in, the first or the last one outside.
def _piece[t: float](xs: [n]t, x: t) -> i64 = max(min(searchsorted(xs, x) - 1, n - 2), 0)

--| The sample nearest to `x`, of two the first.
--| > for x in [0.5, 0.6, 9.0] => nearest([0.0, 1.0, 3.0], [1.0, 2.0, 0.0], x)
--| [1.0, 2.0, 0.0]
def nearest[t: float](xs: [n]t, ys: [n]t, x: t) -> t =
  let i = if n == 1 then 0 else _piece(xs, x)
  in if n == 1 or x - xs[i] <= xs[i + 1] - x then ys[i] else ys[i + 1]

--| The sample at `x` or the last one before it; before the first, the first.
--| > for x in [-1.0, 0.9, 1.0] => previous([0.0, 1.0], [1.0, 2.0], x)
--| [1.0, 1.0, 2.0]
def previous[t: float](xs: [n]t, ys: [n]t, x: t) -> t =
  let i = min(searchsorted(xs, x), n - 1)
  in if i == 0 or xs[i] <= x then ys[i] else ys[i - 1]

--| The samples `z[i, j]` at `xs[i], ys[j]`, linear along both axes, and constant outside.
--| > bilinear([0.0, 1.0], [0.0, 2.0], [[1.0, 3.0], [5.0, 7.0]], 0.5, 1.0)
--| 4.0
def bilinear[t: float](xs: [n]t, ys: [m]t, z: [n][m]t, x: t, y: t) -> t =
  linear(xs, for row in z => linear(ys, row, y), x)

-- ---- Cubic pieces

--| Cubic pieces through samples, with the slopes there.
type Cubic[n, t: float] = { xs: [n]t, ys: [n]t, slopes: [n]t }

--| The natural cubic spline: its first and second derivatives are continuous, and the second is zero at both ends. At
--| least two samples. de Boor, A Practical Guide to Splines.
--| > cubic_spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]).slopes
--| [1.5, 0.0, -1.5]
def cubic_spline[t: float](xs: [n]t, ys: [n]t) -> Cubic[n, t] =
  let (h, d) = _differences(xs, ys)
  let lower = for i < n => if i == 0 then 0 else if i == n - 1 then 1 else h[i]
  let middle = for i < n => if i == 0 or i == n - 1 then 2 else 2 * (h[i - 1] + h[i])
  let upper = for i < n => if i == 0 then 1 else if i == n - 1 then 0 else h[i - 1]
  let right = for i < n =>
    if i == 0 then 3 * d[0]
    else if i == n - 1 then 3 * d[n - 2]
    else 3 * (h[i] * d[i - 1] + h[i - 1] * d[i])
  in { xs = xs, ys = ys, slopes = _tridiagonal(lower, middle, upper, right) }

-- Lengths and slopes of the pieces.
def _differences[t: float](xs: [n]t, ys: [n]t) -> ([n-1]t, [n-1]t) =
  let h = for i < n - 1 => xs[i + 1] - xs[i]
  in (h, for i < n - 1 => (ys[i + 1] - ys[i]) / h[i])

-- The solution of a tridiagonal system, by elimination without pivoting. `8 n`.
def _tridiagonal[t: float](lower: [n]t, middle: [n]t, upper: [n]t, right: [n]t) -> [n]t =
  let (u, b) = loop (u, b): ([n]t, [n]t) = (zeros(n), zeros(n)) for i < n do
    let (above, before) = if i == 0 then (0, 0) else (u[i - 1], b[i - 1])
    let pivot = middle[i] - lower[i] * above
    in (u with [i] = upper[i] / pivot, b with [i] = (right[i] - lower[i] * before) / pivot)
  in loop x = b for k < n - 1 do
    let i = n - 2 - k
    in x with [i] = b[i] - u[i] * x[i + 1]

--| Cubic pieces that rise and fall only where the samples do. At least two samples. Fritsch and Butland, A method for
--| constructing local monotone piecewise cubic interpolants, SIAM Journal on Scientific and Statistical Computing 5
--| (1984).
--| > pchip([0.0, 1.0, 2.0], [0.0, 1.0, 1.0]).slopes
--| [1.5, 0.0, 0.0]
def pchip[t: float](xs: [n]t, ys: [n]t) -> Cubic[n, t] =
  let (h, d) = _differences(xs, ys)
  let slopes = for i < n =>
    if n == 2 then d[0]
    else if i == 0 then _end_slope(h[0], h[1], d[0], d[1])
    else if i == n - 1 then _end_slope(h[n - 2], h[n - 3], d[n - 2], d[n - 3])
    else if d[i - 1] * d[i] <= 0 then 0
    else
      let (a, b) = (2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1])
      in (a + b) / (a / d[i - 1] + b / d[i])
  in { xs = xs, ys = ys, slopes = slopes }

-- The slope at an end: of the parabola through three samples, held back where that would overshoot.
def _end_slope[t: float](h0: t, h1: t, d0: t, d1: t) -> t =
  let slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
  in if slope * d0 <= 0 then 0
     else if d0 * d1 <= 0 and abs(slope) > 3 * abs(d0) then 3 * d0
     else slope

--| Cubic pieces with these slopes at the samples.
--| > evaluate(hermite([0.0, 1.0], [0.0, 1.0], [0.0, 0.0]), 0.5)
--| 0.5
def hermite[t: float](xs: [n]t, ys: [n]t, slopes: [n]t) -> Cubic[n, t] =
  { xs = xs, ys = ys, slopes = slopes }

--| The value of cubic pieces at `x`; outside the first or the last piece goes on. The slope is its derivative.
--| > evaluate(cubic_spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]), 0.5)
--| 0.6875
--| > grad(\x => evaluate(cubic_spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]), x))(0.0)
--| 1.5
def evaluate[t: float](c: Cubic[n, t], x: t) -> t =
  let i = _piece(c.xs, x)
  let h = c.xs[i + 1] - c.xs[i]
  let s = (x - c.xs[i]) / h
  let (rise, a, b) = (c.ys[i + 1] - c.ys[i], h * c.slopes[i], h * c.slopes[i + 1])
  in c.ys[i] + s * (a + s * (3 * rise - 2 * a - b + s * (a + b - 2 * rise)))

-- ---- Tests

-- Places that ascend.
def _places(x: [n]f64) -> [n]f64 = cumsum(1.5 + tanh(x))

-- The values are SciPy's.
test "known values" within 1e-13 =
  let (xs, ys) = ([0.0, 1.0, 2.5, 4.0, 5.0], [1.0, 3.0, 2.0, 2.5, 0.0])
  let (spline, monotone) = (cubic_spline(xs, ys), pchip(xs, ys))
  let at = [-0.5, 0.5, 1.7, 3.0, 4.9, 5.5]
  in (
    (for x in at => evaluate(spline, x))
      == [
        -0.2584558823529414, 2.2584558823529415, 2.6983686274509804, 2.215359477124183,
        0.3215323529411753, -1.5209558823529417
      ],
    (for x in at => evaluate(monotone, x))
      == [
        -0.45000000000000023, 2.3833333333333333, 2.5499259259259257, 2.1296296296296293,
        0.36429999999999896, -1.5875000000000004
      ],
    (for x in at => linear(xs, ys, x))
      == [1.0, 2.0, 2.533333333333333, 2.1666666666666665, 0.2499999999999991, 0.0]
  )
test "samples are met" within 1e-9 (x: [n+2]f64, y: [n+2]f64) =
  let (xs, ys) = (_places(x), tanh(y))
  in (
    (for x in xs => linear(xs, ys, x)) == ys,
    (for x in xs => nearest(xs, ys, x)) == ys,
    (for x in xs => previous(xs, ys, x)) == ys,
    (for x in xs => evaluate(cubic_spline(xs, ys), x)) == ys,
    (for x in xs => evaluate(pchip(xs, ys), x)) == ys
  )
test "slopes of lines" gradient (x: [4]f64, y: [4]f64, p: f64) =
  let xs = _places(x)
  let at = xs[1] + 0.5 + 0.3 * tanh(p)
  in (
    linear(xs, y, at),
    linear_extrapolated(xs, y, xs[3] + 1.0),
    nearest(xs, y, at),
    previous(xs, y, at)
  )
test "slopes of splines" gradient (x: [4]f64, y: [4]f64, p: f64) =
  let xs = _places(x)
  let at = xs[1] + 0.25 + 0.2 * tanh(p)
  in (evaluate(cubic_spline(xs, y), at), evaluate(hermite(xs, y, y), at))
test "slopes of monotone pieces" gradient (x: [4]f64, y: [4]f64, p: f64) =
  let xs = _places(x)
  in evaluate(pchip(xs, _places(y)), xs[1] + 0.25 + 0.2 * tanh(p))
test "slopes of bilinear" gradient (z: [2][3]f64, p: f64, q: f64) =
  bilinear([0.0, 1.0], [0.0, 1.0, 3.0], z, 0.5 + 0.4 * tanh(p), 2.0 + 0.9 * tanh(q))
test "one sample" = (
  linear([1.0], [2.0], 5.0) == 2.0,
  nearest([1.0], [2.0], 5.0) == 2.0,
  previous([1.0], [2.0], 0.0) == 2.0
)
test "no number" = (
  is_nan(linear([1.0, 2.0], [2.0, 3.0], 0.0 / 0.0)),
  is_nan(evaluate(pchip([1.0, 2.0], [2.0, 3.0]), 0.0 / 0.0))
)
test "single precision" = (
  linear([0.0f32, 1.0], [0.0, 2.0], 0.5) == 1.0,
  evaluate(cubic_spline([0.0f32, 1.0], [0.0, 2.0]), 0.5) == 1.0,
  evaluate(pchip([0.0f32, 1.0], [0.0, 2.0]), 0.5) == 1.0
)
