"""Scientific computing in PyTorch, for `torch_peer.py`."""

import math

import torch
import torch.nn.functional as F
from torch.distributions import MultivariateNormal, Normal
from torch.func import grad, jacfwd, jvp


def soft_dtw(x, y):
    """By antidiagonals: element `i` of diagonal `s` is `[i, s - i]` of the table, with its border."""
    n, m, gamma, far = x.shape[0], y.shape[0], 0.1, 1e10
    cost = ((x[:, None] - y) ** 2).sum(2)
    rows = torch.arange(1, n + 1)
    older, old = torch.full((n + 1,), far, dtype=x.dtype), torch.full((n + 1,), far, dtype=x.dtype)
    older[0] = 0.0
    for s in range(2, n + m + 1):
        columns = s - rows
        inside = (columns >= 1) & (columns <= m)
        before = -gamma * torch.logsumexp(torch.stack([older[:-1], old[:-1], old[1:]]) / -gamma, 0)
        new = torch.where(inside, cost[rows - 1, torch.clip(columns - 1, 0, m - 1)] + before, far)
        older, old = old, F.pad(new, (1, 0), value=far)
    return old[n]


def kalman(move, observe, drift, noise, seen):
    drift, noise, d = torch.diag(torch.exp(drift)), torch.diag(torch.exp(noise)), move.shape[0]
    mean, covariance, total = torch.zeros(d, dtype=move.dtype), torch.eye(d, dtype=move.dtype), 0.0
    for y in seen:
        mean, covariance = move @ mean, move @ covariance @ move.T + drift
        expected, spread = observe @ mean, observe @ covariance @ observe.T + noise
        gain = torch.linalg.solve(spread, observe @ covariance).T
        total = total + MultivariateNormal(expected, spread, validate_args=False).log_prob(y)
        mean, covariance = mean + gain @ (y - expected), covariance - gain @ spread @ gain.T
    return total


def tridiagonal_solve(below, middle, above, d):
    """By cyclic reduction of all rows at once, as loops over elements are not what PyTorch is for."""
    n, by = d.shape[0], 1
    while by < n:
        # Rows that lie outside are those of `x == 0`.
        up = lambda v, outside: F.pad(v[:-by], (by, 0), value=outside)
        down = lambda v, outside: F.pad(v[by:], (0, by), value=outside)
        a, c = -below / up(middle, 1.0), -above / down(middle, 1.0)
        middle, d = middle + a * up(above, 0.0) + c * down(below, 0.0), d + a * up(d, 0.0) + c * down(d, 0.0)
        below, above, by = a * up(below, 0.0), c * down(above, 0.0), 2 * by
    return d / middle


def implicit_heat(u, conductivity, target, steps):
    for _ in range(steps):
        k = conductivity * (1 + 0.5 * u * u)
        between = 0.5 * (k[1:] + k[:-1])
        middle = 1 + torch.cat([k[:1], between]) + torch.cat([between, k[-1:]])
        u = tridiagonal_solve(-F.pad(between, (1, 0)), middle, -F.pad(between, (0, 1)), u)
    return ((u - target) ** 2).sum()


def lennard_jones(x, box, first, second):
    d = x[first] - x[second]
    d = d - box[0] * torch.round(d / box[0])
    r2 = (d * d).sum(1)
    s = 1 / r2**3
    return torch.where(r2 < 6.25, 4 * (s * s - s), 0.0).sum()


def arm(angles, offsets, lengths, twists):
    c, s, ct, st = torch.cos(angles), torch.sin(angles), torch.cos(twists), torch.sin(twists)
    o, i = torch.zeros_like(ct), torch.ones_like(ct)
    rows = [c, -s * ct, s * st, lengths * c, s, c * ct, -c * st, lengths * s, o, st, ct, offsets, o, o, o, i]
    pose = torch.eye(4, dtype=angles.dtype)
    for joint in torch.stack(rows, 1).reshape(-1, 4, 4):
        pose = pose @ joint
    return pose[:3]


def arm_gradient(angles, *rest):
    return jacfwd(arm)(angles, *rest)


def normal_logpdf(x, mean, std):
    """In double precision, which `Normal` does not have where mean and deviation are numbers."""
    return -0.5 * ((x - mean) / std) ** 2 - math.log(std) - 0.5 * math.log(2 * math.pi)


def volatility(theta, shocks, returns):
    """The recurrence by doubling, as loops over elements are not what PyTorch is for."""
    mean, keep, size = theta[0], torch.tanh(theta[1]), torch.exp(theta[2])
    prior = normal_logpdf(mean, 0, 5) + normal_logpdf(theta[1], 1.5, 1) + normal_logpdf(theta[2], -1, 1)
    h, factor, by = torch.cat([size / torch.sqrt(1 - keep**2) * shocks[:1], size * shocks[1:]]), keep, 1
    while by < h.shape[0]:
        h, factor, by = h + factor * F.pad(h[:-by], (by, 0)), factor * factor, 2 * by
    seen = Normal(torch.zeros_like(h), torch.exp(0.5 * (mean + h)), validate_args=False).log_prob(returns).sum()
    return prior + normal_logpdf(shocks, 0, 1).sum() + seen


def state_space(rates, inputs, read, through, step, signal, target):
    decay = torch.exp(-torch.exp(rates) * torch.exp(step)[:, None])
    take = inputs * (1 - decay) / torch.exp(rates)
    state, ys = torch.zeros_like(rates), []
    for u in signal:
        state = decay * state + take * u[:, None]
        ys.append((read * state).sum(1))
    return F.mse_loss(torch.stack(ys) + through * signal, target)


def bilateral(image, sharp, target):
    h, w = image.shape
    wide = F.pad(image[None, None], (3, 3, 3, 3), mode="replicate")
    pixels = F.unfold(wide, 7)[0].reshape(49, h, w)
    offsets = torch.arange(7, dtype=image.dtype) - 3
    near = (offsets[:, None] ** 2 + offsets**2).reshape(49, 1, 1)
    weight = torch.exp(-sharp[0] * near - sharp[1] * (pixels - image) ** 2)
    return (((weight * pixels).sum(0) / weight.sum(0) - target) ** 2).sum()


def newton(w, x, y, steps):
    scores = x @ w
    return (F.softplus(scores) - y * scores).mean() + 0.005 * w @ w


def newton_gradient(w, x, y, steps):
    slope = grad(lambda w: newton(w, x, y, steps))
    z, r = torch.zeros_like(w), -slope(w)
    p, rr = r, r @ r
    for _ in range(steps):
        curved = jvp(slope, (w,), (p,))[1]
        along = rr / (p @ curved)
        z, r = z + along * p, r - along * curved
        new = r @ r
        p, rr = r + new / rr * p, new
    return z


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def wave(speed, start, target, steps):
    before, u, c2 = start, start, speed[1:-1] ** 2
    for _ in range(steps):
        inner = 2 * u[1:-1] - before[1:-1] + c2 * (u[:-2] - 2 * u[1:-1] + u[2:])
        before, u = u, F.pad(inner, (1, 1))
    return 0.5 * ((u - target) ** 2).sum()


def columns(x):
    return (torch.logsumexp(x, 0) ** 2).sum()


def american(market, steps):
    spot, strike, years, rate, vol = market
    dt = years / steps
    up, discount = vol * torch.sqrt(dt), torch.exp(-rate * dt)
    p = (torch.exp(rate * dt) - torch.exp(-up)) / (torch.exp(up) - torch.exp(-up))
    ups = torch.arange(steps + 1)

    def payoff(k):
        return torch.relu(strike - spot * torch.exp(up * (2 * ups[: k + 1] - k)))

    worth = payoff(steps)
    for k in range(steps - 1, -1, -1):
        worth = torch.maximum(discount * (p * worth[1:] + (1 - p) * worth[:-1]), payoff(k))
    return worth[0]


def cholesky(x):
    return 2 * torch.log(torch.diagonal(torch.linalg.cholesky(x @ x.T + torch.eye(x.shape[0], dtype=x.dtype)))).sum()


def curve(ys, points, xs, measured):
    h = torch.diff(xs)
    rise = torch.diff(ys) / h
    inner = (rise[:-1] * h[1:] + rise[1:] * h[:-1]) / (h[1:] + h[:-1])
    slopes = torch.cat([rise[:1], inner, rise[-1:]])
    i = torch.clip(torch.searchsorted(xs, points.detach(), right=True) - 1, 0, xs.shape[0] - 2)
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
