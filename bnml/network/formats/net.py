r"""Hugin's ``.net`` files.

::

    net
    {
    }
    node wet
    {
      states = ("no" "yes");
    }
    potential (wet | rain sprinkler)
    {
      data = (((0.9 0.1) (0.4 0.6)) ((0.2 0.8) (0.1 0.9)));
    }

- ``data`` goes through the parents in the order of the head, the first one slowest, and through the states of the
  variable itself fastest. The brackets only show this order.
- All statements have the form ``attribute = value;``; those not shown here are passed over. Comments begin with ``%``.
- Hugin wants identifiers as names of nodes. A variable with another name gets one, and ``bnml_name = "its name";``.
  Labels are strings with the escapes of C.

Only discrete chance nodes are read; cut points are not written.
"""

from __future__ import annotations

from bnml.data.labels import label_text
from bnml.network.formats._draft import Draft, TableRows, shown
from bnml.network.formats._names import identifiers
from bnml.network.formats._scanner import Scanner, in_quotes
from bnml.network.network import BayesianNetwork

__all__ = ["read", "write"]


def read(content: bytes, file: str) -> BayesianNetwork:
    """Return the network of a Hugin file.

    Raises
    ------
    FormatError
        With the line and what was expected there.
    """
    scan = Scanner(content, file, comment="%", stops="{}()[],;|=")
    draft = Draft(scan.error, len(scan.text))
    names: dict[str, str] = {}  # node -> variable
    if scan.keyword() != "net":
        scan.at = 0
        raise scan.expected("'net', which begins a Hugin file (classes of objects are not read)")
    scan.expect("{")
    _attributes(scan)
    while not scan.done():
        at = scan.at
        word = scan.keyword()
        if word == "discrete":
            word = scan.keyword()
        match word:
            case "node":
                _read_node(scan, draft, names, at)
            case "potential":
                _read_potential(scan, draft, names, at)
            case "continuous" | "decision" | "utility" | "function" | "class":
                raise scan.error(at, f"a {word!r}; only discrete chance nodes make a Bayesian network here")
            case _:
                scan.at = at
                raise scan.expected("'node' or 'potential'")
    return draft.network()


def _attributes(scan: Scanner) -> None:
    while not scan.accept("}"):
        scan.word("an attribute or '}'")
        scan.expect("=")
        scan.statement()


def _read_node(scan: Scanner, draft: Draft, names: dict[str, str], at: int) -> None:
    node = scan.word("the name of a node")
    if node in names:
        raise scan.error(at, f"the node {shown(node)} is declared a second time")
    name, states = node, None
    scan.expect("{")
    while not scan.accept("}"):
        place = scan.at
        attribute = scan.word("an attribute or '}'")
        scan.expect("=")
        if attribute == "states":
            if states is not None:
                raise scan.error(place, f"states of {shown(node)} a second time")
            scan.expect("(")
            states = scan.words(")", "a state").alone
            scan.expect(";")
        elif attribute == "bnml_name":
            name = scan.word("a name")
            scan.expect(";")
        else:
            scan.statement()
    if states is None:
        raise scan.error(at, f"the node {shown(node)} has no states")
    draft.variable(at, name, states)
    names[node] = name


def _read_potential(scan: Scanner, draft: Draft, names: dict[str, str], at: int) -> None:
    scan.expect("(")
    head = scan.words(")", "a node", ",|")
    if not head.alone or [bar[0] for bar in head.bars] not in ([], [1]) or (len(head.alone) > 1 and not head.bars):
        raise scan.error(at, "expected one node, and its parents after '|'")
    for node in head.alone:
        if node not in names:
            raise scan.error(at, f"there is no node {shown(node)} so far")
    name, *parents = (names[node] for node in head.alone)
    rows = TableRows(draft, at, name, parents)
    scan.expect("{")
    while not scan.accept("}"):
        place = scan.at
        attribute = scan.word("an attribute or '}'")
        scan.expect("=")
        if attribute == "data":
            rows.whole(place, scan.numbers(nested=True))
        else:
            scan.statement()
    rows.done()


def write(network: BayesianNetwork) -> str:
    """Return a network as the text of a Hugin file."""
    nodes = identifiers(network.names)
    parts = ["net\n{\n}\n"]
    for x in network.names:
        states = " ".join(in_quotes(label_text(label)) for label in network.states[x])
        true_name = "" if nodes[x] == x else f"  label = {in_quotes(x)};\n  bnml_name = {in_quotes(x)};\n"
        parts.append(f"node {nodes[x]}\n{{\n  states = ({states});\n{true_name}}}\n")
    for x in network.names:
        parents = network.dag.parents(x)
        table = network.probabilities(x)
        given = f" | {' '.join(nodes[p] for p in parents)}" if parents else ""
        data = [f"({' '.join(map(repr, row))})" for row in table.reshape(-1, table.shape[-1]).tolist()]
        for arity in reversed(table.shape[:-1]):
            data = [f"({' '.join(data[i : i + arity])})" for i in range(0, len(data), arity)]
        parts.append(f"potential ({nodes[x]}{given})\n{{\n  data = {data[0]};\n}}\n")
    return "".join(parts)
