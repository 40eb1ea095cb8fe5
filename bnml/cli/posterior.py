"""``bnml posterior``: how probable each arc is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import bnml
from bnml._files import written_whole
from bnml._plain import records
from bnml._text import text_table
from bnml.cli import options, printing, reading
from bnml.cli.constraints import Known
from bnml.cli.learn import LONG
from bnml.cli.option_groups import takes_groups
from bnml.cli.outputs import check_outputs
from bnml.cli.progress import progress_bar
from bnml.cli.rows import write_rows
from bnml.cli.searches import Limits, read_score
from bnml.errors import ArgumentError
from bnml.scores import SCORES
from bnml.scores.priors import DEFAULT_PRIOR
from bnml.search.options import SearchOptions

if TYPE_CHECKING:
    import pandas as pd

    from bnml.scores import Score
    from bnml.uncertainty import Posterior, SampledPosterior

EXAMPLE = "Example: bnml posterior survey.csv --columns smoke,lung --score bdeu:10 --top 3"
OPTIONS = {"k": "--top"}
EXACT_STAGE = "family scores"  # what exact sums begin with

POSTERIOR_SCORES = [name for name, score in SCORES.items() if score.admits_posterior]
ScoreName = Annotated[
    str,
    typer.Option(
        "--score",
        metavar="NAME",
        help=f"The score, read as a log-probability: {', '.join(POSTERIOR_SCORES)}, and bde with --prior-network; a "
        "parameter may follow a colon, as in bdeu:10.",
    ),
]
Prior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="NAME",
        help="uniform: all DAGs are equally probable; order: all orders are; classes: all equivalence classes are. "
        "Without: uniform, or order for exact sums over more than 14 variables.",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="HOW",
        help="exact: sums over all structures, up to 14 variables, with --prior order 22, with --prior classes 6; "
        "sample: by tempered chains; auto: exact where that fits.",
    ),
]
NumberOfChains = Annotated[int, options.whole_number("--chains", metavar="K", help="Of sampling: how many chains.")]
Samples = Annotated[
    int, options.whole_number("--samples", metavar="K", help="Of sampling: structures that each chain keeps.")
]
Top = Annotated[
    int | None,
    options.whole_number("--top", metavar="K", help="The K most probable structures; up to 14 variables, or sampled."),
]
Classes = Annotated[bool, typer.Option("--classes", help="With --top: equivalence classes in place of structures.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE.csv",
        help="File for the probabilities: from, to, probability (of the arc), path, blanket, prior; standard_error if "
        "sampled.",
    ),
]


@takes_groups
def command(
    table: reading.TableReader,
    known_arcs: Known,
    score: ScoreName = "bdeu",
    prior_network: options.PriorNetwork = None,
    prior: Prior = None,
    method: Method = "auto",
    chains: NumberOfChains = 4,
    samples: Samples = 1000,
    top: Top = None,
    classes: Classes = False,
    as_json: options.Json = False,
    *,
    limits: Limits,
    structure_prior: options.StructurePriorName = DEFAULT_PRIOR,
    prior_links: options.PriorLinks = None,
    output: Output = None,
) -> None:
    """Show how probable each arc is, summed over all structures, or sampled."""
    if output is not None:
        check_outputs([("-o", output, (".csv", ".csv.gz"))])
    if classes and top is None:
        raise ArgumentError("--classes goes with --top K: it says what the K best are")
    chosen = read_score(score, prior_network)
    asked = SearchOptions.checked(None, score=chosen, **limits)
    data = table()
    known = known_arcs(data.names)
    if top is not None:
        _check_top(top, method, data, chosen, known, prior, asked)
    with _announced(data, chosen, prior, asked) as progress:
        result = bnml.posterior(
            data, score if prior_network is None else chosen, prior=prior, method=method, chains=chains,
            samples=samples, structure_prior=reading.read_prior(structure_prior, prior_links, "--structure-prior"),
            constraints=known, progress=progress, **limits,
        )  # fmt: skip
    best = None if top is None else result.top(top, classes=classes)
    also = _paths_and_blankets(result) if as_json or output is not None else {}
    if output is not None:
        arcs = result.arcs
        for name, rows in (("path", also["paths"]), ("blanket", also["blankets"])):
            if rows is not None:
                arcs[name] = rows["probability"]
        with written_whole(output) as stream:
            write_rows(arcs.assign(prior=result.prior_text), stream, packed=output.name.lower().endswith(".gz"))
    if as_json:
        more = {kind: None if rows is None else records(rows) for kind, rows in also.items()}
        printing.print_json(result.to_dict() | more | ({} if best is None else {"top": records(best)}))
        return
    print(result)
    if best is not None:
        _print_best(best)
    if output is not None:
        print(f"\n{output}: the probabilities of {len(result.names) * (len(result.names) - 1):,} arcs")


def _paths_and_blankets(result: Posterior | SampledPosterior) -> dict[str, pd.DataFrame | None]:
    """Return the probabilities of paths and Markov blankets as rows like those of arcs; None for too many variables."""
    from bnml.uncertainty.posterior_result import MOST_SUMMED, Posterior

    if isinstance(result, Posterior) and len(result.names) > MOST_SUMMED:
        return {"paths": None, "blankets": None}
    pairs = result.arcs[["from", "to"]]
    tables = {"paths": result.path_probabilities, "blankets": result.blanket_probabilities}
    return {
        kind: pairs.assign(probability=[float(table.loc[a, b]) for a, b in pairs.itertuples(index=False)])
        for kind, table in tables.items()
    }


@contextmanager
def _announced(
    data: bnml.Data, score: Score, prior: str | None, asked: SearchOptions
) -> Iterator[Callable[[str, float], None]]:
    """Give a function to tell what is done; it says first what long work will cost, and then how far it has come."""
    from bnml.uncertainty.posterior_cost import Cost, posterior_cost, posterior_prior_for

    expected: Cost | None = None
    with ExitStack() as stack:
        show: Callable[[str, float], object] = lambda stage, fraction: None  # noqa: E731

        def progress(stage: str, fraction: float) -> None:
            nonlocal expected, show
            if expected is None and stage != EXACT_STAGE:
                expected = Cost(0.0, 0)
                show = stack.enter_context(progress_bar()) if sys.stderr.isatty() else show
            if expected is None:
                expected = posterior_cost(
                    bnml.LocalScores(data, score), posterior_prior_for(len(data.names), prior), asked.threads
                )
                if expected.seconds > LONG or 10 * expected.bytes > asked.memory:
                    print(f"forecast: {expected}", file=sys.stderr, flush=True)
                    show = stack.enter_context(progress_bar()) if sys.stderr.isatty() else show
            show(stage, fraction)

        yield progress


def _check_top(
    top: int,
    method: str,
    data: bnml.Data,
    score: Score,
    known: bnml.Constraints | None,
    prior: str | None,
    asked: SearchOptions,
) -> None:
    """Refuse to list structures where exact sums could not, before they are begun."""
    from bnml._machine import cores
    from bnml.graph import Rules
    from bnml.uncertainty.posterior_cost import exact_posterior_fits
    from bnml.uncertainty.posterior_result import check_top

    rules = Rules.none(data.names) if known is None else known.compiled(data.names)
    local = bnml.LocalScores(data, score)
    if method == "exact" or (
        method == "auto" and exact_posterior_fits(local, rules, prior, cores(asked.threads), asked.memory)
    ):
        check_top(len(data.names), top)


def _print_best(best: pd.DataFrame) -> None:
    """Print the best structures, or classes, long ones on several lines."""
    what = "equivalence classes" if "cpdag" in best else "structures"
    print(f"\nMost probable {what}, with probability and score:")
    graphs = best["cpdag"].map(str) if "cpdag" in best else best["structure"].str.replace("][", "] [")
    columns = best["probability"].map("{:.4f}".format), best["score"].map("{:,.3f}".format), graphs
    for line in text_table(list(zip(*columns, strict=True)), "rrw", indent="  "):
        print(line.replace("] [", "]["))
