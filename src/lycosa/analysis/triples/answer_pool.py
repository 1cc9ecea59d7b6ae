"""A pool of processes without network that answer SPARQL queries within a time limit.

A query comes from a stranger, the store would connect to any host that the query names, and it
cannot be interrupted while it answers. So each process (`answer_process`) gives up the network
before it accepts a query, and answers one at a time under an alarm: when time is up, the kernel
ends the process. The caller gets an error, and the next query gets a new process. A
process that has answered waits for the next query; it reopens the index when there is a newer
generation.

Always true:
  * no query is answered by a process that can open a socket;
  * no query runs longer than its time limit, even when the program that asked has died meanwhile.
"""

from __future__ import annotations

import contextlib
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec

from lycosa._support.decoders import msgpack_decoder
from lycosa.analysis.triples.protocol import Query, QueryReply, QueryRequest, Refused, receive, send
from lycosa.errors import QueryError

SPARQL_PROGRAM = "lycosa.analysis.triples.answer_process"

MOST_MEMORY_BYTES = 4 << 30
"""The memory limit of a process, including what RocksDB maps."""


class AnswerProcess:
    """A process that answers queries about a crawl."""

    def __init__(
        self,
        folder: Path,
        memory_bytes: int = 0,
        *,
        ends_with_us: bool = False,
        program: str = SPARQL_PROGRAM,
    ) -> None:
        """Start the process with a memory limit; 0 means none.

        With `ends_with_us` it is killed when the thread that created it ends.
        """
        words = ["-P", "-m", program, str(folder), str(memory_bytes)]
        self._process = subprocess.Popen(
            [sys.executable, *words, str(int(ends_with_us))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._is_ready = False

    def answer(self, request: msgspec.Struct) -> Iterator[QueryReply]:
        """Send a query; yield the frames of the reply, up to `answer` or the reason for none.

        The frames stop early when the process dies; then `end` returns its exit code.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            if not self._is_ready:
                hello = self._next()
                self._is_ready = hello is not None and hello.kind == "ready"
                if hello is not None and not self._is_ready:
                    yield hello
                    return
            send(self._process.stdin, request)
            while (reply := self._next()) is not None:
                yield reply
                if reply.kind not in ("begin", "piece"):
                    return
        except OSError:
            return

    def _next(self) -> QueryReply | None:
        assert self._process.stdout is not None
        frame = receive(self._process.stdout)
        return None if frame is None else msgpack_decoder(QueryReply).decode(frame)

    def end(self) -> int:
        """Kill the process, if it is alive; return its exit code."""
        with contextlib.suppress(OSError):
            self._process.kill() if self._process.poll() is None else None
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return code


class AnswerPool:
    """A pool of processes that answer queries about a crawl, each result in one piece."""

    def __init__(
        self, folder: Path, most: int, largest_bytes: int = 0, program: str = SPARQL_PROGRAM
    ) -> None:
        self._folder = folder
        self._program = program
        self._largest_bytes = largest_bytes
        self._free: queue.LifoQueue[AnswerProcess | None] = queue.LifoQueue()
        self._all: set[AnswerProcess] = set()
        self._lock = threading.Lock()
        for _ in range(most):
            self._free.put(None)

    def ask(self, query: Query, seconds: float) -> QueryReply:
        """Answer a query; wait for a free process as long as the query may take."""
        return self.send(QueryRequest(query, seconds, self._largest_bytes), seconds)

    def send(self, request: msgspec.Struct, seconds: float) -> QueryReply:
        """Answer a request to the pool's program, within its time."""
        try:
            process = self._free.get(timeout=seconds)
        except queue.Empty:
            return QueryReply("busy", "too many queries at once: try again later")
        try:
            if process is None:
                process = AnswerProcess(self._folder, MOST_MEMORY_BYTES, program=self._program)
                with self._lock:
                    self._all.add(process)
            pieces: list[bytes] = []
            last = None
            for reply in process.answer(request):
                last = reply
                if reply.kind == "piece":
                    pieces.append(reply.body)
            if last is None or last.kind in ("begin", "piece", "unguarded"):
                with self._lock:
                    self._all.discard(process)
                code, process = process.end(), None
                return last if last and last.kind == "unguarded" else _ended(code, seconds)
            last.body = b"".join(pieces) or last.body
            return last
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            for process in self._all:
                process.end()
            self._all.clear()


def _ended(code: int, seconds: float) -> QueryReply:
    if code == -signal.SIGALRM:
        return QueryReply("too-slow", f"the query takes longer than {seconds:g} s")
    return QueryReply("failed", "the query needs too much memory")


def raise_unless_answer(reply: QueryReply | None) -> None:
    """Raise the error of a reply that is not an answer."""
    if reply is None or reply.kind in ("begin", "piece"):
        raise QueryError(
            "the process that answers the query died\n  ask for less, for instance with LIMIT"
        )
    if reply.kind == "refused":
        raise Refused(reply.text)
    if reply.kind != "answer":
        raise QueryError(reply.text)
