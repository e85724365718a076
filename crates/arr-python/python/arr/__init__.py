"""Programs of Arr in Python: arrays whose shapes are part of their types, with derivatives, compiled to machine code.

>>> import arr
>>> m = arr.compile('''
... def dot(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)
... ''')
>>> m.dot([1.0, 2.0], [3.0, 4.0])
11.0
>>> m.dot.grad([1.0, 2.0], [3.0, 4.0])
array([3., 4.])
"""

from arr._arr import __version__, is_main_interpreter

if not is_main_interpreter():
    raise ImportError("arr works in the main interpreter of a process only")

from arr._errors import CompileError, Diagnostic, InternalError, RunError, ShapeError
from arr._module import Function, Module, compile, load
from arr._tools import doc, format, test
from arr._values import copies

__all__ = [
    "CompileError",
    "Diagnostic",
    "Function",
    "InternalError",
    "Module",
    "RunError",
    "ShapeError",
    "__version__",
    "compile",
    "copies",
    "doc",
    "format",
    "load",
    "test",
]


def load_ipython_extension(shell):
    """Defines the cells `%%arr name`, for `%load_ext arr`."""
    from arr._notebook import register

    register(shell)
