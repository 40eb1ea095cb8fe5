"""What pages of the documentation are made of: blocks of code, commands, and the tables that they need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<mark>```+|~~~+) *(?P<language>[\w{}-]*)[^\n]*\n(?P<text>.*?)^(?P=mark) *$", re.M | re.S)
NEEDS = re.compile(r"^<!-- needs: (.+?) -->$", re.M)
NOT_EXECUTED = re.compile(r"<!-- not executed: (.+?) -->\n\Z")


@dataclass(frozen=True)
class Block:
    """A block of code: its language, its text, the line on which the text begins, and why it is not executed."""

    language: str
    text: str
    line: int
    reason: str = ""

    @property
    def runs_commands(self) -> bool:
        """Whether it holds commands of a shell that are to be run."""
        return self.language == "console" and not self.reason

    def commands(self) -> Iterator[tuple[str, str, int]]:
        """Yield each command with what is shown below it and its line; a backslash at its end leads on to the next."""
        lines, line = self.text.splitlines(), 0
        while line < len(lines):
            start, command = line, [lines[line].removeprefix("$ ")]
            while lines[line].endswith("\\"):
                line += 1
                command.append(lines[line])
            line += 1
            shown = []
            while line < len(lines) and not lines[line].startswith("$ "):
                shown.append(lines[line])
                line += 1
            yield "\n".join(command), "".join(f"{one}\n" for one in shown), self.line + start


def blocks(page: str) -> list[Block]:
    """Return the blocks of code of a page."""
    found = []
    for match in FENCE.finditer(page):
        before = NOT_EXECUTED.search(page[: match.start()])
        line = page.count("\n", 0, match.start("text"))
        found.append(Block(match["language"], match["text"], line, before[1] if before else ""))
    return found


def needs(page: str) -> dict[str, str]:
    """Return the tables that a page needs: their names there, and what they are.

    Examples
    --------
    >>> needs("<!-- needs: uci/wine.csv, visits.csv as survey.csv -->")
    {'wine.csv': 'uci/wine.csv', 'survey.csv': 'visits.csv'}
    """
    found = {}
    for one in (one.strip() for line in NEEDS.findall(page) for one in line.split(",")):
        table, _, name = one.partition(" as ")
        found[name or table.rpartition("/")[2]] = table
    return found


def site_pages(docs: Path) -> list[Path]:
    """Return the pages of the site; not those that are written, and ignored by git, when it is built."""
    generated = {docs / "reference" / "commands.md"}
    return sorted(path for path in docs.rglob("*.md") if path not in generated and "_build" not in path.parts)
