"""What can go wrong, as exceptions."""

from __future__ import annotations

import errno
import html
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Label:
    """A place in a program, with words. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    primary: bool


@dataclass(frozen=True)
class Diagnostic:
    """One error: what `arr` reports about a program or its arguments."""

    code: str
    message: str
    labels: tuple[Label, ...] = ()
    expected: str | None = None
    found: str | None = None
    notes: tuple[str, ...] = ()
    hint: str | None = None


class _Reported:
    """The text that the command prints, and the same as data."""

    diagnostics: tuple[Diagnostic, ...] = ()

    def __reduce__(self):
        # Classes with the same name, of which pickles know only one.
        return _rebuilt, (_CLASSES.index(type(self)), str(self), self.diagnostics)

    def _repr_html_(self) -> str:
        return f'<pre style="line-height: 1.25">{html.escape(str(self))}</pre>'


class CompileError(_Reported, ValueError):
    """A program that is not right. `diagnostics` has all of its errors."""

    def _render_traceback_(self) -> list[str]:
        # Notebooks show this in the place of a traceback: the error is in the program, not in the cell.
        return [f"{type(self).__name__}:", *str(self).splitlines()]


class _MissingFile(CompileError, FileNotFoundError):
    __str__ = BaseException.__str__


class ShapeError(_Reported, TypeError):
    """Arguments that do not have the types or shapes that a function declares."""


class RunError(_Reported, RuntimeError):
    """A program that has stopped at an error. Also an `ArithmeticError`, `IndexError` or `MemoryError` where it is one."""


class _ArithmeticRunError(RunError, ArithmeticError):
    pass


class _IndexRunError(RunError, IndexError):
    pass


class _MemoryRunError(RunError, MemoryError):
    pass


class InternalError(RuntimeError):
    """A fault of the compiler. Please report it with the program."""


for _class in (_ArithmeticRunError, _IndexRunError, _MemoryRunError):
    _class.__name__ = _class.__qualname__ = "RunError"
_MissingFile.__name__ = _MissingFile.__qualname__ = "CompileError"


_CLASSES: list[Any] = [
    CompileError,
    ShapeError,
    RunError,
    _ArithmeticRunError,
    _IndexRunError,
    _MemoryRunError,
    _MissingFile,
]


def _rebuilt(kind: int, text: str, diagnostics: tuple[Diagnostic, ...]) -> Exception:
    made = _CLASSES[kind](text)
    made.diagnostics = diagnostics
    return made


# The families of codes are those of `arr explain`.
_RUN = {
    "E0601": _IndexRunError,
    "E0602": _ArithmeticRunError,
    "E0604": _ArithmeticRunError,
    "E0605": _MemoryRunError,
    "E0606": _ArithmeticRunError,
}


def _class_of(code: str) -> type[Exception]:
    if code.startswith("E06"):
        return _RUN.get(code, RunError)
    if code in ("E0703", "E0704", "E0705", "E0706"):
        return ShapeError
    return CompileError


def exception(text: str, items: list[dict]) -> Exception:
    """The exception for diagnostics, of which there is at least one."""
    found = tuple(_diagnostic(item) for item in items)
    made: Any = _class_of(found[0].code if found else "")(text)
    made.diagnostics = found
    return made


def _diagnostic(item: dict) -> Diagnostic:
    labels = tuple(Label(**label) for label in item["labels"])
    return Diagnostic(**{**item, "labels": labels, "notes": tuple(item["notes"])})


def internal(what: str) -> InternalError:
    return InternalError(f"a fault of the compiler: {what}")


def missing_file(why: CompileError, path: str) -> CompileError:
    """The error of a program whose file is not there, for those who catch that as well."""
    made = _MissingFile(str(why))
    made.diagnostics, made.errno, made.filename = why.diagnostics, errno.ENOENT, path
    return made
