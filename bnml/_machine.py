"""The machine: how much memory may be used, and threads for kernels that release the GIL.

Work is cut into tasks that last a fraction of a second, so that Ctrl-C is heard between them; each task writes to its
own part of the result, so that the result does not depend on their number.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import cache, wraps
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast

from bnml._checks import is_whole, refuse, whole_number
from bnml.errors import BnmlError

F = TypeVar("F", bound=Callable[..., Any])

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


def memory_limit_of(given: int | str | None) -> int:
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
    if given is None:
        return int(SHARE * machine_memory())
    size: Any = given
    if isinstance(given, str):
        match = SIZE.fullmatch(given)
        size = int(float(match[1]) * UNITS[(match[2] or "").lower()]) if match else None
    if not is_whole(size, 1):
        raise refuse("memory_limit", given, "expected a number of bytes or a text such as '8GB'")
    return min(int(size), 1 << 62)  # more is as good as no limit, and floats or kernels would overflow


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


def cores(threads: int | None = None) -> int:
    """Return how many threads to use: ``threads``, or as many as this process may run on."""
    if threads is None:
        available = getattr(os, "sched_getaffinity", None)
        return len(available(0)) if available else os.cpu_count() or 1
    return whole_number(threads, "threads", 1, otherwise=", or None for all cores")


def run_all(
    task: Callable[[int, int], None],
    ranges: Iterable[tuple[int, int]],
    threads: int,
    cancel: Callable[[], None] = lambda: None,
) -> None:
    """Call ``task(start, stop)`` for every range, on up to ``threads`` threads.

    ``cancel`` is called where a task fails or the user interrupts, so that others that are under way can end early.
    """
    parts = list(ranges)
    if threads == 1 or len(parts) <= 1:
        for start, stop in parts:
            task(start, stop)
        return
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    with ThreadPoolExecutor(min(threads, len(parts))) as pool:
        futures = [pool.submit(task, start, stop) for start, stop in parts]
        try:
            for future in wait(futures, return_when=FIRST_EXCEPTION).done:
                future.result()
        except BaseException:
            cancel()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def run_each(task: Callable[[int], None], number: int, threads: int, tick: Callable[[float], None]) -> None:
    """Call ``task(i)`` for every i below a number, on up to ``threads`` threads; ``tick`` is told the share done."""
    done = count(1)

    def run(start: int, stop: int) -> None:
        for i in range(start, stop):
            task(i)
            tick(next(done) / number)

    run_all(run, [(i, i + 1) for i in range(number)], threads)


def short_ranges(size: int, most: int) -> list[tuple[int, int]]:
    """Cut a range into parts of at most some length; the same parts for any number of threads."""
    return [(start, min(start + most, size)) for start in range(0, size, most)]
