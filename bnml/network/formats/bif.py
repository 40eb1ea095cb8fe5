r"""BIF, the interchange format for Bayesian networks, as the Bayesian Network Repository uses it.

::

    network unknown {
    }
    variable rain {
      type discrete [ 2 ] { no, yes };
    }
    variable wet {
      type discrete [ 2 ] { no, yes };
      property "any text" ;
    }
    probability ( rain ) {
      table 0.8, 0.2;
    }
    probability ( wet | rain ) {
      (no) 0.9, 0.1;
      (yes) 0.2, 0.8;
    }

- Commas count as blanks, and ``|`` in the head of a probability block may be left out: its first variable is the one
  that the table belongs to. Comments are those of C. A name is declared before it is used.
- A row begins with the parents' states in brackets; ``default`` gives the row of all configurations without one.
- ``table`` gives a whole table in the counting order of the variables as the head names them, the last one fastest
  (Interchange Format 0.15). So the variable itself is the *slowest*: ``table`` with P(no|no) P(no|yes) P(yes|no)
  P(yes|yes) says the same as the two rows above. (XMLBIF has it the other way round.)
- A bare word may hold anything but blanks and ``{ } ( ) [ ] , ; | "``, so ``<5``, ``12+`` and ``Asy/Patch`` need no
  quotes. Several bare words between commas are one label where that gives the right number of labels. Strings in
  double quotes hold anything; a backslash stands before ``"`` and ``\``, and in ``\n``, ``\r``, ``\t``, ``\u00e4``.

Properties are passed over; cut points are not written.
"""

from __future__ import annotations

import re
from itertools import product

from bnml._text import quoted_value
from bnml.data.labels import label_text
from bnml.network.formats._draft import Draft, TableRows
from bnml.network.formats._scanner import Scanner, Words, in_quotes
from bnml.network.network import BayesianNetwork

_BARE = re.compile(r"(?!.*(?://|/\*))[A-Za-z0-9_<>=+./:*!?@^~&$'`-]+")
_KEYWORDS = frozenset({"network", "variable", "probability", "property", "type", "discrete", "table", "default"})


def read(content: bytes, file: str) -> BayesianNetwork:
    """Return the network of a BIF file; a `FormatError` says in which line what was expected."""
    scan = Scanner(content, file, comment="/", stops="{}()[],;|")
    draft = Draft(scan.error, len(scan.text))
    scan.begin("network", "a BIF file")
    scan.words("{", "the name of the network")
    _properties(scan)
    for at, keyword in scan.sections():
        match keyword:
            case "variable":
                _read_variable(scan, draft, at)
            case "probability":
                _read_table(scan, draft, at)
            case _:
                raise scan.expected("'variable' or 'probability'", at)
    return draft.network()


def _properties(scan: Scanner) -> None:
    while not scan.accept("}"):
        if scan.keyword() != "property":
            raise scan.expected("'property' or '}'")
        scan.statement()


def _read_variable(scan: Scanner, draft: Draft, at: int) -> None:
    name = scan.words("{", "the name of a variable").of_number(1)
    if len(name) != 1:
        raise scan.error(at, f"expected one name after 'variable', found {len(name)}")
    states: list[str] | None = None
    while not scan.accept("}"):
        place = scan.at
        word = scan.keyword()
        if word == "type" and states is None:
            if scan.keyword() != "discrete":
                raise scan.error(place, f"the variable {quoted_value(name[0])} is not discrete")
            states = scan.states(place)
        elif word == "property":
            scan.statement()
        else:
            raise scan.expected("'type', 'property' or '}'", place)
    if states is None:
        raise scan.error(at, f"the variable {quoted_value(name[0])} has no type")
    draft.variable(at, name[0], states)


def _read_table(scan: Scanner, draft: Draft, at: int) -> None:
    scan.expect("(")
    name, *parents = _heading(scan, draft, scan.words(")", "a variable", ",|"), at)
    scan.expect("{")
    rows = TableRows(draft, at, name, parents)
    codes = [{label: code for code, label in enumerate(draft.states(parent))} for parent in parents]
    while not scan.accept("}"):
        place = scan.at
        if scan.accept("("):
            labels = scan.words(")", "a state").of_number(len(parents))
            if len(labels) != len(parents):
                raise scan.error(place, f"expected a state of each of the {len(parents)} parents, found {len(labels)}")
            for parent, known, label in zip(parents, codes, labels, strict=True):
                if label not in known:
                    raise scan.error(place, f"the parent {quoted_value(parent)} has no state {quoted_value(label)}")
            row = [known[label] for known, label in zip(codes, labels, strict=True)]
            rows.put(place, row, scan.numbers())
        else:
            match scan.keyword():
                case "table":
                    rows.whole(place, scan.numbers(), own_axis_first=True)
                case "default":
                    rows.default(place, scan.numbers())
                case "property":
                    scan.statement()
                case _:
                    scan.at = place
                    raise scan.expected("'(', 'table', 'default', 'property' or '}'")
    rows.done()


def _heading(scan: Scanner, draft: Draft, words: Words, at: int) -> list[str]:
    """Return the variable and its parents: single words if all are known, else what stands between the separators."""
    single = all(name in draft for name in words.alone)
    names = words.alone if single else words.items()
    before = [bar[0 if single else 1] for bar in words.bars]
    if not names or before not in ([], [1]):
        raise scan.error(at, "expected one variable, and its parents after '|'")
    return names


def write(network: BayesianNetwork) -> str:
    """Return a network as the text of a BIF file."""
    words = {x: _word(x) for x in network.names}
    labels = {x: [_word(label_text(label)) for label in network.states[x]] for x in network.names}
    parts = ["network unknown {\n}\n"]
    for x, known in labels.items():
        states = f"type discrete [ {len(known)} ] {{ {', '.join(known)} }};"
        parts.append(f"variable {words[x]} {{\n  {states}\n}}\n")
    for x in network.names:
        parents = network.dag.parents(x)
        table = network.probabilities(x)
        if not parents:
            parts.append(f"probability ( {words[x]} ) {{\n  table {', '.join(map(repr, table.tolist()))};\n}}\n")
            continue
        parts.append(f"probability ( {words[x]} | {', '.join(words[p] for p in parents)} ) {{\n")
        rows = table.reshape(-1, table.shape[-1]).tolist()
        for given, row in zip(product(*(labels[p] for p in parents)), rows, strict=True):
            parts.append(f"  ({', '.join(given)}) {', '.join(map(repr, row))};\n")
        parts.append("}\n")
    return "".join(parts)


def _word(text: str) -> str:
    return text if _BARE.fullmatch(text) and text not in _KEYWORDS else in_quotes(text)
