"""The pages for users of Python: every block runs; and the examples in the docstrings."""

import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import NamedTuple

import pytest
from conftest import ROOT

PAGES = (
    "docs/python.md",
    "docs/distributed.md",
    "docs/tour/4-python.md",
    "docs/tour/5-past-one-machine.md",
)
NEEDS = ("torch", "jax", "scipy", "IPython")
# The heading of a section, or a block: its language, the file that it is or goes on, and its text.
PARTS = re.compile(r"^## ([^\n]+)$|^```(\w+)(?: (>> )?(\S+\.\w+))?\n(.*?)^```$", re.M | re.S)


class Block(NamedTuple):
    language: str
    more: bool
    file: str
    text: str

    def runs(self):
        commands = self.language == "console" and self.text.startswith("$ python ")
        return self.file or commands or self.language in ("python", "ipython")


def blocks(page):
    """The blocks of a page that are run, by the sections that they stand in. A page of the tour is one section."""
    sections: dict[str, list[Block]] = {}
    title = ""
    whole = (ROOT / page).read_text(encoding="utf-8")
    for heading, language, more, file, text in PARTS.findall(whole):
        if not heading:
            block = Block(language, bool(more), file, text)
            if block.runs():
                sections.setdefault(title, []).append(block)
        elif "tour/" not in page:
            title = heading
    return sections


def test_there_are_blocks():
    assert len(blocks("docs/python.md")) >= 8
    assert len(blocks("docs/distributed.md")) >= 2
    assert all(len(blocks(page)[""]) >= 2 for page in PAGES if "tour/" in page)


@pytest.mark.parametrize("page, title", [(page, title) for page in PAGES for title in blocks(page)])
def test_page(page, title, tmp_path):
    """The blocks of a section share their names; `#: text` behind or below a line is what it prints."""
    found = blocks(page)[title]
    for name in NEEDS:
        if any(re.search(rf"\b(import {name}|from {name}|arr\.{name})\b", block.text) for block in found):
            pytest.importorskip(name)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    before = os.getcwd()
    os.chdir(tmp_path)
    names: dict = {"__name__": "page"}
    try:
        for block in found:
            if block.file:
                with open(block.file, "a" if block.more else "w", encoding="utf-8") as file:
                    file.write(block.text)
            elif block.language == "console":
                command(block.text)
            else:
                run(page, block, names)
    finally:
        os.chdir(before)


def command(text):
    """Commands of Python behind `$ `, each with all that it prints below it."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        line, expected = part.split("\n", 1)
        words = [sys.executable, *shlex.split(line)[1:]]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        assert done.stdout == expected, f"`{line}` prints\n{done.stdout}"


def run(page, block, names):
    out, text = io.StringIO(), block.text
    with contextlib.redirect_stdout(out):
        if block.language == "ipython":
            shell = pytest.importorskip("IPython.core.interactiveshell")
            shell.InteractiveShell.instance().run_cell(text).raise_error()
        else:
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
