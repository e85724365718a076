-- A row of a matrix read in every step of a loop: the cotangent of the matrix is added to in place.
-- cost: a=[N][N] sizes 8 16 32 64 factor 5 growth 4
def f(a: [n][n]f64) -> f64 = loop s = 0.0 for i < n do 0.5 * s + sum(a[i] * a[i])
def gradient(a: [n][n]f64) -> (f64, [n][n]f64) = value_and_grad(f)(a)
