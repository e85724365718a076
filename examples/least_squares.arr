-- Least squares by conjugate gradients. The method needs the second derivative of the objective only as a product
-- with a vector, and that is the forward derivative of the gradient: no matrix is formed.
--
-- $ arr run examples/least_squares.arr xs=@examples/data/iris.csv

def objective(w: [d]f64, a: [n][d]f64, b: [n]f64) -> f64 =
  let r = a @ w - b
  in 0.5 * sum(r * r)

def slope(w: [d]f64, a: [n][d]f64, b: [n]f64) -> [d]f64 =
  grad(\u => objective(u, a, b))(w)

--| The second derivative of the objective at `w`, times `v`.
def curvature(w: [d]f64, v: [d]f64, a: [n][d]f64, b: [n]f64) -> [d]f64 =
  let (here, along) = jvp(\u => slope(u, a, b), w, v)
  in along

--| The `w` that makes the objective least: `d` steps suffice in exact arithmetic.
def solve(a: [n][d]f64, b: [n]f64) -> [d]f64 =
  let r0 = -slope(zeros(d), a, b)
  let (w, r, p) = loop (w, r, p) = (zeros(d), r0, r0) for step < d do
    let q = curvature(w, p, a, b)
    let alpha = sum(r * r) / sum(p * q)
    let r1 = r - alpha * q
    in (w + alpha * p, r1, r1 + (sum(r1 * r1) / sum(r * r)) * p)
  in w

--| Sepal length as an affine function of the other three measurements: the coefficients, the constant last, and the
--| standard error of the fit in centimetres.
def main(xs: [n][4]f64) -> { w: [4]f64, error: f64 } =
  let a = for i < n, j < 4 => if j < 3 then xs[i, j + 1] else 1.0
  let b = for i < n => xs[i, 0]
  let w = solve(a, b)
  in { w, error = sqrt(mean((a @ w - b) ** 2)) }
