import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import sigmoid
from peer import at, case, rand


def spread(s, a, b, n, m):
    return s * jnp.sin(a * np.arange(n)[:, None] + b * np.arange(m)[None, :] + 0.3)


def turned(s, a, l, m):
    return s * jnp.cos(a * np.arange(m * m).reshape(1, m, m) + np.arange(l)[:, None, None]) / np.sqrt(m)


S = np.array([0.9, -0.6, 0.7])


@case(at(S, 3, 5, 2), at(S, 64, 9, 2), at(S, 17, 16, 3))
def gated(s, n, m, l):
    w, u, v = turned(s[0], 0.7, l, m), turned(s[1], 1.3, l, m), turned(s[2], 0.4, l, m)
    x = y = spread(1.0, 0.37, 0.91, n, m)
    for i in range(l):
        z = jnp.tanh(x @ w[i]) * sigmoid(x @ u[i])
        x, y = x + z @ v[i], y + z
    return jnp.sum(x), jnp.sum(y * y)


@case(at(S[:2], 3, 5, 2), at(S[:2], 64, 9, 2), at(S[:2], 33, 17, 2))
def highway(s, n, m, l):
    w, u = turned(s[0], 0.7, l, m), turned(s[1], 1.3, l, m)
    x = spread(1.0, 0.37, 0.91, n, m)
    for i in range(l):
        t = sigmoid(x @ u[i])
        x = t * jnp.tanh(x @ w[i]) + (1.0 - t) * x
    return jnp.sum(x, 0)


@case(at(S[:2], 4, 3, 2), at(S[:2], 64, 16, 2), at(S[:2], 9, 33, 3))
def with_past(s, n, m, l):
    w, x = turned(s[0], 0.7, l, m), spread(s[1], 0.37, 0.91, n, m)
    last = x
    for i in range(l):
        past = jnp.concatenate([jnp.zeros((1, m)), x[:-1]])
        z = x * (past @ w[i])
        x, last = z @ w[i], z
    return jnp.sum(last)


@case(at(S[:2], 4, 3, 2), at(S[:2], 64, 9, 2), at(S[:2], 65, 16, 2))
def squared(s, n, m, l):
    w, v = turned(s[0], 0.7, l, m), turned(s[1], 0.4, l, m)
    x, p = spread(1.0, 0.37, 0.91, n, m), jnp.ones((n, m))
    for i in range(l):
        z = (x @ w[i]) ** 2
        x, p = x + 0.1 * (z @ v[i]), p * z
    return jnp.sum(x), jnp.sum(p)


@case(at(S[:2], 4, 3, 2), at(S[:2], 64, 9, 2), at(S[:2], 16, 33, 2))
def product_of_products(s, n, m, l):
    w, v = turned(s[0], 0.7, l, m), turned(s[1], 0.4, l, m)
    x, last = spread(1.0, 0.37, 0.91, n, m), jnp.zeros((n, m))
    for i in range(l):
        z = x * (x @ w[i])
        x, last = z @ v[i], z + 0.5 * last
    return jnp.sum(last)


@case(at(S, 2, 3, 3), at(S, 16, 16, 3))
def gru_batch(s, b, h, l):
    w, u = turned(s[0], 0.7, 3, h), turned(s[1], 1.1, 3, h)
    state = jnp.zeros((b, h))
    for t in range(l):
        x = spread(s[2], 0.37, 0.5 + 0.2 * t, b, h)
        r, z = sigmoid(x @ w[0] + state @ u[0]), sigmoid(x @ w[1] + state @ u[1])
        c = jnp.tanh(x @ w[2] + r * (state @ u[2]))
        state = (1.0 - z) * c + z * state
    return jnp.sum(state * state)


@case(at(S, 2, 3, 3), at(S, 16, 17, 3))
def lstm_batch(s, b, h, l):
    w, u = turned(s[0], 0.7, 4, h), turned(s[1], 1.1, 4, h)
    state = cell = jnp.zeros((b, h))
    for t in range(l):
        x = spread(s[2], 0.37, 0.5 + 0.2 * t, b, h)
        i, f, o = (sigmoid(x @ w[k] + state @ u[k]) for k in (0, 1, 3))
        cell = f * cell + i * jnp.tanh(x @ w[2] + state @ u[2])
        state = o * jnp.tanh(cell)
    return jnp.sum(state * cell)


@case(at(S[:2], 3, 2), at(S[:2], 17, 3))
def scaled_products(s, n, l):
    w, p = turned(s[0], 0.7, l, n), turned(s[1], 0.4, 1, n)[0]
    for i in range(l):
        q = p @ w[i]
        p = q / (1.0 + jnp.sum(q * q)) + p.T * q
    return jnp.sum(p, 0)


@case(at(S, 4, 3, 2), at(S, 33, 16, 2))
def layers_of_attention(s, n, d, l):
    q, k, v = turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d), turned(s[2], 0.4, l, d)
    x = spread(1.0, 0.37, 0.91, n, d)
    for i in range(l):
        x = x + jax.nn.softmax((x @ q[i]) @ (x @ k[i]).T, axis=1) @ (x @ v[i])
    return jnp.sum(x, 0)


@case(at(S[:2], 5, 3, 2), at(S[:2], 65, 17, 2))
def gathered_rows(s, n, m, l):
    w, x = turned(s[0], 0.7, l, m), spread(s[1], 0.37, 0.91, n, m)
    places = (np.arange(n) * 7 + 3) % n
    for i in range(l):
        x = jnp.tanh(x[places] @ w[i]) + 0.5 * x
    return jnp.sum(x)


@case(at(0.3, 3, 3), at(0.3, 17, 3))
def step_of_newton_schulz(s, n, l):
    a = 0.4 * np.eye(n) + turned(s, 0.7, 1, n)[0]
    x = a
    for _ in range(l):
        x = 1.5 * x - 0.5 * ((x @ x.T) @ x)
    return jnp.sum(x * a)


@case(at(S[:2], 4, 3), at(S[:2], 64, 16))
def backward_and_forward(s, n, m):
    w, x = turned(s[0], 0.7, 1, m)[0], spread(s[1], 0.37, 0.91, n, m)
    y, back = jax.vjp(lambda w: jnp.tanh(x @ w), w)
    return jnp.sum(x @ back(y * y)[0]) + jnp.sum(y)


def weights(seed, *shape):
    return rand(seed, *shape, digits=2)


@case(at(weights(1, 4, 3), *(weights(i, 2, 3, 3) for i in (2, 3, 4))),
      at(weights(1, 64, 9), *(weights(i, 2, 9, 9) for i in (2, 3, 4))))
def gated_arguments(x, w, u, v):
    s = x
    for i in range(w.shape[0]):
        z = jnp.tanh(x @ w[i]) * sigmoid(x @ u[i])
        x, s = x + z @ v[i], s + z
    return jnp.sum(x) + jnp.sum(s * s)


@case(at(weights(5, 4, 3), weights(6, 2, 3, 3)), at(weights(5, 17, 16), weights(6, 2, 16, 16)))
def past_arguments(x, w):
    last = x
    for i in range(w.shape[0]):
        z = x * (jnp.concatenate([jnp.zeros_like(x[:1]), x[:-1]]) @ w[i])
        x, last = z @ w[i], z
    return jnp.sum(last)


@case(at(weights(7, 4, 3), weights(8, 2, 3, 3), weights(9, 2, 3, 3)), at(weights(7, 64, 9), weights(8, 2, 9, 9), weights(9, 2, 9, 9)))
def multiplied_arguments(x, w, v):
    last = x
    for i in range(w.shape[0]):
        z = x * (x @ w[i])
        x, last = z @ v[i], z
    return jnp.sum(last)


@case(at(weights(10, 4, 3), weights(11, 2, 3, 3), weights(12, 2, 3, 3)), at(weights(10, 64, 9), weights(11, 2, 9, 9), weights(12, 2, 9, 9)))
def squared_arguments(x, w, v):
    p = x
    for i in range(w.shape[0]):
        z = (x @ w[i]) ** 2
        x, p = x + 0.1 * (z @ v[i]), p * z
    return jnp.sum(x) + jnp.sum(p)


@case(at(weights(13, 4, 3), weights(14, 2, 3, 3), weights(15, 2, 3)), at(weights(13, 33, 17), weights(14, 2, 17, 17), weights(15, 2, 17)))
def residual_arguments(x, w, b):
    s = jnp.zeros_like(x[0])
    for i in range(w.shape[0]):
        y = x @ w[i]
        z = jnp.tanh(y + b[i])
        x, s = x + z, s + jnp.sum(y * z, 0)
    return jnp.sum(x * x), s
