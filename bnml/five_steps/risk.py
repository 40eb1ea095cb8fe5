"""What the target depends on directly, and how often it has its values: by one variable, and by two at a time.

The shares are those of the rows, so that everybody can count them again. Each comes with a 95 % interval: the middle of
the posterior of the share under Jeffreys' prior, which is a beta distribution, with 0 or 1 as its end where no row or
every row has the value (Brown, Cai & DasGupta 2001). Beside it stands what the network says of the same question. That
is smoother where rows are few, as it puts together what the network knows of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._arrays import Floats
from bnml._checks import refuse
from bnml._plain import plain
from bnml._text import did_you_mean, quoted
from bnml.counts.counts import counts_for_tests
from bnml.data import Data
from bnml.data.labels import label_text
from bnml.data.targets import rows_setting_nothing
from bnml.errors import ArgumentError, NetworkError, argument

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study
    from bnml.five_steps.what_if import WhatIf
    from bnml.network import BayesianNetwork

LEVEL = 0.95
MOST_CELLS = 96  # of a table for two variables at a time
FEW_ROWS = 10  # below, a share says little


@dataclass(frozen=True)
class Outcomes:
    """What is told of a target: how often it has some of its values, or each of them.

    ``target``: the variable. ``groups``: for each outcome the states that it stands for, by number. ``texts``: what
    each is called. ``event``: the labels that are the event; empty where every value is an outcome of its own.
    """

    target: str
    groups: tuple[tuple[int, ...], ...]
    texts: tuple[str, ...]
    event: tuple[Any, ...]

    def summed(self, by_state: Floats) -> Floats:
        """Return numbers of the states, along the last axis, as numbers of the outcomes."""
        return np.stack([by_state[..., list(group)].sum(axis=-1) for group in self.groups], axis=-1)


def shown_label(data: Data, name: str, label: Any) -> str:
    """Return the label of a value as reports show it."""
    text = label_text(label)
    return text.replace("<=", "≤").replace(">=", "≥") if name in data.cuts else text


def outcomes_of(data: Data, target: str, event: Any = None) -> Outcomes:
    """Return what is told of a target.

    Parameters
    ----------
    data
        The table.
    target
        The variable.
    event
        The value that the risk is of, or several; None for the rarer one of two values, the second if both are as
        frequent, and for each value of a target with more.

    Raises
    ------
    ArgumentError
        If the target has no such value, or no other.

    Examples
    --------
    >>> import bnml
    >>> outcomes_of(bnml.example(), "lung").texts, outcomes_of(bnml.example(), "lung", ["no"]).texts
    (('yes',), ('no',))
    """
    at = data.index(target)
    labels = data.states[at]
    texts = [shown_label(data, target, label) for label in labels]
    if event is None:
        if len(labels) != 2:
            return Outcomes(target, tuple((k,) for k in range(len(labels))), tuple(texts), ())
        first, second = counts_for_tests(data).table([at]).tolist()
        chosen = [0 if first < second else 1]
    else:
        chosen = _codes_of_event(target, labels, event)
    return Outcomes(target, (tuple(chosen),), (_either([texts[k] for k in chosen]),), tuple(labels[k] for k in chosen))


def _either(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def check_event(event: Any, target: str | None) -> tuple[str, ...] | None:
    """Return the values that an event consists of, as texts; the target's values are not known yet.

    Raises
    ------
    ArgumentError
        If there is no target.
    """
    if event is None:
        return None
    if target is None:
        raise ArgumentError(argument("event", event) + " is a value of the target: say " + argument("target") + ", too")
    several = isinstance(event, Iterable) and not isinstance(event, str | bytes)
    return tuple(map(label_text, event if several else [event]))


def _codes_of_event(target: str, labels: Sequence[Any], event: Any) -> list[int]:
    """Return the places of the values that an event consists of, by their texts."""
    given = check_event(event, target) or ()
    texts, found = [label_text(label) for label in labels], set()
    for label in given:
        if label not in texts:
            raise ArgumentError(
                f"{target!r} has no value {label!r}",
                argument="event",
                value=event,
                hint=f"its values are {quoted(labels)}.{did_you_mean(label, texts)}",
            )
        found.add(texts.index(label))
    if not 0 < len(found) < len(labels):
        raise refuse("event", event, f"expected some values of {target!r}, and not all of them: {quoted(labels)}")
    return sorted(found)


@dataclass(frozen=True)
class Rate:
    """How often the outcomes are there, among the rows with some values of other variables.

    ``given``: these values. ``rows``: the number of rows. ``shares``: the share of each outcome among them; not a
    number without rows. ``low``, ``high``: the ends of its 95 % interval. ``network``: its probability by the network;
    None if there is no network, or its tables are too large.
    """

    given: tuple[Any, ...]
    rows: int
    shares: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    network: tuple[float, ...] | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {name: plain(getattr(self, name)) for name in ("given", "rows", "shares", "low", "high", "network")}


@dataclass(frozen=True)
class RiskGiven:
    """The rates for each value of a variable, or for each pair of values of two.

    ``variables``: one or two. ``strength``: how much the target depends on them, from 0 to 1; None for two.
    """

    variables: tuple[str, ...]
    rates: tuple[Rate, ...]
    strength: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        rates = [rate.to_dict() for rate in self.rates]
        return {"variables": list(self.variables), "strength": plain(self.strength), "rates": rates}


@dataclass(frozen=True)
class Risk:
    """What the target of a study depends on directly, and how often it has its values.

    Attributes
    ----------
    outcomes
        What is told of the target.
    overall
        How often that is so in all rows.
    direct
        For each variable that is linked with the target in the network, the strongest dependence first, the rates for
        each of its values.
    pair
        The rates for the two strongest of these together; None if there are not two, or they have many values.
    what_if
        What the network says would be if a variable were set from outside, as far as directions are settled.
    """

    outcomes: Outcomes
    overall: Rate
    direct: tuple[RiskGiven, ...]
    pair: RiskGiven | None
    what_if: tuple[WhatIf, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return {
            "outcomes": list(self.outcomes.texts),
            "event": plain(self.outcomes.event) or None,
            "interval": {"level": LEVEL, "prior": "Jeffreys"},
            "overall": self.overall.to_dict(),
            "direct": [given.to_dict() for given in self.direct],
            "pair": None if self.pair is None else self.pair.to_dict(),
            "what_if": [one.to_dict() for one in self.what_if],
        }


def risk_of(study: Study) -> Risk | None:
    """Return what the target of a study depends on; None without a target."""
    from bnml.five_steps.what_if import what_ifs

    if study.target is None:
        return None
    data, network = rows_setting_nothing(study.data), study.learned.network
    outcomes = outcomes_of(study.data, study.target, study.event)
    near = {x for arc in study.arcs for x in arc if study.target in arc} - {study.target}
    told = study.features.of_target
    strengths = dict(zip(told["variable"], told["strength"].astype(float), strict=True))
    direct = sorted(near, key=lambda name: (-strengths[name], data.index(name)))
    arity = dict(zip(data.names, data.arities, strict=True))
    pair = direct[:2] if len(direct) > 1 and arity[direct[0]] * arity[direct[1]] <= MOST_CELLS else []
    return Risk(
        outcomes,
        _rates_given(data, outcomes, (), network)[0],
        tuple(RiskGiven((x,), _rates_given(data, outcomes, (x,), network), strengths[x]) for x in direct),
        RiskGiven(tuple(pair), _rates_given(data, outcomes, pair, network)) if pair else None,
        what_ifs(study, outcomes, direct),
    )


def _rates_given(
    data: Data, outcomes: Outcomes, variables: Sequence[str], network: BayesianNetwork | None
) -> tuple[Rate, ...]:
    """Return the rates for each configuration of some variables, the last one changing fastest."""
    columns = [data.index(name) for name in (*variables, outcomes.target)]
    counts = counts_for_tests(data).table(columns).astype(np.float64)
    rows = counts.sum(axis=-1)
    hits = outcomes.summed(counts)
    low, high = jeffreys_interval(hits, rows[..., None])
    with np.errstate(invalid="ignore"):
        shares = hits / rows[..., None]
    said = _by_network(network, outcomes, variables)
    return tuple(
        Rate(
            given=tuple(data.states[column][k] for column, k in zip(columns, place, strict=False)),
            rows=int(rows[place]),
            shares=tuple(shares[place].tolist()),
            low=tuple(low[place].tolist()),
            high=tuple(high[place].tolist()),
            network=None if said is None else tuple(said[place].tolist()),
        )
        for place in np.ndindex(rows.shape)
    )


def _by_network(network: BayesianNetwork | None, outcomes: Outcomes, variables: Sequence[str]) -> Floats | None:
    """Return the probability of each outcome given each configuration of some variables, by the network."""
    from bnml.network.inference import joint

    if network is None:
        return None
    try:
        together, _ = joint(network, [*variables, outcomes.target])
    except NetworkError:  # too large
        return None
    return outcomes.summed(together / together.sum(axis=-1, keepdims=True))


def jeffreys_interval(hits: Any, rows: Any, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Return the ends of the interval for a share: quantiles of Beta(hits + ½, rows - hits + ½).

    Where no row is a hit it begins at 0, and where every row is one it ends at 1.

    Examples
    --------
    >>> [round(float(end), 3) for end in jeffreys_interval(3, 10)], [float(e) for e in jeffreys_interval(0, 0)]
    ([0.093, 0.606], [0.0, 1.0])
    """
    from scipy.special import betaincinv

    hits, rows = np.asarray(hits, np.float64), np.asarray(rows, np.float64)
    hits, rows = np.broadcast_arrays(hits, rows)
    tail = (1.0 - level) / 2.0
    low = np.where(hits == 0, 0.0, betaincinv(hits + 0.5, rows - hits + 0.5, tail))
    high = np.where(hits == rows, 1.0, betaincinv(hits + 0.5, rows - hits + 0.5, 1.0 - tail))
    return low, high
