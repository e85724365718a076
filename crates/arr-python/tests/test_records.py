"""Classes of records and sums."""

import copy
import pickle
import subprocess
import sys

import arr
import numpy as np
import pytest

TEXT = """
type P = { a: f64, b: [n]f64 }
type Pair[n] = { first: [n]f64, second: i64 }
type Shape = Circle(f64) | Rect(f64, f64) | Empty
def p(x: f64) -> { a: f64, b: [3]f64 } = { a = x, b = [x, x, x] }
def s(x: f64) -> Shape = if x > 0.0 then Circle(x) else Empty
def ss(x: [n]f64) -> [n]Shape = map(s, x)
"""
TEXT = TEXT.replace("type P = { a: f64, b: [n]f64 }", "type P[n] = { a: f64, b: [n]f64 }")
M = arr.compile(TEXT, name="records.arr")


def test_fields():
    p = M.p(2.0)
    assert type(p) is M.P
    assert (p.a, p.b.tolist()) == (2.0, [2.0, 2.0, 2.0])
    assert p._fields == ("a", "b") and list(p._asdict()) == ["a", "b"]
    q = p._replace(a=3.0)
    assert (q.a, p.a) == (3.0, 2.0) and q.b is p.b
    assert repr(M.P(a=1.0, b=2)) == "P(a=1.0, b=2)"
    with pytest.raises(AttributeError):
        p.a = 4.0
    for args, kwargs in [((1.0,), {}), ((1.0, 2, 3), {}), ((1.0,), {"c": 1}), ((1.0, 2), {"a": 1})]:
        with pytest.raises(TypeError):
            M.P(*args, **kwargs)


def test_equality():
    p, q = M.p(2.0), M.p(2.0)
    assert p == q and not p != q
    assert p != M.p(3.0) and p != (2.0, p.b) and p != q._replace(b=np.zeros(2))
    with pytest.raises(TypeError):
        hash(p)
    assert M.s(1.0) == M.Shape.Circle(1.0) != M.Shape.Circle(2.0)
    assert M.s(-1.0) == M.Shape.Empty() != M.Shape.Circle(2.0)
    same = arr.compile(TEXT, name="records.arr")
    assert same.p(2.0) == p and same.P is M.P


def test_copies_and_pickles():
    for value in (M.p(2.0), M.s(1.0), M.s(-1.0), M.ss([1.0, -1.0])):
        for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert again == value and type(again) is type(value)


def test_pickles_in_another_process():
    data = pickle.dumps(M.p(2.0))
    code = "import sys, pickle; p = pickle.loads(sys.stdin.buffer.read()); print(p.a, type(p).__name__)"
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout.split() == [b"2.0", b"P"]


def test_sums():
    assert repr(M.Shape.Rect(1.0, 2.0)) == "Rect(1.0, 2.0)" and repr(M.Shape.Empty()) == "Empty()"
    assert isinstance(M.s(1.0), M.Shape)
    with pytest.raises(TypeError, match="carries 1"):
        M.Shape.Circle()
    with pytest.raises(TypeError, match="constructors"):
        M.Shape(1.0)
    many = M.ss([1.0, -1.0])
    assert many.tag.tolist() == [0, 2]
    assert many.tolist() == [M.Shape.Circle(1.0), M.Shape.Empty()]


def test_results_outlive_the_module():
    m = arr.compile("def f(n: i64) -> [n]f64 = for i < n => f64(i)")
    x = m.f(100_000)
    del m
    assert x.sum() == 100_000 * 99_999 / 2
