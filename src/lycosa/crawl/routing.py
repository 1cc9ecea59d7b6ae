"""Links: made canonical, found in scope, near enough, and sent to their partition.

A link to a URL of the same partition is admitted at once. Any other goes, with the
next commit, to the inbox of its partition, also if this worker owns it: partitions
share nothing, and one rule serves one worker and a hundred.

When a page turns out to be nearer to the seeds than was thought, its links are nearer
too. They are read back from the store and routed again, from page to page, until
nothing comes nearer any more (`lycosa.frontier.distance` says why that ends right).
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from lycosa.crawl.parts import Parts
from lycosa.crawl.reading import RawLink
from lycosa.frontier.distance import SEED, farthest, through
from lycosa.frontier.partition import Partition
from lycosa.records import (
    FREE_KINDS,
    REQUISITE_KINDS,
    Discovered,
    FoundLink,
    KeyedLink,
    LinkKind,
)
from lycosa.url import canonical_keys, refusal, site_of, url_of
from lycosa.url.scope import OUT_OF_SCOPE

AnyLink = KeyedLink | FoundLink
REDIRECT = LinkKind.REDIRECT

RECENT_POSTS = 2048
"""How many URLs sent abroad a partition remembers, so as not to send them again and again."""


class Router:
    """Decides where links go; one per worker."""

    def __init__(self, parts: Parts) -> None:
        self._scope = parts.scope
        self._store = parts.store
        self._partition_of = parts.partitioner.partition_of
        self._wants_requisites = parts.job.extract.requisites
        self._posted: dict[int, dict[str, int]] = {}
        self._farthest_static = farthest(parts.job.limits.depth_static)
        self._farthest_dynamic = farthest(parts.job.limits.depth_dynamic)

    def resolve(
        self,
        partition: Partition,
        links: Sequence[RawLink],
        base: str,
        also_out_of_scope: Container[LinkKind] = REQUISITE_KINDS,
    ) -> list[FoundLink]:
        """Return the links that are URLs and in scope, each once; the rest is counted."""
        keys = canonical_keys([link[0] for link in links], base)
        has_rules = not self._scope.accepts_everything
        found: dict[tuple[str, LinkKind], FoundLink] = {}
        for (href, kind, text, rel, times), key in zip(links, keys, strict=True):
            if key is None:
                partition.count_refusal(refusal(href, base) or "invalid")
                continue
            if has_rules:
                verdict = self._scope.judge(key)
                if verdict.key is not None:
                    key = verdict.key
                elif not (kind in also_out_of_scope and verdict.reason == OUT_OF_SCOPE):
                    partition.count_refusal(verdict.reason)
                    continue
            if (key, kind) not in found:
                found[key, kind] = FoundLink(key, kind, text, rel, times)
        return list(found.values())

    def resolve_redirect(
        self, partition: Partition, page: int, links: Sequence[RawLink], base: str
    ) -> list[FoundLink]:
        """Resolve a redirect; where a seed is redirected to, joins the scope.

        What was asked for out of scope is part of a page, and so is where it moved to; what a
        page needs to be shown is asked for also where it has moved out of scope.
        """
        key, is_seed = partition.state.table.key(page), partition.state.pages.distance[page] == SEED
        for target in canonical_keys([link.href for link in links], base):
            if target is not None:
                self._scope.follow(key, target, is_seed=is_seed)
        is_part = page in partition.state.parts or self._scope.judge(key).reason == OUT_OF_SCOPE
        kinds = REQUISITE_KINDS | {REDIRECT} if is_part else REQUISITE_KINDS
        return self.resolve(partition, links, base, kinds)

    def sitemaps_found(
        self, partition: Partition, site: str, hrefs: Sequence[str], moment: float
    ) -> None:
        """Admit the sitemaps that a robots file names, as near as the site's first page."""
        links = [RawLink(href, LinkKind.SITEMAP) for href in hrefs]
        robots_key = site + "/robots.txt"
        targets: dict[int, list[str]] = {}
        for found in self.resolve(partition, links, url_of(robots_key)):
            targets.setdefault(self._partition_of(found.key), []).append(found.key)
        for target, keys in targets.items():
            discovered = Discovered(moment, robots_key, keys, [through(SEED, REDIRECT)] * len(keys))
            if target == partition.number:
                self.admit(partition, discovered)
            else:
                self._post(partition, target, discovered)

    def forget(self, partition: int) -> None:
        """Forget what a partition has posted: it is no longer ours."""
        self._posted.pop(partition, None)

    def route(
        self, partition: Partition, moment: float, page: int, links: Sequence[AnyLink]
    ) -> None:
        """Send the links of a page on their way, and of every page that comes nearer by it."""
        self._pass_on(partition, moment, self._route_one(partition, moment, page, links))

    def admit(self, partition: Partition, found: Discovered) -> None:
        """Admit what came through the inbox, and pass on what came nearer by it."""
        nearer = partition.admit(
            found.moment, found.source, found.keys, found.distances, found.parts
        )
        self._pass_on(partition, found.moment, nearer)

    def _pass_on(self, partition: Partition, moment: float, nearer: list[int]) -> None:
        while nearer:
            page = nearer.pop()
            place = partition.state.place_of(page)
            if place is not None:
                links = self._store.links(place)
                nearer += self._route_one(partition, moment, page, links)

    def _route_one(
        self, partition: Partition, moment: float, page: int, links: Sequence[AnyLink]
    ) -> list[int]:
        """Route one page's links; returns the pages of this partition that came nearer."""
        source = partition.state.table.key(page)
        distance = partition.state.pages.distance[page]
        real, free = through(distance, LinkKind.ANCHOR), through(distance, LinkKind.REDIRECT)
        own: tuple[list[str], list[int]] = ([], [])
        targets = {partition.number: own}
        found, site = own, "\0"
        parts: set[str] = set()
        if self._wants_requisites:
            parts.update(key for key, kind, *_ in links if kind in REQUISITE_KINDS)
        for key, kind, *_ in links:
            reached = free if kind in FREE_KINDS else real
            if reached > (self._farthest_dynamic if "?" in key else self._farthest_static):
                partition.count_refusal("too-deep")
                continue
            if not key.startswith(site):  # links come in runs of one site
                site = site_of(key) + "/"
                found = targets.setdefault(self._partition_of(key), ([], []))
            found[0].append(key)
            found[1].append(reached)
        del targets[partition.number]
        for target, (keys, distances) in targets.items():
            abroad = [key for key in keys if key in parts] if parts else []
            self._post(partition, target, Discovered(moment, source, keys, distances, abroad))
        mine = [key for key in own[0] if key in parts] if parts else []
        return partition.admit(moment, source, *own, mine) if own[0] else []

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
        parts = sorted(set(found.parts).intersection(keys))
        partition.post(
            target, Discovered(found.moment, found.source, list(keys), list(distances), parts)
        )
