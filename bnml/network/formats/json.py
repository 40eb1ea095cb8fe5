"""bnml's own format: JSON that keeps everything.

::

    {"format": "bnml network", "version": 2, "reading": {"missing": "drop", "na_values": ["-9"]}, "variables": [
      {"name": "rain", "states": [false, true], "parents": [], "table": [[0.8, 0.2]]},
      {"name": "wet", "states": ["no", "yes"], "parents": ["rain"], "table": [[0.9, 0.1], [0.2, 0.8]]}
    ]}

A table has a row for each configuration of the parents, the last parent fastest. Labels are texts, whole numbers,
fractions or booleans and are read back as such. Variables that were cut into bins have their ``cuts``. ``reading`` says
how the table was read that the network was fitted to: what became of missing values, which texts stood for them
(``na_values``), which columns held codes in place of labels (``coded``), and, by column, the ``medians`` of its bins,
which fill missing values and may be left out. The version is raised whenever a file
could be understood wrongly by an older reader, which refuses it; version 2 has a ``reading`` that matters for new
tables.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from bnml._text import quoted_value
from bnml.data.labels import MISSING_LABEL, Reading, label_text
from bnml.errors import BnmlError, FormatError, NetworkError
from bnml.network.formats._draft import Draft, TableRows
from bnml.network.formats._scanner import Scanner
from bnml.network.network import BayesianNetwork

FORMAT, VERSION = "bnml network", 2

_REQUIRED = {"name": str, "states": list, "parents": list, "table": list}


def read(content: bytes, file: str) -> BayesianNetwork:
    """Return the network of a JSON file; a `FormatError` says in which line what was expected."""
    document = _Document(content, file)
    variables: list[tuple[int, dict[str, Any]]] = []
    seen: dict[str, Any] = {}
    reading = Reading()
    for key, at, value in document.members():
        if key in seen and key != "variables":
            raise document.error(at, f"{quoted_value(key)} a second time")
        seen[key] = value
        if key == "variables":
            variables.append((at, _checked(document, at, value)))
        elif key == "format" and value != FORMAT:
            raise document.error(at, f"expected the format {FORMAT!r}, found {quoted_value(value)}")
        elif key == "version" and (type(value) is not int or not 1 <= value <= VERSION):
            raise document.error(
                at, f"expected version 1 to {VERSION}, found {quoted_value(value)}; a newer bnml may read it"
            )
        elif key == "reading":
            try:
                reading = Reading.from_dict(value)
            except BnmlError as error:
                raise document.error(at, str(error)) from None
    if missing := [key for key in ("format", "version") if key not in seen]:
        raise document.error(0, f"there is no {missing[0]!r}; a network has one")
    draft = Draft(document.error, len(content))
    for at, variable in variables:
        draft.variable(at, variable["name"], variable["states"])
    for at, variable in variables:
        rows = TableRows(draft, at, variable["name"], variable["parents"])
        rows.whole(at, _values(document, at, variable["table"], rows.arity))
        rows.done()
    network = draft.network()
    cuts = {variable["name"]: variable["cuts"] for _, variable in variables if "cuts" in variable}
    tables = {x: network.probabilities(x) for x in network.names}
    return BayesianNetwork(network.dag, network.states, tables, cuts, reading)


def _checked(document: _Document, at: int, value: Any) -> dict[str, Any]:
    """Return the description of a variable, with the right types in it."""
    if not isinstance(value, dict):
        raise document.error(at, f'expected a variable such as {{"name": …}}, found {quoted_value(value)}')
    for key, kind in _REQUIRED.items():
        if not isinstance(value.get(key), kind):
            what = "a text" if kind is str else "a list"
            raise document.error(at, f"expected {what} as {key!r} of a variable, found {quoted_value(value.get(key))}")
    for label in value["states"]:
        if not isinstance(label, str | int | float | bool):
            raise document.error(
                at, f"a state of {quoted_value(value['name'])} is {quoted_value(label)}, no text or number"
            )
    for parent in value["parents"]:
        if not isinstance(parent, str):
            raise document.error(at, f"a parent of {quoted_value(value['name'])} is {quoted_value(parent)}, not a text")
    cuts = value.get("cuts", [])
    if not isinstance(cuts, list) or not all(type(cut) in (int, float) and abs(cut) < math.inf for cut in cuts):
        raise document.error(at, f"the cuts of {quoted_value(value['name'])} must be a list of numbers")
    return value


def _values(document: _Document, at: int, table: list[Any], arity: int) -> list[float]:
    values: list[float] = []
    for row in table:
        if not isinstance(row, list) or len(row) != arity or not {type(value) for value in row} <= {int, float}:
            raise document.error(at, f"expected rows of {arity} numbers in the table, found {quoted_value(row)}")
        values += row
    if any(type(value) is int and abs(value) > 1 for value in values):  # which may be too large to be a float
        raise document.error(at, "expected probabilities in the table, found a number above 1")
    return values


class _Document:
    """The outermost object of a JSON text, with the place of each of its members and of each variable."""

    def __init__(self, content: bytes, file: str) -> None:
        self._scan = Scanner(content, file, comment="", stops="{}[],:")
        self._decoder = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_constant=_no_constant)

    def error(self, at: int, message: str) -> FormatError:
        return self._scan.error(at, message)

    def members(self) -> Iterator[tuple[str, int, Any]]:
        """Give key, place and value of each member; for ``variables`` each element of the list by itself."""
        scan = self._scan
        scan.expect("{")
        more = not scan.accept("}")
        while more:
            key = self._value()
            scan.expect(":")
            at = scan.skip()
            if key == "variables":
                yield from self._variables()
            else:
                yield str(key), at, self._value()
            more = self._goes_on("}")
        if not scan.done():
            raise scan.expected("the end of the file")

    def _variables(self) -> Iterator[tuple[str, int, Any]]:
        self._scan.expect("[")
        more = not self._scan.accept("]")
        while more:
            at = self._scan.skip()
            yield "variables", at, self._value()
            more = self._goes_on("]")

    def _goes_on(self, close: str) -> bool:
        """Take the comma or the closing bracket after an element."""
        if self._scan.accept(close):
            return False
        self._scan.expect(",")
        return True

    def _value(self) -> Any:
        at = self._scan.skip()
        try:
            value, self._scan.at = self._decoder.raw_decode(self._scan.text, at)
        except json.JSONDecodeError as error:
            raise self._scan.error(error.pos, f"not JSON: {error.msg}") from None
        except (ValueError, RecursionError) as error:
            raise self._scan.error(at, f"not JSON as it is used here: {quoted_value(error)}") from None
        return value


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return result


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def write(network: BayesianNetwork) -> str:
    """Return a network as the text of a JSON file."""
    lines = []
    for x in network.names:
        table = network.probabilities(x)
        variable: dict[str, Any] = {
            "name": x,
            "states": [_label(label) for label in network.states[x]],
            "parents": list(network.dag.parents(x)),
        }
        if x in network.cuts:
            variable["cuts"] = [float(cut) for cut in network.cuts[x]]
            if not all(map(math.isfinite, variable["cuts"])):
                raise NetworkError(f"the cuts of {x!r} are not all finite: {variable['cuts']}")
        variable["table"] = table.reshape(-1, table.shape[-1]).tolist()
        lines.append("  " + json.dumps(variable, ensure_ascii=False))
    head = f'{{"format": {json.dumps(FORMAT)}, "version": {_version(network)}, '
    if known := network.reading.to_dict():
        head += f'"reading": {json.dumps(known, ensure_ascii=False)}, '
    text = head + '"variables": [\n' + ",\n".join(lines) + "\n]}\n"
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _version(network: BayesianNetwork) -> int:
    """Return the first version whose readers understand the network: the first did not know of ``reading``."""
    reading = network.reading
    labelled = any(label_text(label) == MISSING_LABEL for labels in network.states.values() for label in labels)
    return 2 if reading.na_values or reading.coded or (labelled and not reading.gaps_are_states) else 1


def _label(label: Any) -> str | int | float | bool:
    """Return a label as JSON can hold it: any other kind as its text."""
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and not math.isfinite(value):
        return label_text(value)
    return value if type(value) in (str, int, float, bool) else label_text(value)
