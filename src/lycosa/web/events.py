"""The frames of a crawl as a stream of events (`text/event-stream`).

Each event is a whole frame, not a change, so a reader that missed some misses nothing. Its id is
the moment of the frame in milliseconds; a reader that comes back with `Last-Event-ID` gets the next
newer frame. A reader gets a frame at most a fifth of a second after it was written: the file's time
is checked that often, and a changed file is read once for all readers.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import anyio
import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lycosa.errors import LycosaError
from lycosa.web.rest.problems import Refusal, problem
from lycosa.web.rest.records import Frame
from lycosa.web.served import ServedCrawl, ServedCrawls

WATCH_SECONDS = 0.2
LOOK_SECONDS = 0.6
"""After this time the crawl is read even if it has written nothing."""
SILENT_SECONDS = 15.0
"""After this time without an event a comment is sent, so that no proxy closes the stream."""
MOST_STREAMS = 200


class Streams:
    """Streams the frames of crawls."""

    def __init__(self, crawls: ServedCrawls) -> None:
        self._crawls = crawls
        self._open = 0

    async def endpoint(self, request: Request) -> Response:
        """Open a stream."""
        try:
            crawl = await run_in_threadpool(self._crawls.get, request.path_params["name"])
        except Refusal as refusal:
            return problem(refusal.status, refusal.detail)
        if self._open >= MOST_STREAMS:
            return problem(503, "too many streams are open")
        last = request.headers.get("last-event-id", "")
        seen = int(last) if last.isascii() and last.isdecimal() and len(last) < 20 else 0
        return StreamingResponse(self._events(crawl, seen), media_type="text/event-stream")

    async def _events(self, crawl: ServedCrawl, seen: int) -> AsyncIterator[bytes]:
        self._open += 1
        sent = time.monotonic()
        written = (0, 0)
        yield b"retry: 2000\n\n"
        try:
            while True:
                try:
                    written = crawl.written()
                    frame = await run_in_threadpool(crawl.frame)
                except (Refusal, LycosaError, OSError) as error:
                    text = msgspec.json.encode({"detail": str(error)})
                    yield b"event: problem\ndata: " + text + b"\n\n"
                    return
                number = event_id(frame)
                if number > seen:
                    seen, sent = number, time.monotonic()
                    yield event_of(frame)
                elif time.monotonic() - sent > SILENT_SECONDS:
                    sent = time.monotonic()
                    yield b": still here\n\n"
                await _until_written(crawl, written)
        finally:
            self._open -= 1


async def _until_written(crawl: ServedCrawl, before: tuple[int, int]) -> None:
    """Wait until the crawl has written another frame, or for some time."""
    until = time.monotonic() + LOOK_SECONDS
    while time.monotonic() < until and crawl.written() == before:
        await anyio.sleep(WATCH_SECONDS)


def event_id(frame: Frame) -> int:
    """Return the id of a frame's event."""
    return int(frame.moment * 1000)


def event_of(frame: Frame) -> bytes:
    """Return the event of a frame."""
    return b"id: %d\nevent: frame\ndata: %b\n\n" % (event_id(frame), msgspec.json.encode(frame))
