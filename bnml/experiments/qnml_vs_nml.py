"""How near qNML and fNML come to the exact NML of forests, up to five variables.

The qNML paper shows that qNML equals NML where every component of a structure is complete, takes this as a sign that it
is a reasonable approximation in general, and leaves that for further study (section 3.3, footnote 1). For forests NML
can be computed, and up to five variables all of them can be compared: 2, 7, 38 and 291 forests of 2, 3, 4 and 5.

**Trees.** qNML less NML does not depend on the data, and for a forest it is the sum over its trees. So it is listed,
for all trees of three to five variables with two or three values each, up to 200 rows; for variables that are all
binary up to 5,000; and for trees of which one variable is joined with all others, which cost nothing, up to 5,000 with
three, four, five and ten values as well.

**Choices.** Of each of the UCI tables with at least five columns of two or three values (all but one of the twenty),
two, three, four and five of these columns are chosen at random and the rows are shuffled, once for each repetition; the
first 25, 50, 100 and 200 rows are a table each, as far as there are more rows than that. Besides, there are all choices
of binary columns with all rows, for tables that have three or more. On each such table all forests are scored, and
three questions are asked: how far scores are from NML, how well their order agrees (Spearman's rank correlation), and
how much NML is lost by the forest that is best under another score. A loss of zero means the same forest, or one that
is just as good. Where a score cannot tell the best forests apart, the first is taken.

qNML and NML give the same score however a forest is directed; fNML does not, and each forest has its best fNML score
of all directions in which no variable has two parents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, permutations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from bnml._arrays import Floats
from bnml.data import Data
from bnml.data.resampling import first_rows
from bnml.errors import DataError
from bnml.experiments import charts
from bnml.experiments.claims import Claim, claim_of_fact, claim_of_margin
from bnml.experiments.comparison import student_error
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_blocks, experiment_generator
from bnml.experiments.uci_tables import FOLDER, TABLE_FILES, TABLES, read_uci_table
from bnml.nml import regret
from bnml.nml.forest import log_normaliser
from bnml.nml.forest_sums import ForestSums
from bnml.scores import LocalScores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "qnml-vs-nml"
NODES = (2, 3, 4, 5)
ROWS = (25, 50, 100, 200)
VALUES = (2, 3)
CLOSE = 1e-9  # nats; forests whose NML differs by less are equally good

TREES: dict[str, tuple[int | None, ...]] = {
    "chain of 3": (None, 0, 0),
    "chain of 4": (None, 0, 1, 2),
    "star of 4": (None, 0, 0, 0),
    "chain of 5": (None, 0, 1, 2, 3),
    "fork of 5": (None, 0, 0, 0, 3),
    "star of 5": (None, 0, 0, 0, 0),
}
SMALLER = {  # the trees that are left when a leaf is taken off
    "chain of 4": ("chain of 3",),
    "star of 4": ("chain of 3",),
    "chain of 5": ("chain of 4",),
    "fork of 5": ("chain of 4", "star of 4"),
    "star of 5": ("star of 4",),
}
TREE_ROWS = (2, 5, 10, 25, 50, 100, 200, 500, 1000, 2000, 5000)
MANY_VALUES = (4, 5, 10)
SLOWER = "slower with the rows"


class Forests(NamedTuple):
    """All forests over some variables, each in all its directions.

    Attributes
    ----------
    parents
        For each directed forest the parent of each variable; the number of variables stands for none.
    forest
        For each directed forest the number of the forest without directions.
    first
        For each forest its first directed form.
    links
        For each forest the number of its links.
    complete
        For each forest whether all of its trees are single variables or pairs.
    """

    parents: NDArray[np.int64]
    forest: NDArray[np.int64]
    first: NDArray[np.int64]
    links: NDArray[np.int64]
    complete: NDArray[np.bool_]


@cache
def forests_to_compare(nodes: int) -> Forests:
    """Return all forests over some variables, to compare qNML with NML on them.

    Examples
    --------
    >>> found = [forests_to_compare(k) for k in (2, 3, 4, 5)]
    >>> [len(forests.first) for forests in found], [len(forests.parents) for forests in found]
    ([2, 7, 38, 291], [3, 16, 125, 1296])
    """
    directed, numbers, known = [], [], dict[frozenset[tuple[int, int]], int]()
    for parents in product(range(nodes, -1, -1), repeat=nodes):
        if all(_reaches_root(parents, x) for x in range(nodes)):
            links = frozenset((min(x, y), max(x, y)) for x, y in enumerate(parents) if y < nodes)
            numbers.append(known.setdefault(links, len(known)))
            directed.append(parents)
    first = [numbers.index(k) for k in range(len(known))]
    degrees = [np.bincount([x for link in links for x in link], minlength=1).max() for links in known]
    return Forests(
        np.array(directed), np.array(numbers), np.array(first), np.array([*map(len, known)]), np.array(degrees) < 2
    )


def _reaches_root(parents: Sequence[int], start: int) -> bool:
    """Whether the way up from a variable ends."""
    x = start
    for _ in parents:
        if x == len(parents):
            return True
        x = parents[x]
    return x == len(parents)


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return the trees by number of rows, and the tables in blocks of repetitions."""
    found = [Part(("trees", n), 0.3 + (n / 130) ** 2 if n <= max(ROWS) else 0.5) for n in TREE_ROWS]
    wide = 0
    for name in TABLES:
        data = read_uci_table(folder, name)
        few, binary = (len(_columns(data, most)) for most in (3, 2))
        if few >= max(NODES):
            wide += data.n_rows > min(ROWS)
            found += [Part((name, *ends), 0.03 * (ends[1] - ends[0])) for ends in experiment_blocks(repetitions, 25)]
        if binary >= 3:
            found.append(Part((name, "whole"), 0.2))
    if not wide:
        raise DataError(
            f"no table in {FOLDER!r} has {max(NODES)} columns of two or three values and more than {min(ROWS)} rows"
        )
    return found


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return how far scores are from NML: of trees, on random tables, or on the whole of the binary columns."""
    if key[0] == "trees":
        return _trees(key[1])
    if key[1] == "whole":
        return _whole(folder, key[0])
    name, first, last = key
    return _drawn(folder, name, first, last, seed)


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Say what was open and what was found, and draw differences, agreement and losses."""
    kinds = {kind: [row for row in rows if row["kind"] == kind] for kind in ("tree", "table", "links")}
    trees, results, links = (pd.DataFrame(own).drop(columns="kind") for own in kinds.values())
    links, pooled = _together(links), _summary(results, ["rows", "nodes", "n"])
    comparison = _comparison(results, links)
    tables = {
        "results": results,
        "summary": _summary(results, ["rows", "data", "nodes", "n"]),
        "agreement": pooled,
        "links": links,
        "trees": trees,
        "comparison": comparison,
    }
    figures = {"figure": _agreement_figure(pooled), "links": _links_figure(links), "trees": _trees_figure(trees)}
    return Outputs(tables, figures, _findings(trees, results, links, pooled), _claims(trees, results))


def _claims(trees: pd.DataFrame, results: pd.DataFrame) -> list[Claim]:
    """Return what the paper says of qNML and NML."""
    pairs, several = float(results["qnml_complete"].max()), results[results["nodes"] > 2]
    above = trees["qnml_above_nml"]
    same = (several["qnml_loss"] == 0).astype(float) - (several["fnml_loss"] == 0)
    sets = same.groupby(several["data"]).mean()  # tables of one data set are not independent
    shares = [float((several[f"{score}_loss"] == 0).mean()) for score in ("qnml", "fnml")]
    lost = float(several["qnml_loss"].mean())
    return [
        claim_of_fact(
            "qNML coincides with NML where all components are complete.", "qNML, Theorem 3", pairs <= CLOSE,
            f"off by {pairs:.0e} nats at most on {len(results):,} tables", f"{CLOSE:g} nats, for rounding",
        ),
        claim_of_margin(
            "qNML is a reasonable approximation of NML in general (it finds NML's best forest more often than fNML).",
            "qNML, section 3.3, a footnote", float(sets.mean()), student_error(sets),
            f"qNML chooses a forest of highest NML on {shares[0]:.1%} of the tables, fNML on {shares[1]:.1%}; qNML "
            f"loses {lost:.3f} nats on average, and is {above.min():.2f} to {above.max():.2f} nats above NML",
        ),
    ]  # fmt: skip


# --- trees: what does not depend on data ---


def _trees(n: int) -> list[Row]:
    """Return qNML less NML of all trees for a number of rows."""
    sums, rows = ForestSums(n), list[Row]()
    for name, parents in TREES.items():
        for arities in _arities(parents, n):
            nml = log_normaliser(sums, parents, arities)
            qnml = sum(
                regret(n, r) if above is None else regret(n, r * arities[above]) - regret(n, arities[above])
                for r, above in zip(arities, parents, strict=True)
            )
            rows.append(
                {
                    "kind": "tree",
                    "n": n,
                    "tree": name,
                    "parents": " ".join("-" if above is None else str(above) for above in parents),
                    "values": _text(arities),
                    "penalty_nml": nml,
                    "penalty_qnml": qnml,
                    "qnml_above_nml": nml - qnml,
                }
            )
    return rows


def _arities(parents: Sequence[int | None], n: int) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of values of a tree, each once up to the names of variables."""
    size = len(parents)
    links = {frozenset((x, above)) for x, above in enumerate(parents) if above is not None}
    same = [to for to in permutations(range(size)) if {frozenset(to[x] for x in link) for link in links} == links]
    for values in product(VALUES if n <= max(ROWS) else VALUES[:1], repeat=size):
        if values == min(tuple(values[x] for x in to) for to in same):
            yield values
    if set(parents) == {None, 0}:
        yield from ((r,) * size for r in (3, *MANY_VALUES) if r > 3 or n > max(ROWS))


# --- tables ---


def _drawn(folder: Path, name: str, first: int, last: int, seed: int) -> list[Row]:
    """Return the comparisons on tables of random rows and columns, and differences by number of links."""
    data = _narrow(folder, name, 3)
    rows, gathered = list[Row](), dict[tuple[int, int, int], list[tuple[Floats, Floats]]]()
    for repetition in range(first, last):
        random = experiment_generator(seed, NAME, name, repetition)
        order = random.permutation(data.n_rows)
        chosen = [random.choice(len(data.names), k, replace=False).tolist() for k in NODES]
        sizes = [n for n in ROWS if n < data.n_rows]
        for n, sample in zip(sizes, first_rows(data, order, sizes), strict=True):
            scores = _family_scores(sample)
            for columns in chosen:
                row, qnml, fnml = _compared(sample, scores, columns, VALUES)
                rows.append({"kind": "table", "rows": "drawn", "data": name, "repetition": repetition, **row})
                links = forests_to_compare(len(columns)).links
                for count in range(len(columns)):
                    pair = (qnml[links == count], fnml[links == count])
                    gathered.setdefault((n, len(columns), count), []).append(pair)
    for (n, nodes, count), pairs in gathered.items():
        row = {"kind": "links", "data": name, "n": n, "nodes": nodes, "links": count}
        for score, values in zip(("qnml", "fnml"), zip(*pairs, strict=True), strict=True):
            off = np.concatenate(values)
            row |= {"forests": off.size, f"{score}_equal": int((np.abs(off) <= CLOSE).sum())}
            row |= {
                f"{score}_sum": float(off.sum()),
                f"{score}_low": float(off.min()),
                f"{score}_high": float(off.max()),
            }
        rows.append(row)
    return rows


def _whole(folder: Path, name: str) -> list[Row]:
    """Return the comparisons on all binary columns and all rows, for every choice of columns."""
    data = _narrow(folder, name, 2)
    scores = _family_scores(data)
    chosen = [columns for k in NODES for columns in combinations(range(len(data.names)), k)]
    return [
        {"kind": "table", "rows": "whole", "data": name, "repetition": i, **_compared(data, scores, columns, (2,))[0]}
        for i, columns in enumerate(chosen)
    ]


@lru_cache(maxsize=2)
def _narrow(folder: Path, name: str, most: int) -> Data:
    """Return a table with the columns of two to so many values."""
    data = read_uci_table(folder, name)
    return data.select(_columns(data, most))


def _columns(data: Data, most: int) -> list[str]:
    return [name for name, r in zip(data.names, data.arities, strict=True) if 2 <= r <= most]


def _family_scores(data: Data) -> dict[str, Floats]:
    """Return by score what each column gets with each other one as its parent, and in the last place without any."""
    size = len(data.names)
    pairs = [(x, y) for x in range(size) for y in range(size + 1) if x != y]
    found = {}
    for score in ("loglik", "qnml", "fnml"):
        values = np.zeros((size, size + 1))
        families = LocalScores(data, score).families(
            [x for x, _ in pairs], [[y] if y < size else [] for _, y in pairs], threads=1
        )
        values[tuple(np.array(pairs).T)] = families
        found[score] = values
    return found


def _compared(
    data: Data, scores: dict[str, Floats], columns: Sequence[int], values: tuple[int, ...]
) -> tuple[Row, Floats, Floats]:
    """Return how scores compare with NML on some columns, and their differences to it of all forests."""
    columns = sorted(columns, key=lambda x: data.arities[x])
    arities, all_forests = tuple(data.arities[x] for x in columns), forests_to_compare(len(columns))
    at = np.ix_(columns, [*columns, len(data.names)])
    totals = {name: own[at][np.arange(len(columns)), all_forests.parents].sum(axis=1) for name, own in scores.items()}
    nml = totals["loglik"][all_forests.first] - _normalisers(data.n_rows, values)[arities]
    fnml, worst = np.full(nml.size, -np.inf), np.full(nml.size, np.inf)
    np.maximum.at(fnml, all_forests.forest, totals["fnml"])
    np.minimum.at(worst, all_forests.forest, totals["fnml"])
    others, best = {"qnml": totals["qnml"][all_forests.first], "fnml": fnml}, _best(nml)
    off = {name: own - nml for name, own in others.items()}
    row: Row = {
        "n": data.n_rows,
        "nodes": len(columns),
        "columns": " ".join(data.names[x] for x in columns),
        "values": _text(arities),
        "links": int(all_forests.links[best]),
        "qnml_complete": float(np.abs(off["qnml"][all_forests.complete]).max()),
        "fnml_bare": float(np.abs(off["fnml"][all_forests.links == 0]).max()),
        "fnml_spread": float((fnml - worst).max()),
    }
    for name, own in others.items():
        off[name][np.abs(off[name]) <= CLOSE] = 0.0
        loss = float(nml[best] - nml[_best(own)])
        row |= {
            f"{name}_mean": float(off[name].mean()),
            f"{name}_low": float(off[name].min()),
            f"{name}_high": float(off[name].max()),
            f"{name}_correlation": _correlation(own, nml),
            f"{name}_loss": loss if loss > CLOSE else 0.0,
            f"{name}_links": int(all_forests.links[_best(own)]),
        }
    return row, off["qnml"], off["fnml"]


def _best(scores: Floats) -> int:
    """Return the forest with the highest score, of equally good ones the first."""
    return int((scores >= scores.max() - CLOSE).argmax())


@cache
def _normalisers(n: int, values: tuple[int, ...]) -> dict[tuple[int, ...], Floats]:
    """Return log C of all forests, by the numbers of values in ascending order."""
    sums, found = ForestSums(n), {}
    for nodes in NODES:
        every = forests_to_compare(nodes)
        forms = [[None if above == nodes else int(above) for above in every.parents[i]] for i in every.first]
        for arities in combinations_with_replacement(values, nodes):
            found[arities] = np.array([log_normaliser(sums, form, arities) for form in forms])
    return found


def _correlation(one: Floats, other: Floats) -> float:
    """Return Spearman's rank correlation; scores that differ by rounding alone are equal."""
    ranks = [rankdata(np.round(values, 9)) for values in (one, other)]
    deviations = [own - own.mean() for own in ranks]
    size = float(np.sqrt((deviations[0] ** 2).sum() * (deviations[1] ** 2).sum()))
    return float(deviations[0] @ deviations[1]) / size if size else 1.0


def _text(arities: Sequence[int]) -> str:
    return " ".join(map(str, arities))


# --- what it comes to ---


def _summary(results: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return the mean differences, correlations, agreements and losses of groups of tables."""
    lines = []
    for names, own in results.groupby(list(keys), sort=False):  # in the order of the parts
        line: Row = dict(zip(keys, names, strict=True))
        line |= {"sets": own["data"].nunique(), "tables": len(own), "links": own["links"].mean()}
        for score in ("qnml", "fnml"):
            loss = own[f"{score}_loss"]
            line |= {
                f"{score}_mean": own[f"{score}_mean"].mean(),
                f"{score}_low": own[f"{score}_low"].min(),
                f"{score}_high": own[f"{score}_high"].max(),
                f"{score}_correlation": own[f"{score}_correlation"].mean(),
                f"{score}_same": (loss == 0).mean(),
                f"{score}_mean_loss": loss.mean(),
                f"{score}_highest_loss": loss.max(),
                f"{score}_links": own[f"{score}_links"].mean(),
            }
        lines.append(line)
    return pd.DataFrame(lines)


def _together(links: pd.DataFrame) -> pd.DataFrame:
    """Return the differences by number of links of all tables together."""
    lines = []
    for (n, nodes, count), own in links.groupby(["n", "nodes", "links"]):
        total = int(own["forests"].sum())
        line: Row = {"n": n, "nodes": nodes, "links": count, "forests": total}
        for score in ("qnml", "fnml"):
            line |= {
                f"{score}_equal": int(own[f"{score}_equal"].sum()),
                f"{score}_mean": own[f"{score}_sum"].sum() / total,
                f"{score}_low": own[f"{score}_low"].min(),
                f"{score}_high": own[f"{score}_high"].max(),
            }
        lines.append(line)
    return pd.DataFrame(lines)


def _comparison(results: pd.DataFrame, links: pd.DataFrame) -> pd.DataFrame:
    """Return what the paper says, and what it leaves open, beside what is found."""
    linked, several = links[links["links"] > 0], results[results["nodes"] > 2]
    equal = float(linked["fnml_equal"].sum() / linked["forests"].sum())
    pairs, bare = float(results["qnml_complete"].max()), float(results["fnml_bare"].max())
    lines: list[tuple[str, str, float, bool | str]] = [
        ("largest difference of qNML and NML, single variables and pairs", "0", pairs, pairs <= CLOSE),
        ("largest difference of fNML and NML, without links", "0", bare, bare <= CLOSE),
        ("share of forests with links in which fNML equals NML", "0", equal, equal == 0),
        ("qNML less NML, three to five variables, lowest", "open", float(several["qnml_low"].min()), ""),
        ("qNML less NML, three to five variables, highest", "open", float(several["qnml_high"].max()), ""),
    ]
    for name, score in (("qNML", "qnml"), ("fNML", "fnml")):
        loss = several[f"{score}_loss"]
        lines += [
            (f"share of tables in which {name} chooses a forest of highest NML", "open", float((loss == 0).mean()), ""),
            (f"mean loss of NML by the choice of {name}", "open", float(loss.mean()), ""),
            (f"mean rank correlation of {name} and NML", "open", float(several[f"{score}_correlation"].mean()), ""),
        ]
    return pd.DataFrame(lines, columns=["what", "published", "ours", "within"])


def _findings(trees: pd.DataFrame, results: pd.DataFrame, links: pd.DataFrame, pooled: pd.DataFrame) -> list[str]:
    """Return in sentences how near qNML and fNML come."""
    off = results["qnml_complete"].max()
    equals = "equals NML in all forests of single variables and pairs, as Theorem 3 says"
    if off > CLOSE:
        equals = "does not equal NML in all forests of single variables and pairs, against Theorem 3"
    findings = [f"qNML {equals}: it is off by {off:.0e} at most in {len(results):,} tables.", *_differences(trees)]
    for row in _marks(trees):
        values = f"{row['values'].split()[0]} values each"
        findings.append(f"  {row['tree']}, {values}, n = {row['n']:,}: {row['qnml_above_nml']:+.3f}")
    linked = links[links["links"] > 0]
    low, high, equal = linked["fnml_low"].min(), linked["fnml_high"].max(), int(linked["fnml_equal"].sum())
    findings.append(
        f"fNML, in the best direction, lies {low:+.1f} to {high:+.1f} nats from NML, and equals it in {equal:,} of "
        f"{int(linked['forests'].sum()):,} forests with links. The directions of a forest differ by up to "
        f"{results['fnml_spread'].max():.1f} nats."
    )
    for line in _summary(results[results["nodes"] > 2], ["rows"]).to_dict("records"):
        what = "random tables" if line["rows"] == "drawn" else "whole tables of binary columns"
        findings.append(
            f"On {line['tables']:,} {what} from {line['sets']} data sets, three to five columns at a time, a forest of "
            f"highest NML is chosen by qNML in {line['qnml_same']:.1%} and by fNML in {line['fnml_same']:.1%}; "
            f"{line['qnml_mean_loss']:.3f} and {line['fnml_mean_loss']:.3f} nats of NML are lost on average. Over all "
            f"forests the ranks correlate with those of NML by {line['qnml_correlation']:.3f} and "
            f"{line['fnml_correlation']:.3f}."
        )
    drawn = pooled[(pooled["rows"] == "drawn") & (pooled["nodes"] > 2)].sort_values(["nodes", "n"])
    findings += [
        f"  {line['nodes']} columns, n = {line['n']}: qNML {line['qnml_same']:.1%} ({line['qnml_mean_loss']:.3f} nats "
        f"lost), fNML {line['fnml_same']:.1%} ({line['fnml_mean_loss']:.3f} nats); links: NML {line['links']:.2f}, "
        f"qNML {line['qnml_links']:.2f}, fNML {line['fnml_links']:.2f}"
        for line in drawn.to_dict("records")
    ]
    return findings


def _differences(trees: pd.DataFrame) -> list[str]:
    """Return in sentences how far qNML is from NML in trees of three variables or more, and what that depends on."""
    above = trees["qnml_above_nml"]
    few, higher = above[~trees["values"].str.contains("4|5|10")], int((above > CLOSE).sum())
    findings = [
        f"In {higher} of {len(trees)} trees of three to five variables it is above NML, whatever the data; if all have "
        f"two or three values, the difference is {few.min():.2f} to {few.max():.2f} nats."
    ]
    changes = {str(what): own for what, own in _changes(trees).groupby("what", sort=False)}
    slower = changes.pop(SLOWER, None)
    counts = ", ".join(f"with {what} in {_count(own)}" for what, own in changes.items())
    findings.append(f"It is larger {counts}.")
    if slower is not None:
        findings.append(
            f"From {slower['n'].min()} rows on it changes by less per doubling of the rows than up to there in "
            f"{_count(slower)}."
        )
    return findings


def _changes(trees: pd.DataFrame) -> pd.DataFrame:
    """Return how qNML less NML changes: whether it is larger if one thing is, and whether it levels off with the rows.

    One thing is a leaf more, if all variables have as many values; more values, of one variable or several; more rows.
    """
    known = {
        (row["n"], row["tree"], tuple(map(int, row["values"].split()))): row["qnml_above_nml"]
        for row in trees.to_dict("records")
    }
    found, curves = list[tuple[str, int, bool]](), dict[Any, list[tuple[int, float]]]()
    for (n, tree, values), above in sorted(known.items()):
        curves.setdefault((tree, values), []).append((n, above))
        for smaller in SMALLER.get(tree, ()):
            if len(set(values)) == 1 and (n, smaller, values[1:]) in known:
                found.append(("one more variable", n, above > known[n, smaller, values[1:]]))
    for ((n, tree, fewer), below), ((m, other, more), above) in permutations(known.items(), 2):
        if (n, tree) == (m, other) and all(r <= s for r, s in zip(fewer, more, strict=True)):
            found.append(("more values", n, above > below))
    for curve in curves.values():
        sizes, heights = np.array(curve).T
        steps = np.diff(heights)
        found += [("more rows", int(n), step > 0) for n, step in zip(sizes[1:], steps, strict=True)]
        slopes = np.abs(steps / np.diff(np.log(sizes)))
        falls = zip(sizes[1:], slopes[1:] < slopes[:-1], strict=False)
        found += [(SLOWER, int(n), falling) for n, falling in falls if n >= min(ROWS)]
    return pd.DataFrame(found, columns=["what", "n", "holds"])


def _count(changes: pd.DataFrame) -> str:
    """Return how many of some changes are so, and for which numbers of rows there are others."""
    others = sorted(set(changes["n"][~changes["holds"]]))
    exceptions = f" (the others for n = {', '.join(map(str, others))})" if others else ""
    return f"{changes['holds'].sum():,} of {len(changes):,} cases{exceptions}"


def _marks(trees: pd.DataFrame) -> list[Row]:
    """Return the smallest trees and those that are farthest off, with equal numbers of values, for many rows."""
    found = list[Any]()
    for tree in ("chain of 3", "star of 5"):
        for r in (*VALUES, *MANY_VALUES):
            values = _text((r,) * len(TREES[tree]))
            own = trees[(trees["tree"] == tree) & (trees["values"] == values)]
            found += own.sort_values("n").tail(1).to_dict("records")
    return found


def _agreement_figure(pooled: pd.DataFrame) -> Figure:
    """Draw how often the best forest is the same, and what is lost otherwise, by number of rows."""
    drawn = pooled[pooled["rows"] == "drawn"]
    nodes = NODES[1:]
    drawing, panels = charts.figure(2, len(nodes), width=2.9, height=2.2)
    for k, size in enumerate(nodes):
        own, share, loss = drawn[drawn["nodes"] == size].sort_values("n"), panels[k], panels[k + len(nodes)]
        for name in ("qNML", "fNML"):
            charts.line(share, own["n"], 100 * own[f"{name.lower()}_same"], name)
            charts.line(loss, own["n"], own[f"{name.lower()}_mean_loss"], name)
        for panel in (share, loss):
            panel.set_xscale("log")
            panel.set_xticks(ROWS, [str(n) for n in ROWS])
            panel.minorticks_off()
        share.set_title(f"{size} variables, {len(forests_to_compare(size).first)} forests", fontsize=9)
        loss.set_xlabel("number of rows", fontsize=8)
    shares, losses = panels[: len(nodes)], panels[len(nodes) :]
    low, high = min(panel.get_ylim()[0] for panel in shares), max(panel.get_ylim()[1] for panel in losses)
    for share, loss in zip(shares, losses, strict=True):
        share.set_ylim(low, 101)
        loss.set_ylim(0, high)
    panels[0].set_ylabel("same forest as NML (%)", fontsize=8)
    panels[len(nodes)].set_ylabel("mean loss of NML (nats)", fontsize=8)
    charts.legend(drawing, panels[:1], published=False)
    return drawing


def _links_figure(links: pd.DataFrame) -> Figure:
    """Draw means and ranges of the differences to NML by number of links, for five variables."""
    size = max(NODES)
    drawing, panels = charts.figure(1, len(ROWS), width=2.5, height=2.6)
    for panel, n in zip(panels, ROWS, strict=True):
        own = links[(links["nodes"] == size) & (links["n"] == n)]
        for name, shift in (("qNML", -0.08), ("fNML", 0.08)):
            score, x = name.lower(), own["links"] + shift
            panel.vlines(
                x, own[f"{score}_low"], own[f"{score}_high"], color=charts.COLOURS[name], linewidth=1, alpha=0.6
            )
            charts.line(panel, x, own[f"{score}_mean"], name)
        panel.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
        panel.set_title(f"n = {n}", fontsize=9)
        panel.set_xticks(range(size))
        panel.set_xlabel("number of links", fontsize=8)
    ends = [panel.get_ylim() for panel in panels]
    for panel in panels:
        panel.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))
    panels[0].set_ylabel(f"nats above NML, {size} variables", fontsize=8)
    charts.legend(drawing, panels[:1], published=False)
    return drawing


def _trees_figure(trees: pd.DataFrame) -> Figure:
    """Draw qNML less NML by number of rows: of all trees with equal numbers of values, and for many values."""
    drawing, panels = charts.figure(1, 3, width=3.1, height=2.8)
    colours = ("#cc3377", "#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#009e73")
    for panel, r in zip(panels, VALUES, strict=False):
        for colour, tree in zip(colours, TREES, strict=True):
            _curve(panel, trees, tree, r, tree, colour)
        panel.set_title(f"all variables with {r} values", fontsize=9)
    for colour, r in zip(colours, (*VALUES, *MANY_VALUES), strict=False):
        _curve(panels[2], trees, "chain of 3", r, f"{r} values", colour)
    panels[2].set_title("three variables in a row", fontsize=9)
    panels[2].set_yscale("log")
    for panel in panels:
        panel.set_xscale("log")
        panel.set_xlabel("number of rows", fontsize=8)
    panels[0].set_ylabel("qNML above NML (nats)", fontsize=8)
    panels[2].set_ylim(bottom=0.02)
    panels[2].legend(fontsize=7, frameon=False, ncols=2, loc="lower right")
    charts.legend(drawing, panels[:1], published=False)
    return drawing


def _curve(panel: Axes, trees: pd.DataFrame, tree: str, r: int, label: str, colour: str) -> None:
    own = trees[(trees["tree"] == tree) & (trees["values"] == _text((r,) * len(TREES[tree])))].sort_values("n")
    panel.plot(own["n"], own["qnml_above_nml"], color=colour, label=label, linewidth=1.2, marker="o", markersize=2.5)


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=100, files=TABLE_FILES)
