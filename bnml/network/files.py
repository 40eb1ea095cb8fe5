"""Networks from and to files; the suffix decides the format.

A file is written whole or not at all: the text is made first, and takes its place when all of it is written.
"""

from __future__ import annotations

import gzip
import io
import os
import warnings
from itertools import islice
from pathlib import Path
from types import ModuleType

from bnml._files import a_file_path, check_writable, reading_file, written_whole
from bnml._text import did_you_mean, quoted
from bnml.errors import ArgumentError, FormatError
from bnml.network.formats import bif, dsc, json, net, xdsl, xmlbif
from bnml.network.network import BayesianNetwork

FORMATS: dict[str, ModuleType] = {
    ".bif": bif,
    ".bif.gz": bif,
    ".xmlbif": xmlbif,
    ".bifxml": xmlbif,
    ".net": net,
    ".dsc": dsc,
    ".xdsl": xdsl,
    ".json": json,
}

MOST_BYTES = 2**28  # of a file, unpacked


def load(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Return the network of a file.

    Parameters
    ----------
    path
        A file whose suffix tells its format: ``.bif``, ``.bif.gz``, ``.xmlbif`` or ``.bifxml``, ``.net`` (Hugin),
        ``.dsc`` (Microsoft), ``.xdsl`` (GeNIe), ``.json`` (bnml's own, which alone keeps the types of labels, cut
        points, medians of bins and what stands for missing values).

    Raises
    ------
    FormatError
        If there is no such file or it cannot be understood; with the line and what was expected there.
    ArgumentError
        If the suffix is none of these.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from bnml.graph import DAG
    >>> from bnml.network.network import BayesianNetwork
    >>> coin = BayesianNetwork(DAG(["coin"]), {"coin": ["heads", "tails"]}, {"coin": [0.5, 0.5]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(coin, pathlib.Path(folder, "coin.bif"))
    ...     load(pathlib.Path(folder, "coin.bif")) == coin
    True
    """
    file, suffix = _checked(path)
    with reading_file(file, "a network", "Take another copy of it, or fit the network anew"):
        with gzip.open(file) if suffix.endswith(".gz") else file.open("rb") as stream:
            pieces = iter(lambda: stream.read(1 << 20), b"")
            content = b"".join(islice(pieces, (MOST_BYTES >> 20) + 1))
        if len(content) > MOST_BYTES:
            raise FormatError(f"{file} is larger than {MOST_BYTES >> 20} MB, the most that is read")
        network: BayesianNetwork = FORMATS[suffix].read(content, str(file))
    return network


def save(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to a file in the format of its suffix (see `load`), whole or not at all.

    Raises
    ------
    ArgumentError
        If the suffix is none of those of `load`, or the file cannot be written.
    """
    file, suffix = _checked(path)
    check_writable(file)
    content = _content_of(network, suffix)
    with written_whole(file) as stream:
        stream.write(content)


def file_content(network: BayesianNetwork, path: str | os.PathLike[str]) -> bytes:
    """Return what `save` would write to a file."""
    return _content_of(network, _checked(path)[1])


def _content_of(network: BayesianNetwork, suffix: str) -> bytes:
    if suffix != ".json":
        _tell_losses(network, suffix)
    content: bytes = FORMATS[suffix].write(network).encode("utf-8")
    if not suffix.endswith(".gz"):
        return content
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as stream:  # the same bytes every time
        stream.write(content)
    return packed.getvalue()


def _tell_losses(network: BayesianNetwork, suffix: str) -> None:
    """Warn of what a format cannot hold of a network."""
    kept = f"not kept in {suffix} files, only in .json: the network will take"
    losses = (
        (network.cuts, "the cuts of {} are", "the labels of the bins, not numbers"),
        (network.reading.na_values, "that {} stand for missing values is", "them for values"),
        (network.reading.coded, "that tables hold codes from 0 for {} is", "labels only"),
    )
    for lost, what, instead in losses:
        if lost:
            warnings.warn(f"{what.format(quoted(lost))} {kept} {instead}", stacklevel=5)


def check_network_file(path: str | os.PathLike[str]) -> None:
    """Refuse a path to which `save` could not write, before there is anything to save.

    Raises
    ------
    ArgumentError
        If the suffix is none of those of `load`, it is a folder, or its folder is not there.
    """
    file, _ = _checked(path)
    check_writable(file)


def _checked(path: str | os.PathLike[str]) -> tuple[Path, str]:
    """Return the path and its suffix, if it is one of those above."""
    file = a_file_path(path)
    name = file.name.lower()
    suffix = max((known for known in FORMATS if name.endswith(known)), key=len, default=None)
    if suffix is None:
        given = "".join(Path(name).suffixes[-1:])
        raise ArgumentError(
            f"the suffix of {str(file)!r} is none of those known for networks: {' '.join(FORMATS)}."
            f"{did_you_mean(given, FORMATS)}"
        )
    return file, suffix


def is_network_file(path: str | None) -> bool:
    """Tell whether a file is one of a network, by its name."""
    return path is not None and path.lower().endswith(tuple(FORMATS))
