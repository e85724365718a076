"""Scientific computing in JAX, for `jax_peer.py`."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy.stats import multivariate_normal, norm


def soft_dtw(x, y):
    """By antidiagonals: element `i` of diagonal `s` is `[i, s - i]` of the table, with its border."""
    n, m, gamma, far = x.shape[0], y.shape[0], 0.1, 1e10
    cost = ((x[:, None] - y) ** 2).sum(2)
    rows = jnp.arange(1, n + 1)

    def step(carry, s):
        older, old = carry
        columns = s - rows
        inside = (columns >= 1) & (columns <= m)
        before = -gamma * jax.nn.logsumexp(jnp.stack([older[:-1], old[:-1], old[1:]]) / -gamma, axis=0)
        new = jnp.where(inside, cost[rows - 1, jnp.clip(columns - 1, 0, m - 1)] + before, far)
        return (old, jnp.concatenate([jnp.array([far]), new])), None

    border = jnp.full(n + 1, far)
    (_, last), _ = lax.scan(step, (border.at[0].set(0.0), border), jnp.arange(2, n + m + 1))
    return last[n]


def kalman(move, observe, drift, noise, seen):
    drift, noise, d = jnp.diag(jnp.exp(drift)), jnp.diag(jnp.exp(noise)), move.shape[0]

    def step(carry, y):
        mean, covariance = carry
        mean, covariance = move @ mean, move @ covariance @ move.T + drift
        expected, spread = observe @ mean, observe @ covariance @ observe.T + noise
        gain = jnp.linalg.solve(spread, observe @ covariance).T
        score = multivariate_normal.logpdf(y, expected, spread)
        return (mean + gain @ (y - expected), covariance - gain @ spread @ gain.T), score

    return lax.scan(step, (jnp.zeros(d), jnp.eye(d)), seen)[1].sum()


def implicit_heat(u, conductivity, target, steps):
    def step(u, _):
        k = conductivity * (1 + 0.5 * u * u)
        between = 0.5 * (k[1:] + k[:-1])
        left, right = jnp.concatenate([k[:1], between]), jnp.concatenate([between, k[-1:]])
        below, above = -left.at[0].set(0.0), -right.at[-1].set(0.0)
        return lax.linalg.tridiagonal_solve(below, 1 + left + right, above, u[:, None])[:, 0], None

    u, _ = lax.scan(step, u, None, length=steps)
    return ((u - target) ** 2).sum()


def lennard_jones(x, box, first, second):
    d = x[first] - x[second]
    d = d - box[0] * jnp.round(d / box[0])
    r2 = (d * d).sum(1)
    s = 1 / r2**3
    return jnp.where(r2 < 6.25, 4 * (s * s - s), 0.0).sum()


def arm(angles, offsets, lengths, twists):
    def step(pose, joint):
        angle, offset, length, twist = joint
        c, s, ct, st = jnp.cos(angle), jnp.sin(angle), jnp.cos(twist), jnp.sin(twist)
        rows = [[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, offset], [0, 0, 0, 1]]
        return pose @ jnp.array(rows), None

    return lax.scan(step, jnp.eye(4), (angles, offsets, lengths, twists))[0][:3]


def arm_gradient(angles, *rest):
    return jax.jacfwd(arm)(angles, *rest)


def volatility(theta, shocks, returns):
    mean, keep, size = theta[0], jnp.tanh(theta[1]), jnp.exp(theta[2])
    prior = norm.logpdf(mean, 0, 5) + norm.logpdf(theta[1], 1.5) + norm.logpdf(theta[2], -1) + norm.logpdf(shocks).sum()
    first = size / jnp.sqrt(1 - keep**2) * shocks[0]

    def step(h, z):
        h = keep * h + size * z
        return h, h

    _, rest = lax.scan(step, first, shocks[1:])
    h = mean + jnp.concatenate([first[None], rest])
    return prior + norm.logpdf(returns, 0, jnp.exp(0.5 * h)).sum()


def state_space(rates, inputs, read, through, step, signal, target):
    decay = jnp.exp(-jnp.exp(rates) * jnp.exp(step)[:, None])
    take = inputs * (1 - decay) / jnp.exp(rates)

    def move(state, u):
        state = decay * state + take * u[:, None]
        return state, (read * state).sum(1) + through * u

    _, y = lax.scan(move, jnp.zeros_like(rates), signal)
    return ((y - target) ** 2).mean()


def bilateral(image, sharp, target):
    h, w = image.shape
    wide, lit, weights = jnp.pad(image, 3, mode="edge"), 0.0, 0.0
    for a in range(7):
        for b in range(7):
            pixels = wide[a : a + h, b : b + w]
            weight = jnp.exp(-sharp[0] * ((a - 3) ** 2 + (b - 3) ** 2) - sharp[1] * (pixels - image) ** 2)
            lit, weights = lit + weight * pixels, weights + weight
    return ((lit / weights - target) ** 2).sum()


def newton(w, x, y, steps):
    scores = x @ w
    return (jax.nn.softplus(scores) - y * scores).mean() + 0.005 * w @ w


def newton_gradient(w, x, y, steps):
    slope = jax.grad(newton)
    curved = lambda v: jax.jvp(lambda u: slope(u, x, y, steps), (w,), (v,))[1]
    g = -slope(w, x, y, steps)
    return jax.scipy.sparse.linalg.cg(curved, g, tol=0.0, maxiter=steps)[0]


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def wave(speed, start, target, steps):
    def step(carry, _):
        before, u = carry
        inner = 2 * u[1:-1] - before[1:-1] + speed[1:-1] ** 2 * (u[:-2] - 2 * u[1:-1] + u[2:])
        return (u, jnp.pad(inner, 1)), None

    (_, last), _ = lax.scan(step, (start, start), None, length=steps)
    return 0.5 * ((last - target) ** 2).sum()


def columns(x):
    return (jax.nn.logsumexp(x, axis=0) ** 2).sum()


def american(market, steps):
    spot, strike, years, rate, vol = market
    dt = years / steps
    up, discount = vol * jnp.sqrt(dt), jnp.exp(-rate * dt)
    p = (jnp.exp(rate * dt) - jnp.exp(-up)) / (jnp.exp(up) - jnp.exp(-up))
    ups = jnp.arange(steps + 1)

    def payoff(k):
        return jax.nn.relu(strike - spot * jnp.exp(up * (2 * ups - k)))

    def step(worth, k):
        hold = discount * (p * jnp.roll(worth, -1) + (1 - p) * worth)
        return jnp.maximum(hold, payoff(k)), None

    # What is past the end of a shorter row isn't read.
    return lax.scan(step, payoff(steps), jnp.arange(steps - 1, -1, -1))[0][0]


def cholesky(x):
    return 2 * jnp.log(jnp.diag(jnp.linalg.cholesky(x @ x.T + jnp.eye(x.shape[0])))).sum()


def curve(ys, points, xs, measured):
    h = jnp.diff(xs)
    rise = jnp.diff(ys) / h
    inner = (rise[:-1] * h[1:] + rise[1:] * h[:-1]) / (h[1:] + h[:-1])
    slopes = jnp.concatenate([rise[:1], inner, rise[-1:]])
    i = jnp.clip(jnp.searchsorted(xs, points, side="right") - 1, 0, xs.shape[0] - 2)
    t = (points - xs[i]) / h[i]
    u = 1 - t
    ends = u * u * (1 + 2 * t) * ys[i] + t * t * (1 + 2 * u) * ys[i + 1]
    found = ends + h[i] * t * u * (u * slopes[i] - t * slopes[i + 1])
    return ((found - measured) ** 2).mean()


WORKLOADS = {
    "soft_dtw": (soft_dtw, 2), "kalman": (kalman, 4), "implicit_heat": (implicit_heat, 2), "lennard_jones": (lennard_jones, 1),
    "arm": (arm, arm_gradient), "volatility": (volatility, 2), "state_space": (state_space, 5), "bilateral": (bilateral, 2),
    "newton": (newton, newton_gradient), "rosenbrock": (rosenbrock, 1), "wave": (wave, 2), "columns": (columns, 1),
    "american": (american, 1), "cholesky": (cholesky, 1), "curve": (curve, 2),
}
