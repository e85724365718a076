"""Functions in JAX."""

import arr
import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import arr.jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

M = arr.compile("""
def loss(p: { w: [n][m]f64, b: [n]f64 }, x: [m]f64) -> f64 = sum(tanh(p.w @ x + p.b) ** 2)
def outer(x: [n]f64, y: [m]f64) -> ([n][m]f64, f64, i64) = (for i, j => sin(x[i]) * y[j], sum(x) ** 3, 2)
def scale(x: [n]f64, a: f64, k: i64) -> [n]f64 = for i => a * x[i] ** k
def single(x: [n]f32) -> f32 = sum(x ** 2)
def at(x: [n]f64, i: i64) -> f64 = x[i]
def grow(n: i64) -> [n]f64 = for i < n => 1.0
""")

random = np.random.default_rng(3)
P = {"w": random.normal(size=(3, 2)), "b": random.normal(size=3)}
X = random.normal(size=2)
ENGINES = ("native", "xla")
LOSSES = {engine: arr.jax.function(M.loss, engine=engine) for engine in ENGINES}


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture
def loss(engine):
    return LOSSES[engine]


def same(p, x):
    return jnp.sum(jnp.tanh(p["w"] @ x + p["b"]) ** 2)


def close(a, b):
    a, b = jax.tree.leaves(a), jax.tree.leaves(b)
    assert len(a) == len(b)
    for x, y in zip(a, b):
        assert np.shape(x) == np.shape(y)
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


TRANSFORMS = {
    "value": lambda f: f,
    "jit": jax.jit,
    "grad": jax.grad,
    "grad of both": lambda f: jax.grad(f, argnums=(0, 1)),
    "jit of value_and_grad": lambda f: jax.jit(jax.value_and_grad(f)),
    "jacfwd": jax.jacfwd,
    "jacrev": lambda f: jax.jacrev(f, argnums=1),
    "hessian": lambda f: jax.hessian(f, argnums=1),
    "forward over reverse": lambda f: jax.jacfwd(jax.grad(f)),
    "reverse over reverse": lambda f: jax.jacrev(jax.grad(f, argnums=1), argnums=1),
    "reverse over forward": lambda f: jax.grad(lambda p, x: jax.jvp(lambda x: f(p, x), (x,), (x,))[1]),
    "linearize": lambda f: lambda p, x: jax.linearize(lambda x: f(p, x), x)[1](x),
    "vjp": lambda f: lambda p, x: jax.vjp(f, p, x)[1](1.0),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(f)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transformations(name, loss):
    close(TRANSFORMS[name](loss)(P, X), TRANSFORMS[name](same)(P, X))


BATCHES = {
    "x": (lambda f: jax.vmap(f, in_axes=(None, 0)), False),
    "both": (lambda f: jax.vmap(f), True),
    "a part of the record": (lambda f: jax.vmap(f, in_axes=({"w": None, "b": 0}, None)), True),
    "grad": (lambda f: jax.vmap(jax.grad(f), in_axes=(None, 0)), False),
    "grad of the sum": (lambda f: jax.grad(lambda p, xs: jnp.sum(jax.vmap(f, in_axes=(None, 0))(p, xs))), False),
    "jit and hessian": (lambda f: jax.jit(jax.vmap(jax.hessian(f, argnums=1), in_axes=(None, 0))), False),
    "jvp": (lambda f: lambda p, xs: jax.vmap(lambda x: jax.jvp(f, (p, x), (p, x)), in_axes=0)(xs), False),
}


@pytest.mark.parametrize("name", BATCHES)
def test_batches(name, loss):
    transform, whole = BATCHES[name]
    p = {"w": random.normal(size=(4, 3, 2)), "b": random.normal(size=(4, 3))}
    xs = random.normal(size=(4, 2))
    if name == "a part of the record":
        args = ({"w": P["w"], "b": p["b"]}, X)
    else:
        args = (p if whole else P, xs)
    close(transform(loss)(*args), transform(same)(*args))


def test_batches_of_batches(loss):
    xs = random.normal(size=(3, 4, 2))
    twice = lambda f: jax.vmap(jax.vmap(f, in_axes=(None, 0)), in_axes=(None, 0))  # noqa: E731
    close(twice(loss)(P, xs), twice(same)(P, xs))


def test_a_batch_is_one_call(loss):
    text = str(jax.make_jaxpr(jax.vmap(loss, in_axes=(None, 0)))(P, np.zeros((5, 2))))
    assert text.count("arr_call[") == 1 and "vmap" in text


def test_several_results(engine):
    outer = arr.jax.function(M.outer, engine=engine)
    x, y = random.normal(size=3), random.normal(size=2)
    a, b, n = jax.jit(outer)(x, y)
    close((a, b), (np.outer(np.sin(x), y), np.sum(x) ** 3))
    assert n == 2 and n.dtype == jnp.int64

    def total(x, y):
        a, b, _ = outer(x, y)
        return jnp.sum(a**2) * b

    def plain(x, y):
        return jnp.sum((jnp.sin(x)[:, None] * y) ** 2) * jnp.sum(x) ** 3

    close(jax.grad(total, argnums=(0, 1))(x, y), jax.grad(plain, argnums=(0, 1))(x, y))
    close(jax.grad(lambda x: outer(x, y)[1])(x), jax.grad(lambda x: jnp.sum(x) ** 3)(x))


def test_numbers(engine):
    scale = arr.jax.function(M.scale, engine=engine)
    x = jnp.arange(3.0)
    close(scale(x, 2.0, 3), 2.0 * x**3)
    close(jax.grad(lambda a: jnp.sum(scale(x, a, 2)))(2.0), 5.0)
    close(jax.vmap(scale, in_axes=(None, 0, 0))(x, jnp.array([1.0, 2.0]), jnp.array([1, 2])), jnp.stack([x, 2.0 * x**2]))


def test_scan(loss):
    def step(x, _):
        return x - 0.1 * jax.grad(lambda x: loss(P, x))(x), loss(P, x)

    def plain(x, _):
        return x - 0.1 * jax.grad(lambda x: same(P, x))(x), same(P, x)

    close(jax.lax.scan(step, X, None, 20), jax.lax.scan(plain, X, None, 20))
    close(jax.grad(lambda x: jax.lax.scan(step, x, None, 5)[1][-1])(X), jax.grad(lambda x: jax.lax.scan(plain, x, None, 5)[1][-1])(X))


def test_records(engine):
    m = arr.compile("def f(x: f64) -> { a: f64, b: [2]f64 } = { a = x, b = [x, 2.0 * x] }")
    f = arr.jax.function(m.f, engine=engine)
    out = jax.jit(f)(3.0)
    assert type(out).__name__ == "Record" and out.b.tolist() == [3.0, 6.0]
    tangent = jax.jacfwd(f)(3.0)
    assert (tangent.a, tangent.b.tolist()) == (1.0, [1.0, 2.0])
    assert jax.tree.leaves(m.f(3.0))[0] == 3.0


def test_types():
    assert arr.jax.function(M.single)(jnp.ones(3, dtype=jnp.float32)) == 3.0
    with pytest.raises(TypeError, match="float32"):
        arr.jax.function(M.single)(jnp.ones(3))
    assert arr.jax.function(M.single, engine="xla")(jnp.ones(3, dtype=jnp.float32)) == 3.0
    with pytest.raises(ValueError, match="no engine"):
        arr.jax.function(M.single, engine="tpu")
    assert arr.jax.function(M.grow)(3).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(TypeError, match="value of a number"):
        arr.jax.function(M.grow)(jnp.int64(3))


def test_errors(engine, loss):
    at = jax.jit(arr.jax.function(M.at, engine=engine))
    assert at(jnp.arange(3.0), 2) == 2.0
    with pytest.raises(Exception, match="index 3 is out of range"):
        jax.block_until_ready(at(jnp.arange(3.0), 3))
    with pytest.raises(Exception, match="disagree|shape"):
        jax.block_until_ready(loss(P, jnp.zeros(5)))
    assert at(jnp.arange(3.0), 1) == 1.0


def test_arrays_as_arguments():
    before = arr.copies()
    assert M.loss(jax.tree.map(jnp.asarray, P), jnp.asarray(X)) == pytest.approx(float(same(P, X)), rel=1e-14)
    assert arr.copies() == before
