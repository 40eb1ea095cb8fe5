"""Results as the page shows them: what was found, with what was decided by hand and what follows from that."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bnml.data import Data
from bnml.data.labels import label_text
from bnml.errors import NetworkError
from bnml.five_steps.decisions import Decisions, checked_decisions, graph_with_decisions
from bnml.five_steps.open_answers import OpenAnswer, open_answer
from bnml.five_steps.parts import PARTS
from bnml.five_steps.saving import load_saved_state
from bnml.five_steps.state import StudyState
from bnml.five_steps.study_result import Study
from bnml.five_steps.study_steps import decided_study, go_on_with_study, study_of, study_with_part
from bnml.graph import DAG, PDAG, compare
from bnml.network import BayesianNetwork, fit
from bnml.plot.draw_comparison import comparison_layout
from bnml.plot.labels import label_lines
from bnml.plot.layout import Layout, layout
from bnml.plot.layout_near import with_routes
from bnml.scores import LocalScores
from bnml.search.search_result import SearchResult
from bnml.studio.link_view import LinkView, link_views
from bnml.studio.read_tables import ReadTables, table_source_in
from bnml.studio.result_layout import read_layout
from bnml.studio.session import ResultEntry
from bnml.studio.session_folder import result_file
from bnml.uncertainty import strength

KEPT = 6  # results, with decisions by hand, in memory


class Results:
    """The results of a session, loaded when they are asked for.

    Parameters
    ----------
    folder
        The folder of the session.
    tables
        Tables that were read.
    """

    def __init__(self, folder: Path, tables: ReadTables) -> None:
        self._folder, self._tables = folder, tables
        self._kept: OrderedDict[tuple[str, int, Decisions | None], StudyState] = OrderedDict()
        self._members: OrderedDict[tuple[int, tuple[tuple[str, str], ...]], tuple[Data, BayesianNetwork]] = (
            OrderedDict()
        )
        self._placed: tuple[tuple[str, frozenset[frozenset[str]]], Layout] | None = None
        self._lock = threading.RLock()

    def forget(self, name: str) -> None:
        """Forget a result that is no more."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == name]:
                del self._kept[key]

    def forget_all(self) -> None:
        """Forget all results."""
        with self._lock:
            self._kept.clear()
            self._members.clear()

    def found(self, entry: ResultEntry) -> StudyState:
        """Return a result as it was found."""
        return self._state(entry, None)

    def decided(self, entry: ResultEntry, made: Decisions) -> StudyState:
        """Return a result with what was decided by hand.

        Raises
        ------
        BnmlError
            If that contradicts itself or what was found.
        """
        return self._state(entry, made if made else None)

    def _state(self, entry: ResultEntry, made: Decisions | None) -> StudyState:
        with self._lock:
            file = result_file(self._folder, entry.id)
            key = (entry.id, file.stat().st_mtime_ns, made)
            state = self._kept.get(key)
            if state is None:
                state = self._loaded(entry, file) if made is None else _with_decisions(self._state(entry, None), made)
                self._kept[key] = state
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return state

    def _loaded(self, entry: ResultEntry, file: Path) -> StudyState:
        return load_saved_state(file, self._tables.data(table_source_in(self._folder, entry.table)))

    def prepare(self, entry: ResultEntry, made: Decisions) -> None:
        """Load a result, and make what questions to it need, so that the first one is answered at once."""
        found = _learned(self.decided(entry, made)).network
        if found is not None:
            found.marginals()

    def graph(self, entry: ResultEntry, made: Decisions) -> DAG | None:
        """Return the structure of a result; None where no network fits what tests found."""
        return _learned(self.decided(entry, made)).dag

    def network(self, entry: ResultEntry, made: Decisions) -> BayesianNetwork:
        """Return the network of a result, with its tables.

        Raises
        ------
        NetworkError
            If no network fits what tests found.
        """
        learned = _learned(self.decided(entry, made))
        found = learned.network
        if found is None:
            raise NetworkError(
                f"no network fits what {learned.search} found: the tests contradict each other; learn with another "
                "search or another significance level"
            )
        return found

    def open_answer(
        self, entry: ResultEntry, made: Decisions, evidence: Mapping[str, str], do: Mapping[str, str]
    ) -> OpenAnswer:
        """Return which links without a direction an answer of a network hangs on, and how far.

        Raises
        ------
        NetworkError
            If no network fits what tests found.
        """
        state = self.decided(entry, made)
        graph = _class_of(state)
        return open_answer(self.network(entry, made), graph, state.data, evidence, do, self._member)

    def _member(self, dag: DAG, data: Data) -> BayesianNetwork:
        """Return another network of a class, with parameters; the last ones are kept, with what questions made."""
        key = id(data), dag.arcs
        with self._lock:
            found = self._members.pop(key, None)
        if found is None or found[0] is not data:
            found = data, fit(dag, data)
        with self._lock:
            self._members[key] = found
            while len(self._members) > 32:  # other networks of a class, with their parameters
                self._members.popitem(last=False)
        return found[1]

    def study(self, entry: ResultEntry, made: Decisions) -> Study | None:
        """Return the whole study of a result; None if some of its parts are not made yet."""
        state = self.decided(entry, made)
        rests = [part.name for part in PARTS if part.of_network]
        if any(part.name not in state.parts for part in PARTS if part.name not in rests):
            return None
        return study_of(go_on_with_study(state.without_parts(*rests), state.options.resumed()))

    def view(self, entry: ResultEntry, made: Decisions) -> dict[str, Any]:
        """Return a result as plain values: the report of the search, its links, and where everything stands."""
        base, state = self.found(entry), self.decided(entry, made)
        learned, npc = _learned(state), state.parts.get("npc")
        links = link_views(base, state)
        return {
            "id": entry.id,
            "to_dict": learned.to_dict(),
            "text": str(learned),
            "npc": None if npc is None else npc.to_dict(),
            "parts": [part.name for part in PARTS if part.name in state.parts],
            "left_out": dict(state.left_out),
            "links": [link.values() for link in links],
            "layout": self._layout(entry, base, links),
            "cpts": [] if learned.dag is None else list(learned.dag.names),
            "variables": list(state.data.names),
            "states": {
                x: [label_text(label) for label in labels]
                for x, labels in zip(state.data.names, state.data.states, strict=True)
            },
        }

    def _layout(self, entry: ResultEntry, base: StudyState, links: list[LinkView]) -> dict[str, Any]:
        """Return where nodes stand, which depends on what was found alone, and how links run."""
        found = read_layout(self._folder, entry.id)
        learned = _learned(base)
        if found is None or set(found.positions) != set(base.data.names):
            found = layout(learned.directions if learned.dag is None else learned.dag)
        edges = [(link.a, link.b) for link in links]
        key = entry.id, frozenset(map(frozenset, edges))
        if self._placed is None or self._placed[0] != key:
            self._placed = key, with_routes(found, edges)
        placed = with_routes(self._placed[1], edges)
        directed = {(link.a, link.b): link.directed for link in links}
        return _layout_values(placed, directed)

    def comparison(
        self, first: ResultEntry, of_first: Decisions, second: ResultEntry, of_second: Decisions
    ) -> dict[str, Any]:
        """Return how two results differ, and a layout of both with the class of each link.

        Compared is what is known of them: a link whose direction both leave open is common to them.

        Raises
        ------
        BnmlError
            If they are about different variables.
        """
        graphs = [_class_of(self.decided(*pair)) for pair in ((first, of_first), (second, of_second))]
        found = compare(*graphs)
        classes = {
            "common": found.shared,
            "turned": tuple((b, a) for a, b in found.reversed),
            "directed_in_first": found.undirected_in_b,
            "directed_in_second": found.undirected_in_a,
            "missing": found.only_a,
            "extra": found.only_b,
        }
        free = {frozenset(pair) for graph in graphs for pair in graph.undirected}
        of_edge = {edge: name for name, edges in classes.items() for edge in edges}
        directed = {
            edge: name.startswith("directed") or frozenset(edge) not in free for edge, name in of_edge.items()
        }  # fmt: skip
        shown = _layout_values(comparison_layout(found, list(of_edge)), directed)
        for edge in shown["edges"]:
            edge["class"] = of_edge[edge["a"], edge["b"]]
        return {"to_dict": found.to_dict(), "text": str(found), "layout": shown}


def _learned(state: StudyState) -> SearchResult:
    learned: SearchResult = state.parts["learned"]
    return learned


def _class_of(state: StudyState) -> PDAG:
    """Return the class of a network with all directions that are told: by data, knowledge and decisions by hand."""
    return graph_with_decisions(_learned(state), state.decisions.directed)


def _with_decisions(base: StudyState, made: Decisions) -> StudyState:
    """Return a result with what was decided by hand, and how strong links are then: of families that changed anew."""
    state = decided_study(base, checked_decisions(made.keep, made.drop, made.directed))
    learned, before = _learned(state), _learned(base)
    known = base.parts["strength"]
    if learned.dag is None or before.dag is None or not isinstance(learned.local, LocalScores):
        part = next(part for part in PARTS if part.name == "strength")
        return study_with_part(state, state.options.resumed(), part)
    turned = [x for x in learned.dag.names if set(learned.dag.parents(x)) != set(before.dag.parents(x))]
    if not turned:
        return state.with_part("strength", known, {})
    changed = DAG(learned.dag.names, [(parent, x) for x in turned for parent in learned.dag.parents(x)])
    anew = strength(changed, state.data, learned.local.score_function, prior=learned.structure_prior)
    frames = [frame for frame in (known[~known["to"].isin(turned)], anew) if len(frame)]
    return state.with_part("strength", pd.concat(frames, ignore_index=True) if frames else known[:0], {})


def _layout_values(found: Layout, directed: dict[tuple[str, str], bool]) -> dict[str, Any]:
    """Return a layout as plain values, in tenths of a point; nodes by their middle."""
    return {
        "width": found.width,
        "height": found.height,
        "nodes": [
            {
                "name": name,
                "lines": list(label_lines(name)),
                "x": x,
                "y": y,
                "width": found.sizes[name][0],
                "height": found.sizes[name][1],
            }
            for name, (x, y) in found.positions.items()
        ],
        "edges": [
            {"a": a, "b": b, "directed": directed[a, b], "points": [list(point) for point in found.routes[a, b]]}
            for a, b in directed
        ],
    }
