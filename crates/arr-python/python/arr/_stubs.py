"""Types of a program as a stub file, for editors and checkers of Python."""

from __future__ import annotations

from typing import Any

from arr._names import python_name, python_names

_SCALARS = {
    "f64": ("float", "float"),
    "f32": ("float", "np.float32"),
    "i64": ("int", "int"),
    "i32": ("int", "np.int32"),
    "u32": ("int", "np.uint32"),
    "bool": ("bool", "bool"),
}
_ARRAYS = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "u32": "uint32", "bool": "bool_"}

_HEAD = '''"""Types of the program {path}, written by `arr stubs`."""

from typing import Any, Mapping, NamedTuple, Protocol, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

import arr

'''


def stubs(module: Any) -> str:
    """The stub of a module that `arr.load` gives."""
    writer = _Writer(module)
    body = [writer.definition(d) for d in module._definitions.values()]
    return "\n".join([_HEAD.format(path=module._path), *writer.classes.values(), *body])


class _Writer:
    def __init__(self, module: Any):
        self.module = module
        self.classes: dict[type, str] = {}

    def definition(self, definition: dict) -> str:
        name = python_name(definition["name"])
        if definition["params"] is None:
            made = _constant(self.module, name)
            return f"{name}: {made}\n"
        function = getattr(self.module, name)
        inputs, output = function.trees()
        names = python_names([param for param, _, _ in function.params])
        own = ", /" if "self" in names else ""
        params = own + "".join(f", {param}: {self.given(tree)}" for param, tree in zip(names, inputs))
        this = "_self" if "self" in names else "self"
        result = self.made(output)
        lines = [f"class _{name}(arr.Function):", f"    def __call__({this}{params}) -> {result}: ..."]
        lines.append(f"\n{name}: _{name}\n")
        return "\n".join(lines)

    def given(self, tree: Any) -> str:
        """What a parameter takes."""
        kind, axes, inside = tree
        if kind == "leaf":
            return _SCALARS[inside][0] if axes == 0 else "ArrayLike"
        if kind == "tuple":
            exact = f"tuple[{', '.join(map(self.given, inside)) or '()'}]"
            return exact if axes == 0 else f"{exact} | Sequence[Any]"
        if kind == "record":
            return f"{self.record(inside)} | Mapping[str, Any] | {'Any' if axes else 'object'}"
        return self.sum(inside[0], inside[1], axes)

    def made(self, tree: Any) -> str:
        """What a result is."""
        kind, axes, inside = tree
        if kind == "leaf":
            return _SCALARS[inside][1] if axes == 0 else f"NDArray[np.{_ARRAYS[inside]}]"
        if kind == "tuple":
            return f"tuple[{', '.join(map(self.made, inside)) or '()'}]"
        if kind == "record":
            return self.record(inside)
        return self.sum(inside[0], inside[1], axes)

    def record(self, inside: Any) -> str:
        cls, fields = inside
        if cls not in self.classes:
            self.classes[cls] = ""
            lines = [f"class {python_name(cls.__name__)}(NamedTuple):"]
            lines += [f"    {name}: {self.made(tree)}" for name, tree in zip(python_names(cls._fields), fields)] or ["    pass"]
            self.classes[cls] = "\n".join(lines) + "\n"
        return python_name(cls.__name__)

    def sum(self, cls: Any, carried: Any, axes: int) -> str:
        base = cls if axes == 0 else cls._sum
        own = python_name(base.__name__)
        if base not in self.classes:
            self.classes[base] = ""
            lines = [f"class {own}:", "    class Array:", "        tag: NDArray[np.int64]", "        def tolist(self) -> list: ..."]
            constructors = python_names([constructor.__name__ for constructor in base._constructors])
            for name, trees in zip(constructors, carried):
                names = [f"_{k}" for k in range(len(trees))]
                lines.append(f"    class {name}:")
                lines.append(f"        __match_args__ = ({''.join(f'{n!r}, ' for n in names)})")
                lines += [f"        {n}: {self.made(t)}" for n, t in zip(names, trees)]
                params = "".join(f", {n}: {self.given(t)}" for n, t in zip(names, trees))
                lines.append(f"        def __init__(self{params}) -> None: ...")
            self.classes[base] = "\n".join(lines) + "\n"
        names = [f"{own}.{name}" for name in python_names([c.__name__ for c in base._constructors])]
        return " | ".join(names) if axes == 0 else f"{own}.Array"


def _constant(module: Any, name: str) -> str:
    value = getattr(module, name)
    return "NDArray[Any]" if hasattr(value, "dtype") else type(value).__name__
