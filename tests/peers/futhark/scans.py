import jax.numpy as jnp
import numpy as np
from peer import at, case, rand


def scan(f, state, xs):
    out = []
    for x in xs:
        state = f(state, x)
        out.append(state)
    return jnp.stack(out)


def cumprod(x):
    return scan(lambda a, b: a * b, 1.0, x)


@case(at(rand(1, 6)))
def running_sum(x):
    return jnp.cumsum(x)


@case(at(rand(2, 5)), at(np.array([2.0, 0.0, 3.0, 4.0])), at(np.array([2.0, 0.0, 3.0, 0.0, 5.0])))
def running_product(x):
    return cumprod(x)


@case(at(rand(3, 6)), at(np.array([1.0, 3.0, 3.0, 2.0, 4.0, 4.0])))
def running_maximum(x):
    return scan(lambda a, b: jnp.where(a >= b, a, b), -jnp.inf, x)


@case(at(rand(4, 6)), at(np.array([3.0, 1.0, 1.0, 2.0, 0.5])))
def running_minimum(x):
    return scan(lambda a, b: jnp.where(a <= b, a, b), jnp.inf, x)


@case(at(rand(5, 7), rand(6, 7)), at(np.array([0.5, 0.0, 0.0, 2.0]), rand(7, 4)))
def weighed_running_product(x, w):
    return jnp.sum(cumprod(x) * w * jnp.cumsum(w))


@case(at(rand(8, 9), rand(9, 9)))
def recurrence(a, b):
    return scan(lambda s, ab: s * ab[0] + ab[1], 0.0, jnp.stack([a, b], 1))


@case(at(rand(10, 6)))
def running_matrices(x):
    m, out = jnp.eye(2), []
    for v in x:
        m = m @ jnp.stack([jnp.stack([jnp.sin(v), jnp.ones(())]), jnp.stack([v, 0.5 * jnp.ones(())])])
        out.append(m[0, 0] * m[1, 1] - m[0, 1] + m[1, 0])
    return jnp.stack(out)


@case(at(rand(11, 6, lo=-2, hi=2)))
def running_sine(x):
    return scan(lambda s, v: jnp.sin(s) + v * s, 0.5, x)


@case(at(rand(12, 3, 4)))
def rows(a):
    return jnp.cumsum(a, 1) * jnp.cumprod(a, 1)


@case(at(rand(13, 4, 3)))
def columns(a):
    return scan(lambda x, y: x * y + y, jnp.ones(3), a)


@case(at(rand(14, 5, 2, 2)))
def of_matrices(a):
    return scan(lambda x, y: x @ y, jnp.eye(2), a)


@case(at(rand(15, 7), np.array([False, True, False, False, True, False, False])))
def segmented(x, flags):
    s, out = 0.0, []
    for v, f in zip(x, flags):
        s = jnp.where(f, v, s + v)
        out.append(s)
    return jnp.stack(out)


@case(at(rand(16, 5)))
def exclusive(x):
    return (jnp.cumsum(x) - x) * (jnp.cumsum(x[::-1])[::-1] - x)


@case(at(rand(17, 6)))
def scan_of_scans(x):
    return jnp.sum(cumprod(jnp.tanh(jnp.cumsum(x))) * scan(jnp.maximum, -jnp.inf, x * x))


@case(at(rand(18, 5), 3))
def scan_in_a_loop(x, k):
    y = x
    for _ in range(k):
        y = jnp.cumsum(y) * 0.5 + cumprod(x)
    return y
