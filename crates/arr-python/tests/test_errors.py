"""Errors: exceptions with the words of the command, and the same as data."""

import pickle

import arr
import pytest

WRONG = """def f(x: [n]f64, y: [m]f64) -> f64 = sum(x * y)
def g(x: f64) -> f64 = h(x)
"""


def test_every_error_of_a_program():
    with pytest.raises(arr.CompileError) as caught:
        arr.compile(WRONG, name="wrong.arr")
    why = caught.value
    assert isinstance(why, ValueError)
    assert [d.code for d in why.diagnostics] == ["E0401", "E0201"]
    first = why.diagnostics[0]
    assert any((label.file, label.line) == ("wrong.arr", 1) and label.primary for label in first.labels)
    assert first.expected and first.found or first.message
    assert "wrong.arr:1:" in str(why) and "E0201" in str(why)
    page = why._repr_html_()
    assert page.startswith("<pre") and "&#x27;" not in page and "E0401" in page


def test_markup_is_escaped():
    with pytest.raises(arr.CompileError) as caught:
        arr.compile("def f(x: f64) -> f64 = x <", name="<b>.arr")
    assert "<b>" not in caught.value._repr_html_()


def test_a_missing_file(tmp_path):
    with pytest.raises(arr.CompileError, match="none.arr") as caught:
        arr.load(tmp_path / "none.arr")
    why = caught.value
    assert isinstance(why, FileNotFoundError) and why.filename == str(tmp_path / "none.arr")
    again = pickle.loads(pickle.dumps(why))
    assert type(again) is type(why) and str(again) == str(why) and again.diagnostics == why.diagnostics
    (tmp_path / "wrong.arr").write_text("def f = g")
    with pytest.raises(arr.CompileError) as caught:
        arr.load(tmp_path / "wrong.arr")
    assert not isinstance(caught.value, FileNotFoundError)


def test_run_time_errors():
    m = arr.compile(
        """
def at(x: [n]f64, i: i64) -> f64 = x[i]
def over(a: i64, b: i64) -> i64 = a / b
def most(x: [n]f64) -> f64 = maximum(x)
def big(n: i64) -> [n]f64 = for i < n => f64(i)
""",
        name="run.arr",
    )
    for call, kind, code in [
        (lambda: m.at([1.0], 3), IndexError, "E0601"),
        (lambda: m.over(1, 0), ArithmeticError, "E0602"),
        (lambda: m.most([]), ArithmeticError, "E0606"),
        (lambda: m.big(1 << 50), MemoryError, "E0605"),
    ]:
        with pytest.raises(arr.RunError) as caught:
            call()
        assert isinstance(caught.value, kind)
        assert caught.value.diagnostics[0].code == code
        assert type(caught.value).__name__ == "RunError"
    assert "run.arr:2" in str(pytest.raises(IndexError, m.at, [1.0], -1).value)


def test_errors_come_from_derivatives_too():
    m = arr.compile("def f(x: [n]f64, i: i64) -> f64 = x[i] ** 2")
    with pytest.raises(IndexError):
        m.f.grad([1.0], 3)
    vector = arr.compile("def f(x: [n]f64) -> [n]f64 = x")
    with pytest.raises(arr.CompileError):
        vector.f.grad([1.0])


def test_shape_errors_are_type_errors():
    m = arr.compile("def f(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)")
    with pytest.raises(TypeError) as caught:
        m.f([1.0], [1.0, 2.0])
    assert isinstance(caught.value, arr.ShapeError)
    assert caught.value.diagnostics[0].code == "E0704"


def test_an_imported_file(tmp_path):
    (tmp_path / "inner.arr").write_text("def two = 2.0\n")
    (tmp_path / "outer.arr").write_text('import "./inner.arr"\ndef f(x: f64) -> f64 = x * inner.two\n')
    m = arr.load(tmp_path / "outer.arr")
    # Derivatives are those of the program as it was loaded.
    (tmp_path / "inner.arr").write_text("def three = 3.0\n")
    (tmp_path / "outer.arr").unlink()
    assert m.f.value_and_grad(4.0) == (8.0, 2.0)


def test_exceptions_can_be_pickled():
    m = arr.compile("def at(x: [n]f64, i: i64) -> f64 = x[i]")
    for call in (lambda: m.at([1.0], 3), lambda: m.at(1, 2), lambda: arr.compile("def")):
        with pytest.raises((arr.CompileError, arr.ShapeError, arr.RunError)) as caught:
            call()
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value)
        assert again.diagnostics == caught.value.diagnostics


def test_diagnostics_can_be_pickled():
    with pytest.raises(arr.CompileError) as caught:
        arr.compile("def f(x: f64) -> f64 = y")
    again = pickle.loads(pickle.dumps(caught.value.diagnostics))
    assert again == caught.value.diagnostics
