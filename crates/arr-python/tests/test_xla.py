"""Programs of the project as StableHLO, run by XLA beside the interpreter.

`cargo xtask python` writes the programs to target/python/cases: the repository's own, random ones and wrong ones, values
and derivatives, each with its module, its arguments, and the interpreter's results or error. `jax.extend.mlir`, which reads
the text, is used by `arr._exported` alone: a version of JAX without it fails here first.
"""

import json
import pathlib
import re

import arr
import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import arr.jax  # noqa: E402
from arr import _exported  # noqa: E402

ROOT = pathlib.Path(__file__).parents[3]
CASES = sorted((ROOT / "target/python/cases").glob("*.json"))
GOLDEN = sorted((ROOT / "crates/arr-stablehlo/tests/golden").glob("*.bulk"))
DTYPES = {"f64": "<f8", "f32": "<f4", "i64": "<i8", "i32": "<i4", "u32": "<u4", "bool": "?"}


def array(leaf):
    return np.frombuffer(bytes.fromhex(leaf["hex"]), DTYPES[leaf["elem"]]).reshape(leaf["dims"])


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_files_are_modules(path):
    text = path.read_text().split("==>\n")[1]
    if "module @" in text:
        _exported.serialized(text)


def run(case):
    """The results, and the words of a failure."""
    text = case["module"]
    known = case.get("known", [])
    leaves = [array(leaf) for at, leaf in enumerate(case["leaves"]) if at not in known]
    program = _exported.exported(text)
    made = [np.asarray(result) for result in jax.jit(program.call)(*leaves)]
    return (made[:-1], made[-1]) if case["sites"] else (made, np.zeros(4, int))


def largest(results):
    """The largest finite number, at least 1."""
    return max([1.0, *(np.abs(r[np.isfinite(r)]).max(initial=0.0) for r in results if r.dtype.kind == "f")])


def same(found, expected, allowed):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    found, expected = found.astype(float), expected.astype(float)
    close = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        assert (close | (np.abs(found - expected) <= allowed)).all(), f"{found} instead of {expected}"


# What only a run knows: the size of a result, or that of an array in a loop that has another in every iteration.
MAY_BE_REFUSED = re.compile("E0901 .*(result has a size|another size in every iteration|no room for so many|one size where a condition)")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_programs(path):
    case = json.loads(path.read_text())
    if "refused" in case:
        assert MAY_BE_REFUSED.search(case["refused"]), f"{case['about']}: {case['refused']}"
        return
    assert "bug" not in case, f"{case['about']}: {case.get('bug')}"
    expected = case["expected"]
    results, words = run(case)
    if "error" in expected:
        assert words[0] > 0, f"{case['about']}: {expected['error']} is lost"
        assert case["sites"][words[0] - 1]["code"] == expected["error"], case["about"]
        return
    assert words[0] == 0, f"{case['about']}: {case['sites'][words[0] - 1]} is made up"
    wanted = [array(leaf) for leaf in expected["results"]]
    for found, one in zip(results, wanted, strict=True):
        # In single precision small parts of a gradient hold the rounding errors of the large ones.
        same(found, one, 2e-3 * largest(wanted) if case["single"] else 1e-8 * largest([one]))


def test_there_are_programs():
    if not CASES:
        pytest.skip("`cargo xtask python` writes the programs")
    errors = sum("error" in json.loads(path.read_text())["expected"] for path in CASES)
    assert len(CASES) > 100 and errors > 3


M = arr.compile("""
def at(x: [n]f64, i: i64) -> f64 = x[i] ** 2
def quotients(x: [n]i64, y: [n]i64) -> [n]i64 = for i => x[i] / y[i]
def root(a: f64) -> f64 = loop x = a while abs(x * x - a) > 1e-12 do 0.5 * (x + a / x)
def powers(x: f64, k: i64) -> [k]f64 = for i < k => x ** i
def least(x: [n]f64) -> f64 = reduce(min, x[0], x)
""", max_steps=100)


def test_failures_are_exceptions_of_arr():
    at = arr.jax.function(M.at, engine="xla")
    assert at(np.arange(3.0), 2) == 4.0
    with pytest.raises(arr.RunError, match="index 3 is out of range for an axis of size 3") as told:
        at(np.arange(3.0), 3)
    assert told.value.diagnostics[0].code == "E0601" and told.value.diagnostics[0].labels[0].line == 2
    quotients = arr.jax.function(M.quotients, engine="xla")
    assert quotients(np.array([7, -7, 7]), np.array([2, 2, -2])).tolist() == [3, -4, -4]
    with pytest.raises(arr.RunError, match="division by zero"):
        quotients(np.array([1, 2]), np.array([1, 0]))
    with pytest.raises(Exception, match="index -1 is out of range"):
        jax.block_until_ready(jax.jit(jax.grad(at))(np.arange(3.0), np.int64(-1)))


def test_room_for_what_only_a_run_knows():
    root = arr.jax.function(M.root, engine="xla")
    assert jax.grad(root)(2.0) == pytest.approx(0.5 / np.sqrt(2.0), rel=1e-12)
    with pytest.raises(arr.RunError, match="100"):
        arr.jax.function(arr.compile(M_ROOT_SLOW, max_steps=100).slow.derive("grad"), engine="xla")(1.0)


M_ROOT_SLOW = "def slow(x: f64) -> f64 = let (u, _) = loop (u, i) = (x, 0) while i < 200 do (sin(u), i + 1) in u"


def test_integers_of_python_are_known():
    powers = arr.jax.function(M.powers, engine="xla")
    np.testing.assert_allclose(powers(2.0, 4), [1.0, 2.0, 4.0, 8.0])
    np.testing.assert_allclose(jax.jacrev(lambda x: powers(x, 3))(2.0), [0.0, 1.0, 4.0])


def test_a_size_that_nobody_knows_is_refused():
    m = arr.compile("def f(x: [n]f64) -> f64 = loop u = sum(x) while u < 100.0 do u * u")
    with pytest.raises(arr.CompileError, match="only when the program runs"):
        arr.jax.function(m.f.derive("grad"), engine="xla")(np.ones(3) * 9.0)


@pytest.mark.parametrize("engine", ["native", "xla"])
def test_shard_map_sums_the_cotangents_of_what_is_replicated(engine):
    if not hasattr(jax, "shard_map"):
        pytest.skip("this version of JAX has no jax.shard_map")
    from jax.sharding import Mesh, PartitionSpec

    m = arr.compile("def loss(w: [d]f64, x: [n][d]f64, y: [n]f64) -> f64 = sum((x @ w - y) ** 2)")
    mesh = Mesh(np.array(jax.devices()), ("data",))
    f = arr.jax.function(m.loss, engine=engine)
    whole = jax.shard_map(
        lambda w, x, y: jax.lax.psum(f(w, x, y), "data"),
        mesh=mesh,
        in_specs=(PartitionSpec(), PartitionSpec("data"), PartitionSpec("data")),
        out_specs=PartitionSpec(),
    )
    random = np.random.default_rng(0)
    w, x, y = random.normal(size=3), random.normal(size=(8, 3)), random.normal(size=8)
    np.testing.assert_allclose(whole(w, x, y), np.sum((x @ w - y) ** 2), rtol=1e-12)
    np.testing.assert_allclose(jax.grad(whole)(w, x, y), 2 * x.T @ (x @ w - y), rtol=1e-10)
    np.testing.assert_allclose(jax.hessian(whole)(w, x, y), 2 * x.T @ x, rtol=1e-10)


def test_an_index_behind_the_end_of_an_array_whose_length_data_decide():
    text = "import arrays\ndef f(x: [n]f64) -> [n]f64 = let c = arrays.filter(\\v => v > 0.0, x) in for k < n => c[k]"
    f = arr.jax.function(arr.compile(text, max_steps=10).f, engine="xla")
    assert f(np.array([1.0, 2.0])).tolist() == [1.0, 2.0]
    with pytest.raises(arr.RunError, match="E0601"):
        f(np.array([1.0, -2.0]))


TABLE = """
def table(x: [n]f64, y: [m]f64) -> f64 =
  let start = for i < n + 1, j < m + 1 => if i == 0 and j == 0 then 0.0 else 1e10
  let table = loop table = start for i < n do
    loop table = table for j < m do
      let least = min(table[i, j], min(table[i, j + 1], table[i + 1, j]))
      in table with [i + 1, j + 1] = (x[i] - y[j]) ** 2 + exp(-0.001 * least) + least
  in table[n, m]
def gradient(x: [n]f64, y: [m]f64) = grad(\\((x, y)) => table(x, y))((x, y))
"""


def test_large_arrays_are_changed_in_place():
    m = arr.compile(TABLE)
    x, y = np.sin(np.arange(70.0)), np.cos(np.arange(60.0))
    gradient = arr.jax.function(m.gradient, engine="xla")
    for found, expected in zip(gradient(x, y), m.gradient(x, y), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    text = jax.jit(gradient).lower(x, y).compile().as_text()
    assert "f64[71,61]" in text
    # A copy of the start, outside of the loops; each iteration would have two.
    assert len(re.findall(r"= f64\[71,61\]\S* copy\(", text)) <= 1
