"""Sizes from shapes alone, for programs of JAX and PyTorch that are traced before there are numbers.

The rules are those of calls with arrays, and so are the words of what does not fit: a name that stands alone is the extent of
its axis, values are substituted, an axis in which one name is left fixes it, and then every axis is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from arr._errors import Diagnostic, ShapeError

#: A size: coefficients of products of names, of which the empty one is the constant.
Size = dict[tuple[str, ...], int]


def parsed(text: str) -> Size:
    """A size as Arr prints it: `2 * n * m - k + 1`."""
    made: Size = {}
    for term in text.replace(" - ", " + -").split(" + "):
        factor, names = (-1 if term.startswith("-") else 1), []
        for part in term.removeprefix("-").split(" * "):
            if part.isdigit():
                factor *= int(part)
            else:
                names.append(part)
        key = tuple(names)
        made[key] = made.get(key, 0) + factor
    return made


class Axis(NamedTuple):
    """An axis of an argument: its declared size, as text too, and the extent that was found."""

    argument: str
    text: str
    size: Size
    extent: Any


class Known(NamedTuple):
    """The value of a name, and the argument that it is from."""

    value: Any
    argument: str


def rest(size: Size, known: dict[str, Known]) -> Size:
    """What is left of a size when names are replaced by their values."""
    made: Size = {}
    for names, factor in size.items():
        open_names = []
        for name in names:
            if name in known:
                factor = factor * known[name].value
            else:
                open_names.append(name)
        key = tuple(open_names)
        made[key] = made.get(key, 0) + factor
    return {names: factor for names, factor in made.items() if names == () or factor != 0}


def names_of(size: Size) -> list[str]:
    """The names of a size, each once."""
    return list(dict.fromkeys(name for names in size for name in names))


def solved(axes: list[Axis], given: dict[str, Known]) -> dict[str, Known]:
    """The values of the names that these axes fix, with those that are given."""
    known = dict(given)
    for axis in axes:
        if axis.text.isdigit() or list(axis.size) != [(axis.text,)]:
            continue
        known.setdefault(axis.text, Known(axis.extent, axis.argument))
    before = -1
    while before != len(known):
        before = len(known)
        for axis in axes:
            found = _fixed(rest(axis.size, known), axis.extent)
            if found is not None:
                known[found[0]] = Known(found[1], axis.argument)
    return known


def _fixed(left: Size, extent: Any) -> tuple[str, Any] | None:
    """The one name that is left and the whole number that makes the size the extent, if there are such."""
    terms = [(names, factor) for names, factor in left.items() if names]
    if len(terms) != 1 or len(terms[0][0]) != 1:
        return None
    ((name,), factor) = terms[0]
    value, remainder = divmod(extent - left.get((), 0), factor)
    return (name, value) if remainder == 0 and value >= 0 else None


class Given(NamedTuple):
    """Arguments in words: the declared types of the parameters and the types of what is given, by the parameters' names."""

    declared: dict[str, str]
    found: dict[str, str]


def check(axes: list[Axis], known: dict[str, Known], unknown: Any, given: Callable[[], Given]) -> None:
    """Raises ShapeError if an axis does not fit the values. Numbers that are `unknown` may have every value: what depends on
    them is checked when there is one."""
    wrong = []
    for axis in axes:
        left = rest(axis.size, known)
        number = left.get((), 0) if all(names == () for names in left) else None
        if number is not None and number == axis.extent:
            continue
        names = names_of(axis.size)
        if number is None and any(name in unknown for name in names):
            continue
        wrong.append(_fault(axis, number, [known.get(name) for name in names], given()))
    if wrong:
        raise refusal(wrong)


def _fault(axis: Axis, number: Any, values: list, given: Given) -> Diagnostic:
    here, text, extent = axis.argument, axis.text, axis.extent
    notes = (_shape(here, given),)
    if number is None or None in values:
        message = f"no value of the size names in `{text}` makes it {extent}, the extent of `{here}`"
        return Diagnostic("E0704", message, notes=notes)
    other = next((value.argument for value in values if value.argument != here), None)
    alone = text.isidentifier()
    if other is not None and alone and other == text:
        message = f"arguments `{other}` and `{here}` disagree: `{text}` is {number}, but `{here}` has {extent} along the axis of that size"
        return Diagnostic("E0704", message, notes=notes)
    if other is not None:
        message = f"arguments `{other}` and `{here}` disagree about size `{text}`: {number} and {extent}"
        return Diagnostic("E0704", message, notes=(_shape(other, given), *notes))
    if alone:
        message = f"argument `{here}` disagrees with itself about size `{text}`: {number} and {extent}"
        return Diagnostic("E0704", message, notes=notes)
    message = f"argument `{here}` has the wrong shape"
    return Diagnostic("E0704", message, expected=given.declared[here], found=given.found[here])


def _shape(name: str, given: Given) -> str:
    return f"`{name}: {given.declared[name]}` is given a `{given.found[name]}`"


def refusal(items: list[Diagnostic]) -> ShapeError:
    """The exception for what does not fit, with the text that the command prints."""
    made = ShapeError("\n\n".join(map(_text, items)))
    made.diagnostics = tuple(items)
    return made


def _text(item: Diagnostic) -> str:
    lines = [item.code, "", f"  × {item.message}"]
    if item.expected is not None:
        lines += [f"  expected: {item.expected}", f"     found: {item.found}"]
    return "\n".join([*lines, *(f"      note: {note}" for note in item.notes)])
