"""One suite for all engines: each is a way to store a frame, and to get the source that `bnml.read` takes.

A further engine is a further entry of ``ENGINES`` with a marker of its own in pyproject.toml, and a class below.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from tests.engines import postgres_server, spark_session

ENGINES = ["memory", "duckdb", "postgres", "spark"]
OF_PYSPARK = (
    "ignore:unclosed <socket:ResourceWarning",  # it leaves them to the collector
    "ignore:The copy keyword is deprecated:DeprecationWarning",  # which it passes to pandas, when asked by Ibis
    "ignore:toPandas attempted Arrow optimization:UserWarning",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let PySpark do what is an error in the other tests."""
    for item in items:
        if item.get_closest_marker("spark"):
            for own in OF_PYSPARK:
                item.add_marker(pytest.mark.filterwarnings(own))


class Memory:
    """A frame stays what it is."""

    name = "memory"

    def store(self, frame: pd.DataFrame) -> Any:
        return frame


class DuckDB:
    """Tables of a DuckDB in memory, through Ibis."""

    name = "duckdb"

    def __init__(self) -> None:
        ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
        pytest.importorskip("duckdb", reason="DuckDB is not installed")
        self.engine, self.numbers = ibis.duckdb.connect(), count()

    def store(self, frame: pd.DataFrame) -> Any:
        name = f"t{next(self.numbers)}"
        self.engine.con.register("given", pa.Table.from_pandas(frame, preserve_index=False))
        self.engine.con.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        self.engine.con.unregister("given")
        return self.engine.table(name)


class Postgres:
    """Tables of a server of the tests' own; they are read by a user who may do nothing else."""

    name = "postgres"

    def __init__(self, socket: str) -> None:
        import psycopg

        ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
        self.socket, self.numbers = socket, count()
        self.owner = psycopg.connect(host=socket, user="owner", dbname="postgres", autocommit=True)
        self.owner.execute("CREATE ROLE reader LOGIN PASSWORD 'secret-of-reader'")
        self.owner.execute("REVOKE ALL ON DATABASE postgres FROM PUBLIC")
        self.owner.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
        self.owner.execute("GRANT CONNECT ON DATABASE postgres TO reader")
        self.owner.execute("GRANT USAGE ON SCHEMA public TO reader")
        self.engine = ibis.postgres.connect(host=socket, user="reader", database="postgres")

    def store(self, frame: pd.DataFrame) -> Any:
        from psycopg import sql

        name = f"t{next(self.numbers)}"
        kinds = {"i": "bigint", "f": "double precision", "b": "boolean"}
        columns = [
            sql.SQL("{} {}").format(sql.Identifier(c), sql.SQL(kinds.get(frame[c].dtype.kind, "text"))) for c in frame
        ]
        self.owner.execute(sql.SQL("CREATE TABLE {} ({})").format(sql.Identifier(name), sql.SQL(", ").join(columns)))
        self.owner.execute(sql.SQL("GRANT SELECT ON {} TO reader").format(sql.Identifier(name)))
        rows = [
            [None if pd.isna(value) else value for value in row] for row in frame.astype(object).to_numpy().tolist()
        ]
        with self.owner.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(name))) as copy:
            for row in rows:
                copy.write_row(row)
        return self.engine.table(name)


class Spark:
    """Views of a session of the tests' own."""

    name = "pyspark"

    def __init__(self, session: Any) -> None:
        ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
        self.session, self.numbers = session, count()
        self.engine = ibis.pyspark.connect(session)

    def store(self, frame: pd.DataFrame) -> Any:
        name = f"t{next(self.numbers)}"
        rows = pa.Table.from_pandas(frame, preserve_index=False)
        self.session.createDataFrame(rows).createOrReplaceTempView(name)
        return self.engine.table(name)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    if reason := postgres_server.why_none():
        pytest.skip(reason)
    with postgres_server.running() as socket:
        engine = Postgres(socket)
        yield engine
        engine.engine.disconnect()
        engine.owner.close()


@pytest.fixture(scope="session")
def spark() -> Iterator[Spark]:
    if reason := spark_session.why_none():
        pytest.skip(reason)
    with spark_session.running() as session:
        yield Spark(session)


def engine_called(name: str, request: pytest.FixtureRequest) -> Any:
    """Return an engine; those that have to be started are fixtures."""
    if name == "memory":
        return Memory()
    return DuckDB() if name == "duckdb" else request.getfixturevalue(name)


@pytest.fixture(scope="session", params=[pytest.param(name, marks=getattr(pytest.mark, name)) for name in ENGINES])
def engine(request: pytest.FixtureRequest) -> Any:
    """Each engine in turn."""
    return engine_called(request.param, request)


@pytest.fixture(scope="session", params=[pytest.param(name, marks=getattr(pytest.mark, name)) for name in ENGINES[1:]])
def sql_engine(request: pytest.FixtureRequest) -> Any:
    """Each engine that holds tables of its own."""
    return engine_called(request.param, request)
