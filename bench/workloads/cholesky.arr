-- The logarithm of the determinant of a matrix of inner products, by Cholesky's factorisation in loops. Golub and Van Loan,
-- Matrix computations (2013), algorithm 4.2.1.

--| The lower triangle `l` with `l @ transpose(l) == a`, column by column.
def factor(a: [n][n]f64) -> [n][n]f64 =
  loop l = zeros(n, n) for j < n do
    let pivot = sqrt(a[j, j] - sum(for k < j => l[j, k] ** 2))
    let l = l with [j, j] = pivot
    in loop l = l for r < n - 1 - j do
      let i = j + 1 + r
      let rest = a[i, j] - sum(for k < j => l[i, k] * l[j, k])
      in l with [i, j] = rest / pivot

def value(x: [n][m]f64) -> f64 =
  let a = for i, j => x[i] @ x[j] + f64(i == j)
  let l = factor(a)
  in 2.0 * sum(for i < n => log(l[i, i]))

def gradient(x: [n][m]f64) -> [n][m]f64 = grad(value)(x)
