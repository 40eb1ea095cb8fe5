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

from collections.abc import Iterator

from bnml._text import quoted_value
from bnml.data.labels import label_text
from bnml.network.formats._names import identifiers
from bnml.network.formats._nodes import Nodes
from bnml.network.formats._scanner import Scanner, in_quotes
from bnml.network.network import BayesianNetwork


def read(content: bytes, file: str) -> BayesianNetwork:
    """Return the network of a Hugin file; a `FormatError` says in which line what was expected."""
    nodes = Nodes(content, file, comment="%", stops="{}()[],;|=")
    scan = nodes.scan
    scan.begin("net", "a Hugin file (classes of objects are not read)")
    for _ in _attributes(scan):
        scan.statement()
    for at, keyword in scan.sections():
        match scan.keyword() if keyword == "discrete" else keyword:
            case "node":
                _read_node(scan, nodes, at)
            case "potential":
                _read_potential(scan, nodes, at)
            case "continuous" | "decision" | "utility" | "function" | "class" as word:
                raise scan.error(at, f"a {word!r}; only discrete chance nodes make a Bayesian network here")
            case _:
                raise scan.expected("'node' or 'potential'", at)
    return nodes.draft.network()


def _attributes(scan: Scanner) -> Iterator[tuple[int, str]]:
    """Yield the attributes of a block, each with its place; whoever asks takes the value."""
    scan.expect("{")
    while not scan.accept("}"):
        place = scan.at
        attribute = scan.word("an attribute or '}'")
        scan.expect("=")
        yield place, attribute


def _read_node(scan: Scanner, nodes: Nodes, at: int) -> None:
    node = nodes.new(at)
    name, states = node, None
    for place, attribute in _attributes(scan):
        if attribute == "states":
            if states is not None:
                raise scan.error(place, f"states of {quoted_value(node)} a second time")
            scan.expect("(")
            states = scan.words(")", "a state").alone
            scan.expect(";")
        elif attribute == "bnml_name":
            name = scan.word("a name")
            scan.expect(";")
        else:
            scan.statement()
    if states is None:
        raise scan.error(at, f"the node {quoted_value(node)} has no states")
    nodes.declare(at, node, name, states)


def _read_potential(scan: Scanner, nodes: Nodes, at: int) -> None:
    rows, _ = nodes.table(at)
    for place, attribute in _attributes(scan):
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
