"""What the page is told as it happens: server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any


class Events:
    """Hands every event to every page that listens."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[str | None]] = set()

    def tell(self, kind: str, content: Mapping[str, Any]) -> None:
        """Tell all pages something."""
        text = f"event: {kind}\ndata: {json.dumps(content)}\n\n"
        for queue in list(self._queues):
            if queue.qsize() < 1000:  # a page that takes none has gone, or asks for everything anew when it is back
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
                    # after 15 seconds a comment shows that the connection stands
                    text = await asyncio.wait_for(queue.get(), 15.0)
                except TimeoutError:
                    text = ": still here\n\n"
                if text is None:
                    return
                yield text
        finally:
            self._queues.discard(queue)
