"""Words and tables of reports: bnml/_text.py."""

from __future__ import annotations

import pytest

from bnml._text import WIDTH, facts, number_of, shortened, text_table, wrapped_text


@pytest.mark.parametrize(
    ("n", "words", "text"),
    [(0, ("row",), "0 rows"), (1, ("row",), "1 row"), (1200, ("row",), "1,200 rows"), (2, ("axis", "axes"), "2 axes")],
)
def test_numbers_with_nouns(n, words, text):
    assert number_of(n, *words) == text


def test_shortened():
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "ab…"
    assert shortened("a\nb", 9) == "a\\nb"


def test_wrapped_keeps_to_the_width():
    text = wrapped_text("word " * 40, "- ", "  ")
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert facts([("size", "3 arcs")], 6) == ["  size  3 arcs"]


def test_tables_shorten_and_wrap():
    rows = [["a" * 60, "word " * 30, "1.5"], ["b", "", "12.25"]]
    lines = text_table(rows, "swr", ["name", "text", "number"], indent="  ", ruled=True, sums=True)
    assert max(map(len, lines)) == WIDTH
    assert lines[0].endswith("  number")
    assert "…" in lines[2]
    assert set(lines[1].strip()) == set(lines[-2].strip()) == {"-"}
    assert lines[-1].startswith("  b ")
    assert sum(line.count("word") for line in lines) == 30
    assert len({len(line) for line in (lines[0], lines[2], lines[-1])}) == 1


def test_tables_of_nothing():
    assert text_table([], "lr") == []
    assert text_table([], "lr", ["a", "b"]) == ["a  b"]
    assert text_table([["a\nb"]], "l") == ["a\\nb"]
