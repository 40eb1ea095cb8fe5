"""One page with the claims of all experiments: as Markdown, and as HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from bnml._text import number_of
from bnml.experiments.claims import VERDICTS, Claim
from bnml.experiments.comparison import ALLOWED
from bnml.experiments.registry import EXPERIMENTS
from bnml.experiments.reproduction import Reproduction

TITLE = "What the papers say, and what these runs show"
BANDS = (
    f"The band is what chance explains: {ALLOWED:g} standard errors of the difference that is judged. A comparison is "
    "confirmed if what was found lies beyond its band on the side of the claim, refuted if it does so on the other "
    "side, and inconclusive in between. That published numbers are reproduced is refuted if more of them lie outside "
    "of their bands, or one lies farther off, than chance explains; it is inconclusive if only means that hang on a "
    "few very large networks do so, which repetitions can miss, or if there are too few repetitions to estimate "
    "standard errors. Where a word needs a threshold, it is in parentheses. Where a paper leaves something open, or "
    "its words and its numbers differ, a claim stands here once more with another choice, after a dash (–); it is "
    "counted once."
)
PAPERS = {
    "fNML": "The fNML paper (Silander, Roos, Kontkanen & Myllymäki 2008)",
    "qNML": "The qNML paper (Silander, Leppä-aho, Jääsaari & Roos 2018)",
    "forests": "The paper on NML for Bayesian forests (Wettig, Kontkanen & Myllymäki 2007)",
    "": "Other claims, of programs and of these pages",
}
COLUMNS = ("claim", "where", "verdict", "found", "band")
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222 }
table { border-collapse: collapse; width: 100%; margin: 1em 0 }
th, td { border-bottom: 1px solid #ddd; padding: .4em .6em; text-align: left; vertical-align: top }
th { border-bottom: 2px solid #888 }
td.number { text-align: right; white-space: nowrap }
.confirmed { color: #00664a } .refuted { color: #a33b00 } .inconclusive { color: #666 }
td.verdict { font-weight: 600; white-space: nowrap } tr.again td:first-child { padding-left: 2em; color: #666 }
figure { margin: 1em 0 } img { max-width: 100% } figcaption { color: #666 }
pre { white-space: pre-wrap; background: #f6f6f6; padding: .8em }
"""


def page_as_markdown(done: Sequence[Reproduction], left_out: Sequence[str]) -> str:
    """Return the page as Markdown, with links to the figures of each experiment."""
    lines = [f"# {TITLE}", "", f"{_summary(done)} {BANDS}", ""]
    lines += ["| experiment | repetitions | processor time | claims |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in _times(done)]
    lines += ["", _left_out(left_out), ""] if left_out else [""]
    for title, claims in _by_paper(done).items():
        lines += [f"## {title}", "", _counted(claims), "", f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
        for claim in claims:
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in _cells(claim)) + " |")
        lines.append("")
    for one in done:
        lines += ["", f"## {one.experiment.name}", "", f"{_sentence(one)}", ""]
        lines += [f"![{picture.stem}]({_from_page(picture)})" for picture in _pictures(one)]
        lines += ["", "```", *one.outcome.findings, "```"]
    return "\n".join(lines) + "\n"


def page_as_html(done: Sequence[Reproduction], left_out: Sequence[str]) -> str:
    """Return the page as HTML, with the figures of each experiment."""
    lines = ["<!doctype html>", '<html lang="en">', '<meta charset="utf-8">', f"<title>{TITLE}</title>"]
    lines += [f"<style>{STYLE}</style>", f"<h1>{TITLE}</h1>", f"<p>{escape(f'{_summary(done)} {BANDS}')}</p>"]
    lines += _table(["experiment", "repetitions", "processor time", "claims"])
    known = {one.experiment.name for one in done}
    for name, often, time, verdicts in _times(done):
        link = f'<a href="#{name}">{name}</a>' if name in known else name
        numbers = "".join(f'<td class="number">{escape(cell)}</td>' for cell in (often, time))
        lines.append(f"<tr><td>{link}</td>{numbers}<td>{escape(verdicts)}</td></tr>")
    lines += ["</table>", *([f"<p>{escape(_left_out(left_out))}</p>"] if left_out else [])]
    for title, claims in _by_paper(done).items():
        lines += [f"<h2>{escape(title)}</h2>", f"<p>{escape(_counted(claims))}</p>", *_table(COLUMNS)]
        for claim in claims:
            text, where, verdict, numbers, band = map(escape, _cells(claim))
            again = ' class="again"' if claim.again else ""
            lines.append(
                f'<tr{again}><td>{text}</td><td>{where}</td><td class="verdict {verdict}">{verdict}</td>'
                f"<td>{numbers}</td><td>{band}</td></tr>"
            )
        lines.append("</table>")
    for one in done:
        lines += [f'<h2 id="{one.experiment.name}">{one.experiment.name}</h2>', f"<p>{escape(_sentence(one))}</p>"]
        lines += [
            f'<figure><img src="{_from_page(picture)}" alt="{picture.stem}" loading="lazy">'
            f"<figcaption>{picture.stem}</figcaption></figure>"
            for picture in _pictures(one)
        ]
        findings = escape("\n".join(one.outcome.findings))
        lines += ["<details><summary>all findings</summary>", f"<pre>{findings}</pre></details>"]
    return "\n".join([*lines, "</html>"]) + "\n"


def _by_paper(done: Sequence[Reproduction]) -> dict[str, list[Claim]]:
    """Return the claims by who makes them; those that are judged once more stand below the first of their kind."""
    found: dict[str, list[Claim]] = {}
    for paper, title in PAPERS.items():
        own = [claim for one in done for claim in one.outcome.claims if _paper(claim) == paper]
        first = list(dict.fromkeys((claim.text, claim.where) for claim in own))
        if own:
            found[title] = sorted(own, key=lambda claim: first.index((claim.text, claim.where)))
    return found


def _paper(claim: Claim) -> str:
    return next((paper for paper in PAPERS if paper and claim.where.startswith(paper)), "")


def _summary(done: Sequence[Reproduction]) -> str:
    return _counted([claim for one in done for claim in one.outcome.claims])


def _counted(claims: Sequence[Claim]) -> str:
    counts = Counter(claim.verdict for claim in claims if not claim.again)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    return f"{number_of(sum(counts.values()), 'claim')}: {told}."


def _times(done: Sequence[Reproduction]) -> list[list[str]]:
    """Return a line for each experiment: how often it was repeated, how long it took, and its verdicts."""
    lines = []
    for one in done:
        often = "-" if one.repetitions is None else f"{one.repetitions:,}"
        counts = Counter(claim.verdict for claim in one.outcome.claims if not claim.again)
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        lines.append([one.experiment.name, often, _time(one.processor_seconds), verdicts or "-"])
    return [*lines, ["all", "", _time(sum(one.processor_seconds for one in done)), ""]]


def _time(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.1f} s"


def _cells(claim: Claim) -> tuple[str, ...]:
    text = f"– {claim.choice}" if claim.again else claim.sentence
    return text, claim.where, claim.verdict, claim.numbers, claim.band


def _sentence(one: Reproduction) -> str:
    often = "" if one.repetitions is None else f"; {one.repetitions:,} repetitions"
    what = EXPERIMENTS.get(one.experiment.name, one.experiment.name)
    return f"{what[0].upper()}{what[1:]}{often}."


def _left_out(names: Sequence[str]) -> str:
    return f"Not run here, since they take too long: {', '.join(names)}."


def _pictures(one: Reproduction) -> list[Path]:
    return [file for file in one.files if file.suffix == ".png"]


def _from_page(picture: Path) -> str:
    return f"{picture.parent.name}/{picture.name}"


def _table(columns: Sequence[str]) -> list[str]:
    return ["<table>", "<tr>" + "".join(f"<th>{column}</th>" for column in columns) + "</tr>"]
