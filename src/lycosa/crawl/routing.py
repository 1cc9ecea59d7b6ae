"""Links: made canonical, found in scope, near enough, and sent to their partition.

A link to a URL of the same partition is admitted at once. Any other goes, with the
next commit, to the inbox of its partition, also if this worker owns it: partitions
share nothing, and one rule serves one worker and a hundred.

When a page turns out to be nearer to the seeds than was thought, its links are nearer
too. They are read back from the store and routed again, from page to page, until
nothing comes nearer any more (`lycosa.frontier.distance` says why that ends right).
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.config import Job
from lycosa.crawl.parts import Parts
from lycosa.frontier.distance import FARTHEST, depth_of, through
from lycosa.frontier.partition import Partition
from lycosa.records import Discovered, KeyedLink, Link
from lycosa.url import canonical_keys, is_dynamic, refusal

RECENT_POSTS = 2048
"""How many URLs sent abroad a partition remembers, so as not to send them again and again."""


class Router:
    """Decides where links go; one per worker."""

    def __init__(self, parts: Parts) -> None:
        self._job: Job = parts.job
        self._scope = parts.scope
        self._store = parts.store
        self._partition_of = parts.partitioner.partition_of
        self._posted: dict[int, dict[str, int]] = {}

    def resolve(self, partition: Partition, links: Sequence[Link], base: str) -> list[KeyedLink]:
        """Return the links that are URLs and in scope, each once; the rest is counted."""
        hrefs = [link.href for link in links]
        found: dict[KeyedLink, None] = {}
        for link, key in zip(links, canonical_keys(hrefs, base), strict=True):
            if key is None:
                partition.count_refusal(refusal(link.href, base) or "invalid")
                continue
            verdict = self._scope.judge(key)
            if verdict.key is None:
                partition.count_refusal(verdict.reason)
            else:
                found[KeyedLink(verdict.key, link.kind)] = None
        return list(found)

    def route(
        self, partition: Partition, moment: float, page: int, links: Sequence[KeyedLink]
    ) -> None:
        """Send the links of a page on their way, and of every page that comes nearer by it."""
        self._pass_on(partition, moment, self._route_one(partition, moment, page, links))

    def admit(self, partition: Partition, found: Discovered) -> None:
        """Admit what came through the inbox, and pass on what came nearer by it."""
        nearer = partition.admit(found.moment, found.source, found.keys, found.distances)
        self._pass_on(partition, found.moment, nearer)

    def _pass_on(self, partition: Partition, moment: float, nearer: list[int]) -> None:
        while nearer:
            page = nearer.pop()
            place = partition.state.place_of(page)
            if place is not None:
                links = self._store.links(place)
                nearer += self._route_one(partition, moment, page, links)

    def _route_one(
        self, partition: Partition, moment: float, page: int, links: Sequence[KeyedLink]
    ) -> list[int]:
        """Route one page's links; returns the pages of this partition that came nearer."""
        source = partition.state.table.key(page)
        distance = partition.state.pages.distance[page]
        targets: dict[int, tuple[list[str], list[int]]] = {}
        for key, kind in links:
            reached = through(distance, kind)
            if not self.is_near_enough(key, reached):
                partition.count_refusal("too-deep")
                continue
            target = self._partition_of(key)
            keys, distances = targets.setdefault(target, ([], []))
            keys.append(key)
            distances.append(reached)
        own = targets.pop(partition.number, None)
        for target, (keys, distances) in targets.items():
            self._post(partition, target, Discovered(moment, source, keys, distances))
        return partition.admit(moment, source, *own) if own else []

    def is_near_enough(self, key: str, distance: int) -> bool:
        """Return whether the depth limits admit a URL at this distance."""
        limits = self._job.limits
        limit = limits.depth_dynamic if is_dynamic(key) else limits.depth_static
        return depth_of(distance) <= limit and distance <= FARTHEST

    def _post(self, partition: Partition, target: int, found: Discovered) -> None:
        posted = self._posted.setdefault(partition.number, {})
        fresh = [
            (key, distance)
            for key, distance in zip(found.keys, found.distances, strict=True)
            if distance < posted.get(key, distance + 1)
        ]
        if not fresh:
            return
        if len(posted) > RECENT_POSTS:
            posted.clear()
        posted.update(fresh)
        keys, distances = zip(*fresh, strict=True)
        partition.post(target, Discovered(found.moment, found.source, list(keys), list(distances)))
