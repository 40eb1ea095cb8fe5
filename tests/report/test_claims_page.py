"""The page with all claims, as Markdown and as HTML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bnml.experiments import Claim, Reproduction
from bnml.experiments.experiment import Experiment, Outputs
from bnml.report.claims_page import claims_page


def reproduction(name, claims, repetitions, seconds):
    experiment = Experiment(name, lambda *_: [], lambda *_: [], lambda *_: None)
    outcome = Outputs({}, {}, ["a finding", "  a detail"], claims)
    files = [Path("out", name, file) for file in ("results.csv", "figure.png", "figure.svg")]
    return Reproduction(experiment, outcome, files, repetitions, 0, 1, 1.0, seconds)


DONE = [
    reproduction("regret-table", [Claim("A holds.", "x", "confirmed", "1"), Claim("B.", "y", "refuted", "2")], None, 2),
    reproduction("sachs", [Claim("C.", "z", "inconclusive", "3", "0 ± 1")], 1000, 630),
    reproduction("gaps", [], 3, 90),
]


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_claims_stand_by_paper_and_what_was_judged_again_below(suffix):
    first = Claim("P.", "qNML, Table 1", "confirmed", "1").chosen("one way", again=False)
    claims = [
        first,
        Claim("Q.", "qNML, Table 2", "confirmed", "2"),
        Claim("P.", "qNML, Table 1", "refuted", "3").chosen("another way", again=True),
        Claim("R.", "fNML, section 6", "inconclusive", "4"),
        Claim("S.", "a program", "confirmed", "5"),
    ]
    text = claims_page(suffix, [reproduction("sachs", claims, 5, 1.0)], [])
    assert "4 claims: 3 confirmed, 0 refuted, 1 inconclusive." in text
    assert "2 claims: 2 confirmed, 0 refuted, 0 inconclusive." in text  # of the qNML paper
    assert "3 confirmed, 1 inconclusive" in text  # of the experiment
    order = ["The fNML paper", "R.", "The qNML paper", "P (one way).", "– another way", "Q.", "Other claims", "S."]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_every_claim_stands_once_with_its_verdict_numbers_and_band(suffix):
    text = claims_page(suffix, DONE, ["endless"])
    assert "3 claims: 1 confirmed, 1 refuted, 1 inconclusive." in text
    for claim in (claim for one in DONE for claim in one.outcome.claims):
        (line,) = [line for line in text.splitlines() if f"{claim.text}<" in line or f"{claim.text} |" in line]
        assert all(part in line for part in (claim.where, claim.verdict, claim.numbers, claim.band))
    assert [time for time in ("2.0 s", "10.5 min", "1.5 min", "12.0 min") if time not in text] == []
    assert "Not run here, since they take too long: endless." in text
    assert "a finding\n  a detail" in text


def test_lines_of_tables_have_as_many_cells_as_their_heads():
    for table in re.findall(r"(?:^\|.*\n)+", claims_page("md", DONE, []), re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_figures_are_found_from_the_page():
    text = claims_page("html", DONE, [])
    assert re.findall(r'img src="([^"]+)"', text) == [f"{one.experiment.name}/figure.png" for one in DONE]
    assert "too long" not in text
