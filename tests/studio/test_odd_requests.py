"""Requests that no page of ours would send: refused or harmless, never a mistake of the server's."""

from __future__ import annotations

import json
import random

import pytest

from bnml.errors import BnmlError
from bnml.studio.session import chosen_in_session, plain_fields
from tests.studio.running import walk

FIELDS = {
    ("PUT", "api/table"): ("used", "missing", "na_values", "bins", "cuts", "target", "left_out"),
    ("POST", "api/table/gain"): ("column", "cuts"),
    ("PUT", "api/knowledge"): ("tiers", "required", "forbidden", "required_links", "forbidden_links"),
    ("PUT", "api/settings"): ("score", "search", "max_parents", "rows_per_cell", "prior", "alpha", "repetitions"),
    ("POST", "api/jobs"): ("kind",),
    ("PUT", "api/current"): ("current", "compared"),
    ("POST", "api/decisions"): ("keep", "drop", "directed"),
    ("POST", "api/ask"): ("evidence", "do"),
    ("POST", "api/most-probable"): ("evidence", "do"),
}
ODD = (
    None, True, 0, -1, 1.5, 1e308, 10**400, float("nan"), float("inf"), "", "x", "auto", "lung", "target:lung",
    "target:", "width:0", "\0", "<b>", "\ud800", "x" * 10_000, [], [[]], [None], ["lung"], [["lung"]],
    [["lung", "lung"]],
    [["lung", "smoke"]], [["lung", "smoke", "asia"]], [["lung", "nobody"]], [[1, 2]], {}, {"lung": None},
    {"lung": "yes"}, {"age": []}, {"age": [1, 2]}, {"age": [2, 1]}, {"age": "yes"}, {"lung": [1]}, {"": ""},
    {"lung": {"yes": 1}}, [1e400],
)  # fmt: skip
ANSWERS = {200, 400, 404, 409}


@pytest.fixture(scope="module")
def walked(studio):
    """Let a studio have walked through all steps."""
    walk(studio)
    return studio


def test_what_sessions_are_made_of():
    """Check that odd values are taken or refused, and never anything else."""
    for name in {name for names in FIELDS.values() for name in names}:
        for value in ODD:
            for place in ({name: value}, {"knowledge": {name: value}}, {"settings": {name: value}}):
                try:
                    made = chosen_in_session(
                        {**place, "table": {"file": f"tables/{'a' * 16}/table.csv", "name": "t", "choices": place}}
                    )
                except BnmlError:
                    continue
                assert json.loads(json.dumps(plain_fields(made), allow_nan=False))["current"] in (None, value)


@pytest.mark.parametrize(("method", "path"), FIELDS)
def test_odd_values(walked, method, path):
    for name in FIELDS[method, path]:
        for value in ODD:
            status, found = walked.call(method, path, {name: value})
            assert status in ANSWERS, (name, value, found)
            if status == 200 and "id" in found and found["id"]:
                walked.settled()
    assert walked.call("GET", "api/session")[0] == 200


def test_odd_values_together(walked):
    rng = random.Random(7)
    for _ in range(150):
        method, path = rng.choice([route for route in FIELDS if route[1] != "api/jobs"])
        status, found = walked.call(method, path, {name: rng.choice(ODD) for name in FIELDS[method, path]})
        assert status in ANSWERS, found
        if status == 200 and path == "api/table":
            walked.settled()
    session = walked.settled()
    assert walked.call("GET", f"api/results/{session['results'][0]['id']}")[0] == 200


def test_undo_all_the_way_and_back(walked):
    while walked.get("api/session")["can_undo"]:
        assert walked.call("POST", "api/undo")[0] == 200
    first = walked.get("api/session")
    assert walked.call("POST", "api/undo")[0] == 400
    while walked.get("api/session")["can_redo"]:
        assert walked.call("POST", "api/redo")[0] == 200
    assert walked.call("POST", "api/redo")[0] == 400
    while walked.get("api/session")["can_undo"]:
        walked.call("POST", "api/undo")
    assert {**walked.get("api/session"), "revision": 0} == {**first, "revision": 0}


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"])
def test_every_method_everywhere(walked, method):
    session = walked.get("api/session")
    paths = [path for _, path in FIELDS] + [
        "api/session",
        "api/forecast",
        "api/choices",
        "api/prior",
        "api/before",
        "api/nothing",
        "static/x",
        "x",
    ]
    for path in paths:
        if (method, path) not in FIELDS:
            status, _, _ = walked.request(method, f"/{walked.token}/{path}", headers={"X-File-Name": "t.exe"})
            assert status in ANSWERS | {405}, (method, path)
    assert walked.get("api/session")["revision"] == session["revision"]
