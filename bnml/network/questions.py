"""Questions to a network: names and labels on either side, probabilities between them."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bnml._arrays import Floats
from bnml._checks import is_number, refuse
from bnml._text import quoted
from bnml.data.labels import label_text
from bnml.errors import ArgumentError, NetworkError
from bnml.network.inference import all_marginals, certain_likelihoods, joint, log_mass, most_probable_states
from bnml.network.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas

TINY = 1e-290  # what is far larger than the smallest float
LARGEST_LOG = math.log(sys.float_info.max)
OWN_COLUMNS = ("variable", "value", "probability")  # of `influence`


class _Known(NamedTuple):
    """What is known, checked: likelihoods of states, the variables observed for certain, and those set from outside."""

    likelihoods: dict[str, Floats]
    observed: frozenset[str]
    do: frozenset[str]


def query(
    network: BayesianNetwork,
    names: str | Sequence[str],
    evidence: Mapping[str, Any] | None = None,
    do: Mapping[str, Any] | None = None,
) -> pandas.Series[float]:
    """Return P(names | evidence, do) as a series over the states of the variables."""
    import pandas as pd

    asked = [names] if isinstance(names, str) else _several(network, names)
    for name in asked:
        network.probabilities(name)  # refuses an unknown name
    known = _known(network, evidence, do)
    for name in asked:
        if name in known.observed or name in known.do:
            raise ArgumentError(f"{name!r} is both asked for and {'set' if name in known.do else 'observed'}")
    table, _ = joint(network, asked, known.likelihoods, known.do)
    total = float(table.sum())
    if not total > 0.0:
        raise _impossible(network, known)
    index: pandas.Index[Any]
    if isinstance(names, str):
        index = _index_of(network, names)
    else:
        index = pd.MultiIndex.from_product([list(network.states[x]) for x in asked], names=asked)
    return pd.Series((table / total).ravel(), index=index, name=f"P({', '.join(asked)})")


def marginals(
    network: BayesianNetwork, evidence: Mapping[str, Any] | None = None, do: Mapping[str, Any] | None = None
) -> dict[str, pandas.Series[float]]:
    """Answer the question for every variable at once: P(variable | evidence, do), by name."""
    import pandas as pd

    known = _known(network, evidence, do)
    tables, total = all_marginals(network, known.likelihoods, known.do)
    if total == -math.inf:
        raise _impossible(network, known)
    return {x: pd.Series(tables[x], index=_index_of(network, x), name=f"P({x})") for x in network.names}


def probability(
    network: BayesianNetwork, evidence: Mapping[str, Any] | None = None, do: Mapping[str, Any] | None = None
) -> float:
    """Return P(evidence | do); of likelihoods what is expected of their product."""
    known = _known(network, evidence, do)
    log = log_mass(network, known.likelihoods, known.do)
    if log > LARGEST_LOG:
        raise ArgumentError(
            "the product of its likelihoods is too large for a number",
            argument="evidence",
            hint="only their ratios matter, so divide them by the largest",
        )
    return math.exp(log)


def most_probable(
    network: BayesianNetwork, evidence: Mapping[str, Any] | None = None, do: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], float]:
    """Return the most probable states of all variables with the evidence, and the log-probability of both together."""
    known = _known(network, evidence, do)
    states, total = most_probable_states(network, known.likelihoods, known.do)
    if total == -math.inf:
        raise _impossible(network, known)
    return {x: network.states[x][states[x]] for x in network.names}, float(total)


def influence(network: BayesianNetwork, name: str, evidence: Mapping[str, Any] | None = None) -> pandas.DataFrame:
    """Return P(name | value) for each value of each other variable."""
    import pandas as pd

    network.probabilities(name)  # refuses an unknown name
    known = _known(network, evidence, None)
    if name in known.observed:
        raise ArgumentError(f"{name!r} is both asked for and observed")
    own = known.likelihoods.get(name, np.ones(len(network.states[name])))
    joints: dict[str, list[Floats]] = {x: [] for x in network.names if x != name and x not in known.observed}
    logs = []
    for k in range(len(network.states[name])):
        likelihoods = known.likelihoods | {name: certain_likelihoods(network, name, k) * own[k]}
        tables, total = all_marginals(network, likelihoods)
        logs.append(total)
        for x, found in joints.items():
            found.append(tables.get(x, np.zeros(len(network.states[x]))))
    shares = np.exp(np.array(logs) - max(logs)) if max(logs) > -math.inf else np.zeros(len(logs))
    if not shares.any():
        raise _impossible(network, known)
    shares /= shares.sum()
    titles = [f"{label_text(s)} ({name})" if label_text(s) in OWN_COLUMNS else s for s in network.states[name]]
    rows = []
    for x, found in joints.items():
        both = np.stack(found) * shares[:, None]
        margin = both.sum(axis=0)
        for k, label in enumerate(network.states[x]):
            given = both[:, k]
            if margin[k] < TINY:  # impossible, or too small to be divided by
                likelihood = certain_likelihoods(network, x, k) * known.likelihoods.get(x, np.ones(len(margin)))[k]
                given, _ = joint(network, [name], {**known.likelihoods, x: likelihood})
            with np.errstate(invalid="ignore"):
                given = given / given.sum()
            rows.append([x, label, margin[k], *given.tolist()])
    return pd.DataFrame(rows, columns=[*OWN_COLUMNS, *titles])


def _index_of(network: BayesianNetwork, name: str) -> pandas.Index[Any]:
    """Return the states of a variable as an index, which takes longer to make than a small network to answer."""
    import pandas as pd

    kept: dict[str, pandas.Index[Any]] = network.__dict__.setdefault("_indexes", {})
    if name not in kept:
        kept[name] = pd.Index(list(network.states[name]), name=name)
    return kept[name]


def _several(network: BayesianNetwork, names: Any) -> list[str]:
    """Return the variables that are asked for together."""
    if not isinstance(names, Sequence) or not names:
        raise refuse("names", names, "expected the name of a variable, or a list of names")
    asked = list(names)
    twice = [x for i, x in enumerate(asked) if x in asked[:i]]
    if twice:
        raise ArgumentError(f"{twice[0]!r} is asked for twice", argument="names")
    return asked


def _known(network: BayesianNetwork, evidence: Mapping[str, Any] | None, do: Mapping[str, Any] | None) -> _Known:
    for what, given in (("evidence", evidence), ("do", do)):
        if given is not None and not isinstance(given, Mapping):
            raise refuse(what, given, "expected a mapping from variables to their states")
    likelihoods = {}
    observed = set()
    for x, label in (evidence or {}).items():
        if isinstance(label, Mapping):
            likelihoods[x] = _soft_evidence(network, x, label)
        else:
            likelihoods[x] = certain_likelihoods(network, x, network.code(x, label))
            observed.add(x)
    for x, label in (do or {}).items():
        if x in likelihoods:
            raise ArgumentError(f"{x!r} is both observed and set")
        if isinstance(label, Mapping):
            raise ArgumentError(f"{x!r} is set to one of its states, not to {label!r}", argument="do")
        likelihoods[x] = certain_likelihoods(network, x, network.code(x, label))
    return _Known(likelihoods, frozenset(observed), frozenset(do or ()))


def _soft_evidence(network: BayesianNetwork, name: str, given: Mapping[Any, Any]) -> Floats:
    """Return the likelihoods of a variable's states; those that are left out are ruled out."""
    network.probabilities(name)  # refuses an unknown name
    likelihoods = np.zeros(len(network.states[name]))
    named = set()
    for label, value in given.items():
        k = network.code(name, label)
        if k in named:
            raise ArgumentError(f"the evidence of {name!r} names {network.states[name][k]!r} twice")
        if not is_number(value) or not 0.0 <= float(value) < math.inf:
            raise ArgumentError(f"the likelihood of {name!r} = {label!r} is {value!r}: expected a number from 0")
        named.add(k)
        likelihoods[k] = float(value)
    if not likelihoods.any():
        raise ArgumentError(f"the evidence of {name!r} rules out all of its states {quoted(network.states[name])}")
    return likelihoods


def _impossible(network: BayesianNetwork, known: _Known) -> NetworkError:
    said = []
    for x, likelihoods in known.likelihoods.items():
        left = [label_text(network.states[x][k]) for k in np.flatnonzero(likelihoods)]
        said.append(f"{x}={' or '.join(left)}")
    return NetworkError(f"the evidence has probability zero: {quoted(said)}")
