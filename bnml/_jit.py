"""The one place where Numba is configured, and where the time that it takes to compile is kept.

``BNML_JIT=0`` in the environment runs every kernel as plain Python: slow, but a debugger and a coverage
tool see inside. Kernels release the GIL, so threads of an ordinary pool run them side by side.

Compilation is what the first run on a machine takes longest for, and it grows with the arrays that calls pass, with
the types that a kernel is called with, and with every helper that is compiled for itself. So a kernel has one call of
each helper where that is possible, helpers take the few arrays they need, and arrays are made and sliced outside.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, TypeVar, cast

JIT = os.environ.get("BNML_JIT", "1") != "0"

OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
PLAIN_STEPS = 100_000  # of a kernel, a microsecond each or less
LONG = 1.0  # seconds of compilation that are worth a word

F = TypeVar("F", bound=Callable[..., Any])

_lock = threading.RLock()  # the first call of a kernel can be on several threads at once
_helpers: list[Callable[..., Any]] = []  # those that Numba does not know yet


def kernel(function: F) -> F:
    """Compile a kernel on its first call and keep the machine code on disk where that is possible.

    Numba itself is imported then, too: most commands on small tables, or on none, are done before they need it.
    """
    if not JIT:
        return function
    compiled: Callable[..., Any] | None = None

    @wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal compiled
        if compiled is None:
            compiled = dispatcher_of(function)
        return compiled(*arguments)

    call.py_func = function  # type: ignore[attr-defined]  # for `plain_at_first`
    return cast("F", call)


def helper(function: F) -> F:
    """Let kernels of the same file call a function, as a part of them; called from Python, it is plain Python."""
    if JIT:
        _helpers.append(function)
    return function


def dispatcher_of(function: Callable[..., Any]) -> Any:
    """Return what compiles a kernel's function for the types that it is called with; the same at every call."""
    with _lock:
        return _dispatcher_of(function)


@cache
def _dispatcher_of(function: Callable[..., Any]) -> Any:
    _compilation.begin()  # what takes long is the import of Numba
    try:
        from numba import njit
        from numba.extending import register_jitable

        from bnml._kernel_cache import careful_cache
    finally:
        _compilation.end()
    _listen()
    while _helpers:
        register_jitable(**OPTIONS)(_helpers[-1])
        _helpers.pop()  # not before, as an interrupt may come
    try:
        compiled = njit(cache=True, nogil=True, **OPTIONS)(function)
    except (RuntimeError, OSError):  # Numba finds no folder that it may write its cache to
        compiled = njit(nogil=True, **OPTIONS)(function)
    careful_cache(compiled)
    return compiled


def plain_at_first(steps: Callable[..., float], instead: Callable[..., Any] | None = None) -> Callable[[F], F]:
    """Let Python itself do the first few steps of a kernel: for a small table that is over before Numba has begun.

    Once a process has asked for more of them, or at once if a call has many, the machine code is compiled or loaded.
    Both do the same to the last bit. What calls log Γ has infinitely many steps: Python has one of its own.

    Parameters
    ----------
    steps
        A function of the kernel's arguments: about how many microseconds Python takes.
    instead
        What Python does in place of the kernel's own lines, where NumPy says the same in fewer steps.
    """

    def decorate(compiled: F) -> F:
        if not JIT:
            return compiled
        plain: Callable[..., Any] = instead or compiled.py_func  # type: ignore[attr-defined]
        left: float = PLAIN_STEPS

        @wraps(compiled)
        def call(*arguments: Any) -> Any:
            nonlocal left
            if left > 0 and not _compilation.at_once:
                left -= steps(*arguments)
                if left >= 0:
                    return plain(*arguments)
            return compiled(*arguments)

        call.compiled = compiled  # type: ignore[attr-defined]  # for tests
        return cast("F", call)

    return decorate


class _Compilation:
    """How long this process has been compiling. Numba compiles on one thread at a time, one function within another."""

    def __init__(self) -> None:
        self.depth, self.started, self.finished = 0, 0.0, 0.0
        self.lock = threading.Lock()  # others may ask while one compiles
        self.tell: Callable[[], None] | None = None
        self.told = False
        self.at_once = False

    @property
    def seconds(self) -> float:
        """Seconds so far, with those of the compilation that is under way."""
        with self.lock:
            return self.finished + (time.perf_counter() - self.started if self.depth else 0.0)

    def begin(self) -> None:
        """Note that a function is about to be compiled."""
        with self.lock:
            if self.depth == 0:
                self.started = time.perf_counter()
            self.depth += 1

    def end(self) -> None:
        """Note that it is compiled."""
        with self.lock:
            self.depth -= 1
            if self.depth == 0:
                self.finished += time.perf_counter() - self.started

    def look(self) -> None:
        """Tell, once, that compilation takes long."""
        if self.tell is not None and not self.told and self.seconds > LONG:
            self.told = True
            self.tell()


_compilation = _Compilation()


@cache
def _listen() -> None:
    """Hear from Numba when it compiles; what it loads from its cache is not heard of."""
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]  # its class has no types
        def on_start(self, event: object) -> None:
            _compilation.begin()
            _compilation.look()

        def on_end(self, event: object) -> None:
            _compilation.look()
            _compilation.end()

    event.register("numba:compile", Listener())


def compilation_seconds() -> float:
    """Return how many seconds this process has spent on compiling kernels."""
    return _compilation.seconds


@contextmanager
def compilation_told(tell: Callable[[], None]) -> Iterator[None]:
    """Call a function, once in a process, when Numba has compiled kernels just in time for more than a second."""
    _compilation.tell = tell
    try:
        yield
    finally:
        _compilation.tell = None


@contextmanager
def compiled_at_once() -> Iterator[None]:
    """Compile kernels on their first call even where Python would have done their first steps itself."""
    _compilation.at_once = True
    try:
        yield
    finally:
        _compilation.at_once = False
