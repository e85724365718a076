"""The command `arr`: that of the compiler, and what only Python can do."""

from __future__ import annotations

import signal
import sys

_STUBS = "usage: arr stubs FILE [-o FILE.pyi]\n\nWrite the types of a program for editors and checkers of Python.\n"


def main() -> int:
    """Does what the command line says and returns the status."""
    line = sys.argv[1:]
    if line[:1] == ["stubs"]:
        return _stubs(line[1:])
    from arr import _arr

    # Ctrl-C ends the command as it ends any other.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return _arr.command(["arr", *line])


def _stubs(line: list[str]) -> int:
    output = None
    if "-o" in line[:-1]:
        at = line.index("-o")
        output = line[at + 1]
        del line[at : at + 2]
    if len(line) != 1 or line[0].startswith("-"):
        sys.stderr.write(_STUBS)
        return 0 if line in (["-h"], ["--help"]) else 2
    import arr
    from arr._stubs import stubs

    try:
        text = stubs(arr.load(line[0]))
    except arr.CompileError as why:
        sys.stderr.write(f"{why}\n")
        return 1
    if output is None:
        sys.stdout.write(text)
        return 0
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)
    return 0
