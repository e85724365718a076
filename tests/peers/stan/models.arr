-- Logarithms of densities of models as Stan's users write them, of parameters without bounds; data are arguments too.
import linalg
import stats

--| Effects of eight schools: the scale by its logarithm.
def eight_schools(mu: f64, log_tau: f64, theta: [n]f64, y: [n]f64, sigma: [n]f64) -> f64 =
  let tau = exp(log_tau)
  in stats.normal_logpdf(mu, 0.0, 5.0) + stats.cauchy_logpdf(tau, 0.0, 5.0) + log_tau
    + sum(for i =>
      stats.normal_logpdf(theta[i], mu, tau) + stats.normal_logpdf(y[i], theta[i], sigma[i]))

def eight_schools_not_centred(mu: f64, log_tau: f64, eta: [n]f64, y: [n]f64, sigma: [n]f64) -> f64 =
  let theta = mu + exp(log_tau) * eta
  in sum(for i =>
    stats.normal_logpdf(eta[i], 0.0, 1.0) + stats.normal_logpdf(y[i], theta[i], sigma[i]))
    + log_tau

def linear_regression(alpha: f64, beta: [d]f64, log_sigma: f64, x: [n][d]f64, y: [n]f64) -> f64 =
  let mu = alpha + x @ beta
  in sum(for i => stats.normal_logpdf(y[i], mu[i], exp(log_sigma))) + sum(for b in beta =>
    stats.normal_logpdf(b, 0.0, 2.0))

def logistic_regression(alpha: f64, beta: [d]f64, x: [n][d]f64, y: [n]i64) -> f64 =
  let eta = alpha + x @ beta
  in sum(for i => f64(y[i]) * eta[i] - softplus(eta[i])) - 0.5 * beta @ beta

def poisson_regression(alpha: f64, beta: [d]f64, x: [n][d]f64, y: [n]i64) -> f64 =
  sum(for i => stats.poisson_logpmf(y[i], exp(alpha + x[i] @ beta)))

def negative_binomial(mu: [n]f64, log_phi: f64, y: [n]f64) -> f64 =
  let phi = exp(log_phi)
  in sum(for i =>
    let m = exp(mu[i])
    in lgamma(y[i] + phi)
      - lgamma(phi)
      - lgamma(y[i] + 1.0)
      + phi * log(phi / (m + phi))
      + y[i] * log(m / (m + phi)))

def robust_regression(
  alpha: f64,
  beta: f64,
  log_nu: f64,
  log_sigma: f64,
  x: [n]f64,
  y: [n]f64
) -> f64 =
  sum(for i => stats.student_t_logpdf(y[i], exp(log_nu), alpha + beta * x[i], exp(log_sigma)))

--| Conditional variances that follow from the ones before.
def garch(mu: f64, a: [3]f64, y: [n]f64, first: f64) -> f64 =
  let (a0, a1, b1) = (exp(a[0]), sigmoid(a[1]), sigmoid(a[2]))
  let (total, _) = loop (total, v) = (0.0, first ** 2) for i < n do
    let next = if i == 0 then v else a0 + a1 * (y[i - 1] - mu) ** 2 + b1 * v
    in (total + stats.normal_logpdf(y[i], mu, sqrt(next)), next)
  in total

def arma(mu: f64, phi: f64, theta: f64, log_sigma: f64, y: [n]f64) -> f64 =
  let (total, _, _) = loop (total, before, e) = (0.0, mu, 0.0) for v in y do
    let e = v - (mu + phi * before + theta * e)
    in (total + stats.normal_logpdf(e, 0.0, exp(log_sigma)), v, e)
  in total

--| The forward algorithm of a hidden Markov model, in logarithms.
def hidden_markov(start: [k]f64, steps: [k][k]f64, means: [k]f64, y: [n]f64) -> f64 =
  let first = stats.log_softmax(start)
  let move = for row in steps => stats.log_softmax(row)
  let emit = \v => for m in means => stats.normal_logpdf(v, m, 0.7)
  let a = loop a = first + emit(y[0]) for t < n - 1 do
    let e = emit(y[t + 1])
    in for j => e[j] + stats.logsumexp(for i < k => a[i] + move[i, j])
  in stats.logsumexp(a)

--| The same with probabilities that are scaled in each step.
def hidden_markov_scaled(steps: [k][k]f64, means: [k]f64, y: [n]f64) -> f64 =
  let move = for row in steps => stats.softmax(row)
  let (_, total) = loop (a, total) = (replicate(k, 1.0 / f64(k)), 0.0) for v in y do
    let b = (a @ move) * (for m in means => exp(stats.normal_logpdf(v, m, 0.7)))
    in (b / sum(b), total + log(sum(b)))
  in total

def gaussian_process(log_length: f64, log_scale: f64, log_noise: f64, x: [n]f64, y: [n]f64) -> f64 =
  let k = for i < n, j < n =>
    exp(2.0 * log_scale - 0.5 * ((x[i] - x[j]) / exp(log_length)) ** 2)
      + (if i == j then exp(2.0 * log_noise) else 0.0)
  let l = linalg.cholesky(k)
  let z = linalg.solve_lower(l, y)
  in -0.5 * z @ z - sum(log(linalg.diagonal(l))) - 0.9189385332046727 * f64(n)

--| Two parameters for an item and one for a person.
def item_response(ability: [n]f64, difficulty: [m]f64, log_slope: [m]f64, y: [n][m]i64) -> f64 =
  let fit = sum(for i < n => sum(for j < m =>
    let eta = exp(log_slope[j]) * (ability[i] - difficulty[j])
    in f64(y[i, j]) * eta - softplus(eta)))
  in fit - 0.5 * (ability @ ability + difficulty @ difficulty + log_slope @ log_slope)

def rates(p: [4]f64, z: [2]f64) -> [2]f64 =
  [(p[0] - p[1] * z[1]) * z[0], (-p[2] + p[3] * z[0]) * z[1]]

--| Hares and lynxes: log-normal data about a solution by steps of Runge and Kutta.
def lotka_volterra(log_p: [4]f64, z0: [2]f64, y: [n][2]f64, substeps: i64) -> f64 =
  let p = exp(log_p)
  let h = 0.25 / f64(substeps)
  let (_, total) = loop (z, total) = (exp(z0), 0.0) for t < n do
    let z = loop z = z for i < substeps do
      let k1 = rates(p, z)
      let k2 = rates(p, z + 0.5 * h * k1)
      let k3 = rates(p, z + 0.5 * h * k2)
      let k4 = rates(p, z + h * k3)
      in z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    in (z, total + sum(for j < 2 => stats.normal_logpdf(log(y[t, j]), log(z[j]), 0.25)))
  in total

def sir(log_beta: f64, log_gamma: f64, cases: [n]i64) -> f64 =
  let (beta, gamma) = (exp(log_beta), exp(log_gamma))
  let (_, _, total) = loop (s, i, total) = (990.0, 10.0, 0.0) for t < n do
    let (s1, i1) = loop (s, i) = (s, i) for q < 4 do
      let infected = 0.25 * beta * s * i / 1000.0
      in (s - infected, i + infected - 0.25 * gamma * i)
    in (s1, i1, total + stats.poisson_logpmf(cases[t], s - s1))
  in total

def mixture(weights: [k]f64, means: [k]f64, log_sigma: [k]f64, y: [n]f64) -> f64 =
  let w = stats.log_softmax(weights)
  in sum(for v in y =>
    stats.logsumexp(for j => w[j] + stats.normal_logpdf(v, means[j], exp(log_sigma[j]))))

--| Ordered categories: cut points are sums of exponentials.
def ordinal(beta: f64, cuts: [k]f64, x: [n]f64, y: [n]i64) -> f64 =
  let c = cumsum(for j => if j == 0 then cuts[0] else exp(cuts[j]))
  in sum(for i =>
    let eta = beta * x[i]
    let above = if y[i] == k then 1.0 else sigmoid(c[min(y[i], k - 1)] - eta)
    let below = if y[i] == 0 then 0.0 else sigmoid(c[max(y[i] - 1, 0)] - eta)
    in log(above - below))

def horseshoe(beta: [d]f64, log_local: [d]f64, log_global: f64, x: [n][d]f64, y: [n]f64) -> f64 =
  let scale = exp(log_local) * exp(log_global)
  let mu = x @ (beta * scale)
  in sum(for i => stats.normal_logpdf(y[i], mu[i], 0.5)) - 0.5 * beta @ beta
    + sum(for l in log_local => stats.cauchy_logpdf(exp(l), 0.0, 1.0) + l)
    + stats.cauchy_logpdf(exp(log_global), 0.0, 1.0)

--| Counts with more zeros than a Poisson distribution has.
def zero_inflated(logit: f64, log_rate: f64, y: [n]i64) -> f64 =
  let (p, rate) = (sigmoid(logit), exp(log_rate))
  in sum(for k in y =>
    if k == 0 then log(p + (1.0 - p) * exp(-rate))
    else log(1.0 - p) + stats.poisson_logpmf(k, rate))

--| Survival with censored times.
def weibull_survival(
  log_shape: f64,
  beta: [d]f64,
  x: [n][d]f64,
  time: [n]f64,
  seen: [n]bool
) -> f64 =
  let k = exp(log_shape)
  in sum(for i =>
    let scale = exp(x[i] @ beta)
    in if seen[i] then stats.weibull_logpdf(time[i], k, scale) else -((time[i] / scale) ** k))

--| The year in which a rate changed, summed over.
def change_point(log_early: f64, log_late: f64, y: [n]i64) -> f64 =
  let (e, l) = (exp(log_early), exp(log_late))
  let early = cumsum(for k in y => stats.poisson_logpmf(k, e))
  let late = reverse(cumsum(reverse(for k in y => stats.poisson_logpmf(k, l))))
  in stats.logsumexp(for s => early[s] + late[s] - stats.poisson_logpmf(y[s], l))

def dirichlet_multinomial(log_a: [k]f64, counts: [n][k]f64) -> f64 =
  let a = exp(log_a)
  in sum(for c in counts =>
    lgamma(sum(a)) - lgamma(sum(a + c)) + sum(for j => lgamma(a[j] + c[j]) - lgamma(a[j])))

--| Steps of a random walk that is seen with noise, by the Kalman filter.
def local_level(log_q: f64, log_r: f64, y: [n]f64) -> f64 =
  let (_, _, total) = loop (m, p, total) = (0.0, 10.0, 0.0) for v in y do
    let s = p + exp(log_q) + exp(log_r)
    let g = (p + exp(log_q)) / s
    in (m + g * (v - m), (1.0 - g) * (p + exp(log_q)), total + stats.normal_logpdf(v, m, sqrt(s)))
  in total

def kalman(a: [d][d]f64, log_q: f64, y: [n][d]f64) -> f64 =
  let eye = linalg.identity(d)
  let (_, _, total) = loop (m, p, total) = (zeros(d), eye, 0.0) for v in y do
    let (m, p) = (a @ m, a @ p @ transpose(a) + exp(log_q) * eye)
    let s = p + 0.3 * eye
    let g = transpose(linalg.solve_many(s, p))
    let e = v - m
    in (m + g @ e, p - g @ p, total - 0.5 * (e @ linalg.solve(s, e) + linalg.slogdet(s).1))
  in total

--| A correlation matrix from numbers without bounds, by partial correlations, and the density of normal vectors.
def correlated(z: [3]f64, log_scale: [3]f64, y: [n][3]f64) -> f64 =
  let c = tanh(z)
  let l = [
    [1.0, 0.0, 0.0],
    [c[0], sqrt(1.0 - c[0] ** 2), 0.0],
    [c[1], c[2] * sqrt(1.0 - c[1] ** 2), sqrt(1.0 - c[1] ** 2) * sqrt(1.0 - c[2] ** 2)]
  ]
  let f = for i => exp(log_scale[i]) * l[i]
  in sum(for v in y => stats.multivariate_normal_logpdf(v, zeros(3), f @ transpose(f)))

--| Topics: words of documents, summed over what each word is about.
def topics(theta: [m][k]f64, phi: [k][v]f64, words: [n]i64, docs: [n]i64) -> f64 =
  let t = for row in theta => stats.log_softmax(row)
  let p = for row in phi => stats.log_softmax(row)
  in sum(for i => stats.logsumexp(for j < k => t[docs[i], j] + p[j, words[i]]))

--| Animals that were caught again, the chance of never being seen again computed backwards.
def cormack_jolly_seber(logit_phi: [t]f64, logit_p: [t]f64, last: [n]i64) -> f64 =
  let (phi, p) = (sigmoid(logit_phi), sigmoid(logit_p))
  let chi = loop chi = ones(t + 1) for q < t do
    let i = t - 1 - q in chi with [i] = 1.0 - phi[i] + phi[i] * (1.0 - p[i]) * chi[i + 1]
  in sum(for l in last => log(chi[l]) + (loop s = 0.0 for i < l do s + log(phi[i]) + log(p[i])))

--| Pairs of teams, of which one wins.
def bradley_terry(skill: [k]f64, winners: [n]i64, losers: [n]i64) -> f64 =
  sum(for i => -softplus(skill[losers[i]] - skill[winners[i]])) - 0.5 * skill @ skill

def beta_binomial(logit: f64, log_kappa: f64, y: [n]f64, trials: [n]f64) -> f64 =
  let (a, b) = (sigmoid(logit) * exp(log_kappa), (1.0 - sigmoid(logit)) * exp(log_kappa))
  in sum(for i => stats.lbeta(y[i] + a, trials[i] - y[i] + b) - stats.lbeta(a, b))

def stochastic_volatility(mu: f64, phi: f64, log_sigma: f64, h: [n]f64, y: [n]f64) -> f64 =
  sum(for t =>
    let centre = if t == 0 then mu else mu + tanh(phi) * (h[t - 1] - mu)
    let spread = if t == 0 then exp(log_sigma) / sqrt(1.0 - tanh(phi) ** 2) else exp(log_sigma)
    in stats.normal_logpdf(h[t], centre, spread) + stats.normal_logpdf(y[t], 0.0, exp(0.5 * h[t])))

def michaelis_menten(log_vmax: f64, log_km: f64, dose: f64, times: [n]f64, y: [n]f64) -> f64 =
  let (_, _, total) = loop (c, at, total) = (dose, 0.0, 0.0) for i < n do
    let h = (times[i] - at) / 8.0
    let c = loop c = c for k < 8 do
      let f = \c => -exp(log_vmax) * c / (exp(log_km) + c)
      let k1 = f(c)
      in c + h * f(c + 0.5 * h * k1)
    in (c, times[i], total + stats.lognormal_logpdf(y[i], log(c), 0.3))
  in total
