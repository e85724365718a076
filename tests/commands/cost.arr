-- Costs that are polynomials, and costs that data decide.

def product(a: [n][m]f64, b: [m][l]f64) -> [n][l]f64 = a @ b
def energy(x: [n][3]f64) -> f64 =
  sum(for i < n => sum(for j < i => 1.0 / sqrt(sum((x[i] - x[j]) ** 2))))
def layers(ws: [t][n][n]f64, x: [n]f64) -> f64 =
  sum(loop h = x for i < t do tanh(ws[i] @ h))
def root(a: f64) -> f64 = loop x = a while abs(x * x - a) > 1e-12 do 0.5 * (x + a / x)
def piecewise(x: [n]f64) -> f64 = sum(for v in x => if v > 0.0 then exp(v) * v else v)
def middle(x: [n]f64) -> f64 = sort(x)[i64(n) / 2]
def count(x: [n]i64) -> i64 = sum(x)
