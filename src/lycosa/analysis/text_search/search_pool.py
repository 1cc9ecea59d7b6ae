"""Processes without network that answer searches within a time limit.

A question comes from a stranger, and a search cannot be interrupted: the kernel ends a process that
takes too long (`analysis.triples.answer_pool`).
"""

from __future__ import annotations

import signal
from pathlib import Path

import msgspec

from lycosa._support.decoders import msgpack_decoder
from lycosa.analysis.text_search.results import Ask, Results
from lycosa.analysis.triples.answer_pool import AnswerPool, AnswerProcess
from lycosa.analysis.triples.protocol import QueryReply
from lycosa.errors import QueryError

SECONDS = 2.0
"""The time limit of a search."""
PROGRAM = "lycosa.analysis.text_search.search_process"


class SearchRequest(msgspec.Struct):
    """A question with its time limit, sent to a process."""

    ask: Ask
    seconds: float


class SearchPool:
    """A pool of processes that search one crawl; for a server."""

    def __init__(self, folder: Path, most: int) -> None:
        self._pool = AnswerPool(folder, most, program=PROGRAM)

    def search(self, ask: Ask, seconds: float = SECONDS) -> Results:
        """Answer a question; a `QueryError` says why there is no answer."""
        return _results(self._pool.send(SearchRequest(ask, seconds), seconds))

    def close(self) -> None:
        """End all processes."""
        self._pool.close()


def search_once(folder: Path, ask: Ask, seconds: float = SECONDS) -> Results:
    """Answer one question in a process of its own; a `QueryError` says why there is no answer."""
    process = AnswerProcess(folder, ends_with_us=True, program=PROGRAM)
    replies = list(process.answer(SearchRequest(ask, seconds)))
    code = process.end()
    if replies:
        return _results(replies[-1])
    if code == -signal.SIGALRM:
        return _results(QueryReply("too-slow", f"the search takes longer than {seconds:g} s"))
    raise QueryError("the process that answers the search died\n  ask for fewer words")


def _results(reply: QueryReply) -> Results:
    if reply.kind == "too-slow":
        why = f"{reply.text}\n  leave out words that begin with few letters (a*), or use a filter"
        raise QueryError(why)
    if reply.kind != "answer":
        raise QueryError(reply.text)
    return msgpack_decoder(Results).decode(reply.body)
