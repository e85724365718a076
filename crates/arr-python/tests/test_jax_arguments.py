"""Arguments of functions in JAX that do not fit, and sizes that follow from shapes."""

import subprocess
import sys

import arr
import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import arr.jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

M = arr.compile("""
import arrays
def square(x: f64) -> f64 = x ** 2
def dot(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)
def head(x: [n+1]f64) -> [n]f64 = x[:n]
def half(x: [2*n]f64) -> [n]f64 = x[:n]
def mixed(p: { a: [n][m]f64, b: [3]f64 }, y: [n+m]f64, z: [n+1]f64) -> [n*m-1]f64 = for i < n * m - 1 => y[0] + sum(z)
def sized(k: i64, x: [k]f64) -> f64 = sum(x)
def take(x: [n]f64, k: i64) -> [k]f64 = for i < k => x[i]
def positive(x: [n]f64) = arrays.filter(\\v => v > 0.0, x)
def pair(t: (f64, [n]f64)) -> f64 = t.0 * sum(t.1)
def at(x: [n]f64, i: i64) -> f64 = x[i]
def power(lambda: f64, x': f64) -> f64 = lambda * x' ** 2
type Way = No | Some(f64)
def way(w: Way) -> f64 = match w { No => 0.0, Some(x) => x }
""")
P = {"a": jnp.ones((2, 3)), "b": jnp.ones(3)}


@pytest.fixture(params=("native", "xla"))
def engine(request):
    return request.param


def of(name, engine):
    return arr.jax.function(getattr(M, name), engine=engine)


WRONG = [
    ("square", (np.ones(3),), "argument `x` of `square`: expected `f64`, found a float64 array of the shape (3,)"),
    ("dot", (np.ones(3), 1.0), "argument `y` of `dot`: expected `[_]f64`, found a float64 number"),
    ("dot", (np.ones(3), np.ones(4)), "arguments `x` and `y` disagree about size `n`: 3 and 4"),
    ("head", (np.ones(0),), "no value of the size names in `n + 1` makes it 0, the extent of `x`"),
    ("half", (np.ones(3),), "no value of the size names in `2 * n` makes it 3, the extent of `x`"),
    ("mixed", (P, np.ones(6), np.ones(3)), "arguments `p` and `y` disagree about size `n + m`: 5 and 6"),
    ("mixed", ({**P, "b": np.ones(2)}, np.ones(5), np.ones(3)), "found: { a: [2][3]f64, b: [2]f64 }"),
    ("mixed", ({**P, "b": 1.0}, np.ones(5), np.ones(3)), "argument `p.b` of `mixed`: expected `[_]f64`"),
    ("mixed", ({"a": P["a"]}, np.ones(5), np.ones(3)), "argument `p` of `mixed`: the field `b` is missing"),
    ("mixed", ({**P, "c": 1.0}, np.ones(5), np.ones(3)), "there is no field `c`; the fields are a, b"),
    ("mixed", (3, np.ones(5), np.ones(3)), "expected a record of a, b, found a value of the class `int`"),
    ("sized", (4, np.ones(3)), "arguments `k` and `x` disagree: `k` is 4, but `x` has 3"),
    ("pair", ((1.0, np.ones(3), 2.0),), "expected a tuple of 2, found one of 3"),
    ("pair", (1.0,), "expected a tuple of 2, found a value of the class `float`"),
    ("square", ("x",), "argument `x` of `square`: found a value that is no array of JAX"),
    ("square", (1j,), "expected float64, and an array of complex128 is given"),
    ("way", (M.Way.Some(1.0),), "values of sum types have no leaves"),
]


@pytest.mark.parametrize("name, args, text", WRONG, ids=range(len(WRONG)))
def test_wrong(name, args, text, engine):
    with pytest.raises(arr.ShapeError) as caught:
        of(name, engine)(*args)
    assert text in str(caught.value), str(caught.value)


def test_the_words_are_those_of_calls(engine):
    for name, args in [("dot", (np.ones(3), np.ones(4))), ("mixed", ({**P, "b": np.ones(2)}, np.ones(6), np.ones(4)))]:
        with pytest.raises(arr.ShapeError) as traced:
            of(name, engine)(*args)
        with pytest.raises(arr.ShapeError) as called:
            getattr(M, name)(*args)
        assert str(traced.value) == str(called.value)
        assert traced.value.diagnostics == called.value.diagnostics


def test_when_traced(engine):
    for transform in (jax.jit, lambda f: lambda *args: jax.eval_shape(f, *args), jax.grad):
        with pytest.raises(arr.ShapeError, match="expected `f64`"):
            transform(of("square", engine))(jnp.ones(3))
        with pytest.raises(arr.ShapeError, match="`n`: 3 and 4"):
            transform(of("dot", engine))(jnp.ones(3), jnp.ones(4))
    with pytest.raises(arr.ShapeError, match="`n`: 3 and 4"):
        jax.vmap(of("dot", engine), in_axes=(0, None))(jnp.ones((2, 3)), jnp.ones(4))


def test_the_number_of_arguments(engine):
    for args, kwargs, text in [
        ((1.0,), {}, "lacks a value for `x'`"),
        ((), {"lambda_": 1.0}, "lacks a value for `x'`"),
        ((1.0, 2.0, 3.0), {}, "takes 2 arguments, and 3 are given"),
        ((1.0, 2.0), {"y": 3.0}, "takes 2 arguments|no parameter `y`"),
        ((1.0,), {"lambda_": 1.0}, "two values for `lambda`"),
    ]:
        with pytest.raises(TypeError, match=text):
            of("power", engine)(*args, **kwargs)
    assert of("power", engine)(x_=3.0, lambda_=2.0) == 18.0


def test_sizes_that_follow_from_others(engine):
    assert of("head", engine)(jnp.arange(3.0)).tolist() == [0.0, 1.0]
    assert of("half", engine)(jnp.arange(4.0)).tolist() == [0.0, 1.0]
    assert jax.jit(of("head", engine))(jnp.arange(1.0)).shape == (0,)
    assert jax.eval_shape(of("mixed", engine), P, jnp.ones(5), jnp.ones(3)).shape == (5,)
    assert jax.jacobian(of("half", engine))(jnp.ones(4)).tolist() == np.eye(2, 4).tolist()
    assert jax.vmap(of("head", engine))(jnp.ones((2, 3))).shape == (2, 2)


def test_sizes_that_are_integers(engine):
    take = of("take", engine)
    x = jnp.arange(3.0)
    assert take(x, 2).tolist() == [0.0, 1.0] and take(x, np.int32(1)).tolist() == [0.0]
    assert jax.jit(take, static_argnums=1)(x, 3).tolist() == [0.0, 1.0, 2.0]
    assert jax.jacobian(lambda x: take(x, 2))(x).tolist() == np.eye(2, 3).tolist()
    assert jax.grad(lambda x: jnp.sum(jax.vmap(lambda x: take(x, 2))(x)))(jnp.ones((2, 3))).tolist() == [[1.0, 1.0, 0.0]] * 2
    for call in (lambda: jax.jit(take)(x, 2), lambda: jax.vmap(take, in_axes=(None, 0))(x, jnp.arange(2))):
        with pytest.raises(TypeError, match="value of a number, `k`, which is not known here"):
            call()
    with pytest.raises(TypeError, match="the values of its arguments"):
        of("positive", engine)(x)
    assert of("sized", engine)(3, x) == 3.0


def test_failures_outside_of_programs(engine):
    at = of("at", engine)
    for call in (lambda: at(jnp.ones(3), 3), lambda: jax.grad(at)(jnp.ones(3), 3), lambda: jax.vmap(at)(jnp.ones((2, 3)), jnp.array([0, 3]))):
        with pytest.raises(arr.RunError, match="index 3 is out of range") as caught:
            call()
        assert isinstance(caught.value, IndexError) and caught.value.diagnostics[0].code == "E0601"


def test_what_only_jax_has(engine):
    with pytest.raises(TypeError, match="arr.jax.function wants a function of a program"):
        arr.jax.function(lambda x: x, engine=engine)
    for transform in (jax.jit, jax.grad):
        with pytest.raises(TypeError, match="`arr.jax.function\\(f\\)`"):
            transform(M.square)(1.0)


SINGLE = """
import arr, arr.jax, jax, jax.numpy as jnp, numpy as np
m = arr.compile("def f(x: [n]f64, a: f64) -> [n]f64 = a * sin(x)\\ndef g(x: f64, k: i64) -> f64 = x ** k", float="f32")
for engine in ("native", "xla"):
    f = arr.jax.function(m.f, engine=engine)
    for x in (jnp.ones(3), np.ones(3)):
        y = f(x, 2.0)
        assert y.dtype == jnp.float32 and np.allclose(y, 2.0 * np.sin(1.0)), y
    slope = jax.jit(jax.grad(lambda x: jnp.sum(jax.vmap(f, in_axes=(0, None))(x, 2.0))))(jnp.ones((2, 3)))
    assert slope.dtype == jnp.float32 and np.allclose(slope, 2.0 * np.cos(1.0)), slope
    for name, text in (("g", "`k` of `g`: JAX has `i64` only after"), ("h", '`arr.load(.., float="f32")` computes in 32')):
        wrong = m.g if name == "g" else arr.compile("def h(x: f64, k: i64) -> f64 = x").h
        try:
            arr.jax.function(wrong, engine=engine)(1.0, 2)
        except arr.ShapeError as why:
            assert text in str(why), why
        else:
            raise AssertionError(name)
jax.config.update("jax_enable_x64", True)
for engine in ("native", "xla"):
    assert arr.jax.function(m.f, engine=engine)(jnp.ones(3), 2.0).dtype == jnp.float32
    assert arr.jax.function(m.g, engine=engine)(2.0, 3) == 8.0
"""


def test_single_precision():
    # In a process of its own, which has not asked for 64 bits.
    done = subprocess.run([sys.executable, "-c", SINGLE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
