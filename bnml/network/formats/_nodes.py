"""Nodes of Hugin and DSC files: identifiers, each perhaps with the true name of its variable beside it."""

from __future__ import annotations

from bnml._text import quoted_value
from bnml.network.formats._draft import Draft, TableRows
from bnml.network.formats._scanner import Scanner


class Nodes:
    """A file that is read: the nodes that were declared so far, and what they are called in the draft of the network.

    ``comment``, ``stops``: as for `Scanner`.
    """

    def __init__(self, content: bytes, file: str, *, comment: str, stops: str) -> None:
        self.scan = Scanner(content, file, comment=comment, stops=stops)
        self.draft = Draft(self.scan.error, len(self.scan.text))
        self._variables: dict[str, str] = {}

    def new(self, at: int) -> str:
        """Take the name of a node that is being declared."""
        node = self.scan.word("the name of a node")
        if node in self._variables:
            raise self.scan.error(at, f"the node {quoted_value(node)} is declared a second time")
        return node

    def declare(self, at: int, node: str, name: str, states: list[str]) -> None:
        """Declare the variable of a node."""
        self.draft.variable(at, name, states)
        self._variables[node] = name

    def table(self, at: int) -> tuple[TableRows, list[str]]:
        """Take the head of a table, ``(node | parents)``; return the table and the variables that are the parents."""
        scan = self.scan
        scan.expect("(")
        head = scan.words(")", "a node", ",|")
        if not head.alone or [bar[0] for bar in head.bars] not in ([], [1]) or (len(head.alone) > 1 and not head.bars):
            raise scan.error(at, "expected one node, and its parents after '|'")
        for node in head.alone:
            if node not in self._variables:
                raise scan.error(at, f"there is no node {quoted_value(node)} so far")
        name, *parents = (self._variables[node] for node in head.alone)
        return TableRows(self.draft, at, name, parents), parents
