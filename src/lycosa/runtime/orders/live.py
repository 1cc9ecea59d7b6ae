"""`live.json`: the present state of a running crawl, for programs that look at it once a second.

The process that reports the progress of a crawl writes a frame into the crawl directory every
second, and a last frame at the end. The file is renamed into place, so a reader finds a whole
frame. It is not synced: after a power failure a frame may be old or missing, and the log still
knows everything.

A frame may be old because its process was killed or the crawl has ended. `is_fresh` compares its
moment with the clock. The directory's lock tells whether a process is crawling
(`CrawlDirectory.holder`).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

import msgspec

from lycosa._support import beneath
from lycosa._support.decoders import json_decoder
from lycosa.crawl.status.progress import Progress
from lycosa.runtime.cluster.settings import Value

NAME = "live.json"
VERSION = 1
FRESH_SECONDS = 5.0
"""Age in seconds after which a frame is no longer taken for the present."""

State = Literal["running", "paused", "stopping", "ended"]


class Frame(msgspec.Struct, frozen=True):
    """The state of a crawl at one moment."""

    pid: int
    """Process id of the process that leads the crawl."""
    moment: float
    """Time of writing, by the machine's clock."""
    state: State
    progress: dict[str, Any]
    """The fields of `Progress` by name."""
    reason: str = ""
    """Reason why the run has ended; "" before that."""
    limits: dict[str, int | float] = {}
    """The limits in force, orders included: `pages`, `bytes`, `seconds`; 0 is none."""
    values: dict[str, Value] = {}
    """The keys that orders have changed."""
    rules: dict[int, dict[str, Any]] = {}
    """The rules that orders have added, by the numbers of the orders."""
    order: int = 0
    """The number of the last order that all workers have applied and made durable."""
    version: int = VERSION

    def figures(self) -> Progress:
        """Return the progress without fields that only another release knows."""
        known = {name: value for name, value in self.progress.items() if name in Progress._fields}
        return Progress(**known)

    def is_fresh(self, now: float | None = None) -> bool:
        """Return whether the frame was written in the last `FRESH_SECONDS`."""
        return abs((time.time() if now is None else now) - self.moment) <= FRESH_SECONDS


def write_frame(directory: Path, frame: Frame) -> None:
    """Put a frame into a crawl directory, in place of the previous frame."""
    temporary = directory / f"{NAME}.writing"
    beneath.write_bytes(temporary, msgspec.json.encode(frame))
    temporary.rename(directory / NAME)


def read_frame(directory: Path) -> Frame | None:
    """Return the last frame of a crawl directory; None if none can be read."""
    try:
        return json_decoder(Frame).decode(beneath.read_bytes(directory / NAME))
    except (OSError, msgspec.DecodeError):
        return None
