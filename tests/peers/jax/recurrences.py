import jax.numpy as jnp
import numpy as np
from jax.nn import sigmoid
from peer import at, case

S = np.array([0.9, -0.6, 0.7])


def spread(s, a, b, n, m):
    return s * jnp.sin(a * np.arange(n)[:, None] + b * np.arange(m)[None, :] + 0.3)


def turned(s, a, l, m):
    return s * jnp.cos(a * np.arange(m * m).reshape(1, m, m) + np.arange(l)[:, None, None]) / np.sqrt(m)


@case(at(0.7, 3, 6), at(0.7, 17, 6))
def series(s, n, l):
    a = turned(s, 0.7, 1, n)[0]
    total = term = jnp.eye(n)
    for k in range(l):
        term = term @ a / (k + 1)
        total = total + term
    return jnp.sum(total * a)


@case(at(0.3, 3, 5), at(0.3, 33, 5))
def inverse(s, n, l):
    a = jnp.eye(n) + turned(s, 0.7, 1, n)[0]
    x = a.T * 0.3
    for _ in range(l):
        x = 2.0 * x - x @ (a @ x)
    return jnp.sum(x * x)


@case(at(0.5, 3, 4), at(0.5, 16, 4))
def coupled_roots(s, n, l):
    b = turned(s, 0.7, 1, n)[0]
    y, z = jnp.eye(n) + 0.3 * (b @ b.T), jnp.eye(n)
    for _ in range(l):
        t = 0.5 * (3.0 * jnp.eye(n) - z @ y)
        y, z = y @ t, t @ z
    return jnp.sum(y * (z + y))


@case(at(0.5, 4, 4), at(0.5, 65, 4))
def subspace(s, n, l):
    a = turned(s, 0.7, 1, n)[0] + 2.0 * jnp.eye(n)
    u, v = jnp.ones(n), np.arange(n) % 3 - 0.5
    for _ in range(l):
        p = a @ u
        p = p / jnp.sqrt(p @ p)
        q = a @ v
        q = q - (p @ q) * p
        u, v = p, q / jnp.sqrt(q @ q)
    return u @ (a @ u) + 2.0 * (v @ (a @ v))


@case(at(0.7, 3, 4, 3), at(0.7, 33, 17, 3))
def sinkhorn(s, n, m, l):
    c = spread(s, 0.37, 0.91, n, m)
    k = jnp.exp(c)
    u, v = jnp.ones(n), jnp.ones(m)
    for _ in range(l):
        u = 1.0 / (k @ v)
        v = 1.0 / (k.T @ u)
    return jnp.sum(u[:, None] * k * v * c)


@case(at(S[:2], 3, 3), at(S[:2], 17, 3))
def riccati(s, n, l):
    a, p = turned(s[0], 0.7, 1, n)[0], jnp.eye(n)
    for _ in range(l):
        q = a @ p @ a.T + s[1] * jnp.eye(n)
        p = q - 0.1 * (q @ q)
    return jnp.trace(p) + jnp.sum(p * a)


@case(at(0.7, 3, 4), at(0.7, 33, 4))
def rank_one_updates(s, n, l):
    h = jnp.eye(n)
    for u in spread(s, 0.37, 0.91, l, n):
        w = h @ u
        h = h - jnp.outer(w, w) / (1.0 + u @ w)
    return jnp.sum(h * h)


def queries(s, n, d):
    return spread(s[0], 0.37, 0.91, n, d), spread(s[1], 0.53, 0.29, n, d), spread(s[2], 0.11, 0.73, n, d)


@case(at(S, 4, 3), at(S, 6, 17))
def linear_attention(s, n, d):
    q, k, v = queries(s, n, d)
    m, total = jnp.zeros((d, d)), 0.0
    for t in range(n):
        m = 0.9 * m + jnp.outer(v[t], k[t])
        total += jnp.sum((m @ q[t]) ** 2)
    return total


@case(at(S, 4, 3), at(S, 6, 17))
def delta_rule(s, n, d):
    q, k, v = queries(s, n, d)
    m, total = jnp.zeros((d, d)), 0.0
    for t in range(n):
        m = m + 0.5 * jnp.outer(v[t] - m @ k[t], k[t])
        total += jnp.sum((m @ q[t]) ** 2)
    return total


@case(at(S[:2], 4, 3, 2), at(S[:2], 64, 9, 2), at(S[:2], 17, 33, 2))
def residual_stack(s, n, d, l):
    w, u, x = turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d), spread(1.0, 0.37, 0.91, n, d)
    for i in range(l):
        c = x - x.mean(1, keepdims=True)
        x = x + jnp.tanh(c / jnp.sqrt(jnp.mean(c * c, 1, keepdims=True) + 1e-5) @ w[i]) @ u[i]
    return jnp.sum(x * x, 0)


@case(at(S[:2], 5, 3, 2), at(S[:2], 65, 16, 2))
def graph_network(s, n, d, l):
    w, u, x = turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d), spread(1.0, 0.37, 0.91, n, d)
    e = np.arange(2 * n)
    for i in range(l):
        x = jnp.tanh(x @ u[i] + jnp.zeros((n, d)).at[(e * 3 + 2) % n].add(x[(e * 5 + 1) % n] @ w[i]))
    return jnp.sum(x)


@case(at(0.7, 3, 4), at(0.7, 33, 4))
def chebyshev(s, n, l):
    a = turned(s, 0.7, 1, n)[0]
    before, t, total = jnp.eye(n), a, jnp.zeros((n, n))
    for k in range(l):
        before, t, total = t, 2.0 * (a @ t) - before, total + t / (k + 1)
    return jnp.sum(total) + jnp.sum(t * a)


@case(at(S, 4, 3, 2), at(S, 64, 9, 2), at(S, 16, 17, 2))
def three_states(s, n, d, l):
    w, u, v = turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d), turned(s[2], 0.4, l, d)
    x = spread(1.0, 0.37, 0.91, n, d)
    a, b, c = x, 0.5 * x, x * x
    for i in range(l):
        f, g = sigmoid(a @ w[i] + b), jnp.tanh(c @ u[i])
        a, b, c = f * a + (1.0 - f) * g, b + g @ v[i], f * c
    return jnp.sum(a * b + c)


@case(at(S[:2], 4, 3), at(S[:2], 33, 3))
def oscillators(s, n, l):
    b = turned(s[0], 0.7, 1, n)[0]
    k, p, q = b @ b.T, jnp.zeros((n, 3)), spread(s[1], 0.37, 0.91, n, 3)
    for _ in range(l):
        p = p - 0.1 * (k @ q + q ** 3)
        q = q + 0.1 * p
    return jnp.sum(p * p) + jnp.sum(q * (k @ q))


@case(at(S[:2], 4, 3, 3), at(S[:2], 64, 16, 3))
def made_weights(s, n, d, l):
    w, u, x = turned(s[0], 0.7, l, d), turned(s[1], 1.3, l, d), spread(1.0, 0.37, 0.91, n, d)
    m = u[0]
    for i in range(l):
        m = jnp.tanh(m @ w[i] + u[i])
        x = jnp.tanh(x @ m)
    return jnp.sum(x * x)
