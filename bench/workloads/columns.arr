-- The logarithm of the sum of exponentials down every column of a matrix, and the sum of the squares of these.

import stats

def value(x: [n][m]f64) -> f64 =
  let found = for j => stats.logsumexp(x[:, j])
  in sum(found * found)

def gradient(x: [n][m]f64) -> [n][m]f64 = grad(value)(x)
