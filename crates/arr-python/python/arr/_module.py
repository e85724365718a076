"""Modules and their functions."""

from __future__ import annotations

import inspect
import operator
import os
import re
import threading
from collections.abc import Iterable
from typing import Any

from arr import _arr
from arr._errors import CompileError, missing_file
from arr._names import aliases_of, python_name, python_names
from arr._options import checked
from arr._records import Record, Registry, sum_class_for
from arr._values import FLOATS

#: Parameters, by names or places.
Wrt = str | int | Iterable[str | int] | None


def load(path: str | os.PathLike[str], **options: Any) -> Module:
    """Loads the program of a file.

    Options are those of the command line: `threads`, `strict`, `backend` ("cpu", "gpu", "interp"), `float` ("f64", "f32"),
    `max_memory` and `max_steps` (numbers), `any_size`, `checkpoint`, `device`, `trap_nan` (True or "nan"). Raises
    `CompileError` with every error of the program; one about a file that is not there is a `FileNotFoundError` too.
    """
    path = os.fspath(path)
    try:
        return Module(path, None, options)
    except CompileError as why:
        if os.path.exists(path):
            raise
        raise missing_file(why, path) from None


def compile(text: str, *, name: str = "program.arr", **options: Any) -> Module:
    """Loads a program from its text. Errors are reported as in a file called `name`; options are those of `load`.

    >>> arr.compile("def f(x: f64) -> f64 = x * x").f(3.0)
    9.0
    """
    return Module(name, text, options)


class Module:
    """A program: its definitions are functions or values, its types classes."""

    def __init__(self, path: str, text: str | None, options: dict[str, Any]):
        # Without it there is a plain error here, and not one in the native part.
        import numpy  # noqa: F401

        options = checked(options)
        registry = Registry(path)
        self._native = _arr.Module(path, text, options, registry, _arr.__file__)
        self._single = options.get("float") == "f32"
        self._registry = registry
        self._path = path
        self._definitions = {d["name"]: d for d in self._native.definitions()}
        self._types = {t["name"]: t for t in self._native.types()}
        #: Names of definitions and types that are keywords of Python, by what stands for them.
        self._others = {python_name(name): name for name in (*self._definitions, *self._types)}
        for declared in self._types.values():
            if declared["fields"] is not None:
                registry.name(tuple(name for name, _ in declared["fields"]), declared["name"])
        self.__doc__ = _summary(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_definitions", "_types", "_others"):
            raise AttributeError(name)
        if name not in self._definitions and name not in self._types and name in self._others:
            return getattr(self, self._others[name])
        definition = self._definitions.get(name)
        if definition is not None:
            made = Function(self._native, name, "", self._single)
            made._describe(self, definition)
            value = made() if definition["params"] is None else made
        elif name in self._types:
            value = self._class(self._types[name])
        else:
            raise AttributeError(_unknown(self, name))
        # Found at once the next time.
        self.__dict__[name] = value
        return value

    def _class(self, declared: dict) -> Any:
        if declared["fields"] is not None:
            return self._registry.record(tuple(name for name, _ in declared["fields"]))
        if declared["constructors"] is not None:
            sizes = tuple((name, len(carried)) for name, carried in declared["constructors"])
            return sum_class_for(self._path, declared["name"], sizes)
        return declared["text"]

    def __dir__(self) -> list[str]:
        return [*self._others, "eval"]

    def __repr__(self) -> str:
        return f"<arr module {self._path}: {', '.join(self._definitions)}>"

    def __reduce__(self):
        raise TypeError("a module of Arr cannot be pickled; load it again where it is needed")

    def eval(self, text: str) -> str:
        """The value of an expression in the scope of the module, as Arr writes it: what `arr eval` prints."""
        return self._native.evaluate(text)


def _summary(module: Module) -> str:
    lines = [f"The program {module._path}.", ""]
    for definition in module._definitions.values():
        lines.append(f"{definition['signature']}")
        lines.extend(f"    {line}" for line in definition["doc"].splitlines())
    return "\n".join(lines)


def _unknown(module: Module, name: str) -> str:
    import difflib

    known = [*module._definitions, *module._types]
    close = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean `{close[0]}`?" if close else f"; it has {', '.join(known)}"
    return f"the program {module._path} has no `{name}`{hint}"


class Function(_arr.Callable):
    """A definition of a program: call it, or one of its derivatives.

    >>> m = arr.compile("def f(x: [n]f64) -> f64 = sum(x ** 3)")
    >>> m.f.value_and_grad([1.0, 2.0])
    (9.0, array([ 3., 12.]))
    """

    _native: _arr.Module
    _name: str
    #: The texts of the derived definitions that the function needs, itself among them.
    _text: str
    _line: str
    #: Whether every `f64` of the program is an `f32`.
    _single: bool
    #: The names of the parameters.
    _params: tuple[str, ...]
    #: Other names for parameters: those of Python.
    _aliases: dict[str, str]
    _derived: dict[tuple[str, tuple[str, ...]], Function]
    _lock: threading.Lock
    __name__: str
    __qualname__: str
    __signature__: inspect.Signature
    # What PyTorch and JAX know of it.
    _leaves: Any
    _torch_number: int

    def __new__(cls, native: _arr.Module, name: str, text: str, single: bool) -> Function:
        made: Any = super().__new__(cls, native, name, text)
        made._native, made._name, made._text, made._single = native, name, text, single
        made._derived, made._lock = {}, threading.Lock()
        made.__name__ = made.__qualname__ = name
        made._line = ""
        made._params = tuple(param[0] for param in made.params)
        made._aliases = aliases_of(made._params)
        if made._aliases and cls is Function:
            # Calls of the others go to the native part at once, which knows the program's names alone.
            made.__class__ = _Renamed
        return made

    def _describe(self, module: Module, definition: dict) -> None:
        self._line = self._types(definition["signature"])
        place = f"{definition['file']}:{definition['line']}"
        self.__module__ = "arr"
        doc = f"\n\n{definition['doc']}" if definition["doc"] else ""
        self.__doc__ = f"{self._line}{doc}\n\nDefined in {place}."
        if definition["params"] is not None:
            self._sign(definition["result"])

    def _sign(self, result: str | None) -> None:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = python_names(self._params)
        made = [
            inspect.Parameter(name, kind, annotation=self._types(text)) for name, (_, text, _) in zip(names, self.params)
        ]
        self.__signature__ = inspect.Signature(made, return_annotation=self._types(result) if result else inspect.Signature.empty)

    def _elem(self, elem: str) -> str:
        """The element type that a declared one is in this program."""
        return "f32" if self._single and elem == "f64" else elem

    def _types(self, text: str) -> str:
        """Declared types, as text, as what they are in this program."""
        return re.sub(r"\bf64\b", "f32", text) if self._single else text

    def __repr__(self) -> str:
        return f"<arr function {self._line or self._name}>"

    def __str__(self) -> str:
        return self.__doc__ or repr(self)

    def __reduce__(self):
        raise TypeError("a function of Arr cannot be pickled; load its module again where it is needed")

    def derive(self, how: str, wrt: Wrt = None) -> Function:
        """The function that is derived from this one: "value_and_grad", "grad", "jvp", "vjp", "jacobian", "jacfwd",
        "hessian", "hvp" or "vmap". It can be derived from again."""
        key = (how, self._names(wrt))
        found = self._derived.get(key)
        if found is None:
            with self._lock:
                found = self._derived.get(key)
                if found is None:
                    name, text = self._native.derive(self._name, self._text, how, list(key[1]))
                    found = Function(self._native, name, text, self._single)
                    found._line = self._types(text.splitlines()[-2].removeprefix("def ").removesuffix(" ="))
                    found.__doc__ = f"{found._line}\n\nDerived from `{self._name}`."
                    found._sign(None)
                    self._derived[key] = found
        return found

    def _derivative(self, how: str, wrt: Wrt, args: tuple, kwargs: dict) -> Any:
        """A call of a function that is derived and has the same parameters."""
        return self.derive(how, wrt)(*self._bound(args, kwargs))

    def value_and_grad(self, /, *args: Any, wrt: Wrt = None, **kwargs: Any) -> tuple[Any, Any]:
        """The value and its gradient, with respect to the first parameter that holds floats, or those in `wrt`."""
        return self._derivative("value_and_grad", wrt, args, kwargs)

    def grad(self, /, *args: Any, wrt: Wrt = None, **kwargs: Any) -> Any:
        """The gradient of a value that is one float. Several names in `wrt` give a tuple."""
        return self._derivative("grad", wrt, args, kwargs)

    def jvp(self, args: tuple, tangents: Any, wrt: Wrt = None) -> tuple[Any, Any]:
        """The value and its directional derivative. `tangents` has one for each parameter in `wrt`: of the first that
        holds floats if `wrt` is left out, or of all that do if there are as many tangents as arguments."""
        return self._along("jvp", args, tangents, wrt)

    def _along(self, how: str, args: Any, tangents: Any, wrt: Wrt) -> Any:
        args, tangents = _tuple(args), _tuple(tangents)
        if wrt is None and len(tangents) == len(args) > 1:
            wrt, tangents = self._floating(tangents)
        return self.derive(how, wrt)(*args, *tangents)

    def _floating(self, tangents: tuple) -> tuple[list[str], tuple]:
        """The parameters that hold floats, and their tangents."""
        chosen = [(p[0], t) for p, t in zip(self.params, tangents) if any(leaf[1] in FLOATS for leaf in p[2])]
        return [name for name, _ in chosen], tuple(tangent for _, tangent in chosen)

    def vjp(self, /, *args: Any, wrt: Wrt = None, **kwargs: Any) -> tuple[Any, Any]:
        """The value, and a function from a cotangent of the result to those of the parameters in `wrt`. That function
        computes the value again."""
        back = self.derive("vjp", wrt)
        bound = self._bound(args, kwargs)

        def pullback(cotangent: Any) -> Any:
            return back(*bound, cotangent)[1]

        return self(*bound), pullback

    def jacobian(self, /, *args: Any, wrt: Wrt = None, mode: str = "reverse", **kwargs: Any) -> Any:
        """The Jacobian: the axes of the result, and then those of the parameter. `mode` is "reverse" or "forward"."""
        if mode not in ("reverse", "forward"):
            raise ValueError(f"`mode` is reverse or forward, not {mode!r}")
        return self._derivative("jacobian" if mode == "reverse" else "jacfwd", wrt, args, kwargs)

    def hessian(self, /, *args: Any, wrt: Wrt = None, **kwargs: Any) -> Any:
        """The second derivative of a value that is one float."""
        return self._derivative("hessian", wrt, args, kwargs)

    def hvp(self, args: tuple, tangents: Any, wrt: Wrt = None) -> Any:
        """The product of the Hessian and a tangent, which costs about as much as two gradients. `tangents` are those of
        `jvp`; with one for each argument the result is a tuple."""
        return self._along("hvp", args, tangents, wrt)

    def flat(self, /, start: Any, *args: Any, **kwargs: Any):
        """A view of the function as one of a vector, for `scipy.optimize.minimize(f, f.x0, jac=True)`: the first
        parameter as a vector, the others as given here."""
        from arr._flat import Flat

        return Flat(self, start, args, kwargs)

    def grad_source(self, wrt: Wrt = None, mode: str = "reverse") -> str:
        """The gradient as a program of Arr: what `arr grad` prints."""
        if self._text:
            raise ValueError("the source of a derived function cannot be shown; `lower` shows what it becomes")
        return self._native.grad_source(self._name, list(self._names(wrt)), mode == "forward")

    def lower(self, stage: str = "fused") -> str:
        """The function after a stage of the compiler, as text: core, bulk, ad, fused, loops, clif."""
        return self._native.emit(self._name, self._text, stage)

    def compile(self, sizes: dict[str, int] | None = None) -> Function:
        """Compiles the function now: for these sizes, or without any for all. Returns the function."""
        names = self.sizes
        if sizes is None:
            self._compile([])
            return self
        if set(sizes) != set(names):
            raise ValueError(f"the sizes of `{self._name}` are {', '.join(names) or 'none'}")
        self._compile([int(sizes[name]) for name in names])
        return self

    def cost(self, /, *args: Any, **kwargs: Any) -> dict[str, int]:
        """What a call costs, counted by the interpreter, which is slow: primitives, reads, writes, kernels, iterations and
        bytes allocated."""
        return dict(self._cost(self._native, self._text, *self._bound(args, kwargs)))

    def _bound(self, args: tuple, kwargs: dict) -> tuple:
        """The arguments in the order of the parameters."""
        if not kwargs:
            return args
        names = self._params
        if len(args) > len(names):
            raise TypeError(f"{self._name}() takes {len(names)} arguments, and {len(args) + len(kwargs)} are given")
        given = dict(zip(names, args))
        for key, value in kwargs.items():
            name = self._aliases.get(key, key)
            if name not in names:
                hint = '; `wrt="x"` and `wrt=0` say by which parameters to differentiate' if key == "argnums" else ""
                raise TypeError(f"{self._name}() has no parameter `{key}`{hint}")
            if name in given:
                raise TypeError(f"{self._name}() has two values for `{name}`")
            given[name] = value
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(f"{self._name}() lacks a value for `{missing[0]}`")
        return tuple(given[name] for name in names)

    def _names(self, wrt: Wrt) -> tuple[str, ...]:
        """The names of parameters that are given by names or places."""
        if wrt is None:
            return ()
        if not isinstance(wrt, str) and isinstance(wrt, Iterable):
            return tuple(map(self._named, wrt))
        return (self._named(wrt),)

    def _named(self, one: Any) -> str:
        if isinstance(one, str):
            return self._aliases.get(one, one)
        names = self._params
        try:
            place = operator.index(one)
        except TypeError:
            own = "; the parameter of that name is `wrt_` here" if "wrt" in names else ""
            raise TypeError(f"`wrt` has names or places of parameters, not {one!r}{own}") from None
        if not 0 <= place < len(names):
            raise ValueError(f"`{self._name}` has no parameter {place}: its {len(names)} parameters count from 0")
        return names[place]


class _Renamed(Function):
    """A function with parameters that have other names in Python."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return super().__call__(*self._bound(args, kwargs))


def _tuple(value: Any) -> tuple:
    return value if isinstance(value, tuple) and not isinstance(value, Record) else (value,)
