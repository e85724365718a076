"""Records as trees of values, for PyTorch, which takes only direct subclasses of tuples for named ones."""

from __future__ import annotations

from typing import Any

from arr import _records

_known: set[type] = set()


def register_with_torch(cls: Any) -> None:
    from torch.utils import _pytree

    if cls in _known:
        return
    _known.add(cls)
    _pytree.register_pytree_node(
        cls,
        lambda value: (list(value), None),
        lambda children, _: cls._make(children),
        serialized_type_name=f"arr.{id(cls)}",
    )


def register_all_with_torch() -> None:
    for cls in list(_records._classes.values()):
        if issubclass(cls, _records.Record):
            register_with_torch(cls)
