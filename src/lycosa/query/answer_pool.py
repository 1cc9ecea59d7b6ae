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

from lycosa.errors import QueryError
from lycosa.query.protocol import Answered, Asked, Question, Refused, receive, send

MOST_MEMORY_BYTES = 4 << 30
"""Of a process, addresses that RocksDB maps included."""


class AnsweringProcess:
    """One process that answers questions about one crawl."""

    def __init__(self, folder: Path, memory_bytes: int = 0, *, ends_with_us: bool = False) -> None:
        """Start it; it may use so much memory, or any amount.

        One that `ends_with_us` is killed when the thread that has made it ends.
        """
        words = ["-P", "-m", "lycosa.query.answer_process", str(folder), str(memory_bytes)]
        self._process = subprocess.Popen(
            [sys.executable, *words, str(int(ends_with_us))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._is_ready = False

    def answer(self, asked: Asked) -> Iterator[Answered]:
        """Put a question; yields what comes until the answer or the reason why there is none.

        Nothing more comes when the process has ended instead; then `end` says how.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            if not self._is_ready:
                hello = self._next()
                self._is_ready = hello is not None and hello.kind == "ready"
                if hello is not None and not self._is_ready:
                    yield hello
                    return
            send(self._process.stdin, asked)
            while (said := self._next()) is not None:
                yield said
                if said.kind not in ("begin", "piece"):
                    return
        except OSError:
            return

    def _next(self) -> Answered | None:
        assert self._process.stdout is not None
        frame = receive(self._process.stdout)
        return None if frame is None else msgspec.msgpack.decode(frame, type=Answered)

    def end(self) -> int:
        """Kill the process, if it lives; returns how it ended."""
        with contextlib.suppress(OSError):
            self._process.kill() if self._process.poll() is None else None
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return code


class Answerers:
    """Some processes that answer questions about one crawl, each answer whole."""

    def __init__(self, folder: Path, most: int, largest_bytes: int = 0) -> None:
        self._folder = folder
        self._largest_bytes = largest_bytes
        self._free: queue.LifoQueue[AnsweringProcess | None] = queue.LifoQueue()
        self._all: set[AnsweringProcess] = set()
        self._lock = threading.Lock()
        for _ in range(most):
            self._free.put(None)

    def ask(self, question: Question, seconds: float) -> Answered:
        """Have a question answered; waits for a process as long as a question may take."""
        try:
            process = self._free.get(timeout=seconds)
        except queue.Empty:
            return Answered("busy", "too many questions at once: ask again later")
        try:
            if process is None:
                process = AnsweringProcess(self._folder, MOST_MEMORY_BYTES)
                with self._lock:
                    self._all.add(process)
            pieces: list[bytes] = []
            last = None
            for said in process.answer(Asked(question, seconds, self._largest_bytes)):
                last = said
                if said.kind == "piece":
                    pieces.append(said.body)
            if last is None or last.kind in ("begin", "piece", "unguarded"):
                with self._lock:
                    self._all.discard(process)
                code, process = process.end(), None
                return last if last and last.kind == "unguarded" else _ended(code, seconds)
            last.body = b"".join(pieces)
            return last
        finally:
            self._free.put(process)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            for process in self._all:
                process.end()
            self._all.clear()


def _ended(code: int, seconds: float) -> Answered:
    if code == -signal.SIGALRM:
        return Answered("too-slow", f"the answer takes longer than {seconds:g} s")
    return Answered("failed", "the answer takes too much memory")


def raise_unless_answered(said: Answered | None) -> None:
    """Raise what a caller in Python gets instead of an answer."""
    if said is None or said.kind in ("begin", "piece"):
        raise QueryError("the question ended the process that answers it\n  ask for less at once")
    if said.kind == "refused":
        raise Refused(said.text)
    if said.kind != "answer":
        raise QueryError(said.text)
