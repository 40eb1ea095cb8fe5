"""Run all experiments, one after the other, and gather what they say on one page."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bnml._files import write_files
from bnml._plain import attributes
from bnml.experiments import registry
from bnml.experiments.claims import VERDICTS
from bnml.experiments.experiment import Experiment
from bnml.experiments.reproduction import Reproduction, data_folder, reproduce, result_folder

ALL = "all"
"""What all experiments are called together, on the command line."""


@dataclass(frozen=True)
class Reproductions:
    """All experiments, finished.

    Attributes
    ----------
    done
        What each came to.
    left_out
        The experiments that take too long to be run with all others.
    files
        The page with all claims, as HTML and as Markdown.
    seconds
        How long this run took.
    """

    done: Sequence[Reproduction]
    left_out: Sequence[str]
    files: Sequence[Path]
    seconds: float

    @property
    def processor_seconds(self) -> float:
        """How many seconds of a processor all of it took, with what had been done before."""
        return sum(one.processor_seconds for one in self.done)

    @property
    def verdicts(self) -> dict[str, int]:
        """How many claims have each verdict, each counted once."""
        found = Counter(claim.verdict for one in self.done for claim in one.outcome.claims if not claim.again)
        return {verdict: found[verdict] for verdict in VERDICTS}

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {
            "experiments": [one.to_dict() for one in self.done],
            **attributes(self, "left_out", "files", "verdicts", "seconds", "processor_seconds"),
        }


def reproduce_all(
    data: str | Path | None = None,
    *,
    repetitions: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    out: str | Path = "reproduced",
    progress: Callable[[str, float], None] | None = None,
    executor: Executor | None = None,
) -> Reproductions:
    """Reproduce all experiments, and write one page with all claims.

    What was done before is not done again, of whichever run: an interrupted one goes on where it was.

    Parameters
    ----------
    data
        The folder with the data and the published numbers.
    repetitions
        How often random things are repeated at most, in each experiment; by default as often as each says for this.
    seed, threads, out, executor
        As for `bnml.experiments.reproduce`.
    progress
        Called with the experiment and the share of its work that is done.

    Returns
    -------
    Reproductions
        What each came to, and where the page is.

    Raises
    ------
    ArgumentError
        If a file is missing that any of them needs, before any work is done.
    """
    from bnml.report.claims_page import claims_page

    started = time.perf_counter()
    every = [registry.find_experiment(name) for name in registry.EXPERIMENTS]
    chosen = [experiment for experiment in every if experiment.in_all != 0]
    for experiment in chosen:
        folder = data_folder(experiment, data)
        experiment.parts(folder, _rounds(experiment, repetitions) or 1)  # it reads all files
    done = []
    for experiment in chosen:
        tell = None if progress is None else partial(_told, progress, experiment.name)
        found = reproduce(
            experiment.name, data, repetitions=_rounds(experiment, repetitions), seed=seed, threads=threads, out=out,
            progress=tell, executor=executor,
        )  # fmt: skip
        done.append(found)
    target = result_folder(out)
    left_out = [experiment.name for experiment in every if experiment.in_all == 0]
    texts = {target / f"claims.{suffix}": claims_page(suffix, done, left_out).encode() for suffix in ("html", "md")}
    write_files({path: lambda stream, text=text: stream.write(text) for path, text in texts.items()})  # type: ignore[misc]
    return Reproductions(done, left_out, list(texts), time.perf_counter() - started)


def _told(progress: Callable[[str, float], None], name: str, stage: str, share: float) -> None:
    progress(f"{name}: {stage}", share)


def _rounds(experiment: Experiment, most: int | None) -> int | None:
    """Return how often random things of an experiment are repeated; None if there are none."""
    if experiment.repetitions is None:
        return None
    own = experiment.in_all or experiment.repetitions
    return own if most is None else min(own, most)
