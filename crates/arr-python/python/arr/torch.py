"""Functions of Arr in PyTorch.

>>> import torch, arr, arr.torch
>>> m = arr.compile("def energy(x: [n][3]f64) -> f64 = sum(for i => sum(for j => exp(-sum((x[i] - x[j]) ** 2))))")
>>> energy = arr.torch.function(m.energy)
>>> x = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
>>> energy(x).backward()

Tensors on the CPU are read where they lie and results are not copied. Every derivative is Arr's own, those of derivatives
included.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import torch as _torch

from arr._leaves import leaves_of
from arr._module import Function
from arr._trees import register_all_with_torch
from arr._values import FLOATS

_DTYPES = {
    "f64": _torch.float64,
    "f32": _torch.float32,
    "i64": _torch.int64,
    "i32": _torch.int32,
    "u32": _torch.uint32,
    "bool": _torch.bool,
}


def _to_numpy(leaf: Any) -> Any:
    if isinstance(leaf, _torch.Tensor):
        if leaf.device.type != "cpu":
            raise TypeError(f"a tensor is on the device {leaf.device}; functions of Arr take tensors on the CPU")
        # An array of NumPy and a tensor see the same memory.
        return (leaf.resolve_neg() if leaf.is_neg() else leaf).detach().numpy()
    return leaf


def _to_tensor(leaf: Any, elem: str) -> _torch.Tensor:
    if isinstance(leaf, np.ndarray):
        return _torch.from_numpy(leaf)
    return _torch.tensor(leaf, dtype=_DTYPES[elem])


def _run(function: Function, leaves: Any) -> list[_torch.Tensor]:
    """The leaves of the result, without derivatives."""
    arguments = function.unflatten([_to_numpy(leaf) for leaf in leaves])
    results = function.flatten_result(function(*arguments))
    return [_to_tensor(leaf, elem) for leaf, elem in zip(results, leaves_of(function).outputs)]


def _backward(function: Function, leaves: Any, needed: Any, cotangents: Any, apply: Callable) -> list:
    """The cotangents of the leaves that need one, by the function's pullback, which is applied like a function."""
    about = leaves_of(function)
    wrt = [name for name, _, _ in function.params if any(n and o == name for n, o in zip(needed, about.owners))]
    if not wrt:
        return [None] * len(about.inputs)
    pullback = function.derive("vjp", wrt)
    given = [c for c, elem in zip(cotangents, about.outputs) if elem in FLOATS]
    results = iter(apply(pullback, [*leaves, *given])[len(about.outputs) :])
    gradients = []
    for elem, owner, need in zip(about.inputs, about.owners, needed):
        gradient = next(results) if owner in wrt and elem in FLOATS else None
        gradients.append(gradient if need else None)
    return gradients


class _Call(_torch.autograd.Function):
    """A call of a function on its leaves."""

    @staticmethod
    def forward(ctx: Any, function: Function, *leaves: Any) -> Any:
        results = _run(function, leaves)
        ctx.function = function
        ctx.constants = [None if isinstance(leaf, _torch.Tensor) else leaf for leaf in leaves]
        ctx.save_for_backward(*(leaf for leaf in leaves if isinstance(leaf, _torch.Tensor)))
        elems = leaves_of(function).outputs
        ctx.mark_non_differentiable(*(r for r, elem in zip(results, elems) if elem not in FLOATS))
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        saved = iter(ctx.saved_tensors)
        leaves = [next(saved) if constant is None else constant for constant in ctx.constants]
        return None, *_backward(ctx.function, leaves, ctx.needs_input_grad[1:], cotangents, _apply)


# Functions that compiled programs of PyTorch call, by number.
_functions: list[Function] = []


def _number(function: Function) -> int:
    found = function.__dict__.get("_torch_number")
    if found is None:
        found = function._torch_number = len(_functions)
        _functions.append(function)
    return found


@_torch.library.custom_op("arr::call", mutates_args=())
def _call_op(number: int, leaves: list[_torch.Tensor]) -> list[_torch.Tensor]:
    return _run(_functions[number], leaves)


@_call_op.register_fake
def _(number: int, leaves: list[_torch.Tensor]) -> list[_torch.Tensor]:
    function = _functions[number]
    about = leaves_of(function)
    shapes = about.shapes([leaf.shape for leaf in leaves])
    return [_torch.empty(shape, dtype=_DTYPES[elem]) for shape, elem in zip(shapes, about.outputs)]


def _setup_context(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.number, leaves = inputs
    ctx.save_for_backward(*leaves)


def _backward_op(ctx: Any, cotangents: Any) -> Any:
    function, leaves = _functions[ctx.number], list(ctx.saved_tensors)
    needed = [elem in FLOATS for elem in leaves_of(function).inputs]
    return None, _backward(function, leaves, needed, cotangents, _apply_op)


_call_op.register_autograd(_backward_op, setup_context=_setup_context)


def _apply(function: Function, leaves: list) -> list:
    """A call on leaves that PyTorch can differentiate."""
    if not _torch.is_grad_enabled() or not any(isinstance(x, _torch.Tensor) and x.requires_grad for x in leaves):
        return _run(function, leaves)
    return list(_Call.apply(function, *leaves))


def _apply_op(function: Function, leaves: list) -> list:
    """The same by the operator."""
    return _call_op(_number(function), leaves)


def _plan(tree: Any) -> Any:
    """The type of a parameter or result as plain data, which PyTorch's compiler sees through."""
    kind, _, inside = tree
    if kind == "leaf":
        return inside
    if kind == "tuple":
        return (None, tuple(map(_plan, inside)))
    if kind == "record":
        return (inside[0]._fields, tuple(map(_plan, inside[1])), inside[0])
    raise TypeError("sums have no tensors")


def _taken(plan: Any, value: Any, flat: list) -> None:
    """Adds the tensors of a value."""
    if isinstance(plan, str):
        flat.append(value if isinstance(value, _torch.Tensor) else _torch.tensor(value, dtype=_DTYPES[plan]))
    elif plan[0] is None:
        for part, inner in zip(value, plan[1]):
            _taken(inner, part, flat)
    else:
        for name, inner in zip(plan[0], plan[1]):
            _taken(inner, value[name] if isinstance(value, dict) else getattr(value, name), flat)


def _put(plan: Any, flat: list) -> Any:
    """The value that has the first tensors, which are taken away."""
    if isinstance(plan, str):
        return flat.pop(0)
    parts = [_put(inner, flat) for inner in plan[1]]
    return tuple(parts) if plan[0] is None else plan[2](*parts)


def function(f: Function) -> Callable[..., Any]:
    """A function of Arr as one of tensors. Records and tuples may hold tensors; numbers may be tensors without axes."""
    if not isinstance(f, Function):
        what = f"a value of the class `{type(f).__name__}`"
        raise TypeError(f"arr.torch.function wants a function of a program, such as `m.f` of `m = arr.load(..)`, not {what}")
    register_all_with_torch()
    number, about = _number(f), leaves_of(f)
    given, made = f.trees()
    plans, plan = [_plan(tree) for tree in given], _plan(made)

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args = f._bound(args, kwargs)
        if _torch.compiler.is_compiling():
            flat: list = []
            for inner, value in zip(plans, args):
                _taken(inner, value, flat)
            return _put(plan, list(_call_op(number, flat)))
        return f.unflatten_result(_apply(f, about.flatten(args)))

    call.__name__ = call.__qualname__ = f._name
    call.__doc__ = f.__doc__
    return call


class Module(_torch.nn.Module):
    """A function whose first parameter is trained: its floats are the parameters of the module.

    >>> import torch, arr, arr.torch
    >>> m = arr.compile("def loss(p: { w: [n]f64, b: f64 }, x: [n]f64) -> f64 = (sum(p.w * x) + p.b - 1.0) ** 2")
    >>> net = arr.torch.Module(m.loss, {"w": torch.zeros(3).double(), "b": 0.0})
    >>> net(torch.ones(3).double())
    tensor(1., dtype=torch.float64, grad_fn=<_CallBackward>)
    """

    def __init__(self, f: Function, start: Any):
        super().__init__()
        register_all_with_torch()
        _number(f)
        self._function = f
        name, _, leaves = f.params[0]
        missing = [_Anything()] * (len(f.params) - 1)
        values = f.flatten(start, *missing)[: len(leaves)] if len(leaves) else []
        self._names: list[str] = []
        for (path, elem, _), value in zip(leaves, values):
            key = (path.lstrip(".") or name).replace(".", "_")
            tensor = _torch.as_tensor(value).detach().to(_DTYPES[elem]).clone()
            if elem in FLOATS:
                self.register_parameter(key, _torch.nn.Parameter(tensor))
            else:
                self.register_buffer(key, tensor)
            self._names.append(key)

    def forward(self, *args: Any) -> Any:
        own = [getattr(self, name) for name in self._names]
        f = self._function
        rest = f.flatten(_Anything(), *args)[len(own) :] if args else []
        return f.unflatten_result(_apply(f, [*own, *rest]))

    def value(self) -> Any:
        """The present value of the parameter, with tensors."""
        own = [getattr(self, name).detach() for name in self._names]
        missing = [None] * (len(leaves_of(self._function).inputs) - len(own))
        return self._function.unflatten([*own, *missing])[0]


class _Anything:
    """Has every field, where only the number of leaves matters."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __getitem__(self, key: Any) -> Any:
        return self
