"""Every type of the language in both directions, beside `arr eval`."""

import struct

import arr
import numpy as np
import pytest
from conftest import equal, literal, parsed, plain
from hypothesis import given
from hypothesis import strategies as st

TYPES = """
type Point = { at: (f64, f64), weight: i64 }
type Shape = Circle(f64) | Rect(f64, i64) | Empty
type Metres = | Metres(f64)
type Layer[n, m] = Dense([n][m]f64, [n]f64) | Relu

def f64_(x: f64) -> f64 = x
def f32_(x: f32) -> f32 = x
def i64_(x: i64) -> i64 = x
def i32_(x: i32) -> i32 = x
def u32_(x: u32) -> u32 = x
def bool_(x: bool) -> bool = x
def vector(x: [n]f64) -> [n]f64 = x
def singles(x: [n]f32) -> [n]f32 = x
def integers(x: [n]i64) -> [n]i64 = x
def shorts(x: [n]i32) -> [n]i32 = x
def naturals(x: [n]u32) -> [n]u32 = x
def bools(x: [n]bool) -> [n]bool = x
def matrix(x: [n][m]f64) -> [n][m]f64 = x
def pair(x: (f64, [n]i64)) -> (f64, [n]i64) = x
def point(x: Point) -> Point = x
def points(x: [n]Point) -> [n]Point = x
def nested(x: { p: Point, xs: [n]f64, flag: bool }) -> { p: Point, xs: [n]f64, flag: bool } = x
def shape(x: Shape) -> Shape = x
def metres(x: Metres) -> Metres = x
def shapes(x: [n]Shape) -> [n]Shape = x
def layer(x: Layer[2, m], y: [m]f64) -> Layer[2, m] = x
"""

M = arr.compile(TYPES, strict=True)

floats = st.floats(width=64)
singles = st.floats(width=32)
i64s = st.integers(-(2**63) + 1, 2**63 - 1)
i32s = st.integers(-(2**31) + 1, 2**31 - 1)
u32s = st.integers(0, 2**32 - 1)
points = st.builds(lambda a, b, w: M.Point(at=(a, b), weight=w), floats, floats, i64s)
shapes = st.one_of(
    st.builds(M.Shape.Circle, floats), st.builds(M.Shape.Rect, floats, i64s), st.builds(M.Shape.Empty)
)


def beside(function, value, written=None):
    """The function gives the value back, and what `arr eval` gives for the value as it is written."""
    made = getattr(M, function)(value)
    evaluated = parsed(M.eval(f"{function}({written or literal(value)})"))
    if getattr(made, "dtype", None) == np.float32:
        # Arr writes as many digits as single precision has.
        evaluated = np.array(evaluated, dtype=np.float32).tolist()
    assert equal(plain(made), evaluated), (made, evaluated)
    return made


@given(floats)
def test_f64(x):
    made = beside("f64_", x)
    assert type(made) is float
    assert struct.pack("d", made) == struct.pack("d", x) or x != x


@given(singles)
def test_f32(x):
    made = beside("f32_", np.float32(x), f"f32({literal(x)})")
    assert type(made) is np.float32


@given(i64s)
def test_i64(n):
    assert type(beside("i64_", n)) is int


@given(i32s)
def test_i32(n):
    assert type(beside("i32_", n, f"i32({n})")) is np.int32


@given(u32s)
def test_u32(n):
    assert type(beside("u32_", n, f"u32({n})")) is np.uint32


@given(st.booleans())
def test_bool(b):
    assert beside("bool_", b) is b


ARRAYS = [
    ("vector", np.float64, floats, "{}"),
    ("singles", np.float32, singles, "map(\\x => f32(x), {})"),
    ("integers", np.int64, i64s, "{}"),
    ("shorts", np.int32, i32s, "map(\\x => i32(x), {})"),
    ("naturals", np.uint32, u32s, "map(\\x => u32(x), {})"),
    ("bools", np.bool_, st.booleans(), "{}"),
]


@pytest.mark.parametrize("name, dtype, elements, form", ARRAYS)
def test_arrays(name, dtype, elements, form):
    @given(st.lists(elements, min_size=1, max_size=20))
    def check(items):
        array = np.array(items, dtype=dtype)
        made = beside(name, array, form.format(literal(array)))
        assert made.dtype == dtype and made.flags.owndata is False and made.flags.writeable
        assert made.ctypes.data % 64 == 0 and not np.shares_memory(made, array)

    check()


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_matrices(n, m, data):
    rows = data.draw(st.lists(st.lists(floats, min_size=m, max_size=m), min_size=n, max_size=n))
    beside("matrix", np.array(rows))
    beside("matrix", rows, literal(rows))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_empty(shape):
    assert M.matrix(np.zeros(shape)).shape == shape


@given(floats, st.lists(i64s, min_size=1, max_size=5))
def test_tuples(x, ns):
    beside("pair", (x, np.array(ns)))
    beside("pair", [x, ns], literal((x, ns)))


@given(points)
def test_records(p):
    made = beside("point", p)
    assert type(made) is M.Point
    assert plain(M.point(p._asdict())) == plain(made) or "nan" in repr(p)


@given(st.lists(points, min_size=1, max_size=4))
def test_arrays_of_records(ps):
    made = M.points(ps)
    assert made.weight.tolist() == [p.weight for p in ps]
    again = M.points(made)
    assert np.array_equal(again.at[0], made.at[0], equal_nan=True)
    columns = parsed(M.eval(f"points({literal(ps)})"))
    assert [c["weight"] for c in columns] == made.weight.tolist()
    assert equal([c["at"][1] for c in columns], made.at[1].tolist())


def test_structured_arrays():
    m = arr.compile("def f(x: [n]{ a: f64, b: i64 }) -> f64 = sum(map(\\p => p.a * f64(p.b), x))")
    rows = np.array([(1.0, 2), (3.0, 4)], dtype=[("a", "f8"), ("b", "i8")])
    assert m.f(rows) == 14.0
    assert m.f([{"a": 1.0, "b": 2}, {"a": 3.0, "b": 4}]) == 14.0
    assert m.f({"a": [1.0, 3.0], "b": [2, 4]}) == 14.0


@given(points, st.lists(floats, min_size=1, max_size=4), st.booleans())
def test_nested(p, xs, flag):
    beside("nested", {"p": p, "xs": xs, "flag": flag}, f"{{p = {literal(p)}, xs = {literal(xs)}, flag = {literal(flag)}}}")


@given(shapes)
def test_sums(s):
    made = beside("shape", s)
    assert type(made) is type(s)


@given(floats)
def test_sums_of_one(x):
    beside("metres", M.Metres.Metres(x))


@given(st.lists(shapes, min_size=1, max_size=5))
def test_arrays_of_sums(ss):
    made = M.shapes(ss)
    assert equal(plain(made), parsed(M.eval(f"shapes({literal(ss)})")))
    assert equal(plain(M.shapes(made)), plain(ss))


def test_what_a_constructor_carries_that_was_not_chosen():
    made = M.layer(M.Layer.Relu(), [1.0, 2.0, 3.0])
    assert isinstance(made, M.Layer.Relu)
    made = M.layer(M.Layer.Dense(np.ones((2, 3)), np.ones(2)), [1.0, 2.0, 3.0])
    assert made._0.shape == (2, 3)


def test_match():
    match M.shape(M.Shape.Rect(2.0, 3)):
        case M.Shape.Circle(r):
            raise AssertionError(r)
        case M.Shape.Rect(w, h):
            assert (w, h) == (2.0, 3)


def test_single_precision_of_a_whole_program():
    m = arr.compile("def f(x: [n]f64) -> [n]f64 = exp(x)", float="f32")
    made = m.f(np.array([0.1, 0.2]))
    assert made.dtype == np.float32
    assert np.allclose(made, np.exp([0.1, 0.2]), rtol=1e-6)
