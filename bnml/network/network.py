"""A Bayesian network: a graph with its probability tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._notebook import notebook_picture
from bnml._text import did_you_mean, quoted
from bnml.data.bins import bins_of_values
from bnml.data.labels import MISSING_LABEL, Reading, as_number, label_text
from bnml.errors import ArgumentError, NetworkError
from bnml.graph import DAG

if TYPE_CHECKING:
    import pandas

MOST_PARENTS = 31  # an array has no more axes in every NumPy
TOLERANCE = 1e-3  # files round their probabilities; rows that miss one by more are refused


class BayesianNetwork:
    """A graph, the states of its variables, and P(variable | parents) for each.

    Nothing in it can be changed. `bnml.fit` makes one from data, `bnml.load` from a file.

    Parameters
    ----------
    dag
        The graph.
    states
        For each variable its labels, in order.
    tables
        For each variable P(variable | parents): an axis for each of ``dag.parents(variable)``, in that order, and a
        last one for the variable.
    cuts
        For variables that were cut into bins, the cut points: numbers in new data are placed by them.
    reading
        How the data of the network were read (`Data.reading`); new data are read in the same way.

    Raises
    ------
    NetworkError
        If a table has the wrong shape or its rows are not distributions.

    Examples
    --------
    >>> import bnml
    >>> dag = bnml.DAG.parse("[rain][wet|rain]")
    >>> states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    >>> network = bnml.BayesianNetwork(dag, states, {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]})
    >>> network.cpt("wet")
    wet    no  yes
    rain
    no    0.9  0.1
    yes   0.2  0.8
    >>> network.query("rain", {"wet": "yes"})["yes"].round(4)
    np.float64(0.6667)
    """

    dag: DAG
    states: Mapping[str, tuple[Any, ...]]
    cuts: Mapping[str, tuple[float, ...]]
    reading: Reading

    def __init__(
        self,
        dag: DAG,
        states: Mapping[str, Sequence[Any]],
        tables: Mapping[str, Any],
        cuts: Mapping[str, Sequence[float]] | None = None,
        reading: Reading | None = None,
    ) -> None:
        if not isinstance(dag, DAG):
            raise NetworkError("expected a DAG, such as bnml.DAG.parse('[A][B|A]')", argument="dag", value=dag)
        for what, given in (("states", states), ("tables", tables)):
            if not isinstance(given, Mapping):
                raise NetworkError(f"{what}={given!r}: expected a mapping with an entry for each variable")
            if set(given) != set(dag.names):
                odd = sorted(set(given) ^ set(dag.names), key=str)
                raise NetworkError(f"{what} and graph must have the same variables; they differ in {quoted(odd)}")
        object.__setattr__(self, "dag", dag)
        object.__setattr__(self, "states", MappingProxyType({x: _checked_states(x, states[x]) for x in dag.names}))
        object.__setattr__(self, "cuts", MappingProxyType(self._checked_cuts({} if cuts is None else cuts)))
        if reading is not None and not isinstance(reading, Reading):
            raise NetworkError("expected the reading of a Data, data.reading", argument="reading", value=reading)
        object.__setattr__(self, "reading", (reading or Reading()).of(dag.names))
        for x, points in self.cuts.items():
            medians = self.reading.medians_of(x)
            if medians is not None and bins_of_values(np.array(medians), points).tolist() != [*range(len(points) + 1)]:
                raise NetworkError(f"the medians {medians!r} of {x!r} must be a number for each bin, inside it")
        self.__dict__["_tables"] = {x: self._checked_table(x, tables[x]) for x in dag.names}

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a BayesianNetwork cannot be changed: {name}")

    def _checked_cuts(self, cuts: Mapping[str, Sequence[float]]) -> dict[str, tuple[float, ...]]:
        checked = {}
        if not isinstance(cuts, Mapping):
            raise NetworkError("expected the cuts of each variable by its name, or None", argument="cuts", value=cuts)
        for x, given in cuts.items():
            self._known(x)
            try:
                points = tuple(float(cut) for cut in given)
            except (TypeError, ValueError):
                raise NetworkError(f"the cuts of {x!r} must be numbers, not {given!r}") from None
            bins = [label for label in self.states[x] if label_text(label) != MISSING_LABEL]
            ascending = all(a < b for a, b in pairwise(points)) and all(map(math.isfinite, points))
            if not ascending or len(points) + 1 != len(bins):
                raise NetworkError(f"the cuts {given!r} of {x!r} must increase and separate its {len(bins)} bins")
            checked[x] = points
        return checked

    def _checked_table(self, x: str, given: Any) -> Floats:
        shape = tuple(len(self.states[v]) for v in (*self.dag.parents(x), x))
        if len(shape) > MOST_PARENTS + 1:
            raise NetworkError(f"{x!r} has {len(shape) - 1} parents; {MOST_PARENTS} are the most a table can have")
        try:
            table = np.array(given, np.float64)
        except (TypeError, ValueError):
            raise NetworkError(f"the table of {x!r} is not an array of numbers") from None
        if table.shape != shape:
            raise NetworkError(f"the table of {x!r} has shape {table.shape}; its parents and states make {shape}")
        sums = table.sum(axis=-1, keepdims=True)
        if not (table >= 0.0).all() or not (np.abs(sums - 1.0) <= TOLERANCE).all():
            fault = np.abs(sums[..., 0] - 1.0) + np.where((table >= 0.0).all(axis=-1), 0.0, 2.0)
            worst = np.unravel_index(int(np.argmax(np.nan_to_num(fault, nan=np.inf))), sums.shape[:-1])
            where = ", ".join(f"{p}={self.states[p][k]}" for p, k in zip(self.dag.parents(x), worst, strict=True))
            raise NetworkError(
                f"the table of {x!r}{f' at {where}' if where else ''} is not a distribution: "
                f"{table[worst].tolist()} must be at least 0 and sum to 1"
            )
        table = np.where(np.abs(sums - 1.0) > 1e-12, table / sums, table)
        table.setflags(write=False)
        return table

    def probabilities(self, name: str) -> Floats:
        """Return P(name | parents) as an array: an axis for each parent, in order, and a last one for the variable."""
        self._known(name)
        table: Floats = self.__dict__["_tables"][name]
        return table

    def _known(self, name: str) -> None:
        if not isinstance(name, str) or name not in self.states:
            raise ArgumentError(
                f"there is no variable {name!r}; the variables are {quoted(self.dag.names)}."
                f"{did_you_mean(name, self.dag.names)}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.dag.names

    @cached_property
    def n_parameters(self) -> int:
        """Number of free parameters: Σ q_i (r_i - 1)."""
        r = {x: len(labels) for x, labels in self.states.items()}
        return sum(math.prod(r[p] for p in self.dag.parents(x)) * (r[x] - 1) for x in self.dag.names)

    def code(self, name: str, label: Any) -> int:
        """Return the place of a label among a variable's states, matched by text; of a number, its bin.

        Raises
        ------
        ArgumentError
            If it is none of them, or stands for a missing value, which is no state of the variable.
        """
        self._known(name)
        texts = [label_text(state) for state in self.states[name]]
        try:
            return texts.index(label_text(label))
        except ValueError:
            if self.reading.is_gap(label, self.states[name]):
                gap = self.reading.gap_code(self.states[name])
                if gap < 0:
                    raise ArgumentError(f"{name!r}: {label!r} stands for a missing value; leave it out") from None
                return gap
            number = as_number(label)
            if name in self.cuts and number is not None:
                return int(bins_of_values(np.array([number]), self.cuts[name])[0])
            raise ArgumentError(
                f"{name!r} has no state {label!r}; its states are {quoted(self.states[name])}."
                f"{did_you_mean(label_text(label), texts)}"
            ) from None

    def cpt(self, name: str) -> pandas.DataFrame:
        """Return P(name | parents) as a frame: a row per parent configuration, a column per state."""
        import pandas as pd

        table = self.probabilities(name)
        parents = self.dag.parents(name)
        columns = pd.Index(list(self.states[name]), name=name)
        if not parents:
            return pd.DataFrame(table[None, :], columns=columns)
        index: pd.Index[Any]
        if len(parents) == 1:
            index = pd.Index(list(self.states[parents[0]]), name=parents[0])
        else:
            index = pd.MultiIndex.from_product([list(self.states[p]) for p in parents], names=parents)
        return pd.DataFrame(table.reshape(-1, table.shape[-1]), index=index, columns=columns)

    def log_prob(self, data: Any) -> Floats:
        """Return the log-probability of each row, in the order of the source.

        Parameters
        ----------
        data
            A `Data` or anything that `bnml.read` takes, with all of the network's variables (others are ignored).
            Missing values are summed out.

        Raises
        ------
        BnmlError
            If a variable is missing, or a value is none of its states.
        """
        from bnml.network.probability import log_prob

        return log_prob(self, data)

    def predict_proba(self, data: Any, name: str) -> pandas.DataFrame:
        """Return P(name | all other columns) for each row: a column per state.

        Columns that the data do not have, and missing values, are summed out; a column of ``name`` itself is ignored.

        A row that cannot be answered is NaN: one whose evidence has probability zero, as a network with zeros in its
        tables can have it, or one with a label that is not among the states of its column.

        Warns
        -----
        DataWarning
            If rows cannot be answered: how many, and of the first few why.
        """
        from bnml.network.prediction import predict_proba

        return predict_proba(self, data, name)

    def predict(self, data: Any, name: str) -> npt.NDArray[Any]:
        """Return the most probable state of a variable for each row; of equally probable ones the first.

        Rows that cannot be answered have None, and are counted in a `DataWarning`; see `predict_proba`.

        Examples
        --------
        >>> import bnml, pandas, warnings
        >>> frame = pandas.DataFrame({"sky": ["sun", "sun", "rain"], "air": ["hot", "warm", "cold"]})
        >>> network = bnml.fit(bnml.DAG.parse("[sky][air|sky]"), frame)
        >>> with warnings.catch_warnings(record=True, action="always") as caught:
        ...     network.predict(pandas.DataFrame({"air": ["cold", "foggy"]}), "sky").tolist()
        ['rain', None]
        >>> str(caught[0].message).partition(" (")[0]
        "predict 'sky': no answer for 1 of 2 rows"
        """
        from bnml.network.prediction import predict

        return predict(self, data, name)

    def impute(self, data: Any, draws: int | None = None, seed: int = 0, *, labels: bool = False) -> Any:
        """Return a table with its missing values filled in; all else stays as it is.

        Parameters
        ----------
        data
            A `Data` or anything that `bnml.read` takes, with all of the network's variables.
        draws
            None to fill the missing values of each row with those that together are most probable given the rest of the
            row; a number for that many tables, with draws from their joint distribution.
        seed
            Random seed of the draws.
        labels
            Fill a numeric column that was cut into bins with the labels of its bins.

        Returns
        -------
        pandas.DataFrame or list of pandas.DataFrame
            All columns of the source; a frame keeps its index. A numeric column that was cut into bins gets a number,
            the median of the bin in the data that the network was fitted to. A `Data` has bins in the place of numbers,
            and gets these. The state ``?`` of missing values, where the network has it, is never filled in.

        Raises
        ------
        BnmlError
            If a variable is missing, a value is none of its states, or a row has probability zero.

        Warns
        -----
        DataWarning
            If the network does not have the medians, because it was saved by an earlier version, for instance. Then the
            medians of this table are taken, and the middle of a bin in which it has no value.

        Examples
        --------
        >>> import bnml, pandas
        >>> frame = pandas.DataFrame({"sky": ["sun", "rain"] * 2 + [None], "air": ["hot", "cold"] * 2 + ["hot"]})
        >>> network = bnml.fit(bnml.DAG.parse("[sky][air|sky]"), bnml.read(frame, missing="em"))
        >>> network.impute(frame)["sky"].tolist()
        ['sun', 'rain', 'sun', 'rain', 'sun']
        """
        from bnml.network.imputation import impute

        return impute(self, data, draws, seed, labels=labels)

    def sample(self, n: int, seed: int = 0) -> pandas.DataFrame:
        """Return rows drawn from the network: a frame of categoricals.

        Examples
        --------
        >>> import bnml
        >>> network = bnml.BayesianNetwork(bnml.DAG(["coin"]), {"coin": ["heads", "tails"]}, {"coin": [0.5, 0.5]})
        >>> network.sample(3, seed=1)["coin"].tolist()
        ['tails', 'tails', 'heads']
        """
        from bnml.network.sampling import sample

        return sample(self, n, seed)

    def query(
        self,
        names: str | Sequence[str],
        evidence: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
    ) -> pandas.Series[float]:
        """Return P(names | evidence) by exact inference.

        Parameters
        ----------
        names
            The variable that is asked for; or several, for their joint probabilities.
        evidence
            For other variables the state that was observed; or, where that is not certain, a likelihood for each
            state, ``{"test": {"positive": 0.9, "negative": 0.2}}``. States that are left out are ruled out.
        do
            Variables that are set to a state from outside, whatever their parents are.

        Returns
        -------
        pandas.Series
            A number for each state; for several variables its index has a level for each of them.

        Raises
        ------
        BnmlError
            If a name or state is unknown, the evidence is impossible, or the tables on the way would be too large; the
            message says how large.

        Notes
        -----
        The first question makes a junction tree, which serves all others. Where that is too large, the question alone
        is worked out, by elimination of all else that matters for it.

        Examples
        --------
        >>> import bnml
        >>> clinic = bnml.example().select(["smoke", "bronc"])
        >>> network = bnml.fit(bnml.DAG.parse("[smoke][bronc|smoke]"), clinic)
        >>> network.query(["smoke", "bronc"]).loc["yes", "yes"].round(4)
        np.float64(0.2958)
        >>> network.query("smoke", {"bronc": {"yes": 0.9, "no": 0.3}})["yes"].round(4)
        np.float64(0.5767)
        >>> network.query("smoke", do={"bronc": "yes"})["yes"].round(4)  # who makes us cough does not make us smoke
        np.float64(0.5018)
        """
        from bnml.network.questions import query

        return query(self, names, evidence, do)

    def marginals(
        self, evidence: Mapping[str, Any] | None = None, do: Mapping[str, Any] | None = None
    ) -> dict[str, pandas.Series[float]]:
        """Return P(variable | evidence) for every variable at once; evidence and ``do`` as for `query`."""
        from bnml.network.questions import marginals

        return marginals(self, evidence, do)

    def probability(self, evidence: Mapping[str, Any] | None = None, do: Mapping[str, Any] | None = None) -> float:
        """Return the probability of evidence, given as for `query`.

        Of likelihoods, it is the probability of all that is certain times the likelihood that is expected then. What is
        below the smallest float, about 5e-324, is 0.0, though the evidence is possible.

        Examples
        --------
        >>> import bnml
        >>> coins = bnml.BayesianNetwork(bnml.DAG(["coin"]), {"coin": ["heads", "tails"]}, {"coin": [0.6, 0.4]})
        >>> round(coins.probability({"coin": "tails"}), 4)
        0.4
        """
        from bnml.network.questions import probability

        return probability(self, evidence, do)

    def most_probable(
        self, evidence: Mapping[str, Any] | None = None, do: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], float]:
        """Return the most probable row with the evidence, and the logarithm of its probability.

        Also called most probable explanation. The probability is that of the row, evidence included; of equally
        probable rows one is returned, always the same.

        Examples
        --------
        >>> import bnml
        >>> clinic = bnml.example().select(["smoke", "bronc"])
        >>> network = bnml.fit(bnml.DAG.parse("[smoke][bronc|smoke]"), clinic)
        >>> row, log_probability = network.most_probable({"bronc": "yes"})
        >>> row, round(log_probability, 4)
        ({'smoke': 'yes', 'bronc': 'yes'}, -1.2181)
        """
        from bnml.network.questions import most_probable

        return most_probable(self, evidence, do)

    def influence(self, name: str, evidence: Mapping[str, Any] | None = None) -> pandas.DataFrame:
        """Return how the probabilities of a variable change with each value of each other variable.

        Parameters
        ----------
        name
            The variable that is asked for.
        evidence
            What is known already, as for `query`.

        Returns
        -------
        pandas.DataFrame
            A row for each other variable and value, with the columns ``variable``, ``value``, ``probability`` of that
            value, and for each state of ``name`` its probability given that value (nan for a value of probability
            zero). A state called like one of the first three columns gets the name of its variable behind it.

        Examples
        --------
        >>> import bnml
        >>> clinic = bnml.example().select(["smoke", "bronc"])
        >>> network = bnml.fit(bnml.DAG.parse("[smoke][bronc|smoke]"), clinic)
        >>> network.influence("smoke").round(3)
          variable value  probability     no    yes
        0    bronc    no        0.552  0.627  0.373
        1    bronc   yes        0.448  0.340  0.660
        """
        from bnml.network.questions import influence

        return influence(self, name, evidence)

    def save(self, path: str | Path) -> None:
        """Write the network to a file; its suffix decides the format (see `bnml.load`)."""
        from bnml.network.files import save

        save(self, path)

    def to_networkx(self) -> Any:
        """Return a ``networkx.DiGraph`` whose nodes carry ``states`` and ``table``."""
        from bnml.network.convert import to_networkx

        return to_networkx(self)

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Return the network that `to_networkx` gave."""
        from bnml.network.convert import from_networkx

        return cls(*from_networkx(graph))

    def to_pyagrum(self) -> Any:
        """Return a ``pyagrum.BayesNet``."""
        from bnml.network.convert import to_pyagrum

        return to_pyagrum(self)

    @classmethod
    def from_pyagrum(cls, network: Any) -> Self:
        """Return the network of a ``pyagrum.BayesNet``."""
        from bnml.network.convert import from_pyagrum

        return cls(*from_pyagrum(network))

    def to_pgmpy(self) -> Any:
        """Return a ``pgmpy`` network; pgmpy must be installed."""
        from bnml.network.convert import to_pgmpy

        return to_pgmpy(self)

    @classmethod
    def from_pgmpy(cls, network: Any) -> Self:
        """Return the network of a ``pgmpy`` network."""
        from bnml.network.convert import from_pgmpy

        return cls(*from_pgmpy(network))

    def reordered(self, names: Iterable[str]) -> Self:
        """Return the same (and equal) network with the variables in another order.

        Examples
        --------
        >>> import bnml
        >>> network = bnml.fit(bnml.DAG.parse("[smoke][lung|smoke]"), bnml.example().select(["smoke", "lung"]))
        >>> other = network.reordered(["lung", "smoke"])
        >>> other.names, other == network
        (('lung', 'smoke'), True)
        """
        dag = self.dag.reordered(names)
        tables = {x: _aligned(self, x, dag.parents(x)) for x in dag.names}
        return type(self)(dag, {x: self.states[x] for x in dag.names}, tables, self.cuts, self.reading)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        if self.dag != other.dag or any(self.states[x] != other.states[x] for x in self.names):
            return False
        if dict(self.cuts) != dict(other.cuts) or not self._reads_like(other):
            return False
        return all(np.array_equal(self.probabilities(x), _aligned(other, x, self.dag.parents(x))) for x in self.names)

    def _reads_like(self, other: BayesianNetwork) -> bool:
        """Return whether another network with the same states takes every table as this one does."""
        if (self.reading.na_values, self.reading.coded) != (other.reading.na_values, other.reading.coded):
            return False
        return all(self.reading.gap_code(self.states[x]) == other.reading.gap_code(self.states[x]) for x in self.names)

    def __hash__(self) -> int:
        return hash((self.dag, self.n_parameters))

    def __reduce__(self) -> tuple[Any, ...]:
        tables = {x: np.asarray(self.probabilities(x)) for x in self.names}
        return type(self), (self.dag, dict(self.states), tables, dict(self.cuts), self.reading)

    def _repr_html_(self) -> str:
        return notebook_picture(self.dag, repr(self))

    def __repr__(self) -> str:
        return (
            f"BayesianNetwork({len(self.names)} variables, {len(self.dag.arcs)} arcs, {self.n_parameters} parameters)"
        )

    def __str__(self) -> str:
        return f"{self!r}\n{self.dag}"


def _checked_states(x: str, labels: Sequence[Any]) -> tuple[Any, ...]:
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise NetworkError(f"the states of {x!r} must be a list of labels, not {labels!r}")
    states = tuple(labels)
    texts = [label_text(label) for label in states]
    if not states or len(set(texts)) < len(texts):
        raise NetworkError(f"the states of {x!r} must be there and differ: {quoted(states)}")
    return states


def _aligned(network: BayesianNetwork, x: str, parents: Sequence[str]) -> Floats:
    """Return a table with the parents' axes in the given order."""
    own = network.dag.parents(x)
    return network.probabilities(x).transpose([*(own.index(p) for p in parents), len(own)])
