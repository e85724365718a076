import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special
from peer import at, case, rand, single

LINE = at(np.array([-2.5, -0.75, 0.3, 1.25, 3.5]))
POSITIVE = at(np.array([0.05, 0.5, 1.0, 2.25, 7.5]))
INSIDE = at(np.array([-0.9, -0.25, 0.0, 0.4, 0.95]))
GAMMA = at(np.array([0.1, 0.75, 1.5, 2.5, 6.25, 30.5]))
PAIR = at(np.array([-2.5, -0.75, 0.3, 1.25, 3.5]), np.array([1.5, 0.5, -0.2, -2.0, 0.75]))


def name(f, name):
    def function(*arguments):
        return f(*arguments)
    function.__name__ = name
    function.__module__ = __name__
    return function


def polygamma(k):
    return lambda x: special.polygamma(k, x)


TABLE = [
    ("absolute", lambda x: jnp.abs(x), [LINE]),
    ("arc_cosine", jnp.arccos, [INSIDE]),
    ("arc_sine", jnp.arcsin, [INSIDE]),
    ("arc_tangent", jnp.arctan, [LINE]),
    ("arc_tangent_of_two", jnp.arctan2, [PAIR]),
    ("hyperbolic_arc_sine", jnp.arcsinh, [LINE]),
    ("hyperbolic_arc_cosine", jnp.arccosh, [at(np.array([1.1, 1.5, 2.5, 9.0]))]),
    ("hyperbolic_arc_tangent", jnp.arctanh, [INSIDE]),
    ("cosine", jnp.cos, [LINE]),
    ("hyperbolic_cosine", jnp.cosh, [LINE]),
    ("digamma_of", special.digamma, [GAMMA]),
    ("error_function", special.erf, [LINE, INSIDE]),
    ("exponential", jnp.exp, [LINE]),
    ("exponential_less_one", jnp.expm1, [LINE, at(np.array([1e-9, -1e-5, 0.0]))]),
    ("steps", lambda x: jnp.floor(x) * x + jnp.ceil(x) + jnp.round(x) * x * x + jnp.sign(x), [LINE]),
    ("log_gamma", special.gammaln, [GAMMA]),
    ("logarithm", jnp.log, [POSITIVE]),
    ("logarithm_of_one_more", jnp.log1p, [POSITIVE, at(np.array([1e-9, -1e-5, -0.9]))]),
    ("logistic", jax.nn.sigmoid, [LINE, at(np.array([-40.0, 40.0, -300.0]))]),
    ("greater", lambda x, y: jnp.where(x >= y, x, y) * y, [PAIR, at(np.array([1.0, -2.0]), np.array([1.0, -2.0]))]),
    ("lesser", lambda x, y: jnp.where(x <= y, x, y) * y, [PAIR, at(np.array([1.0, -2.0]), np.array([1.0, -2.0]))]),
    ("trigamma", polygamma(1), [GAMMA]),
    ("tetragamma", polygamma(2), [GAMMA]),
    ("power", jnp.power, [at(np.array([0.5, 1.5, 2.0, 3.0]), np.array([2.5, -1.5, 0.0, 1.0]))]),
    ("whole_power", lambda x: x ** 3 + x ** -2, [LINE]),
    ("squares", lambda x: x ** 2 + x + 1.0, [LINE, at(np.array([0.0, 2.0]))]),
    ("reciprocal_root", jax.lax.rsqrt, [POSITIVE]),
    ("remainder", lambda x, y: x - y * jnp.floor(x / y), [PAIR]),
    ("quotient", lambda x, y: x / y, [PAIR]),
    ("sine", jnp.sin, [LINE, at(np.array([1e6, 1e-8, 0.0]))]),
    ("hyperbolic_sine", jnp.sinh, [LINE]),
    ("soft_plus", jax.nn.softplus, [LINE, at(np.array([-40.0, 40.0, 700.0]))]),
    ("root", jnp.sqrt, [POSITIVE]),
    ("cube_root", jnp.cbrt, [LINE]),
    ("tangent", jnp.tan, [LINE]),
    ("hyperbolic_tangent", jnp.tanh, [LINE, at(np.array([-20.0, 20.0, 0.01]))]),
    ("sinc", jnp.sinc, [LINE]),
    ("clamped", lambda x, lo, hi: jnp.clip(x, lo, hi), [at(LINE[0], -1.0, 2.0)]),
    ("chosen", lambda x, y: jnp.where(x > y, x * y, jnp.sqrt(y)), [at(POSITIVE[0], POSITIVE[0][::-1].copy())]),
    ("entropy", special.entr, [POSITIVE]),
    ("difference_of_logarithms", lambda x: jnp.log(1.0 + jnp.exp(x)) - jax.nn.softplus(x) + jnp.log1p(jnp.exp(-jnp.abs(x))),
     [LINE]),
    ("length_of_two", jnp.hypot, [PAIR]),
]
for title, function, points in TABLE:
    case(*points)(name(function, title))

X32 = single(np.array([0.5, 1.25, 2.0, 0.75]))


# Numbers of 32 bits have about seven digits.
@case(at(X32), relative=2e-5)
def in_f32(x):
    return jnp.sin(x) * jnp.exp(x) + jnp.tanh(x) / (1.5 + x * x)


@case(at(X32, X32[::-1].copy()), relative=2e-5)
def roots_in_f32(x, y):
    return jnp.sqrt(x) * jnp.log(y) + x ** y


@case(at(X32), relative=2e-5)
def sum_in_f32(x):
    return jnp.sum(x * x) * jnp.prod(x) + jnp.max(x)


@case(at(X32, rand(1, 4)), relative=2e-5)
def mixed_widths(x, y):
    return x.astype(jnp.float64) * y + (y.astype(jnp.float32) * x).astype(jnp.float64)
