"""Reading, counting and scoring: the figures everything else rests on."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import bnml
from benchmarks.figures import Figure, best_of
from benchmarks.samples import sample
from bnml.scores import LocalScores, parse_score


def run() -> list[Figure]:
    """Measure everything."""
    return [*starting(), *reading(), *families(), one_at_a_time(), small_table(), wide_table()]


def starting() -> list[Figure]:
    """Import, and the first call of a process with an empty and with a filled cache of machine code."""
    imports = [
        float(_python("import time; t = time.perf_counter(); import bnml; print(time.perf_counter() - t)"))
        for _ in range(5)
    ]
    first_call = (
        "import bnml, numpy; x = numpy.arange(24).reshape(8, 3) % 2; "
        "[bnml.score(bnml.DAG.parse('[X0][X1|X0][X2|X0:X1]'), x, s) for s in ('bic', 'bdeu', 'fnml', 'qnml')]"
    )
    with tempfile.TemporaryDirectory() as cache:
        times = []
        for _ in range(2):
            start = time.perf_counter()
            _python(first_call, NUMBA_CACHE_DIR=cache)
            times.append(time.perf_counter() - start)
    with tempfile.TemporaryDirectory() as cache:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _python("from bnml.cli import main; main(['learn'])", NUMBA_CACHE_DIR=cache)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    learning = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [
        Figure("import bnml", min(imports), "s", 0.5, note="best of 5 processes"),
        Figure("first call, cold cache", times[0], "s", 15, note="whole process: read, score under four scores"),
        Figure("first call, second process", times[1], "s", 2, note="the same, machine code on disk"),
        Figure("first `bnml learn`, cold cache", learning, "s", 8, note="the bundled example; processor time"),
    ]


def _python(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    return done.stdout


def reading() -> list[Figure]:
    """Measure a large CSV, against polars with all columns made categorical."""
    import polars

    names, labels, codes = sample("alarm", 1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "alarm.csv"
        polars.DataFrame({x: np.array(labels[i])[codes[:, i]] for i, x in enumerate(names)}).write_csv(path)

        def peer() -> Any:
            return polars.read_csv(path, infer_schema=False).with_columns(polars.all().cast(polars.Categorical))

        peer_seconds, seconds = best_of(peer), best_of(lambda: bnml.read(path))
    note = f"{seconds:.2f} s; polars {peer_seconds:.2f} s"
    return [Figure("1,000,000 × 37 CSV to distinct rows", seconds / peer_seconds, "× polars", 1.5, note=note)]


def _random_families(n: int, count: int, seed: int) -> tuple[list[int], list[tuple[int, ...]]]:
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(n)[: rng.integers(2, 6)].tolist() for _ in range(count)]
    return [family[0] for family in drawn], [tuple(family[1:]) for family in drawn]


def families() -> list[Figure]:
    """Random families with 1 to 4 parents on 10,000 rows of ALARM, in one batch."""
    data = bnml.read(sample("alarm", 10_000)[2])
    children, parents = _random_families(len(data.names), 50_000, seed=2)
    figures = []
    for name, bar in (("bic", 50_000), ("qnml", 30_000), ("bdeu", None), ("fnml", None)):
        local = LocalScores(data, parse_score(name))
        seconds = best_of(lambda local=local: local.families(children, parents))  # type: ignore[misc]
        note = f"{len(children):,} families, {data.n_distinct:,} distinct rows, all cores"
        figures.append(Figure(f"batch, {name}", len(children) / seconds, "families/s", bar, higher=True, note=note))
    return figures


def one_at_a_time() -> Figure:
    """Measure families one by one, against pgmpy."""
    import pandas
    from pgmpy.structure_score import BIC

    names, labels, codes = sample("alarm", 10_000)
    frame = pandas.DataFrame({x: np.array(labels[i])[codes[:, i]] for i, x in enumerate(names)}).astype("category")
    data = bnml.read(frame)
    children, parents = _random_families(len(names), 3000, seed=3)
    some = [(names[c], tuple(names[p] for p in ps)) for c, ps in zip(children, parents, strict=True)]
    peer = BIC(frame)
    chunks = iter(range(0, len(some), 100))  # other families each time, for pgmpy remembers what it has scored

    def hundred() -> None:
        start = next(chunks)
        for x, ps in some[start : start + 100]:
            peer.local_score(x, ps)

    peer_seconds = best_of(hundred) / 100

    def all_of_them() -> None:
        data.memo.clear()  # nothing may come from an earlier round
        for x, ps in some:
            bnml.family_score(x, ps, data, "bic")

    seconds = best_of(all_of_them) / len(some)
    note = f"bnml.family_score {seconds * 1e6:.0f} µs; pgmpy {peer_seconds * 1e6:.0f} µs"
    return Figure("one at a time, bic", peer_seconds / seconds, "× pgmpy", 50, higher=True, note=note)


def small_table() -> Figure:
    """Read a small integer array and score one family on it."""
    table = np.random.default_rng(4).integers(0, 3, (100, 8))
    seconds = best_of(lambda: bnml.family_score("X0", ["X1", "X2"], bnml.read(table), "qnml"))
    return Figure("read 100 × 8 and score a family", seconds * 1000, "ms", 1, note="qnml")


WIDE = """
import json, time
from pathlib import Path
import numpy as np
import bnml
rng = np.random.default_rng(5)
table = rng.integers(0, rng.integers(2, 5, 200), (100_000, 200))
names = [f"X{i}" for i in range(200)]
arcs = [(names[p], names[i]) for i in range(1, 200) for p in rng.permutation(i)[: rng.integers(0, 6)]]
dag = bnml.DAG(names, arcs)
start = time.perf_counter()
value = bnml.score(dag, table, "qnml")
seconds = time.perf_counter() - start
peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]  # getrusage would count the parent's memory
print(json.dumps([seconds, int(peak) / 2**20, value]))
"""


def wide_table() -> Figure:
    """Measure reading and scoring a random structure on a wide table."""
    runs = [json.loads(_python(WIDE)) for _ in range(5)]
    seconds, gigabytes = min(run[0] for run in runs), max(run[1] for run in runs)
    if gigabytes > 2:
        seconds = float("inf")
    return Figure(
        "100,000 × 200: read, score a structure", seconds, "s", 5, note=f"peak {gigabytes:.2f} GB of 2 allowed"
    )
