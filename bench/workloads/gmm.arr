-- The objective of a Gaussian mixture, as in ADBench: log-likelihood and Wishart prior.

import stats

--| The factor of an inverse covariance: `exp(q)` on the diagonal, and under it `l`, column by column.
def factor(q: [d]f64, l: [t]f64) -> [d][d]f64 =
  for r < d, c < d =>
    if r == c then exp(q[r]) else if r > c then l[c * (2 * d - c - 1) / 2 + r - c - 1] else 0.0

--| `n` points `x` under `k` components with the weights `alpha`, the centres `mean`, and factors from `q` and `l`.
def value(alpha: [k]f64, mean: [k][d]f64, q: [k][d]f64, l: [k][t]f64, x: [n][d]f64) -> f64 =
  let factors = for j => factor(q[j], l[j])
  let score = for p in x =>
    stats.logsumexp(for j =>
      let y = factors[j] @ (p - mean[j])
      in alpha[j] + sum(q[j]) - 0.5 * sum(y * y))
  let prior = 0.5 * (sum(flatten(exp(q) ** 2)) + sum(flatten(l ** 2)))
  in sum(score) - f64(n) * stats.logsumexp(alpha) - prior

def gradient(alpha: [k]f64, mean: [k][d]f64, q: [k][d]f64, l: [k][t]f64, x: [n][d]f64) =
  grad(\((alpha, mean, q, l)) => value(alpha, mean, q, l, x))((alpha, mean, q, l))
