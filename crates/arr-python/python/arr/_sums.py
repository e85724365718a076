"""Arrays of sums: between lists of values and columns."""

from __future__ import annotations

from typing import Any

from arr._errors import ShapeError
from arr._numpy import np


def columns_of(cls: Any, values: Any) -> list:
    """The tags and what each constructor carries, for a list of values, perhaps nested."""
    if not isinstance(values, list):
        raise ShapeError(f"expected a list of `{cls.__name__}`, found a value of the class `{type(values).__name__}`")
    shape, flat = _flat(values)
    # A constructor that carries nothing stands for its value.
    alone = [constructor for constructor in cls._constructors if constructor._count == 0]
    flat = [value() if isinstance(value, type) and value in alone else value for value in flat]
    for value in flat:
        if not isinstance(value, cls):
            raise ShapeError(f"expected `{cls.__name__}`, found a value of the class `{type(value).__name__}`")
    columns: list = []
    if len(cls._constructors) > 1:
        columns.append(np.array([value._tag for value in flat], dtype=np.int64).reshape(shape))
    for constructor in cls._constructors:
        carried = []
        for at in range(constructor._count):
            own = [value[at] for value in flat if type(value) is constructor]
            carried.append(_column(own, [type(value) is constructor for value in flat], shape))
        columns.append(tuple(carried))
    return columns


def _flat(values: Any) -> tuple[tuple[int, ...], list]:
    if not isinstance(values, list):
        return (), [values]
    parts = [_flat(value) for value in values]
    if len({shape for shape, _ in parts}) > 1:
        raise ShapeError("the lists inside of a list of values have different lengths")
    return (len(values), *(parts[0][0] if parts else ())), [value for _, flat in parts for value in flat]


def _column(own: list, chosen: list[bool], shape: tuple[int, ...]) -> Any:
    if own and isinstance(own[0], tuple):
        parts = [_column([value[k] for value in own], chosen, shape) for k in range(len(own[0]))]
        return type(own[0])._make(parts) if hasattr(own[0], "_make") else tuple(parts)
    if not own:
        # Zeros, of a type and with axes that the function knows.
        return None
    present = np.array(own)
    whole = np.zeros((len(chosen), *present.shape[1:]), dtype=present.dtype)
    whole[np.array(chosen, dtype=bool)] = present
    return whole.reshape(shape + present.shape[1:])


def values_of(cls: Any, columns: tuple) -> list:
    """The values of an array with one axis."""
    rest = list(columns)
    tags = rest.pop(0) if len(cls._constructors) > 1 else None
    count = len(tags) if tags is not None else len(rest[0][0])
    values = []
    for at in range(count):
        constructor = cls._constructors[int(tags[at]) if tags is not None else 0]
        carried = rest[constructor._tag]
        values.append(constructor(*(_item(part, at) for part in carried)))
    return values


def _item(part: Any, at: int) -> Any:
    if isinstance(part, tuple):
        parts = [_item(inner, at) for inner in part]
        return type(part)._make(parts) if hasattr(part, "_make") else tuple(parts)
    item = part[at]
    return item.item() if isinstance(item, (np.float64, np.int64, np.bool_)) else item
