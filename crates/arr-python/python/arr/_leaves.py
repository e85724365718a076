"""The leaves of a function's parameters and result, as other libraries have to know them."""

from __future__ import annotations

from typing import Any, Sequence

from arr import _sizes
from arr._errors import ShapeError
from arr._module import Function
from arr._parts import Reader, misfit
from arr._sizes import Axis, Known
from arr._values import FLOATS, describe

#: Leaves of parameters, by number, that are these integers.
Numbers = Sequence[tuple[int, int]]


class Leaves:
    """The types, owners and extents of the leaves of a function."""

    def __init__(self, function: Function):
        leaves = [(name, leaf) for name, _, all_leaves in function.params for leaf in all_leaves]
        self.owners = [name for name, _ in leaves]
        self.inputs = [function._elem(leaf[1]) for _, leaf in leaves]
        self.outputs = [function._elem(leaf[1]) for leaf in function.result[1]]
        #: The numbers of the results that hold floats.
        self.floats = [at for at, elem in enumerate(self.outputs) if elem in FLOATS]
        self._paths = [leaf[0] for _, leaf in leaves]
        self._ranks = [leaf[2] for _, leaf in leaves]
        self._declared = {name: function._types(text) for name, text, _ in function.params}
        self._name, self._function = function._name, function
        #: Whether every `f64` of the program is an `f32`.
        self.single = function._single
        inputs, outputs = function.extents
        self._inputs = [[(text, _sizes.parsed(text)) for text in extents] for extents in inputs]
        self._outputs = [[_sizes.parsed(text) for text in extents] for extents in outputs]
        self._names = set(function.sizes)
        #: The numbers of the leaves that sizes are or depend on.
        self.sizing = self._sizing()

    def _sizing(self) -> frozenset[int]:
        sizes = [size for axes in self._inputs for _, size in axes] + [size for axes in self._outputs for size in axes]
        mentioned = {name for size in sizes for name in _sizes.names_of(size)} - self._names
        return frozenset(at for at, owner in enumerate(self.owners) if owner in mentioned and self._paths[at] == "")

    def flatten(self, args: Sequence[Any]) -> list:
        """The leaves of arguments, one for each parameter. Fails with ShapeError where one lacks a part of its type, or has
        one that the type lacks."""
        self._check_count(args)
        flat: list = []
        for (name, declared), tree, value in zip(self._declared.items(), self._function.trees()[0], args):
            Reader(self._name, name, declared, flat).read(tree, value, "")
        return flat

    def _check_count(self, args: Sequence[Any]) -> None:
        if len(args) > len(self._declared):
            raise TypeError(f"{self._name}() takes {len(self._declared)} arguments, and {len(args)} are given")
        missing = list(self._declared)[len(args) :]
        if missing:
            raise TypeError(f"{self._name}() lacks a value for `{missing[0]}`")

    def misfit(self, at: int, what: str) -> ShapeError:
        """The error of a leaf, by number, that is something else than its parameter wants."""
        name = self.owners[at]
        return misfit(self._name, name, self._paths[at], self._declared[name], what)

    def check_ranks(self, given: Sequence[Any]) -> None:
        """Raises ShapeError where an array has another number of axes than its parameter."""
        for at, (leaf, rank) in enumerate(zip(given, self._ranks)):
            if len(leaf.shape) != rank:
                raise self.misfit(at, f"expected `{'[_]' * rank}{self.inputs[at]}`, found {describe(leaf)}")

    def shapes(self, given: Sequence[Any], numbers: Numbers = ()) -> list[tuple]:
        """The shapes of the results for arguments of these shapes, of which some leaves, by number, are these integers.

        Raises ShapeError where the shapes disagree, and TypeError where one of a result depends on the value of another
        number, or on other data.
        """
        known = {self.owners[at]: Known(value, self.owners[at]) for at, value in numbers if self._paths[at] == ""}
        unknown = {self.owners[at] for at in self.sizing} - set(known)
        axes = [
            Axis(owner, text, size, extent)
            for owner, declared, shape in zip(self.owners, self._inputs, given)
            for (text, size), extent in zip(declared, shape)
        ]
        known = _sizes.solved(axes, known)
        _sizes.check(axes, known, unknown, lambda: _sizes.Given(self._declared, self._found(given)))
        # A name that nothing fixes is only of arrays that are empty for every value of it.
        for name in self._names - set(known):
            known[name] = Known(0, "")
        return [tuple(self._extent(size, known) for size in extents) for extents in self._outputs]

    def _extent(self, size: _sizes.Size, known: dict[str, Known]) -> Any:
        left = _sizes.rest(size, known)
        opened = _sizes.names_of({names: factor for names, factor in left.items() if names})
        if opened:
            number = f"the value of a number, `{opened[0]}`, which is not known here; in JAX, pass it as an integer of Python"
            what = number if opened[0] in self.owners else "the values of its arguments"
            raise TypeError(f"the shape of the result of `{self._name}` depends on {what}")
        extent = left.get((), 0)
        if extent < 0:
            raise ShapeError(f"the result of `{self._name}` would have an axis of {extent}")
        return extent

    def _found(self, given: Sequence[Any]) -> dict[str, str]:
        """The types of what is given, as text, by the names of the parameters."""
        shapes, found = [tuple(shape) for shape in given], {}
        for name, tree in zip(self._declared, self._function.trees()[0]):
            found[name] = _type_text(tree, shapes, 0)
        return found


def _type_text(tree: Any, shapes: list[tuple], outer: int) -> str:
    """The type of a value with leaves of these shapes, which are taken away, inside of as many axes."""
    kind, axes, inside = tree
    front = "".join(f"[{extent}]" for extent in shapes[0][outer:axes]) if shapes else ""
    if kind == "leaf":
        shapes.pop(0)
        return front + inside
    if kind == "tuple":
        return f"{front}({', '.join(_type_text(item, shapes, axes) for item in inside)})"
    fields = zip(inside[0]._fields, inside[1])
    return f"{front}{{ {', '.join(f'{name}: {_type_text(field, shapes, axes)}' for name, field in fields)} }}"


def leaves_of(function: Function) -> Leaves:
    """What is known of the leaves of a function, made once."""
    found = function.__dict__.get("_leaves")
    if found is None:
        found = function._leaves = Leaves(function)
    return found
