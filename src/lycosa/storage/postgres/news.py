"""A thread that is notified of new messages, and a number that changes with each.

A committing process sends a NOTIFY afterwards, outside of the transaction: inside, it would take a
lock over the whole server. It is a hint and may be lost, also in a pooler, so the heads are also
read every two seconds.
"""

from __future__ import annotations

import threading
from contextlib import suppress

from lycosa.errors import LogError
from lycosa.storage.postgres.connection import Connection, Link

POLL_SECONDS = 2.0
_SLICES = 10
"""Checks in each such interval for the end of the thread."""


class News:
    """Listens on a connection of its own from the first question on."""

    def __init__(self, link: Link, schema: str) -> None:
        self._link = link
        self._schema = schema
        self._number = 0
        self._seen = -1
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def number(self) -> int:
        """Return a number that changes when something may have been posted; costs no network."""
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="news", daemon=True)
                    self._thread.start()
        return self._number

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(POLL_SECONDS + 10)
        self._link.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            with suppress(LogError):
                self._link.ask(self._listen)
            self._stop.wait(0.1)

    def _listen(self, connection: Connection) -> None:
        connection.execute(f'LISTEN "{self._schema}"'.encode())
        while not self._stop.is_set():
            ((total,),) = connection.execute(
                f'SELECT sum(inbox)::bigint FROM "{self._schema}".heads'.encode()
            )
            if total != self._seen:
                self._seen = total
                self._number += 1
            for _ in range(_SLICES):
                for _ in connection.notifies(timeout=POLL_SECONDS / _SLICES, stop_after=1):
                    self._number += 1
                if self._stop.is_set():
                    return
