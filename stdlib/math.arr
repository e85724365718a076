-- Constants, and functions of numbers beside those that are built in.
--
-- Functions take one number, unless something else is said: `map(math.log2, x)` for a vector. Constants are `f64`;
-- `f32(math.pi)` is one of single precision.

-- ---- Constants

--| The ratio of a circle's circumference to its diameter.
--| > pi
--| 3.141592653589793
def pi: f64 = 3.141592653589793

--| The base of the natural logarithm.
--| > log(e)
--| 1.0
def e: f64 = 2.718281828459045

--| The full turn in radians, `2 * pi`.
--| > tau == 2.0 * pi
--| true
def tau: f64 = 6.283185307179586

--| Infinity: greater than every number.
--| > inf
--| inf
def inf: f64 = 1.0 / 0.0

--| No number: the result of `0.0 / 0.0`, which equals nothing, itself neither. `is_nan` tells it.
--| > nan
--| nan
def nan: f64 = 0.0 / 0.0

-- ---- Powers and logarithms

--| The square.
--| > square(3.0)
--| 9.0
def square[t: num](x: t) -> t = x * x

--| The real cube root. Its derivative at zero is infinite.
--| > map(cbrt, [27.0, -8.0, 0.0])
--| [3.0, -2.0, 0.0]
def cbrt[t: float](x: t) -> t =
  let y = if x < 0 then -((-x) ** (1 / t(3))) else x ** (1 / t(3))
  let r = stop_gradient(y)
  -- One step of Newton's method takes the rounding error of the power away.
  in if x == 0 or not is_finite(x) then y
     else y - (r * r * r - stop_gradient(x)) / (3 * r * r)

--| The logarithm to base 2; of a power of two it is exact.
--| > map(log2, [8.0, 0.25])
--| [3.0, -2.0]
def log2[t: float](x: t) -> t = _log_to_base(x, 2, 1.4426950408889634)

--| The logarithm to base 10; of a power of ten it is exact.
--| > map(log10, [1000.0, 1.0])
--| [3.0, 0.0]
def log10[t: float](x: t) -> t = _log_to_base(x, 10, 0.4342944819032518)

-- The logarithm to an integer base, with the factor that makes it of the natural one. Where `x` is a power of the base
-- that can be written exactly, so is the result.
def _log_to_base[t: float](x: t, base: t, factor: t) -> t =
  let y = log(x) * factor
  let near = stop_gradient(round(y))
  let exact = near >= 0 and base ** near == x or near < 0 and x * base ** -near == 1
  in if exact then y + (near - stop_gradient(y)) else y

--| Two to the power of `x`.
--| > exp2(10.0)
--| 1024.0
def exp2[t: float](x: t) -> t = t(2) ** x

--| Ten to the power of `x`.
--| > exp10(3.0)
--| 1000.0
def exp10[t: float](x: t) -> t = t(10) ** x

--| `sqrt(x * x + y * y)` without overflow. Its derivatives where both are zero are zero.
--| > hypot(3.0, 4.0)
--| 5.0
def hypot[t: float](x: t, y: t) -> t =
  let m = stop_gradient(max(abs(x), abs(y)))
  in if m == 0 or not is_finite(m) then m
     else
       let (a, b) = (x / m, y / m)
       in m * sqrt(a * a + b * b)

--| `log(exp(x) + exp(y))` without overflow.
--| > logaddexp(1000.0, 1000.0) - 1000.0  -- within 1e-12
--| 0.6931471805599453
--| > logaddexp(-inf, 1.0)
--| 1.0
def logaddexp[t: float](x: t, y: t) -> t =
  if x == y and not is_finite(x) then x
  else if x >= y then x + softplus(y - x)
  else y + softplus(x - y)

--| `x * log(y)`, which is 0 where `x` is 0, whatever `y` is.
--| > xlogy(0.0, 0.0)
--| 0.0
def xlogy[t: float](x: t, y: t) -> t = if x == 0 then 0 else x * log(y)

-- ---- Rounding and ranges

--| The integer next to `x` towards zero. Its derivative is zero.
--| > map(trunc, [2.7, -2.7])
--| [2.0, -2.0]
def trunc[t: float](x: t) -> t = if x < 0 then ceil(x) else floor(x)

--| What is left of `x` behind the point, with the sign of `x`.
--| > fract(-2.75)
--| -0.75
def fract[t: float](x: t) -> t = x - trunc(x)

--| `x` where it lies between `low` and `high`, and the nearer of these elsewhere. The derivative is then zero.
--| > for x in [-1.0, 0.5, 3.0] => clip(x, 0.0, 1.0)
--| [0.0, 0.5, 1.0]
def clip[t: num](x: t, low: t, high: t) -> t = min(max(x, low), high)

--| `value` in the place of NaN and infinities, with derivative zero there.
--| > for x in [1.0, nan, -inf] => finite_or(x, 0.0)
--| [1.0, 0.0, 0.0]
def finite_or[t: float](x: t, value: t) -> t = if is_finite(x) then x else value

--| As NumPy has it: 0 for NaN, and the largest finite numbers of `f64` for infinities.
--| > map(nan_to_num, [1.0, nan])
--| [1.0, 0.0]
def nan_to_num(x: f64) -> f64 =
  if is_nan(x) then 0.0
  else if is_finite(x) then x
  else if x > 0.0 then 1.7976931348623157e308
  else -1.7976931348623157e308

--| Whether `x` is infinite.
--| > map(is_inf, [inf, -inf, nan, 1.0])
--| [true, true, false, false]
def is_inf[t: float](x: t) -> bool = not is_nan(x) and not is_finite(x)

-- ---- Angles

--| Degrees in radians.
--| > radians(180.0) == pi
--| true
def radians[t: float](degrees: t) -> t = degrees * 0.017453292519943295

--| Radians in degrees.
--| > degrees(pi)
--| 180.0
def degrees[t: float](radians: t) -> t = radians * 57.29577951308232

--| `sin(pi * x) / (pi * x)`, which is 1 at 0.
--| > map(sinc, [0.0, 0.5, 1.0])  -- within 1e-15
--| [1.0, 0.6366197723675814, 0.0]
def sinc[t: float](x: t) -> t =
  let z = 3.141592653589793 * x
  let q = z * z
  -- Near zero a series, as the quotient's derivatives would lose their digits.
  in if abs(z) < 0.02 then 1 - q / 6 * (1 - q / 20 * (1 - q / 42)) else sin(z) / z

-- ---- The error function and its relatives

--| `1 - erf(x)`, also where it is small. Chebyshev's polynomials: Press et al., Numerical Recipes, 3rd edition, 6.2.2;
--| its error is at most a few hundred units in the last place.
--| > erfc(0.0)
--| 1.0
--| > erfc(10.0)  -- within 1e-13
--| 2.088487583762545e-45
def erfc[t: float](x: t) -> t =
  if abs(x) < 0.5 then 1 - erf(x) else if x < 0 then 2 - _erfc_tail(-x) else _erfc_tail(x)
derivative erfc(x, y, dy) = -1.1283791670955126 * exp(-x * x) * dy

-- The coefficients of `log(erfc(z) / s) + z * z` in Chebyshev's polynomials of `2 * s - 1`, with `s = 2 / (2 + z)`.
def _erfc_coefficients = [
  -1.3026537197817094,
  0.6419697923564902,
  0.019476473204185836,
  -0.009561514786808631,
  -0.000946595344482036,
  0.000366839497852761,
  4.2523324806907e-5,
  -2.0278578112534e-5,
  -1.624290004647e-6,
  1.30365583558e-6,
  1.5626441722e-8,
  -8.5238095915e-8,
  6.529054439e-9,
  5.059343495e-9,
  -9.91364156e-10,
  -2.27365122e-10,
  9.6467911e-11,
  2.394038e-12,
  -6.886027e-12,
  8.94487e-13,
  3.13092e-13,
  -1.12708e-13,
  3.81e-16,
  7.106e-15,
  -1.523e-15,
  -9.4e-17,
  1.21e-16,
  -2.8e-17
]

def _erfc_tail[t: float](z: t) -> t =
  let s = 2 / (2 + z)
  let y = 4 * s - 2
  let (a, b): (t, t) = loop (a, b): (t, t) = (0, 0) for k < 27 do
    (y * a - b + t(_erfc_coefficients[27 - k]), a)
  in s * exp(-z * z + 0.5 * (t(_erfc_coefficients[0]) + y * a) - b)

--| The inverse of `erf`: the `y` with `erf(y) == x`. Infinite at -1 and 1, and NaN outside.
--| > erfinv(0.5)  -- within 1e-15
--| 0.4769362762044699
--| > erfinv(1.0)
--| inf
def erfinv[t: float](x: t) -> t =
  if x < 0 then -_erfc_inverse(1 + x) else if x < 0.5 then _erf_inverse(x) else _erfc_inverse(1 - x)
derivative erfinv(x, y, dy) = 0.886226925452758 * exp(y * y) * dy

--| The inverse of `erfc`: the `y` with `erfc(y) == x`, also where that is large. Infinite at 0 and 2, and NaN outside.
--| > erfcinv(1e-40)  -- within 1e-12
--| 9.448789766720859
def erfcinv[t: float](x: t) -> t = if x > 1 then -_erfc_inverse(2 - x) else _erfc_inverse(x)
derivative erfcinv(x, y, dy) = -0.886226925452758 * exp(y * y) * dy

-- Between 0 and 0.5, by Halley's method.
def _erf_inverse[t: float](x: t) -> t =
  loop y = 0.886226925452758 * x for k < 4 do
    let d = (erf(y) - x) / (1.1283791670955126 * exp(-y * y))
    in y - d / (1 + y * d)

-- Between 0 and 1, by Halley's method from the approximation of Abramowitz and Stegun, 26.2.23.
def _erfc_inverse[t: float](q: t) -> t =
  if q == 0 then 1 / t(0)
  else if not (q > 0 and q <= 1) then t(0) / t(0)
  else
    let s = sqrt(-2 * log(0.5 * q))
    let first =
      s
        - (2.515517 + s * (0.802853 + s * 0.010328))
          / (1 + s * (1.432788 + s * (0.189269 + s * 0.001308)))
    in loop y = 0.7071067811865476 * first for k < 3 do
      let d = (q - erfc(y)) / (1.1283791670955126 * exp(-y * y))
      in y - d / (1 + y * d)

--| Euler's gamma function: the factorial of `x - 1` where `x` is a positive integer. Infinite at 0 and NaN at the
--| negative integers.
--| > map(gamma, [5.0, 0.5, -0.5])  -- within 1e-14
--| [24.0, 1.772453850905516, -3.544907701811032]
def gamma[t: float](x: t) -> t =
  if is_nan(x) or x < 0 and floor(x) == x then t(0) / t(0)
  else if x > 172 then 1 / t(0)
  else if x < -200 then 0
  else
    -- Brought between 1 and 2, where the logarithm is small, so that its rounding error is too.
    let (y, above): (t, t) = loop (y, above) = (x, t(1)) while y >= 2 do (y - 1, above * (y - 1))
    let (y, below): (t, t) = loop (y, below) = (y, t(1)) while y < 1 do (y + 1, below * y)
    in exp(lgamma(y)) * above / below
derivative gamma(x, y, dy) = dy * y * digamma(x)

-- ---- Integers

--| The product of the integers from 1 to `n`. From 21 on it does not fit an `i64`, and wraps; `gamma` goes further.
--| > factorial(5)
--| 120
def factorial(n: i64) -> i64 = product(for i < max(n, 0) => i + 1)

--| The greatest common divisor, not negative.
--| > gcd(12, -18)
--| 6
def gcd(a: i64, b: i64) -> i64 =
  let (a, _) = loop (a, b) = (abs(a), abs(b)) while b != 0 do (b, a % b)
  in a

--| The least common multiple, not negative.
--| > lcm(4, 6)
--| 12
def lcm(a: i64, b: i64) -> i64 = if a == 0 or b == 0 then 0 else abs(a / gcd(a, b) * b)

-- ---- Tests

test "powers gradient" gradient (x: f64) =
  let y = 0.5 + x * x
  in (square(x), cbrt(y), cbrt(-y), log2(y), log10(y), exp2(x), exp10(0.1 * x))
test "roots are exact" = for i < 20 => cbrt(f64(i * i * i)) == f64(i)
test "logarithms of powers are exact" =
  for i < 12 => log10(10.0 ** f64(i)) == f64(i) and log2(2.0 ** f64(-i)) == f64(-i)
test "their derivatives are not those of the rounding" within 1e-14 =
  (grad(log10)(1000.0) == 0.001 / 2.302585092994046, grad(log2)(8.0) == 0.125 / 0.6931471805599453)
test "hypot gradient" gradient (x: f64, y: f64) = hypot(1.0 + x * x, y)
test "hypot of numbers whose squares overflow in f32" within 1e-6 = hypot(3e30, 4e30) == 5e30
test "hypot at zero" = (grad(hypot)(0.0, 0.0) == 0.0, hypot(inf, 1.0) == inf)
test "logaddexp gradient" gradient (x: f64, y: f64) =
  (logaddexp(x, y), xlogy(2.0 + tanh(x), 2.0 + tanh(y)))
test "logaddexp of equal numbers" = grad(\(x, y) => logaddexp(x, y))(1.0, 1.0) == 0.5
test "rounding" =
  (trunc(-0.5) == 0.0, fract(2.25) == 0.25, grad(trunc)(1.5) == 0.0, grad(fract)(1.5) == 1.0)
test "clip gradient" gradient (x: f64) =
  (clip(tanh(x), -2.0, 2.0), finite_or(x, 0.0), radians(x), degrees(x))
test "clip" = (
  grad(\x => clip(x, 0.0, 1.0))(2.0) == 0.0,
  clip(7, 0, 5) == 5,
  grad(\x => finite_or(x, 0.0))(inf) == 0.0
)
test "sinc gradient" gradient (x: f64) = (sinc(x), sinc(0.001 * x))
test "sinc's second derivative at zero" within 1e-12 = grad(grad(sinc))(0.0) == -pi * pi / 3.0
test "both forms of sinc agree" within 1e-13 =
  sinc(0.0199999 / pi) - sinc(0.0200001 / pi) == 2e-7 * 0.02 / 3.0
test "erfc gradient" gradient (x: f64) = (erfc(x), erfc(3.0 + x * x))
test "erfc" within 1e-14 =
  let x = [-3.0, -1.0, -0.3, 0.3, 0.5, 2.0]
  in map(erfc, x) == 1.0 - erf(x)
test "erfinv gradient" gradient (x: f64) = (erfinv(0.9 * tanh(x)), erfcinv(1.0 + 0.9 * tanh(x)))
test "erfinv turns erf around" within 1e-12 =
  let x = [-2.0, -0.4, 0.0, 0.1, 0.7, 3.0]
  in map(erfinv, erf(x)) == x
test "erfcinv turns erfc around" within 1e-12 =
  let x = [-2.0, -0.4, 0.1, 0.7, 3.0, 9.0]
  in map(erfcinv, map(erfc, x)) == x
test "erfinv's second derivative" within 1e-9 =
  let y = erfinv(0.3)
  in grad(grad(erfinv))(0.3) == 2.0 * y * square(0.886226925452758 * exp(y * y))
test "gamma gradient" gradient (x: f64) = (gamma(1.5 + x * x), gamma(-0.5 + 0.1 * tanh(x)))
test "gamma of integers" = for i < 15 => gamma(f64(i + 1)) == f64(factorial(i))
test "gamma at its poles and ends" =
  (gamma(0.0) == inf, is_nan(gamma(-3.0)), gamma(200.0) == inf, gamma(-300.5) == 0.0)
test "integers" = (gcd(0, 5) == 5, lcm(0, 3) == 0, factorial(0) == 1, lcm(-4, 6) == 12)
test "single precision" = (
  clip(2.0f32, 0.0, 1.0) == 1.0,
  log2(8.0f32) == 3.0,
  cbrt(8.0f32) == 2.0,
  abs(erfc(1.0f32) - 0.15729921) < 1e-6,
  abs(erfinv(0.5f32) - 0.47693628) < 1e-6
)
