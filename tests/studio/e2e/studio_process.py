"""A studio as a process of its own, as a person starts it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path


class StudioProcess:
    """`bnml studio`, running.

    Parameters
    ----------
    folder
        Where the session is kept.
    data
        A table to begin with.

    Attributes
    ----------
    address
        What its first line says.
    """

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        command = [sys.executable, "-m", "bnml", "studio", *([] if data is None else [str(data)])]
        self.process = subprocess.Popen(
            [*command, "--port", "0", "--no-browser", "--folder", str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/\S*", self.process.stdout.readline())
        if found is None:
            self.process.kill()
            raise AssertionError(f"no address on the first line: {self.process.stderr.read()[-2000:]}")
        self.address = found.group(0)

    def kill(self) -> None:
        """End it as a crash does."""
        self.process.send_signal(signal.SIGKILL)
        self._closed()

    def stop(self) -> None:
        """End it as Ctrl-C does, if it runs still."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._closed()

    def _closed(self) -> None:
        self.process.wait(timeout=15)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
