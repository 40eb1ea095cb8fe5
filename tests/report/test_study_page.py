"""The report: well formed, alone, safe from names, accessible; written whole or not at all."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import ArgumentError

VOID = {"meta", "wbr", "br", "link", "img", "input", "hr"}
HOSTILE = ["<script>alert(1)</script>", "\"a\" & 'b' --> c", "a\x00b\nc</style>", "</title><b>", "λ – μ → ν"]


class Checker(HTMLParser):
    """Reads a page and keeps what matters: open tags, attributes, texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "title"):
            self.text += data


def read(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker


def hostile_table() -> bnml.Data:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 300)
    columns = {name: np.where(rng.random(300) < 0.7, first, rng.integers(0, 2, 300)) for name in HOSTILE}
    labels = np.array(["<b>no</b>", "yes & so"])
    return bnml.read(pd.DataFrame({name: labels[codes] for name, codes in columns.items()}))


@pytest.fixture(scope="module")
def clinic():
    return bnml.study(bnml.example(), "lung", repetitions=3)


@pytest.fixture(scope="module")
def hostile():
    known = bnml.Constraints(forbidden=[(HOSTILE[0], HOSTILE[1])], tiers=[HOSTILE[:2], HOSTILE[2:4]])
    return bnml.study(hostile_table(), HOSTILE[0], constraints=known, repetitions=3)


@pytest.mark.parametrize("name", ["clinic", "hostile"])
def test_the_page_is_well_formed_and_needs_nothing_else(name, request):
    page = request.getfixturevalue(name).html()
    checker = read(page)
    tags = [tag for tag, _ in checker.tags]
    assert not {"script", "link", "img", "iframe", "object", "embed", "form", "base"} & set(tags)
    assert tags.count("h1") == 1
    assert tags.count("svg") >= 5
    links = [
        value for _, attributes in checker.tags for key, value in attributes.items() if key.endswith(("href", "src"))
    ]
    assert links
    assert all(link.startswith("#") for link in links)
    assert "url(" not in page.replace("url(#", "")
    assert "://" not in page
    assert "@import" not in page
    assert not [key for _, attributes in checker.tags for key in attributes if key.startswith("on")]


@pytest.mark.parametrize("name", ["clinic", "hostile"])
def test_names_on_the_page_are_unique_and_links_lead_somewhere(name, request):
    checker = read(request.getfixturevalue(name).html())
    names = [attributes["id"] for _, attributes in checker.tags if "id" in attributes]
    pointed = [a["href"][1:] for tag, a in checker.tags if tag in ("a", "use") and "href" in a]
    assert set(pointed) <= set(names)
    kept = [one for one in names if "DejaVu" not in one]
    assert len(kept) == len(set(kept))


def test_it_can_be_read_by_ear(clinic):
    checker = read(clinic.html())
    assert dict(checker.tags)["html"] == {"lang": "en"}
    for tag, attributes in checker.tags:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert len(attributes["aria-label"]) > 20
        if tag == "th":
            assert attributes["scope"] in ("col", "row")
    tags = [tag for tag, _ in checker.tags]
    assert {"svg", "th", "table", "figure"} <= set(tags)
    assert tags.count("table") == tags.count("caption") == tags.count("thead")
    assert tags.count("figure") == tags.count("figcaption")


def test_hostile_names_are_text(hostile):
    page = hostile.html("A <b>title</b>")
    checker = read(page)
    assert "<script" not in page
    assert "<b>" not in page
    assert "\x00" not in page
    for name in (*HOSTILE[:2], HOSTILE[3], HOSTILE[4], "<b>no</b>", "A <b>title</b>"):
        assert name in checker.text
    assert "<script" not in hostile._repr_html_()


def test_numbers_are_rounded(clinic):
    text = re.sub(r"<svg.*?</svg>|<style>.*?</style>|<[^>]*>", " ", clinic.html(), flags=re.DOTALL)
    assert not re.search(r"\d\.\d{5,}", text)
    assert not re.search(r"\b(nan|inf)\b", text)


def test_the_target_comes_first_and_references_last(clinic):
    page = clinic.html()
    headings = re.findall(r'<section id="(\w+)".*?<h2[^>]*>(\d)\. ([^<]*)</h2>', page, re.DOTALL)
    assert [name for name, _, _ in headings] == ["target", "summary", "network", "features", "data", "methods"]
    assert [number for _, number, _ in headings] == list("123456")
    contents = re.findall(r'<li><a href="#(\w+)">(\d)\. ([^<]*)</a>', page)
    assert contents == headings
    for word in ("p-value", "CPDAG", "Support", "Probability", "Gain"):
        assert word in page
    last = page.rindex("<h3>")
    assert page[last:].startswith("<h3>References</h3>")
    without = bnml.study(bnml.example().select(["smoke", "lung"]), repetitions=0).html()
    assert re.findall(r'<section id="(\w+)"', without)[0] == "summary"


def test_the_opening_answers_the_question(clinic):
    page = clinic.html()
    opening = page[page.index('<section id="target"') : page.index('<section id="summary"')]
    either = clinic.risk.direct[0].rates[1]
    for text in (
        f"{either.shares[0]:.0%} (",
        f"of {either.rows:,}",
        "Two at a time",
        "What if a variable were set?",
        "logistic regression",
        "naive Bayes",
        "base rate",
        "calibration error",
        "ROC",
    ):
        assert text in opening
    assert opening.count("<svg") == len(clinic.risk.direct) + 2


def test_tables_are_there_on_demand(clinic):
    page = clinic.html()
    folded = re.findall(r"<summary>([^<]*)</summary>", page)
    for name in clinic.data.names:
        above = clinic.learned.dag.parents(name)
        assert (f"{name}, given {', '.join(above)}" if above else name) in folded
    dysp = clinic.learned.network.cpt("dysp").iloc[0]
    assert f"{100 * dysp.iloc[0]:.1f}%" in page
    assert "display: none" in page[page.index("@media print") :]


def test_what_was_left_out_cut_and_missing_is_told():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 90, 300).astype(float)
    sick = (rng.random(300) < 1 / (1 + np.exp(-(age - 60) / 8))).astype(int)
    age[:20] = np.nan
    frame = pd.DataFrame({"age": age, "sick": sick, "n": [0] * 5 + [1] * 295})
    data = bnml.read(frame, bins="auto", missing="drop", weights="n")
    page = bnml.study(data, "sick", repetitions=0, folds=2).html()
    assert "15 rows without a value of age" in page
    assert "5 rows with a weight of 0" in page
    assert ", ".join(f"{cut:g}" for cut in data.cuts["age"]) in page
    assert re.search(r'<th scope="row">age</th><td class="number">15</td><td class="number">5%</td>', page)
    kept = bnml.study(bnml.read(frame, bins="auto", missing="state", weights="n"), repetitions=0).html()
    assert "No row was left out" not in kept
    assert "a value of their own" in kept


def test_the_picture_of_many_tests_is_left_out(monkeypatch):
    monkeypatch.setattr("bnml.report.study_page.MOST_LINKS_BY_TESTS", 3)
    assert "The picture of what tests leave over (NPC) is left out" in bnml.study(bnml.example(), repetitions=0).html()


def test_many_variables_and_long_tables(monkeypatch):
    monkeypatch.setattr("bnml.five_steps.parts.MOST_FOR_SAMPLES", 0)  # `test_print` has a report with sampled networks
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (100, 1))
    table = np.where(rng.random((100, 20)) < 0.5, codes, rng.integers(0, 2, (100, 20)))
    names = [f"a rather long name of variable {i}, as hospitals have them" for i in range(20)]
    found = bnml.study(pd.DataFrame(table, columns=names), search="tabu", repetitions=1)
    page = found.html()
    read(page)
    assert "All 190" in page
    assert max(map(len, str(found).splitlines())) <= 80
    assert len(page) < 1_500_000


def test_too_many_for_pictures_and_paths(monkeypatch):
    monkeypatch.setattr("bnml.plot.html.MOST_NODES", 3)
    monkeypatch.setattr("bnml.five_steps.parts.MOST_FOR_NPC", 3)
    monkeypatch.setattr("bnml.five_steps.parts.MOST_FOR_BOOTSTRAP", 3)
    found = bnml.study(bnml.example())
    assert found.npc is None
    assert found.bootstrap is None
    page = found.html()
    read(page)
    assert "too many variables or links for a picture" in page
    assert "(NPC) was left out" in page


def test_save(clinic, tmp_path):
    clinic.save(tmp_path / "report.html", "Lungs")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text == clinic.html("Lungs")
    assert "<h1>Lungs</h1>" in text
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("wrong", ["report.txt", "none/report.html", "", 3])
def test_save_refuses(clinic, tmp_path, monkeypatch, wrong):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError):
        clinic.save(wrong)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_report_leaves_nothing(clinic, tmp_path, monkeypatch):
    (tmp_path / "report.html").write_text("before")
    monkeypatch.setattr("os.replace", lambda *_, **__: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(ArgumentError):
        clinic.save(tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text() == "before"
