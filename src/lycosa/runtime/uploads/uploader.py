"""Copies sealed segments of a crawl directory to the store, in a thread of its own.

One process of a crawl directory uploads, the holder of its lock, for all its workers and for
earlier dead processes. It looks for sealed segments every two seconds. Files go first, the manifest
last.

Failed uploads are tried again without end, after pauses that grow to a minute. The log file notes
the first failure, repeats it every ten minutes, and notes the recovery. Nothing else waits for an
upload.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from pathlib import Path
from typing import NamedTuple

from lycosa._support.amounts import size_text
from lycosa.errors import LycosaError, StoreError
from lycosa.runtime.uploads.family import (
    family,
    family_bytes,
    manifest_of,
    packed,
    sealed_names,
)
from lycosa.runtime.uploads.sent import Sent
from lycosa.storage.archive.layout import Name, warc_names
from lycosa.storage.objects.manifests import manifest_key, read_manifest
from lycosa.storage.objects.protocol import Objects

LOOK_SECONDS = 2.0
FIRST_PAUSE_SECONDS, MOST_PAUSE_SECONDS = 1.0, 60.0
SAID_SECONDS = 600.0
"""Seconds between two notes of failing uploads in the log file."""
CALM_SECONDS = 10.0
"""Seconds of success after which the recovery is noted: a store may fail now and then."""

log_messages = logging.getLogger(__name__)


class Left(NamedTuple):
    """Content of a directory that is not in the store."""

    segments: int = 0
    """Sealed segments that wait to be copied."""
    bytes: int = 0
    """Length of their files, and of the records of open segments."""
    problem: str = ""
    """Reason why the last try failed; "" if it succeeded."""
    seconds: float = 0.0
    """Age of the oldest such content."""


class Uploader:
    """The thread that uploads the segments of one crawl directory."""

    def __init__(self, folder: Path, objects: Objects, sent: Sent, is_shared: bool) -> None:
        self._folder = folder
        self._objects = objects
        self._sent = sent
        self._is_shared = is_shared
        self._wake = threading.Event()
        self._asked = self._answered = 0
        self._is_closed = False
        self._put: set[str] = set()
        """Stored files of segments whose upload is not complete."""
        self._failures = 0
        self._say_at = 0.0
        self._left = Left()
        self._seen: dict[int, float] = {}
        """For each segment not in the store, the time when it was first seen."""
        self._thread = threading.Thread(target=self._run, name="lycosa-uploads", daemon=True)

    def start(self) -> None:
        """Begin to upload."""
        self._thread.start()

    @property
    def left(self) -> Left:
        """Content that was not in the store at the last look."""
        return self._left

    def look_now(self) -> None:
        """Look for sealed segments at once; `has_looked` says when `left` knows of them."""
        self._asked += 1
        self._wake.set()

    @property
    def has_looked(self) -> bool:
        """Whether a look has ended that began after `look_now`."""
        return self._answered == self._asked

    def close(self) -> None:
        """End after the present call; the next run uploads the rest."""
        self._is_closed = True
        self._wake.set()
        self._thread.join(0.2)

    # -- the thread -----------------------------------------------------------------------

    def _run(self) -> None:
        while not self._is_closed:
            self._wake.clear()
            pause = LOOK_SECONDS
            try:
                self._send_all()
            except (LycosaError, OSError) as problem:
                pause = self._failed(problem)
            except Exception as problem:
                log_messages.exception("an upload has failed unexpectedly")
                pause = self._failed(problem)
            self._wake.wait(pause)

    def _send_all(self) -> None:
        asked = self._asked
        waiting = [name for name in sealed_names(self._folder) if name.segment not in self._sent]
        self._count(waiting)
        self._answered = asked
        unreadable: OSError | None = None
        for name in list(waiting):
            if self._is_closed:
                return
            try:
                self._send(name)
                waiting.remove(name)
            except OSError as problem:  # this disk failed here; other segments may be readable
                unreadable = problem
            self._count(waiting)
        if unreadable is not None:
            raise unreadable

    def _send(self, name: Name) -> None:
        """Upload one segment; a repetition is harmless."""
        there = read_manifest(self._objects, name.segment)
        if there is None:
            files = family(self._folder, name)
            manifest = manifest_of(name, files, self._is_shared)
            for key, path in files.items():
                if key not in self._put:
                    self._objects.put(key, path)
                    self._put.add(key)
                    self._has_worked()
            content = packed(manifest)
            if self._objects.create(manifest_key(name.segment), content):
                there = manifest
                size = sum(one.bytes for one in manifest.files.values())
                log_messages.info("segment %d is in the store: %s", name.segment, size_text(size))
            else:
                there = read_manifest(self._objects, name.segment)
        if there is not None and there.lost:
            log_messages.warning(
                "segment %d was given up by %s: its pages are fetched again, and the copy in %s"
                " does not count",
                name.segment,
                there.by or "the operator",
                self._folder,
            )
        self._put -= family(self._folder, name).keys()
        self._sent.add(name.segment)
        self._has_worked()

    def _count(self, waiting: list[Name]) -> None:
        sealed = {name.segment for name in waiting}
        names = [
            *waiting,
            *(
                name
                for name in warc_names(self._folder)
                if name.segment not in self._sent and name.segment not in sealed
            ),
        ]
        total, now = 0, time.monotonic()
        seen: dict[int, float] = {}
        for name in names:
            try:
                total += family_bytes(self._folder, name)
            except FileNotFoundError:  # a segment without a counted page is removed
                continue
            seen[name.segment] = self._seen.get(name.segment, now)
        self._seen = seen
        oldest = now - min(seen.values(), default=now)
        self._left = Left(len(waiting), total, self._left.problem, oldest)

    def _has_worked(self) -> None:
        self._failures = 0
        self._left = self._left._replace(problem="")
        if self._say_at and time.monotonic() > self._say_at - SAID_SECONDS + CALM_SECONDS:
            self._say_at = 0.0
            log_messages.info("%s: uploads work again", self._objects.place)

    def _failed(self, problem: Exception) -> float:
        """Note a failure; return the seconds to wait."""
        text = str(problem)
        self._failures += 1
        self._left = self._left._replace(problem=text.partition("\n")[0])
        if time.monotonic() >= self._say_at:
            self._say_at = time.monotonic() + SAID_SECONDS
            what = text if isinstance(problem, StoreError) else repr(problem)
            log_messages.warning("uploads wait, and will be retried: %s", what)
        longest = FIRST_PAUSE_SECONDS * (1 << min(self._failures - 1, 10))
        return min(MOST_PAUSE_SECONDS, longest) * random.uniform(0.5, 1.0)
