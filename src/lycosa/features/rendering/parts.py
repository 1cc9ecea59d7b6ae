"""Knows which parts of a page the crawl holds, in this partition or in another one.

A part is a URL like any other: its own partition fetches it. The partition of the page asks for
the place of its record (`PartsWanted`), and is told once, when the part has come or cannot come any
more (`PartsFound`). Both remember that in their logs, so that no question and no answer is lost.

A part is kept whatever its type, in the size of a page: Markdown, tables, programs. A URL is a part
because a page asked for it, so a file that is only linked ends as `wrong_type`. It is
not fetched again when a page asks for it later: its answer is in the archive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from lycosa.crawl.ports import Ports
from lycosa.errors import LycosaError, StoreError
from lycosa.fetch.browser.protocol import Holding, Part, PartWanted
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.records import (
    Outcome,
    PartsFound,
    PartsNoted,
    PartsWanted,
    Place,
)
from lycosa.model.url import Verdict, canonical_key
from lycosa.model.url.scope import OUT_OF_SCOPE
from lycosa.storage.warc.record_reader import Stored

MOST_REDIRECTS = 5
MOST_CACHED_BYTES = 32 << 20
MOST_REFUSED = 50
"""Parts of a page of which it is noted that they did not come."""
NOT_FETCHED = "not-fetched"
"""The reason of a part that the frontier did not take, or that did not come before the end."""
ELSEWHERE = "elsewhere"
"""The reason of a part whose record is on another machine, or gone."""
GONE, MISSING = Part(Holding.GONE), Part(Holding.MISSING)


def part_key(judge: Callable[[str], Verdict], url: str) -> tuple[str, str]:
    """Return the key of a part that a page asks for, or "" and why it is not to be had.

    A part may be out of scope, as the requisites of a page may; what a rule rejects it may not be.
    """
    key = canonical_key(url, url)
    if key is None:
        return "", "not-a-url"
    verdict = judge(key)
    if verdict.key is None and verdict.reason != OUT_OF_SCOPE:
        return "", verdict.reason
    return verdict.key or key, ""


def find_part(
    judge: Callable[[str], Verdict],
    look: Callable[[str], tuple[Part, str]],
    refused: dict[str, str],
    wanted: PartWanted,
) -> Part:
    """Return what is held of a URL that a page asks for; why nothing is goes to `refused`.

    `look` returns the part with a key, or why there is none.
    """
    key, why = part_key(judge, wanted.url)
    part, why = look(key) if key else (GONE, why)
    if part.holding is Holding.GONE and wanted.is_needed and len(refused) < MOST_REFUSED:
        refused[wanted.url] = why
    return part


class Parts:
    """Finds parts of pages; one per worker."""

    def __init__(self, ports: Ports, read: Callable[[Place], Stored]) -> None:
        self._judge = ports.scope.judge
        self._store = ports.store
        self._partition_of = ports.partitioner.partition_of
        self._read = read
        self._cache: dict[Place, Part] = {}
        self._cached_bytes = 0

    def find(self, partition: Partition, refused: dict[str, str], wanted: PartWanted) -> Part:
        """Return what is held of a URL that a page asks for; why nothing is goes to `refused`."""
        return find_part(self._judge, partial(self._found, partition), refused, wanted)

    def _found(self, partition: Partition, key: str) -> tuple[Part, str]:
        """Return a part, or why there is none."""
        place, last = self._place(partition, key)
        if place is not None:
            part = self._part(place)
            return part, "" if part.holding is Holding.HELD else ELSEWHERE
        if not self.is_settled(partition, key):
            return MISSING, ""
        state = partition.state
        if self._is_foreign(partition, last):
            outcome: int | None = state.rendering.refused.get(last)
        else:
            page = state.table.find(last)
            outcome = state.outcome_of(page) if page is not None else None
        return GONE, Outcome(outcome).name.lower() if outcome else NOT_FETCHED

    def is_settled(self, partition: Partition, key: str) -> bool:
        """Return whether a part has come, or cannot come any more."""
        for _ in range(MOST_REDIRECTS):
            if self._is_foreign(partition, key):
                if key not in partition.state.rendering.moved:
                    return key in partition.state.rendering.came
                key = partition.state.rendering.moved[key]
                continue
            ended, place, target = self._own(partition.state, key)
            if not ended or place is not None or not target:
                return ended
            key = target
        return True

    def may_come(self, partition: Partition, key: str) -> bool:
        """Return whether a URL is known here, or is up to another partition."""
        return self._is_foreign(partition, key) or partition.state.table.find(key) is not None

    def _place(self, partition: Partition, key: str) -> tuple[Place | None, str]:
        """Return the record of a part, and the URL that it has after its redirects."""
        for _ in range(MOST_REDIRECTS):
            if self._is_foreign(partition, key):
                known = partition.state.rendering
                if key not in known.moved:
                    return known.came.get(key), key
                key = known.moved[key]
                continue
            _, place, target = self._own(partition.state, key)
            if place is not None or not target:
                return place, key
            key = target
        return None, key

    def _is_foreign(self, partition: Partition, key: str) -> bool:
        return self._partition_of(key) != partition.number

    def _own(self, state: PartitionState, key: str) -> tuple[bool, Place | None, str]:
        """Return whether a URL has ended, its record if it is kept, or where it leads."""
        page = state.table.find(key)
        if page is None:
            return False, None, ""
        outcome, place = state.pages.outcome[page], state.place_of(page)
        # A file that came as a link, before a page asked for it, is in the archive all the same.
        if outcome in (Outcome.KEPT, Outcome.WRONG_TYPE) and place is not None:
            return True, place, ""
        if state.is_pending(page):
            return False, None, ""
        if outcome == Outcome.REDIRECTED and place is not None:
            try:
                links = self._store.links(place)
            except (StoreError, LycosaError):
                return True, None, ""
            return True, None, links[0].key if links else ""
        return True, None, ""

    def _part(self, place: Place) -> Part:
        part = self._cache.get(place)
        if part is None:
            try:
                stored = self._read(place)
            except (StoreError, LycosaError):  # on another machine, or removed meanwhile
                return GONE
            part = Part(Holding.HELD, stored.status, list(stored.headers), stored.body)
            self._cached_bytes += len(part.body)
            if self._cached_bytes > MOST_CACHED_BYTES:
                self._cache.clear()
                self._cached_bytes = len(part.body)
            self._cache[place] = part
        return part

    # -- what is a part ---------------------------------------------------------------------

    def want(self, partition: Partition, keys: Iterable[str]) -> None:
        """Note which URLs of this partition are parts from now on."""
        known = partition.state.rendering.parts
        new = [key for key in keys if key not in known and not self._is_foreign(partition, key)]
        if new:
            partition.record(PartsNoted(parts=new))

    def led_on(self, partition: Partition, key: str, target: str) -> None:
        """Note that a part is to be had at another URL."""
        if key in partition.state.rendering.parts:
            self.want(partition, [target])
            self.seek(partition, [target])

    # -- other partitions -------------------------------------------------------------------

    def seek(self, partition: Partition, keys: Iterable[str]) -> None:
        """Ask other partitions for parts of theirs that nothing is known of."""
        known = partition.state.rendering
        wanted: dict[int, list[str]] = {}
        for key in keys:
            while key in known.moved:
                key = known.moved[key]
            if self._is_foreign(partition, key) and key not in known.came:
                wanted.setdefault(self._partition_of(key), []).append(key)
        for number, some in wanted.items():
            partition.post(number, PartsWanted(partition.number, some))

    def wanted(self, partition: Partition, message: PartsWanted) -> None:
        """Remember what another partition waits for."""
        partition.record(PartsNoted(sought=dict.fromkeys(message.keys, message.partition)))

    def found(self, partition: Partition, message: PartsFound) -> None:
        """Take in an answer; where a part has moved, ask on."""
        partition.record(
            PartsNoted(came=message.came, moved=message.moved, refused=message.refused)
        )
        self.want(partition, message.moved.values())
        self.seek(partition, message.moved.values())

    def tell(self, partition: Partition) -> None:
        """Answer those who wait for parts that have come, or cannot come."""
        state = partition.state
        came: dict[int, dict[str, Place | None]] = {}
        moved: dict[int, dict[str, str]] = {}
        refused: dict[int, dict[str, int]] = {}
        told: list[str] = []
        for key, partitions in state.rendering.sought.items():
            ended, place, target = self._own(state, key)
            if not ended and state.table.find(key) is not None:
                continue
            told.append(key)
            for number in partitions:
                if target:
                    moved.setdefault(number, {})[key] = target
                    continue
                came.setdefault(number, {})[key] = place
                page = state.table.find(key) if place is None else None
                outcome = state.outcome_of(page) if page is not None else None
                if outcome is not None:
                    refused.setdefault(number, {})[key] = int(outcome)
        for number in {**came, **moved}:
            answer = PartsFound(
                came.get(number, {}), moved.get(number, {}), refused.get(number, {})
            )
            partition.post(number, answer)
        if told:
            partition.record(PartsNoted(told=told))
