"""Addresses, folders and patterns of Parquet files, files that are larger than the memory they may take."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnml
from bnml.data.engine_sources import is_address, shown_address
from bnml.errors import ArgumentError, BnmlError, DataError, DependencyError
from tests.engines.test_contract import cells_of, network_rows, occurring

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
pytest.importorskip("ibis", reason="Ibis is not installed")
pytestmark = pytest.mark.duckdb


def database(path: Path, frame: pd.DataFrame, name: str = "t") -> Path:
    with duckdb.connect(path) as connection:
        connection.register("given", pa.Table.from_pandas(frame, preserve_index=False))
        connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM given')
    return path


def command(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bnml", *arguments], capture_output=True, text=True, cwd=folder, timeout=300, check=False
    )


def same(a: bnml.Data, b: bnml.Data) -> bool:
    return (
        a.names == b.names
        and a.states == b.states
        and np.array_equal(a.codes, b.codes)
        and np.array_equal(a.weights, b.weights)
    )


def test_addresses_of_duckdb(tmp_path, monkeypatch):
    frame = network_rows(100)
    file = database(tmp_path / "f.ddb", frame)
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    here = bnml.read(frame)
    monkeypatch.chdir(tmp_path)
    for address in ("duckdb://f.ddb?table=t", f"duckdb://{file}?table=t"):
        assert is_address(address)
        assert same(bnml.read(address), here)
        pushed = bnml.read(address, counting="push")
        assert pushed.engine == "duckdb"
        assert bnml.learn(pushed, "bic", search="tabu").dag == bnml.learn(here, "bic", search="tabu").dag
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert [path.name for path in tmp_path.iterdir()] == ["f.ddb"]


def test_what_is_wrong_with_an_address(tmp_path, monkeypatch):
    database(tmp_path / "f.ddb", network_rows(20), "sales")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"there is no table 'sale'; the tables are 'sales'.*Did you mean"):
        bnml.read("duckdb://f.ddb?table=sale")
    with pytest.raises(DataError, match=r"say which table.*the tables are 'sales'"):
        bnml.read("duckdb://f.ddb")
    with pytest.raises(DataError, match=r"there is no file 'none\.ddb'"):
        bnml.read("duckdb://none.ddb?table=t")
    assert not (tmp_path / "none.ddb").exists()
    with pytest.raises(DataError, match="cannot open nothing://"):
        bnml.read("nothing://x?table=t")
    (tmp_path / "text.ddb").write_text("no database")
    with pytest.raises(DataError, match=r"cannot open duckdb://text\.ddb"):
        bnml.read("duckdb://text.ddb?table=t")


def test_passwords_are_not_shown():
    address = "postgres://me:secret@127.0.0.1:1/db?table=t&password=hidden"
    assert shown_address(address) == "postgres://127.0.0.1:1/db?table=t"
    with pytest.raises(BnmlError) as error:
        bnml.read(address)
    assert "secret" not in str(error.value)
    assert "hidden" not in str(error.value)
    assert "\n" not in str(error.value)


def test_addresses_on_the_command_line(tmp_path):
    database(tmp_path / "f.ddb", network_rows(200))
    done = command("learn", "duckdb://f.ddb?table=t", "--score", "bic", "--counting", "push", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["search"] == "tabu"
    done = command("learn", "duckdb://f.ddb?table=t", "--score", "bic", "--counting", "push", folder=tmp_path)
    assert "rows counted by duckdb, where the rows stay (as asked)" in " ".join(done.stdout.split())
    done = command("learn", "duckdb://f.ddb?table=nothing", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "'nothing'" in done.stderr
    assert "'t'" in done.stderr
    done = command("info", "duckdb://f.ddb?table=t", "--json", folder=tmp_path)
    told = json.loads(done.stdout)
    assert (told["rows"], told["engine"], len(told["columns"])) == (200, "memory", 5)
    assert "fetched from duckdb" in told["counting"]
    done = command("info", "duckdb://f.ddb?table=t", "--counting", "push", folder=tmp_path)
    assert "where the rows stay" in done.stdout.replace("\n", " ")
    done = command("learn", "duckdb://f.ddb?table=t", "--search", "exact", "--counting", "push", folder=tmp_path)
    assert done.returncode == 2
    assert "--search exact needs the rows" in done.stderr
    assert "--counting compress" in done.stderr


def test_an_address_of_postgres(postgres):
    frame = network_rows(100)
    table = postgres.store(frame).get_name()
    address = f"postgres://reader:secret-of-reader@/postgres?host={postgres.socket}&table="
    assert same(bnml.read(address + table), bnml.read(frame))
    assert bnml.read(address + table, counting="push").engine == "postgres"
    with pytest.raises(DataError, match="there is no table 'nothing'") as error:
        bnml.read(address + "nothing")
    assert "secret" not in str(error.value)


def test_folders_and_patterns(tmp_path):
    frame = network_rows(400)
    for i in range(4):
        frame.iloc[100 * i : 100 * i + 100].to_parquet(tmp_path / f"part-{i}.parquet")
    here = bnml.read(frame)
    for source in (tmp_path, str(tmp_path), str(tmp_path / "*.parquet"), tmp_path / "part-*.parquet"):
        assert same(bnml.read(source), here)
    assert bnml.read(tmp_path / "part-[01].parquet").n_rows == 200
    data = bnml.read(tmp_path, counting="push")
    assert cells_of(data, ["a", "d", "e"]) == occurring(frame, ["a", "d", "e"])
    assert cells_of(data.select(["e", "a"]), ["a"]) == occurring(frame, ["a"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"there are no \.parquet files"):
        bnml.read(tmp_path / "empty")
    with pytest.raises(DataError, match=r"there are no \.parquet files"):
        bnml.read(tmp_path / "x*.parquet")


def test_files_larger_than_the_limit(tmp_path):
    rng = np.random.default_rng(2)
    frame = network_rows(3000).assign(
        **{"A": np.array(["1", "2.0", "x;y", 'q"q', " s "])[rng.integers(0, 5, 3000)], "z": rng.integers(0, 2000, 3000)}
    )
    frame.loc[5:9, "d"] = ""
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    options = {"missing": "state", "bins": {"z": "quantile:3"}}
    for name in ("t.csv", "t.tsv", "t.csv.gz", "t.parquet"):
        here, there = bnml.read(tmp_path / name, **options), bnml.read(tmp_path / name, memory_limit=5000, **options)
        assert here.counting is None
        assert there.engine == "duckdb", "not even the distinct rows fit"
        assert (there.names, there.states, there.cuts, there.gaps) == (here.names, here.states, here.cuts, here.gaps)
        for names in (["a", "A"], ["A", "z", "d"], ["b", "c", "d", "e"]):
            assert cells_of(there, names) == cells_of(here, names)
        assert same(bnml.read(tmp_path / name, memory_limit=5000, counting="compress", **options), here)


def test_without_duckdb(tmp_path, monkeypatch):
    network_rows(3000).to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(DependencyError, match="pip install 'duckdb>="):
        bnml.read(tmp_path / "t.csv", memory_limit=5000)


def test_arguments_are_checked(tmp_path):
    network_rows(30).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ArgumentError, match="counting='pull'"):
        bnml.read(tmp_path / "t.csv", counting="pull")
    with pytest.raises(ArgumentError, match="memory_limit='much'"):
        bnml.read(tmp_path / "t.csv", memory_limit="much")
    with pytest.raises(DataError, match=r"counting='push'.*in memory"):
        bnml.read(tmp_path / "t.csv", counting="push")


def test_relations_are_pushed_down_too():
    frame = network_rows(200)
    with duckdb.connect() as connection:
        relation = connection.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))
        data = bnml.read(relation, counting="push")
        assert data.engine == "duckdb"
        assert cells_of(data, ["a", "e"]) == occurring(frame, ["a", "e"])
        assert same(bnml.read(relation, counting="compress"), bnml.read(frame))


def test_memory_stays_below_the_limit(tmp_path):
    """A table of distinct rows that would take much more, in a process of its own."""
    rng = np.random.default_rng(0)
    n = 400_000
    table = pa.table({f"v{j}": pa.array(np.array(["a", "b", "c", "d"])[rng.integers(0, 4, n)]) for j in range(16)})
    import pyarrow.parquet as pq

    pq.write_table(table, tmp_path / "t.parquet")
    program = (
        "import bnml\nfrom pathlib import Path\n"
        "data = bnml.read('t.parquet', memory_limit='20MB')\n"
        "print(data.engine, bnml.learn(data, 'bic', search='chow-liu').dag is not None)\n"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
        check=False,
    )
    engine, learned, peak = done.stdout.split()
    assert (engine, learned) == ("duckdb", "True"), done.stderr
    assert int(peak) < 900_000, "kilobytes: Python and its packages, and the least that DuckDB runs with"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.parquet"]


FILES = {
    "ends of lines": b"a,b\r\nx,1\r\ny,2\r\n",
    "old ends of lines": b"a,b\rx,1\ry,2\r",
    "a mark of byte order": b"\xef\xbb\xbfa,b\nx,1\ny,2\n",
    "empty lines": b"a,b\nx,1\n\ny,2\n\n",
    "an empty line of one column": b"a\nx\n\ny\n",
    "a line break in quotes": b'a,b\n"x\nz",1\ny,2\n',
    "no end": b"a,b\nx,1\ny,2",
    "semicolons": b"a;b\nx;1\ny;2\n",
    "quotes": b'a,b\n"x""q",1\n"y, z",2\n',
    "a quote in the middle": b'a,b\nx"y,1\ny,2\n',
    "names in quotes": b'"a,1","b"\nx,1\ny,2\n',
    "empty fields": b'a,b\nx,""\ny,\nz,2\n',
    "words for nothing": b"a,b\nNULL,1\nNA,2\nnan,1\n",
    "blanks": b"a,b\n x ,1\nx,2\n",
    "points": b"a,b\n1.0,1\n2,2\n1,1\n",
    "a hash": b"a,b\n#x,1\ny,2\n",
    "another case": b"a,A\nx,1\ny,2\nx,2\n",
}


@pytest.mark.filterwarnings("ignore::bnml.errors.DataWarning")
@pytest.mark.parametrize("name", FILES)
def test_text_is_read_as_in_memory(name, tmp_path):
    (tmp_path / "t.csv").write_bytes(FILES[name])
    here = bnml.read(tmp_path / "t.csv", missing="state")
    assert same(bnml.read(tmp_path / "t.csv", missing="state", memory_limit=1, counting="compress"), here)


@pytest.mark.parametrize("text", [b"a,b\nx,1,3\ny,2\n", b"a,b\nx\ny,2\n", b'a,b\n"x,1\ny,2\n', b"a,b\n\xe4,1\n"])
def test_text_that_is_refused(text, tmp_path):
    (tmp_path / "t.csv").write_bytes(text)
    for options in ({}, {"memory_limit": 1}):
        with pytest.raises(DataError, match=r"t\.csv") as error:
            bnml.read(tmp_path / "t.csv", **options)
        assert "\n" not in str(error.value)
