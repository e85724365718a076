import jax.numpy as jnp
import numpy as np
from peer import at, case, rand


@case(at(rand(1, 4), np.array([3, 0, 3, 1, 3])))
def gathered(x, indices):
    return (x * x)[indices]


@case(at(rand(2, 4, 3), np.array([3, 0, 3]), np.array([1, 1, 3])))
def gathered_rows(a, rows, others):
    return a[rows].sum(1) * a[others, 1]


@case(at(rand(3, 4), np.array([3, 0, 1, 1])))
def gather_of_gather(x, indices):
    return jnp.sum(x[indices[indices]] * x[indices])


@case(at(rand(4, 5), np.array([3, 0, 4]), rand(5, 3)))
def scattered(d, indices, v):
    return d.at[indices].set(v * v)


@case(at(rand(6, 5), np.array([3, 0, 3, 3, 1]), rand(7, 5)))
def scattered_twice(d, indices, v):
    first = d
    for i, x in zip(indices, v):
        first = first.at[i].set(x)
    second = first
    for i, x in zip(indices, v):
        second = second.at[i].set(first[i] * x + d[i])
    return second


@case(at(rand(8, 4, 2), np.array([2, 0]), rand(9, 2, 2)))
def rows_scattered(d, indices, v):
    return jnp.sin(d.at[indices].set(v))


@case(at(rand(10, 5), np.array([3, 0, 4, 1, 2])))
def inverse_permutation(x, p):
    return x[np.argsort(np.asarray(p))] * x


@case(at(rand(11, 4), 2), at(rand(11, 4), 0))
def update_depends_on_place(x, i):
    return x.at[i].set(x[i] * x[0])


@case(at(rand(12, 4), np.array([1, 0, 1, 3, 0, 1])))
def updates_in_a_loop(x, indices):
    y = x
    for i in indices:
        y = y.at[i].set(y[i] * y[0] + x[i])
    return y


@case(at(rand(13, 4), 2), at(rand(13, 4), 0))
def old_and_new(x, i):
    y = x * 2.0
    return jnp.sum(y * y.at[i].set(y[0] * y[i]))


@case(at(rand(14, 4, 3), rand(15, 3)))
def row_updates(a, v):
    for i in range(a.shape[0]):
        a = a.at[i].set(a[i] * v + a[0])
    return a


@case(at(rand(16, 7)))
def slice_updates(x):
    for i in range(x.shape[0] - 2):
        x = x.at[i:i + 2].set(x[i + 1:i + 3] * x[i])
    return x


@case(at(rand(17, 3, 4)))
def column_updates(a):
    for j in range(a.shape[1]):
        a = a.at[:, j].set(a[:, 0] * a[:, j])
    return a


@case(at(rand(18, 6), np.array([0, 2, 1, 0, 3, 3]), np.array([0, 2, 2, 3, 6]), rand(19, 4)))
def csr_product(values, cols, start, x):
    start = np.asarray(start)
    return jnp.stack([jnp.sum(values[a:b] * x[cols[a:b]]) for a, b in zip(start, start[1:])])


@case(at(rand(20, 6), np.array([3, 0, 0, 1, 3, 3]), np.array([0, 2, 1, 0, 3, 3]), rand(21, 4)))
def coordinate_product(values, rows, cols, x):
    return jnp.zeros(4).at[rows].add(values * x[cols])


@case(at(rand(22, 5, 4), 3))
def stencil(u, k):
    for _ in range(k):
        inner = u[1:-1, 1:-1]
        near = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner
        u = u.at[1:-1, 1:-1].set(inner + 0.1 * near * inner)
    return u


@case(at(rand(23, 5), 2), at(rand(23, 5), -1))
def shifted_products(x, k):
    return x * jnp.roll(x, -k) - jnp.roll(x, -1)
