-- A triangle is filled column by column, by inner loops that become shorter, with sums over what stands there already.
-- cost: x=[N][N] sizes 32 64 128 factor 4 growth 8
def f(x: [n][n]f64) -> f64 =
  let l = loop l = zeros(n, n) for j < n do
    let pivot = sqrt(x[j, j] ** 2 + f64(n) - sum(for k < j => l[j, k] ** 2))
    let l = l with [j, j] = pivot
    in loop l = l for r < n - 1 - j do
      let i = j + 1 + r
      in l with [i, j] = (0.1 * x[i, j] - sum(for k < j => l[i, k] * l[j, k])) / pivot
  in sum(for i < n => log(l[i, i]))
def gradient(x: [n][n]f64) -> (f64, [n][n]f64) = value_and_grad(f)(x)
