"""Diverse: sites spread as far apart as their numbers allow (RDFa spider, 5.1.2 "Queue").

Offered URLs wait until the page that is being served runs out. Then the next *page* is laid
out: some URLs of every site that has any, spread over its positions by their frequency, the most
frequent site first. A page is served in the order of its positions. The position of a site that
rests is not lost: it is the first to be served when the site wakes.

A site's share of a page is bounded by the *diversity*: one over the number of choices that were
made in a second while the last page was served, so that at a steady rate no site comes up more
than once a second. URLs above that share stay behind, to be mixed with those found meanwhile.

Two things differ from the paper. Pages are laid out from all waiting URLs, not from those that
arrived last, and when there are more than a page holds, all sites get an equal part of it.
And a share is never smaller than an equal part for every site: when few sites were
left, the paper's queue found nothing that it could lay out and stood still; here, one site that
is left alone gets the whole page.

Always true:
  * every offered URL has a position, or waits behind all that have one;
  * a page takes at least one URL of every waiting site, until it is full.

Cost: `choose` is O(log sites), laying out a page is O(its URLs).
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Sequence

from lycosa.frontier.schedulers.queues import Queues


class Diverse:
    """Implements `lycosa.frontier.schedulers.Scheduler` and `ChoosesFrom`."""

    def __init__(self, page_urls: int, now: Callable[[], float]) -> None:
        self._page_urls = page_urls
        self._now = now
        self._placed = Queues()
        """URLs with a position, which is their rank."""
        self._unplaced: dict[int, deque[int]] = {}
        """URLs that wait for a position, by site; those first that a full page left out."""
        self._unplaced_urls = 0
        self._unplaced_ready = 0
        """How many of those are of awake sites."""
        self._next_position = 0
        self._chosen = 0
        self._laid_out_at = 0.0
        self.diversity = 1.0
        """The largest share of a page that one site may have; all of it until a rate is known."""

    @property
    def ready(self) -> int:
        """How many URLs can be chosen."""
        return self._placed.ready + self._unplaced_ready

    def offer(self, page: int, site: int) -> None:
        """Let a URL wait for a position."""
        line = self._unplaced.get(site)
        if line is None:
            line = self._unplaced[site] = deque()
        line.append(page)
        self._unplaced_urls += 1
        self._unplaced_ready += self._placed.is_awake(site)

    def move(self, page: int, site: int) -> None:
        """Take no notice: how near a URL is makes no difference here."""

    def withdraw(self, page: int, site: int) -> None:
        """Forget a URL; the position that it may have stays free."""
        line = self._unplaced.get(site)
        if line is None or page not in line:
            self._placed.withdraw(page, site)
            return
        self._drop_from(line, page, site)

    def drop(self, site: int) -> None:
        """Forget a site."""
        self.rest(site)
        self._placed.drop(site)
        self._unplaced_urls -= len(self._unplaced.pop(site, ()))

    def wake(self, site: int) -> None:
        """Let a site take part."""
        if not self._placed.is_awake(site):
            self._placed.wake(site)
            if site in self._unplaced:
                self._unplaced_ready += len(self._unplaced[site])

    def rest(self, site: int) -> None:
        """Take a site out."""
        if self._placed.is_awake(site):
            self._placed.rest(site)
            if site in self._unplaced:
                self._unplaced_ready -= len(self._unplaced[site])

    def waiting(self, site: int) -> int:
        """Return how many URLs of a site wait."""
        placed = self._placed.waiting(site)
        return placed + len(self._unplaced[site]) if site in self._unplaced else placed

    def choose(self) -> int | None:
        """Take the URL with the first position of all awake sites."""
        page = self._placed.choose()
        while page is None and self._unplaced_ready:
            self._lay_out()
            page = self._placed.choose()
        self._chosen += 1
        return page

    def choose_from(self, site: int) -> int | None:
        """Take the first URL of one site, if it is awake."""
        if not self._placed.is_awake(site):
            return None
        page = self._placed.choose_from(site)
        if page is None and site in self._unplaced:
            page = self._unplaced[site][0]
            self._drop_from(self._unplaced[site], page, site)
        self._chosen += page is not None
        return page

    def _drop_from(self, line: deque[int], page: int, site: int) -> None:
        line.remove(page)
        if not line:
            del self._unplaced[site]
        self._unplaced_urls -= 1
        self._unplaced_ready -= self._placed.is_awake(site)

    # -- pages ----------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Give positions to the next page of URLs."""
        self._tune()
        most = self._share()
        sites: list[int] = []
        counts: list[int] = []
        room = self._page_urls
        for site, line in self._unplaced.items():
            count = min(len(line), most, room)
            sites.append(site)
            counts.append(count)
            room -= count
            if not room:
                break
        put, lines = self._placed.put, [self._unplaced.pop(site) for site in sites]
        for number, index in enumerate(spread(counts), self._next_position):
            put(lines[index].popleft(), sites[index], number)
        self._next_position += sum(counts)
        self._unplaced_urls -= sum(counts)
        for site, line, count in zip(sites, lines, counts, strict=True):
            if self._placed.is_awake(site):
                self._unplaced_ready -= count
            if line:
                self._unplaced[site] = line

    def _share(self) -> int:
        """Return how many URLs of one site the next page may have."""
        sites, urls = len(self._unplaced), self._unplaced_urls
        if urls > self._page_urls:
            return max(1, self._page_urls // sites)
        return max(int(urls * self.diversity), -(-urls // sites))

    def _tune(self) -> None:
        """Set the diversity from the rate at which the last page was served."""
        now = self._now()
        seconds = now - self._laid_out_at
        if self._next_position and seconds > 0:
            self.diversity = min(1.0, seconds / max(self._chosen, 1))
        self._laid_out_at, self._chosen = now, 0


def spread(counts: Sequence[int]) -> array[int]:
    """Spread entries over as many positions as there are; returns whose each position is.

    The most frequent one is placed first, at equal steps from the first free position on; where
    a position is taken, the next free one after it is, or, at the end, the last one before it.
    """
    total = sum(counts)
    owners = array("I", bytes(4 * total))
    # Position → itself while it is free, else a step towards the next free one on the right;
    # and the same to the left, where everything is moved up by one.
    right, left = array("I", range(total + 1)), array("I", range(total + 1))
    for owner in sorted(range(len(counts)), key=lambda index: -counts[index]):
        count = counts[owner]
        if not count:
            break
        step = total / count
        place = float(_free(right, 0))
        for _ in range(count):
            wanted = min(int(place + 0.5), total)
            index = _free(right, wanted)
            if index == total:
                index = _free(left, wanted) - 1
            if index != wanted:
                place = float(index)
            owners[index] = owner
            right[index] = index + 1
            left[index + 1] = index
            place += step
    return owners


def _free(links: array[int], position: int) -> int:
    """Follow the links to a free position, and shorten the way for the next one."""
    free = position
    while links[free] != free:
        free = links[free]
    while links[position] != free:
        links[position], position = free, links[position]
    return free
