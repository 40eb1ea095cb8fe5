"""The PC algorithm: a structure from tests of independence alone (Spirtes and Glymour 1991).

Three steps. The skeleton: which pairs no set separates (`bnml.independence.skeleton`). The colliders: where the
separating sets force arrows to meet, and Meek's rules: what follows from these (`bnml.independence.orientation`). If
all tests answer rightly, and the distribution has no independences but those of some DAG, the answer is the class of
that DAG.

A link between X and Y goes as soon as one test finds them independent. Where X has two neighbours that tell nearly the
same, either makes the other look superfluous, and PC drops both; `bnml.npc` does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bnml._checks import progress_function
from bnml._watch import Watch
from bnml.graph import PDAG, Constraints
from bnml.independence.independence_result import IndependenceResult
from bnml.independence.oracles import Oracle
from bnml.independence.orientation import find_triples, orient_links
from bnml.independence.request import Asked, independence_request
from bnml.independence.skeleton import Found, Log, Pair, find_skeleton
from bnml.independence.statements import Statement
from bnml.independence.tests import Criterion


def pc(
    data: Any,
    alpha: float = 0.05,
    test: str | Criterion = "g2",
    *,
    stable: bool = True,
    oracle: Oracle | Sequence[Statement] | None = None,
    variables: Sequence[str] | None = None,
    max_condition: int | None = None,
    colliders: str = "sepset",
    constraints: Constraints | None = None,
    threads: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> IndependenceResult:
    """Find a structure by tests of independence, with the PC algorithm.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes; None if there is a DAG as ``oracle``, or an oracle and
        ``variables``.
    alpha
        The significance level: a test finds independence where its p-value is larger.
    test
        ``"g2"``, ``"x2"``, ``"g2-permutation"``, ``"x2-permutation"``, ``"gain:0.01"`` (bits), a score such as
        ``"qnml"``, or an object; see `bnml.independence.tests`.
    stable
        The answer does not depend on the order of the columns. False is the textbook's algorithm, where it does.
    oracle
        What answers in place of tests: a DAG, by d-separation; a function ``(x, y, given) -> bool`` of two names and
        a frozenset of names that tells whether x and y are independent; or a list of statements ``(x, y, given)``,
        which are all that is independent.
    variables
        Their names, for an oracle without a table.
    max_condition
        The most variables that a test is given; None for as many as it takes.
    colliders
        How colliders are told: ``"sepset"``, ``"conservative"`` or ``"majority"``; see `bnml.independence.orientation`.
    constraints
        What is known of the structure. Required links are never tested, forbidden ones never there, and what has one
        allowed direction has it. A pair is tested given such neighbours only as may be parents.
    threads
        How many threads may be used; all cores by default. The result does not depend on it.
    progress
        Called as ``progress(stage, fraction)`` now and then.

    Returns
    -------
    IndependenceResult
        The graph, the separating sets, every test, and where tests contradict each other.

    Examples
    --------
    >>> import bnml
    >>> dag = bnml.DAG.parse("[A][B][C|A:B][D|C]")
    >>> print(bnml.pc(None, oracle=dag).pdag)
    A -> C, B -> C, C -> D
    >>> print(bnml.pc(None, oracle=[("A", "B", ()), ("A", "D", "C"), ("B", "D", "C")], variables="ABCD").pdag)
    A -> C, B -> C, C -> D
    >>> result = bnml.pc(bnml.example(), alpha=0.01)
    >>> result.n_tests, result.conflicts
    (107, ())
    """
    return find_pc(
        independence_request(
            data, alpha, test, stable=stable, oracle=oracle, variables=variables, max_condition=max_condition,
            colliders=colliders, constraints=constraints, threads=threads, watch=Watch(progress_function(progress)),
        )
    )  # fmt: skip


def find_pc(asked: Asked) -> IndependenceResult:
    """Find what is asked, once it is checked."""
    log = Log()
    links, sepsets = find_skeleton(
        asked.judge, log, asked.known, stable=asked.stable, max_condition=asked.max_condition, tell=asked.level
    )
    return pc_result(asked, log, links, sepsets, "pc", asked.seconds)


def pc_result(
    asked: Asked,
    log: Log,
    links: list[int],
    sepsets: Mapping[Pair, Found],
    search: str,
    seconds: float,
    unsure: frozenset[Pair] = frozenset(),
    **more: Any,
) -> IndependenceResult:
    """Direct the links of a skeleton as PC does, and return the result; ``unsure`` links stay undirected.

    ``seconds`` is how long it took to find the skeleton.
    """
    watch = Watch()
    names, known = asked.judge.names, asked.known
    triples = find_triples(asked.judge, log, links, sepsets, known, asked.colliders, asked.max_condition, unsure)
    parents, neighbours, conflicts = orient_links(names, links, known, triples, unsure)
    asked.tell("directions", 1.0)
    return IndependenceResult(
        pdag=PDAG.from_masks(names, parents, neighbours).reordered(asked.names),
        sepsets={
            frozenset((names[i], names[j])): frozenset(names[v] for v in found.given)
            for (i, j), found in sorted(sepsets.items())
        },
        conflicts=conflicts,
        ambiguous_triples=tuple((names[i], names[k], names[j]) for i, k, j in sorted(triples.ambiguous)),
        search=search,
        test=asked.test,
        alpha=asked.alpha,
        seconds=seconds + watch.seconds,
        _names=names,
        _log=log,
        **{"ambiguous_regions": (), "undecided": frozenset(), **more},
    )
