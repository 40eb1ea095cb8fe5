"""Saving and loading: suffixes, folders, packed files, and files written whole or not at all."""

from __future__ import annotations

import gzip
import os
import stat
import sys

import pytest

from bnml._files import written_whole
from bnml.errors import ArgumentError, FormatError, NetworkError
from bnml.graph import DAG
from bnml.network import files
from bnml.network.files import FORMATS, check_network_file, load, save
from bnml.network.network import BayesianNetwork

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX permissions")


@pytest.fixture
def network() -> BayesianNetwork:
    states = {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    tables = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}
    return BayesianNetwork(DAG.parse("[rain][wet|rain]"), states, tables)


@pytest.mark.parametrize("suffix", [*FORMATS, ".BIF", ".Bif.Gz", ".XDSL"])
def test_the_suffix_decides(network, tmp_path, suffix):
    path = tmp_path / f"a.b{suffix}"
    save(network, str(path))
    assert load(path) == network
    assert load(str(path)) == network
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes().startswith(b"\x1f\x8b") == suffix.lower().endswith(".gz")


def test_the_methods_of_a_network_go_the_same_way(network, tmp_path):
    network.save(tmp_path / "n.json")
    assert load(tmp_path / "n.json") == network


@pytest.mark.parametrize("name", ["n", "n.txt", "n.gz", "n.bif.zip", "n.net.gz", "bif", ".."])
def test_unknown_suffixes(network, tmp_path, name):
    for work in (
        lambda: load(tmp_path / name),
        lambda: save(network, tmp_path / name),
        lambda: check_network_file(name),
    ):
        with pytest.raises(ArgumentError, match=r"\.bif \.bif\.gz \.xmlbif \.bifxml \.net \.dsc \.xdsl \.json"):
            work()
    with pytest.raises(ArgumentError, match=r"Did you mean '\.xdsl'"):
        load(tmp_path / "n.xsdl")


@pytest.mark.parametrize("path", [None, 3, b"n.bif", "n\0.bif"])
def test_what_is_no_path(network, path):
    for work in (lambda: load(path), lambda: save(network, path)):
        with pytest.raises(ArgumentError, match="path must be"):
            work()


@pytest.mark.parametrize("suffix", [".bif", ".bif.gz", ".json"])
def test_files_that_are_not_there(network, tmp_path, suffix):
    with pytest.raises(FormatError, match="there is no file"):
        load(tmp_path / f"n{suffix}")
    with pytest.raises(ArgumentError, match="there is no folder"):
        save(network, tmp_path / "nowhere" / f"n{suffix}")
    with pytest.raises(ArgumentError, match="there is no folder"):
        check_network_file(tmp_path / "nowhere" / f"n{suffix}")
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    check_network_file(tmp_path / f"n{suffix}")
    with pytest.raises(FormatError, match="cannot be read"):
        load(folder)
    with pytest.raises(ArgumentError, match="it is a folder"):
        save(network, folder)
    with pytest.raises(ArgumentError, match="it is a folder"):
        check_network_file(folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_broken_gzip(network, tmp_path):
    path = tmp_path / "n.bif.gz"
    save(network, path)
    whole = path.read_bytes()
    for content in (b"", whole[:-9], b"\x1f\x8b" + whole[9:], b"network x {}", whole[:20] + b"\0\0\0" + whole[23:]):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"n\.bif\.gz(, line 1|' is not a network, or is damaged)"):
            load(path)
    plain = tmp_path / "n.bif"
    plain.write_bytes(whole)
    with pytest.raises(FormatError, match=r"give it the suffix \.bif\.gz"):
        load(plain)


def test_files_too_large_are_refused(network, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 1 << 20)
    path = tmp_path / "bomb.bif.gz"
    path.write_bytes(gzip.compress(b" " * (1 << 24)))
    (tmp_path / "long.bif").write_bytes(b" " * (1 << 21))
    for name in ("bomb.bif.gz", "long.bif"):
        with pytest.raises(FormatError, match="larger than 1 MB"):
            load(tmp_path / name)


def test_packed_files_are_the_same_every_time(network, tmp_path):
    save(network, tmp_path / "a.bif.gz")
    save(network, tmp_path / "b.bif.gz")
    assert (tmp_path / "a.bif.gz").read_bytes() == (tmp_path / "b.bif.gz").read_bytes()
    assert (tmp_path / "a.bif.gz").read_bytes()[4:8] == b"\0\0\0\0"


def test_errors_name_the_file_and_the_line(tmp_path):
    path = tmp_path / "n.bif"
    path.write_text("network x {\n}\nvariable A { type discrete [ 2 ] { a }; }", encoding="utf-8")
    with pytest.raises(FormatError, match=r"n\.bif, line 3: expected 2 states, found 1"):
        load(path)


@pytest.mark.parametrize("text", ["", "network {", "not a network at all"])
def test_bad_files(tmp_path, text):
    path = tmp_path / "x.bif"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="line 1"):
        load(path)


# --- whole or not at all ---


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_everything_as_it_was(network, tmp_path, monkeypatch, error, step):
    path = tmp_path / "n.bif"
    path.write_text("what was there", encoding="utf-8")

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(ArgumentError if isinstance(error, OSError) else KeyboardInterrupt):
        save(network, path)
    assert [file.name for file in tmp_path.iterdir()] == ["n.bif"]
    assert path.read_text(encoding="utf-8") == "what was there"


def test_a_failure_of_the_writer_touches_no_file(network, tmp_path, monkeypatch):
    def fail(_):
        raise NetworkError("cannot")

    monkeypatch.setattr(FORMATS[".bif"], "write", fail)
    with pytest.raises(NetworkError, match="cannot"):
        save(network, tmp_path / "n.bif")
    assert not list(tmp_path.iterdir())


def test_written_whole(tmp_path):
    with written_whole(tmp_path / "a") as stream:
        stream.write(b"text")
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").read_text(encoding="utf-8") == "text"
    with pytest.raises(UnicodeEncodeError), written_whole(tmp_path / "a") as stream:
        stream.writelines(text.encode() for text in ("half", "\ud800"))
    assert (tmp_path / "a").read_text(encoding="utf-8") == "text"
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


@posix
def test_permissions_and_links_are_kept(network, tmp_path):
    path, link, circle = tmp_path / "n.bif", tmp_path / "link.bif", tmp_path / "circle.bif"
    save(network, path)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    link.symlink_to(path)
    save(network, link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    circle.symlink_to(circle)
    with pytest.raises(ArgumentError, match="cannot be written"):
        save(network, circle)
    with pytest.raises(FormatError, match="cannot be read"):
        load(circle)
