"""Enter pages that only the segments know in the log, instead of fetching them again.

A log that lost its end, or all of it, knows less than the segments. Each row of an unknown page
becomes the events that a crawl would have written: the URL is admitted, and its fetch is recorded
with the place of its record. Robots files are fetched again.

Links in transit between partitions are lost with a log. The links of stored pages are therefore
sent again if their target is unknown.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lycosa.crawl.scope import JobScope
from lycosa.errors import StoreError
from lycosa.frontier.distance import is_beyond, through
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import Partitioner
from lycosa.model.job import Job
from lycosa.model.records import (
    Admitted,
    AnyEvent,
    Discovered,
    Fetched,
    LinkKind,
    Outcome,
    Passed,
    Place,
    RecordsLost,
    RobotsState,
    outcome_named,
)
from lycosa.model.url import key_of, url_of
from lycosa.storage.archive.layout import Name, sealed_path
from lycosa.storage.archive.reader import rows
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Log, Write
from lycosa.storage.tables.link_ends import COUNTED_REASONS
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.tables.rows import signed, url_id
from lycosa.storage.warc.exchange import links_in
from lycosa.storage.warc.record_reader import WarcFiles

States = Mapping[int, PartitionState]

_COLUMNS = ["key", "outcome", "status", "size_bytes", "ended", "offset", "length", "distance"]
_POST_KEYS = 1000


class Adoption:
    """Enters unknown pages into partitions that the caller owns."""

    def __init__(self, log: Log, states: States, partitioner: Partitioner, job: Job) -> None:
        self._log = log
        self._states = states
        self._partition_of = partitioner.partition_of
        self._job = job
        self._now = time.time()

    def enter(self, folder: Path, unknown: Mapping[Name, Iterable[int]]) -> int:
        """Enter the fetches at these offsets; return their number."""
        found: dict[int, list[tuple[str, Any]]] = {}
        scope = JobScope(self._job, self._log)
        for name, offsets in unknown.items():
            wanted = set(offsets)
            with rows_file(sealed_path(folder, "pages", name)) as file:
                for batch in file.iter_batches(columns=_COLUMNS):
                    for row in batch.to_pylist():
                        if row["length"] and row["offset"] in wanted:
                            row["place"] = Place(name.segment, row["offset"], row["length"])
                            number = self._partition_of(row["key"])
                            found.setdefault(number, []).append((row["key"], row))
                            scope.join(row["key"])
        scope.write()
        for number, some in found.items():
            self._enter(number, some)
        return sum(map(len, found.values()))

    def _enter(self, number: int, found: list[tuple[str, Any]]) -> None:
        state = self._states[number]
        new = {key: row["distance"] for key, row in found if state.table.find(key) is None}
        events: list[AnyEvent] = []
        if new:
            events.append(Admitted(self._now, "", list(new), list(new.values())))
            state.apply(events[0])
        for key, row in sorted(found, key=lambda pair: pair[1]["ended"]):
            page = state.table.find(key)
            assert page is not None
            event = Fetched(
                row["ended"].timestamp(),
                page,
                outcome_named(row["outcome"]),
                row["status"],
                row["size_bytes"],
                0.0,
                self._now,
                row["place"],
            )
            state.apply(event)
            events.append(event)
        # The moment of an old fetch must not count as the crawl's last moment.
        events.append(Passed(self._now))
        state.apply(events[-1])
        self._commit(number, events)

    def _commit(self, number: int, events: list[AnyEvent]) -> None:
        state = self._states[number]
        write = Write(number, state.sequence, encode(events), (), state.inbox_read)
        (sequence,) = self._log.commit([write])
        assert sequence is not None
        state.sequence = sequence

    def ask_robots_again(self) -> int:
        """Let robots files be fetched again that were requested through another partition."""
        count = 0
        for number, state in self._states.items():
            sites = [
                site
                for site, robots in enumerate(state.sites.robots)
                if robots == RobotsState.ELSEWHERE
            ]
            if sites:
                event = RecordsLost(self._now, [], [], [], [], sites)
                state.apply(event)
                self._commit(number, [event])
                count += len(sites)
        return count

    def send_links(self, folder: Path) -> int:
        """Send the links of stored pages whose target is unknown; return their number."""
        limits = self._job.limits
        distances = self._distances()
        found: dict[int, dict[str, int]] = {}
        for source, target, kind in self._links(folder):
            distance = distances.get(source)
            if distance is None:
                continue
            if "#" in target:
                continue  # the log is lost that knew whether this was posted
            key = key_of(target)
            found_by = LinkKind[kind.upper()]
            reached = through(distance, found_by)
            number = self._partition_of(key)
            depth = limits.depth_dynamic if "?" in key else limits.depth_static
            if is_beyond(distance, found_by, depth):
                continue
            if self._states[number].table.find(key) is None:
                known = found.setdefault(number, {})
                known[key] = min(reached, known.get(key, reached))
        for number, keys in found.items():
            listed = list(keys.items())
            for first in range(0, len(listed), _POST_KEYS):
                some = dict(listed[first : first + _POST_KEYS])
                message = Discovered(self._now, "", list(some), list(some.values()))
                self._log.post(number, encode([message]))
        return sum(map(len, found.values()))

    def _distances(self) -> dict[int, int]:
        """Return the distance of every stored page, by its id in the tables."""
        return {
            signed(url_id(state.table.key(page))): state.pages.distance[page]
            for state in self._states.values()
            for page in range(len(state.table))
            if state.place_of(page) is not None
        }

    def _links(self, folder: Path) -> Iterator[tuple[int, str, str]]:
        """Yield source, target and kind of all stored links, including redirects."""
        for batch in rows(folder, "links", ["source_id", "target_url", "kind", "reason"]):
            for row in batch.to_pylist():
                if row["reason"] is None or row["reason"] in COUNTED_REASONS:
                    yield row["source_id"], row["target_url"], row["kind"]
        files = WarcFiles(folder)
        try:
            for state in self._states.values():
                for page, outcome in enumerate(state.pages.outcome):
                    place = state.place_of(page)
                    if outcome == Outcome.REDIRECTED and place is not None:
                        behind = Place(place.segment, place.offset + place.length, 0)
                        try:
                            found = links_in(files.member(behind))
                        except StoreError:
                            continue
                        source = signed(url_id(state.table.key(page)))
                        for link in found:
                            yield source, url_of(link.key), link.kind.name.lower()
        finally:
            files.close()
