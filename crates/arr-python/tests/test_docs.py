"""The pages for users of Python: every block runs; and the examples in the docstrings."""

import contextlib
import doctest
import importlib
import io
import os
import re
import shutil

import pytest
from conftest import ROOT

PAGES = ("docs/python.md", "docs/distributed.md")
NEEDS = ("torch", "jax", "scipy", "IPython")


def blocks(page):
    """The blocks of Python of a page, by the sections that they stand in."""
    sections: dict[str, list[str]] = {}
    title = ""
    whole = (ROOT / page).read_text(encoding="utf-8")
    for heading, language, text in re.findall(r"^## ([^\n]+)$|^```(\w+)\n(.*?)^```$", whole, re.M | re.S):
        if heading:
            title = heading
        elif language == "python":
            sections.setdefault(title, []).append(text)
    return sections


def test_there_are_blocks():
    assert len(blocks("docs/python.md")) >= 8
    assert len(blocks("docs/distributed.md")) >= 2


@pytest.mark.parametrize("page, title", [(page, title) for page in PAGES for title in blocks(page)])
def test_page(page, title, tmp_path):
    """The blocks of a section share their names; `#: text` behind or below a line is what it prints."""
    texts = blocks(page)[title]
    for name in NEEDS:
        if any(re.search(rf"\b(import {name}|from {name}|arr\.{name})\b", text) for text in texts):
            pytest.importorskip(name)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    before = os.getcwd()
    os.chdir(tmp_path)
    names: dict = {"__name__": "page"}
    try:
        for text in texts:
            run(page, text, names)
    finally:
        os.chdir(before)


def run(page, text, names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, page, "exec"), names)
    expected = [line[3:].strip() for line in text.splitlines() if line.startswith("#: ")]
    expected += [m for m in re.findall(r"(?<=  )#: (.*)$", text, re.M)]
    found = out.getvalue()
    for line in expected:
        assert line in found, f"{line!r} is not in what is printed:\n{found}"
    assert bool(found.strip()) <= bool(expected), f"this is printed, and the page does not show it:\n{found}"


MODULES = ["arr", "arr._module", "arr._flat", "arr._tools", "arr.torch", "arr.jax"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if name.count(".") and name.split(".")[1] in NEEDS:
        pytest.importorskip(name.split(".")[1])
    module = importlib.import_module(name)
    import arr

    failed, tried = doctest.testmod(module, extraglobs={"arr": arr})
    assert not failed
    assert tried or name not in ("arr", "arr._module")
