"""Published numbers: read as they are, or refused with the name of the file."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest

from bnml.errors import DataError
from bnml.experiments.comparison import agreement, compare_with_published, disagreements
from bnml.experiments.published import read_published_numbers
from bnml.experiments.uci_tables import read_uci_table

GOOD = "data,N,score\niris,150,-3.5\nwine,178,-1.25\n"


def read(folder, content):
    (folder / "printed.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_published_numbers(folder, "printed.csv", key=["data"], numbers=["N", "score"])


def test_what_is_right_is_read(tmp_path):
    table = read(tmp_path, GOOD)
    assert table.to_dict("list") == {"data": ["iris", "wine"], "N": [150, 178], "score": [-3.5, -1.25]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "cannot be read as CSV"),
        (b"\x00\xff\xfe binary", "printed.csv'"),
        ("data,N\niris,150\n", "lacks the column 'score'"),
        ("N\n150\n", "lacks the columns 'data', 'score'"),
        ("data,N,score\n", "has no lines"),
        (GOOD.replace("178", "many"), "line 3: column 'N' holds 'many', not a number"),
        (GOOD.replace("-1.25", ""), "line 3: column 'score' holds nothing, not a number"),
        (GOOD.replace("-1.25", "inf"), "line 3: column 'score' holds 'inf', not a number"),
        (GOOD.replace("wine", ""), "line 3: column 'data' holds nothing, not a text"),
        (GOOD + "iris,150,-3.5\n", "line 4: iris comes twice"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path, content, message):
    with pytest.raises(DataError, match=r"'printed\.csv'") as caught:
        read(tmp_path, content)
    assert message in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"'printed\.csv' cannot be read"):
        read_published_numbers(tmp_path, "printed.csv", key=["data"], numbers=[])


def test_a_packed_file_that_is_damaged(tmp_path):
    packed = bytearray(gzip.compress((GOOD * 50).encode()))
    packed[30:40] = bytes(10)
    (tmp_path / "printed.csv.gz").write_bytes(packed)
    with pytest.raises(DataError, match=r"'printed\.csv\.gz' cannot be read"):
        read_published_numbers(tmp_path, "printed.csv.gz", key=[], numbers=[])


def test_tables_declare_all_their_values(tmp_path):
    folder = tmp_path / "uci-discretised"
    folder.mkdir()
    (folder / "iris.csv").write_text("a,b\n0,1\n1,0\n")
    (folder / "iris.vd").write_text("a\tx\ty\tz\nb\tx\ty\n")
    assert read_uci_table(tmp_path, "iris").arities == (3, 2)
    for declared, message in (
        ("a\tx\ty\tz\n", r"'uci-discretised/iris\.vd' does not declare 'b', of 'uci-discretised/iris\.csv'"),
        ("a\tx\nb\tx\ty\n", r"'uci-discretised/iris\.csv' with 'uci-discretised/iris\.vd': column 'a' holds"),
    ):
        read_uci_table.cache_clear()
        (folder / "iris.vd").write_text(declared)
        with pytest.raises(DataError, match=message):
            read_uci_table(tmp_path, "iris")


def test_differences_in_standard_errors():
    table = pd.DataFrame(
        {
            "cell": ["same", "far", "rounded", "constant", "odd"],
            "ours": [1.0, 2.0, 3.004, 4.0, 5.0],
            "published": [1.3, 2.6, 3.0, 4.0, 5.5],
            "ours_error": [0.08, 0.08, 0.0, 0.0, 0.0],
            "published_error": [0.06, 0.06, 0.0, 0.0, 0.0],
        }
    )
    found = compare_with_published(table, rounding=0.005)
    assert found["errors"].tolist() == pytest.approx([-2.95, -5.95, 0.0, 0.0, -np.inf])
    assert found["within"].tolist() == [True, False, True, True, False]
    assert agreement(found, "means") == (
        "3 of 5 means (60.0%) lie within 3 standard errors of the published ones, both errors taken together: "
        "± 0.005 at the median (0.2 % of the number), ± 0.31 at most."
    )
    far = disagreements(found, ["cell"])
    assert [line.split(":")[0] for line in far] == ["  odd", "  far"]
