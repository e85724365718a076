-- GradBench's `gmm`: the log-posterior of a mixture of Gaussians, and its gradient.
--
-- $ arr test examples/gradbench/gmm.arr

--| `k` Gaussians in `d` dimensions: logarithms of weights (up to a constant), means, and the lower triangular factors of
--| the precision matrices: the logarithms of their diagonals, and what is below column by column, `t = d * (d - 1) / 2`.
type Mixture[k, d, t] = { alpha: [k]f64, mu: [k][d]f64, q: [k][d]f64, l: [k][t]f64 }

--| > logsumexp([0.0, 0.0]) - log(2.0)
--| 0.0
def logsumexp(v: [n]f64) -> f64 = let top = maximum(v) in top + log(sum(exp(v - top)))

--| A lower triangular matrix from the logarithms of its diagonal and its columns below.
--| > factor([0.0, 0.0, 0.0], [2.0, 3.0, 4.0])
--| [[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [3.0, 4.0, 1.0]]
def factor(q: [d]f64, l: [t]f64) -> [d][d]f64 = for i < d, j < d =>
  if i == j then exp(q[i])
  else if i > j then l[j * d - j * (j + 1) / 2 + i - j - 1]
  else 0.0

--| The logarithm of the gamma function of dimension `p`.
--| > log_gamma(1.5, 1) == lgamma(1.5)
--| true
def log_gamma(a: f64, p: i64) -> f64 =
  0.25 * f64(p * (p - 1)) * log(3.141592653589793) + sum(for j < p => lgamma(a - 0.5 * f64(j)))

--| The logarithm of the density of the precision matrices under a Wishart distribution.
def prior(factors: [k][d][d]f64, q: [k][d]f64, m: i64, gamma: f64) -> f64 =
  let freedom = f64(d + m + 1)
  let constant = freedom * f64(d) * log(gamma / sqrt(2.0)) - log_gamma(0.5 * freedom, d)
  let squares = sum(flatten(factors) ** 2)
  in f64(k) * constant - 0.5 * gamma * gamma * squares + f64(m) * sum(flatten(q))

--| The logarithm of the posterior density, given the points `x`.
def posterior(p: Mixture[k, d, t], x: [n][d]f64, m: i64, gamma: f64) -> f64 =
  let factors = for j < k => factor(p.q[j], p.l[j])
  let weight = for j < k => p.alpha[j] + sum(p.q[j])
  let turned = for j < k =>
    let centre = factors[j] @ p.mu[j]
    let y = x @ transpose(factors[j])
    in for i < n, c < d => y[i, c] - centre[c]
  let scores = for i < n, j < k => weight[j] - 0.5 * sum(turned[j, i] * turned[j, i])
  let constant = -0.5 * f64(n * d) * log(2.0 * 3.141592653589793)
  let likelihood = constant + sum(map(logsumexp, scores)) - f64(n) * logsumexp(p.alpha)
  in likelihood + prior(factors, p.q, m, gamma)

def objective(
  d: i64,
  k: i64,
  n: i64,
  x: [n][d]f64,
  m: i64,
  gamma: f64,
  alpha: [k]f64,
  mu: [k][d]f64,
  q: [k][d]f64,
  l: [k][t]f64
) -> f64 = posterior({ alpha, mu, q, l }, x, m, gamma)

def jacobian(
  d: i64,
  k: i64,
  n: i64,
  x: [n][d]f64,
  m: i64,
  gamma: f64,
  alpha: [k]f64,
  mu: [k][d]f64,
  q: [k][d]f64,
  l: [k][t]f64
) -> Mixture[k, d, t] = grad(posterior)({ alpha, mu, q, l }, x, m, gamma)

test "one standard Gaussian" within 1e-12 =
  let p = { alpha = [0.0], mu = [[0.0]], q = [[0.0]], l = zeros(1, 0) }
  let x = [[1.0], [2.0]]
  in posterior(p, x, 0, 1.0) - prior([[[1.0]]], [[0.0]], 0, 1.0)
    == -log(2.0 * 3.141592653589793) - 2.5
test "slope" gradient (
  alpha: [2]f64,
  mu: [2][3]f64,
  q: [2][3]f64,
  l: [2][3]f64,
  x: [4][3]f64
) = posterior({ alpha, mu = sin(mu), q = sin(q), l = sin(l) }, x, 1, 0.8)
