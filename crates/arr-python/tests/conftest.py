"""What the tests share: the repository's files, and literals of Arr."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[3]

settings.register_profile("arr", deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
settings.load_profile("arr")


@pytest.fixture
def root():
    """The root of the repository, which is the working directory meanwhile."""
    before = os.getcwd()
    os.chdir(ROOT)
    yield ROOT
    os.chdir(before)


@pytest.fixture
def iris(root):
    return np.loadtxt(root / "examples/data/iris.csv", delimiter=",", skiprows=1)


def literal(value):
    """A value as Arr writes it. A float always shows that it is one."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return _float(float(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (list, np.ndarray)):
        return "[" + ", ".join(map(literal, value)) + "]"
    if hasattr(value, "_fields"):
        return "{" + ", ".join(f"{k} = {literal(v)}" for k, v in value._asdict().items()) + "}"
    if hasattr(value, "_tag"):
        name = type(value).__name__
        return name if len(value) == 0 else f"{name}({', '.join(map(literal, value))})"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ")"
    raise TypeError(type(value))


def _float(value):
    if value != value:
        return "(0.0 / 0.0)"
    if value in (float("inf"), float("-inf")):
        return "(1.0 / 0.0)" if value > 0 else "(-1.0 / 0.0)"
    text = repr(value)
    return text if "." in text or "e" in text else text + ".0"


_TOKEN = re.compile(r"\s*([A-Z]\w*|true|false|nan|-?inf|-?[\d.]+(?:e[-+]?\d+)?|[\w]+|[][{}(),=])")


def parsed(text):
    """A literal of Arr as plain values of Python: lists, tuples, dictionaries, and tuples that begin with a name."""
    tokens = _TOKEN.findall(text)
    value, rest = _value(tokens)
    assert not rest, (text, rest)
    return value


def _value(tokens):
    head, rest = tokens[0], tokens[1:]
    if head in ("true", "false"):
        return head == "true", rest
    if head == "[":
        return _many(rest, "]", list)
    if head == "(":
        return _many(rest, ")", tuple)
    if head == "{":
        fields = {}
        while rest[0] != "}":
            name, rest = rest[0], rest[2:]
            fields[name], rest = _value(rest)
            rest = rest[1:] if rest[0] == "," else rest
        return fields, rest[1:]
    if head[0].isalpha() and head[0].isupper():
        if rest[:1] == ["("]:
            items, rest = _many(rest[1:], ")", tuple)
            return (head, *items), rest
        return (head,), rest
    return (float(head) if re.search(r"[.einf]", head) else int(head)), rest


def _many(tokens, end, kind):
    items = []
    while tokens[0] != end:
        item, tokens = _value(tokens)
        items.append(item)
        tokens = tokens[1:] if tokens[0] == "," else tokens
    return kind(items), tokens[1:]


def plain(value):
    """A value of the package in the form of `parsed`."""
    if hasattr(value, "_fields"):
        return {k: plain(v) for k, v in value._asdict().items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if hasattr(value, "_tag"):
        return (type(value).__name__, *map(plain, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value)) if type(value) in (list, tuple) else tuple(map(plain, value))
    return value


def equal(a, b):
    """Equality where a NaN equals a NaN, and the two zeros differ."""
    if isinstance(a, float) and isinstance(b, float):
        return (a == b and np.signbit(a) == np.signbit(b)) or (a != a and b != b)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b
