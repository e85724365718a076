"""Names of programs that Python does not have, and parameters that are named by places."""

import inspect
import subprocess
import sys

import arr
import numpy as np
import pytest

TEXT = """
type Way = None | Some(f64)
def scaled(lambda: f64, x': f64, self: f64, wrt: f64) -> f64 = lambda * x' ** 2 * self * wrt
def from(class: { is: f64, async: [n]f64 }) -> f64 = class.is * sum(class.async)
def way(x: f64) -> Way = if x > 0.0 then Some(x) else None
def back(w: Way) -> f64 = match w { None => 0.0, Some(x) => x }
def backs(ws: [n]Way) -> [n]f64 = map(back, ws)
def clash(is: f64, is_: f64) -> f64 = is - is_
def line(x: [n]f64, y: [n]f64, k: i64) -> f64 = sum(x * y ** k)
"""
M = arr.compile(TEXT, name="names.arr")


def test_keywords_have_another_name():
    assert str(inspect.signature(M.scaled)) == "(lambda_: 'f64', x_: 'f64', self: 'f64', wrt: 'f64') -> 'f64'"
    assert M.scaled(2.0, 3.0, 1.0, 1.0) == M.scaled(lambda_=2.0, x_=3.0, self=1.0, wrt=1.0) == 18.0
    assert M.scaled(**{"lambda": 2.0, "x'": 3.0, "self": 1.0, "wrt": 1.0}) == 18.0
    assert list(inspect.signature(M.clash).parameters) == ["is__", "is_"]
    assert M.clash(is__=3.0, is_=1.0) == 2.0
    assert M.from_({"is": 2.0, "async": [1.0, 2.0]}) == 6.0 and "from_" in dir(M)


def test_messages_have_the_names_of_the_program():
    for call, text in [
        (lambda: M.scaled(1.0, self=1.0), "lacks a value for `x'`"),
        (lambda: M.scaled(1.0, lambda_=1.0), "two values for `lambda`"),
        (lambda: M.scaled(1.0, y=1.0), "no parameter `y`"),
        (lambda: M.scaled(1.0, "x", 1.0, 1.0), "argument `x'` of `scaled`"),
        (lambda: M.line.grad([1.0], y=[1.0]), "line\\(\\) lacks a value for `k`"),
        (lambda: M.line.grad([1.0], [1.0], 1, argnums=0), "no parameter `argnums`; `wrt=\"x\"` and `wrt=0`"),
    ]:
        with pytest.raises(TypeError, match=text):
            call()


def test_parameters_called_as_options():
    assert M.scaled.grad(1.0, 2.0, self=3.0, wrt_=4.0, wrt="x'") == M.scaled.grad(1.0, 2.0, 3.0, 4.0, wrt="x_") == 48.0
    assert M.scaled.vjp(1.0, 2.0, self=3.0, wrt_=4.0, wrt="self")[1](1.0) == 16.0
    assert M.scaled.derive("grad", "lambda_")(1.0, 2.0, self=3.0, wrt=4.0) == 48.0
    assert M.scaled.cost(1.0, 2.0, self=3.0, wrt=4.0)["primitives"] > 0
    with pytest.raises(TypeError, match="is `wrt_` here"):
        M.scaled.grad(1.0, 2.0, 3.0, wrt=4.0)


def test_parameters_by_their_places():
    x, y = [1.0, 2.0], [3.0, 4.0]
    assert M.line.grad(x, y, 1, wrt=1).tolist() == x
    (dx, dy) = M.line.grad(x, y, 1, wrt=(0, "y"))
    assert (dx.tolist(), dy.tolist()) == (y, x)
    with pytest.raises(ValueError, match="has no parameter 3: its 3 parameters count from 0"):
        M.line.grad(x, y, 1, wrt=3)
    with pytest.raises(TypeError, match="names or places"):
        M.line.grad(x, y, 1, wrt=1.5)


def test_products_with_a_tangent_of_each_argument():
    x, y, v = [1.0, 2.0], [3.0, 4.0], [1.0, 0.0]
    (dx, dy) = M.line.hvp((x, y, 1), (v, v, 0))
    assert (dx.tolist(), dy.tolist()) == (v, v)
    assert M.line.hvp((x, y, 1), v).tolist() == [0.0, 0.0]


def test_fields_and_constructors():
    gradient = M.from_.grad({"is": 2.0, "async": [1.0, 2.0]})
    assert gradient.is_ == 3.0 and gradient.async_.tolist() == [2.0, 2.0] and gradient._fields == ("is", "async")
    assert type(gradient)(is_=1.0, async_=[3.0])._replace(is_=2.0).is_ == 2.0
    assert M.way(-1.0) == M.Way.None_() and M.Way.None_() == M.Way.None_ and M.Way.None_ == M.way(-1.0)
    assert M.way(1.0) != M.Way.None_ and M.Way.Some(1.0) != M.Way.Some
    assert M.back(M.Way.None_) == M.back(M.Way.None_()) == 0.0 and M.back(M.Way.Some(2.0)) == 2.0
    assert M.backs([M.Way.None_, M.Way.Some(2.0)]).tolist() == [0.0, 2.0]
    with pytest.raises(arr.ShapeError, match="argument `w` of `back`"):
        M.back(M.Way.Some)


def test_stubs_of_such_programs(tmp_path):
    (tmp_path / "names.arr").write_text(TEXT)
    line = [sys.executable, "-m", "arr", "stubs", "names.arr"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compile(done.stdout, "names.pyi", "exec")
    for text in ["def __call__(_self, /, lambda_: float, x_: float, self: float, wrt: float)", "from_: _from_", "class None_:"]:
        assert text in done.stdout, done.stdout


def test_other_letters():
    # Python reads the sign for micro as the Greek letter.
    m = arr.compile("def f(\u00b5: f64) -> f64 = \u00b5")
    assert m.f(**{"\u03bc": 1.0}) == m.f(**{"\u00b5": 1.0}) == 1.0


def test_options_say_what_they_are():
    text = "def f(x: [n]f64) -> f64 = sum(x)"
    for options, kind, message in [
        ({"thread": 1}, TypeError, "no option `thread`; did you mean `threads`\\? The options are threads, strict, .*device"),
        ({"threads": -1}, ValueError, "`threads` is at least 1"),
        ({"threads": "x"}, TypeError, "`threads` is an integer and not 'x'"),
        ({"max_memory": "1G"}, TypeError, "`max_memory` is an integer, in bytes, and not '1G'"),
        ({"max_memory": -1}, ValueError, "`max_memory`"),
        ({"max_steps": 1.5}, TypeError, "`max_steps`"),
        ({"float": np.float32}, TypeError, '`float` is "f64" or "f32"'),
        ({"float": "f16"}, ValueError, '`float` is "f64" or "f32"'),
        ({"backend": "tpu"}, ValueError, '`backend` is "cpu" or "gpu" or "interp"'),
        ({"strict": 1}, TypeError, "`strict` is True or False"),
        ({"device": 3}, TypeError, "`device`"),
    ]:
        with pytest.raises(kind, match=message):
            arr.compile(text, **options)
    assert arr.compile(text, threads=None, max_memory=np.int64(1 << 30)).f([1.0]) == 1.0
