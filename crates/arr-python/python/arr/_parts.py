"""The leaves of values of other libraries, found without conversions: JAX's traced values have none."""

from __future__ import annotations

from typing import Any

from arr._errors import ShapeError


def misfit(function: str, parameter: str, path: str, declared: str, what: str) -> ShapeError:
    """The error of a part of an argument, in the words of calls with arrays."""
    return ShapeError(f"argument `{parameter}{path}` of `{function}`: {what}\n  `{parameter}` is declared as `{declared}`")


class Reader:
    """Reads one argument of a function."""

    def __init__(self, function: str, parameter: str, declared: str, flat: list):
        self._about = (function, parameter, declared)
        self._flat = flat

    def _misfit(self, path: str, what: str) -> ShapeError:
        function, parameter, declared = self._about
        return misfit(function, parameter, path, declared, what)

    def read(self, tree: Any, value: Any, path: str) -> None:
        """Adds the leaves of a value, which lies at the path inside of the argument."""
        kind, _, inside = tree
        if kind == "leaf":
            self._flat.append(value)
        elif kind == "tuple":
            self._tuple(inside, value, path)
        elif kind == "record":
            self._record(inside, value, path)
        else:
            raise self._misfit(path, "values of sum types have no leaves that other libraries could see")

    def _tuple(self, items: Any, value: Any, path: str) -> None:
        if not isinstance(value, (tuple, list)):
            raise self._misfit(path, f"expected a tuple of {len(items)}, found {_class(value)}")
        if len(value) != len(items):
            raise self._misfit(path, f"expected a tuple of {len(items)}, found one of {len(value)}")
        for at, (item, part) in enumerate(zip(items, value)):
            self.read(item, part, f"{path}.{at}")

    def _record(self, inside: Any, value: Any, path: str) -> None:
        fields = inside[0]._fields
        for name, field in zip(fields, inside[1]):
            self.read(field, self._field(value, name, fields, path), f"{path}.{name}")
        extra = [key for key in value if key not in fields] if isinstance(value, dict) else []
        if extra:
            raise self._misfit(path, f"there is no field `{extra[0]}`; the fields are {', '.join(fields)}")

    def _field(self, value: Any, name: str, fields: tuple[str, ...], path: str) -> Any:
        if isinstance(value, dict):
            if name in value:
                return value[name]
            raise self._misfit(path, f"the field `{name}` is missing")
        try:
            return getattr(value, name)
        except AttributeError:
            what = f"expected a record of {', '.join(fields)}, found {_class(value)}, which has no `{name}`"
            raise self._misfit(path, what) from None


def _class(value: Any) -> str:
    return f"a value of the class `{type(value).__name__}`"
