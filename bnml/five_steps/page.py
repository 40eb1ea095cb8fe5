"""The report of a study as one page that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import bnml
from bnml._text import name_in_words, number_of
from bnml.five_steps.findings import Findings, findings_of
from bnml.five_steps.markup import Html, bullets, paragraphs, table, text_of
from bnml.five_steps.sections import sections
from bnml.five_steps.style import STYLE
from bnml.search.found_by import how_found
from bnml.search.proof_words import gap_sentence

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study
    from bnml.search.search_result import SearchResult

__all__ = ["excerpt", "page"]

SCORES = {
    "qnml": "quotient normalised maximum likelihood",
    "bic": "Bayesian information criterion",
    "bdeu": "Bayesian Dirichlet, equivalent and uniform, with the equivalent sample size 1",
    "fnml": "factorised normalised maximum likelihood",
}
WORDS = {
    "network": "a Bayesian network: variables, and arrows from some to others, without a circle",
    "DAG": "the arrows of a network, a directed graph without a circle",
    "family": "a variable with those that point to it",
    "cell": "a combination of values of the variables of a family",
    "g2": "a test of independence that compares the logarithms of observed and expected numbers of rows (G²)",
    "nat": "the unit of natural logarithms: a score that is higher by 1 nat makes a network 2.7 times as plausible",
    "score": "a number for a whole network: how well it fits the table, less a price for how complex it is",
    "PC": "a search by tests (Peter Spirtes and Clark Glymour): two variables are linked unless a test finds them "
    "independent, by themselves or once others are known",
    "NPC": "PC with the necessary path condition: a link is left out because of other variables only if paths connect "
    "these with both of its ends",
}
CONTENTS = (
    ("features", "Which variables tell something"),
    ("constraints", "What was known"),
    ("learning", "The network"),
    ("uncertainty", "How sure the links are"),
    ("strength", "How strong they are"),
)


def page(study: Study, title: str | None = None) -> str:
    """Return the whole report."""
    heading = text_of(_title(study) if title is None else title)
    facts = f"{number_of(study.data.n_rows, 'row')} · {number_of(len(study.data.names), 'variable')}"
    facts += f" · about {name_in_words(study.target)}" if study.target is not None else ""
    links = "".join(
        f'<li><a href="#{name}">{k}. {text_of(said)}</a></li>' for k, (name, said) in enumerate(CONTENTS, 1)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<header>\n<h1>{heading}</h1>\n<p class="facts">{text_of(facts)}</p>\n'
        f'<nav aria-label="Contents"><ol>{links}</ol></nav>\n</header>\n<main>\n'
        f"{_summary(findings_of(study))}{''.join(sections(study))}{_made(study)}</main>\n"
        f"<footer><p>Made with bnml {escape(bnml.__version__)}. The same table and settings give the same report.</p>"
        "</footer>\n</body>\n</html>\n"
    )


def excerpt(study: Study) -> str:
    """Return the part of the page that a notebook shows: the findings."""
    return f"<div><h3>{text_of(_title(study))}</h3>{_findings(findings_of(study))}</div>"


def _title(study: Study) -> str:
    about = f" about {name_in_words(study.target)}" if study.target is not None else ""
    return f"A study of {number_of(len(study.data.names), 'variable')}{about}"


def _summary(found: Findings) -> Html:
    return Html(
        '<section class="summary" aria-labelledby="summary-title">\n<h2 id="summary-title">Summary</h2>\n'
        f"{_findings(found)}</section>\n"
    )


def _findings(found: Findings) -> Html:
    groups: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("Main findings", found.main),
        ("What is proven or well supported", found.proven),
        ("What is uncertain", found.uncertain),
    )
    return Html("".join(f"<h3>{title}</h3>\n{bullets(said)}" for title, said in groups if said))


def _words(study: Study) -> list[list[str]]:
    """Return what words of the field mean, as far as the report uses them."""
    used = {study.learned.score_name or "", *(name for name, _ in study.other_scores)}
    scores = [[name, f"a score: {meaning}"] for name, meaning in SCORES.items() if name in used]
    npc = [["NPC", WORDS["NPC"]]] if study.npc is not None else []
    first, last = (
        [[word, WORDS[word]] for word in words]
        for words in (("network", "DAG", "family", "cell", "score"), ("g2", "nat"))
    )
    return [*first, *scores, ["PC", WORDS["PC"]], *npc, *last]


def _parameters(study: Study) -> str:
    """Return how many numbers the network is made of, beside the rows that they come from."""
    number = study.learned.n_parameters
    return "none" if number is None else f"{number:,}, from {number_of(study.data.n_rows, 'row')}"


def _not_proven(learned: SearchResult) -> str:
    """Say that a network is not proven the best, and how far from the best it can be, if that is known."""
    sentence = gap_sentence(learned).rstrip(".")
    return f"not proven the best, but {sentence[0].lower()}{sentence[1:]}" if sentence else "not proven the best"


def _made(study: Study) -> Html:
    """Return the settings, for those who want to repeat it."""
    learned, drawn = study.learned, study.bootstrap
    proof = "proven the best" if learned.optimal else how_found(learned) or _not_proven(learned)
    tests = [study.pc, *([study.npc] if study.npc is not None else [])]
    rows: list[list[str]] = [
        ["score", f"{learned.score_name}: {learned.score:,.3f}, {proof}" if learned.dag is not None else "none"],
        ["search", learned.search],
        ["other scores", ", ".join(name for name, _ in study.other_scores) or "none"],
        ["parameters", _parameters(study)],
        ["tests", "; ".join(f"{one.search.upper()}: {number_of(one.n_tests, 'test')} ({one.test})" for one in tests)],
        ["level of the tests", f"{study.alpha:g}"],
        ["halves of the rows", "none" if drawn is None else f"{drawn.repetitions:,} ({drawn.search} search)"],
        ["seed", str(study.seed)],
    ]
    if study.posterior is not None:
        rows.insert(-2, ["prior over networks", study.posterior.prior_text])
    left = [f"{what}: {why}." for what, why in study.left_out]
    extra = Html(paragraphs("Left out:", kind="note") + bullets(left)) if left else Html("")
    body = table("Settings", ["what", "how"], rows, texts=2)
    words = table("Words", ["word", "meaning"], _words(study), texts=2)
    return Html(
        '<section id="made" aria-labelledby="made-title">\n<h2 id="made-title">How this was made</h2>\n'
        f"{body}{extra}{words}</section>\n"
    )
