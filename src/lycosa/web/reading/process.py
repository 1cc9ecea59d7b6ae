"""Reads a crawl directory for requests from standard input, in a process without network.

`python -m lycosa.web.reading.process FOLDER MEMORY_BYTES ENDS_WITH_PARENT`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from lycosa.analysis.triples.answering import run
from lycosa.analysis.triples.protocol import QueryReply, send
from lycosa.errors import LycosaError
from lycosa.web.reading import captures, checks, hosts, page_list, resting, rows, sql, urls
from lycosa.web.reading.requests import (
    Audit,
    Capture,
    Checks,
    Explain,
    Fit,
    Hosts,
    PageCounts,
    PageRows,
    Request,
    Resting,
    Rows,
    Sql,
)
from lycosa.web.reading.states import States

_PIECE_BYTES = 1 << 20
JSON = "application/json"

_READERS: dict[type, Callable[[States, Any], tuple[str, bytes]]] = {
    Resting: lambda states, asked: (JSON, resting.read(states)),
    Hosts: lambda states, asked: (JSON, hosts.read(states, asked)),
    Explain: lambda states, asked: (JSON, urls.read(states, asked.url)),
    Capture: lambda states, asked: captures.read(states.directory, asked),
    Rows: lambda states, asked: rows.read(states.directory.path, asked),
    PageRows: page_list.read_rows,
    PageCounts: page_list.read_counts,
    Sql: lambda states, asked: sql.read(states.directory.path, asked),
    Audit: lambda states, asked: (JSON, checks.read_audit(states.directory)),
    Checks: lambda states, asked: (JSON, checks.read_checks(states.directory.path, asked.most)),
    Fit: lambda states, asked: (JSON, checks.read_fitting(states, asked.rule)),
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


@contextmanager
def _opened(folder: Path) -> Iterator[Callable[[Request], QueryReply]]:
    states = States(folder)
    yield lambda request: _answer(states, request, sys.stdout.buffer)


if __name__ == "__main__":
    _folder = Path(sys.argv[1])
    run(sys.argv[2:], Request, lambda: None, lambda: _opened(_folder))
