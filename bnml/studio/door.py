"""Who gets in: every request is checked before anything is done for it, and every answer tells the browser what it may.

The page is for one person on one machine. Others could still send requests to it: another program, another user of the
machine, a page of some other site in the same browser. What keeps them out:

- the server listens on the loopback address only (`bnml.studio.serve`);
- the address has a token that nobody can guess; without it nothing is found here;
- the ``Host`` of a request must be this machine's own name, so that no other name that leads here (DNS rebinding) does;
- a request that says where it comes from (``Origin``, ``Sec-Fetch-Site``) must come from the page itself;
- bodies are limited, by what they say of their length and by what arrives.

The headers of answers let the page load nothing from elsewhere, run no script that is not a file of ours, and be framed
by nobody; nothing of it is kept in caches.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "content-security-policy": (
        "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
OURS = ("same-origin", "none")  # of Sec-Fetch-Site: the page itself, and an address that someone typed
MOST_JSON = 1 << 20
MOST_FILE = 1 << 30
FILES = ("/api/table", "/api/import")  # to which files are sent, not JSON


class TooLargeError(Exception):
    """More arrived than a request may bring; the application answers with 413."""


@dataclass(frozen=True)
class Door:
    """Lets requests through to the application that may come in.

    ``app``: the application; it sees addresses without the token. ``token``: what addresses begin with. ``port``: where
    the server listens.
    """

    app: ASGIApp
    token: str
    port: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        answer = _Answer(send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await answer.refuse(*refusal)
            return
        prefix = f"/{self.token}"
        inner = {**scope, "path": scope["path"][len(prefix) :], "raw_path": b"", "root_path": ""}
        await self.app(inner, _limited(receive, _most_bytes(scope, inner["path"])), answer)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the reason with which a request is refused; None if it may come in."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        hosts = (f"127.0.0.1:{self.port}", f"localhost:{self.port}")
        host = headers.get("host", "")
        if host not in hosts:
            return 421, "this is no name of the studio"
        told: str = scope["path"]
        token, slash, rest = told.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode()) or not slash:
            return 404, "there is nothing here"
        path = f"/{rest}"
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return 403, "requests from other pages are refused"
        opened = path == "/" and scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site", "none") not in OURS and not opened:
            return 403, "requests from other pages are refused"
        return _too_large(headers.get("content-length", "0"), _most_bytes(scope, path))


def _too_large(told: str, most: int) -> tuple[int, str] | None:
    if not told.isascii() or not told.isdecimal():
        return 400, "the length of the request is no number"
    if len(told) > 15 or int(told) > most:
        return 413, f"this is too large: the most is {most >> 20} MB"
    return None


def _most_bytes(scope: Scope, path: str) -> int:
    return MOST_FILE if scope["method"] == "POST" and path in FILES else MOST_JSON


def _limited(receive: Receive, most: int) -> Receive:
    """Return a receiver that raises once more bytes have arrived than may."""
    arrived = 0

    async def next_part() -> Message:
        nonlocal arrived
        message = await receive()
        arrived += len(message.get("body", b""))
        if arrived > most:
            raise TooLargeError
        return message

    return next_part


class _Answer:
    """Sends an answer with the headers that all have."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message.get("headers", ())}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in own]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await self._send(message)

    async def refuse(self, status: int, reason: str) -> None:
        """Answer with a refusal, and end the connection: what the request still brings is not read."""
        body = json.dumps({"error": reason, "argument": None}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})
