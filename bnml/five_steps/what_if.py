"""What the network says the target would be if another variable were set from outside.

To see that a variable has a value and to give it that value are two things: in the first case its causes tell something
of the target as well, in the second they do not. P(target | do(x)) is the probability in the network in which nothing
points to the variable any more (Pearl 2009). It can be told only where the data settle the directions that matter: all
networks of a class give the same answer if every possibly directed path from the variable to the target begins with an
arc (Perković 2020). A study also asks the best networks by other scores. Where one of them leaves the question open,
or they disagree on a direction on the way, there is no answer; else the range of their answers stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Floats
from bnml._plain import plain
from bnml._text import names_in_words
from bnml.errors import GraphError, NetworkError
from bnml.graph import PDAG, apply_meek_rules
from bnml.graph.possible_paths import open_first_links, possibly_reached, possibly_reached_back
from bnml.network import BayesianNetwork, fit

if TYPE_CHECKING:
    from bnml.five_steps.risk import Outcomes
    from bnml.five_steps.study_result import Study

MOST_TOLD = 12  # variables


@dataclass(frozen=True)
class WhatIf:
    """What would be if a variable were set.

    ``variable``: the variable. ``values``: its values. ``reason``: why there is no answer; empty if there is one.
    ``acts``: whether anything leads from it to the target: if not, setting it changes nothing. ``seen``, ``done``: for
    each value the probability of each outcome if the variable is seen to have it, and if it is set to it. ``low``,
    ``high``: the range of the latter over the best networks by all scores that were compared.
    """

    variable: str
    values: tuple[Any, ...]
    reason: str
    acts: bool = False
    seen: tuple[tuple[float, ...], ...] = ()
    done: tuple[tuple[float, ...], ...] = ()
    low: tuple[tuple[float, ...], ...] = ()
    high: tuple[tuple[float, ...], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        names = ("variable", "values", "reason", "acts", "seen", "done", "low", "high")
        return {name: plain(getattr(self, name)) for name in names}


def what_ifs(study: Study, outcomes: Outcomes, direct: Sequence[str]) -> tuple[WhatIf, ...]:
    """Return what would be if each variable that is linked with the target, or leads to it, were set."""
    dag, network = study.learned.dag, study.learned.network
    if dag is None or network is None:
        return ()
    above = [x for x in dag.names if x not in direct and x in dag.ancestors(outcomes.target)]
    others = _networks_by_other_scores(study)
    return tuple(_what_if(study, outcomes, x, network, others) for x in [*direct, *above][:MOST_TOLD])


def _networks_by_other_scores(study: Study) -> list[BayesianNetwork]:
    """Return networks of the classes by other scores, in the directions that are known, those given by hand too."""
    found, known = [], set(study.directions.directed)
    for _, graph in study.other_scores:
        try:
            found.append(fit(_directed_so(graph, known).to_dag(), study.data))
        except (GraphError, NetworkError):  # directions that were opened fit no network; a table is too large
            continue
    return found


def _what_if(
    study: Study, outcomes: Outcomes, x: str, network: BayesianNetwork, others: Sequence[BayesianNetwork]
) -> WhatIf:
    values, target = study.data.states[study.data.index(x)], outcomes.target
    reason = _why_open(study, x, target)
    if reason:
        return WhatIf(x, values, reason)
    try:
        seen = outcomes.summed(_probabilities(network, x, target, set_so=False))
        answers = [outcomes.summed(_probabilities(one, x, target, set_so=True)) for one in (network, *others)]
    except NetworkError:
        return WhatIf(x, values, "the tables of the network are too large for it")
    return WhatIf(
        x,
        values,
        "",
        target in network.dag.descendants(x),
        *(_tuples(numbers) for numbers in (seen, answers[0], np.min(answers, axis=0), np.max(answers, axis=0))),
    )


def _tuples(numbers: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in numbers.tolist())


def _probabilities(network: BayesianNetwork, x: str, target: str, *, set_so: bool) -> Floats:
    """Return P(target | x), or P(target | do(x)): a row for each value of x."""
    answers = (network.query(target, **{"do" if set_so else "evidence": {x: value}}) for value in network.states[x])
    return np.stack([answer.to_numpy(np.float64) for answer in answers])


def _why_open(study: Study, x: str, target: str) -> str:
    """Say why data do not tell what would be if a variable were set; nothing where they do."""
    known = set(study.directions.directed)
    own = _directed_so(study.learned.directions, known)
    classes = [(study.learned.score_name or "", own)]
    classes += [(name, _directed_so(graph, known)) for name, graph in study.other_scores]
    for name, graph in classes:
        first = open_first_links(graph, x, target)
        if first:
            links = names_in_words([f"{x} – {y}" for y in first])
            by = "" if graph is own else f" by {name}"
            return f"the direction of {links} is open{by}"
    on_the_way = {*possibly_reached(study.directions, x), x} & {
        *possibly_reached_back(study.directions, target),
        target,
    }
    disputed = [
        f"{a} – {b}"
        for a, b in own.directed
        if (a, b) not in study.directions.directed and (x in (a, b) or {a, b} <= on_the_way)
    ]
    if not disputed:
        return ""
    who = "the scores do" if study.other_scores else "networks with the same score do"
    return f"{who} not agree on the direction of {names_in_words(disputed)}"


def _directed_so(graph: PDAG, known: set[tuple[str, str]]) -> PDAG:
    """Return a class with the directions that are known, and what follows from them."""
    free = {frozenset(link) for link in graph.undirected}
    try:
        return apply_meek_rules(graph, background=sorted(arc for arc in known if frozenset(arc) in free))
    except GraphError:  # another network has v-structures that they contradict
        return graph
