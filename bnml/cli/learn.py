"""``bnml learn``: from a table to a network."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

import bnml
from bnml._files import write_files
from bnml._text import facts, number_of, quoted, text_table
from bnml._watch import Watch
from bnml.cli import INTERRUPTED, options, printing, reading
from bnml.cli.constraints import Known
from bnml.cli.error_words import links_said
from bnml.cli.option_groups import takes_groups
from bnml.cli.outputs import check_outputs, write_picture
from bnml.cli.progress import progress_bar
from bnml.cli.searches import (
    OF_SEARCHES,
    ArcPrior,
    Limits,
    ScoreName,
    Search,
    SearchOptions,
    Significance,
    Verbose,
    read_score,
    search_option_values,
    typed_options,
)
from bnml.data.data import refuse_gaps
from bnml.errors import ArgumentError, SearchError
from bnml.search.options import OF_SCORES

if TYPE_CHECKING:
    from bnml.scores import FamilyScores
    from bnml.search import SearchResult
    from bnml.search.forecast import Forecast
    from bnml.search.k2 import Trial
    from bnml.search.problem import Problem

EXAMPLE = "Example: bnml learn survey.csv --bins auto --require 'smoke>lung' -o survey.json --plot survey.png"

OPTIONS = OF_SEARCHES

READING = ("columns", "drop", "missing", "na_values", "states", "bins", "weights", "interventions")

LONG = 3.0  # seconds after which people want to know how long it will take

# of the information of a search, what is shown elsewhere
SAID = (
    "trace", "reason", "local_optimum", "arc_gain", *OF_SCORES, "links_too_large", "missing", "em", "under_state",
)  # fmt: skip

Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="NET", help="A network file, with parameters.", rich_help_panel=options.FILES
    ),
]
ScoresOut = Annotated[
    Path | None,
    typer.Option(
        "--scores-out", metavar="FILE.jkl", help="The local scores that can matter.", rich_help_panel=options.FILES
    ),
]
ScoresIn = Annotated[
    Path | None,
    typer.Option("--scores", metavar="FILE.jkl", help="Learn from local scores; no DATA and no --score then."),
]


@takes_groups
def command(
    *,
    context: typer.Context,
    table: reading.TableReader,
    data: options.DataOrExample = None,
    score: ScoreName = "qnml",
    prior_network: options.PriorNetwork = None,
    search: Search = "auto",
    scores: ScoresIn = None,
    as_json: options.Json = False,
    verbose: Verbose = False,
    own: SearchOptions,
    significance: Significance = None,
    known: Known,
    arc_prior: ArcPrior,
    limits: Limits,
    output: Output = None,
    plot: options.Plots = None,
    scores_out: ScoresOut = None,
) -> None:
    """Learn the structure of a network from a table, and show what is proven of it."""
    from bnml.search.learn import learn_with, solve
    from bnml.search.options import search_options
    from bnml.search.problem import bind

    plots = plot or []
    _check_files(output, plots, scores_out)
    if scores is not None:
        _check_without_table(context, data, output, scores_out)
    if significance is not None:
        own["alpha"] = significance
    with links_said():
        own, chosen = typed_options(search, own), read_score(score, prior_network)
        asked = search_options(search, score=chosen, prior=arc_prior, **limits, **own)
    rows = table() if scores is None or data is not None else None
    source = rows if scores is None else _local_scores(scores, rows)
    assert source is not None
    asked = asked.completed(known(source.names), **search_option_values(asked.options, source.names))
    if isinstance(source, bnml.Data) and source.has_gaps:
        if scores_out is not None:
            refuse_gaps(source, "--scores-out")
        problem = None
        with progress_bar() if sys.stderr.isatty() else nullcontext() as progress, links_said():
            result = learn_with(replace(asked, progress=progress), source)
    else:
        problem = replace(bind(asked, source), beside=rows)
        if scores_out is not None:
            _check_listing(problem)
        with _announced(problem, own.get("method")) as progress, links_said():
            problem.watch.begin_again(progress, asked.time_limit)
            result = solve(problem)
    if output is not None and (result.dag is None or result.data is None):
        raise ArgumentError(f"-o: no network fits what {result.search} found; leave -o out to see the graph")
    interrupted = "interrupted" in result.info
    if not interrupted:
        _write(result, output, plots, scores_out, problem)
    _print(result, as_json=as_json, verbose=verbose, example=data is None and scores is None)
    if interrupted:
        files = "" if output is None and scores_out is None and not plots else "; no file is written"
        print(f"interrupted: this is the best structure so far{files}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def _print(result: SearchResult, *, as_json: bool, verbose: bool, example: bool) -> None:
    if as_json:
        printing.print_json(result.to_dict(steps=verbose))
        return
    if example:
        print("The bundled example: patients of a fictitious chest clinic\n")
    print(result)
    if verbose:
        print(f"\n{_details(result)}")


def _check_files(output: Path | None, plots: Sequence[Path], scores_out: Path | None) -> None:
    from bnml.network.files import FORMATS
    from bnml.plot.sheet import KINDS
    from bnml.scores.jkl import SUFFIXES

    targets: list[tuple[str, Path, Sequence[str]]] = [("--plot", path, KINDS) for path in plots]
    targets += [("-o", output, tuple(FORMATS))] if output is not None else []
    targets += [("--scores-out", scores_out, SUFFIXES)] if scores_out is not None else []
    check_outputs(targets)


def _check_without_table(
    context: typer.Context, data: str | None, output: Path | None, scores_out: Path | None
) -> None:
    """Refuse what makes no sense where the scores come from a file."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    explicit = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    for name in ("score", "prior_network"):
        if name in explicit:
            raise ArgumentError(f"--scores: the file has the scores already; leave out --{name.replace('_', '-')}")
    if scores_out is not None:
        raise ArgumentError("--scores-out needs a table, and --scores has none to score; leave out one of the two")
    if data is not None:
        return
    if output is not None:
        raise ArgumentError("-o needs a table for the parameters: name it as DATA as well, beside --scores")
    for name in READING:
        if name in explicit:
            raise ArgumentError(
                f"--{name.replace('_', '-')} is about a table, and --scores comes without; leave it out"
            )


def _local_scores(path: Path, rows: bnml.Data | None) -> FamilyScores:
    """Return the local scores of a file, if they are about the same variables as the table."""
    families = bnml.scores.FamilyScores.load(path)
    if rows is not None and set(rows.names) != set(families.names):
        odd = sorted(set(rows.names) ^ set(families.names))
        raise ArgumentError(f"--scores and DATA must be about the same variables; they differ in {quoted(odd)}")
    return families


def _check_listing(problem: Problem) -> None:
    """Refuse what a file of local scores cannot hold, before there are any scores."""
    from bnml.scores.lattice import check_all_families, listable_by_bounds

    if any(problem.rules.links):
        raise ArgumentError("--scores-out: local scores cannot say that a link is required; require an arc instead")
    for name in problem.names:
        if name.split() != [name]:
            raise ArgumentError(f"--scores-out: a .jkl file has no names with white space, such as {name!r}; rename it")
    if isinstance(problem.local, bnml.LocalScores) and not listable_by_bounds(problem.local, problem.rules):
        check_all_families(problem.local, problem.memory)


def _families_that_matter(local: bnml.LocalScores, problem: Problem) -> FamilyScores:
    """Return the local scores that can matter: from those of all families, or listed where these do not fit."""
    from bnml.scores.lattice import check_all_families, undominated_families
    from bnml.search.candidates import candidates_of

    try:
        check_all_families(local, problem.memory)
    except SearchError:
        found = candidates_of(problem, Watch(time_limit=problem.watch.limit))
        if not found.complete:
            most = number_of(found.families.complete_to or 0, "parent")
            print(f"note: --scores-out has the families with up to {most}; for more the time was over", file=sys.stderr)
        return found.families
    return undominated_families(local, problem.rules, problem.threads, problem.memory)


@contextmanager
def _announced(problem: Problem, method: str | None) -> Iterator[Callable[[str, float], None] | None]:
    """Say what a long search will cost, and give a function that shows how far it has come on a terminal."""
    from bnml.search.forecast import cost_of_method, measured_cost

    shown = sys.stderr.isatty()
    if problem.search in ("auto", "exact"):
        way = method or "auto"
        cost = cost_of_method(problem, way)
        lists = cost.method == "cuts" and (cost.seconds > LONG or not cost.fits)
        begins = problem.search == "exact" or (cost.fits and cost.affordable)
        if begins and (lists or (cost.fits and cost.seconds > LONG / 10)):  # worth a look at how fast this machine is
            cost = measured_cost(problem, cost)
        if begins and _is_long(cost):
            print(f"forecast: {cost}", file=sys.stderr, flush=True)
        shown &= lists or not begins or cost.seconds > LONG
    if not shown:
        yield None
        return
    with progress_bar() as show:
        yield show


def _is_long(cost: Forecast) -> bool:
    """Tell whether a search takes so long, or so much memory, that people want to know it before."""
    if cost.method == "cuts":
        return cost.listing is not None and not cost.listing.complete
    return cost.fits and (cost.seconds > LONG or 10 * cost.bytes > cost.limit)


def _write(
    result: SearchResult,
    output: Path | None,
    plots: Sequence[Path],
    scores_out: Path | None,
    problem: Problem | None,
) -> None:
    """Write all files, or none."""
    writers: dict[Path, Callable[[IO[bytes]], object]] = {}
    if plots:
        from bnml.report.phrases import legend_words

        picture = bnml.plot.draw(result.shared_directions, regions=result.regions, legend=legend_words(result))
        for path in plots:
            writers[path] = partial(write_picture, picture, path)
    if output is not None and result.network is not None:
        writers[output] = partial(_write_network, result.network, output)
    if scores_out is not None and problem is not None and isinstance(result.local, bnml.LocalScores):
        from bnml.scores import jkl

        families = _families_that_matter(result.local, problem)
        writers[scores_out] = partial(jkl.write_jkl, families, packed=scores_out.name.lower().endswith(".gz"))
    if writers:
        write_files(writers)


def _write_network(network: bnml.BayesianNetwork, path: Path, stream: IO[bytes]) -> None:
    from bnml.network.files import file_content

    stream.write(file_content(network, path))


def _details(result: SearchResult) -> str:
    """Return what the command line prints of a search's own way, and its steps if it lists them, in 80 columns."""
    told = {key.replace("_", " "): _text(value) for key, value in result.info.items() if key not in SAID}
    lines = facts(told.items(), max(map(len, told), default=0) + 2)
    trials = result.info.get("trace")
    return "\n".join(["How it was found:", *lines]) + (f"\n\n{_steps(trials)}" if trials else "")


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(" - ".join(item) if isinstance(item, tuple) else str(item) for item in value) or "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _steps(trials: Sequence[Trial]) -> str:
    """Return each parent that was tried as a line of a table."""
    head = ("child", "parents so far", "tried", "gain", "")
    rows = [[t.child, ", ".join(t.parents), t.candidate, f"{t.gain:,.3f}", "*" * t.taken] for t in trials]
    lines = text_table(rows, "swsrl", head, ruled=True)
    return "\n".join(["Parents that were tried; those with * were taken:", "", *lines])
