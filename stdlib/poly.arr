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

--| All roots of the polynomial, complex in general: `n` of them for the degree `n`, those of multiplicity `k` that
--| often, as real and imaginary parts. They ascend by their real parts, and where these are equal by their imaginary
--| parts; pairs are exact conjugates. The first coefficient must not be 0: roots are NaN then. As many roots are
--| exactly 0 as last coefficients are. They are the eigenvalues of the companion matrix, see `linalg.eig`, about
--| `25 n^3`: the roots of a polynomial whose coefficients differ by rounding errors, so that a root of multiplicity
--| `k` is off by about the `k`th root of a rounding error. Edelman and Murakami, Polynomial roots from companion
--| matrix eigenvalues (1995).
--|
--| The derivative is `dr == -(sum over k of dc[k] * r ** (n - k)) / polyval(polyder(c), r)` for each root `r`, which
--| is infinite or NaN for multiple roots.
--| > roots([1.0, -3.0, 2.0])  -- within 1e-14
--| {re = [1.0, 2.0], im = [0.0, 0.0]}
--| > roots([1.0, 0.0, 4.0, 0.0])  -- within 1e-14
--| {re = [0.0, 0.0, 0.0], im = [-2.0, 0.0, 2.0]}
def roots[t: float](c: [n+1]t) -> { re: [n]t, im: [n]t } =
  let c = stop_gradient(c)
  -- Zero roots are apart: nothing leads to their rows.
  let last = loop last = n while last > 0 and c[last] == 0 do last - 1
  let companion = for i < n, j < n =>
    if i == 0 then -(c[j + 1] / c[0]) else if j == i - 1 and i < last then t(1) else 0
  in linalg.eigvals(companion)

-- By Horner's rule, at each root `x + i y`: the polynomial's derivative `p + i q`, of which the cotangent is a
-- multiple.
derivative roots(c, r, dr) =
  let shares = for i < n =>
    let (x, y) = (r.re[i], r.im[i])
    let (p, q) = loop (p, q): (t, t) = (0, 0) for k < n do
      (p * x - q * y + t(n - k) * c[k], p * y + q * x)
    let size = p * p + q * q
    -- The conjugate of the cotangent, over the derivative.
    in ((dr.re[i] * p - dr.im[i] * q) / size, -(dr.re[i] * q + dr.im[i] * p) / size)
  -- From the last coefficient to the first, times one more power of each root.
  let (dc, _) = loop (dc, shares): ([n+1]t, [n](t, t)) = (zeros(n + 1), shares) for k < n + 1 do (
    dc with [n - k] = -sum(for s in shares => s.0),
    for i < n =>
      let (a, b) = shares[i]
      in (a * r.re[i] - b * r.im[i], a * r.im[i] + b * r.re[i])
  )
  in dc

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
test "roots gradient" gradient (c: [5]f64) = roots([1.0, -2.0, 3.0, 5.0, -4.0] + 0.2 * tanh(c))
-- The first are values of NumPy 2.4.6.
test "roots of quintics" within 1e-11 =
  let all = for c in [[2.0, -3.0, 0.5, 7.0, 1.0, -4.0], from_roots([-3.0, -0.5, 0.25, 2.0, 7.0])] =>
    roots(c)
  in (
    all[0].re
      == [
        -0.867160423450771, -0.867160423450771, 0.7083739123327799, 1.262973467284381,
        1.262973467284381
      ],
    all[0].im
      == [-0.36747726835750876, 0.36747726835750876, 0.0, -1.2601295314930843, 1.2601295314930843],
    all[1].re == [-3.0, -0.5, 0.25, 2.0, 7.0]
  )
test "roots of special polynomials" =
  let all = for c in [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 2.0, 1.0], [2.0, 0.0, 2.0, 0.0]] => roots(c)
  in (
    all[0].re == zeros(3),
    all[0].im == zeros(3),
    is_nan(all[1].re) == [true, true, true],
    all[2].im == [-1.0, 0.0, 1.0],
    length(roots([5.0]).re) == 0,
    roots([4.0f32, 2.0]).re == [-0.5]
  )
