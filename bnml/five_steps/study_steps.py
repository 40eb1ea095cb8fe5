"""The five steps, one after the other; what is not affordable is left out, and the study says so.

A study goes from part to part (`bnml.five_steps.parts`): `begin_study` returns the state before the first,
`go_on_with_study` makes those that are not there yet, and `study_of` makes the study of a state in which all are. So it
can be left after any of them and gone on from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bnml._checks import a_variable, progress_function, refuse, significance_level, whole_number
from bnml._executor import checked_executor
from bnml._watch import Watch
from bnml.data import Data, read
from bnml.data.targets import variables_set
from bnml.errors import ArgumentError, argument
from bnml.five_steps.decisions import (
    Decisions,
    checked_decisions,
    network_with_decided_directions,
    network_with_decided_links,
)
from bnml.five_steps.parts import PARTS, StudyPart, StudyWork, max_condition_of
from bnml.five_steps.risk import check_event, outcomes_of
from bnml.five_steps.selection import Knowledge, check_select, check_select_among
from bnml.five_steps.state import Progress, StudyOptions, StudyState
from bnml.five_steps.study_result import Study
from bnml.five_steps.table_source import USUAL, TableSource, source_of
from bnml.graph import Constraints
from bnml.graph.rules import ROWS_PER_CELL
from bnml.independence import IndependenceResult
from bnml.scores import Score
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior
from bnml.search.by_tests import network_of_npc
from bnml.search.learn import bind_or_check
from bnml.search.options import SHARED, search_options
from bnml.search.search_result import SearchResult
from bnml.search.searches import SEARCHES

if TYPE_CHECKING:
    from concurrent.futures import Executor

Saver = Callable[[StudyState], None]


def study(
    data: Any,
    target: str | None = None,
    *,
    event: Any = None,
    select: str | list[str] | tuple[str, ...] = "all",
    score: Score | str = "qnml",
    alpha: float = 0.05,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    rows_per_cell: float = ROWS_PER_CELL,
    prior: StructurePrior | str | None = DEFAULT_PRIOR,
    search: str = "auto",
    repetitions: int = 100,
    folds: int = 10,
    seed: int = 0,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: Progress | None = None,
    save: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    **options: Any,
) -> Study:
    """Take a table through the five steps of learning a structure, and report on them.

    Feature selection, constraints, learning, uncertainty of the structure, and strength of the dependences.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes; then columns of numbers are cut with ``bins="auto"``.
    target
        The variable of interest; None for none.
    event
        The value of the target that its risk is of, or several of them; None for the rarer one of two values, and for
        each value of a target with more.
    select
        Which variables take part after the first step. ``"all"``: a variable that tells nothing of the target by itself
        may do so beside others. ``"target"``: the target and those that depend on it, as of `bnml.select_features` at
        the level ``alpha``. ``"blanket"``: the target and its Markov blanket in the network that the same search learns
        from all variables. Or a list of names. The target, the class of a search, variables of required arcs and
        links, and variables that were set in some rows always take part.
    score, search, constraints, max_parents, rows_per_cell, prior, memory_limit
        As for `bnml.learn`; tests of independence heed the constraints as well. The sparse prior counts the variables
        before any are selected.
    alpha
        The significance level of tests; for pairs of variables the largest share of false ones among those found.
    repetitions
        How many halves of the rows are drawn for the support of each link; 0 for none.
    folds
        Into how many parts the rows are divided to see how well the target is predicted; 0 for not at all.
    seed
        The same seed gives the same study.
    threads
        How many threads may be used; all cores by default. The result does not depend on it.
    progress
        Called as ``progress(stage, fraction)`` now and then.
    save
        A ``.json`` file in which the study is kept after every step, for `bnml.load_study` to go on from.
    executor
        Who learns from the halves, and runs chains where the posterior is sampled: a `concurrent.futures.Executor`, as
        for `bnml.bootstrap`. The result does not depend on it.
    **options
        Options of the search that is named.

    Returns
    -------
    Study
        The parts, a summary when printed, and a report in HTML.

    Raises
    ------
    BnmlError
        If an argument is wrong; before any work. Of ``select="blanket"`` also if tests leave no network.

    Notes
    -----
    Tests of independence are given as many variables as keep the number of tests below 100,000, and at least one. NPC
    goes up to 40 variables, the posterior up to 14 exactly and up to 60 by sampling, if the chains converge, the
    bootstrap up to 100. Where 100 exact searches would take minutes, halves are searched by tabu search. Directions are
    compared with those of the best networks by qnml, bic, bdeu and fnml where exact searches by these take less than 5
    seconds in all, by the forecast.

    Examples
    --------
    >>> import bnml
    >>> found = bnml.study(bnml.example(), "lung", repetitions=10)
    >>> [link.text for link in found.links if link.in_network and link.directed]
    ['bronc → dysp', 'lung → either', 'tub → either', 'either → dysp', 'either → xray']
    >>> found.strength.loc[0, ["from", "to"]].tolist()
    ['bronc', 'dysp']
    >>> bnml.study(bnml.example(), "lung", select="blanket", repetitions=0).data.names
    ('tub', 'smoke', 'lung', 'either')
    """
    checked = study_options(
        target, search, options, event=event, select=select, score=score, alpha=alpha, repetitions=repetitions,
        folds=folds, constraints=constraints, max_parents=max_parents, rows_per_cell=rows_per_cell, prior=prior,
        seed=seed, threads=threads, memory_limit=memory_limit, progress=progress, executor=executor,
    )  # fmt: skip
    saver = None if save is None else _saver(save, checked)
    return study_of(go_on_with_study(begin_study(checked, data), checked, saver=saver))


def study_options(
    target: str | None,
    search: str,
    options: Mapping[str, Any] = MappingProxyType({}),
    *,
    event: Any = None,
    select: Any = "all",
    alpha: float,
    repetitions: int,
    folds: int = 10,
    progress: Progress | None = None,
    executor: Executor | None = None,
    **given: Any,
) -> StudyOptions:
    """Return the options of a study, checked before there are data; ``given`` are those shared by all searches."""
    level = significance_level(alpha)
    progress_function(progress)
    options = {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}
    if isinstance(search, str) and search in SEARCHES and "alpha" in SEARCHES[search].options:
        options = {"alpha": level, **options}
    if shared := sorted(SHARED.keys() & options.keys()):
        raise refuse(shared[0], options[shared[0]], "a study has no such option", "leave it out")
    learning = search_options(search, **options, **given)
    whole_number(repetitions, "repetitions")
    if whole_number(folds, "folds") == 1:
        raise refuse("folds", folds, "expected 2 folds or more, or 0 for none")
    return StudyOptions(
        learning, target, check_event(event, target), check_select(select, target), level, repetitions, folds,
        progress, checked_executor(executor),
    )  # fmt: skip


def _saver(path: str | os.PathLike[str], options: StudyOptions) -> Saver:
    """Return what keeps a state in a file; refuse at once what cannot be kept."""
    from bnml.five_steps.saving import check_saving, save_state

    file = check_saving(path, options)
    return lambda state: save_state(state, file)


def begin_study(options: StudyOptions, data: Any, source: TableSource | None = None) -> StudyState:
    """Return the state before the first step, once everything is checked against the table.

    Raises
    ------
    BnmlError
        If the table cannot be read, or does not go with what is asked.
    """
    watch = Watch()
    learning = options.learning
    arguments = {**USUAL, **learning.reading}
    table = data if isinstance(data, Data) else read(data, **arguments)
    if options.target is not None:
        a_variable(options.target, "target", table.names)
        outcomes_of(table, options.target, options.event)  # refuses an unknown value
    check_select_among(options, table.names, variables_set(table))
    checked_decisions(learning.options.get("keep", ()), learning.options.get("drop", ()), ())
    problem = bind_or_check(learning.with_prior_for(table), table)
    return StudyState(
        options.resumed(learning.threads), table, source or source_of(data, arguments), table, seconds=watch.seconds,
        problem=None if problem is None else problem.kept,
    )  # fmt: skip


def go_on_with_study(
    state: StudyState, options: StudyOptions, *, until: str | None = None, saver: Saver | None = None
) -> StudyState:
    """Make the parts of a study that are not done yet.

    Parameters
    ----------
    state
        How far it is.
    options
        Those of the state, with the progress function and the executor of this call.
    until
        The last part to make; all by default.
    saver
        Is given the state after each part.
    """
    told = Watch(options.progress)
    start = 0.0
    for part in PARTS:
        if part.name not in state.parts:
            state = study_with_part(state, options, part, _part(told, part.name.replace("_", " "), start, part.until))
            if saver is not None:
                saver(state)
        told(part.name, part.until)
        start = part.until
        if part.name == until:
            break
    return state


def _part(watch: Watch, name: str, start: float, stop: float) -> Progress:
    """Return what is told how far a part is."""
    watch(name, start)
    return lambda stage, share: watch(f"{name}: {stage}", start + (stop - start) * share)


def study_with_part(
    state: StudyState, options: StudyOptions, part: StudyPart, progress: Progress = lambda stage, share: None
) -> StudyState:
    """Return the state with one more part; those that it is made from must be there."""
    watch = Watch()
    work = StudyWork(state, options, progress)
    value = part.make(work)
    state = state.with_part(part.name, value, work.left_out, watch.seconds)
    return replace(state, decisions=_first_decisions(value)) if part.name == "knowledge" else state


def _first_decisions(known: Knowledge) -> Decisions:
    """Return what the options of the search decide by hand."""
    return checked_decisions(known.options.get("keep", ()), known.options.get("drop", ()), ())


def study_of(state: StudyState) -> Study:
    """Return the study of a state in which all parts are done."""
    parts, options = state.parts, state.options
    known: Knowledge = parts["knowledge"]
    return Study(
        data=state.data,
        target=options.target,
        event=options.event,
        alpha=options.alpha,
        features=parts["features"],
        constraints=known.constraints,
        pc=parts["pc"],
        npc=parts["npc"],
        learned=parts["learned"],
        other_scores=parts["other_scores"],
        bootstrap=parts["bootstrap"],
        posterior=parts["posterior"],
        strength=parts["strength"],
        validation=parts["validation"],
        max_condition=max_condition_of(state),
        left_out=tuple(state.left_out.items()),
        seed=options.learning.seed,
        seconds=state.seconds,
        table=state.table,
        selection=parts["selection"],
        notes=known.notes,
        decisions=state.decisions,
        state=state,
    )


def resolved_study(state: StudyState, decisions: Decisions, *, threads: int | None = None) -> StudyState:
    """Return a finished state once more is decided by hand; what rests on the network is made anew.

    Raises
    ------
    ArgumentError
        If a link is in no ambiguous region, or a direction is not open.
    """
    return go_on_with_study(decided_study(state, decisions, threads=threads), state.options.resumed(threads))


def decided_study(state: StudyState, decisions: Decisions, *, threads: int | None = None) -> StudyState:
    """Return a study one step on: more is decided by hand, parts that rest on the network go; see `resolved_study`.

    Raises
    ------
    ArgumentError
        If a link is in no ambiguous region, or a direction is not open.
    """
    work, every = StudyWork(state, state.options.resumed(threads)), state.decisions + decisions
    parts = dict(state.parts)
    learned: SearchResult = parts["learned"]
    if decisions.keep or decisions.drop:
        found: IndependenceResult | None = parts.get("npc")
        if found is None:
            reason = state.left_out.get("npc", "not done")
            raise ArgumentError(
                argument("keep") + " and " + argument("drop") + f" go with NPC, which was left out: {reason}"
            )
        parts["npc"] = found = found.resolve(keep=decisions.keep, drop=decisions.drop)
        if learned.search == "npc":
            learned = network_of_npc(work.problem, found)
        else:
            learned = network_with_decided_links(learned, decisions.keep, decisions.drop)
    parts["learned"] = network_with_decided_directions(learned, every.directed) if every.directed else learned
    state = replace(state, parts=parts, decisions=every)
    return state.without_parts(*(part.name for part in PARTS if part.of_network))
