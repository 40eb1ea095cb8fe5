"""The last section of a report: how it was made, what was left out, what words mean, and whose methods they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bnml._text import number_of
from bnml.five_steps.markup import Cell, Html, bullets, details, heading, paragraphs, table
from bnml.search.found_words import how_found
from bnml.search.proof_words import gap_sentence
from bnml.search.report import describe_prior
from bnml.uncertainty import Posterior, SampledPosterior

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study
    from bnml.search.search_result import SearchResult

SCORES = {
    "qnml": "quotient normalised maximum likelihood",
    "bic": "Bayesian information criterion",
    "bdeu": "Bayesian Dirichlet, equivalent and uniform, with the equivalent sample size 1",
    "fnml": "factorised normalised maximum likelihood",
}
WORDS = {
    "network": "a Bayesian network: variables, and arrows from some to others, without a circle",
    "DAG": "the arrows of a network, a directed graph without a circle",
    "CPDAG": "what all networks that explain the data equally well have in common: arrows where they agree, else lines",
    "family": "a variable with those that point to it",
    "cell": "a combination of values of the variables of a family",
    "g2": "a test of independence that compares the logarithms of observed and expected numbers of rows (G²)",
    "nat": "the unit of natural logarithms: a score that is higher by 1 nat makes a network 2.7 times as plausible",
    "score": "a number for a whole network: how well it fits the table, less a price for how complex it is",
    "PC": "a search by tests (Peter Spirtes and Clark Glymour): two variables are linked unless a test finds them "
    "independent, by themselves or once others are known",
    "NPC": "PC with the necessary path condition: a link is left out because of other variables only if paths connect "
    "these with both of its ends",
    "do": "P(A | do(B = b)): the probability of A if B is given the value b from outside, whatever its causes say",
}
REFERENCES = {
    "qnml": "Silander, Leppä-aho, Jääsaari & Roos (2018): Quotient normalized maximum likelihood criterion for "
    "learning Bayesian network structures. AISTATS.",
    "fnml": "Silander, Roos, Kontkanen & Myllymäki (2008): Factorized normalized maximum likelihood criterion for "
    "learning Bayesian network structures. PGM.",
    "exact": "Silander & Myllymäki (2006): A simple approach for finding the globally optimal Bayesian network "
    "structure. UAI.",
    "snml": "Rissanen & Roos (2007): Conditional NML universal models. ITA (the parameters of the network).",
    "pc": "Spirtes & Glymour (1991): An algorithm for fast recovery of sparse causal graphs. Social Science Computer "
    "Review 9.",
    "npc": "Steck & Tresp (1999): Bayesian belief networks for data mining. DWDW (the necessary path condition).",
    "bh": "Benjamini & Hochberg (1995): Controlling the false discovery rate. J. Royal Statistical Society B 57.",
    "halves": "Shah & Samworth (2013): Variable selection with error control: another look at stability selection. J. "
    "Royal Statistical Society B 75.",
    "posterior": "Koivisto & Sood (2004): Exact Bayesian structure discovery in Bayesian networks. J. Machine Learning "
    "Research 5.",
    "sampled": "Madigan & York (1995): Bayesian graphical models for discrete data. International Statistical Review "
    "63. Geyer (1991): Markov chain Monte Carlo maximum likelihood. Interface (tempering).",
    "jeffreys": "Brown, Cai & DasGupta (2001): Interval estimation for a binomial proportion. Statistical Science 16.",
    "do": "Pearl (2009): Causality, 2nd edition. Perković (2020): Identifying causal effects in maximally oriented "
    "partially directed acyclic graphs. UAI.",
}


def method_section(study: Study) -> Iterator[Html]:
    """Yield the parts of the section."""
    yield paragraphs(_steps(study))
    if study.left_out:
        yield paragraphs("Left out:", kind="note")
        yield bullets(f"{what}: {why}." for what, why in study.left_out)
    yield details("Settings", table("Settings", ["what", "how"], _settings(study), texts=2))
    yield details("What words mean", table("Words", ["word", "meaning"], _words(study), texts=2))
    yield heading("References")
    yield bullets(_references(study))


def _steps(study: Study) -> str:
    """Return the five steps in a few sentences, with their settings."""
    learned, drawn = study.learned, study.bootstrap
    by = f"{learned.search} search" + (f" by the score {learned.score_name}" if learned.score_name else "")
    said = [
        "A study takes five steps: which variables tell something (tests of all pairs, G², adjusted after Benjamini "
        f"and Hochberg), what was known, learning ({by}; tests of independence at the level {study.alpha:g} beside "
        "it), how sure the links are",
    ]
    if drawn is not None:
        said[-1] += f" ({number_of(drawn.repetitions, 'half', 'halves')} of the rows, {drawn.search} search)"
    said[-1] += ", and how strong they are."
    if study.validation is not None:
        said.append(f"Predictions were tried in {study.validation.folds} folds.")
    said.append(f"Random choices come from the seed {study.seed}.")
    return " ".join(said)


def _settings(study: Study) -> list[list[Cell]]:
    """Return the settings, for those who want to repeat it."""
    learned, drawn = study.learned, study.bootstrap
    proof = "proven the best" if learned.optimal else how_found(learned) or _not_proven(learned)
    prior, part = learned.structure_prior, f"{learned.log_prior:,.3f} of the score"
    tests = [study.pc, *([study.npc] if study.npc is not None else [])]
    rows: list[list[Cell]] = [
        ["score", f"{learned.score_name}: {learned.score:,.3f}, {proof}" if learned.dag is not None else "none"],
        *([] if prior is None else [["structure prior", f"{part}; {describe_prior(prior, study.data.names)}"]]),
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
        if isinstance(study.posterior, SampledPosterior):
            rows.insert(-2, ["sampled networks", f"{study.posterior.n_samples:,}; {study.posterior.verdict}"])
    return rows


def _parameters(study: Study) -> str:
    """Return how many numbers the network is made of, beside the rows that they come from."""
    number = study.learned.n_parameters
    return "none" if number is None else f"{number:,}, from {number_of(study.data.n_rows, 'row')}"


def _not_proven(learned: SearchResult) -> str:
    """Say that a network is not proven the best, and how far from the best it can be, if that is known."""
    sentence = gap_sentence(learned).rstrip(".")
    return f"not proven the best, but {sentence[0].lower()}{sentence[1:]}" if sentence else "not proven the best"


def _words(study: Study) -> list[list[Cell]]:
    """Return what words of the field mean, as far as the report uses them."""
    used = {study.learned.score_name or "", *(name for name, _ in study.other_scores)}
    scores = [[name, f"a score: {meaning}"] for name, meaning in SCORES.items() if name in used]
    last = [*(["NPC"] if study.npc is not None else []), "g2", "nat", *(["do"] if study.target is not None else [])]
    first, others = (
        [[word, WORDS[word]] for word in words]
        for words in (("network", "DAG", "CPDAG", "family", "cell", "score"), ("PC", *last))
    )
    return [*first, *scores, *others]


def _references(study: Study) -> Iterator[str]:
    """Yield whose methods were used, those only."""
    scores = {study.learned.score_name or "", *(name for name, _ in study.other_scores)}
    used = {
        "qnml": "qnml" in scores,
        "fnml": "fnml" in scores,
        "exact": study.learned.search == "exact",
        "snml": study.learned.dag is not None,
        "pc": True,
        "npc": study.npc is not None,
        "bh": True,
        "halves": study.bootstrap is not None,
        "posterior": isinstance(study.posterior, Posterior),
        "sampled": isinstance(study.posterior, SampledPosterior),
        "jeffreys": study.target is not None,
        "do": study.target is not None,
    }
    yield from (text for name, text in REFERENCES.items() if used[name])
