"""How much memory there is, and how much may be used."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from bnml._checks import is_whole, refuse
from bnml.errors import BnmlError

F = TypeVar("F", bound=Callable[..., Any])

MOST_BYTES = 1 << 62  # of a limit: as good as none, and no float or kernel overflows
SHARE = 0.8  # of the machine's memory, where no limit is given
UNITS = {
    "": 1,
    "b": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}
SIZE = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


def memory_limit_of(memory_limit: int | str | None) -> int:
    """Return a memory limit in bytes: a number, a text such as ``"8GB"``, or for None most of the machine's memory.

    Raises
    ------
    ArgumentError
        If it is no positive size.

    Examples
    --------
    >>> memory_limit_of("8GB"), memory_limit_of("1.5GiB"), memory_limit_of(1000)
    (8000000000, 1610612736, 1000)
    """
    if memory_limit is None:
        return int(SHARE * machine_memory())
    size: Any = memory_limit
    if isinstance(memory_limit, str):
        match = SIZE.fullmatch(memory_limit)
        size = int(float(match[1]) * UNITS[(match[2] or "").lower()]) if match else None
    if not is_whole(size, 1):
        raise refuse("memory_limit", memory_limit, "expected a number of bytes or a text such as '8GB'")
    return min(int(size), MOST_BYTES)


def enough_memory(error: type[BnmlError], while_: str, way_out: str) -> Callable[[F], F]:
    """Let a function raise an error of ours where memory runs out, though a forecast or none had seen it coming."""

    def decorate(function: F) -> F:
        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            try:
                return function(*arguments, **named)
            except MemoryError as reason:
                wanted = f" ({reason})" if str(reason) else ""
                raise error(f"memory ran out while {while_}{wanted}; {way_out}") from None

        return cast("F", call)

    return decorate


@cache  # asked for each table that is read
def machine_memory() -> int:
    """Return the memory that this process may have, in bytes: the machine's, or less in a container."""
    sizes = [_physical()]
    for place in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(place).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit():
            sizes.append(int(text))
    return min(sizes)


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return 8 * 2**30


def gigabytes(size: float) -> str:
    """Return an amount of memory in words."""
    if size > 10**18:
        return "more than a billion GB"
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}" if size < 100 * unit else f"{size / unit:,.0f} {name}"
    return "1 MB" if size > 500_000 else f"{size / 1000:,.0f} kB"
