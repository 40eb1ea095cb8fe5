"""The one place where Numba is configured.

``BNML_JIT=0`` in the environment runs every kernel as plain Python: slow, but a debugger and a coverage
tool see inside. Kernels release the GIL, so threads of an ordinary pool run them side by side.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["JIT", "kernel"]

JIT = os.environ.get("BNML_JIT", "1") != "0"

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a kernel on its first call and keep the machine code on disk where that is possible."""
    if not JIT:
        return function
    from numba import njit

    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # Numba finds no folder that it may write its cache to
        return njit(**options)(function)  # type: ignore[no-any-return]
