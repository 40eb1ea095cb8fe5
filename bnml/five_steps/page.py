"""The report of a study as one page that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import bnml
from bnml._text import name_in_words, number_of
from bnml.five_steps.findings import findings_of
from bnml.five_steps.markup import section, text_of
from bnml.five_steps.sections import findings_section, sections
from bnml.five_steps.style import STYLE

if TYPE_CHECKING:
    from bnml.five_steps.study_result import Study


def report_page(study: Study, title: str | None = None) -> str:
    """Return the whole report."""
    heading = text_of(_title(study) if title is None else title)
    facts = f"{number_of(study.data.n_rows, 'row')} · {number_of(len(study.data.names), 'variable')}"
    facts += f" · about {name_in_words(study.target)}" if study.target is not None else ""
    parts = sections(study)
    links = "".join(
        f'<li><a href="#{name}">{k}. {text_of(said)}</a></li>' for k, (name, said, _) in enumerate(parts, 1)
    )
    body = "".join(section(name, f"{k}. {said}", *made(study)) for k, (name, said, made) in enumerate(parts, 1))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f'<header>\n<h1>{heading}</h1>\n<p class="facts">{text_of(facts)}</p>\n'
        f'<nav aria-label="Contents"><ol>{links}</ol></nav>\n</header>\n<main>\n{body}</main>\n'
        f"<footer><p>Made with bnml {escape(bnml.__version__)}. The same table and settings give the same report.</p>"
        "</footer>\n</body>\n</html>\n"
    )


def page_excerpt(study: Study) -> str:
    """Return the part of the page that a notebook shows: the findings."""
    return f"<div><h3>{text_of(_title(study))}</h3>{findings_section(findings_of(study))}</div>"


def _title(study: Study) -> str:
    about = f" about {name_in_words(study.target)}" if study.target is not None else ""
    return f"A study of {number_of(len(study.data.names), 'variable')}{about}"
