"""Frames of a crawl whose log is in a server: from the board that its members write.

While members crawl, a frame is the sum of what they report, and nothing of the log is read. When
none does, the log is folded once after each run, by `lycosa status` in a process of its own: the
server stays as small as it is, and a fold that takes too long is killed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import msgspec

from lycosa.runtime.cluster.status import ClusterReader, ClusterView
from lycosa.runtime.directory import CrawlDirectory
from lycosa.web.rest.records import Frame

LOOK_SECONDS = 2.0
"""Seconds between two writes of a member to the board."""
FOLD_SECONDS = 120.0
_FOLDED = ("pages", "bytes", "pending", "urls", "outcomes", "refusals", "left_out")


class BoardFrames:
    """Reads the frames of a crawl; one caller at a time."""

    def __init__(self, directory: CrawlDirectory) -> None:
        self._directory = directory
        self._reader: ClusterReader | None = None
        self._looked = 0.0
        self._view: ClusterView | None = None
        self._rest: tuple[tuple[int, str], dict[str, Any]] | None = None

    def look(self, limits: dict[str, Any]) -> Frame:
        """Return the current frame; raise `LogUnavailable` if the server has never answered."""
        if self._view is None or time.monotonic() - self._looked > LOOK_SECONDS:
            if self._reader is None:
                self._reader = ClusterReader(self._directory)
            self._view = self._reader.look()
            self._looked = time.monotonic()
        view = self._view
        changed = {name: value for name, value in view.settings.values.items() if name in limits}
        told: dict[str, Any] = {"moment": time.time(), "reason": view.ended}
        told["limits"] = limits | changed
        if not view.members:
            state = "ended" if view.ended else "resting"
            return Frame(state=state, **told, **self._folded(view))
        total = view.total
        return Frame(
            state="paused" if view.settings.is_paused else "running",
            **told,
            is_live=True,
            pages=total.pages,
            bytes=total.bytes,
            urls=total.urls,
            pending=total.waiting,
            in_flight=total.in_flight,
            pages_per_second=total.pages_per_second,
            workers=len(view.alive),
        )

    def close(self) -> None:
        """Close the connections."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _folded(self, view: ClusterView) -> dict[str, Any]:
        """Return the figures after the last run; nothing if they cannot be had."""
        run = (view.run, view.ended)
        if self._rest is None or self._rest[0] != run:
            self._rest = (run, _status(self._directory.shown))
        return self._rest[1]


def _status(place: str) -> dict[str, Any]:
    command = [sys.executable, "-P", "-m", "lycosa", "status", place, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=FOLD_SECONDS, check=True)
        found: dict[str, Any] = msgspec.json.decode(done.stdout)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError):
        return {}
    return {name: found[name] for name in _FOLDED if found.get(name) is not None}
