"""Results of PC and NPC as values for a file, and back: with every test, and open for choices as before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bnml._stored import by_fields
from bnml.counts import Questions
from bnml.graph import PDAG
from bnml.independence.independence_result import IndependenceResult
from bnml.independence.npc import Resolver
from bnml.independence.oracles import Answers
from bnml.independence.orientation import Conflict
from bnml.independence.path_condition import Standing
from bnml.independence.request import Asked
from bnml.independence.skeleton import Found, Log


def independence_values(result: IndependenceResult) -> dict[str, Any]:
    """Return all of a result but the table, as `bnml._stored.to_stored` takes it."""
    values: dict[str, Any] = by_fields(result, "_log", "_resolve")
    values["tests"] = [(*batch, *by_fields(answers).values()) for batch, answers in result._log.batches]
    values["untested"] = frozenset(result._log.untested)
    values["choices"] = None
    if result._resolve is not None:
        statements = sorted(result._resolve.statements.items())
        values["choices"] = {
            "statements": {pair: [(one.given, one.log_p) for one in found] for pair, found in statements},
            "standing": tuple(by_fields(result._resolve.standing).values()),
        }
    return values


def saved_independence_result(values: Mapping[str, Any], asked: Asked) -> IndependenceResult:
    """Return the result that was saved as these values; ``asked`` is what was asked, which the table is a part of."""
    log = Log([(Questions(*own[:4]), Answers(*own[4:])) for own in values["tests"]], set(values["untested"]))
    resolver, choices = None, values["choices"]
    if choices is not None:
        statements = {pair: [Found(*one) for one in found] for pair, found in choices["statements"].items()}
        resolver = Resolver(replace(asked, watch=None), log, statements, Standing(*choices["standing"]))
    made = {"pdag": PDAG(*values["pdag"]), "conflicts": tuple(Conflict(*one) for one in values["conflicts"])}
    same = {name: value for name, value in values.items() if name not in ("tests", "untested", "choices")}
    return IndependenceResult(**{**same, **made}, _log=log, _resolve=resolver)
