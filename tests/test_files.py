"""Files written whole or not at all: which paths are refused, and how."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnml._files import check_writable, written_whole
from bnml.errors import ArgumentError

LONG = "x" * 400 + ".bif"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".", "it is a folder"),
        ("none/x.bif", "there is no folder 'none'"),
        ("file/x.bif", "there is no folder 'file'"),
        (LONG, "name too long"),
        (f"{LONG}/x.bif", "name too long"),
        ("a\0b.bif", "null"),
    ],
)
def test_paths_that_no_file_can_have(tmp_path, monkeypatch, name, reason):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    for refused in (lambda: check_writable(Path(name)), lambda: written_whole(name).__enter__()):
        with pytest.raises(ArgumentError) as caught:
            refused()
        message = str(caught.value)
        assert message.startswith(f"{name!r} cannot be written: "), "the path as it was given"
        assert reason in message.lower()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_cannot_be_searched(tmp_path, monkeypatch):
    def denied(self, **options):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "stat", denied)
    with pytest.raises(ArgumentError, match=r"cannot be written: Permission denied$"):
        check_writable(tmp_path / "closed" / "x.bif")


def test_links(tmp_path):
    """A link is followed; one in a circle is refused."""
    (tmp_path / "link").symlink_to("target")
    with written_whole(tmp_path / "link") as part:
        part.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(ArgumentError, match="circle' cannot be written"), written_whole(tmp_path / "circle"):
        pass
