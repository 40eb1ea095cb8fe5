"""``bnml study``: the five steps from a table to a network that one can answer for, and a report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from bnml._files import check_writable, write_files
from bnml._text import shortened
from bnml.cli import options, printing, reading
from bnml.cli.constraints import Known, arc_of, link_of
from bnml.cli.error_words import links_said
from bnml.cli.option_groups import takes_groups
from bnml.cli.options import names_in
from bnml.cli.outputs import check_outputs
from bnml.cli.searches import (
    OF_SEARCHES,
    ArcPrior,
    ChosenScore,
    Limits,
    Search,
    SearchOptions,
    search_option_values,
    typed_options,
)
from bnml.errors import ArgumentError

if TYPE_CHECKING:
    from bnml.five_steps import Study
    from bnml.five_steps.state import StudyOptions, StudyState
    from bnml.five_steps.table_source import TableSource

EXAMPLE = "Example: bnml study survey.csv --target lung --tiers 'age,smoke|lung|xray' -o report.html --network lung.bif"
OPTIONS = {
    **OF_SEARCHES,
    "directed": "--direct",
    "event": "--event",
    "folds": "--folds",
    "path": "--resume",
    "save": "--save",
    "select": "--select",
}

REPORTS = (".html", ".htm")
STATES = (".json",)
WITH_RESUME = ("data", "resume", "output", "save", "network", "as_json", "threads", "keep", "drop_link", "direct")

_FILES = "What to write"
_HAND = "What is decided by hand"

Target = Annotated[str | None, typer.Option("--target", metavar="X", help="The variable of interest.")]
Event = Annotated[
    list[str] | None,
    typer.Option("--event", metavar="V", help="The value of the target that its risk is of (repeatable)."),
]
Folds = Annotated[
    int,
    options.whole_number("--folds", metavar="K", help="Folds of the cross-validation of the target; 0 for none."),
]
Select = Annotated[
    str,
    typer.Option(
        "--select",
        metavar="WHICH",
        help="Which variables take part: all, target (those that depend on --target), blanket (its Markov blanket), or "
        "names A,B,…",
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option("--resume", metavar="STUDY.json", help="Go on with a study that was saved; it has its settings."),
]
Significance = Annotated[
    float, typer.Option("--significance", metavar="0.05", parser=options.parse_level, help="The level of the tests.")
]
Repetitions = Annotated[
    int, options.whole_number("--repetitions", metavar="R", help="Halves of the rows that are drawn; 0 for none.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="REPORT.html",
        help="The whole report, as one HTML file; a .json file is as --save.",
        rich_help_panel=_FILES,
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(
        "--save", metavar="STUDY.json", help="The study, after every step, for --resume.", rich_help_panel=_FILES
    ),
]
Networks = Annotated[
    list[Path] | None,
    typer.Option(
        "--network", metavar="NET", help="A network file, with parameters; repeatable.", rich_help_panel=_FILES
    ),
]
Direct = Annotated[
    list[str] | None,
    typer.Option("--direct", metavar="'A>B'", help="A link gets this direction; repeatable.", rich_help_panel=_HAND),
]


@takes_groups
def command(
    *,
    context: typer.Context,
    source: reading.SourceMaker,
    known: Known,
    data: options.DataOrExample = None,
    target: Target = None,
    event: Event = None,
    select: Select = "all",
    resume: Resume = None,
    output: Output = None,
    save: Save = None,
    network: Networks = None,
    as_json: options.Json = False,
    chosen: ChosenScore,
    search: Search = "auto",
    own: SearchOptions,
    direct: Direct = None,
    significance: Significance = 0.05,
    repetitions: Repetitions = 100,
    folds: Folds = 10,
    arc_prior: ArcPrior,
    untimed: Limits,
) -> None:
    """Select features, learn a network, and say how sure and how strong its links are; with a report to read."""
    from bnml.five_steps.study_steps import begin_study, study_options

    networks = network or []
    _check_files(output, save, networks)
    if resume is None and data is not None and Path(data).suffix.lower() in STATES:
        raise ArgumentError(f"DATA {str(data)!r} is no table; if it is a study that was saved, say --resume {data}")
    report = output if output is not None and output.suffix.lower() in REPORTS else None
    kept = [path for path in (save, output) if path is not None and path != report]
    with _told() as progress, links_said():
        if resume is not None:
            _check_resumed(context)
            asked, state = _loaded(resume, data, untimed["threads"], progress)
            files, links = kept or _own_file(resume, state), (own.get("keep"), own.get("drop"))
        else:
            asked = study_options(
                target, search, typed_options(search, own), event=event or None, select=_word(select),
                score=chosen.score, alpha=significance, repetitions=repetitions, folds=folds, prior=arc_prior,
                progress=progress, **untimed,
            )  # fmt: skip
            asked, state = _begun(asked, source(other_bins="auto"), known, select, begin_study)
            files, links = kept, (None, None)
        found = _finished(state, asked, files, kept, _decisions(state, *links, direct))
    _write(found, report, networks)
    _print(found, report, kept, networks, as_json=as_json)
    if networks and found.network is None:
        raise ArgumentError(
            f"--network: no network fits what {found.learned.search} found, and no network file was written; take "
            "another level or a search by score"
        )


def _check_files(output: Path | None, save: Path | None, networks: Sequence[Path]) -> None:
    from bnml.network.files import FORMATS

    targets: list[tuple[str, Path, Sequence[str]]] = [("--network", path, tuple(FORMATS)) for path in networks]
    targets += [("-o", output, (*REPORTS, *STATES))] if output is not None else []
    targets += [("--save", save, STATES)] if save is not None else []
    check_outputs(targets)


def _check_resumed(context: typer.Context) -> None:
    """Refuse options that a study which is gone on with has settled already."""
    for parameter in context.command.params:
        where = context.get_parameter_source(parameter.name or "")
        if parameter.name not in WITH_RESUME and where is not None and where.name == "COMMANDLINE":
            raise ArgumentError(
                f"--resume: the study has its settings already; leave out {parameter.opts[0]}, or begin it anew"
            )


def _word(select: str) -> str:
    """Return the word that says how to select; a list of names is checked when the variables are known."""
    from bnml.five_steps.selection import SELECTIONS

    return select if select in SELECTIONS else "all"


def _begun(
    asked: StudyOptions, source: TableSource, known: Known, select: str, begin: Callable[..., StudyState]
) -> tuple[StudyOptions, StudyState]:
    """Return a study before its first step."""
    rows = source.read()
    names = None if _word(select) == select else tuple(names_in(select, rows.names))
    asked = asked.completed(known(rows.names), names, **search_option_values(asked.learning.options, rows.names))
    return asked, begin(asked, rows, source)


def _loaded(
    resume: Path, data: str | None, threads: int | None, progress: Callable[[str, float], None] | None
) -> tuple[StudyOptions, StudyState]:
    """Return a study that was saved."""
    from bnml.five_steps.saving import load_saved_state

    state = load_saved_state(resume, data, threads)
    return state.options.resumed(threads, progress), state


def _own_file(resume: Path, state: StudyState) -> list[Path]:
    """Return the file that a study which is not finished is kept in: the one it was read from."""
    from bnml.five_steps.parts import PARTS

    if all(part.name in state.parts for part in PARTS):
        return []
    check_writable(resume)
    return [resume]


def _decisions(
    state: StudyState, keep: Sequence[str] | None, drop: Sequence[str] | None, direct: Sequence[str] | None
) -> Mapping[str, list[tuple[str, str]]]:
    """Return what is decided by hand, as arguments of `Study.resolve`."""
    names = state.data.names
    made = {
        "keep": [link_of(text, "--keep", names) for text in keep or ()],
        "drop": [link_of(text, "--drop-link", names) for text in drop or ()],
        "directed": [arc_of(text, "--direct", names) for text in direct or ()],
    }
    return {name: links for name, links in made.items() if links}


def _finished(
    state: StudyState,
    asked: StudyOptions,
    files: Sequence[Path],
    kept: Sequence[Path],
    decisions: Mapping[str, list[tuple[str, str]]],
) -> Study:
    """Return the finished study, kept in files after every part, with what is decided by hand."""
    from bnml.five_steps.saving import check_saving, save_state
    from bnml.five_steps.study_steps import go_on_with_study, study_of

    for path in files:
        check_saving(path, asked)

    def save(later: StudyState) -> None:
        for path in files:
            save_state(later, path)

    try:
        found = study_of(go_on_with_study(state, asked, saver=save))
    except KeyboardInterrupt:
        if files:
            print(f"to go on: bnml study --resume {shlex.quote(str(files[0]))}", file=sys.stderr)
        raise
    if decisions:
        found = found.resolve(**decisions, threads=asked.learning.threads)
    for path in kept:
        found.save(path)
    return found


def _write(found: Study, report: Path | None, networks: Sequence[Path]) -> None:
    """Write the report and the networks, all of them or none."""
    from bnml.network.files import file_content

    writers: dict[Path, Callable[[IO[bytes]], object]] = {}
    fitted = found.network
    if report is not None:
        content = found.html(_title(found)).encode("utf-8")
        writers[report] = lambda stream: stream.write(content)
    if fitted is not None:
        writers |= {path: partial(_pour, file_content(fitted, path)) for path in networks}
    if writers:
        write_files(writers)


def _pour(content: bytes, stream: IO[bytes]) -> None:
    stream.write(content)


def _print(found: Study, report: Path | None, kept: Sequence[Path], networks: Sequence[Path], *, as_json: bool) -> None:
    if as_json:
        files: dict[str, Any] = {"report": None if report is None else str(report), "saved": list(map(str, kept))}
        files["networks"] = [] if found.network is None else list(map(str, networks))
        printing.print_json({**found.to_dict(), **files})
        return
    if found.state.source is not None and found.state.source.path is None:
        print("The bundled example: patients of a fictitious chest clinic\n")
    print(found)
    said = "-o report.html writes all of it, with pictures." if report is None else f"With pictures: {report}"
    print(f"\n{said}")
    if found.network is not None:
        for path in networks:
            print(f"{path}: {printing.printed_size(found.network)}")


@contextmanager
def _told() -> Iterator[Callable[[str, float], None] | None]:
    """Give what shows on a terminal how far a study is; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield None
        return
    try:
        yield _tell
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _tell(stage: str, fraction: float) -> None:
    print(f"\r\x1b[K{fraction:4.0%} {shortened(stage, 60)}", end="", file=sys.stderr, flush=True)


def _title(found: Study) -> str:
    about = f": {shortened(found.target, 60)}" if found.target is not None else ""
    source = found.state.source
    if source is None or not source.lasting:
        return f"A study of a table{about}"
    return f"A study of {'the chest clinic' if source.path is None else Path(source.path).name}{about}"
