"""Keeps the URL tables of a worker within the memory that the job gives them.

When they take more, whole sites are spilled to disk (`lycosa.frontier.urltable.compact`): first
those with nothing left to fetch, then those that wait for longer than `FAR_SECONDS`, the largest
first, until the tables take nine tenths of the limit or no such site is left. Any use of a spilled
site, such as a new URL or its host becoming due, brings it back.

Spilled sites are neither state nor needed to resume: the snapshot has all keys.

Cost: while the tables are within the limit, one sum over the partitions. Beyond it, a look at
all sites; if that has found too little, the next look waits until a twentieth more is held
or `AGAIN_SECONDS` are over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from lycosa._support.tuples import NamedTuple
from lycosa.frontier.partition import Partition

FAR_SECONDS = 600.0
AGAIN_SECONDS = 60.0
LEAST_URLS = 16
"""A smaller site saves little: some 240 bytes of it stay in memory, and the places of its URLs."""


class _Candidate(NamedTuple):
    is_waiting: bool
    minus_urls: int
    partition: int
    site: int


class MemoryLimit:
    """Spills sites when the tables take too much memory; one for each worker."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._next_look_bytes = most_bytes
        self._next_look = 0.0

    def allow(self, most_bytes: int) -> None:
        """Let the tables take this much from now on."""
        if most_bytes != self._most_bytes:
            self._most_bytes = self._next_look_bytes = most_bytes

    def look(self, partitions: Collection[Partition], now: float) -> int:
        """Spill sites if the tables take too much; return how many."""
        if not self._most_bytes:
            return 0
        held = _held(partitions)
        if held <= self._most_bytes or (held <= self._next_look_bytes and now < self._next_look):
            return 0
        by_number = {partition.number: partition for partition in partitions}
        spilled = 0
        touched: set[int] = set()
        enough = self._most_bytes * 9 // 10
        for candidate in sorted(_candidates(partitions, now)):
            if held <= enough:
                break
            table = by_number[candidate.partition].state.table
            before = table.bytes_in_use()
            try:
                is_spilled = table.spill(candidate.site)
            except OSError:
                break  # the disk is full: the limit on it ends the crawl, this one must not
            if is_spilled:
                spilled += 1
                touched.add(candidate.partition)
                held -= before - table.bytes_in_use()
        for number in touched:
            by_number[number].state.table.tighten()
        held = _held(partitions)
        self._next_look = now + AGAIN_SECONDS
        self._next_look_bytes = max(self._most_bytes, held + held // 20)
        return spilled


def _held(partitions: Collection[Partition]) -> int:
    return sum(partition.state.table.bytes_held() for partition in partitions)


def _candidates(partitions: Collection[Partition], now: float) -> Iterator[_Candidate]:
    for partition in partitions:
        state, table = partition.state, partition.state.table
        for site, host in enumerate(state.sites.host):
            urls = table.site_urls(site)
            if urls < LEAST_URLS or table.is_spilled(site):
                continue
            rests_until = partition.readiness.rests_until(host)
            if rests_until > now + FAR_SECONDS:
                yield _Candidate(rests_until != float("inf"), -urls, partition.number, site)
