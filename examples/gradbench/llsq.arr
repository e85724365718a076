-- GradBench's `llsq`: how far a polynomial is from the sign function, by least squares, and the gradient by its coefficients.
--
-- $ arr test examples/gradbench/llsq.arr

--| The value at `t` of the polynomial with these coefficients, by Horner's rule.
--| > polynomial([1.0, 2.0, 3.0], 2.0)
--| 17.0
def polynomial(x: [m]f64, t: f64) -> f64 = loop y = 0.0 for j < m do y * t + x[m - 1 - j]

--| Half the sum of the squares of the residuals at `n` points from -1 to 1.
--| > primal([0.0, 1.0], 3)
--| 0.0
--| > primal([0.5], 2)
--| 1.25
def primal(x: [m]f64, n: i64) -> f64 =
  let residual = for i < n =>
    let t = -1.0 + 2.0 * f64(i) / f64(n - 1)
    in sign(t) - polynomial(x, t)
  in 0.5 * sum(residual * residual)

--| > gradient([0.5], 2)
--| [1.0]
def gradient(x: [m]f64, n: i64) -> [m]f64 = grad(primal)(x, n)

test "slope" gradient (x: [5]f64) = primal(x, 7)
