"""Trace which modules a call passes through, and how often it reads, binds, parses and estimates.

``python -m tools.trace_call`` prints the traces of a warm ``bnml.learn(csv, "qnml")`` with its report, of the command
``bnml learn``, and of a study: how often each of these was done, and the modules that were passed, each with the number
of its functions.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import bnml
from bnml.graph import Constraints
from bnml.scores import QNML, LocalScores, parse_score
from bnml.search.forecast import estimate_cost
from bnml.search.options import SearchOptions
from bnml.search.problem import bind

PACKAGE = Path(bnml.__file__).parent

Counts = Callable[[dict[str, Any]], bool]

ONCE: dict[str, tuple[Callable[..., Any], Counts]] = {
    "table read": (bnml.read, lambda given: True),
    "options checked": (SearchOptions.checked, lambda given: True),
    "score parsed": (parse_score, lambda given: isinstance(given["score"], str)),
    "bound": (bind, lambda given: True),
    "cost estimated": (estimate_cost, lambda given: True),
    "local scores made": (LocalScores.__init__, lambda given: True),
    "lookup tables made": (QNML.terms, lambda given: given["shape"].some_counts is None),  # an outline has none
    "constraints checked": (Constraints.check, lambda given: True),
    "constraints compiled": (Constraints.compiled, lambda given: True),
}
"""What happens once in a call: a function, and which of its calls count."""

MOST_MODULES = 55
"""How many modules `bnml.learn` and its report may pass."""


class Trace:
    """What a call has passed through: functions by module, and how often the functions of `ONCE` were called."""

    def __init__(self) -> None:
        self.functions: dict[str, set[str]] = {}
        self.calls: Counter[str] = Counter()

    @property
    def modules(self) -> list[str]:
        """The modules of bnml that were passed, by path; templates, which are compiled to code as well, are none."""
        return sorted(name for name in self.functions if name.endswith(".py"))

    def __str__(self) -> str:
        passed = sum(map(len, self.functions.values()))
        lines = [f"{len(self.modules)} modules and {passed} functions passed"]
        lines += [f"{self.calls[what]:4}  {what}" for what in ONCE]
        return "\n".join([*lines, *(f"      {name} ({len(self.functions[name])})" for name in self.modules)])


@contextmanager
def traced() -> Iterator[Trace]:
    """Trace all calls into bnml, in all threads."""
    trace = Trace()
    wanted: dict[CodeType, tuple[str, Counts]] = {}
    for what, (function, counts) in ONCE.items():
        wanted[inspect.unwrap(getattr(function, "__func__", function)).__code__] = what, counts
    root = f"{PACKAGE}/"

    def profile(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(root):
            return
        if code.co_name != "<module>":
            trace.functions.setdefault(code.co_filename[len(root) :], set()).add(code.co_qualname)
        if code in wanted:
            what, counts = wanted[code]
            trace.calls[what] += bool(counts(frame.f_locals))

    before = sys.getprofile()
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield trace
    finally:
        sys.setprofile(before)
        threading.setprofile(before)


def main() -> None:
    """Print the traces of warm calls, each with its report."""
    from bnml.cli import main as command_line
    from bnml.data.example import example_path

    table = str(example_path())
    calls: dict[str, Callable[[], object]] = {
        "bnml.learn(table)": lambda: print(bnml.learn(table, "qnml")),
        "bnml learn table": lambda: command_line(["learn", table]),
        "bnml.study(table, repetitions=2)": lambda: print(bnml.study(table, repetitions=2)),
    }
    for name, call in calls.items():
        for _ in ("cold", "warm"):
            with redirect_stdout(StringIO()), traced() as trace:
                call()
        print(f"{name}: {trace}\n")


if __name__ == "__main__":
    main()
