-- A matrix times a vector, squared.
-- cost: a=[N][N] x=[N] sizes 16 32 64 128 factor 4
def f(a: [n][m]f64, x: [m]f64) -> f64 = let y = a @ x in sum(y * y)
def gradient(a: [n][m]f64, x: [m]f64) -> (f64, ([n][m]f64, [m]f64)) =
  value_and_grad(\((a, x)) => f(a, x))((a, x))
