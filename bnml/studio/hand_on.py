"""What is handed on: networks, pictures, what is known, and the report, as the content of files."""

from __future__ import annotations

import json
import threading
import warnings
from pathlib import Path
from typing import Any

from bnml.five_steps.decisions import graph_with_decisions
from bnml.five_steps.state import StudyState
from bnml.five_steps.study_result import Study
from bnml.network import BayesianNetwork
from bnml.network.files import file_content
from bnml.plot import draw
from bnml.report.phrases import legend_words
from bnml.search.search_result import SearchResult
from bnml.studio.session import Session

NETWORKS = ("bif", "xmlbif", "net", "dsc", "xdsl", "json")
PICTURES = ("svg", "png", "pdf")
_DRAWING = threading.Lock()  # matplotlib draws one picture at a time


def network_file(network: BayesianNetwork, kind: str) -> bytes:
    """Return a network as a file of one of the formats."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what formats do not keep is said on the page
        return file_content(network, f"network.{kind}")


def picture_file(state: StudyState, kind: str, title: str) -> bytes:
    """Return a picture of the network of a result: directions that are told as arrows, others as dashed lines."""
    learned: SearchResult = state.parts["learned"]
    graph = graph_with_decisions(learned, state.decisions.directed)
    directed, left_open = legend_words(learned)
    by_hand = ", or decided by hand" if state.decisions.directed else ""
    npc = state.parts.get("npc") if learned.search == "npc" else None
    with _DRAWING:
        picture = draw(
            graph,
            title=title,
            legend=(f"{directed}{by_hand}", left_open),
            regions=() if npc is None else npc.ambiguous_regions,
        )
        return picture.render(kind)


def report_file(study: Study, name: str) -> bytes:
    """Return the report of a study, with what was decided by hand, as a page."""
    about = "" if study.target is None else f": {study.target}"
    with _DRAWING:
        return study.html(f"A study of {Path(name).name}{about}").encode("utf-8", "replace")


def constraints_file(session: Session) -> bytes:
    """Return what is known, and how the table is read, as a TOML file for ``--config``."""
    lines = ["# What was known, and how the table was read, in bnml studio; --config takes this file."]
    settings: dict[str, Any] = {}
    if session.table is not None:
        given = session.table.choices.arguments
        settings |= {key: given[key] for key in ("drop", "missing", "na_values") if given.get(key)}
    known = session.knowledge
    kinds = ("required", "forbidden", "required_links", "forbidden_links", "tiers")
    settings |= {kind: [list(one) for one in getattr(known, kind)] for kind in kinds if getattr(known, kind)}
    lines += [f"{key} = {_toml(value)}" for key, value in settings.items()]
    made = session.decided
    said = [("stays", made.keep), ("goes", made.drop), ("has this direction", made.directed)]
    decided = [f"#   {_toml(list(pair))} {what}" for what, pairs in said for pair in pairs]
    lines += ["", "# Decided by hand:", *decided] if decided else []
    if session.table is not None:
        lines += ["", "[bins]", *(f"{_toml(key)} = {_toml(value)}" for key, value in given["bins"].items())]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _toml(value: Any) -> str:
    """Return a text, a number or a list of these as TOML."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
