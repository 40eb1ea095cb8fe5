"""A forest with a high exact NML: local search over forests, from the best forest under qNML.

The normaliser of a forest is no sum of gains of links, so no spanning tree is known to be the best. But qNML comes near,
and a change of one link is cheap to evaluate (`bnml.nml.forest_joins`). A step *cuts* a link, *joins* two trees by one,
or *re-hangs* a part of a tree: it cuts a link and ties one of the two parts to a tree again, with another link.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from bnml.counts.pairs import pair_information
from bnml.data import Data
from bnml.errors import SearchError
from bnml.graph import DAG, Constraints
from bnml.scores import NML, LocalScores, Score, parse_score
from bnml.scores import score as score_of
from bnml.scores.local import local_scores
from bnml.scores.nml import forest_joins
from bnml.search.result import SearchResult
from bnml.search.trees import Floats, Rules, best_tree, check_tree, gains_of, in_time, opened, outwards, rules_for
from bnml.search.watch import Watch

__all__ = ["nml_forest"]

GAIN = 1e-7  # a step gains more than rounding can

Link = tuple[int, int]
Trees = dict[int, dict[int, list[int]]]


def nml_forest(
    data: Any,
    score: Score | str = "nml",
    *,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> SearchResult:
    """Return a forest whose exact NML no change of a single link can raise.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score
        What is reported: the search goes by the exact NML, whatever this is.
    constraints, max_parents, threads, memory_limit, progress
        As for `bnml.learn`.
    time_limit
        Seconds after which no further step is taken.

    Returns
    -------
    SearchResult
        ``info["nml"]`` and ``info["qnml"]`` are its scores, ``info["start_nml"]`` that of the best forest under qNML,
        where the search started. ``info["skipped"]`` is the number of forests, among those next to the one found, whose
        NML would take too much to compute.

    Raises
    ------
    BnmlError
        If an argument is wrong, no forest meets the constraints, or the NML of the first forest would take too much.

    Notes
    -----
    Equivalent forests have the same NML. So links are searched for; they lead away from the first variable by name, or
    as the constraints demand. Of steps that gain the same the first by name is taken.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.nml_forest(bnml.example())
    >>> print(result.dag)
    [asia][bronc][smoke|bronc][dysp|bronc][either|dysp][tub|either][lung|either][xray|either]
    >>> round(result.info["nml"], 2), round(result.info["qnml"], 2)
    (-11645.72, -11645.81)
    """
    watch = Watch(progress, time_limit)
    local = opened(
        "nml-forest", data, score=score, constraints=constraints, max_parents=max_parents, threads=threads,
        memory_limit=memory_limit, time_limit=time_limit, progress=progress,
    )  # fmt: skip
    reported = parse_score(score)
    return _Search(local, constraints, max_parents, threads, memory_limit, watch).result(reported)
