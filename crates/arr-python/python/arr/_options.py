"""Options of programs: wrong ones are refused with their names and what there is in their places."""

from __future__ import annotations

import operator
from typing import Any

from arr._numpy import np

_FLAGS = ("strict", "any_size", "checkpoint", "portable")
_NUMBERS = {"threads": 1, "max_steps": 0, "max_memory": 0}
_CHOICES = {"backend": ("cpu", "gpu", "interp"), "float": ("f64", "f32")}
#: All options, in the order in which messages name them.
NAMES = ("threads", "strict", "backend", "float", "max_memory", "max_steps", "any_size", "checkpoint", "device", "trap_nan", "portable")
#: What only tests of the compiler use.
_HIDDEN = ("without",)


def checked(options: dict[str, Any]) -> dict[str, Any]:
    """The options as the native part takes them. Raises TypeError or ValueError with the name of a wrong one."""
    return {name: _checked(name, value) for name, value in options.items()}


def _checked(name: str, value: Any) -> Any:
    if name in _FLAGS:
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"`{name}` is True or False, not {value!r}")
        return bool(value)
    if name in _NUMBERS:
        return None if value is None else _number(name, value)
    if name in _CHOICES:
        choices = " or ".join(f'"{choice}"' for choice in _CHOICES[name])
        if not isinstance(value, str):
            raise TypeError(f"`{name}` is {choices}, not {value!r}")
        if value not in _CHOICES[name]:
            raise ValueError(f"`{name}` is {choices}, not {value!r}")
        return value
    if name == "device":
        if value is not None and not isinstance(value, str):
            raise TypeError(f"`device` is a part of the name of a device, as text, not {value!r}")
        return value
    if name not in NAMES and name not in _HIDDEN:
        import difflib

        close = difflib.get_close_matches(name, NAMES, 1)
        hint = f"did you mean `{close[0]}`? " if close else ""
        raise TypeError(f"there is no option `{name}`; {hint}The options are {', '.join(NAMES)}")
    return value


def _number(name: str, value: Any) -> int:
    unit = ", in bytes," if name == "max_memory" else ""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` is an integer{unit} and not {value!r}") from None
    least = _NUMBERS[name]
    if not least <= number < 1 << 63:
        what = f"at least {least}" if number < least else "less than 2**63"
        raise ValueError(f"`{name}` is {what}, and {number} is given")
    return number
