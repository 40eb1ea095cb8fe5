"""Studies in files: kept after every part, and gone on from.

::

    {"format": "bnml study", "version": 1, "checksum": "…", "study": {
      "settings": {…}, "table": {"fingerprint": "…", "source": {"path": "survey.csv", "arguments": {…}}, …},
      "parts": {"features": {…}, "selection": {…}, …}, "left_out": {…}, "decisions": {…}, "seconds": 1.5}}

What took time is kept: every test, what was learned and what is proven of it, support and probabilities. Kept are
numbers to their last bit (`bnml._stored`), and no code: a file does nothing when it is read. What follows from these at
once (pictures, sentences, the parameters of the network) is made anew. The table is not in the file, but its
fingerprint, and where it was read from; with another table the file is refused. The checksum tells a file that was
damaged, or changed by hand.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bnml._checks import is_number
from bnml._files import a_file_path, check_writable, reading_file, written_whole
from bnml._stored import by_fields, frame_from_stored, from_stored, to_stored
from bnml._text import number_of, quoted_value
from bnml.data import Data, read
from bnml.data.fingerprint import fingerprint
from bnml.errors import ArgumentError, BnmlError, DataError, FormatError, argument
from bnml.five_steps.decisions import checked_decisions
from bnml.five_steps.features import Features, Twins
from bnml.five_steps.parts import PARTS, StudyWork, posterior_arguments
from bnml.five_steps.selection import Knowledge, Selection
from bnml.five_steps.state import Progress, StudyOptions, StudyState
from bnml.five_steps.study_result import STATE, Study
from bnml.five_steps.study_steps import begin_study, go_on_with_study, study_of, study_options
from bnml.five_steps.table_source import USUAL, TableSource
from bnml.five_steps.validation import Validation
from bnml.graph import DAG, PDAG, Constraints
from bnml.independence.independence_result import IndependenceResult
from bnml.independence.request import independence_request
from bnml.independence.saving import independence_values, saved_independence_result
from bnml.network import BayesianNetwork
from bnml.network.formats import json as network_json
from bnml.scores import SCORES
from bnml.scores.bde import BDe
from bnml.scores.forest_nml import NML
from bnml.scores.priors import ArcProbabilities, Distance, LinkProbabilities, Sparse
from bnml.search.problem import bind
from bnml.search.saving import saved_gap_result, saved_search_result, search_values
from bnml.uncertainty.bootstrap import Bootstrap
from bnml.uncertainty.saving import posterior_values, saved_posterior

if TYPE_CHECKING:
    import pandas as pd

FORMAT, VERSION = "bnml study", 1


def check_saving(path: str | os.PathLike[str], options: StudyOptions) -> Path:
    """Return where a study is to be kept; refuse at once what could not be.

    Raises
    ------
    ArgumentError
        If the file cannot be written or its name does not end in ``.json``, or a setting cannot be kept in a file.
    """
    file = a_file_path(path, "save")
    if file.suffix.lower() != STATE:
        raise ArgumentError(f"{str(file)!r}: a study is saved in a file whose name ends in {STATE}")
    check_writable(file)
    _options_values(options)
    return file


def save_state(state: StudyState, path: Path) -> None:
    """Write a state to a file, whole or not at all."""
    folder, source = path.resolve().parent, state.source
    content = {
        "settings": _options_values(state.options),
        "table": {
            "fingerprint": fingerprint(state.table),
            "rows": state.table.n_rows,
            "variables": list(state.table.names),
            "source": to_stored(source.values(folder)) if source is not None and source.lasting else None,
        },
        "parts": {
            name: None if value is None else to_stored(KINDS[name].values(value)) for name, value in state.parts.items()
        },
        "left_out": dict(state.left_out),
        "decisions": to_stored(by_fields(state.decisions)),
        "seconds": state.seconds,
    }
    text = _text(content)
    head = json.dumps({"format": FORMAT, "version": VERSION, "checksum": _checksum(text)})
    with written_whole(path) as stream:
        stream.write(f'{head[:-1]}, "study": {text}}}\n'.encode("ascii"))


def load_study(
    path: str | os.PathLike[str],
    data: Any = None,
    *,
    save: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Study:
    """Read a study that was saved, and go on with what is not done yet.

    Parameters
    ----------
    path
        What `Study.save`, or `bnml.study` with ``save=``, wrote.
    data
        The table; by default it is read again from where it was read before. A file is read as it was then.
    save
        A ``.json`` file in which the study is kept after every step that is still to be done; it may be the same.
    threads, progress
        As for `bnml.study`.

    Returns
    -------
    Study
        The same study, whether it was interrupted or not.

    Raises
    ------
    BnmlError
        If the file is damaged or no study, the table cannot be read, or is another one.

    Examples
    --------
    >>> import bnml, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "study.json")
    ...     found = bnml.study(bnml.example(), "lung", repetitions=0, save=file)
    ...     bnml.load_study(file, bnml.example())
    <Study of 8 variables about 'lung': 7 arcs>
    """
    state = load_saved_state(path, data, threads)
    options = state.options.resumed(threads, progress)
    file = None if save is None else check_saving(save, options)
    if all(part.name in state.parts for part in PARTS):
        if file is not None:
            save_state(state, file)
        return study_of(state)
    return study_of(
        go_on_with_study(state, options, saver=None if file is None else lambda later: save_state(later, file))
    )


def load_saved_state(path: str | os.PathLike[str], data: Any = None, threads: int | None = None) -> StudyState:
    """Read the state of a study.

    Raises
    ------
    BnmlError
        As for `load_study`.
    """
    file = a_file_path(path)
    with _reading(file):
        content = _content(file)
        options, known = _saved_options(content["settings"], threads), content["table"]
        source = None if known["source"] is None else from_stored(known["source"])
        origin = None if source is None else TableSource.of_values(source, file.resolve().parent)
    table, origin = _table(file, data, origin)
    with _reading(file):
        _check_table(file, table, known)
        return _restored(content, begin_study(options, table, origin))


def _restored(content: Mapping[str, Any], state: StudyState) -> StudyState:
    """Return the state of a study from the one before its first step."""
    for part in PARTS:
        if part.name in content["parts"]:
            values = content["parts"][part.name]
            made = (
                None if values is None else KINDS[part.name].made(from_stored(values), StudyWork(state, state.options))
            )
            state = state.with_part(part.name, made, {})
    left_out, seconds = content["left_out"], content["seconds"]
    if not all(isinstance(reason, str) for reason in left_out.values()) or not is_number(seconds):
        raise TypeError("its reasons or its seconds are none")
    decisions = checked_decisions(**from_stored(content["decisions"]))
    return replace(state, left_out=left_out, decisions=decisions, seconds=seconds)


# --- the file ---


def _text(content: Any) -> str:
    return json.dumps(content, allow_nan=False)


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _reading(file: Path) -> AbstractContextManager[None]:
    return reading_file(file, "a study that bnml saved", "Make the study anew")


def _content(file: Path) -> dict[str, Any]:
    """Return what a file holds, if it is whole and ours."""
    found = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        is_network = isinstance(found, dict) and found.get("format") == network_json.FORMAT
        hint = "; it is a network: bnml.load reads it" if is_network else ""
        raise FormatError(f"{str(file)!r} is not a study that bnml saved{hint}")
    if found.get("version") != VERSION:
        raise FormatError(
            f"{str(file)!r} is a study of version {quoted_value(found.get('version'))}; this bnml reads version "
            f"{VERSION}. Make the study anew, or take the bnml that saved it"
        )
    study = found.get("study")
    if not isinstance(study, dict) or found.get("checksum") != _checksum(_text(study)):
        raise ValueError("its checksum is another one")
    return study


# --- the table ---


def _table(file: Path, data: Any, source: TableSource | None) -> tuple[Data, TableSource | None]:
    """Return the table of a study, and where it comes from."""
    if isinstance(data, Data):
        return data, source
    if isinstance(data, str | os.PathLike):
        source = TableSource(os.fspath(data)) if source is None else source.elsewhere(data)
        return source.read(), source
    if data is not None:
        return read(data, **(USUAL if source is None else source.arguments)), source
    if source is None:
        raise ArgumentError(
            f"{str(file)!r} does not say where its table is, which was no file",
            hint="give the table as " + argument("data"),
        )
    try:
        return source.read(), source
    except BnmlError as error:
        elsewhere = f"; if the table of {str(file)!r} is elsewhere now, give " + argument("data")
        raise type(error)(error.sentence + elsewhere) from None


def _check_table(file: Path, table: Data, known: Mapping[str, Any]) -> None:
    """Refuse another table than that of the study."""
    if fingerprint(table) == known["fingerprint"]:
        return
    now, then = list(table.names), list(known["variables"])
    sizes = [f"{number_of(rows, 'row')} and {number_of(len(names), 'variable')}"
             for rows, names in ((known["rows"], then), (table.n_rows, now))]  # fmt: skip
    if now != then or table.n_rows != known["rows"]:
        why = f"it had {sizes[0]}, this one has {sizes[1]}" if sizes[0] != sizes[1] else "its variables are others"
    else:
        why = "its rows, values or cuts are others"
    raise DataError(
        f"this is not the table that the study of {str(file)!r} was made of: {why}. Give that table, read in the same "
        "way, or make the study anew"
    )


# --- options ---

OWN = ("target", "event", "select", "alpha", "repetitions", "folds")  # of the study
PLAIN = ("max_parents", "rows_per_cell", "seed", "memory_limit")  # of learning
PRIORS = (Sparse, ArcProbabilities, LinkProbabilities, Distance)
OURS: dict[str, Any] = {**SCORES, NML.name: NML, **{kind.__name__: kind for kind in PRIORS}}


def _options_values(options: StudyOptions) -> Any:
    learning = options.learning
    values = {name: getattr(options, name) for name in (*OWN, "search")}
    values |= {name: getattr(learning, name) for name in PLAIN}
    values["constraints"] = by_fields(learning.constraints)
    values["score"] = _own_values("score", learning.score)
    values["prior"] = _own_values("prior", learning.prior)
    found = to_stored(values)
    for name, value in learning.options.items():
        try:
            found.setdefault("options", {})[name] = to_stored(value)
        except TypeError as error:
            raise ArgumentError(str(error), argument=name, value=value, hint="give it by its name") from None
    return found


def _saved_options(values: Mapping[str, Any], threads: int | None) -> StudyOptions:
    """Return the options in a file, checked as those of `bnml.study` are."""
    found = from_stored(values)
    own = {name: found[name] for name in (*OWN, *PLAIN)}
    return study_options(
        own.pop("target"), found["search"], found.get("options", {}), progress=None, threads=threads,
        score=_own_of(found["score"]), constraints=_constraints_of(found["constraints"]),
        prior=_own_of(found.get("prior")), **own,
    )  # fmt: skip


def _constraints_of(values: Mapping[str, Any] | None) -> Constraints | None:
    return None if values is None else Constraints(**values)


def _own_values(name: str, value: Any) -> Any:
    """Return a score or a structure prior of ours by its fields; a name, and None, as it is."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, BDe) and isinstance(value.network, BayesianNetwork):
        return {"name": value.name, "network": network_json.write(value.network), "own": {"ess": value.ess}}
    known = next((known for known, kind in OURS.items() if type(value) is kind), None)
    if known is None:
        raise ArgumentError(
            f"a study is saved with {name}s of bnml only", argument=name, value=value, hint="make it without saving"
        )
    own = {
        field: [(*pair, p) for pair, p in content.items()] if isinstance(content, Mapping) else content
        for field, content in by_fields(value).items()
    }
    return {"name": known, "own": own}


def _own_of(values: Any) -> Any:
    """Return the score or structure prior that was saved as these values."""
    if values is None or isinstance(values, str):
        return values
    if "network" in values:
        return BDe(network_json.read(values["network"].encode("utf-8"), "the prior network"), **values["own"])
    own = dict(values["own"])
    for name in {"arcs", "links"} & own.keys():
        own[name] = {(a, b): p for a, b, p in own[name]}
    if "dag" in own:
        own["dag"] = (DAG if len(own["dag"]) == 2 else PDAG)(*own["dag"])
    return OURS[values["name"]](**own)


# --- the parts ---


class _Kind(NamedTuple):
    """How a part is kept: the part made of its values again, and its values for a file, by default its fields."""

    made: Callable[[Any, StudyWork], Any]
    values: Callable[[Any], Any] = by_fields


def _features_of(values: Mapping[str, Any], work: StudyWork) -> Features:
    twins = tuple(Twins(*pair) for pair in values["twins"])
    return Features(**{**values, "pairs": frame_from_stored(values["pairs"]), "twins": twins})


def _learned_of(values: Mapping[str, Any], work: StudyWork) -> Any:
    learning = work.learning
    if work.table.has_gaps:
        return saved_gap_result(values, learning, work.table)
    return saved_search_result(values, bind(learning, work.table))


def _tested_of(values: Mapping[str, Any], work: StudyWork) -> IndependenceResult:
    return saved_independence_result(values, independence_request(work.tested_table, **work.tested))


def _npc_of(values: Mapping[str, Any], work: StudyWork) -> IndependenceResult:
    tested = work.state.parts["learned"].tested
    if tested is None or tested.search != "npc":
        return _tested_of(values, work)
    return saved_independence_result(values, tested._resolve.asked)  # of the tests that the network was learned by


def _strength_of(values: Any, work: StudyWork) -> pd.DataFrame:
    """Return the table of arc strengths; files from before there was a structure prior lack its net gains."""
    frame = frame_from_stored(values)
    if "score_gain" in frame and "net_gain" not in frame:
        frame.insert(frame.columns.tolist().index("score_gain") + 1, "net_gain", frame["score_gain"])
    return frame


KINDS: dict[str, _Kind] = {
    "features": _Kind(_features_of),
    "selection": _Kind(lambda values, work: Selection(**values)),
    "knowledge": _Kind(
        lambda values, work: Knowledge(**{**values, "constraints": _constraints_of(values["constraints"])})
    ),
    "learned": _Kind(_learned_of, search_values),
    "other_scores": _Kind(
        lambda classes, work: tuple((name, PDAG(work.table.names, *edges)) for name, edges in classes),
        lambda classes: [(name, (graph.directed, graph.undirected)) for name, graph in classes],
    ),
    "pc": _Kind(_tested_of, independence_values),
    "npc": _Kind(_npc_of, independence_values),
    "posterior": _Kind(
        lambda values, work: saved_posterior(values, work.table, **posterior_arguments(work)), posterior_values
    ),
    "bootstrap": _Kind(lambda values, work: Bootstrap(**values)),
    "validation": _Kind(lambda values, work: Validation.from_dict(values), Validation.to_dict),
    "strength": _Kind(_strength_of),
}
