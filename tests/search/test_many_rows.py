"""Tables whose weights sum to billions: cost goes with the distinct rows, and proofs claim what floats can tell."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import mpmath
import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import SearchError
from bnml.scores import LocalScores
from bnml.scores.base import score_rounding

LEARN = r"""
import re, sys, time
from pathlib import Path
import pandas
import bnml

frame = pandas.DataFrame({"A": [0, 0, 1, 1], "B": [0, 1, 0, 1], "n": [5 * 10**8, 10**8, 10**8, 3 * 10**8]})
for score in sys.argv[1:]:
    before = time.process_time()
    result = bnml.learn(bnml.read(frame, weights="n"), score=score)
    seconds = time.process_time() - before
    peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
    print(seconds, peak / 1024, len(result.dag.arcs))
"""


def table(*weights):
    frame = pd.DataFrame({"A": [0, 0, 1, 1], "B": [0, 1, 0, 1], "n": weights})
    return bnml.read(frame, weights="n")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak")
def test_a_billion_rows_of_which_four_are_distinct():
    """Within a second each and 300 MB, once kernels are compiled."""
    scores = ("bic", "qnml", "bdeu", "fnml")
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", LEARN, *scores], capture_output=True, text=True, check=True)
    for score, line in zip(scores, run.stdout.splitlines(), strict=True):
        seconds, megabytes, arcs = map(float, line.split())
        assert seconds < 2.0, f"{score}: of processor time; less than one on a machine with nothing else to do"
        assert megabytes < 300.0, score
        assert arcs == 1, score


@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("n", [10**6, 10**9, 10**12])
def test_no_difference_of_scores_is_off_by_more(score, n):
    weights = [n // 2 + n // 10**5, n // 4, n // 6, n // 12]
    local = LocalScores(table(*weights), score)
    found = local.family(1, [0]) - local.family(1, [])
    assert abs(found - gain(weights, score)) <= max(score_rounding(n), 1e-6)


def gain(weights, score):
    """Return what the arc gains, with 60 digits."""
    with mpmath.workdps(60):
        a, b, c, d = map(mpmath.mpf, weights)
        total, rows, columns, cells = [a + b + c + d], [a + b, c + d], [a + c, b + d], [a, b, c, d]
        if score == "bic":
            term = lambda counts, q: sum(n * mpmath.log(n) for n in counts)  # noqa: E731
            price = mpmath.log(total[0]) / 2
        else:
            price = 0
            term = lambda counts, q: sum(mpmath.loggamma(n + 1 / q) - mpmath.loggamma(1 / q) for n in counts)  # noqa: E731
        one, two, four = map(mpmath.mpf, (1, 2, 4))
        return float(term(cells, four) - term(rows, two) - term(columns, two) + term(total, one) - price)


def test_a_proof_says_what_rounding_may_hide():
    few = bnml.learn(table(50, 20, 20, 40))
    assert few.optimal
    assert few.within == 0.0
    many = bnml.learn(table(5 * 10**11, 2 * 10**11, 2 * 10**11, 4 * 10**11))
    assert many.optimal
    assert 0.01 < many.within == score_rounding(13 * 10**11) < 0.1
    assert "higher by more than 0.03" in str(many)


@pytest.mark.parametrize("search", ["auto", "exact", "climb", "order", "chow-liu"])
def test_more_rows_than_floats_can_tell_apart_are_refused(search):
    with pytest.raises(SearchError, match=r"9,000,000,000,000,000 rows.*divide the weights"):
        bnml.learn(table(3 * 10**15, 2 * 10**15, 10**15, 3 * 10**15), "bdeu", search=search)


@pytest.mark.parametrize("search", ["exact", "climb", "order", "tabu", "ges"])
def test_nothing_stays_in_memory_once_a_table_is_gone(search):
    """The memory of a loop does not wait for the collector."""
    data = table(50, 20, 20, 40)
    bnml.learn(data, search=search)
    gc.collect()
    gc.disable()
    try:
        seen = weakref.ref(data)
        result = bnml.learn(data, search=search)
        local = weakref.ref(result.local)
        del data, result
        assert seen() is None
        assert local() is None
    finally:
        gc.enable()


def test_few_distinct_rows_fit_into_little_memory():
    """Sixty million rows, of which 40 are distinct: no table has an entry for each number of rows."""
    rows = np.random.default_rng(0).integers(0, 2, (40, 8))
    frame = pd.DataFrame(rows, columns=list("ABCDEFGH")).assign(n=1_500_000)
    result = bnml.learn(bnml.read(frame, weights="n"), "k2", search="exact", memory_limit="400MB")
    assert result.optimal
