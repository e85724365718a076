"""NumPy, which is imported when it is first needed: `import arr` and the command do without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class _Lazy:
    def __getattr__(self, name: str) -> Any:
        import numpy

        return getattr(numpy, name)


if TYPE_CHECKING:
    import numpy as np
else:
    np = _Lazy()

__all__ = ["np"]
