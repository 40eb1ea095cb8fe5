"""What a posterior costs."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml._costs import BYTES
from bnml.scores import LocalScores
from bnml.uncertainty.posterior_cost import Cost, posterior_cost, posterior_memory
from tests.counts.strategies import data_of, random_table

GROWTH = r"""
import re, sys
from pathlib import Path
import numpy as np
import bnml
from bnml.scores import LocalScores
from bnml._costs import BYTES
from bnml.uncertainty import families, posterior_cost

n, rows, prior, arguments = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], {"score": sys.argv[4], "threads": 2}
rng = np.random.default_rng(0)
data = bnml.read(np.stack([rng.integers(0, 2 + i % 2, rows) for i in range(n)], axis=1))
few = bnml.read(rng.integers(0, 2, (60, 4)))
for families.MOST_EXACT in (0, 14):  # so that what is compiled and kept is there before
    bnml.posterior(few, prior=prior, **arguments)
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
now = int(re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[1])
needed = posterior_cost.posterior_memory(LocalScores(data, sys.argv[4]), prior, 2)
bnml.posterior(data, prior=prior, **arguments)
peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
print(1024 * (peak - now), needed - BYTES.base)
"""


@pytest.mark.parametrize(
    ("n", "prior", "restricted"),
    [(13, "order", True), (15, "order", False), (11, "uniform", True), (6, "classes", True)],
)
def test_the_memory_is_enough(n, prior, restricted):
    """NumPy tells what it allocates; the kernels allocate next to nothing for so few rows."""
    data = data_of(random_table(0, 60, [2] * n))
    arguments = {"prior": prior, "threads": 1, "max_parents": n - 2 if restricted else None}
    bnml.posterior(data, **arguments)  # so that what is compiled and kept is not counted
    tracemalloc.start()
    bnml.posterior(data, **arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    needed = posterior_memory(LocalScores(data, "bdeu"), prior, 1)
    assert BYTES.base + 0.3 * (needed - BYTES.base - BYTES.dense) < BYTES.base + peak < needed


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system does not tell the peak")
@pytest.mark.parametrize(
    ("n", "rows", "prior", "score"),
    [(15, 30_000, "order", "bdeu"), (15, 20_000, "order", "k2"), (10, 300, "order", "bds")],
)
def test_the_memory_of_many_rows(n, rows, prior, score):
    """The whole process, with what kernels and threads allocate: what it grows by is less than what is needed."""
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, str(n), str(rows), prior, score], capture_output=True, text=True, check=True
    )
    grown, needed = map(int, done.stdout.split())
    assert grown < needed < 4 * grown + 10 * BYTES.dense


def test_the_memory_grows_with_the_table():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (2000, 16))
    few, many = LocalScores(rows[:100], "bdeu"), LocalScores(rows, "bdeu")
    assert (
        BYTES.base
        < posterior_memory(few, "order", 1)
        < posterior_memory(many, "order", 1)
        < posterior_memory(many, "order", 8)
    )
    assert posterior_memory(many, "order", 1, 10) < posterior_memory(many, "order", 1)
    assert posterior_memory(many, "order", 1, 10) < posterior_memory(many, "uniform", 1, 10)
    assert posterior_memory(LocalScores(rows, "bds"), "order", 1) > posterior_memory(
        LocalScores(rows, "k2"), "order", 1
    )


def test_tables_are_not_made_to_tell_the_memory():
    """Ten million rows, of which few are distinct: lookup tables have an entry for each small count."""
    data = bnml.read(pd.DataFrame({"A": [0, 1, 1], "B": [0, 0, 1], "n": [10**7, 5, 3]}), weights="n")
    tracemalloc.start()
    needed = posterior_memory(LocalScores(data, "k2"), "uniform", 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert BYTES.base + 10**7 < needed < BYTES.base + 10**8
    assert peak < 10**6
    huge = bnml.read(pd.DataFrame({"A": [0, 1, 1], "B": [0, 0, 1], "n": [10**12, 5, 3]}), weights="n")
    assert posterior_memory(LocalScores(huge, "k2"), "uniform", 1) == needed, "no more rows have an entry"


def test_cost():
    rows = np.random.default_rng(0).integers(0, 2, (60, 20))
    fast = posterior_cost(LocalScores(rows, "bdeu"), "order", 1)
    slow = posterior_cost(LocalScores(rows, "bds"), "order", 1)
    few = posterior_cost(LocalScores(rows[:, :14], "bdeu"), "uniform", 2)
    assert few.seconds < fast.seconds < slow.seconds
    assert fast.bytes < slow.bytes, "what was scored on its own is remembered"
    assert str(Cost(12.3, 2 * 10**9)) == "about 12 s, 2.0 GB of memory at most"
    assert str(Cost(600.0, 2 * 10**6)) == "about 10 min, 2.0 MB of memory at most"
