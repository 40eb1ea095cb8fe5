"""Run an experiment: part after part, on all cores, from where it was left off."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnml._checks import is_whole, refuse
from bnml._executor import PATIENCE, Crew, Place, checked_executor
from bnml._files import write_files
from bnml._machine import cores
from bnml._plain import attributes
from bnml._text import quoted
from bnml.errors import ArgumentError, Text, argument
from bnml.experiments import registry
from bnml.experiments.experiment import Experiment, Outputs, Part, Row
from bnml.experiments.journal import Journal

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

PICTURES = (".png", ".svg")
_Found = tuple[Sequence[Row], float]
MOST = 100_000  # repetitions


@dataclass(frozen=True)
class Reproduction:
    """A finished experiment.

    Attributes
    ----------
    experiment
        What was done.
    outcome
        Its tables, figures and findings.
    files
        What was written.
    repetitions
        How often random things were repeated; None if nothing is random.
    resumed
        How many parts of the work had been done before.
    parts
        How many parts there are.
    seconds
        How long the rest took.
    processor_seconds
        How many seconds of a processor all parts took together, with those that had been done before.
    """

    experiment: Experiment
    outcome: Outputs
    files: Sequence[Path]
    repetitions: int | None
    resumed: int
    parts: int
    seconds: float
    processor_seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {
            "experiment": self.experiment.name,
            "repetitions": self.repetitions,
            "findings": list(self.outcome.findings),
            "claims": [claim.to_dict() for claim in self.outcome.claims],
            **attributes(self, "files", "parts", "resumed", "seconds", "processor_seconds"),
        }


def reproduce(
    name: str,
    data: str | Path | None = None,
    *,
    repetitions: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    out: str | Path = "reproduced",
    progress: Callable[[str, float], None] | None = None,
    executor: Executor | None = None,
    **choices: str | None,
) -> Reproduction:
    """Reproduce a published experiment, and compare it with what was published.

    Parameters
    ----------
    name
        The experiment, one of `bnml.experiments.EXPERIMENTS`.
    data
        The folder with the data and the published numbers; not every experiment needs one.
    repetitions
        How often random things are repeated; by default as often as the experiment says.
    seed
        Of all random numbers.
    threads
        How many processes work at once; by default as many as there are cores. The results do not depend on it. With
        more than one the program that calls this must be importable, as everywhere in `multiprocessing`: begin it with
        ``if __name__ == "__main__":``.
    out
        The folder where a folder with the name of the experiment is made, for tables (CSV), figures (PNG and SVG) and
        findings. What was done there before, of the same experiment with the same seed and data, is not done again.
    progress
        Called with the stage and the share of the work that is done.
    executor
        Who does the parts, instead of processes that are started for it: a `concurrent.futures.Executor`, such as that
        of Dask or MPI. The folder with the data must be at the same place for all of them. The results do not depend on
        it.
    **choices
        What the outcome is about, where the experiment leaves a choice: ``ties="first"`` or ``"package"``,
        ``regret="exact"`` or ``"eq7"``. The work is the same, and is not done again.

    Returns
    -------
    Reproduction
        The results, and where they were written.

    Examples
    --------
    >>> import tempfile, bnml.experiments
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = bnml.experiments.reproduce("regret-table", out=folder)
    ...     sorted(file.name for file in done.files)
    ['claims.csv', 'comparison.csv', 'figure.png', 'figure.svg', 'findings.txt', 'results.csv']
    """
    started = time.perf_counter()
    experiment = registry.find_experiment(name)
    source = data_folder(experiment, data)
    rounds = _repetitions(experiment, repetitions)
    chosen = _chosen(experiment, choices)
    if not is_whole(seed, None):
        raise refuse("seed", seed, "expected a whole number")
    workers, elsewhere = cores(threads), checked_executor(executor)
    parts = experiment.parts(source, rounds)
    target = result_folder(out, experiment.name)
    tell = progress or (lambda stage, share: None)
    with Journal(target / "journal.jsonl", experiment, source, seed) as journal:
        left = [part for part in parts if part.key not in journal]
        total, done = sum(part.cost for part in parts), sum(part.cost for part in parts if part.key in journal)
        tell("going on" if done else "starting", done / total)
        for part, (found, seconds) in _worked(experiment, source, left, seed, workers, elsewhere):
            journal.add(part.key, found, seconds)
            done += part.cost
            tell(" ".join(map(str, part.key)), done / total)
        rows = [row for part in parts for row in journal[part.key]]
        spent = sum(journal.seconds(part.key) for part in parts)
    outcome = experiment.outcome(source, rows, rounds, **chosen)
    files = _write(target, outcome)
    kept = len(parts) - len(left)
    asked = None if experiment.repetitions is None else rounds
    return Reproduction(experiment, outcome, files, asked, kept, len(parts), time.perf_counter() - started, spent)


def result_folder(out: str | Path, name: str = "") -> Path:
    """Make the folder where an experiment's results go."""
    target = Path(out) / name
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(
            f"the folder {str(target)!r} cannot be made: {error.strerror}", argument="out", value=str(out)
        ) from None
    return target


def _chosen(experiment: Experiment, given: Mapping[str, str | None]) -> dict[str, str]:
    """Return what is chosen where an experiment leaves a choice: the first, if nothing is said."""
    for name, value in given.items():
        if value is not None and name not in experiment.choices:
            raise ArgumentError(f"{experiment.name} takes no " + argument(name) + ": it leaves no such choice")
        if value is not None and value not in experiment.choices[name]:
            raise refuse(name, value, f"expected one of {quoted(experiment.choices[name])}")
    return {name: given.get(name) or values[0] for name, values in experiment.choices.items()}


def data_folder(experiment: Experiment, data: str | Path | None) -> Path:
    """Return the folder with the data, in which every file that is needed must be."""
    wanted = [*experiment.files, *experiment.published]
    if data is None:
        if wanted:
            raise ArgumentError(f"{experiment.name} needs " + argument("data") + f", the folder with {quoted(wanted)}")
        return Path()
    folder = Path(data)
    if not folder.is_dir():
        raise ArgumentError("there is no such folder", argument="data", value=str(data))
    missing = [file for file in wanted if not (folder / file).is_file()]
    if missing:
        raise ArgumentError(
            f"the folder lacks {quoted(missing)}, which {experiment.name} needs", argument="data", value=str(data)
        )
    return folder


def _repetitions(experiment: Experiment, given: int | None) -> int:
    if experiment.repetitions is None:
        if given is not None:
            raise ArgumentError(f"{experiment.name} takes no " + argument("repetitions") + ": nothing in it is random")
        return 1
    if given is None:
        return experiment.repetitions
    if not is_whole(given, 2) or given > MOST:
        raise refuse("repetitions", given, f"expected a whole number from 2, for a mean and its error, to {MOST:,}")
    return given


def _worked(
    experiment: Experiment, data: Path, parts: Iterable[Part], seed: int, workers: int, executor: Executor | None
) -> Iterator[tuple[Part, _Found]]:
    """Do parts, those that take longest first, and give each as soon as it is done."""
    queue = sorted(parts, key=lambda part: -part.cost)
    if executor is not None:
        yield from _worked_by(executor, _Series(experiment.name, data.resolve(), seed), queue, "workers")
    elif workers == 1 or len(queue) < 2:
        for part in queue:
            yield part, _timed(experiment, data, part.key, seed)
    else:
        with _processes(min(workers, len(queue))) as pool:
            series = _Series(experiment.name, data, seed)
            yield from _worked_by(pool, series, queue, argument("threads"), patience=0.0)


@dataclass(frozen=True)
class _Series:
    """What all parts of an experiment share."""

    name: str
    data: Path
    seed: int


def _do(series: _Series, key: tuple[Any, ...], place: Place) -> _Found:
    """Do one part, wherever this is done."""
    return _timed(registry.find_experiment(series.name), series.data, key, series.seed)


def _timed(experiment: Experiment, data: Path, key: tuple[Any, ...], seed: int) -> _Found:
    """Do one part; return its rows, and how many seconds of a processor they took."""
    started = time.thread_time()  # all of it is done on this thread; others may be at work on other parts
    rows = experiment.work(data, key, seed)
    return rows, time.thread_time() - started


def _worked_by(
    executor: Executor, series: _Series, queue: Sequence[Part], fewer: Text, patience: float = PATIENCE
) -> Iterator[tuple[Part, _Found]]:
    """Let an executor do parts, and give each as soon as it is done; ``fewer`` of what may help if it dies."""
    part_of = {part.key: part for part in queue}
    advice = "what is done is kept: go on with fewer " + fewer
    with Crew(executor, _do, series, advice=advice, patience=patience) as crew:
        for key, found in crew.as_done(part_of):
            yield part_of[key], found


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    """Start processes, and end them at once should the work not go on."""
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of compiled code half alive
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_serve) as pool:
        try:
            with _interrupts_held_back():  # processes that are started meanwhile hear none at all
                pool.submit(_nothing)
            yield pool
        except BaseException:
            with _interrupts_held_back():
                for process in set(multiprocessing.active_children()) - others:
                    process.terminate()
                pool.shutdown(wait=True, cancel_futures=True)
            raise


def _nothing() -> None:
    """Do nothing: processes are started for it."""


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let Ctrl-C wait, and block it in processes that are started meanwhile: they inherit that, where there is such."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # none come here
        yield
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    mask = getattr(signal, "pthread_sigmask", None)
    before = mask(signal.SIG_BLOCK, {signal.SIGINT}) if mask else None
    try:
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, signal.SIG_DFL if handler is None else handler)
    if came:
        raise KeyboardInterrupt


def _serve() -> None:
    """Leave Ctrl-C to the process that gives the work, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _write(folder: Path, outcome: Outputs) -> list[Path]:
    """Write all files of an outcome, or none."""
    contents: dict[Path, Callable[[], bytes]] = {}
    for stem, table in outcome.tables.items():
        contents[folder / f"{stem}.csv"] = partial(_csv, table)
    for stem, figure in outcome.figures.items():
        for suffix in PICTURES:
            contents[folder / f"{stem}{suffix}"] = partial(_drawn, figure, suffix)
    if outcome.claims:
        import pandas as pd

        table = pd.DataFrame([claim.to_dict() for claim in outcome.claims])
        contents[folder / "claims.csv"] = partial(_csv, table)
    findings = "\n".join(outcome.findings) + "\n"
    contents[folder / "findings.txt"] = partial(findings.encode, "utf-8")
    write_files({path: lambda stream, content=content: stream.write(content()) for path, content in contents.items()})  # type: ignore[misc]
    return list(contents)


def _csv(table: pandas.DataFrame) -> bytes:
    return table.to_csv(index=False, lineterminator="\n", float_format="%.10g").encode("utf-8")


def _drawn(figure: Figure, suffix: str) -> bytes:
    """Return the file of a drawing, the same bytes for the same drawing."""
    import matplotlib as mpl

    stream = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "bnml", "svg.fonttype": "none"}):
        metadata = {"Date": None} if suffix == ".svg" else {"Software": None}
        figure.savefig(stream, format=suffix[1:], dpi=120, metadata=metadata)
    return stream.getvalue()
