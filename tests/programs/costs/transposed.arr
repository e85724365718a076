-- A matrix by its transpose.
-- cost: a=[N][N] sizes 8 16 32 64 factor 4 growth 8
def f(a: [n][n]f64) -> f64 = sum(flatten(a @ transpose(a)))
def gradient(a: [n][n]f64) -> (f64, [n][n]f64) = value_and_grad(f)(a)
