"""What the page is told as it happens: server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

QUIET = 15.0  # seconds after which a comment shows that the connection stands
MOST_WAITING = 1000  # events that a page has not taken; it has gone, or asks for everything anew when it is back


class Events:
    """Hands every event to every page that listens."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[str | None]] = set()

    def tell(self, kind: str, content: Mapping[str, Any]) -> None:
        """Tell all pages something."""
        text = f"event: {kind}\ndata: {json.dumps(content)}\n\n"
        for queue in list(self._queues):
            if queue.qsize() < MOST_WAITING:
                queue.put_nowait(text)

    def end(self) -> None:
        """Let go of all pages."""
        for queue in self._queues:
            queue.put_nowait(None)

    async def stream(self, first: Mapping[str, Any]) -> AsyncIterator[str]:
        """Give the events from now on, as they are sent; the first one is the session's revision."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            yield f"retry: 1000\nevent: session\ndata: {json.dumps(first)}\n\n"
            while True:
                try:
                    text = await asyncio.wait_for(queue.get(), QUIET)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            self._queues.discard(queue)
