"""Follow a page as a reader does: in a folder of its own that holds the tables of the page, with its commands run.

Tables come from ``../shared/data``, by their place there, or are made here, as `MADE` says.
"""

from __future__ import annotations

import contextlib
import doctest
import gc
import io
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.cli import main
from bnml.cli.app import COMPILING

from .pages import blocks, needs

TABLES = Path(__file__).parents[2] / "shared" / "data"
TERMINAL = {"COLUMNS": "80", "NO_COLOR": "1"}
OF_A_SHELL = {"|", ">", ">>", "<", "&&", ";"}


@lru_cache(maxsize=1)
def patients() -> pd.DataFrame:
    """Return a table without gaps: rows of the network of the bundled example, as ``howto/index.md`` draws them."""
    return bnml.learn(bnml.example()).network.sample(5000, seed=0)


def survey() -> pd.DataFrame:
    """Return a table of labels without gaps, in which one column says nearly the same as another."""
    found = visits().dropna().drop(columns="bmi")
    odd = np.random.default_rng(0).random(len(found)) < 0.01
    cigarettes = np.where((found["smoke"] == "yes") ^ odd, "some", "none")
    return found.assign(age=pd.cut(found["age"], [0, 40, 60, 99]).map(str), cigarettes=cigarettes)


def visits() -> pd.DataFrame:
    """Return a table with columns of numbers and with gaps."""
    random = np.random.default_rng(0)
    found = patients()[["smoke", "lung", "xray", "dysp", "bronc"]].head(2000).rename(columns={"bronc": "sick"})
    years = np.where(found["lung"] == "yes", 62, 47) + random.normal(0, 12, len(found))
    found.insert(0, "age", years.round().clip(18, 98))
    found.insert(1, "sex", random.choice(["woman", "man"], len(found)))
    found.insert(2, "region", random.choice(["north", "south", "west"], len(found)))
    found["bmi"] = (22 + years / 15 + random.normal(0, 3, len(found))).round(1)
    return found.mask(random.random(found.shape) < 0.02)


MADE: dict[str, Callable[[], pd.DataFrame]] = {
    "patients.csv": patients,
    "survey.csv": survey,
    "visits.csv": visits,
    "new.csv": lambda: visits().head(20),
}


def lay_out_tables(page: str, folder: Path) -> None:
    """Put the tables that a page needs into a folder; the test is skipped where one is not to be had."""
    for name, table in needs(page).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if table in MADE and path.suffix == ".parquet":
            MADE[table]().to_parquet(path)
        elif table in MADE:
            MADE[table]().to_csv(path, index=False)
        elif (TABLES / table).is_file():
            path.symlink_to(TABLES / table)
        else:
            pytest.skip(f"the page needs the table {table}, which is not in ../shared/data")


def command_examples(page: str) -> list[doctest.Example]:
    """Return the commands of a page as lines of Python, each with what the page shows below it."""
    return [
        doctest.Example(f"shell({command!r}, shown={bool(shown)})\n", shown, lineno=line)
        for block in blocks(page)
        if block.runs_commands
        for command, shown, line in block.commands()
    ]


def shell(command: str, shown: bool) -> None:
    """Run a command, and print what it prints where the page shows that, or if it fails."""
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    printed = io.StringIO()
    if words[0] == "bnml" and not OF_A_SHELL & {*words}:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                status = main(words[1:])
            except SystemExit as stop:
                status = stop.code
        gc.collect()  # or a database stays open, which a process closes when it ends
    else:
        bnml_command = f'bnml() {{ {shlex.quote(sys.executable)} -m bnml "$@"; }}\n'
        line = ["bash", "-c", bnml_command + command]
        done = subprocess.run(line, capture_output=True, encoding="utf-8", check=False)
        status = done.returncode
        printed.write(done.stdout + done.stderr)
    if shown or status:
        print(printed.getvalue().replace(f"{COMPILING}\n", ""), end="")
    if status:
        print(f"exit status {status}")
