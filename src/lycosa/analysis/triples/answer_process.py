"""Answers SPARQL queries from standard input on standard output, in a process without network.

`python -m lycosa.analysis.triples.answer_process FOLDER MEMORY_BYTES ENDS_WITH_PARENT`. It gives up
the network before it accepts the first query, and accepts none if the kernel does not allow that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import msgspec

from lycosa.analysis.triples import sparql
from lycosa.analysis.triples.answering import run
from lycosa.analysis.triples.formats import MEDIA_TYPES, TABLE, chosen_form
from lycosa.analysis.triples.protocol import Query, QueryReply, QueryRequest, Refused, send
from lycosa.analysis.triples.triple_store import TripleStore
from lycosa.errors import LycosaError

_PIECE_BYTES = 65_536


class _TooLarge(Exception):
    """The result is larger than its limit."""


class _Pieces:
    """A file that sends the bytes written to it in pieces, up to a size limit."""

    def __init__(self, pipe: IO[bytes], largest_bytes: int) -> None:
        self._pipe = pipe
        self._left = largest_bytes or sys.maxsize
        self._some = bytearray()
        self.is_exceeded = False

    def write(self, data: Any, /) -> int:
        """Take bytes."""
        self._left -= len(data)
        if self._left < 0:
            self.is_exceeded = True
            raise _TooLarge
        self._some += data
        if len(self._some) >= _PIECE_BYTES:
            self.flush()
        return len(data)

    def flush(self) -> None:
        """Send the buffered bytes."""
        if self._some:
            send(self._pipe, QueryReply("piece", body=bytes(self._some)))
            self._some.clear()


def _answer(store: Any, request: QueryRequest, pipe: IO[bytes]) -> QueryReply:
    output = _Pieces(pipe, request.largest_bytes)
    try:
        answer = sparql.ask(store, *request.query[:3])
        form = _form(request.query, answer)
        if form is None:
            known = ", ".join(MEDIA_TYPES[form] for form in sparql.forms_of(answer))
            return QueryReply("not-acceptable", f"the result is available as {known}")
        send(pipe, QueryReply("begin", form))
        if form == TABLE:
            output.write(msgspec.msgpack.encode(sparql.for_people(answer)))
        else:
            sparql.write(answer, form, output, is_guarded=request.query.is_guarded)
        output.flush()
        return QueryReply("answer", form, is_no=sparql.is_no(answer))
    except Refused as refusal:
        return QueryReply("refused", str(refusal))
    except Exception as error:
        if output.is_exceeded:
            text = f"the result is larger than {request.largest_bytes:,} bytes: add a LIMIT"
            return QueryReply("too-large", text)
        if not isinstance(error, LycosaError):
            return QueryReply("failed", f"{type(error).__name__}: {error}")
        return QueryReply("failed", str(error))


def _form(query: Query, answer: sparql.Result) -> str | None:
    if query.form == "usual":
        return "turtle" if sparql.is_graph(answer) else TABLE
    return query.form or chosen_form(query.accept, sparql.forms_of(answer))


def main(folder: str, *limits: str) -> None:
    """Run the process."""
    index = TripleStore(Path(folder))

    @contextmanager
    def opened() -> Iterator[Callable[[QueryRequest], QueryReply]]:
        with index.reading() as store:
            yield partial(_answer, store, pipe=sys.stdout.buffer)
            del store

    run(limits, QueryRequest, index.current, opened)


if __name__ == "__main__":
    main(*sys.argv[1:])
