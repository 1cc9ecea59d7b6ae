"""Questions are answered by processes of their own, which end when they take too long.

A question that is being answered cannot be interrupted from within. So each process answers one
question at a time, under an alarm: when it rings, the kernel ends the process, wherever it is.
Whoever asked learns that, and the next question gets a new process. A process that has answered
waits for the next question; it opens the index anew when there is a newer generation of it.

Processes talk over pipes, in frames of MessagePack with their length before them.

Always true: no question runs longer than its time, also when the server has died meanwhile.
"""

from __future__ import annotations

import contextlib
import io
import queue
import resource
import signal
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

import msgspec

from lycosa.errors import LycosaError, QueryError
from lycosa.serve.protocol import MEDIA_TYPES, Question, chosen_form

MOST_MEMORY_BYTES = 4 << 30
"""Of a process, addresses that RocksDB maps included."""

_LENGTH = struct.Struct("<I")


class Asked(msgspec.Struct):
    """A question on its way to a process."""

    question: Question
    seconds: float
    largest_bytes: int


class Answered(msgspec.Struct):
    """What a process says."""

    kind: str
    """`answer`, or why there is none: `refused`, `failed`, `too-large`, `not-acceptable`."""
    text: str = ""
    """The media type of an answer; otherwise what is wrong."""
    body: bytes = b""


# -- the side that asks -----------------------------------------------------------------------


class Answerers:
    """Some processes that answer questions about one crawl."""

    def __init__(self, folder: Path, most: int, seconds: float, largest_bytes: int) -> None:
        self._folder = folder
        self.seconds = seconds
        self._largest_bytes = largest_bytes
        self._free: queue.LifoQueue[_Process | None] = queue.LifoQueue()
        self._all: set[_Process] = set()
        self._lock = threading.Lock()
        for _ in range(most):
            self._free.put(None)

    def ask(self, question: Question) -> Answered:
        """Have a question answered; waits for a process as long as a question may take."""
        try:
            process = self._free.get(timeout=self.seconds)
        except queue.Empty:
            return Answered("busy", "too many questions at once: ask again later")
        try:
            if process is None:
                process = _Process(self._folder)
                with self._lock:
                    self._all.add(process)
            answered = process.ask(Asked(question, self.seconds, self._largest_bytes))
            if answered is None:
                with self._lock:
                    self._all.discard(process)
                code, process = process.end(), None
                return self._ended(code)
            return answered
        finally:
            self._free.put(process)

    def _ended(self, code: int) -> Answered:
        if code == -signal.SIGALRM:
            return Answered("too-slow", f"the answer takes longer than {self.seconds:g} s")
        return Answered("failed", "the answer takes too much memory")

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            for process in self._all:
                process.end()
            self._all.clear()


class _Process:
    """One process that answers questions."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lycosa.serve.answering", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, asked: Asked) -> Answered | None:
        """Put a question; returns None when the process has ended instead of answering."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            _send(self._process.stdin, msgspec.msgpack.encode(asked))
            frame = _receive(self._process.stdout)
        except OSError:
            return None
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


def _send(pipe: IO[bytes], frame: bytes) -> None:
    pipe.write(_LENGTH.pack(len(frame)) + frame)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes | None:
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    frame = pipe.read(length)
    return frame if len(frame) == length else None


# -- the side that answers --------------------------------------------------------------------


class _TooLarge(Exception):
    """The answer is longer than it may be."""


class _Bounded(io.BytesIO):
    """Takes so many bytes and no more."""

    def __init__(self, largest_bytes: int) -> None:
        super().__init__()
        self._left = largest_bytes
        self.is_exceeded = False

    def write(self, data: Any, /) -> int:
        """Take bytes."""
        self._left -= len(data)
        if self._left < 0:
            self.is_exceeded = True
            raise _TooLarge
        return super().write(data)


def _answer(store: Any, asked: Asked) -> Answered:
    from lycosa.query import asking

    output = _Bounded(asked.largest_bytes)
    try:
        answer = asking.ask(store, *asked.question[:3])
        form = chosen_form(asked.question.accept, asking.forms_of(answer))
        if form is None:
            known = ", ".join(MEDIA_TYPES[form] for form in asking.forms_of(answer))
            return Answered("not-acceptable", f"the answer can be had as {known}")
        asking.write(answer, form, output)
        return Answered("answer", MEDIA_TYPES[form], output.getvalue())
    except asking.Refused as refusal:
        return Answered("refused", str(refusal))
    except Exception as error:
        if output.is_exceeded:
            text = f"the answer is longer than {asked.largest_bytes:,} bytes: add a LIMIT"
            return Answered("too-large", text)
        if not isinstance(error, LycosaError):
            return Answered("failed", f"{type(error).__name__}: {error}")
        return Answered("failed", str(error))


def main(folder: Path) -> None:
    """Answer questions from standard input until there are no more."""
    from lycosa.query.index import Index

    for wanted in (signal.SIGINT, signal.SIGTERM):
        signal.signal(wanted, signal.SIG_IGN if wanted == signal.SIGINT else signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    index = Index(folder)
    frame = _receive(sys.stdin.buffer)
    while frame is not None:
        generation = index.generation()
        try:
            with index.reading() as store:
                while frame is not None and index.generation() == generation:
                    asked = msgspec.msgpack.decode(frame, type=Asked)
                    signal.setitimer(signal.ITIMER_REAL, asked.seconds)
                    answered = _answer(store, asked)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    _send(sys.stdout.buffer, msgspec.msgpack.encode(answered))
                    frame = _receive(sys.stdin.buffer)
                del store
        except QueryError as error:
            _send(sys.stdout.buffer, msgspec.msgpack.encode(Answered("failed", str(error))))
            frame = _receive(sys.stdin.buffer)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
