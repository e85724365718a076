"""Stubs, and the command."""

import subprocess
import sys

import pytest
from conftest import ROOT

TEXT = """
type Shape = Circle(f64) | Empty
type P[n] = { a: f64, b: [n]f64 }
def f(p: P[n], k: i64, flags: [n]bool) -> (P[n], [n]f64, f32) = (p, p.b, f32(p.a))
def s(x: f64) -> Shape = Circle(x)
def area(s: Shape) -> f64 = match s { Circle(r) => r, Empty => 0.0 }
def tau = 6.28
"""

USE = """
import model
p, x, y = model.f(model.P(a=1.0, b=[1.0]), 3, [True])  # type: ignore[arg-type]
reveal_type(p.a)
reveal_type(x)
reveal_type(model.area(model.Shape.Circle(1.0)))
model.area("no")
"""


def command(*line, **options):
    return subprocess.run([sys.executable, "-m", "arr", *line], capture_output=True, text=True, check=False, **options)


def test_the_command(tmp_path):
    assert command("eval", "1 + 1").stdout == "2\n"
    bad = command("eval", "1 +")
    assert bad.returncode == 1 and "E01" in bad.stderr
    assert command("no").returncode == 2
    assert command("--version").stdout.startswith("arr 0.")
    assert command("stubs").returncode == 2


def test_stubs(tmp_path):
    (tmp_path / "model.arr").write_text(TEXT)
    done = command("stubs", "model.arr", "-o", "model.pyi", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    stub = (tmp_path / "model.pyi").read_text()
    compile(stub, "model.pyi", "exec")
    for line in ["class P(NamedTuple):", "    b: NDArray[np.float64]", "tau: float", "-> tuple[P, NDArray[np.float64], np.float32]: ..."]:
        assert line in stub, stub
    (tmp_path / "use.py").write_text(USE)
    pytest.importorskip("mypy")
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "use.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    ).stdout
    assert 'float"' in found.splitlines()[0], found
    assert "float64" in found
    assert 'incompatible type "str"' in found and found.count(": error:") == 1, found


def test_the_types_of_the_package():
    pytest.importorskip("mypy")
    code = "import arr\nm = arr.compile('def f(x: f64) -> f64 = x')\nreveal_type(arr.load)\nreveal_type(m)\narr.load(3)\n"
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "-c", code], cwd=ROOT / "examples", capture_output=True, text=True, check=False
    ).stdout
    assert "arr._module.Module" in found, found
    assert 'incompatible type "int"' in found and found.count(": error:") == 1, found
