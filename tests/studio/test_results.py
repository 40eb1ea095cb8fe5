"""Learning, results, decisions by hand, questions: the same as the library's, request by request."""

from __future__ import annotations

import itertools
import json
import math
from importlib import resources

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.data.example import example_path
from bnml.five_steps.decisions import Decisions, graph_with_decisions
from bnml.five_steps.open_answers import open_answer
from bnml.studio.hand_on import picture_file
from bnml.studio.jobs import job_line
from bnml.studio.learning import learning_request
from bnml.studio.read_tables import ReadTables, table_source_in
from bnml.studio.result_titles import SCORE_TITLES
from bnml.studio.results import Results
from bnml.studio.session import SETTINGS, KnownStructure, ResultEntry, TableChoices, TableEntry
from bnml.studio.session_folder import SessionFolder
from bnml.studio.worker import _done
from tests.studio.running import learned_here
from tools.trace_call import traced

QUICK = {"search": "exact", "repetitions": 10, "prior": "uniform"}


@pytest.fixture(scope="module")
def learned(studio):
    """Learn the network that most tests here look at."""
    status, found = studio.call("PUT", "api/settings", QUICK)
    assert status == 200, found
    session = studio.done("POST", "api/jobs", {"kind": "learn"})
    assert session["current"] == "r1"
    return studio.get("api/results/r1")


@pytest.fixture(scope="module")
def data(clinic):
    return bnml.read(clinic, bins="auto", drop=["id"])


@pytest.fixture(scope="module")
def own(data):
    """Learn the same without the studio."""
    return bnml.learn(data, search="exact", prior="uniform")


def untimed(values):
    return {name: value for name, value in values.items() if name != "seconds"}


def arcs(found):
    return {(link["a"], link["b"]) for link in found["links"] if link["in_network"]}


def test_a_result_without_a_server(tmp_path):
    """Learn, decide and look at it with the functions that the server calls."""
    with SessionFolder(tmp_path) as folder, resources.as_file(example_path()) as path:
        table = TableEntry(folder.add_table(path, ".csv.gz"), "example")
        tables, told = ReadTables(), []
        summary = learned_here(
            folder.path, "r1", table, KnownStructure(), SETTINGS, tables,
            progress=lambda stage, share: told.append(share),
        )  # fmt: skip
        assert (summary["optimal"], told[0], told == sorted(told)) == (True, 0.0, True)
        results, entry = (
            Results(folder.path, tables),
            ResultEntry("r1", summary, table, KnownStructure(), SETTINGS),
        )
        shown = results.view(entry, Decisions(directed=(("bronc", "smoke"),)))
        assert shown["to_dict"]["log_prior"] == pytest.approx(-7 * math.log(6))  # the sparse prior, and seven arcs
        assert {(one["a"], one["b"]) for one in shown["links"] if one["by_hand"]} == {("bronc", "smoke")}
        assert {(one["a"], one["b"]) for one in shown["links"] if one["follows"]} == {("smoke", "lung")}
        assert ("bronc", "smoke") in results.network(entry, Decisions(directed=(("bronc", "smoke"),))).dag.arcs
        assert results.study(entry, Decisions()) is None


def test_settings_are_checked_once(tmp_path):
    """In the server; the worker takes its options as they are."""
    with SessionFolder(tmp_path) as folder, resources.as_file(example_path()) as path:
        table = TableEntry(folder.add_table(path, ".csv.gz"), "example", TableChoices(target="lung"))
        source, tables = table_source_in(folder.path, table), ReadTables()
        names = tables.data(source).names
        with traced() as trace:
            asked = learning_request(table, KnownStructure(), {**SETTINGS, "score": "bic", "max_parents": 2}, names)
        assert (trace.calls["options checked"], trace.calls["score parsed"]) == (1, 1)
        task = {"folder": folder.path, "result": "r1", "source": source}
        with traced() as trace:
            found = _done(json.loads(job_line("j1", "learn", {**task, "asked": asked, "like": None})), tables, print)
        assert found["done"]["score_name"] == "bic"
        calls = {name: trace.calls[name] for name in ("options checked", "score parsed", "bound")}
        assert calls == {"options checked": 0, "score parsed": 0, "bound": 1}


def test_where_no_network_fits_the_tests(tmp_path):
    """Show the graph that tests left all the same; questions say that there is no network."""
    u = np.random.default_rng(120).integers(0, 2, (150, 5))
    frame = pd.DataFrame({name: u[:, k] | u[:, (k + 1) % 5] for k, name in enumerate("abcde")})
    frame.to_csv(tmp_path / "ring.csv", index=False)
    settings = {**SETTINGS, "search": "pc", "alpha": 0.1, "repetitions": 0}
    with SessionFolder(tmp_path / "session") as folder:
        table = TableEntry(folder.add_table(tmp_path / "ring.csv", ".csv"), "ring.csv")
        tables = ReadTables()
        summary = learned_here(folder.path, "r1", table, KnownStructure(), settings, tables)
        results, entry = Results(folder.path, tables), ResultEntry("r1", summary, table, KnownStructure(), settings)
        shown = results.view(entry, Decisions())
        own = bnml.pc(tmp_path / "ring.csv", alpha=0.1)
        assert own.dag is None
        assert (summary["score"], summary["proof"]) == (None, "No network fits what pc found.")
        assert len(shown["links"]) == summary["arcs"] == len(own.pdag.directed) + len(own.pdag.undirected)
        assert shown["cpts"] == []
        with pytest.raises(bnml.BnmlError, match="no network fits"):
            results.network(entry, Decisions())
        assert picture_file(results.found(entry), "svg", "ring").startswith(b"<?xml")
        other = results.comparison(entry, Decisions(), entry, Decisions())
        assert {edge["class"] for edge in other["layout"]["edges"]} == {"common"}
        a, b = own.pdag.undirected[0]
        shown = results.view(entry, Decisions(directed=((b, a),)))
        assert next(one for one in shown["links"] if one["by_hand"])["a"] == b


def test_a_result_is_that_of_the_library(studio, learned, own):
    assert untimed(learned["to_dict"]) == json.loads(json.dumps(untimed(own.to_dict())))
    assert arcs(learned) == set(own.dag.arcs)
    directed = {(link["a"], link["b"]) for link in learned["links"] if link["directed"]}
    assert directed == set(own.directions.directed)
    (entry,) = studio.get("api/session")["results"]
    assert (entry["score"], entry["optimal"], entry["stale"]) == (own.score, True, False)
    assert entry["proof"].startswith("Optimal: no network")


def test_links_have_what_they_are_worth(learned, own, data):
    table = bnml.strength(own.dag, data, "qnml", prior="uniform").set_index(["from", "to"])
    for link in learned["links"]:
        row = table.loc[(link["a"], link["b"])]
        assert (link["gain"], link["p_value"]) == (pytest.approx(row["net_gain"]), pytest.approx(row["p_value"]))
        assert link["support"] is link["probability"] is link["in_npc"] is None


def test_the_layout_is_that_of_pictures(learned, own):
    wanted = bnml.plot.layout(own.dag)
    shown = learned["layout"]
    assert {node["name"]: (node["x"], node["y"]) for node in shown["nodes"]} == wanted.positions
    routes = {(edge["a"], edge["b"]): tuple(map(tuple, edge["points"])) for edge in shown["edges"]}
    assert routes == wanted.routes
    assert (shown["width"], shown["height"]) == (wanted.width, wanted.height)


def decide(studio, **made):
    status, session = studio.call("POST", "api/decisions", made)
    assert status == 200, session
    return session, studio.get(f"api/results/{session['current']}")


def test_directions_by_hand_and_what_follows(studio, learned, own):
    a, b = own.directions.undirected[0]
    for arc in ((a, b), (b, a)):
        session, found = decide(studio, directed=[arc])
        assert session["decisions"] == {"keep": [], "drop": [], "directed": [list(arc)]}
        graph = graph_with_decisions(own, [arc])
        assert {(link["a"], link["b"]) for link in found["links"] if link["directed"]} == set(graph.directed)
        assert {(link["a"], link["b"]) for link in found["links"] if link["by_hand"]} == {arc}
        follow = {(link["a"], link["b"]) for link in found["links"] if link["follows"]}
        assert follow == set(graph.directed) - set(own.directions.directed) - {arc}
        assert found["layout"]["nodes"] == learned["layout"]["nodes"]  # nothing moves
        assert found["to_dict"]["score"] == pytest.approx(own.score)
        shown = bnml.strength(bnml.DAG(own.dag.names, sorted(arcs(found))), own.data, prior="uniform").set_index(
            ["from", "to"]
        )
        for link in found["links"]:
            assert link["gain"] == pytest.approx(shown.loc[(link["a"], link["b"]), "net_gain"])
    assert studio.call("POST", "api/undo")[1]["decisions"]["directed"] == [[a, b]]
    assert studio.call("POST", "api/undo")[1]["decisions"]["directed"] == []
    assert studio.get("api/results/r1") == learned
    assert studio.call("POST", "api/redo")[1]["decisions"]["directed"] == [[a, b]]
    decide(studio)


def test_decisions_that_do_not_go_are_refused_with_the_reason(studio, learned, own):
    a, b = own.directions.directed[0]
    revision = studio.get("api/session")["revision"]
    for made, message in [
        ({"directed": [[b, a]]}, "is in every network as good as this one"),
        ({"directed": [["asia", "nothing"]]}, "are not linked in the network"),
        ({"directed": [[a]]}, "pairs of variables"),
        ({"directed": [[a, b], [b, a]]}, "both ways"),
        ({"keep": [[a, b]]}, "NPC, which was left out"),
    ]:
        status, found = studio.call("POST", "api/decisions", made)
        assert status == 400
        assert message in found["error"]
    assert studio.get("api/session")["revision"] == revision


def test_more_about_a_result(studio, learned, data):
    session = studio.done("POST", "api/jobs", {"kind": "npc"})
    assert "npc" in session["results"][0]["parts"]
    found = studio.get("api/results/r1")
    own = bnml.npc(data, max_condition=None)
    linked = {frozenset(edge) for edge in (*own.pdag.directed, *own.pdag.undirected)}
    assert {frozenset((link["a"], link["b"])) for link in found["links"] if link["in_npc"]} == linked
    assert found["layout"]["nodes"] == learned["layout"]["nodes"]
    shown = {(link["a"], link["b"]): link for link in found["links"]}
    for link in learned["links"]:  # directions of the network do not change with what tests say
        now = shown[link["a"], link["b"]]
        assert (now["directed"], now["undirected"]) == (link["directed"], link["undirected"])
    for (a, b), link in shown.items():
        assert link["in_network"] or link["directed"] == ((a, b) in own.pdag.directed)
    studio.done("POST", "api/jobs", {"kind": "support"})
    found = studio.get("api/results/r1")
    drawn = bnml.bootstrap(data, search="exact", repetitions=10)
    at = data.names.index
    for link in found["links"]:
        assert link["support"] == pytest.approx(drawn.links[at(link["a"]), at(link["b"])])
    session = studio.done("POST", "api/jobs", {"kind": "posterior"})
    found = studio.get("api/results/r1")
    chances = bnml.posterior(data, "qnml", structure_prior="uniform").link_probabilities
    assert all(link["probability"] == pytest.approx(chances.loc[link["a"], link["b"]]) for link in found["links"])
    assert arcs(found) == arcs(learned)


def test_ambiguous_regions_are_resolved_by_hand(studio, learned, data):
    """With NPC as the search the network follows; here wherever the table has a region."""
    assert studio.call("PUT", "api/settings", {"search": "npc", "alpha": 0.2})[0] == 200
    session = studio.done("POST", "api/jobs", {"kind": "learn"})
    current = session["current"]
    found = studio.get(f"api/results/{current}")
    own = bnml.npc(data, alpha=0.2)
    assert {link["region"] for link in found["links"]} - {None} == set(range(len(own.ambiguous_regions)))
    for number, region in enumerate(own.ambiguous_regions):
        link = sorted(min(region, key=sorted))
        for kind in ("keep", "drop"):
            wanted = own.resolve(**{kind: [link]})
            _, shown = decide(studio, **{kind: [link]})
            linked = {frozenset(edge) for edge in (*wanted.pdag.directed, *wanted.pdag.undirected)}
            assert {frozenset((one["a"], one["b"])) for one in shown["links"] if one["in_npc"]} == linked
            (chosen,) = [one for one in shown["links"] if {one["a"], one["b"]} == set(link)]
            assert (chosen["by_hand"], chosen["region"], chosen["undecided"]) == (True, number, False)
    decide(studio)
    assert studio.call("PUT", "api/settings", QUICK | {"alpha": 0.05})[0] == 200
    status, session = studio.call("DELETE", f"api/results/{current}")
    assert (status, session["current"], len(session["results"])) == (200, "r1", 1)
    assert not (studio.folder / "results" / f"{current}.json").exists()
    assert studio.call("GET", f"api/results/{current}")[0] == 404


def test_regions_beside_a_network_by_score(studio, learned, data):
    """The network gets and loses links that were decided by hand, in what is shown, asked and handed on."""
    assert studio.call("PUT", "api/settings", {"search": "exact", "alpha": 0.2})[0] == 200
    current = studio.done("POST", "api/jobs", {"kind": "learn"})["current"]
    studio.done("POST", "api/jobs", {"kind": "npc"})
    before = {frozenset(arc) for arc in arcs(studio.get(f"api/results/{current}"))}
    regions = bnml.npc(data, alpha=0.2).ambiguous_regions
    assert regions
    for link in sorted(map(sorted, regions[0])):
        for kind, wanted in (("keep", before | {frozenset(link)}), ("drop", before - {frozenset(link)})):
            _, shown = decide(studio, **{kind: [link]})
            assert {frozenset(arc) for arc in arcs(shown)} == wanted
            assert shown["to_dict"]["optimal"] == (wanted == before)
            tables = {x: studio.get(f"api/cpt/{x}")["parents"] for x in data.names}
            assert {frozenset((x, y)) for x, parents in tables.items() for y in parents} == wanted
    decide(studio)
    assert studio.call("PUT", "api/settings", QUICK | {"alpha": 0.05})[0] == 200
    assert studio.call("DELETE", f"api/results/{current}")[0] == 200


def kinds_of_links(first, second):
    """Say of each pair that is linked in one of two classes what there is to be said, straight from the two lists."""
    kinds = {}
    marks = [
        {frozenset(edge): edge for edge in graph.directed} | dict.fromkeys(map(frozenset, graph.undirected), "open")
        for graph in (first, second)
    ]
    for pair in {*marks[0], *marks[1]}:
        a, b = (of.get(pair) for of in marks)
        if a is None or b is None:
            kinds[pair] = "missing" if b is None else "extra"
        elif a == b:
            kinds[pair] = "common"
        elif "open" in (a, b):
            kinds[pair] = "directed_in_second" if a == "open" else "directed_in_first"
        else:
            kinds[pair] = "turned"
    return kinds


def compared(found):
    return {frozenset((edge["a"], edge["b"])): edge["class"] for edge in found["layout"]["edges"]}


def test_directions_that_both_leave_open_are_no_difference(tmp_path):
    """Two members of one class are the same; what is decided by hand in one of them is a difference."""
    with SessionFolder(tmp_path) as folder, resources.as_file(example_path()) as path:
        table, tables = TableEntry(folder.add_table(path, ".csv.gz"), "example"), ReadTables()
        known = KnownStructure.of({"required": [["smoke", "bronc"]]})
        entries = []
        for name, given in (("r1", KnownStructure()), ("r2", known)):
            told = learned_here(folder.path, name, table, given, SETTINGS, tables)
            entries.append(ResultEntry(name, told, table, given, SETTINGS))
        results, nothing = Results(folder.path, tables), Decisions()
        first, second = (results.graph(entry, nothing) for entry in entries)
        assert first.cpdag() == second.cpdag()
        assert set(first.arcs) != set(second.arcs)
        by_hand = Decisions(directed=(("smoke", "bronc"),))
        same = results.comparison(entries[0], by_hand, entries[1], nothing)
        assert set(compared(same).values()) == {"common"}
        assert any(not edge["directed"] for edge in same["layout"]["edges"])
        open_one = results.comparison(entries[0], nothing, entries[1], nothing)
        learned = bnml.learn(bnml.example())
        graphs = learned.directions, graph_with_decisions(learned, by_hand.directed)
        assert compared(open_one) == kinds_of_links(*graphs)
        assert "turned" not in compared(open_one).values()
        assert compared(open_one)[frozenset(("smoke", "bronc"))] == "directed_in_second"
        other = results.comparison(
            entries[0], Decisions(directed=(("bronc", "smoke"),)), entries[1], nothing
        )  # fmt: skip
        assert compared(other)[frozenset(("smoke", "bronc"))] == "turned"


def test_two_results_side_by_side(studio, learned, data, own):
    assert studio.call("PUT", "api/settings", {"score": "bdeu", "search": "climb"})[0] == 200
    session = studio.done("POST", "api/jobs", {"kind": "learn"})
    second = session["current"]
    found = studio.get(f"api/results/r1/comparison/{second}")
    other = bnml.learn(data, "bdeu", "climb", prior="uniform")
    wanted = bnml.compare(own.directions, other.directions)
    assert compared(found) == kinds_of_links(own.directions, other.directions)
    assert found["to_dict"] == json.loads(json.dumps(wanted.to_dict()))
    classes = {(edge["a"], edge["b"]): edge["class"] for edge in found["layout"]["edges"]}
    assert {arc for arc, name in classes.items() if name == "common"} == set(wanted.shared)
    assert {arc for arc, name in classes.items() if name == "missing"} == set(wanted.only_a)
    assert {arc for arc, name in classes.items() if name == "extra"} == set(wanted.only_b)
    assert {arc for arc, name in classes.items() if name == "turned"} == {(b, a) for a, b in wanted.reversed}
    _, session = studio.call("PUT", "api/current", {"current": "r1", "compared": second})
    assert (session["current"], session["compared"]) == ("r1", second)
    assert studio.call("PUT", "api/current", {"current": "r77"})[0] == 404
    studio.call("PUT", "api/settings", QUICK | {"score": "qnml"})


def test_knowledge(studio, learned, data):
    known = {"tiers": [["smoke"], ["lung", "bronc"]], "required": [["asia", "xray"]]}
    status, session = studio.call("PUT", "api/knowledge", known)
    assert (status, session["knowledge"]["contradiction"]) == (200, None)
    assert session["results"][0]["stale"]
    against = {**known, "forbidden": [["asia", "xray"]]}
    status, session = studio.call("PUT", "api/knowledge", against)
    assert status == 200
    assert session["knowledge"]["forbidden"] == [["asia", "xray"]]
    assert "is required, but asia -> xray is forbidden" in session["knowledge"]["contradiction"]
    status, answer = studio.call("POST", "api/jobs", {"kind": "learn"})
    assert (status, answer["error"]) == (400, session["knowledge"]["contradiction"])
    studio.call("POST", "api/undo")
    session = studio.done("POST", "api/jobs", {"kind": "learn"})
    found = studio.get(f"api/results/{session['current']}")
    wanted = bnml.learn(data, search="exact", constraints=bnml.Constraints(**known), prior="uniform")
    assert arcs(found) == set(wanted.dag.arcs)
    assert not session["results"][-1]["stale"]
    status, session = studio.call("PUT", "api/knowledge", {})
    assert not session["results"][0]["stale"]
    studio.call("DELETE", f"api/results/{session['current']}")
    studio.call("PUT", "api/current", {"current": "r1", "compared": None})


def test_knowledge_of_columns_that_take_no_part_is_named(studio, learned, data):
    known = {"tiers": [["smoke"], ["lung"]], "forbidden": [["asia", "xray"]], "required_links": [["tub", "nobody"]]}
    session = studio.call("PUT", "api/knowledge", known)[1]
    assert session["knowledge"]["not_used"] == {"nobody": "is not in the table"}
    session = studio.done("PUT", "api/table", {"used": [x for x in data.names if x not in ("smoke", "xray")]})
    off = {"smoke": "is switched off", "xray": "is switched off", "nobody": "is not in the table"}
    assert session["knowledge"]["not_used"] == off
    assert {name: session["knowledge"][name] for name in known} == known
    assert studio.call("POST", "api/undo")[1]["knowledge"]["not_used"] == {"nobody": "is not in the table"}
    assert studio.call("PUT", "api/knowledge", {})[1]["knowledge"]["not_used"] == {}


def test_titles_tell_results_apart(studio, learned):
    first = studio.get("api/session")["results"]
    assert [one["title"] for one in first if one["id"] == "r1"] == ["Exact, qNML"]
    again = studio.done("POST", "api/jobs", {"kind": "learn"})
    titles = {one["id"]: one["title"] for one in again["results"]}
    assert titles["r1"] == "Exact, qNML (result 1)"
    assert titles[again["current"]] == f"Exact, qNML (result {again['current'][1:]})"
    assert len(set(titles.values())) == len(titles)
    assert all(title[0].isupper() for title in titles.values())
    studio.call("POST", "api/ask", {"evidence": {"xray": "yes"}})
    session = studio.call("DELETE", f"api/results/{again['current']}")[1]
    assert session["evidence"] == {}  # another network is shown, of which nothing was asked
    studio.call("PUT", "api/current", {"current": "r1", "compared": None})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"score": "qmnl"}, "qmnl"),
        ({"search": "quick"}, "there is no such search"),
        ({"max_parents": -1}, "a whole number"),
        ({"rows_per_cell": "many"}, "a number"),
        ({"prior": 1}, "a text"),
        ({"alpha": 2}, "the significance level 2"),
        ({"search": "naive"}, "choose one in the table"),
        ({"repetitions": 0.5}, "a whole number"),
        ({"repetitions": 10_001}, "the number of halves: expected a whole number from 0 to 10,000"),
        ({"max_parents": 10**400}, "a number"),
    ],
)
def test_wrong_settings(studio, settings, message):
    before = studio.get("api/session")
    status, answer = studio.call("PUT", "api/settings", settings)
    assert status == 400
    assert message in answer["error"]
    assert studio.get("api/session") == before


def test_forecasts_and_choices(studio, learned, data):
    found = studio.get("api/forecast")
    assert (found["search"], found["exact"]["subsets"]) == ("exact", 2 ** len(data.names))
    assert found["text"].startswith("9 variables: all combinations are gone through")
    assert "second" in found["text"]
    assert "subset" not in found["text"]
    choices = studio.get("api/choices")
    assert {"qnml", "bdeu"} <= {one["name"] for one in choices["scores"]}
    assert set(choices["searches"]) == set(choices["search_titles"])
    assert {one["name"] for one in choices["scores"]} == set(SCORE_TITLES)
    assert choices["needs_target"] == ["tan", "naive"]
    assert ".csv" in choices["suffixes"]


# --- questions ---


def test_questions(studio, learned, own):
    network = own.network
    for evidence, do in [({}, {}), ({"xray": "yes"}, {}), ({"xray": "yes"}, {"smoke": "no"}), ({}, {"either": "yes"})]:
        status, found = studio.call("POST", "api/ask", {"evidence": evidence, "do": do})
        assert status == 200
        assert found["probability"] == pytest.approx(network.probability(evidence, do))
        for name, table in network.marginals(evidence, do).items():
            shown = found["marginals"][name]
            assert shown["states"] == [str(label) for label in table.index]
            assert shown["probabilities"] == pytest.approx(table.tolist(), abs=1e-12)
        session = studio.get("api/session")
        assert (session["evidence"], session["do"]) == (evidence, do)
        row, log_probability = network.most_probable(evidence, do)
        status, found = studio.call("POST", "api/most-probable", {"evidence": evidence, "do": do})
        assert found == {"row": {x: str(s) for x, s in row.items()}, "log_probability": pytest.approx(log_probability)}


def test_setting_says_which_open_links_the_answer_hangs_on(studio, learned, own):
    """As the library says it; the answer lies in the range, and so does that of a network with a link turned round."""
    decide(studio)
    free = own.directions.undirected
    for x in {name for link in free for name in link}:
        label = str(own.network.states[x][0])
        found = studio.call("POST", "api/ask", {"evidence": {}, "do": {x: label}})[1]
        assert {frozenset(link) for link in found["hangs_on"]} == {frozenset(link) for link in free if x in link}
        assert {tuple(link) for link in found["hangs_on"]} <= set(own.dag.arcs)
        wanted = open_answer(own.network, own.directions, own.data, {}, {x: label})
        for name, own_bar in found["marginals"].items():
            bounds = found["range"][name]
            assert bounds["low"] == pytest.approx(wanted.low[name].tolist(), abs=1e-12)
            assert bounds["high"] == pytest.approx(wanted.high[name].tolist(), abs=1e-12)
            shown = zip(bounds["low"], own_bar["probabilities"], bounds["high"], strict=True)
            assert all(low <= p <= high for low, p, high in shown)
    a, b = next(iter(free))
    _, settled = decide(studio, directed=[[a, b]])
    left = {frozenset((link["a"], link["b"])) for link in settled["links"] if link["undirected"]}
    found = studio.call("POST", "api/ask", {"do": {a: str(own.network.states[a][0])}})[1]
    assert {frozenset(link) for link in found["hangs_on"]} == {link for link in left if a in link}
    decide(studio)


def test_nothing_set_hangs_on_nothing(studio, learned, own):
    for evidence in ({}, {"xray": "yes"}):
        found = studio.call("POST", "api/ask", {"evidence": evidence})[1]
        assert (found["hangs_on"], found["range"]) == ([], None)


def test_the_prior_leaves_what_is_said_as_it_is(studio, learned, own):
    studio.call("POST", "api/ask", {"evidence": {"xray": "yes"}})
    before = studio.get("api/session")
    found = studio.get("api/prior")
    for name, table in own.network.marginals().items():
        assert found["marginals"][name]["probabilities"] == pytest.approx(table.tolist(), abs=1e-12)
    assert studio.get("api/session") == before


def test_conditional_tables(studio, learned, own):
    for name in own.dag.names:
        found = studio.get(f"api/cpt/{name}")
        parents = own.dag.parents(name)
        assert found["parents"] == list(parents)
        labels = itertools.product(*([str(s) for s in own.network.states[p]] for p in parents))
        assert [tuple(row["given"]) for row in found["rows"]] == list(labels)
        flat = list(itertools.chain(*(row["probabilities"] for row in found["rows"])))
        assert flat == pytest.approx(own.network.probabilities(name).ravel().tolist())
        assert all(math.isclose(sum(row["probabilities"]), 1.0) for row in found["rows"])


@pytest.mark.parametrize(
    "asked",
    [{"evidence": {"nothing": "yes"}}, {"evidence": {"xray": "maybe"}}, {"evidence": {"xray": 1}}, {"evidence": []},
     {"evidence": {"xray": "yes"}, "do": {"xray": "no"}}, {"do": {"xray": None}}],
)  # fmt: skip
def test_questions_that_are_none(studio, learned, asked):
    before = studio.get("api/session")["revision"]
    for path in ("api/ask", "api/most-probable"):
        status, found = studio.call("POST", path, asked)
        assert status == 400
        assert found["error"]
    assert studio.get("api/session")["revision"] == before


def test_a_page_that_has_not_seen_the_last_change_is_told(studio, learned):
    revision = studio.get("api/session")["revision"]
    assert studio.call("PUT", "api/knowledge", {}, X_Revision=str(revision))[0] == 200
    status, found = studio.call("PUT", "api/knowledge", {}, X_Revision=str(revision))
    assert status == 409
    assert "changed elsewhere" in found["error"]


@pytest.mark.parametrize("kind", [None, "everything", 3, "table"])
def test_jobs_that_are_none(studio, learned, kind):
    assert studio.call("POST", "api/jobs", {"kind": kind})[0] == 400


HALF = "\ud800"  # half of a letter, as JSON can say it


@pytest.mark.parametrize(
    ("method", "path", "content"),
    [
        ("PUT", "api/knowledge", {"tiers": [[HALF]]}),
        ("PUT", "api/knowledge", {"required": [["asia", HALF]]}),
        ("PUT", "api/table", {"target": HALF}),
        ("PUT", "api/table", {"na_values": [HALF]}),
        ("PUT", "api/table", {"cuts": {HALF: [1]}}),
        ("PUT", "api/settings", {"score": HALF}),
        ("POST", "api/ask", {"evidence": {HALF: "yes"}}),
        ("POST", "api/ask", {"evidence": {"asia": HALF}}),
        ("POST", "api/decisions", {"keep": [[HALF, HALF]]}),
        ("POST", "api/table/gain", {"column": HALF, "cuts": [1]}),
        ("POST", "api/jobs", {"kind": HALF}),
    ],
)
def test_halves_of_letters_are_refused(studio, learned, method, path, content):
    status, found = studio.call(method, path, content)
    assert status == 400, found
    assert studio.call("GET", "api/session")[0] == 200


def test_undo_over_another_result_asks_nothing_of_it(studio, learned):
    studio.call("PUT", "api/current", {"current": "r1"})
    studio.call("POST", "api/ask", {"evidence": {"xray": "yes"}})
    session = studio.done("POST", "api/jobs", {"kind": "learn"})
    second = session["current"]
    assert (session["evidence"], second) != ({"xray": "yes"}, "r1")
    studio.call("POST", "api/ask", {"evidence": {"xray": "no"}})
    assert studio.call("PUT", "api/current", {"current": "r1"})[1]["evidence"] == {}
    studio.call("POST", "api/ask", {"evidence": {"xray": "yes"}})
    session = studio.call("POST", "api/undo")[1]
    assert (session["current"], session["evidence"]) == (second, {})
