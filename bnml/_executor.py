"""Tasks for an executor: processes, threads, or the machines of a cluster, with the same results as in one process.

What `concurrent.futures` calls an executor is all that is asked for: a pool of processes or of threads, that of Dask
(``client.get_executor()``), that of MPI. A `Crew` gives it tasks. Each is a function of what all tasks share, such as
the table, and of a small key, and of nothing else, so that it does not matter where, when and in which order they are
done.

What is shared goes to a process once and not with every task, unless it is little. A process that does not have it
says so, is sent the task again with all that is shared, and keeps that for the next ones. Threads of this process have
it anyway.

A task that is no longer wanted, after an error elsewhere or Ctrl-C, is not begun, and one that is under way ends when
it next tells its progress: on this machine it finds a file there, whose name it was given.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sized
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from bnml._checks import refuse
from bnml.errors import BnmlError, SearchError, Text, argument

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

KEPT_SHARED = 2  # what so many runs share is kept in a process, the latest
LITTLE = 16_384  # bytes that every task may carry
LOOK = 0.1  # seconds between two looks at whether a task is still wanted, or the time over
PATIENCE = 10.0  # seconds that are waited for tasks to end that are not wanted
UNKNOWN_WORKERS = 32  # so many are thought of where an executor does not say how many it has
AHEAD = 8  # times as many tasks as are in flight may be done before one that is waited for

ADVICE = (
    "take fewer workers or a larger machine; with processes, a script must do its work below "
    'if __name__ == "__main__":, and a pool made with mp_context="spawn" or "forkserver" is the safest'
)

_DONE, _ABSENT, _FAILED, _UNWANTED = "done", "absent", "failed", "unwanted"


def checked_executor(value: Any) -> Executor | None:
    """Check the argument ``executor``: whoever does the tasks, or None for this process."""
    if value is None:
        return None
    from concurrent.futures import Executor

    if not isinstance(value, Executor):
        raise refuse(
            "executor",
            value,
            "expected a concurrent.futures.Executor, such as ProcessPoolExecutor(4), Dask's client.get_executor() or "
            "mpi4py's MPIPoolExecutor(), or None for this process alone",
        )
    return value


class _UnwantedError(Exception):
    """A task is no longer wanted."""


@dataclass(frozen=True)
class Place:
    """Where a task is done.

    Attributes
    ----------
    kept
        What this thread keeps for the next tasks with the same shared things, by names.
    go_on
        To be told the progress now and then; it ends the task by an error where that is no longer wanted.
    """

    kept: dict[str, Any]
    go_on: Callable[[str, float], None]


Work = Callable[[Any, Any, Place], Any]
"""What does a task, given what is shared, the key and the place."""


# --- where tasks are done ---


@dataclass(eq=False)
class _Shared:
    """What tasks share in one process, and what each of its threads keeps beside it."""

    value: Any
    kept: defaultdict[int, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))


_received: dict[str, _Shared] = {}  # from other processes, by crews
_unwanted: set[str] = set()  # signs of tasks of this process, which need no file


def _shared_here(name: str, packed: bytes | None) -> _Shared | None:
    """Return what tasks share, if this process has it or is given it now; threads may all ask at once."""
    shared = _received.get(name)
    if shared is None and packed is not None:
        shared = _received.setdefault(name, _Shared(pickle.loads(packed)))
        for old in list(_received)[:-KEPT_SHARED]:
            _received.pop(old, None)
    return shared


def _perform(work: Work, name: str, given: _Shared | bytes | None, key: Any, sign: str) -> tuple[str, Any]:
    """Do a task, in whatever process; return how it ended, and what it returned or why not."""
    from platform import node

    try:
        shared = given if isinstance(given, _Shared) else _shared_here(name, given)
        if shared is None:
            return _ABSENT, f"{node()}:{os.getpid()}"
        go_on = _looking_at(sign)
        go_on("", 0.0)
        return _DONE, work(shared.value, key, Place(shared.kept[threading.get_ident()], go_on))
    except _UnwantedError:
        return _UNWANTED, None
    except Exception as error:
        return _FAILED, _sendable(error)


def _looking_at(sign: str) -> Callable[[str, float], None]:
    """Return what a task tells its progress, and what ends it once its sign is up."""
    next_look = 0.0

    def go_on(stage: str, share: float) -> None:
        nonlocal next_look
        now = time.monotonic()
        if now >= next_look:
            next_look = now + LOOK
            if sign in _unwanted or os.path.exists(sign):  # noqa: PTH110  # called often
                raise _UnwantedError

    return go_on


def _sendable(error: Exception) -> Exception:
    """Return an error that can be sent: itself, or one with its text."""
    try:
        back = pickle.loads(pickle.dumps(error))
        if type(back) is type(error) and str(back) == str(error):
            return error
    except Exception:  # whatever it is made of
        pass
    return SearchError(f"{type(error).__name__}: {error}")


# --- where they are given out ---


class _Job(NamedTuple):
    """A task that was given out: its number and key, and for which process it carries what is shared."""

    number: int
    key: Any
    carries_for: str = ""


class Crew:
    """Whoever does tasks that share something.

    Parameters
    ----------
    executor
        Where tasks are done.
    work
        What does a task; a function of a module, which processes find by its name.
    shared
        What all tasks share.
    advice
        What an error says that is to be done where a process was killed.
    patience
        For how many seconds tasks that are no longer wanted are waited for, in the end.

    Attributes
    ----------
    sent
        How many times what is shared was sent, for tests and measurements.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> def power(base, exponent, place):
    ...     return base**exponent
    >>> with ThreadPoolExecutor(2) as pool, Crew(pool, power, 2) as crew:
    ...     list(crew.in_order([1, 2, 3]))
    [2, 4, 8]
    """

    def __init__(
        self, executor: Executor, work: Work, shared: Any, *, advice: Text = ADVICE, patience: float = PATIENCE
    ) -> None:
        from concurrent.futures import ThreadPoolExecutor
        from hashlib import blake2b

        self._executor, self._work, self._advice, self._patience = executor, work, advice, patience
        threads = isinstance(executor, ThreadPoolExecutor)
        self._packed = b"" if threads else _packed(shared)
        self._name = blake2b(self._packed, digest_size=16).hexdigest()
        self._little: _Shared | bytes | None = None  # what every task may carry
        if threads:
            self._little = _Shared(shared)
        elif len(self._packed) < LITTLE:
            self._little = self._packed
        self._most = 2 * _workers_of(executor) + 1
        self._left: list[Future[Any]] = []
        self._running: dict[str, dict[Future[Any], _Job]] = {}  # in every round, by its sign
        self.sent = 0

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        from concurrent.futures import wait

        for sign in list(self._running):
            self._call_off(sign)
        wait(self._left, self._patience)

    def in_order(self, keys: Iterable[Any], over: Callable[[], bool] = lambda: False) -> Generator[Any, None, None]:
        """Do a task for each key, and return what they return, in the order of the keys.

        Keys are asked for only when there is something to do for them. When ``over`` is true, the rest is left.
        """
        found: dict[int, Any] = {}
        following = 0
        with closing(self._finished(keys, over, found)) as going:
            for job, value in going:
                found[job.number] = value
                while following in found:
                    yield found.pop(following)
                    following += 1

    def as_done(self, keys: Iterable[Any]) -> Generator[tuple[Any, Any], None, None]:
        """Do a task for each key, and return each key with what its task returns, as soon as it is done."""
        with closing(self._finished(keys, lambda: False, ())) as going:
            for job, value in going:
                yield job.key, value

    def _finished(
        self, keys: Iterable[Any], over: Callable[[], bool], ahead: Sized
    ) -> Generator[tuple[_Job, Any], None, None]:
        """Do a task for each key, and return each as soon as it is done; none is begun if too many are ``ahead``."""
        from concurrent.futures import FIRST_COMPLETED, CancelledError, wait
        from tempfile import gettempdir
        from uuid import uuid4

        sign = os.path.join(gettempdir(), f"bnml-stop-{uuid4().hex}")  # noqa: PTH118  # a text is sent
        waiting = (_Job(number, key) for number, key in enumerate(keys))
        running: dict[Future[tuple[str, Any]], _Job] = {}
        coming: set[str] = set()  # processes that are being sent what is shared

        def fill() -> None:
            while len(running) < self._most and len(ahead) < AHEAD * self._most:
                job = next(waiting, None)
                if job is None:
                    return
                running[self._submit(job, self._little, sign)] = job

        self._running[sign] = running
        try:
            while True:
                fill()
                if not running or over():
                    return
                done = wait(running, LOOK, return_when=FIRST_COMPLETED).done
                for future in sorted(done, key=lambda one: running[one].number):
                    job = running.pop(future)
                    ended, value = self._outcome(future)
                    if ended == _FAILED:
                        raise value
                    if ended == _UNWANTED:  # somebody else has put up its sign
                        raise self._failure(CancelledError())
                    if ended == _ABSENT:
                        given = None if value in coming else self._packed
                        job = job if given is None else job._replace(carries_for=value)
                        coming.add(value)
                        running[self._submit(job, given, sign)] = job
                        continue
                    coming.discard(job.carries_for)
                    fill()
                    yield job, value
        finally:
            self._call_off(sign)

    def _submit(self, job: _Job, given: _Shared | bytes | None, sign: str) -> Future[tuple[str, Any]]:
        self.sent += isinstance(given, bytes)
        try:
            return self._executor.submit(_perform, self._work, self._name, given, job.key, sign)
        except Exception as error:
            raise self._failure(error) from error

    def _outcome(self, future: Future[tuple[str, Any]]) -> tuple[str, Any]:
        """Return how a task has ended, unless the executor itself failed."""
        try:
            return future.result()
        except Exception as error:
            raise self._failure(error) from error

    def _failure(self, error: BaseException) -> BnmlError:
        """Return the error that says what is wrong with an executor, and what to do."""
        from concurrent.futures import BrokenExecutor, CancelledError

        name = argument("executor")
        if isinstance(error, BrokenExecutor):
            return SearchError("a process was killed, most likely for lack of memory", hint=self._advice)
        if isinstance(error, CancelledError) or "after shutdown" in str(error):
            return SearchError(
                name + " was shut down before the work was done", hint="keep it open until there is a result"
            )
        if isinstance(error, pickle.PicklingError) or "pickle" in str(error):
            return _unsendable(error)
        return SearchError(name + f" failed: {type(error).__name__}: {error}", hint=self._advice)

    def _call_off(self, sign: str) -> None:
        """Let no task of a round begin that has not, and those that are under way end soon."""
        under_way = [future for future in self._running.pop(sign, ()) if not future.cancel() and not future.done()]
        self._left += under_way
        if under_way:
            _unwanted.add(sign)
            with suppress(OSError):
                Path(sign).touch()

        def forget(_: Future[Any]) -> None:
            if all(future.done() for future in under_way):
                _unwanted.discard(sign)
                with suppress(OSError):
                    Path(sign).unlink(missing_ok=True)

        for future in under_way:
            future.add_done_callback(forget)


def _packed(shared: Any) -> bytes:
    try:
        return pickle.dumps(shared, pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # whatever a class of a user raises
        raise _unsendable(error) from error


def _unsendable(error: BaseException) -> SearchError:
    return SearchError(
        f"what it is to do cannot be sent to other processes: {type(error).__name__}: {error}",
        argument="executor",
        hint="define scores and priors of your own in a module that they can import, or take a ThreadPoolExecutor",
    )


def _workers_of(executor: Any) -> int:
    """Return how many workers an executor has, as far as it says so: it only decides how many tasks are in flight."""
    known: tuple[Callable[[], int], ...] = (
        lambda: executor._max_workers,  # of concurrent.futures
        lambda: executor.num_workers,  # of mpi4py
        lambda: sum(executor._client.nthreads().values()),  # of Dask
    )
    for ask in known:
        with suppress(Exception):
            if (number := ask()) > 0:
                return int(number)
    return UNKNOWN_WORKERS
