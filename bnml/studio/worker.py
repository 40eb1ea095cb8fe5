"""The worker: one process that does what takes long, a job at a time, and keeps the table in memory between them.

It reads jobs from standard input and writes what it has to say to standard output, a line of JSON each::

    {"id": "j1", "kind": "learn", "task": "…"}
    {"id": "j1", "stage": "exact search", "fraction": 0.4}
    {"id": "j1", "done": {…}}     or     {"id": "j1", "failed": "the score …"}

To cancel a job the server ends the process; results are files that are written whole or not at all, so nothing else is
harmed. When the server is no more, the process ends as well.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import traceback
import warnings
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

from bnml.errors import BnmlError
from bnml.studio.learning import learn_parts, learn_result
from bnml.studio.page_words import in_page_words
from bnml.studio.read_tables import ReadTables
from bnml.studio.session import TableChoices, plain_fields
from bnml.studio.table_look import advised_choices, table_look

Progress = Callable[[str, float], None]


def _table(tables: ReadTables, *, path: Path, choices: TableChoices | None, progress: Progress) -> dict[str, Any]:
    """Look at a table; without choices as `bnml info` advises."""
    progress("looking at the table", 0.1)
    chosen = advised_choices(path) if choices is None else choices
    progress("reading the table", 0.5)
    return {"choices": plain_fields(chosen), "look": table_look(path, chosen)}


Work = Callable[..., dict[str, Any]]
KINDS: dict[str, Work] = {"table": _table, "learn": learn_result}  # all others make parts of a result


def main() -> None:
    """Do jobs until there are no more."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # nothing else that is printed gets between the lines
    lines: list[str] = []
    arrived = threading.Semaphore(0)

    def listen() -> None:
        for line in sys.stdin:
            lines.append(line)
            arrived.release()
        os._exit(0)  # the server is no more

    threading.Thread(target=listen, daemon=True).start()
    warnings.simplefilter("ignore")
    tables = ReadTables()
    _say(out, {"ready": True})
    while True:
        arrived.acquire()
        job = json.loads(lines.pop(0))
        _say(out, _done(job, tables, partial(_tell, out, job["id"])))


def _tell(out: IO[str], job: str, stage: str, share: float) -> None:
    _say(out, {"id": job, "stage": stage, "fraction": float(share)})


def _done(job: Mapping[str, Any], tables: ReadTables, progress: Progress) -> dict[str, Any]:
    """Do a job, and return what to say of it."""
    try:
        task = pickle.loads(b64decode(job["task"]))  # from the server, whose checks are not made again
        work: Work = KINDS.get(job["kind"], learn_parts)
        return {"id": job["id"], "done": work(tables, **task, progress=progress)}
    except BnmlError as error:
        return {"id": job["id"], "failed": in_page_words(error)}
    except MemoryError:
        return {"id": job["id"], "failed": "memory ran out; take fewer columns or rows"}
    except Exception as error:  # whatever it is, the page is told that the job has ended
        traceback.print_exc()
        return {"id": job["id"], "failed": f"this is a mistake in bnml, please report it: {error!r}"}


def _say(out: IO[str], message: Mapping[str, Any]) -> None:
    out.write(json.dumps(message, allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
