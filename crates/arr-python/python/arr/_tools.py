"""Commands as functions."""

from __future__ import annotations

import os
import subprocess
import sys

from arr import _arr


def format(text: str) -> str:
    """A program's text as `arr fmt` lays it out.

    >>> arr.format("def f( x:f64 )->f64=x")
    'def f(x: f64) -> f64 = x\\n'
    """
    return _arr.format_text(text)


def test(*paths: str | os.PathLike[str]) -> bool:
    """Runs the examples, tests and properties of programs, prints what `arr test` prints, and tells whether all pass."""
    return _run(["test", *(str(os.fspath(path)) for path in paths)]) == 0


def doc(*paths: str | os.PathLike[str], output: str | os.PathLike[str] = "doc") -> bool:
    """Writes pages from the doc comments of programs, as `arr doc` does; tells whether all examples are right."""
    return _run(["doc", *(str(os.fspath(path)) for path in paths), "--output", os.fspath(output)]) == 0


def _run(line: list[str]) -> int:
    # In a process of its own, whose output is shown wherever the caller's is.
    done = subprocess.run([sys.executable, "-m", "arr", *line], capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode
