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


def test_five_sections_with_explanations(clinic):
    page = clinic.html()
    headings = re.findall(r"<h2[^>]*>(\d\. [^<]*)</h2>", page)
    assert [one[0] for one in headings] == ["1", "2", "3", "4", "5"]
    for word in ("p-value", "CPDAG", "Support", "Probability", "Gain"):
        assert word in page


def test_many_variables_and_long_tables():
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
