"""Support: which arcs come back in other samples of the rows (Friedman, Goldszmidt & Wyner 1999).

A structure is learned from each of many tables of rows drawn from those at hand. A link that is in nearly all of them
does not hang on a few rows. Directions are counted in the equivalence classes, as constraints leave them: a link that a
class leaves undirected counts half for either direction.

Rows drawn with replacement, the bootstrap proper, occur several times, and what is several times there looks like
structure (Steck & Jaakkola 2003): noise gets support. So by default the rows are divided in halves, again and again,
and a structure is learned from each half: *stability selection* (Meinshausen & Bühlmann 2010; in complementary pairs
Shah & Samworth 2013). With it comes a bound: of the links found in a share τ > ½ of the halves at most
q² / ((2τ - 1) p) are expected to be false, if a half finds q links on average and p are possible, and if the false ones
are all as likely to be found and no better than by chance.

From which support on a link is believed is read off the data (Scutari & Nagarajan 2013). If all were clear, every link
would be in all structures or in none; the threshold is the one for which that picture is nearest to the supports found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._checks import one_of, whole_number
from bnml._executor import Crew, Place, checked_executor
from bnml._machine import cores, enough_memory, run_all
from bnml._notebook import notebook_table as html_table
from bnml._plain import attributes, plain, records
from bnml._text import seconds_text, text_table
from bnml._watch import Watch
from bnml.data import Data, as_data
from bnml.data.pushed_data import refuse_pushed
from bnml.data.resampling import halves, redrawn
from bnml.errors import SearchError
from bnml.graph import DAG, PDAG
from bnml.report.phrases import describe_prior
from bnml.scores import Score
from bnml.scores.registry import score_text
from bnml.search.learn import learn_class
from bnml.search.options import SearchOptions, search_options

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

RESAMPLING = ("halves", "bootstrap")


@dataclass(frozen=True, repr=False)
class Bootstrap:
    """How often each arc was found in tables with rows drawn anew.

    Attributes
    ----------
    names
        The variables.
    support
        ``support[a, b]``: in which share of the tables a → b was found; an undirected link counts half each way.
    threshold
        From which share of the tables on a link is in the averaged structure.
    repetitions, search, score, seconds
        How many tables, what was done with each, and how long it took.
    resampling
        ``"halves"`` or ``"bootstrap"``.
    prior
        What an arc costs under the structure prior, in words; None under a uniform one.
    """

    names: tuple[str, ...]
    support: Floats = field(compare=False)
    threshold: float
    repetitions: int
    search: str
    score: str
    seconds: float = field(compare=False)
    resampling: str = "halves"
    prior: str | None = None

    @property
    def false_links(self) -> float | None:
        """How many of the links from the threshold on are expected to be false, at most; None where it is not known."""
        pairs = len(self.names) * (len(self.names) - 1) / 2
        if self.resampling != "halves" or self.threshold <= 0.5 or not pairs:
            return None
        found = float(np.triu(self.links, 1).sum())
        return found**2 / ((2.0 * self.threshold - 1.0) * pairs)

    @property
    def n_kept(self) -> int:
        """How many links have the support of the threshold or more."""
        return int((np.triu(self.links, 1) >= self.threshold).sum()) if self.names else 0

    @property
    def bounded(self) -> bool:
        """Whether `false_links` says something: it is known, and smaller than the number of links."""
        return self.false_links is not None and self.false_links < self.n_kept

    @property
    def links(self) -> Floats:
        """In which share of the tables two variables were linked, whatever the direction."""
        return self.support + self.support.T

    @property
    def arcs(self) -> pd.DataFrame:
        """Every link that was found, the best supported first: from, to, support, and the share with that direction."""
        import pandas as pd

        links, rows = self.links, []
        for i in range(len(self.names)):
            for j in range(i):
                if links[i, j] > 0:
                    a, b = (i, j) if self.support[i, j] > self.support[j, i] else (j, i)
                    if self.support[i, j] == self.support[j, i] and self.names[i] < self.names[j]:
                        a, b = i, j
                    rows.append((self.names[a], self.names[b], links[a, b], self.support[a, b] / links[a, b]))
        frame = pd.DataFrame(rows, columns=["from", "to", "support", "direction"])
        return frame.sort_values(["support", "from", "to"], ascending=[False, True, True], ignore_index=True)

    @property
    def dag(self) -> DAG:
        """The averaged structure: links from the threshold on, in their better supported direction, without a cycle."""
        arcs: list[tuple[str, str]] = []
        dag = DAG(self.names)
        for a, b, support in self.arcs[["from", "to", "support"]].itertuples(index=False):
            if support < self.threshold:
                break
            if b in (a, *dag.ancestors(a)):  # the other direction, then
                a, b = b, a
            arcs.append((a, b))
            dag = DAG(self.names, arcs)
        return dag

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as plain values, for JSON."""
        return {
            **attributes(self, "repetitions", "resampling", "search"),
            "score_name": self.score,
            "prior": self.prior,
            "threshold": plain(self.threshold),
            "false_links": plain(self.false_links),
            "arcs": plain(self.dag.arcs),
            "support": records(self.arcs),
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        return f"<Bootstrap of {self.repetitions} tables, {len(self.names)} variables, threshold {self.threshold:.2f}>"

    def __str__(self) -> str:
        frame = self.arcs
        kept = frame[frame["support"] >= self.threshold]
        enough = "all tables" if self.threshold == 1 else f"{self.threshold:.0%} of the tables or more"
        lines = [
            f"{self.repetitions} {self._tables}, {self.search} under {self.score}, {self.seconds:.1f} s",
            f"{len(kept)} of the {len(frame)} links that were found are in {enough}:",
            "",
        ]
        if self.bounded:
            lines[2:2] = [f"At most {self.false_links:.2g} of them are expected to be false (stability selection)."]
        if self.prior is not None:
            lines[1:1] = [f"structure prior: {self.prior}"]
        rows = [[f"{a} -> {b}", f"{s:.1%}", f"{d:.1%}"] for a, b, s, d in kept.itertuples(index=False)]
        return "\n".join([*lines, *text_table(rows, "srr", ["link", "support", "direction"])])

    @property
    def _tables(self) -> str:
        return "halves of the rows" if self.resampling == "halves" else "tables drawn anew"

    def _repr_html_(self) -> str:
        frame = self.arcs
        rows = [[str(a), str(b), f"{s:.1%}", f"{d:.1%}"] for a, b, s, d in frame.itertuples(index=False)]
        return html_table(f"{self.repetitions} {self._tables}", ["from", "to", "support", "direction"], rows)


@enough_memory(SearchError, "structures were scored", "take fewer columns, another search, or a machine with more")
def bootstrap(
    data: Any,
    score: Score | str = "qnml",
    search: str = "auto",
    *,
    repetitions: int = 200,
    resampling: str = "halves",
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str, float], None] | None = None,
    executor: Executor | None = None,
    **options: Any,
) -> Bootstrap:
    """Learn structures from samples of the rows, and count their arcs.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes. With gaps (``missing="em"``) each table is learned
        from by structural EM for itself: what fills the gaps of one half knows nothing of the other.
    score, search
        What is done with each table; see `bnml.learn`.
    repetitions
        How many tables are drawn; for halves one more if it is odd.
    resampling
        ``"halves"``: each two tables have one half of the rows each, drawn without replacement, which does not make
        structure of noise. ``"bootstrap"``: each has as many rows as there are, drawn with replacement.
    seed
        The same seed draws the same tables.
    threads
        How many tables are worked on at a time; all cores by default. With an ``executor``, how many threads each
        table is given; one by default.
    progress
        Called as ``progress(stage, fraction)`` now and then.
    executor
        Whoever learns from the tables: a `concurrent.futures.Executor`, such as a pool of processes, or that of Dask or
        MPI. The result does not depend on it. Each process is sent the data once.
    **options
        Further arguments of `bnml.learn`, such as constraints.

    Returns
    -------
    Bootstrap
        The support of every arc, and the averaged structure.

    Examples
    --------
    >>> import bnml
    >>> found = bnml.bootstrap(bnml.example(), "bic", "tabu", repetitions=20)
    >>> found.dag.parents("either"), found.dag.parents("dysp")
    (('tub', 'lung'), ('bronc', 'either'))
    """
    whole_number(repetitions, "repetitions", 1)
    one_of(resampling, "resampling", RESAMPLING)
    elsewhere = checked_executor(executor)
    learning = search_options(search, score=score, seed=seed, threads=threads, progress=progress, **options)
    named = score if isinstance(score, str) else None
    return bootstrap_of(learning, as_data(data), repetitions, resampling, executor=elsewhere, named=named)


@enough_memory(SearchError, "structures were scored", "take fewer columns, another search, or a machine with more")
def bootstrap_of(
    learning: SearchOptions,
    data: Data,
    repetitions: int,
    resampling: str = "halves",
    *,
    executor: Executor | None = None,
    named: str | None = None,
) -> Bootstrap:
    """Learn structures from samples of the rows with options that are checked; see `bootstrap`.

    Parameters
    ----------
    learning
        How a structure is learned from each table.
    data
        The table.
    repetitions, resampling, executor
        As for `bootstrap`.
    named
        What the score was called.
    """
    watch, workers = Watch(learning.progress), cores(learning.threads)
    repetitions += repetitions % 2 if resampling == "halves" else 0
    refuse_pushed(data, "bootstrap")
    each = 1 if executor is None or learning.threads is None else workers
    learning = replace(learning.with_prior_for(data), threads=each, progress=None)  # the prior is the whole table's
    n = len(data.names)
    if resampling == "halves" and data.n_rows < 2:
        raise SearchError("the table has one row, which has no halves", argument="resampling", value="halves")
    found = np.zeros((repetitions, n, n))
    finished = count(1)

    def tell() -> None:
        done = next(finished)
        left = watch.seconds * (repetitions - done) / done
        watch(f"table {done:,} of {repetitions:,}, {seconds_text(left)} left", done / repetitions)

    draws = _Draws(data, resampling, learning)
    if executor is not None:
        with Crew(executor, _learn_from_draw, draws) as crew:
            for k, arcs in enumerate(crew.in_order(range(repetitions))):
                found[k] = arcs
                tell()
    else:
        _learn_here(draws, found, workers, tell)
    support = found.mean(axis=0)
    links = (support + support.T)[np.triu_indices(n, 1)]
    prior = None if learning.structure_prior is None else learning.structure_prior.bind(data)
    return Bootstrap(
        data.names,
        support,
        bootstrap_threshold(links),
        repetitions,
        learning.search_name,
        score_text(learning.score) if named is None else named,
        watch.seconds,
        resampling,
        None if prior is None else describe_prior(prior, data.names),
    )


@dataclass(frozen=True)
class _Draws:
    """What all tables are drawn from, how, and what is done with each."""

    data: Data
    resampling: str
    learning: SearchOptions

    def arcs(self, k: int, progress: Callable[[str, float], None]) -> npt.NDArray[np.float16]:
        """Return the arcs that are learned from the k-th table, as a matrix."""
        drawn = _drawn(self.data, self.resampling, self.learning.seed, k)
        result = learn_class(replace(self.learning, progress=progress), drawn)
        return _counted(result.directions if result.tested is None else result.cpdag)


def _learn_from_draw(shared: _Draws, k: int, place: Place) -> npt.NDArray[np.float16]:
    """Learn from the k-th table, wherever this is done."""
    return shared.arcs(k, place.go_on)


def _learn_here(draws: _Draws, found: Floats, workers: int, tell: Callable[[], None]) -> None:
    """Learn from all tables in threads of this process."""
    stopped = Event()

    def go_on(stage: str, share: float) -> None:
        if stopped.is_set():
            raise _StoppedError

    def task(first: int, last: int) -> None:
        for k in range(first, last):
            found[k] = draws.arcs(k, go_on)
            tell()

    run_all(task, [(k, k + 1) for k in range(len(found))], workers, stopped.set)


class _StoppedError(Exception):
    """Another table has failed, or the user does not want to wait."""


def _drawn(data: Data, resampling: str, seed: int, k: int) -> Data:
    """Return the k-th table."""
    if resampling == "halves":
        return halves(data, np.random.default_rng([seed, k // 2]))[k % 2]
    return redrawn(data, np.random.default_rng([seed, k]))


def _counted(graph: PDAG) -> npt.NDArray[np.float16]:
    """Return the arcs of a class as a matrix; an undirected link counts half each way."""
    at = {name: i for i, name in enumerate(graph.names)}
    counts = np.zeros((len(at), len(at)), np.float16)  # 0, 1/2 and 1 are exact
    for a, b in graph.directed:
        counts[at[a], at[b]] = 1.0
    for a, b in graph.undirected:
        counts[at[a], at[b]] = counts[at[b], at[a]] = 0.5
    return counts


def bootstrap_threshold(supports: Floats) -> float:
    """Return the support from which on a link is believed (Scutari & Nagarajan 2013).

    F is the empirical distribution of the supports. If a share t of the links were in no structure and the others in
    all, it would be t between 0 and 1; the t for which the distance ∫ |F(x) - t| dx is smallest gives the threshold:
    the smallest support that more than a share t of the links does not exceed.
    """
    if supports.size == 0:
        return 1.0
    values = np.sort(supports)
    steps = np.concatenate([[0.0], values, [1.0]])
    heights = np.arange(supports.size + 1) / supports.size  # of F between neighbouring steps
    widths = np.diff(steps)
    shares = np.unique(heights)
    distances = np.array([(np.abs(heights - t) * widths).sum() for t in shares])
    best = float(shares[int(distances.argmin())])
    above = values[round(best * supports.size) :]
    return float(above[0]) if above.size else 1.0
