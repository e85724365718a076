"""Arguments that the native part does not read as they are: conversions, and the words for what does not fit."""

from __future__ import annotations

import functools
import math
import operator
import sys
from typing import Any

from arr._errors import ShapeError
from arr._numpy import np

DTYPES = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "u32": "uint32", "bool": "bool"}
FLOATS = ("f64", "f32")


@functools.cache
def _dtype(elem: str) -> np.dtype[Any]:
    return np.dtype(DTYPES[elem])


_copies = 0


def copies() -> int:
    """How many arrays were copied on their way into functions, because they were not contiguous, or of another type."""
    return _copies


def _count_copy() -> None:
    global _copies
    _copies += 1


def scalar(value: Any, elem: str) -> Any:
    """A number of Python for a parameter of this type."""
    _refuse_traced(value)
    if isinstance(value, np.ndarray) or hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        if not isinstance(value, (np.generic, np.ndarray)):
            value = _foreign(value)
        _refuse_masked(value, elem, 0)
        if value.ndim != 0:
            raise ShapeError(f"expected `{elem}`, found {describe(value)}")
        kind, value = value.dtype.kind, value.item()
    elif isinstance(value, bool):
        kind = "b"
    elif isinstance(value, int):
        kind = "i"
    elif isinstance(value, float):
        kind = "f"
    else:
        raise ShapeError(f"expected `{elem}`, found a value of the class `{type(value).__name__}`")
    if elem == "bool" and kind == "b":
        return bool(value)
    if elem in FLOATS and kind in "iu":
        return _exact(value, elem)
    if elem in FLOATS and kind == "f":
        return float(value)
    if elem in ("i64", "i32", "u32") and kind in "iu":
        return _in_range(operator.index(value), elem)
    raise ShapeError(f"expected `{elem}`, found {_kind_text(kind, value)}")


def _kind_text(kind: str, value: Any) -> str:
    names = {"b": "the bool", "i": "the integer", "u": "the integer", "f": "the float"}
    return f"{names.get(kind, 'the value')} {value!r}"


def _exact(value: int, elem: str) -> float:
    """An integer as a float of this type: only if that is the same number."""
    try:
        made = float(value)
    except OverflowError:
        raise ShapeError(f"an integer is too large for a float: it has {value.bit_length()} bits") from None
    if elem == "f32":
        with np.errstate(over="ignore"):
            made = float(np.float32(made))
    if made != value:
        raise ShapeError(_inexact(value, elem))
    return made


def _inexact(value: int, elem: str) -> str:
    return f"the integer {value} is no number of `{elem}`; `.astype(np.{DTYPES[elem]})` or `float(..)` rounds it"


#: How many bits of an integer a float holds.
_BITS = {"f64": 53, "f32": 24}


def check_exact(found: np.ndarray, elem: str) -> None:
    """Raises ShapeError if an array of integers has one that is no float of this type."""
    bits = _BITS[elem]
    if found.dtype.itemsize * 8 <= bits or found.size == 0:
        return
    if -(1 << bits) <= int(found.min()) and int(found.max()) <= 1 << bits:
        return
    signed = found.dtype.kind == "i"
    wide = np.ravel(found).astype(np.int64 if signed else np.uint64)
    size = np.where(wide < 0, ~wide.view(np.uint64) + np.uint64(1), wide.view(np.uint64)) if signed else wide
    # What is left without the zeros at its end has to fit.
    lowest = np.maximum(size & (~size + np.uint64(1)), np.uint64(1))
    wrong = size // lowest >= np.uint64(1 << bits)
    if wrong.any():
        raise ShapeError(_inexact(int(wide[wrong.argmax()]), elem))


def _check_listed(value: Any, elem: str) -> None:
    """The same for integers in a list that floats have made one of floats."""
    if isinstance(value, (list, tuple)):
        for item in value:
            _check_listed(item, elem)
    elif isinstance(value, (int, np.integer)):
        _exact(int(value), elem)


def _in_range(value: int, elem: str) -> int:
    info = np.iinfo(_dtype(elem))
    if not info.min <= value <= info.max:
        raise ShapeError(f"{value} does not fit in `{elem}`")
    return value


def array(value: Any, elem: str, rank: int) -> np.ndarray:
    """An array of this type and rank, contiguous and aligned: the value itself where it can be."""
    dtype = _dtype(elem)
    written = isinstance(value, (list, tuple))
    found = _listed(value, elem, rank) if written else _foreign(value)
    _refuse_masked(found, elem, rank)
    if found.dtype.kind == "O":
        raise ShapeError(f"expected `{_type_text(elem, rank)}`, found an array of Python objects")
    if found.ndim != rank:
        raise ShapeError(f"expected `{_type_text(elem, rank)}`, found {describe(found)}")
    _check_conversion(found, elem, rank, written)
    if written and elem in FLOATS and found.dtype.kind == "f" and found.size and not np.abs(found).max() < 1 << _BITS[elem]:
        _check_listed(value, elem)
    if found.dtype == dtype and found.flags.c_contiguous and found.flags.aligned and not _has_odd_bools(found):
        return found
    _check_size(found, dtype)
    if dtype.kind == "f" and found.dtype.kind in "iu":
        check_exact(found, elem)
    if not written:
        _count_copy()
    if found.dtype == dtype and dtype.kind == "b":
        # Bytes other than 0 and 1 are true.
        return np.ascontiguousarray(found.view(np.uint8) != 0)
    return np.array(found, dtype=dtype, order="C", copy=True)


def _refuse_masked(found: Any, elem: str, rank: int) -> None:
    """Masks have no counterpart in programs, and what lies below them is no number that anybody means."""
    if isinstance(found, np.ma.MaskedArray):
        kept = ".filled(np.nan)" if found.dtype.kind == "f" else ".filled(..)"
        raise ShapeError(f"expected `{_type_text(elem, rank)}`, found a masked array; `{kept}` gives its masked elements a value")


def _has_odd_bools(found: np.ndarray) -> bool:
    return found.dtype.kind == "b" and bool((found.view(np.uint8) > 1).any())


def _check_size(found: np.ndarray, dtype: np.dtype[Any]) -> None:
    # A view that repeats elements can have more of them than any memory.
    if found.size * dtype.itemsize >= 1 << 46:
        raise MemoryError(f"there is no memory for a copy of {describe(found)}")


def _check_conversion(found: np.ndarray, elem: str, rank: int, written: bool) -> None:
    kind, dtype = found.dtype.kind, _dtype(elem)
    fits = {
        "f": kind == "f" and (found.dtype.itemsize <= dtype.itemsize or written) or kind in "iu",
        "i": kind in "iu" and (written or np.can_cast(found.dtype, dtype, "safe")),
        "u": kind in "iu" and (written or np.can_cast(found.dtype, dtype, "safe")),
        "b": kind == "b",
    }
    if written and found.size == 0:
        return
    if not fits[dtype.kind]:
        raise ShapeError(f"expected `{_type_text(elem, rank)}`, found {describe(found)}")
    if written and dtype.kind in "iu":
        _in_range(int(found.min()), elem)
        _in_range(int(found.max()), elem)


def _listed(value: Any, elem: str, rank: int) -> np.ndarray:
    try:
        found = np.array(value)
    except (ValueError, OverflowError) as why:
        raise ShapeError(f"expected `{_type_text(elem, rank)}`, found a list that is no array: {why}") from None
    if found.size == 0 and found.ndim < rank:
        # An empty list does not show the axes inside of it.
        found = found.reshape(found.shape + (0,) * (rank - found.ndim))
    return found


def _foreign(value: Any) -> np.ndarray:
    """The array of another library, where it lies."""
    if isinstance(value, np.ndarray):
        return value
    _refuse_traced(value)
    if isinstance(value, (np.generic, int, float, bool)):
        return np.asarray(value)
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array_interface__"):
            if getattr(value, "requires_grad", False):
                value = value.detach()
            try:
                return np.from_dlpack(value)
            except (BufferError, RuntimeError):
                # Read-only memory, and memory of other devices.
                return np.asarray(value)
        if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
            return np.asarray(value)
        return np.asarray(memoryview(value))
    except (TypeError, ValueError) as why:
        name = type(value).__name__
        raise ShapeError(f"a value of the class `{name}` is no array: {why}") from None


def _refuse_traced(value: Any) -> None:
    """Values that JAX traces have no numbers yet: the functions that take them are others."""
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(value, jax.core.Tracer):
        raise ShapeError("a value that JAX traces has no numbers; `arr.jax.function(f)` is the function for `jit`, `grad` and `vmap`")


def _type_text(elem: str, rank: int) -> str:
    return "[_]" * rank + elem


def describe(found: np.ndarray) -> str:
    """An array in words."""
    shape = "" if found.ndim == 0 else f" of the shape {found.shape}"
    what = "number" if found.ndim == 0 else "array"
    return f"{_article(str(found.dtype))} {found.dtype} {what}{shape}"


def _article(word: str) -> str:
    return "an" if word[:1] in "aeiou" and not word.startswith("u") else "a"


def columns(value: Any, fields: Any, axes: int) -> Any:
    """A list or a structured array of records, or a list of tuples, as a record or tuple of lists or arrays."""
    if isinstance(value, np.ndarray):
        if value.dtype.names is None or isinstance(fields, int):
            raise ShapeError(f"expected an array of records, found {describe(value)}")
        return {name: value[name] for name in value.dtype.names}
    if isinstance(fields, int):
        rows = _rows(value, lambda item: tuple(item), axes)
        return tuple(_column(rows, at, axes) for at in range(fields))
    rows = _rows(value, lambda item: _fields(item, fields), axes)
    return {name: _column(rows, name, axes) for name in fields}


def _rows(value: Any, read: Any, axes: int) -> Any:
    if axes == 0:
        return read(value)
    if not isinstance(value, list):
        raise ShapeError(f"expected a list, found a value of the class `{type(value).__name__}`")
    return [_rows(item, read, axes - 1) for item in value]


def _fields(item: Any, fields: Any) -> dict:
    if isinstance(item, dict):
        if set(item) != set(fields):
            raise ShapeError(f"expected the fields {', '.join(fields)}, found {', '.join(map(str, item))}")
        return item
    try:
        return {name: getattr(item, name) for name in fields}
    except AttributeError as why:
        raise ShapeError(str(why)) from None


def _column(rows: Any, key: Any, axes: int) -> Any:
    if axes == 0:
        try:
            return rows[key]
        except IndexError:
            raise ShapeError("a tuple in a list has too few parts") from None
    inside = [_column(row, key, axes - 1) for row in rows]
    if inside and isinstance(inside[0], np.ndarray):
        try:
            return np.stack(inside)
        except ValueError as why:
            raise ShapeError(str(why)) from None
    return inside


def check_tags(tags: Any, count: int) -> None:
    """Tags are numbers of constructors: code jumps by them."""
    tags = np.asarray(tags)
    if tags.size and not (0 <= int(tags.min()) and int(tags.max()) < count):
        raise ShapeError(f"a tag is at least 0 and less than {count}, the number of constructors")


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, with arrays equal in every element. A NaN equals no number."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.shape(a) == np.shape(b) and np.all(np.asarray(a) == np.asarray(b)))
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b) and not (isinstance(a, float) and math.isnan(a))
