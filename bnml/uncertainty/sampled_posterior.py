"""The posterior over structures, sampled: what `bnml.posterior` returns for ``method="sample"``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bnml._arrays import Bools, Floats, Ints
from bnml._optional import needs
from bnml._plain import attributes, plain, records
from bnml._text import number_of
from bnml.data import Data
from bnml.data.targets import rows_set, rows_set_words
from bnml.errors import ArgumentError
from bnml.graph import DAG, PDAG, Rules, canonical_extension
from bnml.scores import Score
from bnml.scores.local import local_scores
from bnml.scores.priors import StructurePrior
from bnml.uncertainty.chains import Chains, unpacked_parents
from bnml.uncertainty.class_weights import class_weights, count_allowed_members
from bnml.uncertainty.diagnostics import diagnose, diagnose_numbers
from bnml.uncertainty.posterior_base import PosteriorBase
from bnml.uncertainty.prior_words import prior_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from bnml.uncertainty.averaged import AveragedStructures

LARGEST_R_HAT, LEAST_EFFECTIVE_SIZE = 1.05, 400.0  # of chains that have converged


class _Distinct(NamedTuple):
    """The different structures among those kept: their arcs, which of them each sample is, and their shares."""

    arcs: Bools
    number: Ints
    shares: Floats
    log_weights: Floats  # score and prior of each structure
    weights: Floats  # of each sample; 1 on average


class _Found(NamedTuple):
    """Probabilities of arcs with their errors, and the worst diagnostics with what they are of."""

    arcs: Floats
    errors: Floats
    r_hat: float
    r_hat_of: str
    effective_size: float
    effective_size_of: str
    score_r_hat: float
    score_effective_size: float


@dataclass(frozen=True, eq=False, repr=False)
class SampledPosterior(PosteriorBase):
    """How probable structures are, given data, a score and a prior, by sampling; print it for a report.

    Attributes
    ----------
    names, score, prior, n_rows, seconds
        As of `Posterior`.
    chains
        What the chains kept, and how they were run.
    """

    KIND = "Sampled posterior"
    NUMBERS = (*PosteriorBase.NUMBERS, "error")
    NUMBERS_TOLD = "that of either direction, and its error"
    DIGITS = 3

    names: tuple[str, ...]
    score: str
    prior: str
    n_rows: int
    seconds: float
    chains: Chains
    _rules: Rules
    _structure_prior: StructurePrior | None
    _data: Data
    _score: Score

    # --- structures ---

    @cached_property
    def _distinct(self) -> _Distinct:
        kept = self.chains.parents
        n = len(self.names)
        flat = kept.reshape(-1, n * kept.shape[3])
        sets, number = np.unique(flat, axis=0, return_inverse=True)
        arcs = self._arcs_of(sets.reshape(len(sets), n, -1))
        number = number.reshape(-1).astype(np.int64)
        weights = np.ones(number.size)
        if self.prior == "classes":
            weights = class_weights((self._dag(a) for a in arcs), self._rules_of_prior)[number]
            weights /= weights.mean()
        shares = np.bincount(number, weights, minlength=len(sets)) / weights.sum()
        log_weights = np.empty(len(sets))
        log_weights[number] = self.chains.log_weights.ravel()
        return _Distinct(arcs, number, shares, log_weights, weights)

    def _arcs_of(self, words: npt.NDArray[np.uint64]) -> Bools:
        """Return the arcs of structures, ``[structure, from, to]``, from the words of chains, which number by name."""
        n = len(self.names)
        by_name = np.array(sorted(range(n), key=self.names.__getitem__))
        arcs = np.zeros((len(words), n, n), bool)
        arcs[:, by_name[:, None], by_name[None, :]] = unpacked_parents(words).transpose(0, 2, 1)
        return arcs

    def _dag(self, arcs: npt.NDArray[np.bool_]) -> DAG:
        return DAG.from_parent_sets(self.names, [np.flatnonzero(column).tolist() for column in arcs.T])

    @cached_property
    def structures(self) -> dict[DAG, float]:
        """The structures that were sampled, and the share of each; the largest first."""
        shares = self._distinct.shares
        order = np.argsort(-shares, kind="stable")
        return {self._dag(self._distinct.arcs[k]): float(shares[k]) for k in order}

    @property
    def n_samples(self) -> int:
        """How many structures were kept, of all chains."""
        return int(self.chains.log_weights.size)

    # --- probabilities ---

    @cached_property
    def _found(self) -> _Found:
        arcs, number, shares, _, weights = self._distinct
        chains, samples = self.chains.log_weights.shape
        n = len(self.names)
        flat = arcs.reshape(len(arcs), n * n)
        changing = np.flatnonzero(flat.min(axis=0) != flat.max(axis=0))
        probable = flat[0].astype(np.float64)
        probable[changing] = shares @ flat[:, changing]
        series: Any = flat[:, changing][number].reshape(chains, samples, -1)
        if self.prior == "classes":
            series = weights.reshape(chains, samples, 1) * (series - probable[changing])
        found = diagnose(series)
        whole = float(weights.sum() ** 2 / (weights**2).sum())
        r_hat, size = diagnose_numbers(self.chains.log_weights)
        spread = np.ones(changing.size)
        if self.prior == "classes":
            plain_spread = probable[changing] * (1.0 - probable[changing])
            spread = np.maximum(series.reshape(chains * samples, changing.size).var(axis=0) / plain_spread, 1.0)
        sizes = np.full(n * n, whole if np.isnan(size) else min(size, whole))
        sizes[changing] = found.effective_size / spread
        errors = _standard_errors(probable, sizes).reshape(n, n)
        errors[~self._possible] = 0.0
        hats = [("the score", r_hat), *((self._arc_name(at), h) for at, h in zip(changing, found.r_hat, strict=True))]
        worst = [("the score", size), *((self._arc_name(at), sizes[at]) for at in changing)]
        worst = [(of, value) for of, value in worst if not np.isnan(value)] or [("all", whole)]
        hat_of, hat = max(hats, key=lambda one: one[1])
        size_of, least = min(worst, key=lambda one: one[1])
        return _Found(
            np.clip(probable.reshape(n, n), 0.0, 1.0), errors, float(hat), hat_of, float(least), size_of, r_hat, size
        )

    @cached_property
    def _rules_of_prior(self) -> Rules:
        """The rules with the arcs that the structure prior requires or rules out."""
        return self._rules if self._structure_prior is None else self._structure_prior.restrict(self._rules)

    def _members(self, graph: PDAG) -> int | None:
        """Return how many members of a class are allowed; None if they are too many to be looked at one by one."""
        try:
            return count_allowed_members(graph, self._rules_of_prior)
        except ArgumentError:
            return None

    @property
    def _possible(self) -> Bools:
        """Where an arc can be there or not: ``[from, to]``."""
        rules = self._rules_of_prior
        possible: Bools = rules.may_matrix & ~rules.must_matrix & (rules.most > 0)
        return possible

    def _arc_name(self, at: Any) -> str:
        n = len(self.names)
        return f"{self.names[int(at) // n]} -> {self.names[int(at) % n]}"

    @property
    def prior_text(self) -> str:
        """What the prior is, in words."""
        return prior_words(self.prior, self._rules, self._structure_prior)

    def _arc_matrix(self) -> Floats:
        return self._found.arcs

    @property
    def standard_errors(self) -> pd.DataFrame:
        """The Monte Carlo standard error of each arc's probability.

        √(p (1 - p) / E), E being the effective size, and p the share of the arc with half a sample added either way: an
        arc that never came up may still have a small probability. That of an arc that cannot be there is 0.
        """
        return self._frame(self._found.errors)

    @cached_property
    def _paths(self) -> Floats:
        return self._averaged(_reached)

    def _path_matrix(self) -> Floats:
        return self._paths

    @cached_property
    def _blankets(self) -> Floats:
        return self._averaged(_in_blanket)

    def _blanket_matrix(self) -> Floats:
        return self._blankets

    def _averaged(self, feature: Any) -> Floats:
        """Return the average over structures of a matrix that belongs to each."""
        arcs, shares = self._distinct.arcs, self._distinct.shares
        n = len(self.names)
        total = np.zeros((n, n))
        step = max(1, (1 << 25) // (n * n))  # entries of matrices that are worked on together
        for start in range(0, len(arcs), step):
            some = feature(arcs[start : start + step])
            total += np.tensordot(shares[start : start + step], some.astype(np.float64), 1)
        return np.clip(total, 0.0, 1.0)

    @property
    def arcs(self) -> pd.DataFrame:
        """The probability of each arc, in a row of its own: ``from``, ``to``, ``probability``, ``standard_error``."""
        errors = self._found.errors
        return super().arcs.assign(standard_error=errors[~np.eye(len(errors), dtype=bool)])

    # --- diagnostics ---

    @property
    def r_hat(self) -> float:
        """The largest rank-normalised split R-hat of the score and of all arcs; 1 for chains that agree."""
        return self._found.r_hat

    @property
    def effective_size(self) -> float:
        """The smallest effective size of the score and of the arcs that are in some structures and not in others."""
        return self._found.effective_size

    @property
    def converged(self) -> bool:
        """Whether chains agree (R-hat below 1.05), say enough (effective size above 400), and reach the best structure.

        The first chain starts from the best structure that `bnml.learn` finds, so that R-hat is large where the others
        miss it. Where all that chains visit, and what local search reaches from there, stays more than a nat below it,
        chains have missed a mode. Where a time limit cuts an exact search off, nobody knows.
        """
        missed = self.chains.missed_mode or self.chains.search_cut
        return self.r_hat < LARGEST_R_HAT and self.effective_size > LEAST_EFFECTIVE_SIZE and not missed

    @property
    def swap_rates(self) -> Floats:
        """How often neighbouring temperatures were exchanged, from the coldest on."""
        return self.chains.exchanged

    @property
    def verdict(self) -> str:
        """Whether the numbers can be trusted, in words, and what to do if not."""
        found, chains = self._found, self.chains
        if self.converged:
            return f"converged: R-hat at most {found.r_hat:.3f}, effective size at least {found.effective_size:,.0f}"
        if chains.missed_mode:
            return (
                f"not converged: every chain stays {chains.shortfall:,.1f} nats below the best structure that a search "
                "finds; take bnml.learn for the best structure, or fewer variables for probabilities"
            )
        if chains.search_cut:
            return (
                "not converged: the time was over before the best structure was proven, which chains may have missed; "
                "allow more time"
            )
        text = (
            f"not converged: R-hat {found.r_hat:.3g} of {found.r_hat_of} (below {LARGEST_R_HAT} is wanted), effective "
            f"size {found.effective_size:,.0f} of {found.effective_size_of} (above {LEAST_EFFECTIVE_SIZE:,.0f} is "
            "wanted)"
        )
        if chains.ended:
            return f"{text}; {self._ended()}: allow more time, or fewer variables or parents"
        times = max(2.0, LEAST_EFFECTIVE_SIZE / max(found.effective_size, 1.0)) if found.r_hat < 1.2 else 4.0
        more = max(100, int(np.ceil(min(times, 50.0) * chains.asked / 100.0)) * 100)
        return f"{text}; take more samples (samples={more}), and if that does not help allow fewer parents or variables"

    def _ended(self) -> str:
        kept, asked = self.chains.log_weights.shape[1], self.chains.asked
        why = "the time was over" if self.chains.ended == "time" else "it was interrupted"
        return f"{why} after {kept:,} of {asked:,} samples of each chain"

    def to_arviz(self) -> Any:
        """Return the samples as the `InferenceData` of arviz: the score, and each arc that changes, as 0 and 1.

        Raises
        ------
        DependencyError
            If arviz is not installed (``pip install 'bnml[arviz]'``).
        """
        with needs("to_arviz", "arviz"), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # arviz tells of its next version
            import arviz
        chains, samples = self.chains.log_weights.shape
        flat = self._distinct.arcs.reshape(len(self._distinct.arcs), -1)
        changing = np.flatnonzero(flat.min(axis=0) != flat.max(axis=0))
        values = {
            "score": self.chains.log_weights,
            "arc": flat[:, changing][self._distinct.number].reshape(chains, samples, -1).astype(np.int8),
        }
        return arviz.from_dict(
            posterior=values, coords={"arcs": [self._arc_name(at) for at in changing]}, dims={"arc": ["arcs"]}
        )

    def plot_trace(self) -> Figure:
        """Return a picture of the chains' scores, sample after sample; save it with ``.savefig("trace.png")``."""
        from bnml.uncertainty.trace_plot import trace_plot

        return trace_plot(self.chains.log_weights, self.verdict.split(":")[0] + f", R-hat {self.r_hat:.3f}")

    # --- the best, and what they say ---

    def _top(self, k: int, *, classes: bool) -> pd.DataFrame:
        import pandas as pd

        if classes:
            return self._top_classes(k)
        local = local_scores(self._data, self._score)
        best = [(self._dag(arcs), share) for arcs, share in self._best(k)]
        rows = [(str(dag), local.score(dag), share) for dag, share in best]
        return pd.DataFrame(rows, columns=["structure", "score", "probability"])

    def _best(self, k: int) -> list[tuple[Bools, float]]:
        """Return the most probable structures and their shares; names break ties.

        Where all structures are equally probable before data, scores decide, which have no sampling error, and the
        structure from which the first chain started is one of them. Else shares come first.
        """
        arcs, _, shares, weights, _ = self._distinct
        searched = self.chains.searched_parents
        if self.prior == "uniform" and searched is not None:
            arcs = np.concatenate([arcs, self._arcs_of(searched[None])])
            shares, weights = np.append(shares, 0.0), np.append(weights, self.chains.searched)
            if (arcs[:-1] == arcs[-1]).all(axis=(1, 2)).any():
                arcs, shares, weights = arcs[:-1], shares[:-1], weights[:-1]
        rounded = np.round(weights, 6)
        first = rounded if self.prior == "uniform" else shares
        ranks = list(zip(first.tolist(), rounded.tolist(), strict=True))
        lowest = sorted(ranks, reverse=True)[min(k, len(ranks)) - 1]
        among = [at for at, rank in enumerate(ranks) if rank >= lowest]
        names = {at: str(self._dag(arcs[at]).reordered(sorted(self.names))) for at in among}
        among.sort(key=lambda at: (-ranks[at][0], -ranks[at][1], names[at]))
        return [(arcs[at], float(shares[at])) for at in among[:k]]

    def _top_classes(self, k: int) -> pd.DataFrame:
        import pandas as pd

        found, local, names = self._distinct, local_scores(self._data, self._score), sorted(self.names)
        shares: dict[PDAG, float] = {}
        members: dict[PDAG, list[int]] = {}
        for at, share in enumerate(found.shares.tolist()):
            graph = self._dag(found.arcs[at]).cpdag()
            shares[graph] = shares.get(graph, 0.0) + share
            members.setdefault(graph, []).append(at)
        ranks = {g: (-shares[g], -round(float(found.log_weights[own].max()), 6)) for g, own in members.items()}
        last = sorted(ranks.values())[min(k, len(ranks)) - 1]
        among = [graph for graph, rank in ranks.items() if rank <= last]
        canonical = {graph: canonical_extension(graph) for graph in among}
        best = sorted(among, key=lambda graph: (ranks[graph], str(canonical[graph].reordered(names))))[:k]
        highest = [max(local.score(self._dag(found.arcs[at])) for at in members[graph]) for graph in best]
        return pd.DataFrame(
            {
                "cpdag": pd.Series(best, dtype=object),
                "structure": [str(canonical[graph]) for graph in best],
                "dags": [self._members(graph) for graph in best],
                "score": highest,
                "probability": [shares[graph] for graph in best],
            }
        )

    @cached_property
    def _average(self) -> AveragedStructures:
        from bnml.uncertainty.averaged import AveragedStructures

        return AveragedStructures(self._data, self._score, self._distinct.arcs, self._distinct.shares)

    def log_prob(self, data: Any) -> Floats:
        """Return the log-probability of each row of new data, averaged over the sampled structures.

        As `Posterior.log_prob`, for any number of variables.
        """
        return self._average.log_prob(data)

    def predict_proba(self, data: Any, name: str) -> pd.DataFrame:
        """Return the probability of each state of a variable given all others, averaged over the sampled structures.

        Parameters
        ----------
        data
            A `Data` or anything that `bnml.read` takes, with all of the other variables.
        name
            The variable.

        Returns
        -------
        DataFrame
            A row for each row of the source, a column for each state.

        Raises
        ------
        BnmlError
            If a variable is missing, or a value is none of its states.
        """
        return self._average.predict_proba(data, name)

    def query(
        self,
        names: str | Sequence[str],
        evidence: Mapping[str, Any] | None = None,
        do: Mapping[str, Any] | None = None,
    ) -> pd.Series[float]:
        """Return P(names | evidence, do), averaged over the sampled structures.

        Parameters
        ----------
        names
            A variable, or several.
        evidence
            What is observed, as for `BayesianNetwork.query`.
        do
            What is set from outside: each structure answers with its own directions.

        Returns
        -------
        Series
            A value for each state, or for each combination of states.

        Raises
        ------
        BnmlError
            If a variable or a state is not known, or the evidence is impossible.
        """
        return self._average.query(names, evidence, do)

    # --- reports ---

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values, for JSON."""
        found, chains = self._found, self.chains
        return {
            **attributes(self, "score", "prior", "prior_text"),
            "method": "sample",
            "variables": list(self.names),
            "rows": self.n_rows,
            "interventions": rows_set(self._data),
            "chains": chains.log_weights.shape[0],
            "samples": chains.log_weights.shape[1],
            "samples_asked": chains.asked,
            "converged": self.converged,
            "verdict": self.verdict,
            "r_hat": plain(found.r_hat),
            "effective_size": plain(found.effective_size),
            "temperatures": plain(chains.betas.tolist()),
            "swap_rates": plain(chains.exchanged.tolist()),
            "families": chains.families,
            "arcs": records(self.arcs),
            "paths": self._pairs(self._paths),
            "blankets": self._pairs(self._blankets),
            "seconds": self.seconds,
        }

    def _pairs(self, values: Floats) -> list[dict[str, Any]]:
        return [
            {"from": a, "to": b, "probability": plain(float(values[i, j]))}
            for i, a in enumerate(self.names)
            for j, b in enumerate(self.names)
            if i != j
        ]

    def _numbers(self, x: int, y: int) -> list[float]:
        errors = self._found.errors
        return [*super()._numbers(x, y), float(max(errors[x, y], errors[y, x]))]

    def _facts(self) -> list[tuple[str, str]]:
        chains = self.chains
        number, kept = chains.log_weights.shape
        swaps = "" if chains.exchanged.size == 0 else (
            f", {len(chains.betas)} temperatures exchanged at rates of {chains.exchanged.min():.2f} to "
            f"{chains.exchanged.max():.2f}"
        )  # fmt: skip
        told = [
            ("score", f"{self.score} (read as the log-probability of the data given a structure)"),
            ("prior", self.prior_text),
            ("chains", f"{number} with {number_of(kept, 'sample')} each{swaps}"),
            ("verdict", self.verdict),
            *([("set", words)] if (words := rows_set_words(self._data)) else []),
            ("arcs", f"{self._found.arcs.sum():.2f} expected"),
            ("time", f"{self.seconds:.2g} s"),
        ]
        if chains.ended and self.converged:
            told.insert(4, ("ended", self._ended()))
        return told

    def __repr__(self) -> str:
        return (
            f"<SampledPosterior: {number_of(len(self.names), 'variable')}, {self.score}, {self.prior} prior, "
            f"{self.n_samples:,} samples, {'converged' if self.converged else 'not converged'}>"
        )


def _standard_errors(probable: Floats, sizes: Floats) -> Floats:
    """Return √(p (1 - p) / E) for probabilities that are pulled a little towards one half."""
    pulled = (probable * sizes + 0.5) / (sizes + 1.0)
    errors: Floats = np.sqrt(pulled * (1.0 - pulled) / sizes)
    return errors


def _reached(arcs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which variables a directed path leads to, for structures ``[structure, from, to]``."""
    paths = arcs.astype(np.float32)
    length, n = 1, arcs.shape[1]
    while length < n - 1:
        paths = np.minimum(paths + paths @ paths, 1.0)
        length *= 2
    return paths > 0.5


def _in_blanket(arcs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which variables are in each other's Markov blankets: parents, children, and the children's parents."""
    number = arcs.astype(np.float32)
    blanket = arcs | arcs.transpose(0, 2, 1) | (number @ number.transpose(0, 2, 1) > 0.5)
    own = np.arange(arcs.shape[1])
    blanket[:, own, own] = False
    return blanket
