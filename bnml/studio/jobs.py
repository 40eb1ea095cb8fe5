"""Jobs: what takes long is done by the worker process, one at a time, and can be cancelled at any moment."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bnml


@dataclass(frozen=True)
class Job:
    """What the worker does now."""

    id: str
    kind: str
    stage: str = "starting"
    fraction: float = 0.0

    def values(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"id": self.id, "kind": self.kind, "stage": self.stage, "fraction": self.fraction}


def job_line(name: str, kind: str, task: Mapping[str, Any]) -> bytes:
    """Return a job as the worker reads it; its task are the checked options and values that the server has."""
    pickled = b64encode(pickle.dumps(task)).decode("ascii")
    return json.dumps({"id": name, "kind": kind, "task": pickled}).encode() + b"\n"


class Jobs:
    """The server's end of the worker.

    Parameters
    ----------
    told
        Is given the job as it goes on.
    ended
        Is given the job and what came of it: ``{"done": …}``, ``{"failed": message}`` or ``{"cancelled": True}``.
    """

    def __init__(self, told: Callable[[Job], None], ended: Callable[[Job, Mapping[str, Any]], None]) -> None:
        self._told, self._ended = told, ended
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._number, self._said = 0, 0.0
        self._starting = asyncio.Lock()
        self.current: Job | None = None

    async def warm(self) -> None:
        """Start the worker if there is none."""
        async with self._starting:
            if self._process is not None:
                return
            home = str(Path(bnml.__file__).parent.parent)
            path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "bnml.studio.worker", stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}, limit=1 << 28,
                start_new_session=True,
            )  # fmt: skip
            self._reader = asyncio.create_task(self._listen(self._process))

    async def start(self, kind: str, task: Mapping[str, Any]) -> Job:
        """Begin a job; there must be none."""
        assert self.current is None
        self._number += 1
        self.current = job = Job(f"j{self._number}", kind)
        self._told(job)
        await self.warm()
        if self.current is job and self._process is not None and self._process.stdin is not None:
            with suppress(ConnectionError):  # then the reader finds that the process is no more
                self._process.stdin.write(job_line(job.id, kind, task))
                await self._process.stdin.drain()
        return job

    async def cancel(self) -> None:
        """End the job that is being done, if there is one, and the process with it; the next one starts at once."""
        job, process, reader = self.current, self._process, self._reader
        self.current = self._process = self._reader = None
        if reader is not None:
            reader.cancel()
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if job is not None:
            self._ended(job, {"cancelled": True})

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Take what the worker says, until it ends."""
        assert process.stdout is not None
        async for line in process.stdout:
            self._take(json.loads(line))
        await process.wait()
        job, self.current, self._process = self.current, None, None
        if job is not None:
            died = "the process that did this has ended; perhaps memory ran out: take fewer columns or rows"
            self._ended(job, {"failed": died})

    def _take(self, message: Mapping[str, Any]) -> None:
        job = self.current
        if job is None or message.get("id") != job.id:
            return
        if "stage" in message:
            self.current = replace(job, stage=str(message["stage"]), fraction=float(message["fraction"]))
            now = asyncio.get_running_loop().time()
            if now - self._said >= 0.1:  # between two messages of how far a job is
                self._said = now
                self._told(self.current)
            return
        self.current = None
        self._ended(job, message)
