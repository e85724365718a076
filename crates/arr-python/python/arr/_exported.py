"""A module of StableHLO text as a function of JAX.

It needs nothing but JAX, so that `bench/peers/xla_peer.py` loads it without the package. This is the only use of
`jax.extend.mlir`, whose names JAX does not promise to keep; `tests/test_xla.py` names it.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import jax as _jax
import jax.numpy as _jnp
import numpy as _np
from jax import export as _export
from jax.extend.mlir import serialize_portable_artifact

#: The least version of StableHLO that has all operations of a module.
VERSION = "1.9.0"

#: Names of element types, as NumPy has them.
_ELEMENTS = {"f64": "f8", "f32": "f4", "i64": "i8", "i32": "i4", "ui32": "u4", "i1": "?"}


def serialized(text: str) -> bytes:
    """A module in the form that keeps its meaning in later versions."""
    return serialize_portable_artifact(text, VERSION)


def _tensors(text: str) -> list[Any]:
    found = re.findall(r"tensor<((?:\d+x)*)(\w+)>", text)
    return [
        _jax.ShapeDtypeStruct(tuple(map(int, dims.split("x")[:-1])), _np.dtype(_ELEMENTS[elem])) for dims, elem in found
    ]


def signature(text: str) -> tuple[list[Any], list[Any]]:
    """The types of the parameters and of the results of `main`."""
    head = next(line for line in text.splitlines() if "func.func public @main" in line)
    parameters, results = head.split(") -> (")
    return _tensors(parameters), _tensors(results)


def exported(text: str) -> _export.Exported:
    """A module as what JAX exports: a template of the same signature gets the module in the place of its own."""
    ins, outs = signature(text)

    def like(*_: Any) -> tuple:
        return tuple(_jnp.zeros(out.shape, out.dtype) for out in outs)

    platform = {"gpu": "cuda"}.get(_jax.default_backend(), _jax.default_backend())
    template = _export.export(_jax.jit(like, keep_unused=True), platforms=(platform,))(*ins)
    return dataclasses.replace(template, fun_name="arr", mlir_module_serialized=serialized(text))
