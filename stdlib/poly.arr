-- Polynomials of one variable, as arrays of their coefficients, that of the highest power first.

import linalg

--| The value at `x`, by Horner's rule.
--| > polyval([1.0, 2.0, 3.0], 2.0)
--| 11.0
def polyval[t: num](c: [n]t, x: t) -> t = loop y = t(0) for k in c do y * x + k

--| The polynomial of this degree whose values at `x` are nearest to `y`, by least squares. There have to be more places
--| than `degree`.
--| > polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 7.0], 2)  -- within 1e-12
--| [1.0, 1.0, 1.0]
def polyfit[t: float](x: [n]t, y: [n]t, degree: i64) -> [degree+1]t =
  -- Places between -1 and 1 keep the powers of one size.
  let scale = max(maximum(abs(x)), 1e-30)
  let powers = for v in x, j < degree + 1 => (v / scale) ** (degree - j)
  let c = linalg.lstsq(powers, y)
  in for j < degree + 1 => c[j] / scale ** (degree - j)

--| The coefficients of the derivative; those of a polynomial of degree 1 or more.
--| > polyder([1.0, 2.0, 3.0])
--| [2.0, 2.0]
def polyder[t: num](c: [n+1]t) -> [n]t = for i < n => c[i] * t(n - i)

--| The coefficients of the integral that is 0 at 0.
--| > polyint([2.0, 2.0])
--| [1.0, 2.0, 0.0]
def polyint[t: float](c: [n]t) -> [n+1]t = for i < n + 1 => if i == n then 0 else c[i] / t(n - i)

--| The coefficients of the product.
--| > polymul([1.0, 1.0], [1.0, -1.0])
--| [1.0, 0.0, -1.0]
def polymul[t: num](a: [n]t, b: [m]t) -> [n+m-1]t =
  loop c: [n+m-1]t = zeros(n + m - 1) for k < n * m do
    let (i, j) = (k / m, k % m)
    in c with [i + j] = c[i + j] + a[i] * b[j]

--| The polynomial with these roots, whose first coefficient is 1.
--| > from_roots([1.0, -1.0])
--| [1.0, 0.0, -1.0]
def from_roots[t: num](roots: [n]t) -> [n+1]t =
  let one: [n+1]t = zeros(n + 1) with [n] = 1
  in loop c = one for r in roots do
    for j < n + 1 => if j < n then c[j + 1] - r * c[j] else -(r * c[j])

-- ---- Tests

test "values gradient" gradient (c: [4]f64, x: f64) = polyval(c, x)
test "parts gradient" gradient (a: [3]f64, b: [2]f64) =
  (polyder(a), polyint(a), polymul(a, b), from_roots(b))
test "fits gradient" gradient (y: [5]f64) = polyfit([-1.0, 0.0, 0.5, 1.0, 2.0], y, 2)
test "a fit through a polynomial's own values" within 1e-9 =
  let c = [2.0, -1.0, 0.5, 3.0]
  let x = [-3.0, -1.0, 0.0, 2.0, 5.0]
  in polyfit(x, for v in x => polyval(c, v), 3) == c
test "the derivative is the derivative" within 1e-9 (c: [n+1]f64) =
  polyval(polyder(c), 0.5) == grad(\x => polyval(c, x))(0.5)
test "the derivative of the integral" within 1e-12 (c: [n]f64) = polyder(polyint(c)) == c
test "roots are roots" = for r in [1.0, 2.0, 3.0] => polyval(from_roots([1.0, 2.0, 3.0]), r) == 0.0
test "single precision" = polyval([1.0f32, 1.0], 2.0) == 3.0
