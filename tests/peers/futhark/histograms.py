import jax.numpy as jnp
import numpy as np
from peer import at, case, rand

IS = np.array([0, 2, 2, 0, 3, 2])


def histogram(f, z, k, indices, xs):
    bins = [z] * k
    for i, x in zip(indices, xs):
        bins[int(i)] = f(bins[int(i)], x)
    return jnp.stack([jnp.asarray(b, dtype=float) for b in bins])


@case(at(rand(1, 6), IS))
def added(x, indices):
    return jnp.zeros(4).at[indices].add(x * x)


@case(at(rand(2, 6), IS), at(np.array([0.0, 0.0, 3.0, 2.0, 0.0, 0.0]), IS))
def multiplied(x, indices):
    return histogram(lambda a, b: a * b, 1.0, 4, indices, x)


@case(at(rand(3, 6), IS), at(np.array([1.0, 2.0, 2.0, 1.0, -9.0, 2.0]), IS))
def greatest(x, indices):
    return histogram(lambda a, b: jnp.where(a >= b, a, b), -9.0, 4, indices, x)


@case(at(rand(4, 6), IS), at(np.array([1.0, 0.5, 0.5, 1.0, 0.0, 2.0]), IS))
def least(x, indices):
    return histogram(lambda a, b: jnp.where(a <= b, a, b), 9.0, 4, indices, jnp.sin(x))


@case(at(rand(5, 8, lo=-1, hi=5)))
def by_value(x):
    where = jnp.clip(jnp.floor(x).astype(int), 0, 3)
    return jnp.zeros(4).at[where].add(x * x)


@case(at(rand(6, 5), rand(7, 5), np.array([1, 0, 1, 1, 0])))
def pairs(x, y, indices):
    return jnp.zeros(3).at[indices].add(x) * histogram(lambda a, b: a * b, 1.0, 3, indices, y)


@case(at(rand(8, 4, 3), np.array([2, 0, 2, 2])))
def rows_by_index(a, indices):
    return jnp.zeros((3, 3)).at[indices].add(a * a.sum(1, keepdims=True))


@case(at(rand(9, 7), np.array([1, 0, 1, 1, 2, 0, 1])))
def not_commutative(x, indices):
    return histogram(lambda s, v: 0.5 * s + v * s + v, 1.0, 3, indices, x)


@case(at(rand(10, 3, 5), np.array([1, 0, 2, 1, 2])))
def of_rows(a, indices):
    def one(row):
        h = jnp.zeros(3).at[indices].add(row)
        return h[0] * h[1] - h[2] * row[0]
    return jnp.stack([one(row) for row in a])


@case(at(rand(11, 6), IS, 3))
def in_a_loop(x, indices, k):
    h = jnp.ones(4)
    for _ in range(k):
        h = (0.5 * h).at[indices].add(x * h[indices])
    return h
