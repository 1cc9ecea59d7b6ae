"""Fetches what has come into the inboxes of a worker's partitions.

The log of one machine answers at once, so the worker reads it in its own thread (`LocalMail`). A
log in a server may let a reader wait, and a worker must not: what has come in is fetched beside
it, and the worker decides on what the last fetch has brought (`DistantMail`).

Always true: notes are learnt before the entries that were posted in their knowledge. A worker notes
a host that joins the scope before it posts anything, so notes are read after the inboxes are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.ports import Ports
from lycosa.errors import LogUnavailable

Entries = list[tuple[int, bytes]]


class Mail(Protocol):
    """Where a worker gets the messages for its partitions."""

    def look(self, after: Mapping[int, int]) -> Sequence[int]:
        """Get ready what has come in after these sequences, or begin to; returns who has mail."""

    def entries(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield what has come into an inbox, as far as the last look has found it."""


class LocalMail:
    """Reads the inboxes of a log that answers at once, by one question for all of them."""

    def __init__(self, ports: Ports) -> None:
        self._log = ports.log
        self._scope = ports.scope
        self._come: dict[int, Entries] = {}

    def look(self, after: Mapping[int, int]) -> Sequence[int]:
        """Read what has come in, then what was noted until then."""
        self._come = come = self._log.inboxes(after)
        self._scope.look_again()
        return [partition for partition in after if partition in come] if come else ()

    def entries(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield what the last look has found."""
        yield from self._come.pop(partition, ())


class _Fetched(NamedTuple):
    """The result of one fetch."""

    entries: dict[int, Entries]
    note: int
    """The number of the last note."""
    notes: dict[str, bytes]


class DistantMail:
    """Fetches inboxes and notes beside the worker, one fetch at a time."""

    def __init__(self, ports: Ports, on_come: Callable[[], None]) -> None:
        """`on_come` is called when a fetch has brought something."""
        self._clock = ports.clock
        self._log = ports.log
        self._scope = ports.scope
        self._on_notes = ports.on_notes
        self._on_come = on_come
        self._is_fetching = False
        self._note = 0
        self._come: dict[int, Entries] = {}

    def look(self, after: Mapping[int, int]) -> Sequence[int]:
        """Begin a fetch, unless one is under way or has brought what is not decided on yet."""
        with_mail = self._with_mail(after)
        if self._is_fetching or with_mail:
            return with_mail
        self._is_fetching = True
        wanted, note = dict(after), self._note
        self._clock.run_aside(lambda: self._fetch(wanted, note), self._fetched)
        return self._with_mail(after)  # a simulation's fetch may be over already

    def _with_mail(self, after: Mapping[int, int]) -> list[int]:
        """Return the partitions for which the last fetch has brought something."""
        come = self._come
        return [one for one, last in after.items() if one in come and come[one][-1][0] > last]

    def entries(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield what the last fetch has brought."""
        for entry in self._come.get(partition, ()):
            if entry[0] > after:
                yield entry

    def _fetch(self, after: Mapping[int, int], note: int) -> _Fetched | None:
        try:
            entries = self._log.inboxes(after)
            return _Fetched(entries, *self._log.notes_since(note))
        except LogUnavailable:
            return None  # the next look asks again

    def _fetched(self, came: _Fetched | None) -> None:
        self._is_fetching = False
        if came is None:
            return
        self._note, self._come = came.note, came.entries
        if came.notes:
            self._scope.learn(came.notes)
            self._on_notes(came.notes)
        if came.entries:
            self._on_come()
