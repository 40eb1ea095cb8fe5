"""A studio that runs as a process of its own, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bnml.studio.learning import learn_result, learning_request
from bnml.studio.read_tables import table_source_in

KNOWN = {"tiers": [["smoke"], ["lung"]], "required": [["asia", "xray"]]}
PATIENCE = 120  # seconds for a job, on a machine that has much else to do


class RunningStudio:
    """A server, asked over its socket as a browser would.

    Parameters
    ----------
    folder
        Where its session is kept.
    data
        Its table.
    """

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        given = [] if data is None else [str(data)]
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bnml", "studio", *given, "--no-browser", "--folder", str(folder)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.process.stderr.read()
        parts = urlsplit(self.address)
        self.port, self.token = parts.port, parts.path.strip("/")

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes, dict[str, str]]:
        """Send a request for a whole path, and return status, body and headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}
        finally:
            connection.close()

    def call(self, method: str, path: str, content: Any = None, **headers: str) -> tuple[int, Any]:
        """Send a request as the page does, and return the status and the JSON of the answer."""
        body = content if isinstance(content, bytes) or content is None else json.dumps(content).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        status, found, _ = self.request(method, f"/{self.token}/{path}", body, named)
        return status, json.loads(found)

    def get(self, path: str) -> Any:
        """Return the JSON of an answer that must be one."""
        status, found = self.call("GET", path)
        assert status == 200, found
        return found

    def file(self, name: str) -> bytes:
        """Return a file that is handed on."""
        status, found, _ = self.request("GET", f"/{self.token}/api/export/{name}")
        assert status == 200, found
        return found

    def settled(self) -> dict[str, Any]:
        """Return the session once nothing is being done."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            session = self.get("api/session")
            if session["job"] is None:
                return session
            time.sleep(0.05)
        raise AssertionError("the job does not end")

    def done(self, method: str, path: str, content: Any = None, **headers: str) -> dict[str, Any]:
        """Send a request that begins a job, and return the session once it is done."""
        status, found = self.call(method, path, content, **headers)
        assert status == 200, found
        return self.settled()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask the process to end, and return its exit status."""
        self.process.send_signal(number)
        status = self.process.wait(timeout=30)
        self._close()
        return status

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.wait(timeout=30)
        self._close()

    def _close(self) -> None:
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def walk(studio: RunningStudio) -> None:
    """Take the clinic's table through the steps: cuts, a target, knowledge, a network, a direction, a question."""
    studio.settled()
    studio.done("PUT", "api/table", {"cuts": {"age": [42]}, "target": "lung"})
    studio.call("PUT", "api/knowledge", KNOWN)
    studio.call("PUT", "api/settings", {"search": "climb", "repetitions": 5})
    session = studio.done("POST", "api/jobs", {"kind": "learn"})
    found = studio.get(f"api/results/{session['current']}")
    link = next(link for link in found["links"] if link["undirected"])
    assert studio.call("POST", "api/decisions", {"directed": [[link["b"], link["a"]]]})[0] == 200
    assert studio.call("POST", "api/ask", {"evidence": {"xray": "yes"}, "do": {"smoke": "no"}})[0] == 200


def seen(studio: RunningStudio) -> tuple[Any, Any, Any]:
    """Return all that the page shows."""
    session = studio.get("api/session")
    asked = {"evidence": session["evidence"], "do": session["do"]}
    return session, studio.get(f"api/results/{session['current']}"), studio.call("POST", "api/ask", asked)


def learned_here(folder, name, table, known, settings, tables, progress=lambda *told: None):
    """Learn a result in this process, as the worker does, and return its summary."""
    source = table_source_in(folder, table)
    asked = learning_request(table, known, settings, tables.data(source).names)
    return learn_result(
        tables, folder=folder, result=name, asked=asked, source=source, like=None, progress=progress
    )  # fmt: skip
