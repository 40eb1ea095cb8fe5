"""Reference values that are part of the project: tables and numbers of ``tests/golden``, whose README says whence."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import bnml
from bnml import DAG, Data
from bnml.scores import BDeu, BDs, Score, parse_score

GOLDEN = Path(__file__).parent / "golden"
TABLES = {"asia_1000": 8, "sachs_1000": 11, "child15_1000": 15, "insurance_1000": 27}  # and the number of variables

ALARM = DAG.parse(  # Beinlich, Suermondt, Chavez & Cooper (1989)
    "[HYPOVOLEMIA][LVFAILURE][HISTORY|LVFAILURE][LVEDVOLUME|HYPOVOLEMIA:LVFAILURE][CVP|LVEDVOLUME]"
    "[PCWP|LVEDVOLUME][STROKEVOLUME|HYPOVOLEMIA:LVFAILURE][ERRLOWOUTPUT][ERRCAUTER][INSUFFANESTH][ANAPHYLAXIS]"
    "[TPR|ANAPHYLAXIS][KINKEDTUBE][FIO2][PULMEMBOLUS][PAP|PULMEMBOLUS][INTUBATION][SHUNT|PULMEMBOLUS:INTUBATION]"
    "[DISCONNECT][MINVOLSET][VENTMACH|MINVOLSET][VENTTUBE|DISCONNECT:VENTMACH]"
    "[PRESS|KINKEDTUBE:INTUBATION:VENTTUBE][VENTLUNG|KINKEDTUBE:INTUBATION:VENTTUBE][MINVOL|INTUBATION:VENTLUNG]"
    "[VENTALV|INTUBATION:VENTLUNG][PVSAT|FIO2:VENTALV][SAO2|PVSAT:SHUNT][ARTCO2|VENTALV][EXPCO2|VENTLUNG:ARTCO2]"
    "[CATECHOL|INSUFFANESTH:TPR:SAO2:ARTCO2][HR|CATECHOL][HRBP|ERRLOWOUTPUT:HR][HREKG|ERRCAUTER:HR]"
    "[HRSAT|ERRCAUTER:HR][CO|STROKEVOLUME:HR][BP|TPR:CO]"
)


@cache
def golden_table(name: str) -> Data:
    """Return a table of 1000 rows."""
    return bnml.read(GOLDEN / f"{name}.csv")


def golden_rows(name: str) -> list[dict[str, str]]:
    """Return the lines of a file of numbers."""
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def golden_score(name: str, ess: str) -> Score:
    """Return the score that a line speaks of; ``bde`` is bnlearn's name of BDeu."""
    if not ess:
        return parse_score(name)
    return {"bde": BDeu, "bdeu": BDeu, "bds": BDs}[name](float(ess))
