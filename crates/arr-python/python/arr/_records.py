"""Classes for the records and sums of programs.

A record is a tuple with names: `p.mean`, `p._replace(mean=..)`, `p._asdict()`. So JAX and PyTorch take it apart as they
do named tuples. Types with the same fields are one type in Arr, and one class here.
"""

from __future__ import annotations

import sys
from typing import Any

from arr._names import python_names
from arr._values import same

_classes: dict[tuple, type] = {}


def _short(value: Any) -> str:
    text = repr(value)
    lines = text.splitlines()
    return text if len(lines) == 1 else lines[0] + " .. " + lines[-1].strip()


class _Value(tuple):
    """What records, sums and arrays of sums have in common. Equality compares every element."""

    __slots__ = ()
    _arr_key: tuple = ()

    @classmethod
    def _make(cls, items: Any):
        return tuple.__new__(cls, items)

    def __eq__(self, other: Any) -> bool:
        # A constructor that carries nothing stands for its value, as in the program.
        if other is type(self) and len(self) == 0 and isinstance(self, Sum):
            return True
        if not isinstance(other, _Value) or type(other)._arr_key != self._arr_key:
            return False
        return all(map(same, self, other))

    def __ne__(self, other: Any) -> bool:
        return not self.__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self):
        return _rebuilt, (self._arr_key, tuple(self))


def _rebuilt(key: tuple, items: tuple) -> Any:
    return tuple.__new__(_class_for(key), items)


def _class_for(key: tuple) -> Any:
    kind, module, name, rest = key
    if kind == "record":
        return record_class(module, name, rest)
    sum_class = sum_class_for(module, name, rest[0])
    return sum_class.Array if rest[1] is None else sum_class._constructors[rest[1]]


class Record(_Value):
    """A record of a program."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()
    #: Other names for fields: those of Python.
    _aliases: dict[str, str] = {}

    def __new__(cls, *args: Any, **kwargs: Any):
        fields = cls._fields
        if len(args) > len(fields):
            raise TypeError(f"{cls.__name__} has {len(fields)} fields, and {len(args)} values are given")
        values = dict(zip(fields, args))
        for given, value in kwargs.items():
            name = cls._aliases.get(given, given)
            if name not in fields:
                raise TypeError(f"{cls.__name__} has no field `{name}`; its fields are {', '.join(fields)}")
            if name in values:
                raise TypeError(f"{cls.__name__} has two values for `{name}`")
            values[name] = value
        missing = [name for name in fields if name not in values]
        if missing:
            raise TypeError(f"{cls.__name__} lacks {', '.join(missing)}")
        return tuple.__new__(cls, [values[name] for name in fields])

    def _replace(self, **changes: Any):
        """The record with other values for some of its fields."""
        own = {self._aliases.get(name, name): value for name, value in changes.items()}
        return type(self)(**{**self._asdict(), **own})

    def _asdict(self) -> dict[str, Any]:
        """The fields and their values."""
        return dict(zip(self._fields, self))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={_short(value)}" for name, value in zip(self._fields, self))
        return f"{type(self).__name__}({parts})"

    def __getnewargs__(self):
        return tuple(self)


def _field(at: int, name: str) -> property:
    return property(lambda self: tuple.__getitem__(self, at), doc=f"The field `{name}`.")


def record_class(module: str, name: str, fields: tuple[str, ...]) -> type[Record]:
    """The class of records with these fields in a module."""
    key = ("record", module, name, tuple(fields))
    found = _classes.get(key)
    if found is None:
        body: dict[str, Any] = {"__slots__": (), "_fields": tuple(fields), "_arr_key": key, "__module__": "arr"}
        body["__match_args__"] = tuple(fields)
        body.update({field: _field(at, field) for at, field in enumerate(fields)})
        others = {other: field for other, field in zip(python_names(fields), fields) if other != field}
        body.update({other: body[field] for other, field in others.items()}, _aliases=others)
        found = _classes.setdefault(key, type(name, (Record,), body))
        _register(found)
    return found


class Sum(_Value):
    """A value of a sum type: its class is its constructor, its items what that carries."""

    __slots__ = ()
    _tag = 0
    _count = 0
    Array: type
    _constructors: tuple[type, ...] = ()

    def __new__(cls, *args: Any):
        if not isinstance(cls.__dict__.get("_tag"), int):
            raise TypeError(f"{cls.__name__} is a sum type; its values are made by its constructors")
        if len(args) != cls._count:
            raise TypeError(f"{cls.__name__} carries {cls._count} values, and {len(args)} are given")
        return tuple.__new__(cls, args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(_short, self))})" if self else type(self).__name__ + "()"


class SumArray(_Value):
    """An array of sums: the tags, and for each constructor what it carries, with zeros where it was not chosen."""

    __slots__ = ()
    _sum: type[Sum]

    def __new__(cls, *columns: Any):
        return tuple.__new__(cls, columns)

    @property
    def tag(self) -> Any:
        """The numbers of the constructors."""
        return tuple.__getitem__(self, 0)

    def __repr__(self) -> str:
        names = ["tag"] if len(self._sum._constructors) > 1 else []
        names += [c.__name__ for c in self._sum._constructors]
        return f"{self._sum.__name__}.Array({', '.join(f'{n}={_short(c)}' for n, c in zip(names, self))})"

    @classmethod
    def _of(cls, values: Any):
        """The columns of a list of values."""
        from arr._sums import columns_of

        return tuple.__new__(cls, columns_of(cls._sum, values))

    def tolist(self) -> list:
        """The values, one by one."""
        from arr._sums import values_of

        return values_of(self._sum, self)


def sum_class_for(module: str, name: str, constructors: tuple) -> type[Sum]:
    """The class of a sum type with these constructors, given with the numbers of values that they carry."""
    constructors = tuple((str(c), int(n)) for c, n in constructors)
    key = ("sum", module, name, constructors)
    found = _classes.get(key)
    if found is None:
        found = _classes.setdefault(key, _new_sum(module, name, constructors))
    return found


def _new_sum(module: str, name: str, constructors: tuple) -> type[Sum]:
    base: Any = type(name, (Sum,), {"__slots__": (), "__module__": "arr"})
    made = []
    for tag, (constructor, count) in enumerate(constructors):
        names = tuple(f"_{k}" for k in range(count))
        body: dict[str, Any] = {"__slots__": (), "_tag": tag, "_count": count, "__match_args__": names}
        body.update({field: _field(at, field) for at, field in enumerate(names)})
        body.update({"__module__": "arr", "__qualname__": f"{name}.{constructor}"})
        body["_arr_key"] = ("sum", module, name, (constructors, tag))
        made.append(type(constructor, (base,), body))
        setattr(base, constructor, made[-1])
    for other, constructor_class in zip(python_names([constructor for constructor, _ in constructors]), made):
        setattr(base, other, constructor_class)
    base._constructors = tuple(made)
    body = {"__slots__": (), "_sum": base, "_arr_key": ("sum", module, name, (constructors, None))}
    base.Array = type("Array", (SumArray,), {**body, "__module__": "arr", "__qualname__": f"{name}.Array"})
    return base


class Registry:
    """The classes of a module, by the names of its types."""

    def __init__(self, module: str):
        self.module = module
        self.names: dict[tuple[str, ...], str] = {}

    def name(self, fields: tuple[str, ...], name: str) -> None:
        """Gives records with these fields a name, unless they have one."""
        self.names.setdefault(tuple(fields), name)

    def record(self, fields: tuple[str, ...]) -> type[Record]:
        return record_class(self.module, self.names.get(tuple(fields), "Record"), tuple(fields))

    def sum(self, name: str, constructors: list) -> type[Sum]:
        return sum_class_for(self.module, name.split("[")[0], tuple(map(tuple, constructors)))


def _register(cls: type[Record]) -> None:
    """Makes the class a tree of values for PyTorch, if that is there. JAX knows tuples with names."""
    if "torch.utils._pytree" in sys.modules:
        from arr._trees import register_with_torch

        register_with_torch(cls)
