"""The workloads in JAX, compiled with `jit`. `python jax_peer.py WORKLOAD THREADS ARG..`"""

import importlib.util
import sys

from serve import arguments, prepare_jax, serve, unpin

NAME, THREADS = sys.argv[1], int(sys.argv[2])
MASK = prepare_jax(THREADS)

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

sigmoid, relu, logsumexp = jax.nn.sigmoid, jax.nn.relu, jax.nn.logsumexp


def cross_entropy(scores, kinds):
    chosen = jnp.take_along_axis(scores, kinds[:, None], 1)[:, 0]
    return (logsumexp(scores, axis=1) - chosen).mean()


def gmm(alpha, mean, q, l, x):
    k, d = mean.shape
    cols, rows = np.triu_indices(d, 1)
    factors = jnp.zeros((k, d, d), x.dtype).at[:, rows, cols].set(l) + jax.vmap(jnp.diag)(jnp.exp(q))
    y = jnp.einsum("krc,nkc->nkr", factors, x[:, None] - mean)
    scores = alpha + q.sum(1) - 0.5 * (y * y).sum(2)
    prior = 0.5 * (jnp.exp(2 * q).sum() + (l * l).sum())
    return logsumexp(scores, axis=1).sum() - x.shape[0] * logsumexp(alpha) - prior


def residual(camera, x, w, seen):
    turn = camera[:3]
    angle = jnp.sqrt(turn @ turn)
    axis, v = turn / angle, x - camera[3:6]
    c = jnp.cos(angle)
    y = c * v + jnp.sin(angle) * jnp.cross(axis, v) + (1 - c) * (axis @ v) * axis
    flat = y[:2] / y[2]
    r2 = flat @ flat
    return w * (camera[7:9] + camera[6] * (1 + camera[9] * r2 + camera[10] * r2 * r2) * flat - seen)


def ba(cameras, points, w, seen, camera, point):
    return jax.vmap(residual)(cameras[camera], points[point], w, seen), 1 - w**2


def ba_gradient(cameras, points, w, seen, camera, point):
    blocks = jax.vmap(jax.jacrev(residual, argnums=(0, 1, 2)))(cameras[camera], points[point], w, seen)
    return (*blocks, jax.vmap(jax.grad(lambda w: 1 - w**2))(w))


def finger(bone):
    """Where in the pose the angles of a bone are: about x, and about z."""
    digit, joint = (bone - 2) // 4, (bone - 2) % 4
    if bone < 2 or digit >= 5 or joint == 3:
        return None, None
    return (6 + 4 * digit, 7 + 4 * digit) if joint == 0 else (7 + 4 * digit + joint, None)


def hand(theta, bone):
    """How a bone turns, about x and then z."""
    x, z = (theta[i] if i is not None else 0.0 * theta[0] for i in finger(bone))
    sx, cx, sz, cz, o = jnp.sin(x), jnp.cos(x), jnp.sin(z), jnp.cos(z), 0.0 * theta[0]
    return jnp.stack([cz, -cx * sz, sx * sz, o, sz, cx * cz, -sx * cz, o, o, sx, cx, o, o, o, o, o + 1.0]).reshape(4, 4)


def ht(theta, parents, relatives, inverses, positions, weights, at, points):
    b = parents.shape[0]
    relatives = relatives @ jnp.stack([hand(theta, i) for i in range(b)])
    places = jnp.zeros((b, 4, 4))
    for i in range(b):
        place = jnp.where(parents[i] < 0, relatives[i], places[parents[i]] @ relatives[i])
        places = places.at[i].set(place)
    skin = jnp.einsum("vb,bck,vk->vc", weights, (places @ inverses)[:, :3], positions)
    angle = jnp.sqrt(theta[:3] @ theta[:3])
    x, y, z = theta[:3] / angle
    cross = jnp.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    axis = theta[:3] / angle
    turn = jnp.cos(angle) * jnp.eye(3) + jnp.sin(angle) * cross + (1 - jnp.cos(angle)) * jnp.outer(axis, axis)
    return (points - (skin @ turn.T + theta[3:6])[at]).ravel()


def ht_gradient(theta, *rest):
    return jax.jacfwd(ht)(theta, *rest)


def dlstm(weights, extra, state, sequence):
    layers, b = state.shape[0], state.shape[2]

    def step(carry, pair):
        state, total = carry
        x, after = pair
        x, new = x * extra[0], []
        for i in range(layers):
            (w, bias), (h, c) = weights[i], state[i]
            c = c * sigmoid(x * w[0] + bias[0]) + sigmoid(h * w[1] + bias[1]) * jnp.tanh(h * w[3] + bias[3])
            x = sigmoid(x * w[2] + bias[2]) * jnp.tanh(c)
            new.append(jnp.stack([x, c]))
        y = x * extra[1] + extra[2]
        score = y - jnp.log(jnp.exp(y).sum() + 2.0)
        return (jnp.stack(new), total + (after * score).sum()), None

    (_, total), _ = lax.scan(step, (state, 0.0), (sequence[:-1], sequence[1:]))
    return -total / (b * (sequence.shape[0] - 1))


def kmeans(centres, points):
    squares = (points**2).sum(1)[:, None] + (centres**2).sum(1) - 2 * points @ centres.T
    return squares.min(1).sum()


def kmeans_gradient(centres, points):
    return jax.jvp(lambda c: jax.grad(kmeans)(c, points), (centres,), (jnp.ones_like(centres),))


def lse(x):
    return logsumexp(x)


def softmax(weight, bias, xs, ys):
    return cross_entropy(xs @ weight.T + bias, ys)


def llsq(x, ts):
    return 0.5 * ((jnp.sign(ts) - jnp.polyval(x[::-1], ts)) ** 2).sum()


def matvec(weights, x):
    y, _ = lax.scan(lambda y, w: (jnp.tanh(w @ y), None), x, weights)
    return (y * y).sum()


def mlp(w1, b1, w2, b2, w3, b3, xs, ys):
    return cross_entropy(relu(relu(xs @ w1 + b1) @ w2 + b2) @ w3 + b3, ys)


def conv(f1, b1, f2, b2, weight, bias, xs, ys):
    def layer(x, filters, bias):
        found = lax.conv_general_dilated(x, filters, (1, 1), "SAME")
        lit = relu(found + bias[:, None, None])
        return lax.reduce_window(lit, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    deep = layer(layer(xs, f1, b1), f2, b2)
    return cross_entropy(deep.reshape(xs.shape[0], -1) @ weight.T + bias, ys)


def lstm(embed, recur, bias, out, text):
    h = recur.shape[0]

    def step(carry, pair):
        (hidden, cell), total = carry
        letters, after = pair
        i, f, g, o = jnp.split(embed[letters] + hidden @ recur + bias, 4, axis=1)
        cell = sigmoid(f) * cell + sigmoid(i) * jnp.tanh(g)
        hidden = sigmoid(o) * jnp.tanh(cell)
        return ((hidden, cell), total + cross_entropy(hidden @ out, after)), None

    zero = jnp.zeros((text.shape[1], h), embed.dtype)
    (_, total), _ = lax.scan(step, ((zero, zero), jnp.float32(0)), (text[:-1], text[1:]))
    return total / (text.shape[0] - 1)


def attention(q, k, v):
    scores = jnp.einsum("hid,hjd->hij", q, k) / np.float32(np.sqrt(q.shape[2]))
    return (jnp.einsum("hij,hjd->hid", jax.nn.softmax(scores, axis=-1), v) ** 2).sum()


def nbody(x, v, m, steps):
    def accelerations(x):
        r = x[None] - x[:, None]
        d2 = (r * r).sum(2) + 0.0025
        return ((m / (d2 * jnp.sqrt(d2)))[:, :, None] * r).sum(1)

    def step(carry, _):
        x, v = carry
        half = v + 0.005 * accelerations(x)
        x = x + 0.01 * half
        return (x, half + 0.005 * accelerations(x)), None

    (x, _), _ = lax.scan(step, (x, v), None, length=steps)
    return (x * x).sum()


PARTICLE_STEPS = 2000


def particle(w, y0, v0):
    """Reverse mode needs a bound on the steps, so the loop is a scan of which particles leave when they are done."""

    def pull(x, y, cy):
        dx, dy = x - 10.0, y - cy
        d2 = dx * dx + dy * dy
        return dx / (d2 * jnp.sqrt(d2)), dy / (d2 * jnp.sqrt(d2))

    def step(s, _):
        x, y, vx, vy = s
        (ax, ay), (bx, by) = pull(x, y, 10.0 - w), pull(x, y, 0.0)
        new = (x + 0.01 * vx, y + 0.01 * vy, vx + 0.01 * (ax + bx), vy + 0.01 * (ay + by - 0.5))
        return tuple(jnp.where(y > 0, a, b) for a, b in zip(new, s)), None

    zero = jnp.zeros_like(w)
    (x, y, vx, vy), _ = lax.scan(step, (zero, y0, v0, zero), None, length=PARTICLE_STEPS)
    return ((x - y * vx / vy) ** 2).sum()


def lotka(rates, prey, hunters, steps):
    h = 5.0 / steps
    a, b, c, d = rates.T

    def slope(x, y):
        return a * x - b * x * y, d * x * y - c * y

    def step(s, _):
        x, y = s
        x1, y1 = slope(x, y)
        x2, y2 = slope(x + 0.5 * h * x1, y + 0.5 * h * y1)
        x3, y3 = slope(x + 0.5 * h * x2, y + 0.5 * h * y2)
        x4, y4 = slope(x + h * x3, y + h * y3)
        return (x + h / 6 * (x1 + 2 * (x2 + x3) + x4), y + h / 6 * (y1 + 2 * (y2 + y3) + y4)), None

    return lax.scan(step, (prey, hunters), None, length=steps)[0][0].sum()


def stiff(rates, start, steps):
    h = 0.01

    def substance(inflow, pair):
        y, rate = pair
        new = (y + h * inflow) / (1 + h * rate)
        return rate * new, new

    def step(y, _):
        return lax.scan(substance, 0.0, (y, rates))[1], None

    y, _ = lax.scan(step, start, None, length=steps)
    return (y * y).sum()


def black_scholes(market, draws):
    spot, strike, years, rate, vol = market
    final = spot * jnp.exp((rate - 0.5 * vol**2) * years + vol * jnp.sqrt(years) * draws)
    return jnp.exp(-rate * years) * jnp.maximum(final - strike, 0.0).mean()


def heat(u, rate, steps):
    def step(u, _):
        c = u[1:-1, 1:-1]
        moved = c + rate[1:-1, 1:-1] * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * c)
        return u.at[1:-1, 1:-1].set(moved), None

    u, _ = lax.scan(step, u, None, length=steps)
    return (u * u).sum()


def histogram(weights, bins, count):
    total = jnp.zeros(count).at[bins].add(weights)
    return (total * total).sum()


def spmv(entries, x, columns, starts):
    n = starts.shape[0] - 1
    rows = jnp.repeat(jnp.arange(n), jnp.diff(starts), total_repeat_length=entries.shape[0])
    y = jax.ops.segment_sum(entries * x[columns], rows, n, indices_are_sorted=True)
    return 0.5 * (y * y).sum()


def mandelbrot(width, height, limit):
    x = jnp.broadcast_to(3.0 * jnp.arange(width) / width - 2.25, (height, width))
    y = jnp.broadcast_to((2.5 * jnp.arange(height) / height - 1.25)[:, None], (height, width))

    def step(s):
        a, b, n, k = s
        inside = (a * a + b * b <= 4.0) & (n == k)
        a, b = jnp.where(inside, a * a - b * b + x, a), jnp.where(inside, 2 * a * b + y, b)
        return a, b, n + inside, k + 1

    def going(s):
        return (s[3] < limit) & (s[2] == s[3]).any()

    zero = jnp.zeros((height, width))
    return lax.while_loop(going, step, (zero, zero, jnp.zeros((height, width), jnp.int64), 0))[2]


def chain(x):
    return (jnp.sin(jnp.exp(-x * x)) * jnp.sqrt(1.0 + x * x)).sum()


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
    if importlib.util.find_spec(f"jax_{group}"):
        WORKLOADS |= importlib.import_module(f"jax_{group}").WORKLOADS


def main():
    if NAME not in WORKLOADS:
        print(f"error: no workload {NAME}", flush=True)
        return
    function, wrt = WORKLOADS[NAME]
    values = arguments(sys.argv[3:])
    static = tuple(i for i, value in enumerate(values) if isinstance(value, int))
    values = [value if isinstance(value, int) else jax.device_put(value) for value in values]
    jax.block_until_ready([v for v in values if not isinstance(v, int)])
    unpin(MASK)
    value = jax.jit(function, static_argnums=static)
    functions = {"value": lambda: value(*values)}
    if wrt is not None:
        derived = jax.grad(function, argnums=tuple(range(wrt))) if isinstance(wrt, int) else wrt
        gradient = jax.jit(derived, static_argnums=static)
        functions["gradient"] = lambda: gradient(*values)
    serve(functions, jax.block_until_ready, lambda result: result)


main()
