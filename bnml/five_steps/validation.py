"""Cross-validation: how well the network predicts the target in rows that it was not learned from, beside others.

The rows are dealt out to folds, with the same shares of the target's values in each. For each fold the structure is
learned anew from the other rows, as in the study, and the parameters are fitted to them; so are the rivals: the base
rate (the shares of the target's values, whatever the row), naive Bayes, and logistic regression on the values of all
other variables (scikit-learn, where it is installed). All of them see the same folds. Standard errors are over folds.

No prediction is zero: parameters are those of sequential NML (`bnml.fit`), and a value of the target that no training
row has gets 1 / (n + r) of logistic regression, n being the rows and r the values.

What numbers were cut by was chosen with all rows, those of the fold as well: it helps all methods alike, and a little.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._plain import plain
from bnml._stored import by_fields
from bnml.counts import counts_of
from bnml.data import Data
from bnml.data.resampling import stratified_folds
from bnml.errors import BnmlError
from bnml.five_steps.predictive_measures import Predictions, ReliabilityBin
from bnml.five_steps.risk import Outcomes
from bnml.graph import DAG
from bnml.network import BayesianNetwork, fit
from bnml.search.forecast import Forecast
from bnml.search.learn import learn_or_raise
from bnml.search.options import SearchOptions
from bnml.search.searches import SEARCHES

SECONDS = 30.0  # of exact searches, by the forecast
FEWER_FOLDS = 5
LEAST_ROWS = 20
MOST_VARIABLES = 100
MOST_VALUES = 20_000_000  # of the rows that logistic regression is given
MOST_STATES = 50  # of a target
LEAST = 1e-12  # probability that logistic regression may give
MEASURES = ("accuracy", "log_loss", "brier", "calibration_error", "auc")

NETWORK, BASE, NAIVE, LOGISTIC = "network", "base rate", "naive Bayes", "logistic regression"

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Estimate:
    """A mean over folds, and its standard error; not numbers where they are not known."""

    mean: float
    error: float


@dataclass(frozen=True)
class MethodValidation:
    """How well one method predicts.

    Attributes
    ----------
    name
        ``"network"``, ``"base rate"``, ``"naive Bayes"`` or ``"logistic regression"``.
    accuracy, log_loss, brier, calibration_error, auc
        The measures of `bnml.five_steps.predictive_measures`, over folds. The calibration error is that of all folds
        together, as few rows make it too large, with the standard error of the jackknife over folds.
    log_loss_over_network
        By how much its log-loss is higher than the network's, fold by fold.
    roc
        The ROC curve of the predictions of all folds: shares of misses and hits.
    reliability
        How often what was predicted is there, by the predicted probability, in all folds.
    """

    name: str
    accuracy: Estimate
    log_loss: Estimate
    brier: Estimate
    calibration_error: Estimate
    auc: Estimate
    log_loss_over_network: Estimate
    roc: tuple[tuple[float, float], ...]
    reliability: tuple[ReliabilityBin, ...]


@dataclass(frozen=True)
class Validation:
    """How well the target is predicted in rows that were not learned from.

    Attributes
    ----------
    outcomes
        What is predicted: an event or its absence (the second, and the first), or each value.
    event
        Whether it is an event.
    folds, rows, search
        How many folds, how many rows in all, and the search that each fold's network was learned by.
    methods
        The network and its rivals.

    Examples
    --------
    >>> import bnml
    >>> found = bnml.study(bnml.example(), "lung", repetitions=0).validation
    >>> [(one.name, round(one.log_loss.mean, 3)) for one in found.methods[:2]]
    [('network', 0.003), ('base rate', 0.216)]
    """

    outcomes: tuple[str, ...]
    event: bool
    folds: int
    rows: int
    search: str
    methods: tuple[MethodValidation, ...]

    def method(self, name: str) -> MethodValidation | None:
        """Return what is known of a method; None if it did not take part."""
        return next((one for one in self.methods if one.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        values: dict[str, Any] = plain(by_fields(self))
        return values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Validation:
        """Return what `to_dict` gave."""
        return Validation(
            tuple(values["outcomes"]), values["event"], values["folds"], values["rows"], values["search"],
            tuple(map(_method_from_dict, values["methods"])),
        )  # fmt: skip


def _method_from_dict(values: Mapping[str, Any]) -> MethodValidation:
    return MethodValidation(
        name=values["name"],
        roc=tuple((x, y) for x, y in values["roc"]),
        reliability=tuple(ReliabilityBin(**one) for one in values["reliability"]),
        **{name: _estimate_from_dict(values[name]) for name in (*MEASURES, "log_loss_over_network")},
    )


def _estimate_from_dict(values: Mapping[str, Any]) -> Estimate:
    mean, error = (math.nan if values[name] is None else values[name] for name in ("mean", "error"))
    return Estimate(mean, error)


def cross_validation(
    table: Data,
    outcomes: Outcomes,
    *,
    folds: int,
    learning: SearchOptions,
    cost: Callable[[], Forecast],
    progress: Progress,
    left_out: dict[str, str],
) -> Validation | None:
    """Return how well the target is predicted; None, with the reason in ``left_out``, where that is not to be told.

    Parameters
    ----------
    table
        The table.
    outcomes
        What is to be predicted.
    folds
        How many folds; 0 for none.
    learning, cost
        How the network was learned, and what an exact search of the table takes.
    progress
        Told how far it is.
    left_out
        What was left out, with reasons.
    """
    why = _why_not(table, outcomes, folds)
    if why:
        left_out["validation"] = why
        return None
    folds = min(folds, table.n_rows)
    learning, folds = _affordable(learning, cost, folds)
    rivals: dict[str, Callable[[Data, Data], Floats]] = {
        NETWORK: lambda training, test: _fitted(_learned(training, learning), training, test, outcomes),
        BASE: lambda training, test: _fitted(DAG(training.names), training, test, outcomes),
        NAIVE: lambda training, test: _fitted(_naive(training, outcomes.target), training, test, outcomes),
    }
    if why := _why_no_logistic_regression(table):
        left_out[LOGISTIC] = why
    else:
        rivals[LOGISTIC] = lambda training, test: _logistic(training, test, outcomes)
    predicted: dict[str, list[Predictions]] = {name: [] for name in rivals}
    rng = np.random.default_rng(learning.seed)
    try:
        for number, (training, test) in enumerate(stratified_folds(table, outcomes.target, folds, rng)):
            progress(f"fold {number + 1}", number / folds)
            there, rows = _there(test, outcomes)
            for name, predict in rivals.items():
                predicted[name].append(Predictions(predict(training, test), there, rows))
    except BnmlError as error:
        left_out["validation"] = str(error)
        return None
    texts = (f"not {outcomes.texts[0]}", outcomes.texts[0]) if outcomes.event else outcomes.texts
    methods = tuple(_method(name, own, predicted[NETWORK]) for name, own in predicted.items())
    return Validation(texts, bool(outcomes.event), folds, table.n_rows, learning.search_name, methods)


def _why_not(table: Data, outcomes: Outcomes, folds: int) -> str:
    at = table.index(outcomes.target)
    if folds == 0:
        return "no folds were asked for"
    if table.n_rows < LEAST_ROWS:
        return f"folds take {LEAST_ROWS} rows or more"
    if len(table.names) == 1:
        return "there is nothing to predict the target from"
    if len(table.names) > MOST_VARIABLES:
        return f"networks are learned anew for up to {MOST_VARIABLES} variables here"
    if table.arities[at] > MOST_STATES:
        return f"the target has more than {MOST_STATES} values"
    if (counts_of(table).table([at]) > 0).sum() < 2:
        return "the target has the same value in every row"
    return ""


def _affordable(learning: SearchOptions, cost: Callable[[], Forecast], folds: int) -> tuple[SearchOptions, int]:
    """Return how to learn, and the number of folds: exact searches only where they take half a minute."""
    if learning.search not in (None, SEARCHES["exact"]):
        return learning, folds
    exact = cost()
    for fewer in (folds, min(folds, FEWER_FOLDS)):
        if exact.fits and exact.seconds * fewer <= SECONDS:
            return replace(learning, search=SEARCHES["exact"]), fewer
    return replace(learning, search=SEARCHES["tabu"], options={}), folds


def _learned(training: Data, learning: SearchOptions) -> DAG:
    return learn_or_raise(learning, training).structure


def _fitted(dag: DAG, training: Data, test: Data, outcomes: Outcomes) -> Floats:
    network: BayesianNetwork = fit(dag, training)
    return _of_outcomes(network.predict_proba(test, outcomes.target).to_numpy(np.float64), outcomes)


def _naive(training: Data, target: str) -> DAG:
    return DAG(training.names, [(target, x) for x in training.names if x != target])


def _there(test: Data, outcomes: Outcomes) -> tuple[Ints, Ints]:
    """Return which outcome each distinct row of a fold has, and how many rows it stands for."""
    cells = counts_of(test).cells(range(len(test.names)))
    states = cells.of(test.index(outcomes.target)).astype(np.int64)
    return (np.isin(states, outcomes.groups[0]).astype(np.int64) if outcomes.event else states), cells.counts


def _of_outcomes(by_state: Floats, outcomes: Outcomes) -> Floats:
    """Return probabilities of the target's values as those of the event and its absence, if there is one."""
    if not outcomes.event:
        return by_state
    inside = outcomes.summed(by_state)[:, 0]
    rest = np.delete(by_state, outcomes.groups[0], axis=1).sum(axis=1)
    result: Floats = np.stack([rest, inside], axis=1) / (rest + inside)[:, None]
    return result


# --- logistic regression ---


def _why_no_logistic_regression(table: Data) -> str:
    try:
        import sklearn.linear_model  # noqa: F401
    except ImportError:
        return "it needs scikit-learn: pip install 'bnml[sklearn]'"
    if counts_of(table).n_distinct * len(table.names) > MOST_VALUES:
        return "the table is too large for it here"
    return ""


def _logistic(training: Data, test: Data, outcomes: Outcomes) -> Floats:
    """Return the predictions of logistic regression with a column for each value of the other variables."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    there, rows = _there(training, outcomes)
    n = 2 if outcomes.event else training.arities[training.index(outcomes.target)]
    seen = np.unique(there)
    known = np.ones((len(_there(test, outcomes)[0]), 1))
    if seen.size > 1:
        with threadpool_limits(1), warnings.catch_warnings():  # sums in the same order everywhere; steps may run out
            warnings.simplefilter("ignore")
            model = LogisticRegression(max_iter=300).fit(_one_hot(training, outcomes.target), there, sample_weight=rows)
            known = model.predict_proba(_one_hot(test, outcomes.target))
    unseen = 1.0 / (training.n_rows + n)
    found = np.full((known.shape[0], n), unseen)
    found[:, seen] = np.maximum(known, LEAST) * (1.0 - unseen * (n - seen.size))
    result: Floats = found / found.sum(axis=1, keepdims=True)
    return result


def _one_hot(data: Data, target: str) -> Any:
    """Return a sparse matrix with a row for each distinct row, and a column for each value of the other variables."""
    from scipy.sparse import csr_matrix

    others = [i for i, name in enumerate(data.names) if name != target]
    states = counts_of(data).cells(range(len(data.names))).states
    starts = np.concatenate([[0], np.cumsum([data.arities[i] for i in others])])
    columns = np.stack([states[i].astype(np.int64) + start for i, start in zip(others, starts, strict=False)], axis=1)
    n, width = columns.shape
    return csr_matrix((np.ones(n * width), columns.ravel(), np.arange(0, n * width + 1, width)), (n, int(starts[-1])))


# --- over folds ---


def _method(name: str, own: list[Predictions], network: list[Predictions]) -> MethodValidation:
    pooled = _together(own)
    rows = np.array([one.n_rows for one in own], np.float64)
    worse = [mine.log_loss - theirs.log_loss for mine, theirs in zip(own, network, strict=True)]
    estimates = {measure: _estimate([getattr(one, measure) for one in own], rows) for measure in MEASURES}
    estimates["calibration_error"] = _calibration(own)
    return MethodValidation(
        name=name,
        log_loss_over_network=_estimate(worse, rows),
        roc=pooled.roc,
        reliability=pooled.reliability,
        **estimates,
    )


def _together(folds: list[Predictions]) -> Predictions:
    return Predictions(
        *(np.concatenate([getattr(one, part) for one in folds]) for part in ("probabilities", "there", "rows"))
    )


def _calibration(folds: list[Predictions]) -> Estimate:
    """Return the calibration error of all folds together, and its standard error by leaving out each of them."""
    k = len(folds)
    without = np.array([_together([*folds[:i], *folds[i + 1 :]]).calibration_error for i in range(k)])
    error = math.sqrt((k - 1) / k * float(((without - without.mean()) ** 2).sum()))
    return Estimate(_together(folds).calibration_error, error)


def _estimate(values: list[float], rows: Floats) -> Estimate:
    """Return the mean over folds, each by its rows, and its standard error; folds without a value do not count."""
    numbers = np.array(values)
    known = ~np.isnan(numbers)
    if not known.any():
        return Estimate(math.nan, math.nan)
    numbers, weights = numbers[known], rows[known]
    error = float(numbers.std(ddof=1)) / math.sqrt(numbers.size) if numbers.size > 1 else math.nan
    return Estimate(float(numbers @ weights / weights.sum()), error)
