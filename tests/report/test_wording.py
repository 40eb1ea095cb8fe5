"""The wording of each report, whole, on the bundled example: ``python -m tests.report.test_wording`` writes it anew."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import bnml
from bnml.report.claims_page import claims_page

from .test_claims_page import DONE

GOLDEN = Path(__file__).parents[1] / "golden"


@cache
def study() -> bnml.five_steps.Study:
    return bnml.study(bnml.example(), "lung", repetitions=0)


def page() -> str:
    """Return the page of a study, with the texts of its pictures in their place, and without its style."""
    text = re.sub(r"<style>.*?</style>", "", study().html(), flags=re.DOTALL)
    return re.sub(r'<svg role="img" aria-label="(.*?)".*?</svg>', r"[\1]", text, flags=re.DOTALL)


OF_A_STUDY: dict[str, Callable[[], str]] = {"study.html": page, "study.txt": lambda: str(study())}
REPORTS: dict[str, Callable[[], str]] = {
    "learn.txt": lambda: str(replace(bnml.learn(bnml.example()), seconds=0.5)),
    "npc.txt": lambda: str(replace(bnml.npc(bnml.example()), seconds=0.5)),
    "posterior.txt": lambda: str(replace(bnml.posterior(bnml.example()), seconds=0.5)),
    "claims.html": lambda: claims_page("html", DONE, ["endless"]),
    "claims.md": lambda: claims_page("md", DONE, ["endless"]),
}


def check(name, text):
    assert text + "\n" == (GOLDEN / f"report_{name}").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", REPORTS)
def test_wording(name):
    check(name, REPORTS[name]())


@pytest.mark.parametrize("name", OF_A_STUDY)
def test_wording_of_a_study(name):
    check(name, OF_A_STUDY[name]())


if __name__ == "__main__":
    for name, report in {**REPORTS, **OF_A_STUDY}.items():
        (GOLDEN / f"report_{name}").write_text(report() + "\n", encoding="utf-8")
