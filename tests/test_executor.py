"""Executors: processes, threads, a cluster and hostile ones give the results of one process, or one clear error."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml import _executor
from bnml._executor import LITTLE, Crew, checked_executor
from bnml.errors import ArgumentError, BnmlError, DataError, SearchError
from bnml.experiments import reproduce
from bnml.scores import BIC
from bnml.search.options import SearchOptions
from bnml.search.searches import SEARCHES

# --- executors ---


class Shuffled(Executor):
    """Does tasks in an order of its own, each on a copy of what it is sent, and may fail at one of them."""

    def __init__(self, seed: int, fails_at: int | None = None, error: BaseException | None = None) -> None:
        self.random, self.fails_at, self.error = random.Random(seed), fails_at, error
        self.waiting: list[tuple[Future, tuple]] = []
        self.sizes: list[int] = []
        self.submitted = 0
        self.lock = threading.Lock()
        self.most_waiting = 0

    def submit(self, function, /, *arguments, **keywords):
        future: Future = Future()
        with self.lock:
            self.submitted += 1
            number = self.submitted
            packed = pickle.dumps((function, arguments, keywords))
            self.sizes.append(len(packed))
            self.waiting.append((future, (number, packed)))
            self.most_waiting = max(self.most_waiting, len(self.waiting))
        threading.Timer(0.002, self._do_one).start()
        return future

    def _do_one(self) -> None:
        with self.lock:
            future, (number, packed) = self.waiting.pop(self.random.randrange(len(self.waiting)))
        if not future.set_running_or_notify_cancel():
            return
        if number == self.fails_at:
            future.set_exception(self.error)
            return
        function, arguments, keywords = pickle.loads(packed)
        future.set_result(function(*arguments, **keywords))


@pytest.fixture(scope="module")
def processes():
    """Two processes that know nothing of this one."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def dask():
    """Two processes of a cluster of Dask on this machine."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        yield executor


@pytest.fixture(params=["processes", "threads", "dask", "shuffled"])
def executor(request):
    if request.param == "threads":
        with ThreadPoolExecutor(3) as pool:
            yield pool
    elif request.param == "shuffled":
        yield Shuffled(1)
    else:
        yield request.getfixturevalue(request.param)


def wide_frame(n=12, rows=300, seed=1):
    """Return a table of variables that depend on two before them."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 3, rows)]
    for i in range(1, n):
        source = columns[int(rng.integers(0, i))] + columns[int(rng.integers(0, i))]
        columns.append(np.where(rng.random(rows) < 0.7, source % 3, rng.integers(0, 3, rows)))
    return pd.DataFrame({f"X{i}": values for i, values in enumerate(columns)})


def wide_table(*size):
    return bnml.read(wide_frame(*size))


# --- tasks ---


def square(shared, key, place):
    place.go_on("", 0.0)
    return shared * key * key


def slow_first(shared, key, place):
    time.sleep(0.3 if key == 0 else 0.0)
    return key


def where(shared, key, place):
    """Return the process, and how many tasks with the same shared thing it has done."""
    place.kept["done"] = place.kept.get("done", 0) + 1
    return os.getpid(), len(shared)


def failing(shared, key, place):
    if key == 3:
        raise DataError("task 3 does not like it", argument="bins", value="x")
    return key


class OddError(Exception):
    """An error that cannot be sent as it is."""

    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


def failing_oddly(shared, key, place):
    raise OddError("this", "that")


def dying(shared, key, place):
    os.kill(os.getpid(), signal.SIGKILL)


def for_long(shared, key, place):
    """Say that it has begun, and go on until it is not wanted."""
    folder = Path(shared)
    (folder / f"began-{key}").touch()
    try:
        while True:
            time.sleep(0.01)
            place.go_on("", 0.5)
    finally:
        (folder / f"ended-{key}").touch()


def test_results_come_in_the_order_of_the_keys(executor):
    with Crew(executor, square, 2) as crew:
        assert list(crew.in_order(range(60))) == [2 * k * k for k in range(60)]
        assert sorted(crew.as_done(range(5))) == [(k, 2 * k * k) for k in range(5)]
        assert list(crew.in_order([])) == []


@pytest.mark.parametrize("seed", range(5))
def test_any_order_of_completion(seed):
    with Crew(Shuffled(seed), square, 3) as crew:
        assert list(crew.in_order(range(40))) == [3 * k * k for k in range(40)]


def test_keys_are_asked_for_when_there_is_room():
    asked = []

    def keys():
        for k in range(1000):
            asked.append(k)
            yield k

    with ThreadPoolExecutor(2) as pool, Crew(pool, slow_first, None) as crew:
        going = crew.in_order(keys())
        assert next(going) == 0
        assert len(asked) <= (_executor.AHEAD + 1) * (2 * 2 + 1)
    pool = Shuffled(0)
    with Crew(pool, square, 1) as crew:
        assert len(list(crew.in_order(range(600)))) == 600
    assert pool.most_waiting <= 2 * _executor.UNKNOWN_WORKERS + 1


def test_what_is_shared_is_sent_to_a_process_once(processes):
    shared = np.random.default_rng(os.getpid()).bytes(4_000_000)
    with Crew(processes, where, shared) as crew:
        found = list(crew.in_order(range(60)))
        assert {size for _, size in found} == {len(shared)}
        assert 1 <= crew.sent <= 4  # two processes, and a task for one may be taken by the other
    with Crew(processes, where, shared) as crew:  # they have it still
        assert len(list(crew.in_order(range(60)))) == 60
        assert crew.sent <= 1


def test_tasks_are_small():
    table = wide_table(12, 3000)
    pool = Shuffled(0)
    alone = bnml.bootstrap(table, "bic", "climb", repetitions=6)
    assert (bnml.bootstrap(table, "bic", "climb", repetitions=6, executor=pool).support == alone.support).all()
    assert len(pickle.dumps(table)) > LITTLE
    assert max(pool.sizes[:6]) < 500  # bytes: without the table
    again = bnml.bootstrap(table, "bic", "climb", repetitions=6, executor=(pool := Shuffled(0)))
    assert (again.support == alone.support).all()
    assert max(pool.sizes) < 500  # this process has it now


def fails_first(seconds, number, place):
    """Fail in the first task; in the others go on until they are not wanted, or for so many seconds."""
    if number == 0:
        time.sleep(0.2)
        raise DataError("the first")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        place.go_on("", 0.0)
        time.sleep(0.01)


def test_threads_end_where_no_file_can_say_so(monkeypatch):
    monkeypatch.setattr(tempfile, "gettempdir", lambda: os.devnull)
    start = time.monotonic()
    with (
        ThreadPoolExecutor(3) as pool,
        pytest.raises(DataError, match="the first"),
        Crew(pool, fails_first, 60.0) as crew,
    ):
        list(crew.in_order(range(3)))
    assert time.monotonic() - start < 30


def test_a_process_keeps_the_latest_only(processes):
    for k in range(4):
        with Crew(processes, where, np.full(50_000, k)) as crew:
            list(crew.in_order(range(8)))
    assert max(processes.map(received, range(8))) <= _executor.KEPT_SHARED


def received(_):
    return len(_executor._received)


# --- errors ---


@pytest.mark.parametrize("wrong", [4, "processes", ProcessPoolExecutor, object()])
def test_what_is_no_executor(wrong):
    for call in (
        lambda: checked_executor(wrong),
        lambda: bnml.bootstrap(bnml.example(), executor=wrong),
        lambda: bnml.posterior(bnml.example(), method="sample", executor=wrong),
        lambda: bnml.learn(bnml.example(), "bic", "tabu", restarts=2, executor=wrong),
        lambda: bnml.learn(bnml.example(), "bic", "climb", executor=wrong),
        lambda: bnml.learn(bnml.example(), "bic", "order", executor=wrong),
        lambda: bnml.study(bnml.example(), executor=wrong),
        lambda: reproduce("regret-table", executor=wrong),
    ):
        with pytest.raises(ArgumentError, match=r"executor=.*expected a concurrent.futures.Executor") as caught:
            call()
        assert caught.value.argument == "executor"


@pytest.mark.parametrize("search", ["exact", "auto", "ges", "chow-liu"])
def test_a_search_without_restarts_says_so(search):
    with ThreadPoolExecutor(1) as pool, pytest.raises(ArgumentError, match=r"executor goes with search='climb'"):
        bnml.learn(bnml.example(), "bic", search, executor=pool)


def test_the_error_of_a_task_arrives_as_it_is(executor):
    with (
        pytest.raises(DataError, match=r"^bins='x': task 3 does not like it$") as caught,
        executor_crew(executor) as crew,
    ):
        list(crew.in_order(range(10)))
    assert caught.value.text(lambda named: f"--{named.name} {named.shown}").startswith("--bins 'x'")  # for a shell


def executor_crew(executor):
    return Crew(executor, failing, None)


def test_the_error_of_a_search_arrives_as_it_is(executor):
    odd = bnml.Constraints(required=[("asia", "nothing")])
    alone = with_text(lambda: bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=4, constraints=odd))
    other = with_text(
        lambda: bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=4, constraints=odd, executor=executor)
    )
    assert other == alone
    assert "nothing" in alone[1]


def with_text(call):
    with pytest.raises(BnmlError) as caught:
        call()
    return type(caught.value), str(caught.value)


def test_an_error_that_cannot_be_sent_arrives_with_its_text(processes):
    with Crew(processes, failing_oddly, None) as crew, pytest.raises(SearchError, match="OddError: this and that"):
        list(crew.in_order(range(3)))
    with Crew(processes, square, 1) as crew:
        assert list(crew.in_order([1])) == [1]  # and the processes are still there


@pytest.mark.parametrize("k", [1, 3, 12])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BrokenProcessPool("died"), r"a process was killed.*fewer workers"),
        (RuntimeError("no more licences"), r"executor failed: RuntimeError: no more licences; take fewer workers"),
        (pickle.PicklingError("Can't pickle <lambda>"), r"cannot be sent to other processes.*ThreadPoolExecutor"),
    ],
)
def test_an_executor_that_fails_is_one_error(k, error, text):
    pool = Shuffled(k, fails_at=k, error=error)
    with pytest.raises(SearchError, match=text):
        bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=20, executor=pool)
    assert all(future.cancelled() or future.done() for future, _ in pool.waiting)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_process_that_dies():
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(2, mp_context=context) as pool,
        Crew(pool, dying, None) as crew,
        pytest.raises(SearchError, match=r"a process was killed, most likely for lack of memory; take fewer workers"),
    ):
        list(crew.in_order(range(4)))


def test_an_executor_that_was_shut_down():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(SearchError, match="executor was shut down"):
        bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=2, executor=pool)


def test_what_cannot_be_sent_is_refused_before_any_work(processes):
    @dataclass(frozen=True)
    class Own(BIC):
        """A score that other processes do not find."""

    with pytest.raises(SearchError, match=r"^executor: .*cannot be sent to other processes.*ThreadPoolExecutor"):
        bnml.bootstrap(bnml.example(), Own(), "climb", repetitions=4, executor=processes)
    with ThreadPoolExecutor(2) as pool:
        found = bnml.bootstrap(bnml.example(), Own(), "climb", repetitions=4, executor=pool)
    assert (found.support == bnml.bootstrap(bnml.example(), "bic", "climb", repetitions=4).support).all()


# --- ends ---


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_tasks_that_are_not_wanted_end(kind, processes, tmp_path):
    signs = set(Path(tempfile.gettempdir()).glob("bnml-stop-*"))
    with ThreadPoolExecutor(2) as threads:
        pool = threads if kind == "threads" else processes
        with pytest.raises(KeyboardInterrupt), Crew(pool, for_long, str(tmp_path)) as crew:
            for _ in crew.in_order(range(50), over=interrupting(tmp_path)):
                pass
        began = {file.name.removeprefix("began-") for file in tmp_path.glob("began-*")}
        assert began
        assert began == {file.name.removeprefix("ended-") for file in tmp_path.glob("ended-*")}
        assert list(pool.map(abs, [-1])) == [1]  # it is free again
        assert {file.name.removeprefix("began-") for file in tmp_path.glob("began-*")} == began
    assert set(Path(tempfile.gettempdir()).glob("bnml-stop-*")) - signs == set()


def interrupting(folder):
    """Return what is asked whether time is over, and raises as Ctrl-C does once a task has begun."""

    def over():
        if any(folder.glob("began-*")):
            raise KeyboardInterrupt
        return False

    return over


def test_time_that_is_over_leaves_the_rest(tmp_path):
    with ThreadPoolExecutor(2) as pool, Crew(pool, for_long, str(tmp_path)) as crew:
        started = time.monotonic()
        assert list(crew.in_order(range(50), over=lambda: time.monotonic() > started + 0.3)) == []
    assert time.monotonic() < started + 5.0


INTERRUPTED = """
import multiprocessing, os, signal, sys, threading, time
from concurrent.futures import ProcessPoolExecutor
import bnml, numpy

def progress(stage, share):
    if share > 0 and not told:
        told.append(stage)
        (os.killpg if "group" in sys.argv else os.kill)(os.getpid(), signal.SIGINT)

told = []
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = numpy.random.default_rng(0)
    table = bnml.read(rng.integers(0, 2, (2000, 40)))
    pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
    try:
        bnml.bootstrap(table, "aic", "tabu", patience=200, repetitions=10_000, progress=progress, executor=pool)
    except KeyboardInterrupt:
        began = time.monotonic()
        pool.shutdown()
        print("interrupted", time.monotonic() - began < 10, multiprocessing.active_children())
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("who", ["alone", "group"])  # of a terminal the whole group hears it
def test_ctrl_c_leaves_nothing_running(tmp_path, who):
    (tmp_path / "script.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, "script.py", who], cwd=tmp_path, capture_output=True, text=True, timeout=300,
        start_new_session=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "interrupted True []\n"), done.stderr


# --- the same results ---


def test_requests_and_errors_can_be_sent():
    asked = SearchOptions.checked(SEARCHES["tabu"], tenure=4, score="bdeu:3", max_parents=2)
    back = pickle.loads(pickle.dumps(asked))
    assert back == asked
    assert back.search is asked.search
    error = ArgumentError("no", argument="seed", value=-1)
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.argument, back.value) == (ArgumentError, "seed=-1: no", "seed", -1)


@pytest.mark.parametrize("resampling", ["halves", "bootstrap"])
def test_bootstrap(executor, resampling):
    how = {"repetitions": 9, "seed": 4, "resampling": resampling}
    alone = bnml.bootstrap(bnml.example(), "bic", "tabu", **how)
    told = []
    shared = bnml.bootstrap(
        bnml.example(), "bic", "tabu", **how, executor=executor, progress=lambda *step: told.append(step)
    )
    assert (shared.support == alone.support).all()
    assert shared == alone
    assert [share for _, share in told] == pytest.approx([k / len(told) for k in range(1, len(told) + 1)])


def test_bootstrap_of_a_table_with_gaps_or_targets(processes):
    rng = np.random.default_rng(2)
    frame = wide_frame(4, 200).astype(object)
    gaps = frame.mask(rng.random(frame.shape) < 0.05)
    for data in (
        bnml.read(gaps, missing="em"),
        bnml.read(frame.assign(set=np.repeat(["", "X1"], 100)), interventions="set"),
    ):
        alone = bnml.bootstrap(data, "bic", "climb", repetitions=4)
        assert (bnml.bootstrap(data, "bic", "climb", repetitions=4, executor=processes).support == alone.support).all()


@pytest.mark.parametrize("prior", ["uniform", "order"])
def test_sampling(executor, prior):
    how = {"method": "sample", "prior": prior, "chains": 3, "samples": 40, "seed": 5}
    alone = bnml.posterior(bnml.example(), "bdeu", **how).chains
    told = []
    shared = bnml.posterior(
        bnml.example(), "bdeu", **how, executor=executor, progress=lambda _, share: told.append(share)
    ).chains
    for name in ("parents", "log_weights", "betas", "exchanged", "steps"):
        assert (getattr(shared, name) == getattr(alone, name)).all(), name
    assert (shared.warm_up, shared.ended) == (alone.warm_up, "")
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_ctrl_c_while_chains_are_elsewhere_keeps_what_there_is():
    def interrupted(stage, share):
        if stage == "structures are sampled" and share > 0.21:
            raise KeyboardInterrupt

    how = {"method": "sample", "chains": 2, "samples": 4000, "seed": 5}
    alone = bnml.posterior(bnml.example(), "bdeu", **how).chains
    with ThreadPoolExecutor(2) as pool:
        found = bnml.posterior(bnml.example(), "bdeu", **how, executor=pool, progress=interrupted).chains
    number = found.parents.shape[1]
    assert found.ended == "interrupted"
    assert 0 < number < 4000
    assert (found.parents == alone.parents[:, :number]).all()


def test_sampling_ends_in_time():
    with ThreadPoolExecutor(2) as pool:
        bnml.posterior(wide_table(), method="sample", samples=20, executor=pool)  # compiled
        started = time.monotonic()
        found = bnml.posterior(wide_table(20), method="sample", samples=100_000, time_limit=1.5, executor=pool)
    assert time.monotonic() - started < 20
    assert found.chains.ended == "time"
    assert 1 <= found.chains.parents.shape[1] < 100_000
    assert (found.chains.log_weights[:, -1] < 0).all()  # every chain has kept as many


@pytest.mark.parametrize(
    ("search", "score", "options"),
    [
        ("climb", "bic", {"restarts": 25, "perturbation": 6}),
        ("climb", "bds", {"restarts": 8, "reinsert": True}),
        ("tabu", "bic", {"restarts": 12}),
        ("tabu", "fnml", {"restarts": 6, "start": True}),
        ("order", "bds", {"restarts": 4}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_restarts(executor, search, score, options):
    table = wide_table(10 if search != "order" else 23, 250)
    if "start" in options:
        options = {**options, "start": bnml.DAG(table.names, [("X0", "X1"), ("X2", "X1")])}
    known = bnml.Constraints(required_links=[("X1", "X2")], forbidden=[("X3", "X4")])
    alone = bnml.learn(table, score, search, seed=3, constraints=known, **options)
    shared = bnml.learn(table, score, search, seed=3, constraints=known, **options, executor=executor)
    assert (shared.dag, shared.score) == (alone.dag, alone.score)
    assert without_families(shared.info) == without_families(alone.info)


def without_families(info):
    return {name: value for name, value in info.items() if name != "families"}


def test_restarts_find_something_better_and_are_begun_anew():
    """The test of the test: restarts do improve, so that others that were begun on trust are thrown away."""
    table = wide_table(10, 250)
    scores = [bnml.learn(table, "bic", "climb", restarts=k, perturbation=6, seed=3).score for k in (0, 5, 25)]
    assert scores[0] < scores[1] < scores[2]


def test_restarts_of_a_table_with_gaps():
    rng = np.random.default_rng(2)
    frame = wide_frame(4, 200).astype(object)
    data = bnml.read(frame.mask(rng.random(frame.shape) < 0.05), missing="em")
    alone = bnml.learn(data, "bic", "tabu", restarts=2)
    with ThreadPoolExecutor(2) as pool:
        shared = bnml.learn(data, "bic", "tabu", restarts=2, executor=pool)
    assert (shared.dag, shared.score) == (alone.dag, alone.score)


def test_restarts_end_in_time():
    with ThreadPoolExecutor(2) as pool:
        started = time.monotonic()
        found = bnml.learn(wide_table(30, 500), "bic", "tabu", restarts=100_000, time_limit=1.0, executor=pool)
    assert time.monotonic() - started < 15
    assert 0 < found.info["restarts"] < 100_000


def test_an_experiment(executor, tmp_path):
    alone = reproduce("regret-table", threads=1, out=tmp_path / "alone")
    shared = reproduce("regret-table", out=tmp_path / "shared", executor=executor)
    assert {f.name: f.read_bytes() for f in shared.files} == {f.name: f.read_bytes() for f in alone.files}


def test_a_study(processes):
    how = {"repetitions": 6, "folds": 0}
    alone, shared = bnml.study(bnml.example(), **how), bnml.study(bnml.example(), **how, executor=processes)
    assert (shared.bootstrap.support == alone.bootstrap.support).all()
    assert shared.bootstrap == alone.bootstrap
