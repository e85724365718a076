import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special, stats
from peer import at, case, rand

Y8 = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
S8 = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
X = rand(1, 5, 2)
Y = rand(2, 5)
normal, softplus, sigmoid = stats.norm.logpdf, jax.nn.softplus, jax.nn.sigmoid


@case(at(3.5, 0.7, rand(3, 8, lo=0, hi=8), Y8, S8))
def eight_schools(mu, log_tau, theta, y, sigma):
    tau = jnp.exp(log_tau)
    return (normal(mu, 0.0, 5.0) + stats.cauchy.logpdf(tau, 0.0, 5.0) + log_tau + jnp.sum(normal(theta, mu, tau))
            + jnp.sum(normal(y, theta, sigma)))


@case(at(3.5, 0.7, rand(4, 8), Y8, S8))
def eight_schools_not_centred(mu, log_tau, eta, y, sigma):
    return jnp.sum(normal(eta)) + jnp.sum(normal(y, mu + jnp.exp(log_tau) * eta, sigma)) + log_tau


@case(at(0.3, rand(5, 2), -0.4, X, Y))
def linear_regression(alpha, beta, log_sigma, x, y):
    return jnp.sum(normal(y, alpha + x @ beta, jnp.exp(log_sigma))) + jnp.sum(normal(beta, 0.0, 2.0))


@case(at(0.3, rand(6, 2), X, np.array([0, 1, 1, 0, 1])))
def logistic_regression(alpha, beta, x, y):
    p = sigmoid(alpha + x @ beta)
    return jnp.sum(jnp.where(y == 1, jnp.log(p), jnp.log(1.0 - p))) - 0.5 * beta @ beta


@case(at(0.3, rand(7, 2), X, np.array([0, 3, 1, 2, 5])))
def poisson_regression(alpha, beta, x, y):
    return jnp.sum(stats.poisson.logpmf(y, jnp.exp(alpha + x @ beta)))


@case(at(rand(8, 4), 0.6, np.array([0.0, 3.0, 1.0, 7.0])))
def negative_binomial(mu, log_phi, y):
    phi, m = jnp.exp(log_phi), jnp.exp(mu)
    return jnp.sum(special.gammaln(y + phi) - special.gammaln(phi) - special.gammaln(y + 1.0)
                   + phi * jnp.log(phi / (m + phi)) + y * jnp.log(m / (m + phi)))


@case(at(0.2, 0.7, 1.3, -0.5, rand(9, 5), rand(10, 5)))
def robust_regression(alpha, beta, log_nu, log_sigma, x, y):
    return jnp.sum(stats.t.logpdf(y, jnp.exp(log_nu), alpha + beta * x, jnp.exp(log_sigma)))


@case(at(0.1, np.array([-1.2, -0.5, 0.3]), rand(11, 7), 0.8))
def garch(mu, a, y, first):
    a0, a1, b1 = jnp.exp(a[0]), sigmoid(a[1]), sigmoid(a[2])
    v, total = first ** 2, 0.0
    for i in range(y.shape[0]):
        if i:
            v = a0 + a1 * (y[i - 1] - mu) ** 2 + b1 * v
        total += normal(y[i], mu, jnp.sqrt(v))
    return total


@case(at(0.1, 0.6, -0.4, -0.3, rand(12, 7)))
def arma(mu, phi, theta, log_sigma, y):
    before, e, total = mu, 0.0, 0.0
    for v in y:
        e = v - (mu + phi * before + theta * e)
        total, before = total + normal(e, 0.0, jnp.exp(log_sigma)), v
    return total


@case(at(rand(13, 3), rand(14, 3, 3), np.array([-1.0, 0.2, 1.5]), rand(15, 6, lo=-2, hi=2)))
def hidden_markov(start, steps, means, y):
    a = jnp.log(jax.nn.softmax(start)) + normal(y[0], means, 0.7)
    for v in y[1:]:
        a = special.logsumexp(a[:, None] + jax.nn.log_softmax(steps, 1), 0) + normal(v, means, 0.7)
    return special.logsumexp(a)


@case(at(rand(16, 3, 3), np.array([-1.0, 0.2, 1.5]), rand(17, 6, lo=-2, hi=2)))
def hidden_markov_scaled(steps, means, y):
    a = jnp.full(3, 1.0 / 3.0)
    for v in y:
        a = (a @ jax.nn.softmax(steps, 1)) * jnp.exp(normal(v, means, 0.7))
    return jnp.log(jnp.sum(a))


@case(at(-0.2, 0.3, -0.7, rand(18, 5), rand(19, 5)))
def gaussian_process(log_length, log_scale, log_noise, x, y):
    k = jnp.exp(2.0 * log_scale - 0.5 * ((x[:, None] - x[None]) / jnp.exp(log_length)) ** 2) + jnp.exp(2.0 * log_noise) * jnp.eye(5)
    return stats.multivariate_normal.logpdf(y, jnp.zeros(5), k)


@case(at(rand(20, 3), rand(21, 4), rand(22, 4), np.array([[0, 1, 1, 0], [1, 1, 0, 0], [1, 0, 1, 1]])))
def item_response(ability, difficulty, log_slope, y):
    eta = jnp.exp(log_slope) * (ability[:, None] - difficulty)
    prior = ability @ ability + difficulty @ difficulty + log_slope @ log_slope
    return jnp.sum(y * eta - softplus(eta)) - 0.5 * prior


@case(at(np.array([-0.6, -3.6, -0.2, -3.7]), np.array([3.4, 1.8]), np.array([[30.0, 4.0], [47.2, 6.1], [70.2, 9.8]]), 3))
def lotka_volterra(log_p, z0, y, substeps):
    p, z, h, total = jnp.exp(log_p), jnp.exp(z0), 0.25 / substeps, 0.0

    def rates(z):
        return jnp.stack([(p[0] - p[1] * z[1]) * z[0], (-p[2] + p[3] * z[0]) * z[1]])

    def step(_, z):
        k1 = rates(z)
        k2 = rates(z + 0.5 * h * k1)
        k3 = rates(z + 0.5 * h * k2)
        k4 = rates(z + h * k3)
        return z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    for row in y:
        z = jax.lax.fori_loop(0, substeps, step, z)
        total += jnp.sum(normal(jnp.log(row), jnp.log(z), 0.25))
    return total


@case(at(0.4, -0.7, np.array([14, 20, 33, 40])))
def sir(log_beta, log_gamma, cases):
    beta, gamma = jnp.exp(log_beta), jnp.exp(log_gamma)
    s, i, total = 990.0, 10.0, 0.0
    for k in cases:
        before = s
        for _ in range(4):
            infected = 0.25 * beta * s * i / 1000.0
            s, i = s - infected, i + infected - 0.25 * gamma * i
        total += stats.poisson.logpmf(k, before - s)
    return total


@case(at(rand(23, 3), np.array([-1.0, 0.2, 1.5]), rand(24, 3), rand(25, 6, lo=-2, hi=2)))
def mixture(weights, means, log_sigma, y):
    w = jax.nn.softmax(weights)
    return jnp.sum(jnp.log(jnp.exp(normal(y[:, None], means, jnp.exp(log_sigma))) @ w))


@case(at(0.7, np.array([-0.6, -0.4, 0.2]), rand(26, 6), np.array([0, 3, 1, 2, 3, 0])))
def ordinal(beta, cuts, x, y):
    c = jnp.cumsum(jnp.concatenate([cuts[:1], jnp.exp(cuts[1:])]))
    at_most = jnp.concatenate([jnp.zeros((6, 1)), sigmoid(c - beta * x[:, None]), jnp.ones((6, 1))], 1)
    return jnp.sum(jnp.log(jnp.diff(at_most, axis=1)[np.arange(6), y]))


@case(at(rand(27, 2), rand(28, 2), -0.5, X, Y))
def horseshoe(beta, log_local, log_global, x, y):
    mu = x @ (beta * jnp.exp(log_local) * jnp.exp(log_global))
    cauchy = stats.cauchy.logpdf
    return (jnp.sum(normal(y, mu, 0.5)) - 0.5 * beta @ beta + jnp.sum(cauchy(jnp.exp(log_local)) + log_local)
            + cauchy(jnp.exp(log_global)))


@case(at(-0.4, 0.6, np.array([0, 0, 3, 1, 0, 2])))
def zero_inflated(logit, log_rate, y):
    p, rate = sigmoid(logit), jnp.exp(log_rate)
    return jnp.sum(jnp.where(y == 0, jnp.log(p + (1.0 - p) * jnp.exp(-rate)), jnp.log(1.0 - p) + stats.poisson.logpmf(y, rate)))


@case(at(0.3, rand(29, 2), X, np.array([0.5, 1.5, 2.0, 0.1, 3.0]), np.array([True, False, True, True, False])))
def weibull_survival(log_shape, beta, x, time, seen):
    k, scale = jnp.exp(log_shape), jnp.exp(x @ beta)
    z = time / scale
    return jnp.sum(jnp.where(seen, jnp.log(k / scale) + (k - 1.0) * jnp.log(z), 0.0) - z ** k)


@case(at(1.1, 0.2, np.array([4, 3, 5, 2, 1, 0, 1])))
def change_point(log_early, log_late, y):
    early, late = (stats.poisson.logpmf(y, jnp.exp(r)) for r in (log_early, log_late))
    return special.logsumexp(jnp.stack([jnp.sum(early[:s + 1]) + jnp.sum(late[s + 1:]) for s in range(7)]))


@case(at(rand(30, 3), np.array([[2.0, 0.0, 1.0], [5.0, 3.0, 0.0]])))
def dirichlet_multinomial(log_a, counts):
    a, g = jnp.exp(log_a), special.gammaln
    return jnp.sum(g(jnp.sum(a)) - g(jnp.sum(a + counts, 1)) + jnp.sum(g(a + counts) - g(a), 1))


@case(at(-0.6, -0.3, rand(31, 6)))
def local_level(log_q, log_r, y):
    m, p, total = 0.0, 10.0, 0.0
    for v in y:
        p = p + jnp.exp(log_q)
        s = p + jnp.exp(log_r)
        total += normal(v, m, jnp.sqrt(s))
        m, p = m + p / s * (v - m), (1.0 - p / s) * p
    return total


@case(at(rand(32, 2, 2), -0.6, rand(33, 5, 2)))
def kalman(a, log_q, y):
    m, p, total = jnp.zeros(2), jnp.eye(2), 0.0
    for v in y:
        m, p = a @ m, a @ p @ a.T + jnp.exp(log_q) * jnp.eye(2)
        s, e = p + 0.3 * jnp.eye(2), v - m
        g = p @ jnp.linalg.inv(s)
        total -= 0.5 * (e @ jnp.linalg.inv(s) @ e + jnp.log(jnp.linalg.det(s)))
        m, p = m + g @ e, p - g @ p
    return total


@case(at(rand(34, 3), rand(35, 3), rand(36, 4, 3)))
def correlated(z, log_scale, y):
    c = jnp.tanh(z)
    r = jnp.sqrt(1.0 - c ** 2)
    zero, one = jnp.zeros(()), jnp.ones(())
    l = jnp.stack([jnp.stack([one, zero, zero]), jnp.stack([c[0], r[0], zero]), jnp.stack([c[1], c[2] * r[1], r[1] * r[2]])])
    f = jnp.exp(log_scale)[:, None] * l
    return jnp.sum(stats.multivariate_normal.logpdf(y, jnp.zeros(3), f @ f.T))


@case(at(rand(37, 3, 2), rand(38, 2, 4), np.array([0, 3, 1, 2, 3]), np.array([0, 0, 1, 2, 2])))
def topics(theta, phi, words, docs):
    share = jax.nn.softmax(theta, 1) @ jax.nn.softmax(phi, 1)
    return jnp.sum(jnp.log(share[docs, words]))


@case(at(rand(39, 4), rand(40, 4), np.array([0, 2, 4, 1, 3])))
def cormack_jolly_seber(logit_phi, logit_p, last):
    phi, p = sigmoid(logit_phi), sigmoid(logit_p)
    chi = [1.0]
    for i in reversed(range(4)):
        chi.insert(0, 1.0 - phi[i] * (1.0 - (1.0 - p[i]) * chi[0]))
    seen = jnp.concatenate([jnp.zeros(1), jnp.cumsum(jnp.log(phi) + jnp.log(p))])
    return jnp.sum(jnp.log(jnp.stack([jnp.asarray(c) for c in chi]))[last] + seen[last])


@case(at(rand(41, 4), np.array([0, 1, 3, 0]), np.array([2, 2, 0, 1])))
def bradley_terry(skill, winners, losers):
    return jnp.sum(jnp.log(sigmoid(skill[winners] - skill[losers]))) - 0.5 * skill @ skill


@case(at(-0.3, 1.2, np.array([1.0, 4.0, 0.0]), np.array([5.0, 6.0, 3.0])))
def beta_binomial(logit, log_kappa, y, trials):
    a, b = sigmoid(logit) * jnp.exp(log_kappa), sigmoid(-logit) * jnp.exp(log_kappa)
    return jnp.sum(special.betaln(y + a, trials - y + b) - special.betaln(a, b))


@case(at(-0.5, 0.8, -1.1, rand(42, 5), rand(43, 5)))
def stochastic_volatility(mu, phi, log_sigma, h, y):
    r, s = jnp.tanh(phi), jnp.exp(log_sigma)
    first = normal(h[0], mu, s / jnp.sqrt(1.0 - r ** 2))
    return first + jnp.sum(normal(h[1:], mu + r * (h[:-1] - mu), s)) + jnp.sum(normal(y, 0.0, jnp.exp(0.5 * h)))


@case(at(0.2, -0.3, 4.0, np.array([0.5, 1.0, 2.0]), np.array([3.3, 2.9, 1.8])))
def michaelis_menten(log_vmax, log_km, dose, times, y):
    c, before, total = dose, 0.0, 0.0
    for t, v in zip(times, y):
        h = (t - before) / 8.0
        for _ in range(8):
            def f(c):
                return -jnp.exp(log_vmax) * c / (jnp.exp(log_km) + c)
            c = c + h * f(c + 0.5 * h * f(c))
        before, total = t, total + normal(jnp.log(v), jnp.log(c), 0.3) - jnp.log(v)
    return total
