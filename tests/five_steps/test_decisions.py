"""Uncertainty resolved by hand, or left open: links of ambiguous regions, and directions."""

from __future__ import annotations

import contextlib
from itertools import product

import pytest

import bnml
from bnml.errors import BnmlError
from bnml.five_steps.decisions import Decisions, decision_legend, network_with_decided_links
from tests.independence.test_saving import twins

pytestmark = pytest.mark.usefixtures("uniform_prior")

FEW = {"repetitions": 0, "threads": 1}


@pytest.fixture(scope="module")
def clinic():
    return bnml.study(bnml.example(), "lung", repetitions=2)


@pytest.fixture(scope="module")
def ambiguous():
    return bnml.study(twins(), search="npc", repetitions=2)


def plain(study) -> str:
    return " ".join(str(study).split())


def members(dag):
    """Yield all networks of a class, by trying every direction of every link."""
    links = [sorted(arc) for arc in dag.arcs]
    for turned in product((False, True), repeat=len(links)):
        try:
            other = bnml.DAG(
                dag.names, [(b, a) if turn else (a, b) for (a, b), turn in zip(links, turned, strict=True)]
            )
        except BnmlError:  # it has a cycle
            continue
        if other.cpdag() == dag.cpdag():
            yield other


# --- directions ---


def test_what_follows_from_a_direction_is_in_all_networks_that_have_it(clinic):
    every = list(members(clinic.learned.dag))
    for a, b in (edge for link in clinic.learned.directions.undirected for edge in (link, link[::-1])):
        found = clinic.resolve(directed=[(a, b)])
        fitting = [set(dag.arcs) for dag in every if (a, b) in dag.arcs]
        shared = set.intersection(*fitting)
        assert set(found.by_hand) == shared - set(clinic.learned.directions.directed)
        assert set(found.learned.dag.arcs) in fitting
        assert found.learned.score == pytest.approx(clinic.learned.score)
        assert found.learned.optimal
        assert set(found.directions.directed) == {*clinic.directions.directed, *found.by_hand}
        assert {(row["from"], row["to"]) for _, row in found.strength.iterrows()} == set(found.learned.dag.arcs)


def test_decisions_are_told(clinic):
    found = clinic.resolve(directed=[("bronc", "smoke")])
    sentence = "The direction of 1 link was decided by hand: bronc → smoke. From that follows smoke → lung."
    assert sentence in plain(found)
    assert sentence in found.html()
    assert "decided by hand</td>" in found.html()
    assert "follows from decisions by hand</td>" in found.html()
    assert decision_legend(found) == ("direction from the data, or decided by hand", "direction open")
    told = found.to_dict()["decisions"]
    assert told == {
        "keep": [], "drop": [], "directed": [["bronc", "smoke"]],
        "directions": [["bronc", "smoke"], ["smoke", "lung"]],
    }  # fmt: skip
    links = {(link.a, link.b): link for link in found.links if link.in_network}
    assert links["smoke", "lung"].by_hand
    assert links["smoke", "lung"].directed
    assert clinic.decisions == Decisions()  # a study does not change


def test_a_direction_on_which_scores_disagree_can_be_decided(clinic):
    link = next(link for link in clinic.links if (link.a, link.b) == ("either", "xray"))
    assert link.disputed_by
    found = clinic.resolve(directed=[("either", "xray")])
    link = next(link for link in found.links if (link.a, link.b) == ("either", "xray"))
    assert (link.directed, link.by_hand, link.disputed_by) == (True, True, ())
    assert found.learned.dag == clinic.learned.dag


def test_decisions_add_up(clinic):
    one = clinic.resolve(directed=[("smoke", "lung")]).resolve(directed=[("asia", "tub")])
    both = clinic.resolve(directed=[("smoke", "lung"), ("asia", "tub")])
    assert one.to_dict() | {"seconds": 0} == both.to_dict() | {"seconds": 0}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([("asia", "xray")], "asia and xray are not linked in the network; links whose direction is open: asia - tub"),
        ([("dysp", "bronc")], "bronc -> dysp is in every network as good as this one, not dysp -> bronc"),
        ([("lung", "smoke"), ("smoke", "lung")], "there both ways"),
        ([("lung", "smoke"), ("bronc", "smoke")], "bronc -> smoke does not go with the others"),
        ([("lung", "nobody")], "are not linked"),
        ("lung", "must be a list of pairs"),
    ],
)
def test_wrong_directions(clinic, wrong, said):
    with pytest.raises(BnmlError, match=said):
        clinic.resolve(directed=wrong)


def test_directions_that_tests_leave_open():
    found = bnml.study(bnml.example(), search="pc", **FEW)
    (a, b), *_ = found.directions.undirected
    after = found.resolve(directed=[(b, a)])
    assert (b, a) in after.directions.directed
    assert (b, a) in after.learned.dag.arcs
    assert after.learned.score == pytest.approx(bnml.score(after.learned.dag, bnml.example()))


# --- regions ---


def test_regions_stay_open_unless_decided(ambiguous):
    first = bnml.npc(twins())
    assert ambiguous.npc.pdag == first.pdag
    assert ambiguous.npc.ambiguous_regions == first.ambiguous_regions != ()
    assert {frozenset(link) for link in ambiguous.open_links} == first.undecided.union(*first.ambiguous_regions)
    assert "In the network strength alone decides which of these are there" in plain(ambiguous)
    assert ambiguous.to_dict()["uncertainty"]["open_links"] == [list(link) for link in ambiguous.open_links]


def test_choices_as_options_and_afterwards_are_the_same(ambiguous):
    link = ambiguous.open_links[0]
    for choice in ("keep", "drop"):
        chosen = {choice: [link]}
        given = bnml.study(twins(), search="npc", repetitions=2, **chosen)
        later = ambiguous.resolve(**chosen)
        assert getattr(given.decisions, choice) == getattr(later.decisions, choice) == (tuple(sorted(link)),)
        assert given.learned.dag == later.learned.dag == bnml.learn(twins(), search="npc", **chosen).dag
        assert given.npc.pdag == later.npc.pdag == bnml.npc(twins()).resolve(**chosen).pdag
        assert given.open_links == later.open_links
        skip = ("seconds", "settings")
        one, other = ({k: v for k, v in found.to_dict().items() if k not in skip} for found in (given, later))
        assert one == other
        words = {"keep": "stays: this was decided by hand", "drop": "goes: this was decided by hand"}[choice]
        assert words in plain(later)
        assert words in later.html()


@pytest.fixture(scope="module")
def by_score():
    return bnml.study(twins(), **FEW)


def pairs(dag) -> set[frozenset[str]]:
    return set(map(frozenset, dag.arcs))


@pytest.mark.parametrize("choice", ["keep", "drop"])
def test_a_network_by_score_gets_links_that_stay_and_loses_those_that_go(by_score, choice):
    before, changed = pairs(by_score.learned.dag), 0
    for link in by_score.open_links:
        wanted = before | {frozenset(link)} if choice == "keep" else before - {frozenset(link)}
        after = by_score.resolve(**{choice: [link]})
        learned = after.learned
        assert pairs(learned.dag) == pairs(after.network.dag) == wanted
        assert learned.score == pytest.approx(bnml.score(learned.dag, twins()))
        assert set(map(frozenset, after.strength[["from", "to"]].to_numpy().tolist())) == wanted
        assert after.npc.pdag == bnml.npc(twins()).resolve(**{choice: [link]}).pdag
        assert link not in after.open_links
        assert learned.optimal == (wanted == before)
        if wanted != before:
            changed += 1
            assert learned.directions == learned.dag.cpdag()
            verb = {"keep": "got", "drop": "lost"}[choice]
            loss = by_score.learned.score - learned.score
            told = f"So the network {verb} {learned_link(by_score, after)}: its score is {loss:,.1f} nats lower"
            assert loss > 0
            assert told in plain(after)
            assert told in after.html()
            assert "with 1 link changed by hand" in after.html()
            assert "No other network" not in after.html()
            taken_back = after.resolve() if choice == "keep" else by_score
            assert pairs(taken_back.learned.dag) == (wanted if choice == "keep" else before)
    assert changed


def learned_link(before, after) -> str:
    ((a, b),) = {*before.learned.dag.arcs} ^ {*after.learned.dag.arcs}
    return f"{a} – {b}"


def test_an_added_link_points_the_better_way_that_is_allowed():
    learned = bnml.learn(bnml.example())
    names = learned.dag.names
    for a, b in [("asia", "smoke"), ("xray", "dysp"), ("tub", "bronc")]:
        ways = [[*learned.dag.arcs, (a, b)], [*learned.dag.arcs, (b, a)]]
        scores = []
        for arcs in ways:
            with contextlib.suppress(BnmlError):  # a cycle
                scores.append(bnml.score(bnml.DAG(names, arcs), bnml.example()))
        assert network_with_decided_links(learned, [(a, b)], []).score == pytest.approx(max(scores))
    rules = bnml.Constraints(forbidden=[("asia", "smoke")])
    found = network_with_decided_links(bnml.learn(bnml.example(), constraints=rules), [("asia", "smoke")], [])
    assert ("smoke", "asia") in found.dag.arcs
    both = network_with_decided_links(
        network_with_decided_links(learned, [("asia", "smoke")], []), [], [("asia", "smoke"), ("tub", "either")]
    )
    assert pairs(both.dag) == pairs(learned.dag) - {frozenset(("tub", "either"))}


def test_links_that_constraints_settle():
    known = bnml.Constraints(
        required=[("lung", "either"), ("either", "xray")], forbidden=[("lung", "xray"), ("asia", "bronc"),
        ("bronc", "asia")],
    )  # fmt: skip
    learned = bnml.learn(bnml.example(), constraints=known)
    for keep, drop, said in [
        ([], [("either", "lung")], "lung - either is required by the constraints"),
        ([("asia", "bronc")], [], "asia - bronc is forbidden in both directions by the constraints"),
        ([("lung", "xray")], [], "allow xray -> lung alone, but a path leads from lung to xray"),
    ]:
        with pytest.raises(BnmlError, match=said):
            network_with_decided_links(learned, keep, drop)
    with pytest.raises(BnmlError, match="found by PC; learn it with search='npc'"):
        network_with_decided_links(bnml.learn(bnml.example(), search="pc"), [("asia", "xray")], [])


def test_a_study_with_changed_links_is_kept_in_a_file(by_score, tmp_path):
    after = by_score.resolve(
        drop=[link for link in by_score.open_links if frozenset(link) in pairs(by_score.learned.dag)][:1]
    )
    after.save(tmp_path / "study.json")
    again = bnml.load_study(tmp_path / "study.json", twins())
    assert again.to_dict() == after.to_dict()
    assert again.learned.info["removed_by_hand"] == after.learned.info["removed_by_hand"]
    assert str(again) == str(after)


def test_wrong_choices(ambiguous, monkeypatch):
    with pytest.raises(BnmlError, match="in no ambiguous region"):
        ambiguous.resolve(keep=[("X0", "X1")])
    monkeypatch.setattr("bnml.five_steps.parts.MOST_FOR_NPC", 2)
    found = bnml.study(twins(), **FEW)
    with pytest.raises(BnmlError, match="NPC, which was left out: the necessary path condition goes up to 2"):
        found.resolve(drop=[("X0", "X2")])


def test_choices_about_variables_that_take_no_part(ambiguous):
    link = ambiguous.open_links[0]
    rest = [name for name in twins().names if name not in link]
    found = bnml.study(twins(), select=rest, search="npc", keep=[link], **FEW)
    assert found.decisions == Decisions()
    assert found.notes[0].startswith(f"The choice of the link {link[0]} – {link[1]}: ")
