"""Functions of Arr in JAX.

>>> import jax, arr, arr.jax
>>> jax.config.update("jax_enable_x64", True)
>>> m = arr.compile("def energy(x: [n][3]f64) -> f64 = sum(for i => sum(for j => exp(-sum((x[i] - x[j]) ** 2))))")
>>> energy = arr.jax.function(m.energy)
>>> jax.jit(jax.grad(energy))(jax.numpy.zeros((2, 3))).shape
(2, 3)

A call is one operation of JAX. Its derivatives and its batches are operations of the same kind, of functions that Arr
derives: `jit`, `grad`, `jvp`, `vmap`, `scan` and their combinations work.

With the engine "native" the operation is Arr's machine code, which XLA calls on its own threads, without Python. Arguments
are read where they lie; results are copied to where XLA wants them. With the engine "xla" it is StableHLO that Arr writes
for the shapes at hand: XLA compiles it with the program around, for every device that it knows, and partitions it as the
arguments are sharded.
"""

from __future__ import annotations

import functools
from typing import Any, Callable

import jax as _jax
import jax.numpy as _jnp
import numpy as _np
from jax.extend.core import Primitive as _Primitive
from jax.interpreters import ad as _ad
from jax.interpreters import batching as _batching
from jax.interpreters import mlir as _mlir

from arr import _arr
from arr._errors import RunError
from arr._leaves import leaves_of
from arr._module import Function
from arr._values import DTYPES, FLOATS

_TARGET = "arr_call"
#: The result that tells which place of a program failed: its number, or 0, and the values of the message.
_WORDS = _jax.ShapeDtypeStruct((4,), _np.int64)


def _xla() -> Any:
    """What the engine "xla" needs of JAX, which older versions lack."""
    from arr import _stablehlo

    return _stablehlo


def _results(function: Function, leaves: Any, numbers: Any) -> list[_jax.ShapeDtypeStruct]:
    """The results for arguments like these."""
    about = leaves_of(function)
    shapes = about.shapes([leaf.shape for leaf in leaves], numbers)
    return [_jax.ShapeDtypeStruct(tuple(map(int, shape)), DTYPES[elem]) for shape, elem in zip(shapes, about.outputs)]


# The parameters of an operation: the function; `keep`, the numbers of the results that it has (the one after the last is
# the words of a failure, for the engine "xla"); and for one that is linear in its last arguments `linear`: the function
# whose derivative it is, the parameters, and how many arguments these are; the engine, and `numbers`: leaves, by number, that
# are these integers, on which sizes may depend.
_call = _Primitive("arr_call")
_call.multiple_results = True


def _type(value: Any) -> Any:
    typeof = getattr(_jax, "typeof", None) or getattr(_jax.core, "get_aval")
    return typeof(value)


def _varying(aval: Any) -> frozenset:
    """The axes of the mesh along which a value differs, inside `shard_map`."""
    manual = getattr(aval, "manual_axis_type", None)
    return manual.varying if manual is not None else getattr(aval, "vma", frozenset())


def _bind(*leaves: Any, **about: Any) -> list:
    """The operation on values that all differ along the same axes of a mesh: what is the same everywhere is made to differ,
    so that its cotangent is summed over the mesh."""
    own = [_varying(_type(leaf)) for leaf in leaves]
    every = frozenset().union(*own)
    if not every:
        return _call.bind(*leaves, **about)

    def cast(leaf: Any, axes: tuple) -> Any:
        return _jax.lax.pcast(leaf, axes, to="varying") if hasattr(_jax.lax, "pcast") else _jax.lax.pvary(leaf, axes)

    moved = [cast(leaf, tuple(sorted(every - axes))) if every - axes else leaf for leaf, axes in zip(leaves, own)]
    return _call.bind(*moved, **about)


def _aval(result: Any, leaves: Any) -> Any:
    """The type of a result. Inside `shard_map` it differs along the axes along which the operands do."""
    differs = [leaf for leaf in leaves if _varying(leaf)]
    if not differs:
        return _jax.core.ShapedArray(result.shape, result.dtype)
    spec = _jax.sharding.PartitionSpec(*[None] * len(result.shape))
    sharding = differs[0].sharding.update(spec=spec)
    return differs[0].update(shape=result.shape, dtype=_np.dtype(result.dtype), weak_type=False, sharding=sharding)


@functools.lru_cache(maxsize=None)
def _jitted(function: Function, keep: tuple, linear: Any, engine: str, numbers: tuple) -> Callable:
    return _jax.jit(lambda *leaves: _bind(*leaves, function=function, keep=keep, linear=linear, engine=engine, numbers=numbers))


@_call.def_impl
def _(*leaves: Any, function: Function, keep: tuple, linear: Any, engine: str, numbers: tuple) -> Any:
    if engine == "native":
        try:
            made = _jitted(function, keep, linear, engine, numbers)(*leaves)
            # A failure is seen where the results are: not later, in the middle of something else.
            return _jax.block_until_ready(made)
        except (ValueError, _jax.errors.JaxRuntimeError):
            own = _own_failure(function, leaves)
            if own is None:
                raise
            raise own from None
    module, numbers = _xla().lowered(function, _xla().shapes_of(leaves), numbers)
    if not module.can_fail:
        return _jitted(function, keep, linear, engine, numbers)(*leaves)
    # Outside of a program of JAX a failure is the exception that Arr's own calls raise.
    *made, words = _jitted(function, (*keep, len(leaves_of(function).outputs)), linear, engine, numbers)(*leaves)
    module.check(_np.asarray(words).tolist())
    return made


def _own_failure(function: Function, leaves: Any) -> RunError | None:
    """What a call outside of JAX raises for these leaves: programs fail the same way whenever they run."""
    try:
        function(*function.unflatten([_np.asarray(leaf)[()] for leaf in leaves]))
    except RunError as why:
        return why
    return None


@_call.def_abstract_eval
def _(*leaves: Any, function: Function, keep: tuple, linear: Any, engine: str, numbers: tuple) -> Any:
    results = [*_results(function, leaves, numbers), _WORDS]
    return [_aval(results[at], leaves) for at in keep]


def _lowered(*leaves: Any, function: Function, keep: tuple, linear: Any, engine: str, numbers: tuple) -> list:
    results = _results(function, leaves, numbers)
    if engine == "xla":
        made = _xla().call(function, leaves, numbers, len(results) in keep)
        return [made[at] for at in keep]
    if _jax.default_backend() != "cpu":
        raise NotImplementedError("machine code of Arr runs on processors; `engine=\"xla\"` runs on every device of JAX")
    _register()
    call = _jax.ffi.ffi_call(_TARGET, results)
    made = call(*leaves, handle=_np.int64(function.handle()))
    return [made[at] for at in keep]


@functools.lru_cache(maxsize=None)
def _register() -> None:
    _jax.ffi.register_ffi_target(_TARGET, _arr.xla_handler(), platform="cpu")


_mlir.register_lowering(_call, _mlir.lower_fun(_lowered, multiple_results=True))


def _zero(value: Any) -> Any:
    """The tangent of what does not move."""
    return _ad.Zero(_type(value).to_tangent_aval())


def _jvp(primals: Any, tangents: Any, *, function: Function, keep: tuple, linear: Any, engine: str, numbers: tuple) -> Any:
    about = leaves_of(function)
    results = _bind(*primals, function=function, keep=keep, linear=linear, engine=engine, numbers=numbers)
    moved = {o for o, e, t in zip(about.owners, about.inputs, tangents) if e in FLOATS and type(t) is not _ad.Zero}
    wrt = tuple(name for name, _, _ in function.params if name in moved)
    zeros = [_zero(result) for result in results]
    if not wrt:
        return results, zeros
    given = [
        _jnp.zeros_like(p) if type(t) is _ad.Zero else t
        for p, t, owner, elem in zip(primals, tangents, about.owners, about.inputs)
        if owner in wrt and elem in FLOATS
    ]
    count = len(about.outputs)
    wanted = [(place, count + about.floats.index(at)) for place, at in enumerate(keep) if at in about.floats]
    made = _bind(
        *primals,
        *given,
        function=function.derive("jvp", wrt),
        keep=tuple(at for _, at in wanted),
        linear=(function, wrt, len(given)),
        engine=engine,
        numbers=numbers,
    )
    for (place, _), tangent in zip(wanted, made):
        zeros[place] = tangent
    return results, zeros


_ad.primitive_jvps[_call] = _jvp


def _transpose(cotangents: Any, *leaves: Any, function: Function, keep: tuple, linear: Any, engine: str, numbers: tuple) -> Any:
    if linear is None:
        raise NotImplementedError(f"`{function._name}` is not known to be linear")
    base, wrt, count = linear
    about = leaves_of(base)
    primals = leaves[: len(leaves) - count]
    shapes = _results(base, primals, numbers)
    known = {at: c for at, c in zip(keep, cotangents) if type(c) is not _ad.Zero}
    outputs = len(about.outputs)
    given = [
        known[outputs + k] if outputs + k in known else _jnp.zeros(shapes[at].shape, shapes[at].dtype)
        for k, at in enumerate(about.floats)
    ]
    pullback = base.derive("vjp", wrt)
    kept = tuple(range(outputs, outputs + count))
    made = _bind(*primals, *given, function=pullback, keep=kept, linear=None, engine=engine, numbers=numbers)
    tangents = leaves[len(leaves) - count :]
    back = [c if _ad.is_undefined_primal(t) else None for c, t in zip(made, tangents)]
    return [None] * len(primals) + back


_ad.primitive_transposes[_call] = _transpose


def _batch(leaves: Any, axes: Any, *, function: Function, keep: tuple, linear: Any, engine: str, numbers: tuple) -> Any:
    size = next(leaf.shape[axis] for leaf, axis in zip(leaves, axes) if axis is not None)
    about = leaves_of(function)
    batched = {owner for owner, axis in zip(about.owners, axes) if axis is not None}
    if linear is not None:
        batched = _with_tangents(function, linear, batched)
    names = tuple(name for name, _, _ in function.params if name in batched)
    numbers = tuple((at, value) for at, value in numbers if about.owners[at] not in batched)
    moved = [
        _in_front(leaf, axis, size) if owner in batched else leaf
        for leaf, axis, owner in zip(leaves, axes, about.owners)
    ]
    if linear is None:
        mapped = function.derive("vmap", names)
    else:
        base, wrt, count = linear
        own = {name for name, _, _ in base.params}
        base = base.derive("vmap", [name for name in names if name in own])
        mapped, linear = base.derive("jvp", wrt), (base, wrt, count)
    made = _bind(*moved, function=mapped, keep=keep, linear=linear, engine=engine, numbers=numbers)
    return made, [0] * len(made)


def _with_tangents(function: Function, linear: Any, batched: set) -> set:
    """A parameter and its tangent have the same axes: both are batched, or neither."""
    base, wrt, _ = linear
    names = [name for name, _, _ in function.params]
    pairs = list(zip(wrt, names[len(base.params) :]))
    return batched.union(*({a, b} for a, b in pairs if a in batched or b in batched))


def _in_front(leaf: Any, axis: Any, size: int) -> Any:
    if axis is None:
        return _jnp.broadcast_to(leaf, (size, *leaf.shape))
    return _jnp.moveaxis(leaf, axis, 0)


_batching.primitive_batchers[_call] = _batch


def _leaf(value: Any, about: Any, at: int) -> Any:
    """An argument's leaf, by number, as a value of JAX."""
    elem = about.inputs[at]
    dtype = _np.dtype(DTYPES[elem])
    if dtype.itemsize == 8 and not getattr(_jax.config, "jax_enable_x64"):
        hint = '; `arr.load(.., float="f32")` computes in 32' if elem == "f64" else ""
        raise about.misfit(at, f'JAX has `{elem}` only after `jax.config.update("jax_enable_x64", True)`{hint}')
    try:
        found = _jnp.asarray(value)
    except (TypeError, ValueError) as why:
        raise about.misfit(at, f"found a value that is no array of JAX: {why}") from None
    weak = not hasattr(value, "dtype")
    # The option `float="f32"` says that numbers are rounded.
    rounds = elem == "f32" and about.single and found.dtype == _np.float64
    widens = _np.can_cast(found.dtype, dtype, "safe") and found.dtype != bool
    written = weak and (dtype.kind == "f" and found.dtype.kind in "iuf" or dtype.kind == found.dtype.kind)
    if found.dtype == dtype or rounds or widens or written:
        return found.astype(dtype)
    if not (dtype.kind == "f" and found.dtype.kind in "iu"):
        raise about.misfit(at, f"expected {dtype}, and an array of {found.dtype} is given")
    return found.astype(dtype)


def function(f: Function, engine: str = "native") -> Callable[..., Any]:
    """A function of Arr as one of JAX's arrays. Records and tuples of the program are trees of values in JAX.

    `engine` is "native", machine code of Arr, on processors; or "xla", StableHLO that XLA compiles with the program around
    it, on any device, and partitions over several. The numbers of the two agree within rounding. In the engine "xla" the
    module's option `max_steps` is the room for sizes that only a run knows, such as the steps of a differentiated `while`;
    integers of Python that sizes depend on are known to XLA, which compiles again for others.
    A failure inside `jax.jit` ends the program with JAX's exception, whose text has Arr's message.
    """
    if not isinstance(f, Function):
        what = f"a value of the class `{type(f).__name__}`"
        raise TypeError(f"arr.jax.function wants a function of a program, such as `m.f` of `m = arr.load(..)`, not {what}")
    if engine not in ("native", "xla"):
        raise ValueError(f'there is no engine "{engine}"; there are "native" and "xla"')
    if engine == "xla":
        try:
            _xla()
        except ImportError as why:
            raise NotImplementedError(f'the engine "xla" needs a newer JAX than {_jax.__version__}: {why}') from None
    about = leaves_of(f)
    keep = tuple(range(len(about.outputs)))
    # XLA compiles for the integers of Python that are given; machine code takes those alone that sizes depend on.
    fixed = about.sizing if engine == "native" else {at for at, elem in enumerate(about.inputs) if elem == "i64"}

    def call(*args: Any, **kwargs: Any) -> Any:
        flat = about.flatten(f._bound(args, kwargs))
        leaves = [_leaf(value, about, at) for at, value in enumerate(flat)]
        about.check_ranks(leaves)
        numbers = tuple(
            (at, int(value)) for at, value in enumerate(flat) if at in fixed and isinstance(value, (int, _np.integer))
        )
        about.shapes([leaf.shape for leaf in leaves], numbers)
        made = _bind(*leaves, function=f, keep=keep, linear=None, engine=engine, numbers=numbers)
        return f.unflatten_result(list(made))

    call.__name__ = call.__qualname__ = f._name
    call.__doc__ = f.__doc__
    return call
