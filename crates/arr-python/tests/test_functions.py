"""Functions and their derivatives."""

import inspect
import io
import pickle
import pydoc

import arr
import numpy as np
import pytest

M = arr.compile(
    """
--| The sum of cubes.
--| At any point.
def cubes(x: [n]f64) -> f64 = sum(x ** 3)
def outer(x: [n]f64, y: [m]f64) -> [n][m]f64 = for i, j => x[i] * y[j]
def bent(p: { a: f64, b: [n]f64, k: i64 }, x: [n]f64) -> f64 = p.a ** p.k * sum(sin(p.b * x))
def mixed(n: i64, x: f64, t: (f64, bool)) -> (f64, i64) = (x ** n * t.0, n)
def tau = 6.25
def table = [1.0, 2.0]
""",
    name="cubes.arr",
)


def test_the_ten_lines(root, iris):
    m = arr.load("examples/mixture.arr")
    p = m.begin(iris)
    assert type(p) is m.Mixture
    v, g = m.density.value_and_grad(p, iris)
    assert v == m.density(p, iris) and type(g) is m.Mixture
    q = m.step(p, g, rate=0.0005)
    assert m.density(q, iris) > v
    assert "the density of the points" in str(m.density)
    assert "def density_grad" in m.density.grad_source()
    step = 1e-6
    moved = p._replace(mean=p.mean + step * g.mean)
    slope = (m.density(moved, iris) - v) / step
    assert slope == pytest.approx(float(np.sum(g.mean**2)), rel=1e-4)


def test_gradients():
    x = np.array([1.0, 2.0])
    assert M.cubes.grad(x).tolist() == [3.0, 12.0]
    value, gradient = M.cubes.value_and_grad(x)
    assert (value, gradient.tolist()) == (9.0, [3.0, 12.0])
    assert M.cubes.hessian(x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert M.cubes.hvp((x,), (np.array([1.0, 1.0]),)).tolist() == [6.0, 12.0]
    assert M.cubes.hvp(x, np.array([1.0, 1.0])).tolist() == [6.0, 12.0]
    value, tangent = M.cubes.jvp((x,), (np.array([1.0, 0.0]),))
    assert (value, tangent) == (9.0, 3.0)


def test_pullbacks_and_jacobians():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])
    value, back = M.outer.vjp(x, y, wrt=("x", "y"))
    ct = np.arange(6.0).reshape(2, 3)
    dx, dy = back(ct)
    assert np.array_equal(value, np.outer(x, y))
    assert np.array_equal(dx, ct @ y) and np.array_equal(dy, x @ ct)
    for mode in ("reverse", "forward"):
        jacobian = M.outer.jacobian(x, y, wrt="y", mode=mode)
        assert np.array_equal(jacobian, np.einsum("i,jk->ijk", x, np.eye(3)))


def test_parts_without_floats():
    p = {"a": 2.0, "b": [1.0, 2.0], "k": 3}
    x = np.array([0.5, 0.25])
    gradient = M.bent.grad(p, x)
    assert gradient._fields == ("a", "b")
    assert gradient.a == pytest.approx(12.0 * np.sum(np.sin([0.5, 0.5])))
    (gradient, dx) = M.bent.grad(p, x, wrt=["p", "x"])
    assert dx.shape == (2,)
    value, tangent = M.bent.jvp((p, x), ({"a": 1.0, "b": [0.0, 0.0]},), wrt="p")
    assert tangent == pytest.approx(gradient.a)
    (y, n), dy = M.mixed.jvp((3, 2.0, (0.5, True)), (1.0,), wrt="x")
    assert (y, n) == (4.0, 3) and dy[0] == 6.0
    with pytest.raises(arr.CompileError, match="no float"):
        M.mixed.derive("grad", "n")
    with pytest.raises(arr.CompileError, match="not a parameter"):
        M.cubes.grad([1.0], wrt="z")


def test_functions_of_derived_functions():
    second = M.cubes.derive("grad").derive("jacobian")
    assert second([1.0, 2.0]).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    mapped = M.cubes.derive("vmap")
    assert mapped(np.arange(6.0).reshape(3, 2)).tolist() == [1.0, 35.0, 189.0]
    assert M.cubes.derive("grad") is M.cubes.derive("grad")


def test_what_help_says():
    assert str(inspect.signature(M.cubes)) == "(x: '[n]f64') -> 'f64'"
    text = pydoc.render_doc(M.cubes)
    assert "The sum of cubes.\n" in text and "At any point." in text
    assert "cubes.arr:4" in M.cubes.__doc__
    assert repr(M.cubes) == "<arr function cubes(x: [n]f64) -> f64>"
    assert "cubes(x: [n]f64) -> f64" in M.__doc__


def test_modules():
    assert {"cubes", "outer", "tau"} <= set(dir(M))
    assert M.tau == 6.25 and M.table.tolist() == [1.0, 2.0]
    assert "cubes.arr" in repr(M)
    with pytest.raises(AttributeError, match="did you mean `cubes`"):
        M.cube
    for thing in (M, M.cubes):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(thing)
    assert not hasattr(M, "__wrapped__")


def test_stages():
    assert "build" in M.outer.lower("core")
    assert "for" in M.cubes.lower("loops")
    with pytest.raises(ValueError, match="no stage"):
        M.cubes.lower("later")


def test_costs():
    small, large = M.cubes.cost(np.ones(10)), M.cubes.cost(x=np.ones(1000))
    assert large["primitives"] > 50 * small["primitives"] > 0
    assert M.cubes.derive("grad").cost(np.ones(1000))["primitives"] < 7 * large["primitives"]


def test_compiling_ahead():
    assert M.outer.compile(sizes={"n": 2, "m": 3}) is M.outer
    M.outer.compile()
    assert M.outer([1.0], [2.0]).tolist() == [[2.0]]
    with pytest.raises(ValueError, match="n, m"):
        M.outer.compile(sizes={"n": 2})


def test_many_sizes():
    for n in range(100):
        assert M.cubes(np.ones(n)) == n


def test_options():
    text = "def f(x: [n]f64) -> f64 = sum(x)"
    for options in ({"threads": 1}, {"strict": True}, {"any_size": True}, {"backend": "interp"}, {"checkpoint": True}):
        assert arr.compile(text, **options).f([1.0, 2.0]) == 3.0
    for options in ({"thread": 1}, {"strict": 3}, {"threads": "x"}):
        with pytest.raises(TypeError):
            arr.compile(text, **options)
    for options in ({"threads": 0}, {"backend": "tpu"}, {"float": "f16"}):
        with pytest.raises(ValueError):
            arr.compile(text, **options)
    with pytest.raises(MemoryError):
        arr.compile("def f(n: i64) -> f64 = sum(for i < n => sum(for j < n => f64(i * j) ** f64(j)))\n"
                    "def g(n: i64) -> [n][n]f64 = for i < n, j < n => f64(i + j)", max_memory=1000).g(100)
    root = arr.compile("def f(x: f64) -> f64 = sqrt(x)", trap_nan=True)
    assert root.f.grad(4.0) == 0.25
    with pytest.raises(arr.RunError, match="in a derivative, `1.0 / 0.0` is inf"):
        root.f.grad(0.0)
    assert arr.compile("def f(x: f64) -> f64 = 1.0 / x", trap_nan="nan").f(0.0) == np.inf
    with pytest.raises(ValueError, match="nan"):
        arr.compile("def f(x: f64) -> f64 = x", trap_nan="inf")
    with pytest.raises(arr.RunError):
        arr.compile("def f(n: i64) -> f64 = loop x = 1.0 for i < n do x * 1.5", max_steps=10).f(100)


def test_scipy():
    optimize = pytest.importorskip("scipy.optimize")
    m = arr.compile("def rosenbrock(p: { x: f64, y: [1]f64 }, a: f64) -> f64 = (a - p.x) ** 2 + 100.0 * (p.y[0] - p.x ** 2) ** 2")
    f = m.rosenbrock.flat({"x": -1.0, "y": [2.0]}, 1.0)
    found = optimize.minimize(f, f.x0, jac=True, method="BFGS")
    best = f.unflatten(found.x)
    assert best.x == pytest.approx(1.0, abs=1e-4) and best.y[0] == pytest.approx(1.0, abs=1e-4)
    newton = optimize.minimize(f, f.x0, jac=True, hessp=f.hessp, method="trust-ncg")
    assert newton.fun < 1e-8
    assert f.value(f.x0) == f(f.x0)[0]


def test_vectors_of_other_lengths():
    m = arr.compile("def f(p: { a: f64, b: [n]f64 }) -> f64 = p.a ** 2 * sum(p.b)\ndef g(x: f64) -> f64 = x\ndef h(x: [n]f32) -> f32 = sum(x ** 2)")
    f = m.f.flat({"a": 1.0, "b": [1.0, 2.0]})
    for wrong, text in [([1.0, 2.0], "wants 3 numbers, got 2"), (np.ones(7), "got 7"), (np.ones((3, 1)), "of the shape \\(3, 1\\)"), (1.0, "of the shape")]:
        for call in (f, f.value, f.unflatten, lambda x: f.hessp(x, f.x0), lambda x: f.hessp(f.x0, x)):
            with pytest.raises(arr.ShapeError, match=text):
                call(wrong)
    with pytest.raises(arr.ShapeError, match="the direction of the flat view of `g` wants 1 number, got 2"):
        m.g.flat(1.0).hessp([1.0], [1.0, 2.0])
    single = m.h.flat(np.ones(2, dtype=np.float32))
    assert single(single.x0)[1].tolist() == [2.0, 2.0]


def test_single_precision_says_so():
    m = arr.compile("def f(x: [n]f64, k: i64) -> [n]f64 = x ** k", float="f32")
    assert str(m.f).startswith("f(x: [n]f32, k: i64) -> [n]f32\n")
    assert str(inspect.signature(m.f)) == "(x: '[n]f32', k: 'i64') -> '[n]f32'"
    assert "x: [n]f32" in repr(m.f.derive("jvp"))


def test_commands_as_functions(root, tmp_path, capsys):
    assert arr.format("def f( x:f64 )->f64=x") == "def f(x: f64) -> f64 = x\n"
    with pytest.raises(arr.CompileError):
        arr.format("def f(")
    program = tmp_path / "p.arr"
    program.write_text("--| > f(1.0)\n--| 2.0\ndef f(x: f64) -> f64 = x + 1.0\n")
    assert arr.test(program)
    program.write_text("--| > f(1.0)\n--| 3.0\ndef f(x: f64) -> f64 = x + 1.0\n")
    assert not arr.test(program)
    assert capsys.readouterr().out
    program.write_text("def f(x: f64) -> f64 = x + 1.0\n")
    assert arr.doc(program, output=tmp_path / "pages")
    assert any((tmp_path / "pages").iterdir())
