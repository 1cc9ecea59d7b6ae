"""Tries `/sitemap.xml`, where most sites have their sitemap, if robots.txt names none.

A site (scheme, host, port) is asked once, when it has given a page. So the request delays no first
page, and it is saved on sites that only redirect to another one, that give nothing but images and
scripts, or that need no second request. It waits for the host's clock like any other, and robots
rules, scope and depth limit must allow it. Where a plugin's partitioner cuts sites into pieces, the
partition that the URL belongs to asks when it has kept a page of the site itself.

The answer is a sitemap or a feed, whose entries are links, or it is nothing: NO_SITEMAP, whether
the site says 404 or shows some page. A redirect is followed within the site, and its target counts
as tried, too. Other failures end as those of any URL.

Always true:
  * trying is one event with the admission, and a known URL is never tried: at most once a site;
  * what was tried takes nothing from any limit, and its links count only if it is a list;
  * a URL that was tried in vain is asked for again if a page links to it: then it is a page.

Cost: a read of an array a page.
"""

from __future__ import annotations

from array import array
from types import MappingProxyType

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.answers.robots import SITEMAP_PATH
from lycosa.crawl.points import Feature, Occasion
from lycosa.crawl.ports import Ports
from lycosa.fetch.robots.rules import Rules
from lycosa.frontier.distance import SEED, STEP, farthest, through
from lycosa.frontier.facts.guesses import TRIED
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.records import LinkKind, Outcome, SitemapTried
from lycosa.model.url.key import site_of

DISTANCE = through(SEED, LinkKind.REDIRECT)
"""As near as a sitemap that robots.txt names."""
MOST_HOPS = 3
"""Most redirects in a row that are followed."""

NOTHING = frozenset(
    {
        Outcome.NOT_FOUND,
        Outcome.CLIENT_ERROR,
        Outcome.BAD_STATUS,
        Outcome.SOFT_404,
        Outcome.WRONG_TYPE,
    }
)
"""Answers that say: there is no sitemap here."""


class UsualSitemaps(Feature):
    """Tries sitemaps and recognises the answers; one per worker."""

    occasions = MappingProxyType({"learned": Occasion.KEPT})

    def __init__(self, ports: Ports) -> None:
        limits = ports.job.limits
        deepest = farthest(max(limits.depth_static, limits.depth_dynamic))
        self._is_wanted = ports.job.robots.sitemaps
        self._is_too_deep = through(DISTANCE, LinkKind.SITEMAP) > deepest
        self._scope = ports.scope
        self._partition_of = ports.partitioner.partition_of

    def watched(self, partition: Partition) -> array[int]:
        """Return the column of sites whose sitemap is to be tried."""
        return partition.state.sites.wants_sitemap

    def guess_recognised(self, answered: PageAnswer) -> None:
        """Tell whether a URL that was tried is a sitemap."""
        if answered.partition.state.pages.guess[answered.page] != TRIED:
            return
        answered.is_tried = True
        is_page = answered.outcome is Outcome.KEPT and not answered.facts.is_list
        if is_page or answered.outcome in NOTHING:
            answered.outcome = Outcome.NO_SITEMAP
            answered.drop_facts()

    def guess_taken(self, answered: PageAnswer) -> bool:
        """Follow the redirect of a URL that was tried, within its site."""
        if not answered.is_tried or answered.outcome is not Outcome.REDIRECTED:
            return False
        self._move(answered)
        return True

    def learned(self, answered: PageAnswer) -> None:
        """Try the sitemap of a site that wants it, if this answer is a page of the site."""
        state = answered.partition.state
        if not state.sites.wants_sitemap[answered.site] or answered.is_sitemap:
            return
        if answered.outcome is not Outcome.KEPT or answered.page in state.requisites:
            return
        if self._is_too_deep:
            return  # the site goes on wanting it, for a resume with a larger depth
        key = answered.site_name + SITEMAP_PATH
        if not self._is_wanted or not self._may_be_asked(answered, key):
            key = ""
        tried = SitemapTried(answered.ended, answered.site, key, DISTANCE)
        answered.partition.plant(tried)

    def _move(self, answered: PageAnswer) -> None:
        key = answered.links.targets[0].key if answered.links.targets else ""
        distance = answered.state.pages.distance[answered.page]
        if (
            key
            and site_of(key) == answered.site_name
            and distance % STEP < DISTANCE % STEP + MOST_HOPS
            and self._may_be_asked(answered, key)
        ):
            further, site = through(distance, LinkKind.REDIRECT), answered.site
            tried = SitemapTried(answered.ended, site, key, further, answered.key)
            answered.partition.plant(tried)

    def _may_be_asked(self, answered: PageAnswer, key: str) -> bool:
        state = answered.state
        return (
            state.table.find(key) is None
            and self._partition_of(key) == answered.partition.number
            and self._scope.judge(key).key == key
            and _rules_of(state, answered.site).is_allowed(key[len(answered.site_name) :])
        )


def _rules_of(state: PartitionState, site: int) -> Rules:
    return Rules.from_bytes(state.rules.get(site, b""))
