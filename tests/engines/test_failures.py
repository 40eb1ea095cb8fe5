"""What an engine says when it fails, in one line that names it; and that nothing is written to it."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pytest

import bnml
from bnml.counts import counts_of
from bnml.errors import DataError
from tests.engines.test_contract import network_rows


def refused(data: bnml.Data, match: str) -> None:
    with pytest.raises(DataError, match=match) as error:
        counts_of(data).cells([0, 1])
    assert "\n" not in str(error.value)


@pytest.mark.duckdb
def test_a_table_that_is_dropped_in_the_middle():
    from tests.engines.conftest import DuckDB

    engine = DuckDB()
    source = engine.store(network_rows(100))
    data = bnml.read(source, counting="push")
    engine.engine.raw_sql(f"DROP TABLE {source.get_name()}")
    refused(data, f"duckdb could not count the rows of '{source.get_name()}'")


@pytest.mark.spark
def test_a_table_of_spark_that_is_dropped_in_the_middle(spark):
    frame = network_rows(100)
    spark.session.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False)).write.saveAsTable("orders")
    source = spark.engine.table("orders")
    data = bnml.read(source, counting="push")
    assert counts_of(data).n_rows == 100
    spark.session.sql("DROP TABLE orders")
    refused(
        data, r"^pyspark could not count the rows of 'orders': \[TABLE_OR_VIEW_NOT_FOUND\].*nothing was changed there$"
    )
    with pytest.raises(DataError, match="pyspark could not list the values of 'orders'"):
        bnml.read(source)


@pytest.mark.spark
def test_nothing_is_written_to_spark(spark):
    """No table or view is made, and none is cached."""
    frame = network_rows(300)
    source = spark.store(frame)
    before = sorted(table.name for table in spark.session.catalog.listTables())
    for counting in ("push", "compress"):
        bnml.learn(bnml.read(source, counting=counting), "bic", search="chow-liu")
    assert sorted(table.name for table in spark.session.catalog.listTables()) == before
    assert not spark.session.catalog.isCached(source.get_name())


@pytest.mark.duckdb
def test_a_table_that_changes_in_the_middle():
    from tests.engines.conftest import DuckDB

    engine = DuckDB()
    source = engine.store(network_rows(100))
    data = bnml.read(source, counting="push")
    engine.engine.raw_sql(f"DELETE FROM {source.get_name()} WHERE a = 'low'")
    refused(data, f"the table '{source.get_name()}' in duckdb has changed")
    engine.engine.raw_sql(f"UPDATE {source.get_name()} SET a = 'new label'")
    refused(data, f"the table '{source.get_name()}' in duckdb has changed")


@pytest.mark.postgres
def test_permission_is_denied(postgres):
    source = postgres.store(network_rows(100))
    data = bnml.read(source, counting="push")
    postgres.owner.execute(f"REVOKE ALL ON {source.get_name()} FROM reader")
    refused(data, f"postgres could not count the rows of '{source.get_name()}'.*permission denied")
    with pytest.raises(DataError, match="permission denied"):
        bnml.read(source)
    postgres.owner.execute(f"GRANT SELECT ON {source.get_name()} TO reader")
    assert bnml.read(source).n_rows == 100


@pytest.mark.postgres
def test_a_connection_that_is_lost(postgres):
    import ibis

    name = postgres.store(network_rows(100)).get_name()
    engine = ibis.postgres.connect(host=postgres.socket, user="reader", database="postgres")
    data = bnml.read(engine.table(name), counting="push")
    pid = engine.con.info.backend_pid
    postgres.owner.execute("SELECT pg_terminate_backend(%s)", [pid])
    refused(data, f"postgres could not count the rows of '{name}'")


@pytest.mark.postgres
def test_nothing_is_written(postgres):
    """The reader may not even make temporary tables."""
    frame = network_rows(300)
    before = postgres.owner.execute("SELECT relname FROM pg_class ORDER BY 1").fetchall()
    source = postgres.store(frame)
    made = postgres.owner.execute("SELECT relname FROM pg_class ORDER BY 1").fetchall()
    allowed = postgres.owner.execute("SELECT has_database_privilege('reader', 'postgres', 'TEMP')").fetchone()
    assert allowed == (False,)
    for counting in ("push", "compress"):
        found = bnml.learn(bnml.read(source, counting=counting), "bic", search="tabu").dag
        assert found == bnml.learn(frame, "bic", search="tabu").dag
    assert postgres.owner.execute("SELECT relname FROM pg_class ORDER BY 1").fetchall() == made != before


def test_scans_are_few(sql_engine):
    """All pairs are one scan, and so are all candidates of one move."""
    frame = pd.concat([network_rows(400, seed).add_suffix(f"_{seed}") for seed in range(3)], axis=1)
    data = bnml.read(sql_engine.store(frame), counting="push")
    bnml.dependences(data)
    assert counts_of(data).scans == 1
    found = bnml.learn(data, "bic", search="climb")
    assert found.info["moves"] > 8
    assert counts_of(data).scans <= 2 + 2 * found.info["moves"]


@pytest.mark.duckdb
@pytest.mark.parametrize("counting", ["compress", "push"])
def test_a_run_that_is_killed_leaves_the_database_as_it_was(tmp_path, counting):
    """It is killed while it learns; the file keeps every byte, nothing lies beside it, and the next run works."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    file = tmp_path / "f.ddb"
    with duckdb.connect(str(file)) as connection:
        frame = network_rows(3000)
        connection.register("given", frame)
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    before = file.read_bytes()
    script = (
        "import sys, time, bnml\n"
        "def progress(stage, share):\n"
        "    print('learning', flush=True); time.sleep(60)\n"
        f"data = bnml.read('duckdb:///{file}?table=t', counting={counting!r})\n"
        "bnml.learn(data, 'bic', search='tabu', progress=progress)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "learning\n"
        running.kill()
    assert running.returncode != 0
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["f.ddb"]
    again = bnml.learn(bnml.read(f"duckdb:///{file}?table=t", counting=counting), "bic", search="tabu")
    assert again.dag == bnml.learn(frame, "bic", search="tabu").dag
