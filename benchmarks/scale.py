"""Rows that outgrow memory: ALARM with 1, 10 and 100 million rows in Parquet, and a table of distinct rows only.

Each figure is one command, ``bnml learn``, in a process of its own, from start to finish. The tables are drawn here, in
a folder that is removed at the end, or in ``BNML_SCALE`` if this names a folder: there they are kept and found again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from benchmarks.figures import Figure
from benchmarks.samples import network, path_of
from bnml.network.sampling import sample_codes

PART = 1_000_000  # rows that are drawn at once, each part with a seed of its own
PARTS_OF_A_FILE = 10
WIDE_COLUMNS, WIDE_ROWS = 20, 20_000_000
SECONDS_OF_TEN, SECONDS_OF_HUNDRED = 45, 480
GIGABYTES_OF_HUNDRED, GIGABYTES_OF_WIDE = 8, 2
GROWTH = 12  # times as long for ten times the rows
INSIDE = "500MB"  # less than a million rows of ALARM take in memory: an engine reads them


class Done(NamedTuple):
    """What a command took: seconds, processor time, the peak of its memory with its children; and what it wrote."""

    seconds: float
    processor: float
    gigabytes: float
    told: dict[str, Any]

    @property
    def note(self) -> str:
        """The figures that have no bar."""
        return (
            f"{self.processor:.0f} s of processor time, peak {self.gigabytes:.2f} GB, score {self.told['score']:,.1f}"
        )


def run(*, long: bool = False) -> list[Figure]:
    """Measure everything; 100 million rows, the table of distinct rows and what is pushed only with ``--long``."""
    path_of("alarm")  # says what is missing, if it is
    with _folder() as folder:
        found = [*_one_million(folder, ("compress", "push") if long else ("compress",)), ten := _ten_million(folder)]
        if long:
            found += [*_hundred_million(folder, ten.value), *_wide(folder)]
    return found


def _one_million(folder: Path, ways: tuple[str, ...]) -> list[Figure]:
    file = _alarm(folder / "alarm_1m.parquet", range(1))
    _learned(file)  # machine code is compiled
    memory = _learned(file)
    found = [Figure("ALARM × 1,000,000", memory.seconds, "s", note=memory.note)]
    for way in ways:
        done = _learned(file, "--memory-limit", INSIDE, "--counting", way)
        arcs = {tuple(arc) for arc in memory.told["arcs"]} ^ {tuple(arc) for arc in done.told["arcs"]}
        by = abs(done.told["score"] - memory.told["score"])
        found += [
            Figure(f"… by DuckDB, {way}", done.seconds, "s", note=done.note),
            Figure(f"… by DuckDB, {way}: arcs that differ", len(arcs), "", 0, note=f"the score differs by {by:.3g}"),
        ]
    return found


def _ten_million(folder: Path) -> Figure:
    done = _learned(_alarm(folder / "alarm_100m" / "part-0.parquet", range(PARTS_OF_A_FILE)))
    return Figure("ALARM × 10,000,000", done.seconds, "s", SECONDS_OF_TEN, note=done.note)


def _hundred_million(folder: Path, ten: float) -> list[Figure]:
    for i in range(10):
        _alarm(folder / "alarm_100m" / f"part-{i}.parquet", range(i * PARTS_OF_A_FILE, (i + 1) * PARTS_OF_A_FILE))
    done = _learned(folder / "alarm_100m")
    return [
        Figure("ALARM × 100,000,000", done.seconds, "s", SECONDS_OF_HUNDRED, note=done.note),
        Figure("… peak of memory", done.gigabytes, "GB", GIGABYTES_OF_HUNDRED),
        Figure("… as many times as long as 10,000,000", done.seconds / ten, "", GROWTH),
    ]


def _wide(folder: Path) -> list[Figure]:
    file = folder / f"wide_{WIDE_ROWS // 1_000_000}m.parquet"
    _wide_table(file)
    info = json.loads(_run("info", str(file), "--memory-limit", "1GB", "--json")[0])
    done = _learned(file, "--memory-limit", "1GB")
    title = f"{WIDE_ROWS:,} distinct rows of {WIDE_COLUMNS} columns, 1 GB allowed"
    return [
        Figure(title, done.seconds, "s", note=done.note),
        Figure("… is counted by the engine (1: yes)", float(info["engine"] == "duckdb"), "", 1, higher=True),
        Figure("… peak of memory", done.gigabytes, "GB", GIGABYTES_OF_WIDE),
    ]


# --- commands ---


def _learned(source: Path, *options: str) -> Done:
    """Learn by tabu under BIC."""
    told, seconds, processor, peak = _run(
        "learn", str(source), "--score", "bic", "--search", "tabu", "--json", *options
    )
    return Done(seconds, processor, peak, json.loads(told))


def _run(*arguments: str) -> tuple[str, float, float, float]:
    """Run bnml; return what it wrote, seconds, seconds of processor time, and the peak of memory in gigabytes."""
    command = [sys.executable, "-m", "bnml", *arguments]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=errors, cwd=Path(__file__).parent.parent)
        peak = 0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            peak = max(peak, _resident(process.pid))
            time.sleep(0.02)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if process.returncode:
            raise RuntimeError(f"bnml {' '.join(arguments)}: {errors.read().decode()}")
        told = out.read().decode()
    return told, seconds, usage.ru_utime + usage.ru_stime, peak / 1e9  # `usage` has the peak of this process, if higher


def _resident(pid: int) -> int:
    """Return the bytes of memory that a process and its children have now."""
    total, waiting = 0, [pid]
    while waiting:
        own = Path(f"/proc/{waiting.pop()}")
        try:
            total += int((own / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            for task in (own / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            continue  # it has ended
    return total


# --- tables ---


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield the folder of the tables."""
    if kept := os.environ.get("BNML_SCALE"):
        yield Path(kept).resolve()
    else:
        with tempfile.TemporaryDirectory(prefix="bnml-scale-") as folder:
            yield Path(folder)


@contextmanager
def _written(file: Path, names: list[str]) -> Iterator[ParquetWriter]:
    """Yield the writer of a file of text columns, which is there only when it is whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    schema = pa.schema([(name, pa.dictionary(pa.int32(), pa.string())) for name in names])
    with ParquetWriter(part, schema, store_schema=False) as writer:  # without it, dictionaries are read as plain text
        yield writer
    part.replace(file)


def _text(codes: Any, labels: list[str]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(labels, pa.string()))


def _alarm(file: Path, parts: range) -> Path:
    """Draw parts of the sample of ALARM into a file, unless it is there."""
    if not file.exists():
        source = network("alarm")
        names = list(source.names)
        with _written(file, names) as writer:
            for seed in parts:
                codes = sample_codes(source, PART, seed)
                arrays = [
                    _text(own, [str(x) for x in source.states[name]]) for own, name in zip(codes, names, strict=True)
                ]
                writer.write_table(pa.table(arrays, schema=writer.schema))
    return file


def _wide_table(file: Path) -> None:
    """Draw a table in which hardly a row occurs twice, unless it is there."""
    if file.exists():
        return
    names = [f"v{i}" for i in range(WIDE_COLUMNS)]
    with _written(file, names) as writer:
        for seed in range(WIDE_ROWS // PART):
            codes = np.random.default_rng(seed).integers(0, 4, (WIDE_COLUMNS, PART), dtype=np.int32)
            writer.write_table(pa.table([_text(own, list("abcd")) for own in codes], schema=writer.schema))
