import jax.numpy as jnp
import numpy as np
from peer import at, case, rand


def first_max(x, axis=0):
    return jnp.take_along_axis(x, jnp.expand_dims(jnp.argmax(x, axis), axis), axis).squeeze(axis)


def first_min(x, axis=0):
    return jnp.take_along_axis(x, jnp.expand_dims(jnp.argmin(x, axis), axis), axis).squeeze(axis)


def factors(x):
    """The product without division, which is what is right at zeros."""
    y = 1.0
    for v in x:
        y = y * v
    return y


@case(at(rand(1, 5)), at(rand(2, 1)))
def sum_of_squares(x):
    return jnp.sum(x * x)


@case(at(np.array([2.0, 0.5, -3.0])), at(np.array([2.0, 0.0, -3.0, 1.5])), at(np.array([0.0, 4.0, 0.0, 3.0])))
def product_of(x):
    return factors(x)


@case(at(np.array([[2.0, 3.0, 4.0], [0.0, 1.5, 2.0], [0.0, 0.0, 5.0], [0.0, 0.0, 0.0]])))
def product_of_rows(a):
    return jnp.stack([factors(row) for row in a])


@case(at(np.array([[2.0, 3.0, 0.0, 0.0], [1.5, 0.0, 2.0, 0.0], [3.0, 0.5, 5.0, 0.0]])))
def product_down(a):
    return factors(a)


@case(at(rand(3, 6)), at(np.array([3.0, 1.0, 2.0, 1.0])))
def least(x):
    return first_min(x)


@case(at(rand(4, 6)), at(np.array([3.0, 1.0, 3.0, 3.0])))
def greatest_first(x):
    return first_max(x)


@case(at(np.array([[2.0, -3.0, -3.0], [0.5, 0.5, 0.5], [1.0, 2.0, 0.25]])))
def least_of_rows(a):
    return first_min(a, 1) * a[:, 0]


@case(at(np.array([0.5, -2.0, 2.0, 1.0]), rand(5, 4)))
def largest_size(x, w):
    at = jnp.argmax(jnp.abs(x))
    return jnp.abs(x[at]) * w[at]


@case(at(rand(6, 7), rand(7, 7)))
def lines(a, b):
    s, t = 0.0, 1.0
    for c, d in zip(a, b):
        s, t = c + d * s, d * t
    return s, t


@case(at(rand(8, 5)))
def matrices(x):
    m = jnp.eye(2)
    for v in x:
        m = m @ jnp.array([[1.0, 0.0], [0.0, 1.0]]).at[0, 1].set(v).at[1, 0].set(0.5 * v).at[1, 1].set(1.0 - v)
    return m[0, 0], m[0, 1], m[1, 0], m[1, 1]


@case(at(np.array([1.0, -2.0, 3.0, 4.0, -1.0, 2.0, -5.0, 4.0])), at(np.array([-1.0, 0.5, -0.75])))
def best_run(x):
    n = x.shape[0]
    sums = jnp.stack([x[i:j].sum() for i in range(n) for j in range(i + 1, n + 1)])
    return jnp.maximum(sums.max(), 0.0)


@case(at(rand(9, 6, lo=-3, hi=3)), at(np.array([700.0, 710.0, -800.0])))
def streaming_logsumexp(x):
    m = jnp.max(x)
    return jnp.log(jnp.sum(jnp.exp(x - m))) + m


@case(at(rand(10, 7, lo=-3, hi=3)))
def welford(x):
    return jnp.mean(x), jnp.var(x)


@case(at(rand(11, 4, 3)))
def rows_added(a):
    return jnp.prod(1.0 + a, axis=0) - 1.0


@case(at(rand(12, 3, 2, 3)))
def reduction_of_reductions(a):
    return jnp.prod(jnp.sum(jnp.max(a, 2) - jnp.prod(a, 2), 1))


@case(at(rand(13, 3)))
def sum_of_nothing(x):
    return jnp.sum(x)
