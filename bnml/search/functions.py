"""Each search as a function for users: `bnml.learn` with that search, and with its own options spelled out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from bnml.graph import DAG, Constraints
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import Score
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior
from bnml.search.learn import learn
from bnml.search.search_result import SearchResult
from bnml.search.tabu import PATIENCE, TENURE

Progress = Callable[[str, float], None]

if TYPE_CHECKING:
    from concurrent.futures import Executor


def exact(
    data: Any, score: Score | str = "qnml", *, method: str = "auto", constraints: Constraints | None = None,
    max_parents: int | None = None, rows_per_cell: float = ROWS_PER_CELL,
    prior: StructurePrior | str | None = DEFAULT_PRIOR, seed: int = 0, threads: int | None = None,
    memory_limit: int | str | None = None, time_limit: float | None = None, progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Return the structure with the highest score of all.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, rows_per_cell, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.
    method
        ``"lattice"`` goes over all subsets of the variables, some thirty at most. ``"cuts"`` lists the families that
        can be in an optimal structure and finds the best structure of these by branch and cut, for any number of
        variables. ``"auto"`` takes the way that a forecast says is shorter, and gives a list up that takes too long.

    Returns
    -------
    SearchResult
        The optimum. If several structures share the highest score: for score-equivalent scores, where nothing
        constrains the structure, the canonical DAG of its class; otherwise the one with the smallest model string
        (beyond 18 variables, by cuts with a proof that took branches, one of them, the same in every run).
        ``info["families"]`` counts the families that were visited; there are no ``moves``.
        When the time is over, or on Ctrl-C (``info["interrupted"]``), branch and cut returns the best structure so far
        with the ``bound`` it has by then; the dynamic programming over all subsets has no result before its end, and is
        given up with an error.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.exact(bnml.example(), "bic")
    >>> result.optimal, round(result.score, 1)
    (True, -11291.9)
    """
    return learn(**locals(), search="exact")


def hill_climb(
    data: Any, score: Score | str = "qnml", *, start: DAG | None = None, reinsert: bool | None = None,
    restarts: int = 0, perturbation: int | None = None, executor: Executor | None = None,
    constraints: Constraints | None = None, max_parents: int | None = None, rows_per_cell: float = ROWS_PER_CELL,
    prior: StructurePrior | str | None = DEFAULT_PRIOR, seed: int = 0, threads: int | None = None,
    memory_limit: int | str | None = None, time_limit: float | None = None, progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Climb from a structure to one that no change of a single arc improves.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, rows_per_cell, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.
    start
        The structure to start from; by default no arcs but those that are required.
    reinsert
        Whether to move variables to other places in the order where no change of one arc helps; by default with more
        than 20,000 distinct rows, where a wrong direction costs most and the time is spent on counting anyway.
    restarts
        How often to climb again from the best structure so far, with some arcs changed at random.
    perturbation
        How many arcs are changed; by default a quarter of the number of variables, and three at least.
    executor
        Where restarts are done, several at a time: a `concurrent.futures.Executor`, such as a pool of processes, or
        that of Dask or MPI; None for this process. What is found does not depend on it, only how many ``families`` were
        scored: each process scores for itself. ``threads`` is then how many each restart is given; one by default.

    Returns
    -------
    SearchResult
        With ``info["local_optimum"]``: whether it was verified that no change of one arc is an improvement. When the
        time is over, the best structure so far, or the best forest (``info["fallback"]`` is then ``"forest"``) if that
        has a higher score and no ``start`` is given.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.hill_climb(bnml.example(), "bic")
    >>> result.info["local_optimum"], result.info["moves"] > 5
    (True, True)
    """
    return learn(**locals(), search="climb")


def tabu(
    data: Any, score: Score | str = "qnml", *, start: DAG | None = None, tenure: int = TENURE, patience: int = PATIENCE,
    reinsert: bool = True, restarts: int = 0, perturbation: int | None = None, executor: Executor | None = None,
    constraints: Constraints | None = None, max_parents: int | None = None, rows_per_cell: float = ROWS_PER_CELL,
    prior: StructurePrior | str | None = DEFAULT_PRIOR, seed: int = 0, threads: int | None = None,
    memory_limit: int | str | None = None, time_limit: float | None = None, progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Climb, and go on from each top as long as that leads to a higher one.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, rows_per_cell, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.
    start, reinsert, restarts, perturbation, executor
        As for `hill_climb`.
    tenure
        For how many moves an arc that has changed stays as it is.
    patience
        After how many moves without a higher score to give up.

    Returns
    -------
    SearchResult
        As of `hill_climb`.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Examples
    --------
    >>> import bnml
    >>> climbed = bnml.search.hill_climb(bnml.example(), "bic")
    >>> result = bnml.search.tabu(bnml.example(), "bic")
    >>> result.score >= climbed.score
    True
    """
    return learn(**locals(), search="tabu")


def order(
    data: Any, score: Score | str = "qnml", *, start: DAG | None = None, restarts: int | None = None,
    executor: Executor | None = None, constraints: Constraints | None = None, max_parents: int | None = None,
    rows_per_cell: float = ROWS_PER_CELL, prior: StructurePrior | str | None = DEFAULT_PRIOR, seed: int = 0,
    threads: int | None = None, memory_limit: int | str | None = None, time_limit: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Search for the order of the variables that gives the best structure.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, rows_per_cell, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.
    start
        The structure whose order to start from; by default that which hill climbing finds.
    restarts
        How often to start again from a shaken order or structure; by default the more often, the fewer variables there
        are.
    executor
        As for `hill_climb`. Where all families that matter are listed, or there are few variables, restarts are over
        before they could be sent anywhere, and are done in this process.

    Returns
    -------
    SearchResult
        As of `hill_climb`.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.order(bnml.example(), "bic")
    >>> round(bnml.search.exact(bnml.example(), "bic").score - result.score, 6)
    0.0
    """
    return learn(**locals(), search="order")


def ges(
    data: Any, score: Score | str = "qnml", *, start: DAG | None = None, turning: bool = True,
    constraints: Constraints | None = None, max_parents: int | None = None, rows_per_cell: float = ROWS_PER_CELL,
    prior: StructurePrior | str | None = DEFAULT_PRIOR, seed: int = 0, threads: int | None = None,
    memory_limit: int | str | None = None, time_limit: float | None = None, progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Go from class to class of equivalent networks, until nothing that is one arc away is better.

    The score must be one that equivalent networks share, such as BIC, BDeu or qNML, and so must a prior: one in which
    an arc and its reverse are equally probable. Of the constraints only forbidden links are taken: all other kinds rule
    out some members of a class and not others, and are refused.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, rows_per_cell, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.
    start
        A network of the class to start from; by default one without arcs.
    turning
        Whether to turn arcs round as well. Without it this is the search that Chickering described.

    Returns
    -------
    SearchResult
        The canonical network of the class that was found. Its ``info`` has the numbers of ``inserts``, ``deletes`` and
        ``turns``, and of ``families`` that were scored, and ``local_optimum``: whether it was verified that no further
        step of these kinds is an improvement. When the time is over, the best class so far.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.ges(bnml.example(), "bic")
    >>> print(result.dag)
    [asia][tub][bronc][smoke|bronc][lung|smoke][either|tub:lung][xray|either][dysp|bronc:either]
    >>> result.info["inserts"], result.info["deletes"], result.info["turns"], result.info["local_optimum"]
    (7, 0, 0, True)
    """
    return learn(**locals(), search="ges")


def k2(
    data: Any, score: Score | str = "k2", *, order: Iterable[str] | None = None, orders: int = 10,
    constraints: Constraints | None = None, max_parents: int | None = None, rows_per_cell: float = ROWS_PER_CELL,
    prior: StructurePrior | str | None = DEFAULT_PRIOR, seed: int = 0, threads: int | None = None,
    memory_limit: int | str | None = None, time_limit: float | None = None, progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Give each variable, of those before it in an order, the parents that raise its score most, one at a time.

    The algorithm got its name from the score ``"k2"``, but any score will do.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, rows_per_cell, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.
    order
        All variables, each after those that may be its parents; if not given, random orders are tried.
    orders
        How many random orders to try, of those that agree with the constraints.

    Returns
    -------
    SearchResult
        Of several orders the one with the highest score; ``info["order"]`` says which, and ``info["trace"]`` has each
        parent that was tried with it as a `Trial`, in turn: from the last variable to the first, and for each of them
        from the nearest predecessor to the first. ``info["moves"]`` is the number of parents that were added, and
        ``info["families"]`` that of families scored, with all orders; ``info["local_optimum"]`` is whether it was
        verified that no change of one arc is an improvement, whatever the order. When the time is over, the best
        structure so far.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Notes
    -----
    For each variable: of all predecessors that are no parents yet, the one that raises the family's score most becomes
    a parent; again, until none raises it, or ``max_parents`` are reached. Required parents are there from the start. Of
    equal ones the first by name is taken.

    Cooper, G. F. & Herskovits, E. (1992), A Bayesian method for the induction of probabilistic networks from data.

    Examples
    --------
    >>> import bnml
    >>> order = ["asia", "smoke", "tub", "lung", "bronc", "either", "xray", "dysp"]
    >>> result = bnml.search.k2(bnml.example(), order=order)
    >>> print(result.dag)
    [asia][tub][smoke][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|bronc:either]
    >>> for trial in result.info["trace"][-4:]:
    ...     print(trial.child, trial.parents, trial.candidate, round(trial.gain, 1), trial.taken)
    lung ('smoke',) asia -6.4 False
    tub () smoke -6.8 False
    tub () asia -0.5 False
    smoke () asia -2.1 False
    """
    return learn(**locals(), search="k2")


def chow_liu(
    data: Any, score: Score | str = "qnml", *, root: str | None = None, constraints: Constraints | None = None,
    max_parents: int | None = None, prior: StructurePrior | str | None = None, seed: int = 0,
    threads: int | None = None, memory_limit: int | str | None = None, time_limit: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Return the tree with the largest sum of mutual information over its links.

    The score, with a prior, is that of the report; it does not decide which tree it is. All constraints are kept: the
    tree is then the best of those that they allow, and falls apart into several where they forbid to join them.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.
    root
        The variable that all arcs lead away from; by default the first by name.

    Returns
    -------
    SearchResult
        A tree that joins all variables, also where the data give no reason to. ``info["mutual_information"]`` is the
        sum over its links, in nats, ``info["pairs"]`` of how many pairs it was found, and ``info["roots"]`` are the
        variables without a parent. There is no result before the end: when the time is over, the search is given up
        with an error.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Notes
    -----
    The maximised log-likelihood of a tree is N (Σ I(X; parent of X) - Σ H(X)), and the second sum is the same for all
    trees. So the maximum spanning tree of the mutual information has the highest likelihood of all trees, and its
    distribution the smallest Kullback-Leibler divergence from that of the data. Which variable is the root makes no
    difference. Of equal links the first by name is taken.

    Chow, C. K. & Liu, C. N. (1968), Approximating discrete probability distributions with dependence trees.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.chow_liu(bnml.example(), root="smoke")
    >>> print(result.dag)
    [smoke][bronc|smoke][dysp|bronc][either|dysp][tub|either][asia|tub][lung|either][xray|either]
    """
    return learn(**locals(), search="chow-liu")


def forest(
    data: Any, score: Score | str = "qnml", *, constraints: Constraints | None = None, max_parents: int | None = None,
    rows_per_cell: float = ROWS_PER_CELL, prior: StructurePrior | str | None = DEFAULT_PRIOR, seed: int = 0,
    threads: int | None = None, memory_limit: int | str | None = None, time_limit: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Return the structure with the highest score of all in which each variable has one parent at most.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, rows_per_cell, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.

    Returns
    -------
    SearchResult
        ``info["optimal_among"]`` says among what it has the highest score: ``"forests"``, or ``"branchings"`` where a
        score, or a prior, tells the directions apart. ``optimal`` is about all structures, and false.
        There is no result before the end: when the time is over, the search is given up with an error.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Notes
    -----
    The score of a forest is that of the structure without arcs, plus the gains of its arcs. Under a score-equivalent
    score the direction makes no difference, and the best forest is the maximum spanning forest of the positive gains;
    of its orientations that with the smallest names first is returned. Under other scores it is a maximum branching
    (Edmonds 1967).

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.forest(bnml.example(), "bic")
    >>> print(result.dag)
    [asia][bronc][smoke|bronc][dysp|bronc][either|dysp][tub|either][lung|either][xray|either]
    >>> result.info["optimal_among"]
    'forests'
    """
    return learn(**locals(), search="forest")


def nml_forest(
    data: Any, score: Score | str = "nml", *, constraints: Constraints | None = None, max_parents: int | None = None,
    seed: int = 0, threads: int | None = None, memory_limit: int | str | None = None, time_limit: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Return the forest with the highest exact NML, or one that no change of a single link can raise.

    The search goes by the exact NML, whatever the score is; the score is that of the report.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.

    Returns
    -------
    SearchResult
        ``info["nml"]`` and ``info["qnml"]`` are its scores, ``info["start_nml"]`` that of the best forest under qNML,
        where the search started. ``info["skipped"]`` is the number of forests, among those next to the one found, whose
        NML would take too much to compute. ``info["best_forest"]`` tells whether it is proven that no forest that the
        constraints allow has a higher NML; if that is the score, ``info["optimal_among"]`` says so, too.
        ``info["bounded"]`` is the number of forests that the proof looked at; if there are too many it is given up.
        ``info["moves"]`` are the arcs placed at the start and the steps from there.
        ``info["local_optimum"]`` speaks of all changes of one arc, also of those that make it no forest any more; of
        these the exact NML is not known, so under that score it can be true only with ``max_parents=1``. When the time
        is over, no further step is taken.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Notes
    -----
    Equivalent forests have the same NML. So links are searched for; they lead away from the first variable by name, or
    as the constraints demand. Of steps that gain the same the first by name is taken.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.nml_forest(bnml.example())
    >>> print(result.dag)
    [asia][tub|asia][either|tub][lung|either][xray|either][dysp|either][bronc|dysp][smoke|bronc]
    >>> round(result.info["nml"], 2), round(result.info["qnml"], 2)
    (-11508.88, -11507.33)
    """
    return learn(**locals(), search="nml-forest")


def tan(
    data: Any, score: Score | str = "qnml", *, class_variable: str, weight: str = "cmi", root: str | None = None,
    constraints: Constraints | None = None, max_parents: int | None = None, prior: StructurePrior | str | None = None,
    seed: int = 0, threads: int | None = None, memory_limit: int | str | None = None, time_limit: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Return the best tree over the attributes, with the class as one more parent of each.

    Constraints are kept, but must allow the arcs from the class to the attributes; with ``max_parents=1`` this is naive
    Bayes.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.
    class_variable
        The class; all other variables are attributes.
    weight
        What makes a tree good: the sum of the conditional mutual information given the class over its links
        (``"cmi"``), or the score (``"score"``).
    root
        The attribute without another one as its parent; by default the first by name, or the best one where the score
        tells directions apart.

    Returns
    -------
    SearchResult
        Where ``weight="score"``, no other tree-augmented naive Bayes that the constraints and ``root`` allow has a
        higher score, and ``info["optimal_among"]`` says so; not with ``max_parents=1``, where there is no tree. There
        is no result before the end: when the time is over, the search is given up with an error.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Notes
    -----
    Of all structures of this form, the one with the largest Σ I(X; parent of X | class) has the highest likelihood
    (Friedman, Geiger & Goldszmidt 1997, Bayesian network classifiers).

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.tan(bnml.example(), class_variable="lung")
    >>> result.dag.parents("smoke"), result.dag.parents("lung")
    (('lung', 'bronc'), ())
    """
    return learn(**locals(), search="tan")


def naive_bayes(
    data: Any, score: Score | str = "qnml", *, class_variable: str, constraints: Constraints | None = None,
    max_parents: int | None = None, prior: StructurePrior | str | None = None, seed: int = 0,
    threads: int | None = None, memory_limit: int | str | None = None, progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Return the structure with an arc from the class to each attribute; there is nothing to search for.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, prior, seed, threads, memory_limit, progress
        As for `bnml.learn`.
    class_variable
        The class; all other variables are attributes.

    Returns
    -------
    SearchResult
        The structure, to compare others with, or to predict the class with: ``result.network.predict(data, "class")``.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.naive_bayes(bnml.example(), class_variable="lung")
    >>> result.dag.children("lung")
    ('asia', 'tub', 'smoke', 'bronc', 'either', 'xray', 'dysp')
    """
    return learn(**locals(), search="naive")


def polytree(
    data: Any, score: Score | str = "qnml", *, alpha: float = 0.05, constraints: Constraints | None = None,
    prior: StructurePrior | str | None = None, seed: int = 0, threads: int | None = None,
    memory_limit: int | str | None = None, time_limit: float | None = None, progress: Progress | None = None,
) -> SearchResult:  # fmt: skip
    """Return a polytree: the significant links of Chow and Liu's tree, directed by tests of independence.

    The score, with a prior, is that of the report; tests decide. All constraints are kept; what they direct is directed
    before the tests are asked.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, prior, seed, threads, memory_limit, time_limit, progress
        As for `bnml.learn`.
    alpha
        The significance level: two variables count as independent if the p-value of the G² test is larger. Pairs with
        too few rows per cell are tested by random tables (`bnml.independence.sparse`).

    Returns
    -------
    SearchResult
        ``info["undirected"]`` are the links that nothing directed; in the structure they lead away from the first by
        name, so that no variable gets two parents by them. There is no result before the end: when the time is over,
        the search is given up with an error.

    Raises
    ------
    BnmlError
        If a value is wrong, or the constraints cannot be met; before any work.

    Notes
    -----
    G² = 2 N I(X; Y), compared with the χ² distribution with (r - 1)(s - 1) degrees of freedom, r and s being the
    numbers of states that occur. Tests can contradict each other: then the pair that is most independent, by its
    p-value, is believed first, and a variable becomes a further parent only if it is independent of all parents so far.

    Rebane, G. & Pearl, J. (1987), The recovery of causal poly-trees from statistical data.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.polytree(bnml.example(), alpha=0.001)
    >>> print(result.dag)
    [asia][tub][lung][bronc][smoke|bronc][either|tub:lung][xray|either][dysp|bronc:either]
    >>> result.info["undirected"]
    (('bronc', 'smoke'),)
    """
    return learn(**locals(), search="polytree")
