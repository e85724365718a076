"""The published starting points, and points where the sum of squares is as published: a solution where one is known."""

import jax.numpy as jnp
import numpy as np
from peer import at, case

A = np.array


@case(at(A([-1.2, 1.0])), at(A([1.0, 1.0])), published={1: 0.0})
def rosenbrock_1(x):
    return jnp.stack([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]])


@case(at(A([0.5, -2.0])), at(A([5.0, 4.0])), published={1: 0.0})
def freudenstein_roth_2(x):
    return jnp.stack([-13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1],
                      -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1]])


@case(at(A([0.0, 1.0])))
def powell_badly_scaled_3(x):
    return jnp.stack([1e4 * x[0] * x[1] - 1.0, jnp.exp(-x[0]) + jnp.exp(-x[1]) - 1.0001])


@case(at(A([1.0, 1.0])), at(A([1e6, 2e-6])), published={1: 0.0})
def brown_badly_scaled_4(x):
    return jnp.stack([x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2.0])


@case(at(A([1.0, 1.0])), at(A([3.0, 0.5])), published={1: 0.0})
def beale_5(x):
    return A([1.5, 2.25, 2.625]) - x[0] * (1.0 - jnp.stack([x[1], x[1] ** 2, x[1] ** 3]))


@case(at(A([0.3, 0.4])), at(A([0.2578252135, 0.2578252137])), published={1: 124.362})
def jennrich_sampson_6(x):
    i = np.arange(1.0, 11.0)
    return 2.0 + 2.0 * i - (jnp.exp(i * x[0]) + jnp.exp(i * x[1]))


@case(at(A([-1.0, 0.0, 0.0])), at(A([1.0, 0.0, 0.0])), published={1: 0.0})
def helical_valley_7(x):
    at = jnp.arctan(x[1] / x[0]) / (2 * np.pi) + jnp.where(x[0] > 0, 0.0, 0.5)
    return jnp.stack([10.0 * (x[2] - 10.0 * at), 10.0 * (jnp.hypot(x[0], x[1]) - 1.0), x[2]])


BARD = A([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.1, 4.39])


@case(at(A([1.0, 1.0, 1.0])), at(A([0.08241055975, 1.133036092, 2.343695179])), published={1: 8.21487e-3})
def bard_8(x):
    u = np.arange(1.0, 16.0)
    v = 16.0 - u
    return BARD - (x[0] + u / (v * x[1] + np.minimum(u, v) * x[2]))


HALF = [0.0009, 0.0044, 0.0175, 0.054, 0.1295, 0.242, 0.3521]


@case(at(A([0.4, 1.0, 0.0])), at(A([0.3989561378, 1.0000190845, 0.0])), published={1: 1.12793e-8})
def gaussian_9(x):
    t = (8.0 - np.arange(1, 16)) / 2.0
    return x[0] * jnp.exp(-x[1] * (t - x[2]) ** 2 / 2.0) - A(HALF + [0.3989] + HALF[::-1])


MEYER = A([34780.0, 28610.0, 23650.0, 19630.0, 16370.0, 13720.0, 11540.0, 9744.0, 8261.0, 7030.0, 6005.0, 5147.0, 4427.0,
           3820.0, 3307.0, 2872.0])


@case(at(A([0.02, 4000.0, 250.0])), at(A([0.005609636471, 6181.346346, 345.2236346])), published={1: 87.9458})
def meyer_10(x):
    return x[0] * jnp.exp(x[1] / (45.0 + 5.0 * np.arange(1, 17) + x[2])) - MEYER


@case(at(A([5.0, 2.5, 0.15])), at(A([50.0, 25.0, 1.5])), published={1: 0.0})
def gulf_11(x):
    t = np.arange(1, 11) / 100.0
    y = 25.0 + (-50.0 * np.log(t)) ** (2.0 / 3.0)
    return jnp.exp(-(jnp.abs(y - x[1]) ** x[2]) / x[0]) - t


@case(at(A([0.0, 10.0, 20.0])), at(A([1.0, 10.0, 1.0])), published={1: 0.0})
def box_12(x):
    t = 0.1 * np.arange(1, 11)
    return jnp.exp(-t * x[0]) - jnp.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10.0 * t))


def powell(x):
    return jnp.stack([x[0] + 10.0 * x[1], 5.0 ** 0.5 * (x[2] - x[3]), (x[1] - 2.0 * x[2]) ** 2,
                      10.0 ** 0.5 * (x[0] - x[3]) ** 2])


@case(at(A([3.0, -1.0, 0.0, 1.0])), at(np.zeros(4)), published={1: 0.0})
def powell_singular_13(x):
    return powell(x)


@case(at(A([-3.0, -1.0, -3.0, -1.0])), at(np.ones(4)), published={1: 0.0})
def wood_14(x):
    return jnp.stack([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0], 90.0 ** 0.5 * (x[3] - x[2] ** 2), 1.0 - x[2],
                      10.0 ** 0.5 * (x[1] + x[3] - 2.0), (x[1] - x[3]) / 10.0 ** 0.5])


KOWALIK = A([0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])
U = A([4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])


@case(at(A([0.25, 0.39, 0.415, 0.39])), at(A([0.1928069346, 0.1912823287, 0.1230565069, 0.1360623307])), published={1: 3.07505e-4})
def kowalik_osborne_15(x):
    return KOWALIK - x[0] * (U * U + U * x[1]) / (U * U + U * x[2] + x[3])


@case(at(A([25.0, 5.0, -5.0, -1.0])), at(A([-11.59443991, 13.20363005, -0.4034394888, 0.2367787738])), published={1: 85822.2})
def brown_dennis_16(x):
    t = np.arange(1, 21) / 5.0
    return (x[0] + t * x[1] - np.exp(t)) ** 2 + (x[2] + x[3] * np.sin(t) - np.cos(t)) ** 2


OSBORNE_1 = A([0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.85, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603,
               0.58, 0.558, 0.538, 0.522, 0.506, 0.49, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.42, 0.414, 0.411,
               0.406])


@case(at(A([0.5, 1.5, -1.0, 0.01, 0.02])), at(A([0.375410053, 1.935846933, -1.464687132, 0.01286753464, 0.02212269965])), published={1: 5.46489e-5})
def osborne_17(x):
    t = 10.0 * np.arange(33)
    return OSBORNE_1 - (x[0] + x[1] * jnp.exp(-t * x[3]) + x[2] * jnp.exp(-t * x[4]))


@case(at(A([1.0, 2.0, 1.0, 1.0, 1.0, 1.0])), at(A([1.0, 10.0, 1.0, 5.0, 4.0, 3.0])), published={1: 0.0})
def biggs_18(x):
    t = 0.1 * np.arange(1, 14)
    y = np.exp(-t) - 5.0 * np.exp(-10.0 * t) + 3.0 * np.exp(-4.0 * t)
    return x[2] * jnp.exp(-t * x[0]) - x[3] * jnp.exp(-t * x[1]) + x[5] * jnp.exp(-t * x[4]) - y


OSBORNE_2 = A([1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679, 0.608, 0.655, 0.616, 0.606,
               0.602, 0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495, 0.5, 0.423,
               0.395, 0.375, 0.372, 0.391, 0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668,
               0.645, 0.632, 0.591, 0.559, 0.597, 0.625, 0.739, 0.71, 0.729, 0.72, 0.636, 0.581, 0.428, 0.292, 0.162, 0.098,
               0.054])


@case(at(A([1.3, 0.65, 0.65, 0.7, 0.6, 3.0, 5.0, 7.0, 2.0, 4.5, 5.5])), at(A([1.309977155, 0.4315537955, 0.6336616986, 0.5994305352, 0.7541832266, 0.904288581, 1.365811821, 4.823698827, 2.398684871, 4.56887459, 5.675341471])), published={1: 4.01377e-2})
def osborne_19(x):
    t = 0.1 * np.arange(65)
    bells = sum(x[k + 1] * jnp.exp(-((t - x[k + 8]) ** 2) * x[k + 5]) for k in range(3))
    return OSBORNE_2 - (x[0] * jnp.exp(-t * x[4]) + bells)


@case(at(np.zeros(6)), at(A([-0.01572508640, 1.012434869, -0.2329916259, 1.260430088, -1.513728923, 0.9929964325])), published={1: 2.28767e-3})
def watson_20(x):
    n = x.shape[0]
    t = np.arange(1, 30)[:, None] / 29.0
    slope = (t ** np.arange(n - 1)) @ (np.arange(1, n) * x[1:])
    rows = slope - ((t ** np.arange(n)) @ x) ** 2 - 1.0
    return jnp.concatenate([rows, jnp.stack([x[0], x[1] - x[0] ** 2 - 1.0])])


@case(at(A([-1.2, 1.0, -1.2, 1.0, -1.2, 1.0])), at(np.ones(4)), published={1: 0.0})
def extended_rosenbrock_21(x):
    return jnp.stack([10.0 * (x[1::2] - x[::2] ** 2), 1.0 - x[::2]], 1).reshape(-1)


@case(at(A([3.0, -1.0, 0.0, 1.0] * 2)), at(np.zeros(4)), published={1: 0.0})
def extended_powell_22(x):
    return jnp.concatenate([powell(part) for part in x.reshape(-1, 4)])


@case(at(np.arange(1.0, 5.0)), at(np.full(4, 0.25000747), ), published={1: 2.24997e-5})
def penalty_one_23(x):
    return jnp.append(1e-5 ** 0.5 * (x - 1.0), jnp.sum(x * x) - 0.25)


@case(at(np.full(4, 0.5)), at(A([0.1999993356, 0.1913169879, 0.4801014827, 0.5188454026])), published={1: 9.37629e-6})
def penalty_two_24(x):
    n, a = x.shape[0], 1e-5 ** 0.5
    y = np.exp(np.arange(2, n + 1) / 10.0) + np.exp(np.arange(1, n) / 10.0)
    e = jnp.exp(x / 10.0)
    return jnp.concatenate([x[:1] - 0.2, a * (e[1:] + e[:-1] - y), a * (e[1:] - np.exp(-0.1)),
                            jnp.sum(np.arange(n, 0, -1) * x ** 2)[None] - 1.0])


@case(at(1.0 - np.arange(1, 6) / 5.0), at(np.ones(5)), published={1: 0.0})
def variably_dimensioned_25(x):
    s = jnp.sum(np.arange(1, x.shape[0] + 1) * (x - 1.0))
    return jnp.concatenate([x - 1.0, s[None], s[None] ** 2])


@case(at(np.full(5, 0.2)))
def trigonometric_26(x):
    n = x.shape[0]
    return n - jnp.sum(jnp.cos(x)) + np.arange(1, n + 1) * (1.0 - jnp.cos(x)) - jnp.sin(x)


@case(at(np.full(5, 0.5)), at(np.ones(5)), published={1: 0.0})
def brown_almost_linear_27(x):
    n = x.shape[0]
    return jnp.append(x[:-1] + jnp.sum(x) - (n + 1), jnp.prod(x) - 1.0)


T = np.arange(1, 7) / 7.0


@case(at(T * (T - 1.0)))
def discrete_boundary_28(x):
    n = x.shape[0]
    h = 1.0 / (n + 1)
    y = jnp.pad(x, 1)
    return 2.0 * x - y[:-2] - y[2:] + h * h * (x + np.arange(1, n + 1) * h + 1.0) ** 3 / 2.0


@case(at(T * (T - 1.0)))
def discrete_integral_29(x):
    n = x.shape[0]
    h = 1.0 / (n + 1)
    t = np.arange(1, n + 1) * h
    c = (x + t + 1.0) ** 3
    return x + h * ((1.0 - t) * (np.tril(np.ones((n, n))) @ (t * c)) + t * (np.triu(np.ones((n, n)), 1) @ ((1.0 - t) * c))) / 2.0


@case(at(np.full(6, -1.0)))
def broyden_tridiagonal_30(x):
    y = jnp.pad(x, 1)
    return (3.0 - 2.0 * x) * x - y[:-2] - 2.0 * y[2:] + 1.0


@case(at(np.full(8, -1.0)))
def broyden_banded_31(x):
    n = x.shape[0]
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    near = (j != i) & (j >= i - 5) & (j <= i + 1)
    return x * (2.0 + 5.0 * x ** 2) + 1.0 - near.astype(float) @ (x * (1.0 + x))


@case(at(np.ones(4), 7), at(-np.ones(4), 7), published={1: 3.0})
def linear_full_rank_32(x, m):
    s = 2.0 / m * jnp.sum(x) + 1.0
    return jnp.concatenate([x - s, jnp.broadcast_to(-s, (m - x.shape[0],))])


@case(at(np.ones(4), 7), at(A([0.2, 0.0, 0.0, 0.0]), 7), published={1: 7 * 6 / 30})
def linear_rank_one_33(x, m):
    return np.arange(1, m + 1) * jnp.sum(np.arange(1, x.shape[0] + 1) * x) - 1.0


@case(at(np.ones(5), 7), at(A([0.0, 3.0 / 22.0, 0.0, 0.0, 0.0]), 7), published={1: 64 / 22})
def linear_rank_one_34(x, m):
    i = np.arange(m)
    return np.where((i == 0) | (i == m - 1), 0, i) * jnp.sum(np.arange(2, x.shape[0]) * x[1:-1]) - 1.0


@case(at(np.arange(1, 8) / 8.0), at(A([0.0580691496, 0.2351716124, 0.3380440947, 0.5, 0.6619559053, 0.7648283876, 0.9419308504])), published={1: 0.0})
def chebyquad_35(x):
    a, b, rows = jnp.ones_like(x), 2.0 * x - 1.0, []
    for i in range(1, x.shape[0] + 1):
        rows.append(jnp.mean(b) + (0.0 if i % 2 else 1.0 / (i * i - 1.0)))
        a, b = b, 2.0 * (2.0 * x - 1.0) * b - a
    return jnp.stack(rows)
