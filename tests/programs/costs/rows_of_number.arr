-- A matrix read in the order of its elements, by quotient and remainder.
-- cost: x=[N][N] sizes 8 16 32 64 factor 5 growth 4
def f(x: [n][m]f64) -> f64 = sum(for h < n * m => x[h / m, h % m] ** 2)
def gradient(x: [n][m]f64) -> (f64, [n][m]f64) = value_and_grad(f)(x)
