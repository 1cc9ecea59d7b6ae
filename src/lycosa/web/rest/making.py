"""Makes what is computed from a crawl, in the background: list of pages, indexes, study, report.

Each is made by a process of its own, whose last line of output tells how far it is.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

import msgspec

from lycosa._support.safe_text import visible
from lycosa.web.rest.operations import Call, Operation
from lycosa.web.rest.records import MakingState
from lycosa.web.served import ServedCrawl

PAGE_LIST, INDEX, STUDY, REPORT = "page-list/copy", "index", "study", "report"
_TOLD_BYTES = 4_000
_MODULES: dict[str, list[str]] = {
    PAGE_LIST: ["lycosa.analysis.page_list.build_process"],
    INDEX: ["lycosa", "index", "--json", "--"],
    STUDY: ["lycosa", "study", "--json", "--"],
    REPORT: ["lycosa", "report", "--json", "--"],
}
_RESULTS = {
    PAGE_LIST: "index/page-list/current",
    INDEX: "index/triples/current",
    STUDY: "index/study/study.json",
    REPORT: "report/index.html",
}
"""Files that are written last."""


class Making:
    """A process that makes something, and what it tells."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self._told: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (read while it is written)
        self._began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=self._told,
            stderr=self._told,
            start_new_session=True,
            env={**os.environ, "LYCOSA_PROGRESS": "lines"},
        )

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def progress(self) -> str:
        """Return its last line, and for how long it runs."""
        return f"{self._words() or 'begun'}, {time.monotonic() - self._began:.0f} s"

    def problem(self) -> str:
        """Return why it has failed; "" if it has not."""
        code = self.process.returncode
        if not code:
            return ""
        return _error(self._lines()) or f"it ended with code {code}"

    def close(self) -> None:
        """End the process if it runs, and let its output go."""
        if self.is_running:
            self.process.terminate()
            self.process.wait()
        self._told.close()

    def _words(self) -> str:
        lines = self._lines()
        return _line(lines[-1]) if lines else ""

    def _lines(self) -> list[str]:
        size = os.fstat(self._told.fileno()).st_size
        content = os.pread(self._told.fileno(), _TOLD_BYTES, max(0, size - _TOLD_BYTES))
        return content.decode("utf-8", "replace").strip().splitlines()


def _error(lines: list[str]) -> str:
    """Return the error at the end of some output, with its remedies, which are indented."""
    begin = next((at for at in range(len(lines) - 1, -1, -1) if lines[at][:1].strip()), 0)
    return "\n".join(map(_line, lines[begin:]))


def _line(text: str) -> str:
    """Return a line of output in words."""
    try:
        found: Any = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return visible(text.rstrip())
    if not isinstance(found, dict):
        return ""
    if "error" in found:
        return visible(str(found["error"]))
    return f"{found.get('done', 0):,} of {found.get('of', 0):,} {found.get('what', '')}"


class Makings:
    """Studies, lists and reports that are being made, by crawl and kind."""

    def __init__(self) -> None:
        self._all: dict[tuple[Path, str], Making] = {}

    def state(self, crawl: ServedCrawl, kind: str) -> MakingState:
        """Return whether it is there, or being made."""
        path = crawl.directory.path.resolve()
        result = path / _RESULTS[kind]
        made = result.stat().st_mtime if result.exists() else None
        making = self._all.get((path, kind))
        if making is not None and making.is_running:
            return MakingState(state="making", made=made, progress=making.progress())
        if making is not None and making.problem():
            return MakingState(state="failed", made=made, problem=making.problem())
        return MakingState(state="none" if made is None else "ready", made=made)

    def make(self, crawl: ServedCrawl, kind: str) -> MakingState:
        """Start to make it, unless that is under way."""
        crawl.require_directory()
        path = crawl.directory.path.resolve()
        making = self._all.get((path, kind))
        if making is None or not making.is_running:
            if making is not None:
                making.close()
            self._all[path, kind] = Making([*_MODULES[kind], str(path)], path.parent)
        return self.state(crawl, kind)

    def end(self) -> None:
        """End what is being made; it can be made again at any time."""
        for making in self._all.values():
            making.close()
        self._all.clear()


makings = Makings()


def _operations(kind: str, name: str, title: str) -> list[Operation]:
    def get(call: Call) -> MakingState:
        return makings.state(call.crawl, kind)

    def make(call: Call) -> MakingState:
        return makings.make(call.crawl, kind)

    get.__name__, make.__name__ = f"get_{name}", f"make_{name}"
    path = f"/crawls/{{name}}/{kind}"
    return [
        Operation("GET", path, get, f"Whether there is {title}.", MakingState),
        Operation("POST", path, make, f"Make {title}, in the background.", MakingState, status=202),
    ]


OPERATIONS = [
    *_operations(PAGE_LIST, "page_list_copy", "a copy for the list of pages of a large crawl"),
    *_operations(INDEX, "index", "an index for search and SPARQL"),
    *_operations(STUDY, "study", "a study"),
]
