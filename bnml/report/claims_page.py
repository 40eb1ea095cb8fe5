"""One page with the claims of all experiments: as HTML, and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bnml._text import number_of
from bnml.experiments.claims import VERDICTS, Claim
from bnml.experiments.comparison import ALLOWED
from bnml.experiments.registry import EXPERIMENTS
from bnml.experiments.reproduction import Reproduction
from bnml.report.rendering import render

PAPERS = {
    "fNML": "The fNML paper (Silander, Roos, Kontkanen & Myllymäki 2008)",
    "qNML": "The qNML paper (Silander, Leppä-aho, Jääsaari & Roos 2018)",
    "forests": "The paper on NML for Bayesian forests (Wettig, Kontkanen & Myllymäki 2007)",
    "": "Other claims, of programs and of these pages",
}


def claims_page(suffix: str, done: Sequence[Reproduction], left_out: Sequence[str]) -> str:
    """Return the page as ``html`` or ``md``, with links to the figures of each experiment."""
    claims = [claim for one in done for claim in one.outcome.claims]
    papers = [(title, _of_paper(paper, claims)) for paper, title in PAPERS.items()]
    names = [(one, one.experiment.name) for one in done]
    return render(
        f"claims.{suffix}",
        allowed=ALLOWED,
        left_out=left_out,
        counted=_counted(claims),
        papers=[(title, _counted(own), own) for title, own in papers if own],
        experiments=[(one, name, EXPERIMENTS.get(name, name), _verdicts(one.outcome.claims)) for one, name in names],
        processor_seconds=sum(one.processor_seconds for one in done),
    )


def _of_paper(paper: str, claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims of a paper; those that are judged once more stand below the first of their kind."""
    own = [c for c in claims if paper == next((name for name in PAPERS if name and c.where.startswith(name)), "")]
    first = list(dict.fromkeys((claim.text, claim.where) for claim in own))
    return sorted(own, key=lambda claim: first.index((claim.text, claim.where)))


def _counted(claims: Sequence[Claim]) -> str:
    counts = [sum(claim.verdict == verdict and not claim.again for claim in claims) for verdict in VERDICTS]
    told = ", ".join(f"{n} {verdict}" for n, verdict in zip(counts, VERDICTS, strict=True))
    return f"{number_of(sum(counts), 'claim')}: {told}."


def _verdicts(claims: Sequence[Claim]) -> str:
    counts = Counter(claim.verdict for claim in claims if not claim.again)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]) or "-"
