"""The published experiments: how long they take, and how far they agree with the published numbers."""

from __future__ import annotations

import tempfile

from benchmarks.figures import Figure
from benchmarks.samples import FOLDER, NoNetworksError
from bnml.experiments import Reproduction, reproduce

DATA = FOLDER.parent


def run(*, long: bool = False) -> list[Figure]:
    """Run the two large experiments as often as their bars say; with ``--long`` the others, too."""
    if not (DATA / "published").is_dir():
        raise NoNetworksError(f"this benchmark needs the published numbers in published/ of {DATA.name}/")
    figures = [*generating_structure(), *prediction()]
    names = ("regret-table", "rank-of-truth", "scores-on-data", "alpha-sensitivity", "qnml-vs-nml") if long else ()
    return [*figures, *(Figure(name, afresh(name).seconds, "s") for name in names)]


def afresh(name: str, repetitions: int | None = None) -> Reproduction:
    """Run an experiment from its beginning, on all cores."""
    with tempfile.TemporaryDirectory() as folder:
        return reproduce(name, DATA, repetitions=repetitions, out=folder)


def generating_structure() -> list[Figure]:
    """Measure time and agreement of 100 repetitions."""
    done = afresh("generating-structure", 100)
    within = done.outcome.tables["comparison"]["within"]
    title, note = "generating-structure, 100 repetitions", f"{within.sum()} of {len(within)} within 3 standard errors"
    return [
        Figure(title, done.seconds, "s", 900),
        Figure(f"{title}: means that agree", 100 * within.mean(), "%", 90, higher=True, note=note),
    ]


def prediction() -> list[Figure]:
    """Measure time and agreement of 20 permutations."""
    done = afresh("prediction", 20)
    comparison = done.outcome.tables["comparison"]
    ranks, third = comparison[comparison["what"] == "rank"], comparison[comparison["what"] == "table 3"]["within"]
    title, note = "prediction, 20 repetitions", f"{third.sum()} of {len(third)} within 3 standard errors"
    return [
        Figure(title, done.seconds, "s", 1800),
        Figure(f"{title}: correlation of ranks", ranks["ours"].corr(ranks["published"]), "", 0.95, higher=True),
        Figure(f"{title}: Table 3 that agrees", 100 * third.mean(), "%", 90, higher=True, note=note),
    ]
