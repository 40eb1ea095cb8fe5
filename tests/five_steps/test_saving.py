"""Studies in files: the same whether interrupted or not; other tables, damaged and foreign files are refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import BnmlError
from bnml.five_steps import saving
from bnml.five_steps.parts import PARTS
from bnml.five_steps.saving import KINDS, check_saving, load_saved_state, save_state
from bnml.five_steps.study_steps import begin_study, go_on_with_study, study_of, study_options
from tests.independence.test_saving import twins

NAMES = [part.name for part in PARTS]


def timeless(study):
    return study.to_dict() | {"seconds": None}


@pytest.fixture(scope="module")
def clinic():
    return bnml.study(bnml.example(), "lung", repetitions=2, threads=1, prior="uniform")


def small(**given):
    """Return what is asked of a study of four columns."""
    given = {"score": "qnml", "alpha": 0.05, "repetitions": 2, "progress": None, **given}
    return study_options(given.pop("target", None), given.pop("search", "auto"), given.pop("options", {}), **given)


def few():
    return bnml.example().select(["smoke", "lung", "bronc", "dysp"])


KNOWN = bnml.Constraints(required=[("smoke", "lung")], forbidden_links=[("lung", "bronc")], tiers=[["smoke"], ["dysp"]])
CASES = {
    "plain": (few, {}),
    "constraints": (few, {"target": "lung", "constraints": KNOWN, "max_parents": 2, "rows_per_cell": 0}),
    "target": (bnml.example, {"target": "asia", "select": "target", "score": "bdeu:7.123456789"}),
    "blanket": (bnml.example, {"target": "lung", "select": "blanket", "score": "bic"}),
    "list": (few, {"select": ["smoke", "dysp"], "score": "mdl+parents", "seed": 3}),
    "k2": (few, {"search": "k2", "options": {"order": ["dysp", "bronc", "lung", "smoke"]}, "score": "k2"}),
    "tan": (few, {"search": "tan", "options": {"class_variable": "lung"}, "target": "lung"}),
    "pc": (few, {"search": "pc", "alpha": 0.01}),
    "npc": (twins, {"search": "npc", "options": {"keep": [("X0", "X2")]}}),
    "bde": (few, {"score": bnml.scores.BDe(bnml.fit(bnml.DAG(few().names), few()), 2.5)}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_same_whether_interrupted_or_not(case, tmp_path):
    """Stop after each part, keep the state in a file, and go on from there."""
    table, given = CASES[case]
    asked, data, file = small(**given), table(), tmp_path / "study.json"
    whole = study_of(go_on_with_study(begin_study(asked, data), asked))
    check_saving(file, asked)
    save_state(begin_study(asked, data), file)
    for name in NAMES:
        state = load_saved_state(file, table())
        assert list(state.parts) == NAMES[: NAMES.index(name)]
        assert (state.options == asked) or case == "bde"
        save_state(go_on_with_study(state, state.options.resumed(), until=name), file)
    again = bnml.load_study(file, table())
    assert timeless(again) == timeless(whole)
    assert again.html() == whole.html()
    assert str(again) == str(whole)
    assert again.decisions == whole.decisions
    pd.testing.assert_frame_equal(again.features.pairs, whole.features.pairs)
    pd.testing.assert_frame_equal(again.strength, whole.strength)
    assert again.network == whole.network


def test_every_part_can_be_kept():
    assert list(KINDS) == NAMES


def test_a_finished_study_is_not_made_anew(clinic, tmp_path, monkeypatch):
    clinic.save(tmp_path / "study.json")
    for name in ("solve", "pc", "npc", "bootstrap_of", "posterior_of", "features_of", "classes_by_score", "strength"):
        monkeypatch.setattr(f"bnml.five_steps.parts.{name}", lambda *_, **__: pytest.fail("it was made anew"))
    found = bnml.load_study(tmp_path / "study.json", bnml.example())
    assert found.to_dict() == clinic.to_dict()
    assert found.seconds == clinic.seconds


def test_a_file_from_before_structure_priors_is_shown(clinic, tmp_path, monkeypatch):
    """Its table of strengths has no net gains: there was nothing to charge for arcs."""
    kept = saving.KINDS["strength"]
    older = kept._replace(values=lambda frame: kept.values(frame.drop(columns="net_gain")))
    monkeypatch.setitem(saving.KINDS, "strength", older)
    clinic.save(tmp_path / "study.json")
    found = bnml.load_study(tmp_path / "study.json", bnml.example())
    assert found.strength.columns.tolist() == clinic.strength.columns.tolist()
    assert found.strength["net_gain"].tolist() == found.strength["score_gain"].tolist()
    assert str(found)
    assert found.html()
    assert found.to_dict()


def test_decisions_are_kept(clinic, tmp_path):
    decided = clinic.resolve(directed=[("bronc", "smoke")])
    decided.save(tmp_path / "study.json")
    found = bnml.load_study(tmp_path / "study.json", bnml.example())
    assert found.to_dict() == decided.to_dict()
    later = {"directed": [("asia", "tub")]}
    assert timeless(found.resolve(**later)) == timeless(decided.resolve(**later))


def test_choices_of_links_are_kept_and_can_go_on(tmp_path):
    found = bnml.study(twins(), search="npc", repetitions=0)
    decided = found.resolve(keep=[found.open_links[0]])
    decided.save(tmp_path / "study.json")
    again = bnml.load_study(tmp_path / "study.json", twins())
    assert again.to_dict() == decided.to_dict()
    left = again.open_links[:1]
    assert timeless(again.resolve(drop=left)) == timeless(decided.resolve(drop=left))


def test_a_study_is_kept_after_every_part(tmp_path):
    """A study that ends in the middle goes on from the last part that is done."""
    file, told = tmp_path / "study.json", []

    def stop(stage, share):
        told.append(stage)
        if stage.startswith("bootstrap: "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bnml.study(few(), "lung", repetitions=2, threads=1, progress=stop, save=file)
    assert list(load_saved_state(file, few()).parts) == NAMES[: NAMES.index("bootstrap")]
    again = []
    found = bnml.load_study(file, few(), save=file, threads=1, progress=lambda stage, share: again.append(stage))
    assert not any(stage.startswith("learned: ") for stage in again)
    assert timeless(found) == timeless(bnml.study(few(), "lung", repetitions=2))
    assert list(load_saved_state(file, few()).parts) == NAMES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.json"]


KILLED = """
import os, signal, sys, bnml
def stop(stage, share):
    if stage.startswith("bootstrap: "):
        os.kill(os.getpid(), signal.SIGKILL)
bnml.study(sys.argv[1], "lung", repetitions=2, threads=1, progress=stop, save="study.json")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system does not kill so")
def test_a_study_that_is_killed(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (80, 3)), columns=["lung", "a", "b"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    environment = os.environ | {"PYTHONPATH": str(Path(bnml.__file__).parents[1])}
    ended = subprocess.run([sys.executable, "-c", KILLED, "t.csv"], cwd=tmp_path, env=environment, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.json", "t.csv"]
    found = bnml.load_study(tmp_path / "study.json")  # the table is read again, from beside it
    assert timeless(found) == timeless(bnml.study(tmp_path / "t.csv", "lung", repetitions=2))


# --- the table ---


@pytest.fixture
def survey(tmp_path):
    """Return a table with numbers and gaps in a file, with a study of it beside."""
    rng = np.random.default_rng(0)
    age = rng.normal(50, 12, 120).round(1).astype(object)
    age[:5] = ""
    frame = pd.DataFrame({"age": age, "sick": rng.integers(0, 2, 120), "b": rng.integers(0, 2, 120)})
    (tmp_path / "deep").mkdir()
    frame.to_csv(tmp_path / "deep" / "survey.csv", index=False)
    return tmp_path


def test_the_table_is_read_again_from_where_it_was(survey, monkeypatch):
    frame = pd.read_csv(survey / "deep" / "survey.csv").dropna()
    frame.to_csv(survey / "deep" / "whole.csv", index=False)
    monkeypatch.chdir(survey / "deep")
    found = bnml.study("whole.csv", "sick", repetitions=0, save="../study.json")
    assert found.data.cuts
    monkeypatch.chdir(survey.parent)
    again = bnml.load_study(survey / "study.json")
    assert timeless(again) == timeless(found)
    moved = survey / "moved"
    shutil.copytree(survey, moved)
    assert timeless(bnml.load_study(moved / "study.json")) == timeless(found)
    (survey / "deep" / "whole.csv").rename(survey / "elsewhere.csv")
    with pytest.raises(BnmlError, match=r"if the table of .* is elsewhere now, give data="):
        bnml.load_study(survey / "study.json")
    assert timeless(bnml.load_study(survey / "study.json", survey / "elsewhere.csv")) == timeless(found)
    table = bnml.read(survey / "elsewhere.csv", bins="auto")
    assert timeless(bnml.load_study(survey / "study.json", table)) == timeless(found)
    texts = pd.read_csv(survey / "elsewhere.csv", dtype=str)
    assert timeless(bnml.load_study(survey / "study.json", texts.astype({"age": float}))) == timeless(found)


def test_a_table_that_was_no_file_must_be_given(clinic, tmp_path):
    clinic.save(tmp_path / "study.json")
    with pytest.raises(BnmlError, match="give the table as data="):
        bnml.load_study(tmp_path / "study.json")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            lambda data: data.select(["smoke", "lung"]),
            "it had 5,000 rows and 8 variables, this one has 5,000 rows and 2",
        ),
        (lambda data: data.select(data.names[::-1]), "its variables are others"),
        (lambda data: bnml.read(flipped(data)), "its rows, values or cuts are others"),
    ],
)
def test_another_table_is_refused(clinic, tmp_path, other, said):
    clinic.save(tmp_path / "study.json")
    with pytest.raises(BnmlError, match=f"this is not the table that the study .* was made of: {said}"):
        bnml.load_study(tmp_path / "study.json", other(bnml.example()))


def flipped(data):
    """Return a table in which one value of one row is another."""
    frame = bnml.fit(bnml.DAG(data.names), data).sample(5000, seed=0)
    return frame[list(data.names)]


# --- files ---


def test_a_file_has_no_code_and_is_the_same_every_time(clinic, tmp_path):
    for name in ("one.json", "two.json"):
        clinic.save(tmp_path / name)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    found = json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))
    assert (found["format"], found["version"]) == ("bnml study", 1)
    assert "pickle" not in json.dumps(found)


@pytest.mark.parametrize("cut", [0, 1, 100, -2, -1000])
def test_files_that_are_cut_off(clinic, tmp_path, cut):
    file = tmp_path / "study.json"
    clinic.save(file)
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(BnmlError, match="is not a study that bnml saved, or is damaged"):
        bnml.load_study(file, bnml.example())


def test_a_file_that_was_changed(clinic, tmp_path):
    file = tmp_path / "study.json"
    clinic.save(file)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"optimal": true', '"optimal": false'), encoding="utf-8")
    with pytest.raises(BnmlError, match=r"is damaged: its checksum is another one\. Make the study anew"):
        bnml.load_study(file, bnml.example())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "not a study that bnml saved, or is damaged"),
        (b"[1, 2]", "is not a study that bnml saved"),
        (b'{"format": "bnml network", "version": 2}', "it is a network: bnml.load reads it"),
        (b'{"format": "bnml study", "version": 99}', "of version 99; this bnml reads version 1"),
        (b'{"format": "bnml study", "version": 1}', "is damaged"),
        (b"[" * 100_000, "not a study that bnml saved, or is damaged"),
    ],
)
def test_foreign_files(tmp_path, content, said):
    (tmp_path / "study.json").write_bytes(content)
    with pytest.raises(BnmlError, match=said):
        bnml.load_study(tmp_path / "study.json")


def test_no_file(tmp_path):
    with pytest.raises(BnmlError, match="there is no file"):
        bnml.load_study(tmp_path / "study.json")
    with pytest.raises(BnmlError, match="cannot be read"):
        bnml.load_study(tmp_path)
    with pytest.raises(BnmlError, match="must be the name of a file"):
        bnml.load_study(3)


@dataclass(frozen=True)
class OwnScore(bnml.scores.BIC):
    """A score of one's own."""


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"save": "study.html"}, r"a study is saved in a file whose name ends in .json"),
        ({"save": "none/study.json"}, "there is no folder"),
        ({"save": 1}, "save must be the name of a file"),
        ({"score": OwnScore()}, "a study is saved with scores of bnml only"),
        ({"search": "pc", "test": bnml.independence.G2()}, "cannot be written to a file; give it by its name"),
    ],
)
def test_what_cannot_be_kept_is_refused_before_any_work(wrong, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bnml.five_steps.parts.features_of", lambda *_: pytest.fail("it has begun"))
    with pytest.raises(BnmlError, match=said):
        bnml.study(few(), **{"save": "study.json", **wrong})
    assert list(tmp_path.iterdir()) == []


def test_how_a_study_is_resumed_is_checked(clinic, tmp_path):
    clinic.save(tmp_path / "study.json")
    with pytest.raises(bnml.BnmlError, match="threads=0"):
        clinic.resolve(threads=0)
    with pytest.raises(bnml.BnmlError, match="progress=3"):
        bnml.load_study(tmp_path / "study.json", bnml.example(), progress=3)
    assert clinic.state.options.progress is None
