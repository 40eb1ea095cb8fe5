"""XMLBIF 0.3, the interchange format for Bayesian networks in XML.

::

    <BIF VERSION="0.3">
    <NETWORK>
    <NAME>unknown</NAME>
    <VARIABLE TYPE="nature">
      <NAME>wet</NAME>
      <OUTCOME>no</OUTCOME>
      <OUTCOME>yes</OUTCOME>
    </VARIABLE>
    <DEFINITION>
      <FOR>wet</FOR>
      <GIVEN>rain</GIVEN>
      <TABLE>
        0.9 0.1
        0.2 0.8
      </TABLE>
    </DEFINITION>
    </NETWORK>
    </BIF>

- The table goes through the given variables in their order, the first one slowest, and through the variable itself
  fastest. (In BIF a ``table`` has the variable itself slowest.)
- Blanks around a text do not count. A name or label that begins or ends with one, is empty or has characters that XML
  cannot hold is replaced by an identifier, and stands as JSON in a ``<PROPERTY>``: ``bnml_name = "…"``,
  ``bnml_states = ["…", "…"]``.
- ``VALUE`` and ``PROBABILITY`` of version 0.2 are read as ``OUTCOME`` and ``DEFINITION``, in small letters too.

Cut points are not written.
"""

from __future__ import annotations

import json
from xml.sax.saxutils import escape

from bnml._text import quoted_value
from bnml.data.labels import label_text
from bnml.network.formats._draft import Draft, TableRows
from bnml.network.formats._names import identifiers
from bnml.network.formats._scanner import failure
from bnml.network.formats._xml import BLANKS, Element, is_plain, numbers, parse, xml_labels, xml_name
from bnml.network.network import BayesianNetwork


def read(content: bytes, file: str) -> BayesianNetwork:
    """Return the network of an XMLBIF file; a `FormatError` says in which line what was expected."""
    top = parse(content, file, fold=True)
    if top.name != "BIF":
        raise failure(file, top.line, f"expected <BIF>, found <{top.name}>")
    if len(found := top.all("NETWORK")) != 1:
        raise failure(file, top.line, f"expected one <NETWORK> in <BIF>, found {len(found)}")
    draft = Draft(lambda line, message: failure(file, line or 1, message), len(content))
    names: dict[str, str] = {}  # as in the file -> variable
    for element in found[0].all("VARIABLE"):
        _read_variable(element, draft, names, file)
    for element in found[0].all("DEFINITION", "PROBABILITY"):
        _read_table(element, draft, names, file)
    return draft.network()


def _only(element: Element, name: str, file: str) -> Element:
    found = element.all(name)
    if len(found) != 1:
        raise failure(file, element.line, f"expected one <{name}> in <{element.name}>, found {len(found)}")
    return found[0]


def _read_variable(element: Element, draft: Draft, names: dict[str, str], file: str) -> None:
    node = _only(element, "NAME", file).text
    name, states = node, [outcome.text for outcome in element.all("OUTCOME", "VALUE")]
    kind = element.attributes.get("TYPE", "nature")
    if kind not in ("nature", "discrete"):
        raise failure(
            file, element.line, f"{quoted_value(node)} is of type {quoted_value(kind)}; only 'nature' can be read"
        )
    if node in names:
        raise failure(file, element.line, f"the variable {quoted_value(node)} is declared a second time")
    for entry in element.all("PROPERTY"):
        key, _, value = entry.text.partition("=")
        if key.rstrip(BLANKS) == "bnml_name":
            name = xml_name(value, file, entry.line)
        elif key.rstrip(BLANKS) == "bnml_states":
            states = xml_labels(value, len(states), file, entry.line)
    draft.variable(element.line, name, states)
    names[node] = name


def _read_table(element: Element, draft: Draft, names: dict[str, str], file: str) -> None:
    variables = [_only(element, "FOR", file), *element.all("GIVEN")]
    for variable in variables:
        if variable.text not in names:
            raise failure(file, variable.line, f"there is no variable {quoted_value(variable.text)}")
    name, *parents = (names[variable.text] for variable in variables)
    table = _only(element, "TABLE", file)
    rows = TableRows(draft, element.line, name, parents)
    rows.whole(table.line, numbers(table, file))
    rows.done()


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<BIF VERSION="0.3">
<NETWORK>
<NAME>unknown</NAME>
"""


def write(network: BayesianNetwork) -> str:
    """Return a network as the text of an XMLBIF file."""
    nodes = _plain(network.names)
    parts = [_HEAD]
    for x in network.names:
        labels = [label_text(label) for label in network.states[x]]
        outcomes = _plain(labels)
        parts.append(f'<VARIABLE TYPE="nature">\n  <NAME>{escape(nodes[x])}</NAME>\n')
        parts += [f"  <OUTCOME>{escape(outcomes[label])}</OUTCOME>\n" for label in labels]
        if nodes[x] != x:
            parts.append(f"  <PROPERTY>bnml_name = {escape(json.dumps(x))}</PROPERTY>\n")
        if any(outcomes[label] != label for label in labels):
            parts.append(f"  <PROPERTY>bnml_states = {escape(json.dumps(labels))}</PROPERTY>\n")
        parts.append("</VARIABLE>\n")
    for x in network.names:
        table = network.probabilities(x)
        parts.append(f"<DEFINITION>\n  <FOR>{escape(nodes[x])}</FOR>\n")
        parts += [f"  <GIVEN>{escape(nodes[p])}</GIVEN>\n" for p in network.dag.parents(x)]
        parts.append("  <TABLE>\n")
        parts += [f"    {' '.join(map(repr, row))}\n" for row in table.reshape(-1, table.shape[-1]).tolist()]
        parts.append("  </TABLE>\n</DEFINITION>\n")
    parts.append("</NETWORK>\n</BIF>\n")
    return "".join(parts)


def _plain(texts: tuple[str, ...] | list[str]) -> dict[str, str]:
    """Return what stands for each text: itself where XML can hold it, else an identifier that is none of the others."""
    if all(map(is_plain, texts)):
        return {text: text for text in texts}
    return {text: text if is_plain(text) else name for text, name in identifiers(texts).items()}
