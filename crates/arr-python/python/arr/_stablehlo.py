"""StableHLO of Arr as functions of JAX."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import jax as _jax
import jax.numpy as _jnp
import numpy as _np
from jax.export import Exported as _Exported

from arr import _arr
from arr._errors import CompileError
from arr._exported import exported
from arr._module import Function

#: Every process of a distributed program checks: otherwise those that do not would go on with wrong numbers.
_EVERYWHERE = {"partitioned": True} if "partitioned" in inspect.signature(_jax.debug.callback).parameters else {}

#: Leaves of parameters, by number, that are these integers in every call.
Numbers = tuple[tuple[int, int], ...]
Shapes = tuple[tuple[int, ...], ...]


@functools.lru_cache(maxsize=1024)
def lowered(function: Function, shapes: Shapes, numbers: Numbers = ()) -> tuple[_arr.Lowered, Numbers]:
    """The module of a function for arguments with leaves of these shapes, and the leaves that are no parameters of it: the
    numbers, if sizes depend on them."""
    module = functools.partial(
        function._native.stablehlo, function._name, function._text, [list(shape) for shape in shapes]
    )
    if not numbers:
        return module([]), ()
    try:
        return module([]), ()
    except CompileError:
        return module(list(numbers)), numbers


@functools.lru_cache(maxsize=1024)
def _called(function: Function, shapes: Shapes, numbers: Numbers) -> _Exported:
    return exported(lowered(function, shapes, numbers)[0].text)


def shapes_of(leaves: Any) -> Shapes:
    return tuple(tuple(map(int, _np.shape(leaf))) for leaf in leaves)


def call(function: Function, leaves: Any, numbers: Numbers, with_words: bool) -> list[Any]:
    """The results of a function for these leaves, inside a program of JAX. The last result is the one that tells of
    failures if it is asked for; otherwise a failure ends the program of JAX."""
    shapes = shapes_of(leaves)
    module, fixed = lowered(function, shapes, numbers)
    program = _called(function, shapes, numbers)
    made = list(program.call(*(leaf for at, leaf in enumerate(leaves) if at not in dict(fixed))))
    words = made.pop() if module.can_fail else None
    if with_words:
        return [*made, _jnp.zeros(4, _np.int64) if words is None else words]
    if words is not None:

        def check(words: Any) -> None:
            module.check([int(word) for word in words])

        _jax.lax.cond(words[0] != 0, lambda w: _jax.debug.callback(check, w, **_EVERYWHERE), lambda w: None, words)
    return made
