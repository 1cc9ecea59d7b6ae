"""Resolves the links of a page, parts those to follow from the rest, and sends them on their way.

A link to a URL of the same partition is admitted at once. Any other goes, with the
next commit, to the inbox of its partition, also if this worker owns it: partitions
share nothing, and one rule serves one worker and a hundred. A link that is not followed goes
to the table of links alone, with the reason.

When a page turns out to be nearer to the seeds than was thought, its links are nearer
too. They are read back from the store and routed again, from page to page, until
nothing comes nearer any more (`lycosa.frontier.distance` says why that ends right).
On a cluster the record may lie on another machine, where the partition was before. Then the links
are owed (`LinksOwed`), until they come from the store of objects (`worker.owed_links`), the
partition is taken by a machine that has the record, or patience ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from lycosa.crawl.links._link_cache import Targets
from lycosa.crawl.links._routes import REQUISITES, TOO_DEEP, Routes
from lycosa.crawl.links.known_copies import KNOWN_COPY, Ahead, KnownCopies
from lycosa.crawl.links.raw_links import RawLinks
from lycosa.crawl.ports import Ports
from lycosa.errors import Elsewhere
from lycosa.frontier.distance import (
    SEED,
    STEP,
    farthest,
    free_kinds,
    is_beyond,
    through,
)
from lycosa.frontier.facts.limits import MOST_TOO_DEEP
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.links import (
    FOLLOWED,
    Known,
    Reach,
    Ways,
    mask_of,
)
from lycosa.model.records import (
    Discovered,
    KeyedLink,
    LinkKind,
    Links,
    LinksCounted,
    LinksOwed,
    Target,
)
from lycosa.model.url import url_of
from lycosa.model.url.scope import OUT_OF_SCOPE

ANCHOR, REDIRECT = LinkKind.ANCHOR, LinkKind.REDIRECT
POST, PAGINATION = int(LinkKind.POST), int(LinkKind.PAGINATION)


class Router(Routes):
    """Decides where links go; one per worker. The usual way of a page's links is compiled."""

    def __init__(self, ports: Ports) -> None:
        self._clock, self._scope, self._store = ports.clock, ports.scope, ports.store
        self._partition_of = ports.partitioner.partition_of
        self._targets = Targets(ports.scope, ports.job.caches.references)
        self._most_posted = ports.job.caches.sent_urls
        self._copies = KnownCopies() if ports.job.traps.known_copies else None
        self._posted: dict[int, dict[str, int]] = {}
        self._told: dict[int, set[str]] = {}
        """By partition, URLs of others that it has named to them as too deep."""
        limits = ports.job.limits
        self._depths = limits.depth_static, limits.depth_dynamic
        ways = Ways(
            (mask_of(free_kinds(self._depths[0])), mask_of(free_kinds(self._depths[1]))),
            REQUISITES if ports.job.extract.requisites or ports.job.render.mode != "off" else 0,
            (farthest(self._depths[0]), farthest(self._depths[1])),
            self._partition_of,
        )
        last_distance = STEP * min(self._depths)
        super().__init__(ports, self._targets, ways, self._copies, last_distance)
        self._ways = ways

    def _learn_scope(self) -> None:
        """Forget what was judged by rules that have changed, or before hosts joined the scope."""
        if self._scope.size != self._scope_size:
            self._scope_size = self._scope.size
            self._targets.forget()

    def _name_copies(self, partition: Partition, page: int, links: Links) -> tuple[Links, Ahead]:
        """Name the links to other views of a kept page.

        The rows of links are written before links are routed: `route` must lead those that are
        named here, and no others.
        """
        assert self._copies is not None
        distance = partition.state.pages.distance[page]
        known, reach = _known(partition), _reach(distance)
        places = self._ways.unsettled(links.targets, links.kinds, known, reach)
        led = self._copies.led_from(partition.state, page, links.targets, places)
        if not led:
            return links, Ahead(places, led)
        reasons = links.reasons or [FOLLOWED] * len(links.kinds)
        named = [
            KNOWN_COPY if target.key in led and reason == FOLLOWED else reason
            for target, reason in zip(links.targets, reasons, strict=True)
        ]
        return replace(links, reasons=named), Ahead(places, led)

    def _name_deep(self, partition: Partition, links: Links, distance: int) -> Links:
        """Name the links of a page at this distance that are too deep now."""
        reasons = [
            TOO_DEEP
            if is_beyond(distance, LinkKind(kind), self._depths["?" in target.key])
            else FOLLOWED
            for target, kind in zip(links.targets, links.kinds, strict=True)
        ]
        too_deep = [
            target.key
            for target, reason in zip(links.targets, reasons, strict=True)
            if reason is TOO_DEEP
        ]
        if too_deep:
            self._note_deep(partition, too_deep)
        return replace(links, reasons=reasons)

    def _note_deep(self, partition: Partition, keys: Sequence[str]) -> None:
        """Have URLs counted that are too deep, by the partitions that know whether they are known.

        Links to another view of a kept page lead to nothing that was left out.
        """
        own: list[str] = []
        abroad: dict[int, list[str]] = {}
        told = self._told.setdefault(partition.number, set())
        for key in keys:
            if self._copies is not None and self._copies.original_of(partition.state, key):
                continue
            number = self._partition_of(key)
            if number == partition.number:
                own.append(key)
            elif key not in told and len(told) < MOST_TOO_DEEP:
                told.add(key)
                abroad.setdefault(number, []).append(key)
        if own:
            partition.note_too_deep(own)
        for number, some in abroad.items():
            now = self._clock.now()
            partition.post(number, Discovered(now, TOO_DEEP, [], [], too_deep=some))

    def resolve_redirect(
        self, partition: Partition, page: int, raw: RawLinks, base: str
    ) -> tuple[Links, Links, Ahead | None]:
        """Resolve a redirect; the target of a seed's redirect joins the scope.

        A URL that was asked for out of scope is part of a page, and so is its target: a part of a
        page is asked for also where it has moved out of scope.
        """
        key, is_seed = partition.state.table.key(page), partition.state.pages.distance[page] == SEED
        for target in self._targets.targets(raw.hrefs, base):
            if target.key:
                self._scope.follow(key, target.key, is_seed=is_seed)
        is_requisite = (
            page in partition.state.requisites or self._scope.judge(key).reason == OUT_OF_SCOPE
        )
        kinds = REQUISITES | mask_of(frozenset({REDIRECT})) if is_requisite else REQUISITES
        return self.resolve(partition, page, raw, base, kinds)

    def with_posts(
        self, partition: Partition, page: int, links: Links, posts: Mapping[str, tuple[str, str]]
    ) -> Links:
        """Return the links of a page with those to keys that are posted to, each with its text and
        relations; the caller has judged them."""
        kind = {
            key: PAGINATION if "next" in rel.split() else POST for key, (_, rel) in posts.items()
        }
        at = 1 + max(links.positions or [len(links.kinds) - 1], default=-1)
        reasons = links.reasons and [*links.reasons, *[FOLLOWED] * len(posts)]
        more = replace(
            links,
            targets=[*links.targets, *map(self._targets.of_key, posts)],
            kinds=[*links.kinds, *kind.values()],
            texts=[*links.texts, *(text for text, _ in posts.values())],
            rels=[*links.rels, *(rel for _, rel in posts.values())],
            times=[*links.times, *[1] * len(posts)],
            positions=links.positions and [*links.positions, *range(at, at + len(posts))],
            reasons=reasons,
        )
        distance = partition.state.pages.distance[page]
        return self._name_deep(partition, more, distance) if distance >= self._deep_from else more

    def sitemaps_found(
        self, partition: Partition, site: str, hrefs: Sequence[str], moment: float
    ) -> None:
        """Admit the sitemaps that a robots file names, as near as the site's first page."""
        self._learn_scope()
        robots_key = site + "/robots.txt"
        by_partition: dict[int, list[str]] = {}
        for target in self._targets.targets(hrefs, url_of(robots_key)):
            if target.refusal:
                partition.count_refusal(target.refusal)
            else:
                keys = by_partition.setdefault(self._partition_of(target.key), [])
                keys += [target.key] if target.key not in keys else []
        for number, keys in by_partition.items():
            discovered = Discovered(moment, robots_key, keys, [through(SEED, REDIRECT)] * len(keys))
            if number == partition.number:
                self.admit(partition, discovered)
            else:
                self._post(partition, number, discovered)

    def forget(self, partition: int) -> None:
        """Forget what a partition has posted and its page numbers: it is no longer ours."""
        if self._copies is not None:
            self._copies.forget()
        self._posted.pop(partition, None)
        self._told.pop(partition, None)
        self._targets.forget()

    def _paid(self, partition: Partition, moment: float, page: int) -> None:
        """Note that the links of a page are owed no longer."""
        partition.record(LinksOwed(moment, done=[page]))

    def _count(self, partition: Partition, targets: Sequence[Target]) -> None:
        """Count the links of a page to known URLs, each URL once.

        A URL of another partition counts as known when it was sent there lately.
        """
        posted = self._posted.get(partition.number, {})
        own: list[str] = []
        for target in {target.key: target for target in targets}.values():
            if target.partition < 0:
                target.partition = self._partition_of(target.key)
            if target.partition == partition.number:
                own.append(target.key)
            elif target.key in posted:
                partition.count_abroad(target.partition, target.key)
        found = partition.state.table.find_many(own)
        partition.link_counts.count(page for page in found if page >= 0)

    def admit(self, partition: Partition, found: Discovered) -> None:
        """Admit what came through the inbox, and pass on what came nearer by it.

        The moment is the sender's. If its clock is ahead of ours, ours counts: a host would be
        asked too soon otherwise.
        """
        moment = min(found.moment, self._clock.now())
        if partition.link_counts.is_on:
            known = partition.state.table.find_many(found.keys)
            partition.link_counts.count(page for page in known if page >= 0)
        if self.companion is not None:
            self.companion.hear_message(partition, found)
        nearer = partition.admit(
            moment, found.source, found.keys, found.distances, found.requisites, found.hops
        )
        if self.companion is not None:
            self.companion.end()
        self._pass_on(partition, moment, nearer)

    def links_counted(self, partition: Partition, message: LinksCounted) -> None:
        """Count links that other partitions have seen."""
        found = partition.state.table.find_many(list(message.links))
        for page, times in zip(found, message.links.values(), strict=True):
            if page >= 0:
                partition.link_counts.count((page,), times)

    def pay(self, partition: Partition, moment: float) -> None:
        """Pass on the links that are owed, as far as their records are here."""
        state = partition.state
        gone = [page for page in state.links_owed if not self._has_links(state, page)]
        if gone:
            partition.record(LinksOwed(moment, done=gone))
        self._pass_on(partition, moment, sorted(state.links_owed))

    def pay_page(
        self, partition: Partition, moment: float, page: int, links: Sequence[KeyedLink]
    ) -> None:
        """Pass on the links of one page that were owed and have come."""
        partition.record(LinksOwed(moment, done=[page]))
        if self._has_links(partition.state, page):
            self._pass_on(partition, moment, self._route_read(partition, moment, page, links))

    def _has_links(self, state: PartitionState, page: int) -> bool:
        """Return whether the links of a page count: not those of a mirror."""
        host = state.sites.host[state.pages.site[page]]
        return state.place_of(page) is not None and host not in state.traps.mirrors

    def _links_of(self, partition: Partition, moment: float, page: int) -> Sequence[KeyedLink]:
        """Read the links of a page from the store; those that lie elsewhere are owed."""
        state = partition.state
        place, is_owed = state.place_of(page), page in state.links_owed
        if place is None or not self._has_links(state, page):
            return ()
        try:
            links = self._store.links(place)
            for document in state.rendering.records_of(page) if state.rendering.endings else ():
                links = links + self._store.links(document)
        except Elsewhere:
            if not is_owed:
                partition.record(LinksOwed(moment, [page]))
            return ()
        if is_owed:
            partition.record(LinksOwed(moment, done=[page]))
        return links

    def pass_on(self, partition: Partition, moment: float, page: int) -> None:
        """Read the links of a page from its record, and route them as they are routed now."""
        self._pass_on(partition, moment, [page])

    def _pass_on(self, partition: Partition, moment: float, nearer: list[int]) -> None:
        while nearer:
            page = nearer.pop()
            links = self._links_of(partition, moment, page)
            nearer += self._route_read(partition, moment, page, links)

    def _route_read(
        self, partition: Partition, moment: float, page: int, links: Sequence[KeyedLink]
    ) -> list[int]:
        """Route links that were read back from a record."""
        targets = [self._targets.of_key(link.key) for link in links]
        kinds = [int(link.kind) for link in links]
        return self._route_one(partition, moment, page, targets, kinds)

    def _original(
        self,
        partition: Partition,
        led: Mapping[str, str] | None,
        target: Target,
    ) -> Target:
        """Return the page that is kept, if the link leads to another view of it."""
        assert self._copies is not None
        if led is not None:
            key = led.get(target.key)
        else:
            key = self._copies.original_of(partition.state, target.key)
        if key is None:
            return target
        partition.count_refusal(KNOWN_COPY)
        return self._targets.of_key(key)

    def _post(self, partition: Partition, target: int, found: Discovered) -> None:
        posted = self._posted.setdefault(partition.number, {})
        hops = found.hops
        # A way with other redirects in a row is another way, also where it is not nearer.
        names = [f"{key} {hops}" for key in found.keys] if hops else found.keys
        fresh = [
            (name, key, distance)
            for name, key, distance in zip(names, found.keys, found.distances, strict=True)
            if distance < posted.get(name, distance + 1)
        ]
        if self.companion is not None and len(fresh) < len(found.keys):
            self.companion.sent_before(partition, target, found.keys, {key for _, key, _ in fresh})
        if not fresh:
            return
        # A cache: a link that is sent twice is known by its key where it arrives.
        if len(posted) > self._most_posted:
            posted.clear()
        posted.update((name, distance) for name, _, distance in fresh)
        keys = [key for _, key, _ in fresh]
        distances = [distance for _, _, distance in fresh]
        requisites = sorted(set(found.requisites).intersection(keys))
        said, hints = self.companion.sent(keys) if self.companion is not None else (b"", b"")
        partition.post(
            target,
            Discovered(found.moment, found.source, keys, distances, requisites, hops, said, hints),
        )


def _known(partition: Partition) -> Known:
    """Return what the links of a page are compared with."""
    state = partition.state
    pages = state.pages
    return Known(partition.number, pages.distance, pages.hops, state.requisites)


def _reach(distance: int, hops: int = 0) -> Reach:
    """Return how near a page at this distance brings what it links to."""
    return Reach(through(distance, ANCHOR), through(distance, REDIRECT), hops)
