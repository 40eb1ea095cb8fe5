"""Which tests are quick: all but those of ``tests/slow.txt``, which this module writes when it is given as a plugin.

Which are rare: those that need a browser, a server, other processes or a whole program. ``python -m pytest`` leaves
them out, and ``-m rare`` runs them alone; ``.ci/run`` does both.

``python -m pytest -m quick`` answers within a minute, for use while working. ``python -m pytest -p tests.quick`` runs
everything, measures the processor time of each test (after a first run, which compiles the kernels) and writes the list
anew: a function whose cases take more than `MOST` seconds together is slow. If its cases are many and short, one in so
many of them stays quick, and the number stands behind its name; so does the shortest function of each module.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SLOW = Path(__file__).parent / "slow.txt"
IN_A_BROWSER = "tests/studio/e2e/"  # none of these is quick, and none is listed
IN_SPARK = "spark"  # in the name of a case or function: likewise, as its session takes long to start
IN_A_SERVER = ("[spark", "[postgres", "-spark", "-postgres")  # in the name of a case
RARE = (  # a browser, other processes and clusters, whole programs and pages
    IN_A_BROWSER,
    "tests/report/test_print.py",
    "tests/studio/test_session.py",
    "tests/experiments/test_reproduction.py",
    "tests/test_executor.py",
    "tests/test_examples.py",
    "tests/test_jit.py",
    "tests/test_kernel_cache.py",
    "tests/test_notebooks.py",
    "tests/test_commands.py",
    "docs/study.md",
    "docs/faq.md",
    "docs/tutorials/",
    "docs/howto/",
)
MOST = 0.05  # seconds
KEPT = 0.03  # seconds that the quick cases of a slow function may take


def function_of(item: pytest.Item) -> str:
    """Return the name of a test without that of its case."""
    return item.nodeid.partition("[")[0]


def slow_functions() -> dict[str, int]:
    """Return the functions that are slow, with the number of cases of which one is quick; 0 if none is."""
    lines = (line.split() for line in SLOW.read_text(encoding="utf-8").splitlines())
    return {name: int(number[0]) if number else 0 for name, *number in lines}


def mark(items: list[pytest.Item]) -> None:
    """Mark every test as quick or slow, and some as rare."""
    slow, cases = slow_functions(), Counter[str]()
    for item in items:
        name = function_of(item)
        one_in = 0 if name.startswith(IN_A_BROWSER) else slow.get(name, 1)
        quick = one_in > 0 and cases[name] % one_in == 0 and IN_SPARK not in item.nodeid
        rare = name.startswith(RARE) or any(server in item.nodeid for server in IN_A_SERVER)
        if rare:
            item.add_marker(pytest.mark.rare)
        item.add_marker(pytest.mark.quick if quick and not rare else pytest.mark.slow)
        cases[name] += 1


spent: Counter[str] = Counter()
asked: Counter[str] = Counter()


def _now() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure a test with its fixtures and the processes that it starts."""
    start = _now()
    result = yield
    if IN_SPARK not in item.nodeid:
        spent[function_of(item)] += _now() - start
        asked[function_of(item)] += 1
    return result


def pytest_sessionfinish() -> None:
    """Write the list."""
    SLOW.write_text("".join(f"{line}\n" for line in sorted(listed(spent, asked))), encoding="utf-8")


def listed(spent: Counter[str], asked: Counter[str]) -> Iterator[str]:
    """Yield the lines of the list; the shortest function of a module of tests is never slow."""
    shortest: dict[str, str] = {}
    for name in sorted(spent, key=lambda name: spent[name]):
        shortest.setdefault(name.partition("::")[0], name)
    for name, seconds in spent.items():
        if name.startswith(IN_A_BROWSER):
            continue
        if seconds > MOST and not (name.startswith("tests") and name in shortest.values()):
            one_in = math.ceil(seconds / KEPT)
            yield f"{name} {one_in}" if one_in <= asked[name] // 2 else name
