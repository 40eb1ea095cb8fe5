"""The five steps, one after the other; what is not affordable is left out, and the study says so.

What is affordable is decided by the table alone, so that the same table gives the same study everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Any

from bnml._checks import a_variable, progress_function, significance_level, whole_number
from bnml._watch import Watch
from bnml.data import Data, read
from bnml.errors import BnmlError, ScoreError
from bnml.five_steps.features import features_of
from bnml.five_steps.other_scores import classes_by_score
from bnml.five_steps.study_result import Study
from bnml.graph import DAG, Constraints
from bnml.graph.rules import ROWS_PER_CELL
from bnml.independence import IndependenceResult, npc, pc
from bnml.scores import LocalScores, Score
from bnml.search.forecast import forecast
from bnml.search.learn import learn_as_asked
from bnml.search.search_result import SearchResult
from bnml.search.searches import SEARCHES, request_for
from bnml.search.task import Request
from bnml.uncertainty import Bootstrap, Posterior, bootstrap, posterior, strength

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StudyRequest", "study", "study_as_asked", "study_request"]

MOST_TESTS = 100_000  # of independence that may have to be made
MOST_FOR_NPC = 40
MOST_FOR_POSTERIOR = 14
MOST_FOR_BOOTSTRAP = 100
BOOTSTRAP_SECONDS = 60.0  # of exact searches of halves of the rows

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class StudyRequest:
    """What is asked of a study, checked.

    Attributes
    ----------
    learning
        How a structure is learned.
    search
        The search, by its name.
    target, alpha, repetitions, memory_limit, progress
        As for `study`.
    """

    learning: Request
    search: str
    target: str | None
    alpha: float
    repetitions: int
    memory_limit: int | str | None
    progress: Progress | None

    @property
    def shared(self) -> dict[str, Any]:
        """What learning, the posterior and the bootstrap are given alike."""
        names = ("score", "constraints", "max_parents", "rows_per_cell", "seed", "threads")
        return {name: getattr(self.learning, name) for name in names} | {"memory_limit": self.memory_limit}


def study(
    data: Any,
    target: str | None = None,
    *,
    score: Score | str = "qnml",
    alpha: float = 0.05,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    rows_per_cell: float = ROWS_PER_CELL,
    search: str = "auto",
    repetitions: int = 100,
    seed: int = 0,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Study:
    """Take a table through the five steps of learning a structure, and report on them.

    Feature selection, constraints, learning, uncertainty of the structure, and strength of the dependences. All
    variables take part in all steps: a variable that tells nothing of the target by itself may do so beside others.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes; then columns of numbers are cut with ``bins="auto"``.
    target
        The variable of interest; None for none.
    score, search, constraints, max_parents, rows_per_cell, memory_limit
        As for `bnml.learn`; tests of independence heed the constraints as well.
    alpha
        The significance level of tests; for pairs of variables the largest share of false ones among those found.
    repetitions
        How many halves of the rows are drawn for the support of each link; 0 for none.
    seed
        The same seed gives the same study.
    threads
        How many threads may be used; all cores by default. The result does not depend on it.
    progress
        Called as ``progress(stage, fraction)`` now and then.
    **options
        Options of the search that is named.

    Returns
    -------
    Study
        The parts, a summary when printed, and a report in HTML.

    Raises
    ------
    BnmlError
        If an argument is wrong; before any work.

    Notes
    -----
    Tests of independence are given as many variables as keep the number of tests below 100,000, and at least one. NPC
    goes up to 40 variables, the posterior up to 14, the bootstrap up to 100. Where 100 exact searches would take
    minutes, halves are searched by tabu search. Directions are compared with those of the best networks by qnml, bic,
    bdeu and fnml where exact searches by these take less than 5 seconds in all, by the forecast.

    Examples
    --------
    >>> import bnml
    >>> found = bnml.study(bnml.example(), "lung", repetitions=10)
    >>> [link.text for link in found.links if link.in_network and link.directed]
    ['bronc → dysp', 'either → dysp']
    >>> found.strength.loc[0, ["from", "to"]].tolist()
    ['bronc', 'dysp']
    """
    asked = study_request(
        target, search, options, score=score, alpha=alpha, repetitions=repetitions, constraints=constraints,
        max_parents=max_parents, rows_per_cell=rows_per_cell, seed=seed, threads=threads, memory_limit=memory_limit,
        progress=progress,
    )  # fmt: skip
    return study_as_asked(asked, data)


def study_request(
    target: str | None,
    search: str,
    options: Mapping[str, Any],
    *,
    alpha: float,
    repetitions: int,
    progress: Progress | None,
    **given: Any,
) -> StudyRequest:
    """Check what is asked of `study`, before there are data; ``given`` is what all searches take.

    Raises
    ------
    BnmlError
        If an argument is wrong.
    """
    level = significance_level(alpha)
    progress_function(progress)
    if isinstance(search, str) and search in SEARCHES and "alpha" in SEARCHES[search].options:
        options = {"alpha": level, **options}
    learning = request_for(search, options, **given)
    whole_number(repetitions, "repetitions")
    return StudyRequest(learning, search, target, level, repetitions, given.get("memory_limit"), progress)


def study_as_asked(asked: StudyRequest, data: Any) -> Study:
    """Take a table through the five steps as a request asks."""
    watch, left_out, learning, level = Watch(asked.progress), dict[str, str](), asked.learning, asked.alpha
    told = _part(watch, "learning", 0.0, 0.2)
    table = data if isinstance(data, Data) else read(data, bins="auto")
    if asked.target is not None:
        a_variable(asked.target, "target", table.names)
    learned = learn_as_asked(replace(learning, progress=told), table)
    by_others = classes_by_score(table, learned, asked.shared, _part(watch, "other scores", 0.2, 0.3), left_out)
    watch("dependences", 0.3)
    features = features_of(table, asked.target, level, learning.threads)
    most = _max_condition(features.pairs, level)
    tested: dict[str, Any] = {
        "constraints": learning.constraints,
        "max_condition": most,
        "threads": learning.threads,
    }
    by_tests = pc(table, level, progress=_part(watch, "tests", 0.3, 0.4), **tested)
    by_paths = _npc(table, level, tested, _part(watch, "tests", 0.4, 0.5), left_out)
    known = _posterior(table, asked.shared, _part(watch, "posterior", 0.5, 0.6), left_out)
    drawn = _bootstrap(table, asked, _part(watch, "bootstrap", 0.6, 1.0), left_out)
    return Study(
        data=table,
        target=asked.target,
        alpha=level,
        features=features,
        constraints=learning.constraints,
        pc=by_tests,
        npc=by_paths,
        learned=learned,
        other_scores=by_others,
        bootstrap=drawn,
        posterior=known,
        strength=_strength(learned, table, left_out),
        max_condition=most,
        rows_per_cell=learning.rows_per_cell,
        left_out=tuple(left_out.items()),
        seed=learning.seed,
        seconds=watch.seconds,
    )


def _strength(learned: SearchResult, table: Data, left_out: dict[str, str]) -> pd.DataFrame:
    """Return what each arc is worth; nothing where no network fits what tests found."""
    if learned.dag is None or not isinstance(learned.local, LocalScores):
        left_out["strength"] = f"no network fits what the tests of {learned.search.upper()} found"
        return strength(DAG(table.names), table)
    return strength(learned.dag, table, learned.local.score_function)


def _part(watch: Watch, name: str, start: float, stop: float) -> Progress:
    """Return what is told how far one step is."""
    watch(name, start)
    return lambda stage, share: watch(f"{name}: {stage}", start + (stop - start) * share)


def _max_condition(pairs: pd.DataFrame, alpha: float) -> int | None:
    """Return how many variables tests may be given at most, for the number of tests to stay within its bound.

    Pairs that are independent by themselves are linked no more, and each of the others is tested given sets of the
    neighbours of either end.
    """
    linked = [(a, b) for a, b, p in zip(pairs["a"], pairs["b"], pairs["p_value"], strict=True) if p <= alpha]
    degree = Counter(name for pair in linked for name in pair)
    around = [degree[name] - 1 for pair in linked for name in pair]
    tests, largest = len(pairs), max(around, default=0)
    for size in range(1, largest + 1):
        tests += sum(comb(n, size) for n in around)
        if tests > MOST_TESTS:
            return max(size - 1, 1)
    return None


def _npc(
    table: Data, alpha: float, asked: Mapping[str, Any], progress: Progress, left_out: dict[str, str]
) -> IndependenceResult | None:
    if len(table.names) > MOST_FOR_NPC:
        left_out["npc"] = f"the necessary path condition goes up to {MOST_FOR_NPC} variables here"
        return None
    return npc(table, alpha, progress=progress, **asked)


def _posterior(table: Data, given: Mapping[str, Any], progress: Progress, left_out: dict[str, str]) -> Posterior | None:
    if len(table.names) > MOST_FOR_POSTERIOR:
        left_out["posterior"] = f"sums over all networks go up to {MOST_FOR_POSTERIOR} variables here"
        return None
    taken = {name: value for name, value in given.items() if name != "seed"}
    try:
        return posterior(table, progress=progress, **taken)
    except ScoreError:
        left_out["posterior"] = f"the score {given['score'].name} cannot be read as a probability"
    except BnmlError as error:
        left_out["posterior"] = str(error)
    return None


def _bootstrap(table: Data, asked: StudyRequest, progress: Progress, left_out: dict[str, str]) -> Bootstrap | None:
    search, repetitions = asked.search, asked.repetitions
    given, options = asked.shared, asked.learning.options
    if repetitions == 0:
        left_out["bootstrap"] = "no halves of the rows were asked for"
        return None
    if len(table.names) > MOST_FOR_BOOTSTRAP:
        left_out["bootstrap"] = f"halves of the rows are drawn for up to {MOST_FOR_BOOTSTRAP} variables here"
        return None
    if search in ("auto", "exact"):
        costs = {name: value for name, value in given.items() if name not in ("seed", "threads")}
        cost = forecast(table, **costs)
        search = "exact" if cost.fits and cost.seconds * repetitions <= BOOTSTRAP_SECONDS else "tabu"
        options = options if search == "exact" else {}
    return bootstrap(table, search=search, repetitions=repetitions, progress=progress, **given, **options)
