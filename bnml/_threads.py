"""Threads for kernels that release the GIL.

Work is cut into tasks that last a fraction of a second, so that Ctrl-C is heard between them; each task writes to its
own part of the result, so that the result does not depend on their number.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import count

from bnml._checks import whole_number


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
