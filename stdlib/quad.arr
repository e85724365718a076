-- Quadrature: integrals of samples and of functions.
--
-- Integrals of functions have derivatives with respect to the limits and to whatever the function reads from around
-- it: those of the sum that was taken. Limits may be in either order; infinite ones need a change of variable first.

-- ---- Samples

--| The integral of samples `ys` at places `xs`, by trapezoids.
--| > trapezoid([0.0, 1.0, 3.0], [1.0, 2.0, 4.0])
--| 7.5
def trapezoid[t: float](xs: [n]t, ys: [n]t) -> t =
  sum(for i < max(n - 1, 0) => 0.5 * (xs[i + 1] - xs[i]) * (ys[i] + ys[i + 1]))

--| The integral up to each place, by trapezoids.
--| > cumulative_trapezoid([0.0, 1.0, 3.0], [1.0, 2.0, 4.0])
--| [0.0, 1.5, 7.5]
def cumulative_trapezoid[t: float](xs: [n]t, ys: [n]t) -> [n]t =
  cumsum(for i < n => if i == 0 then 0 else 0.5 * (xs[i] - xs[i - 1]) * (ys[i - 1] + ys[i]))

--| The integral of samples at distances `h`, by Simpson's rule, exact for cubics. With an even number of samples the
--| last piece is that of the parabola through the last three; two are a trapezoid.
--| > simpson([0.0, 1.0, 8.0], 1.0)
--| 4.0
def simpson[t: float](ys: [n]t, h: t) -> t =
  if n < 2 then 0
  else if n == 2 then 0.5 * h * (ys[0] + ys[1])
  else
    let pairs = (n - 1) / 2
    let body = sum(for k < pairs => ys[2 * k] + 4 * ys[2 * k + 1] + ys[2 * k + 2]) / 3
    let rest =
      if n % 2 == 1 then 0
      else (5 * ys[n - 1] + 8 * ys[n - 2] - ys[n - 3]) / 12
    in h * (body + rest)

-- ---- Fixed rules

--| The places and weights on `-1 .. 1` of the rule of Gauss and Legendre with `n` points, by Newton's method.
--| > legendre(2)  -- within 1e-15
--| {places = [-0.5773502691896257, 0.5773502691896257], weights = [1.0, 1.0]}
def legendre[t: float](n: i64) -> { places: [n]t, weights: [n]t } =
  let rule = for i < n =>
    let first = -cos(3.141592653589793 * (f64(i) + 0.75) / (f64(n) + 0.5))
    let (x, _) = loop (x, step) = (first, 1.0) for k < 6 do
      let (p, slope) = _polynomial(n, x) in (x - p / slope, p / slope)
    let (_, slope) = _polynomial(n, x)
    in (x, 2.0 / ((1.0 - x * x) * slope * slope))
  in { places = for r in rule => t(r.0), weights = for r in rule => t(r.1) }

-- The polynomial of Legendre and its derivative, inside -1 .. 1.
def _polynomial(n: i64, x: f64) -> (f64, f64) =
  let (p, before) = loop (p, before) = (1.0, 0.0) for k < n do
    ((f64(2 * k + 1) * x * p - f64(k) * before) / f64(k + 1), p)
  in (p, f64(n) * (x * p - before) / (x * x - 1.0))

--| The integral of `f` from `a` to `b` with `n` points, exact for polynomials of degree `2 n - 1`.
--| > gauss_legendre(\x => x ** 3 + 1.0, 0.0, 2.0, 2)  -- within 1e-14
--| 6.0
def gauss_legendre[t: float](f: t -> t, a: t, b: t, n: i64) -> t =
  let rule: { places: [n]t, weights: [n]t } = legendre(n)
  let (middle, half) = (0.5 * (a + b), 0.5 * (b - a))
  in half * sum(for i < n => rule.weights[i] * f(middle + half * rule.places[i]))

--| The integral of `f` from `a` to `b` by Romberg's method: trapezoids of `1, 2, 4, .., 2^levels` pieces,
--| extrapolated.
--| > romberg(\x => x ** 4, 0.0, 1.0, 3)  -- within 1e-14
--| 0.2
def romberg[t: float](f: t -> t, a: t, b: t, levels: i64) -> t =
  let first: [levels+1]t = for k < levels + 1 =>
    let h = (b - a) / t(shl(1, k))
    in h * (0.5 * (f(a) + f(b)) + sum(for i < shl(1, k) - 1 => f(a + t(i + 1) * h)))
  let row = loop row = first for j < levels do
    let factor = t(4) ** (j + 1)
    in for k < levels + 1 =>
      if k <= j then row[k] else (factor * row[k] - row[k - 1]) / (factor - 1)
  in row[levels]

-- ---- Adaptive rules

--| An integral, an estimate of its error, how many pieces were looked at, and whether the estimate is at most the
--| tolerance.
type Integral[t: float] = { value: t, error: t, pieces: i64, converged: bool }

--| The integral of `f` from `a` to `b` by the rules of Gauss and Kronrod with 7 and 15 points, whose difference is
--| the estimate of the error. Pieces are halved until the errors are in sum at most `tolerance`, each getting the
--| share of its length; of more than `most` pieces none is halved any more. `f` is not evaluated at the limits.
--| Kronrod (1965); Piessens et al., Quadpack (1983).
--| > gauss_kronrod(sqrt, 0.0, 1.0, 1e-8, 1000).value  -- within 1e-8
--| 0.6666666666666666
def gauss_kronrod[t: float](f: t -> t, a: t, b: t, tolerance: t, most: i64) -> Integral[t] =
  _adaptive(\(low, high) => _kronrod(f, a + (b - a) * low, a + (b - a) * high), tolerance, most)

--| The integral of `f` from `a` to `b` by Simpson's rule, on pieces that are halved like those of `gauss_kronrod`.
--| > adaptive_simpson(\x => 1.0 / x, 1.0, 2.0, 1e-9, 1000).value  -- within 1e-9
--| 0.6931471805599453
def adaptive_simpson[t: float](f: t -> t, a: t, b: t, tolerance: t, most: i64) -> Integral[t] =
  _adaptive(
    \(low, high) => _simpson_pair(f, a + (b - a) * low, a + (b - a) * high),
    tolerance,
    most
  )

-- The sum of `rule(low, high)`, a value and its error, over pieces of 0 .. 1, from left to right. Pieces yet to come
-- are on a stack.
def _adaptive[t: float](rule: (t, t) -> (t, t), tolerance: t, most: i64) -> Integral[t] =
  let (value, error, pieces, _, _) =
    loop (value, error, pieces, stack, top): (t, t, i64, [_depth][2]t, i64) = (
      0,
      0,
      0,
      for i < _depth => [0, 1],
      1
    ) while top > 0 do
      let (low, high) = (stack[top - 1, 0], stack[top - 1, 1])
      let (part, wrong) = rule(low, high)
      let middle = 0.5 * (low + high)
      let small = stop_gradient(wrong) <= tolerance * (high - low)
      in if small or pieces >= most or top == _depth or is_nan(wrong) then
           (value + part, error + stop_gradient(wrong), pieces + 1, stack, top - 1)
         else
           let stack = stack with [top - 1] = [middle, high] with [top] = [low, middle]
           in (value, error, pieces + 1, stack, top + 1)
  in { value = value, error = error, pieces = pieces, converged = error <= tolerance }

-- How often a piece can be halved.
def _depth = 50

def _simpson_pair[t: float](f: t -> t, a: t, b: t) -> (t, t) =
  let m = 0.5 * (a + b)
  let ends = f(a) + f(b)
  let inner = f(0.5 * (a + m)) + f(0.5 * (m + b))
  let middle = f(m)
  let coarse = (b - a) / 6 * (ends + 4 * middle)
  let fine = (b - a) / 12 * (ends + 2 * middle + 4 * inner)
  in (fine + (fine - coarse) / 15, abs(fine - coarse) / 15)

def _kronrod[t: float](f: t -> t, a: t, b: t) -> (t, t) =
  let places: [8]t = [
    0.9914553711208126,
    0.9491079123427585,
    0.8648644233597691,
    0.7415311855993945,
    0.5860872354676911,
    0.4058451513773972,
    0.20778495500789847,
    0.0
  ]
  let kronrod: [8]t = [
    0.022935322010529224,
    0.06309209262997856,
    0.10479001032225019,
    0.14065325971552592,
    0.1690047266392679,
    0.19035057806478542,
    0.20443294007529889,
    0.20948214108472782
  ]
  let gauss: [4]t =
    [0.1294849661688697, 0.27970539148927664, 0.3818300505051189, 0.4179591836734694]
  let (m, h) = (0.5 * (a + b), 0.5 * (b - a))
  let pairs = for i < 8 => if i == 7 then f(m) else f(m - h * places[i]) + f(m + h * places[i])
  let fine = h * sum(for i => kronrod[i] * pairs[i])
  let coarse = h * sum(for i => gauss[i] * pairs[2 * i + 1])
  in (fine, abs(fine - coarse))

-- ---- Tests

test "rules are exact for polynomials" within 1e-12 = (
  _kronrod(\x => x ** 22 + x ** 3, -1.0, 1.0).0 == 2.0 / 23.0,
  gauss_legendre(\x => x ** 13 + x ** 12, 0.0, 1.0, 7) == 1.0 / 14.0 + 1.0 / 13.0,
  sum(legendre(20).weights) == 2.0,
  sum(legendre(20).places) + 1.0 == 1.0,
  gauss_legendre(\x => x + 1.0, 0.0, 2.0, 1) == 4.0,
  adaptive_simpson(\x => x ** 3, 0.0, 2.0, 1e-9, 100).value == 4.0
)
test "known integrals" within 1e-9 = (
  gauss_kronrod(\x => exp(-x * x), -6.0, 6.0, 1e-10, 1000).value == 1.7724538509055159,
  gauss_kronrod(\x => 1.0 / (1.0 + 25.0 * x * x), 1.0, -1.0, 1e-10, 1000).value
    == -0.5493603067780064,
  adaptive_simpson(\x => sin(x), 0.0, 3.141592653589793, 1e-10, 5000).value == 2.0,
  romberg(\x => exp(x), 0.0, 1.0, 6) == 1.718281828459045,
  gauss_kronrod(\x => abs(x - 0.3), 0.0, 1.0, 1e-10, 1000).value == 0.29
)
-- The values are SciPy's.
test "samples" within 1e-14 = (
  simpson([1.0, 3.0, 2.0, 5.0], 0.5) == 4.083333333333334,
  simpson([1.0, 3.0, 2.0, 5.0, 4.0], 0.5) == 6.833333333333333,
  simpson([1.0, 3.0], 0.5) == 1.0,
  simpson([1.0], 0.5) == 0.0,
  simpson(zeros(0), 0.5) == 0.0,
  trapezoid(zeros(0), zeros(0)) == 0.0
)
test "what does not converge" = (
  gauss_kronrod(\x => 1.0 / x, 0.0, 1.0, 1e-8, 100).converged == false,
  gauss_kronrod(\x => 0.0 / 0.0 * x, 0.0, 1.0, 1e-8, 100).pieces == 1,
  gauss_kronrod(\x => x, 2.0, 2.0, 1e-8, 100).value == 0.0
)
test "slopes" gradient (a: f64, b: f64, p: f64) =
  let (a, b) = (tanh(a), 2.0 + tanh(b))
  let f = \x => cos(p * x) + p * x * x
  in (
    gauss_legendre(f, a, b, 8),
    romberg(f, a, b, 5),
    gauss_kronrod(\x => f(0.3 * x), a, b, 1e-10, 200).value,
    adaptive_simpson(\x => tanh(p) * x * x, a, b, 1e-10, 200).value
  )
test "slopes of samples" gradient (xs: [4]f64, ys: [4]f64, h: f64) =
  (trapezoid(xs, ys), cumulative_trapezoid(xs, ys), simpson(ys, h))
-- The derivative with respect to a limit is the function there.
test "limits" within 1e-9 = (
  grad(\b => gauss_kronrod(exp, 0.0, b, 1e-10, 100).value)(1.0) == 2.718281828459045,
  grad(\a => gauss_kronrod(exp, a, 1.0, 1e-10, 100).value)(0.0) == -1.0
)
test "single precision" = (
  abs(gauss_legendre(\x => x * x, 0.0f32, 1.0, 3) - 0.33333334) < 1e-6,
  abs(gauss_kronrod(\x => x * x, 0.0f32, 1.0, 1e-5, 100).value - 0.33333334) < 1e-6
)
