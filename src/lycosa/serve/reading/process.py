"""Reads a crawl directory for requests from standard input, in a process without network.

`python -m lycosa.serve.reading.process FOLDER MEMORY_BYTES ENDS_WITH_PARENT`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import msgspec

from lycosa.errors import LycosaError
from lycosa.query.answering import begin
from lycosa.query.protocol import QueryReply, receive, send
from lycosa.serve.reading import audits, captures, fitting, hosts, resting, rows, sql, urls
from lycosa.serve.reading.requests import (
    Audit,
    Capture,
    Explain,
    Fit,
    Hosts,
    Request,
    Resting,
    Rows,
    Sql,
)
from lycosa.serve.reading.states import States

_PIECE_BYTES = 1 << 20
JSON = "application/json"

_READERS: dict[type, Callable[[States, Any], tuple[str, bytes]]] = {
    Resting: lambda states, asked: (JSON, resting.read(states)),
    Hosts: lambda states, asked: (JSON, hosts.read(states, asked)),
    Explain: lambda states, asked: (JSON, urls.read(states, asked.url)),
    Capture: lambda states, asked: captures.read(states.directory, asked),
    Rows: lambda states, asked: rows.read(states.directory.path, asked),
    Sql: lambda states, asked: sql.read(states.directory.path, asked),
    Audit: lambda states, asked: (JSON, audits.read(states.directory)),
    Fit: lambda states, asked: (JSON, fitting.read(states, asked.rule)),
}


def _answer(states: States, request: Request, replies: IO[bytes]) -> QueryReply:
    try:
        media_type, body = _READERS[type(request.asked)](states, request.asked)
    except LycosaError as error:
        return QueryReply("refused", str(error))
    except MemoryError:
        return QueryReply("too-large", "the answer needs too much memory: ask for less")
    except Exception as error:
        return QueryReply("failed", f"{type(error).__name__}: {error}")
    if len(body) > request.largest_bytes:
        text = f"the answer is larger than {request.largest_bytes:,} bytes: ask for less"
        return QueryReply("too-large", text)
    for start in range(0, len(body), _PIECE_BYTES):
        send(replies, QueryReply("piece", body=body[start : start + _PIECE_BYTES]))
    return QueryReply("answer", media_type)


def _serve(folder: Path, requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer until there are no more requests."""
    states = States(folder)
    while (frame := receive(requests)) is not None:
        request = msgspec.msgpack.decode(frame, type=Request)
        signal.setitimer(signal.ITIMER_REAL, request.seconds)
        reply = _answer(states, request, replies)
        signal.setitimer(signal.ITIMER_REAL, 0)
        send(replies, reply)


def main(folder: str, memory_bytes: str, ends_with_parent: str) -> None:
    """Run the process."""
    if not begin(int(memory_bytes), ends_with_parent=bool(int(ends_with_parent))):
        return
    with contextlib.suppress(BrokenPipeError):
        _serve(Path(folder), sys.stdin.buffer, sys.stdout.buffer)
    os._exit(0)  # the buffers have no reader any more


if __name__ == "__main__":
    main(*sys.argv[1:])
