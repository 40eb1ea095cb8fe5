"""A Spark session for the tests: two threads in one Java, and nothing listens but on the loopback address."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

LEAST_JAVA = 17  # of Spark 4


def why_none() -> str | None:
    """Return why no session can be started; None if one can."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "PySpark is not installed"
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        return "Java is not installed"
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True, timeout=60).stderr
    except (OSError, subprocess.SubprocessError) as error:
        return f"Java does not run: {error}"
    version = told.partition('"')[2].partition(".")[0].partition('"')[0]
    if not version.isdigit() or int(version) < LEAST_JAVA:
        return f"Spark needs Java {LEAST_JAVA}, and this one is {version or told!r}"
    return None


@contextmanager
def running() -> Iterator[Any]:
    """Start a session; yield it. What it writes goes to a folder that is removed."""
    from pyspark.sql import SparkSession

    folder = Path(mkdtemp(prefix="bnml-spark-"))
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder / "local"),
    }
    builder = SparkSession.builder.master("local[2]").appName("bnml")
    for name, value in options.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        try:
            yield session
        finally:
            session.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
