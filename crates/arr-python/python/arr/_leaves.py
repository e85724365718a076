"""The leaves of a function's parameters and result, as other libraries have to know them."""

from __future__ import annotations

from typing import Any

from arr._module import Function
from arr._values import FLOATS


class Leaves:
    """The types, owners and extents of the leaves of a function."""

    def __init__(self, function: Function):
        leaves = [(name, leaf[1]) for name, _, all_leaves in function.params for leaf in all_leaves]
        self.owners = [name for name, _ in leaves]
        self.inputs = [elem for _, elem in leaves]
        self.outputs = [leaf[1] for leaf in function.result[1]]
        #: The numbers of the results that hold floats.
        self.floats = [at for at, elem in enumerate(self.outputs) if elem in FLOATS]
        self._name = function._name
        self._extents = function.extents

    def shapes(self, given: Any, numbers: Any = ()) -> list[tuple]:
        """The shapes of the results for arguments of these shapes, of which some leaves, by number, are these integers.

        Raises TypeError where one depends on the value of another number.
        """
        inputs, outputs = self._extents
        sizes: dict[str, Any] = {self.owners[at]: value for at, value in numbers}
        for shape, extents in zip(given, inputs):
            sizes.update({text: extent for text, extent in zip(extents, shape) if text.isidentifier()})
        try:
            # The texts are sizes as Arr prints them: sums and products of names and numbers.
            return [tuple(eval(text, {"__builtins__": {}}, sizes) for text in extents) for extents in outputs]
        except NameError as why:
            text = f"the shape of the result of `{self._name}` depends on the value of a number, which is not known here: {why}"
            raise TypeError(text) from None


def leaves_of(function: Function) -> Leaves:
    found = function.__dict__.get("_leaves")
    if found is None:
        found = function._leaves = Leaves(function)
    return found
