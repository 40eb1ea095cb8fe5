"""``bnml warmup``: compile all kernels at once."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import bnml
from bnml._jit import compilation_seconds, compilation_told, compiled_at_once
from bnml.cli import options, printing
from bnml.cli.progress import progress_bar

EXAMPLE = "Example: bnml warmup"
ROWS, COLUMNS = 300, 7


def command(as_json: options.Json = False) -> None:
    """Compile all kernels now, so that no later command has to wait for it."""
    started, before = time.perf_counter(), compilation_seconds()
    with compilation_told(lambda: None), compiled_at_once(), warnings.catch_warnings(), progress_bar() as move:
        warnings.simplefilter("ignore", UserWarning)
        work = list(_work())
        for done, (name, run) in enumerate(work):
            move(name, done / len(work))
            run()
    seconds, compiling = time.perf_counter() - started, compilation_seconds() - before
    if as_json:
        printing.print_json({"seconds": seconds, "compiling": compiling})
    else:
        print(f"Kernels are compiled and kept on this machine ({seconds:.0f} s).")


def _work() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield small tasks that together call every kernel with every type of argument."""
    frame = _table(ROWS)
    data = bnml.read(frame)
    yield "reading", lambda: _read(frame)
    for score in ("qnml", "bdeu", "fnml", "bds"):
        yield f"{score}", lambda score=score: _learn(data, score)  # type: ignore[misc]
    yield "trees", lambda: _trees(data)
    yield "tests", lambda: _tests(data)
    yield "posterior", lambda: _posteriors(data)
    yield "network", lambda: _network(frame)
    yield "missing values", lambda: _missing(frame)
    yield "long searches", _long_searches


def _table(rows: int) -> pd.DataFrame:
    """Return a table of a chain of variables with two to four states."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (rows, COLUMNS)) + rng.integers(0, 3, (rows, COLUMNS)) // 2
    for k in range(1, COLUMNS):
        codes[:, k] = np.where(rng.random(rows) < 0.7, codes[:, k - 1], codes[:, k])
    return pd.DataFrame(codes, columns=[f"X{k}" for k in range(COLUMNS)])


def _noise(columns: int, rows: int = 200) -> bnml.Data:
    """Return a table of independent binary columns."""
    return bnml.read(np.random.default_rng(4).integers(0, 2, (rows, columns)))


def _read(frame: pd.DataFrame) -> None:
    """Read the table in every form."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    reals = frame.assign(real=rng.normal(size=len(frame)), other=rng.integers(0, 1000, len(frame)))
    for bins in ("mdl", "auto", "target:X0", "quantile:3"):
        bnml.read(reals, bins=bins)
    for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.float64, bool):
        bnml.read(frame.astype(kind))
    for kind in (np.int8, np.int32, np.int64):
        bnml.read(frame.to_numpy().astype(kind))
    texts = frame.astype(str)
    bnml.read(texts)
    bnml.read(texts.astype("category"))
    bnml.read(pa.Table.from_pandas(texts))
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = Path(folder) / "t.csv", Path(folder) / "t.parquet"
        frame.to_csv(csv, index=False)
        bnml.read(csv)
        csv.write_text(texts.to_csv(index=False, quoting=1), encoding="utf-8")
        bnml.read(csv)
        pq.write_table(pa.Table.from_pandas(texts), parquet)
        bnml.read(parquet)
    many = np.char.add("v", rng.integers(0, 300, (1000, 3)).astype(str))
    bnml.read(pd.DataFrame(many, columns=["a", "b", "c"]))


def _learn(data: bnml.Data, score: str) -> None:
    """Search by every way that goes by scores."""
    for method in ("lattice", "cuts"):
        for prior in ("sparse", "uniform"):
            bnml.learn(data, score, "exact", method=method, prior=prior)
    for search in ("climb", "tabu", "order", "k2", "forest", *(("ges",) if score in ("qnml", "bdeu") else ())):
        bnml.learn(data, score, search)
    bnml.regret(1000, 5)
    bnml.regret(100_000, 40)


def _trees(data: bnml.Data) -> None:
    """Search for trees and forests."""
    for search in ("chow-liu", "polytree"):
        bnml.learn(data, search=search)
    bnml.learn(_noise(3, 30), search="nml-forest")
    for search in ("tan", "naive"):
        bnml.learn(data, search=search, class_variable=data.names[0])


def _tests(data: bnml.Data) -> None:
    """Test independence, with few rows per cell and with many."""
    for rows in (data, bnml.read(_table(40))):
        bnml.dependences(rows)
        bnml.pc(rows)
        bnml.npc(rows)
    bnml.strength(bnml.learn(data, "bic", "tabu").structure, data)
    bnml.bootstrap(data, "bic", "tabu", repetitions=2)


def _posteriors(data: bnml.Data) -> None:
    """Average over structures, exactly and by sampling."""
    few = data.select(list(data.names[:5]))
    for prior in ("uniform", "order", "classes"):
        exact = bnml.posterior(few, "bdeu", prior=prior)
        exact.top(3)
        bnml.posterior(few, "bdeu", prior=prior, method="sample", samples=20).top(3)
        _ = exact.path_probabilities, exact.blanket_probabilities
    bnml.posterior(few, "bdeu").log_prob(few)
    for prior in ("uniform", "order"):
        exact = bnml.posterior(data, "bdeu", prior=prior)
        _ = exact.path_probabilities, exact.top(3)
    bnml.posterior(_noise(24), "bdeu", method="sample", samples=20, structure_prior="uniform")


def _network(frame: pd.DataFrame) -> None:
    """Ask a network."""
    network = bnml.fit(bnml.learn(frame, "bic", "tabu").structure, frame)
    names = list(network.names)
    given = {names[1]: network.states[names[1]][0]}
    network.query(names[0], given)
    network.query(names[2:4], given)
    network.most_probable(given)
    network.marginals()
    network.log_prob(frame)
    network.predict(frame, names[0])
    network.sample(10)


def _missing(frame: pd.DataFrame) -> None:
    """Learn from incomplete data, and fill them in."""
    holes = frame.astype("Int64").mask(np.random.default_rng(3).random(frame.shape) < 0.1)
    data = bnml.read(holes, missing="em")
    network = bnml.learn(data, "bic", "tabu").network
    assert network is not None
    network.log_prob(data)
    network.impute(data)
    network.impute(data, draws=2)
    network.predict(data, data.names[0])


def _long_searches() -> None:
    """Call what only searches of a minute or more need, with tiny arrays."""
    from bnml.search._kernels import raise_by_sum, raise_high
    from bnml.search.cuts._zero_half_kernels import shorten_zero_half

    for dtype in (np.float64, np.int32):
        numbers = np.zeros(4, dtype)
        raise_by_sum(numbers, numbers.copy(), numbers.copy())
        raise_high(numbers, 1, 2, 0, 0, 1)
    shorten_zero_half(np.array([0, 2]), np.zeros(2, np.int64))
