"""Diverse: sites spread as far apart as their numbers allow (RDFa spider, 5.1.2 "Queue").

What is offered waits until the page that is being served runs out. Then the next *page* is laid
out: some URLs of every site that has any, spread over its positions by their frequency, the most
frequent site first. A page is served in the order of its positions. The position of a site that
rests is not lost: it is the first to be served when the site wakes.

A site's share of a page is bounded by the *diversity*: one over the number of choices that were
made in a second while the last page was served, so that at a steady rate no site comes up more
than once a second. What is above that stays behind, to be mixed with what is found meanwhile.

Two things are done otherwise than in the paper. Pages are laid out of all that waits, not of
what arrived last, and when that is more than a page holds, all sites have an equal part of it.
And a share is never smaller than what an equal part for every site would be: when few sites are
left, the paper's queue found nothing that it could lay out and stood still; here, one site that
is left alone has the whole page.

Always true:
  * every URL that was offered has a position or waits behind all that have one;
  * a page takes at least one URL of every site that waits, until it is full.

Cost: `choose` is O(log sites), laying out a page is O(its URLs); a pending URL costs 12 bytes
once it has a position, and 4 before.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from heapq import heappop, heappush

from lycosa.frontier.schedulers.ranked import Queue


class _Site:
    """The pending URLs of one site: those with a position, and those that wait for one."""

    __slots__ = ("count", "is_awake", "noted", "pages", "positions", "unplaced")

    def __init__(self) -> None:
        self.pages = Queue()
        self.positions = Queue("Q")
        self.unplaced = Queue()
        self.count = 0
        self.is_awake = False
        self.noted = -1
        """The position under which the heap has the site; -1 for none."""


class Diverse:
    """Implements `lycosa.frontier.schedulers.Scheduler` and `choose_from`."""

    def __init__(self, page_urls: int, now: Callable[[], float]) -> None:
        self.ready = 0
        self._page_urls = page_urls
        self._now = now
        self._sites: dict[int, _Site] = {}
        self._unplaced: dict[int, None] = {}
        """Sites that have URLs without a position, those first that a full page left out."""
        self._unplaced_urls = 0
        self._heads: list[tuple[int, int]] = []
        self._next_position = 0
        self._chosen = 0
        self._laid_out_at = 0.0
        self.diversity = 1.0
        """The largest share of a page that one site may have; all of it until a rate is known."""

    def offer(self, page: int, site: int) -> None:
        """Let a URL wait for a position."""
        entry = self._sites.get(site)
        if entry is None:
            entry = self._sites[site] = _Site()
        entry.count += 1
        if entry.is_awake:
            self.ready += 1
        entry.unplaced.push(page)
        self._unplaced[site] = None
        self._unplaced_urls += 1

    def move(self, page: int, site: int) -> None:
        """Take no notice: how near a URL is makes no difference here."""

    def drop(self, site: int) -> None:
        """Forget a site."""
        self.rest(site)
        entry = self._sites.pop(site, None)
        self._unplaced.pop(site, None)
        if entry is not None:
            self._unplaced_urls -= len(entry.unplaced)

    def wake(self, site: int) -> None:
        """Let a site take part."""
        entry = self._sites.get(site)
        if entry is None or entry.is_awake:
            return
        entry.is_awake = True
        self.ready += entry.count
        self._note_head(site, entry)

    def rest(self, site: int) -> None:
        """Take a site out; its heap entry is left to be found stale."""
        entry = self._sites.get(site)
        if entry is None or not entry.is_awake:
            return
        entry.is_awake = False
        self.ready -= entry.count
        if not entry.count:
            del self._sites[site]

    def waiting(self, site: int) -> int:
        """Return how many URLs of a site wait."""
        entry = self._sites.get(site)
        return entry.count if entry is not None else 0

    def choose(self) -> int | None:
        """Take the URL with the first position of all awake sites."""
        if not self.ready:
            return None
        while True:
            if not self._heads:
                self._lay_out()
                continue
            position, site = heappop(self._heads)
            entry = self._sites.get(site)
            if entry is None or entry.noted != position:
                continue
            entry.noted = -1
            if entry.is_awake and entry.positions:
                is_first = entry.positions.peek() == position
                page = self._take(entry) if is_first else None
                self._note_head(site, entry)
                if page is not None:
                    return page

    def choose_from(self, site: int) -> int | None:
        """Take the first URL of one site, if it is awake."""
        entry = self._sites.get(site)
        if entry is None or not entry.is_awake or not entry.count:
            return None
        if entry.pages:
            page = self._take(entry)
            self._note_head(site, entry)
            return page
        page = entry.unplaced.peek()
        entry.unplaced.pop()
        self._unplaced_urls -= 1
        if not entry.unplaced:
            del self._unplaced[site]
        self._count_choice(entry)
        return page

    def _take(self, entry: _Site) -> int:
        page = entry.pages.peek()
        entry.pages.pop()
        entry.positions.pop()
        self._count_choice(entry)
        return page

    def _count_choice(self, entry: _Site) -> None:
        entry.count -= 1
        self.ready -= 1
        self._chosen += 1

    def _note_head(self, site: int, entry: _Site) -> None:
        if entry.positions:
            position = entry.positions.peek()
            if position != entry.noted:
                entry.noted = position
                heappush(self._heads, (position, site))

    # -- pages ----------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Give positions to the next page of URLs."""
        self._tune()
        most = self._share()
        sites: list[int] = []
        counts: list[int] = []
        room = self._page_urls
        for site in self._unplaced:
            count = min(len(self._sites[site].unplaced), most, room)
            sites.append(site)
            counts.append(count)
            room -= count
            if not room:
                break
        first = self._next_position
        for number, index in enumerate(spread(counts)):
            entry = self._sites[sites[index]]
            entry.positions.push(first + number)
            entry.pages.push(entry.unplaced.peek())
            entry.unplaced.pop()
        self._next_position += sum(counts)
        self._unplaced_urls -= sum(counts)
        for site in sites:
            entry = self._sites[site]
            del self._unplaced[site]
            if entry.unplaced:
                self._unplaced[site] = None
            if entry.is_awake:
                self._note_head(site, entry)

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
