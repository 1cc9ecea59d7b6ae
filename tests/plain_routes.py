"""The ways of a page's links in plain Python: the twin of `lycosa.crawl.links._routes`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lycosa.crawl.links._routes import REQUISITES, TOO_DEEP
from lycosa.crawl.links.known_copies import Ahead
from lycosa.crawl.links.raw_links import BY_KIND, RawLinks
from lycosa.crawl.links.router import REDIRECT, Router, _known, _reach
from lycosa.crawl.ports import Ports
from lycosa.frontier.distance import MOST_REDIRECTS, STEP, TOO_MANY_REDIRECTS
from lycosa.frontier.partition import Partition
from lycosa.model.links import NO_LINKS, have_parameters, note_pages
from lycosa.model.records import Discovered, Links, LinksOwed, Target
from lycosa.model.url.scope import OUT_OF_SCOPE


class PlainRouter(Router):
    """Decides where links go as `Router` does."""

    def __init__(self, ports: Ports) -> None:
        super().__init__(ports)
        self._job, self._partitioner = ports.job, ports.partitioner
        limits = ports.job.limits
        self._last_distance = STEP * min(limits.depth_static, limits.depth_dynamic)

    def resolve(
        self,
        partition: Partition,
        page: int,
        raw: RawLinks,
        base: str,
        also_out_of_scope: int = REQUISITES,
        is_kept: bool = False,
    ) -> tuple[Links, Links, Ahead | None]:
        """Return the links of a page to follow, and the others with their reasons, each once.

        `also_out_of_scope` are the kinds (`mask_of`) that lead out of it, too. Those to follow may
        be too deep, and say so: they are followed when the page comes nearer. Of a page that
        `is_kept`, links to another view of a kept page say that; the third result, if there is one,
        is then for `route`.
        """
        ahead = None
        self._learn_scope()
        table = partition.state.table if self._job.extract.pagination else None
        links, others, refused = self._targets.links(
            raw, base, OUT_OF_SCOPE, also_out_of_scope, BY_KIND, table, page
        )
        for reason, count in refused.items():
            partition.count_refusal(reason, count)
        distance = partition.state.pages.distance[page]
        if distance >= self._last_distance:
            links = self._name_deep(partition, links, distance)
        if is_kept and self._copies is not None and have_parameters(links.targets):
            links, ahead = self._name_copies(partition, page, links)
        return links, others if self._job.extract.links == "all" else NO_LINKS, ahead

    def route(
        self,
        partition: Partition,
        moment: float,
        page: int,
        key: str,
        links: Links,
        *,
        ahead: Ahead | None = None,
    ) -> None:
        """Send the links of a page on their way, and of every page that comes nearer by it."""
        if self._copies is not None:
            self._copies.learn(partition.state, page, key)
        if partition.link_counts.is_on:
            self._count(partition, links.targets)
        nearer = self._route_plain(partition, moment, page, links.targets, links.kinds, ahead)
        if self.companion is not None:
            self.companion.end()
        if page in partition.state.links_owed:
            partition.record(LinksOwed(moment, done=[page]))
        self._pass_on(partition, moment, nearer)

    def _route_one(
        self,
        partition: Partition,
        moment: float,
        page: int,
        targets: Sequence[Target],
        kinds: Sequence[int],
    ) -> list[int]:
        """Route one page's links; returns the pages of this partition that came nearer."""
        return self._route_plain(partition, moment, page, targets, kinds, None)

    def _route_plain(
        self,
        partition: Partition,
        moment: float,
        page: int,
        targets: Sequence[Target],
        kinds: Sequence[int],
        ahead: Ahead | None,
    ) -> list[int]:
        state, number = partition.state, partition.number
        hops = 0
        if kinds and kinds[0] == REDIRECT:  # then it is the only link
            hops = state.pages.hops[page] + 1
            if hops > MOST_REDIRECTS:
                partition.count_refusal(TOO_MANY_REDIRECTS)
                return []
        reach, led = _reach(state.pages.distance[page], hops), None
        if ahead is not None:
            places, led = ahead.places, ahead.led
        else:
            places = self._ways.unsettled(targets, kinds, _known(partition), reach)
        if not places:
            return []  # most links lead to what is known, and from no nearer
        own_site = "/"
        if not self._partitioner.splits_hosts:
            own_site = state.site_names[state.pages.site[page]] + "/"
        lead = None
        if self._copies is not None and not hops:
            lead = partial(self._original, partition, led)
        parts, too_deep = self._ways.parted(targets, kinds, places, reach, number, own_site, lead)
        if too_deep:
            partition.count_refusal(TOO_DEEP, too_deep)
        own = parts.pop(number, None)
        source = state.table.key(page)
        for abroad, (_, keys, distances, requisites) in parts.items():
            message = Discovered(moment, source, keys, distances, requisites, hops)
            self._post(partition, abroad, message)
        if own is None:
            return []
        found, keys, distances, requisites = own
        nearer = partition.admit(moment, source, keys, distances, requisites, hops)
        note_pages(found, state.table.find_many(keys), state.pages.guess)
        return nearer
