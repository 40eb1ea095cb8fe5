"""How far a search is, and whether its time is over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from bnml._jit import compilation_seconds

Tell = Callable[[float], None]  # told which share of the work is done


class Watch:
    """Tells how far a search is, and knows when its time is over.

    Parameters
    ----------
    progress
        A function of the stage and of the share of the work that is done, or None; that share only grows.
    time_limit
        Seconds, or None for no limit.

    Attributes
    ----------
    cut
        Whether some work was found to be over time, here or in a part of it (`share`).
    """

    def __init__(self, progress: Callable[[str, float], None] | None = None, time_limit: float | None = None) -> None:
        self._progress, self.limit = progress, time_limit
        self._started = time.perf_counter() - compilation_seconds()
        self._reached = 0.0
        self._lock = threading.Lock()
        self._whole: Watch | None = None
        self.cut = False

    def __reduce__(self) -> tuple[type[Watch], tuple[()]]:
        return Watch, ()  # in another process nobody is told, and the time that is left is given anew

    def begin_again(self, progress: Callable[[str, float], None] | None, time_limit: float | None) -> None:
        """Begin with other work: tell another function, and let the time run from now on."""
        self.__init__(progress, time_limit)  # type: ignore[misc]

    @property
    def seconds(self) -> float:
        """How long it has taken so far, without the compilation of kernels, which is done once on a machine."""
        return time.perf_counter() - compilation_seconds() - self._started

    @property
    def over(self) -> bool:
        """Whether there was a time limit that is reached."""
        over = self.limit is not None and self.seconds > self.limit
        if over and not self.cut:
            watch: Watch | None = self
            while watch is not None:
                watch.cut, watch = True, watch._whole
        return over

    def share(self, of_limit: float, of_work: float = 1.0) -> Watch:
        """Return a watch for a first part of the work: its progress counts here, and its deadline is earlier."""
        other = Watch(
            lambda stage, fraction: self(stage, of_work * fraction),
            None if self.limit is None else of_limit * self.limit,
        )
        other._started, other._whole = self._started, self
        return other

    def __call__(self, stage: str, fraction: float) -> None:
        """Tell the stage and the share of the work that is done."""
        if self._progress is not None:
            with self._lock:  # threads tell as well
                self._reached = min(1.0, max(self._reached, fraction))
                self._progress(stage, self._reached)

    def part(self, stage: str, start: float, stop: float) -> Tell:
        """Begin a stage, and return what is to be told the share of it that is done."""
        self(stage, start)
        return lambda share: self(stage, start + (stop - start) * share)
