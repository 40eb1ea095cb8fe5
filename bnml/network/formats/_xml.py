"""Reading XML: elements that know their line, without anything that could grow beyond the file.

Entities of a document's own are refused, nothing outside the file is looked at, and a declaration of the document type
(as in the head of XMLBIF files) is passed over.
"""

from __future__ import annotations

import json
from typing import Any
from xml.parsers import expat

from bnml._text import quoted_value
from bnml.errors import FormatError
from bnml.network.formats._scanner import failure

BLANKS = " \t\r\n"
MOST_LEVELS = 50
MOST_ELEMENTS = 1_000_000


class Element:
    """An element: its name, attributes, line, children and the text directly in it."""

    __slots__ = ("attributes", "children", "line", "name", "pieces")

    def __init__(self, name: str, attributes: dict[str, str], line: int) -> None:
        self.name, self.attributes, self.line = name, attributes, line
        self.children: list[Element] = []
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        """The text in the element, without blanks around it."""
        return "".join(self.pieces).strip(BLANKS)

    def all(self, *names: str) -> list[Element]:
        """Return the children with one of these names."""
        return [child for child in self.children if child.name in names]


def parse(content: bytes, file: str, *, fold: bool = False) -> Element:
    """Return the outermost element of a document; with ``fold`` all names are in capitals."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = Element("", {}, 1)
    stack = [top]
    number = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal number
        number += 1
        if number > MOST_ELEMENTS:
            raise failure(file, parser.CurrentLineNumber, f"more than {MOST_ELEMENTS} elements")
        if len(stack) > MOST_LEVELS:
            raise failure(file, parser.CurrentLineNumber, f"elements in each other, more than {MOST_LEVELS} deep")
        element = Element(name.upper() if fold else name, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    def characters(text: str) -> None:
        stack[-1].pieces.append(text)

    def entity(*_: object) -> None:
        raise failure(file, parser.CurrentLineNumber, "an entity of the document's own; these are not read")

    def attribute(_element: str, name: str, _kind: str, default: str | None, _required: int) -> None:
        if default is not None and len(default) > 64:  # longest default of an attribute in a document type
            raise failure(file, parser.CurrentLineNumber, f"a long default of the attribute {quoted_value(name)}")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = entity
    parser.SkippedEntityHandler = entity
    parser.AttlistDeclHandler = attribute
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise failure(file, error.lineno, f"not well-formed XML: {expat.ErrorString(error.code)}") from None
    except (LookupError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise failure(file, 1, "the encoding of the document is not known or not kept to") from None
    return top.children[0]


def numbers(element: Element, file: str) -> list[float]:
    """Return the numbers in an element's text."""
    text = element.text
    words = text.split()
    try:
        if text.isascii() and "_" not in text:  # Python would read 1_0, and digits of other scripts
            return [float(word) for word in words]
    except ValueError:
        pass
    wrong = next((word for word in words if not _is_number(word)), text.strip())  # or a blank of another script
    raise failure(file, element.line, f"expected numbers in <{element.name}>, found {quoted_value(wrong)}")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return word.isascii() and "_" not in word


def is_plain(text: str) -> bool:
    """Tell whether a text can stand in XML as it is and be read back."""
    return (
        bool(text)
        and text == text.strip(BLANKS)
        and not any(c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff" for c in text)
    )


def xml_name(kept: str, file: str, line: int) -> str:
    """Return the name that an XML file keeps as a JSON string."""
    value = _kept(kept, file, line)
    if not isinstance(value, str):
        raise failure(file, line, f"expected a name in quotes as bnml_name, found {quoted_value(kept)}")
    return value


def xml_labels(kept: str, number: int, file: str, line: int) -> list[str]:
    """Return the labels that an XML file keeps as a JSON list."""
    value = _kept(kept, file, line)
    if not isinstance(value, list) or len(value) != number or not all(isinstance(label, str) for label in value):
        raise failure(file, line, f"expected a list of {number} labels as bnml_states, found {quoted_value(kept)}")
    return value


def _kept(text: str, file: str, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise failure(file, line, f"expected JSON, found {quoted_value(text)}") from None
