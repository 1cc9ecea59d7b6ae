"""Breadth first: what is nearest to the seeds, and among equals what was found first.

Every site has one first-in-first-out queue per distance. Of all awake sites the one
whose first URL is nearest is chosen; a heap of those first URLs makes that cheap. Both
are cleaned up lazily: a URL that came nearer stands in two queues of its site, and the
farther entry is recognised by its distance when it comes up; every site remembers which
heap entry counts for it (`noted`), and any other one is dropped when it comes up.

Cost: `offer` and `choose` are O(log sites), however many URLs a site has; a pending URL
costs 4 bytes.
"""

from __future__ import annotations

from array import array
from heapq import heappop, heappush

from lycosa.frontier.columns import Pages


class _Queue:
    """First in, first out, in 4 bytes an entry."""

    __slots__ = ("_entries", "_first")

    def __init__(self) -> None:
        self._entries = array("I")
        self._first = 0

    def push(self, page: int) -> None:
        self._entries.append(page)

    def peek(self) -> int:
        return self._entries[self._first]

    def pop(self) -> None:
        self._first += 1
        if self._first >= 64 and self._first * 2 >= len(self._entries):
            del self._entries[: self._first]
            self._first = 0

    def __bool__(self) -> bool:
        return self._first < len(self._entries)


class _Site:
    """The pending URLs of one site."""

    __slots__ = ("count", "is_awake", "noted", "queues")

    def __init__(self) -> None:
        self.queues: dict[int, _Queue] = {}
        self.count = 0
        self.is_awake = False
        self.noted: tuple[int, int] | None = None


class BreadthFirst:
    """Implements `lycosa.frontier.schedulers.Scheduler`."""

    def __init__(self, pages: Pages) -> None:
        self.ready = 0
        self._pages = pages
        self._sites: dict[int, _Site] = {}
        self._heads: list[tuple[int, int, int]] = []

    def offer(self, page: int, site: int) -> None:
        """Queue a URL at its distance."""
        entry = self._sites.get(site)
        if entry is None:
            entry = self._sites[site] = _Site()
        entry.count += 1
        if entry.is_awake:
            self.ready += 1
        self._queue(page, site, entry)

    def move(self, page: int, site: int) -> None:
        """Queue a URL again, nearer; the farther entry is now stale."""
        self._queue(page, site, self._sites[site])

    def drop(self, site: int) -> None:
        """Forget a site."""
        self.rest(site)
        self._sites.pop(site, None)

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
        """Return how many URLs of a site are queued."""
        entry = self._sites.get(site)
        return entry.count if entry is not None else 0

    def choose(self) -> int | None:
        """Take the nearest URL of all awake sites."""
        if not self.ready:
            return None
        while True:
            distance, page, site = heappop(self._heads)
            entry = self._sites.get(site)
            if entry is None or entry.noted != (distance, page):
                continue
            entry.noted = None
            if not entry.is_awake:
                continue
            is_first = self._head(entry) == (distance, page)
            if is_first:
                entry.queues[distance].pop()
                entry.count -= 1
                self.ready -= 1
            self._note_head(site, entry)
            if is_first:
                return page

    def _queue(self, page: int, site: int, entry: _Site) -> None:
        distance = self._pages.distance[page]
        queue = entry.queues.get(distance)
        if queue is None:
            queue = entry.queues[distance] = _Queue()
        queue.push(page)
        if entry.is_awake and (entry.noted is None or distance < entry.noted[0]):
            self._note_head(site, entry)

    def _head(self, entry: _Site) -> tuple[int, int] | None:
        """Return the site's nearest URL, after dropping stale entries before it."""
        distances = self._pages.distance
        while entry.queues:
            nearest = min(entry.queues)
            queue = entry.queues[nearest]
            while queue:
                page = queue.peek()
                if distances[page] == nearest:
                    return nearest, page
                queue.pop()
            del entry.queues[nearest]
        return None

    def _note_head(self, site: int, entry: _Site) -> None:
        """Enter the site's nearest URL into the heap, unless it is what counts already."""
        head = self._head(entry)
        if head is not None and head != entry.noted:
            entry.noted = head
            heappush(self._heads, (*head, site))
