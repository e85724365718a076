import jax.numpy as jnp
import numpy as np
from jax import lax
from peer import at, case, single

S = np.array([0.9, 0.6, 0.3])
SMALL, LARGE = at(S, 9), at(S, 3001)


def waves(s, n):
    return s[0] * jnp.sin(0.7 * np.arange(n) + s[1]) + s[2]


def places(n, m):
    return (np.arange(n) * 7919 + 13) % m


def table(s, n, m):
    return s * jnp.sin(0.37 * np.arange(n)[:, None] + 0.91 * np.arange(m)[None, :])


@case(SMALL, LARGE)
def long_sum(s, n):
    x = waves(s, n)
    return jnp.sum(x ** 3) / n + x[jnp.argmax(x)] * x[jnp.argmin(x)]


@case(SMALL, LARGE)
def long_running_sum(s, n):
    x = waves(s, n)
    return jnp.sum(jnp.sin(jnp.cumsum(x) / 50.0) * x)


@case(SMALL, LARGE)
def long_running_product(s, n):
    x = waves(s, n)
    return jnp.sum(jnp.exp(jnp.cumsum(jnp.log1p(0.001 * x))) * x)


@case(SMALL, LARGE)
def long_recurrence(s, n):
    def step(y, v):
        y = 0.9 * s[1] * y + v
        return y, y
    return jnp.sum(lax.scan(step, 0.0, waves(s, n))[1] ** 2)


@case(SMALL, LARGE)
def long_memory(s, n):
    return lax.scan(lambda y, v: (jnp.tanh(s[1] * y + v), None), 0.1, waves(s, n))[0]


@case(SMALL, LARGE)
def long_maxima(s, n):
    x = waves(s, n) * (1.0 + np.arange(n) / 500.0)
    return jnp.sum(lax.cummax(x) * x)


@case(SMALL, LARGE)
def many_bins(s, n):
    h = jnp.zeros(97).at[places(n, 97)].add(waves(s, n))
    return jnp.sum(h * h) + jnp.sum(h[5:9] ** 3)


@case(SMALL, LARGE)
def largest_in_bins(s, n):
    return jnp.sum(jnp.full(97, -9.0).at[places(n, 97)].max(waves(s, n)) ** 3)


@case(SMALL, LARGE)
def long_gather(s, n):
    x, i = waves(s, n), places(n, n)
    return jnp.sum(jnp.sin(x[i]) * x[(i + 1) % n])


@case(SMALL, LARGE)
def long_scatter(s, n):
    x, i = waves(s, n), places(n // 2, n)
    last = {int(p): k for k, p in enumerate(i)}
    y = x.at[np.array(list(last))].set(x[np.array(list(last.values()))] ** 2)
    return jnp.sum(y * x)


@case(SMALL, LARGE)
def long_sort(s, n):
    return jnp.sum(jnp.sort(waves(s, n)) ** 2 * np.arange(n)) / n


@case(at(S, 3, 4, 2), at(S, 33, 17, 9), at(S, 65, 130, 16))
def wide_product(s, n, m, p):
    c = table(s[0], n, m) @ table(s[1], m, p)
    return jnp.sum(jnp.tanh(c + s[2]) * c)


@case(at(S, 3, 4), at(S, 17, 64))
def product_with_transposed(s, n, m):
    a = table(s[0], n, m)
    return jnp.sum((a @ a.T) ** 2, 1) * s[2]


@case(at(S, 2), at(S, 300))
def many_small_products(s, n):
    k, i, j = np.arange(n)[:, None, None], np.arange(3)[:, None], np.arange(3)
    a = jnp.sin(s[0] * (k + i) + s[1] * j)
    return jnp.sum((a @ a + s[2] * a.transpose(0, 2, 1)) ** 2)


@case(SMALL, at(S, 1000))
def loops_in_a_map(s, n):
    y = waves(s, n)
    for _ in range(5):
        y = y * 0.5 + jnp.sin(y) * s[2]
    return jnp.sum(y)


@case(SMALL, at(S, 500))
def uneven_loops_in_a_map(s, n):
    x = y = waves(s, n)
    for k in range(6):
        y = jnp.where(k < np.arange(n) % 7, y * 0.5 + jnp.sin(y) * jnp.roll(x, -k), y)
    return jnp.sum(y)


@case(at(S, 6, 3), at(S, 200, 30))
def long_stencil(s, n, steps):
    def step(_, u):
        return u.at[1:-1].add(0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:]) * (1.0 + u[1:-1] ** 2))
    return jnp.sum(lax.fori_loop(0, steps, step, waves(s, n)) ** 3)


@case(at(S, 3, 4, 2), at(S, 17, 33, 9))
def plane_stencil(s, n, m, steps):
    def step(_, u):
        near = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
        return u + s[1] * 0.1 * (near - 4.0 * u) + 0.01 * s[2] * u ** 3
    return jnp.sum(lax.fori_loop(0, steps, step, table(s[0], n, m)) ** 2)


@case(at(S, 4), at(S, 65))
def pairs_of_bodies(s, n):
    x, y = waves(s, n), waves(jnp.stack([s[1], s[2], s[0]]), n)
    d = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2 + 0.01
    return jnp.sum((1.0 - np.eye(n)) / jnp.sqrt(d))


@case(at(S, 4, 3), at(S, 33, 17))
def update_of_rows(s, n, m):
    a = table(s[0], n, m)

    def step(i, a):
        return a.at[i + 1].set(0.5 * a[i + 1] + jnp.sin(a[i]) * s[1])
    a = lax.fori_loop(0, n - 1, step, a)
    return jnp.sum(a * a)


# Numbers of 32 bits have about seven digits, and many that cancel are added.
@case(at(single(S), 4, 3), at(single(S), 33, 17), relative=2e-4)
def in_f32(s, n, m):
    i, j = single(np.arange(n)), single(np.arange(m))
    a = s[0] * jnp.sin(single(0.37) * i[:, None] + single(0.91) * j)
    b = s[1] * jnp.cos(single(0.53) * j[:, None] - single(0.29) * i)
    return jnp.sum(a @ b) * s[2] + jnp.sum(jnp.cumsum(a.reshape(-1)) * single(0.001))


@case(SMALL, LARGE)
def while_to_a_bound(s, n):
    x = waves(s, n)
    before = jnp.concatenate([jnp.zeros(1), jnp.cumsum(x * x)[:-1]])
    return jnp.sum(jnp.where(before < 40.0, x * x, 0.0))
