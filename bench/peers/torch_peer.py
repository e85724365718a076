"""The workloads in PyTorch, run eagerly. `python torch_peer.py WORKLOAD THREADS ARG..`"""

import importlib.util
import sys

import torch
import torch.nn.functional as F
from serve import arguments, serve
from torch.func import grad, jacfwd, jacrev, jvp, vmap

NAME, THREADS = sys.argv[1], int(sys.argv[2])
torch.set_num_threads(THREADS)


def gmm(alpha, mean, q, l, x):
    k, d = mean.shape
    cols, rows = torch.triu_indices(d, d, 1)
    factors = torch.diag_embed(torch.exp(q)).index_put((torch.arange(k)[:, None], rows, cols), l)
    y = torch.einsum("krc,nkc->nkr", factors, x[:, None] - mean)
    scores = alpha + q.sum(1) - 0.5 * (y * y).sum(2)
    prior = 0.5 * (torch.exp(2 * q).sum() + (l * l).sum())
    return torch.logsumexp(scores, 1).sum() - x.shape[0] * torch.logsumexp(alpha, 0) - prior


def residual(camera, x, w, seen):
    turn = camera[:3]
    angle = torch.sqrt(turn @ turn)
    axis, v = turn / angle, x - camera[3:6]
    c = torch.cos(angle)
    y = c * v + torch.sin(angle) * torch.linalg.cross(axis, v) + (1 - c) * (axis @ v) * axis
    flat = y[:2] / y[2]
    r2 = flat @ flat
    return w * (camera[7:9] + camera[6] * (1 + camera[9] * r2 + camera[10] * r2 * r2) * flat - seen)


def ba(cameras, points, w, seen, camera, point):
    return vmap(residual)(cameras[camera], points[point], w, seen), 1 - w**2


def ba_gradient(cameras, points, w, seen, camera, point):
    blocks = vmap(jacrev(residual, argnums=(0, 1, 2)))(cameras[camera], points[point], w, seen)
    return (*blocks, vmap(grad(lambda w: 1 - w**2))(w))


def finger(bone):
    """Where in the pose the angles of a bone are: about x, and about z."""
    digit, joint = (bone - 2) // 4, (bone - 2) % 4
    if bone < 2 or digit >= 5 or joint == 3:
        return None, None
    return (6 + 4 * digit, 7 + 4 * digit) if joint == 0 else (7 + 4 * digit + joint, None)


def hand(theta, bone):
    """How a bone turns, about x and then z."""
    o = 0.0 * theta[0]
    x, z = (theta[i] if i is not None else o for i in finger(bone))
    sx, cx, sz, cz = torch.sin(x), torch.cos(x), torch.sin(z), torch.cos(z)
    return torch.stack([cz, -cx * sz, sx * sz, o, sz, cx * cz, -sx * cz, o, o, sx, cx, o, o, o, o, o + 1.0]).reshape(4, 4)


def ht(theta, parents, relatives, inverses, positions, weights, at, points):
    places = []
    for i, parent in enumerate(parents.tolist()):
        own = relatives[i] @ hand(theta, i)
        places.append(own if parent < 0 else places[parent] @ own)
    skin = torch.einsum("vb,bck,vk->vc", weights, (torch.stack(places) @ inverses)[:, :3], positions)
    angle = torch.sqrt(theta[:3] @ theta[:3])
    axis = theta[:3] / angle
    x, y, z = axis
    o = 0.0 * x
    cross = torch.stack([o, -z, y, z, o, -x, -y, x, o]).reshape(3, 3)
    eye = torch.eye(3, dtype=theta.dtype)
    turn = torch.cos(angle) * eye + torch.sin(angle) * cross + (1 - torch.cos(angle)) * torch.outer(axis, axis)
    return (points - (skin @ turn.T + theta[3:6])[at]).ravel()


def ht_gradient(theta, *rest):
    return jacfwd(ht)(theta, *rest)


def dlstm(weights, extra, state, sequence):
    layers, b = state.shape[0], state.shape[2]
    hs, cs = [state[i, 0] for i in range(layers)], [state[i, 1] for i in range(layers)]
    total, sigmoid = 0.0, torch.sigmoid
    for x, after in zip(sequence[:-1], sequence[1:]):
        x = x * extra[0]
        for i in range(layers):
            w, bias = weights[i]
            h = hs[i]
            c = cs[i] * sigmoid(x * w[0] + bias[0]) + sigmoid(h * w[1] + bias[1]) * torch.tanh(h * w[3] + bias[3])
            x = sigmoid(x * w[2] + bias[2]) * torch.tanh(c)
            hs[i], cs[i] = x, c
        y = x * extra[1] + extra[2]
        total = total + (after * (y - torch.log(torch.exp(y).sum() + 2.0))).sum()
    return -total / (b * (sequence.shape[0] - 1))


def kmeans(centres, points):
    squares = (points**2).sum(1)[:, None] + (centres**2).sum(1) - 2 * points @ centres.T
    return squares.min(1).values.sum()


def kmeans_gradient(centres, points):
    return jvp(grad(lambda c: kmeans(c, points)), (centres,), (torch.ones_like(centres),))


def lse(x):
    return torch.logsumexp(x, 0)


def softmax(weight, bias, xs, ys):
    return F.cross_entropy(xs @ weight.T + bias, ys)


def llsq(x, ts):
    powers = torch.cumprod(torch.cat([torch.ones_like(ts)[:, None], ts[:, None].expand(-1, x.shape[0] - 1)], 1), 1)
    return 0.5 * ((torch.sign(ts) - powers @ x) ** 2).sum()


def matvec(weights, x):
    for w in weights:
        x = torch.tanh(w @ x)
    return (x * x).sum()


def mlp(w1, b1, w2, b2, w3, b3, xs, ys):
    return F.cross_entropy(torch.relu(torch.relu(xs @ w1 + b1) @ w2 + b2) @ w3 + b3, ys)


def conv(f1, b1, f2, b2, weight, bias, xs, ys):
    def layer(x, filters, bias):
        return F.max_pool2d(torch.relu(F.conv2d(x, filters, bias, padding=2)), 2)

    return F.cross_entropy(layer(layer(xs, f1, b1), f2, b2).flatten(1) @ weight.T + bias, ys)


def lstm(embed, recur, bias, out, text):
    hidden = cell = torch.zeros(text.shape[1], recur.shape[0])
    total = 0.0
    for letters, after in zip(text[:-1], text[1:]):
        i, f, g, o = (embed[letters] + hidden @ recur + bias).chunk(4, 1)
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        hidden = torch.sigmoid(o) * torch.tanh(cell)
        total = total + F.cross_entropy(hidden @ out, after)
    return total / (text.shape[0] - 1)


def attention(q, k, v):
    scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    return ((torch.softmax(scores, -1) @ v) ** 2).sum()


def nbody(x, v, m, steps):
    def accelerations(x):
        r = x[None] - x[:, None]
        d2 = (r * r).sum(2) + 0.0025
        return ((m / (d2 * torch.sqrt(d2)))[:, :, None] * r).sum(1)

    for _ in range(steps):
        half = v + 0.005 * accelerations(x)
        x = x + 0.01 * half
        v = half + 0.005 * accelerations(x)
    return (x * x).sum()


def particle(w, y0, v0):
    def pull(x, y, cy):
        dx, dy = x - 10.0, y - cy
        d2 = dx * dx + dy * dy
        return dx / (d2 * torch.sqrt(d2)), dy / (d2 * torch.sqrt(d2))

    x, y, vx, vy = torch.zeros_like(w), y0, v0, torch.zeros_like(w)
    while bool((y > 0).any()):
        going = y > 0
        (ax, ay), (bx, by) = pull(x, y, 10.0 - w), pull(x, y, 0.0)
        new = (x + 0.01 * vx, y + 0.01 * vy, vx + 0.01 * (ax + bx), vy + 0.01 * (ay + by - 0.5))
        x, y, vx, vy = (torch.where(going, a, b) for a, b in zip(new, (x, y, vx, vy)))
    return ((x - y * vx / vy) ** 2).sum()


def lotka(rates, prey, hunters, steps):
    h = 5.0 / steps
    a, b, c, d = rates.T

    def slope(x, y):
        return a * x - b * x * y, d * x * y - c * y

    x, y = prey, hunters
    for _ in range(steps):
        x1, y1 = slope(x, y)
        x2, y2 = slope(x + 0.5 * h * x1, y + 0.5 * h * y1)
        x3, y3 = slope(x + 0.5 * h * x2, y + 0.5 * h * y2)
        x4, y4 = slope(x + h * x3, y + h * y3)
        x, y = x + h / 6 * (x1 + 2 * (x2 + x3) + x4), y + h / 6 * (y1 + 2 * (y2 + y3) + y4)
    return x.sum()


def stiff(rates, start, steps):
    """Each step is one triangular system, as loops over elements are not what PyTorch is for."""
    h = 0.01
    system = torch.diag(1 + h * rates) - torch.diag(h * rates[:-1], -1)
    y = start[:, None]
    for _ in range(steps):
        y = torch.linalg.solve_triangular(system, y, upper=False)
    return (y * y).sum()


def black_scholes(market, draws):
    spot, strike, years, rate, vol = market
    final = spot * torch.exp((rate - 0.5 * vol**2) * years + vol * torch.sqrt(years) * draws)
    return torch.exp(-rate * years) * torch.relu(final - strike).mean()


def heat(u, rate, steps):
    inner = rate[1:-1, 1:-1]
    for _ in range(steps):
        c = u[1:-1, 1:-1]
        moved = inner * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * c)
        u = u + F.pad(moved, (1, 1, 1, 1))
    return (u * u).sum()


def histogram(weights, bins, count):
    total = torch.zeros(count, dtype=weights.dtype).index_add(0, bins, weights)
    return (total * total).sum()


def spmv(entries, x, columns, starts):
    n = starts.shape[0] - 1
    rows = torch.repeat_interleave(torch.arange(n), torch.diff(starts))
    y = torch.zeros(n, dtype=x.dtype).index_add(0, rows, entries * x[columns])
    return 0.5 * (y * y).sum()


def mandelbrot(width, height, limit):
    x = (3.0 * torch.arange(width, dtype=torch.float64) / width - 2.25).expand(height, width)
    y = (2.5 * torch.arange(height, dtype=torch.float64) / height - 1.25)[:, None].expand(height, width)
    a, b = torch.zeros_like(x), torch.zeros_like(y)
    count, inside = torch.zeros(height, width, dtype=torch.int64), torch.ones(height, width, dtype=torch.bool)
    for _ in range(limit):
        inside = inside & (a * a + b * b <= 4.0)
        if not bool(inside.any()):
            break
        a, b = torch.where(inside, a * a - b * b + x, a), torch.where(inside, 2 * a * b + y, b)
        count += inside
    return count


def chain(x):
    return (torch.sin(torch.exp(-x * x)) * torch.sqrt(1.0 + x * x)).sum()


def axpy(x, y):
    r = 2.5 * x + y
    return (r * r).sum()


def copy(x):
    return 3.0 * x


# How many of the leading arguments the gradient is taken by, or a gradient of its own, or none.
WORKLOADS = {
    "gmm": (gmm, 4), "ba": (ba, ba_gradient), "ht": (ht, ht_gradient), "dlstm": (dlstm, 2), "kmeans": (kmeans, kmeans_gradient),
    "lse": (lse, 1), "softmax": (softmax, 2), "llsq": (llsq, 1), "matvec": (matvec, 2), "mlp": (mlp, 6),
    "conv": (conv, 6), "lstm": (lstm, 4), "attention": (attention, 3), "nbody": (nbody, 3),
    "particle": (particle, 1), "lotka": (lotka, 3), "stiff": (stiff, 2), "black_scholes": (black_scholes, 1),
    "heat": (heat, 2), "histogram": (histogram, 1), "spmv": (spmv, 2), "mandelbrot": (mandelbrot, None),
    "chain": (chain, 1), "axpy": (axpy, 2), "copy": (copy, None),
}
for group in ("models", "science"):
    if importlib.util.find_spec(f"torch_{group}"):
        WORKLOADS |= importlib.import_module(f"torch_{group}").WORKLOADS


def main():
    if NAME not in WORKLOADS:
        print(f"error: no workload {NAME}", flush=True)
        return
    function, wrt = WORKLOADS[NAME]
    values = [v if isinstance(v, int) else torch.from_numpy(v) for v in arguments(sys.argv[3:])]

    def value():
        with torch.no_grad():
            return function(*values)

    functions = {"value": value}
    if isinstance(wrt, int):
        wanted = [v.clone().requires_grad_(True) for v in values[:wrt]]
        functions["gradient"] = lambda: torch.autograd.grad(function(*wanted, *values[wrt:]), wanted)
    elif wrt is not None:
        functions["gradient"] = lambda: wrt(*values)
    to_numpy = lambda r: tuple(map(to_numpy, r)) if isinstance(r, (tuple, list)) else r.detach().numpy()
    serve(functions, lambda result: result, to_numpy)


main()
