"""Functions of records as functions of vectors."""

from __future__ import annotations

from typing import Any

from arr._errors import ShapeError
from arr._numpy import np
from arr._values import DTYPES, FLOATS


class Flat:
    """A function of one vector, which holds all floats of the first parameter of a function of Arr.

    >>> m = arr.compile("def f(p: { a: f64, b: [n]f64 }) -> f64 = p.a ** 2 + sum(p.b)")
    >>> f = m.f.flat({"a": 3.0, "b": [1.0, 2.0]})
    >>> f(f.x0)
    (12.0, array([6., 1., 1.]))
    """

    def __init__(self, function: Any, start: Any, args: tuple, kwargs: dict):
        names = [param[0] for param in function.params]
        self._function = function
        self._args = function._bound((start, *args), kwargs)
        if len(self._args) != len(names):
            raise TypeError(f"a flat view needs all arguments of `{function._name}`: {', '.join(names)}")
        elems = [leaf[1] for leaf in function.params[0][2]]
        leaves = [np.asarray(leaf) for leaf in function.flatten(*self._args)[: len(elems)]]
        if any(elem not in FLOATS for elem in elems):
            raise TypeError("a flat view is of a parameter that holds floats alone")
        self._shapes = [leaf.shape for leaf in leaves]
        self._dtypes = [DTYPES[elem] for elem in elems]
        self._count = sum(leaf.size for leaf in leaves)
        self.x0 = self._joined(leaves)

    @staticmethod
    def _joined(leaves: list) -> np.ndarray:
        return np.concatenate([np.ravel(leaf).astype(np.float64) for leaf in leaves]) if leaves else np.zeros(0)

    def __call__(self, x: Any) -> tuple[float, np.ndarray]:
        """The value and the gradient."""
        value, gradient = self._function.value_and_grad(*self._at(x))
        return value, self.flatten(gradient)

    def value(self, x: Any) -> float:
        """The value alone."""
        return self._function(*self._at(x))

    def hessp(self, x: Any, direction: Any) -> np.ndarray:
        """The product of the Hessian and a direction, as `scipy.optimize.minimize(.., hessp=f.hessp)` wants it."""
        along = self._at(direction, "the direction")[0]
        return self.flatten(self._function.hvp(self._at(x), (along,), wrt=0))

    def flatten(self, value: Any) -> np.ndarray:
        """A value of the parameter as a vector."""
        return self._joined(list(self._function.flatten(value, *self._args[1:])[: len(self._shapes)]))

    def unflatten(self, x: Any) -> Any:
        """The value of the parameter that a vector is."""
        return self._at(x)[0]

    def _at(self, x: Any, what: str = "the vector") -> tuple:
        x, at, leaves = self._vector(x, what), 0, []
        for shape, dtype in zip(self._shapes, self._dtypes):
            count = int(np.prod(shape))
            part = x[at : at + count]
            leaves.append(float(part[0]) if shape == () else part.reshape(shape).astype(dtype, copy=False))
            at += count
        rest = self._function.flatten(*self._args)[len(self._shapes) :]
        whole = self._function.unflatten([*leaves, *rest])
        return (whole[0], *self._args[1:])

    def _vector(self, x: Any, what: str) -> np.ndarray:
        made = np.asarray(x, dtype=np.float64)
        if made.shape != (self._count,):
            found = f"an array of the shape {made.shape}" if made.ndim != 1 else str(made.size)
            numbers = "number" if self._count == 1 else "numbers"
            raise ShapeError(f"{what} of the flat view of `{self._function._name}` wants {self._count} {numbers}, got {found}")
        return made
