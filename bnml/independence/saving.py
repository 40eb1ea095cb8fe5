"""Results of PC and NPC as values for a file, and back: with every test, and open for choices as before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bnml.counts import Questions
from bnml.graph import PDAG
from bnml.independence.independence_result import IndependenceResult
from bnml.independence.npc import Resolver
from bnml.independence.oracles import Answers
from bnml.independence.orientation import Conflict
from bnml.independence.path_condition import Standing
from bnml.independence.request import Asked
from bnml.independence.skeleton import Found, Log

SAME = (
    "sepsets", "ambiguous_regions", "undecided", "ambiguous_triples", "search", "test", "alpha", "seconds", "_names",
)  # fmt: skip


def independence_values(result: IndependenceResult) -> dict[str, Any]:
    """Return all of a result but the table, as `bnml._stored.to_stored` takes it."""
    values = {name: getattr(result, name) for name in SAME}
    values["pdag"] = (result.pdag.names, result.pdag.directed, result.pdag.undirected)
    values["conflicts"] = [tuple(one) for one in result.conflicts]
    values["tests"] = [
        (*batch, own.results, own.independent, own.made, own.untested) for batch, own in result._log.batches
    ]
    values["untested"] = frozenset(result._log.untested)
    values["choices"] = None if result._resolve is None else _choices(result._resolve)
    return values


def _choices(resolver: Resolver) -> dict[str, Any]:
    standing = resolver.standing
    return {
        "statements": {
            pair: [(one.given, one.log_p) for one in found] for pair, found in sorted(resolver.statements.items())
        },
        "standing": (standing.possible, standing.sure, standing.unsure, standing.dropped),
    }


def saved_independence_result(values: Mapping[str, Any], asked: Asked) -> IndependenceResult:
    """Return the result that was saved as these values; ``asked`` is what was asked, which the table is a part of."""
    log = Log([(Questions(*own[:4]), Answers(*own[4:])) for own in values["tests"]], set(values["untested"]))
    resolver, choices = None, values["choices"]
    if choices is not None:
        statements = {pair: [Found(*one) for one in found] for pair, found in choices["statements"].items()}
        resolver = Resolver(replace(asked, watch=None), log, statements, Standing(*choices["standing"]))
    return IndependenceResult(
        pdag=PDAG(*values["pdag"]),
        conflicts=tuple(Conflict(*one) for one in values["conflicts"]),
        _log=log,
        _resolve=resolver,
        **{name: values[name] for name in SAME},
    )
