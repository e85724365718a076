"""Arguments that do not fit, and those that fit only after a conversion: a clear exception or the right value."""

import array
import ctypes
import dataclasses
from collections import namedtuple

import arr
import numpy as np
import pytest

M = arr.compile("""
def total(x: [n][m]f64) -> f64 = sum(map(sum, x))
def dot(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)
def double(x: [2 * n]f64) -> i64 = n
def f32s(x: [n]f32) -> [n]f32 = x
def ints(x: [n]i64) -> i64 = sum(x)
def shorts(x: [n]i32) -> [n]i32 = x
def bools(x: [n]bool) -> i64 = sum(map(\\b => if b then 1 else 0, x))
def float_(x: f64) -> f64 = x
def int_(x: i64) -> i64 = x
def short(x: i32) -> i32 = x
def bool_(x: bool) -> bool = x
def record(p: { a: f64, b: [n]f64 }) -> f64 = p.a * sum(p.b)
def power(steps: i64, x: f64) -> [steps]f64 = for i < steps => x ** i
""")
X = np.arange(12.0).reshape(3, 4)


def shape_error(text, function, *args):
    with pytest.raises(arr.ShapeError) as caught:
        function(*args)
    assert text in str(caught.value), str(caught.value)


def copied(function, *args):
    before = arr.copies()
    value = function(*args)
    return value, arr.copies() - before


def test_arrays_are_read_where_they_lie():
    assert copied(M.total, X) == (66.0, 0)
    locked = X.copy()
    locked.flags.writeable = False
    assert copied(M.total, locked) == (66.0, 0)


@pytest.mark.parametrize(
    "value",
    [
        X.T.copy().T,
        np.asfortranarray(X),
        X.astype(">f8"),
        X.astype(np.float32),
        X.astype(np.int64),
        X.astype(np.int16),
        np.arange(24.0).reshape(3, 8)[:, ::2] / 2,
        X[::-1][::-1][:, ::-1],
        np.broadcast_to(np.arange(4.0), (3, 4)) + np.arange(3)[:, None] * 4.0 + 0 * X[:, :],
    ],
    ids=["transposed", "fortran", "big-endian", "single", "integers", "short", "strided", "backwards", "broadcast"],
)
def test_others_are_copied(value):
    made, count = copied(M.total, value)
    assert made == 66.0
    assert count == (0 if value.flags.c_contiguous and value.dtype == np.float64 and value.dtype.isnative else 1)


def test_unaligned():
    raw = np.zeros(12 * 8 + 1, dtype=np.uint8)
    view = raw[1:].view(np.float64).reshape(3, 4)
    view[:] = X
    assert copied(M.total, view) == (66.0, 1)


def test_other_sources():
    assert M.dot(array.array("d", [1.0, 2.0]), memoryview(np.array([3.0, 4.0]))) == 11.0
    assert M.dot((ctypes.c_double * 2)(1.0, 2.0), [3, 4]) == 11.0
    assert M.dot((1.0, 2), np.matrix([[3.0, 4.0]]).A1) == 11.0

    class Elsewhere:
        def __init__(self, inner):
            self.__array_interface__ = inner.__array_interface__
            self.inner = inner

    assert M.dot(Elsewhere(np.array([1.0, 2.0])), [3.0, 4.0]) == 11.0


def test_subclasses_and_masks():
    class Sub(np.ndarray):
        pass

    assert M.total(X.view(Sub)) == 66.0
    hidden = np.arange(2) == 1
    shape_error("`.filled(np.nan)` gives its masked", M.dot, [1.0, 2.0], np.ma.array([1.0, 2.0], mask=hidden))
    shape_error("`.filled(np.nan)` gives its masked", M.float_, np.ma.masked)
    shape_error("`.filled(np.nan)` gives its masked", M.dot, [1.0], np.ma.array([1.0, 2.0], mask=hidden)[::2])
    shape_error("found a masked array; `.filled(..)`", M.ints, np.ma.array([1, 2], dtype=np.int32, mask=hidden))
    assert M.ints(np.ma.array([1, 2], mask=hidden).filled(0)) == 1


def test_odd_bools():
    odd = np.array([0, 1, 2, 255], dtype=np.uint8).view(np.bool_)
    assert copied(M.bools, odd) == (3, 1)


LARGE = 2**53 + 1
WRONG = [
    (M.dot, (np.array([0, LARGE]), np.zeros(2)), f"the integer {LARGE} is no number of `f64`"),
    (M.dot, (np.array([-(2**63), -LARGE]), np.zeros(2)), f"the integer -{LARGE} is"),
    (M.dot, (np.array([2**64 - 1], dtype=np.uint64), np.zeros(1)), "18446744073709551615"),
    (M.dot, ([LARGE, 2], np.zeros(2)), f"the integer {LARGE} is"),
    (M.dot, ([0.5, LARGE], np.zeros(2)), f"the integer {LARGE} is"),
    (M.f32s, (np.array([2**24 + 1]),), "the integer 16777217 is no number of `f32`"),
    (M.f32s, ([2**24 + 1],), "`.astype(np.float32)`"),
    (M.float_, (LARGE,), f"the integer {LARGE} is"),
    (M.float_, (np.int64(LARGE),), f"the integer {LARGE} is"),
    (M.total, (np.zeros(3),), "(3,)"),
    (M.total, (np.zeros((3, 4, 5)),), "(3, 4, 5)"),
    (M.total, (np.float64(3.0),), "number"),
    (M.total, (3.0,), "number"),
    (M.total, (np.array(3.0),), "number"),
    (M.total, (np.array([[1, "a"]], dtype=object),), "Python objects"),
    (M.total, (np.array([["a"]]),), "<U1"),
    (M.total, (np.array([[1j]]),), "complex128"),
    (M.total, (np.array([[True]]),), "bool"),
    (M.total, (np.array([["2026-01-01"]], dtype="datetime64[D]"),), "datetime64"),
    (M.total, ([[1.0, 2.0], [3.0]],), "no array"),
    (M.total, ("text",), "no array"),
    (M.total, (None,), "no array"),
    (M.total, ({},), "no array"),
    (M.dot, (np.zeros(3), np.zeros(4)), "disagree about size `n`: 3 and 4"),
    (M.double, (np.zeros(3),), "3"),
    (M.f32s, (np.zeros(3),), "float64"),
    (M.ints, (np.zeros(3),), "float64"),
    (M.ints, (np.zeros(3, dtype=np.uint64),), "uint64"),
    (M.ints, ([1.5],), "float64"),
    (M.shorts, (np.zeros(3, dtype=np.int64),), "int64"),
    (M.shorts, ([2**40],), "does not fit"),
    (M.ints, ([2**70],), ""),
    (M.bools, ([0, 1],), "int64"),
    (M.float_, (True,), "the bool True"),
    (M.float_, ("1.0",), "`str`"),
    (M.float_, (None,), "`NoneType`"),
    (M.float_, (1j,), "`complex`"),
    (M.float_, (10**400,), "too large"),
    (M.float_, (np.zeros(1),), "float64 array"),
    (M.int_, (1.0,), "the float 1.0"),
    (M.int_, (True,), "the bool True"),
    (M.int_, (2**63,), "does not fit"),
    (M.short, (2**31,), "does not fit"),
    (M.bool_, (1,), "the integer 1"),
    (M.record, ({"a": 1.0},), "`b`"),
    (M.record, ({"a": 1.0, "b": [1.0], "c": 2},), "`c`"),
    (M.record, ({"a": "x", "b": [1.0]},), "p.a"),
    (M.record, ((1.0, [1.0]),), "tuple"),
    (M.record, (3,), "int"),
    (M.power, (-1, 2.0), "-1"),
]


@pytest.mark.parametrize("function, args, text", WRONG, ids=range(len(WRONG)))
def test_wrong(function, args, text):
    with pytest.raises((arr.ShapeError, arr.RunError)) as caught:
        function(*args)
    assert text in str(caught.value), str(caught.value)


def test_the_message_names_the_parameter():
    shape_error("argument `x` of `total`", M.total, np.zeros(3))
    shape_error("`x` is declared as `[n][m]f64`", M.total, np.zeros(3))
    shape_error("argument `p.b` of `record`", M.record, {"a": 1.0, "b": 3.0})


def test_huge_views_are_refused():
    huge = np.broadcast_to(np.float64(1.0), (1 << 30, 1 << 29))
    with pytest.raises((MemoryError, arr.ShapeError)):
        M.total(huge)


def test_numbers():
    assert M.float_(3) == 3.0 and type(M.float_(3)) is float
    assert M.float_(np.float32(0.5)) == 0.5
    assert M.float_(np.int64(7)) == 7.0
    assert M.float_(np.array(2.5)) == 2.5
    assert M.int_(np.int32(7)) == 7
    assert M.bool_(np.bool_(True)) is True


def test_integers_that_are_floats():
    large = np.array([2**53, -(2**53), 2**60, -(2**63), 3 * 2**61], dtype=np.int64)
    assert M.f32s(np.array([2**24, 2**25 + 4])).tolist() == [2.0**24, 2.0**25 + 4]
    assert M.dot(large, np.ones(5)) == float(2**60 - 2**63 + 3 * 2**61)
    assert M.dot(np.array([2**63], dtype=np.uint64), [1.0]) == 2.0**63
    assert M.dot([1e300, 2], [1.0, 0.0]) == 1e300 and M.float_(2**60) == 2.0**60
    assert M.f32s([0.1]).tolist() == [np.float32(0.1)]


def test_the_number_of_arguments():
    for args, kwargs, text in [
        ((), {}, "lacks a value for `x`"),
        ((X,), {}, "lacks a value for `y`"),
        ((X, X, X), {}, "takes 2 arguments, and 3 are given"),
        ((X,), {"x": X}, "two values for `x`"),
        ((X, X), {"z": 1}, "has no parameter `z`"),
    ]:
        with pytest.raises(TypeError, match=text):
            M.dot(*args, **kwargs)
    assert M.dot(y=[1.0], x=[2.0]) == 2.0


def test_objects_with_the_fields_of_a_record():
    @dataclasses.dataclass
    class Data:
        a: float
        b: list

    Named = namedtuple("Named", "a b")
    assert M.record(Data(2.0, [1.0])) == M.record(Named(2.0, [1.0])) == M.record({"b": [1.0], "a": 2.0}) == 2.0


def test_a_scalar_may_be_a_size():
    assert M.power(3, 2.0).tolist() == [1.0, 2.0, 4.0]


def test_an_attribute_that_raises():
    class Bad:
        @property
        def a(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        M.record(Bad())
