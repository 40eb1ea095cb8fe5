"""GeNIe's and SMILE's ``.xdsl`` files.

::

    <smile version="1.0" id="network">
      <nodes>
        <cpt id="wet">
          <state id="no" />
          <state id="yes" />
          <parents>rain sprinkler</parents>
          <probabilities>0.9 0.1 0.4 0.6 0.2 0.8 0.1 0.9</probabilities>
        </cpt>
      </nodes>
      <extensions> … how GeNIe draws it … </extensions>
    </smile>

- The probabilities go through the parents in their order, the first one slowest, and through the variable itself
  fastest, as SMILE stores them (pyAgrum 3 has the first parent fastest in its own ``.xdsl`` files, which are therefore
  not understood: take another of its formats). ``<deterministic>`` nodes give ``<resultingstates>`` instead, one for
  each configuration.
- Parents stand before their children. Where this is not the order of the variables, each node has its place as a
  ``<property id="bnml_position">``.
- SMILE wants identifiers for nodes and states. Another name or label gets one, and stands as JSON in
  ``<property id="bnml_name">``, ``<property id="bnml_states">``; GeNIe shows the name.

Other kinds of nodes are refused; cut points are not written. So are files of aGrUM, which has the parents the other way
round than SMILE: its tables would be misread.
"""

from __future__ import annotations

import json
from xml.sax.saxutils import escape

import numpy as np

from bnml._text import quoted_value
from bnml.data.labels import label_text
from bnml.network.formats._draft import Draft, TableRows
from bnml.network.formats._names import identifiers
from bnml.network.formats._scanner import failure
from bnml.network.formats._xml import Element, is_plain, numbers, parse, xml_labels, xml_name
from bnml.network.network import BayesianNetwork


def read(content: bytes, file: str) -> BayesianNetwork:
    """Return the network of a GeNIe or SMILE file; a `FormatError` says in which line what was expected."""
    if (stranger := content.find(b'app="aGrUM')) >= 0:
        line = content.count(b"\n", 0, stranger) + 1
        raise failure(
            file, line, "an .xdsl file of aGrUM, which orders parents in a way of its own; save it as .bif there"
        )
    top = parse(content, file)
    if top.name != "smile":
        raise failure(file, top.line, f"expected <smile>, found <{top.name}>")
    for element in top.all("dynamic"):
        raise failure(file, element.line, "a dynamic network; only those without time can be read")
    if len(found := top.all("nodes")) != 1:
        raise failure(file, top.line, f"expected one <nodes> in <smile>, found {len(found)}")
    draft = Draft(lambda line, message: failure(file, line or 1, message), len(content))
    names: dict[str, str] = {}  # id -> variable
    for element in _in_order(found[0].children, file):
        _read_node(element, draft, names, file)
    for element in found[0].children:
        _read_table(element, draft, names, file)
    return draft.network()


def _property(element: Element, name: str) -> Element | None:
    return next((entry for entry in element.all("property") if entry.attributes.get("id") == name), None)


def _in_order(elements: list[Element], file: str) -> list[Element]:
    """Return the nodes in the order of the variables, if the file tells it."""
    places = []
    for element in elements:
        entry = _property(element, "bnml_position")
        if entry is None:
            return elements
        if not (entry.text.isascii() and entry.text.isdigit() and len(entry.text) < 10):
            raise failure(
                file, entry.line, f"expected a whole number as bnml_position, found {quoted_value(entry.text)}"
            )
        places.append(int(entry.text))
    return [elements[i] for i in sorted(range(len(elements)), key=places.__getitem__)]


def _id(element: Element, file: str) -> str:
    found = element.attributes.get("id")
    if not found:
        raise failure(file, element.line, f"<{element.name}> has no id")
    return found


def _read_node(element: Element, draft: Draft, names: dict[str, str], file: str) -> None:
    node = _id(element, file)
    if element.name not in ("cpt", "deterministic"):
        raise failure(file, element.line, f"a <{element.name}>; only <cpt> and <deterministic> nodes are read")
    if node in names:
        raise failure(file, element.line, f"the node {quoted_value(node)} is declared a second time")
    name, states = node, [_id(state, file) for state in element.all("state")]
    if entry := _property(element, "bnml_name"):
        name = xml_name(entry.text, file, entry.line)
    if entry := _property(element, "bnml_states"):
        states = xml_labels(entry.text, len(states), file, entry.line)
    draft.variable(element.line, name, states)
    names[node] = name


def _read_table(element: Element, draft: Draft, names: dict[str, str], file: str) -> None:
    node = _id(element, file)
    parents = [parent for entry in element.all("parents") for parent in entry.text.split()]
    for parent in parents:
        if parent not in names:
            raise failure(
                file, element.line, f"the parent {quoted_value(parent)} of {quoted_value(node)} is no node of the file"
            )
    wanted = "probabilities" if element.name == "cpt" else "resultingstates"
    found = element.all(wanted)
    if len(found) != 1:
        raise failure(file, element.line, f"expected one <{wanted}> in {quoted_value(node)}, found {len(found)}")
    rows = TableRows(draft, element.line, names[node], [names[parent] for parent in parents])
    if element.name == "cpt":
        rows.whole(found[0].line, numbers(found[0], file))
    else:
        rows.whole(found[0].line, _results(element, found[0], rows, file))
    rows.done()


def _results(element: Element, results: Element, rows: TableRows, file: str) -> list[float]:
    """Return the table of a node whose state follows from those of its parents."""
    states = {_id(state, file): code for code, state in enumerate(element.all("state"))}
    words = results.text.split()
    if len(words) != rows.number:
        raise failure(file, results.line, f"expected {rows.number} states in <resultingstates>, found {len(words)}")
    table = np.zeros((rows.number, rows.arity))
    for row, word in enumerate(words):
        if word not in states:
            raise failure(
                file, results.line, f"<resultingstates> has {quoted_value(word)}, which is no state of the node"
            )
        table[row, states[word]] = 1.0
    values: list[float] = table.ravel().tolist()
    return values


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="network" numsamples="10000" discsamples="10000">
  <nodes>
"""
_DRAWN = """      <node id="{id}">
        <name>{name}</name>
        <interior color="e5f6f7" />
        <outline color="000080" />
        <font color="000000" name="Arial" size="8" />
        <position>{left} {top} {right} {bottom}</position>
      </node>
"""


def write(network: BayesianNetwork) -> str:
    """Return a network as the text of an XDSL file."""
    nodes = identifiers(network.names)
    order = network.dag.topological_order()
    place = {x: i for i, x in enumerate(network.names)}
    parts = [_HEAD]
    for x in order:
        labels = [label_text(label) for label in network.states[x]]
        states = identifiers(labels)
        parts.append(f'    <cpt id="{nodes[x]}">\n')
        parts += [f'      <state id="{states[label]}" />\n' for label in labels]
        if parents := network.dag.parents(x):
            parts.append(f"      <parents>{' '.join(nodes[p] for p in parents)}</parents>\n")
        values = " ".join(map(repr, network.probabilities(x).ravel().tolist()))
        parts.append(f"      <probabilities>{values}</probabilities>\n")
        if order != network.names:
            parts.append(_kept("bnml_position", place[x]))
        if nodes[x] != x:
            parts.append(_kept("bnml_name", x))
        if any(states[label] != label for label in labels):
            parts.append(_kept("bnml_states", labels))
        parts.append("    </cpt>\n")
    parts.append('  </nodes>\n  <extensions>\n    <genie version="1.0" app="bnml" name="network">\n')
    for i, x in enumerate(network.names):
        left, top = 20 + 140 * (i % 8), 20 + 90 * (i // 8)
        name = escape(x) if is_plain(x) else nodes[x]
        parts.append(_DRAWN.format(id=nodes[x], name=name, left=left, top=top, right=left + 100, bottom=top + 50))
    parts.append("    </genie>\n  </extensions>\n</smile>\n")
    return "".join(parts)


def _kept(name: str, value: object) -> str:
    return f'      <property id="{name}">{escape(json.dumps(value))}</property>\n'
