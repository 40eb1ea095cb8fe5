"""``bnml posterior``: how probable each arc is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import bnml
from bnml._files import written_whole
from bnml._memory import limit_of
from bnml.cli import common
from bnml.cli.constraints import constraints_of
from bnml.cli.learn import LONG, Forbid, ForbidLink, MaxParents, MemoryLimit, Require, Threads, Tiers
from bnml.cli.outputs import check_outputs

if TYPE_CHECKING:
    from bnml.uncertainty import Posterior

__all__ = ["command"]

EXAMPLE = "Example: bnml posterior survey.csv --columns smoke,lung --score bdeu:10 --top 3"

ScoreName = Annotated[
    str,
    typer.Option(
        "--score",
        metavar="NAME",
        help="The score, read as a log-probability: qnml, fnml, k2, bdj; with a number that may be left out bd:1, "
        "bdeu:1, bds:1, bdq:0.5, and bde:1 with --prior-network.",
    ),
]
Prior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="NAME",
        help="uniform: all DAGs are equally probable, up to 14 variables; order: all orders are, up to 22. Without: "
        "uniform up to 14 variables, else order.",
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        "--top", metavar="K", parser=common.whole, help="The K most probable structures; up to 5 variables."
    ),
]
Classes = Annotated[bool, typer.Option("--classes", help="With --top: equivalence classes in place of structures.")]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE.csv", help="File for the probabilities: from, to, probability."),
]


@common.reads_a_table
def command(
    table: common.TableReader,
    score: ScoreName = "bdeu",
    prior_network: common.PriorNetwork = None,
    prior: Prior = None,
    top: Top = None,
    classes: Classes = False,
    as_json: common.Json = False,
    require: Require = None,
    forbid: Forbid = None,
    forbid_link: ForbidLink = None,
    tiers: Tiers = None,
    max_parents: MaxParents = None,
    output: Output = None,
    threads: Threads = None,
    memory_limit: MemoryLimit = None,
    config: common.Config = None,
) -> None:
    """Show how probable each arc is, summed over all structures."""
    if output is not None:
        check_outputs([("-o", output, (".csv", ".csv.gz"))])
    chosen, settings = common.score_of(score, prior_network), common.settings_of(config)
    data = table()
    pairs = {"required": require, "forbidden": forbid, "forbidden_links": forbid_link}
    arguments: dict[str, Any] = {
        "prior": prior,
        "max_parents": max_parents,
        "constraints": constraints_of(data.names, pairs, tiers, settings),
        "threads": threads,
        "memory_limit": memory_limit,
    }
    with _announced(data, chosen, prior, threads, memory_limit) as progress:
        result = bnml.posterior(data, chosen, progress=progress, **arguments)
    best = None if top is None else result.top(top, classes=classes)
