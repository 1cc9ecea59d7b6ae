"""Answers searches from standard input on standard output, in a process without network.

`python -m lycosa.query.text.search_process FOLDER MEMORY_BYTES ENDS_WITH_PARENT`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import IO

import msgspec

from lycosa.errors import LycosaError
from lycosa.query.answering import begin
from lycosa.query.protocol import QueryReply, receive, send
from lycosa.query.text.search import TextSearch
from lycosa.query.text.search_pool import SearchRequest
from lycosa.query.text.text_store import TextStore
from lycosa.query.text.things import Things


def _answer(search: TextSearch, request: SearchRequest) -> QueryReply:
    try:
        return QueryReply("answer", body=msgspec.msgpack.encode(search.run(request.ask)))
    except LycosaError as error:
        return QueryReply("failed", str(error))
    except Exception as error:
        return QueryReply("failed", f"{type(error).__name__}: {error}")


def _serve(folder: Path, requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer until there are no more requests."""
    store = TextStore(folder)
    about = Things(folder).pages_about
    frame = receive(requests)
    while frame is not None:
        generation = store.current()
        try:
            with store.reading() as (index, manifest):
                search = TextSearch(index, manifest, about)
                while frame is not None and store.current() == generation:
                    request = msgspec.msgpack.decode(frame, type=SearchRequest)
                    signal.setitimer(signal.ITIMER_REAL, request.seconds)
                    reply = _answer(search, request)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    send(replies, reply)
                    frame = receive(requests)
                del index, search
        except LycosaError as error:
            send(replies, QueryReply("failed", str(error)))
            frame = receive(requests)


def main(folder: str, memory_bytes: str, ends_with_parent: str) -> None:
    """Run the process."""
    if not begin(int(memory_bytes), ends_with_parent=bool(int(ends_with_parent))):
        return
    with contextlib.suppress(BrokenPipeError):
        _serve(Path(folder), sys.stdin.buffer, sys.stdout.buffer)
    os._exit(0)  # tantivy's threads need not be waited for


if __name__ == "__main__":
    main(*sys.argv[1:])
