-- A nested copy. Its cost grows with the square of the side, and so does its gradient's: a factor of 4 for every
-- doubling, where copying the array for every row would make it 8.
-- cost: a=[N][N] sizes 8 16 32 64 factor 4 growth 4
def f(a: [n][m]f64) -> f64 = sum(sum(for i => for j => a[i, j]))
def gradient(a: [n][m]f64) -> (f64, [n][m]f64) = value_and_grad(f)(a)
