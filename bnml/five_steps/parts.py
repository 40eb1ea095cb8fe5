"""The parts of a study, each made from those before it.

What is affordable is decided by the table alone, so that the same table gives the same study everywhere. To add a part,
write its function, list it in `PARTS`, say in `bnml.five_steps.saving` how it is kept in a file, and give it a field of
`bnml.five_steps.study_result.Study`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

from bnml.data import Data
from bnml.data.data import refuse_gaps
from bnml.data.targets import rows_setting_nothing, variables_set
from bnml.errors import BnmlError, ScoreError
from bnml.five_steps.features import Features, features_of
from bnml.five_steps.other_scores import COMPARED, Classes, classes_by_score
from bnml.five_steps.risk import outcomes_of
from bnml.five_steps.selection import Knowledge, Selection, knowledge_of_selection, select_variables
from bnml.five_steps.state import Progress, StudyOptions, StudyState
from bnml.five_steps.validation import Validation, cross_validation
from bnml.graph import DAG
from bnml.independence import IndependenceResult, npc, pc
from bnml.report.phrases import how_found
from bnml.scores import LocalScores, Score
from bnml.scores.priors import StructurePrior, prior_for
from bnml.search.forecast import Forecast
from bnml.search.learn import learn_or_raise, solve
from bnml.search.options import SHARED, SearchOptions
from bnml.search.problem import Problem, bind
from bnml.search.search_result import SearchResult, uninterrupted_result
from bnml.search.searches import SEARCHES
from bnml.uncertainty import Bootstrap, Posterior, SampledPosterior, strength
from bnml.uncertainty.bootstrap import bootstrap_of
from bnml.uncertainty.posterior import check_posterior_score, posterior_of

if TYPE_CHECKING:
    import pandas as pd

MOST_TESTS = 100_000  # of independence that may have to be made
MOST_FOR_NPC = 40
MOST_FOR_POSTERIOR = 14  # exactly
MOST_FOR_SAMPLES = 60
MOST_FOR_BOOTSTRAP = 100
BOOTSTRAP_SECONDS = 60.0  # of exact searches of halves of the rows


@dataclass(frozen=True)
class StudyWork:
    """What a part is made from.

    ``state``: what is done already. ``options``: what was asked. ``progress``: is told how far the part is.
    ``left_out``: takes what is left out, with the reason.
    """

    state: StudyState
    options: StudyOptions
    progress: Progress = lambda stage, share: None
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def table(self) -> Data:
        """The table with the variables that take part."""
        return self.state.data

    @property
    def tested_table(self) -> Data:
        """The rows that tests of independence go by: those in which nothing was set."""
        return rows_setting_nothing(self.table)

    @property
    def learning(self) -> SearchOptions:
        """How a structure of the variables that take part is learned."""
        known: Knowledge = self.state.parts["knowledge"]
        learning = self.options.learning
        prior = learning.prior_for(self.state.table)
        prior = None if prior is None else prior.among(self.table.names)
        return self.bounded(replace(learning, prior=prior, constraints=known.constraints, options=known.options))

    @cached_property
    def problem(self) -> Problem:
        """The problem of learning from the variables that take part, whose table is bound once."""
        learned, learning = self.state.parts.get("learned"), self.learning
        bound = self.state.problem if self.table.names == self.state.table.names else None
        if learned is not None and learned.problem is not None and not self.table.has_gaps:
            bound = learned.problem
        return bind(learning, self.table) if bound is None else bound.asked(learning)

    @property
    def problem_by_score(self) -> Problem:
        """The problem for the posterior and other scores: that of the network, unless it was not found by a score."""
        learning = replace(self.problem.options, search=None, options={}, prior=self.structure_prior)
        return self.problem.asked(learning) if self.learning.by_score else bind(learning, self.table)

    @property
    def structure_prior(self) -> StructurePrior | None:
        """The structure prior, which is that of all variables of the table."""
        return self.structure_prior_with(self.options.learning.score)

    def structure_prior_with(self, score: Score) -> StructurePrior | None:
        """Return the structure prior that goes with a score, for the variables that take part."""
        prior = prior_for(self.options.learning.prior, score, self.state.table)
        return None if prior is None else prior.among(self.table.names)

    def bounded(self, learning: SearchOptions) -> SearchOptions:
        """Return options that report the part's progress, with a bound on tests if the search makes some."""
        options = learning.options
        if learning.search is not None and learning.search.name in ("pc", "npc"):
            most = max_condition_of(self.state)
            options = options if most is None else {"max_condition": most, **options}
        return replace(learning, options=options, progress=self.progress)

    @property
    def learning_anew(self) -> SearchOptions:
        """How a structure is learned from some of the rows: without what was decided by hand of this one."""
        learning = self.learning
        options = {name: value for name, value in learning.options.items() if name not in ("keep", "drop")}
        return replace(learning, options=options, progress=None)

    @property
    def cost(self) -> Forecast:
        """What an exact search of the table takes."""
        learned: SearchResult = self.state.parts["learned"]
        assert learned.problem is not None
        return learned.problem.cost

    @property
    def shared(self) -> dict[str, Any]:
        """What learning, the posterior and the bootstrap are given alike."""
        learning = self.learning
        return {name: getattr(learning, name) for name in SHARED if name not in ("time_limit", "progress")}

    @property
    def tested(self) -> dict[str, Any]:
        """What PC and NPC are given alike."""
        return {
            "alpha": self.options.alpha,
            "constraints": self.learning.constraints,
            "max_condition": max_condition_of(self.state),
            "threads": self.learning.threads,
        }


@dataclass(frozen=True)
class StudyPart:
    """A part of a study.

    Attributes
    ----------
    name
        What it is called in the state.
    step
        Which of the five steps it belongs to.
    until
        The share of the work that is done with it.
    make
        Makes it from those before.
    of_network
        Whether it rests on the directions of the network, so that decisions by hand make it anew.
    """

    name: str
    step: int
    until: float
    make: Callable[[StudyWork], Any]
    of_network: bool = False


def _features(work: StudyWork) -> Features:
    options = work.options
    return features_of(work.state.table, options.target, options.alpha, options.learning.threads)


def _selection(work: StudyWork) -> Selection:
    def learn() -> SearchResult:
        learning, problem = work.bounded(work.options.learning), work.state.problem
        if problem is None:
            return learn_or_raise(learning, work.state.table)
        return uninterrupted_result(solve(problem.asked(replace(learning, prior=problem.options.prior))))

    table, features = work.state.table, work.state.parts["features"]
    return select_variables(work.options, table.names, features, learn, variables_set(table))


def _knowledge(work: StudyWork) -> Knowledge:
    return knowledge_of_selection(work.options, work.table.names, work.state.table.names)


def _learned(work: StudyWork) -> SearchResult:
    if work.table.has_gaps:
        return learn_or_raise(work.learning, work.table)
    return uninterrupted_result(solve(work.problem))


def _other_scores(work: StudyWork) -> Classes:
    learned: SearchResult = work.state.parts["learned"]
    if not isinstance(learned.local, LocalScores) or how_found(learned) is not None:
        return ()
    if work.table.has_gaps:
        work.left_out["other scores"] = "where values are missing a structure is learned by one score alone"
        return ()
    prior = work.structure_prior_with(COMPARED["qnml"])  # none of them pays for parents
    return classes_by_score(learned, work.problem, prior, work.progress, work.left_out)


def _pc(work: StudyWork) -> IndependenceResult:
    return pc(work.tested_table, progress=work.progress, **work.tested)


def _npc(work: StudyWork) -> IndependenceResult | None:
    learned: SearchResult = work.state.parts["learned"]
    if learned.search == "npc" and learned.tested is not None:  # its own tests, with the choices made by hand
        decided = work.state.decisions
        return learned.tested.reopened().resolve(keep=decided.keep, drop=decided.drop)
    if len(work.table.names) > MOST_FOR_NPC:
        work.left_out["npc"] = f"the necessary path condition goes up to {MOST_FOR_NPC} variables here"
        return None
    return npc(work.tested_table, progress=work.progress, **work.tested)


def _posterior(work: StudyWork) -> Posterior | SampledPosterior | None:
    if len(work.table.names) > MOST_FOR_SAMPLES:
        work.left_out["posterior"] = f"networks are sampled for up to {MOST_FOR_SAMPLES} variables here"
        return None
    method = "auto" if len(work.table.names) <= MOST_FOR_POSTERIOR else "sample"
    try:
        check_posterior_score(work.learning.score)
        refuse_gaps(work.table, "the posterior")
        found = posterior_of(work.problem_by_score, method=method, executor=work.options.executor)
        if isinstance(found, Posterior) or found.converged:
            return found
        work.left_out["posterior"] = f"networks were sampled, and the chains have {found.verdict}"
    except ScoreError:
        work.left_out["posterior"] = f"the score {work.learning.score.name} cannot be read as a probability"
    except BnmlError as error:
        work.left_out["posterior"] = str(error)
    return None


def _bootstrap(work: StudyWork) -> Bootstrap | None:
    learning, repetitions = work.learning_anew, work.options.repetitions
    if repetitions == 0:
        work.left_out["bootstrap"] = "no halves of the rows were asked for"
        return None
    if len(work.table.names) > MOST_FOR_BOOTSTRAP:
        work.left_out["bootstrap"] = f"halves of the rows are drawn for up to {MOST_FOR_BOOTSTRAP} variables here"
        return None
    if learning.search_name in ("auto", "exact"):
        quick = not work.table.has_gaps and work.cost.fits and work.cost.seconds * repetitions <= BOOTSTRAP_SECONDS
        exact = replace(learning, search=SEARCHES["exact"])
        learning = exact if quick else replace(learning, search=SEARCHES["tabu"], options={})
    return bootstrap_of(
        replace(learning, progress=work.progress), work.table, repetitions, executor=work.options.executor
    )


def _strength(work: StudyWork) -> pd.DataFrame:
    """Return what each arc is worth; nothing where no network fits what tests found."""
    learned: SearchResult = work.state.parts["learned"]
    if learned.dag is None or not isinstance(learned.local, LocalScores):
        work.left_out["strength"] = f"no network fits what the tests of {learned.search.upper()} found"
        return strength(DAG(work.table.names), work.table)
    return strength(learned.dag, work.table, learned.local.score_function, prior=learned.structure_prior)


def _validation(work: StudyWork) -> Validation | None:
    options = work.options
    if options.target is None:
        return None
    if work.table.targets is not None:
        work.left_out["validation"] = "rows in which variables were set are no sample to predict from or for"
        return None
    if work.table.has_gaps:
        work.left_out["validation"] = "rows with gaps are not dealt out to folds; with gaps as states they are"
        return None
    return cross_validation(
        work.table,
        outcomes_of(work.table, options.target, options.event),
        folds=options.folds,
        learning=work.learning_anew,
        cost=lambda: work.cost,
        progress=work.progress,
        left_out=work.left_out,
    )


def posterior_arguments(work: StudyWork) -> dict[str, Any]:
    """Return what the posterior, a part of a study, is given: exact up to 14 variables, then sampled for a while."""
    few = len(work.table.names) <= MOST_FOR_POSTERIOR
    shared = {name: value for name, value in work.shared.items() if name != "prior"}
    return {**shared, "structure_prior": work.structure_prior, "method": "auto" if few else "sample"}


def max_condition_of(state: StudyState) -> int | None:
    """Return how many variables the tests in parts of a study may be given at most; None for any number."""
    pairs, names = state.parts["features"].pairs, state.data.names
    if names != state.table.names:
        pairs = pairs[pairs["a"].isin(names) & pairs["b"].isin(names)]
    return _max_condition(pairs, state.options.alpha)


def _max_condition(pairs: pd.DataFrame, alpha: float) -> int | None:
    """Return how many variables tests may be given at most, for the number of tests to stay within its bound.

    Pairs that are independent by themselves are linked no more, and each of the others is tested given sets of the
    neighbours of either end. A pair that gaps leave untested, whose p-value is not a number, stays linked.
    """
    linked = [(a, b) for a, b, p in zip(pairs["a"], pairs["b"], pairs["p_value"], strict=True) if not p > alpha]
    degree = Counter(name for pair in linked for name in pair)
    around = [degree[name] - 1 for pair in linked for name in pair]
    tests, largest = len(pairs), max(around, default=0)
    for size in range(1, largest + 1):
        tests += sum(comb(n, size) for n in around)
        if tests > MOST_TESTS:
            return max(size - 1, 1)
    return None


PARTS = (
    StudyPart("features", 1, 0.05, _features),
    StudyPart("selection", 1, 0.1, _selection),
    StudyPart("knowledge", 2, 0.1, _knowledge),
    StudyPart("learned", 3, 0.25, _learned),
    StudyPart("other_scores", 3, 0.3, _other_scores),
    StudyPart("pc", 3, 0.4, _pc),
    StudyPart("npc", 3, 0.5, _npc),
    StudyPart("posterior", 4, 0.6, _posterior),
    StudyPart("bootstrap", 4, 0.9, _bootstrap),
    StudyPart("validation", 4, 0.99, _validation),
    StudyPart("strength", 5, 1.0, _strength, of_network=True),
)
