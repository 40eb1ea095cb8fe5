"""Tables of local scores, and their files for other solvers."""

from __future__ import annotations

import gzip
import math
import pickle
import random
import re
import time
from dataclasses import FrozenInstanceError
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError, BnmlError, FormatError
from bnml.graph import DAG
from bnml.scores import FamilyScores, jkl
from bnml.scores.jkl import load_jkl, read_jkl
from tests.network.test_formats_fuzz import mutated

GOOD = """3
rain 4
-5.5 0
-3.25 1 wet
-4.0 1 season
-3e0 2 season wet
season 2
-2.5 0
-1.23e+02 1 rain
wet 2
-7.0 0
-6.125 2 rain season
"""


def a_set(n: int, child: int) -> list[int]:
    return [mask for mask in range(1 << n) if not mask >> child & 1]


@st.composite
def tables(draw: st.DrawFn, few_scores: bool = False) -> FamilyScores:
    """Draw a table; one with few different scores has many ties."""
    texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)
    names = draw(st.lists(texts.filter(lambda text: text.split() == [text]), min_size=1, max_size=5, unique=True))
    value = st.integers(-3, 0).map(float) if few_scores else st.floats(allow_nan=False, allow_infinity=False)
    masks = [draw(st.lists(st.sampled_from(a_set(len(names), i)), min_size=1, unique=True)) for i in range(len(names))]
    scores = [draw(st.lists(value, min_size=len(own), max_size=len(own))) for own in masks]
    return FamilyScores(names, masks, scores)


def named(table: FamilyScores, mask: int) -> list[str]:
    return sorted(name for j, name in enumerate(table.names) if mask >> j & 1)


def bits_of(table: FamilyScores) -> list[bytes]:
    return [scores.tobytes() for scores in table.scores]


# --- the table ---


@given(tables(few_scores=True))
def test_best_first(table):
    for masks, scores in zip(table.parents, table.scores, strict=True):
        keys = [(-s, mask.bit_count(), named(table, mask)) for mask, s in zip(masks, scores, strict=True)]
        assert keys == sorted(keys)
        assert scores.dtype == np.float64
        assert not scores.flags.writeable
        assert all(type(mask) is int for mask in masks)


@given(tables(few_scores=True), st.randoms(use_true_random=False))
def test_the_order_given_does_not_matter(table, rng):
    shuffled = [rng.sample(range(len(masks)), len(masks)) for masks in table.parents]
    masks = [[own[k] for k in order] for own, order in zip(table.parents, shuffled, strict=True)]
    scores = [own[order] for own, order in zip(table.scores, shuffled, strict=True)]
    assert FamilyScores(table.names, masks, scores) == table


@given(tables(few_scores=True))
def test_undominated_is_what_it_says(table):
    slow_masks, slow_scores = [], []
    for masks, scores in zip(table.parents, table.scores, strict=True):
        listed = list(zip(masks, scores.tolist(), strict=True))
        kept = [(m, s) for m, s in listed if not any(o != m and o & m == o and t >= s for o, t in listed)]
        slow_masks.append([m for m, _ in kept])
        slow_scores.append([s for _, s in kept])
    few = table.undominated()
    assert few == FamilyScores(table.names, slow_masks, slow_scores)
    assert few.undominated() == few


def test_undominated_sets_of_many_parents():
    """As many as there are variables: nothing may depend on the depth of a recursion."""
    n = 3000
    names = [f"X{i}" for i in range(n)]
    wide = (1 << n) - 2
    table = FamilyScores(names, [[wide, wide ^ 4, 2], *[[0]] * (n - 1)], [[-1.0, -1.0, -2.0], *[[0.0]] * (n - 1)])
    assert table.undominated().parents[0] == (wide ^ 4, 2)


@given(tables())
def test_families_and_pickles(table):
    n = len(table.names)
    for child in range(n):
        listed = dict(zip(table.parents[child], table.scores[child].tolist(), strict=True))
        for mask in a_set(n, child):
            members = [j for j in range(n) if mask >> j & 1]
            assert table.family(child, members[::-1]) == listed.get(mask, -math.inf)
    again = pickle.loads(pickle.dumps(table))
    assert again == table
    assert hash(again) == hash(table)
    assert bits_of(again) == bits_of(table)


def test_scores_of_graphs():
    data = bnml.example()
    local = bnml.LocalScores(data, "bic")
    n = len(data.names)
    sets = [[p for size in range(3) for p in combinations(sorted({*range(n)} - {i}), size)] for i in range(n)]
    masks = [[sum(1 << j for j in p) for p in own] for own in sets]
    table = FamilyScores(data.names, masks, [local.families(i, own) for i, own in enumerate(sets)])
    a, b, c, d, *rest = data.names
    dag = DAG([d, *rest, c, b, a], [(a, b), (a, c), (c, d), (b, d)])
    assert table.score(dag) == bnml.score(dag, data, "bic")
    assert table.score(dag.with_arcs([(a, d)])) == -math.inf
    with pytest.raises(ArgumentError, match="same variables: only the graph has 'other'"):
        table.score(DAG([*data.names, "other"]))
    with pytest.raises(ArgumentError, match="expected a DAG"):
        table.score("[A][B|A]")


def test_as_a_value():
    table = FamilyScores(("a", "b"), ((0, 2), (0,)), ([-2.0, -1.0], [-3.0]))
    assert repr(table) == "FamilyScores(2 variables, 3 parent sets)"
    assert table != FamilyScores(("a", "b"), ((0, 2), (0,)), ([-2.0, -1.5], [-3.0]))
    assert table != FamilyScores(("a", "c"), ((0, 2), (0,)), ([-2.0, -1.0], [-3.0]))
    assert table != "table"
    with pytest.raises(FrozenInstanceError):
        table.names = ()
    given = np.array([-1.0])
    kept = FamilyScores(["a"], [[np.int64(0)]], [given])
    given[0] = 5.0
    assert kept.family(0, []) == -1.0


def test_impossible_sets_are_left_out():
    table = FamilyScores(["a", "b"], [[0, 2], [1, 0]], [[-math.inf, -1.0], [-1.0, -1.0]])
    assert table.parents == ((2,), (0, 1))
    assert table.family(0, []) == -math.inf


@pytest.mark.parametrize(
    ("names", "parents", "scores", "message"),
    [
        ([], [], [], "names is empty"),
        (["a", "a"], [[0], [0]], [[0.0], [0.0]], "unique"),
        ("ab", [[0], [0]], [[0.0], [0.0]], "list of names"),
        (["a", "b"], [[0]], [[0.0], [0.0]], "parents has 1 entries for 2"),
        (["a", "b"], [[0], [0]], [[0.0]], "scores has 1 entries for 2"),
        (["a"], 3, [[0.0]], "parents must be a list"),
        (["a"], [3.5], [[0.0]], "'a': parents must be bit masks"),
        (["a"], [[0.5]], [[0.0]], "'a': parents must be bit masks"),
        (["a"], [[0]], [["x"]], "scores numbers"),
        (["a"], [[0]], [[0.0, 1.0]], "1 parent sets and scores of shape"),
        (["a"], [[1]], [[0.0]], "bits other than 0 to 0 without 0"),
        (["a", "b"], [[4], [0]], [[0.0], [0.0]], "bits other than"),
        (["a", "b"], [[-1], [0]], [[0.0], [0.0]], "bits other than"),
        (["a", "b"], [[0, 0], [0]], [[0.0, 1.0], [0.0]], "comes twice"),
        (["a"], [[0]], [[math.nan]], "finite number, or -inf"),
        (["a"], [[0]], [[math.inf]], "finite number, or -inf"),
        (["a"], [[0]], [[-math.inf]], "no parent set has a score above -inf"),
        (["a"], [[]], [[]], "no parent set has a score above -inf"),
    ],
)
def test_what_is_no_table(names, parents, scores, message):
    with pytest.raises(BnmlError, match=message):
        FamilyScores(names, parents, scores)


@pytest.mark.parametrize(
    ("child", "parents"), [(-1, []), (3, []), (0, [0]), (0, [1, 1]), (0, [3]), (0, [-1]), (0, ["wet"]), ("rain", [])]
)
def test_families_of_no_variables(child, parents):
    with pytest.raises(ArgumentError, match=r"child .* parents"):
        read_jkl(GOOD.encode(), "FILE").family(child, parents)


# --- files ---


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("jkl")


@pytest.mark.parametrize("suffix", [".jkl", ".jkl.gz"])
@given(table=tables())
def test_there_and_back(folder, suffix, table):
    """To the last bit, and the same bytes every time."""
    path = folder / f"table{suffix}"
    table.save(path)
    content = path.read_bytes()
    back = FamilyScores.load(path)
    assert back == table
    assert bits_of(back) == bits_of(table)
    back.save(str(path))
    assert path.read_bytes() == content


def test_what_is_written(tmp_path):
    table = FamilyScores(["b", "a"], [[2, 0], [0]], [[-0.1, -1e300], [5.0]])
    table.save(tmp_path / "t.JKL")
    assert (tmp_path / "t.JKL").read_bytes() == b"2\nb 2\n-0.1 1 a\n-1e+300 0\na 1\n5.0 0\n"
    table.save(tmp_path / "t.jkl.gz")
    assert gzip.decompress((tmp_path / "t.jkl.gz").read_bytes()) == (tmp_path / "t.JKL").read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t.JKL", "t.jkl.gz"]


def test_a_file():
    table = read_jkl(GOOD.encode(), "FILE")
    assert table.names == ("rain", "season", "wet")
    assert table.parents == ((0b110, 0b100, 0b010, 0), (0, 0b001), (0b011, 0))
    assert [scores.tolist() for scores in table.scores] == [[-3.0, -3.25, -4.0, -5.5], [-2.5, -123.0], [-6.125, -7.0]]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace(" ", " \t ").replace("\n", "  \n "),
        lambda text: text.replace("\n", "\n\n \t\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text + "\n \n\r\n",
        lambda text: "\ufeff" + text,
        lambda text: "# made by hand\n #2\n" + text,
        lambda text: text.replace("season 2", "season 3\n-inf 2 rain wet"),
        lambda text: text.replace("season 2", "season 3\n-Infinity 2 wet rain"),
        lambda text: text.replace("season 2", "season 3\n-1e999 1 wet"),
        lambda text: text.replace("-3e0 2 season wet", "-3 2 wet season"),
        lambda text: text.replace("-3.25", "-0032.5E-01"),
    ],
)
def test_the_same_file_in_other_clothes(change):
    assert read_jkl(change(GOOD).encode(), "FILE") == read_jkl(GOOD.encode(), "FILE")


def test_names_of_all_kinds():
    table = read_jkl(b"4\n0 1\n-1 1 -2.5\n-2.5 1\n-1 1 inf\ninf 1\n-1 1 #1\n#1 1\n1 1 0\n", "FILE")
    assert table.names == ("0", "-2.5", "inf", "#1")
    assert table.parents == ((2,), (4,), (8,), (1,))


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("3\n", "", 1, "expected the number of variables, found 'rain 4'"),
        ("3\n", "\n0\n", 2, "expected the number of variables, found '0'"),
        ("3\n", "-3\n", 1, "expected the number of variables, found '-3'"),
        ("3\n", "3 4\n", 1, "expected the number of variables, found '3 4'"),
        ("3\n", "three\n", 1, "expected the number of variables, found 'three'"),
        ("3\n", "٣\n", 1, "expected the number of variables, found '٣'"),
        ("3\n", "3_0\n", 1, "expected the number of variables, found '3_0'"),
        ("3\n", "30000\n", 1, "30000 variables; at most 20000 are possible"),
        ("3\n", "9" * 5000 + "\n", 1, "expected the number of variables, found '999"),
        ("3\n", "4\n", 12, "expected variable 4 of 4, .* found the end of the file"),
        ("3\n", "2\n", 10, "expected the end of the file after 2 variables, found 'wet 2'"),
        ("rain season\n", "rain season\n\nmore\n", 14, "expected the end of the file after 3 variables, found 'more'"),
        ("rain 4", "rain", 2, "expected variable 1 of 3, its name and the number of its parent sets; found 'rain'"),
        ("rain 4", "rain x", 2, "expected variable 1 of 3, its name and the number of its parent sets; found 'rain x'"),
        ("rain 4", "the rain 4", 2, "expected variable 1 of 3, .* found 'the rain 4'"),
        ("rain 4", "rain 0", 2, "'rain' has no parent set; expected at least one"),
        ("rain 4", "rain 3", 6, "expected variable 2 of 3, .* found '-3e0 2 season wet'"),
        ("rain 4", "rain 5", 7, "parent set 5 of 5 of 'rain': expected a score, .* found 'season'"),
        ("rain 4", "rain 999", 7, "parent set 5 of 999 of 'rain': expected a score, .* found 'season'"),
        ("wet 2", "wet 3", 12, "expected 3 parent sets of 'wet', found 2 before the end of the file"),
        ("wet 2", "wet 1", 12, "expected the end of the file after 3 variables, found '-6.125 2 rain season'"),
        ("season 2", "rain 2", 7, "the variable 'rain' comes a second time"),
        ("-5.5 0", "x 0", 3, "parent set 1 of 4 of 'rain': expected a score, a finite number or -inf, found 'x'"),
        ("-5.5 0", "nan 0", 3, "expected a score, a finite number or -inf, found 'nan'"),
        ("-5.5 0", "inf 0", 3, "expected a score, a finite number or -inf, found 'inf'"),
        ("-5.5 0", "1e999 0", 3, "expected a score, a finite number or -inf, found '1e999'"),
        ("-5.5 0", "-5_5 0", 3, "expected a score, a finite number or -inf, found '-5_5'"),
        ("-5.5 0", "-5,5 0", 3, "expected a score, a finite number or -inf, found '-5,5'"),
        ("-5.5 0", "-٣ 0", 3, "expected a score, a finite number or -inf, found '-٣'"),
        ("-5.5 0", "-5.5", 3, "expected the number of parents after the score, found the end of the line"),
        ("-5.5 0", "-5.5 wet", 3, "expected the number of parents after the score, found 'wet'"),
        ("-3.25 1", "-3.25 2", 4, "parent set 2 of 4 of 'rain': expected 2 parents, found 1"),
        ("-3.25 1", "-3.25 0", 4, "expected 0 parents, found 1"),
        ("-3.25 1 wet", "-3.25 1 Wet", 4, "there is no variable 'Wet'. Did you mean 'wet'"),
        ("-3.25 1 wet", "-3.25 1 rain", 4, "parent set 2 of 4 of 'rain': a variable cannot be its own parent"),
        ("-3.25 1 wet", "-3.25 2 wet wet", 4, "the parent 'wet' comes twice"),
        ("-3.25 1 wet", "-3.25 5 wet wet wet wet wet", 4, "the parent 'wet' comes twice"),
        ("-4.0 1 season", "-4.0 2 wet season", 6, "parent set 4 of 4 of 'rain': the same parents as in line 5"),
        ("-4.0 1 season", "\n-inf 2 wet season", 7, "the same parents as in line 6"),
        ("-2.5 0\n-1.23e+02", "-inf 0\n-inf", 7, "no parent set of 'season' has a score above -inf"),
    ],
)
def test_mistakes_in_files(old, new, line, message):
    assert old in GOOD
    pattern = ".*".join(map(re.escape, message.split(".*")))
    with pytest.raises(FormatError, match=f"^FILE, line {line}: .*{pattern}"):
        read_jkl(GOOD.replace(old, new, 1).encode(), "FILE")


@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf", b"# nothing\n"])
def test_empty_files(content):
    with pytest.raises(FormatError, match=r"^FILE, line [12]: expected the number of variables, found the end"):
        read_jkl(content, "FILE")


def test_files_that_are_no_text():
    with pytest.raises(FormatError, match=r"^FILE, line 3: not UTF-8 text"):
        read_jkl(b"1\nx 1\n-\xff1 0\n", "FILE")
    with pytest.raises(FormatError, match=r"^FILE, line 1: not UTF-8 text"):
        read_jkl("1\nx 1\n-1 0\n".encode("utf-16"), "FILE")


def test_files_that_are_not_there(tmp_path):
    table = read_jkl(GOOD.encode(), "FILE")
    with pytest.raises(FormatError, match=r"there is no file .*none.jkl"):
        load_jkl(tmp_path / "none.jkl")
    (tmp_path / "folder.jkl").mkdir()
    with pytest.raises(FormatError, match=r"folder.jkl' cannot be read"):
        load_jkl(tmp_path / "folder.jkl")
    with pytest.raises(ArgumentError, match="it is a folder"):
        table.save(tmp_path / "folder.jkl")
    with pytest.raises(ArgumentError, match="there is no folder"):
        table.save(tmp_path / "nowhere" / "t.jkl")
    for name in ("t", "t.txt", "t.gz", "jkl", "t.jkl.zip"):
        with pytest.raises(ArgumentError, match=r"ends in \.jkl or \.jkl\.gz"):
            table.save(tmp_path / name)
    for path in (None, 3, b"t.jkl", "t\0.jkl"):
        for work in (load_jkl, table.save):
            with pytest.raises(ArgumentError, match="path must be"):
                work(path)
    assert [file.name for file in tmp_path.iterdir()] == ["folder.jkl"]


def test_the_file_is_named(tmp_path):
    path = tmp_path / "some.jaa"  # other programs have other suffixes
    path.write_text(GOOD)
    assert load_jkl(path) == read_jkl(GOOD.encode(), "FILE")
    path.write_text("3\n")
    with pytest.raises(FormatError, match=r"some\.jaa, line 1: expected variable 1 of 3"):
        load_jkl(path)


def test_packed_files_that_are_damaged(tmp_path):
    path = tmp_path / "t.jkl.gz"
    read_jkl(GOOD.encode(), "FILE").save(path)
    whole = path.read_bytes()
    for content in (GOOD.encode(), whole[:-9], whole[:20] + b"\xff\xff" + whole[22:]):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"t\.jkl\.gz' is not a file of scores, or is damaged"):
            load_jkl(path)


def test_files_that_are_too_large(tmp_path, monkeypatch):
    read_jkl(GOOD.encode(), "FILE").save(tmp_path / "t.jkl")
    monkeypatch.setattr(jkl, "MOST_BYTES", 100)
    with pytest.raises(FormatError, match="larger than"):
        load_jkl(tmp_path / "t.jkl")


@pytest.mark.parametrize("name", ["two words", "a\tb", "a\n", " a", "a\u00a0b", "a\u2028", "a\x1f"])
def test_names_that_cannot_be_written(tmp_path, name):
    table = FamilyScores([name], [[0]], [[-1.0]])
    with pytest.raises(ArgumentError, match=r"white space separates names.*rename the column") as caught:
        table.save(tmp_path / "t.jkl")
    assert repr(name) in str(caught.value)
    with pytest.raises(ArgumentError, match=r"'\\ud800' cannot be written as UTF-8; rename the column"):
        FamilyScores(["\ud800"], [[0]], [[-1.0]]).save(tmp_path / "t.jkl")
    assert not list(tmp_path.iterdir())


def test_mutated_files():
    """Whatever is done to a file, a table or a clear error comes out, and soon; and the door would take the table."""
    rng = random.Random("jkl")
    numbered = "3\n0 2\n-1 0\n-2 1 1\n1 1\n0 0\n2 3\n0 0\n-1 1 1\n-0.5 2 0 1\n"
    seeds = [GOOD.encode(), numbered.encode(), GOOD.replace("\n", "\r\n").encode()]
    good, slowest = 0, 0.0
    for _ in range(3000):
        content = mutated(rng, seeds)
        start = time.process_time()
        try:
            table = read_jkl(content, "FILE")
        except BnmlError as error:
            if not str(error).startswith("FILE, line "):
                raise AssertionError(f"{error} has no line, from {content!r}") from error
        except BaseException as error:
            raise AssertionError(f"{error!r} from {content!r}") from error
        else:
            assert FamilyScores(table.names, table.parents, table.scores) == table
            good += 1
        slowest = max(slowest, time.process_time() - start)
    assert slowest < 1.0
    assert 30 < good < 2700
