"""Names of a program in Python, whose names are others: `lambda` is a keyword, and `x'` is no name."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence


def python_name(name: str, taken: Iterable[str] = ()) -> str:
    """The name of Python for one of a program: with `_` behind a keyword and in the place of what names do not have."""
    made = re.sub(r"\W", "_", name if name.isascii() else _read(name))
    if not made.isidentifier():
        made = f"_{made}"
    if keyword.iskeyword(made):
        made += "_"
    while made in taken:
        made += "_"
    return made


def _read(name: str) -> str:
    """The form in which Python reads a name."""
    import unicodedata

    return unicodedata.normalize("NFKC", name)


def python_names(names: Sequence[str]) -> list[str]:
    """The names of Python for names of one scope, which stay different."""
    own = {name for name in names if python_name(name) == name}
    made: list[str] = []
    for name in names:
        made.append(name if name in own else python_name(name, own.union(made)))
    return made


#: Keyword parameters of derivatives. A parameter of a program with this name is given there with `_` behind.
_OPTIONS = ("wrt", "mode")


def aliases_of(names: Sequence[str]) -> dict[str, str]:
    """By what other names parameters may be given: the name of Python, and the program's own."""
    found = {made: name for made, name in zip(python_names(names), names) if made != name}
    for option in _OPTIONS:
        if option in names and f"{option}_" not in (*names, *found):
            found[f"{option}_"] = option
    return found
