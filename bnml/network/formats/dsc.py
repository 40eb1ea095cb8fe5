r"""Microsoft's ``.dsc`` files.

::

    belief network "unknown"
    node wet {
      type : discrete [ 2 ] = { "no", "yes" };
    }
    probability ( rain ) {
       0.8, 0.2;
    }
    probability ( wet | rain, sprinkler ) {
      (0, 0) : 0.9, 0.1;
      (1, 0) : 0.2, 0.8;
      (0, 1) : 0.4, 0.6;
      (1, 1) : 0.1, 0.9;
    }

- A row begins with the positions of the parents' states, counted from 0; ``default : 0.5, 0.5;`` gives the row of all
  configurations without one. Rows without positions are a whole table: the first parent slowest, the variable itself
  fastest.
- Other attributes (``name : "…";``, ``position : (1, 2);``) and the ``properties`` block are passed over. Comments are
  those of C.
- Names are identifiers. A variable with another name gets one, and ``bnml_name : "its name";``. Labels are strings with
  the escapes of C.

Cut points are not written.
"""

from __future__ import annotations

from itertools import product

from bnml._text import quoted_value
from bnml.data.labels import label_text
from bnml.network.formats._draft import Draft
from bnml.network.formats._names import identifiers
from bnml.network.formats._nodes import Nodes
from bnml.network.formats._scanner import Scanner, in_quotes
from bnml.network.network import BayesianNetwork


def read(content: bytes, file: str) -> BayesianNetwork:
    """Return the network of a DSC file; a `FormatError` says in which line what was expected."""
    nodes = Nodes(content, file, comment="/", stops="{}()[],;|:=")
    scan, draft = nodes.scan, nodes.draft
    scan.begin("belief network", "a DSC file")
    if not scan.done() and scan.text[scan.at] == '"':
        scan.word("the name of the network")
    scan.accept(";")
    for at, keyword in scan.sections():
        match keyword:
            case "node":
                _read_node(scan, nodes, at)
            case "probability":
                _read_table(scan, draft, nodes, at)
            case "properties":
                scan.expect("{")
                while not scan.accept("}"):
                    scan.statement()
            case _:
                raise scan.expected("'node' or 'probability'", at)
    return draft.network()


def _read_node(scan: Scanner, nodes: Nodes, at: int) -> None:
    node = nodes.new(at)
    name, states = node, None
    scan.expect("{")
    while not scan.accept("}"):
        place = scan.at
        attribute = scan.word("an attribute or '}'")
        if attribute == "type":
            if states is not None:
                raise scan.error(place, f"a second type of {quoted_value(node)}")
            _is(scan)
            if scan.keyword() != "discrete":
                raise scan.error(place, f"the node {quoted_value(node)} is not discrete")
            states = scan.states(place, "=")
        elif attribute == "bnml_name":
            _is(scan)
            name = scan.word("a name")
            scan.expect(";")
        else:
            scan.statement()
    if states is None:
        raise scan.error(at, f"the node {quoted_value(node)} has no type")
    nodes.declare(at, node, name, states)


def _is(scan: Scanner) -> None:
    if not scan.accept(":") and not scan.accept("=") and scan.keyword() != "is":
        raise scan.expected("':'")


def _read_table(scan: Scanner, draft: Draft, nodes: Nodes, at: int) -> None:
    rows, parents = nodes.table(at)
    values: list[float] = []
    scan.expect("{")
    while not scan.accept("}"):
        place = scan.at
        if scan.accept("("):
            codes = _positions(scan, draft, parents, place)
            scan.expect(":")
            rows.put(place, codes, scan.numbers())
        elif word := scan.keyword():
            if word != "default":
                raise scan.error(place, f"expected a row, 'default' or '}}', found {quoted_value(word)}")
            _is(scan)
            rows.default(place, scan.numbers())
        else:
            values += scan.numbers()
    if values:
        rows.whole(at, values)
    rows.done()


def _positions(scan: Scanner, draft: Draft, parents: list[str], at: int) -> list[int]:
    words = scan.words(")", "the position of a state").alone
    if len(words) != len(parents):
        raise scan.error(at, f"expected the position of a state of each of the {len(parents)} parents")
    codes = []
    for word, parent in zip(words, parents, strict=True):
        if not (word.isascii() and word.isdigit() and len(word) < 10 and int(word) < len(draft.states(parent))):
            raise scan.error(at, f"the parent {quoted_value(parent)} has no state at position {quoted_value(word)}")
        codes.append(int(word))
    return codes


def write(network: BayesianNetwork) -> str:
    """Return a network as the text of a DSC file."""
    nodes = identifiers(network.names)
    parts = ['belief network "unknown"\n']
    for x in network.names:
        labels = [in_quotes(label_text(label)) for label in network.states[x]]
        parts.append(f"node {nodes[x]} {{\n")
        if nodes[x] != x:
            parts.append(f"  name : {in_quotes(x)};\n  bnml_name : {in_quotes(x)};\n")
        parts.append(f"  type : discrete [ {len(labels)} ] = {{ {', '.join(labels)} }};\n}}\n")
    for x in network.names:
        parents = network.dag.parents(x)
        table = network.probabilities(x)
        rows = [", ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
        if not parents:
            parts.append(f"probability ( {nodes[x]} ) {{\n   {rows[0]};\n}}\n")
            continue
        parts.append(f"probability ( {nodes[x]} | {', '.join(nodes[p] for p in parents)} ) {{\n")
        for given, row in zip(product(*(map(str, range(k)) for k in table.shape[:-1])), rows, strict=True):
            parts.append(f"  ({', '.join(given)}) : {row};\n")
        parts.append("}\n")
    return "".join(parts)
