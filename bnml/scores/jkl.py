"""Files of family scores in the text format of GOBNILP (``.jkl``), to exchange them with other solvers.

The format is that of Jaakkola and of Cussens: the number of variables; then for each variable a line with its name and
the number k of its candidate parent sets, and k lines with a score, the number of parents and their names::

    2
    rain 2
    -3.1 0
    -2.5 1 wet
    wet 1
    -4.0 0

Names are separated by white space and cannot hold any. A set that is not listed cannot be chosen: its score is -inf.
"""

from __future__ import annotations

import gzip
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

import numpy as np

from bnml._arrays import Floats
from bnml._bits import set_key
from bnml._files import a_file_path, check_writable, reading_file, written_whole
from bnml._text import clip, did_you_mean
from bnml.errors import ArgumentError, FormatError
from bnml.scores.family_scores import FamilyScores

SUFFIXES = (".jkl", ".jkl.gz")
MOST_VARIABLES = 20_000  # a mask is as long as there are variables: a small file could fill the memory
MOST_BYTES = 2**31  # of a file, unpacked


def load_jkl(path: str | os.PathLike[str]) -> FamilyScores:
    r"""Return the scores of a file in the format of GOBNILP; one whose name ends in ``.gz`` is unpacked.

    Sets with a score of -inf are left out; blank lines and lines before the first that begin with ``#`` are skipped.

    Raises
    ------
    FormatError
        If there is no such file or it cannot be understood; with the line and what was expected there.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from bnml.scores import FamilyScores
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "some.jkl")
    ...     _ = file.write_text("2\na 2\n-3.1 0\n-2.5 1 b\nb 1\n-4.0 0\n")
    ...     FamilyScores.load(file)
    FamilyScores(2 variables, 3 parent sets)
    """
    file = a_file_path(path)
    with reading_file(file, "a file of scores", "Save the scores anew"), file.open("rb") as stream:
        if not file.name.lower().endswith(".gz"):
            return read_jkl(_content(stream, file), str(file))
        with gzip.GzipFile(fileobj=stream) as unpacked:
            return read_jkl(_content(unpacked, file), str(file))


def save_jkl(table: FamilyScores, path: str | os.PathLike[str]) -> None:
    """Write scores to a ``.jkl`` or ``.jkl.gz`` file, whole or not at all; no bit of a score is lost.

    Raises
    ------
    ArgumentError
        If the suffix is another, the file cannot be written, or a name is empty or holds white space.
    """
    file = a_file_path(path)
    if not file.name.lower().endswith(SUFFIXES):
        raise ArgumentError(f"{str(file)!r}: scores are saved in a file whose name ends in {' or '.join(SUFFIXES)}")
    check_writable(file)
    with written_whole(file) as stream:
        write_jkl(table, stream, packed=file.name.lower().endswith(".gz"))


def _content(stream: BinaryIO | gzip.GzipFile, file: Path) -> bytes:
    pieces, size = [], 0
    while piece := stream.read(1 << 20):
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise FormatError(f"{file} is larger than {MOST_BYTES >> 20} MB, the most that is read")
    return b"".join(pieces)


def _check_name(name: str) -> None:
    """Refuse a name that no reader would get back."""
    try:
        good = name.encode().decode().split() == [name]
    except UnicodeEncodeError:
        raise ArgumentError(f"the name {name!r} cannot be written as UTF-8; rename the column") from None
    if not good:
        reason = "in a .jkl file white space separates names, so none can hold any"
        raise ArgumentError(f"the name {name!r} cannot be written: {reason}; rename the column")


def write_jkl(table: FamilyScores, stream: IO[bytes], *, packed: bool) -> None:
    """Write scores to a stream.

    Raises
    ------
    ArgumentError
        If a name is empty or holds white space.
    """
    for name in table.names:
        _check_name(name)
    if not packed:
        stream.writelines(_pieces(table))
        return
    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=stream, mtime=0) as packing:  # the same bytes every time
        packing.writelines(_pieces(table))


def _pieces(table: FamilyScores) -> Iterator[bytes]:
    """Yield the content of a file piece by piece."""
    yield b"%d\n" % len(table.names)
    name_of = {1 << j: f" {name}" for j, name in enumerate(table.names)}
    for name, masks, scores in zip(table.names, table.parents, table.scores, strict=True):
        lines = [f"{name} {len(masks)}"]
        for mask, score in zip(masks, scores.tolist(), strict=True):
            parents = ""
            size, rest = mask.bit_count(), mask
            while rest:
                low = rest & -rest
                parents += name_of[low]
                rest ^= low
            lines.append(f"{score!r} {size}{parents}")
        yield ("\n".join(lines) + "\n").encode()


# --- reading ---


class _Lines:
    """The lines of a file that are not blank, and errors that say which one is meant."""

    def __init__(self, content: bytes, file: str) -> None:
        self.content = content.removeprefix(b"\xef\xbb\xbf")
        self.file = file
        self.lines = [line for line in self.content.splitlines() if line and not line.isspace()]

    def __len__(self) -> int:
        return len(self.lines)

    def number(self, at: int) -> int:
        """Return where a line stands in the file; that of the last one for the end."""
        everything = self.content.splitlines()
        numbers = [number for number, line in enumerate(everything, 1) if line and not line.isspace()]
        return numbers[at] if at < len(numbers) else max(len(everything), 1)

    def error(self, at: int, message: str) -> FormatError:
        """Return the error for a line."""
        return FormatError(f"{self.file}, line {self.number(at)}: {message}")

    def shown(self, at: int) -> str:
        """Return a line for a message."""
        return _shown(b" ".join(self.lines[at].split())) if at < len(self) else "the end of the file"


@dataclass(frozen=True)
class _Block:
    """A variable and where its sets stand: the lines from start to before stop."""

    name: bytes
    start: int
    stop: int


def read_jkl(content: bytes, file: str) -> FamilyScores:
    """Return the scores in the content of a file, whose name is for messages.

    Raises
    ------
    FormatError
        With the line and what was expected there.
    """
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = len(content[: error.start + 1].splitlines())
        raise FormatError(f"{file}, line {line}: not UTF-8 text: {error.reason}") from None
    lines = _Lines(content, file)
    blocks = _blocks(lines)
    bit = {block.name: 1 << i for i, block in enumerate(blocks)}
    sizes = [b"", b"", *(b"%d" % size for size in range(len(blocks)))]  # how many parents a line of so many words has
    sets = [_sets(lines, block, bit, sizes) for block in blocks]
    return FamilyScores._of(tuple(block.name.decode() for block in blocks), sets)


def _blocks(lines: _Lines) -> list[_Block]:
    """Return where the sets of each variable stand."""
    first = next((at for at, line in enumerate(lines.lines) if not line.lstrip().startswith(b"#")), len(lines))
    n = _number_of_variables(lines, first)
    blocks: dict[bytes, _Block] = {}
    at = first + 1
    for number in range(1, n + 1):
        words = lines.lines[at].split() if at < len(lines) else []
        size = _whole(words[1]) if len(words) == 2 else None
        if size is None:
            expected = f"expected variable {number} of {n}, its name and the number of its parent sets"
            raise _misfit(lines, blocks.values(), at, f"{expected}; found {lines.shown(at)}")
        name = words[0]
        if name in blocks:
            raise _misfit(lines, blocks.values(), at, f"the variable {_shown(name)} comes a second time")
        if size == 0:
            raise _misfit(lines, blocks.values(), at, f"{_shown(name)} has no parent set; expected at least one")
        blocks[name] = _Block(name, at + 1, at + 1 + size)
        at += 1 + size
        if at > len(lines):
            there = len(lines) - blocks[name].start
            message = f"expected {size} parent sets of {_shown(name)}, found {there} before the end of the file"
            raise _misfit(lines, blocks.values(), len(lines), message)
    if at < len(lines):
        message = f"expected the end of the file after {n} variables, found {lines.shown(at)}"
        raise _misfit(lines, blocks.values(), at, message)
    return list(blocks.values())


def _number_of_variables(lines: _Lines, at: int) -> int:
    words = lines.lines[at].split() if at < len(lines) else []
    n = _whole(words[0]) if len(words) == 1 else None
    if not n:
        raise lines.error(at, f"expected the number of variables, found {lines.shown(at)}")
    if n > MOST_VARIABLES:
        raise lines.error(at, f"{n} variables; at most {MOST_VARIABLES} are possible")
    return n


def _misfit(lines: _Lines, blocks: Iterable[_Block], at: int, message: str) -> FormatError:
    """Return the error for a line that is out of place; an earlier one if a number of sets was wrong there."""
    for block in blocks:
        for k in range(block.start, min(block.stop, len(lines))):
            if fault := _shape_fault(lines.lines[k].split()):
                return _set_error(lines, block, k, fault)
    return lines.error(at, message)


def _set_error(lines: _Lines, block: _Block, at: int, fault: str) -> FormatError:
    which = f"parent set {at - block.start + 1} of {block.stop - block.start} of {_shown(block.name)}"
    return lines.error(at, f"{which}: {fault}")


def _sets(lines: _Lines, block: _Block, bit: dict[bytes, int], sizes: Sequence[bytes]) -> tuple[list[int], Floats]:
    """Return the parent sets of a variable and their scores."""
    masks: list[int] = []
    values: list[float] = []
    own = bit.pop(block.name)  # so that no set can hold it
    get = bit.__getitem__
    with suppress(ValueError, KeyError, IndexError):
        for line in lines.lines[block.start : block.stop]:
            words = line.split()
            mask = sum(map(get, words[2:]))  # a name that comes twice costs a bit
            if words[1] != sizes[len(words)] or mask.bit_count() + 2 != len(words) or b"_" in words[0]:
                break
            values.append(float(words[0]))
            masks.append(mask)
    at = block.start + len(masks)
    if at < block.stop:
        raise _set_error(lines, block, at, _fault(lines.lines[at].split(), block.name, bit))
    bit[block.name] = own
    return masks, _checked_scores(lines, block, masks, values)


def _checked_scores(lines: _Lines, block: _Block, masks: Sequence[int], values: Sequence[float]) -> Floats:
    """Return the scores as an array, if they are scores and of different sets."""
    scores = np.array(values)
    wrong = np.flatnonzero(~(scores < math.inf))
    if wrong.size:
        at = block.start + int(wrong[0])
        raise _set_error(lines, block, at, _shape_fault(lines.lines[at].split()))
    if len(set(map(set_key, masks))) < len(masks):
        known: dict[int | bytes, int] = {}
        for at, key in enumerate(map(set_key, masks), block.start):
            if known.setdefault(key, at) != at:
                fault = f"the same parents as in line {lines.number(known[key])}"
                raise _set_error(lines, block, at, fault)
    if not (scores > -math.inf).any():
        raise lines.error(block.start - 1, f"no parent set of {_shown(block.name)} has a score above -inf")
    return scores


def _fault(words: Sequence[bytes], name: bytes, bit: dict[bytes, int]) -> str:
    """Say what is wrong with the line of a set."""
    if fault := _shape_fault(words):
        return fault
    for position, parent in enumerate(words[2:], 2):
        if parent == name:
            return "a variable cannot be its own parent"
        if parent not in bit:
            known = [other.decode() for other in [name, *bit][:1000]]
            return f"there is no variable {_shown(parent)}.{did_you_mean(parent.decode(), known)}"
        if parent in words[2:position]:
            return f"the parent {_shown(parent)} comes twice"
    raise AssertionError(words)


def _shape_fault(words: Sequence[bytes]) -> str:
    """Say what keeps a line from being that of a set, whatever the names; nothing if nothing does."""
    try:
        score = math.nan if b"_" in words[0] else float(words[0])
    except ValueError:
        score = math.nan
    if not score < math.inf:
        return f"expected a score, a finite number or -inf, found {_shown(words[0])}"
    size = _whole(words[1]) if len(words) > 1 else None
    if size is None:
        found = _shown(words[1]) if len(words) > 1 else "the end of the line"
        return f"expected the number of parents after the score, found {found}"
    if size != len(words) - 2:
        return f"expected {size} parents, found {len(words) - 2}"
    return ""


def _whole(word: bytes) -> int | None:
    return int(word) if word.isdigit() and len(word) < 19 and (word == b"0" or not word.startswith(b"0")) else None


def _shown(word: bytes) -> str:
    return repr(clip(word.decode()))
