"""Tasks for an executor: processes, threads, or the machines of a cluster, with the same results as in one process.

What `concurrent.futures` calls an executor is all that is asked for: a pool of processes or of threads, that of Dask
(``client.get_executor()``), that of MPI. A `Crew` gives it tasks. Each is a function of what all tasks share, such as
the table, and of a small key, and of nothing else, so that it does not matter where, when and in which order they are
done.

What is shared goes to a process once and not with every task, unless it is little. A task is sent without it; a
process that does not have it says so, and is sent the task again with all that is shared, which it keeps for the next
ones. Threads of this process, and processes that were forked from it, have it anyway.

A task that is no longer wanted, after an error elsewhere or Ctrl-C, is not begun, and one that is under way ends when
it next tells its progress: on this machine it finds a file there, whose name it was given.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

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


@dataclass
class _Shared:
    """What tasks share in one process, and what its threads keep beside it."""

    value: Any
    own: threading.local = field(default_factory=threading.local)

    @property
    def kept(self) -> dict[str, Any]:
        """What this thread keeps."""
        if not hasattr(self.own, "kept"):
            self.own.kept = {}
        found: dict[str, Any] = self.own.kept
        return found


_given_out: dict[str, _Shared] = {}  # by crews of this process
_received: OrderedDict[str, _Shared] = OrderedDict()  # from other processes
_unwanted: set[str] = set()  # signs of tasks of this process
_lock = threading.Lock()


def _unlock() -> None:
    """Take a fresh lock: in a process that is forked nobody would ever release the old one."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock)


def _shared_here(name: str, packed: bytes | None) -> _Shared | None:
    """Return what tasks share, if this process has it or is given it now."""
    with _lock:
        found = _given_out.get(name) or _received.get(name)
        if name in _received:
            _received.move_to_end(name)
        if found is None and packed is not None:
            found = _received[name] = _Shared(pickle.loads(packed))
            while len(_received) > KEPT_SHARED:
                _received.popitem(last=False)
    return found


def _perform(work: Work, name: str, packed: bytes | None, key: Any, sign: str) -> tuple[str, Any]:
    """Do a task, in whatever process; return how it ended, and what it returned or why not."""
    from platform import node

    try:
        shared = _shared_here(name, packed)
        if shared is None:
            return _ABSENT, f"{node()}:{os.getpid()}"
        go_on = _looking_at(sign)
        go_on("", 0.0)
        return _DONE, work(shared.value, key, Place(shared.kept, go_on))
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


@dataclass(eq=False)
class _Job:
    """A task that was given out: its number and key, and for which process it carries what is shared."""

    number: int
    key: Any
    carries_for: str | None = None


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
        from uuid import uuid4

        self._executor, self._work, self._advice, self._patience = executor, work, advice, patience
        self._shared, self._packed = shared, b""
        self._name = uuid4().hex
        if not isinstance(executor, ThreadPoolExecutor):
            self._packed = _packed(shared)
            self._name = blake2b(self._packed, digest_size=16).hexdigest()
        self._most = 2 * _workers_of(executor) + 1
        self._left: list[Future[Any]] = []
        self._rounds: list[Generator[Any, None, None]] = []
        self.sent = 0

    def __enter__(self) -> Crew:
        with _lock:
            self._before = _given_out.get(self._name)
            _given_out[self._name] = _Shared(self._shared)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        from concurrent.futures import wait

        try:
            for going in list(self._rounds):
                going.close()
            wait(self._left, self._patience)
        finally:
            with _lock:
                if self._before is None:
                    _given_out.pop(self._name, None)
                else:
                    _given_out[self._name] = self._before

    def in_order(self, keys: Iterable[Any], over: Callable[[], bool] = lambda: False) -> Generator[Any, None, None]:
        """Do a task for each key, and return what they return, in the order of the keys.

        Keys are asked for only when there is something to do for them. When ``over`` is true, the rest is left.
        """
        found: dict[int, Any] = {}
        following = 0
        going = self._finished(keys, over, lambda: AHEAD * self._most - len(found))
        self._rounds.append(going)
        try:
            for job, value in going:
                found[job.number] = value
                while following in found:
                    yield found.pop(following)
                    following += 1
        finally:
            going.close()
            self._rounds.remove(going)

    def as_done(self, keys: Iterable[Any]) -> Generator[tuple[Any, Any], None, None]:
        """Do a task for each key, and return each key with what its task returns, as soon as it is done."""
        going = self._finished(keys, lambda: False, lambda: self._most)
        self._rounds.append(going)
        try:
            for job, value in going:
                yield job.key, value
        finally:
            going.close()
            self._rounds.remove(going)

    def _finished(
        self, keys: Iterable[Any], over: Callable[[], bool], room: Callable[[], int]
    ) -> Generator[tuple[_Job, Any], None, None]:
        """Do a task for each key, and return each as soon as it is done."""
        from concurrent.futures import FIRST_COMPLETED, CancelledError, wait
        from tempfile import gettempdir
        from uuid import uuid4

        sign = os.path.join(gettempdir(), f"bnml-stop-{uuid4().hex}")  # noqa: PTH118  # a text is sent
        waiting, more = (_Job(number, key) for number, key in enumerate(keys)), True
        running: dict[Future[tuple[str, Any]], _Job] = {}
        parked: list[_Job] = []  # while a process is sent what they share
        coming: set[str] = set()  # these processes

        def fill() -> None:
            nonlocal more
            while more and len(running) + len(parked) < self._most and room() > 0:
                job = next(waiting, None)
                if job is None:
                    more = False
                else:
                    running[self._submit(job, sign)] = job

        try:
            while True:
                fill()
                if not (running or parked) or over():
                    return
                done: set[Future[tuple[str, Any]]] = set()
                if running:
                    done = wait(running, LOOK, return_when=FIRST_COMPLETED).done
                else:
                    time.sleep(LOOK)
                again, parked = parked, []
                for job in again:
                    running[self._submit(job, sign)] = job
                for future in sorted(done, key=lambda one: running[one].number):
                    job = running.pop(future)
                    ended, value = self._outcome(future)
                    if ended == _ABSENT and value in coming:
                        parked.append(job)
                        continue
                    if ended == _ABSENT:
                        coming.add(value)
                        job.carries_for = value
                        running[self._submit(job, sign)] = job
                        continue
                    if job.carries_for is not None:
                        coming.discard(job.carries_for)
                    if ended == _FAILED:
                        raise value
                    if ended == _UNWANTED:  # somebody else has put up its sign
                        raise self._failure(CancelledError())
                    fill()
                    yield job, value
        finally:
            self._call_off(running, sign)

    def _submit(self, job: _Job, sign: str) -> Future[tuple[str, Any]]:
        packed = self._packed if job.carries_for is not None or len(self._packed) < LITTLE else None
        self.sent += packed is not None
        try:
            return self._executor.submit(_perform, self._work, self._name, packed, job.key, sign)
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

    def _call_off(self, running: dict[Future[tuple[str, Any]], _Job], sign: str) -> None:
        """Let no task begin that has not, and those that are under way end soon."""
        under_way = [future for future in running if not future.cancel() and not future.done()]
        if not under_way:
            return
        _unwanted.add(sign)
        with suppress(OSError):
            Path(sign).touch()
        self._left += under_way
        left = set(under_way)

        def forget(future: Future[Any]) -> None:
            with _lock:
                left.discard(future)
            if not left:
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


def _workers_of(executor: Executor) -> int:
    """Return how many workers an executor has, as far as it says so: it only decides how many tasks are in flight."""
    known: Sequence[Callable[[], Any]] = (
        partial(getattr, executor, "_max_workers"),  # of concurrent.futures
        partial(getattr, executor, "num_workers"),  # of mpi4py
        lambda: sum(executor._client.nthreads().values()),  # type: ignore[attr-defined]  # of Dask
    )
    for ask in known:
        with suppress(Exception):
            number = ask()
            if isinstance(number, int) and number > 0:
                return number
    return UNKNOWN_WORKERS
