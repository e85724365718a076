import jax
import jax.numpy as jnp
import numpy as np
from peer import at, case, rand


@case(at(1.3, 5), at(0.0, 1), at(0.0, 2), at(2.0, 0))
def power(x, n):
    return x ** n if n else jnp.ones(()) + 0.0 * x


@case(at(2.0), at(0.3))
def newton_root(a):
    x = a
    for _ in range(60):
        x = jnp.where(jnp.abs(x * x - a) > 1e-14 * a, 0.5 * (x + a / x), x)
    return x


@case(at(0.3, 3.7, 12))
def logistic_map(x, r, n):
    for _ in range(n):
        x = r * x * (1.0 - x)
    return x


@case(at(rand(1, 3), rand(2, 3), 4))
def swapped(x, y, k):
    a, b = x, y
    for _ in range(k):
        a, b = b, a * b + x
    return a, b


@case(at(0.7, 5))
def three_states(x, n):
    a, b, c = x, 1.0, x * x
    for _ in range(n):
        a, b, c = b * c, c + a, a * jnp.sin(b)
    return a, b, c


@case(at(rand(3, 6)))
def true_dependence(x):
    y = x
    for i in range(x.shape[0] - 1):
        y = y.at[i + 1].set(y[i + 1] * y[i] + jnp.sin(y[i]))
    return y


@case(at(rand(4, 5)))
def false_dependence(x):
    return x * x * x[::-1]


@case(at(rand(5, 4), rand(6, 4)))
def two_arrays(x, y):
    a, b, n = x, y, x.shape[0]
    for i in range(n):
        a, b = a.at[i].set(b[i] * a[0]), b.at[n - 1 - i].set(a[i] + b[0])
    return a, b


@case(at(rand(7, 4), 3))
def nested(x, k):
    s = 0.1
    for _ in range(k):
        t = s
        for v in x:
            t = t * v + jnp.sin(s)
        s = t
    return s


@case(at(rand(8, 4, 4)))
def triangular(a):
    s = 1.0
    for i in range(a.shape[0]):
        t = s
        for j in range(i):
            t = t * a[i, j] + s
        s = t
    return s


@case(at(np.array([0.5, -1.0, 2.0, 1.5, -3.0, 0.7, 2.5])), at(np.array([-0.5, -2.0, 3.0, -4.0, 0.1])))
def branches(x):
    s = 0.5
    for v in x:
        s = jnp.where(s * v > 0.0, s + v * v, jnp.where(s < -1.0, jnp.cos(s) * v, s * v - 0.25))
    return s


@case(at(rand(9, 5), 3))
def loop_in_a_branch(x, k):
    y = x
    for _ in range(k):
        y = y * x + 0.5
    return jnp.where(x > 0.0, y, jnp.exp(x))


@case(at(rand(10, 5)))
def uneven(x):
    out = []
    for i in range(x.shape[0]):
        y = x[i]
        for j in range(i):
            y = y * y + x[j]
        out.append(y)
    return jnp.stack(out)


@case(at(rand(11, 5)))
def while_in_a_map(x):
    y = x
    for _ in range(30):
        y = jnp.where(y < 4.0, y * y + 0.5 * x + 1.0, y)
    return y


@case(at(np.array([0.5, 1.5, -1.0, 2.5, 0.1])), at(np.array([0.5, 1.5, -1.0])))
def while_with_an_array(x):
    y, go = x, True
    for i in range(x.shape[0]):
        go = jnp.logical_and(go, y[i] < 2.0)
        y = jnp.where(go, y.at[0].set(y[0] + y[i] * y[i]), y)
    return y


@case(at(rand(12, 4, 3)))
def over_rows(a):
    s = jnp.ones(3)
    for row in a:
        s = s * row + jnp.sum(s)
    return s


@case(at(rand(13, 3, 3), 4))
def matrix_power(a, k):
    p = a
    for _ in range(k):
        p = p @ a
    return p


@case(at(np.array([[2.0, 0.5, 0.1], [0.4, 1.0, -0.3], [0.2, 0.1, 0.5]]), 6))
def power_method(a, k):
    v = jnp.ones(3)
    for _ in range(k):
        w = a @ v
        v = w / jnp.sqrt(jnp.sum(w * w))
    return v @ (a @ v)


@case(at(rand(14, 3, 3), rand(15, 3, 2), rand(16, 4, 2)))
def recurrent(w, u, xs):
    h = jnp.zeros(3)
    for x in xs:
        h = jnp.tanh(w @ h + u @ x)
    return h


@case(at(0.7, 6))
def history(x, n):
    out = []
    for _ in range(n):
        x = jnp.sin(x) + 0.1 * x * x
        out.append(x)
    return jnp.stack(out)


@case(at(rand(17, 4), 5))
def iterated(x, k):
    y = x
    for _ in range(k):
        y = jnp.cos(y) * x
    return y


@case(at(rand(18, 3), rand(19, 3), 8))
def descent(a, x, k):
    def cost(x):
        return jnp.sum((x - a) ** 2 + 0.1 * x ** 4)
    for _ in range(k):
        x = x - 0.1 * jax.grad(cost)(x)
    return cost(x)


@case(at(rand(20, 3)))
def no_steps(x):
    return x


@case(at(np.array([1.0, 2.0, 0.5, 3.0, 1.5])))
def continued_fraction(x):
    y = 1.0
    for v in x[::-1]:
        y = v + 1.0 / y
    return y


@case(at(rand(21, 6), 0.7), at(rand(21, 6), 0.0))
def horner(c, x):
    return jnp.polyval(c, x)


@case(at(rand(22, 6), 4))
def heat(x, k):
    for _ in range(k):
        x = 0.25 * jnp.concatenate([x[:1], x[:-1]]) + 0.5 * x * x + 0.25 * jnp.concatenate([x[1:], x[-1:]])
    return x


@case(at(rand(23, 4, 4) + 3.0 * np.eye(4)))
def lu_in_place(a):
    n = a.shape[0]
    for k in range(n):
        for r in range(k + 1, n):
            f = a[r, k] / a[k, k]
            a = a.at[r, k + 1:].add(-f * a[k, k + 1:]).at[r, k].set(f)
    return a
