"""Cells of notebooks: `%%arr name` compiles its text and calls the module `name`."""

from __future__ import annotations

from typing import Any


def register(shell: Any) -> None:
    """Defines the cells in a shell of IPython."""
    from arr._module import compile

    def cell(line: str, text: str) -> Any:
        words = line.split()
        if not words or not words[0].isidentifier():
            raise ValueError("usage: %%arr NAME [OPTION=VALUE ..]")
        name, options = words[0], dict(_option(word) for word in words[1:])
        module = compile(text, name=f"{name}.arr", **options)
        shell.user_ns[name] = module

    shell.register_magic_function(cell, magic_kind="cell", magic_name="arr")


def _option(word: str) -> tuple[str, Any]:
    import ast

    key, _, text = word.partition("=")
    try:
        return key, ast.literal_eval(text) if text else True
    except (SyntaxError, ValueError):
        return key, text
