import jax.numpy as jnp
import numpy as np
from jax import lax
from peer import at, case, rand


@case(at(rand(1, 2, 3), rand(2, 3, 3)))
def joined(a, b):
    return jnp.concatenate([a, b, a * 2.0])


@case(at(rand(3, 2, 3), rand(4, 2, 2)))
def joined_beside(a, b):
    return jnp.concatenate([a, b], 1)


@case(at(rand(5, 3), rand(6, 3)))
def stacked(x, y):
    return jnp.stack([x, y, x * y])


@case(at(rand(7, 2, 3, 4)))
def permuted(a):
    return jnp.sin(jnp.transpose(a, (2, 0, 1)))


@case(at(rand(8, 2, 3)), at(rand(8, 4, 4)))
def reshaped(a):
    return a.reshape(a.shape[::-1]) * a.T


@case(at(rand(9, 3, 4)))
def reversed(a):
    return a[::-1] * a[:, ::-1]


@case(at(rand(10, 3), 4), at(rand(10, 3), 1))
def broadcast(x, k):
    return jnp.broadcast_to(x * x[0], (k, x.shape[0]))


@case(at(rand(11, 4), 0.7))
def padded(x, v):
    return lax.pad(x, v, [(2, 3, 0)]) * 1.5


@case(at(rand(12, 4), 0.7), at(rand(12, 1), 0.7))
def padded_inside(x, v):
    return lax.pad(x, v, [(0, 2, 1)])


@case(at(rand(12, 4), 0.7), at(rand(12, 2), 0.7))
def padded_and_cut(x, v):
    return lax.pad(x, v, [(-2, 2, 1)]) * v


@case(at(rand(13, 8)))
def strided(x):
    return x[::2] * x[1::2]


@case(at(rand(14, 4, 5), 1, 2), at(rand(14, 2, 2), 0, 0))
def sliced(a, i, j):
    return a[i:i + 2, j:j + 2]


@case(at(rand(15, 6), 2), at(rand(15, 6), 5), at(rand(15, 6), -3))
def slice_at(x, i):
    return lax.dynamic_slice(x, (max(i, 0),), (3,)) * x[max(min(i, x.shape[0] - 3), 0)]


@case(at(rand(16, 6), rand(17, 2), 3))
def slice_replaced(x, v, i):
    return lax.dynamic_update_slice(x, v * x[i], (i,))


@case(at(rand(18, 4, 3), rand(19, 2, 2)))
def part_replaced(a, v):
    return a.at[1:3, 0:2].set(v * a[0, 0])


@case(at(rand(20, 5, 5)))
def diagonal_sum(a):
    return jnp.sum(jnp.diag(a) * jnp.diag(a[:, ::-1]))


@case(at(rand(21, 5)), at(rand(21, 1)))
def rolled(x):
    return jnp.roll(x, -2) * jnp.roll(x, 1)


@case(at(rand(22, 3, 4), np.array([[0, 3, 3], [1, 1, 1], [2, 0, 1]])))
def taken_along(a, indices):
    return jnp.take_along_axis(a, indices, 1) ** 2


@case(at(rand(23, 4, 3), np.array([0, 2, 0, 3]), np.array([1, 1, 1, 0]), rand(24, 4)))
def put(a, rows, cols, v):
    for i, j, x in zip(rows, cols, v):
        a = a.at[i, j].set(x * x)
    return a


@case(at(rand(25, 4), np.array([0, 2, 0, 3, 0]), rand(26, 5)))
def added_at(x, indices, v):
    return x.at[indices].add(v * v)


@case(at(rand(27, 4), np.array([0, 2, 0, 3, 0]), rand(28, 5)),
      at(np.array([0.0, 1.0, 2.0, 0.0]), np.array([0, 2, 0, 3]), np.array([0.0, 0.0, 3.0, 4.0])))
def multiplied_at(x, indices, v):
    for i, y in zip(indices, v):
        x = x.at[i].set(x[i] * y)
    return x


@case(at(rand(29, 4), np.array([0, 2, 0, 3, 0]), rand(30, 5)),
      at(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1, 2]), np.array([1.0, 2.0, 2.0, 4.0])))
def greatest_at(x, indices, v):
    for i, y in zip(indices, v):
        x = x.at[i].set(jnp.where(x[i] >= y, x[i], y))
    return x


@case(at(rand(31, 7)), at(rand(31, 3)))
def windows_added(x):
    return lax.reduce_window(x, 0.0, lax.add, (3,), (1,), "VALID") * x[:-2]


@case(at(rand(32, 7)), at(np.array([2.0, 1.0, 2.0, 1.0, 0.5])))
def sorted(x):
    return x[jnp.argsort(x)] * x


@case(at(rand(33, 6)))
def sorted_down(x):
    return -jnp.sort(-x)


@case(at(rand(34, 6), rand(35, 6)), at(np.array([1.0, 0.5, 1.0, 0.5]), rand(36, 4)))
def sorted_by_key(keys, x):
    a, b = lax.sort((keys, x), num_keys=1, is_stable=True)
    return a, b ** 2


@case(at(np.array([1, 0, 1, 0, 1]), rand(37, 5), rand(38, 5)))
def sorted_by_two(a, b, x):
    _, b, x = lax.sort((jnp.asarray(a), b, x), num_keys=2, is_stable=True)
    return x * b


@case(at(rand(39, 3, 4)))
def sorted_rows(a):
    return jnp.sort(a, 1) * a[:, :1]


@case(at(rand(40, 7)), at(np.array([1.0, 2.0, 2.0, 3.0, 2.0])))
def top_three(x):
    return x[jnp.argsort(-x, stable=True)[:3]] ** 2


@case(at(rand(41, 7)), at(rand(42, 6)))
def middle(x):
    return jnp.median(x)


@case(at(rand(43, 6)))
def ranked_loss(x):
    return jnp.sum((2.0 * np.arange(6) - 5.0) * jnp.sort(x))


@case(at(rand(44, 4, lo=0.1, hi=2.9), np.array([0.0, 0.5, 1.75, 3.0]), rand(45, 4)))
def interpolated(x, xs, ys):
    return jnp.interp(x, xs, ys)


@case(at(rand(46, 3, 4)))
def one_hot_choice(a):
    return jnp.sum(jnp.max(a, 1) * a[:, 0])


@case(at(rand(47, 4)))
def all_pairs(x):
    d = x[:, None] - x[None, :]
    return d ** 2 / (1.0 + jnp.abs(d))


@case(at(rand(48, 4, 4)))
def lower(a):
    return jnp.tril(a) @ a
