"""Prints lines of text, and escapes control characters that came from the web.

Titles, URLs and errors come from strangers. So every line that a command prints goes through here,
on a terminal or not: control characters and those that change the direction of text are replaced
by their numbers (`lycosa._support.safe_text`). Tables and panels are drawn on a
`cli.screen.console.Screen`, whose own colours are let through.

Not here: data for programs (CSV, JSON lines, RDF, a page's own bytes), which is written to
standard output unchanged, unless standard output is a terminal (`Data`).
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from lycosa._support.safe_text import on_screen


class _Escaping:
    """A text stream that replaces control characters by their numbers."""

    def __init__(self, stream: IO[str]) -> None:
        self.plain = stream

    def write(self, text: str) -> int:
        """Write a text."""
        self.plain.write(on_screen(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write some texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)


def plain(stream: IO[str]) -> IO[str]:
    """Return the stream without escaping, for our own terminal commands."""
    while isinstance(stream, _Escaping):
        stream = stream.plain
    return stream


@contextlib.contextmanager
def escaping() -> Iterator[None]:
    """Escape everything that is printed within the `with` block."""
    before = sys.stdout, sys.stderr
    if any(isinstance(stream, _Escaping) for stream in before):
        yield
        return
    ours: Any = tuple(map(_Escaping, before))
    sys.stdout, sys.stderr = ours
    try:
        yield
    finally:
        if (sys.stdout, sys.stderr) == ours:
            sys.stdout, sys.stderr = before


def tells_lines() -> bool:
    """Return whether progress is written line by line: `lycosa serve` reads it."""
    return os.environ.get("LYCOSA_PROGRESS") == "lines"


@contextlib.contextmanager
def line_on_screen() -> Iterator[Callable[[str], None]]:
    """Return a function that overwrites one line on a terminal."""
    is_shown = sys.stderr.isatty()

    def show(text: str) -> None:
        if tells_lines() and text:
            print(text, file=sys.stderr, flush=True)
        elif is_shown:
            plain(sys.stderr).write(f"\r\x1b[K{on_screen(text)}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        show("")


class Data(io.RawIOBase):
    """Standard output for data: as it is for programs, escaped for people at a terminal."""

    def __init__(self) -> None:
        self._is_shown = sys.stdout.isatty()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any, /) -> int:
        """Write some bytes."""
        if self._is_shown:
            plain(sys.stdout).write(on_screen(self._decoder.decode(data)))
        else:
            sys.stdout.buffer.write(data)
        return len(data)

    def copy(self, path: Path) -> None:
        """Write what a file holds."""
        with path.open("rb") as file:
            while some := file.read(100_000):
                self.write(some)
        self.flush()

    def flush(self) -> None:
        """Write what is buffered."""
        sys.stdout.flush()
