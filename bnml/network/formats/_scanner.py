"""Reading the text formats: words, strings, numbers, and the line where something is wrong.

The grammars of BIF, Hugin and DSC files are small and their readers know at every place what may come, so there is no
separate list of tokens: a reader asks the `Scanner` for a word, a symbol or a run of numbers. Each is one match of a
regular expression that never steps back, so that reading takes time in proportion to the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bnml._text import quoted_value
from bnml.errors import FormatError

_STRING = r'"(?>[^"\\]++|\\.)*+"'
_NUMBERS = re.compile(r"[-+.0-9eE,\s]++")
_NESTED_NUMBERS = re.compile(r"[-+.0-9eE,\s()]++")
_KEYWORD = re.compile(r"[A-Za-z_]++")
_INTEGER = re.compile(r"[0-9]++")
_ESCAPE = re.compile(r'\\(?:(["\\nrt])|u([0-9a-fA-F]{4}))')
_UNSAFE = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]')
_NAMED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_NAMES = {value: key for key, value in _NAMED.items()}
_BRACKETS = str.maketrans("(),", "   ")


def failure(file: str, line: int, message: str) -> FormatError:
    """Return the error for a line of a network file that is scanned."""
    return FormatError(f"{file}, line {line}: {message}")


def in_quotes(text: str) -> str:
    r"""Return a text in double quotes as the scanner reads it: ``\" \\ \n \r \t \u0007`` for what cannot be in it."""
    return f'"{_UNSAFE.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\{_NAMES[character]}" if character in _NAMES else f"\\u{ord(character):04x}"


def _unescaped(match: re.Match[str]) -> str:
    return _NAMED[match[1]] if match[1] else chr(int(match[2], 16))


class Scanner:
    """A text and the place up to which it has been read.

    Parameters
    ----------
    content, file
        The bytes of a file, and its name for messages.
    comment
        The character that comments begin with: ``/`` for those of C, ``%`` for those that end with the line, nothing
        if there are none.
    stops
        Characters that end a bare word, besides blanks, quotes and the beginning of a comment.
    """

    def __init__(self, content: bytes, file: str, *, comment: str, stops: str) -> None:
        self.file = file
        self.text = _decoded(content, file)
        self.at = 0
        note = {"/": r"//[^\n]*+|/\*(?>[^*]++|\*(?!/))*+\*/", "%": r"%[^\n]*+", "": "(?!)"}[comment]
        lone = r"/(?![/*])" if comment == "/" else "(?!)"  # a slash alone is an ordinary character
        self._blank = re.compile(rf"(?>\s++|{note})*+", re.DOTALL)
        self._string = re.compile(_STRING, re.DOTALL)
        self._bare = re.compile(rf'(?>[^\s"{comment}{re.escape(stops)}]++|{lone})++')
        self._statement = re.compile(rf'(?>[^;"{{}}{comment}]++|{_STRING}|{note}|{lone})*+;', re.DOTALL)

    def error(self, at: int, message: str) -> FormatError:
        """Return the error for a place in the text."""
        return failure(self.file, self.text.count("\n", 0, at) + 1, message)

    def expected(self, what: str, at: int | None = None) -> FormatError:
        """Return the error for finding something else here, or at another place."""
        self.at = self.at if at is None else at
        self.skip()
        rest = self.text[self.at : self.at + 40]
        if not rest:
            return self.error(self.at, f"expected {what}, found the end of the file")
        if rest[0] == '"' and not self._string.match(self.text, self.at):
            return self.error(self.at, f"expected {what}, found a string that is not closed")
        if rest.startswith("/*"):
            return self.error(self.at, f"expected {what}, found a comment that is not closed")
        found = self._string.match(self.text, self.at) or self._bare.match(self.text, self.at)
        return self.error(self.at, f"expected {what}, found {quoted_value(found[0] if found else rest[0])}")

    def begin(self, words: str, what: str) -> None:
        """Take the words that a file begins with."""
        if not all(self.keyword() == word for word in words.split()):
            raise self.expected(f"{words!r}, which begins {what}", 0)

    def sections(self) -> Iterator[tuple[int, str]]:
        """Yield where each section of the file begins, and its keyword."""
        while not self.done():
            yield self.at, self.keyword()

    def skip(self) -> int:
        """Pass over blanks and comments; return the place after them."""
        match = self._blank.match(self.text, self.at)
        if match:
            self.at = match.end()
        return self.at

    def done(self) -> bool:
        """Tell whether nothing is left."""
        return self.skip() == len(self.text)

    def accept(self, symbol: str) -> bool:
        """Take a symbol if it comes next."""
        self.skip()
        if self.text.startswith(symbol, self.at):
            self.at += len(symbol)
            return True
        return False

    def expect(self, symbol: str) -> None:
        """Take a symbol, which must come next."""
        if not self.accept(symbol):
            raise self.expected(repr(symbol))

    def keyword(self) -> str:
        """Take a word of letters and underscores, or nothing."""
        match = _KEYWORD.match(self.text, self.skip())
        if not match:
            return ""
        self.at = match.end()
        return match[0]

    def integer(self, what: str) -> int:
        """Take a whole number."""
        match = _INTEGER.match(self.text, self.skip())
        if not match or match.end() - match.start() > 9:
            raise self.expected(what)
        self.at = match.end()
        return int(match[0])

    def word(self, what: str) -> str:
        """Take a bare word or a string."""
        self.skip()
        match = self._bare.match(self.text, self.at)
        if match:
            self.at = match.end()
            return match[0]
        match = self._string.match(self.text, self.at)
        if not match:
            raise self.expected(what)
        self.at = match.end()
        return _ESCAPE.sub(_unescaped, match[0][1:-1])

    def words(self, close: str, what: str, separators: str = ",") -> Words:
        """Take words, with or without separators between them, up to a closing symbol, which is taken too."""
        found = Words(self)
        while not self.accept(close):
            symbol = self.text[self.at : self.at + 1]
            if symbol and symbol in separators:
                self.at += 1
                found.separate(symbol)
            else:
                start = self.at
                found.add(start, self.word(f"{what} or {close!r}"))
        return found

    def states(self, at: int, sign: str = "") -> list[str]:
        """Take ``[ 2 ] { no, yes };``, where a sign may stand before the brace."""
        self.expect("[")
        arity = self.integer("the number of states")
        self.expect("]")
        self.accept(sign)
        self.expect("{")
        states = self.words("}", "a state").of_number(arity)
        if len(states) != arity:
            raise self.error(at, f"expected {arity} states, found {len(states)}")
        self.expect(";")
        return states

    def numbers(self, *, nested: bool = False) -> list[float]:
        """Take numbers up to a semicolon, with blanks, commas and comments between them, and brackets if ``nested``."""
        pattern = _NESTED_NUMBERS if nested else _NUMBERS
        values: list[float] = []
        depth = 0
        while match := pattern.match(self.text, self.skip()):
            run = match[0]
            depth += run.count("(") - run.count(")") if nested else 0
            try:
                values += map(float, run.translate(_BRACKETS).split())
            except ValueError:
                raise self._no_number(match.start(), run) from None
            self.at = match.end()
        if depth:
            odd = "(" if depth > 0 else ")"
            raise self.error(self.at, f"brackets that do not match: {abs(depth)} {odd!r} too many")
        if not self.accept(";"):
            raise self.expected("a number or ';'")
        return values

    def _no_number(self, start: int, run: str) -> FormatError:
        for match in re.finditer(r"[^\s,()]+", run):
            try:
                float(match[0])
            except ValueError:
                return self.error(start + match.start(), f"expected a number, found {quoted_value(match[0])}")
        raise AssertionError("unreachable")

    def statement(self) -> None:
        """Pass over everything but braces up to a semicolon, which is taken too."""
        match = self._statement.match(self.text, self.at)
        if not match:
            raise self.error(self.at, "a statement that does not end with ';'")
        self.at = match.end()


class Words:
    """Words of a list, and what stands between its separators.

    Some programs write ``yes no``, some ``yes, no``, and some ``not empty, empty`` without quotes. So there are two
    readings, and which one is meant follows from the number that is expected.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self.alone: list[str] = []
        self.bars: list[tuple[int, int]] = []  # words and items before each '|'
        self._items: list[tuple[int, int, int]] = []  # number of words, start, end
        self._open = False

    def add(self, start: int, word: str) -> None:
        """Take the next word."""
        self.alone.append(word)
        if self._open:
            number, start, _ = self._items.pop()
            self._items.append((number + 1, start, self._scanner.at))
        else:
            self._items.append((1, start, self._scanner.at))
        self._open = True

    def separate(self, symbol: str) -> None:
        """Take a separator."""
        self._open = False
        if symbol == "|":
            self.bars.append((len(self.alone), len(self._items)))

    def items(self) -> list[str]:
        """Return what stands between the separators."""
        result, i = [], 0
        for number, start, end in self._items:
            result.append(self.alone[i] if number == 1 else self._scanner.text[start:end])
            i += number
        return result

    def of_number(self, number: int) -> list[str]:
        """Return the words if there are so many, else the items, whose number the caller must check."""
        return self.alone if len(self.alone) == number else self.items()


def _decoded(content: bytes, file: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        packed = " (it is packed: give it the suffix .bif.gz)" if content.startswith(b"\x1f\x8b") else ""
        line = content.count(b"\n", 0, error.start) + 1
        raise failure(file, line, f"not a text file in UTF-8{packed}") from None
