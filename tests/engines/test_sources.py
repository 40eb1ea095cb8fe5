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
from bnml.cli import main
from bnml.cli.app import COMPILING
from bnml.data.engine_addresses import shown_address
from bnml.data.engine_sources import is_address
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


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command, here: a process of its own takes long to start."""
    try:
        status = main(arguments)
    except SystemExit as stop:
        status = stop.code
    told = capsys.readouterr()
    err = told.err.replace(f"{COMPILING}\n", "")
    return subprocess.CompletedProcess(arguments, status, told.out, err)


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
    for end in ("", "?", "?table", "?table=", "?table=%20"):
        with pytest.raises(DataError, match=r"f\.ddb: the address names no table.*the tables are 'sales'"):
            bnml.read(f"duckdb://f.ddb{end}")
    for end in ("?table=sales&table=sales", "?table=sales&table=", "?table=&table=sales"):
        with pytest.raises(DataError, match=r"the address names several tables.*the tables are 'sales'"):
            bnml.read(f"duckdb://f.ddb{end}")
    with duckdb.connect(tmp_path / "empty.ddb"):
        pass
    with pytest.raises(DataError, match=r"the address names no table.*there are none"):
        bnml.read("duckdb://empty.ddb?table=")
    with pytest.raises(DataError, match=r"there is no file 'none\.ddb'"):
        bnml.read("duckdb://none.ddb?table=t")
    assert not (tmp_path / "none.ddb").exists()
    with pytest.raises(DataError, match=r"there is no file 'none\.db'"):
        bnml.read("sqlite://none.db?table=t")
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(DataError, match="there is no option 'schema', only table="):
        bnml.read("duckdb://f.ddb?table=sales&schema=main")
    with pytest.raises(DataError, match="is a folder"):
        bnml.read(f"duckdb://{tmp_path}?table=t")
    with pytest.raises(DataError, match="cannot open nothing://"):
        bnml.read("nothing://x?table=t")
    (tmp_path / "text.ddb").write_text("no database")
    with pytest.raises(DataError, match=r"cannot open duckdb://text\.ddb"):
        bnml.read("duckdb://text.ddb?table=t")


def test_tables_of_schemas_views_and_odd_names(tmp_path, monkeypatch):
    frame = network_rows(50)
    file = database(tmp_path / "f.ddb", frame, "it's a t.able")
    with duckdb.connect(file) as connection:
        connection.execute(
            'CREATE SCHEMA s; CREATE TABLE s.u AS SELECT * FROM "it\'s a t.able"; CREATE VIEW v AS FROM s.u'
        )
    monkeypatch.chdir(tmp_path)
    for name in ("it's a t.able", "it%27s%20a%20t.able", "s.u", "f.s.u", "v"):
        assert same(bnml.read(f"duckdb://f.ddb?table={name}"), bnml.read(frame))
    with pytest.raises(DataError, match=r"there is no table 's\.w'"):
        bnml.read("duckdb://f.ddb?table=s.w")


def test_one_file_is_read_twice_at_a_time(tmp_path):
    """With two limits of memory, and a folder for what does not fit that is not beside the file."""
    frame = network_rows(50)
    address = f"duckdb://{database(tmp_path / 'f.ddb', frame)}?table=t"
    first = bnml.read(address, counting="push", memory_limit="600MB")
    second = bnml.read(address, counting="push", memory_limit="700MB")
    for data in (first, second):
        assert cells_of(data, ["a", "b"]) == occurring(frame, ["a", "b"])
    folder = first.coded.table.keep.con.sql("SELECT current_setting('temp_directory')").fetchone()[0]
    assert not folder.startswith(str(tmp_path))


@pytest.mark.parametrize("counting", ["compress", "push"])
def test_files_of_sqlite(tmp_path, counting):
    import sqlite3

    frame = pd.DataFrame({'x"; drop table t; --': ["a", "b", "?", None, ""] * 20, "n": [1, 2, 1, 1, 2] * 20})
    file = tmp_path / "f.db"
    with sqlite3.connect(file) as connection:
        frame.to_sql("t", connection, index=False)
    connection.close()
    before, address = file.read_bytes(), f"sqlite://{file}?table=t"
    here, data = (bnml.read(own, counting=way, missing="state") for own, way in ((frame, "auto"), (address, counting)))
    assert cells_of(data, list(frame)) == cells_of(here, list(frame))
    assert bnml.learn(data, "bic", search="tabu").dag == bnml.learn(here, "bic", search="tabu").dag
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["f.db"]


def test_passwords_are_not_shown():
    address = "postgres://me:secret@127.0.0.1:1/db?table=t&password=hidden"
    assert shown_address(address) == "postgres://127.0.0.1:1/db?table=t"
    with pytest.raises(BnmlError) as error:
        bnml.read(address)
    assert "secret" not in str(error.value)
    assert "hidden" not in str(error.value)
    assert "\n" not in str(error.value)


def test_addresses_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    database(tmp_path / "f.ddb", network_rows(200))
    done = command(capsys, "learn", "duckdb://f.ddb?table=t", "--score", "bic", "--counting", "push", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["search"] == "tabu"
    done = command(capsys, "learn", "duckdb://f.ddb?table=t", "--score", "bic", "--counting", "push")
    assert "rows counted by duckdb, where the rows stay (as asked)" in " ".join(done.stdout.split())
    done = command(capsys, "learn", "duckdb://f.ddb?table=nothing")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "'nothing'" in done.stderr
    assert "'t'" in done.stderr
    done = command(capsys, "info", "duckdb://f.ddb?table=t", "--json")
    told = json.loads(done.stdout)
    assert (told["rows"], told["engine"], len(told["columns"])) == (200, "memory", 5)
    assert "fetched from duckdb" in told["counting"]
    done = command(capsys, "info", "duckdb://f.ddb?table=t", "--counting", "push")
    assert "where the rows stay" in done.stdout.replace("\n", " ")
    done = command(capsys, "learn", "duckdb://f.ddb?table=t", "--search", "exact", "--counting", "push")
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


@pytest.mark.postgres
def test_addresses_of_postgres_are_read_only(postgres):
    """Whoever may write does not; views that keep their rows are tables too, and identifiers are text."""
    postgres.owner.execute(
        "CREATE SCHEMA s; CREATE TABLE s.t AS SELECT g % 2 AS a, (g % 3)::text AS b, "
        "md5((g % 2)::text)::uuid AS u, ('{\"k\": ' || g % 2 || '}')::jsonb AS j, (g % 3 / 10.0)::real AS r "
        "FROM generate_series(1, 60) AS g; CREATE MATERIALIZED VIEW kept AS SELECT a, b FROM s.t"
    )
    address = f"postgres://owner@/postgres?host={postgres.socket}&table="
    tenths = np.array([0, 0.1, 0.2], np.float32).tolist()
    data = bnml.read(address + "s.t", counting="push", states={"r": tenths})
    assert data.arities == (2, 3, 2, 2, 3)
    assert len(cells_of(data, ["a", "b", "u", "j", "r"])) == 6
    assert bnml.read(address + "kept").n_rows == 60
    connection = data.coded.table.keep.con
    with pytest.raises(Exception, match="read-only transaction"):
        connection.execute("CREATE TABLE s.w (a int)")
    postgres.owner.execute("DROP SCHEMA s CASCADE")


@pytest.mark.postgres
def test_a_table_that_may_not_be_read_by_its_address(postgres):
    table = postgres.store(network_rows(30)).get_name()
    postgres.owner.execute(f"REVOKE SELECT ON {table} FROM reader")
    with pytest.raises(DataError, match=f"'{table}'.*permission denied"):
        bnml.read(f"postgres://reader@/postgres?host={postgres.socket}&table={table}")


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


@pytest.mark.parametrize("digits", [3, 17])
def test_files_of_numbers_are_larger_than_they_look(tmp_path, digits):
    """What they take is told from their first rows: labels of their own, or few states."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.random(3000), "y": rng.integers(0, 2, 3000)})
    frame["x"] = frame["x"].round(1) if digits == 3 else frame["x"]
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        data = bnml.read(tmp_path / name, bins={"x": "quantile:2"}, memory_limit="500kB")
        assert (data.counting is None) == (digits == 3), "it is read here"
        assert same(data, bnml.read(tmp_path / name, bins={"x": "quantile:2"}))


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
