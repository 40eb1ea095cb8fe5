"""What is handed on: networks, pictures, constraints, the report, and the session itself."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tomllib

import pandas as pd
import pytest

import bnml
from bnml.five_steps.decisions import Decisions
from bnml.studio.hand_on import constraints_file
from bnml.studio.session import (
    SETTINGS,
    KnownStructure,
    ResultEntry,
    Session,
    TableChoices,
    TableEntry,
)
from tests.studio.running import KNOWN, seen, walk


@pytest.fixture(scope="module")
def walked(studio):
    """Let a studio have walked through all steps."""
    walk(studio)
    return studio


def test_constraints_without_a_studio():
    names = ('say "a"', "b\\c", "ü\x7f")
    known = KnownStructure.of({"required": [names[:2]], "tiers": [[names[0]], [names[2]]]})
    table = TableEntry(
        f"tables/{'a' * 16}/table.csv", "t.csv", TableChoices(left_out=("x y",), cuts={names[2]: (1.5,)})
    )
    made = {"r1": Decisions(directed=((names[0], names[2]),))}
    entry = ResultEntry("r1", {}, table, known, SETTINGS)
    found = tomllib.loads(
        constraints_file(Session(table, known, results=(entry,), current="r1", decisions=made)).decode()
    )
    assert found == {
        "drop": ["x y"], "missing": "error", "required": [list(names[:2])], "tiers": [[names[0]], [names[2]]],
        "bins": {"*": "auto", names[2]: [1.5]},
    }  # fmt: skip
    assert constraints_file(Session()).decode().count("\n") == 1


def test_networks_and_constraints_and_pictures(walked, tmp_path):
    shown = walked.get("api/results/r1")
    arcs = {(link["a"], link["b"]) for link in shown["links"] if link["in_network"]}
    for kind in walked.get("api/choices")["networks"]:
        (tmp_path / f"n.{kind}").write_bytes(walked.file(f"network.{kind}"))
        network = bnml.load(tmp_path / f"n.{kind}")
        assert set(network.dag.arcs) == arcs
    answers = walked.call("POST", "api/ask", {"evidence": {"xray": "yes"}})[1]["marginals"]["lung"]
    assert network.query("lung", {"xray": "yes"}).tolist() == pytest.approx(answers["probabilities"])
    known = tomllib.loads(walked.file("constraints.toml").decode())
    assert known["required"] == KNOWN["required"]
    assert (known["tiers"], known["bins"]) == (KNOWN["tiers"], {"*": "auto", "age": [42]})
    assert "Decided by hand" in walked.file("constraints.toml").decode()
    heads = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert all(walked.file(f"picture.{kind}").startswith(head) for kind, head in heads.items())
    _, _, headers = walked.request("GET", f"/{walked.token}/api/export/picture.svg")
    assert headers["content-disposition"] == "attachment; filename*=UTF-8''clinic-picture.svg"


def test_the_constraints_are_a_config_file(walked, tmp_path, clinic):
    (tmp_path / "c.toml").write_bytes(walked.file("constraints.toml"))
    command = [sys.executable, "-m", "bnml", "learn", str(clinic), "--config", str(tmp_path / "c.toml"), "--search"]
    done = subprocess.run([*command, "climb", "--json"], capture_output=True, text=True, check=True, timeout=120)
    undirected = walked.get("api/results/r1")["to_dict"]
    assert json.loads(done.stdout)["score"] == pytest.approx(undirected["score"])


def test_the_report_tells_what_was_decided(walked):
    status, body, _ = walked.request("GET", f"/{walked.token}/api/export/report.html")
    assert status == 409
    assert "finish the study first" in json.loads(body)["error"]
    session = walked.done("POST", "api/jobs", {"kind": "study"})
    assert session["results"][0]["complete"]
    page = walked.file("report.html").decode()
    assert "A study of clinic.csv: lung" in page
    assert "was decided by hand" in page


def test_a_session_opens_elsewhere(walked, start, tmp_path):
    before = seen(walked)
    archive = walked.file("session.zip")
    assert archive == walked.file("session.zip")
    other = start(tmp_path / "elsewhere")
    assert other.get("api/session")["table"] is None
    status, session = other.call("POST", "api/import", archive)
    assert status == 200
    other.settled()
    after = seen(other)
    same = ("table", "knowledge", "settings", "results", "current", "decisions", "evidence", "do")
    assert {name: after[0][name] for name in same} == {name: before[0][name] for name in same}
    assert after[1:] == before[1:]
    status, session = other.call("POST", "api/import", archive)  # once more: the results get other names
    assert (status, session["current"]) == (200, "r2")
    other.settled()
    assert other.get("api/results/r2")["links"] == before[1]["links"]
    assert sorted(path.name for path in (other.folder / "results").iterdir()) == ["r2.json", "r2.layout.json"]


def test_markup_in_names_and_labels_is_text_in_every_file(start, tmp_path):
    script, image = "<script>alert(1)</script>", '"><img src=x onerror=alert(2)>'
    rng = random.Random(1)
    rows = [(rng.choice([script, "b"]), rng.random()) for _ in range(200)]
    frame = pd.DataFrame({script: [a for a, _ in rows], image: [a if r < 0.9 else "b" for a, r in rows]})
    frame.to_csv(tmp_path / f"{script.replace('/', '')}.csv", index=False)
    studio = start(tmp_path / "session", tmp_path / f"{script.replace('/', '')}.csv")
    studio.settled()
    studio.call("PUT", "api/settings", {"repetitions": 5})
    session = studio.done("POST", "api/jobs", {"kind": "learn"})
    assert studio.get(f"api/results/{session['current']}")["variables"] == [script, image]
    studio.done("POST", "api/jobs", {"kind": "study"})
    for name in ("picture.svg", "report.html", "network.xmlbif", "network.xdsl"):
        content = studio.file(name).decode()
        assert "<script>alert" not in content
        assert "<img src=x" not in content
        assert "alert(1)" in content or name == "picture.svg"  # letters of pictures are drawn
    (tmp_path / "n.json").write_bytes(studio.file("network.json"))
    assert set(bnml.load(tmp_path / "n.json").names) == {script, image}
    status, _, headers = studio.request("GET", f"/{studio.token}/api/export/report.html")
    assert (status, headers["x-content-type-options"]) == (200, "nosniff")
    assert headers["content-disposition"].startswith("attachment; filename*=UTF-8''%3Cscript%3E")
